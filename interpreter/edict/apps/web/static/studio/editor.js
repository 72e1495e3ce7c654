// The files of a variant as tabs over one editor. Each keeps its own history; what is typed goes to the server at once.
import * as cm from "../vendor/codemirror.js";
import { flush, typed, unsent } from "./server.js";
import { indents } from "./indents.js";
import { rules, setColours, stretch } from "./language.js";
import { notes, setHints, setLenses, setSignature } from "./notes.js";

const highlight = cm.HighlightStyle.define([
  { tag: cm.tags.propertyName, class: "e-field" }, { tag: cm.tags.comment, class: "e-comment" },
  { tag: cm.tags.string, class: "e-string" }, { tag: cm.tags.content, class: "e-string" },
]);

// Tab takes what somebody has gone to, or else the first that is offered.
const accept = (view) => cm.acceptCompletion(view) || (cm.moveCompletionSelection(true)(view) && cm.acceptCompletion(view));

// What is indented under a line can be folded away.
const folds = cm.foldService.of((state, from) => {
  const first = state.doc.lineAt(from);
  if (!first.text.trim()) return null;
  const own = first.text.search(/\S/);
  let end = null;
  for (let number = first.number + 1; number <= state.doc.lines; number += 1) {
    const line = state.doc.line(number);
    if (!line.text.trim()) continue;
    if (line.text.search(/\S/) <= own) break;
    end = line.to;
  }
  return end && { from: first.to, to: end };
});

// The completer of the file one came from may still have a question open, and asks each file for what it keeps there.
const unfinished = cm.autocompletion({ override: [], defaultKeymap: false });

export class Files {
  constructor(host, label) {
    this.label = label;
    this.states = new Map();
    this.current = "";
    this.listeners = { changed: [], moved: [], opened: [] };
    const nothing = cm.EditorState.create({ extensions: cm.EditorView.editable.of(false) }); // until there are files
    this.view = new cm.EditorView({ root: host.attachShadow({ mode: "open" }), state: nothing });
    const sheet = document.createElement("link");
    sheet.rel = "stylesheet";
    sheet.href = new URL("editor.css", import.meta.url);
    host.shadowRoot.append(sheet, this.view.dom);
  }

  on(what, listener) {
    this.listeners[what].push(listener);
  }
  #tell(what, ...given) {
    this.listeners[what].forEach((listener) => listener(...given));
  }

  add(file, text, writable = true) {
    this.states.set(file, this.#state(file, unsent(file) ?? text, writable));
    if (unsent(file) !== null && unsent(file) !== text) typed(file, unsent(file));
  }
  remove(file) {
    this.states.delete(file);
    if (this.current !== file) return;
    this.current = "";
    this.open(this.names()[0]);
  }
  names() {
    return [...this.states.keys()];
  }
  text(file) {
    return this.#of(file).doc.toString();
  }
  #of(file) {
    return file === this.current ? this.view.state : this.states.get(file);
  }

  open(file, at = null) {
    if (!this.states.has(file)) return;
    if (file !== this.current) {
      if (this.current) this.states.set(this.current, this.view.state);
      this.current = file;
      this.view.setState(this.states.get(file));
      this.#tell("opened", file);
    }
    if (at) {
      const { from } = stretch(this.view.state.doc, at);
      this.view.dispatch({ selection: { anchor: from }, effects: cm.EditorView.scrollIntoView(from, { y: "center" }) });
      this.view.focus();
    }
  }

  // Edits from the server, to be carried out in whatever files they lie.
  apply(changes) {
    for (const { file, edits } of changes) {
      const { doc } = this.#of(file);
      this.#dispatch(file, { changes: edits.map(({ at, text }) => ({ ...stretch(doc, at), insert: text })) });
    }
    flush();
  }
  replace(file, text) {
    const { doc } = this.#of(file);
    if (doc.toString() !== text) this.#dispatch(file, { changes: { from: 0, to: doc.length, insert: text } });
  }
  // Lines at the end of a file, unless it ends so already; what begins at the left edge is set apart.
  append(file, text) {
    this.open(file);
    const before = this.text(file).trimEnd();
    const lines = text.trimEnd();
    if (before.endsWith(lines)) return;
    const between = !before ? "" : lines.startsWith(" ") ? "\n" : "\n\n";
    this.replace(file, `${before}${between}${lines}\n`);
    const { doc } = this.view.state;
    this.view.dispatch({ selection: { anchor: doc.length }, effects: cm.EditorView.scrollIntoView(doc.length) });
    this.view.focus();
  }
  #dispatch(file, change) {
    if (file === this.current) return this.view.dispatch(change);
    const state = this.states.get(file).update(change).state;
    this.states.set(file, state);
    if (change.changes) {
      typed(file, state.doc.toString());
      this.#tell("changed", file);
    }
  }

  colour(file, lines) {
    if (this.states.has(file)) this.#dispatch(file, { effects: setColours.of(lines) });
  }
  note(file, hints, lenses) {
    if (this.states.has(file)) this.#dispatch(file, { effects: [setHints.of(hints), setLenses.of(lenses)] });
  }
  sign(file, found) {
    if (file === this.current) this.#dispatch(file, { effects: setSignature.of(found) });
  }
  diagnose(file, problems) {
    const state = this.#of(file);
    if (!state) return;
    const found = problems.map((one) => ({
      ...stretch(state.doc, one.at), severity: one.severity, message: one.message, source: one.code,
      actions: one.fix ? [{ name: one.fix.title, apply: () => this.apply(one.fix.changes) }] : [],
    }));
    this.#dispatch(file, cm.setDiagnostics(state, found));
  }

  #state(file, doc, writable) {
    const changed = cm.EditorView.updateListener.of((update) => {
      if (update.docChanged) {
        typed(file, update.state.doc.toString());
        this.#tell("changed", file);
      }
      if (update.docChanged || update.selectionSet) this.#tell("moved", file, !update.docChanged);
    });
    const extensions = [
      cm.lineNumbers(), cm.foldGutter(), cm.lintGutter(), cm.history(), cm.drawSelection(), cm.dropCursor(),
      cm.highlightActiveLine(), cm.highlightSpecialChars(), cm.highlightSelectionMatches(), cm.bracketMatching(),
      cm.indentUnit.of("  "), cm.EditorState.tabSize.of(2), cm.EditorView.lineWrapping, changed,
      cm.EditorView.contentAttributes.of({ tabindex: "0", "aria-label": `${this.label} ${file}`, spellcheck: "false", autocapitalize: "off" }),
      cm.EditorState.readOnly.of(!writable),
      cm.keymap.of([
        ...cm.completionKeymap, { key: "Tab", run: accept }, ...cm.defaultKeymap, ...cm.historyKeymap,
        ...cm.foldKeymap, ...cm.lintKeymap, ...cm.searchKeymap,
      ]),
      file.endsWith(".edict") ? [rules(file), notes, indents(), folds] : [cm.yaml(), cm.syntaxHighlighting(highlight), unfinished],
    ];
    return cm.EditorState.create({ doc, extensions });
  }
}
