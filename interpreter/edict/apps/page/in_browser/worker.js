// A Python in a worker: the application, or one that works for it (by the worker's name).
import { loadPyodide } from "./pyodide/pyodide.mjs";

const BASE = new URL(".", import.meta.url);
const HOME = "/page"; // in Python's file system: what the page brings along
const KEPT = `/kept${BASE.pathname.replace(/\/$/, "")}`; // and what the browser keeps, for each page of a host its own
const own = (name, how) => fetch(new URL(name, BASE), how);
const settings = own("settings.json").then((found) => found.json());

// --- Python ----------------------------------------------------------------------------------------------------------------

const MOST = 1_500_000_000; // bytes of memory that a Python may take, as on a server
const PAGE = 65536; // bytes by which memory grows
const LATER = 10000; // milliseconds after the beginning, when somebody has begun to play
const PIECE = 1 << 16; // bytes that are unpacked at once: what is packed is never whole in Python's memory
const UNPACK = `
from compression.zstd import ZstdDecompressor
unpacking = ZstdDecompressor()
lambda piece: unpacking.decompress(piece.to_bytes())`;

// All files lie in one, one after the other, packed as Python unpacks it.
function unpacked(python, list, packed) {
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

const bytesOf = (name) => own(name).then(async (found) => (found.ok ? new Uint8Array(await found.arrayBuffer()) : null));
const listed = () => own("image.json").then((found) => found.json());

// What an earlier visit, or the application of this one, has made: Python's memory when all its modules had been read,
// and its files unpacked.
async function madeBefore() {
  const [memory, files] = await Promise.all(["made/memory", "made/files"].map(bytesOf));
  return memory && files ? { memory, files } : null;
}

// Keeping takes long, and others wait for the browser's store meanwhile.
async function keepMade(made) {
  await new Promise((done) => setTimeout(done, LATER));
  for (const [name, body] of Object.entries(made)) await own(`made/${name}`, { method: "PUT", body });
}

async function awake({ memory, files }) {
  const python = await loadPyodide({ ...options(memory.byteLength), _loadSnapshot: memory });
  unfold(python, await listed(), files);
  const api = python.pyimport("edict.apps.page.javascript_api");
  api.woken();
  return { python, api };
}

// Python's module with memory for what was kept, which Pyodide leaves to whoever brings it, and with no more than MOST, of
// which Python says then that there is none left: a tab that takes more may be ended by the browser.
function roomFor(size) {
  return async (settings) => {
    const instantiate = settings.instantiateWasm;
    settings.instantiateWasm = (imports, done) => {
      const grow = imports.env.emscripten_resize_heap;
      imports.env.emscripten_resize_heap = (wanted) => (wanted >>> 0 > MOST ? 0 : grow(wanted));
      return instantiate(imports, (instance, module) => {
        const { memory } = instance.exports;
        memory.grow(Math.max(0, Math.ceil((size - memory.buffer.byteLength) / PAGE)));
        done(instance, module);
      });
    };
    return (await import("./pyodide/pyodide.asm.mjs")).default(settings);
  };
}

async function fromNothing() {
  const [list, packed, python] = await Promise.all([listed(), bytesOf("image.zst"), loadPyodide({ ...options(0), _makeSnapshot: true })]);
  const files = unpacked(python, list, packed);
  unfold(python, list, files);
  python.runPython(`import sys; sys.path[:0] = ["${HOME}/python"]`);
  const api = python.pyimport("edict.apps.page.javascript_api");
  return { python, api, files };
}

// made: see `madeBefore`; without it Python begins from nothing, and can give what it has made itself.
async function begun(made) {
  if (made) {
    try {
      return await awake(made);
    } catch (problem) {
      console.warn(`Python begins from nothing: ${problem.message}`);
    }
  }
  return fromNothing();
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

function options(size) {
  return { indexURL: new URL("pyodide/", BASE).href, env: environment(), createPyodideModule: roomFor(size) };
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

// made: see `madeBefore`. A worker is given it, and begins with what the application knows.
const helper = (made) => (heard) => {
  const one = new Worker(import.meta.url, { type: "module", name: "helper" });
  let answer = null;
  one.onmessage = ({ data }) => {
    if (data.report) heard(data.report);
    else if (data.failed) answer?.reject(new Error(data.failed));
    else answer?.resolve(data.done);
  };
  one.onerror = (event) => answer?.reject(new Error(event.message ?? "it could not begin"));
  one.postMessage(made);
  return {
    ask(work) {
      return new Promise((resolve, reject) => {
        answer = { resolve, reject };
        one.postMessage(work);
      });
    },
    end: () => one.terminate(),
  };
};

async function application() {
  const waiting = [];
  let answers = (request) => void waiting.push(request);
  onmessage = ({ data }) => answers(data);
  postMessage({ stage: "reading" });
  const before = await madeBefore();
  const { python, api, files } = await begun(before);
  const memory = files ? await remembered(python, api) : null;
  const made = memory ? { memory, files } : before;
  await keep(python);
  postMessage({ stage: "beginning" });
  const path = BASE.pathname.replace(/\/$/, "");
  const told = JSON.stringify((await settings).application);
  const app = api.Application(KEPT, BASE.origin, path, told, () => synced(python, false), helper(made));
  await app.begin();
  let number = 0;
  answers = ({ method, address, headers, body, port, guest }) => {
    const mine = ++number;
    port.onmessage = () => app.leave(mine);
    app.answer(mine, method, address, headers, body, (piece) => port.postMessage(piece), guest);
  };
  waiting.forEach(answers);
  postMessage({ ready: true });
  if (memory) await keepMade(made).catch((problem) => console.warn(problem.message)); // a store may be full
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
  const made = await new Promise((given) => {
    onmessage = ({ data: first }) => {
      onmessage = ({ data }) => work(data);
      given(first);
    };
  });
  const [{ api }, quick] = await Promise.all([begun(made), machine()]);
  if (quick) api.think_with(quick.machine, quick.key);
  work = (bytes) => {
    postMessage({ done: api.carried_out(bytes, (report) => postMessage({ report })) });
  };
  waiting.forEach(work);
}

(self.name === "helper" ? help() : application()).catch((problem) => postMessage({ failed: String(problem.message ?? problem) }));
