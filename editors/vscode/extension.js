// The client: starts `kingsburg lsp`, and offers some of the other commands. All that is said comes from the server.
const path = require("node:path");
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function settings() {
  const found = vscode.workspace.getConfiguration("edict");
  return { command: found.get("command"), game: found.get("game") };
}

async function start() {
  const { command, game } = settings();
  const [program, ...first] = command;
  const words = [...first, "lsp", ...(game ? ["--game", game] : [])];
  const documents = [
    { scheme: "file", language: "edict" },
    { scheme: "file", pattern: "**/{module,look}.yaml" },
    { scheme: "file", pattern: "**/scenes/*.yaml" },
  ];
  client = new LanguageClient("edict", "Edict", { command: program, args: words }, {
    documentSelector: documents,
    synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/*.{edict,yaml}") },
  });
  try {
    await client.start();
  } catch (reason) {
    vscode.window.showErrorMessage(`\`${command.join(" ")} lsp\` could not be started: ${reason.message}`);
  }
}

// The folder of the module that the open file belongs to: the nearest one with a `module.yaml`.
async function moduleFolder() {
  const file = vscode.window.activeTextEditor?.document.uri;
  for (let folder = file && path.dirname(file.fsPath); folder; folder = path.dirname(folder)) {
    try {
      await vscode.workspace.fs.stat(vscode.Uri.file(path.join(folder, "module.yaml")));
      return folder;
    } catch {
      if (folder === path.dirname(folder)) break;
    }
  }
  vscode.window.showWarningMessage("Open a file of a module first: there is no `module.yaml` in its folder.");
}

function inTerminal(cwd, ...words) {
  const { command, game } = settings();
  // A process of its own and no shell, so that no name of a folder is taken for a command.
  const [program, ...first] = command;
  const over = game && words[0] !== "test" ? ["--game", game] : [];
  const shellArgs = [...first, ...words, ...over];
  vscode.window.createTerminal({ name: `kingsburg ${words[0]}`, cwd, shellPath: program, shellArgs }).show();
}

function runs(...words) {
  return async () => {
    const folder = await moduleFolder();
    if (folder) inTerminal(folder, ...words.map((word) => (word === "." ? folder : word)));
  };
}

// A game from where a scene begins. The command reads files, so what is typed is saved first.
async function playScene(uri, line) {
  if (!(await vscode.workspace.saveAll())) return;
  const file = vscode.Uri.parse(uri).fsPath;
  inTerminal(path.dirname(file), "play", "--at", `${file}:${line}`);
}

function showScenes(uri, position, places) {
  const to = client.protocol2CodeConverter;
  const locations = places.map((place) => to.asLocation(place));
  return vscode.commands.executeCommand(
    "editor.action.showReferences", to.asUri ? to.asUri(uri) : vscode.Uri.parse(uri), to.asPosition(position), locations,
  );
}

async function activate(context) {
  const commands = {
    "edict.test": runs("test", "."),
    "edict.play": runs("play", "--with", "."),
    "edict.rulebook": runs("rulebook", "--with", ".", "--force"),
    "edict.diff": runs("diff", "base", "."),
    "edict.restart": async () => { await client?.stop(); await start(); },
    "edict.showScenes": showScenes,
    "edict.playScene": playScene,
  };
  for (const [name, run] of Object.entries(commands)) {
    context.subscriptions.push(vscode.commands.registerCommand(name, run));
  }
  await start();
}

module.exports = { activate, deactivate: () => client?.stop() };
