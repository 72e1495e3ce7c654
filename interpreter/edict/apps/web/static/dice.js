// Dice first: whoever taps some of their dice sees what can be had for them, and pays with these.
"use strict";

const PAYING = "paying"; // the dice that were chosen together with a thing, until the next question asks for them
const dice = (way) => way.split(" ").filter(Boolean).sort();
const same = (one, other) => one.join(" ") === other.join(" ");
const ways = (option) => option.dataset.paid.split("|").map(dice);
const payable = () => [...document.querySelectorAll("#table [data-paid]")];
function picked() {
  return [...document.querySelectorAll("#tray [aria-pressed=true]")].map((one) => one.dataset.die).sort();
}
function within(few, many) {
  const left = [...many];
  return few.every((one) => left.includes(one) && left.splice(left.indexOf(one), 1));
}

function light() {
  const tray = document.getElementById("tray");
  if (!tray) return;
  tray.hidden = false; // without this file there is nothing that a tap could do
  const chosen = picked();
  for (const one of payable()) {
    const { classList } = one.closest(".open, .offer");
    classList.toggle("unfit", !ways(one).some((way) => within(chosen, way)));
    classList.toggle("met", chosen.length > 0 && ways(one).some((way) => same(way, chosen)));
  }
}
document.addEventListener("click", (event) => {
  const die = event.target.closest(".pick");
  if (!die) return;
  die.setAttribute("aria-pressed", String(die.getAttribute("aria-pressed") !== "true"));
  light();
});

// --- the thing is chosen: the next question, with which dice, is answered by those that were tapped ------------------

document.addEventListener("htmx:beforeRequest", ({ detail }) => {
  if (detail.requestConfig.verb !== "post") return;
  const option = detail.requestConfig.triggeringEvent?.submitter;
  const chosen = picked();
  sessionStorage.removeItem(PAYING);
  const exact = option?.dataset.paid && ways(option).some((way) => same(way, chosen));
  if (exact) sessionStorage.setItem(PAYING, chosen.join(" "));
});
function pay() {
  const chosen = sessionStorage.getItem(PAYING);
  sessionStorage.removeItem(PAYING);
  if (!chosen || document.querySelector(".question.placed")) return;
  const options = [...document.querySelectorAll(".question .option[data-paid]")];
  const fitting = options.filter((one) => same(ways(one)[0], dice(chosen)));
  if (fitting.length === 1) fitting[0].click();
}

const version = () => document.querySelector("form.play")?.dataset.version;
let lit = ""; // the version of the table at which dice were chosen
document.addEventListener("DOMContentLoaded", () => {
  lit = version();
  light();
});
document.addEventListener("shown", () => {
  const changed = version() !== lit;
  lit = version();
  if (changed) for (const one of document.querySelectorAll(".pick")) one.setAttribute("aria-pressed", "false");
  light();
  if (changed) pay();
});
