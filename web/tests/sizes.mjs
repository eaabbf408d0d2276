// Tells which crate each byte of the module of WebAssembly comes from:
//
//   node web/tests/sizes.mjs MODULE.wasm SMALL.wasm
//
// MODULE.wasm is what wasm-bindgen writes, with names of functions, and SMALL.wasm the one that is served,
// which wasm-opt made of it. The table has shares of the former's code, in bytes of the latter.

import { readFileSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";

const [named, served] = process.argv.slice(2);
if (!served) {
  console.error("node web/tests/sizes.mjs MODULE.wasm SMALL.wasm");
  process.exit(2);
}

const [CUSTOM, IMPORT, CODE, DATA] = [0, 2, 10, 11];

class Reader {
  constructor(bytes, at = 0, end = bytes.length) {
    Object.assign(this, { bytes, at, end });
  }

  get done() {
    return this.at >= this.end;
  }

  byte() {
    return this.bytes[this.at++];
  }

  // Reads an unsigned number of LEB128.
  number() {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }

  text() {
    const length = this.number();
    this.at += length;
    return new TextDecoder().decode(this.bytes.subarray(this.at - length, this.at));
  }

  // Returns a reader of the next bytes, and passes over them.
  part(length) {
    this.at += length;
    return new Reader(this.bytes, this.at - length, this.at);
  }
}

function sections(bytes) {
  const reader = new Reader(bytes, 8);
  const found = [];
  while (!reader.done) {
    const id = reader.byte();
    found.push({ id, body: reader.part(reader.number()) });
  }
  return found;
}

function limits(reader) {
  const flags = reader.byte();
  reader.number();
  if (flags & 1) reader.number();
}

// Passes over an import, and returns true if it is a function.
function isFunction(reader) {
  reader.text();
  reader.text();
  const kind = reader.byte();
  if (kind === 0 || kind === 4) reader.number();
  if (kind === 1) {
    reader.byte();
    limits(reader);
  }
  if (kind === 2) limits(reader);
  if (kind === 3) reader.part(2);
  return kind === 0;
}

// Returns the names of functions by their numbers.
function namesOf(body) {
  const names = new Map();
  while (!body.done) {
    const id = body.byte();
    const part = body.part(body.number());
    if (id !== 1) continue;
    for (let left = part.number(); left > 0; left--) names.set(part.number(), part.text());
  }
  return names;
}

const OWN = {
  indim: "indim's device and API",
  indim_core: "indim's semantics and graph",
  indim_compiler: "indim's compiler",
  indim_shaders: "indim's shaders",
  indim_web: "indim's JavaScript module",
};
const PARTS = ["wgpu", "naga", "wgpu_types", "wgpu_hal", "js_sys", "web_sys", "wasm_bindgen", "wasm_bindgen_futures"];
const STANDARD = ["core", "alloc", "std", "dlmalloc", "hashbrown", "compiler_builtins", "__rustc"];

// Returns the part that a function belongs to. A method of a trait belongs to the crate of its type.
function partOf(name) {
  const path = name.replace(/^[<&*\s]*(mut |const |dyn |\[)*/, "");
  const crate = /^([a-z_]\w*)(::|$)/.exec(path)?.[1];
  if (crate in OWN) return OWN[crate];
  if (PARTS.includes(crate)) return crate.replaceAll("_", "-");
  if (STANDARD.includes(crate)) return "Rust's standard library";
  return path.includes("::") ? "other crates" : "glue and functions without a path";
}

const bytes = readFileSync(named);
const sizes = new Map();
let names = new Map();
let imported = 0;
const bodies = [];
let data = 0;
for (const { id, body } of sections(bytes)) {
  const length = body.end - body.at;
  if (id === IMPORT) {
    for (let left = body.number(); left > 0; left--) imported += isFunction(body);
  } else if (id === CODE) {
    for (let left = body.number(); left > 0; left--) {
      const size = body.number();
      body.part(size);
      bodies.push(size);
    }
  } else if (id === DATA) data = length;
  else if (id === CUSTOM && body.text() === "name") names = namesOf(body);
}
if (names.size === 0) throw new Error(`${named} has no names of functions`);
for (const [i, size] of bodies.entries()) {
  const part = partOf(names.get(imported + i) ?? "");
  sizes.set(part, (sizes.get(part) ?? 0) + size);
}

const small = readFileSync(served);
const smallCode = sections(small).find(({ id }) => id === CODE).body;
const smallData = sections(small).find(({ id }) => id === DATA).body;
const [code, constantData] = [smallCode, smallData].map(({ at, end }) => end - at);
const all = bodies.reduce((sum, size) => sum + size, 0);
const compressed = brotliCompressSync(small, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length;
const count = (value) => Math.round(value).toLocaleString("en");

console.log("| part | bytes | share |\n|---|---|---|");
const row = (part, size) => console.log(`| ${part} | ${count(size)} | ${(100 * size / small.length).toFixed(1)}% |`);
for (const [part, size] of [...sizes].sort((a, b) => b[1] - a[1])) row(part, size / all * code);
row("constants, shaders' texts among them", constantData);
row("tables, imports and exports", small.length - code - constantData);
row("all", small.length);
console.log(`\n${count(compressed)} bytes after brotli. The build with names has ${count(all)} bytes of code and ${count(data)} of constants.`);
