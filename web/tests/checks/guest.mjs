// A page's own device, with its buffers, encoders and canvas.
import { array, full, iota, open } from "/full/indim.js";
import * as indim from "/indim.js";
import { equal, refused } from "./expect.mjs";

const { STORAGE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;

// Reads bytes as the page does, without the library.
async function bytesOf(device, copy, size) {
  const staging = device.createBuffer({ size, usage: COPY_DST | MAP_READ });
  const encoder = device.createCommandEncoder();
  copy(encoder, staging);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  return staging.getMappedRange().slice();
}

async function floats(device, buffer, offset, count) {
  const copy = (encoder, staging) => encoder.copyBufferToBuffer(buffer, offset, staging, 0, 4 * count);
  return new Float32Array(await bytesOf(device, copy, 4 * count));
}

async function buffers(device, gpu) {
  const buffer = device.createBuffer({ size: 64, usage: STORAGE | COPY_SRC | COPY_DST });
  device.queue.writeBuffer(buffer, 16, new Float32Array([1, 2, 3, 4]));
  const x = gpu.arrayFrom(buffer, [2, 2], "f32", 16);
  equal(await gpu.read(x.mul(2)), [2, 4, 6, 8], "of the page's buffer");
  equal(x.add(1).into(x) === x, true, "into returns its target");
  gpu.flush();
  equal(await floats(device, buffer, 16, 4), [2, 3, 4, 5], "the page's buffer after into()");
  device.queue.writeBuffer(buffer, 16, new Float32Array([9]));
  equal(await gpu.read(x), [9, 3, 4, 5], "after the page wrote it");
  equal(await gpu.read(gpu.arrayFrom(buffer, [1], "s32", 16)), [0x41100000], "its bits");

  const y = gpu.eval(x.rsub(10));
  const range = gpu.buffer(y);
  equal(range.size, 16, "the size of a value's buffer");
  equal(await floats(device, range.buffer, range.offset, 4), [1, 7, 6, 5], "a value's buffer");
  const z = gpu.eval(full([4], 0));
  iota([4], 0, "f32").into(z);
  equal(await gpu.read(z), [0, 1, 2, 3], "what has no array, into one that eval() returned");
  z.mul(z).into(z);
  equal(await gpu.read(z), [0, 1, 4, 9], "a value into itself");

  await refused(() => gpu.arrayFrom(buffer, [2], "f32", 2), "offset 2 is not a multiple of 4 bytes", undefined);
  await refused(() => gpu.arrayFrom(buffer, [99]), "the buffer has only 64 bytes", undefined);
  await refused(() => gpu.arrayFrom(device.createBuffer({ size: 16, usage: COPY_DST }), [4]), "STORAGE", undefined);
  await refused(() => gpu.arrayFrom({ size: 16, usage: STORAGE }, [4]), "buffer is to be a GPUBuffer", undefined);
  await refused(() => x.into(z), "broadcast it with broadcastInDim", undefined);
  await refused(() => x.into(array([[1, 2], [3, 4]])), "eval() returns one that is", undefined);
  equal(await gpu.read(z), [0, 1, 4, 9], "the target after an error");
}

async function encoders(device, gpu) {
  const x = gpu.eval(array([1, 2, 3, 4]));
  const y = gpu.eval(full([4], 0));
  const encoder = device.createCommandEncoder();
  gpu.encode(encoder, x.mul(10), y);
  gpu.encode(encoder, y.add(x), y);
  await refused(() => gpu.read(y), "call gpu.submitted(encoder) first", undefined);
  await refused(() => gpu.encode({}, x, y), "encoder is to be a GPUCommandEncoder", undefined);
  device.queue.submit([encoder.finish()]);
  gpu.submitted(encoder);
  equal(await gpu.read(y), [11, 22, 33, 44], "what was encoded");
}

async function canvas(device, gpu) {
  const canvas = new OffscreenCanvas(64, 32);
  const context = canvas.getContext("webgpu");
  context.configure({ device, format: "rgba8unorm", usage: GPUTextureUsage.STORAGE_BINDING | GPUTextureUsage.COPY_SRC });
  const image = gpu.eval(iota([32, 64], 1, "f32").div(255));
  const texture = context.getCurrentTexture();
  const encoder = device.createCommandEncoder();
  gpu.encodeToTexture(encoder, image, texture);
  device.queue.submit([encoder.finish()]);
  gpu.submitted(encoder);
  const copy = (encoder, staging) =>
    encoder.copyTextureToBuffer({ texture }, { buffer: staging, bytesPerRow: 256 }, [64, 32]);
  const texels = new Uint8Array(await bytesOf(device, copy, 256 * 32));
  equal(texels.slice(0, 12), [0, 0, 0, 255, 1, 1, 1, 255, 2, 2, 2, 255], "the first texels");
  equal(texels.slice(-4), [63, 63, 63, 255], "the last texel");
  const other = device.createTexture({ size: [64, 32], format: "bgra8unorm", usage: GPUTextureUsage.RENDER_ATTACHMENT });
  await refused(() => gpu.encodeToTexture(device.createCommandEncoder(), image, other), "bgra8unorm", undefined);
}

// Waves on a canvas, a step and a picture for each frame of the display; nothing is read back.
async function waves(device, gpu) {
  const [SIZE, FRAMES] = [256, 30];
  const canvas = Object.assign(document.createElement("canvas"), { width: SIZE, height: SIZE });
  document.body.append(canvas);
  const context = canvas.getContext("webgpu");
  context.configure({ device, format: "rgba8unorm", usage: GPUTextureUsage.STORAGE_BINDING });
  const from = (dimension) => iota([SIZE, SIZE], dimension, "f32").sub(SIZE / 2).square();
  let [now, before] = gpu.eval([1, 1].map(() => from(0).add(from(1)).div(-200).exp()));
  const step = () => {
    const around = [[-1, 0], [1, 0], [-1, 1], [1, 1]].map(([shift, dimension]) => now.roll([shift], [dimension]));
    const curve = around.reduce((sum, value) => sum.add(value)).sub(now.mul(4));
    const next = now.mul(2).sub(before).add(curve.mul(0.2));
    const [after, picture] = gpu.eval([next, next.add(1).mul(0.5)]);
    const encoder = device.createCommandEncoder();
    gpu.encodeToTexture(encoder, picture, context.getCurrentTexture());
    device.queue.submit([encoder.finish()]);
    gpu.submitted(encoder);
    for (const value of [before, picture]) value.free();
    [before, now] = [now, after];
  };
  const { mapAsync } = GPUBuffer.prototype;
  let maps = 0;
  GPUBuffer.prototype.mapAsync = function (...values) {
    maps += 1;
    return mapAsync.apply(this, values);
  };
  const frame = () => new Promise(requestAnimationFrame);
  step();
  await frame();
  const begun = performance.now();
  for (let i = 0; i < FRAMES; i++) {
    step();
    await frame();
  }
  const seconds = (performance.now() - begun) / 1000;
  GPUBuffer.prototype.mapAsync = mapAsync;
  equal(maps, 0, "readings between frames");
  const total = await gpu.read(now.reduceSum([0, 1]));
  if (!(Math.abs(total[0] - 200 * Math.PI) < 1)) throw new Error(`the waves' sum is ${total}`);
  canvas.remove();
  return `waves of ${SIZE} x ${SIZE} on a canvas: ${(FRAMES / seconds).toFixed(0)} frames a second`;
}

// The small build says what it lacks.
async function small(device) {
  await refused(() => indim.open({ device }), 'no devices of pages; import "indim/full"', undefined);
  const gpu = await indim.open();
  const x = indim.array([1, 2]);
  equal(gpu.device instanceof GPUDevice, true, "its device");
  const calls = [() => x.into(gpu.eval(x)), () => gpu.buffer(x), () => gpu.arrayFrom({}, [1]), () => gpu.encode({}, x, x), () => gpu.encodeToTexture({}, x, {})];
  for (const call of calls) await refused(call, 'import "indim/full"', undefined);
  gpu.destroy();
}

export default async function guest() {
  const device = await (await navigator.gpu.requestAdapter()).requestDevice();
  const gpu = await open({ device });
  equal([gpu.device === device, Object.keys(navigator.gpu), Object.keys(device)], [true, [], []], "the device, as it was");
  if (!/swiftshader/i.test(gpu.adapter)) throw new Error(`the adapter is ${gpu.adapter}`);
  await buffers(device, gpu);
  await encoders(device, gpu);
  await canvas(device, gpu);
  const said = await waves(device, gpu);
  equal([Object.keys(navigator.gpu), Object.keys(device)], [[], []], "no method stays replaced");

  // Two on one device; the first is given back, and the device stays.
  const second = await open({ device });
  gpu.destroy();
  await refused(() => gpu.read(array([1])), "destroy() gave it back", undefined);
  equal(await second.read(array([1, 2]).add(1)), [2, 3], "the other one");
  const own = await open();
  equal(own.device instanceof GPUDevice && own.device !== device, true, "a device of its own");
  device.destroy();
  await device.lost;
  await refused(() => second.read(array([1])), "the device is lost (destroyed", undefined);
  equal(await own.read(array([1])), [1], "another device");
  own.destroy();
  await refused(() => open({ device: {} }), "device is to be a GPUDevice", undefined);
  await small(device);
  return said;
}
