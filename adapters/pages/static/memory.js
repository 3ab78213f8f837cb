// The side panel: what is remembered about the chosen person, and what waits for an answer.

import * as api from "./api.js";
import { dayAndTime } from "./clock.js";
import { byId, el } from "./dom.js";
import { words } from "./words.js";

export class MemoryPanel {
  constructor() {
    this.body = byId("memory-body");
    this.person = null;
    this.known = new Set();
    this.timer = null;
    byId("memory-toggle").addEventListener("click", () => this.open(true));
    byId("memory-close").addEventListener("click", () => this.open(false));
    byId("scrim").addEventListener("click", () => this.open(false));
    document.addEventListener("keydown", (event) => event.key === "Escape" && this.open(false));
  }

  show(person) {
    this.person = person;
    this.known = null;
    byId("memory-whose").textContent = words.memoryWhose(person);
    this.refresh();
  }

  // Asks again shortly after something happened; many messages at once ask once.
  refreshSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.refresh(), 200);
  }

  async refresh() {
    const person = this.person;
    const remembered = await api.memory(person).catch(() => null);
    if (remembered && person === this.person) this.draw(remembered);
  }

  open(yes) {
    byId("memory").classList.toggle("open", yes);
    byId("scrim").hidden = !yes;
    byId("memory-toggle").setAttribute("aria-expanded", String(yes));
  }

  draw({ preferences = [], aliases = [], facts = [], questions = [], archived = [] }) {
    const before = this.known;
    this.known = new Set(preferences.map(identity));
    const isNew = (item) => before !== null && !before.has(identity(item));
    const sections = [
      section(words.questions, questions.map(question)),
      section(words.preferences, preferences.map((item) => preference(item, isNew(item)))),
      section(words.aliases, aliases.map((item) => entry(item.name, item.says, [item.date]))),
      section(words.facts, facts.map((item) => entry(null, item.says, [item.source, item.date]))),
      folded(words.archived, archived.map((item) => entry(item.name, item.says, [item.scene, item.reason, item.date]))),
    ].filter(Boolean);
    this.body.replaceChildren(...(sections.length ? sections : [nothing()]));
    byId("memory-toggle").dataset.count = preferences.length || "";
  }
}

const identity = (item) => `${item.key}=${JSON.stringify(item.value)}`;

function nothing() {
  return el("div", { class: "memory-empty" },
    el("img", { src: "/playground/static/icon.svg", alt: "", width: "44", height: "44" }),
    el("p", {}, words.memoryEmpty), el("p", { class: "muted" }, words.memoryEmptyHint));
}

function section(title, entries) {
  return entries.length ? el("section", {}, el("h3", {}, title), el("ul", {}, entries)) : null;
}

function folded(title, entries) {
  if (!entries.length) return null;
  return el("details", {}, el("summary", {}, `${title} ${entries.length}`), el("ul", { class: "faded" }, entries));
}

function preference(item, isNew) {
  const node = entry(item.name, item.says, [item.source, item.date], item.scene);
  if (isNew) node.classList.add("new");
  return node;
}

function entry(name, says, notes, scene = null) {
  return el("li", {},
    name || scene ? el("div", { class: "entry-head" }, el("span", {}, name ?? ""), scene ? el("span", { class: "scene" }, scene) : null) : null,
    el("strong", {}, String(says)),
    el("small", {}, notes.filter(Boolean).join(" · ")));
}

function question({ text, options = [], until }) {
  return el("li", { class: "question" },
    el("p", {}, text),
    el("small", {}, [options.join(" / "), until ? words.until(dayAndTime(until)) : ""].filter(Boolean).join(" · ")));
}
