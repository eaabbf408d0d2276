// Elementwise array operations on WebGPU, with XLA's broadcasting rules.
//
//   import { array, init, open } from "indim";
//   await init();
//
// indim.d.ts documents what is here; README.md has an example. The computing is done by
// indim_web_bg.wasm, which `scripts/build-web` puts beside this file.

export { array, clamp, concatenate, elementTypes, Expr, full, init, iota, numpy, random, rules, select } from "./expr.js";
export { WgslFunction, wgsl } from "./functions.js";
export { Gpu, open } from "./gpu.js";
