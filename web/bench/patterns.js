// The patterns of `indim bench`, in its order, for any library whose arrays broadcast as NumPy's do.
//
// `operands` are their shapes, each with the strides by which an element of the result finds its own
// where these do not follow from the shape, or with its `index` as JavaScript. `evaluate(ops, ...)` is the computation in a library's
// operations, and `element` the same for one element, as JavaScript, which the reference loops over.
// `tolerance` bounds the difference between a result and the reference; sums of two have to be equal.
//
// Patterns that reduce have the shape before it, `space`, and `along`, the dimensions; `fold` is what
// the reference does with each element `x`: before the first, with each, and for the result. With `each`
// the result has an element for every `x`, and the last of `fold` is what is done before the first.
// Patterns with a `share` keep that part of the elements, at random, as `kept` says, and make the others 0.

// Additions in batch100, each to the result of the one before.
export const BATCH = 100;
// Elements of the patterns that measure latency.
const FEW = 64;
// The elements of the largest result that a binding of 128 MiB holds.
const BINDING = 1 << 25;
// WGSL lets sin, cos and tanh be this inexact.
const ROUGH = 1e-3;

// The patterns that a geometric mean is over.
export const BROADCASTING = ["row", "column", "scalar", "one", "outer", "rank5", "chain_broadcast"];
export const REDUCTIONS = [
  "sum_rows", "sum_columns", "sum_all", "sum_short_rows", "sum_long_rows", "sum_middle", "distance", "mean_var", "argmax",
  "pairwise", "softmax", "softmax_short", "softmax_long", "layer_norm", "layer_norm_short", "layer_norm_long",
];
// The size of points, and of short rows.
const SHORT = 64;
// What is added to the variances of rows.
const EPSILON = 1e-5;
// The part of the elements that dropout keeps.
const SHARE = 0.9;

export const count = (shape) => shape.reduce((product, size) => product * size, 1);

// Returns rows and columns that are multiples of 8 and 64, as near to a square as that allows.
function rectangle(elements) {
  const columns = Math.max(64, Math.floor(Math.sqrt(elements) / 64) * 64);
  return [Math.max(8, Math.floor(elements / columns / 8) * 8), columns];
}

// Returns (8,16,64,32,64), with the first size larger or the largest of all but the last smaller.
function rank5(elements) {
  const sizes = [8, 16, 64, 32, 64];
  while (count(sizes) > Math.max(64, elements)) {
    sizes[sizes.lastIndexOf(Math.max(...sizes.slice(0, 4)), 3)] /= 2;
  }
  while (2 * count(sizes) <= elements) sizes[0] *= 2;
  return sizes;
}

const add = (ops, a, b) => ops.add(a, b);
const chain = (ops, a, b, c) => ops.tanh(ops.add(ops.mul(a, b), c));

function sum(name, elements, result, ...shapes) {
  return { name, elements, result, operands: shapes.map((shape) => ({ shape })), evaluate: add, element: "a + b", tolerance: 0 };
}

function rank5Sum(name, elements) {
  const [a, b, c, d, e] = rank5(elements);
  return sum(name, elements, [a, b, c, d, e], [a, 1, c, 1, e], [1, b, 1, d, e]);
}

const SUM = ["let s = 0;", "s += x;", "s"];

// Returns the pattern of a sum, or of what `more` says, over dimensions of a shape.
function reduced(name, space, along, operands, more = {}) {
  return {
    name, elements: count(space), space, along, result: space.filter((_, d) => !along.includes(d)), operands,
    evaluate: (ops, a) => ops.sum(a, along), element: "a", fold: SUM, tolerance: ROUGH, ...more,
  };
}

