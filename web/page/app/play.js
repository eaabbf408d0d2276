// The place to play: one operation, its pictures and its kernel.

import { array } from "../indim.js";
import { numpyDimensions, planBinary } from "../indim_web.js";
import { button, fill, h } from "./dom.js";
import { EXAMPLES, exampleState, exampleText } from "./examples.js";
import { Fields, OPERATIONS, expressionText, refusal, sign } from "./fields.js";
import { forgetGpu, hasWebGpu, theGpu } from "./gpu.js";
import { Grid } from "./grid.js";
import { showKernels } from "./kernels.js";
import { repeats, sourceOf, viewAt, windowOf, windowOfView } from "./maps.js";
import { elementCount, flatIndex, listText, parseList } from "./shapes.js";
import { formatEdits, parseEdits, parseValue } from "./state.js";
import { number, t } from "./text.js";
import { elementText, numberText, valuesOf } from "./values.js";

const CELL = 47;
const STEP_MS = 1600;

// Returns an error by the page itself, at a field.
function pageError(field, message) {
  return Object.assign(new Error(message), { field });
}

// Returns what becomes of a state: its shapes, the plan or the error, and NumPy's rule.
export function consider(state) {
  const [lhs, rhs, typed] = [parseList(state.lhs), parseList(state.rhs), parseList(state.dims)];
  const numpy = {};
  if (lhs === null) return { error: pageError("lhs", t("error.shape")), numpy };
  if (rhs === null) return { error: pageError("rhs", t("error.shape")), numpy };
  const shapes = [lhs, rhs];
  try {
    numpy.dims = Array.from(numpyDimensions(Float64Array.from(lhs), Float64Array.from(rhs)));
  } catch (error) {
    numpy.error = error;
  }
  if (!OPERATIONS.includes(state.op)) return { error: pageError("type", t("error.op")), numpy, shapes };
  if (state.numpy && numpy.error) return { error: numpy.error, numpy, shapes };
  const dims = state.numpy ? numpy.dims : typed;
  if (dims === null) return { error: pageError("dims", t("error.dims")), numpy, shapes };
  try {
    const plan = planBinary(state.op, state.type, ...[lhs, rhs, dims].map((list) => Float64Array.from(list)));
    return { plan, numpy, shapes, dims };
  } catch (error) {
    return { error, numpy, shapes };
  }
}

export class Play {
  #app;
  #fields;
  #starts = [];
  #most = 12;
  #seen = {};
  #run = 0;
  #playing = 0;
  #about = h("p", { class: "about", id: "about" });
  #gpuNote = h("div", { class: "note", id: "gpu-note", "aria-live": "polite" });
  #sign = h("div", { class: "sign", "aria-hidden": "true" });
  #stage = h("div", { class: "stage" });
  #leading = h("div", { class: "leading" });
  #steps = h("div", { class: "steps" });
  #kernels = h("section", { class: "kernels", "aria-labelledby": "kernels-title" });
  #grids;
  #observer;

