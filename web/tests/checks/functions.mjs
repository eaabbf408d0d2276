// User-defined functions: by the library's tests of them, which reject where something is wrong, and
// by `wgsl()` of the JavaScript module that was built with them.
import start, { endless_loops_are_errors, functions_compute } from "/tests/indim_web_tests.js";
import * as indim from "/full/indim.js";
import { wgsl as without } from "/indim.js";
import { equal, refused } from "./expect.mjs";

await start({ module_or_path: "/tests/indim_web_tests_bg.wasm" });

const SMOOTH = "fn smooth(a: f32, b: f32, t: f32) -> f32 { let s = t * t * (3.0 - 2.0 * t); return mix(a, b, s); }";
const POLAR = `struct polar { radius: f32, angle: f32 }
fn to_polar(x: f32, y: f32) -> polar { return polar(length(vec2(x, y)), atan2(y, x)); }`;
const COUNT = "fn count(limit: u32) -> u32 { var n = 0u; while n != limit { n++; } return n; }";

async function ofTheModule() {
  const { array, open, wgsl } = indim;
  const gpu = await open();
  const smooth = wgsl(SMOOTH);
  equal([smooth.name, smooth.parameters[2], smooth.results],
    ["smooth", { name: "t", elementType: "f32" }, [{ name: "", elementType: "f32" }]], "the signature");
  const x = array([[0, 4, 8], [2, 4, 6]]);
  const y = smooth.call([x, array([2, 4]), 0.5], [[], [0], []]).mul(2);
  equal(gpu.kernels(y).length, 1, "the kernels of smooth and a product");
  equal(await gpu.read(y), [2, 6, 10, 6, 8, 10], "smooth");
  equal(await gpu.read(smooth.call([1, 3, 0.5])), [2], "smooth of numbers");
  const [radius, angle] = wgsl(POLAR).callAll([array([3, 0]), array([4, 0])]);
  equal(await gpu.read(radius), [5, 0], "radius");
  equal(angle.shape, [2], "the shape of angle");

  await refused(() => wgsl("fn f(x: f32) -> f32 { return y; }"), "line 1, column 30", undefined);
  await refused(() => wgsl(SMOOTH, { cost: "dear" }), "cheap, costly and heavy", undefined);
  await refused(() => wgsl(SMOOTH, { maxIterations: -1 }), "maxIterations is -1", undefined);
  await refused(() => wgsl(5), "text is 5; write a string", undefined);
  await refused(() => wgsl(SMOOTH, { maxIterations: "9" }), 'maxIterations is "9"; write a number', undefined);
  await refused(() => smooth.call(x, x, x), "operands is of type object; write an array", undefined);
  await refused(() => smooth.call([x]), "it takes 3 operands", undefined);
  await refused(() => smooth.call([x, x, x], [[]]), "there are 1 lists of broadcastDimensions for 3 operands", undefined);
  await refused(() => smooth.call([x, x, x], [0, 1, 2]), "broadcastDimensions[0] is 0; write [0]", undefined);
  await refused(() => smooth.call([x, x, x], 1), "broadcastDimensions is 1; write an array", undefined);
  await refused(() => smooth.call([x, array([1, 2]), 0.5]), "broadcastDimensions", "B1");
  await refused(() => smooth.call([x, "1", 0.5]), "an operand is string", undefined);
  await refused(() => wgsl(POLAR).call([x, x]), "callAll", undefined);
  await refused(() => new indim.WgslFunction({}), "wgsl() gives a function", undefined);
  const few = wgsl(COUNT, { maxIterations: 100 }).call([array([5, 101], [2], "u32")]);
  await refused(() => gpu.read(few), "a loop runs more than 100 times", undefined);
  await refused(() => gpu.read(few), "(maxIterations in the options of wgsl())", undefined);
  await refused(() => gpu.read(wgsl(COUNT, { maxTotalIterations: 10 }).call([array([11], [1], "u32")])), "run more than 10 times", undefined);
  await refused(() => without(SMOOTH), "scripts/build-web --full", undefined);

  const declared = await (await fetch("/indim.d.ts")).text();
  const undeclared = Object.getOwnPropertyNames(indim.WgslFunction.prototype)
    .filter((name) => !new RegExp(`\\b${name}\\b`).test(declared));
  equal(undeclared, [], "methods that are not declared");
  gpu.destroy();
}

export default async function functions() {
  await functions_compute();
  const text = await endless_loops_are_errors();
  if (!text.includes("a loop runs more than 65536 times")) throw new Error(text);
  await ofTheModule();
}
