// Values that are freed, and values that outlive a device.
import { array, concatenate, iota, open, select } from "/indim.js";
import { equal, refused } from "./expect.mjs";

const elements = () => array(new Float32Array([0, 1]));

async function freedWhileRead(gpu) {
  const kept = async (x) => {
    const y = x.add(1);
    const promise = gpu.read(y);
    y.free();
    return await promise;
  };
  const withFinally = async (x) => {
    const y = x.add(1);
    try {
      return gpu.read(y);
    } finally {
      y.free();
    }
  };
  // `using` is syntax that not every browser has.
  const using = new Function("gpu", "x", "return (async () => { using y = x.add(1); return gpu.read(y); })()");
  const x = elements();
  for (const idiom of [kept, withFinally, (x) => using(gpu, x)]) equal(await idiom(x), [1, 2], String(idiom));

  // A literal, and a value that was evaluated, may be freed likewise.
  for (const value of [elements(), gpu.eval(x.add(1)), iota([2])]) {
    const promise = gpu.read(value);
    value.free();
    equal((await promise).length, 2, "a value that was freed while it is read");
  }
  const wrong = array([1], [1], "f64");
  const promise = gpu.read(wrong.add(1));
  wrong.free();
  await refused(() => promise, "f64", undefined);
}

async function freedTwice(gpu) {
  const x = elements();
  const y = x.add(1);
  x.free();
  x.free();
  x[Symbol.dispose]?.();
  equal(await gpu.read(y), [1, 2], "what is built on a value that was freed");
  const uses = [() => x.shape, () => x.elementType, () => x.exp(), () => y.add(x), () => gpu.read(x), () => gpu.eval([y, x]), () => gpu.kernels(x)];
  for (const use of uses) await refused(use, "this value was freed", undefined);
  for (const use of [() => x.toJSON(), () => x.reduceSum([0]), () => concatenate([x, y], 0), () => select(y.gt(1), x, y)]) await refused(use, "this value was freed", undefined);
  equal(String(x), "Expr(this value was freed)", "the text of a value that was freed");
}

// What the host has is computed on another device when the first one is lost.
async function lostDevice() {
  const lost = await open();
  const x = elements();
  const y = x.add(1).exp().log();
  const here = lost.eval(x.mul(2));
  equal([Array.from(await lost.read(x)), Array.from(await lost.read(y), Math.round)], [[0, 1], [1, 2]], "before the loss");
  lost.destroy();
  await refused(() => lost.read(x), "lost", undefined);

  const gpu = await open();
  equal(await gpu.read(x), [0, 1], "a literal");
  equal(Array.from(await gpu.read(y), Math.round), [1, 2], "a value that was computed");
  equal(await gpu.read(x.mul(3)), [0, 3], "what is built afterwards");
  const [a, b] = gpu.eval([x.add(y).round(), y.round()]);
  equal([Array.from(await gpu.read(a)), Array.from(await gpu.read(b))], [[1, 3], [1, 2]], "several values");
  equal(gpu.kernels(y.add(5)).length, 1, "kernels");
  await refused(() => gpu.read(here), "call open() again", undefined);
  await refused(() => gpu.read(here.add(1)), "on two devices", undefined);
  gpu.destroy();
}

async function twoDevices() {
  const [first, second] = [await open(), await open()];
  const x = elements();
  const y = x.add(1);
  for (let round = 0; round < 3; round++) {
    for (const gpu of [first, second]) {
      equal(await gpu.read(x), [0, 1], "a literal of two devices");
      equal(await gpu.read(y), [1, 2], "a value of two devices");
      equal(await gpu.read(gpu.eval(y.mul(x))), [0, 2], "what is built on both");
    }
  }
  const array = first.eval(x.mul(5));
  equal(await second.read(array), [0, 5], "an array of another device");
  first.destroy();
  second.destroy();
}

export default async function lifetimes() {
  const gpu = await open();
  await freedWhileRead(gpu);
  await freedTwice(gpu);
  gpu.destroy();
  await lostDevice();
  await twoDevices();
}
