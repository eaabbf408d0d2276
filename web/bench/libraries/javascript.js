// Plain JavaScript loops, on one thread of the CPU.

import { reference } from "../reference.js";

export default async function open() {
  return {
    adapter: "the CPU, one thread",
    wait() {},
    prepare(pattern, data) {
      const length = pattern.result.reduce((product, size) => product * size, 1);
      // The memory of the result is used again, as libraries do on the device.
      const result = new Float32Array(length);
      return {
        evaluate: () => reference(pattern, data, result),
        read: (result) => result,
        release() {},
        dispose() {},
      };
    },
  };
}
