// What the page asks of the server. Nothing typed is lost: what cannot be sent is kept in the browser until it can.
const base = document.querySelector("main.studio").dataset.base;
const kept = (file) => `unsent ${base} ${file}`;

export class Refused extends Error {} // cannot be done; the message says why, `clash` that somebody else was faster
export class Lost extends Error {} // the server cannot be reached

export const post = (door, body = {}) => noted(body.file, send(door, body));
async function send(door, body) {
  const sent = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const answer = await fetch(`${base}/${door}`, sent).catch(lost);
  if (answer.status === 422 || answer.status === 409) {
    const { refused, clash } = await answer.json().catch(lost);
    throw Object.assign(new Refused(refused), { clash });
  }
  if (!answer.ok) throw new Error(await answer.text().catch(lost));
  const json = answer.headers.get("Content-Type").startsWith("application/json");
  return (json ? answer.json() : answer.text()).catch(lost);
}

function lost() { // also in the middle of an answer
  throw new Lost("The connection was lost");
}

const open = new Map(); // what was asked about a file and has no answer yet -> the file
function noted(file, question) {
  open.set(question, file);
  const close = () => open.delete(question);
  question.then(close, close);
  return question;
}
// Once everything is answered that was asked about a file.
export const answered = (file) => Promise.allSettled([...open.keys()].filter((question) => open.get(question) === file));

// --- texts: sent one after the other, so that the server never hears of an older one last ----------------------------

const waiting = new Map(); // file -> text not sent yet
const marks = new Map(); // file -> the server's mark of the text that is typed over
export const known = (file, mark) => marks.set(file, mark);
let sending = null;
const watchers = new Set();
export const onSaved = (watcher) => watchers.add(watcher);
const tell = (...state) => watchers.forEach((watcher) => watcher(...state));

export function typed(file, text) {
  waiting.set(file, text);
  try {
    localStorage.setItem(kept(file), text);
  } catch { /* a browser without room: the server has the drafts */ }
  tell("typing");
}

export function unsent(file) {
  return localStorage.getItem(kept(file));
}

export function flush() {
  sending ??= sendAll().finally(() => (sending = null));
  return sending;
}

async function sendAll() {
  if (!waiting.size) return;
  while (waiting.size) {
    const [file, text] = waiting.entries().next().value;
    waiting.delete(file);
    try {
      const { mark } = await post("typed", { file, text, over: marks.get(file) });
      known(file, mark);
    } catch (problem) {
      if (problem instanceof Refused) tell(problem.message, problem.clash && file);
      else {
        if (!waiting.has(file)) waiting.set(file, text);
        tell("lost");
        setTimeout(() => flush().catch(() => {}), 1500);
      }
      throw problem;
    }
    if (!waiting.has(file)) localStorage.removeItem(kept(file));
  }
  tell("saved");
}

// What becomes of a question that nobody can answer: none, if the connection was lost or it makes no sense now.
export function nothing(problem) {
  if (problem instanceof Lost || problem instanceof Refused) return null;
  throw problem;
}

// A question about the texts as they stand; an older question of the same sort that is still open is given up.
const turns = new Map();
export const ask = (what, body = {}, sort = what) => noted(body.file, askNow(what, body, sort));
async function askNow(what, body, sort) {
  const turn = (turns.get(sort) ?? 0) + 1;
  turns.set(sort, turn);
  await flush();
  const answer = await post(`ask/${what}`, body);
  return turns.get(sort) === turn ? answer : null;
}
