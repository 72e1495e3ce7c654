// A Python in a worker: the application, or one that works for it (by the worker's name).
import { loadPyodide } from "./pyodide/pyodide.mjs";
import { HOME, environment, unfold } from "./python_files.mjs";

const BASE = new URL(".", import.meta.url);
const KEPT = `/kept${BASE.pathname.replace(/\/$/, "")}`; // in Python's file system: what the browser keeps, for each page of a host its own
const own = (name) => fetch(new URL(name, BASE));
const settings = own("settings.json").then((found) => found.json());

// --- Python ----------------------------------------------------------------------------------------------------------------

const MOST = 1_500_000_000; // bytes of memory that a Python may take, as on a server
const PAGE = 65536; // bytes by which memory grows
const [IN, OUT] = [1 << 17, 1 << 20]; // bytes that are unpacked at once

// Pyodide has the decompressor of what the page brings along: an instance of it that never becomes a Python unpacks.
async function unpackers() {
  const module = await WebAssembly.compileStreaming(own("pyodide/pyodide.asm.wasm"));
  const imports = {};
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    (imports[from] ??= {})[name] = kind === "global" ? new WebAssembly.Global({ value: "i32", mutable: true }, 0) : () => 0;
  }
  return async () => (await WebAssembly.instantiate(module, imports)).exports;
}

async function unpacked(name, unpacker) {
  const found = await own(name);
  if (!found.ok) throw new Error(`${name}: ${found.status}`);
  const { memory, malloc, ZSTD_createDCtx, ZSTD_decompressStream, ZSTD_getFrameContentSize, ZSTD_isError } = await unpacker;
  const [input, output, from, to] = [IN, OUT, 12, 12].map((size) => malloc(size));
  const context = ZSTD_createDCtx();
  const at = (struct) => new Uint32Array(memory.buffer, struct, 3);
  let whole;
  let filled = 0;
  const reader = found.body.getReader(); // Safari cannot iterate over a stream
  for (let { value: piece } = await reader.read(); piece; { value: piece } = await reader.read()) {
    for (let start = 0; start < piece.length; start += IN) {
      const part = piece.subarray(start, start + IN);
      new Uint8Array(memory.buffer, input).set(part);
      whole ??= new Uint8Array(Number(ZSTD_getFrameContentSize(input, part.length)));
      at(from).set([input, part.length, 0]);
      let full;
      do {
        at(to).set([output, OUT, 0]);
        if (ZSTD_isError(ZSTD_decompressStream(context, to, from))) throw new Error(`${name} is damaged`);
        const [, , size] = at(to);
        whole.set(new Uint8Array(memory.buffer, output, size), filled);
        filled += size;
        full = size === OUT;
      } while (full || at(from)[2] < part.length);
    }
  }
  return whole;
}

// Python's module with memory for what the page brings along, which Pyodide leaves to whoever brings it, and with no more
// than MOST, of which Python says then that there is none left: a tab that takes more may be ended by the browser.
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

// Python as it was when the page was made: with its modules imported and its cache filled.
async function begun() {
  const create = unpackers();
  const unpack = async (name) => unpacked(name, (await create)());
  const [list, files, memory] = await Promise.all([own("image.json").then((found) => found.json()), unpack("image.zst"), unpack("memory.zst")]);
  const python = await loadPyodide({
    indexURL: new URL("pyodide/", BASE).href, env: environment, createPyodideModule: roomFor(memory.byteLength), _loadSnapshot: memory,
  });
  python._api.config._loadSnapshot = null; // Pyodide would keep it
  memory.buffer.transfer?.(0); // is free at once, where browsers have that
  unfold(python, list, files);
  const api = python.pyimport("edict.apps.page.javascript_api");
  api.woken(`${KEPT}/data`);
  return { python, api };
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

const helper = (heard) => {
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
};

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
