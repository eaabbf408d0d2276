// A GPU: evaluating and reading, and what a page shares with it.

import { number, numbers, string } from "./arguments.js";
import { STORAGE, unflattened } from "./elements.js";
import { outward, outwardClass } from "./errors.js";
import { handleOf, init, made } from "./expr.js";
import { Context, memoryBytes, onlyFull } from "./wasm.js";

function check(value, type, argument) {
  if (!globalThis[type] || !(value instanceof globalThis[type])) throw new TypeError(`${argument} is to be a ${type}`);
}

/** A GPU to compute on. */
export class Gpu {
  #context;
  #adapter;
  #isGuest;
  // Wrappers of the page's encoders, which remember what was recorded.
  #encoders = new WeakMap();

  constructor(context, adapter, isGuest) {
    if (!(context instanceof Context)) throw new TypeError("open() gives a Gpu");
    this.#context = context;
    this.#adapter = adapter;
    this.#isGuest = isGuest;
  }

  get adapter() {
    return this.#adapter;
  }

  get device() {
    return this.#context.device;
  }

  supports(elementType) {
    return this.#context.supports(string(elementType, "elementType"));
  }

  eval(values) {
    const list = Array.isArray(values) ? values : [values];
    const arrays = this.#context.eval(list.map((value) => handleOf(value).copy())).map(made);
    return Array.isArray(values) ? arrays : arrays[0];
  }

  async read(value) {
    // The reading has a copy, so that the value may be freed meanwhile.
    const handle = handleOf(value).copy();
    const { elementType } = handle;
    const bytes = await this.#context.read(handle);
    return new STORAGE[elementType](bytes.buffer);
  }

  async toArray(value) {
    const { elementType, shape } = value;
    return unflattened(await this.read(value), elementType, shape);
  }

  async wait() {
    await this.#context.wait();
  }

  flush() {
    this.#context.flush();
  }

  kernels(value) {
    return this.#context.kernels(handleOf(value));
  }

  memory() {
    const [inUse, pooled, peak] = this.#context.memory();
    return { inUse, pooled, peak, wasm: memoryBytes() };
  }

  trim() {
    this.#context.trim();
  }

  arrayFrom(buffer, shape, elementType = "f32", offset = 0) {
    onlyFull(Context.prototype.arrayFrom, "values of buffers");
    check(buffer, "GPUBuffer", "buffer");
    return made(this.#context.arrayFrom(buffer, numbers(shape, "shape"), string(elementType, "elementType"), number(offset, "offset")));
  }

  buffer(value) {
    onlyFull(Context.prototype.buffer, "buffers of values");
    const [buffer, offset, size] = this.#context.buffer(handleOf(value));
    return { buffer, offset, size };
  }

  encode(encoder, value, target) {
    this.#encoder(encoder).write(handleOf(value), handleOf(target));
  }

  encodeToTexture(encoder, image, texture) {
    const recorded = this.#encoder(encoder);
    check(texture, "GPUTexture", "texture");
    recorded.writeTexture(handleOf(image), texture);
  }

  submitted(encoder) {
    this.#encoders.get(encoder)?.submitted();
  }

  #encoder(encoder) {
    onlyFull(Context.prototype.encoder, "commands in encoders");
    check(encoder, "GPUCommandEncoder", "encoder");
    if (!this.#encoders.has(encoder)) this.#encoders.set(encoder, this.#context.encoder(encoder));
    return this.#encoders.get(encoder);
  }

  destroy() {
    if (this.#isGuest) this.#context.notifyLost("destroy() gave it back");
    else this.#context.destroy();
  }
}

if (Symbol.dispose) Gpu.prototype[Symbol.dispose] = Gpu.prototype.destroy;
outwardClass(Gpu);

// Returns the adapter's name, as far as the browser tells it.
async function adapterName(device) {
  const info = device.adapterInfo ?? (await navigator.gpu.requestAdapter())?.info;
  const name = info?.description || [info?.vendor, info?.architecture].filter(Boolean).join(" ");
  return name || "an adapter without a name";
}

export const open = outward(async function open({ device } = {}) {
  if (device !== undefined) {
    onlyFull(Context.ofDevice, "devices of pages");
    check(device, "GPUDevice", "device");
  }
  await init();
  // wgpu stops the WebAssembly elsewhere.
  if (!globalThis.Window && !globalThis.WorkerGlobalScope) {
    throw new Error("no WebGPU outside of a browser's page or worker: open() is for these; shapes, types and errors work here, too");
  }
  const context = await (device ? Context.ofDevice(device) : Context.open());
  device?.lost.then(({ reason, message }) => context.notifyLost(`${reason}: ${message}`));
  return new Gpu(context, await adapterName(context.device), device !== undefined);
});
