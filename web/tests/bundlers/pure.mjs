// What needs no WebGPU, in Node.js: shapes, types, errors and functions.
import assert from "node:assert/strict";
import { array, init, iota, open, rules } from "indim";
import * as full from "indim/full";

await init();
const x = array([[1, 2, 3], [4, 5, 6]]);
assert.equal(String(x.add(array([10, 20]), [0]).gt(2).reduceAnd([1])), "Expr(pred[2])");
assert.throws(() => x.add(array([10, 20])), (error) => error.rule === "B1" && error.message.includes("broadcastDimensions is empty")
  && error.stack.split("\n")[1].includes("pure.mjs"));
assert.match(rules.B1, /scalar/);
assert.throws(() => x.mul(iota([2, 3])), /convertElementType/);
await assert.rejects(open(), /no WebGPU outside of a browser's page or worker/);

await full.init();
const smooth = full.wgsl("fn smooth(a: f32, t: f32) -> f32 { return a * t * t; }");
assert.equal(String(smooth.call([full.array([1, 2]), 0.5])), "Expr(f32[2])");
console.log("ok");
