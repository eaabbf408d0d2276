// indim: an expression is made and evaluated each time, as a program that has no other use for it does.

import { array, numpy, open as openGpu, select } from "indim";

const wide = (value, shape) => value.broadcastInDim(shape, shape.map((_, d) => d));
const shapeOf = (...values) => values[0].shape.map((_, d) => Math.max(...values.map(({ shape }) => shape[d])));

const ops = {
  add: (a, b) => (typeof b === "number" ? a.add(b) : numpy.add(a, b)),
  mul: (a, b) => (typeof b === "number" ? a.mul(b) : numpy.mul(a, b)),
  greater: (a, b) => numpy.gt(a, b),
  tanh: (a) => a.tanh(),
  sin: (a) => a.sin(),
  cos: (a) => a.cos(),
  transpose: (a) => a.transpose([1, 0]),
  everySecondColumn: (a) => a.slice([0, 0], a.shape, [1, 2]),
  // XLA's select broadcasts scalars only.
  where(pred, a, b) {
    const shape = shapeOf(pred, a, b);
    return select(wide(pred, shape), wide(a, shape), wide(b, shape));
  },
};

export default async function open() {
  const gpu = await openGpu();
  return {
    wait: () => gpu.wait(),
    async prepare(pattern, data) {
      const operands = gpu.eval(data.map((elements, k) => array(elements, pattern.operands[k].shape)));
      const once = (...operands) => gpu.eval(pattern.evaluate(ops, ...operands));
      return {
        evaluate() {
          let result = once(...operands);
          for (let time = 1; time < (pattern.times ?? 1); time++) {
            const before = result;
            result = once(before, ...operands.slice(1));
            before.free();
          }
          return result;
        },
        read: (result) => gpu.read(result),
        release: (result) => result.free(),
        dispose: () => operands.forEach((operand) => operand.free()),
      };
    },
  };
}
