// One platform's window: its chats, the messages of the open one, and the line to type in.

import * as api from "./api.js";
import { draw } from "./cards.js";
import { dayAndTime, minutesBetween } from "./clock.js";
import { el } from "./dom.js";
import { PLATFORMS, SUGGESTIONS, words } from "./words.js";

const PAUSE = 5; // minutes of silence after which the time is shown again
const PATIENCE = 6000; // ms until an unanswered press or a typing sign is given up

export class Pane {
  // world: {bot, people, groups}; hooks: {problem(sentence), looked(pane)}
  constructor(platform, world, hooks) {
    Object.assign(this, { platform, world, hooks });
    this.person = null;
    this.group = null;
    this.messages = [];
    this.drawn = new Map(); // message id → its element in the open chat
    this.unread = new Map(); // chat key → count
    this.isAtEnd = true; // false while somebody reads further up: then nothing pulls them down
    this.build();
  }

  build() {
    const { name, mark } = PLATFORMS[this.platform];
    this.badge = el("span", { class: "badge", hidden: true });
    this.chats = el("div", { class: "chats", role: "group", "aria-label": words.chats });
    this.log = el("div", { class: "log", role: "log", "aria-label": name, tabindex: "0" });
    this.toasts = el("div", { class: "toasts", role: "status", "aria-live": "assertive" });
    this.input = el("textarea", { rows: "1", "aria-label": words.placeholder(this.world.bot), enterkeyhint: "send", maxlength: "10000" });
    this.mention = el("input", { type: "checkbox", role: "switch", checked: true });
    this.mentionSwitch = el("label", { class: "mention", hidden: true }, this.mention, el("span", {}, words.mention(this.world.bot)));
    this.sendButton = el("button", { type: "submit", class: "send", disabled: true }, words.send);
    const chips = el("div", { class: "chips" }, SUGGESTIONS.map((text) =>
      el("button", { type: "button", onclick: () => this.say(text) }, text)));
    this.composer = el("form", { class: "composer" }, chips,
      el("div", { class: "line" }, this.mentionSwitch, this.input, this.sendButton));
    this.root = el("section", { class: "pane", id: `pane-${this.platform}`, "data-platform": this.platform, "aria-label": name },
      el("header", { class: "pane-head" }, el("span", { class: "mark", "aria-hidden": "true" }, mark), el("h2", {}, name), this.badge, this.chats),
      el("div", { class: "stagebox" }, this.log, this.toasts), this.composer);
    this.wire();
  }

  wire() {
    this.composer.addEventListener("submit", (event) => {
      event.preventDefault();
      this.say(this.input.value, true);
    });
    this.input.addEventListener("keydown", (event) => {
      // While an input method composes, Enter chooses a word; some report it only as key code 229.
      if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
      event.preventDefault();
      this.composer.requestSubmit();
    });
    this.input.addEventListener("input", () => this.fit());
    let before = 0;
    this.log.addEventListener("scroll", () => {
      const { scrollTop, scrollHeight, clientHeight } = this.log;
      if (scrollHeight - scrollTop - clientHeight < 40) this.isAtEnd = true;
      else if (scrollTop < before) this.isAtEnd = false; // content that grows below is not the person scrolling up
      before = scrollTop;
    });
    this.log.addEventListener("load", () => this.isAtEnd && this.toEnd(), true); // a picture took its place
    for (const kind of ["pointerdown", "wheel", "focusin"]) this.root.addEventListener(kind, () => this.hooks.looked(this), { passive: true });
  }

  // --- who and where ---

  show(person) {
    this.person = person;
    this.group = null;
    this.toasts.replaceChildren();
    this.drawChats();
    this.fillLog();
  }

  get hasAccount() {
    return this.person.platforms.includes(this.platform);
  }

  get groups() {
    return this.world.groups.filter((group) => group.platforms.includes(this.platform));
  }

