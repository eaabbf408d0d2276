// Calls the tests of functions of the user's own, which reject where something is wrong.
import start, { endless_loops_are_errors, functions_compute } from "/tests/indim_web_tests.js";

await start({ module_or_path: "/tests/indim_web_tests_bg.wasm" });

export default async function functions() {
  await functions_compute();
  const text = await endless_loops_are_errors();
  if (!text.includes("a loop runs more than 65536 times")) throw new Error(text);
}
