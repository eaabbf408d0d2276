// Measures one pattern on the GPU, as a plain loop, and a copy by the adapter.

import { array } from "../indim.js";
import { bytes, count, random, sizes } from "./bench-patterns.js";

// Rounds take about this long, so that the clock's steps do not count.
const ROUND_MS = 60;
const ROUNDS = 5;
const MOST_RUNS = 64;

// Results of one round take no more bytes than this.
const MOST_BYTES = 256 * 2 ** 20;

// Lets the page answer its user.
function pause() {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}

// Returns the seconds that one run takes: the median of some rounds. `runs` resolves when the given
// number of runs is over, a round has at most `most` of them, and `stop` throws if the user has
// enough.
async function seconds(runs, most, stop) {
  const timed = async (many) => {
    const begun = performance.now();
    await runs(many);
    return (performance.now() - begun) / 1000;
  };
  await timed(1);
  let many = 1;
  let once = await timed(many);
  while (once * 1000 < ROUND_MS && many * 2 <= most) {
    stop();
    many *= 2;
    once = await timed(many);
  }
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    stop();
    await pause();
    rounds.push((await timed(many)) / many);
  }
  return rounds.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)];
}

// Returns where two results differ by more than the functions' last bits and this bound, or -1.
export function firstDifference(ours, theirs, bound) {
  return ours.findIndex((value, i) => !(Math.abs(value - theirs[i]) <= bound + 1e-5 * Math.max(1, Math.abs(theirs[i]))));
}

// Resolves to the bytes per second of a pattern on the GPU and as a loop. Results are compared
// first.
export async function measure(gpu, pattern, elements, stop) {
  const { operands: shapes, result: shape } = sizes(pattern, elements);
  const data = shapes.map((operand, i) => random(count(operand), i + 1));
  const moved = bytes({ operands: shapes, result: shape });
  const most = Math.max(1, Math.min(MOST_RUNS, Math.floor(MOST_BYTES / (4 * count(shape)))));
  const garbage = [];
  const kept = (value) => {
    garbage.push(value);
    return value;
  };
  try {
    const literals = data.map((floats, i) => kept(array(floats, shapes[i])));
    const operands = gpu.eval(literals).map(kept);
    // An expression that was evaluated is known, so that each run has one of its own.
    const evaluate = () => {
      const expression = pattern.expression(operands);
      try {
        return gpu.eval(expression);
      } finally {
        expression.free();
      }
    };
    const theirs = new Float32Array(count(shape));
    pattern.loop(data, theirs, shape, shapes);
    await pause();
    stop();
    const first = kept(evaluate());
    const wrong = firstDifference(await gpu.read(first), theirs, pattern.bound(shapes));
    if (wrong >= 0) throw new Error(`element ${wrong} differs`);
    stop();
    const ours = await seconds(async (many) => {
      // What nobody holds is not computed, so that results are kept until all are over.
      const results = Array.from({ length: many }, evaluate);
      try {
        await gpu.wait();
      } finally {
        for (const result of results) result.free();
      }
    }, most, stop);
    const loop = await seconds(async (many) => {
      for (let run = 0; run < many; run += 1) pattern.loop(data, theirs, shape, shapes);
    }, most, stop);
    return { gpu: moved / ours, loop: moved / loop };
  } finally {
    for (const value of garbage) value.free();
  }
}

// Resolves to the bytes per second that the adapter's own copy of a buffer reads and writes.
export async function measureCopy(elements, stop) {
  const adapter = await navigator.gpu.requestAdapter();
  const device = await adapter.requestDevice();
  try {
    const size = 4 * elements;
    const usage = GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
    const [from, to] = [0, 1].map(() => device.createBuffer({ size, usage }));
    const time = await seconds(async (many) => {
      const encoder = device.createCommandEncoder();
      for (let run = 0; run < many; run += 1) encoder.copyBufferToBuffer(from, 0, to, 0, size);
      device.queue.submit([encoder.finish()]);
      await device.queue.onSubmittedWorkDone();
    }, MOST_RUNS, stop);
    return (2 * size) / time;
  } finally {
    device.destroy();
  }
}

// Resolves to the sizes of results that the adapter takes, in elements: powers of 4.
export async function sizesOfAdapter() {
  const adapter = await navigator.gpu?.requestAdapter();
  if (!adapter) return [];
  // The library asks for no more than the defaults of these where it need not.
  const largest = Math.min(adapter.limits.maxStorageBufferBindingSize, 128 * 2 ** 20) / 4;
  return [2 ** 16, 2 ** 18, 2 ** 20, 2 ** 22, 2 ** 24].filter((size) => size <= largest);
}
