// ONNX Runtime's WebGPU provider: a model for each pattern; operands and results stay on the device.

import * as ort from "onnxruntime-web/webgpu";
import { FLOAT, Graph } from "./onnx-model.js";

// Numbers beside values are constants of the model.
function operations(graph) {
  const node = (operation) => (...operands) => graph.node(operation, operands);
  return {
    add: node("Add"),
    mul: node("Mul"),
    sub: node("Sub"),
    sum: (a, along) => graph.node("ReduceSum", [a, along], { keepdims: 0 }),
    meanAndVar(a, dimension) {
      const mean = graph.node("ReduceMean", [a, [dimension]], { keepdims: 1 });
      const difference = graph.node("Sub", [a, mean]);
      const square = graph.node("Mul", [difference, difference]);
      const variance = graph.node("ReduceMean", [square, [dimension]], { keepdims: 0 });
      return graph.node("Add", [graph.node("ReduceMean", [a, [dimension]], { keepdims: 0 }), variance]);
    },
    argmax: (a, dimension) => graph.node("Cast", [graph.node("ArgMax", [a], { axis: dimension, keepdims: 0 })], { to: FLOAT }),
    softmax: (a, axis) => graph.node("Softmax", [a], { axis }),
    take: (a, indices) => graph.node("Gather", [a, [...indices]], { axis: 0 }),
    cumsum: (a, dimension) => graph.node("CumSum", [a, [dimension]]),
    dropout(a, share) {
      const kept = graph.node("Less", [graph.node("RandomUniformLike", [a]), share]);
      return graph.node("Where", [kept, graph.node("Div", [a, share]), 0]);
    },
    dot: node("MatMul"),
    // Of a scale of 1, which it asks for.
    layerNorm: (a, axis, epsilon) => graph.node("LayerNormalization", [a, new Float32Array(a.shape[axis]).fill(1)], { axis, epsilon }),
    greater: node("Greater"),
    where: node("Where"),
    tanh: node("Tanh"),
    sin: node("Sin"),
    cos: node("Cos"),
    transpose: (a) => graph.node("Transpose", [a], { perm: [1, 0] }),
    everySecondColumn: (a) => graph.node("Slice", [a, [0], [Number.MAX_SAFE_INTEGER], [1], [2]]),
  };
}

function session(pattern) {
  const graph = new Graph();
  const result = pattern.evaluate(operations(graph), ...pattern.operands.map(({ shape }, k) => ({ ...graph.input(k), shape })));
  const model = graph.model(result, pattern.operands.map(({ shape }) => shape), pattern.result);
  return ort.InferenceSession.create(model, {
    executionProviders: ["webgpu"],
    preferredOutputLocation: "gpu-buffer",
    // What the provider cannot do is an error here, rather than done on the CPU.
    extra: { session: { disable_cpu_ep_fallback: "1" } },
  });
}

function upload(device, elements, dims) {
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  // The provider reads vectors of four elements.
  const buffer = device.createBuffer({ size: Math.ceil(elements.byteLength / 16) * 16, usage });
  device.queue.writeBuffer(buffer, 0, elements);
  return { buffer, tensor: ort.Tensor.fromGpuBuffer(buffer, { dataType: "float32", dims }) };
}

export default async function open() {
  ort.env.logLevel = "error";
  // Threads are of no use to the WebGPU provider.
  ort.env.wasm.numThreads = 1;
  // The device is there after the first session.
  const sum = (ops, a, b) => ops.add(a, b);
  await session({ operands: [{ shape: [4] }, { shape: [4] }], result: [4], evaluate: sum });
  const device = await ort.env.webgpu.device;
  return {
    device,
    wait: () => device.queue.onSubmittedWorkDone(),
    async prepare(pattern, data) {
      const model = await session(pattern);
      const [output] = model.outputNames;
      const uploaded = data.map((elements, k) => upload(device, elements, pattern.operands[k].shape));
      const feeds = Object.fromEntries(uploaded.map(({ tensor }, k) => [model.inputNames[k], tensor]));
      const first = model.inputNames[0];
      return {
        async evaluate() {
          let result = (await model.run(feeds))[output];
          for (let time = 1; time < (pattern.times ?? 1); time++) {
            const before = result;
            result = (await model.run({ ...feeds, [first]: before }))[output];
            before.dispose();
          }
          return result;
        },
        // The copy leaves the result on the device, for whoever has to release it.
        read: (result) => result.getData(false),
        release: (result) => result.dispose(),
        async dispose() {
          for (const { buffer } of uploaded) buffer.destroy();
          await model.release();
        },
      };
    },
  };
}
