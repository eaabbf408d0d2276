// The fields of an operation: two operands and broadcast_dimensions, or one and the dimensions to
// reduce, the operation and its type.

import { elementTypes } from "../indim.js";
import { button, choice, fill, h } from "./dom.js";
import { OPERATIONS, REDUCTIONS, isReduction, sign } from "./operations.js";
import { parseList } from "./shapes.js";
import { statement, t } from "./text.js";

const SHAPES = ["", "3", "4", "2,3", "3,3", "1,3", "2,1", "2,3,4", "7,1,5", "2,3,4,5"];
const MOST_PICKS = 8;

// Returns an error by the page itself, at a field.
export function fieldError(field, message) {
  return Object.assign(new Error(message), { field });
}

// Returns a refusal: the library's message, which is English, and the rule that it is about.
export function refusal(error) {
  return [
    h("p", { class: "message", lang: "en" }, error.message),
    error.rule && h("p", { class: "rule" }, h("b", { class: "label" }, error.rule), " ", statement(error.rule)),
  ];
}

// The inputs, and the refusals beside them. `change` is given what changes of the state.
export class Fields {
  #change;
  #inputs = {};
  #refusals = {};
  #picks = {};
  #numpyNote = h("div", { class: "note", id: "numpy-note" });
  #op;
  #type;
  #fills = {};
  #numpy;
  #lhsLegend = h("legend");
  #ofTwo;
  #ofOne;