  constructor(app) {
    this.#app = app;
    this.#fields = new Fields((patch) => app.update(patch));
    const leave = () => this.#leave();
    const scroll = (dimension, by) => this.#scroll(dimension, by);
    const operand = (key) => new Grid(key, { point: (cell) => this.#pointOperand(key, cell), leave, scroll, edit: (cell, text) => this.#edit(key, cell, text) });
    this.#grids = { lhs: operand("lhs"), rhs: operand("rhs"), out: new Grid("out", { point: (cell) => this.#pointResult(cell), leave, scroll }) };
    fill(this.#stage, this.#grids.lhs.element, this.#sign, this.#grids.rhs.element, h("div", { class: "sign", "aria-hidden": "true" }, "="), this.#grids.out.element);
    this.element = h("section", { class: "play", "aria-labelledby": "play-title" },
      h("div", { class: "hero" }, h("h1", { id: "play-title" }, t("play.title")), h("p", { class: "lead" }, t("play.lead"))),
      this.#examples(),
      this.#fields.element,
      h("section", { class: "picture", "aria-labelledby": "picture-title" },
        h("div", { class: "picture-head" }, h("h2", { id: "picture-title" }, t("picture.title")), this.#steps),
        this.#leading, this.#stage, this.#about, this.#gpuNote),
      this.#kernels);
    this.#observer = new ResizeObserver(([entry]) => this.#resized(entry.contentRect.width));
    this.#observer.observe(this.#stage);
  }

  // Stops what goes on in the background.
  close() {
    this.#observer.disconnect();
    clearTimeout(this.#playing);
    this.#run += 1;
  }

  #examples() {
    const buttons = EXAMPLES.map((example) => button(
      [exampleText(example), example.rule && h("span", { class: "refused" }, ` ${t("examples.refused", { rule: example.rule })}`)],
      () => {
        this.#starts = [];
        this.#app.update(exampleState(example));
      },
      { class: "chip mono" },
    ));
    return h("details", { class: "examples" },
      h("summary", {}, t("examples.title", { count: EXAMPLES.length })),
      h("p", {}, t("examples.from"), " ", h("a", { href: "https://openxla.org/xla/broadcasting", rel: "noreferrer" }, t("examples.document"))),
      h("div", { class: "chips" }, buttons));
  }

  // As many cells fit beside each other as this.
  #resized(width) {
    const most = Math.max(4, Math.min(12, Math.floor((width - 24) / CELL)));
    if (most === this.#most) return;
    this.#most = most;
    this.#picture();
  }

  // Shows a state of the page.
  show(state) {
    const seen = consider(state);
    const shape = seen.plan?.shape.join();
    if (shape !== this.#seen.plan?.shape.join()) this.#starts = [];
    this.#seen = { state, ...seen };
    this.#fields.show(state, seen);
    this.#showSteps();
    this.#picture();
    showKernels(this.#kernels, seen.plan);
  }

  #showSteps() {
    const { state, plan } = this.#seen;
    const current = ["0", "1", "2"].includes(state.step) ? Number(state.step) : 0;
    const focused = [...this.#steps.querySelectorAll("button")].indexOf(document.activeElement);
    const to = (step) => this.#app.update({ step: String(step) });
    fill(this.#steps, h("div", { class: "segments", role: "group", "aria-label": t("steps.title") },
      [0, 1, 2].map((step) => button(t(`steps.${step}`), () => {
        clearTimeout(this.#playing);
        to(step);
      }, { "aria-pressed": String(step === current), disabled: !plan }))),
    button(t("steps.play"), () => this.#playSteps(), { disabled: !plan, class: "quiet" }));
    if (focused >= 0) this.#steps.querySelectorAll("button")[focused]?.focus();
    this.step = plan ? current : 0;
  }

  #playSteps() {
    clearTimeout(this.#playing);
    const go = (step) => {
      this.#app.update({ step: String(step) });
      if (step < 2) this.#playing = setTimeout(() => go(step + 1), STEP_MS);
    };
    go(0);
  }

  // The views of both operands and of the result, and their windows.
  #picture() {
    const { state, plan, shapes } = this.#seen;
    if (!state) return;
    this.#sign.textContent = sign(state.op) ?? (OPERATIONS.includes(state.op) ? state.op : "?");
    const own = (shape) => ({ shape, dimensions: shape.map((_, d) => d), source: (index) => index, isCopy: () => false });
    const readable = shapes?.every((shape) => shape.every((size) => Number.isSafeInteger(size) && size >= 0));
    this.#stage.classList.toggle("without", !plan);
    this.#stage.hidden = !readable;
    this.#leading.hidden = !plan;
    fill(this.#leading);
    if (!readable) {
      fill(this.#about, t("picture.none"));
      fill(this.#gpuNote);
      return;
    }
    this.values = { lhs: valuesOf(state.lhsFill, state.lhsEdits, state.type), rhs: valuesOf(state.rhsFill, state.rhsEdits, state.type) };
    this.operands = {
      lhs: { shape: shapes[0], dimensions: plan?.lhsDimensions },
      rhs: { shape: shapes[1], dimensions: plan?.rhsDimensions },
    };
    const resultWindow = plan && windowOf(plan.shape, this.#starts, this.#most);
    this.window = resultWindow;
    for (const key of ["lhs", "rhs"]) {
      const operand = this.operands[key];
      const view = plan ? viewAt(this.step, operand, this.operands[key === "lhs" ? "rhs" : "lhs"], plan.shape) : own(operand.shape);
      const part = plan ? windowOfView(view, resultWindow, this.#most) : windowOf(operand.shape, [], this.#most);
      const repeated = this.step > 0 && view.shape.join() !== operand.shape.join();
      this.#grids[key].show(view, part, {
        caption: this.#caption(key, state.type, operand.shape, repeated && view.shape),
        text: (index) => numberText(this.values[key](flatIndex(operand.shape, view.source(index)))),
        label: (index) => this.#operandLabel(key, view.source(index)),
        editable: true,
      });
    }
    this.#showResult();
    this.#leave();
    this.#showLeading();
  }

  #caption(key, type, shape, stretched) {
    return [h("b", {}, t(`name.${key}`)), " ", h("code", {}, `${type}${listText(shape)}`),
      stretched && h("span", { class: "as" }, " → ", h("code", {}, listText(stretched)))];
  }

  #operandLabel(key, source) {
    const { shape } = this.operands[key];
    return t("cell.operand", { name: t(`name.${key}`), at: listText(source), value: numberText(this.values[key](flatIndex(shape, source))) });
  }

  #showResult() {
    const { state, plan } = this.#seen;
    const grid = this.#grids.out;
    if (!plan) {
      grid.show({ shape: [0], dimensions: [0] }, [{ start: 0, count: 0, size: 0 }], { caption: [h("b", {}, t("name.out"))] });
      fill(grid.element.querySelector(".slices"), h("p", { class: "empty" }, t("picture.refused")));
      fill(this.#gpuNote);
      return;
    }
    const made = (index) => expressionText(state.op, ...["lhs", "rhs"].map((key) => {
      const { shape, dimensions } = this.operands[key];
      return numberText(this.values[key](sourceOf(shape, dimensions, index)));
    }));
    const label = (index, value) => t("cell.result", { at: listText(index), value, made: made(index) });
    grid.show({ shape: plan.shape, dimensions: plan.shape.map((_, d) => d), source: (index) => index, isCopy: () => false }, this.window, {
      caption: this.#caption("out", plan.elementType, plan.shape),
      text: () => "…",
      label: (index) => label(index, "…"),
    });
    const unknown = (note) => {
      grid.element.classList.add("unknown");
      grid.write(made, (index) => label(index, t("cell.unknown")));
      fill(this.#gpuNote, note);
    };
    if (grid.cells.length === 0) return fill(this.#gpuNote);
    if (!hasWebGpu()) return unknown(t("gpu.none"));
    this.#compute(grid, label, unknown);
  }

  // Computes the cells that are shown on the GPU.
  async #compute(grid, label, unknown) {
    const { state, plan, dims } = this.#seen;
    const run = ++this.#run;
    const box = plan.shape.map((_, d) => this.window[d]);
    const boxes = {};
    const garbage = [];
    try {
      const operands = ["lhs", "rhs"].map((key) => {
        const { shape, dimensions } = this.operands[key];
        const part = shape.map((size, k) => (size === 1 ? { start: 0, count: 1 } : box[dimensions[k]]));
        boxes[key] = part.map(({ count }) => count);
        const values = Array.from({ length: elementCount(boxes[key]) }, (_, i) => this.values[key](flatIndex(shape, unflatten(boxes[key], i, part))));
        try {
          return array(values, boxes[key], state.type);
        } catch (error) {
          throw Object.assign(error, { field: key });
        }
      });
      garbage.push(...operands);
      const method = state.op.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
      const equal = boxes.lhs.length === boxes.rhs.length;
      const value = operands[0][method](operands[1], equal ? [] : dims);
      garbage.push(value);
      const opened = await theGpu();
      if (run !== this.#run) return;
      if (!opened.gpu) return unknown(!opened.hasAdapter ? t("gpu.adapter") : [h("p", {}, t("gpu.cannot")), h("p", { class: "message", lang: "en" }, opened.message)]);
      const data = await opened.gpu.read(value);
      if (run !== this.#run) return;
      const counts = box.map(({ count }) => count);
      const text = (index) => elementText(data, flatIndex(counts, index.map((at, d) => at - box[d].start)), plan.elementType);
      grid.element.classList.remove("unknown");
      grid.write(text, (index) => label(index, text(index)));
      fill(this.#gpuNote, t("gpu.computed", { adapter: opened.adapter }));
    } catch (error) {
      if (run !== this.#run) return;
      if (/lost|destroyed/i.test(error.message)) forgetGpu();
      unknown([h("p", {}, t(error.field ? "gpu.values" : "gpu.cannot")), refusal(error)]);
    } finally {
      for (const value of garbage) value.free();
    }
  }

  // Leading dimensions show one index each.
  #showLeading() {
    const { plan } = this.#seen;
    if (!plan) return;
    const leading = plan.shape.slice(0, -3).map((size, d) => [size, d]).filter(([size]) => size > 1).slice(0, 8);
    fill(this.#leading, leading.map(([size, d]) => {
      const at = this.window[d].start;
      const name = t("leading.dimension", { dimension: d });
      return h("div", { class: "scroller", role: "group", "aria-label": name },
        button("−", () => this.#scroll(d, -1), { "aria-label": t("grid.back", { name }), disabled: at === 0 }),
        h("span", {}, h("b", {}, name), ` ${t("leading.index", { index: number(at), size: number(size) })}`),
        button("+", () => this.#scroll(d, 1), { "aria-label": t("grid.forth", { name }), disabled: at >= size - 1 }));
    }));
  }

  #scroll(dimension, by) {
    if (!this.window) return;
    const label = document.activeElement?.getAttribute("aria-label");
    const home = document.activeElement?.closest("figure, .leading");
    this.#starts = this.window.map((part, d) => Math.max(0, Math.min(part.size - part.count, part.start + (d === dimension ? by : 0))));
    this.#picture();
    // A button that was rendered anew keeps the focus; one that is disabled gives it to its peer.
    if (document.activeElement === document.body && label && home) {
      const same = [...home.querySelectorAll("button")].find((other) => other.getAttribute("aria-label") === label);
      (same?.disabled ? same.parentElement.querySelector("button:not(:disabled)") : same)?.focus();
    }
  }

  #edit(key, cell, typed) {
    const value = parseValue(typed);
    if (value === null) {
      fill(this.#gpuNote, h("p", { class: "message" }, t("error.value")));
      return;
    }
    const edits = parseEdits(this.#seen.state[`${key}Edits`]);
    edits.set(flatIndex(this.operands[key].shape, cell.source), value);
    this.#app.update({ [`${key}Edits`]: formatEdits(edits) });
  }

  #pointResult(cell) {
    const { plan, state } = this.#seen;
    if (!plan) return;
    this.#grids.out.light((other) => other === cell, "here");
    const names = ["lhs", "rhs"].map((key) => {
      const { shape, dimensions } = this.operands[key];
      const from = sourceOf(shape, dimensions, cell.index);
      this.#grids[key].light((other) => flatIndex(shape, other.source) === from, "from");
      const source = shape.map((size, k) => (size === 1 ? 0 : cell.index[dimensions[k]]));
      return `${t(`name.${key}`)}${listText(source)}`;
    });
    fill(this.#about, h("code", {}, `${t("name.out")}${listText(cell.index)} = ${expressionText(state.op, ...names)}`));
  }

  #pointOperand(key, cell) {
    const { plan } = this.#seen;
    const { shape, dimensions } = this.operands[key];
    const from = flatIndex(shape, cell.source);
    const other = key === "lhs" ? "rhs" : "lhs";
    this.#grids[other].light(null);
    this.#grids[key].light((one) => flatIndex(shape, one.source) === from, "here");
    if (!plan) return;
    this.#grids.out.light((one) => sourceOf(shape, dimensions, one.index) === from, "to");
    const count = repeats(shape, dimensions, plan.shape);
    fill(this.#about, h("code", {}, `${t(`name.${key}`)}${listText(cell.source)}`), " ", t(count === 1 ? "about.once" : "about.feeds", { count: number(count) }));
  }

  #leave() {
    for (const grid of Object.values(this.#grids)) grid.light(null);
    const { plan, state } = this.#seen;
    if (!plan) fill(this.#about, t("about.refused"));
    else fill(this.#about, t(this.step === 0 ? "about.point" : `about.step${this.step}`, { shape: listText(plan.shape), op: state.op }));
  }
}

// Returns the index, within the whole array, of the i-th element of a part of it.
function unflatten(counts, i, part) {
  const index = new Array(counts.length);
  let rest = i;
  for (let d = counts.length - 1; d >= 0; d -= 1) {
    index[d] = part[d].start + (rest % counts[d]);
    rest = Math.floor(rest / counts[d]);
  }
  return index;
}
