// Computes one small result, and keeps the milliseconds since navigation began at each step.

const at = {};
const step = (name) => {
  at[name] = performance.now();
};

step("script");
const { array, open } = await import("./indim/indim.js");
step("module");
const gpu = await open();
step("device");
const sum = array([[1, 2, 3], [4, 5, 6]]).add(array([10, 20]), [0]);
const values = await gpu.read(sum);
step("result");
if (String(values) !== "11,12,13,24,25,26") throw new Error(`the result is ${values}`);
globalThis.first = at;
