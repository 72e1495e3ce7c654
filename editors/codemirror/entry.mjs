// What the studio uses of CodeMirror: one module, so that a page asks for one file.
export { EditorState, StateEffect, StateField, Compartment, RangeSetBuilder } from "@codemirror/state";
export {
  EditorView, Decoration, ViewPlugin, keymap, drawSelection, dropCursor, highlightActiveLine, highlightActiveLineGutter,
  highlightSpecialChars, hoverTooltip, lineNumbers, showTooltip,
} from "@codemirror/view";
export { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
export {
  HighlightStyle, StreamLanguage, bracketMatching, foldGutter, foldKeymap, foldService, indentUnit, syntaxHighlighting,
} from "@codemirror/language";
export {
  acceptCompletion, autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, completionStatus,
  snippet, startCompletion,
} from "@codemirror/autocomplete";
export { forEachDiagnostic, lintGutter, lintKeymap, nextDiagnostic, openLintPanel, setDiagnostics } from "@codemirror/lint";
export { highlightSelectionMatches, openSearchPanel, searchKeymap } from "@codemirror/search";
export { yaml } from "@codemirror/lang-yaml";
export { tags } from "@lezer/highlight";
