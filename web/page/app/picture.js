// The picture of an operation: its operands and its result as grids beside each other. They show
// windows of one space, the largest array: a binary operation's result, or what a reduction reduces.
// A cell that is pointed at lights those that it is made of, or that it is in.

import { button, fill, h } from "./dom.js";
import { Grid, scroller } from "./grid.js";
import { own, repeats, sourceOf, viewAt, windowOf, windowOfView } from "./maps.js";
import { Result } from "./result.js";
import { flatIndex, listText } from "./shapes.js";
import { formatEdits, parseEdits, parseValue } from "./state.js";
import { number, t } from "./text.js";
import { numberText, valuesOf } from "./values.js";

// A cell with the space beside it, what a row's number and a sign take, and what a frame takes.
const CELL = 47;
const ROOM = 72;
const FRAME = 40;
const MOST = 12;
const LEAST = 4;

// Returns the columns of each array that fit beside each other in a width, with at least 4 of each,
// or, where they do not, as many as fit in a row of one.
export function columnsIn(width, columns) {
  const taken = (most) => columns.reduce((sum, count) => sum + Math.min(count, most) * CELL + ROOM, 0);
  for (let most = MOST; most >= LEAST; most -= 1) {
    if (taken(most) <= width) return { columns: most, beside: true };
  }
  return { columns: Math.max(3, Math.min(MOST, Math.floor((width - FRAME) / CELL))), beside: false };
}

// Returns how cells are pointed at: by a finger where nothing else is.
function pointing() {
  return matchMedia("(hover: none) and (pointer: coarse)").matches ? "about.touch" : "about.point";
}

