// Values and the calls that make them.

import { list, number, numbers, string } from "./arguments.js";
import { isTyped, nested, STORAGE, typeOfElements, typeOfStorage } from "./elements.js";
import { camel, knows, outward, outwardClass } from "./errors.js";
import { Handle, load, needsModule, onlyFull, operations, rules as ruleList } from "./wasm.js";

export const elementTypes = Object.freeze(Object.keys(STORAGE));

// What the WebAssembly lists. Until it is loaded, looking a name up throws.
const unloaded = new Proxy({}, { get: needsModule, has: needsModule });

export const rules = Object.create(unloaded);

/** Operations by NumPy's rule: shapes are aligned at their last dimensions. */
export const numpy = Object.create(unloaded);

const fill = (listed, entries) =>
  Object.freeze(Object.setPrototypeOf(Object.defineProperties(listed, Object.getOwnPropertyDescriptors(Object.fromEntries(entries))), Object.prototype));

/** Loads the WebAssembly, once. */
export const init = outward(function init(source) {
  return load(source, define);
});

// Operations whose operands are given the other way round, as `2 - x` is `x.rsub(2)`.
const REVERSED = { rsub: "sub", rdiv: "div", rrem: "rem", rpow: "pow", rfloorDivide: "floor_divide", rremainder: "remainder" };

// Makes the operations whose names the WebAssembly lists.
function define() {
  const method = (name, call) => {
    Object.defineProperty(call, "name", { value: name });
    Expr.prototype[name] = outward(call);
  };
  const dimensionsOf = (broadcastDimensions) => numbers(broadcastDimensions ?? [], "broadcastDimensions");
  for (const op of operations("unary")) {
    method(camel(op), function () {
      return made(Handle.unary(op, handleOf(this)));
    });
  }
  for (const op of operations("binary")) {
    method(camel(op), function (other, broadcastDimensions) {
      const dimensions = dimensionsOf(broadcastDimensions);
      return made(Handle.binary(op, handleOf(this), operand(other, this), dimensions));
    });
  }
  for (const [name, op] of Object.entries(REVERSED)) {
    method(name, function (other, broadcastDimensions) {
      const dimensions = dimensionsOf(broadcastDimensions);
      return made(Handle.binary(op, operand(other, this), handleOf(this), dimensions));
    });
  }
  for (const op of operations("reduce")) {
    method(camel(op), function (dimensions) {
      return made(handleOf(this).reduce(op, numbers(dimensions, "dimensions")));
    });
  }
  for (const op of operations("cumulative")) {
    method(camel(op), function (dimension) {
      return made(handleOf(this).cumulative(op, number(dimension, "dimension")));
    });
  }
  fill(numpy, operations("binary").map((op) => [camel(op), outward((x, y) => {
    const [lhs, rhs] = together(x, y);
    return made(Handle.numpy(op, lhs, rhs));
  })]));
  for (const kind of ["unary", "binary", "reduce", "cumulative"]) knows(operations(kind));
  const labels = ruleList();
  fill(rules, labels.flatMap((label, i) => (i % 2 ? [] : [[label, labels[i + 1]]])));
}

/** Returns the handle of a value in the WebAssembly. */
export let handleOf;

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

  convertElementType(elementType) {
    return made(handleOf(this).convertElementType(string(elementType, "elementType")));
  }

  bitcastConvertType(elementType) {
    return made(handleOf(this).bitcastConvertType(string(elementType, "elementType")));
  }

  reducePrecision(exponentBits, mantissaBits) {
    return made(handleOf(this).reducePrecision(number(exponentBits, "exponentBits"), number(mantissaBits, "mantissaBits")));
  }

  relaxed() {
    return made(handleOf(this).relaxed());
  }

  broadcastInDim(shape, broadcastDimensions) {
    return made(handleOf(this).broadcastInDim(numbers(shape, "shape"), numbers(broadcastDimensions, "broadcastDimensions")));
  }

  broadcast(sizes) {
    return made(handleOf(this).broadcast(numbers(sizes, "sizes")));
  }

  transpose(permutation) {
    return made(handleOf(this).transpose(numbers(permutation, "permutation")));
  }

  slice(starts, limits, strides) {
    const from = numbers(starts, "starts");
    const every = numbers(strides ?? from.map(() => 1), "strides");
    return made(handleOf(this).slice(from, numbers(limits, "limits"), every));
  }

  reverse(dimensions) {
    return made(handleOf(this).reverse(numbers(dimensions, "dimensions")));
  }

  reshape(shape) {
    return made(handleOf(this).reshape(numbers(shape, "shape")));
  }

  pad(padding, low, high, interior) {
    const before = numbers(low, "low");
    const between = numbers(interior ?? before.map(() => 0), "interior");
    return made(handleOf(this).pad(operand(padding, this), before, numbers(high, "high"), between));
  }

  take(indices, dimension) {
    return made(handleOf(this).take(operand(indices, { elementType: "s32" }), number(dimension, "dimension")));
  }

  takeAlongDimension(indices, dimension) {
    return made(handleOf(this).takeAlongDimension(
      operand(indices, { elementType: "s32" }), number(dimension, "dimension")));
  }

  dot(rhs) {
    return made(handleOf(this).dot(operand(rhs, this)));
  }

  dotGeneral(rhs, { lhsContracting = [], rhsContracting = [], lhsBatch = [], rhsBatch = [] } = {}) {
    return made(handleOf(this).dotGeneral(
      operand(rhs, this),
      numbers(lhsContracting, "lhsContracting"), numbers(rhsContracting, "rhsContracting"),
      numbers(lhsBatch, "lhsBatch"), numbers(rhsBatch, "rhsBatch")));
  }

  roll(shifts, dimensions) {
    return made(handleOf(this).roll(numbers(shifts, "shifts"), numbers(dimensions, "dimensions")));
  }

  layerNorm(dimensions, epsilon) {
    return made(handleOf(this).layerNorm(numbers(dimensions, "dimensions"), number(epsilon, "epsilon")));
  }

  rmsNorm(dimensions, epsilon) {
    return made(handleOf(this).rmsNorm(numbers(dimensions, "dimensions"), number(epsilon, "epsilon")));
  }

  into(target) {
    onlyFull(Handle.prototype.evalInto, "targets");
    handleOf(this).evalInto(handleOf(target));
    return target;
  }

  free() {
    this.#handle?.free();
    this.#handle = undefined;
  }

  toString() {
    if (this.#handle === undefined) return "Expr(this value was freed)";
    return `Expr(${this.elementType}[${this.shape.join(",")}])`;
  }

  toJSON() {
    return { elementType: this.elementType, shape: this.shape };
  }

  [Symbol.toPrimitive](hint) {
    if (hint === "string") return this.toString();
    throw new TypeError("JavaScript's operators do not compute values of indim: write x.add(y) for x + y, x.rsub(2) for 2 - x, and String(x) for its text");
  }

  [Symbol.for("nodejs.util.inspect.custom")]() {
    return this.toString();
  }
}

