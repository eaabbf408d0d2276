// What the page teaches: examples with their sentences, words, lines between dimensions.

import { readFileSync } from "node:fs";
import { assert, cells, result, until } from "./common.mjs";

// The page as a student finds it has the first example of XLA's document, with its values.
export async function the_first_page(open) {
  const page = await open();
  assert.deepEqual([await cells(page, "lhs"), await cells(page, "rhs")], [["1", "2", "3", "4", "5", "6"], ["7", "8", "9"]]);
  assert.equal((await result(page)).join(), "8,10,12,11,13,15");
  assert.equal(await page.locator(".examples").evaluate((element) => element.open), true);
  const sentences = await page.locator(".lessons li p").allTextContents();
  assert.equal(sentences.length, 23);
  assert.equal(new Set(sentences).size, 23, "each example has its own sentence");
  assert.equal(await page.locator(".lessons [aria-pressed=true]").textContent(), "(2,3) + (3) [1]");
  const shown = await page.locator(".shows").textContent();
  assert.equal(shown, `Example 1 of 23. ${sentences[0]}`);
}

export async function each_word_is_explained(open) {
  for (const [locale, words] of [["en-US", ["Rank", "Lower-rank operand", "Degenerate dimension"]], ["zh-CN", ["秩", "低秩操作数", "退化维度"]], ["pt-BR", ["Posto", "Operando de posto menor", "Dimensão degenerada"]]]) {
    const page = await open("", { locale });
    const terms = await page.locator(".glossary dt").allTextContents();
    for (const word of words) assert.ok(terms.includes(word), word);
    assert.ok((await page.locator(".glossary dd").allTextContents()).every((text) => text.length > 10));
  }
  const page = await open();
  await page.getByRole("link", { name: "to each column" }).click();
  await until(async () => (await result(page)).join() === "8,9,10,12,13,14,16,17,18", "a vector that goes to each column");
  await page.getByRole("link", { name: "to each row" }).click();
  await until(async () => (await result(page)).join() === "8,10,12,11,13,15,14,16,18", "and to each row");
}

export async function words_of_a_call(open) {
  const said = async (hash) => (await open(hash)).locator(".words ul").innerText();
  assert.match(await said("#lhs=2,3&rhs=3&dims=1"), /rank 2.*rank 1[\s\S]*rhs is the lower-rank operand. The list \[1\].*its dimension 0 is dimension 1 of lhs[\s\S]*repeated along it, 2 times/);
  assert.match(await said("#lhs=1,3&rhs=3&dims=1"), /dimension 0 of lhs. That one has size 1, so nothing is repeated/);
  assert.match(await said("#lhs=2,3&rhs=3&dims="), /Nothing says which of the 2 dimensions of lhs/);
  assert.match(await said("#lhs=2,3&rhs=&dims="), /rhs is a scalar/);
  assert.match(await said("#lhs=4&rhs=1,2&dims=0"), /lhs is the lower-rank operand[\s\S]*Dimension 0 of rhs has size 1: it is degenerate, and stretches to 4/);
  assert.match(await said("#lhs=2,1&rhs=1,3&dims="), /ranks are equal[\s\S]*Dimension 1 of lhs[\s\S]*Dimension 0 of rhs/);
  assert.match(await said("#lhs=7,2,5&rhs=7,2,6&dims="), /In dimension 2 of the result, size 5 of lhs meets size 6 of rhs. They differ and neither is 1/);
  assert.equal((await said("#lhs=2,3&rhs=3&dims=0")).match(/size 2 of lhs meets size 3 of rhs/g).length, 1, "said once");
  assert.match(await said("#lhs=3&rhs=2,3&dims=0"), /size 3 of lhs meets size 2 of rhs/);
  assert.match(await said("#lhs=2,3,3,5&rhs=3,3&dims=2,1"), /as the rules ask[\s\S]*Dimension 0 of rhs cannot be dimension 2/);
  const refusedByType = await said("#op=and&dims=1");
  assert.ok(/rank 1/.test(refusedByType) && !/the rules ask/.test(refusedByType), "the list is not blamed for a type");
  assert.match(await said("#lhs=2,3&rhs=2&numpy=1"), /NumPy’s rule has no answer here/);
  assert.match(await said("#op=reduce_sum&lhs=2,3&reduce=1"), /operand has shape \[2, 3\].*rank 2[\s\S]*Dimension 1, of size 3, is reduced/);
}

// A line of each dimension of an operand to its dimension of the result.
export async function lines_between_dimensions(open) {
  const lines = async (hash) => (await open(hash)).locator(".map line").evaluateAll((all) => all.map((line) => {
    const { x1, x2 } = line;
    const column = ({ baseVal }) => Math.floor((baseVal.value - 92) / 58);
    return `${line.getAttribute("class")} ${column(x1)}-${column(x2)}`;
  }));
  assert.deepEqual(await lines("#lhs=2,3&rhs=3&dims=1"), ["lhs same 0-0", "lhs same 1-1", "rhs same 0-1"]);
  assert.deepEqual(await lines("#lhs=1,2&rhs=4,3,1&dims=1,2"), ["lhs stretch 0-1", "lhs same 1-2", "rhs same 0-0", "rhs same 1-1", "rhs stretch 2-2"]);
  assert.deepEqual(await lines("#lhs=2,3&rhs=3&dims=0"), ["lhs wrong 0-0", "lhs same 1-1", "rhs wrong 0-0"]);
  assert.deepEqual(await lines("#lhs=2,3,3,5&rhs=3,3&dims=2,1"), ["lhs same 0-0", "lhs same 1-1", "lhs same 2-2", "lhs same 3-3", "rhs wrong 0-2", "rhs wrong 1-1"]);
  assert.deepEqual(await lines("#op=reduce_sum&lhs=2,3,4&reduce=0,2"), ["lhs same 1-0"]);
  const page = await open("#lhs=4&rhs=1,2&dims=0");
  assert.match(await page.locator(".map svg").getAttribute("aria-label"), /Dimension 0 of rhs, of size 1, stretches to dimension 0 of the result/);
}

