// Messages have the names of this module, and stacks begin at the line that called it.
import { array, clamp, init, iota, open } from "/indim.js";
import { equal, refused } from "./expect.mjs";

// The first line of the stack after the message is in this file.
async function begins(call, where) {
  const error = await call().then(() => undefined, (error) => error);
  const [first] = error.stack.slice(error.stack.indexOf(error.message) + error.message.length).trim().split("\n");
  if (!first.includes("/checks/words.mjs")) throw new Error(`${where}: the stack begins at ${first}`);
  if (/wasm-function/.test(error.stack)) throw new Error(`${where}: the stack is ${error.stack}`);
}

export default async function words() {
  await init();
  const gpu = await open();
  const x = array([[1, 2, 3], [4, 5, 6]]);
  const v = array([10, 20]);
  const calls = [
    [() => x.add(v), "broadcastDimensions is empty", "B1"],
    [() => x.add(iota([2, 3])), "convert one of them with convertElementType", "T2"],
    [() => v.broadcastInDim([3, 2], [2]), "broadcastInDim: ", "D3"],
    [() => iota([2], 1), "dimension is 1", "I1"],
    [() => x.shiftLeft(1), "shiftLeft: ", "T1"],
    [() => x.reduceSum([2]), "reduceSum: ", "R1"],
    [() => x.nextAfter(v), "nextAfter: ", "S1"],
  ];
  for (const [call, text, rule] of calls) {
    await refused(call, text, rule);
    await refused(call, "", rule);
    await begins(async () => call(), text);
    const message = await Promise.resolve().then(call).catch(({ message }) => message);
    if (/[a-z]_[a-z]/.test(message)) throw new Error(`the message has a name of Rust: ${message}`);
  }
  await begins(() => gpu.read(array([1], [1], "f64").add(1)), "a reading");
  await begins(async () => x.add(v, "0"), "an argument");

  // A trap of WebAssembly has a name.
  const { find } = Array.prototype;
  Array.prototype.find = () => {
    throw new WebAssembly.RuntimeError("unreachable");
  };
  try {
    await refused(() => clamp(1, x, 2), "indim's WebAssembly stopped (unreachable)", undefined);
  } finally {
    Array.prototype.find = find;
  }
  gpu.destroy();
}
