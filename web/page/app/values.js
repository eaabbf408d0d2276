// The operands' elements, each computed when it is wanted, and elements as texts.

import { parseEdits } from "./state.js";

// Integers from 0 up to, but without, this one are in every fill of a type.
const RANGE = { pred: 2, s4: 8, u4: 16, s8: 128, u8: 256, s16: 32_768, u16: 65_536, f16: 2049, bf16: 257 };

// What an element of a type is of a number, for those types that a number may not fit into.
const ROUNDED = { f32: Math.fround, f16: (value) => (Math.abs(value) >= 65_520 ? Math.sign(value) * Infinity : value) };

// Returns a digit that looks random, always the same one for an element.
function digit(seed, index) {
  let bits = (Math.imul(index + 1, 0x9e37_79b1) ^ Math.imul(seed + 1, 0x85eb_ca6b)) >>> 0;
  bits = Math.imul(bits ^ (bits >>> 15), 0x2c1b_3c6d) >>> 0;
  bits = Math.imul(bits ^ (bits >>> 12), 0x297a_2d39) >>> 0;
  return ((bits ^ (bits >>> 15)) >>> 0) % 10;
}

const FIRST = { iota: 0, count: 1, seven: 7 };
const EVERYWHERE = { zeros: 0, ones: 1 };

// Returns a function from the number of an element to its value. Fills are "iota", "count", "seven",
// "zeros", "ones" and "random"; the last may have a seed, as "random7".
export function valuesOf(fill, edits, type) {
  const edited = parseEdits(edits);
  const range = RANGE[type] ?? 16_777_216;
  const random = /^random(\d{0,6})$/.exec(fill);
  const from = Object.hasOwn(FIRST, fill) ? FIRST[fill] : 1;
  const plain = (index) => {
    if (Object.hasOwn(EVERYWHERE, fill)) return EVERYWHERE[fill];
    if (random) return digit(Number(random[1]), index) % range;
    return (index + from) % range;
  };
  const rounded = ROUNDED[type] ?? ((value) => value);
  return (index) => (edited.has(index) ? rounded(edited.get(index)) : plain(index));
}

function bfloat(bits) {
  return new Float32Array(new Uint32Array([bits << 16]).buffer)[0];
}

function half(bits) {
  const [exponent, mantissa] = [(bits >> 10) & 31, bits & 1023];
  const sign = bits & 0x8000 ? -1 : 1;
  if (exponent === 31) return mantissa ? NaN : sign * Infinity;
  if (exponent === 0) return sign * mantissa * 2 ** -24;
  return sign * (1 + mantissa / 1024) * 2 ** (exponent - 15);
}

// Returns an element of what was read from a GPU, as a text for a cell.
export function elementText(data, index, type) {
  if (type === "c64") {
    const [re, im] = [data[2 * index], data[2 * index + 1]];
    return `${numberText(re)}${im < 0 || Object.is(im, -0) ? "−" : "+"}${numberText(Math.abs(im))}i`;
  }
  const value = data[index];
  if (type === "bf16") return numberText(bfloat(value));
  if (type === "f16" && data instanceof Uint16Array) return numberText(half(value));
  return numberText(value);
}

// Returns a number in few characters.
export function numberText(value) {
  if (typeof value === "bigint") return String(value).replace("-", "−");
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (Object.is(value, -0)) return "−0";
  const plain = String(value);
  const short = plain.length <= 6 ? plain : String(Number(value.toPrecision(4)));
  return short.replace(/-/g, "−").replace("e+", "e");
}
