// The result's cells, whose values are computed on the GPU. Only the part that is shown is computed.

import { array } from "../indim.js";
import { fill, h } from "./dom.js";
import { refusal } from "./fields.js";
import { forgetGpu, hasWebGpu, theGpu } from "./gpu.js";
import { countIn, numbersIn } from "./maps.js";
import { flatIndex, listText } from "./shapes.js";
import { number, t } from "./text.js";
import { elementText } from "./values.js";

// A cell of a reduction may be made of any number of elements; the page makes no more than these.
const MOST_ELEMENTS = 2 ** 16;
const WAIT_MS = 400;

export class Result {
  #grid;
  #note;
  #run = 0;
  #awaited = false;

  // `note` is the element that tells where values come from, or why there are none.
  constructor(grid, note) {
    this.#grid = grid;
    this.#note = note;
  }

  // What is still being computed is not shown any more.
  stop() {
    this.#run += 1;
  }

  showRefused(name) {
    this.stop();
    this.#grid.show({ shape: [0], dimensions: [0] }, [{ start: 0, count: 0, size: 0 }], { name, caption: [h("b", {}, name)] });
    fill(this.#grid.element.querySelector(".slices"), h("p", { class: "empty" }, t("picture.refused")));
    fill(this.#note);
  }

  // Shows a window of a view of the result. `operands` has `shape`, and `value`, which gives an
  // element by its number, of each operand.
  show(plan, view, window, { operands, type, name, caption }) {
    this.stop();
    const values = Object.fromEntries(Object.entries(operands).map(([key, { value }]) => [key, value]));
    const made = (index) => plan.made(index, values);
    const label = (index, value) => t("cell.result", { at: listText(index), value, made: made(index) });
    this.#grid.show(view, window, { name, caption, text: () => "…", label: (index) => label(index, "…") });
    const unknown = (...note) => {
      this.#grid.element.classList.add("unknown");
      this.#grid.write(made, (index) => label(index, t("cell.unknown")));
      fill(this.#note, note);
    };
    if (this.#grid.cells.length === 0) fill(this.#note);
    else if (!hasWebGpu()) unknown(t("gpu.none"));
    else this.#compute(plan, window, { operands, type, label, unknown });
  }

  async #compute(plan, window, { operands, type, label, unknown }) {
    const run = this.#run;
    // A result that takes long is waited for in words.
    setTimeout(() => {
      if (run === this.#run && this.#awaited) fill(this.#note, t("gpu.waiting"));
    }, WAIT_MS);
    this.#awaited = true;
    const parts = Object.entries(operands).map(([key, operand]) => ({ key, ...operand, part: plan.part(key, window) }));
    const count = Math.max(...parts.map(({ part }) => countIn(part)));
    if (count > MOST_ELEMENTS) {
      this.#awaited = false;
      unknown(t("gpu.large", { count: number(count) }));
      return;
    }
    const garbage = [];
    try {
      for (const operand of parts) garbage.push(upload(operand, type));
      const value = plan.value(...garbage);
      garbage.push(value);
      const opened = await theGpu();
      if (run !== this.#run) return;
      if (!opened.gpu) {
        if (!opened.hasAdapter) unknown(t("gpu.adapter"));
        else unknown(h("p", {}, t("gpu.cannot")), refusal(opened, "device"));
        return;
      }
      const data = await opened.gpu.read(value);
      if (run !== this.#run) return;
      const text = (index) => elementText(data, flatIndex(counts(window), index.map((at, d) => at - window[d].start)), plan.elementType);
      this.#grid.element.classList.remove("unknown");
      this.#grid.write(text, (index) => label(index, text(index)));
      fill(this.#note, t(opened.software ? "gpu.computed_by_software" : "gpu.computed", { adapter: opened.adapter }));
    } catch (error) {
      if (run !== this.#run) return;
      const lost = /lost|destroyed/i.test(error.message);
      if (lost) forgetGpu();
      // Values that do not fit their type are told of by the first sentence.
      const known = lost ? "lost" : "choice";
      unknown(h("p", {}, t(error.field ? "gpu.values" : "gpu.cannot")), refusal(error, error.field ? undefined : known));
    } finally {
      if (run === this.#run) this.#awaited = false;
      for (const value of garbage) value.free();
    }
  }
}

function counts(part) {
  return part.map(({ count }) => count);
}

// Returns a part of an operand as a value of the library.
function upload({ key, shape, part, value }, type) {
  try {
    return array(numbersIn(shape, part).map(value), counts(part), type);
  } catch (error) {
    throw Object.assign(error, { field: key });
  }
}