function reductions(elements) {
  const matrix = rectangle(elements);
  const one = [{ shape: matrix }];
  const sum = (name, space, along) => reduced(name, space, along, [{ shape: space }]);
  const points = Math.max(8, Math.floor(Math.sqrt((4 * elements) / SHORT) / 8) * 8);
  const squares = (dimension) => ({
    element: "(a - b) ** 2",
    evaluate(ops, a, b) {
      const difference = ops.sub(a, b);
      return ops.sum(ops.mul(difference, difference), [dimension]);
    },
  });
  return [
    sum("sum_rows", matrix, [1]),
    sum("sum_columns", matrix, [0]),
    sum("sum_all", matrix, [0, 1]),
    sum("sum_short_rows", [Math.max(8, elements / 16 / SHORT), SHORT], [1]),
    sum("sum_long_rows", [SHORT, Math.max(64, elements / SHORT)], [1]),
    sum("sum_middle", [SHORT, Math.max(32, elements / SHORT / SHORT), SHORT], [1]),
    reduced("distance", matrix, [1], [...one, ...one], squares(1)),
    // The sum of both, so that it is one result.
    reduced("mean_var", matrix, [1], one, {
      evaluate: (ops, a) => ops.meanAndVar(a, 1),
      fold: ["let s = 0, q = 0, n = 0;", "s += x; q += x * x; n++;", "s / n + q / n - (s / n) ** 2"],
    }),
    reduced("argmax", matrix, [1], one, {
      evaluate: (ops, a) => ops.argmax(a, 1), tolerance: 0,
      fold: ["let m = -Infinity, n = 0, s = 0;", "if (x > m) { m = x; s = n; } n++;", "s"],
    }),
    reduced("pairwise", [points, points, SHORT], [2], [{ shape: [points, 1, SHORT] }, { shape: [1, points, SHORT] }], squares(2)),
  ];
}

// Returns the patterns that normalise rows.
function normalised(elements) {
  const shapes = [
    ["", [Math.max(8, Math.floor(elements / 1024)), 1024]],
    ["_short", [Math.max(8, Math.floor(elements / 8 / 128)), 128]],
    ["_long", [SHORT, Math.max(1024, Math.floor(elements / 2 / SHORT / 1024) * 1024)]],
  ];
  const of = (name, more) => shapes.map(([which, shape]) => reduced(name + which, shape, [1], [{ shape }], {
    result: shape, ...more(shape[1]),
  }));
  return [
    ...of("softmax", (columns) => ({
      evaluate: (ops, a) => ops.softmax(a, 1),
      fold: ["let m = -Infinity, s = 0;", "if (x > m) { s *= Math.exp(m - x); m = x; } s += Math.exp(x - m);", "s = 1 / s;"],
      each: "Math.exp(x - m) * s",
      // Results are about one part of a row's sum.
      tolerance: ROUGH / columns,
    })),
    ...of("layer_norm", () => ({
      evaluate: (ops, a) => ops.layerNorm(a, 1, EPSILON),
      fold: ["let s = 0, q = 0, n = 0;", "s += x; q += x * x; n++;", `s /= n; q = 1 / Math.sqrt(q / n - s * s + ${EPSILON});`],
      each: "(x - s) * q",
    })),
  ];
}

// Returns a product of matrices, of m by k and k by n elements.
function product(name, [m, k, n]) {
  const operands = [{ shape: [m, k], strides: [k, 0, 1] }, { shape: [k, n], strides: [0, 1, n] }];
  return reduced(name, [m, n, k], [2], operands, {
    elements: m * n, evaluate: (ops, a, b) => ops.dot(a, b), element: "a * b",
  });
}

// Returns patterns of other parts of programs: rows at given indices, cumulative sums, dropout, products.
function programs(elements) {
  const matrix = rectangle(elements);
  const [rows, columns] = matrix;
  const side = Math.max(8, Math.floor(Math.cbrt(32 * elements) / 8) * 8);
  // Odd, so that all rows are taken where their number is a power of two.
  const indices = Int32Array.from({ length: rows }, (_, i) => (i * 1_237) % rows);
  return [
    {
      name: "take", elements, result: matrix, element: "a", tolerance: 0,
      operands: [{ shape: matrix, index: `(i0 * 1237 % ${rows}) * ${columns} + i1` }],
      evaluate: (ops, a) => ops.take(a, indices),
    },
    reduced("cumsum_rows", matrix, [1], [{ shape: matrix }], {
      result: matrix, evaluate: (ops, a) => ops.cumsum(a, 1), fold: ["let s = 0;", "", ""], each: "s += x",
    }),
    {
      name: "dropout", elements, result: matrix, operands: [{ shape: matrix }], tolerance: 1e-6, share: SHARE,
      evaluate: (ops, a) => ops.dropout(a, SHARE), element: `Math.random() < ${SHARE} ? a / ${SHARE} : 0`, kept: `a / ${SHARE}`,
    },
    product("dot", [side, side, side]),
    product("dot_tall", [Math.max(8, elements / 64), 16, 16]),
  ];
}

