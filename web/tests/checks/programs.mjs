// Runs random programs, and rejects at the first that is wrong.
import start, { random_programs } from "/tests/indim_web_tests.js";

await start({ module_or_path: "/tests/indim_web_tests_bg.wasm" });

export default async function programs(count) {
  return random_programs(count);
}
