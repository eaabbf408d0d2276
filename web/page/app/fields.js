// The fields of an operation: two operands, broadcast_dimensions, the operation and its type.

import { elementTypes } from "../indim.js";
import { operations } from "../indim_web.js";
import { button, choice, fill, h } from "./dom.js";
import { parseList } from "./shapes.js";
import { statement, t } from "./text.js";

const SHAPES = ["", "3", "4", "2,3", "3,3", "1,3", "2,1", "2,3,4", "7,1,5", "2,3,4,5"];
const SIGNS = { add: "+", sub: "−", mul: "×", div: "÷", eq: "=", ne: "≠", lt: "<", le: "≤", gt: ">", ge: "≥" };

// An operation of two operands, but for next_after, which takes no broadcast_dimensions.
export const OPERATIONS = operations("binary").filter((name) => name !== "next_after");

export function sign(op) {
  return SIGNS[op];
}

// Returns what a cell shows of an operation whose value is not known.
export function expressionText(op, lhs, rhs) {
  return SIGNS[op] ? `${lhs}${SIGNS[op]}${rhs}` : `${op}(${lhs}, ${rhs})`;
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
  #picks = h("div", { class: "picks", role: "group" });
  #numpyNote = h("div", { class: "note", id: "numpy-note" });
  #op;
  #type;
  #fills = {};
  #numpy;

  constructor(change) {
    this.#change = change;
    this.#picks.setAttribute("aria-label", t("dims.pick"));
    this.#op = choice("op", OPERATIONS.map((name) => [name, SIGNS[name] ? `${name}  ${SIGNS[name]}` : name]), "add", (op) => change({ op }), { lang: "en" });
    this.#type = choice("type", elementTypes.map((name) => [name, name]), "f32", (type) => change({ type, lhsEdits: "", rhsEdits: "" }), { lang: "en", "aria-describedby": "refusal-type" });
    this.#numpy = h("input", { type: "checkbox", id: "numpy", role: "switch", onchange: (event) => change({ numpy: event.target.checked ? "1" : "" }) });
    this.element = h("form", { class: "fields", onsubmit: (event) => event.preventDefault(), "aria-label": t("fields.title") },
      this.#operand("lhs"),
      h("fieldset", { class: "operation" }, h("legend", {}, t("fields.operation")),
        h("div", { class: "pair" },
          h("div", {}, h("label", { for: "op" }, t("fields.op")), this.#op),
          h("div", {}, h("label", { for: "type" }, t("fields.type")), this.#type)),
        this.#refusal("type")),
      this.#operand("rhs"),
      h("fieldset", { class: "dims" }, h("legend", { lang: "en" }, "broadcast_dimensions"),
        h("div", { class: "explicit" },
          h("label", { for: "dims" }, t("dims.label")),
          this.#text("dims", "", { "aria-describedby": "refusal-dims numpy-note" }),
          this.#picks,
          this.#refusal("dims")),
        h("div", { class: "implicit" },
          h("label", { class: "switch", for: "numpy" }, this.#numpy, h("span", {}, t("numpy.switch"))),
          this.#numpyNote)),
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

  #operand(key) {
    const fills = ["count", "iota", "random", "ones"].map((name) => [name, t(`fill.${name}`)]);
    this.#fills[key] = choice(`${key}-fill`, fills, "count", (name) => this.#change({
      [`${key}Fill`]: name === "random" ? `random${Math.floor(Math.random() * 1000)}` : name, [`${key}Edits`]: "",
    }));
    return h("fieldset", { class: `operand ${key}` }, h("legend", {}, t(`fields.${key}`)),
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
    this.#inputs.dims.readOnly = Boolean(state.numpy);
    this.#op.value = OPERATIONS.includes(state.op) ? state.op : "";
    this.#type.value = elementTypes.includes(state.type) ? state.type : "";
    for (const [key, select] of Object.entries(this.#fills)) select.value = state[`${key}Fill`].replace(/\d+$/, "");
    this.#numpy.checked = Boolean(state.numpy);
    this.#showRefusal(error);
    this.#showPicks(state, shapes);
    this.#showNumpy(state, numpy);
  }

  #showRefusal(error) {
    const field = { dimensions: "dims" }[error?.field] ?? error?.field ?? "type";
    for (const [key, element] of Object.entries(this.#refusals)) {
      if (error && key === field) fill(element, refusal(error));
      else if (element.firstChild) fill(element);
    }
    for (const [key, input] of Object.entries(this.#inputs)) {
      const wrong = error && (key === field || (field === "shapes" && key !== "dims"));
      if (wrong) input.setAttribute("aria-invalid", "true");
      else input.removeAttribute("aria-invalid");
    }
  }

  // Each dimension of the higher-rank operand is a button, as far as there are few.
  #showPicks(state, shapes) {
    const ranks = shapes?.map((shape) => shape.length) ?? [0, 0];
    const [lower, higher] = [Math.min(...ranks), Math.max(...ranks)];
    if (lower === higher || lower === 0 || higher > 8 || state.numpy) {
      fill(this.#picks);
      return;
    }
    const picked = new Set(parseList(state.dims) ?? []);
    const shape = shapes[ranks[0] > ranks[1] ? 0 : 1];
    const focused = this.#picks.contains(document.activeElement) ? [...this.#picks.children].indexOf(document.activeElement) : -1;
    fill(this.#picks, shape.map((size, d) => button(t("dims.one", { dimension: d, size }), () => {
      const next = picked.has(d) ? [...picked].filter((other) => other !== d) : [...picked, d];
      this.#change({ dims: next.sort((a, b) => a - b).join(",") });
    }, { "aria-pressed": String(picked.has(d)), class: "chip" })));
    this.#picks.children[focused]?.focus();
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
