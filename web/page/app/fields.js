// The fields of an operation: two operands and broadcast_dimensions, or one and the dimensions to
// reduce, the operation and its type.

import { elementTypes } from "../indim.js";
import { button, choice, fill, h } from "./dom.js";
import { OPERATIONS, REDUCTIONS, isReduction, sign } from "./operations.js";
import { listText, parseList } from "./shapes.js";
import { remedy, statement, t } from "./text.js";

const SHAPES = ["", "3", "4", "2,3", "3,3", "1,3", "2,1", "2,3,4", "7,1,5", "2,3,4,5"];
const MOST_PICKS = 8;
const FILLS = ["count", "seven", "iota", "random", "ones", "zeros"];
// What the choice of values says while some are edited; each of the others takes their place.
const EDITED = "edited";

// Returns an error by the page itself, at a field. Its message is in the reader's language.
export function fieldError(field, message) {
  return Object.assign(new Error(message), { field, own: true });
}

// Returns what is said of a refusal: the library's message, which is English, and the rule that it is about.
export function reason({ message, rule, own }) {
  return [
    h("p", { class: "message", lang: own ? undefined : "en" }, message),
    rule && h("p", { class: "rule" }, h("b", { class: "label" }, rule), " ", statement(rule)),
  ];
}

// Returns the reason of a refusal, and a remedy for readers of another language: that of the rule, or of `known`
// where there is no rule.
export function refusal(error, known) {
  const remedied = !error.own && remedy(error.rule ?? known);
  return [reason(error), remedied && h("p", { class: "remedy" }, remedied)];
}

// The inputs: `element` has those that shapes follow from and the refusals, so that a picture under it
// is near, and `more` has the others. `change` is given what changes of the state, and the name of
// the input.
export class Fields {
  #change;
  #inputs = {};
  #refusals = {};
  #picks = {};
  #numpyNote = h("div", { class: "note", id: "numpy-note" });
  #op;
  #type;
  #fills = {};
  #fillLabel = h("label", { for: "lhs-fill" });
  #numpy;
  #lhsLabel = h("label", { for: "lhs" });
  #ofTwo;
  #ofOne;

