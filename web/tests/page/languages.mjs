// English, Chinese and Portuguese: every text and every rule in each.

import { assert, until } from "./common.mjs";

// Texts that are the same in another language, as names and numbers are.
const SAME = new Set(["name.lhs", "name.rhs", "fill.count", "fill.seven", "fill.iota", "kernel.stride", "kernel.work", "bench.rate"]);

export async function all_texts_in_each(open) {
  const page = await open();
  const { texts, labels, used } = await page.evaluate(async () => {
    const files = await Promise.all(["en", "zh", "pt"].map((key) => import(`/strings/${key}.js`)));
    const { rules } = await import("/indim.js");
    const sources = ["play", "binary", "reduction", "fields", "grid", "picture", "result", "main", "puzzles", "check", "bench", "kernels", "rule-list", "frame", "start", "glossary", "words", "dimension-map"];
    const code = await Promise.all(sources.map(async (name) => (await fetch(`/app/${name}.js`)).text()));
    code.push(await (await fetch("/demos/shell.js")).text());
    const used = [...code.join("\n").matchAll(/\bt\("([\w.]+)"/g)].map((match) => match[1]);
    return { texts: Object.fromEntries(files.map((file, i) => [["en", "zh", "pt"][i], file.default])), labels: rules, used };
  });
  const keys = Object.keys(texts.en.strings);
  assert.ok(keys.length > 150, `${keys.length} texts`);
  for (const key of used) assert.ok(keys.includes(key), `there is no text ${key}`);
  assert.equal(Object.keys(labels).length, 44, "rules of the library");
  for (const key of ["zh", "pt"]) {
    const { strings, rules } = texts[key];
    assert.deepEqual(Object.keys(strings).sort(), [...keys].sort(), `the keys of ${key}`);
    assert.deepEqual(Object.keys(rules).sort(), Object.keys(labels).sort(), `the rules of ${key}`);
    const own = { ...strings, ...rules };
    const english = { ...texts.en.strings, ...labels };
    for (const [name, text] of Object.entries(own)) {
      assert.ok(text.trim() !== "", `${name} of ${key} is empty`);
      if (SAME.has(name)) continue;
      assert.notEqual(text, english[name], `${name} of ${key} is English`);
      if (key === "zh") assert.doesNotMatch(text, /[。，；：！？] /, `${name} of zh has no space after its signs`);
      if (key === "zh") assert.match(text, /\p{Script=Han}|，/u, `${name} of ${key} has Chinese characters`);
    }
    const places = (text) => [...text.matchAll(/\{\w+\}/g)].map(String).sort().join();
    for (const name of keys) assert.equal(places(strings[name]), places(texts.en.strings[name]), `the places in ${name} of ${key}`);
  }
  console.log(`  languages: ${keys.length} texts and ${Object.keys(labels).length} rules in each of 3`);
}

const HEADINGS = {
  en: ["Broadcasting you can point at", "Fourteen puzzles", "Your GPU", "The rules"],
  "zh-CN": ["指一指，看懂广播", "十四道谜题", "你的 GPU", "规则一览"],
  "pt-BR": ["Broadcasting na ponta do dedo", "Quatorze desafios", "Sua GPU", "As regras"],
};

export async function by_the_browser(open) {
  for (const [locale, headings] of Object.entries(HEADINGS)) {
    const page = await open("", { locale });
    for (const [i, heading] of headings.entries()) {
      await page.locator("nav a").nth(i).click();
      await until(async () => (await page.locator("h1").textContent()) === heading, heading);
    }
  }
}

export async function by_the_switch(open) {
  const page = await open("#lhs=2,3&rhs=3&dims=0");
  const english = await page.locator("#refusal-dims .rule").textContent();
  await page.getByRole("button", { name: "中文" }).click();
  assert.equal(await page.getAttribute("html", "lang"), "zh-Hans");
  assert.match(await page.locator("#refusal-dims .rule").textContent(), /B5 相对应的维度/);
  assert.match(await page.locator("#refusal-dims .message").textContent(), /add: dimension 0 of rhs/);
  await page.reload();
  await until(async () => (await page.locator("h1").textContent()) === HEADINGS["zh-CN"][0], "the language is remembered");
  await page.getByRole("button", { name: "Português" }).click();
  assert.match(await page.locator("#refusal-dims .rule").textContent(), /dimensões correspondentes/);
  await page.getByRole("button", { name: "English" }).click();
  assert.equal(await page.locator("#refusal-dims .rule").textContent(), english);
}

// Beside the library's message, which is English, readers of other languages are told what to do.
export async function what_to_do(open) {
  const refused = ["#lhs=2.5", "#lhs=9007199254740992", "#rhs=9007199254740992", "#dims=0.5", "#op=reduce_sum&reduce=0.5", "#type=f128"];
  for (const [locale, key] of [["zh-CN", "zh"], ["pt-BR", "pt"]]) {
    const page = await open("", { locale });
    const { links, remedies } = await page.evaluate(async (key) => ({
      links: Object.entries((await import("/app/rule-examples.js")).IN_PLAY), remedies: (await import(`/strings/${key}.js`)).default.remedies,
    }), key);
    const told = page.locator(".refusal .remedy");
    for (const [label, hash] of [...links, ...refused.map((hash) => [hash.startsWith("#type") ? "choice" : "number", hash])]) {
      await page.evaluate((hash) => location.replace(hash), hash);
      await until(async () => (await told.allTextContents()).join() === remedies[label] && remedies[label], `${hash} in ${locale}`);
    }
    // The page's own messages are in the reader's language, and marked as nothing else.
    await page.fill("#lhs", "2,a");
    await until(async () => (await page.locator("#refusal-lhs .message").getAttribute("lang")) === null, "the page's own message");
    assert.equal(await told.count(), 0);
    await page.evaluate(() => location.replace("#type=f64"));
    assert.equal(await page.locator("#gpu-note .remedy").textContent(), remedies.choice, "the adapter has no f64");
    await page.evaluate(() => location.replace("#tab=puzzles"));
    for (const [number, answer, label] of [[1, "0", "B5"], [11, "add(eq(1, 1), 2)", "T2"], [11, "iota([5,5], 2)", "I1"], [14, "2", "R1"]]) {
      await page.fill(`#puzzle-${number}`, answer);
      await page.press(`#puzzle-${number}`, "Enter");
      await until(async () => (await page.locator(`#puzzle-${number}-hint .remedy`).allTextContents()).join() === remedies[label], `puzzle ${number} in ${locale}`);
    }
  }
  // Where a refusal was asked for, nothing is to be mended.
  const asked = await open("#tab=puzzles", { locale: "pt-BR" });
  await asked.fill("#puzzle-14", "1,1");
  await asked.press("#puzzle-14", "Enter");
  assert.equal(await asked.locator("#puzzle-14-hint .label").textContent(), "R2");
  assert.equal(await asked.locator(".remedy").count(), 0);
  const english = await open("#dims=");
  assert.equal(await english.locator(".refusal .label").textContent(), "B1");
  assert.equal(await english.locator(".remedy").count(), 0, "the message itself says it");
}

// Chinese has spaces beside Latin words, and none between its own.
export async function spaces_in_chinese(open) {
  const page = await open("#op=reduce_sum&lhs=2,3&reduce=1", { locale: "zh-CN" });
  assert.match(await page.locator(".words ul").textContent(), /操作数的形状是 \[2, 3\]/);
  assert.equal(await page.locator("label[for=lhs-fill]").textContent(), "操作数的数值");
  await page.evaluate(() => location.replace("#lhs=2,3&rhs=3&dims=1"));
  await until(async () => (await page.locator("label[for=lhs-fill]").textContent()) === "lhs 的数值", "a Latin name");
}

// One of a thing is counted as such.
export async function one_or_several(open) {
  const page = await open();
  const said = await page.evaluate(async () => {
    const { counted, setLanguage } = await import("/app/text.js");
    return ["en", "pt", "zh"].map((key) => (setLanguage(key), [0, 1, 2].map((count) => counted("demo.rate", count))));
  });
  assert.deepEqual(said, [
    ["0 pictures a second", "1 picture a second", "2 pictures a second"],
    ["0 imagens por segundo", "1 imagem por segundo", "2 imagens por segundo"],
    ["每秒 0 帧", "每秒 1 帧", "每秒 2 帧"],
  ]);
}

export async function drafts_stay(open) {
  const page = await open("#tab=puzzles");
  await page.fill("#puzzle-2", "1, 2");
  await page.getByRole("button", { name: "Português" }).click();
  await until(async () => (await page.locator("h1").textContent()) === HEADINGS["pt-BR"][1], "the language");
  assert.equal(await page.inputValue("#puzzle-2"), "1, 2", "an answer that is not yet checked");
}
