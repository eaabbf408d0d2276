// Shortens the names by which the WebAssembly and its JavaScript know each other, which wasm-bindgen makes
// unique by hashes, and so saves 2.5 kB of the download:
//
//   node web/short-names.mjs FOLDER
//
// FOLDER has indim_web.js and indim_web_bg.wasm. `memory` keeps its name, which is used elsewhere.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.argv[2];
if (!folder) {
  console.error("node web/short-names.mjs FOLDER");
  process.exit(2);
}
const files = { js: join(folder, "indim_web.js"), wasm: join(folder, "indim_web_bg.wasm") };
const [IMPORT, EXPORT] = [2, 7];

let js = readFileSync(files.js, "utf8");
const wasm = readFileSync(files.wasm);

// Reads an unsigned number of LEB128 at `at`, and returns it with where it ends.
function number(at) {
  let value = 0;
  for (let scale = 1; ; scale *= 128) {
    const byte = wasm[at++];
    value += (byte & 127) * scale;
    if (byte < 128) return [value, at];
  }
}

function bytesOf(value) {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value & 127) | 128);
  return [...bytes, value];
}

const text = (name) => [...bytesOf(name.length), ...Buffer.from(name, "latin1")];

// Replaces each match of `pattern` in the JavaScript, of which there is at least one.
function replace(pattern, by) {
  const after = js.replace(pattern, by);
  if (after === js) throw new Error(`${files.js} has no ${pattern}`);
  js = after;
}

const literally = (name) => name.replace(/[.$/]/g, "\\$&");

let count = 0;
const next = () => `x${(count++).toString(36)}`;

const modules = new Map();
function ofModule(name) {
  if (!modules.has(name)) {
    modules.set(name, next());
    replace(new RegExp(`"${literally(name)}"`), () => `"${modules.get(name)}"`);
  }
  return modules.get(name);
}

function imported(name) {
  const short = next();
  replace(new RegExp(`^(\\s+)${literally(name)}:`, "m"), (_, before) => `${before}${short}:`);
  return short;
}

function exported(name) {
  // The JavaScript calls not every one of them.
  const calls = new RegExp(`\\bwasm\\.${literally(name)}\\b`, "g");
  if (name === "memory" || !calls.test(js)) return name;
  const short = next();
  replace(calls, () => `wasm.${short}`);
  return short;
}

// Returns a section with names replaced: before each item's kind and number there are `names` names.
function renamed(at, end, names) {
  let [items, next] = number(at);
  const bytes = bytesOf(items);
  for (; items > 0; items--) {
    const found = names.map(() => {
      const [length, start] = number(next);
      next = start + length;
      return wasm.toString("latin1", start, next);
    });
    names.forEach((rename, n) => bytes.push(...text(rename(found[n]))));
    // A function, or an exported table or memory: its kind and its number.
    const kind = wasm[next];
    if (names.length === 2 && kind !== 0) throw new Error(`${found} is not a function`);
    const [, behind] = number(next + 1);
    bytes.push(...wasm.subarray(next, behind));
    next = behind;
  }
  if (next !== end) throw new Error("a section does not end where it should");
  return bytes;
}

const parts = [wasm.subarray(0, 8)];
for (let at = 8; at < wasm.length; ) {
  const id = wasm[at];
  const [length, start] = number(at + 1);
  const end = start + length;
  if (id === IMPORT || id === EXPORT) {
    const body = renamed(start, end, id === IMPORT ? [ofModule, imported] : [exported]);
    parts.push(Buffer.from([id, ...bytesOf(body.length), ...body]));
  } else parts.push(wasm.subarray(at, end));
  at = end;
}
writeFileSync(files.wasm, Buffer.concat(parts));
writeFileSync(files.js, js);
