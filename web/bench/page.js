// Runs one library in one page. The program outside calls these functions by turns with those of the
// other libraries' pages.

import { counted } from "./counts.js";
import { elementsOf, patterns } from "./patterns.js";
import { compare, reference } from "./reference.js";

// Milliseconds that a library has for warming up.
const WARM_MS = 300;
// Samples of a turn, and the milliseconds after which fewer will do.
const SAMPLES = 20;
const TURN_MS = 400;
// Milliseconds of a sample that are enough: the wait at its end is next to nothing beside them.
const SAMPLE_MS = 100;

let library;
let current;
// What the device reported that no one caught.
const uncaptured = [];

// Opens a library, and says on what it runs: what its device tells, or, where it shows none, the
// adapter that the browser offers.
export async function open(name) {
  library = await (await import(`./libraries/${name}.js`)).default();
  if (library.adapter) return { adapter: library.adapter };
  library.device?.addEventListener("uncapturederror", ({ error }) => uncaptured.push(error.message));
  const { vendor, architecture, device, description } = library.device?.adapterInfo ?? (await navigator.gpu.requestAdapter()).info;
  return { adapter: [vendor, architecture, device, description].filter(Boolean).join(" ") };
}

// Starts evaluations, waits for the last one, and returns milliseconds for each: `host` until all
// were given to the device, `all` until the device was done. A library's results are released when
// the next one was asked for, as in a program that needs the last one only.
async function sample(times) {
  const { work } = current;
  const begun = performance.now();
  for (let time = 0; time < times; time++) {
    let result = work.evaluate();
    // No library that gives its result at once is made to wait for a promise.
    if (result instanceof Promise) result = await result;
    work.release(result);
  }
  const given = performance.now();
  await library.wait();
  const done = performance.now();
  return { host: (given - begun) / times, all: (done - begun) / times };
}

function refuseUncaptured() {
  if (uncaptured.length > 0) throw new Error(uncaptured.splice(0)[0]);
}

// Uploads a pattern's operands, compares its result with the reference, warms up, and counts what one
// evaluation asks of WebGPU then.
export async function prepare(name, elements) {
  drop();
  const pattern = patterns(elements).find((pattern) => pattern.name === name);
  const data = pattern.operands.map(({ shape }, k) => elementsOf(shape, k + 1));
  const length = pattern.result.reduce((product, size) => product * size, 1);
  current = { work: await library.prepare(pattern, data) };
  const { work } = current;
  const result = await work.evaluate();
  const all = { ...pattern, element: pattern.kept ?? pattern.element };
  const largest = compare(await work.read(result), reference(all, data, new Float32Array(length)), pattern);
  work.release(result);
  const begun = performance.now();
  let one;
  do {
    one = await sample(1);
  } while (performance.now() - begun < WARM_MS);
  current.most = Math.ceil(SAMPLE_MS / one.all);
  const counts = library.adapter ? {} : await counted(() => sample(1));
  refuseUncaptured();
  const bytes = 4 * (pattern.times ?? 1) * (data.reduce((sum, { length }) => sum + length, 0) + length);
  return { elements: pattern.elements, result_elements: (pattern.times ?? 1) * length, bytes, max_error: largest, ...counts };
}

// Takes a turn: returns its samples, each of `times` evaluations, or fewer where these take long.
export async function turn(times) {
  const samples = [];
  const begun = performance.now();
  do {
    samples.push(await sample(Math.min(times, current.most)));
  } while (samples.length < SAMPLES && performance.now() - begun < TURN_MS);
  refuseUncaptured();
  return samples;
}

// Frees a pattern's operands.
export function drop() {
  current?.work.dispose();
  current = undefined;
}
