// Which element of an operand makes which element of the result, and the steps of broadcasting as
// shapes in which an operand's elements are repeated. A reduction is a broadcast backwards: its
// operand takes the place of the result here, and its result that of an operand.

import { flatIndex } from "./shapes.js";

// Returns an operand's index for an index of the result, where dimension k of the operand is
// `dimensions[k]` of the result and size 1 stretches.
export function sourceIndex(shape, dimensions, resultIndex) {
  return shape.map((size, k) => (size === 1 ? 0 : resultIndex[dimensions[k]]));
}

// Returns the row-major number of that element.
export function sourceOf(shape, dimensions, resultIndex) {
  return flatIndex(shape, sourceIndex(shape, dimensions, resultIndex));
}

// Returns how many elements of the result an operand's element is in.
export function repeats(shape, dimensions, result) {
  let count = 1;
  result.forEach((size, d) => {
    const k = dimensions.indexOf(d);
    if (k < 0 || shape[k] === 1) count *= size;
  });
  return count;
}

// Returns the dimensions of a shape.
export function dimensionsOf(shape) {
  return shape.map((_, d) => d);
}

// Returns an array as given, of which dimension k is `dimensions[k]` of the result.
export function own(shape, dimensions = dimensionsOf(shape)) {
  return { shape, dimensions, source: (index) => index, isCopy: () => false };
}

// Returns an operand as it is at a step: 0, as given; 1, with the rank of the result; 2, with its
// shape. A view has a shape, the dimension of the result that each of its dimensions is, and
// `source`, which takes an index in it to that of an operand's element. `isCopy` tells whether an
// index shows an element again.
export function viewAt(step, operand, other, result) {
  const { shape, dimensions } = operand;
  if (step === 0) return own(shape, dimensions);
  const all = dimensionsOf(result);
  const of = new Map(dimensions.map((d, k) => [d, k]));
  // A scalar takes the other operand's shape, and so do dimensions that an operand lacks.
  const otherSize = new Map(other.dimensions.map((d, k) => [d, other.shape[k]]));
  const ranked = all.map((d) => (of.has(d) ? shape[of.get(d)] : (otherSize.get(d) ?? 1)));
  const viewShape = step === 1 ? ranked : result;
  return {
    shape: viewShape,
    dimensions: all,
    source: (index) => sourceIndex(shape, dimensions, index),
    isCopy: (index) => index.some((at, d) => at > 0 && (!of.has(d) || shape[of.get(d)] === 1)),
  };
}

// Returns the index, within the whole array, of the i-th element of a part of it.
function indexIn(part, i) {
  const index = new Array(part.length);
  let rest = i;
  for (let d = part.length - 1; d >= 0; d -= 1) {
    index[d] = part[d].start + (rest % part[d].count);
    rest = Math.floor(rest / part[d].count);
  }
  return index;
}

// Returns the number of elements in a part of an array.
export function countIn(part) {
  return part.reduce((count, each) => count * each.count, 1);
}

// Returns the row-major numbers of the elements in a part of an array, at most `most`.
export function numbersIn(shape, part, most = Infinity) {
  return Array.from({ length: Math.min(countIn(part), most) }, (_, i) => flatIndex(shape, indexIn(part, i)));
}

// Returns the part of the result that is shown: for each dimension where it begins and how many
// indices are in it. The last three dimensions are shown as slices, rows and columns, of which `most`
// says how many; of those before, one index is chosen.
export function windowOf(shape, starts, most) {
  const rank = shape.length;
  return shape.map((size, d) => {
    const limit = limitOf(most, rank, d);
    const count = Math.min(size, limit);
    const start = Math.max(0, Math.min(starts[d] ?? 0, size - count));
    return { start, count, size };
  });
}

// Returns how many indices of a dimension are shown.
function limitOf({ columns, rows, slices }, rank, d) {
  return { 1: columns, 2: rows, 3: slices }[rank - d] ?? 1;
}

// Returns the part of a view that belongs to the result's window. Where the result shows one index
// of many, a view that shows the dimension whole shows what lies around that index.
export function windowOfView(view, resultWindow, most) {
  const rank = view.shape.length;
  return view.shape.map((size, k) => {
    const { start, count } = resultWindow[view.dimensions[k]];
    if (size === 1) return { start: 0, count: 1, size };
    const shown = k >= rank - 3;
    const leading = view.dimensions[k] < resultWindow.length - 3;
    if (!shown || !leading) return { start, count: Math.min(count, size), size };
    const limit = Math.min(size, limitOf(most, rank, k));
    return { start: Math.max(0, Math.min(Math.floor(start / limit) * limit, size - limit)), count: limit, size };
  });
}
