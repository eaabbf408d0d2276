// All rules of the library in words, each with a call that breaks it.

import { rules } from "../indim.js";
import { button, fill, h } from "./dom.js";
import { reason } from "./fields.js";
import { CALLS, IN_PLAY, refusalOf } from "./rule-examples.js";
import { statement, t } from "./text.js";

const GROUPS = ["B", "D", "S", "T", "V", "R", "G", "M", "N", "I", "C", "P"];

// Returns what shows a rule: a link to the place to play, or a button that makes a call here.
function shower(label) {
  const name = t("rules.show_label", { rule: label });
  if (IN_PLAY[label]) return h("a", { class: "show", href: IN_PLAY[label], "aria-label": name }, t("rules.show"));
  if (!CALLS[label]) return undefined;
  const shown = h("div", { class: "shown", role: "status" });
  const toggle = button(t("rules.show"), () => {
    const open = shown.firstChild === null;
    toggle.setAttribute("aria-expanded", String(open));
    const error = open && refusalOf(label);
    fill(shown, open && [h("code", {}, CALLS[label][0]), error && reason({ message: error.message })]);
  }, { class: "quiet show", "aria-label": name, "aria-expanded": "false" });
  return [toggle, shown];
}

export class RuleList {
  constructor() {
    const groups = GROUPS.map((letter) => {
      const labels = Object.keys(rules).filter((label) => label.startsWith(letter));
      return h("section", { class: "rule-group" }, h("h2", {}, t(`rules.${letter}`)),
        h("dl", {}, labels.map((label) => [h("dt", {}, h("b", { class: "label" }, label)), h("dd", {}, h("span", { class: "statement" }, statement(label)), shower(label))])));
    });
    this.element = h("section", { class: "rules", "aria-labelledby": "rules-title" },
      h("div", { class: "hero" }, h("h1", { id: "rules-title" }, t("rules.title")), h("p", { class: "lead" }, t("rules.lead", { count: Object.keys(rules).length }))),
      groups);
  }

  show() {}
}
