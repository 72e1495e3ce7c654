// The table beside the rules: a game of the variant in a frame, which goes on under the new rules as soon as they check.
import { make, prompt } from "./page.js";
import { flush, nothing, post } from "./server.js";

const by = (id) => document.getElementById(id);
const { base } = document.querySelector("main.studio").dataset;
const memory = `table ${base}`;
const recall = () => JSON.parse(localStorage.getItem(memory) ?? "{}");
const remember = (values) => localStorage.setItem(memory, JSON.stringify({ ...recall(), ...values }));

function say(text) {
  by("said").textContent = text;
}

async function trying(deed) {
  try {
    await flush();
    return await deed();
  } catch (problem) {
    say(`${problem.message[0].toUpperCase()}${problem.message.slice(1)}.`);
    return nothing(problem);
  }
}

function show({ host, seat, said }) {
  const before = recall();
  say(said);
  remember({ host, seat });
  by("moments").hidden = false;
  let frame = document.querySelector("#playing iframe");
  if (frame && before.seat === seat) return;
  if (!frame) {
    frame = make("iframe", { title: "The game", name: "playing" });
    by("playing").append(frame);
    frame.addEventListener("load", looked);
  }
  frame.src = `${base}/../../seat/${seat}`;
}

// Where the frame is: how many answers the game has there, and whether that is a look back.
function stands() {
  const inside = document.querySelector("#playing iframe")?.contentDocument;
  const replay = inside?.querySelector("#replay");
  const link = inside?.querySelector("a[href*='/at/']")?.getAttribute("href").match(/\/at\/(\d+)/);
  return { back: Boolean(replay), answers: Number(replay ? replay.value : link?.[1] ?? 0) };
}
function looked() {
  by("from-here").hidden = !stands().back;
}

function drawKept() {
  const { kept = [] } = recall();
  by("kept-label").hidden = !kept.length;
  by("kept").replaceChildren(make("option", { value: "", textContent: "a kept moment …" }),
    ...kept.map((one, number) => make("option", { value: String(number), textContent: one.name })));
}

export async function renew() {
  const { host } = recall();
  if (!host) return "";
  const found = await trying(() => post("table/renew", { host }));
  if (found) show(found);
  return found?.said ?? "";
}

async function goBack(host, answers) {
  const found = await trying(() => post("table/moment", { host, answers }));
  if (found) show(found);
}

document.addEventListener("submit", async (event) => {
  if (event.target.id !== "begin") return;
  event.preventDefault();
  const form = Object.fromEntries(new FormData(event.target));
  const found = await trying(() => post("table/begin", form));
  if (found) show(found);
});
// A game that begins at a scene, against the bot that is chosen.
export async function beginAt(file, name) {
  const bot = document.querySelector("#begin [name=bot]")?.value ?? "";
  document.querySelector("[data-show=table]").click(); // on a small screen, where one part is shown at a time
  const found = await trying(() => post("table/begin", { bot, scene: `${file}\n${name}` }));
  if (found) show(found);
}
by("keep").addEventListener("click", async () => {
  const { host, kept = [] } = recall();
  const { answers } = stands();
  const name = await prompt("Bookmark this moment", "Name", `After ${answers} answers`, (text) => text || `After ${answers} answers`);
  if (!name) return;
  remember({ kept: [...kept, { name, host, answers }] });
  drawKept();
});
by("kept").addEventListener("change", () => {
  const one = (recall().kept ?? [])[Number(by("kept").value)];
  if (by("kept").value && one) goBack(one.host, one.answers);
  by("kept").value = "";
});
by("from-here").addEventListener("click", () => goBack(recall().host, stands().answers));
by("make-scene")?.addEventListener("click", async () => {
  const written = await prompt("Turn your last moves into a scene", "Name of the scene", "", (name) =>
    post("table/scene", { host: recall().host, name, answers: stands().answers }));
  if (written) document.body.dispatchEvent(new CustomEvent("written", { detail: written }));
});

export async function start() {
  drawKept();
  const { host } = recall();
  if (!host) return;
  const found = await post("table/stands", { host }).catch(nothing);
  if (found) {
    remember({ seat: "" });
    show(found);
  } else remember({ host: "", seat: "" });
}
