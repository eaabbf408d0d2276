// Puzzles, whose hints are the library's messages.

import { check, placesOf } from "./check.js";
import { button, fill, h } from "./dom.js";
import { refusal } from "./fields.js";
import { sourceOf } from "./maps.js";
import { PUZZLES } from "./puzzle-list.js";
import { madeOf } from "./reduction.js";
import { remember, remembered } from "./settings.js";
import { number, t } from "./text.js";

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
  return picture(puzzle.lhs, (place) => 7 + sourceOf(puzzle.rhs, puzzle.map, place));
}

// Returns an element of the sum of 0, 1, 2, … along the dimensions that `map` lacks.
function sumOfIota({ lhs, map }, place) {
  return madeOf(lhs, map, place).reduce((sum, each) => sum + each, 0);
}

export class Puzzles {
  #solved = new Set(remembered("solved").split(",").filter((id) => /^\d{1,2}$/.test(id)).map(Number));
  #progress = h("p", { class: "progress", role: "status" });

  constructor() {
    this.element = h("section", { class: "puzzles", "aria-labelledby": "puzzles-title" },
      h("div", { class: "hero" }, h("h1", { id: "puzzles-title" }, t("puzzle.title")), h("p", { class: "lead" }, t("puzzle.lead")), this.#progress),
      h("ol", { class: "cards" }, PUZZLES.map((puzzle, i) => this.#card(puzzle, i))));
  }

  #card(puzzle, i) {
    const id = `puzzle-${i + 1}`;
    const hint = h("div", { class: "hint", id: `${id}-hint`, role: "status" });
    const input = h("input", { type: "text", id, autocomplete: "off", autocapitalize: "off", spellcheck: "false", maxlength: "400", "aria-describedby": `${id}-hint` });
    const card = h("li", { class: "card" },
      h("h2", {}, t("puzzle.number", { number: i + 1 }), h("span", { class: "mark" }, t("puzzle.solved"))),
      h("p", {}, t(`puzzle.${puzzle.kind}${puzzle.picture ? "_drawn" : ""}`, { rule: puzzle.rule, most: puzzle.most })),
      h("code", { class: "call" }, call(puzzle)),
      pictureOf(puzzle),
      h("form", {
        onsubmit: async (event) => {
          event.preventDefault();
          this.#judge(i, card, hint, await check(puzzle, input.value));
        },
      },
      h("label", { for: id }, t("puzzle.answer")), h("div", { class: "row" }, input, h("button", { type: "submit", class: "primary" }, t("puzzle.check")))),
      hint);
    card.classList.toggle("solved", this.#solved.has(i + 1));
    return card;
  }

  #judge(i, card, hint, { solved, error, text }) {
    if (solved) this.#solved.add(i + 1);
    card.classList.toggle("solved", this.#solved.has(i + 1));
    hint.classList.toggle("right", solved);
    fill(hint, solved ? h("p", {}, t("puzzle.right")) : h("p", {}, t("puzzle.wrong")), error && refusal(error), text && h("p", {}, text));
    remember("solved", [...this.#solved].sort((a, b) => a - b).join(","));
    this.show();
  }

  #again() {
    this.#solved.clear();
    remember("solved", "");
    for (const card of this.element.querySelectorAll(".card")) {
      card.classList.remove("solved");
      fill(card.querySelector(".hint"));
      card.querySelector("input").value = "";
    }
    this.show();
    this.element.querySelector("input").focus();
  }

  show() {
    fill(this.#progress, t("puzzle.progress", { solved: number(this.#solved.size), count: number(PUZZLES.length) }),
      this.#solved.size > 0 && [" ", button(t("puzzle.again"), () => this.#again(), { class: "quiet" })]);
  }
}
