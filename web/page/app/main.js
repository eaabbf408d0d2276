// Starts the page: its head, the tab of the address, language and theme.

import { Bench } from "./bench.js";
import { button, fill, h } from "./dom.js";
import { Play } from "./play.js";
import { Puzzles } from "./puzzles.js";
import { RuleList } from "./rule-list.js";
import { remember, remembered } from "./settings.js";
import { formatState, parseState } from "./state.js";
import { languages, preferredLanguage, setLanguage, language, t } from "./text.js";

const TABS = { play: Play, puzzles: Puzzles, gpu: Bench, rules: RuleList };
const THEMES = ["auto", "light", "dark"];
const ICONS = { auto: "◐", light: "☼", dark: "☾" };

const parts = Object.fromEntries(["skip", "header", "main", "footer"].map((id) => [id, document.getElementById(id)]));

const app = {
  state: parseState(location.hash),
  // Changes the state, the address and what is shown.
  update(patch) {
    Object.assign(app.state, patch);
    // A browser that is asked too often says so by an error, and the page goes on.
    try {
      history.replaceState(null, "", formatState(app.state));
    } catch {
      // The address is written by the next change.
    }
    shown.show(app.state);
  },
};

let shown;
let shownTab;

function tabOf(state) {
  return Object.hasOwn(TABS, state.tab) ? state.tab : "play";
}

function setTheme(theme) {
  document.documentElement.dataset.theme = THEMES.includes(theme) ? theme : "auto";
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

function header() {
  const current = tabOf(app.state);
  const tabs = Object.keys(TABS).map((tab) => h("li", {}, h("a", {
    href: formatState({ ...app.state, tab }),
    // The state may have changed since the link was made.
    onclick: (event) => event.currentTarget.setAttribute("href", formatState({ ...app.state, tab })),
    "aria-current": tab === current ? "page" : undefined,
  }, t(`tab.${tab}`))));
  fill(parts.header,
    h("a", { class: "brand", href: "#" }, h("img", { src: "icon.svg", alt: "", width: "28", height: "28" }), h("span", {}, "indim")),
    h("nav", { "aria-label": t("nav.title") }, h("ul", {}, tabs)),
    h("div", { class: "settings" },
      h("div", { class: "languages", role: "group", "aria-label": t("nav.language") }, languages.map(({ key, name, tag }) => button(name, () => {
        remember("language", key);
        setLanguage(key);
        keepingDrafts(mount);
        parts.header.querySelector(`[data-language="${key}"]`).focus();
      }, { lang: tag, "data-language": key, "aria-pressed": String(key === language()) }))),
      themeButton()));
  fill(parts.skip, t("nav.skip"));
  fill(parts.footer, h("p", {}, t("footer.what")), h("p", {}, h("a", { href: "https://openxla.org/xla/broadcasting", rel: "noreferrer" }, t("examples.document"))));
}

// Does something that makes the inputs anew, and keeps what was typed into them.
function keepingDrafts(change) {
  const inputs = [...parts.main.querySelectorAll("input[type=text][id]")].map(({ id, value }) => [id, value]);
  change();
  for (const [id, value] of inputs) {
    const input = document.getElementById(id);
    if (input) input.value = value;
  }
}

// Makes the tab of the state anew.
function mount() {
  shown?.close?.();
  shownTab = tabOf(app.state);
  document.title = `indim: ${t(`tab.${shownTab}`)}`;
  header();
  shown = new TABS[shownTab](app);
  fill(parts.main, shown.element);
  shown.show(app.state);
}

parts.skip.addEventListener("click", (event) => {
  event.preventDefault();
  parts.main.focus();
});

window.addEventListener("hashchange", () => {
  app.state = parseState(location.hash);
  if (tabOf(app.state) === shownTab) {
    header();
    shown.show(app.state);
  } else {
    mount();
    parts.main.focus();
    window.scrollTo(0, 0);
  }
});

setTheme(remembered("theme"));
setLanguage(remembered("language") || preferredLanguage(navigator.languages));
mount();
