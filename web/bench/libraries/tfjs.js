// TensorFlow.js on its WebGPU backend: each operation by itself.

import * as tf from "@tensorflow/tfjs-core";
import "@tensorflow/tfjs-backend-webgpu";

const uploads = new Map();

// Returns indices as a tensor, which stays.
function onDevice(indices) {
  if (!uploads.has(indices)) uploads.set(indices, tf.keep(tf.tensor1d(indices, "int32")));
  return uploads.get(indices);
}

const ops = {
  add: (a, b) => tf.add(a, b),
  mul: (a, b) => tf.mul(a, b),
  sub: (a, b) => tf.sub(a, b),
  sum: (a, along) => tf.sum(a, along),
  meanAndVar(a, dimension) {
    const { mean, variance } = tf.moments(a, dimension);
    return tf.add(mean, variance);
  },
  argmax: (a, dimension) => tf.argMax(a, dimension),
  softmax: (a, dimension) => tf.softmax(a, dimension),
  take: (a, indices) => tf.gather(a, onDevice(indices)),
  cumsum: (a, dimension) => tf.cumsum(a, dimension),
  dropout: (a, share) => tf.dropout(a, 1 - share),
  dot: (a, b) => tf.matMul(a, b),
  // tfjs-core has no such function; that of its layers is written out like this.
  layerNorm(a, dimension, epsilon) {
    const { mean, variance } = tf.moments(a, dimension, true);
    return tf.mul(tf.sub(a, mean), tf.rsqrt(tf.add(variance, epsilon)));
  },
  greater: (a, b) => tf.greater(a, b),
  where: (pred, a, b) => tf.where(pred, a, b),
  tanh: (a) => tf.tanh(a),
  sin: (a) => tf.sin(a),
  cos: (a) => tf.cos(a),
  transpose: (a) => tf.transpose(a),
  everySecondColumn: (a) => tf.stridedSlice(a, [0, 0], a.shape, [1, 2]),
};

// Small tensors that were never on the device are computed on the CPU, so operands are put there.
function upload(device, elements, shape) {
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  const buffer = device.createBuffer({ size: elements.byteLength, usage });
  device.queue.writeBuffer(buffer, 0, elements);
  const tensor = tf.tensor({ buffer }, shape, "float32");
  return { tensor, buffer };
}

export default async function open() {
  if (!(await tf.setBackend("webgpu"))) throw new Error("its WebGPU backend does not start");
  await tf.ready();
  const backend = tf.backend();
  const { device } = backend;
  return {
    device,
    // Commands are collected, up to 15; the last ones are submitted as its own reading does.
    async wait() {
      backend.ensureCommandEncoderReady();
      backend.endComputePassEncoder();
      backend.submitQueue();
      await device.queue.onSubmittedWorkDone();
    },
    async prepare(pattern, data) {
      const uploaded = data.map((elements, k) => upload(device, elements, pattern.operands[k].shape));
      const operands = uploaded.map(({ tensor }) => tensor);
      await this.wait();
      for (const { buffer } of uploaded) buffer.destroy();
      return {
        evaluate: () => tf.tidy(() => {
          let result = pattern.evaluate(ops, ...operands);
          for (let time = 1; time < (pattern.times ?? 1); time++) {
            const before = result;
            result = pattern.evaluate(ops, before, ...operands.slice(1));
            before.dispose();
          }
          return result;
        }),
        read: (result) => result.data(),
        release: (result) => result.dispose(),
        dispose: () => tf.dispose(operands),
      };
    },
  };
}
