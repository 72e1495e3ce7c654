// What a page needs beside htmx: closing explanations, keeping sheets open over news, the title of the page.
"use strict";
document.addEventListener("click", (event) => {
  const about = document.getElementById("about");
  if (about && about.childElementCount && !about.contains(event.target) && !event.target.closest(".what")) about.replaceChildren();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") document.getElementById("about")?.replaceChildren();
});
const open = new Set();
document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.target?.id !== "table") return;
  open.clear();
  for (const sheet of document.querySelectorAll("details[open] > summary")) open.add(sheet.textContent);
});
document.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target?.id !== "table") return;
  for (const summary of document.querySelectorAll("details > summary")) if (open.has(summary.textContent)) summary.parentElement.open = true;
});
