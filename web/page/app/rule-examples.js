// A call that breaks each rule. Those of two operands, and reductions, are set up in the place to play;
// the others are made with the library when somebody wants to see them.

import { Expr, clamp, concatenate, iota, select } from "../indim.js";

const play = (call) => `#${new URLSearchParams({ lhs: "2,3", rhs: "3", dims: "", ...call })}`.replaceAll("%2C", ",");
const reduction = (op, call) => play({ op, ...call });

// Addresses of calls that are refused.
export const IN_PLAY = {
  B1: play({}),
  B2: play({ lhs: "2,3,4", rhs: "3,4", dims: "1" }),
  B3: play({ dims: "-1" }),
  B4: play({ dims: "2" }),
  B5: play({ dims: "0" }),
  B6: play({ lhs: "2,3,3,5", rhs: "3,3", dims: "2,1" }),
  B7: play({ lhs: "3,3", rhs: "3,3", dims: "1,0" }),
  B8: play({ lhs: "7,2,5", rhs: "7,2,6" }),
  T1: play({ op: "and", dims: "1" }),
  N1: play({ rhs: "-3", dims: "1" }),
  C1: play({ lhs: "65536,65536", rhs: "", dims: "" }),
  P1: play({ lhs: "2,3", rhs: "2", numpy: "1" }),
  R1: reduction("reduce_sum", { reduce: "2" }),
  R2: reduction("reduce_max", { reduce: "1,1" }),
  R3: reduction("argmax", { lhs: "2,0", reduce: "1" }),
};

const x = () => iota([2, 3], 0, "f32");

// Calls of the JavaScript module that are refused, as a text and as a function.
export const CALLS = {
  T2: ['iota([3], 0, "s32").add(iota([3], 0, "f32"))', () => iota([3], 0, "s32").add(iota([3], 0, "f32"))],
  T3: ['select(iota([3], 0, "s32"), 1, iota([3], 0, "f32"))', () => select(iota([3], 0, "s32"), 1, iota([3], 0, "f32"))],
  T4: ['iota([2, 3], 0, "f32").bitcastConvertType("f64")', () => x().bitcastConvertType("f64")],
  T5: ['iota([2, 3], 0, "f32").reducePrecision(0, 3)', () => x().reducePrecision(0, 3)],
  S1: ['clamp(iota([2, 3]), iota([3]), iota([3]))', () => clamp(iota([2, 3]), iota([3]), iota([3]))],
  D1: ["iota([2, 3]).broadcastInDim([3], [0, 0])", () => iota([2, 3]).broadcastInDim([3], [0, 0])],
  D2: ["iota([3]).broadcastInDim([2, 3], [])", () => iota([3]).broadcastInDim([2, 3], [])],
  D3: ["iota([3]).broadcastInDim([2, 3], [2])", () => iota([3]).broadcastInDim([2, 3], [2])],
  D4: ["iota([3]).broadcastInDim([2, 3], [0])", () => iota([3]).broadcastInDim([2, 3], [0])],
  D5: ["iota([2, 3]).broadcastInDim([3, 2], [1, 0])", () => iota([2, 3]).broadcastInDim([3, 2], [1, 0])],
  V1: ["iota([2, 3]).transpose([0, 0])", () => iota([2, 3]).transpose([0, 0])],
  V2: ["iota([2, 3]).slice([0], [2])", () => iota([2, 3]).slice([0], [2])],
  V3: ["iota([3]).slice([0], [4])", () => iota([3]).slice([0], [4])],
  V4: ["iota([3]).slice([0], [3], [0])", () => iota([3]).slice([0], [3], [0])],
  V5: ["iota([3]).reverse([0, 0])", () => iota([3]).reverse([0, 0])],
  V6: ["iota([2, 3]).reshape([4])", () => iota([2, 3]).reshape([4])],
  V7: ["iota([3]).pad(0, [1, 1], [0, 0])", () => iota([3]).pad(0, [1, 1], [0, 0])],
  V8: ["iota([3]).pad(0, [-2], [-2])", () => iota([3]).pad(0, [-2], [-2])],
  V9: ["concatenate([iota([2, 3]), iota([2, 4])], 0)", () => concatenate([iota([2, 3]), iota([2, 4])], 0)],
  V10: ["iota([3]).roll([1], [1])", () => iota([3]).roll([1], [1])],
  G1: ["iota([2, 3]).take(iota([4]), 2)", () => iota([2, 3]).take(iota([4]), 2)],
  G2: ["iota([2, 0]).take(iota([4]), 1)", () => iota([2, 0]).take(iota([4]), 1)],
  G3: ["iota([2, 3]).takeAlongDimension(iota([4, 7]), 1)", () => iota([2, 3]).takeAlongDimension(iota([4, 7]), 1)],
  M1: ["iota([2, 3]).dotGeneral(iota([3]), { lhsContracting: [2], rhsContracting: [0] })",
    () => iota([2, 3]).dotGeneral(iota([3]), { lhsContracting: [2], rhsContracting: [0] })],
  M2: ["iota([2, 3]).dot(iota([2]))", () => iota([2, 3]).dot(iota([2]))],
  M3: ["iota([2, 3]).dot(iota([2, 3, 1]))", () => iota([2, 3]).dot(iota([2, 3, 1]))],
  I1: ["iota([2, 3], 2)", () => iota([2, 3], 2)],
};

// Returns what the library says of such a call, or nothing if it is accepted.
export function refusalOf(label) {
  try {
    const made = CALLS[label][1]();
    if (made instanceof Expr) made.free();
    return undefined;
  } catch (error) {
    return error;
  }
}
