// The tutorial over the page: the server says which steps are done, so nothing has to be ticked off.
import { make } from "./page.js";
import { nothing, post } from "./server.js";

const by = (id) => document.getElementById(id);
const memory = `tutorial ${document.querySelector("main.studio").dataset.base}`;
const table = memory.replace("tutorial", "table");
let drawn = "";
let shown = null; // a step that somebody wants to read again
const reached = () => Number(localStorage.getItem(`${memory} step`) ?? 0);

const open = () => by("tutorial") && !by("tutorial").hidden;

export async function look() {
  if (!open()) return;
  const { host } = JSON.parse(localStorage.getItem(table) ?? "{}");
  const found = await post("tutorial", { host, shown, reached: reached() });
  if (found === drawn) return;
  const focused = document.activeElement?.closest("#tutorial") ? document.activeElement.id : "";
  by("tutorial").innerHTML = drawn = found; // from the server, which escapes what authors wrote
  for (const one of by("tutorial").querySelectorAll("pre")) one.after(carrying(one.textContent));
  if (focused) (by(focused) ?? by("hide-tutorial")).focus();
  const now = Number(by("tutorial").querySelector(".steps")?.dataset.reached ?? 0);
  if (now > reached()) {
    localStorage.setItem(`${memory} step`, String(now));
    shown = null;
    await look();
  }
}

// What a step asks one to type, for those who would rather not.
let insert = null;
function carrying(text) {
  const insertion = make("button", { type: "button", className: "quiet", textContent: "Insert" });
  insertion.addEventListener("click", () => insert(text));
  const copy = make("button", { type: "button", className: "quiet", textContent: "Copy" });
  copy.addEventListener("click", async () => {
    await navigator.clipboard?.writeText(text);
    copy.textContent = navigator.clipboard ? "Copied" : "This browser cannot copy here";
  });
  const both = make("p", { className: "controls" });
  both.append(insertion, copy);
  return both;
}

function show(shown) {
  by("tutorial").hidden = !shown;
  by("show-tutorial").setAttribute("aria-expanded", String(shown));
  localStorage.setItem(memory, shown ? "shown" : "");
  if (shown) look().catch(nothing);
}

export function start(writable, inserting) {
  if (!writable) return;
  insert = inserting;
  by("show-tutorial").addEventListener("click", () => show(!open()));
  by("tutorial").addEventListener("click", (event) => {
    const step = event.target.closest("[data-step]");
    if (step) {
      shown = Number(step.dataset.step) === reached() ? null : Number(step.dataset.step);
      look().catch(nothing);
    }
    if (!event.target.closest("#hide-tutorial")) return;
    show(false);
    by("show-tutorial").focus();
  });
  if (localStorage.getItem(memory) || location.hash === "#tutorial") show(true);
  setInterval(() => document.hidden || look().catch(nothing), 2000);
}
