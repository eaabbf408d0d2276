// What becomes of a reduction: its refusal, or its plan with what the picture and the result need of
// it.

import { full } from "../indim.js";
import { fieldError } from "./fields.js";
import { dimensionsOf, numbersIn } from "./maps.js";
import { methodOf, reducedText } from "./operations.js";
import { elementCount, listText, parseList } from "./shapes.js";
import { t } from "./text.js";
import { numberText } from "./values.js";

// Cells name no more values than this.
const MOST_VALUES = 6;

// Returns the reduction of a state, as `considerBinary` does.
export function considerReduction(state) {
  const names = { lhs: t("name.operand"), out: t("name.out") };
  const seen = { names, numpy: {}, sign: `${state.op} →` };
  const [shape, dims] = [parseList(state.lhs), parseList(state.reduce)];
  if (shape === null) return { ...seen, error: fieldError("lhs", t("error.shape")) };
  seen.shapes = { lhs: shape };
  if (dims === null) return { ...seen, error: fieldError("reduce", t("error.dims")) };
  try {
    return { ...seen, plan: plan(state, shape, dims) };
  } catch (error) {
    return { ...seen, error };
  }
}

// Returns a call's value. What it throws gets `field`, the input that has to change.
function at(field, call) {
  try {
    return call();
  } catch (error) {
    throw Object.assign(error, { field: error.rule === "T1" ? "type" : field });
  }
}

// Returns what the library makes of a reduction: element type, shape, and `kept`, the dimensions of
// the operand that are left. It is asked with a repeated constant, which has no elements in memory.
export function planReduction(op, type, operand, dims) {
  const values = [];
  const hold = (value) => {
    values.push(value);
    return value;
  };
  try {
    const zero = hold(at("type", () => full([], 0, type)));
    const repeated = hold(at("lhs", () => zero.broadcast(operand)));
    const { elementType, shape } = hold(at("reduce", () => repeated[methodOf(op)](dims)));
    return { elementType, shape, kept: dimensionsOf(operand).filter((d) => !dims.includes(d)) };
  } finally {
    for (const value of values) value.free();
  }
}

// Returns a list with an entry for each dimension of an operand: for those that are kept, of the
// result's list, and for those that are reduced, what a function gives for the size.
function spread(operand, kept, list, reduced) {
  const places = new Map(kept.map((d, k) => [d, k]));
  return operand.map((size, d) => (places.has(d) ? list[places.get(d)] : reduced(size)));
}

// Returns the part of an operand that makes a part of a reduction's result.
function reducedPart(operand, kept, box) {
  return spread(operand, kept, box, (count) => ({ start: 0, count }));
}

// Returns the numbers of the operand's elements that make an element of the result, at most `most`.
export function madeOf(operand, kept, index, most) {
  return numbersIn(operand, reducedPart(operand, kept, index.map((start) => ({ start, count: 1 }))), most);
}

// Returns the strides of the operand and of the result, in elements, for each dimension of the operand.
// A reduction is a broadcast backwards: its result has stride 0 where it is reduced.
export function stridesOf({ space, shape, kept }) {
  const [lhs, out] = [space, shape].map((sizes) => sizes.map((_, d) => elementCount(sizes.slice(d + 1).map((size) => Math.max(size, 1)))));
  return { lhs, out: spread(space, kept, out, () => 0) };
}

// Returns the plan, with what `binary.js` documents. The picture is of the space of the operand: its
// elements lead to those of the result, as a broadcast's result leads to its operands.
function plan({ op, type }, operand, dims) {
  const made = planReduction(op, type, operand, dims);
  const maps = { lhs: dimensionsOf(operand), out: made.kept };
  return {
    ...made, op, space: operand, whole: "lhs", maps,
    made(index, values) {
      const texts = madeOf(operand, made.kept, index, MOST_VALUES + 1).map((from) => numberText(values.lhs(from)));
      return reducedText(op, texts.length > MOST_VALUES ? [...texts.slice(0, -1), "…"] : texts);
    },
    // Dimensions as a whole are written as NumPy does.
    said: (index) => `${op}(${t("name.operand")}${listText(spread(operand, made.kept, index, () => ":"))})`,
    part: (_, box) => reducedPart(operand, made.kept, box),
    value: (x) => x[methodOf(op)](dims),
  };
}
