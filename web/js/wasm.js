// Loads the WebAssembly, once.

import start, * as module from "./indim_web.js";

export const { Context, Expr: Handle, operations, rules } = module;

// Small builds do not export it. Bundlers refuse a name that is never exported, so it is
// looked up when the code runs.
export const Checked = Reflect.get(module, "Function");

let loading;
let loaded;
let memory;
let address;

/** Loads the WebAssembly and calls `define`, unless that was done. */
export function load(source, define) {
  loading ??= begin(source, define).catch((error) => {
    // The next call tries again.
    loading = undefined;
    throw error;
  });
  return loading;
}

async function begin(source, define) {
  const given = (await source) ?? new URL("./indim_web_bg.wasm", import.meta.url);
  const found = await start({ module_or_path: readable(given) });
  define();
  loaded = true;
  // By its type: wasm-opt gives it another name.
  memory = Object.values(found).find((value) => value instanceof WebAssembly.Memory);
  address = addressOf(given);
}

// Returns the address of a module, without what comes after its path, or nothing for bytes.
function addressOf(given) {
  const url = given.url ?? (typeof given === "string" || given instanceof URL ? given : undefined);
  return url && new URL(url, globalThis.location?.href).href.replace(/[?#].*/, "");
}

// Node.js fetches no files.
function readable(source) {
  if (!(source instanceof URL) || source.protocol !== "file:") return source;
  const files = globalThis.process?.getBuiltinModule?.("node:fs");
  return files ? files.readFileSync(source) : source;
}

/** Throws unless what only the full build has is there. */
export function onlyFull(found, what) {
  if (!found) throw new Error(`this build has no ${what}; import "indim/full", or build with scripts/build-web --full`);
}

/** Throws unless the WebAssembly is loaded. */
export function needsModule() {
  if (!loaded) throw new Error("the WebAssembly is not loaded yet; await init() or open() first");
}

/** Returns the bytes of WebAssembly's memory, which never shrinks. */
export const memoryBytes = () => memory.buffer.byteLength;

/** Returns the module's address, as stacks have it, if it is known. */
export const moduleAddress = () => address;
