// Calls that wait while the WebAssembly stops. Tasks that its promises wait for run outside of any
// call, so a trap in one of them is an uncaught error of the page, and the promises would stay pending.

import { moduleAddress } from "./wasm.js";

// Functions that reject the promises of calls that wait.
const waiting = new Set();

// Browsers other than Safari name the module in the stack.
function isOurs(error) {
  const named = /[^\s@(]+\.wasm/.exec(error?.stack ?? "")?.[0];
  if (named === undefined || !moduleAddress()) return error instanceof WebAssembly.RuntimeError;
  return named === moduleAddress();
}

function stopped(event) {
  const error = event.error ?? event.reason;
  if (!isOurs(error)) return;
  event.preventDefault();
  for (const reject of [...waiting]) reject(error);
}

function listen(add) {
  const change = globalThis[add ? "addEventListener" : "removeEventListener"];
  for (const name of ["error", "unhandledrejection"]) change?.call(globalThis, name, stopped);
}

/** Returns a promise that settles as another one, and is rejected if the WebAssembly stops before. */
export function unlessStopped(promise) {
  return new Promise((resolve, reject) => {
    const over = (settle) => (value) => {
      waiting.delete(rejected);
      if (waiting.size === 0) listen(false);
      settle(value);
    };
    const rejected = over(reject);
    if (waiting.size === 0) listen(true);
    waiting.add(rejected);
    promise.then(over(resolve), rejected);
  });
}
