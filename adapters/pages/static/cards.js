// One message as it looks on its platform: bubbles, cards with working controls, pictures, files.

import { chart } from "./charts.js";
import { el } from "./dom.js";
import { markup, table } from "./markup.js";
import { words } from "./words.js";

// The content of a message; onPress(label) is called for its buttons and selections.
export function draw(message, onPress) {
  const isCard = message.title || message.controls.length || message.blocks.some((block) => block.type !== "markdown");
  const parts = message.attachments.map(attachment);
  if (isCard) parts.unshift(card(message, onPress));
  else if (message.blocks.length) parts.unshift(el("div", { class: "bubble rich" }, message.blocks.map(block)));
  else if (message.kind === "task") parts.unshift(task(message));
  else if (message.text && !parts.length) parts.push(el("div", { class: "bubble" }, message.text));
  return el("div", { class: "content" }, parts);
}

function card(message, onPress) {
  const blocks = message.blocks.length || message.title ? message.blocks.map(block) : [el("p", {}, message.text)];
  const title = message.title ? el("h3", {}, message.title) : null;
  if (message.platform === "feishu") {
    return el("section", { class: "card", "data-theme": message.theme ?? "blue" },
      title ? el("header", {}, title) : null,
      el("div", { class: "card-body" }, blocks, controls(message, onPress)));
  }
  return el("section", { class: "card" },
    el("div", { class: "card-body" }, message.theme ? el("p", { class: "from" }, message.theme) : null, title, blocks),
    controls(message, onPress));
}

function block(part) {
  if (part.type === "markdown") return el("div", { class: `markup ${part.size ?? ""}` }, markup(part.text));
  if (part.type === "plain") return el("p", { class: part.size }, part.text);
  if (part.type === "table") return table(part.columns, part.rows);
  if (part.type === "chart") return chart(part);
  if (part.type === "facts") {
    return el("dl", {}, part.rows.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]).flat());
  }
  return el("hr");
}

function controls(message, onPress) {
  if (!message.controls.length) return null;
  const group = el("div", { class: "controls" });
  const press = (label, pressed) => {
    for (const node of group.querySelectorAll("button, select")) node.disabled = true;
    pressed.classList.add("pressed");
    onPress(label);
  };
  const offered = new Set(message.buttons);
  const isChoice = message.controls.some((control) => control.type === "select");
  // Beside a selection, a button that nobody offered only submits it: the selection brings its own.
  const shown = message.controls.filter(({ type, label }) => type === "select" || !isChoice || offered.has(label));
  group.append(...shown.map((control) =>
    control.type === "select" ? select(control, offered, press) : button(control, offered, press)));
  return group;
}

function button({ label, style }, offered, press) {
  const node = el("button", { type: "button", class: `act ${style ?? "default"}`, disabled: !offered.has(label) }, label);
  node.addEventListener("click", () => press(label, node));
  return node;
}

function select({ label, options }, offered, press) {
  const open = options.filter((option) => offered.has(option));
  const choice = el("select", { "aria-label": label || words.choose, disabled: !open.length },
    el("option", { value: "" }, label || words.choose),
    options.map((option) => el("option", { value: option }, option)));
  const submit = el("button", { type: "button", class: "act primary", disabled: true }, words.submit);
  choice.addEventListener("change", () => (submit.disabled = !offered.has(choice.value)));
  submit.addEventListener("click", () => press(choice.value, submit));
  return el("div", { class: "choice" }, choice, submit);
}

function task(message) {
  return el("section", { class: "card task" },
    el("div", { class: "card-body" }, el("span", { class: "tag" }, words.taskBadge), el("p", {}, message.text)));
}

function attachment({ name, media_type, size, url }) {
  if (media_type.startsWith("image/")) {
    return el("a", { class: "picture", href: url, target: "_blank", rel: "noreferrer" },
      el("img", { src: url, alt: name || words.reportPicture }));
  }
  return el("a", { class: "file", href: url, download: name },
    el("span", { class: "file-mark", "aria-hidden": "true" }, (name.split(".").pop() || "?").slice(0, 4).toUpperCase()),
    el("span", {}, el("strong", {}, name), el("small", {}, `${readable(size)} · ${words.save}`)));
}

const readable = (bytes) => (bytes < 1024 ? `${bytes} B` : bytes < 1048576 ? `${Math.round(bytes / 1024)} KB` : `${(bytes / 1048576).toFixed(1)} MB`);
