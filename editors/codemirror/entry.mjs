// What the studio uses of CodeMirror: one module, so that a page asks for one file.
export { EditorState, StateEffect, StateField } from "@codemirror/state";
export {
  Decoration, EditorView, WidgetType, drawSelection, dropCursor, highlightActiveLine, highlightSpecialChars,
  hoverTooltip, keymap, lineNumbers, showTooltip,
} from "@codemirror/view";
export { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
export {
  HighlightStyle, bracketMatching, foldGutter, foldKeymap, foldService, indentService, indentUnit, syntaxHighlighting,
} from "@codemirror/language";
export {
  acceptCompletion, autocompletion, completionKeymap, moveCompletionSelection, snippet,
} from "@codemirror/autocomplete";
export { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
export { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
export { yaml } from "@codemirror/lang-yaml";
export { tags } from "@lezer/highlight";
