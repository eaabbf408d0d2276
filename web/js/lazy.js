// The module without top-level await, for build targets that lack it: nothing but `open()` works
// before `init()` or `open()` has loaded the WebAssembly. indim.js is the same, loaded when it is
// imported; indim.d.ts documents both. The computing is done by indim_web_bg.wasm, which
// `scripts/build-web` puts beside this file.

import { list, number, numbers, string } from "./arguments.js";
import start, * as module from "./indim_web.js";

const { Context, Expr: Handle, operations, rules: ruleList } = module;

// Modules without functions do not export it. Bundlers refuse a name that is never exported, so
// it is looked up when the code runs.
const Checked = Reflect.get(module, "Function");

let loading;
let loaded = false;

/** Loads the WebAssembly, once. */
export function init() {
  loading ??= load().catch((error) => {
    // The next call tries again.
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load() {
  await start({ module_or_path: new URL("./indim_web_bg.wasm", import.meta.url) });
  define();
  loaded = true;
}

function needsModule() {
  if (!loaded) throw new Error("the WebAssembly is not loaded yet; await init() or open() first");
}

// The typed array that holds the elements of a type.
const STORAGE = {
  __proto__: null,
  pred: Uint8Array, s4: Int8Array, s8: Int8Array, s16: Int16Array, s32: Int32Array,
  s64: BigInt64Array, u4: Uint8Array, u8: Uint8Array, u16: Uint16Array, u32: Uint32Array,
  u64: BigUint64Array, f16: globalThis.Float16Array ?? Uint16Array, bf16: Uint16Array,
  f32: Float32Array, f64: Float64Array, c64: Float32Array,
};

// The element type of a typed array, where no other is named.
const OF_STORAGE = new Map([
  [Int8Array, "s8"], [Int16Array, "s16"], [Int32Array, "s32"], [BigInt64Array, "s64"],
  [Uint8Array, "u8"], [Uint8ClampedArray, "u8"], [Uint16Array, "u16"], [Uint32Array, "u32"],
  [BigUint64Array, "u64"], [Float32Array, "f32"], [Float64Array, "f64"],
  ...(globalThis.Float16Array ? [[globalThis.Float16Array, "f16"]] : []),
]);

export const elementTypes = Object.freeze(Object.keys(STORAGE));

export let rules;

/** Operations by NumPy's rule: shapes are aligned at their last dimensions. */
export let numpy;

// Makes the operations whose names the WebAssembly lists.
function define() {
  for (const op of operations("unary")) {
    Expr.prototype[camel(op)] = function () {
      return made(Handle.unary(op, handleOf(this)));
    };
  }
  for (const op of operations("binary")) {
    Expr.prototype[camel(op)] = function (other, broadcastDimensions) {
      const dimensions = numbers(broadcastDimensions ?? [], "broadcastDimensions");
      return made(Handle.binary(op, handleOf(this), operand(other, this), dimensions));
    };
  }
  for (const op of operations("reduce")) {
    Expr.prototype[camel(op)] = function (dimensions) {
      return made(handleOf(this).reduce(op, numbers(dimensions, "dimensions")));
    };
  }
  for (const op of operations("cumulative")) {
    Expr.prototype[camel(op)] = function (dimension) {
      return made(handleOf(this).cumulative(op, number(dimension, "dimension")));
    };
  }
  numpy = Object.freeze(Object.fromEntries(operations("binary").map((op) => [camel(op), (x, y) => {
    const [lhs, rhs] = together(x, y);
    return made(Handle.numpy(op, lhs, rhs));
  }])));
  const labels = ruleList();
  rules = Object.freeze(Object.fromEntries(
    labels.flatMap((label, i) => (i % 2 ? [] : [[label, labels[i + 1]]])),
  ));
}

const isTyped = (data) => ArrayBuffer.isView(data) && !(data instanceof DataView);
const bytesOf = (data) => new Uint8Array(data.buffer, data.byteOffset, data.byteLength);

// Returns the handle of a value in the WebAssembly module.
let handleOf;

/** A lazy value; `indim.d.ts` has its methods. */
export class Expr {
  #handle;

  static {
    handleOf = (value) => {
      if (!(value instanceof Expr)) throw new TypeError(`a value of indim is wanted, not ${typeof value}`);
      if (value.#handle === undefined) throw new TypeError("this value was freed");
      return value.#handle;
    };
  }

  /** Values are made by `array`, `iota`, `full` and operations. */
  constructor(handle) {
    if (!(handle instanceof Handle)) throw new TypeError("make values by array(), iota() or full()");
    this.#handle = handle;
  }

  get elementType() {
    return handleOf(this).elementType;
  }

  get shape() {
    return Array.from(handleOf(this).shape);
  }

  free() {
    this.#handle?.free();
    this.#handle = undefined;
  }

  toString() {
    if (this.#handle === undefined) return "Expr(this value was freed)";
    return `Expr(${this.elementType}[${this.shape.join(",")}])`;
  }
}

if (Symbol.dispose) Expr.prototype[Symbol.dispose] = Expr.prototype.free;

const optional = (check, value, argument) => (value === undefined || value === null ? undefined : check(value, argument));

// A number or boolean is a scalar of the other operand's element type.
function operand(value, like) {
  if (value instanceof Expr) return handleOf(value);
  const elementType = like.elementType;
  if (typeof value === "number") return Handle.constant(elementType, value);
  if (typeof value === "boolean") {
    if (elementType === "pred") return Handle.constant("pred", Number(value));
    throw new TypeError(`an operand is ${value}, the other has element type ${elementType}; write 0 or 1`);
  }
  if (typeof value === "bigint") return ofBigint(value, elementType);
  throw new TypeError(`an operand is ${typeof value}; operands are values of indim and numbers. array() makes a value of an array`);
}

function ofBigint(value, elementType) {
  if (elementType !== "s64" && elementType !== "u64") return Handle.constant(elementType, Number(value));
  const kept = elementType === "s64" ? BigInt.asIntN(64, value) : BigInt.asUintN(64, value);
  if (kept !== value) throw new RangeError(`${value} is not an element of ${elementType}`);
  return Handle.constantOfBits(elementType, BigInt.asUintN(64, value));
}

const made = (handle) => new Expr(handle);
const camel = (op) => op.replace(/_(.)/g, (_, letter) => letter.toUpperCase());

Object.assign(Expr.prototype, {
  convertElementType(elementType) {
    return made(handleOf(this).convertElementType(string(elementType, "elementType")));
  },
  bitcastConvertType(elementType) {
    return made(handleOf(this).bitcastConvertType(string(elementType, "elementType")));
  },
  reducePrecision(exponentBits, mantissaBits) {
    return made(handleOf(this).reducePrecision(number(exponentBits, "exponentBits"), number(mantissaBits, "mantissaBits")));
  },
  relaxed() {
    return made(handleOf(this).relaxed());
  },
  broadcastInDim(shape, broadcastDimensions) {
    return made(handleOf(this).broadcastInDim(numbers(shape, "shape"), numbers(broadcastDimensions, "broadcastDimensions")));
  },
  broadcast(sizes) {
    return made(handleOf(this).broadcast(numbers(sizes, "sizes")));
  },
  transpose(permutation) {
    return made(handleOf(this).transpose(numbers(permutation, "permutation")));
  },
  slice(starts, limits, strides) {
    const from = numbers(starts, "starts");
    const every = numbers(strides ?? from.map(() => 1), "strides");
    return made(handleOf(this).slice(from, numbers(limits, "limits"), every));
  },
  reverse(dimensions) {
    return made(handleOf(this).reverse(numbers(dimensions, "dimensions")));
  },
  reshape(shape) {
    return made(handleOf(this).reshape(numbers(shape, "shape")));
  },
  pad(padding, low, high, interior) {
    const before = numbers(low, "low");
    const between = numbers(interior ?? before.map(() => 0), "interior");
    return made(handleOf(this).pad(operand(padding, this), before, numbers(high, "high"), between));
  },
  take(indices, dimension) {
    return made(handleOf(this).take(operand(indices, { elementType: "s32" }), number(dimension, "dimension")));
  },
  takeAlongDimension(indices, dimension) {
    return made(handleOf(this).takeAlongDimension(
      operand(indices, { elementType: "s32" }), number(dimension, "dimension")));
  },
  roll(shifts, dimensions) {
    return made(handleOf(this).roll(numbers(shifts, "shifts"), numbers(dimensions, "dimensions")));
  },
  layerNorm(dimensions, epsilon) {
    return made(handleOf(this).layerNorm(numbers(dimensions, "dimensions"), number(epsilon, "epsilon")));
  },
  rmsNorm(dimensions, epsilon) {
    return made(handleOf(this).rmsNorm(numbers(dimensions, "dimensions"), number(epsilon, "epsilon")));
  },
});

export function concatenate(operands, dimension) {
  const handles = list(operands, "operands").map((value) => handleOf(value).copy());
  return made(Handle.concatenate(handles, number(dimension, "dimension")));
}

// Scalars among several operands take the element type of those that are values.
function together(...operands) {
  const like = operands.find((value) => value instanceof Expr);
  if (!like) throw new TypeError("one operand at least must be a value of indim");
  return operands.map((value) => operand(value, like));
}

export function select(pred, onTrue, onFalse) {
  const branches = together(onTrue, onFalse);
  return made(Handle.select(operand(pred, { elementType: "pred" }), ...branches));
}

export function clamp(min, x, max) {
  return made(Handle.clamp(...together(min, x, max)));
}

const drawn = (op, key, operands, elementType, shape) =>
  made(handleOf(key).random(
    op, operands.map((value) => operand(value, { elementType }).copy()), string(elementType, "elementType"),
    numbers(typeof shape === "number" ? [shape] : shape, "shape")));

/** Random numbers by counter, by the names of `jax.random`. */
export const random = Object.freeze({
  key(seed) {
    if (typeof seed !== "bigint") seed = BigInt(number(seed, "seed"));
    if (seed !== BigInt.asUintN(64, seed)) throw new RangeError(`seed is ${seed}; seeds are 0 to 2^64 - 1`);
    return made(Handle.randomKey(Number(seed >> 32n), Number(seed & 0xffffffffn)));
  },
  split: (key, shape = 2) => drawn("split", key, [], "u32", shape),
  foldIn: (key, data) => drawn("fold_in", key, [data], "u32", []),
  bits: (key, shape, elementType = "u32") => drawn("bits", key, [], elementType, shape),
  uniform: (key, shape, minval = 0, maxval = 1, elementType = "f32") =>
    drawn("uniform", key, [minval, maxval], elementType, shape),
  normal: (key, shape, elementType = "f32") => drawn("normal", key, [], elementType, shape),
  bernoulli: (key, p, shape) => drawn("bernoulli", key, [p], "f32", shape),
  randint: (key, shape, minval, maxval, elementType = "s32") =>
    drawn("randint", key, [minval, maxval], elementType, shape),
});

/** A user-defined function; `wgsl` makes it. */
export class WgslFunction {
  #function;

  constructor(checked) {
    if (!Checked || !(checked instanceof Checked)) throw new TypeError("wgsl() gives a function");
    this.#function = checked;
  }

  get name() {
    return this.#function.name;
  }

  get parameters() {
    return pairs(this.#function.parameters);
  }

  get results() {
    return pairs(this.#function.results);
  }

  callAll(operands, broadcastDimensions) {
    const types = this.parameters.map(({ elementType }) => elementType);
    // The library refuses operands after the last parameter.
    const handles = list(operands, "operands").map((value, i) =>
      (value instanceof Expr ? handleOf(value).copy() : operand(value, { elementType: types[i] ?? "f32" })));
    const lists = list(broadcastDimensions ?? operands.map(() => []), "broadcastDimensions");
    const each = lists.map((dimensions, i) => numbers(dimensions, `broadcastDimensions[${i}]`));
    const counts = Uint32Array.from(each, ({ length }) => length);
    const all = Float64Array.from(each.flatMap((dimensions) => Array.from(dimensions)));
    return this.#function.call(handles, all, counts).map(made);
  }

  call(operands, broadcastDimensions) {
    const results = this.callAll(operands, broadcastDimensions);
    if (results.length !== 1) {
      throw new TypeError(`${this.name} has ${results.length} results; callAll() returns all of them`);
    }
    return results[0];
  }
}

// Returns objects of names and element types, which come one after the other.
function pairs(names) {
  return names.flatMap((each, i) => (i % 2 ? [] : [{ name: each, elementType: names[i + 1] }]));
}

export function wgsl(text, { cost, maxIterations, maxTotalIterations } = {}) {
  if (!Checked) {
    throw new Error("this build has no user-defined functions; `scripts/build-web --functions` makes one that has");
  }
  needsModule();
  return new WgslFunction(Checked.wgsl(
    string(text, "text"), optional(string, cost, "cost"), optional(number, maxIterations, "maxIterations"),
    optional(number, maxTotalIterations, "maxTotalIterations")));
}

// The sizes and the flat elements of arrays within arrays.
function nested(data) {
  const shape = [];
  for (let level = data; Array.isArray(level); level = level[0]) {
    shape.push(level.length);
    if (level.length === 0) break;
  }
  const flat = [];
  const walk = (level, depth) => {
    if (!Array.isArray(level)) {
      if (depth !== shape.length) throw new TypeError("the arrays within the array have different depths");
      flat.push(level);
      return;
    }
    if (level.length !== shape[depth]) {
      throw new TypeError(`an array within the array has ${level.length} elements, another one ${shape[depth]}`);
    }
    for (const inner of level) walk(inner, depth + 1);
  };
  walk(data, 0);
  return { shape, flat };
}

function typeOfElements(flat) {
  if (flat.length > 0 && flat.every((value) => typeof value === "boolean")) return "pred";
  if (flat.length > 0 && flat.every((value) => typeof value === "bigint")) return "s64";
  return "f32";
}

export function array(data, shape, elementType) {
  needsModule();
  const type = optional(string, elementType, "elementType");
  const sizes = optional(numbers, shape, "shape");
  return isTyped(data) ? ofTyped(data, sizes, type) : ofNested(data, sizes, type);
}

function ofTyped(data, shape, elementType) {
  const type = elementType ?? OF_STORAGE.get(data.constructor);
  if (type !== undefined && data instanceof (STORAGE[type] ?? Object)) {
    // Two floats are one complex number.
    const sizes = shape ?? Float64Array.of(type === "c64" ? data.length / 2 : data.length);
    return made(Handle.literal(type, sizes, bytesOf(data)));
  }
  return ofNested(Array.from(data), shape, type);
}

function ofNested(data, shape, elementType) {
  const { shape: own, flat } = nested(Array.isArray(data) ? data : [data]);
  const type = elementType ?? typeOfElements(flat);
  const sizes = shape ?? Float64Array.from(Array.isArray(data) ? own : []);
  if (flat.some((value) => typeof value === "bigint")) {
    const storage = STORAGE[type];
    if (storage !== BigInt64Array && storage !== BigUint64Array) throw new TypeError(`bigints are elements of s64 and u64, not of ${type}`);
    const exact = storage.from(flat.map(BigInt));
    const wrong = flat.findIndex((value, i) => BigInt(value) !== exact[i]);
    if (wrong >= 0) throw new RangeError(`${flat[wrong]} is not an element of ${type}`);
    return made(Handle.literal(type, sizes, bytesOf(exact)));
  }
  const wrong = flat.findIndex((value) => typeof value !== "number" && typeof value !== "boolean");
  if (wrong >= 0) throw new TypeError(`element ${wrong} is ${typeof flat[wrong]}; elements are numbers, booleans or bigints`);
  return made(Handle.numbers(type, sizes, Float64Array.from(flat, Number)));
}

export function iota(shape, dimension = 0, elementType = "s32") {
  needsModule();
  return made(Handle.iota(string(elementType, "elementType"), numbers(shape, "shape"), number(dimension, "dimension")));
}

export function full(shape, value, elementType = "f32") {
  needsModule();
  const sizes = numbers(shape, "shape");
  const type = string(elementType, "elementType");
  if (typeof value === "bigint") return made(ofBigint(value, type).broadcast(sizes));
  if (typeof value !== "boolean") number(value, "value");
  return made(Handle.constant(type, Number(value)).broadcast(sizes));
}

/** A GPU to compute on. */
export class Gpu {
  #context;
  #adapter;

  constructor(context, adapter) {
    if (!(context instanceof Context)) throw new TypeError("open() gives a Gpu");
    this.#context = context;
    this.#adapter = adapter;
  }

  get adapter() {
    return this.#adapter;
  }

  supports(elementType) {
    return this.#context.supports(string(elementType, "elementType"));
  }

  eval(values) {
    const list = Array.isArray(values) ? values : [values];
    const arrays = this.#context.eval(list.map((value) => handleOf(value).copy())).map(made);
    return Array.isArray(values) ? arrays : arrays[0];
  }

  async read(value) {
    // The reading has a copy, so that the value may be freed meanwhile.
    const handle = handleOf(value).copy();
    const { elementType } = handle;
    const bytes = await this.#context.read(handle);
    return new STORAGE[elementType](bytes.buffer);
  }

  async wait() {
    await this.#context.wait();
  }

  flush() {
    this.#context.flush();
  }

  kernels(value) {
    return this.#context.kernels(handleOf(value));
  }

  destroy() {
    this.#context.destroy();
  }
}

export async function open() {
  await init();
  const context = await Context.open();
  const info = (await navigator.gpu.requestAdapter())?.info;
  const name = info?.description || [info?.vendor, info?.architecture].filter(Boolean).join(" ");
  return new Gpu(context, name || "an adapter without a name");
}
