// Elementwise array operations on WebGPU, with XLA's broadcasting rules.
//
//   import { open, array } from "./indim.js";
//
// indim.d.ts beside this file documents what is here; README.md has an example. The computing is
// done by indim_web_bg.wasm, which `scripts/build-web` puts beside this file.

import start, * as module from "./indim_web.js";

const { Context, Expr: Handle, operations, rules: ruleList } = module;

await start({ module_or_path: new URL("./indim_web_bg.wasm", import.meta.url) });

// The typed array that holds the elements of a type.
const STORAGE = {
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

const labelsAndStatements = ruleList();
export const rules = Object.freeze(Object.fromEntries(
  labelsAndStatements.flatMap((label, i) => (i % 2 ? [] : [[label, labelsAndStatements[i + 1]]])),
));

const isTyped = (data) => ArrayBuffer.isView(data) && !(data instanceof DataView);
const bytesOf = (data) => new Uint8Array(data.buffer, data.byteOffset, data.byteLength);

// Returns what the module of WebAssembly knows a value by.
let handleOf;

/** A lazy value; `indim.d.ts` has its methods. */
export class Expr {
  #handle;

  static {
    handleOf = (value) => {
      if (!(value instanceof Expr)) throw new TypeError(`a value of indim is wanted, not ${typeof value}`);
      return value.#handle;
    };
  }

  /** Values are made by `array`, `iota`, `full` and operations. */
  constructor(handle) {
    if (!(handle instanceof Handle)) throw new TypeError("make values by array(), iota() or full()");
    this.#handle = handle;
  }

  get elementType() {
    return this.#handle.elementType;
  }

  get shape() {
    return Array.from(this.#handle.shape);
  }

  free() {
    this.#handle.free();
  }

  toString() {
    return `Expr(${this.elementType}[${this.shape.join(",")}])`;
  }
}

if (Symbol.dispose) Expr.prototype[Symbol.dispose] = Expr.prototype.free;

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
  if (kept !== value) throw new RangeError(`${value} is no element of ${elementType}`);
  return Handle.constantOfBits(elementType, BigInt.asUintN(64, value));
}

const numbers = (list) => Float64Array.from(list ?? []);
const made = (handle) => new Expr(handle);
const camel = (name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());

for (const name of operations("unary")) {
  Expr.prototype[camel(name)] = function () {
    return made(Handle.unary(name, handleOf(this)));
  };
}

for (const name of operations("binary")) {
  Expr.prototype[camel(name)] = function (other, broadcastDimensions) {
    return made(Handle.binary(name, handleOf(this), operand(other, this), numbers(broadcastDimensions)));
  };
}

Object.assign(Expr.prototype, {
  convertElementType(elementType) {
    return made(handleOf(this).convertElementType(elementType));
  },
  bitcastConvertType(elementType) {
    return made(handleOf(this).bitcastConvertType(elementType));
  },
  reducePrecision(exponentBits, mantissaBits) {
    return made(handleOf(this).reducePrecision(exponentBits, mantissaBits));
  },
  relaxed() {
    return made(handleOf(this).relaxed());
  },
  broadcastInDim(shape, broadcastDimensions) {
    return made(handleOf(this).broadcastInDim(numbers(shape), numbers(broadcastDimensions)));
  },
  broadcast(sizes) {
    return made(handleOf(this).broadcast(numbers(sizes)));
  },
  transpose(permutation) {
    return made(handleOf(this).transpose(numbers(permutation)));
  },
  slice(starts, limits, strides) {
    return made(handleOf(this).slice(numbers(starts), numbers(limits), numbers(strides ?? starts.map(() => 1))));
  },
  reverse(dimensions) {
    return made(handleOf(this).reverse(numbers(dimensions)));
  },
  reshape(shape) {
    return made(handleOf(this).reshape(numbers(shape)));
  },
  pad(padding, low, high, interior) {
    const value = operand(padding, this);
    return made(handleOf(this).pad(value, numbers(low), numbers(high), numbers(interior ?? low.map(() => 0))));
  },
  roll(shifts, dimensions) {
    return made(handleOf(this).roll(numbers(shifts), numbers(dimensions)));
  },
});

export function concatenate(operands, dimension) {
  return made(Handle.concatenate(operands.map((value) => handleOf(value).copy()), dimension));
}

// Scalars among several operands take the element type of those that are values.
function together(...operands) {
  const like = operands.find((value) => value instanceof Expr);
  if (!like) throw new TypeError("one operand at least must be a value of indim");
  return operands.map((value) => operand(value, like));
}

export function select(pred, onTrue, onFalse) {
  return made(Handle.select(operand(pred, { elementType: "pred" }), ...together(onTrue, onFalse)));
}

export function clamp(min, x, max) {
  return made(Handle.clamp(...together(min, x, max)));
}

/** A function of the user's own; `wgsl` makes it. */
export class WgslFunction {
  #function;

  constructor(checked) {
    if (!module.Function || !(checked instanceof module.Function)) throw new TypeError("wgsl() gives a function");
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
    // The library refuses operands behind the last parameter.
    const handles = operands.map((value, i) =>
      (value instanceof Expr ? handleOf(value).copy() : operand(value, { elementType: types[i] ?? "f32" })));
    const lists = broadcastDimensions ?? operands.map(() => []);
    if (!Array.isArray(lists)) throw new TypeError("broadcastDimensions is no list; it has a list for each operand");
    const wrong = lists.findIndex((list) => !Array.isArray(list));
    if (wrong >= 0) throw new TypeError(`broadcastDimensions[${wrong}] is no list; there is a list for each operand`);
    const counts = Uint32Array.from(lists, (list) => list.length);
    return this.#function.call(handles, numbers(lists.flat()), counts).map(made);
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
function pairs(list) {
  return list.flatMap((name, i) => (i % 2 ? [] : [{ name, elementType: list[i + 1] }]));
}

export function wgsl(text, { cost, maxIterations, maxTotalIterations } = {}) {
  if (!module.Function) {
    throw new Error("this build has no functions of the user's own; `scripts/build-web --functions` makes one that has");
  }
  return new WgslFunction(module.Function.wgsl(text, cost, maxIterations, maxTotalIterations));
}

/** Operations by NumPy's rule: shapes are aligned at their last dimensions. */
export const numpy = Object.freeze(Object.fromEntries(operations("binary").map((name) => [
  camel(name),
  (x, y) => {
    const [lhs, rhs] = together(x, y);
    return made(Handle.numpy(name, lhs, rhs));
  },
])));

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
  if (isTyped(data)) {
    const type = elementType ?? OF_STORAGE.get(data.constructor);
    if (type !== undefined && data instanceof (STORAGE[type] ?? Object)) {
      // Two floats are one complex number.
      const sizes = shape ?? [type === "c64" ? data.length / 2 : data.length];
      return made(Handle.literal(type, numbers(sizes), bytesOf(data)));
    }
    return array(Array.from(data), shape ?? [data.length], type);
  }
  const { shape: own, flat } = nested(Array.isArray(data) ? data : [data]);
  const type = elementType ?? typeOfElements(flat);
  const sizes = numbers(shape ?? (Array.isArray(data) ? own : []));
  if (flat.some((value) => typeof value === "bigint")) {
    const storage = STORAGE[type];
    if (storage !== BigInt64Array && storage !== BigUint64Array) throw new TypeError(`bigints are elements of s64 and u64, not of ${type}`);
    const exact = storage.from(flat.map(BigInt));
    const wrong = flat.findIndex((value, i) => BigInt(value) !== exact[i]);
    if (wrong >= 0) throw new RangeError(`${flat[wrong]} is no element of ${type}`);
    return made(Handle.literal(type, sizes, bytesOf(exact)));
  }
  const wrong = flat.findIndex((value) => typeof value !== "number" && typeof value !== "boolean");
  if (wrong >= 0) throw new TypeError(`element ${wrong} is ${typeof flat[wrong]}; elements are numbers, booleans or bigints`);
  return made(Handle.numbers(type, sizes, Float64Array.from(flat, Number)));
}

export function iota(shape, dimension = 0, elementType = "s32") {
  return made(Handle.iota(elementType, numbers(shape), dimension));
}

export function full(shape, value, elementType = "f32") {
  const scalar = typeof value === "bigint" ? ofBigint(value, elementType) : Handle.constant(elementType, Number(value));
  return made(scalar.broadcast(numbers(shape)));
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
    return this.#context.supports(elementType);
  }

  eval(values) {
    const list = Array.isArray(values) ? values : [values];
    const arrays = this.#context.eval(list.map((value) => handleOf(value).copy())).map(made);
    return Array.isArray(values) ? arrays : arrays[0];
  }

  async read(value) {
    const bytes = await this.#context.read(handleOf(value));
    return new STORAGE[value.elementType](bytes.buffer);
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
  const context = await Context.open();
  const info = (await navigator.gpu.requestAdapter())?.info;
  const name = info?.description || [info?.vendor, info?.architecture].filter(Boolean).join(" ");
  return new Gpu(context, name || "an adapter without a name");
}
