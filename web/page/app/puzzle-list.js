// The puzzles. An answer is right if the library makes the same of it, so that puzzles hold no
// answers but those that draw their pictures. `lhsFill` and `rhsFill` are the values that a picture is of.

const f32 = { op: "add", type: "f32" };

export const PUZZLES = [
  // Which dimensions? `map` is what each dimension of the right operand has to become.
  { kind: "dims", ...f32, lhs: [2, 3], rhs: [3], map: [1] },
  { kind: "dims", ...f32, lhs: [3, 3], rhs: [3], map: [0], picture: true, lhsFill: "zeros", rhsFill: "seven" },
  { kind: "dims", ...f32, lhs: [2, 3, 4], rhs: [3, 4], map: [1, 2] },
  { kind: "dims", ...f32, lhs: [2, 3, 4, 5], rhs: [2, 5], map: [0, 3] },
  // Which shape? `most` is how many elements it may have.
  { kind: "shape", ...f32, lhs: [2, 1], result: [2, 3], most: 3 },
  { kind: "shape", ...f32, lhs: [1, 3], result: [0, 3], most: 0 },
  // What comes out?
  { kind: "result", ...f32, lhs: [4], rhs: [1, 2], dims: [0] },
  { kind: "result", ...f32, lhs: [1, 2], rhs: [4, 3, 1], dims: [1, 2] },
  // Be refused.
  { kind: "refuse", ...f32, lhs: [2, 3, 3, 5], rhs: [3, 3], rule: "B6" },
  // What does NumPy do?
  { kind: "numpy", ...f32, lhs: [8, 1, 6, 1], rhs: [7, 1, 5] },
  // One expression for a picture.
  { kind: "picture", shape: [5, 5], at: ([row, column]) => (row + 1) * (column + 1) },
  { kind: "picture", shape: [6, 6], at: ([row, column]) => (row + column) % 2 },
  // Which dimensions are reduced? `map` has those that are left.
  { kind: "reduce", op: "reduce_sum", type: "s32", lhs: [2, 2, 3], map: [0, 2], picture: true, lhsFill: "iota" },
  { kind: "refuse", op: "reduce_max", type: "f32", lhs: [2, 3], rule: "R2" },
];
