// How far in a new line begins: at once as the one above, and where it belongs as soon as the server has said so. A line
// that somebody types or pastes with spaces of its own has these, and no others before them.
import * as cm from "../vendor/codemirror.js";
import { nothing, post } from "./server.js";

const width = (text) => text.search(/\S|$/);
const above = cm.indentService.of((context, at) => {
  const { text } = context.lineAt(at, -1);
  return text.trim() ? width(text) : 0;
});

function inserted(change) {
  let text = "";
  change.changes.iterChanges((from, to, start, end, put) => (text += put.toString()));
  return text;
}
const isEnter = (change) => change.isUserEvent("input") && !change.isUserEvent("input.paste") && /^\n *$/.test(inserted(change));

// The lines whose spaces nobody typed: each with its number, where it begins, and whether the server was asked about it.
let count = 0;
const settled = cm.StateEffect.define();
const owned = cm.StateEffect.define();
const automatic = () => cm.StateField.define({
  create: () => [],
  update(lines, change) {
    const { doc } = change.state;
    const said = (effect) => change.effects.find((one) => one.is(effect))?.value;
    const done = said(settled);
    const now = (at, side) => change.changes.mapPos(at, side);
    const gone = ({ at }) => now(at - 1, 1) === now(at, -1); // the line break before it was deleted
    const kept = lines.filter((one) => one.number !== said(owned) && !gone(one)).flatMap((one) => {
      const line = doc.lineAt(now(one.at, -1));
      if (one.number === done) return [{ ...one, at: line.from, width: width(line.text), settled: true }];
      const same = width(line.text) === one.width && (!one.settled || !line.text.trim());
      return same ? [{ ...one, at: line.from }] : [];
    });
    if (!isEnter(change)) return kept;
    const line = doc.lineAt(change.state.selection.main.head);
    return [...kept.filter((one) => one.at !== line.from), { number: ++count, at: line.from, width: width(line.text), settled: false }];
  },
});

// Spaces of somebody's own take the place of these, and so do whole lines that are pasted.
const own = (lines) => cm.EditorState.transactionFilter.of((change) => {
  const pasted = change.isUserEvent("input.paste");
  if (!pasted && !change.isUserEvent("input.type")) return change;
  const { main } = change.startState.selection;
  const line = change.startState.doc.lineAt(main.head);
  const begun = change.startState.field(lines).find((one) => one.at === line.from);
  const text = inserted(change);
  if (!begun || !main.empty || main.head !== line.to || line.text.trim() || !(text.startsWith(" ") || (pasted && text.includes("\n")))) return change;
  return {
    changes: { from: line.from, to: line.to, insert: text },
    selection: { anchor: line.from + text.length },
    effects: owned.of(begun.number),
    userEvent: pasted ? "input.paste" : "input.type",
    scrollIntoView: true,
  };
});

// One line after the other is put where it belongs, since that hangs on the one above.
const settling = (lines) => {
  let running = Promise.resolve();
  return cm.EditorView.updateListener.of(({ view, transactions }) => {
    if (transactions.some(isEnter)) running = running.then(() => settle(view, lines)).catch(nothing).catch(console.error);
  });
};
async function settle(view, lines) {
  const next = () => view.state.field(lines, false)?.find((one) => !one.settled);
  for (let one = next(); one; one = next()) {
    const { number } = one;
    const wanted = await post("ask/indent", { before: view.state.sliceDoc(0, Math.max(one.at - 1, 0)) });
    const now = view.state.field(lines, false)?.find((other) => other.number === number);
    if (now) view.dispatch({ ...moved(view.state, now, wanted), effects: settled.of(number), userEvent: "indent" });
  }
}

function moved(state, { at, width }, wanted) {
  const { head, empty } = state.selection.main;
  const line = state.doc.lineAt(at);
  const there = empty && line.from <= head && head <= line.to;
  if (wanted === width || !there && !line.text.trim()) return {}; // nobody is at an empty line any more
  const changes = { from: at, to: at + width, insert: " ".repeat(wanted) };
  return there ? { changes, selection: { anchor: at + wanted + Math.max(head - at - width, 0) } } : { changes };
}

export function indents() {
  const lines = automatic();
  return [above, lines, own(lines), settling(lines)];
}
