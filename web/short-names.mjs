// Puts the short names that wasm-opt gave imports and exports into the JavaScript that uses them:
//
//   node web/short-names.mjs MODULE.js <NAMES
//
// NAMES is what wasm-opt --minify-imports-and-exports-and-modules prints. wasm-bindgen makes its names unique
// by hashes, which are 2.5 kB of the download.

import { readFileSync, writeFileSync } from "node:fs";

const [file] = process.argv.slice(2);
const { imports, exports } = JSON.parse(readFileSync(0, "utf8"));
let js = readFileSync(file, "utf8");

const literally = (name) => name.replace(/[.$/]/g, "\\$&");

function replace(pattern, by) {
  if (!pattern.test(js)) throw new Error(`${file} has no ${pattern}`);
  js = js.replace(pattern, by);
}

for (const module of new Set(imports.map(([module]) => module))) replace(new RegExp(`"${literally(module)}"`), () => '"a"');
for (const [, long, short] of imports) replace(new RegExp(`^(\\s+)${literally(long)}:`, "m"), (_, indent) => `${indent}${short}:`);
const shortOf = new Map(exports);
js = js.replace(/\bwasm\.(\w+)/g, (_, name) => `wasm.${shortOf.get(name) ?? name}`);

writeFileSync(file, js);
