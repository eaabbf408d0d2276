// Calls the tests of errors, which reject where something is wrong.
import start, * as tests from "/tests/indim_web_tests.js";

const { memory } = await start({ module_or_path: "/tests/indim_web_tests_bg.wasm" });

// Nothing may wait for a frame: a page in the background has none.
globalThis.requestAnimationFrame = () => {
  throw new Error("something waits for a frame of the page");
};

const NAMES = [
  "a_destroyed_buffer_hits_its_own_results",
  "later_batches_tell_too",
  "encoded_results_that_read_a_refused_array",
  "uploads_of_a_refused_batch_are_made_again",
  "a_dropped_reading_leaves_the_others",
  "a_device_is_shared_with_a_canvas",
  "a_lost_device_is_an_error",
];

const turnOfTheLoop = () => new Promise((done) => setTimeout(done, 0));

// A page that submits in each turn and never waits: what the library keeps does not grow.
async function turns() {
  const [EACH, ROUNDS] = [10, 60];
  const page = await tests.Turns.open();
  const sizes = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (let i = 0; i < EACH; i++) page.take();
    await turnOfTheLoop();
    sizes.push(memory.buffer.byteLength);
  }
  const value = await page.first();
  if (value !== 1 + EACH * ROUNDS) throw new Error(`after ${EACH * ROUNDS} turns it is ${value}`);
  const [half, all] = [sizes[ROUNDS / 2], sizes[ROUNDS - 1]];
  if (all > half) throw new Error(`memory grows from ${half} to ${all} bytes`);
}

// Buffers of LARGE bytes or more are refused for want of memory, as WebGPU says it: the buffer is
// invalid, and the scope of that filter has the error.
async function shortage() {
  const LARGE = 2 ** 22;
  const { createBuffer, pushErrorScope, popErrorScope } = GPUDevice.prototype;
  const scopes = [];
  let refusals = 0;
  Object.assign(GPUDevice.prototype, {
    createBuffer(descriptor) {
      const scope = scopes.findLast(({ filter }) => filter === "out-of-memory");
      if (!scope || descriptor.size < LARGE) return createBuffer.call(this, descriptor);
      refusals += 1;
      scope.refused = true;
      pushErrorScope.call(this, "validation");
      const invalid = createBuffer.call(this, { size: descriptor.size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.MAP_WRITE });
      popErrorScope.call(this);
      return invalid;
    },
    pushErrorScope(filter) {
      scopes.push({ filter });
      return pushErrorScope.call(this, filter);
    },
    async popErrorScope() {
      const { refused } = scopes.pop() ?? {};
      const error = await popErrorScope.call(this);
      return refused ? new GPUOutOfMemoryError("no memory is left") : error;
    },
  });
  const giveMemory = () => Object.assign(GPUDevice.prototype, { createBuffer, pushErrorScope, popErrorScope });
  try {
    await tests.a_shortage_hits_what_needs_the_memory(giveMemory);
  } finally {
    giveMemory();
  }
  if (refusals === 0) throw new Error("no buffer was refused");
}

export default async function errors() {
  for (const [name, test] of [...NAMES.map((name) => [name, tests[name]]), ["turns", turns], ["shortage", shortage]]) {
    try {
      await test();
    } catch (error) {
      throw new Error(`${name}: ${error.message}`);
    }
  }
}