  openChat(group) {
    this.group = group;
    this.fillLog();
    this.hooks.looked(this);
    this.input.focus();
  }

  // The open chat from its beginning.
  fillLog() {
    this.drawn.clear();
    this.last = null;
    this.log.replaceChildren();
    for (const message of this.messages.filter((one) => this.isHere(one))) this.append(message);
    if (!this.log.childElementCount) this.log.append(this.hasAccount ? this.empty() : this.noAccount());
    this.composer.classList.toggle("off", !this.hasAccount);
    this.mentionSwitch.hidden = this.group === null;
    this.input.placeholder = this.group ? words.groupPlaceholder(this.group) : words.placeholder(this.world.bot);
    this.input.disabled = !this.hasAccount;
    this.fit();
    this.toEnd();
  }

  // The buttons of the chats that this person has here; drawMarks keeps them up to date.
  drawChats() {
    const chat = (group, name) => [group, el("button", { type: "button", onclick: () => this.openChat(group) }, name)];
    const groups = this.hasAccount ? this.groups : [];
    this.choices = [chat(null, words.privateChat), ...groups.map(({ name }) => chat(name, name))];
    this.chats.hidden = !groups.length;
    this.chats.replaceChildren(...this.choices.map(([, button]) => button));
  }

  key(group, person = this.person.name) {
    return group ? `group ${group}` : `person ${person}`;
  }

  keyOf(message) {
    return message.group ? this.key(message.to) : this.key(null, message.from ?? message.to);
  }

  isHere(message) {
    return this.keyOf(message) === this.key(this.group);
  }

  // --- what arrives ---

  clear() {
    this.messages = [];
    this.unread.clear();
    this.fillLog();
    this.drawMarks();
  }

  // A message of this platform; isLive: it came just now, isLooking: the person has this pane in hand.
  receive(message, isLive, isLooking) {
    if (message.kind === "toast") {
      if (isLive && this.isHere(message)) this.toast(message.text);
      return;
    }
    if (message.updates && this.update(message)) return;
    this.messages.push(message);
    const isSeen = this.isHere(message) && isLooking && this.isAtEnd;
    if (this.isHere(message)) {
      if (!message.from) this.stopTyping();
      this.append(message, isLive);
      if (message.from || this.isAtEnd) this.toEnd();
    }
    if (isLive && !message.from && !isSeen) this.mark(this.keyOf(message));
  }

  // The same card with new content, in its old place; the person need not look for it.
  update(message) {
    const index = this.messages.findIndex((one) => one.message_id === message.updates && this.keyOf(one) === this.keyOf(message));
    if (index < 0) return false;
    const updated = { ...message, message_id: message.updates, at: this.messages[index].at };
    this.messages[index] = updated;
    this.stopTyping();
    if (this.isHere(updated)) this.drawn.get(updated.message_id)?.querySelector(".content").replaceWith(this.content(updated));
    return true;
  }

  append(message, isLive = false) {
    if (!this.drawn.size) this.log.replaceChildren();
    if (!this.last || minutesBetween(this.last.at, message.at) > PAUSE) {
      this.log.append(el("p", { class: "pause" }, dayAndTime(message.at)));
    }
    const isMine = message.from === this.person.name;
    const name = message.from ?? this.world.bot;
    const row = el("article", { class: `message ${isMine ? "mine" : "theirs"}`, "data-id": message.message_id },
      el("span", { class: message.from ? "face" : "face bot", "aria-hidden": "true" }, [...name].at(-1)),
      el("div", { class: "said" }, this.group && !isMine ? el("small", { class: "who" }, name) : el("span", { class: "sr" }, name), this.content(message)));
    if (isLive) row.classList.add("arriving");
    this.drawn.set(message.message_id, row);
    this.log.append(row);
    this.last = message;
  }

  content(message) {
    return draw(message, (label) => this.press(message, label));
  }