  constructor(change) {
    this.#change = change;
    const signed = OPERATIONS.map((name) => [name, sign(name) ? `${name}  ${sign(name)}` : name]);
    const ops = [[t("fields.two"), signed], [t("fields.reductions"), REDUCTIONS.map((name) => [name, name])]];
    this.#op = choice("op", ops, "add", (op) => change({ op }), { lang: "en" });
    this.#type = choice("type", elementTypes.map((name) => [name, name]), "f32", (type) => change({ type, lhsEdits: "", rhsEdits: "" }), { lang: "en", "aria-describedby": "refusal-type" });
    this.#numpy = h("input", { type: "checkbox", id: "numpy", role: "switch", onchange: (event) => change({ numpy: event.target.checked ? "1" : "" }) });
    const rhs = this.#operand("rhs", h("legend", {}, t("fields.rhs")));
    const dims = h("fieldset", { class: "dims" }, h("legend", { lang: "en" }, "broadcast_dimensions"),
      this.#dimensions("dims", t("dims.label"), t("dims.pick"), "refusal-dims numpy-note"),
      h("div", { class: "implicit" },
        h("label", { class: "switch", for: "numpy" }, this.#numpy, h("span", {}, t("numpy.switch"))),
        this.#numpyNote));
    const reduce = h("fieldset", { class: "reduce" }, h("legend", { lang: "en" }, "dimensions"),
      this.#dimensions("reduce", t("reduce.label"), t("reduce.pick"), "refusal-reduce"));
    this.#ofTwo = [rhs, dims];
    this.#ofOne = [reduce];
    this.element = h("form", { class: "fields", onsubmit: (event) => event.preventDefault(), "aria-label": t("fields.title") },
      this.#operand("lhs", this.#lhsLegend),
      h("fieldset", { class: "operation" }, h("legend", {}, t("fields.operation")),
        h("div", { class: "pair" },
          h("div", {}, h("label", { for: "op" }, t("fields.op")), this.#op),
          h("div", {}, h("label", { for: "type" }, t("fields.type")), this.#type)),
        this.#refusal("type")),
      rhs, reduce, dims,
      h("div", { class: "both" }, this.#refusal("shapes")),
      h("datalist", { id: "shapes" }, SHAPES.map((shape) => h("option", { value: shape }))));
  }

  #text(key, list, more = {}) {
    const input = h("input", {
      type: "text", id: key, list: list || undefined, autocomplete: "off", autocapitalize: "off", spellcheck: "false",
      inputmode: "text", oninput: (event) => this.#change({ [key]: event.target.value }), ...more,
    });
    this.#inputs[key] = input;
    return input;
  }

  #refusal(key) {
    this.#refusals[key] = h("div", { class: "refusal", id: `refusal-${key}`, "aria-live": "polite" });
    return this.#refusals[key];
  }

  // A list of dimensions, which is typed or picked.
  #dimensions(key, label, pick, describedBy) {
    this.#picks[key] = h("div", { class: "picks", role: "group", "aria-label": pick });
    return h("div", { class: "explicit" },
      h("label", { for: key }, label),
      this.#text(key, "", { "aria-describedby": describedBy }),
      this.#picks[key],
      this.#refusal(key));
  }

  #operand(key, legend) {
    const fills = ["count", "iota", "random", "ones"].map((name) => [name, t(`fill.${name}`)]);
    this.#fills[key] = choice(`${key}-fill`, fills, "count", (name) => this.#change({
      [`${key}Fill`]: name === "random" ? `random${Math.floor(Math.random() * 1000)}` : name, [`${key}Edits`]: "",
    }));
    return h("fieldset", { class: `operand ${key}` }, legend,
      h("div", { class: "pair" },
        h("div", {}, h("label", { for: key }, t("fields.shape")), this.#text(key, "shapes", { "aria-describedby": `refusal-${key} refusal-shapes`, placeholder: t("fields.scalar") })),
        h("div", {}, h("label", { for: `${key}-fill` }, t("fields.fill")), this.#fills[key])),
      this.#refusal(key));
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
    this.#lhsLegend.textContent = t(reduction ? "fields.operand" : "fields.lhs");
    this.#inputs.dims.readOnly = Boolean(state.numpy);
    this.#op.value = reduction || OPERATIONS.includes(state.op) ? state.op : "";
    this.#type.value = elementTypes.includes(state.type) ? state.type : "";
    for (const [key, select] of Object.entries(this.#fills)) select.value = state[`${key}Fill`].replace(/\d+$/, "");
    this.#numpy.checked = Boolean(state.numpy);
    this.#showRefusal(error);
    this.#showPicks("dims", state.dims, state.numpy ? undefined : higher(shapes));
    this.#showPicks("reduce", state.reduce, shapes?.lhs);
    this.#showNumpy(state, numpy);
  }

  #showRefusal(error) {
    const field = { dimensions: "dims" }[error?.field] ?? error?.field ?? "type";
    for (const [key, element] of Object.entries(this.#refusals)) {
      if (error && key === field) fill(element, refusal(error));
      else if (element.firstChild) fill(element);
    }
    for (const [key, input] of Object.entries(this.#inputs)) {
      const wrong = error && (key === field || (field === "shapes" && ["lhs", "rhs"].includes(key)));
      if (wrong) input.setAttribute("aria-invalid", "true");
      else input.removeAttribute("aria-invalid");
    }
  }

  // Each dimension of a shape is a button, as far as there are few.
  #showPicks(key, typed, shape) {
    const picks = this.#picks[key];
    if (!shape || shape.length > MOST_PICKS) {
      fill(picks);
      return;
    }
    const picked = new Set(parseList(typed) ?? []);
    const focused = [...picks.children].indexOf(document.activeElement);
    fill(picks, shape.map((size, d) => button(t("dims.one", { dimension: d, size }), () => {
      const next = picked.has(d) ? [...picked].filter((other) => other !== d) : [...picked, d];
      this.#change({ [key]: next.sort((a, b) => a - b).join(",") });
    }, { "aria-pressed": String(picked.has(d)), class: "chip" })));
    picks.children[focused]?.focus();
  }

  #showNumpy(state, numpy) {
    if (numpy.error) {
      fill(this.#numpyNote, h("p", {}, t(state.numpy ? "numpy.refuses" : "numpy.would_refuse")), state.numpy ? [] : refusal(numpy.error));
    } else if (numpy.dims) {
      fill(this.#numpyNote, h("p", {}, t(state.numpy ? "numpy.picks" : "numpy.would_pick", { dims: `[${numpy.dims.slice(0, 24).join(", ")}${numpy.dims.length > 24 ? ", …" : ""}]` })));
    } else {
      fill(this.#numpyNote);
    }
  }
}

// Returns the shape of higher rank, whose dimensions the other operand's are matched to.
function higher({ lhs, rhs } = {}) {
  if (!rhs || lhs.length === rhs.length || Math.min(lhs.length, rhs.length) === 0) return undefined;
  return lhs.length > rhs.length ? lhs : rhs;
}
