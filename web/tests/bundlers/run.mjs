// Packs the JavaScript module as npm does, installs what was packed, and builds programs with it by
// bundlers, as they are without configuration; Chromium runs the programs. Node.js and TypeScript
// take the package, too:
//
//   node run.mjs FOLDER
//
// FOLDER is what `scripts/build-web --package` has built. The exit status is 1 if a tool refuses the
// package or warns of it, or if a program's result is wrong.

import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { build as esbuild } from "esbuild";
import * as vite5 from "vite5";
import * as vite6 from "vite6";
import * as vite7 from "vite7";
import * as vite8 from "vite8";
import webpack from "webpack";
import { launch, openPage, serve } from "../browser.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "indim-bundlers-"));

// Packs the package and installs the tarball; returns its folder.
function install(built) {
  const npm = (...words) => execFileSync("npm", [...words, "--silent", "--no-audit", "--no-fund"], { cwd: scratch, encoding: "utf8" });
  const [{ filename, files }] = JSON.parse(npm("pack", resolve(built), "--json"));
  const packed = files.map(({ path }) => path);
  const { exports } = JSON.parse(readFileSync(join(built, "package.json"), "utf8"));
  const named = Object.values(exports).flatMap((to) => (typeof to === "string" ? [to] : Object.values(to)));
  const missing = [...named.map((path) => path.slice(2)), "README.md", "LICENSE-MIT"].filter((path) => !packed.includes(path));
  if (missing.length > 0) throw new Error(`the package lacks ${missing}`);
  writeFileSync(join(scratch, "package.json"), '{"private": true, "type": "module"}');
  npm("install", "--offline", `./${filename}`);
  return join(scratch, "node_modules/indim");
}

const PROGRAMS = {
  indim: `import { array, numpy, open, rules } from "indim";
async function main() {
  const gpu = await open();
  const sum = numpy.add(array([[1, 2], [3, 4]]), array([10, 20]));
  return [...await gpu.read(sum), "B1" in rules].join();
}`,
  "indim/full": `import { array, init, open, wgsl } from "indim/full";
async function main() {
  await init();
  const half = wgsl("fn half(x: f32) -> f32 { return 0.5 * x; }");
  const gpu = await open();
  return [...await gpu.read(half.call([array([22, 44, 26, 48])])), true].join();
}`,
};
const EXPECTED = "11,22,13,24,true";

// Browsers ask for an icon where a page has none.
const page = (script) => `<!doctype html><link rel="icon" href="data:,"><script type="module" src="${script}"></script>`;

