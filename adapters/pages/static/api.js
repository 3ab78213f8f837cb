// The playground's JSON API; a refusal becomes an Error with the server's sentence.

import { words } from "./words.js";

const API = "/playground/api";

async function call(path, options) {
  let response;
  try {
    response = await fetch(API + path, options);
  } catch {
    throw new Error(words.unreachable);
  }
  const data = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(data.error ?? words.unreachable);
  return data;
}

const post = (path, body) =>
  call(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });

export const people = () => call("/people");
export const memory = (person) => call(`/memory?person=${encodeURIComponent(person)}`);
export const say = (saying) => post("/say", saying);
export const press = (person, message_id, label) => post("/press", { person, message_id, label });
export const moveClock = (move) => post("/clock", move);
export const reset = () => post("/reset", {});

// Calls handlers[event](data) for message, ready, clock and reset; the browser reconnects with the last id itself.
export function listen(handlers, onLost) {
  const source = new EventSource(`${API}/stream`);
  for (const [name, handle] of Object.entries(handlers)) {
    source.addEventListener(name, (event) => handle(JSON.parse(event.data)));
  }
  source.addEventListener("error", onLost);
}
