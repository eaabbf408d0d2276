export * from "./indim.js";

/**
 * Loads the WebAssembly, which importing this module does not; `open` does so, too. Before it is
 * loaded, `array`, `full`, `iota` and `wgsl` throw, and `numpy` and `rules` are undefined.
 */
export function init(): Promise<void>;
