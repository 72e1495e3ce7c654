// What moves between two pictures of the table: dice roll, or travel to where they are put; goods fly to who gains
// them; tiles turn over; moments to look at unfold piece by piece. At the speed that whoever looks has chosen.
"use strict";

// --- the speed: kept in this browser; nothing moves for who asked their system for that -----------------------------

const SPEEDS = { slow: 2, normal: 1, fast: 0.5, "at once": 0 };
const still = matchMedia("(prefers-reduced-motion: reduce)");
function speed() {
  const wanted = localStorage.getItem("speed");
  return wanted in SPEEDS ? wanted : "normal";
}
function showSpeed() {
  const box = document.getElementById("speed");
  if (!box) return;
  box.value = speed();
  document.getElementById("speed-of").hidden = still.matches;
}
document.addEventListener("change", (event) => {
  if (event.target.id === "speed") localStorage.setItem("speed", event.target.value);
});
document.addEventListener("DOMContentLoaded", showSpeed);
still.addEventListener("change", showSpeed);

const LONG = 600; // milliseconds of one movement at normal speed
const EASE = "cubic-bezier(.3, .7, .3, 1)";
function move(one, frames, late = 0, long = 1) {
  const factor = still.matches ? 0 : SPEEDS[speed()];
  const duration = LONG * factor;
  const timing = { duration: long * duration, delay: late * duration, easing: EASE, fill: "backwards" };
  return factor ? one.animate(frames, timing) : null;
}

// --- what lies where ------------------------------------------------------------------------------------------------

const drawn = (box) => box.width > 0 && box.height > 0; // what is folded away has no place
const face = (die) =>
  `${die.getAttribute("class")} ${die.querySelector("use").getAttribute("href")} ${die.textContent}`;
function diceNow() {
  const places = [...document.querySelectorAll("#table [data-dice]")];
  return places.flatMap((place) =>
    [...place.querySelectorAll("svg.die")].map((die) => {
      const { dice, seat } = place.dataset;
      return { die, place: dice, key: `${seat ?? ""} ${face(die)}`, box: die.getBoundingClientRect() };
    }),
  );
}
function goodsNow() {
  const held = [...document.querySelectorAll("#table [data-goods]")];
  return new Map(held.map(({ dataset }) => [dataset.goods, Number(dataset.count)]));
}
const tilesNow = () => new Set([...document.querySelectorAll("#table .cell.marked [id]")].map((one) => one.id));
const told = () => [...document.querySelectorAll("#log .line details")];
const over = () => document.querySelector("#table .end") !== null;
const latest = () => Math.max(-1, ...told().map(numbered));
const numbered = (line) => Number(line.id.replace("log-", ""));

let seenBefore = null;
function before() {
  seenBefore = { dice: diceNow(), goods: goodsNow(), tiles: tilesNow(), line: latest(), over: over() };
}
function after() {
  showSpeed();
  if (!seenBefore) return;
  moveDice(seenBefore.dice, diceNow());
  moveGoods(seenBefore.goods, seenBefore.line);
  for (const id of tilesNow()) if (!seenBefore.tiles.has(id)) turn(document.getElementById(id).closest(".cell"));
  if (over() && !seenBefore.over) grow();
  seenBefore = null;
}

// --- dice -----------------------------------------------------------------------------------------------------------

const ROLL = [{ transform: "translate(-1.5rem, -1rem) rotate(-400deg)", opacity: 0 }, {}];

