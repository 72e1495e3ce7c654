// Makes what the page brings along, with Pyodide in Node: node prepare.mjs PYODIDE FOLDER SETTINGS.
//
// One Python compiles the modules and fills the cache (`prepare.py`); another one starts as in a browser and is visited.
// Its memory is what browsers begin with. They need no file of a module that it has imported.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { environment, HOME, unfold } from "../in_browser/python_files.mjs";

const [pyodide, folder, told] = process.argv.slice(2);
const LOADED = `
import sys
[file for module in list(sys.modules.values()) if module.__spec__ for file in [module.__spec__.cached or module.__spec__.origin] if file]`;
const LIBRARY = `next(path for path in sys.path if path.endswith(".zip"))`;

async function main() {
  const { loadPyodide } = await import(pathToFileURL(join(pyodide, "pyodide.mjs")).href);
  const begin = (more) => loadPyodide({ indexURL: join(pyodide, "/"), env: environment, ...more });

  const maker = await begin({});
  for (const [place, root] of [[HOME, folder], ["/pyodide", pyodide]]) {
    maker.FS.mkdirTree(place);
    maker.FS.mount(maker.FS.filesystems.NODEFS, { root }, place);
  }
  await maker.runPythonAsync(readFileSync(new URL("prepare.py", import.meta.url), "utf8"));
  const called = (name, ...given) => maker.globals.get(name)(...given);
  await called("prepare", told);

  const library = join(folder, "python_stdlib.zip");
  const python = await begin({ _makeSnapshot: true, stdLibURL: library });
  const list = called("list_files").toJs();
  for (const [path] of list) {
    const raw = readFileSync(join(folder, path));
    unfold(python, [[path, raw.length]], raw);
  }
  python.runPython(`import sys; sys.path[:0] = ["${HOME}/python"]`);
  const api = python.pyimport("edict.apps.page.javascript_api");
  await api.visit(told);
  const names = python.runPython(LOADED);
  const loaded = names.toJs();
  names.destroy();
  api.destroy();
  called("drop_files", maker.toPy(loaded));
  for (const path of loaded) if (path.startsWith(`${HOME}/`)) python.FS.unlink(path);
  python.FS.writeFile(python.runPython(LIBRARY), readFileSync(library));
  await new Promise((done) => setTimeout(done)); // until nothing of JavaScript's is held there
  python.runPython("import gc, importlib; importlib.invalidate_caches(); gc.collect()");
  writeFileSync(join(folder, "memory"), python.makeMemorySnapshot());
  called("pack");
  process.exit(0); // whatever of the application would still go on
}

main().catch((problem) => {
  console.error(problem.message); // whose last line says what, and not where in Pyodide
  process.exit(1);
});
