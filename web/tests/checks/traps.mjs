// The WebAssembly stops in a task that calls wait for: these calls are rejected, by name.
import { iota, open } from "/indim.js";
import { equal, refused } from "./expect.mjs";

const STOPPED = "indim's WebAssembly stopped (";

// Calls something while a method of WebGPU does something else.
async function instead(prototype, method, other, call) {
  const own = prototype[method];
  prototype[method] = other;
  try {
    await call();
  } finally {
    prototype[method] = own;
  }
}

export default async function traps() {
  const gpu = await open();
  const stop = () => {
    throw new WebAssembly.RuntimeError("unreachable");
  };
  const x = iota([3]).add(1);
  equal(await gpu.read(x.mul(2)), [2, 4, 6], "before");
  await instead(GPUBuffer.prototype, "mapAsync", stop, async () => {
    // Both wait; the second one has no part in the trap.
    const calls = [gpu.read(x.mul(3)), gpu.read(x.mul(4))];
    const late = new Promise((_, reject) => {
      setTimeout(() => reject(new Error("the call stays pending")), 10_000);
    });
    for (const call of calls) await refused(() => Promise.race([call, late]), STOPPED, undefined);
    late.catch(() => {});
  });
  gpu.destroy();

  // The errors of others are left to the page, and so is what happens when nothing waits.
  const seen = [];
  const note = (event) => {
    seen.push(event.error.message);
    event.preventDefault();
  };
  globalThis.addEventListener("error", note);
  const other = await open();
  const pending = other.read(iota([2 ** 20]));
  const foreign = Object.assign(new WebAssembly.RuntimeError("theirs"), { stack: "at https://example.org/theirs.wasm:wasm-function[1]:0x1" });
  for (const error of [new Error("plain"), foreign]) {
    globalThis.dispatchEvent(new ErrorEvent("error", { error, message: error.message, cancelable: true }));
  }
  equal((await pending).length, 2 ** 20, "a reading during errors of others");
  equal(seen, ["plain", "theirs"], "errors of others");
  globalThis.removeEventListener("error", note);
  other.destroy();
}
