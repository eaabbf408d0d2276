// Loads the WebAssembly, which the page's modules use as soon as they run, and then the page.

import { init } from "../indim.js";

await init();
await import("./main.js");
