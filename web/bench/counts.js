// Counts what a library asks of WebGPU while a function runs, by standing in front of its methods.

const COUNTED = [
  ["dispatches", "GPUComputePassEncoder", "dispatchWorkgroups"],
  ["dispatches", "GPUComputePassEncoder", "dispatchWorkgroupsIndirect"],
  ["passes", "GPUCommandEncoder", "beginComputePass"],
  ["encoders", "GPUDevice", "createCommandEncoder"],
  ["submits", "GPUQueue", "submit"],
  ["buffers", "GPUDevice", "createBuffer"],
  ["bind_groups", "GPUDevice", "createBindGroup"],
  ["writes", "GPUQueue", "writeBuffer"],
  ["error_scopes", "GPUDevice", "pushErrorScope"],
];

// Returns how often each was called. The methods are as before afterwards, so that nothing that is
// timed goes through a counter.
export async function counted(run) {
  const counts = Object.fromEntries(COUNTED.map(([name]) => [name, 0]));
  const originals = COUNTED.map(([name, owner, method]) => {
    const { prototype } = globalThis[owner];
    const original = prototype[method];
    prototype[method] = function (...operands) {
      counts[name] += 1;
      return original.apply(this, operands);
    };
    return () => { prototype[method] = original; };
  });
  try {
    await run();
  } finally {
    for (const restore of originals) restore();
  }
  return counts;
}
