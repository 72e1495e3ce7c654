// What a page needs beside htmx: explanations, pauses, and what must outlast a new picture of the table.
"use strict";
const by = (id) => document.getElementById(id);
const form = () => document.querySelector("form.play");

// --- explanations: beside the board, closed by Escape, a click elsewhere or their button ----------------------------

let asker = "";
function closeAbout(back) {
  const box = by("about-box");
  if (!box || box.hidden) return;
  box.hidden = true;
  if (back) by(asker)?.focus();
}
document.addEventListener("click", (event) => {
  if (event.target.closest("#about-close")) closeAbout(true);
  else if (!event.target.closest("#about-box, .what, .tells")) closeAbout(false);
  if (event.target.closest("#pause-close")) by("pause").close();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") closeAbout(true);
});

// --- what is for authors: shown to who wants it, and beside rules that are written (in a frame of the studio) --------

function exactly(shown) {
  document.documentElement.classList.toggle("exactly", shown);
  by("exactly")?.setAttribute("aria-pressed", String(shown));
}
const wanted = () => (localStorage.getItem("exactly") ?? String(window.name === "playing")) === "true";
document.addEventListener("click", (event) => {
  if (event.target.id !== "exactly") return;
  localStorage.setItem("exactly", String(!wanted()));
  exactly(wanted());
});
exactly(wanted());

// --- pauses: moments to look at, each shown once ---------------------------------------------------------------------

const seenKey = () => `seen ${location.pathname}`;
function seen() {
  return Number(sessionStorage.getItem(seenKey()) ?? -1);
}
function pause(first) {
  const dialog = by("pause");
  if (!dialog) return;
  const moments = [...dialog.querySelectorAll("article")];
  const last = Math.max(-1, ...moments.map((one) => Number(one.dataset.number)));
  if (first && sessionStorage.getItem(seenKey()) === null) sessionStorage.setItem(seenKey(), last);
  for (const one of moments) one.hidden = Number(one.dataset.number) <= seen();
  dialog.onclose = () => sessionStorage.setItem(seenKey(), last);
  if (dialog.open || moments.every((one) => one.hidden)) return;
  dialog.showModal();
  dialog.scrollTop = 0; // the button has the focus, and is at the end
  unfold(dialog);
}

// --- a new picture of the table: what stays on it stays as it is on the page -----------------------------------------

// Elements are kept (idiomorph), and with them where one was, and what was scrolled. What people opened, and what was
// sent for inside it, is not of the server's doing.
Idiomorph.defaults.callbacks.beforeAttributeUpdated = (name) => name !== "open" && name !== "aria-pressed";
Idiomorph.defaults.callbacks.beforeNodeMorphed = (one, next) => {
  if (one.matches?.(".line details") && said(one) !== said(next)) {
    one.open = false; // an answer was taken back, and another line of the log has this number now
    one.querySelector(".led").replaceChildren();
  }
  return !(one.matches?.(".led") && one.childElementCount);
};
// Lines of the log that the server no longer sends stay where they are, above the others; those taken back do not.
const lineNumber = (one) => Number(one.id.replace(/^\D+/, ""));
function keepOlderLines(next) {
  const section = next?.firstElementChild;
  if (!section || !by("log")) return;
  const from = lineNumber(section);
  const older = [...by("log").children].filter((one) => lineNumber(one) < from).map((one) => one.cloneNode(true));
  for (const line of older.flatMap((one) => [...one.querySelectorAll(".line")])) if (lineNumber(line) >= from) line.remove();
  next.prepend(...older);
}
// A row, or a thing that lies open, keeps its place among the others: what is new comes to where another is gone.
function keepPlaces(next) {
  for (const list of next.querySelectorAll("[data-places]")) {
    const come = new Map([...list.children].map((one) => [one.id, one]));
    const places = [...(by(list.id)?.children ?? [])].map((one) => one.id);
    const fresh = [...come.keys()].filter((id) => !places.includes(id));
    const order = places.map((id) => (come.has(id) ? id : fresh.shift())).concat(fresh);
    list.append(...order.map((id, place) => come.get(id) ?? gap(list, place)));
  }
}
function gap(list, place) {
  const one = document.createElement(list.matches("tbody") ? "tr" : "li");
  return Object.assign(one, { className: "gap", id: `gap:${list.id}:${place}` });
}
const said = (line) => line.querySelector("summary").textContent;

// The stage of the round that is on is in sight, however narrow the screen; nothing else moves.
function showStage() {
  const now = document.querySelector(".stage.now");
  if (now) now.parentElement.scrollLeft = now.offsetLeft - (now.parentElement.clientWidth - now.offsetWidth) / 2;
}
showStage();

// Where there is no room for all, the part of the board that a question is about is in sight: the panel that it asks for,
// or what whoever is asked has. So are the newest lines of the log, unless somebody reads in it.
const OLD = 40; // pixels from the end of the log at which somebody reads
let newest = true;
function showAsked() {
  const log = by("log");
  if (newest && log) log.scrollTop = log.scrollHeight;
  if (!document.querySelector(".question.yours")) return;
  const panel = document.querySelector("#table .panel.asked") ?? document.querySelector("#table .card.own");
  panel?.scrollIntoView({ block: "nearest" });
  panel?.querySelector(".open, .cause")?.scrollIntoView({ block: "nearest" }); // where even the panel has no room
}

