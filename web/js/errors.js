// Errors as users of JavaScript meet them: by the names of this module, with a stack that begins at
// the caller's line, and never a bare trap of WebAssembly.

import { unlessStopped } from "./traps.js";

// Names of the library in messages. Operations come with the WebAssembly (`knows`).
const known = new Set([
  "broadcast_dimensions", "broadcast_in_dim", "convert_element_type", "bitcast_convert_type",
  "reduce_precision", "start_indices", "limit_indices", "layer_norm", "rms_norm",
]);

const PHRASES = [
  ["its arrays are gone, make a new Context", "what eval() returned is gone with it; call open() again, and read other values there"],
  ["come from two contexts; upload them to one, or share one context by cloning it",
    "are on two devices; use one Gpu for all, or read() one and make it an array() again"],
  ["Function::with_max_total_iterations", "maxTotalIterations in the options of wgsl()"],
  ["Function::with_max_iterations", "maxIterations in the options of wgsl()"],
  ["drop arrays that are no longer used", "free() values that are no longer used"],
  ["keep its Encoded, submit the encoder, and call Encoded::submitted before using the array here; if the Encoded was dropped, compute the array again",
    "submit the encoder and call gpu.submitted(encoder) first; if it will not be submitted, compute the value again"],
  ["create it with Context::device", "create it with gpu.device"],
  [", or take a slice of the target", ""],
  ["random_key, or take one of several with index", "random.key(), or take one of several by slice() and reshape()"],
  ["iota_dimension", "dimension"],
];

/** Adds names that messages have with underscores. */
export function knows(names) {
  for (const name of names) if (name.includes("_")) known.add(name);
}

export const camel = (name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());

const LIMIT = /^max_(buffer|compute|storage)_/;

const inWords = (message) => PHRASES.reduce((text, [from, to]) => text.replaceAll(from, to), message)
  .replace(/\b[a-z0-9]+(?:_[a-z0-9]+)+\b/g, (name) => (known.has(name) || LIMIT.test(name) ? camel(name) : name));

// Returns an object that has the stack below `outward`, where the engine can tell it.
function callOf(outward) {
  const call = {};
  Error.captureStackTrace?.(call, outward);
  return call;
}

// Returns the error that a caller is told, with the stack of the call.
function told(error, words, call) {
  if (error instanceof WebAssembly.RuntimeError) {
    error = new Error(
      `indim's WebAssembly stopped (${error.message}): its memory is exhausted, or this is a fault of indim; reload the page`,
      { cause: error });
  }
  if (error instanceof Error) {
    error.message = words(error.message);
    if (call.stack !== undefined) error.stack = `${error}${call.stack.slice(call.stack.indexOf("\n"))}`;
  }
  return error;
}

function settled(promise, words, call) {
  return unlessStopped(promise).catch((error) => {
    throw told(error, words, call);
  });
}

/** Returns a function for users: the same, but with their kind of errors, in these words. */
export function outward(call, words = inWords) {
  function own(...values) {
    try {
      const result = call.apply(this, values);
      return result instanceof Promise ? settled(result, words, callOf(own)) : result;
    } catch (error) {
      throw told(error, words, callOf(own));
    }
  }
  return Object.defineProperty(own, "name", { value: call.name });
}

/** Makes all methods and properties of a class such functions. */
export function outwardClass({ prototype }) {
  for (const key of Reflect.ownKeys(prototype)) {
    const found = Object.getOwnPropertyDescriptor(prototype, key);
    if (key === "constructor") continue;
    if (found.get) found.get = outward(found.get);
    if (typeof found.value === "function") found.value = outward(found.value);
    Object.defineProperty(prototype, key, found);
  }
}
