// The GPU, which is opened once, and again after it was lost.

import { open } from "../indim.js";

let opened;

// Returns the adapter's name, of what the browser tells of it.
async function adapterName() {
  const adapter = await navigator.gpu?.requestAdapter();
  const { vendor, architecture, device, description } = adapter?.info ?? {};
  return description || [vendor, architecture, device].filter(Boolean).join(" ") || "WebGPU";
}

async function start() {
  try {
    const gpu = await open();
    return { gpu, adapter: await adapterName() };
  } catch (error) {
    const adapter = await navigator.gpu?.requestAdapter().catch(() => null);
    return { message: error.message, hasAdapter: Boolean(adapter) };
  }
}

// Resolves to { gpu, adapter }, or to { message, hasAdapter } with the reason why there is none.
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
