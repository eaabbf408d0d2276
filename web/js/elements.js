// Elements on the host: typed arrays by element type, and arrays within arrays.

export const isTyped = (data) => ArrayBuffer.isView(data) && !(data instanceof DataView);

/** The typed array that holds the elements of a type. */
export const STORAGE = {
  __proto__: null,
  pred: Uint8Array, s4: Int8Array, s8: Int8Array, s16: Int16Array, s32: Int32Array,
  s64: BigInt64Array, u4: Uint8Array, u8: Uint8Array, u16: Uint16Array, u32: Uint32Array,
  u64: BigUint64Array, f16: globalThis.Float16Array ?? Uint16Array, bf16: Uint16Array,
  f32: Float32Array, f64: Float64Array, c64: Float32Array,
};

const OF_STORAGE = new Map([
  [Int8Array, "s8"], [Int16Array, "s16"], [Int32Array, "s32"], [BigInt64Array, "s64"],
  [Uint8Array, "u8"], [Uint8ClampedArray, "u8"], [Uint16Array, "u16"], [Uint32Array, "u32"],
  [BigUint64Array, "u64"], [Float32Array, "f32"],
  ...(globalThis.Float16Array ? [[globalThis.Float16Array, "f16"]] : []),
]);

/** Returns the element type of a typed array for which no other is named. */
export function typeOfStorage({ constructor }) {
  if (constructor === Float64Array) {
    throw new TypeError('a Float64Array is f64, which no browser computes; name another element type, such as array(data, undefined, "f32")');
  }
  return OF_STORAGE.get(constructor);
}

/** Returns the element type of numbers, booleans or bigints for which no other is named. */
export function typeOfElements(flat) {
  if (flat.length > 0 && flat.every((value) => typeof value === "boolean")) return "pred";
  if (flat.length > 0 && flat.every((value) => typeof value === "bigint")) return "s64";
  return "f32";
}

// Deeper arrays hold themselves, most likely.
const DEEPEST = 256;

/**
 * Returns the sizes and the flat elements of arrays within arrays, and their element type: the one
 * named, or that of the innermost arrays, if these are typed arrays of one kind.
 */
export function nested(data, elementType) {
  const isList = (level) => Array.isArray(level) || isTyped(level);
  const shape = [];
  for (let level = data; isList(level); level = level[0]) {
    shape.push(level.length);
    if (level.length === 0) break;
    if (shape.length > DEEPEST) throw new RangeError(`the arrays within the array are more than ${DEEPEST} deep`);
  }
  const flat = [];
  const kinds = new Set();
  const walk = (level, depth) => {
    if (!isList(level)) {
      if (depth !== shape.length) throw new TypeError("the arrays within the array have different depths");
      flat.push(level);
      return;
    }
    if (depth >= shape.length) throw new TypeError("the arrays within the array have different depths");
    if (level.length !== shape[depth]) {
      throw new TypeError(`an array within the array has ${level.length} elements, another one ${shape[depth]}`);
    }
    if (depth === shape.length - 1) kinds.add(level.constructor);
    for (const inner of level) walk(inner, depth + 1);
  };
  walk(data, 0);
  const [kind] = kinds;
  const typed = kinds.size === 1 && kind !== Array ? (constructor) => typeOfStorage({ constructor }) : () => undefined;
  return { shape, flat, type: elementType ?? typed(kind) };
}

// Returns the number that the 16 bits of an f16 or bf16 are.
function half(elementType, bits) {
  if (elementType === "bf16") return new Float32Array(Uint32Array.of(bits << 16).buffer)[0];
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? (1024 + fraction) * 2 ** (exponent - 25) : fraction * 2 ** -24);
}

/** Returns elements as arrays within arrays whose lengths are the shape; a scalar's as itself. */
export function unflattened(data, elementType, shape) {
  const bits = data instanceof Uint16Array && (elementType === "f16" || elementType === "bf16");
  const element = (i) => {
    if (elementType === "pred") return data[i] === 1;
    if (elementType === "c64") return [data[2 * i], data[2 * i + 1]];
    return bits ? half(elementType, data[i]) : data[i];
  };
  let next = 0;
  const level = (depth) => (depth === shape.length ? element(next++) : Array.from({ length: shape[depth] }, () => level(depth + 1)));
  return level(0);
}
