// A Python in a worker: the application, or one that works for it (by the worker's name).
import { loadPyodide } from "./pyodide/pyodide.mjs";

const BASE = new URL(".", import.meta.url);
const HOME = "/page"; // in Python's file system: what the page brings along
const KEPT = `/kept${BASE.pathname.replace(/\/$/, "")}`; // and what the browser keeps, for each page of a host its own
const own = (name, how) => fetch(new URL(name, BASE), how);
const settings = own("settings.json").then((found) => found.json());

// --- Python ----------------------------------------------------------------------------------------------------------------

const PIECE = 1 << 16; // bytes that are unpacked at once: what is packed is never whole in Python's memory
const UNPACK = `
from compression.zstd import ZstdDecompressor
unpacking = ZstdDecompressor()
lambda piece: unpacking.decompress(piece.to_bytes())`;

// All files lie in one, one after the other, packed as Python unpacks it; unpacked, once a visit was here.
async function unpacked(python, list) {
  const kept = await own("made/image");
  if (kept.ok) return new Uint8Array(await kept.arrayBuffer());
  const packed = new Uint8Array(await own("image.zst").then((found) => found.arrayBuffer()));
  const bytes = new Uint8Array(list.reduce((sum, [, size]) => sum + size, 0));
  const names = python.toPy({});
  const unpack = python.runPython(UNPACK, { globals: names });
  for (let start = 0, at = 0; start < packed.length; start += PIECE) {
    const raw = unpack(packed.subarray(start, start + PIECE));
    const piece = raw.toJs();
    bytes.set(piece, at);
    at += piece.length;
    raw.destroy();
  }
  unpack.destroy();
  names.destroy();
  keepMade("image", bytes);
  return bytes;
}

function unfold(python, list, bytes) {
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
    python.FS.utime(`${HOME}/${path}`, 0, 0); // what was read of it in an earlier visit still holds
    at += size;
  }
}

// What a visit makes for the next ones: the service worker keeps it as long as this release.
const keepMade = (name, bytes) => own(`made/${name}`, { method: "PUT", body: bytes }).catch((problem) => console.warn(problem.message));

// Python begins as it was when all its modules had been read, in an earlier visit or by the application.
async function awake(memory) {
  const python = await loadPyodide({ ...options(), _loadSnapshot: memory, createPyodideModule: grown(memory.byteLength) });
  const list = await own("image.json").then((found) => found.json());
  unfold(python, list, await unpacked(python, list));
  return python;
}

// As much memory as was kept; Pyodide leaves that to whoever brings it.
function grown(size) {
  return async (settings) => {
    const instantiate = settings.instantiateWasm;
    settings.instantiateWasm = (imports, done) => instantiate(imports, (instance, module) => {
      const { memory } = instance.exports;
      memory.grow(Math.max(0, Math.ceil((size - memory.buffer.byteLength) / 65536)));
      done(instance, module);
    });
    return (await import("./pyodide/pyodide.asm.mjs")).default(settings);
  };
}

async function fromNothing() {
  const [list, python] = await Promise.all([
    own("image.json").then((found) => found.json()), loadPyodide({ ...options(), _makeSnapshot: true }),
  ]);
  unfold(python, list, await unpacked(python, list));
  python.runPython(`import sys; sys.path[:0] = ["${HOME}/python"]`);
  return python;
}

// keeping: what Python knows when its modules are read is kept for the next visit, and for who works for it.
async function begun(keeping) {
  const found = await own("made/memory");
  if (found.ok) {
    try {
      const python = await awake(new Uint8Array(await found.arrayBuffer()));
      const api = python.pyimport("edict.page.javascript_api");
      api.woken();
      return { python, api, kept: Promise.resolve() };
    } catch (problem) {
      console.warn(`Python begins from nothing: ${problem.message}`);
    }
  }
  const python = await fromNothing();
  const api = python.pyimport("edict.page.javascript_api");
  const memory = keeping ? await remembered(python, api) : null;
  return { python, api, kept: memory ? keepMade("memory", memory) : Promise.resolve() };
}

// All that Python knows after a visit that nobody sees.
async function remembered(python, api) {
  await api.visit(JSON.stringify((await settings).application));
  await new Promise((done) => setTimeout(done)); // until nothing of JavaScript's is held there
  try {
    python.runPython("import gc; gc.collect()");
    return python.makeMemorySnapshot();
  } catch (problem) {
    console.warn(`The next visit begins from nothing: ${problem.message}`);
    return null;
  }
}

function options() {
  return { indexURL: new URL("pyodide/", BASE).href, env: environment() };
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

// ready: when a worker begins sooner, having what the application knows already.
const helper = (ready) => (heard) => {
  let one = null;
  let answer = null;
  let ended = false;
  const begun = ready.then(() => {
    if (ended) return;
    one = new Worker(import.meta.url, { type: "module", name: "helper" });
    one.onmessage = ({ data }) => {
      if (data.report) heard(data.report);
      else if (data.failed) answer?.reject(new Error(data.failed));
      else answer?.resolve(data.done);
    };
    one.onerror = (event) => answer?.reject(new Error(event.message ?? "it could not begin"));
  });
  return {
    ask(work) {
      return new Promise((resolve, reject) => {
        answer = { resolve, reject };
        begun.then(() => one?.postMessage(work));
      });
    },
    end() {
      ended = true;
      one?.terminate();
    },
  };
};

async function application() {
  const waiting = [];
  let answers = (request) => void waiting.push(request);
  onmessage = ({ data }) => answers(data);
  postMessage({ stage: "reading" });
  const { python, api, kept } = await begun(true);
  await keep(python);
  postMessage({ stage: "beginning" });
  const path = BASE.pathname.replace(/\/$/, "");
  const told = JSON.stringify((await settings).application);
  const app = api.Application(KEPT, BASE.origin, path, told, () => synced(python, false), helper(kept));
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
  const [{ api }, quick] = await Promise.all([begun(false), machine()]);
  if (quick) api.think_with(quick.machine, quick.key);
  work = (bytes) => {
    postMessage({ done: api.carried_out(bytes, (report) => postMessage({ report })) });
  };
  waiting.forEach(work);
}

(self.name === "helper" ? help() : application()).catch((problem) => postMessage({ failed: String(problem.message ?? problem) }));
