// What `open()` says where there is no WebGPU: what helps in a browser.
import { open } from "/indim.js";
import { refused } from "./expect.mjs";

async function says(words, without) {
  await refused(open, words, undefined);
  await open().catch(({ message }) => {
    const wrong = ["apt-get", "WGPU_", "JsValue", "wasm", "\n"].filter((text) => message.includes(text));
    if (wrong.length > 0) throw new Error(`${without}: the message has ${wrong}: ${message}`);
  });
}

export default async function withoutWebGpu() {
  const { requestDevice } = GPUAdapter.prototype;
  for (const reason of [new Error("not\ntoday"), new DOMException("not today", "OperationError")]) {
    GPUAdapter.prototype.requestDevice = () => Promise.reject(reason);
    await says("the adapter did not provide a device: ", "no device");
    await says("not", "no device");
  }
  GPUAdapter.prototype.requestDevice = requestDevice;

  const { requestAdapter } = GPU.prototype;
  const helps = ["https or localhost", "Chrome or Edge 113", "Firefox", "Safari", "chrome://gpu"];
  for (const answer of [() => Promise.resolve(null), () => Promise.reject(new Error("no"))]) {
    GPU.prototype.requestAdapter = answer;
    for (const words of helps) await says(words, "no adapter");
  }
  GPU.prototype.requestAdapter = requestAdapter;

  Object.defineProperty(Navigator.prototype, "gpu", { get: () => undefined });
  for (const words of helps) await says(words, "no navigator.gpu");
}
