"""The table of a kind, with a row for each thing, which can be imported again without loss."""

from __future__ import annotations

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.printing import PrintedLine, print_lines
from edict.prose.rulebook.annotated_rules import AnnotatedRules
from edict.prose.rulebook.judgement_filter import remove_judgement
from edict.prose.rulebook.things import iter_sentences, sort_things
from edict.support.report import suggest_word
from edict.support.request_errors import RequestError
from edict.tools.tables.columns import DESCRIPTION, MODULE, NAME, RULES, TEXT, TITLE, iter_spellings, spell


def require_kind(rules: AnnotatedRules, text: str) -> t.Kind:
    """Return the kind with a name or title. Raises `RequestError`."""
    kinds = [definition for definition in rules.definitions.values() if isinstance(definition, t.Kind)]
    matches = [kind for kind in kinds if kind.name.word == text]
    matches += [kind for kind in kinds if spell(text) in iter_spellings(kind)]
    if not matches:
        names = [kind.name.word for kind in kinds]
        remedy = suggest_word(text, names) or f"kinds: {', '.join(names) or 'none'}"
        raise RequestError(f"no kind of things named `{text}` in {rules.title}", remedy)
    return matches[0]


def build_rows(rules: AnnotatedRules, kind_name: str) -> list[dict[str, str]]:
    """Return a row for each thing of a kind: its cells by header, in Edict except for the description at the end.

    Fields that only bots use are left out. Raises `RequestError` if there is no such kind.
    """
    rules = remove_judgement(rules)
    kind = require_kind(rules, kind_name)
    return [build_row(rules, kind, thing) for thing in sort_things(rules, kind)]


def build_row(rules: AnnotatedRules, kind: t.Kind, thing: t.Thing) -> dict[str, str]:
    """Return the cells of a thing by header."""
    note = rules.book.notes.get(thing.name.word, t.Note())
    manifest = next(module.manifest for module in rules.modules if module.name == note.module)
    values = {value.name.word: _format_value(value) for value in thing.fields}
    return {
        NAME: thing.name.word,
        TITLE: thing.title,
        **{field.name.word: values.get(field.name.word, "") for field in kind.fields if field.type is not None},
        TEXT: _format_text(thing.text),
        RULES: "\n".join(_format_line(line) for ability in thing.abilities for line in print_lines(ability)),
        "source": note.source if note.source != manifest.source else "",
        "origin": note.origin if note.origin != manifest.origin else "",
        MODULE: note.module,
        DESCRIPTION: " ".join(iter_sentences(rules, thing)),
    }


def _format_value(value: t.FieldValue) -> str:
    """Return the value of a field as it stands behind the field's name, or below it."""
    first, *below = map(_format_line, print_lines(value))
    return first.removeprefix(value.name.word).lstrip() or "\n".join(line.removeprefix("  ") for line in below)


def _format_text(text: t.Text | None) -> str:
    """Return the author's words, in quotation marks only if names stand between them."""
    match text.parts if text is not None else ():
        case ():
            return ""
        case (str(words),):
            return words
    assert text is not None
    return " ".join(map(_format_line, print_lines(text))).removeprefix("text ")


def _format_line(line: PrintedLine) -> str:
    """Return a line unbroken, with its indentation."""
    return "  " * line.depth + line.text
