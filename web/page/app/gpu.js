// The GPU, which is opened once, and again after it was lost.

import { open } from "../indim.js";

let opened;

// Adapters of these names compute on the CPU.
const SOFTWARE = /swiftshader|llvmpipe|lavapipe|basic render|\bwarp\b/i;

// Returns the adapter's name, of what the browser tells of it, and whether it is software.
async function describe() {
  const adapter = await navigator.gpu?.requestAdapter();
  const { vendor, architecture, device, description, isFallbackAdapter } = adapter?.info ?? {};
  const parts = [vendor, architecture, device].filter(Boolean);
  const software = Boolean(isFallbackAdapter ?? adapter?.isFallbackAdapter) || SOFTWARE.test([description, ...parts].join(" "));
  return { adapter: description || parts.join(" ") || "WebGPU", software };
}

async function start() {
  try {
    const gpu = await open();
    return { gpu, ...(await describe()) };
  } catch (error) {
    const adapter = await navigator.gpu?.requestAdapter().catch(() => null);
    return { message: error.message, hasAdapter: Boolean(adapter) };
  }
}

// Resolves to { gpu, adapter, software }, or to { message, hasAdapter } with the reason why there is
// none.
export function theGpu() {
  opened ??= start();
  return opened;
}

// Opens another device the next time, because this one is lost.
export function forgetGpu() {
  opened = undefined;
}

export function hasWebGpu() {
  return navigator.gpu !== undefined;
}
