// The studio: the editor, and around it what the rules mean, the table, scenes and studies, each asked for anew as one types.
import { Files } from "./editor.js";
import { placed } from "./language.js";
import { parts } from "./notes.js";
import { confirm, later, make, prompt } from "./page.js";
import * as forms from "./forms.js";
import "./questions.js";
import * as table from "./table.js";
import * as tutorial from "./tutorial.js";
import { answered, ask, flush, known, nothing, onSaved, post, typed } from "./server.js";

const studio = document.querySelector("main.studio");
const writable = !("readonly" in studio.dataset);
const by = (id) => document.getElementById(id);
const files = new Files(by("editor"), "Rules in");
const tabs = document.querySelector(".tabs");

// --- files ------------------------------------------------------------------------------------------------------------

function drawTabs() {
  tabs.replaceChildren(...files.names().map((file) => {
    const wrong = problems.filter((one) => one.file === file && one.severity === "error").length;
    const button = make("button", { type: "button", className: "tab", textContent: file });
    if (file === files.current) button.setAttribute("aria-current", "true");
    if (wrong) button.append(make("span", { className: "count", textContent: ` ${wrong}`, title: `${wrong} errors` }));
    button.addEventListener("click", () => files.open(file));
    return button;
  }));
}

// --- what it means ----------------------------------------------------------------------------------------------------

let problems = [];
function drawProblems() {
  const list = make("ul", { className: "found" });
  for (const one of problems) {
    const line = make("li", { className: one.severity });
    const [first, ...more] = one.message.split("\n");
    const go = make("button", { type: "button", className: "quiet go", textContent: first });
    go.addEventListener("click", () => files.open(one.file, one.at));
    line.append(go, make("span", { className: "small", textContent: ` ${one.file}, line ${one.at[0]}` }));
    for (const text of more) line.append(make("p", { className: "small", textContent: text }));
    for (const there of one.related) {
      line.append(make("p", { className: "small", textContent: `${there.text}: ${there.said}` }));
    }
    if (one.fix && writable) {
      const mend = make("button", { type: "button", className: "quiet fix", textContent: one.fix.title });
      mend.addEventListener("click", () => files.apply(one.fix.changes));
      line.append(mend);
    }
    list.append(line);
  }
  by("problems").replaceChildren(problems.length ? list : make("p", { className: "none", textContent: "No problems." }));
}

async function check(whole = false) {
  const found = await ask("problems", { whole }, `problems ${whole}`);
  if (!found) return;
  problems = found;
  for (const file of files.names()) files.diagnose(file, found.filter((one) => one.file === file));
  drawProblems();
  drawTabs();
  return !found.some((one) => one.severity === "error");
}

async function colour() {
  const file = files.current;
  if (!file.endsWith(".edict")) return;
  const text = files.text(file);
  const found = await ask("colours", { file });
  if (found && text === files.text(file)) files.colour(file, found);
}

let looked = false; // whether the cursor was moved since, to read what stands there
const english = later(250, async () => {
  const { doc, selection } = files.view.state;
  drawAbove();
  if (!files.current.endsWith(".edict")) return;
  const reading = looked;
  looked = false; // a move while the answer is under way is the next one's
  const found = await ask("meaning", { file: files.current, looked: reading, ...placed(doc, selection.main.head) });
  looked ||= reading && !found;
  if (found) by("english").innerHTML = found; // made from Markdown by the server, which escapes what authors wrote
});

// --- what is shown in the text: hints, and above each thing its scenes -------------------------------------------------

let lenses = [];
async function note() {
  const file = files.current;
  if (!file.endsWith(".edict")) return;
  const text = files.text(file);
  const [hints, above] = await Promise.all([ask("hints", { file }), post("lenses", { file })]);
  if (!hints || file !== files.current || text !== files.text(file)) return;
  lenses = above;
  files.note(file, hints, above);
  drawAbove();
}
const noted = later(100, note);
function drawAbove() {
  const { doc, selection } = files.view.state;
  const line = doc.lineAt(selection.main.head).number;
  const one = files.current.endsWith(".edict") && lenses.find((each) => each.line <= line && line <= each.end);
  by("above").hidden = !one;
  by("above").querySelector("div").replaceChildren(...(one ? parts(one) : []).map(({ text, deed }) => {
    const button = make("button", { type: "button", className: "quiet", textContent: text });
    button.addEventListener("click", () => carryOut(deed));
    return button;
  }));
}
function carryOut({ go, play }) {
  if (go?.file) files.open(go.file, [go.line, go.column, 0, 0]);
  if (play) table.beginAt(play.file, play.name);
}
document.body.addEventListener("lens", (event) => carryOut(event.detail));
document.body.addEventListener("htmx:afterSwap", (event) => {
  if (event.target.closest("#scenes")) noted();
});
const signature = later(150, async () => {
  const file = files.current;
  if (!file.endsWith(".edict") || !writable) return;
  files.sign(file, await ask("signature", { file, ...placed(files.view.state.doc, files.view.state.selection.main.head) }));
});

