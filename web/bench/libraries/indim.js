// indim: an expression is made and evaluated each time, as a program that has no other use for it does.

import { array, numpy, open as openGpu, random, select } from "indim";

// Every value that an expression is made of. A value keeps its result once it was evaluated, so all
// are freed after that: otherwise the memory of results is not used again before JavaScript collects
// its garbage.
let made = [];

function kept(value) {
  made.push(value);
  return value;
}

// Returns indices as an array of the device, where they stay.
let onDevice;

const wide = (value, shape) => kept(value.broadcastInDim(shape, shape.map((_, d) => d)));
const shapeOf = (...values) => values[0].shape.map((_, d) => Math.max(...values.map(({ shape }) => shape[d])));

const ops = {
  add: (a, b) => kept(typeof b === "number" ? a.add(b) : numpy.add(a, b)),
  mul: (a, b) => kept(typeof b === "number" ? a.mul(b) : numpy.mul(a, b)),
  sub: (a, b) => kept(numpy.sub(a, b)),
  sum: (a, along) => kept(a.reduceSum(along)),
  meanAndVar: (a, dimension) => kept(kept(a.mean([dimension])).add(kept(a.var([dimension])))),
  argmax: (a, dimension) => kept(a.argmax([dimension])),
  softmax: (a, dimension) => kept(a.softmax([dimension])),
  take: (a, indices) => kept(a.take(onDevice(indices), 0)),
  cumsum: (a, dimension) => kept(a.cumsum(dimension)),
  dropout(a, share) {
    const mask = kept(random.bernoulli(kept(random.key(7)), share, a.shape));
    return kept(select(mask, kept(a.div(share)), 0));
  },
  dot: (a, b) => kept(a.dot(b)),
  layerNorm: (a, dimension, epsilon) => kept(a.layerNorm([dimension], epsilon)),
  greater: (a, b) => kept(numpy.gt(a, b)),
  tanh: (a) => kept(a.tanh()),
  sin: (a) => kept(a.sin()),
  cos: (a) => kept(a.cos()),
  transpose: (a) => kept(a.transpose([1, 0])),
  everySecondColumn: (a) => kept(a.slice([0, 0], a.shape, [1, 2])),
  // XLA's select broadcasts scalars only.
  where(pred, a, b) {
    const shape = shapeOf(pred, a, b);
    return kept(select(wide(pred, shape), wide(a, shape), wide(b, shape)));
  },
};

export default async function open() {
  const gpu = await openGpu();
  const uploaded = new Map();
  onDevice = (indices) => {
    if (!uploaded.has(indices)) uploaded.set(indices, gpu.eval(array(indices, [indices.length])));
    return uploaded.get(indices);
  };
  return {
    wait: () => gpu.wait(),
    async prepare(pattern, data) {
      const operands = gpu.eval(data.map((elements, k) => array(elements, pattern.operands[k].shape)));
      const once = (...operands) => {
        const result = gpu.eval(pattern.evaluate(ops, ...operands));
        for (const value of made) value.free();
        made = [];
        return result;
      };
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