export class Picture {
  #update;
  #starts = [];
  // A call that is refused has no space, and each operand a window of its own.
  #ownStarts = {};
  #ownWindows = {};
  #width = 1000;
  #most = { columns: MOST, rows: MOST, slices: 4 };
  #seen = {};
  #window;
  #operands = {};
  #about = h("p", { class: "about", id: "about" });
  // A step is told to those who do not see the picture change, and a cell is described by what is said of it.
  #heard = h("p", { class: "unseen", role: "status" });
  #described;
  #note = h("div", { class: "note", id: "gpu-note", "aria-live": "polite" });
  #sign = h("div", { class: "sign", "aria-hidden": "true" });
  #equals = h("div", { class: "sign", "aria-hidden": "true" });
  #right;
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
      scroll: (dimension, by) => this.#scroll(dimension, by, key),
      reach: (dimensions, index) => this.#reach(dimensions, index, key),
      edit: (cell, text) => this.#edit(key, cell, text),
    });
    this.#grids = Object.fromEntries(["lhs", "rhs", "out"].map((key) => [key, new Grid(key, calls(key))]));
    const { lhs, rhs, out } = this.#grids;
    this.#result = new Result(out, this.#note);
    // A sign goes with what follows it.
    this.#right = h("div", { class: "term" }, this.#sign, rhs.element);
    fill(this.#stage, h("div", { class: "term" }, lhs.element), this.#right, h("div", { class: "term" }, this.#equals, out.element));
    this.elements = [this.#leading, this.#stage, this.#about, this.#heard, this.#note];
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
    this.#ownStarts = {};
  }

  // Shows a state, what became of it, and a step of broadcasting.
  show(state, seen, step) {
    if (seen.plan?.space.join() !== this.#seen.plan?.space.join()) this.home();
    const before = this.#seen.step;
    this.#seen = { state, step, ...seen };
    this.#draw();
    if (before !== step) fill(this.#heard, step > 0 && this.#resting());
  }

  #resized(width) {
    if (width === this.#width || width === 0) return;
    this.#width = width;
    const before = JSON.stringify(this.#most);
    this.#fit();
    if (JSON.stringify(this.#most) !== before) this.#draw();
  }

  // Decides how much of the arrays is shown, the same at each step of broadcasting.
  #fit() {
    const { plan, shapes } = this.#seen;
    const last = (shape) => shape?.at(-1) ?? 1;
    const all = Object.values(shapes ?? {}).map((shape) => Math.max(last(shape), shapes.rhs && plan ? last(plan.shape) : 1));
    // Without a result its place has a text, as wide as two cells.
    all.push(plan ? last(plan.shape) : 2);
    const { columns, beside } = columnsIn(this.#width, all);
    const space = plan?.space ?? [];
    const deep = space.length > 2 && space.at(-3) > 1;
    const rows = deep ? MOST / 2 : MOST;
    const slices = Math.max(2, Math.min(4, Math.floor(14 / Math.min(rows, Math.max(1, space.at(-2) ?? 1)))));
    this.#most = { columns, rows, slices };
    this.#stage.classList.toggle("beside", beside);
  }

  // Draws the views of the operands and of the result, and their windows.
  #draw() {
    const { state, plan, names, shapes, sign } = this.#seen;
    if (!state) return;
    this.#sign.textContent = sign;
    this.#equals.textContent = names.rhs ? "=" : sign;
    this.#fit();
    const readable = shapes && Object.values(shapes).every((shape) => shape.every((size) => Number.isSafeInteger(size) && size >= 0));
    for (const [key, grid] of Object.entries(this.#grids)) grid.element.hidden = !names[key];
    this.#right.hidden = !names.rhs;
    this.#stage.classList.toggle("without", !plan);
    this.#stage.hidden = !readable;
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
    this.#ownWindows = plan ? {} : Object.fromEntries(Object.entries(shapes).map(([key, shape]) => [key, windowOf(shape, this.#ownStarts[key] ?? [], this.#most)]));
    for (const key of Object.keys(shapes)) this.#showOperand(key);
    this.#showResult();
    this.#leave();
    for (const [key, { focused }] of Object.entries(this.#grids)) if (focused) this.#point(key, focused);
    this.#showLeading();
  }

  #showOperand(key) {
    const { state, plan, names, step } = this.#seen;
    const operand = this.#operands[key];
    const other = this.#operands[key === "lhs" ? "rhs" : "lhs"];
    const view = plan && step > 0 ? viewAt(step, operand, other, plan.space) : own(operand.shape, operand.dimensions);
    const window = plan ? windowOfView(view, this.#window, this.#most) : this.#ownWindows[key];
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

  // Leading dimensions show one index each: those of the space, or of each operand.
  #showLeading() {
    const { plan, names } = this.#seen;
    const windows = plan ? [["", this.#window]] : Object.entries(this.#ownWindows);
    fill(this.#leading, windows.flatMap(([key, window]) => {
      const leading = window.slice(0, -3).map((part, d) => [part, d]).filter(([{ size }]) => size > 1).slice(0, 8);
      return leading.map(([part, d]) => {
        const dimension = t("leading.dimension", { dimension: d });
        return scroller(key ? `${names[key]}: ${dimension}` : dimension, ["−", "+"], part, {
          by: (by) => this.#scroll(d, by, key),
          to: (index) => this.#reach([d], [index], key),
        });
      });
    }));
  }

  #scroll(dimension, by, key) {
    this.#move(key, (part, d) => part.start + (d === dimension ? by : 0));
  }

  // Shows the window that begins with an index, in these dimensions.
  #reach(dimensions, index, key) {
    this.#move(key, (part, d) => (dimensions.includes(d) ? index[dimensions.indexOf(d)] : part.start));
  }

  // Moves the window of the space, or, where there is none, that of an operand.
  #move(key, startOf) {
    const label = document.activeElement?.getAttribute("aria-label");
    const home = document.activeElement?.closest("figure, .leading");
    const window = this.#window ?? this.#ownWindows[key];
    const starts = window.map((part, d) => Math.max(0, Math.min(part.size - part.count, startOf(part, d))));
    if (this.#window) this.#starts = starts;
    else this.#ownStarts[key] = starts;
    this.#draw();
    // A control that was rendered anew keeps the focus; one that is disabled gives it to its peer.
    if (document.activeElement === document.body && label && home) {
      const same = [...home.querySelectorAll("button, input")].find((other) => other.getAttribute("aria-label") === label);
      (same?.disabled ? same.parentElement.querySelector("button:not(:disabled)") : same)?.focus();
    }
  }

  #edit(key, cell, typed) {
    const value = parseValue(typed);
    if (value === null) {
      // Where the cell's words are, because that stays in sight.
      fill(this.#about, h("span", { class: "message", role: "alert" }, t("error.value")));
      return;
    }
    const edits = parseEdits(this.#seen.state[`${key}Edits`]);
    edits.set(flatIndex(this.#operands[key].shape, cell.source), value);
    this.#update({ [`${key}Edits`]: formatEdits(edits) }, `${key} cells`);
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
    if (!plan) return;
    fill(this.#about, this.#told(key, cell, repeats(shapeOf(key), plan.maps[key], plan.space)));
    this.#describe(cell.element);
  }

  // Returns what is said of a cell that belongs to this number of cells of the space.
  #told(key, cell, count) {
    const { plan, names } = this.#seen;
    const counted = (one, many) => [" ", t(count === 1 ? one : many, { count: number(count) })];
    if (key !== "out") return [h("code", {}, `${names[key]}${listText(cell.source)}`), counted("about.once", "about.feeds")];
    const made = h("code", {}, `${names.out}${listText(cell.index)} = ${plan.said(cell.index)}`);
    return plan.whole === "out" ? [made] : [made, counted("about.from_one", "about.from")];
  }

  #describe(element) {
    this.#described?.removeAttribute("aria-describedby");
    element?.setAttribute("aria-describedby", this.#about.id);
    this.#described = element;
  }

  #leave() {
    for (const grid of Object.values(this.#grids)) grid.light(null);
    this.#describe(undefined);
    fill(this.#about, this.#resting());
  }

  // Returns what is said while no cell is pointed at.
  #resting() {
    const { plan, step } = this.#seen;
    if (!plan) return t("about.refused");
    return t(step === 0 ? pointing() : `about.step${step}`, { shape: listText(plan.shape), op: plan.op });
  }
}
