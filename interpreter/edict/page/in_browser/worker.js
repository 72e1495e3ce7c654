// A Python in a worker: the application, or one that works for it (by the worker's name).
import { loadPyodide } from "./pyodide/pyodide.mjs";

const BASE = new URL(".", import.meta.url);
const HOME = "/page"; // in Python's file system: what the page brings along
const KEPT = `/kept${BASE.pathname.replace(/\/$/, "")}`; // and what the browser keeps, for each page of a host its own
const own = (name) => fetch(new URL(name, BASE));
const settings = own("settings.json").then((found) => found.json());

// --- Python ----------------------------------------------------------------------------------------------------------------

// All files lie in one, one after the other, packed as Python unpacks it.
function unfold(python, list, packed) {
  python.globals.set("packed", packed);
  const raw = python.runPython("from compression import zstd; zstd.decompress(packed.to_bytes())");
  const bytes = raw.toJs();
  raw.destroy();
  python.globals.delete("packed");
  let at = 0;
  const folders = new Set();
  for (const [path, size] of list) {
    const cut = path.lastIndexOf("/");
    const folder = `${HOME}/${path.slice(0, cut)}`;
    if (!folders.has(folder)) {
      python.FS.mkdirTree(folder, 0o755);
      folders.add(folder);
    }
    python.FS.createDataFile(folder, path.slice(cut + 1), bytes.subarray(at, at + size), true, true, true);
    python.FS.chmod(`${HOME}/${path}`, 0o600);
    at += size;
  }
}

async function begun() {
  const [list, bytes, python] = await Promise.all([
    own("image.json").then((found) => found.json()),
    own("image.zst").then((found) => found.arrayBuffer()),
    loadPyodide({ indexURL: new URL("pyodide/", BASE).href, env: environment() }),
  ]);
  unfold(python, list, new Uint8Array(bytes));
  python.runPython(`import sys; sys.path[:0] = ["${HOME}/python"]`);
  return { python, api: python.pyimport("edict.page.javascript_api") };
}

function environment() {
  const home = `${HOME}/home`;
  return {
    HOME: home, EDICT_CACHE: `${home}/cache`, XDG_STATE_HOME: `${home}/state`, XDG_DATA_HOME: `${KEPT}/data`, EDICT_RULES: `${HOME}/own`,
    PYTHONDONTWRITEBYTECODE: "1",
  };
}

// --- what the browser keeps: a folder in IndexedDB ---------------------------------------------------------------------

function synced(python, reading) {
  return new Promise((done, failed) => {
    python.FS.syncfs(reading, (problem) => (problem ? failed(problem) : done()));
  });
}
async function keep(python) {
  python.FS.mkdirTree(KEPT);
  python.FS.mount(python.FS.filesystems.IDBFS, {}, KEPT);
  await synced(python, true);
}

// --- the application -------------------------------------------------------------------------------------------------------

function helper(heard) {
  const one = new Worker(import.meta.url, { type: "module", name: "helper" });
  let answer = null;
  one.onmessage = ({ data }) => {
    if (data.report) heard(data.report);
    else if (data.failed) answer?.reject(new Error(data.failed));
    else answer?.resolve(data.done);
  };
  one.onerror = (event) => answer?.reject(new Error(event.message ?? "it could not begin"));
  return {
    ask(work) {
      return new Promise((resolve, reject) => {
        answer = { resolve, reject };
        one.postMessage(work);
      });
    },
    end: () => one.terminate(),
  };
}

async function application() {
  const waiting = [];
  let answers = (request) => void waiting.push(request);
  onmessage = ({ data }) => answers(data);
  postMessage({ stage: "reading" });
  const { python, api } = await begun();
  await keep(python);
  postMessage({ stage: "beginning" });
  const path = BASE.pathname.replace(/\/$/, "");
  const told = JSON.stringify((await settings).application);
  const app = api.Application(KEPT, BASE.origin, path, told, () => synced(python, false), helper);
  await app.begin();
  let number = 0;
  answers = ({ method, address, headers, body, port, guest }) => {
    const mine = ++number;
    port.onmessage = () => app.leave(mine);
    app.answer(mine, method, address, headers, body, (piece) => port.postMessage(piece), guest);
  };
  waiting.forEach(answers);
  postMessage({ ready: true });
}

// --- who works for it ------------------------------------------------------------------------------------------------------

// Bots think with the machine; without it, where a page was made so or a browser will not have it, in plain Python.
async function machine() {
  const [found] = Object.entries((await settings).translated);
  if (!found) return null;
  const [key, program] = found;
  try {
    const { Machine } = await import("./machine/machine.js");
    return { key, machine: await Machine.load(own("machine/machine.wasm"), { program: own(`machine/${program}`) }) };
  } catch (problem) {
    console.warn(`Bots think in plain Python: ${problem.message}`);
    return null;
  }
}

async function help() {
  const waiting = [];
  let work = (bytes) => void waiting.push(bytes);
  onmessage = ({ data }) => work(data);
  const [{ api }, quick] = await Promise.all([begun(), machine()]);
  if (quick) api.think_with(quick.machine, quick.key);
  work = (bytes) => {
    postMessage({ done: api.carried_out(bytes, (report) => postMessage({ report })) });
  };
  waiting.forEach(work);
}

(self.name === "helper" ? help() : application()).catch((problem) => postMessage({ failed: String(problem.message ?? problem) }));
