// The picture of an operation: its operands and its result as grids beside each other. They show
// windows of one space, the largest array: a binary operation's result, or what a reduction reduces.
// A cell that is pointed at lights those that it is made of, or that it is in.

import { button, fill, h } from "./dom.js";
import { Grid } from "./grid.js";
import { own, repeats, sourceOf, viewAt, windowOf, windowOfView } from "./maps.js";
import { Result } from "./result.js";
import { flatIndex, listText } from "./shapes.js";
import { formatEdits, parseEdits, parseValue } from "./state.js";
import { number, t } from "./text.js";
import { numberText, valuesOf } from "./values.js";

const CELL = 47;

export class Picture {
  #update;
  #starts = [];
  #most = 12;
  #seen = {};
  #window;
  #operands = {};
  #about = h("p", { class: "about", id: "about" });
  #note = h("div", { class: "note", id: "gpu-note", "aria-live": "polite" });
  #sign = h("div", { class: "sign", "aria-hidden": "true" });
  #equals = h("div", { class: "sign", "aria-hidden": "true" }, "=");
  #stage = h("div", { class: "stage" });
  #leading = h("div", { class: "leading" });
  #grids;
  #result;
  #observer;

  // `update` is given what changes of the state.
  constructor(update) {
    this.#update = update;
    const calls = (key) => ({
      point: (cell) => this.#point(key, cell),
      leave: () => this.#leave(),
      scroll: (dimension, by) => this.#scroll(dimension, by),
      edit: (cell, text) => this.#edit(key, cell, text),
    });
    this.#grids = Object.fromEntries(["lhs", "rhs", "out"].map((key) => [key, new Grid(key, calls(key))]));
    const { lhs, rhs, out } = this.#grids;
    this.#result = new Result(out, this.#note);
    fill(this.#stage, lhs.element, this.#sign, rhs.element, this.#equals, out.element);
    this.elements = [this.#leading, this.#stage, this.#about, this.#note];
    this.#observer = new ResizeObserver(([entry]) => this.#resized(entry.contentRect.width));
    this.#observer.observe(this.#stage);
  }

  // Stops what goes on in the background.
  close() {
    this.#observer.disconnect();
    this.#result.stop();
  }

  // Shows the windows' beginnings the next time.
  home() {
    this.#starts = [];
  }

  // Shows a state, what became of it, and a step of broadcasting.
  show(state, seen, step) {
    if (seen.plan?.space.join() !== this.#seen.plan?.space.join()) this.home();
    this.#seen = { state, step, ...seen };
    this.#draw();
  }

  // As many cells fit beside each other as this.
  #resized(width) {
    const most = Math.max(4, Math.min(12, Math.floor((width - 24) / CELL)));
    if (most === this.#most) return;
    this.#most = most;
    this.#draw();
  }

  // Draws the views of the operands and of the result, and their windows.
  #draw() {
    const { state, plan, names, shapes, sign } = this.#seen;
    if (!state) return;
    this.#sign.textContent = sign;
    const readable = shapes && Object.values(shapes).every((shape) => shape.every((size) => Number.isSafeInteger(size) && size >= 0));
    for (const [key, grid] of Object.entries(this.#grids)) grid.element.hidden = !names[key];
    this.#equals.hidden = !names.rhs;
    this.#stage.classList.toggle("without", !plan);
    this.#stage.hidden = !readable;
    this.#leading.hidden = !plan;
    fill(this.#leading);
    if (!readable) {
      this.#result.stop();
      fill(this.#about, t("picture.none"));
      fill(this.#note);
      return;
    }
    this.#operands = Object.fromEntries(Object.entries(shapes).map(([key, shape]) => [key, {
      shape, dimensions: plan?.maps[key], value: valuesOf(state[`${key}Fill`], state[`${key}Edits`], state.type),
    }]));
    this.#window = plan && windowOf(plan.space, this.#starts, this.#most);
    for (const key of Object.keys(shapes)) this.#showOperand(key);
    this.#showResult();
    this.#leave();
    this.#showLeading();
  }

  #showOperand(key) {
    const { state, plan, names, step } = this.#seen;
    const operand = this.#operands[key];
    const other = this.#operands[key === "lhs" ? "rhs" : "lhs"];
    const view = plan && step > 0 ? viewAt(step, operand, other, plan.space) : own(operand.shape, operand.dimensions);
    const window = plan ? windowOfView(view, this.#window, this.#most) : windowOf(operand.shape, [], this.#most);
    const text = (source) => numberText(operand.value(flatIndex(operand.shape, source)));
    const stretched = view.shape.join() !== operand.shape.join();
    this.#grids[key].show(view, window, {
      name: names[key],
      caption: this.#caption(key, state.type, operand.shape, stretched && view.shape),
      text: (index) => text(view.source(index)),
      label: (index) => t("cell.operand", { name: names[key], at: listText(view.source(index)), value: text(view.source(index)) }),
      editable: true,
    });
  }

  #caption(key, type, shape, stretched) {
    return [h("b", {}, this.#seen.names[key]), " ", h("code", {}, `${type}${listText(shape)}`),
      stretched && h("span", { class: "as" }, " → ", h("code", {}, listText(stretched)))];
  }

  #showResult() {
    const { state, plan, names } = this.#seen;
    if (!plan) {
      this.#result.showRefused(names.out);
      return;
    }
    const view = own(plan.shape, plan.maps.out);
    this.#result.show(plan, view, windowOfView(view, this.#window, this.#most), {
      operands: this.#operands, type: state.type, name: names.out, caption: this.#caption("out", plan.elementType, plan.shape),
    });
  }

  // Leading dimensions show one index each.
  #showLeading() {
    const { plan } = this.#seen;
    if (!plan) return;
    const leading = plan.space.slice(0, -3).map((size, d) => [size, d]).filter(([size]) => size > 1).slice(0, 8);
    fill(this.#leading, leading.map(([size, d]) => {
      const at = this.#window[d].start;
      const name = t("leading.dimension", { dimension: d });
      return h("div", { class: "scroller", role: "group", "aria-label": name },
        button("−", () => this.#scroll(d, -1), { "aria-label": t("grid.back", { name }), disabled: at === 0 }),
        h("span", {}, h("b", {}, name), ` ${t("leading.index", { index: number(at), size: number(size) })}`),
        button("+", () => this.#scroll(d, 1), { "aria-label": t("grid.forth", { name }), disabled: at >= size - 1 }));
    }));
  }

  #scroll(dimension, by) {
    if (!this.#window) return;
    const label = document.activeElement?.getAttribute("aria-label");
    const home = document.activeElement?.closest("figure, .leading");
    this.#starts = this.#window.map((part, d) => Math.max(0, Math.min(part.size - part.count, part.start + (d === dimension ? by : 0))));
    this.#draw();
    // A button that was rendered anew keeps the focus; one that is disabled gives it to its peer.
    if (document.activeElement === document.body && label && home) {
      const same = [...home.querySelectorAll("button")].find((other) => other.getAttribute("aria-label") === label);
      (same?.disabled ? same.parentElement.querySelector("button:not(:disabled)") : same)?.focus();
    }
  }

  #edit(key, cell, typed) {
    const value = parseValue(typed);
    if (value === null) {
      fill(this.#note, h("p", { class: "message" }, t("error.value")));
      return;
    }
    const edits = parseEdits(this.#seen.state[`${key}Edits`]);
    edits.set(flatIndex(this.#operands[key].shape, cell.source), value);
    this.#update({ [`${key}Edits`]: formatEdits(edits) });
  }

  // Lights what belongs to a cell. A cell of the array that fills the space belongs to one element of
  // each other array; cells of these belong to all that such a map leads to them.
  #point(key, cell) {
    const { plan } = this.#seen;
    const shapeOf = (name) => (name === "out" ? plan.shape : this.#operands[name].shape);
    const numberOf = (name, one) => flatIndex(shapeOf(name), one.source);
    const inSpace = (name, one) => sourceOf(shapeOf(name), plan.maps[name], one.index);
    for (const [name, grid] of Object.entries(this.#grids)) {
      const kind = name === "out" ? "to" : "from";
      if (name === key) grid.light((one) => numberOf(key, one) === numberOf(key, cell), "here");
      else if (plan?.whole === key && plan.maps[name]) grid.light((one) => numberOf(name, one) === inSpace(name, cell), kind);
      else if (plan?.whole === name) grid.light((one) => inSpace(key, one) === numberOf(key, cell), kind);
      else grid.light(null);
    }
    if (plan) fill(this.#about, this.#told(key, cell, repeats(shapeOf(key), plan.maps[key], plan.space)));
  }

  // Returns what is said of a cell that belongs to this number of cells of the space.
  #told(key, cell, count) {
    const { plan, names } = this.#seen;
    const counted = (one, many) => [" ", t(count === 1 ? one : many, { count: number(count) })];
    if (key !== "out") return [h("code", {}, `${names[key]}${listText(cell.source)}`), counted("about.once", "about.feeds")];
    const made = h("code", {}, `${names.out}${listText(cell.index)} = ${plan.said(cell.index)}`);
    return plan.whole === "out" ? [made] : [made, counted("about.from_one", "about.from")];
  }

  #leave() {
    for (const grid of Object.values(this.#grids)) grid.light(null);
    const { plan, step } = this.#seen;
    if (!plan) fill(this.#about, t("about.refused"));
    else fill(this.#about, t(step === 0 ? "about.point" : `about.step${step}`, { shape: listText(plan.shape), op: plan.op }));
  }
}
