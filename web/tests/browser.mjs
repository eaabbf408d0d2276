// A file server and a headless Chromium whose WebGPU is SwiftShader.

import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize, sep } from "node:path";
import { chromium } from "playwright-core";

const TYPES = {
  ".css": "text/css", ".html": "text/html; charset=utf-8", ".js": "text/javascript",
  ".json": "application/json", ".jsonl": "text/plain; charset=utf-8", ".mjs": "text/javascript",
  ".svg": "image/svg+xml", ".wasm": "application/wasm",
};

// Serves folders under paths, such as { "/": "target/web" }, and returns the server's address.
export async function serve(folders) {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname));
    const [prefix, folder] = Object.entries(folders)
      .filter(([prefix]) => path.startsWith(prefix))
      .sort(([a], [b]) => b.length - a.length)[0];
    let file = join(folder, path.slice(prefix.length));
    if (existsSync(file) && statSync(file).isDirectory()) file = join(file, "index.html");
    if (!file.startsWith(normalize(folder + sep)) || !existsSync(file)) {
      response.writeHead(404, { "content-type": "text/html" }).end("<!doctype html><title>404</title>");
      return;
    }
    const type = TYPES[extname(file)] ?? "application/octet-stream";
    response.writeHead(200, { "content-type": type, "cache-control": "no-store" });
    createReadStream(file).pipe(response);
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  return { server, address: `http://127.0.0.1:${server.address().port}` };
}

// Starts Chromium, of the path in the variable CHROMIUM.
export function launch({ webgpu = true } = {}) {
  // Without Vulkan for all that it draws, Chromium loses the device that draws into a canvas, and without
  // Graphite the canvas stays empty.
  const gpu = webgpu
    ? ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader", "--enable-features=Vulkan,SkiaGraphite",
      "--use-vulkan=swiftshader", "--use-angle=swiftshader", "--ignore-gpu-blocklist", "--enable-gpu-rasterization"]
    : ["--disable-gpu"];
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync", ...gpu],
  });
}

// Opens a page, and collects what its console says and what is thrown there. `before` is given the page
// before it goes to the address.
export async function openPage(browser, url, options = {}, before = undefined) {
  const page = await browser.newPage(options);
  const said = [];
  page.on("console", (message) => said.push(`console.${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => said.push(`uncaught: ${error.message}`));
  await before?.(page);
  await page.goto(url);
  return { page, said };
}