// Returns the patterns for results of this number of elements; some have four times as many, `big`
// sixteen. Reductions read as many elements, `pairwise` four times.
export function patterns(elements) {
  const four = 4 * elements;
  const matrix = rectangle(elements);
  const [rows, columns] = matrix;
  const [row, column] = [[1, columns], [rows, 1]];
  const odd = [rows - 1, columns + 1];
  const three = [Math.floor(elements / 3), 3];
  const large = rectangle(four);
  const outer = sum("outer", four, large, [large[0], 1], [1, large[1]]);
  const same = sum("same", elements, matrix, matrix, matrix);
  const small = { ...sum("small", FEW, [FEW], [FEW], [FEW]), latency: true };
  const one = { operands: [{ shape: matrix }] };
  return [
    same,
    sum("row", elements, matrix, matrix, row),
    sum("column", elements, matrix, matrix, column),
    { ...same, name: "scalar", ...one, evaluate: (ops, a) => ops.add(a, 1.5), element: "a + 1.5" },
    sum("one", elements, matrix, matrix, [1, 1]),
    outer,
    rank5Sum("rank5", four),
    sum("odd", elements, odd, odd, [1, odd[1]]),
    sum("odd_column", elements, odd, odd, [odd[0], 1]),
    sum("inner3", elements, three, three, [1, 3]),
    {
      ...same, name: "transposed", operands: [{ shape: matrix }, { shape: [columns, rows], strides: [1, rows] }],
      evaluate: (ops, a, b) => ops.add(a, ops.transpose(b)),
    },
    {
      ...same, name: "chain", operands: [{ shape: matrix }, { shape: matrix }, { shape: matrix }],
      evaluate: chain, element: "Math.tanh(a * b + c)", tolerance: ROUGH,
    },
    {
      ...same, name: "chain_broadcast", operands: [{ shape: matrix }, { shape: column }, { shape: row }],
      evaluate: chain, element: "Math.tanh(a * b + c)", tolerance: ROUGH,
    },
    { ...same, name: "tanh", ...one, evaluate: (ops, a) => ops.tanh(a), element: "Math.tanh(a)", tolerance: ROUGH },
    {
      ...same, name: "select", operands: [{ shape: matrix }, { shape: row }, { shape: column }],
      evaluate: (ops, a, b, c) => ops.where(ops.greater(a, b), ops.mul(a, 2), c), element: "a > b ? a * 2 : c",
    },
    {
      ...same, name: "strided", operands: [{ shape: [rows, 2 * columns], strides: [2 * columns, 2] }],
      evaluate: (ops, a) => ops.everySecondColumn(a), element: "a",
    },
    small,
    { ...small, name: "batch100", times: BATCH },
    {
      ...outer, name: "outer_chain", evaluate: (ops, a, b) => ops.mul(ops.sin(a), ops.cos(b)),
      element: "Math.sin(a) * Math.cos(b)", tolerance: ROUGH,
    },
    rank5Sum("big", Math.min(16 * elements, BINDING)),
    ...reductions(elements),
    ...normalised(elements),
    ...programs(elements),
  ];
}

// Returns an operand's elements in [-1, 1), other ones for each seed.
export function elementsOf(shape, seed) {
  const data = new Float32Array(count(shape));
  let state = seed;
  for (let i = 0; i < data.length; i++) {
    // This is the linear congruential generator of Numerical Recipes; its upper bits are good enough.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    data[i] = (state >>> 8) / (1 << 23) - 1;
  }
  return data;
}
