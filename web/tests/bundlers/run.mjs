// Builds a program with the JavaScript module by bundlers, as they are without configuration, and
// runs it in Chromium:
//
//   node run.mjs FOLDER
//
// FOLDER is what `scripts/build-web` has built. The exit status is 1 if a bundler refuses the
// module or warns of it, or if the program's result is wrong.

import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build as esbuild } from "esbuild";
import * as vite5 from "vite5";
import * as vite6 from "vite6";
import * as vite7 from "vite7";
import * as vite8 from "vite8";
import webpack from "webpack";
import { launch, openPage, serve } from "../browser.mjs";

const built = resolve(process.argv[2]);
const scratch = mkdtempSync(join(tmpdir(), "indim-bundlers-"));

// The same program with each of the modules; the second one has nothing before open().
const program = (module) => `import { array, numpy, open, rules } from "./indim/${module}";
async function main() {
  const gpu = await open();
  const sum = numpy.add(array([[1, 2], [3, 4]]), array([10, 20]));
  return [...await gpu.read(sum), "B1" in rules].join();
}
main().catch((error) => error).then((text) => { document.title = text; });
`;
const EXPECTED = "11,22,13,24,true";

// Writes a project, and returns its folder.
function project(name, module) {
  const folder = join(scratch, name);
  mkdirSync(join(folder, "src/indim"), { recursive: true });
  for (const file of readdirSync(built).filter((file) => /\.(js|ts|wasm)$/.test(file))) {
    copyFileSync(join(built, file), join(folder, "src/indim", file));
  }
  writeFileSync(join(folder, "src/main.js"), program(module));
  writeFileSync(join(folder, "index.html"), page("/src/main.js"));
  return folder;
}

// Browsers ask for an icon where a page has none.
const page = (script) => `<!doctype html><link rel="icon" href="data:,"><script type="module" src="${script}"></script>`;

function withWebpack(folder) {
  const config = {
    mode: "production", context: folder, entry: "./src/main.js", output: { path: join(folder, "dist") },
    // The module is larger than webpack likes any file to be.
    performance: { hints: false },
  };
  return new Promise((done, failed) => webpack(config, (error, stats) => {
    if (error) return failed(error);
    const { errors, warnings } = stats.toJson({ all: false, errors: true, warnings: true });
    writeFileSync(join(folder, "dist/index.html"), page("main.js"));
    done([...errors, ...warnings].map(({ message }) => message));
  }));
}

// esbuild leaves copying to its user.
async function withEsbuild(folder) {
  const { errors, warnings } = await esbuild({
    absWorkingDir: folder, entryPoints: ["src/main.js"], bundle: true, format: "esm",
    outfile: "dist/main.js", logLevel: "silent",
  });
  copyFileSync(join(folder, "src/indim/indim_web_bg.wasm"), join(folder, "dist/indim_web_bg.wasm"));
  writeFileSync(join(folder, "dist/index.html"), page("main.js"));
  return [...errors, ...warnings].map(({ text }) => text);
}

const withVite = (vite) => async (folder) => {
  const said = [];
  const say = (text) => said.push(text);
  const customLogger = { ...vite.createLogger("silent"), warn: say, warnOnce: say, error: say };
  // Where the program is served is for its owner to say.
  await vite.build({ root: folder, base: "./", configFile: false, logLevel: "warn", customLogger });
  return said;
};

const BUNDLERS = [
  ["webpack 5", withWebpack, ["indim.js", "lazy.js"]],
  ["esbuild", withEsbuild, ["indim.js", "lazy.js"]],
  // By default these two build for browsers without top-level await.
  ["Vite 5", withVite(vite5), ["lazy.js"]],
  ["Vite 6", withVite(vite6), ["lazy.js"]],
  ["Vite 7", withVite(vite7), ["indim.js", "lazy.js"]],
  ["Vite 8", withVite(vite8), ["indim.js", "lazy.js"]],
];

async function run(browser, address) {
  const { page, said } = await openPage(browser, address);
  await page.waitForFunction(() => document.title !== "");
  const title = await page.title();
  await page.close();
  return [...(title === EXPECTED ? [] : [`the result is ${title}`]), ...said];
}

const { server, address } = await serve({ "/": scratch });
const browser = await launch();
let failures = 0;
for (const [name, build, modules] of BUNDLERS) {
  for (const module of modules) {
    const begun = performance.now();
    const folder = `${name}-${module}`.replace(/\W+/g, "-").toLowerCase();
    let wrong;
    try {
      wrong = await build(project(folder, module));
      if (wrong.length === 0) wrong = await run(browser, `${address}/${folder}/dist/`);
    } catch (error) {
      wrong = [error.stack];
    }
    failures += wrong.length > 0;
    const took = `${((performance.now() - begun) / 1000).toFixed(1)} s`;
    console.log([`${wrong.length > 0 ? "FAILED " : "ok     "} ${name} with ${module}, ${took}`, ...wrong].join("\n"));
  }
}
await browser.close();
server.close();
rmSync(scratch, { recursive: true });
process.exitCode = failures === 0 ? 0 : 1;
