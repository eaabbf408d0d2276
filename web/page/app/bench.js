// Measures the patterns of `indim bench` in this tab.

import { PATTERNS, count, sizes } from "./bench-patterns.js";
import { button, choice, fill, h } from "./dom.js";
import { forgetGpu, hasWebGpu, theGpu } from "./gpu.js";
import { measure, measureCopy, sizesOfAdapter } from "./measure.js";
import { listText } from "./shapes.js";
import { number, t } from "./text.js";

// What `stop` throws when the user has enough.
class Cancelled extends Error {}

const gigabytes = (rate) => number(rate / 1e9, { maximumSignificantDigits: 3 });

export class Bench {
  #elements = 2 ** 20;
  #cancelled = false;
  #running = false;
  #results = [];
  #adapter = "";
  #copy;
  #error;
  #status = h("p", { class: "status", role: "status" });
  #bar = h("progress", { max: String(PATTERNS.length + 1), value: "0", "aria-label": t("bench.progress") });
  #body = h("tbody");
  #share = h("div", { class: "share" });
  #controls = h("div", { class: "controls" });
  #sizes = [];

  constructor() {
    const heads = ["pattern", "shapes", "gpu", "copy", "loop", "times"];
    this.element = h("section", { class: "bench", "aria-labelledby": "bench-title" },
      h("div", { class: "hero" }, h("h1", { id: "bench-title" }, t("bench.title")), h("p", { class: "lead" }, t("bench.lead"))),
      this.#controls, this.#bar, this.#status,
      h("div", { class: "table wide", tabindex: "0", role: "region", "aria-label": t("bench.table") }, h("table", {},
        h("thead", {}, h("tr", {}, heads.map((key) => h("th", { scope: "col" }, t(`bench.${key}`))))), this.#body)),
      this.#share);
    this.#open();
  }

  show() {
    this.#render();
  }

  close() {
    this.#cancelled = true;
  }

  async #open() {
    this.#render();
    if (!hasWebGpu()) {
      fill(this.#status, t("bench.none"));
      return;
    }
    this.#sizes = await sizesOfAdapter();
    if (this.#sizes.length === 0) {
      const opened = await theGpu();
      if (opened.hasAdapter) fill(this.#status, t("gpu.cannot"), " ", h("span", { lang: "en" }, opened.message));
      else fill(this.#status, t("gpu.adapter"));
    }
    if (!this.#sizes.includes(this.#elements)) this.#elements = this.#sizes.at(-1) ?? this.#elements;
    this.#render();
  }

  #render() {
    const options = this.#sizes.map((size) => [String(size), t("bench.elements", { count: number(size) })]);
    fill(this.#controls,
      h("div", {}, h("label", { for: "bench-size" }, t("bench.size")),
        choice("bench-size", options, String(this.#elements), (size) => {
          this.#elements = Number(size);
        }, { disabled: this.#running || options.length === 0 })),
      this.#running
        ? button(t("bench.cancel"), () => {
          this.#cancelled = true;
        }, { id: "bench-cancel" })
        : button(t("bench.start"), () => this.#run(), { id: "bench-start", class: "primary", disabled: options.length === 0 }));
    this.#bar.hidden = !this.#running;
    fill(this.#body, this.#results.map(({ name, shapes, rates, error }) => h("tr", {},
      h("th", { scope: "row" }, h("code", {}, name)), h("td", {}, shapes),
      error ? h("td", { colspan: "4", class: "message", lang: "en" }, error) : [
        h("td", { "data-label": t("bench.gpu") }, t("bench.rate", { rate: gigabytes(rates.gpu) })),
        h("td", { "data-label": t("bench.copy") }, this.#copy ? number(rates.gpu / this.#copy, { style: "percent", maximumSignificantDigits: 2 }) : "–"),
        h("td", { "data-label": t("bench.loop") }, t("bench.rate", { rate: gigabytes(rates.loop) })),
        h("td", { "data-label": t("bench.times") }, `${number(rates.gpu / rates.loop, { maximumSignificantDigits: 3 })}×`)])),
    this.#results.length === 0 && h("tr", {}, h("td", { colspan: "6" }, t("bench.empty"))));
    this.#showShare();
  }

  async #run() {
    this.#running = true;
    this.#cancelled = false;
    this.#results = [];
    this.#copy = undefined;
    this.#error = undefined;
    this.#bar.value = 0;
    this.#render();
    this.element.querySelector("#bench-cancel").focus();
    const stop = () => {
      if (this.#cancelled) throw new Cancelled();
    };
    try {
      await this.#measureAll(stop);
      fill(this.#status, t("bench.done"));
    } catch (error) {
      if (error instanceof Cancelled) fill(this.#status, t("bench.cancelled"));
      else fill(this.#status, t("bench.failed"), " ", h("span", { class: "message", lang: "en" }, error.message));
      this.#error = error instanceof Cancelled ? undefined : error.message;
      // A device that failed is not asked again.
      if (this.#error) forgetGpu();
    }
    this.#running = false;
    const focused = this.#controls.contains(document.activeElement);
    this.#render();
    if (focused) this.element.querySelector("#bench-start").focus();
  }

  async #measureAll(stop) {
    const { gpu, adapter, message } = await theGpu();
    if (!gpu) throw new Error(message);
    this.#adapter = adapter;
    fill(this.#status, t("bench.copying"));
    this.#copy = await measureCopy(this.#elements, stop);
    for (const [i, pattern] of PATTERNS.entries()) {
      stop();
      this.#bar.value = i + 1;
      fill(this.#status, t("bench.measuring", { name: pattern.name, number: i + 1, count: PATTERNS.length }));
      const { operands, result } = sizes(pattern, this.#elements);
      const row = { name: pattern.name, shapes: operands.map(listText).join(" ") };
      try {
        // The device may be lost at any time, and then nothing else is worth measuring.
        row.rates = await measure(gpu, pattern, this.#elements, stop);
      } catch (error) {
        if (!(error instanceof Cancelled)) {
          this.#results.push({ ...row, elements: count(result), error: error.message });
        }
        throw error;
      }
      this.#results.push({ ...row, elements: count(result) });
      this.#render();
    }
  }

  // The result as a text that can be sent to others, in English, as the command writes it.
  #text() {
    const rate = (value) => (value / 1e9).toPrecision(3);
    const lines = this.#results.map(({ name, shapes, rates, error }) => (error
      ? `${name}: ${error}`
      : `${name.padEnd(16)} ${rate(rates.gpu).padStart(8)} GB/s  loop ${rate(rates.loop).padStart(8)} GB/s  ${shapes}`));
    return [
      `indim in a browser, f32, ${this.#elements} elements, on ${this.#adapter}`,
      navigator.userAgent,
      this.#copy ? `copy by the adapter: ${rate(this.#copy)} GB/s` : "",
      ...lines,
    ].filter(Boolean).join("\n");
  }

  #showShare() {
    if (this.#running || this.#results.length === 0) {
      fill(this.#share);
      return;
    }
    const area = h("textarea", { readonly: true, rows: String(this.#results.length + 4), id: "bench-text", lang: "en", spellcheck: "false" }, this.#text());
    const said = h("span", { role: "status" });
    fill(this.#share, h("label", { for: "bench-text" }, t("bench.share")), area,
      h("div", {}, button(t("bench.copyText"), async () => {
        area.select();
        try {
          await navigator.clipboard.writeText(area.value);
          fill(said, t("bench.copied"));
        } catch {
          fill(said, t("bench.select"));
        }
      }), " ", said));
  }
}