// An example that is chosen shows its picture: below its button, or, on a telephone, alone.
export async function an_example_comes_into_view(open) {
  const seen = (page, selector) => page.locator(selector).first().evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  });
  const result = "#grid-out td[role=gridcell]";
  const page = await open();
  await page.locator(".lessons button").nth(3).click();
  await until(() => seen(page, result), "the result is in view");
  assert.ok(await seen(page, ".lessons [aria-pressed=true]"), "and so is the button");
  await page.locator(".words button").scrollIntoViewIfNeeded();
  await page.evaluate(() => window.scrollTo(0, document.querySelector(".words").offsetTop));
  await page.locator(".words button").click();
  await until(async () => (await seen(page, "#lhs")) && seen(page, result), "the next example is in view from its fields on");
  const phone = await open("", { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  await phone.locator(".lessons button").nth(3).tap();
  await until(async () => (await seen(phone, "#lhs")) && seen(phone, "#grid-lhs td[role=gridcell]"), "fields and picture are in view");
  // What is said of a cell is in view, too, while the picture is higher than the window.
  await phone.locator(".lessons button").nth(22).tap();
  await phone.locator("#grid-lhs td[role=gridcell]").first().tap();
  assert.ok(await seen(phone, "#about"), "the cell's words are in view");
  // A link leads to its call, from this tab or another.
  await phone.getByRole("link", { name: "to each column" }).tap();
  await until(async () => (await seen(phone, "#lhs")) && seen(phone, "#grid-lhs td[role=gridcell]"), "a call of the words");
  await phone.getByRole("link", { name: "Rules", exact: true }).tap();
  await phone.getByRole("link", { name: "Show me B1" }).tap();
  await until(async () => (await phone.locator("#lhs").isVisible()) && (await seen(phone, "#lhs")) && seen(phone, "#grid-lhs td[role=gridcell]"), "a rule's call");
}

// What was set up by an example is undone by Back, and the focus stays where it was.
export async function back_after_an_example(open) {
  const page = await open();
  const chips = page.locator(".lessons button");
  await chips.nth(4).click();
  assert.equal(await page.inputValue("#dims"), "0");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "(3,3) + (3) [0]");
  await chips.nth(21).click();
  assert.equal(await page.inputValue("#lhs"), "4");
  await page.goBack();
  await until(async () => (await page.inputValue("#lhs")) === "3,3", "the first of two examples");
  await page.goBack();
  await until(async () => (await page.inputValue("#lhs")) === "2,3", "the page as it was opened");
  await page.goForward();
  await until(async () => (await page.inputValue("#lhs")) === "3,3", "and forward");
  // What is typed into one field is undone as a whole.
  await page.locator("#rhs").fill("");
  await page.locator("#rhs").pressSequentially("1,3");
  await page.goBack();
  await until(async () => (await page.inputValue("#rhs")) === "3", "a field that was typed into");
  await page.locator(".words button").click();
  await until(async () => /B5/.test(await page.locator(".refusals").textContent()), "the next example");
  assert.equal(await page.evaluate(() => document.activeElement.closest(".words") !== null), true, "the focus stays");
}

// A refusal of NumPy's rule is not shown as an error while the rule is not asked for.
export async function no_error_where_nothing_is_wrong(open) {
  const page = await open();
  for (const chip of await page.locator(".lessons button:not(:has(.refused))").all()) {
    await chip.click();
    assert.equal(await page.locator(".label").count(), 0, await chip.textContent());
  }
  await page.locator(".lessons button").nth(13).click();
  assert.match(await page.locator("#numpy-note").textContent(), /would refuse these shapes, by P1/);
}

// XLA's document is linked, and so are this library's own texts, which are served.
export async function links(open) {
  const page = await open();
  const answers = await page.locator("footer .links a").evaluateAll((all) => Promise.all(
    all.map(({ href }) => href).filter((href) => href.startsWith(location.origin)).map(async (href) => [href, (await fetch(href)).status])));
  assert.equal(answers.length, 6);
  for (const [href, status] of answers) assert.equal(status, 200, href);
}

// README's table says where each sentence of XLA's document is: what it names is there.
export async function the_table_of_the_document(open) {
  const text = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  const places = text.slice(text.indexOf("| the document says |")).split("\n").filter((line) => line.startsWith("| ")).map((line) => line.split("|")[2].trim());
  assert.ok(places.length > 35, `${places.length} rows`);
  const numbers = new Set(places.flatMap((place) => [...place.matchAll(/examples? ([\d, ]+)/g)]).flatMap(([, list]) => list.match(/\d+/g).map(Number)));
  assert.deepEqual([...numbers].sort((a, b) => a - b), Array.from({ length: 23 }, (_, i) => i + 1), "each example is named");
  const page = await open();
  const said = [...(await page.locator("h2, h3, dt, label, .switch span").allTextContents())].join("\n").replaceAll("’", "'");
  for (const [, words] of places.flatMap((place) => [...place.matchAll(/"([^"]+)"/g)])) assert.ok(said.includes(words), words);
  // The sums that the document ends its example of composition with.
  await page.locator(".lessons button").nth(21).click();
  assert.equal((await result(page)).join(" "), "6 7 7 8 8 9 9 10");
}
