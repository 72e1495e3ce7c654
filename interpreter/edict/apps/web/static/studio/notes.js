// What is shown in the text though nobody wrote it: hints behind words, scenes above things, and what a value is given to.
import { Decoration, EditorView, StateEffect, StateField, WidgetType, showTooltip } from "../vendor/codemirror.js";
import { offset } from "./language.js";
import { make } from "./page.js";

class Shown extends WidgetType {
  constructor(key, draw) {
    super();
    this.key = key;
    this.draw = draw;
  }
  eq(other) {
    return this.key === other.key;
  }
  toDOM() {
    return this.draw();
  }
}

export const setHints = StateEffect.define();
export const setLenses = StateEffect.define();
export const setSignature = StateEffect.define();

function shown(effect, drawn) {
  return StateField.define({
    create: () => Decoration.none,
    update(found, change) {
      found = found.map(change.changes);
      for (const one of change.effects) if (one.is(effect)) found = Decoration.set(drawn(change.state.doc, one.value), true);
      return found;
    },
    provide: (field) => EditorView.decorations.from(field),
  });
}

const hints = shown(setHints, (doc, all) => all.map((one) => {
  const draw = () => make("span", { className: "hint", textContent: ` ${one.text}`, title: one.words });
  return Decoration.widget({ widget: new Shown(one.text, draw), side: 1 }).range(offset(doc, one.line, one.column));
}));

// For the mouse; the same stands, for everybody, beside the English of where the cursor is.
const lenses = shown(setLenses, (doc, all) => all.filter((one) => one.line <= doc.lines).map((one) => {
  const draw = () => {
    const line = make("div", { className: "lens" });
    line.setAttribute("aria-hidden", "true");
    line.append(...parts(one).map(({ text, deed }) => {
      const part = make("span", { className: "lens-part", textContent: text });
      part.addEventListener("mousedown", (event) => {
        event.preventDefault();
        document.body.dispatchEvent(new CustomEvent("lens", { detail: deed }));
      });
      return part;
    }));
    return line;
  };
  const widget = new Shown(JSON.stringify(one), draw);
  return Decoration.widget({ widget, block: true, side: -1 }).range(doc.line(one.line).from);
}));

// What a lens offers: its words, and what is to be done.
export function parts({ said, scenes, unplayed }) {
  const found = [];
  if (scenes.length) found.push({ text: said, deed: { go: scenes[0] } }, { text: "play from here", deed: { play: scenes[0] } });
  if (unplayed.length) {
    const text = unplayed.length === 1 ? "1 place not covered by any scene" : `${unplayed.length} places not covered by any scene`;
    found.push({ text, deed: { go: unplayed[0] } });
  }
  return found;
}

const signature = StateField.define({
  create: () => null,
  update(found, change) {
    for (const one of change.effects) if (one.is(setSignature)) found = one.value && tooltip(change.state, one.value);
    return found && change.docChanged ? { ...found, pos: change.changes.mapPos(found.pos) } : found;
  },
  provide: (field) => showTooltip.from(field),
});
function tooltip(state, { label, part }) {
  const create = () => {
    const dom = make("div", { className: "signature" });
    const at = label.lastIndexOf(part);
    dom.append(label.slice(0, at), make("strong", { textContent: part }), label.slice(at + part.length));
    return { dom };
  };
  return { pos: state.selection.main.head, above: true, create };
}

export const notes = [hints, lenses, signature];
