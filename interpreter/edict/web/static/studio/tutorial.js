// The tutorial over the page: the server says which steps are done, so nothing has to be ticked off.
import { post } from "./server.js";

const by = (id) => document.getElementById(id);
const memory = `tutorial ${document.querySelector("main.studio").dataset.base}`;
const table = memory.replace("tutorial", "table");
let drawn = "";

const open = () => by("tutorial") && !by("tutorial").hidden;

export async function look() {
  if (!open()) return;
  const { host } = JSON.parse(localStorage.getItem(table) ?? "{}");
  const found = await post("tutorial", { host });
  if (found === drawn) return;
  const focused = by("tutorial").contains(document.activeElement);
  by("tutorial").innerHTML = drawn = found; // from the server, which escapes what authors wrote
  if (focused) by("hide-tutorial").focus();
}

function show(shown) {
  by("tutorial").hidden = !shown;
  by("show-tutorial").setAttribute("aria-expanded", String(shown));
  localStorage.setItem(memory, shown ? "shown" : "");
  if (shown) look();
}

export function start(writable) {
  if (!writable) return;
  by("show-tutorial").addEventListener("click", () => show(!open()));
  by("tutorial").addEventListener("click", (event) => {
    if (!event.target.closest("#hide-tutorial")) return;
    show(false);
    by("show-tutorial").focus();
  });
  if (localStorage.getItem(memory) || location.hash === "#tutorial") show(true);
  setInterval(() => document.hidden || look().catch(() => {}), 2000);
}
