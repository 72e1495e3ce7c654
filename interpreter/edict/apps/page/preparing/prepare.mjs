// Runs prepare.py in Pyodide, in Node: node prepare.mjs PYODIDE FOLDER SETTINGS. The folder is what the page brings along.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [pyodide, folder, told] = process.argv.slice(2);
async function main() {
  const { loadPyodide } = await import(pathToFileURL(join(pyodide, "pyodide.mjs")).href);
  const home = "/page/home";
  const env = { HOME: home, EDICT_CACHE: `${home}/cache`, XDG_STATE_HOME: `${home}/state`, XDG_DATA_HOME: "/kept/data", EDICT_RULES: "/page/own" };
  const python = await loadPyodide({ indexURL: join(pyodide, "/"), env: { ...env, PYTHONDONTWRITEBYTECODE: "1" } });
  python.FS.mkdirTree("/page");
  python.FS.mount(python.FS.filesystems.NODEFS, { root: folder }, "/page");
  python.FS.mkdirTree("/pyodide");
  python.FS.mount(python.FS.filesystems.NODEFS, { root: pyodide }, "/pyodide");
  await python.runPythonAsync(readFileSync(new URL("prepare.py", import.meta.url), "utf8"));
  await python.globals.get("prepare")(told);
  process.exit(0); // whatever of the application would still go on
}

main().catch((problem) => {
  console.error(problem.message); // whose last line says what, and not where in Pyodide
  process.exit(1);
});
