// The page once its WebAssembly is here: the tab of the address, and its state.

import { rules } from "../indim.js";
import { Bench } from "./bench.js";
import { fill } from "./dom.js";
import { showFrame, tabOf } from "./frame.js";
import { Play } from "./play.js";
import { Puzzles } from "./puzzles.js";
import { RuleList } from "./rule-list.js";
import { formatState, parseState } from "./state.js";
import { setRules } from "./text.js";

const TABS = { play: Play, puzzles: Puzzles, gpu: Bench, rules: RuleList };
const main = document.getElementById("main");

let shown;
let shownTab;
let changedLast;
// Whether a link was clicked, and not Back or Forward, and whether it is in the page.
let clicked = false;
let linked = false;
// The address of the link by which each tab was left. Back gives the focus to it again.
const leftBy = new Map();

const app = {
  state: parseState(location.hash),
  // Changes the state, the address and what is shown. `part` names what is changed: Back undoes the
  // changes of one part together, and those without a name with what was before.
  update(patch, part) {
    Object.assign(app.state, patch);
    const address = formatState(app.state);
    // A browser that is asked too often says so by an error, and the page goes on.
    try {
      if (part !== undefined && part !== changedLast && address !== location.hash) history.pushState(null, "", address);
      else history.replaceState(null, "", address);
    } catch {
      // The address is written by the next change.
    }
    if (part !== undefined) changedLast = part;
    shown.show(app.state);
  },
};

// Does something that makes the inputs anew, and keeps what was typed into them.
function keepingDrafts(change) {
  const inputs = [...main.querySelectorAll("input[type=text][id]")].map(({ id, value }) => [id, value]);
  change();
  for (const [id, value] of inputs) {
    const input = document.getElementById(id);
    if (input) input.value = value;
  }
}

// Makes the tab of the state anew. `leaving` is whether another one was shown before.
function mount(leaving = false) {
  shown?.close?.(leaving);
  shownTab = tabOf(app.state);
  frame();
  shown = new TABS[shownTab](app);
  fill(main, shown.element);
  shown.show(app.state);
}

function frame() {
  showFrame(app, () => keepingDrafts(mount));
}

// Shows what the address says.
function follow() {
  changedLast = undefined;
  app.state = parseState(location.hash);
  if (tabOf(app.state) === shownTab) {
    frame();
    shown.show(app.state);
  } else {
    leftBy.set(shownTab, document.activeElement.closest("main a")?.getAttribute("href"));
    mount(true);
    enter(clicked ? undefined : leftBy.get(shownTab));
  }
  // A link to a call leads to its picture.
  if (linked) shown.arrive?.();
  clicked = linked = false;
}

// Gives the focus to the link with an address, if the tab that is shown has it, or to the tab.
function enter(address) {
  const link = address && [...main.querySelectorAll("a")].find((each) => each.getAttribute("href") === address);
  if (link) {
    link.focus();
    return;
  }
  main.focus();
  window.scrollTo(0, 0);
}

export function start() {
  setRules(rules);
  app.state = parseState(location.hash);
  mount();
  document.addEventListener("click", ({ target }) => {
    const link = target.closest("a[href^='#']");
    clicked = Boolean(link);
    linked = main.contains(link);
  });
  window.addEventListener("hashchange", follow);
}