// --- as one types: colours at once, problems soon, what follows from them when nobody types for a moment --------------

const soon = later(60, async () => {
  await colour();
  await check();
  signature();
});
let edits = 0; // what was checked is saved only if nobody has typed since
const settled = later(500, async () => {
  const checked = edits;
  const good = await check(true);
  english();
  if (good === undefined || edits !== checked) return;
  if (writable) await (good ? save() : said("saved"));
  htmx.trigger(document.body, good ? "checked" : "broken");
  if (studio.dataset.shown === "study") htmx.trigger(document.body, "evaluate");
  const told = good && (await table.renew());
  if (told && edits === checked) said(`${writable ? "Saved. " : ""}${told}`);
  await tutorial.look();
  noted();
});

// Rules without errors go into the files of the variant; others stay drafts.
async function save() {
  const sent = edits;
  try {
    await post("save");
    if (edits === sent) said("written");
  } catch (problem) {
    nothing(problem);
    said(problem.message);
    if (problem.clash) decide(problem.message, () => post("save", { over: true }), () => post("give-way").then(load));
  }
}

files.on("changed", () => {
  edits += 1;
  soon();
  settled();
});
files.on("moved", (file, only) => {
  looked ||= only;
  english();
});
files.on("opened", () => {
  lenses = [];
  noted();
  drawTabs();
  colour();
  english();
});

function said(state) {
  const texts = { typing: "Saving …", saved: "Kept as a draft", written: "Saved", lost: "The connection was lost. Your text is saved in this browser; trying again …" };
  by("saved").textContent = texts[state] ?? state;
}
onSaved((state, clash) => {
  said(state);
  if (clash) decide(state, () => {
    known(clash, "");
    typed(clash, files.text(clash));
    soon();
  }, load);
});

// Somebody else has changed the same file: which of the two texts is kept?
function decide(reason, mine, theirs) {
  const dialog = by("clash");
  if (dialog.open) return;
  by("clash-reason").textContent = `${reason[0].toUpperCase()}${reason.slice(1)}.`;
  dialog.addEventListener("close", () => {
    if (dialog.returnValue === "mine") mine();
    if (dialog.returnValue === "theirs") theirs();
  }, { once: true });
  dialog.returnValue = "";
  dialog.showModal();
  by("clash-title").focus(); // neither answer is given by a key that was meant for the editor
}

// --- what the server draws (htmx): it is asked only once it has all that was typed ------------------------------------

document.addEventListener("htmx:confirm", (event) => {
  event.preventDefault();
  flush().then(() => event.detail.issueRequest(true), nothing).catch(console.error);
});
document.addEventListener("click", (event) => {
  const go = event.target.closest("[data-go]");
  if (go) {
    reveal("rules");
    files.open(go.dataset.go, [Number(go.dataset.line), Number(go.dataset.column ?? 1), 0, 0]);
  }
  const show = event.target.closest("[data-show]");
  if (show) reveal(show.dataset.show);
});
// The part of the page that is shown beside what the rules mean. Games are played for a study while somebody looks at it.
function reveal(part) {
  studio.dataset.shown = part;
  if (part === "study") htmx.trigger(document.body, "evaluate");
  for (const one of document.querySelectorAll("[data-show]")) one.setAttribute("aria-pressed", String(one.dataset.show === part));
}
// What the server wrote into a file itself: the editor shows it, and goes there.
document.body.addEventListener("written", async (event) => {
  await load();
  reveal("rules");
  files.open(event.detail.file, [event.detail.line, 1, 0, 0]);
  soon();
  settled();
});

