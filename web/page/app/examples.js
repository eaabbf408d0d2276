// Calls to set up by a button.

const seven = { rhsFill: "seven" };

// The examples of XLA's document on broadcasting, in its order and by its sections, each with the
// result's shape or the rule that refuses it. The text example.N says what the N-th one shows.
// https://openxla.org/xla/broadcasting
const SECTIONS = {
  what: [
    { lhs: "2,3", rhs: "3", dims: "1", ...seven, shape: [2, 3] },
    { lhs: "2,3", rhs: "3", dims: "", ...seven, rule: "B1" },
  ],
  lower: [
    { lhs: "2,3", rhs: "", dims: "", ...seven, shape: [2, 3] },
    { lhs: "3,3", rhs: "3", dims: "1", ...seven, shape: [3, 3] },
    { lhs: "3,3", rhs: "3", dims: "0", ...seven, shape: [3, 3] },
    { lhs: "2,3", rhs: "3", dims: "0", ...seven, rule: "B5" },
    { lhs: "2,3,4", rhs: "3,4", dims: "1,2", shape: [2, 3, 4] },
  ],
  formal: [
    { lhs: "2,3,4,5", rhs: "2", dims: "0", shape: [2, 3, 4, 5] },
    { lhs: "2,3,4,5", rhs: "3", dims: "1", shape: [2, 3, 4, 5] },
    { lhs: "2,3,4,5", rhs: "4", dims: "2", shape: [2, 3, 4, 5] },
    { lhs: "2,3,4,5", rhs: "5", dims: "3", shape: [2, 3, 4, 5] },
    { lhs: "2,3,4,5", rhs: "4,5", dims: "2,3", shape: [2, 3, 4, 5] },
    { lhs: "2,3,4,5", rhs: "3,4", dims: "1,2", shape: [2, 3, 4, 5] },
    { lhs: "2,3,4,5", rhs: "2,5", dims: "0,3", shape: [2, 3, 4, 5] },
    { lhs: "2,3,3,5", rhs: "3,3", dims: "2,1", rule: "B6" },
    { lhs: "2,3,3,5", rhs: "3,3", dims: "1,1", rule: "B6" },
  ],
  degenerate: [
    { lhs: "2,1", rhs: "2,3", dims: "", shape: [2, 3] },
    { lhs: "1,2,5", rhs: "7,2,5", dims: "", shape: [7, 2, 5] },
    { lhs: "7,2,5", rhs: "7,1,5", dims: "", shape: [7, 2, 5] },
    { lhs: "7,2,5", rhs: "7,2,6", dims: "", rule: "B8" },
    { lhs: "2,1", rhs: "1,3", dims: "", shape: [2, 3] },
  ],
  composition: [
    { lhs: "4", rhs: "1,2", dims: "0", rhsEdits: "0:5,1:6", shape: [4, 2] },
    { lhs: "1,2", rhs: "4,3,1", dims: "1,2", shape: [4, 3, 2] },
  ],
};

export const EXAMPLES = Object.entries(SECTIONS)
  .flatMap(([section, examples]) => examples.map((example) => ({ section, ...example })))
  .map((example, i) => ({ number: i + 1, ...example }));

export const SECTION_NAMES = Object.keys(SECTIONS);

// Reductions, the last two of which are refused.
export const REDUCTION_EXAMPLES = [
  { op: "reduce_sum", lhs: "2,3", reduce: "1" },
  { op: "reduce_max", lhs: "3,4", reduce: "0", lhsFill: "random7" },
  { op: "argmax", lhs: "3,4", reduce: "1", lhsFill: "random7" },
  { op: "reduce_sum", lhs: "2,3,4", reduce: "0,2" },
  { op: "reduce_prod", lhs: "2,3", reduce: "0,1" },
  { op: "reduce_sum", lhs: "2,3", reduce: "2", rule: "R1" },
  { op: "reduce_max", lhs: "2,3", reduce: "1,1", rule: "R2" },
];

const shown = (shape) => `(${shape})`;

// Returns an example in the words that all languages share.
export function exampleText({ op, lhs, rhs, dims, reduce }) {
  if (op) return `${op} ${shown(lhs)} [${reduce}]`;
  return `${shown(lhs)} + ${shown(rhs)}${dims === "" ? "" : ` [${dims}]`}`;
}

// Returns the state that an example sets up; the rest says what it shows and what becomes of it.
export function exampleState({ shape, rule, number, section, ...given }) {
  return { op: "add", type: "f32", lhsFill: "count", rhsFill: "count", lhsEdits: "", rhsEdits: "", numpy: "", step: "0", ...given };
}

// Returns the example of XLA's document that a state is, whatever its values, if it is one.
export function exampleOf(state) {
  if (state.op !== "add" || state.numpy) return undefined;
  return EXAMPLES.find(({ lhs, rhs, dims }) => lhs === state.lhs && rhs === state.rhs && dims === state.dims);
}

// Returns the example that the state of a reduction is, whatever its values, if it is one.
export function reductionExampleOf(state) {
  return REDUCTION_EXAMPLES.find(({ op, lhs, reduce }) => op === state.op && lhs === state.lhs && reduce === state.reduce);
}
