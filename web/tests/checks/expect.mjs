// Compares values, and looks for errors, and throws where they are not what a test expects.

export function equal(got, expected, what) {
  const [left, right] = [got, expected].map((value) =>
    JSON.stringify(ArrayBuffer.isView(value) ? Array.from(value, Number) : value));
  if (left !== right) throw new Error(`${what}: got ${left}, expected ${right}`);
}

export async function refused(call, words, rule) {
  let message;
  try {
    await call();
  } catch (error) {
    message = error.message;
    equal(error.rule, rule, `the rule of ${message}`);
  }
  if (message === undefined) throw new Error(`no error, but one with ${words} was expected`);
  if (!message.includes(words)) throw new Error(`the error is ${message}, without ${words}`);
}
