// Expressions as people type them in puzzles: add(iota([3,1]), iota([1,3], 1)). The library checks
// each operation when it is read.

import { full, iota } from "../indim.js";
import { operations, planBinary } from "../indim_web.js";
import { sourceIndex } from "./maps.js";
import { methodOf } from "./operations.js";

const MAX_TEXT = 400;

// What the operations of puzzles make of two integers, where no GPU can be asked.
const HOST = {
  add: (x, y) => (x + y) | 0, sub: (x, y) => (x - y) | 0, mul: Math.imul, rem: (x, y) => (y === 0 ? x : x % y) | 0,
  max: Math.max, min: Math.min, and: (x, y) => x & y, or: (x, y) => x | y, xor: (x, y) => x ^ y,
  eq: (x, y) => Number(x === y), ne: (x, y) => Number(x !== y), lt: (x, y) => Number(x < y), le: (x, y) => Number(x <= y),
  gt: (x, y) => Number(x > y), ge: (x, y) => Number(x >= y),
};

const NAMES = new Set(operations("binary"));

// The error of a text that is not an expression, of which `at` is the place.
export class NoExpression extends Error {
  constructor(at) {
    super(`no expression, from character ${at + 1} on`);
    this.at = at;
  }
}

// Returns the library's value of a text, its shape, and `at`, which computes an element without a
// GPU, or is missing for operations that it does not know.
export function parseExpression(text) {
  if (text.length > MAX_TEXT) throw new NoExpression(MAX_TEXT);
  let at = 0;
  const fail = () => {
    throw new NoExpression(at);
  };
  const space = () => {
    while (/\s/.test(text[at] ?? "")) at += 1;
  };
  const take = (pattern) => {
    space();
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null) return undefined;
    at = pattern.lastIndex;
    return match[0];
  };
  const expect = (pattern) => take(pattern) ?? fail();

  function list() {
    expect(/\[/y);
    const numbers = [];
    while (take(/\]/y) === undefined) {
      if (numbers.length > 0) expect(/,/y);
      numbers.push(Number(expect(/-?\d{1,15}/y)));
    }
    return numbers;
  }

  function value() {
    const digits = take(/-?\d{1,9}/y);
    if (digits !== undefined) return constant(Number(digits));
    const name = expect(/[a-z][a-z_0-9]*/y);
    if (name !== "iota" && !NAMES.has(name)) fail();
    expect(/\(/y);
    const made = name === "iota" ? index() : binary(name);
    expect(/\)/y);
    return made;
  }

  function index() {
    space();
    const shape = text[at] === "[" ? list() : [Number(expect(/\d{1,15}/y))];
    const dimension = take(/,/y) === undefined ? 0 : Number(expect(/-?\d{1,6}/y));
    return { expr: iota(shape, dimension, "s32"), at: (place) => place[dimension] };
  }

  function binary(op) {
    const x = value();
    expect(/,/y);
    const y = value();
    const dims = take(/,/y) === undefined ? [] : list();
    return operate(op, x, y, dims);
  }

  const made = value();
  space();
  if (at < text.length) fail();
  return made;
}

function constant(number) {
  return { expr: full([], number, "s32"), at: () => number };
}

function operate(op, x, y, dims) {
  const expr = x.expr[methodOf(op)](y.expr, dims);
  const shapes = [x.expr.shape, y.expr.shape];
  const known = HOST[op] && x.at && y.at;
  if (!known) return { expr };
  const plan = planBinary(op, x.expr.elementType, ...[...shapes, dims].map((list) => Float64Array.from(list)));
  return {
    expr,
    at: (place) => HOST[op](
      x.at(sourceIndex(shapes[0], plan.lhsDimensions, place)),
      y.at(sourceIndex(shapes[1], plan.rhsDimensions, place))),
  };
}
