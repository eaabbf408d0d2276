// The patterns of `indim bench` that a browser measures, each as an expression of the library and as
// a plain loop. They have the names and the shapes of the command's.

import { select } from "../indim.js";
import * as loops from "./bench-loops.js";

// Returns rows and columns that are multiples of 8, as near to a square as that allows.
function rectangle(elements) {
  const columns = Math.max(64, Math.floor(Math.sqrt(elements) / 64) * 64);
  return [Math.max(8, Math.floor(elements / columns / 8) * 8), columns];
}

// Returns (8,16,64,32,64), with its largest sizes but the last halved until they hold no more than
// this number of elements.
function rank5(elements) {
  const sizes = [8, 16, 64, 32, 64];
  while (count(sizes) > elements) {
    sizes[sizes.lastIndexOf(Math.max(...sizes.slice(0, 4)), 3)] /= 2;
  }
  while (2 * count(sizes) <= elements) sizes[0] *= 2;
  return sizes;
}

const odd = (elements) => {
  const [rows, columns] = rectangle(elements);
  return [rows - 1, columns + 1];
};

// A pattern's `shapes` are those of its operands for a result of given rows and columns. `bound` is how
// far results may differ, beyond the functions' last bits.
const pattern = (name, shapes, expression, loop, size = rectangle) => ({ name, shapes, expression, loop, size, bound: () => 0 });

// A reduction of a matrix along these dimensions. A sum's last bits grow with its terms.
function reduction(name, along, expression, loop, rounding) {
  const kept = (shape) => shape.filter((_, d) => !along.includes(d));
  return {
    name, expression, loop, matrix: rectangle, kept,
    bound: ([shape]) => rounding * along.reduce((terms, d) => terms * shape[d], 1),
  };
}

export const PATTERNS = [
  pattern("same", (r, c) => [[r, c], [r, c]], ([a, b]) => a.add(b), loops.same),
  pattern("row", (r, c) => [[r, c], [c]], ([a, b]) => a.add(b, [1]), loops.row),
  pattern("column", (r, c) => [[r, c], [r]], ([a, b]) => a.add(b, [0]), loops.column),
  pattern("scalar", (r, c) => [[r, c]], ([a]) => a.add(1.5), loops.scalar),
  pattern("one", (r, c) => [[r, c], [1, 1]], ([a, b]) => a.add(b), loops.one),
  pattern("outer", (r, c) => [[r, 1], [1, c]], ([a, b]) => a.add(b), loops.outer),
  pattern("rank5", (a, b, c, d, e) => [[a, 1, c, 1, e], [1, b, 1, d, e]], ([a, b]) => a.add(b), loops.rank5, rank5),
  pattern("odd", (r, c) => [[r, c], [c]], ([a, b]) => a.add(b, [1]), loops.row, odd),
  pattern("odd_column", (r, c) => [[r, c], [r]], ([a, b]) => a.add(b, [0]), loops.column, odd),
  pattern("inner3", (r, c) => [[r, c], [c]], ([a, b]) => a.add(b, [1]), loops.row, (elements) => [Math.floor(elements / 3), 3]),
  pattern("transposed", (r, c) => [[r, c], [c, r]], ([a, b]) => a.add(b.transpose([1, 0])), loops.transposed),
  pattern("chain", (r, c) => [[r, c], [r, c], [r, c]], ([a, b, c]) => a.mul(b).add(c).tanh(), loops.chain),
  pattern("chain_broadcast", (r, c) => [[r, c], [r], [c]], ([a, b, c]) => a.mul(b, [0]).add(c, [1]).tanh(), loops.chainBroadcast),
  pattern("tanh", (r, c) => [[r, c]], ([a]) => a.tanh(), loops.tanh),
  pattern("select", (r, c) => [[r, c], [1, c], [r, 1]],
    ([a, b, c]) => select(a.gt(b), a.mul(2), c.broadcastInDim(a.shape, [0, 1])), loops.select),
  pattern("strided", (r, c) => [[r, 2 * c]], ([a]) => a.slice([0, 0], a.shape, [1, 2]), loops.strided),
  pattern("outer_chain", (r, c) => [[r, 1], [1, c]], ([a, b]) => a.sin().mul(b.cos()), loops.outerChain),
  reduction("sum_rows", [1], ([a]) => a.reduceSum([1]), loops.sumRows, 1e-7),
  reduction("sum_columns", [0], ([a]) => a.reduceSum([0]), loops.sumColumns, 1e-7),
  reduction("sum_all", [0, 1], ([a]) => a.reduceSum([0, 1]), loops.sumAll, 1e-7),
  reduction("argmax", [1], ([a]) => a.argmax([1]), loops.argmax, 0),
];

// Returns the shapes of a pattern's operands and of its result, which has about this number of
// elements, or, if it is a reduction, its operand has.
export function sizes({ shapes, size, matrix, kept }, elements) {
  if (kept) return { operands: [matrix(elements)], result: kept(matrix(elements)) };
  const result = size(elements);
  return { operands: shapes(...result), result };
}

export function count(shape) {
  return shape.reduce((product, size) => product * size, 1);
}

// Returns the bytes of all operands, read once, and of the result.
export function bytes({ operands, result }) {
  return 4 * [...operands, result].reduce((sum, shape) => sum + count(shape), 0);
}

// Returns floats in [-1, 1), other ones for each seed.
export function random(size, seed) {
  let state = seed >>> 0;
  return Float32Array.from({ length: size }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) / 2 ** 23 - 1;
  });
}