// A die that is new somewhere comes from where one like it, of the same player, is no more; or it has been rolled.
function moveDice(old, now) {
  const gone = old.filter(({ place, key }) => !take(now, (one) => !one.kept && one.place === place && one.key === key));
  const come = now.filter((one) => !one.kept && drawn(one.box));
  come.forEach((one, number) => {
    const at = gone.findIndex(({ key, box }) => key === one.key && drawn(box));
    if (at >= 0) {
      travel(one.die, gone.splice(at, 1)[0].box, one.box);
      move(one.die, [{ opacity: 0 }, { opacity: 0 }]);
    } else move(one.die, ROLL, (number % 5) * 0.12);
  });
}
function take(list, which) {
  const found = list.find(which);
  if (found) found.kept = true;
  return found;
}
// What travels is a copy over all else, so that nothing on the way hides it; the thing itself appears when it is there.
function travel(one, from, to, late = 0) {
  const copy = one.cloneNode(true);
  const { color } = getComputedStyle(one);
  copy.classList.add("flying");
  document.body.append(copy);
  for (const side of ["left", "top", "width", "height"]) copy.style[side] = `${to[side]}px`;
  copy.style.color = color;
  for (const name of ["--die", "--pip"]) copy.style.setProperty(name, getComputedStyle(one).getPropertyValue(name));
  const shift = `translate(${from.left - to.left}px, ${from.top - to.top}px) scale(${from.width / to.width})`;
  const flight = move(copy, [{ transform: shift, transformOrigin: "0 0" }, { transformOrigin: "0 0" }], late);
  if (flight) flight.onfinish = () => copy.remove();
  else copy.remove();
}

// --- goods ----------------------------------------------------------------------------------------------------------

const MOST = 5; // pieces that fly at once
function moveGoods(old, line) {
  const from = source(line);
  for (const one of document.querySelectorAll("#table [data-goods]")) {
    const more = Number(one.dataset.count) - (old.get(one.dataset.goods) ?? Infinity);
    const icon = one.querySelector("svg"), to = icon?.getBoundingClientRect();
    if (!(more > 0) || !from || !drawn(to)) continue;
    for (let piece = 0; piece < Math.min(more, MOST); piece += 1) travel(icon, from, to, piece * 0.2);
  }
}

// Where the goods come from: the thing on the board that a new line of the log names as its cause, else the question.
function source(line) {
  const causes = new Set(
    told()
      .filter((one) => numbered(one) > line)
      .map((one) => one.querySelector("summary small")?.textContent.trim()),
  );
  const things = [...document.querySelectorAll("#table .what, #table .on-board")];
  const thing = things.find((one) => causes.has(one.textContent.trim()));
  const box = (thing?.closest(".pane, .cell, tr") ?? document.querySelector("#table .question"))
    ?.getBoundingClientRect();
  return box && drawn(box) ? new DOMRect(box.left + box.width / 2, box.top + box.height / 2, 20, 20) : null;
}
// --- tiles, and moments to look at ----------------------------------------------------------------------------------

function turn(tile) {
  move(tile, [{ transform: "perspective(40rem) rotateY(180deg)" }, {}]);
}
// A scene is played beat by beat, anything else line by line. A click on it shows all at once.
const BEATS = { "": 0.5, reveal: 1.2, roll: 1, block: 0.12, stamp: 0.6 }; // movements until the next beat begins
const REVEAL = [{ transform: "perspective(40rem) rotateY(180deg)", filter: "brightness(0)" }, {}];
const STAMP = [{ opacity: 0, transform: "scale(2.5) rotate(-20deg)" }, {}];
const FRAMES = { reveal: REVEAL, roll: ROLL, block: [{ opacity: 0, transform: "scaleY(0)" }, {}], stamp: STAMP };
const RISE = [{ opacity: 0, transform: "translateY(.5rem)" }, {}];
function unfold(dialog) {
  const pieces = dialog.querySelectorAll("article:not([hidden]) :is(h2, p:not(.scene p), tr, .changes li, [data-beat])");
  let late = 0;
  for (const one of pieces) {
    const { beat = "" } = one.dataset;
    move(one, FRAMES[beat] ?? RISE, late);
    late += BEATS[beat];
  }
}
document.addEventListener("click", (event) => {
  const dialog = event.target.closest("#pause");
  for (const one of dialog?.getAnimations({ subtree: true }) ?? []) one.finish();
});

// --- the end: the charts are drawn from the first point to the last ---------------------------------------------------

const CHART = 4; // movements that it takes
function grow() {
  const frames = [{ clipPath: "inset(0 100% 0 0)" }, { clipPath: "inset(0)" }];
  for (const one of document.querySelectorAll("#table .end .chart")) move(one, frames, 0, CHART);
}
