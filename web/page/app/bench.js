// Shows what is measured of the patterns of `indim bench` in this tab.

import { PATTERNS } from "./bench-patterns.js";
import { button, choice, draw, fill, h } from "./dom.js";
import { hasWebGpu, theGpu } from "./gpu.js";
import { sizesOfAdapter } from "./measure.js";
import { Measurement } from "./measurement.js";
import { gap, number, t } from "./text.js";

const HEADS = ["pattern", "shapes", "gpu", "copy", "loop", "times"];
// Rates have this many digits after the point, so that they stand under each other.
const RATE = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
const TIMES = { minimumFractionDigits: 2, maximumFractionDigits: 2 };

const measurement = new Measurement();

const gigabytes = (rate) => number(rate / 1e9, RATE);

// Returns a bar of a rate, as a part of the largest.
function bar(rate, largest, kind) {
  const width = Math.max(0.5, 100 * (rate / largest));
  return draw("svg", { class: `bar ${kind}`, "aria-hidden": "true", viewBox: "0 0 100 4", preserveAspectRatio: "none" },
    draw("rect", { width: String(width), height: "4" }));
}

export class Bench {
  #status = h("p", { class: "status", role: "status" });
  #adapter = h("p", { class: "adapter" });
  #bar = h("progress", { max: String(PATTERNS.length + 1), value: "0", "aria-label": t("bench.progress") });
  #body = h("tbody");
  #share = h("div", { class: "share" });
  #size = h("div");
  #start = button(t("bench.start"), () => this.#run(), { id: "bench-start", class: "primary" });
  #cancel = button(t("bench.cancel"), () => measurement.cancel(), { id: "bench-cancel" });
  #sizes = [];
  #closed = false;

  constructor() {
    this.element = h("section", { class: "bench", "aria-labelledby": "bench-title", onkeydown: (event) => {
      if (event.key === "Escape" && measurement.running) measurement.cancel();
    } },
    h("div", { class: "hero" }, h("h1", { id: "bench-title" }, t("bench.title")), h("p", { class: "lead" }, t("bench.lead")), this.#adapter),
    h("div", { class: "controls" }, this.#size, this.#start, this.#cancel),
    this.#bar, this.#status,
    h("div", { class: "table wide", tabindex: "0", role: "region", "aria-label": t("bench.table") }, h("table", {},
      h("thead", {}, h("tr", {}, HEADS.map((key) => h("th", { scope: "col" }, t(`bench.${key}`))))), this.#body)),
    this.#share);
    measurement.watch(() => this.show());
    this.#open();
  }

  // A measurement ends when its tab is left, and what was measured stays.
  close(leaving) {
    this.#closed = true;
    measurement.watch(() => {});
    if (leaving) measurement.cancel();
  }

  async #open() {
    if (!hasWebGpu()) {
      this.#status.textContent = t("bench.none");
      return;
    }
    this.#sizes = await sizesOfAdapter();
    const opened = await theGpu();
    if (this.#closed) return;
    if (opened.gpu) fill(this.#adapter, t(opened.software ? "bench.software" : "bench.on", { adapter: opened.adapter }));
    else if (opened.hasAdapter) fill(this.#status, t("gpu.cannot"), gap(), h("span", { lang: "en" }, opened.message));
    else fill(this.#status, t("gpu.adapter"));
    if (!this.#sizes.includes(measurement.elements)) measurement.elements = this.#sizes.at(-1) ?? measurement.elements;
    this.#showSizes();
    this.show();
  }

  #showSizes() {
    const options = this.#sizes.map((size) => [String(size), t("bench.elements", { count: number(size) })]);
    fill(this.#size, h("label", { for: "bench-size" }, t("bench.size")),
      choice("bench-size", options, String(measurement.elements), (size) => {
        measurement.elements = Number(size);
      }));
  }

  show() {
    const { running, results, status, begun } = measurement;
    if (!this.#size.firstChild) this.#showSizes();
    const possible = this.#sizes.length > 0;
    this.#size.querySelector("select").disabled = running || !possible;
    // Before one of the two is hidden, the other one gets its focus.
    const [gone, stays] = running ? [this.#start, this.#cancel] : [this.#cancel, this.#start];
    stays.hidden = false;
    this.#start.disabled = !possible;
    if (document.activeElement === gone) stays.focus();
    gone.hidden = true;
    this.#bar.hidden = !running;
    this.#bar.value = begun;
    if (status.key) fill(this.#status, t(status.key, status.values), status.message && [gap(), h("span", { class: "message", lang: "en" }, status.message)]);
    const largest = Math.max(...results.flatMap(({ rates }) => (rates ? [rates.gpu, rates.loop] : [])));
    const done = new Map(results.map((result) => [result.name, result]));
    fill(this.#body, PATTERNS.map(({ name }) => this.#row(name, done.get(name), largest)));
    this.#showShare();
  }

  #row(name, result, largest) {
    const head = h("th", { scope: "row" }, h("code", {}, name), h("span", { class: "means" }, t(`pattern.${name}`)));
    if (!result) return h("tr", { class: "waiting" }, head, h("td", { colspan: "5" }, t("bench.waiting")));
    const { shapes, rates, error } = result;
    const value = (key, text, ...more) => h("td", { class: "number", "data-label": t(`bench.${key}`) }, h("span", {}, text), more);
    return h("tr", {}, head, h("td", { class: "mono", "data-label": t("bench.shapes") }, shapes),
      error ? h("td", { colspan: "4", class: "message", lang: "en" }, error) : [
        value("gpu", t("bench.rate", { rate: gigabytes(rates.gpu) }), bar(rates.gpu, largest, "ours")),
        value("copy", measurement.copy ? number(rates.gpu / measurement.copy, { style: "percent", maximumFractionDigits: 0 }) : "–"),
        value("loop", t("bench.rate", { rate: gigabytes(rates.loop) }), bar(rates.loop, largest, "theirs")),
        value("times", `${number(rates.gpu / rates.loop, TIMES)}×`)]);
  }

  #run() {
    measurement.run();
    this.show();
  }

  #showShare() {
    if (measurement.running || measurement.results.length === 0) {
      fill(this.#share);
      return;
    }
    const area = h("textarea", { readonly: true, rows: String(measurement.results.length + 4), id: "bench-text", lang: "en", spellcheck: "false" }, measurement.text());
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
