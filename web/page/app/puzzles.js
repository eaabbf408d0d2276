// Puzzles, whose hints are the library's messages.

import { check, placesOf } from "./check.js";
import { button, fill, h, scrolling } from "./dom.js";
import { reason, refusal } from "./fields.js";
import { sourceOf } from "./maps.js";
import { PUZZLES } from "./puzzle-list.js";
import { madeOf } from "./reduction.js";
import { remember, remembered } from "./settings.js";
import { parseList } from "./shapes.js";
import { defaults, formatState } from "./state.js";
import { gap, number, t } from "./text.js";
import { valuesOf } from "./values.js";

// An empty shape is a scalar's, and an expression is judged by the reader. Where a list of dimensions
// belongs, an empty answer is not judged: the library's message would give the right one.
const ANSWERED_BY_NOTHING = new Set(["shape", "result", "picture"]);

const typed = (puzzle, shape) => `${puzzle.type}[${shape.join(",")}]`;

// Returns the call of a puzzle with a question mark where the answer goes.
function call(puzzle) {
  const { kind, op } = puzzle;
  if (kind === "picture") return `? -> s32[${puzzle.shape.join(",")}]`;
  const lhs = typed(puzzle, puzzle.lhs);
  if (kind === "shape") return `${op}(${lhs}, ${puzzle.type}[?]) -> ${typed(puzzle, puzzle.result)}`;
  // A reduction has one operand.
  const operands = puzzle.rhs ? `${lhs}, ${typed(puzzle, puzzle.rhs)}` : lhs;
  if (kind === "result") return `${op}(${operands}, [${puzzle.dims.join(",")}]) -> ${puzzle.type}[?]`;
  if (kind === "refuse") return `${op}(${operands}, [?]) -> error[${puzzle.rule}]`;
  if (kind === "numpy") return `numpy.${op}(${operands}) = ${op}(${operands}, [?])`;
  return `${op}(${operands}, [?])`;
}

// Returns a matrix of numbers as a picture; one of zeros and ones is black and white.
function picture(shape, at) {
  const places = placesOf(shape);
  const binary = places.every((place) => at(place) === 0 || at(place) === 1);
  const rows = Array.from({ length: shape[0] }, (_, row) => h("tr", {}, Array.from({ length: shape[1] }, (_, column) => {
    const value = at([row, column]);
    return h("td", { class: binary ? `bit${value}` : undefined }, String(value));
  })));
  return h("table", { class: "drawing", "aria-label": t("puzzle.drawing") }, h("tbody", {}, rows));
}

function pictureOf(puzzle) {
  if (puzzle.kind === "picture") return picture(puzzle.shape, puzzle.at);
  if (!puzzle.picture) return undefined;
  if (puzzle.kind === "reduce") return picture(puzzle.map.map((d) => puzzle.lhs[d]), (place) => sumOfIota(puzzle, place));
  // The left operand is all zeros, so that the result shows the right one's elements.
  const value = valuesOf(puzzle.rhsFill, "", puzzle.type);
  return picture(puzzle.lhs, (place) => value(sourceOf(puzzle.rhs, puzzle.map, place)));
}

// Returns what is asked for: dimensions, a shape or an expression.
function formatOf({ kind }) {
  if (kind === "picture") return "expression";
  return kind === "shape" || kind === "result" ? "shape" : "dims";
}

// The call that a right answer makes, as the place to play sets it up.
function addressOf({ kind, op, type, lhs, rhs, dims, lhsFill = "count", rhsFill = "seven" }, answer) {
  if (kind === "picture") return undefined;
  const list = parseList(answer) ?? [];
  const state = { ...defaults(), op, type, lhs: lhs.join(), lhsFill, rhsFill };
  if (kind === "reduce" || !rhs && kind === "refuse") return formatState({ ...state, reduce: list.join() });
  const second = kind === "shape" ? list : rhs;
  const matched = { shape: [], result: dims }[kind] ?? list;
  return formatState({ ...state, rhs: second.join(), dims: matched.join() });
}

// Shows a judgement: of a right answer the reason, of a wrong one a hint.
function showJudged(puzzle, i, card, hint, { solved, error, text }) {
  card.classList.toggle("solved", solved);
  hint.classList.toggle("right", solved);
  const address = solved && addressOf(puzzle, card.querySelector("input").value);
  fill(hint,
    h("p", {}, h("b", {}, t(solved ? "puzzle.right" : "puzzle.wrong")), solved && `${gap()}${t(`puzzle.why.${i + 1}`)}`),
    error && (solved ? reason(error) : refusal(error)), text && h("p", {}, text),
    address && h("p", {}, h("a", { href: address }, t("puzzle.see"))));
}

