// Everyday programs with reductions, as a new user writes them, beside the same numbers computed one by one.
import { array, iota, numpy, open, select } from "/indim.js";
import { equal } from "./expect.mjs";

const [ROWS, COLUMNS, CENTRES] = [8, 3, [[2, 0.5, -2], [-2, -1, 2]]];
const LABELS = [2, 0, 1, 0, 1, 2, 2, 0];
const POINTS = Array.from({ length: ROWS }, (_, row) =>
  Array.from({ length: COLUMNS }, (_, column) => 3 * Math.sin(1.7 * (row * COLUMNS + column))));

const sum = (values) => values.reduce((total, value) => total + value, 0);
const mean = (values) => sum(values) / values.length;
const variance = (values) => mean(values.map((value) => (value - mean(values)) ** 2));
const columnOf = (rows, column) => rows.map((row) => row[column]);
const square = (a, b) => sum(a.map((value, axis) => (value - b[axis]) ** 2));
const nearest = () => POINTS.map((point) => Number(square(point, CENTRES[1]) < square(point, CENTRES[0])));

// The squares of the distances of all points to all centres.
const squares = (x, c) =>
  numpy.sub(x.reshape([ROWS, 1, COLUMNS]), c.reshape([1, 2, COLUMNS])).square().reduceSum([2]);

// For each program what the GPU computes, and what is expected.
const PROGRAMS = {
  "an image is standardised": {
    found: ({ x }) => x.sub(x.mean([0, 1])).div(x.var([0, 1]).sqrt()),
    expected() {
      const pixels = POINTS.flat();
      return pixels.map((pixel) => (pixel - mean(pixels)) / Math.sqrt(variance(pixels)));
    },
  },
  "contrast is stretched": {
    found({ x }) {
      const [low, high] = [x.reduceMin([0, 1]), x.reduceMax([0, 1])];
      return x.sub(low).div(high.sub(low));
    },
    expected() {
      const pixels = POINTS.flat();
      const [low, high] = [Math.min(...pixels), Math.max(...pixels)];
      return pixels.map((pixel) => (pixel - low) / (high - low));
    },
  },
  "a batch is normalised": {
    found: ({ x }) => x.layerNorm([0], 1e-5).mul(array([1, 2, 3]), [1]).sub(0.5),
    expected: () => POINTS.flatMap((row) => row.map((value, column) => {
      const values = columnOf(POINTS, column);
      return ((value - mean(values)) / Math.sqrt(variance(values) + 1e-5)) * (column + 1) - 0.5;
    })),
  },
  "cross entropy of labels": {
    found({ x }) {
      const isLabel = iota([ROWS, COLUMNS], 1).eq(array(LABELS, [ROWS], "s32"), [0]);
      return select(isLabel, x.logSoftmax([1]), 0).reduceSum([1]).mean([0]).neg();
    },
    expected: () => [mean(POINTS.map((row, at) => Math.log(sum(row.map(Math.exp))) - row[LABELS[at]]))],
  },
  "distances": {
    found: ({ x, c }) => squares(x, c).sqrt(),
    expected: () => POINTS.flatMap((point) => CENTRES.map((centre) => Math.sqrt(square(point, centre)))),
  },
  "the nearest centres": {
    found: ({ x, c }) => squares(x, c).argmin([1]),
    expected: nearest,
  },
  "a step of k-means": {
    found({ x, c }) {
      const belongs = iota([ROWS, 2], 1).eq(squares(x, c).argmin([1]), [0]).convertElementType("f32");
      const sums = numpy.mul(belongs.reshape([ROWS, 2, 1]), x.reshape([ROWS, 1, COLUMNS])).reduceSum([0]);
      return sums.div(belongs.reduceSum([0]), [0]);
    },
    expected: () => [0, 1].flatMap((centre) => {
      const own = POINTS.filter((_, at) => nearest()[at] === centre);
      return [0, 1, 2].map((column) => mean(columnOf(own, column)));
    }),
  },
  "forces between bodies": {
    found({ x }) {
      const apart = numpy.sub(x.reshape([1, ROWS, COLUMNS]), x.reshape([ROWS, 1, COLUMNS]));
      const cubes = apart.square().reduceSum([2]).add(0.01).pow(1.5);
      return apart.div(cubes, [0, 1]).reduceSum([1]);
    },
    expected: () => POINTS.flatMap((body) => [0, 1, 2].map((axis) =>
      sum(POINTS.map((other) => (other[axis] - body[axis]) / (square(body, other) + 0.01) ** 1.5)))),
  },
};

export default async function everyday() {
  const gpu = await open();
  const operands = { x: array(POINTS), c: array(CENTRES) };
  for (const [name, { found, expected }] of Object.entries(PROGRAMS)) {
    const [got, wanted] = [Array.from(await gpu.read(found(operands))), expected()];
    equal(got.length, wanted.length, `the elements of ${name}`);
    // A comparison that fails for NaN, too.
    const isClose = (value, at) => Math.abs(value - wanted[at]) <= 4e-6 * Math.max(1, Math.abs(wanted[at]));
    if (!got.every(isClose)) throw new Error(`${name}: got ${got}, expected ${wanted}`);
  }
  gpu.destroy();
}
