// Judges answers to puzzles by asking the library.

import { numpyDimensions, planBinary } from "../indim_web.js";
import { NoExpression, parseExpression } from "./expression.js";
import { theGpu } from "./gpu.js";
import { planReduction } from "./reduction.js";
import { elementCount, listText, parseList } from "./shapes.js";
import { t } from "./text.js";

const floats = (list) => Float64Array.from(list);

function plan({ op, type }, lhs, rhs, dims) {
  return planBinary(op, type, floats(lhs), floats(rhs), floats(dims));
}

const wrong = (text) => ({ solved: false, text });
const same = (a, b) => a.length === b.length && Array.from(a).every((value, i) => value === b[i]);

const JUDGES = {
  dims(puzzle, dims) {
    const made = plan(puzzle, puzzle.lhs, puzzle.rhs, dims);
    if (same(made.rhsDimensions, puzzle.map)) return { solved: true };
    return wrong(t("puzzle.other", { shape: listText(made.shape) }));
  },
  shape(puzzle, shape) {
    const made = plan(puzzle, puzzle.lhs, shape, []);
    if (!same(made.shape, puzzle.result)) return wrong(t("puzzle.gives", { shape: listText(made.shape) }));
    if (elementCount(shape) > puzzle.most) return wrong(t("puzzle.large", { count: elementCount(shape), most: puzzle.most }));
    return { solved: true };
  },
  result(puzzle, shape) {
    const made = plan(puzzle, puzzle.lhs, puzzle.rhs, puzzle.dims);
    return same(made.shape, shape) ? { solved: true } : wrong(t("puzzle.not"));
  },
  reduce({ op, type, lhs, map }, dims) {
    const made = planReduction(op, type, lhs, dims);
    return same(made.kept, map) ? { solved: true } : wrong(t("puzzle.reduced", { shape: listText(made.shape) }));
  },
  refuse(puzzle, dims) {
    const { op, type, lhs, rhs } = puzzle;
    try {
      const made = rhs ? plan(puzzle, lhs, rhs, dims) : planReduction(op, type, lhs, dims);
      return wrong(t("puzzle.accepted", { shape: listText(made.shape) }));
    } catch (error) {
      return { solved: error.rule === puzzle.rule, error };
    }
  },
  numpy(puzzle, dims) {
    if (same(numpyDimensions(floats(puzzle.lhs), floats(puzzle.rhs)), dims)) return { solved: true };
    const made = plan(puzzle, puzzle.lhs, puzzle.rhs, dims);
    return wrong(t("puzzle.other", { shape: listText(made.shape) }));
  },
};

// Returns the elements of a value of the GPU, or of the host where there is none.
async function elements(made, places) {
  const opened = await theGpu();
  if (opened.gpu) return Array.from(await opened.gpu.read(made.expr), Number);
  return made.at && places.map((place) => made.at(place));
}

async function picture(puzzle, text) {
  const made = parseExpression(text);
  if (!same(made.expr.shape, puzzle.shape)) return wrong(t("puzzle.gives", { shape: listText(made.expr.shape) }));
  const places = placesOf(puzzle.shape);
  const values = await elements(made, places);
  if (!values) return wrong(t("gpu.none"));
  const at = places.findIndex((place, i) => values[i] !== puzzle.at(place));
  if (at < 0) return { solved: true };
  return wrong(t("puzzle.cell", { at: listText(places[at]), got: values[at], expected: puzzle.at(places[at]) }));
}

// Returns all indices of a matrix.
export function placesOf([rows, columns]) {
  return Array.from({ length: rows * columns }, (_, i) => [Math.floor(i / columns), i % columns]);
}

// Resolves to { solved }, with a text or the library's error as a hint.
export async function check(puzzle, answer) {
  try {
    if (puzzle.kind === "picture") return await picture(puzzle, answer);
    const list = parseList(answer);
    if (list === null) return wrong(t(puzzle.kind === "shape" || puzzle.kind === "result" ? "error.shape" : "error.dims"));
    return JUDGES[puzzle.kind](puzzle, list);
  } catch (error) {
    if (error instanceof NoExpression) return wrong(t("puzzle.no_expression", { at: error.at + 1 }));
    return { solved: false, error };
  }
}
