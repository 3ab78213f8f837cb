// The clock of the rehearsed world: ticks with the machine's, moves forward on demand.

import * as api from "./api.js";
import { byId } from "./dom.js";
import { words } from "./words.js";

// "2026-03-02T09:00:05+08:00" → its wall clock as milliseconds, read with the UTC getters.
const wallClock = (iso) => Date.parse(`${iso.slice(0, 19)}Z`);
const dateOf = (wall) => wall.toISOString().slice(0, 10);

export function timeOf(iso) {
  return iso.slice(11, 16);
}

export function dayAndTime(iso) {
  const wall = new Date(wallClock(iso));
  const day = `${wall.getUTCMonth() + 1}月${wall.getUTCDate()}日 ${words.weekdays[wall.getUTCDay()]}`;
  return `${day} ${timeOf(iso)}`;
}

export const minutesBetween = (earlier, later) => (wallClock(later) - wallClock(earlier)) / 60000;

export class Clock {
  constructor(onProblem) {
    this.onProblem = onProblem;
    this.shown = byId("clock-time");
    this.moves = byId("clock-moves");
    this.input = byId("clock-input");
    this.set("1970-01-01T00:00:00");
    for (const button of this.moves.querySelectorAll("button[type=button]")) {
      button.addEventListener("click", () => this.move(button.dataset));
    }
    byId("clock-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.move({ to: this.input.value });
    });
    byId("clock-face").addEventListener("click", () => this.open(!this.moves.classList.contains("open")));
    document.addEventListener("pointerdown", (event) => byId("clock").contains(event.target) || this.open(false));
    setInterval(() => this.draw(), 1000);
  }

  set(iso) {
    this.base = wallClock(iso);
    this.heardAt = performance.now();
    this.draw();
    if (document.activeElement !== this.input) this.input.value = this.wall().toISOString().slice(0, 16);
  }

  wall() {
    return new Date(this.base + (performance.now() - this.heardAt));
  }

  draw() {
    const iso = this.wall().toISOString();
    this.shown.textContent = dayAndTime(iso);
    this.shown.setAttribute("datetime", iso.slice(0, 16));
    this.shown.title = iso.slice(0, 10);
  }

  open(yes) {
    this.moves.classList.toggle("open", yes);
    byId("clock-face").setAttribute("aria-expanded", String(yes));
  }

  async move({ advance, morning, to }) {
    if (morning) to = `${dateOf(new Date(this.wall().getTime() + 86400000))}T${morning}`;
    this.moves.classList.add("busy");
    try {
      this.set((await api.moveClock(to ? { to } : { advance })).now);
    } catch (problem) {
      this.onProblem(problem.message);
    } finally {
      this.moves.classList.remove("busy");
    }
  }
}
