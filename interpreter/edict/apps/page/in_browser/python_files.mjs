// The files of the page's Python, for a browser and for Node, where its memory is made that browsers begin with.
export const HOME = "/page"; // in Python's file system: what the page brings along
const home = `${HOME}/home`;
export const environment = {
  HOME: home, EDICT_CACHE: `${home}/cache`, XDG_STATE_HOME: `${home}/state`, XDG_DATA_HOME: "/kept/data", EDICT_RULES: `${HOME}/own`,
  PYTHONDONTWRITEBYTECODE: "1",
};

// Writes files that lie in `bytes` one after the other. list: path and size of each.
export function unfold(python, list, bytes) {
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
    python.FS.utime(`${HOME}/${path}`, 0, 0); // what was read of it when the memory was made still holds
    at += size;
  }
}
