// The place to play: one operation, its picture, its words and its kernel.

import { considerBinary } from "./binary.js";
import { showMap } from "./dimension-map.js";
import { button, fill, h, scrolling } from "./dom.js";
import { EXAMPLES, REDUCTION_EXAMPLES, SECTION_NAMES, exampleOf, exampleState, exampleText, reductionExampleOf } from "./examples.js";
import { Fields } from "./fields.js";
import { glossary } from "./glossary.js";
import { showKernels, showKernelsOfReduction } from "./kernels.js";
import { isReduction } from "./operations.js";
import { Picture } from "./picture.js";
import { considerReduction } from "./reduction.js";
import { t } from "./text.js";
import { showWords } from "./words.js";

const STEP_MS = 1600;
// Pixels that are left above what is scrolled to.
const EDGE = 8;

export class Play {
  #app;
  #fields;
  #picture;
  #playing = 0;
  #chips = new Map();
  #steps = h("div", { class: "steps" });
  #map = h("div", { class: "map" });
  #words = h("div", { class: "words" });
  #told = h("div", { class: "told" }, this.#map, this.#words);
  #kernels = h("section", { class: "kernels", "aria-labelledby": "kernels-title" });

  constructor(app) {
    this.#app = app;
    const update = (patch, part) => app.update(patch, part);
    this.#fields = new Fields((patch, part) => {
      update(patch, part);
      this.#keepInSight();
    });
    this.#picture = new Picture(update);
    this.element = h("section", { class: "play", "aria-labelledby": "play-title" },
      h("div", { class: "hero" }, h("h1", { id: "play-title" }, t("play.title")), h("p", { class: "lead" }, t("play.lead"))),
      this.#examples(),
      this.#fields.element,
      h("section", { class: "picture", "aria-labelledby": "picture-title" },
        h("h2", { id: "picture-title", class: "unseen" }, t("picture.title")),
        this.#picture.elements,
        this.#steps,
        this.#told),
      this.#fields.more,
      this.#kernels,
      glossary());
  }

  // Stops what goes on in the background.
  close() {
    clearTimeout(this.#playing);
    this.#picture.close();
  }

  #examples() {
    const chip = (example) => {
      const made = button(
        [exampleText(example), example.rule && h("span", { class: "refused" }, ` ${t("examples.refused", { rule: example.rule })}`)],
        ({ currentTarget }) => {
          const { top } = currentTarget.getBoundingClientRect();
          this.#go(example);
          this.reveal(top);
        }, { class: "chip mono" });
      this.#chips.set(example, made);
      return made;
    };
    const section = (name) => h("section", {},
      h("h2", {}, t(`section.${name}`)),
      h("ol", {}, EXAMPLES.filter((example) => example.section === name).map((example) =>
        h("li", {}, chip(example), h("p", {}, t(`example.${example.number}`))))));
    const past = h("a", { class: "skip", href: "#lhs", onclick: (event) => {
      event.preventDefault();
      document.getElementById("lhs").focus();
      this.reveal();
    } }, t("examples.past"));
    return h("div", {},
      past,
      h("details", { class: "examples", open: true },
        h("summary", {}, t("examples.title", { count: EXAMPLES.length })),
        h("p", {}, t("examples.from"), " ", h("a", { href: "https://openxla.org/xla/broadcasting", rel: "noreferrer" }, t("examples.document"))),
        h("div", { class: "lessons" }, SECTION_NAMES.map(section))),
      h("details", { class: "reductions" },
        h("summary", {}, t("reductions.title", { count: REDUCTION_EXAMPLES.length })),
        h("div", { class: "chips" }, REDUCTION_EXAMPLES.map(chip))));
  }

  // Sets up an example, which Back undoes.
  #go(example) {
    this.#picture.home();
    this.#app.update(exampleState(example), `example ${exampleText(example)}`);
  }

  // Sets up the example of a button below the picture. If a key pressed it, the focus stays in view.
  #goOn(example, { detail: clicks }) {
    this.#go(example);
    if (clicks > 0) this.reveal();
  }

  // Scrolls so that the call and its picture are seen, as far as they fit below a button that was
  // pressed; on a telephone the list of examples leaves them no room.
  reveal(pressedTop = Infinity) {
    const call = this.#fields.element.getBoundingClientRect().top - EDGE;
    const end = this.#told.getBoundingClientRect().top - innerHeight;
    const most = matchMedia("(max-width: 40rem)").matches ? call : Math.min(call, pressedTop - EDGE);
    window.scrollBy({ top: Math.min(most, Math.max(0, end)), behavior: scrolling() });
  }

  // Shows the call that a link leads to. The call has the focus, so that the Tab key goes on to its shapes.
  arrive() {
    this.#fields.element.focus({ preventScroll: true });
    this.reveal();
  }

  // What a key changes in the call is seen: its refusal and its picture are below the fields. What is clicked
  // stays under the mouse.
  #keepInSight() {
    const { activeElement } = document;
    if (this.#fields.element.contains(activeElement) && activeElement.matches(":focus-visible")) this.reveal();
  }

  // Shows a state of the page.
  show(state) {
    const reduction = isReduction(state.op);
    const seen = reduction ? considerReduction(state) : considerBinary(state);
    this.#fields.show(state, seen);
    const current = reduction ? reductionExampleOf(state) : exampleOf(state);
    for (const [example, chip] of this.#chips) chip.setAttribute("aria-pressed", String(example === current));
    // A reduction has no steps.
    this.#steps.hidden = reduction;
    const step = !reduction && ["1", "2"].includes(state.step) ? Number(state.step) : 0;
    this.#showSteps(step, Boolean(seen.plan));
    this.#picture.show(state, seen, seen.plan ? step : 0);
    showWords(this.#words, state, seen, (example, event) => this.#goOn(example, event));
    if (seen.shapes) showMap(this.#map, seen);
    else this.#map.hidden = true;
    if (reduction) showKernelsOfReduction(this.#kernels, state, seen.plan);
    else showKernels(this.#kernels, seen.plan);
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
