// The page put together: people, panes, clock, memory, and the stream that feeds them.

import * as api from "./api.js";
import { Clock } from "./clock.js";
import { byId, el } from "./dom.js";
import { MemoryPanel } from "./memory.js";
import { Pane } from "./pane.js";
import { PLATFORMS, words } from "./words.js";

const narrow = matchMedia("(max-width: 759px)");

class Page {
  async start() {
    this.clock = new Clock((sentence) => this.notice(sentence));
    const world = await api.people();
    this.people = world.people;
    this.clock.set(world.now);
    this.memory = new MemoryPanel();
    const hooks = { problem: (sentence) => this.notice(sentence), looked: (pane) => this.look(pane) };
    this.panes = Object.keys(PLATFORMS).map((platform) => new Pane(platform, world, hooks));
    byId("panes").append(...this.panes.map((pane) => pane.root));
    byId("tabs").append(...this.panes.map((pane) => this.tab(pane)));
    this.faces = new Map(this.people.map((person) => [person, this.faceOf(person)]));
    byId("people").append(...this.faces.values());
    this.choose(this.people[0]);
    this.isLive = false;
    this.wireReset();
    document.addEventListener("visibilitychange", () => !document.hidden && this.look(this.inHand));
    narrow.addEventListener("change", () => this.look(this.inHand));
    api.listen(
      {
        message: (message) => this.receive(message),
        ready: ({ now }) => this.ready(now),
        clock: ({ now }) => this.tick(now),
        reset: () => this.clear(),
      },
      () => this.lost(),
    );
  }

  // --- the stream ---

  ready(now) {
    this.clock.set(now);
    if (!this.isLive) this.memory.refreshSoon();
    this.isLive = true;
    if (byId("notice").textContent === words.connecting) byId("notice").hidden = true;
  }

  lost() {
    this.notice(words.connecting, true);
  }

  receive(message) {
    const pane = this.panes.find((one) => one.platform === message.platform);
    pane?.receive(message, this.isLive, pane === this.inHand && !document.hidden);
    if (!this.isLive) return;
    if (message.to === this.person.name) for (const other of this.panes) other.stopTyping();
    this.memory.refreshSoon();
    this.drawMarks();
  }

  tick(now) {
    this.clock.set(now);
    this.memory.refreshSoon();
  }

  clear() {
    for (const pane of this.panes) pane.clear();
    this.memory.show(this.person.name);
    this.drawMarks();
  }

  // --- people, panes, unread marks ---

  choose(person) {
    this.person = person;
    for (const pane of this.panes) pane.show(person);
    this.memory.show(person.name);
    this.look(this.panes.find((pane) => pane.hasAccount && pane === this.inHand) ?? this.panes.find((pane) => pane.hasAccount) ?? this.panes[0]);
  }

  look(pane) {
    this.inHand = pane;
    pane.look();
    for (const one of this.panes) one.root.classList.toggle("front", one === pane);
    this.drawMarks();
    if (narrow.matches) pane.toEnd();
  }

  tab(pane) {
    return el("button", { type: "button", id: `tab-${pane.platform}`, "aria-controls": pane.root.id, onclick: () => this.look(pane) },
      PLATFORMS[pane.platform].name);
  }

  faceOf(person) {
    return el("button", { type: "button", onclick: () => this.choose(person) },
      el("span", { class: "face", "aria-hidden": "true" }, [...person.name].at(-1)), person.name);
  }

  drawMarks() {
    for (const pane of this.panes) {
      pane.drawMarks();
      const tab = byId(`tab-${pane.platform}`);
      tab.setAttribute("aria-pressed", String(pane === this.inHand));
      tab.dataset.unread = pane.unreadHere || "";
    }
    for (const [person, face] of this.faces) {
      const isWaiting = person !== this.person && this.panes.some((pane) => pane.unreadOf(person.name));
      face.setAttribute("aria-pressed", String(person === this.person));
      face.classList.toggle("waiting", isWaiting);
    }
  }

  // --- reset and notices ---

  wireReset() {
    const dialog = byId("reset-dialog");
    byId("reset").addEventListener("click", () => dialog.showModal());
    dialog.addEventListener("close", async () => {
      if (dialog.returnValue !== "yes") return;
      dialog.returnValue = "";
      try {
        this.tick((await api.reset()).now);
      } catch (problem) {
        this.notice(problem.message);
      }
    });
  }

  notice(sentence, stays = false) {
    const node = byId("notice");
    node.textContent = sentence;
    node.hidden = false;
    clearTimeout(this.noticeTimer);
    if (!stays) this.noticeTimer = setTimeout(() => (node.hidden = true), 5000);
  }
}

const page = new Page();
page.start().catch((problem) => page.notice(problem.message, true));
