// Elementwise array operations on WebGPU, with XLA's broadcasting rules.
//
//   import { open, array } from "./indim.js";
//
// indim.d.ts beside this file documents what is here; README.md has an example. lazy.js has the
// code, and loads the WebAssembly later.

import { init } from "./lazy.js";

await init();

export {
  Expr, Gpu, WgslFunction, array, clamp, concatenate, elementTypes, full, iota, numpy, open, random,
  rules, select, wgsl,
} from "./lazy.js";