// Writes a project that has the package, and returns its folder.
function project(name, installed, entry) {
  const folder = join(scratch, name);
  mkdirSync(join(folder, "src"), { recursive: true });
  cpSync(installed, join(folder, "node_modules/indim"), { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"private": true, "type": "module", "dependencies": {"indim": "*"}}');
  writeFileSync(join(folder, "src/main.js"), `${PROGRAMS[entry]}\nmain().catch((error) => error).then((text) => { document.title = text; });\n`);
  writeFileSync(join(folder, "index.html"), page("/src/main.js"));
  return folder;
}

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
async function withEsbuild(folder, entry) {
  const { errors, warnings } = await esbuild({
    absWorkingDir: folder, entryPoints: ["src/main.js"], bundle: true, format: "esm",
    outfile: "dist/main.js", logLevel: "silent",
  });
  copyFileSync(join(folder, "node_modules", entry, "indim_web_bg.wasm"), join(folder, "dist/indim_web_bg.wasm"));
  writeFileSync(join(folder, "dist/index.html"), page("main.js"));
  return [...errors, ...warnings].map(({ text }) => text);
}

function quiet(vite, said) {
  const say = (text) => said.push(text);
  return { ...vite.createLogger("silent"), warn: say, warnOnce: say, error: say };
}

const withVite = (vite) => async (folder) => {
  const said = [];
  // Where the program is served is for its owner to say.
  await vite.build({ root: folder, base: "./", configFile: false, logLevel: "warn", customLogger: quiet(vite, said) });
  return said;
};

// Vite's server, with the one setting that README names.
const servedByVite = (vite) => async (folder, browser) => {
  const said = [];
  const server = await vite.createServer({
    root: folder, configFile: false, logLevel: "warn", customLogger: quiet(vite, said),
    server: { host: "127.0.0.1", port: 0, hmr: false, watch: null }, optimizeDeps: { exclude: ["indim"] },
  });
  try {
    await server.listen();
    const wrong = await run(browser, `http://127.0.0.1:${server.httpServer.address().port}/`);
    // Vite's own client says that it connects.
    return [...said, ...wrong.filter((text) => !text.startsWith("console.debug: [vite] "))];
  } finally {
    await server.close();
  }
};

const VITES = { "Vite 5": vite5, "Vite 6": vite6, "Vite 7": vite7, "Vite 8": vite8 };
const BUNDLERS = [
  ["webpack 5", withWebpack], ["esbuild", withEsbuild],
  ...Object.entries(VITES).map(([name, vite]) => [name, withVite(vite)]),
];

async function run(browser, address) {
  const { page, said } = await openPage(browser, address);
  await page.waitForFunction(() => document.title !== "");
  const title = await page.title();
  await page.close();
  return [...(title === EXPECTED ? [] : [`the result is ${title}`]), ...said];
}

// Runs a check, which returns what is wrong, and counts failures.
let failures = 0;
async function check(name, test) {
  const begun = performance.now();
  let wrong;
  try {
    wrong = await test();
  } catch (error) {
    wrong = [`${error.stack}${error.stdout ?? ""}`];
  }
  failures += wrong.length > 0;
  const took = `${((performance.now() - begun) / 1000).toFixed(1)} s`;
  console.log([`${wrong.length > 0 ? "FAILED " : "ok     "} ${name}, ${took}`, ...wrong].join("\n"));
}

function inNode(installed) {
  const folder = project("node", installed, "indim");
  copyFileSync(join(here, "pure.mjs"), join(folder, "pure.mjs"));
  const said = execFileSync(process.execPath, ["pure.mjs"], { cwd: folder, encoding: "utf8" });
  return said === "ok\n" ? [] : [said];
}

// The declarations are checked, too, as `skipLibCheck` is off.
function inTypeScript(installed, lib, moduleResolution) {
  const folder = project(`typescript-${lib}-${moduleResolution}`, installed, "indim");
  copyFileSync(join(here, "program.ts"), join(folder, "program.ts"));
  const options = {
    strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, noEmit: true, skipLibCheck: false,
    target: "es2022", lib: [lib, "dom"], types: [], moduleResolution, module: moduleResolution === "bundler" ? "esnext" : "nodenext",
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files: ["program.ts"] }));
  execFileSync(join(here, "node_modules/.bin/tsc"), ["-p", folder], { encoding: "utf8" });
  return [];
}

function sizes(installed) {
  for (const folder of ["", "full"]) {
    const module = readFileSync(join(installed, folder, "indim_web_bg.wasm"));
    console.log(`        ${join("indim", folder)}: ${module.length.toLocaleString("en")} bytes, ${brotliCompressSync(module).length.toLocaleString("en")} after brotli`);
  }
}

const installed = install(process.argv[2]);
if (!existsSync(join(installed, "package.json"))) throw new Error("npm has installed nothing");
sizes(installed);
const { server, address } = await serve({ "/": scratch });
const browser = await launch();
await check("Node.js", () => inNode(installed));
for (const [lib, resolution] of [["es2022", "bundler"], ["esnext", "nodenext"]]) {
  await check(`TypeScript, lib ${lib}, ${resolution}`, () => inTypeScript(installed, lib, resolution));
}
for (const [name, build] of BUNDLERS) {
  for (const entry of Object.keys(PROGRAMS)) {
    await check(`${name} with ${entry}`, async () => {
      const folder = `${name}-${entry}`.replace(/\W+/g, "-").toLowerCase();
      const wrong = await build(project(folder, installed, entry), entry);
      return wrong.length > 0 ? wrong : run(browser, `${address}/${folder}/dist/`);
    });
  }
}
for (const [name, vite] of Object.entries(VITES)) {
  await check(`the server of ${name}`, () => servedByVite(vite)(project(`served-${name.replace(" ", "-")}`, installed, "indim"), browser));
}
await browser.close();
server.close();
rmSync(scratch, { recursive: true });
process.exitCode = failures === 0 ? 0 : 1;
