// The page's words in the language that is chosen.

import en from "../strings/en.js";
import pt from "../strings/pt.js";
import zh from "../strings/zh.js";

// The library's own statements of its rules, which are English. They come with its WebAssembly, and
// texts are wanted before it.
let rules = {};

const LANGUAGES = {
  en: { name: "English", tag: "en", ...en, rules: {}, remedies: {} },
  zh: { name: "中文", tag: "zh-Hans", ...zh },
  pt: { name: "Português", tag: "pt", ...pt },
};

export const languages = Object.entries(LANGUAGES).map(([key, { name, tag }]) => ({ key, name, tag }));

let current = "en";

export function setRules(statements) {
  rules = statements;
}

export function language() {
  return current;
}

export function setLanguage(key) {
  current = key in LANGUAGES ? key : "en";
  document.documentElement.lang = LANGUAGES[current].tag;
}

// Returns the language of the browser, if it is one of the page's.
export function preferredLanguage(wanted) {
  for (const tag of wanted) {
    const key = tag.toLowerCase().split("-")[0];
    if (Object.hasOwn(LANGUAGES, key)) return key;
  }
  return "en";
}

// Returns a text of this key, in which {name} is replaced by a value.
export function t(key, values = {}) {
  const text = LANGUAGES[current].strings[key];
  if (text === undefined) throw new Error(`there is no text ${key} in ${current}`);
  const told = text.replace(/\{(\w+)\}/g, (whole, name) => (Object.hasOwn(values, name) ? String(values[name]) : whole));
  // A value may be a Latin word, which Chinese sets off by spaces, or a Chinese one, which it does not.
  return current === "zh" ? told.replace(/(?<=\p{Script=Han}) (?=\p{Script=Han})/gu, "") : told;
}

// Returns the text of a key, or nothing where there is none, as for a word that the library has anew.
export function known(key) {
  return LANGUAGES[current].strings[key] ?? "";
}

// Returns what a rule asks for.
export function statement(label) {
  return LANGUAGES[current].rules[label] ?? rules[label] ?? "";
}

// Returns what to do where a rule is broken. The library's message, which is English, says so itself.
export function remedy(label) {
  return LANGUAGES[current].remedies[label];
}

// Returns a text about a number of things. About a single one, `key.one` is another text.
export function counted(key, count, values = {}) {
  return t(count === 1 ? `${key}.one` : key, { count: number(count), ...values });
}

// Returns what stands between two sentences: Chinese has no space there.
export function gap() {
  return current === "zh" ? "" : " ";
}

// Returns a number as the language writes it.
export function number(value, options = {}) {
  return new Intl.NumberFormat(LANGUAGES[current].tag, options).format(value);
}
