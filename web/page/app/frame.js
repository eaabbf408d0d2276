// What is around a tab: the head with tabs, language and theme, and the foot. It needs no
// WebAssembly, so it is shown before that arrives.

import { button, fill, h } from "./dom.js";
import { remember, remembered } from "./settings.js";
import { formatState } from "./state.js";
import { language, languages, preferredLanguage, setLanguage, t } from "./text.js";

const TABS = ["play", "puzzles", "gpu", "rules"];
const THEMES = ["auto", "light", "dark"];
const ICONS = { auto: "◐", light: "☼", dark: "☾" };
// The demos, and plain texts that scripts/build-web puts beside the page.
const LINKS = [
  ["footer.demos", "demos/waves.html"],
  ["footer.broadcasting", "about/broadcasting.txt"], ["footer.glossary", "about/glossary.txt"],
  ["footer.module", "about/module.txt"], ["footer.api", "about/indim.d.ts.txt"], ["footer.source", "about/source.txt"],
];

const parts = Object.fromEntries(["skip", "header", "main", "footer"].map((id) => [id, document.getElementById(id)]));

// Returns the tab of a state.
export function tabOf(state) {
  return TABS.includes(state.tab) ? state.tab : "play";
}

function setTheme(theme) {
  document.documentElement.dataset.theme = THEMES.includes(theme) ? theme : "auto";
}

// Sets the language and the theme that the browser remembers or prefers.
export function settle() {
  setTheme(remembered("theme"));
  setLanguage(remembered("language") || preferredLanguage(navigator.languages));
  parts.skip.addEventListener("click", (event) => {
    event.preventDefault();
    parts.main.focus();
  });
}

// Returns a button that goes from one theme to the next.
function themeButton() {
  const show = () => {
    const { theme } = document.documentElement.dataset;
    const text = t("nav.theme", { theme: t(`theme.${theme}`) });
    toggle.setAttribute("aria-label", text);
    toggle.title = text;
    toggle.textContent = ICONS[theme];
  };
  const toggle = button("", () => {
    const theme = THEMES[(THEMES.indexOf(document.documentElement.dataset.theme) + 1) % THEMES.length];
    remember("theme", theme);
    setTheme(theme);
    show();
  }, { id: "theme", class: "theme" });
  show();
  return toggle;
}

// Returns the buttons of languages and themes. `translated` is called after another language is chosen.
export function settingsBar(translated) {
  return h("div", { class: "settings" },
    h("div", { class: "languages", role: "group", "aria-label": t("nav.language") }, languages.map(({ key, name, tag }) => button(name, () => {
      remember("language", key);
      setLanguage(key);
      translated();
      parts.header.querySelector(`[data-language="${key}"]`).focus();
    }, { lang: tag, "data-language": key, "aria-pressed": String(key === language()) }))),
    themeButton());
}

// Shows the head and the foot. `app` has the state; `translated` is called after another language is
// chosen.
export function showFrame(app, translated) {
  const current = tabOf(app.state);
  document.title = `indim: ${t(`tab.${current}`)}`;
  const tabs = TABS.map((tab) => h("li", {}, h("a", {
    href: formatState({ ...app.state, tab }),
    // The state may have changed since the link was made.
    onclick: (event) => event.currentTarget.setAttribute("href", formatState({ ...app.state, tab })),
    "aria-current": tab === current ? "page" : undefined,
  }, t(`tab.${tab}`))));
  fill(parts.header,
    h("a", { class: "brand", href: "#", "aria-label": "indim" },
      h("img", { src: "icon.svg", alt: "", width: "28", height: "28" }), h("span", {}, "indim")),
    h("nav", { "aria-label": t("nav.title") }, h("ul", {}, tabs)),
    settingsBar(translated));
  fill(parts.skip, t("nav.skip"));
  fill(parts.footer,
    h("p", {}, t("footer.what")),
    h("ul", { class: "links", "aria-label": t("footer.links") },
      LINKS.map(([key, href]) => h("li", {}, h("a", { href }, t(key)))),
      h("li", {}, h("a", { href: "https://openxla.org/xla/broadcasting", rel: "noreferrer" }, t("examples.document")))));
}