// Returns an element of the sum of 0, 1, 2, … along the dimensions that `map` lacks.
function sumOfIota({ lhs, map }, place) {
  return madeOf(lhs, map, place).reduce((sum, each) => sum + each, 0);
}

// Returns the remembered texts of a name, by the puzzle's number. What is remembered may be anything.
function rememberedTexts(name) {
  try {
    const kept = JSON.parse(remembered(name) || "{}");
    return new Map(Object.entries(kept).filter(([id, text]) => /^\d{1,2}$/.test(id) && typeof text === "string").map(([id, text]) => [Number(id), text.slice(0, 400)]));
  } catch {
    return new Map();
  }
}

function rememberTexts(name, texts) {
  remember(name, texts.size > 0 ? JSON.stringify(Object.fromEntries(texts)) : "");
}

export class Puzzles {
  // Answers that were right, and what was typed last.
  #solved = rememberedTexts("answers");
  #typed = rememberedTexts("typed");
  #progress = h("p", { class: "progress", role: "status" });
  #end = h("div", { class: "end", role: "status" });

  constructor() {
    this.element = h("section", { class: "puzzles", "aria-labelledby": "puzzles-title" },
      h("div", { class: "hero" }, h("h1", { id: "puzzles-title" }, t("puzzle.title")), h("p", { class: "lead" }, t("puzzle.lead")), this.#progress),
      h("ol", { class: "cards" }, PUZZLES.map((puzzle, i) => this.#card(puzzle, i))),
      this.#end);
  }

  #card(puzzle, i) {
    const id = `puzzle-${i + 1}`;
    const hint = h("div", { class: "hint", id: `${id}-hint`, role: "status" });
    const input = this.#input(id, i + 1);
    const card = h("li", { class: "card" },
      h("h2", {}, t("puzzle.number", { number: i + 1 }), h("span", { class: "mark" }, t("puzzle.solved"))),
      h("p", {}, t(`puzzle.${puzzle.kind}${puzzle.picture ? "_drawn" : ""}`, { rule: puzzle.rule, most: puzzle.most })),
      h("code", { class: "call" }, call(puzzle)),
      pictureOf(puzzle),
      h("form", {
        onsubmit: async (event) => {
          event.preventDefault();
          const answer = input.value;
          const judged = answer.trim() === "" && !ANSWERED_BY_NOTHING.has(puzzle.kind)
            ? { solved: false, text: t("puzzle.empty") }
            : await check(puzzle, answer);
          this.#judge(puzzle, i, card, hint, { judged, answer });
          hint.scrollIntoView({ block: "nearest", behavior: scrolling() });
        },
      },
      h("label", { for: id }, t("puzzle.answer")), h("div", { class: "row" }, input, h("button", { type: "submit", class: "primary" }, t("puzzle.check"))),
      h("p", { class: "format", id: `${id}-format` }, t(`format.${formatOf(puzzle)}`))),
      hint);
    // What was solved before is shown with its answer and the reason.
    if (this.#solved.has(i + 1)) {
      input.value = this.#solved.get(i + 1);
      showJudged(puzzle, i, card, hint, { solved: true });
    }
    return card;
  }

  // Returns the input of an answer. What is typed is remembered before it is judged, too.
  #input(id, number) {
    const input = h("input", {
      type: "text", id, autocomplete: "off", autocapitalize: "off", spellcheck: "false", maxlength: "400",
      "aria-describedby": `${id}-format ${id}-hint`, value: this.#typed.get(number) ?? "",
      oninput: () => {
        this.#typed.set(number, input.value);
        rememberTexts("typed", this.#typed);
      },
    });
    return input;
  }

  #judge(puzzle, i, card, hint, { judged, answer }) {
    if (judged.solved) this.#solved.set(i + 1, answer);
    showJudged(puzzle, i, card, hint, judged);
    card.classList.toggle("solved", this.#solved.has(i + 1));
    rememberTexts("answers", this.#solved);
    this.show();
  }

  #again() {
    for (const [name, texts] of [["answers", this.#solved], ["typed", this.#typed]]) {
      texts.clear();
      rememberTexts(name, texts);
    }
    for (const card of this.element.querySelectorAll(".card")) {
      card.classList.remove("solved");
      fill(card.querySelector(".hint"));
      card.querySelector("input").value = "";
    }
    this.show();
    this.element.querySelector("input").focus();
  }

  show() {
    fill(this.#end, this.#solved.size === PUZZLES.length && [h("h2", {}, t("puzzle.end")), h("p", {}, t("puzzle.end.said")),
      h("p", {}, h("a", { href: "#tab=rules" }, t("puzzle.end.rules")))]);
    fill(this.#progress, t("puzzle.progress", { solved: number(this.#solved.size), count: number(PUZZLES.length) }),
      this.#solved.size > 0 && [" ", button(t("puzzle.again"), () => this.#again(), { class: "quiet" })]);
  }
}
