// Judges golden lines, and returns a text for each that does not pass.
import start, { Golden } from "/tests/indim_web_tests.js";

await start({ module_or_path: "/tests/indim_web_tests_bg.wasm" });
const golden = await Golden.open();

// The number of lines on their way at a time.
const TOGETHER = 16;

export default async function judge(text) {
  const lines = text.split("\n");
  const failed = [];
  const next = async () => {
    for (let line = lines.pop(); line !== undefined; line = lines.pop()) {
      failed.push(...(await golden.judge(line)));
    }
  };
  await Promise.all(Array.from({ length: TOGETHER }, next));
  return failed;
}
