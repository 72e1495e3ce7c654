// What a browser remembers around the tables: its owner's name, the tables at which they play.
"use strict";
{
  const kept = (name, otherwise) => JSON.parse(localStorage.getItem(name) ?? "null") ?? otherwise;
  const keep = (name, value) => localStorage.setItem(name, JSON.stringify(value));

  // --- names ---------------------------------------------------------------------------------------------------------

  for (const one of document.querySelectorAll("[data-remembered]")) {
    one.value ||= kept("own name", "");
    one.form.addEventListener("submit", () => one.value && keep("own name", one.value));
  }

  // --- tables --------------------------------------------------------------------------------------------------------

  const MOST = 20;
  const seat = /\/seat\/[\w-]+$/.test(location.pathname) ? location.pathname : "";
  const beside = window.name === "playing"; // rules that are written: the studio calls its frame that
  const tables = kept("own tables", {});
  const table = document.querySelector("form.play");
  if (seat && table && !beside && "own" in table.dataset) {
    delete tables[seat];
    tables[seat] = document.querySelector("h1")?.textContent ?? document.title;
    keep("own tables", Object.fromEntries(Object.entries(tables).slice(-MOST)));
  }
  const list = document.getElementById("own-tables");
  for (const [path, title] of list ? Object.entries(tables).reverse() : []) {
    const line = document.createElement("li");
    const link = Object.assign(document.createElement("a"), { href: path, textContent: title });
    const forget = Object.assign(document.createElement("button"), { type: "button", className: "quiet", textContent: list.dataset.forget });
    forget.setAttribute("aria-label", `${list.dataset.forget}: ${title}`);
    forget.addEventListener("click", () => {
      delete tables[path];
      keep("own tables", tables);
      line.remove();
    });
    line.append(link, " ", forget);
    list.append(line);
  }
  if (list) document.getElementById("no-tables").hidden = list.children.length > 0;

  // --- what is told once: the first passage that nobody has put away yet ----------------------------------------------

  const NONE = "all";
  const told = () => new Set(kept("told", []));
  const putAway = (name) => keep("told", [...told().add(name)]);
  function teach() {
    const known = told();
    const all = known.has(NONE) ? [] : [...document.querySelectorAll(".lesson")];
    for (const one of document.querySelectorAll(".lesson")) one.hidden = true;
    const next = all.find((one) => !known.has(one.dataset.lesson));
    if (!next || beside) return;
    next.hidden = false;
    const suggestion = next.querySelector("[hx-trigger=lead]");
    if (suggestion && !suggestion.childElementCount) htmx.trigger(suggestion, "lead");
  }
  document.addEventListener("click", (event) => {
    const lesson = event.target.closest(".lesson");
    if (!lesson || !event.target.closest("button")) return;
    putAway(event.target.matches(".no-lessons") ? NONE : lesson.dataset.lesson);
    teach();
  });

  // --- one's turn: told by a sound (notices.js tells whoever looks elsewhere) -----------------------------------------

  let asked = document.querySelector(".question.yours") !== null;
  function ring() {
    const context = new AudioContext();
    for (const [at, pitch] of [[0, 660], [0.15, 880]]) {
      const tone = new OscillatorNode(context, { frequency: pitch });
      const loud = new GainNode(context, { gain: 0.1 });
      loud.gain.exponentialRampToValueAtTime(0.001, context.currentTime + at + 0.3);
      tone.connect(loud).connect(context.destination);
      tone.start(context.currentTime + at);
      tone.stop(context.currentTime + at + 0.3);
    }
    setTimeout(() => context.close(), 1000);
  }
  function turn() {
    const now = document.querySelector(".question.yours") !== null;
    if (now && !asked && kept("bell", false)) ring();
    asked = now;
  }
  const bell = document.getElementById("bell");
  if (bell) {
    bell.checked = kept("bell", false);
    bell.addEventListener("change", () => {
      keep("bell", bell.checked);
      if (bell.checked) ring();
    });
  }

  // --- talk: a mark where something was said that nobody has read yet; the newest is in sight ---------------------------

  function heard() {
    const list = document.querySelector("#said .talk");
    if (!list) return;
    const { open, dataset } = document.getElementById("talk");
    if (open || dataset.heard === undefined) dataset.heard = list.textContent;
    document.getElementById("unheard").hidden = dataset.heard === list.textContent;
    list.scrollTop = list.scrollHeight;
  }
  document.getElementById("talk")?.addEventListener("toggle", heard);

  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.target?.id === "said") heard();
  });
  document.addEventListener("shown", () => {
    teach();
    turn();
  });
  teach();
  document.addEventListener("DOMContentLoaded", teach); // suggestions are asked for by htmx, which begins then
}
