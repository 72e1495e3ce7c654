// The language of rules in the editor: all that is known of it comes from the server.
import {
  Decoration, EditorView, StateEffect, StateField, autocompletion, hoverTooltip, snippet,
} from "../vendor/codemirror.js";
import { ask, nothing } from "./server.js";

// --- places: the server counts characters from 1, the editor counts UTF-16 units from 0 ------------------------------

const units = (text, characters) => [...text].slice(0, characters).join("").length;
export function offset(doc, line, column) {
  if (line > doc.lines) return doc.length;
  const there = doc.line(Math.max(line, 1));
  return Math.min(there.from + units(there.text, Math.max(column - 1, 0)), there.to);
}
export function stretch(doc, [line, column, endLine, endColumn]) {
  const from = offset(doc, line, column);
  return { from, to: Math.max(from, offset(doc, endLine, endColumn)) };
}
export function placed(doc, at) {
  const line = doc.lineAt(at);
  return { line: line.number, column: [...line.text.slice(0, at - line.from)].length + 1 };
}

// --- colours ----------------------------------------------------------------------------------------------------------

export const setColours = StateEffect.define();
const marks = new Map();
const mark = (sort) => {
  if (!marks.has(sort)) marks.set(sort, Decoration.mark({ class: `e-${sort}` }));
  return marks.get(sort);
};
const coloured = StateField.define({
  create: () => Decoration.none,
  update(found, change) {
    found = found.map(change.changes);
    for (const effect of change.effects) if (effect.is(setColours)) found = decorations(change.state.doc, effect.value);
    return found;
  },
  provide: (field) => EditorView.decorations.from(field),
});
function decorations(doc, lines) {
  const found = [];
  for (const [number, ...some] of lines) {
    for (const [start, end, sort] of some) {
      const { from, to } = stretch(doc, [number, start, number, end]);
      if (to > from) found.push(mark(sort).range(from, to));
    }
  }
  return Decoration.set(found, true);
}

// --- completion, hover ------------------------------------------------------------------------------------------------

const SORTS = {
  keyword: "keyword", local: "variable", field: "property", rule: "method", kind: "class", thing: "constant",
  routine: "function", action: "function", resource: "type", group: "type", die: "type", moment: "text",
};
function option(one) {
  const apply = one.snippet ? snippet(one.text.replace(/\$0$/, "").replace(/\$\{(\d+):?/g, "${$1:")) : one.text;
  return {
    label: one.label, detail: one.detail, type: SORTS[one.sort] ?? "constant", apply, boost: 20 - 10 * one.rank,
    info: one.words ? () => paragraph(one.words) : async () => paragraph(await ask("words", { name: one.label }).catch(nothing)),
  };
}
function paragraph(text) {
  if (!text) return null;
  const made = document.createElement("p");
  made.textContent = text;
  return made;
}
const complete = (file) => async (context) => {
  const before = context.matchBefore(/\p{L}[\p{L}\p{M}\p{N}-]*/u);
  if (!before && !context.explicit && !/\s$/.test(context.state.sliceDoc(Math.max(0, context.pos - 1), context.pos))) return null;
  const found = await ask("complete", { file, ...placed(context.state.doc, context.pos) }).catch(nothing);
  if (!found?.length || (!before && !context.explicit && found.length > 60)) return null;
  const names = new Set(found.map((one) => one.label));
  const validFor = (text) => /^(\p{L}[\p{L}\p{M}\p{N}-]*)?$/u.test(text) && !names.has(text); // at a whole name it is asked anew
  return { from: before?.from ?? context.pos, options: found.map(option), validFor };
};
const hover = (file) => hoverTooltip(async (view, at) => {
  if (view.dom.querySelector(".lens:hover")) return null; // which stands above the line, and is no word of it
  const { doc } = view.state;
  const found = await ask("hover", { file, ...placed(doc, at) }).catch(nothing);
  if (!found?.html || view.state.doc !== doc || !view.dom.matches(":hover")) return null; // typed or left meanwhile
  const { from, to } = stretch(view.state.doc, found.at);
  return { pos: from, end: to, above: true, create: () => ({ dom: prose(found.html) }) };
}, { hideOnChange: true });
function prose(html) {
  const made = document.createElement("div");
  made.className = "prose";
  made.innerHTML = html; // Markdown made into HTML by the server, which escapes what authors wrote
  return made;
}

export const rules = (file) => [
  coloured,
  // Nothing is chosen until somebody goes there with an arrow key, so Enter is a new line before that.
  autocompletion({ override: [complete(file)], selectOnOpen: false, icons: false, maxRenderedOptions: 80, defaultKeymap: false }),
  hover(file),
];
