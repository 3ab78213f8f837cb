// Bar, line and pie charts as SVG.

import { el, svg } from "./dom.js";

const COLOURS = ["#3370ff", "#14c0a5", "#ffb02e", "#f76964", "#8a5cf0", "#3fa7f5", "#7bc335", "#ee6fa8"];
const WIDTH = 320;
const HEIGHT = 180;
const FRAME = { left: 34, right: 10, top: 16, bottom: 26 };

export function chart({ kind, title, labels, values }) {
  const spoken = labels.map((label, index) => `${label} ${values[index]}`).join("，");
  const draw = { line, area: line, pie }[kind] ?? bars;
  const drawing = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${title || ""} ${spoken}`, class: "chart" });
  drawing.append(...draw(labels, values));
  return el("figure", {}, title ? el("figcaption", {}, title) : null, drawing);
}

function scale(values) {
  const most = Math.max(...values, 0);
  if (most <= 0) return { top: 1, step: 1 };
  const rough = most / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size >= rough);
  const whole = values.every(Number.isInteger) ? Math.max(Math.ceil(step), 1) : step;
  return { top: Math.ceil(most / whole) * whole, step: whole };
}

function grid(values) {
  const { top, step } = scale(values);
  const y = (value) => HEIGHT - FRAME.bottom - (value / top) * (HEIGHT - FRAME.top - FRAME.bottom);
  const marks = [];
  for (let value = 0; value <= top + step / 1000; value += step) {
    marks.push(
      svg("line", { x1: FRAME.left, x2: WIDTH - FRAME.right, y1: y(value), y2: y(value), class: "grid" }),
      svg("text", { x: FRAME.left - 6, y: y(value) + 3.5, "text-anchor": "end" }, shown(value)),
    );
  }
  return { y, marks };
}

const shown = (value) => String(Math.round(value * 100) / 100);
const short = (label, room) => (label.length > room ? `${label.slice(0, room - 1)}…` : label);

function columns(labels) {
  const width = (WIDTH - FRAME.left - FRAME.right) / labels.length;
  const room = Math.max(2, Math.floor(width / 10));
  const every = Math.ceil(labels.length / 12);
  const x = (index) => FRAME.left + width * (index + 0.5);
  const names = labels.map((label, index) =>
    index % every ? "" : svg("text", { x: x(index), y: HEIGHT - 9, "text-anchor": "middle" }, short(label, room)));
  return { width, x, names: names.filter(Boolean) };
}

function bars(labels, values) {
  const { y, marks } = grid(values);
  const { width, x, names } = columns(labels);
  const thick = Math.min(width * 0.56, 34);
  const drawn = values.flatMap((value, index) => [
    svg("rect", { x: x(index) - thick / 2, y: y(Math.max(value, 0)), width: thick, height: Math.max(y(0) - y(Math.max(value, 0)), 0), rx: 3, fill: COLOURS[0] }),
    svg("text", { x: x(index), y: y(Math.max(value, 0)) - 4, "text-anchor": "middle", class: "value" }, shown(value)),
  ]);
  return [...marks, ...drawn, ...names];
}

function line(labels, values) {
  const { y, marks } = grid(values);
  const { x, names } = columns(labels);
  const points = values.map((value, index) => `${x(index)},${y(value)}`);
  const dots = values.flatMap((value, index) => [
    svg("circle", { cx: x(index), cy: y(value), r: 3.5, class: "dot" }),
    svg("text", { x: x(index), y: y(value) - 8, "text-anchor": "middle", class: "value" }, shown(value)),
  ]);
  const area = svg("polygon", { points: [`${x(0)},${y(0)}`, ...points, `${x(values.length - 1)},${y(0)}`].join(" "), class: "area" });
  return [...marks, area, svg("polyline", { points: points.join(" "), class: "line" }), ...dots, ...names];
}

function pie(labels, values) {
  const total = values.reduce((sum, value) => sum + Math.max(value, 0), 0) || 1;
  const [cx, cy, r, thick] = [88, HEIGHT / 2, 52, 28];
  const around = 2 * Math.PI * r;
  let turned = 0;
  const slices = values.map((value, index) => {
    const share = Math.max(value, 0) / total;
    const slice = svg("circle", {
      cx, cy, r, fill: "none", stroke: COLOURS[index % COLOURS.length], "stroke-width": thick,
      "stroke-dasharray": `${share * around} ${around}`, transform: `rotate(${turned * 360 - 90} ${cx} ${cy})`,
    });
    turned += share;
    return slice;
  });
  const shownLabels = labels.slice(0, 8);
  const rise = Math.min(22, (HEIGHT - 20) / shownLabels.length);
  const first = HEIGHT / 2 - ((shownLabels.length - 1) * rise) / 2;
  const legend = shownLabels.flatMap((label, index) => [
    svg("rect", { x: 182, y: first + index * rise - 5, width: 10, height: 10, rx: 2, fill: COLOURS[index % COLOURS.length] }),
    svg("text", { x: 198, y: first + index * rise + 4 }, `${short(label, 7)} ${Math.round((Math.max(values[index], 0) / total) * 100)}%`),
  ]);
  return [...slices, ...legend];
}