if (Symbol.dispose) Expr.prototype[Symbol.dispose] = Expr.prototype.free;
outwardClass(Expr);

export const optional = (check, value, argument) => (value === undefined || value === null ? undefined : check(value, argument));

const INTEGERS = /^[su]\d/;

/** Returns the handle of an operand; a number or boolean is a scalar of the other operand's element type. */
export function operand(value, like) {
  if (value instanceof Expr) return handleOf(value);
  const elementType = like.elementType;
  if (typeof value === "number") {
    if (INTEGERS.test(elementType) && !Number.isInteger(value)) {
      throw new TypeError(`${value} is not an element of ${elementType}; convert the other operand first, such as by x.convertElementType("f32")`);
    }
    return Handle.constant(elementType, value);
  }
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

export const made = (handle) => new Expr(handle);

// Scalars among several operands take the element type of those that are values.
function together(...operands) {
  const like = operands.find((value) => value instanceof Expr);
  if (!like) throw new TypeError("one operand at least must be a value of indim");
  return operands.map((value) => operand(value, like));
}

export const concatenate = outward(function concatenate(operands, dimension) {
  const handles = list(operands, "operands").map((value) => handleOf(value).copy());
  return made(Handle.concatenate(handles, number(dimension, "dimension")));
});

export const select = outward(function select(pred, onTrue, onFalse) {
  needsModule();
  const branches = [onTrue, onFalse];
  const like = branches.find((value) => value instanceof Expr) ?? { elementType: typeOfElements(branches) };
  const handles = branches.map((value) => operand(value, like));
  return made(Handle.select(operand(pred, { elementType: "pred" }), ...handles));
});

export const clamp = outward(function clamp(min, x, max) {
  return made(Handle.clamp(...together(min, x, max)));
});

const drawn = (op, key, operands, elementType, shape) =>
  made(handleOf(key).random(
    op, operands.map((value) => operand(value, { elementType }).copy()), string(elementType, "elementType"),
    numbers(typeof shape === "number" ? [shape] : shape, "shape")));

const draws = {
  key(seed) {
    needsModule();
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
};

/** Random numbers by counter, by the names of `jax.random`. */
export const random = Object.freeze(Object.fromEntries(Object.entries(draws).map(([name, draw]) => [name, outward(draw)])));

export const array = outward(function array(data, shape, elementType) {
  needsModule();
  const type = optional(string, elementType, "elementType");
  const sizes = optional(numbers, shape, "shape");
  return isTyped(data) ? ofTyped(data, sizes, type) : ofNested(data, sizes, type);
});

const bytesOf = (data) => new Uint8Array(data.buffer, data.byteOffset, data.byteLength);

function ofTyped(data, shape, elementType) {
  const type = elementType ?? typeOfStorage(data);
  if (type !== undefined && data instanceof (STORAGE[type] ?? Object)) {
    // Two floats are one complex number.
    const sizes = shape ?? Float64Array.of(type === "c64" ? data.length / 2 : data.length);
    return made(Handle.literal(type, sizes, bytesOf(data)));
  }
  return ofNested(Array.from(data), shape, type);
}

function ofNested(data, shape, elementType) {
  const { shape: own, flat, type: named } = nested(Array.isArray(data) ? data : [data], elementType);
  const type = named ?? typeOfElements(flat);
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

export const iota = outward(function iota(shape, dimension = 0, elementType = "s32") {
  needsModule();
  return made(Handle.iota(string(elementType, "elementType"), numbers(shape, "shape"), number(dimension, "dimension")));
});

export const full = outward(function full(shape, value, elementType = "f32") {
  needsModule();
  const sizes = numbers(shape, "shape");
  const type = string(elementType, "elementType");
  if (typeof value === "bigint") return made(ofBigint(value, type).broadcast(sizes));
  if (typeof value !== "boolean") number(value, "value");
  return made(Handle.constant(type, Number(value)).broadcast(sizes));
});
