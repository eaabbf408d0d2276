// The memory of WebAssembly is filled; what does not fit is an error, and the module goes on working.
import { array, full, iota, open } from "/indim.js";
import start from "/indim_web.js";
import { equal, refused } from "./expect.mjs";

const MIB = 2 ** 20;
const PAGE = 64 * 1024;

export default async function memoryIsShort() {
  // The module has been started, so this returns what it exports, under the short names of wasm-opt.
  const memory = Object.values(await start()).find((exported) => exported instanceof WebAssembly.Memory);
  const gpu = await open();
  // The pages are never touched.
  memory.grow((4096 * MIB - memory.buffer.byteLength - 300 * MIB) / PAGE);
  const kept = [];
  const short = "out of WebAssembly's memory for";
  for (let size = 128 * MIB; size >= 4 * MIB; size /= 2) {
    const fill = () => {
      for (;;) kept.push(array(new Uint8Array(size)));
    };
    await refused(fill, `${short} ${size} bytes`, undefined);
  }
  const bytes = kept.reduce((sum, { shape }) => sum + shape[0], 0);
  if (bytes < 200 * MIB || bytes > 320 * MIB) throw new Error(`values take ${bytes} bytes`);
  await refused(() => array(new Uint8Array(2 ** 31)), `${short} ${2 ** 31} bytes`, undefined);
  await refused(() => array(new Float32Array(MIB), undefined, "f64"), `${short} ${8 * MIB} bytes`, undefined);
  await refused(() => gpu.read(full([8 * MIB], 7, "u8")), `${short} ${8 * MIB} bytes`, undefined);
  equal(await gpu.read(iota([3]).add(1)), [1, 2, 3], "a small value afterwards");
  for (const value of kept) value.free();
  const again = array(new Uint8Array(100 * MIB).fill(3));
  equal((await gpu.read(again)).at(-1), 3, "after values were freed");
  gpu.destroy();
}