  toEnd() {
    this.log.scrollTop = this.log.scrollHeight;
    this.isAtEnd = true;
  }

  toast(text) {
    const node = el("div", { class: "toast" }, text);
    this.toasts.append(node);
    setTimeout(() => node.remove(), 3500);
  }

  // --- unread ---

  mark(key) {
    this.unread.set(key, (this.unread.get(key) ?? 0) + 1);
    this.drawMarks();
  }

  look() {
    if (this.unread.delete(this.key(this.group))) this.drawMarks();
  }

  unreadOf(person) {
    return this.unread.get(this.key(null, person)) ?? 0;
  }

  get unreadHere() {
    return [this.key(null), ...this.groups.map(({ name }) => this.key(name))].reduce((sum, key) => sum + (this.unread.get(key) ?? 0), 0);
  }

  drawMarks() {
    const count = this.unreadHere;
    this.badge.hidden = !count;
    this.badge.textContent = count ? String(count) : "";
    this.badge.setAttribute("aria-label", words.unread(count));
    this.root.classList.toggle("has-unread", count > 0);
    for (const [group, button] of this.choices) {
      button.setAttribute("aria-pressed", String(group === this.group));
      button.dataset.unread = this.unread.get(this.key(group)) ?? "";
    }
  }

  // --- what the person does ---

  async say(written, isTyped = false) {
    const text = written.trim();
    if (!text || !this.hasAccount) return;
    if (isTyped) this.write("");
    this.startTyping();
    const where = this.group ? { group: this.group, mention: this.mention.checked } : {};
    try {
      await api.say({ person: this.person.name, platform: this.platform, text, ...where });
    } catch (problem) {
      this.stopTyping();
      if (isTyped && !this.input.value) this.write(written);
      this.hooks.problem(problem.message);
    }
  }

  async press(message, label) {
    const stillSame = this.drawn.get(message.message_id)?.querySelector(".content");
    try {
      await api.press(this.person.name, message.message_id, label);
    } catch (problem) {
      this.hooks.problem(problem.message);
    }
    // A card that was not replaced meanwhile can be pressed again, as on the real platforms.
    setTimeout(() => stillSame?.isConnected && stillSame.replaceWith(this.content(message)), PATIENCE / 2);
  }

  write(text) {
    this.input.value = text;
    this.fit();
  }

  fit() {
    this.sendButton.disabled = !this.input.value.trim();
    this.input.style.height = "";
    if (this.input.value) this.input.style.height = `${Math.min(this.input.scrollHeight, 140)}px`;
  }

  startTyping() {
    this.stopTyping();
    if (this.group && !this.mention.checked) return;
    this.typing = el("div", { class: "typing", role: "img", "aria-label": words.typing }, el("i"), el("i"), el("i"));
    setTimeout(() => this.typing && (this.log.append(this.typing), this.toEnd()), 350);
    this.typingTimer = setTimeout(() => this.stopTyping(), PATIENCE);
  }

  stopTyping() {
    clearTimeout(this.typingTimer);
    this.typing?.remove();
    this.typing = null;
  }

  // --- when there is nothing to see ---

  empty() {
    if (this.group) return el("div", { class: "empty" }, el("p", {}, words.emptyGroup(this.world.bot)));
    return el("div", { class: "empty" },
      el("span", { class: "face bot big", "aria-hidden": "true" }, [...this.world.bot].at(-1)),
      el("p", {}, words.emptyTitle(this.world.bot)),
      el("p", { class: "muted" }, words.emptyPromise),
      el("p", { class: "muted" }, words.emptyHint),
      el("button", { type: "button", class: "try", onclick: () => this.say(SUGGESTIONS[0]) }, SUGGESTIONS[0]));
  }

  noAccount() {
    return el("div", { class: "empty" }, el("p", { class: "muted" }, words.noAccount(this.person.name, PLATFORMS[this.platform].name)));
  }
}
