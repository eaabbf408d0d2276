// User-defined functions in WGSL.

import { list, number, numbers, string } from "./arguments.js";
import { outward, outwardClass } from "./errors.js";
import { Expr, handleOf, made, operand, optional } from "./expr.js";
import { Checked, needsModule, onlyFull } from "./wasm.js";

/** A user-defined function; `wgsl` makes it. */
export class WgslFunction {
  #function;

  constructor(checked) {
    if (!Checked || !(checked instanceof Checked)) throw new TypeError("wgsl() gives a function");
    this.#function = checked;
  }

  get name() {
    return this.#function.name;
  }

  get parameters() {
    return pairs(this.#function.parameters);
  }

  get results() {
    return pairs(this.#function.results);
  }

  callAll(operands, broadcastDimensions) {
    const types = this.parameters.map(({ elementType }) => elementType);
    // The library refuses operands after the last parameter.
    const handles = list(operands, "operands").map((value, i) =>
      (value instanceof Expr ? handleOf(value).copy() : operand(value, { elementType: types[i] ?? "f32" })));
    const lists = list(broadcastDimensions ?? operands.map(() => []), "broadcastDimensions");
    const each = lists.map((dimensions, i) => numbers(dimensions, `broadcastDimensions[${i}]`));
    const counts = Uint32Array.from(each, ({ length }) => length);
    const all = Float64Array.from(each.flatMap((dimensions) => Array.from(dimensions)));
    return this.#function.call(handles, all, counts).map(made);
  }

  call(operands, broadcastDimensions) {
    const results = this.callAll(operands, broadcastDimensions);
    if (results.length !== 1) {
      throw new TypeError(`${this.name} has ${results.length} results; callAll() returns all of them`);
    }
    return results[0];
  }
}

// Returns objects of names and element types, which come one after the other.
function pairs(names) {
  return names.flatMap((each, i) => (i % 2 ? [] : [{ name: each, elementType: names[i + 1] }]));
}

outwardClass(WgslFunction);

// Its messages quote the text, so their words stay.
export const wgsl = outward(function wgsl(text, { cost, maxIterations, maxTotalIterations } = {}) {
  onlyFull(Checked, "user-defined functions");
  needsModule();
  return new WgslFunction(Checked.wgsl(
    string(text, "text"), optional(string, cost, "cost"), optional(number, maxIterations, "maxIterations"),
    optional(number, maxTotalIterations, "maxTotalIterations")));
}, (message) => message);
