// jax-js: the expression under jit, which makes one kernel of it.

import { defaultDevice, getWebGPUDevice, init, jit, nn, numpy, random } from "@jax-js/jax";

// Functions take ownership of their operands, and `ref` adds a reference. jit asks once only, so
// here each operand is given a reference of its own, and `ownership` gives back what is left.
const ops = {
  add: (a, b) => numpy.add(a.ref, b.ref ?? b),
  mul: (a, b) => numpy.multiply(a.ref, b.ref ?? b),
  sub: (a, b) => numpy.subtract(a.ref, b.ref),
  sum: (a, along) => numpy.sum(a.ref, along),
  meanAndVar: (a, dimension) => numpy.add(numpy.mean(a.ref, dimension), numpy.var_(a.ref, dimension)),
  argmax: (a, dimension) => numpy.argmax(a.ref, dimension),
  softmax: (a, dimension) => nn.softmax(a.ref, dimension),
  take: (a, indices) => numpy.take(a.ref, numpy.array(indices), 0),
  cumsum: (a, dimension) => numpy.cumsum(a.ref, dimension),
  dot: (a, b) => numpy.matmul(a.ref, b.ref),
  dropout: (a, share) => numpy.where(random.bernoulli(random.key(7), share, a.shape), a.ref.div(share), 0),
  layerNorm: (a, dimension, epsilon) => nn.standardize(a.ref, dimension, { epsilon }),
  greater: (a, b) => numpy.greater(a.ref, b.ref ?? b),
  where: (pred, a, b) => numpy.where(pred.ref, a.ref, b.ref),
  tanh: (a) => numpy.tanh(a.ref),
  sin: (a) => numpy.sin(a.ref),
  cos: (a) => numpy.cos(a.ref),
  transpose: (a) => numpy.transpose(a.ref),
  // Its slices have no strides, so pairs of columns become a dimension, of which the first is taken.
  everySecondColumn: (a) => a.ref.reshape([a.shape[0], a.shape[1] / 2, 2]).slice([], [], 0),
};

// Makes a function that takes ownership out of one in these operations.
function ownership(evaluate) {
  return (...operands) => {
    const made = [...operands];
    const kept = Object.fromEntries(Object.entries(ops).map(([name, operation]) => [name, (...values) => {
      made.push(operation(...values));
      return made.at(-1);
    }]));
    const result = evaluate(kept, ...operands);
    for (const value of made) if (value !== result) value.dispose();
    return result;
  };
}

export default async function open() {
  const devices = await init("webgpu");
  if (!devices.includes("webgpu")) throw new Error("its WebGPU device does not start");
  defaultDevice("webgpu");
  const device = getWebGPUDevice();
  return {
    device,
    wait: () => device.queue.onSubmittedWorkDone(),
    async prepare(pattern, data) {
      const operands = data.map((elements, k) => numpy.array(elements, { shape: pattern.operands[k].shape }));
      const compiled = jit(ownership(pattern.evaluate));
      return {
        evaluate() {
          let result;
          if (pattern.times) {
            result = operands[0].ref;
            for (let time = 0; time < pattern.times; time++) result = numpy.add(result, operands[1].ref);
          } else {
            result = compiled(...operands.map((operand) => operand.ref));
          }
          // Commands are given to the device when someone needs the array; nothing that is released
          // before is ever computed.
          result.ref.gpuBufferSync();
          return result;
        },
        read: (result) => result.ref.data(),
        release: (result) => result.dispose(),
        dispose() {
          operands.forEach((operand) => operand.dispose());
          compiled.dispose();
        },
      };
    },
  };
}
