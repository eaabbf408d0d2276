// The place to play: one operation, its picture and its kernel.

import { considerBinary } from "./binary.js";
import { button, fill, h } from "./dom.js";
import { EXAMPLES, REDUCTION_EXAMPLES, exampleState, exampleText } from "./examples.js";
import { Fields } from "./fields.js";
import { showKernels } from "./kernels.js";
import { isReduction } from "./operations.js";
import { Picture } from "./picture.js";
import { considerReduction } from "./reduction.js";
import { t } from "./text.js";

const STEP_MS = 1600;

export class Play {
  #app;
  #fields;
  #picture;
  #playing = 0;
  #steps = h("div", { class: "steps" });
  #kernels = h("section", { class: "kernels", "aria-labelledby": "kernels-title" });

  constructor(app) {
    this.#app = app;
    this.#fields = new Fields((patch) => app.update(patch));
    this.#picture = new Picture((patch) => app.update(patch));
    this.element = h("section", { class: "play", "aria-labelledby": "play-title" },
      h("div", { class: "hero" }, h("h1", { id: "play-title" }, t("play.title")), h("p", { class: "lead" }, t("play.lead"))),
      this.#examples(),
      this.#fields.element,
      h("section", { class: "picture", "aria-labelledby": "picture-title" },
        h("div", { class: "picture-head" }, h("h2", { id: "picture-title" }, t("picture.title")), this.#steps),
        this.#picture.elements),
      this.#kernels);
  }

  // Stops what goes on in the background.
  close() {
    clearTimeout(this.#playing);
    this.#picture.close();
  }

  #examples() {
    const chips = (examples) => h("div", { class: "chips" }, examples.map((example) => button(
      [exampleText(example), example.rule && h("span", { class: "refused" }, ` ${t("examples.refused", { rule: example.rule })}`)],
      () => {
        this.#picture.home();
        this.#app.update(exampleState(example));
      },
      { class: "chip mono" },
    )));
    return h("div", {},
      h("details", { class: "examples" },
        h("summary", {}, t("examples.title", { count: EXAMPLES.length })),
        h("p", {}, t("examples.from"), " ", h("a", { href: "https://openxla.org/xla/broadcasting", rel: "noreferrer" }, t("examples.document"))),
        chips(EXAMPLES)),
      h("details", { class: "reductions" },
        h("summary", {}, t("reductions.title", { count: REDUCTION_EXAMPLES.length })),
        chips(REDUCTION_EXAMPLES)));
  }

  // Shows a state of the page.
  show(state) {
    const reduction = isReduction(state.op);
    const seen = reduction ? considerReduction(state) : considerBinary(state);
    this.#fields.show(state, seen);
    // A reduction has no steps, and the library explains the kernels of binary operations.
    this.#steps.hidden = reduction;
    this.#kernels.hidden = reduction;
    const step = !reduction && ["1", "2"].includes(state.step) ? Number(state.step) : 0;
    this.#showSteps(step, Boolean(seen.plan));
    this.#picture.show(state, seen, seen.plan ? step : 0);
    if (!reduction) showKernels(this.#kernels, seen.plan);
  }

  #showSteps(current, possible) {
    const focused = [...this.#steps.querySelectorAll("button")].indexOf(document.activeElement);
    const to = (step) => this.#app.update({ step: String(step) });
    fill(this.#steps, h("div", { class: "segments", role: "group", "aria-label": t("steps.title") },
      [0, 1, 2].map((step) => button(t(`steps.${step}`), () => {
        clearTimeout(this.#playing);
        to(step);
      }, { "aria-pressed": String(step === current), disabled: !possible }))),
    button(t("steps.play"), () => this.#playSteps(), { disabled: !possible, class: "quiet" }));
    if (focused >= 0) this.#steps.querySelectorAll("button")[focused]?.focus();
  }

  #playSteps() {
    clearTimeout(this.#playing);
    const go = (step) => {
      this.#app.update({ step: String(step) });
      if (step < 2) this.#playing = setTimeout(() => go(step + 1), STEP_MS);
    };
    go(0);
  }
}
