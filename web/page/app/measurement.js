// One measurement of all patterns, which goes on when the page is shown in another language. What is
// shown is told of each change.

import { PATTERNS, count, sizes } from "./bench-patterns.js";
import { forgetGpu, theGpu } from "./gpu.js";
import { measure, measureCopy } from "./measure.js";
import { listText } from "./shapes.js";

// What `stop` throws when the user has enough.
class Cancelled extends Error {}

export class Measurement {
  elements = 2 ** 20;
  running = false;
  results = [];
  adapter = "";
  software = false;
  copy = undefined;
  // How many patterns were begun.
  begun = 0;
  // The key of a text, its values, and an error's message.
  status = { key: "", values: {}, message: "" };
  #cancelled = false;
  #changed = () => {};

  // Calls a function after each change.
  watch(changed) {
    this.#changed = changed;
  }

  cancel() {
    this.#cancelled = true;
  }

  async run() {
    Object.assign(this, { running: true, results: [], copy: undefined, begun: 0 });
    this.#cancelled = false;
    const stop = () => {
      if (this.#cancelled) throw new Cancelled();
    };
    try {
      await this.#all(stop);
      this.#say("bench.done");
    } catch (error) {
      if (error instanceof Cancelled) {
        this.#say("bench.cancelled");
      } else {
        // A device that failed is not asked again.
        forgetGpu();
        this.#say("bench.failed", {}, error.message);
      }
    }
    this.running = false;
    this.#changed();
  }

  #say(key, values = {}, message = "") {
    this.status = { key, values, message };
    this.#changed();
  }

  async #all(stop) {
    this.#say("bench.copying");
    const { gpu, adapter, software, message } = await theGpu();
    if (!gpu) throw new Error(message);
    Object.assign(this, { adapter, software });
    this.copy = await measureCopy(this.elements, stop);
    for (const [i, pattern] of PATTERNS.entries()) {
      stop();
      this.begun = i + 1;
      this.#say("bench.measuring", { name: pattern.name, number: i + 1, count: PATTERNS.length });
      const { operands, result } = sizes(pattern, this.elements);
      const row = { name: pattern.name, shapes: operands.map(listText).join(" "), elements: count(result) };
      try {
        // The device may be lost at any time, and then nothing else is worth measuring.
        this.results.push({ ...row, rates: await measure(gpu, pattern, this.elements, stop) });
      } catch (error) {
        if (!(error instanceof Cancelled)) this.results.push({ ...row, error: error.message });
        throw error;
      }
      this.#changed();
    }
  }

  // Returns the result as a text that can be sent to others, in English, as the command writes it.
  text() {
    const rate = (value) => (value / 1e9).toPrecision(3);
    const lines = this.results.map(({ name, shapes, rates, error }) => (error
      ? `${name}: ${error}`
      : `${name.padEnd(16)} ${rate(rates.gpu).padStart(8)} GB/s  loop ${rate(rates.loop).padStart(8)} GB/s  ${shapes}`));
    return [
      `indim in a browser, f32, ${this.elements} elements, on ${this.adapter}${this.software ? " (software, on the CPU)" : ""}`,
      navigator.userAgent,
      this.copy ? `copy by the adapter: ${rate(this.copy)} GB/s` : "",
      ...lines,
    ].filter(Boolean).join("\n");
  }
}