// Whoever has just answered, or taken that back, is at the new question, so that a second Enter does nothing. So is who
// was at an answer that is another now.
const kept = { focus: null, answering: "", asked: "" };
const answering = (one) => (one.type === "submit" ? `${by("asked").textContent} ${one.value}` : "");
function remember(sent) {
  const one = document.activeElement?.closest("#table *");
  kept.focus = one;
  kept.answering = one && (sent ? "sent" : answering(one));
  kept.asked = by("asked")?.textContent ?? "";
  const log = by("log");
  newest = !log || log.scrollHeight - log.scrollTop - log.clientHeight < OLD;
  before();
}
function restore() {
  const { focus } = kept;
  const stays = document.activeElement === focus && answering(focus) === kept.answering;
  if (focus && !stays) by("asked")?.focus({ preventScroll: true });
  const asked = by("asked")?.textContent ?? "";
  if (asked !== kept.asked && by("announce")) by("announce").textContent = asked;
  document.title = form()?.dataset.title ?? document.title;
  exactly(wanted());
  showStage();
  showAsked();
  after();
  pause(false);
}
// The server sends what has changed since the picture that has a mark; of what stays, it only names the elements.
htmx.defineExtension("kept", {
  transformResponse(text) {
    if (!/data-kept|data-places|id="log"/.test(text)) return text;
    const next = document.createElement("template");
    next.innerHTML = text;
    for (const one of next.content.querySelectorAll("template[data-kept]"))
      one.replaceWith(by(one.dataset.kept).cloneNode(true));
    keepOlderLines(next.content.querySelector("#log"));
    keepPlaces(next.content);
    return next.innerHTML;
  },
});
const stated = (text, name) => new RegExp(`data-${name}="([^"]*)"`).exec(text)?.[1];
const asks = () => htmx.trigger("#table", "again");
function fits(text) {
  const { version, mark } = form().dataset;
  if (Number(stated(text, "version") ?? -1) < Number(version)) return false; // it was overtaken on its way
  const since = stated(text, "since");
  if (since === undefined || since === mark) return true;
  if (stated(text, "mark") !== mark) asks(); // made for another picture than stands here
  return false;
}
document.addEventListener("htmx:configRequest", ({ detail }) => {
  if (detail.target.id === "table" && form()) detail.parameters.since = form().dataset.mark;
});
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (detail.target.id !== "table" || !detail.shouldSwap) return;
  if (fits(detail.serverResponse)) remember(detail.requestConfig.verb === "post");
  else detail.shouldSwap = false;
});
document.addEventListener("htmx:sseBeforeMessage", (event) => {
  if (event.detail.type !== "news") return;
  if (fits(event.detail.data)) remember(false);
  else event.preventDefault();
});
document.addEventListener("htmx:sseMessage", (event) => {
  if (event.detail.type === "news") shown();
});
function shown() {
  restore();
  document.dispatchEvent(new Event("shown"));
  back();
}
document.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target?.id === "table") shown();
  if (event.detail.target?.id === "about") {
    asker = event.detail.requestConfig.elt.id;
    by("about-box").hidden = false;
    by("about").focus();
  }
});

// --- addresses within a seat are said without it, so that everybody who sees the same is sent the same --------------------

document.addEventListener("htmx:configRequest", (event) => {
  const { path } = event.detail;
  if (!path.startsWith("/") && form()) event.detail.path = form().dataset.seat + path;
});

// --- news: a lost connection is said, and the table asked for when it is back ------------------------------------------

let again = 0;
function say(text) {
  if (!by("lost")) return;
  by("lost").textContent = text;
  by("lost").hidden = false;
}
function lost() {
  say(by("lost")?.dataset.lost);
}
function back() {
  if (by("lost")) by("lost").hidden = true;
}
function retry(after) {
  clearTimeout(again);
  again = setTimeout(asks, after);
}
document.addEventListener("htmx:sseError", lost);
document.addEventListener("htmx:sseOpen", back);
document.addEventListener("htmx:afterRequest", ({ detail }) => {
  if (detail.successful && detail.target.id === "table") back(); // there may have been nothing new to show
});
document.addEventListener("htmx:sendError", () => {
  lost();
  retry(1500);
});
document.addEventListener("htmx:responseError", ({ detail }) => {
  if (detail.elt.closest(".lesson")) return; // nobody asked for this suggestion
  const { status, responseText } = detail.xhr;
  const plain = detail.xhr.getResponseHeader("Content-Type")?.startsWith("text/plain");
  say(plain ? responseText : by("lost")?.dataset.broken);
  if (status === 429 || status >= 500) retry(3000);
});
window.addEventListener("online", asks);
window.addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload(); // the back button shows the table as it is, not as it was
});
document.addEventListener("DOMContentLoaded", () => {
  showAsked();
  pause(true);
});

// --- replay: the slider goes to another answer when it is let go -----------------------------------------------------

document.addEventListener("input", (event) => {
  if (event.target.id === "replay") by("replay-at").value = event.target.value;
});
document.addEventListener("change", (event) => {
  if (event.target.id === "replay") location.assign(event.target.dataset.replay + event.target.value);
});