  constructor(change) {
    this.#change = change;
    const signed = OPERATIONS.map((name) => [name, sign(name) ? `${name}  ${sign(name)}` : name]);
    const ops = [[t("fields.two"), signed], [t("fields.reductions"), REDUCTIONS.map((name) => [name, name])]];
    this.#op = choice("op", ops, "add", (op) => change({ op }, "op"), { lang: "en" });
    const rhs = this.#operand("rhs", h("label", { for: "rhs" }, t("fields.rhs")));
    const dims = this.#dimensions("dims", "broadcast_dimensions", t("dims.label"), t("dims.pick"), "refusal-dims numpy-note");
    const reduce = this.#dimensions("reduce", "dimensions", t("reduce.label"), t("reduce.pick"), "refusal-reduce");
    const refusals = ["lhs", "rhs", "shapes", "dims", "reduce", "type"].map((key) => this.#refusal(key));
    this.element = h("form", { class: "fields", tabindex: "-1", onsubmit: (event) => event.preventDefault(), "aria-label": t("fields.title"), "aria-describedby": "refusals" },
      this.#operand("lhs", this.#lhsLabel),
      h("div", { class: "operation" }, h("label", { for: "op" }, t("fields.operation")), this.#op),
      rhs, dims, reduce,
      h("div", { class: "refusals", id: "refusals" }, refusals),
      h("datalist", { id: "shapes" }, SHAPES.map((shape) => h("option", { value: shape }))));
    this.#ofTwo = [rhs, dims, ...this.#makeMore()];
    this.#ofOne = [reduce];
  }

  // Makes the inputs that shapes do not follow from, and returns those of two operands.
  #makeMore() {
    this.#type = choice("type", elementTypes.map((name) => [name, name]), "f32", (type) => this.#change({ type, lhsEdits: "", rhsEdits: "" }, "type"), { lang: "en", "aria-describedby": "refusal-type" });
    this.#numpy = h("input", { type: "checkbox", id: "numpy", role: "switch", onchange: (event) => this.#change({ numpy: event.target.checked ? "1" : "" }, "numpy") });
    const rhs = this.#fill("rhs", h("label", { for: "rhs-fill" }, t("fields.fill", { name: t("name.rhs") })));
    const numpy = h("div", { class: "implicit" },
      h("label", { class: "switch", for: "numpy" }, this.#numpy, h("span", {}, t("numpy.switch"))),
      this.#numpyNote);
    this.more = h("form", { class: "more-fields", onsubmit: (event) => event.preventDefault(), "aria-label": t("fields.more") },
      this.#fill("lhs", this.#fillLabel), rhs,
      h("div", {}, h("label", { for: "type" }, t("fields.type")), this.#type),
      numpy);
    return [rhs, numpy];
  }

  #text(key, list, more = {}) {
    const input = h("input", {
      type: "text", id: key, list: list || undefined, autocomplete: "off", autocapitalize: "off", spellcheck: "false",
      inputmode: "text", oninput: (event) => this.#change({ [key]: event.target.value }, key), ...more,
    });
    this.#inputs[key] = input;
    return input;
  }

  #refusal(key) {
    this.#refusals[key] = h("div", { class: "refusal", id: `refusal-${key}`, "aria-live": "polite" });
    return this.#refusals[key];
  }

  // A list of dimensions, which is typed or picked.
  #dimensions(key, name, label, pick, describedBy) {
    this.#picks[key] = h("div", { class: "picks", role: "group", "aria-label": pick });
    return h("div", { class: key },
      h("label", { for: key }, h("code", { lang: "en" }, name)),
      h("div", { class: "listed" }, this.#text(key, "", { "aria-describedby": `help-${key} ${describedBy}` }), this.#picks[key]),
      h("p", { class: "note", id: `help-${key}` }, label));
  }

  #fill(key, label) {
    const fills = [...FILLS, EDITED].map((name) => [name, t(`fill.${name}`)]);
    this.#fills[key] = choice(`${key}-fill`, fills, "count", (name) => this.#change({
      [`${key}Fill`]: name === "random" ? `random${Math.floor(Math.random() * 1000)}` : name, [`${key}Edits`]: "",
    }, `${key}-fill`));
    return h("div", {}, label, this.#fills[key]);
  }

  #operand(key, label) {
    return h("div", { class: `operand ${key}` }, label,
      this.#text(key, "shapes", { "aria-describedby": `refusal-${key} refusal-shapes`, placeholder: t("fields.scalar") }));
  }

  // Shows a state, and what became of it: `error`, `numpy` with `dims` or `error`, and the shapes if
  // they could be read.
  show(state, { error, numpy, shapes }) {
    for (const [key, input] of Object.entries(this.#inputs)) {
      const value = key === "dims" && state.numpy ? (numpy.dims?.join(",") ?? "") : state[key];
      // What is being typed is left alone.
      if (input.value !== value && document.activeElement !== input) input.value = value;
      else if (input.value !== value && parseList(input.value)?.join() !== parseList(value)?.join()) input.value = value;
    }
    const reduction = isReduction(state.op);
    for (const part of this.#ofTwo) part.hidden = reduction;
    for (const part of this.#ofOne) part.hidden = !reduction;
    this.#lhsLabel.textContent = t(reduction ? "fields.operand" : "fields.lhs");
    this.#fillLabel.textContent = t("fields.fill", { name: t(reduction ? "name.operand" : "name.lhs") });
    this.#inputs.dims.readOnly = Boolean(state.numpy);
    this.#op.value = reduction || OPERATIONS.includes(state.op) ? state.op : "";
    this.#type.value = elementTypes.includes(state.type) ? state.type : "";
    for (const [key, select] of Object.entries(this.#fills)) {
      const edited = state[`${key}Edits`] !== "";
      const last = select.lastElementChild;
      last.hidden = last.disabled = !edited;
      select.value = edited ? EDITED : state[`${key}Fill`].replace(/\d+$/, "");
    }
    this.#numpy.checked = Boolean(state.numpy);
    this.#showRefusal(error);
    this.#showPicks("dims", state.dims, state.numpy ? {} : byRank(shapes));
    this.#showPicks("reduce", state.reduce, { higher: shapes?.lhs });
    this.#showNumpy(state, numpy);
  }

  #showRefusal(error) {
    const field = { dimensions: "dims" }[error?.field] ?? error?.field ?? "type";
    for (const [key, element] of Object.entries(this.#refusals)) {
      if (error && key === field) fill(element, refusal(error, key in this.#inputs ? "number" : "choice"));
      else if (element.firstChild) fill(element);
    }
    for (const [key, input] of Object.entries(this.#inputs)) {
      const wrong = error && (key === field || (field === "shapes" && ["lhs", "rhs"].includes(key)));
      if (wrong) input.setAttribute("aria-invalid", "true");
      else input.removeAttribute("aria-invalid");
    }
  }

  // Each dimension of the higher-rank shape is a button, as far as there are few. A vector has one
  // dimension to match, so another pick takes the place of the first.
  #showPicks(key, typed, { lower, higher }) {
    const picks = this.#picks[key];
    if (!higher || higher.length > MOST_PICKS) {
      fill(picks);
      return;
    }
    const picked = new Set(parseList(typed) ?? []);
    const focused = [...picks.children].indexOf(document.activeElement);
    fill(picks, higher.map((size, d) => button(t("dims.one", { dimension: d, size }), () => {
      const kept = lower?.length === 1 ? [] : [...picked].filter((other) => other !== d);
      const next = picked.has(d) ? kept : [...kept, d];
      this.#change({ [key]: next.sort((a, b) => a - b).join(",") }, key);
    }, { "aria-pressed": String(picked.has(d)), class: "chip" })));
    picks.children[focused]?.focus();
  }

  // What NumPy's rule would do is beside the point while it is not asked for, so its refusal is not
  // shown as one.
  #showNumpy(state, numpy) {
    if (numpy.error) {
      fill(this.#numpyNote, h("p", {}, t(state.numpy ? "numpy.refuses" : "numpy.would_refuse", { rule: numpy.error.rule ?? "" })));
    } else if (numpy.dims) {
      fill(this.#numpyNote, h("p", {}, t(state.numpy ? "numpy.picks" : "numpy.would_pick", { dims: listText(numpy.dims) })));
    } else {
      fill(this.#numpyNote);
    }
  }
}

// Returns the shapes of lower and of higher rank, if dimensions of one are matched to those of the other.
function byRank({ lhs, rhs } = {}) {
  if (!rhs || lhs.length === rhs.length || Math.min(lhs.length, rhs.length) === 0) return {};
  return lhs.length > rhs.length ? { lower: rhs, higher: lhs } : { lower: lhs, higher: rhs };
}
