// The operations of the place to play, and how the page writes them.

// It loads the WebAssembly, which the list comes from.
import "../indim.js";
import { operations } from "../indim_web.js";

const SIGNS = { add: "+", sub: "−", mul: "×", div: "÷", eq: "=", ne: "≠", lt: "<", le: "≤", gt: ">", ge: "≥" };
const REDUCTION_SIGNS = { reduce_sum: "+", reduce_prod: "×" };

// The operations of two operands, but for next_after, which takes no broadcast_dimensions.
export const OPERATIONS = operations("binary").filter((name) => name !== "next_after");

// The reductions of jax.lax. Others along dimensions, such as softmax, may keep the operand's shape.
export const REDUCTIONS = operations("reduce").filter((name) => /^(reduce_\w+|argmax|argmin)$/.test(name));

export function isReduction(op) {
  return REDUCTIONS.includes(op);
}

// Returns the name of an operation's method in the JavaScript module.
export function methodOf(op) {
  return op.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
}

export function sign(op) {
  return SIGNS[op];
}

// Returns what a cell shows of an operation whose value is not known.
export function expressionText(op, lhs, rhs) {
  return SIGNS[op] ? `${lhs}${SIGNS[op]}${rhs}` : `${op}(${lhs}, ${rhs})`;
}

// Returns the same of a reduction; the last of `values` is "…" if there are more.
export function reducedText(op, values) {
  const between = REDUCTION_SIGNS[op];
  return between && values.length > 0 ? values.join(between) : `${op.replace("reduce_", "")}(${values.join(", ")})`;
}