// --- what one can do with the editor ----------------------------------------------------------------------------------

const begun = new Set(); // a second click before the first is done is not a second deed
const doing = (id, deed) => by(id)?.addEventListener("click", async () => {
  if (begun.has(id)) return;
  begun.add(id);
  try {
    await deed();
  } catch (problem) {
    said(problem.message);
    nothing(problem);
  } finally {
    begun.delete(id);
  }
});
doing("format", async () => {
  files.replace(files.current, await ask("layout", { file: files.current }));
});
async function goToDefinition() {
  const { doc, selection } = files.view.state;
  const found = await ask("definition", { file: files.current, ...placed(doc, selection.main.head) }).catch(nothing);
  const own = found?.find((one) => one.file);
  if (own) files.open(own.file, own.at);
  else if (found?.length) said(`Declared in ${found[0].said}`);
}
async function showReferences() {
  const { doc, selection } = files.view.state;
  const found = await ask("references", { file: files.current, ...placed(doc, selection.main.head) });
  if (!found) return;
  by("found-references").hidden = false;
  by("found-references").querySelector("ul").replaceChildren(...found.map((one) => {
    const line = make("li");
    const go = make("button", { type: "button", className: "quiet go", textContent: one.text });
    go.addEventListener("click", () => files.open(one.file, one.at));
    line.append(one.file ? go : make("span", { textContent: one.text }));
    line.append(make("span", { className: "small", textContent: ` ${one.file ? `${one.file}, line ${one.at[0]}` : one.said}` }));
    return line;
  }));
  if (!found.length) said("There is no name at the cursor");
  by("found-references").focus();
}
doing("definition", goToDefinition);
doing("references", showReferences);
document.addEventListener("keydown", (event) => {
  if (event.key === "F12" && event.target.closest("#editor")) {
    event.preventDefault();
    (event.shiftKey ? by("references") : by("definition"))?.click();
  }
});
doing("rename", async () => {
  const { doc, selection } = files.view.state;
  const at = { file: files.current, ...placed(doc, selection.main.head) };
  const old = await ask("renamable", at);
  const found = await prompt(`Rename ${old}`, "New name", old, (name) => ask("rename", { ...at, name }));
  if (found) files.apply(found);
  files.view.focus();
});
doing("new-file", async () => {
  const made = await prompt("New file", "Name, such as market.edict or scenes/market.yaml", "", (name) => post("file", { name }));
  if (!made) return;
  files.add(made.file, made.text);
  files.open(made.file);
});

doing("rename-file", async () => {
  const file = files.current;
  const made = await prompt(`Rename ${file}`, "New name", file, async (name) => {
    await flush();
    return away(file, () => post("file/rename", { file, name }));
  });
  if (made) await reopen(made.file);
});
doing("delete-file", async () => {
  const file = files.current;
  if (!(await confirm("delete", `Delete ${file}?`))) return;
  await flush();
  await away(file, () => post("file/delete", { file }));
  await reopen();
});
// A file goes once all questions about it are answered, and while it goes no others are asked.
async function away(file, deed) {
  files.open(files.names().find((one) => one !== file));
  await answered(file);
  try {
    return await deed();
  } catch (problem) {
    files.open(file);
    throw problem;
  }
}
async function reopen(file) {
  await load();
  files.open(file ?? files.names()[0]);
  files.view.focus();
  soon();
  settled();
}

// --- the beginning ----------------------------------------------------------------------------------------------------

async function load() {
  const texts = await post("texts");
  for (const file of files.names()) if (!(file in texts)) files.remove(file);
  for (const [file, [text, mark]] of Object.entries(texts)) {
    known(file, mark);
    if (files.names().includes(file)) files.replace(file, text);
    else files.add(file, text, writable);
  }
}
const variants = JSON.parse(localStorage.getItem("variants") ?? "{}");
variants[studio.dataset.base] = studio.dataset.title;
localStorage.setItem("variants", JSON.stringify(variants));
await load();
files.open(files.names().find((file) => file.endsWith(".edict")) ?? files.names()[0]);
soon();
settled();
table.start();
tutorial.start(writable, (text) => {
  reveal("rules");
  files.append(files.names().find((file) => file === files.current && file.endsWith(".edict")) ?? "rules.edict", text);
});
forms.start(() => files.current);
