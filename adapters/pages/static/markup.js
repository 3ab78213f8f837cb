// The Markdown of platform messages, drawn as elements: headings, lists, quotes, tables, emphasis, colours, mentions.

import { el } from "./dom.js";

const COLOURS = { info: "good", green: "good", comment: "soft", grey: "soft", gray: "soft", warning: "warm", red: "bad", orange: "warm" };
const COLOURED = /(<font color=['"]?\w+['"]?>)([^]*?)<\/font>/g;
const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: "\u00a0" };

export function markup(text) {
  const root = document.createDocumentFragment();
  const lines = text.replace(COLOURED, (_, open, inner) => colourEachLine(open, inner)).split("\n");
  while (lines.length) root.append(...block(lines));
  return root;
}

// Blocks are lines, so a colour that spans lines is said again on each.
const colourEachLine = (open, inner) => inner.split("\n").map((line) => line && `${open}${line}</font>`).join("\n");

// Takes the lines of one block off the front and gives its elements.
function block(lines) {
  const heading = lines[0].match(/^(#{1,6})\s+(.*)$/);
  if (heading) return lines.shift() && [el("h4", { class: `h${heading[1].length}` }, inline(heading[2]))];
  if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(lines[0])) return lines.shift() !== undefined && [el("hr")];
  if (/^\s*[-*+•]\s+/.test(lines[0])) return [list("ul", lines, /^\s*[-*+•]\s+/)];
  if (/^\s*\d+[.)]\s+/.test(lines[0])) return [list("ol", lines, /^\s*\d+[.)]\s+/)];
  if (/^>/.test(lines[0])) return [el("blockquote", {}, run(lines, /^>\s?/).map(paragraph))];
  if (isTable(lines)) return [pipeTable(lines)];
  const line = lines.shift();
  return line.trim() ? [paragraph(line)] : [];
}

const paragraph = (line) => el("p", {}, inline(line));

function run(lines, start) {
  const taken = [];
  while (lines.length && start.test(lines[0])) taken.push(lines.shift().replace(start, ""));
  return taken;
}

function list(tag, lines, start) {
  const first = tag === "ol" ? parseInt(lines[0], 10) : null;
  return el(tag, { start: first }, run(lines, start).map((item) => el("li", {}, inline(item))));
}

const isTable = (lines) => /^\s*\|.*\|\s*$/.test(lines[0]) && /^\s*\|(\s*:?-+:?\s*\|)+\s*$/.test(lines[1] ?? "");

function pipeTable(lines) {
  const cells = (line) => line.trim().slice(1, -1).split(/(?<!\\)\|/).map((cell) => cell.trim());
  const columns = cells(lines.shift());
  lines.shift();
  const rows = [];
  while (lines.length && /^\s*\|.*\|\s*$/.test(lines[0])) rows.push(cells(lines.shift()));
  return table(columns, rows, inline);
}

export function table(columns, rows, draw = (text) => [text]) {
  const head = el("tr", {}, columns.map((name) => el("th", { scope: "col" }, draw(name))));
  const body = rows.map((row) => el("tr", {}, row.map((cell) => el("td", {}, draw(cell)))));
  return el("div", { class: "table", tabindex: "0", role: "region", "aria-label": columns.join("、") },
    el("table", {}, el("thead", {}, head), el("tbody", {}, body)));
}

const INLINE = [
  [/^\\([\\`*_{}[\]()#+\-.!|~<>&])/, (m) => [m[1]]],
  [/^&(amp|lt|gt|quot|nbsp);/, (m) => [ENTITIES[m[1]]]],
  [/^&#(\d{2,6});/, (m) => [String.fromCodePoint(Math.min(Number(m[1]), 0x10ffff))]],
  [/^\*\*(?=\S)(.+?)\*\*/, (m) => [el("strong", {}, inline(m[1]))]],
  [/^\*(?=\S)([^*\n]+?)\*/, (m) => [el("em", {}, inline(m[1]))]],
  [/^~~(.+?)~~/, (m) => [el("s", {}, inline(m[1]))]],
  [/^`([^`\n]+)`/, (m) => [el("code", {}, m[1])]],
  [/^<font color=['"]?(\w+)['"]?>(.*?)<\/font>/, (m) => [el("span", { class: COLOURS[m[1]] }, inline(m[2]))]],
  [/^<text_tag[^>]*>(.*?)<\/text_tag>/, (m) => [el("span", { class: "tag" }, inline(m[1]))]],
  [/^<at [^>]*>(.*?)<\/at>/, (m) => [el("span", { class: "at" }, `@${m[1].replace(/^@/, "")}`)]],
  [/^<br\s*\/?>/, () => [el("br")]],
  [/^https?:\/\/[\w\-.~:/?#@!$&'+,;=%]+/, (m) => [el("a", { href: m[0], target: "_blank", rel: "noreferrer" }, m[0])]],
  [/^\[([^\]\n]+)\]\((https?:\/\/[^\s)]+)\)/, (m) => [el("a", { href: m[2], target: "_blank", rel: "noreferrer" }, inline(m[1]))]],
];

function inline(text) {
  const nodes = [];
  let plain = "";
  while (text) {
    const hit = INLINE.map(([pattern, draw]) => [text.match(pattern), draw]).find(([match]) => match);
    if (hit) {
      nodes.push(plain, ...hit[1](hit[0]));
      plain = "";
    } else plain += text[0];
    text = text.slice(hit ? hit[0][0].length : 1);
  }
  return [...nodes, plain].filter((node) => node !== "");
}
