// What becomes of an operation of two operands: its refusal, or its plan with what the picture and
// the result need of it.

import { numpyDimensions, planBinary } from "../indim_web.js";
import { fieldError } from "./fields.js";
import { dimensionsOf, sourceIndex, sourceOf } from "./maps.js";
import { OPERATIONS, expressionText, methodOf, sign } from "./operations.js";
import { listText, parseList } from "./shapes.js";
import { t } from "./text.js";
import { numberText } from "./values.js";

// Returns the operation of a state: `names` and `shapes` of its arrays, NumPy's rule, the `dims` of
// the call, and the plan or the error.
export function considerBinary(state) {
  const known = OPERATIONS.includes(state.op);
  const names = { lhs: t("name.lhs"), rhs: t("name.rhs"), out: t("name.out") };
  const seen = { names, numpy: {}, sign: sign(state.op) ?? (known ? state.op : "?") };
  const [lhs, rhs, typed] = [parseList(state.lhs), parseList(state.rhs), parseList(state.dims)];
  if (lhs === null) return { ...seen, error: fieldError("lhs", t("error.shape")) };
  if (rhs === null) return { ...seen, error: fieldError("rhs", t("error.shape")) };
  seen.shapes = { lhs, rhs };
  try {
    seen.numpy.dims = Array.from(numpyDimensions(Float64Array.from(lhs), Float64Array.from(rhs)));
  } catch (error) {
    seen.numpy.error = error;
  }
  if (!known) return { ...seen, error: fieldError("type", t("error.op")) };
  if (state.numpy && seen.numpy.error) return { ...seen, error: seen.numpy.error };
  const dims = state.numpy ? seen.numpy.dims : typed;
  if (dims === null) return { ...seen, error: fieldError("dims", t("error.dims")) };
  seen.dims = dims;
  try {
    return { ...seen, plan: plan(state, lhs, rhs, dims) };
  } catch (error) {
    return { ...seen, error };
  }
}

// Returns the library's plan. The picture is of the space of the result: `maps` has the dimension of
// it that each dimension of an array is, and `whole` names the array that fills it.
function plan({ op, type }, lhs, rhs, dims) {
  const made = planBinary(op, type, ...[lhs, rhs, dims].map((list) => Float64Array.from(list)));
  const maps = { lhs: made.lhsDimensions, rhs: made.rhsDimensions, out: dimensionsOf(made.shape) };
  const shapes = { lhs, rhs };
  const each = (text) => ["lhs", "rhs"].map((key) => text(key, shapes[key], maps[key]));
  return {
    ...made, op, space: made.shape, whole: "out", maps,
    // The texts of an element of the result: by the operands' values, and by their names.
    made: (index, values) => expressionText(op, ...each((key, shape, map) => numberText(values[key](sourceOf(shape, map, index))))),
    said: (index) => expressionText(op, ...each((key, shape, map) => `${t(`name.${key}`)}${listText(sourceIndex(shape, map, index))}`)),
    // The part of an operand that makes a part of the result, and the value that such parts make.
    part: (key, box) => shapes[key].map((size, k) => (size === 1 ? { start: 0, count: 1 } : box[maps[key][k]])),
    value: (x, y) => x[methodOf(op)](y, x.shape.length === y.shape.length ? [] : dims),
  };
}
