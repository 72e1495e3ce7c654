"""Hover texts for the word at a position, and signature help for the arguments being written there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from edict.compiler.semantics.symbols import Local
from edict.compiler.semantics.types import describe_type
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.completion import NamePlace, compute_expectation
from edict.compiler.syntax.construct_rows import find_row_at
from edict.compiler.syntax.declared_names import declared_fields
from edict.compiler.syntax.printing import join_lines, print_lines
from edict.prose.rulebook.annotated_rules import sort_title
from edict.prose.rulebook.cross_references import CrossReference, is_mention
from edict.prose.rulebook.descriptions import describe_definition, describe_exactly
from edict.prose.rulebook.language_reference import render_entry
from edict.prose.rulebook.rule_search import NamedDefinition
from edict.support.morphology import capitalize, spell_name
from edict.support.resources import COMMANDS
from edict.tools.language_service.analysis import Analysis
from edict.tools.language_service.answer_types import Hover, Signature, TextPosition
from edict.tools.language_service.document_structure import find_word, text_before_word
from edict.tools.language_service.navigation import SymbolAt, find_symbol
from edict.tools.language_service.occurrences import FIELD, LOCAL, RULE
from edict.tools.language_service.workspace import Workspace

MAX_LINES = 24  # of a definition
MAX_REFERENCES = 8  # shown per kind


def hover(space: Workspace, path: Path, position: TextPosition) -> Hover | None:
    """Return help for the name or keyword at a position; None if nothing is known about it."""
    symbol = find_symbol(space, path, position)
    text = "\n\n".join(part for part in _iter_help(symbol) if part) if symbol is not None else ""
    if symbol is not None and text:
        return Hover(text, symbol.span)
    return _hover_keyword(space, path, position)


def _hover_keyword(space: Workspace, path: Path, position: TextPosition) -> Hover | None:
    """Return the reference entry of the keyword at a position; None if the word there is none."""
    rules = space.get_rules(path)
    source = rules.get_source(path) if rules is not None else None
    word = find_word(source, position) if source is not None else None
    if source is None or word is None:
        return None
    row = find_row_at(source.text.split("\n")[position.line - 1], word[1].column - 1)
    if row is None:
        return None
    parts = (f"**{row.name}**", render_entry(row, english=False), f"More: `{COMMANDS[0]} explain {row.name}`")
    return Hover("\n\n".join(parts), word[1])


def _iter_help(symbol: SymbolAt) -> Iterator[str]:
    """Yield paragraphs of Markdown about a symbol: a definition, a field, a rule of an action or a local name."""
    if symbol.definition is not None:
        yield from _describe_definition(symbol.analysis, symbol.definition)
    elif symbol.key[0] == FIELD:
        yield from _describe_field(symbol.analysis, symbol.key[1])
    elif symbol.key[0] == RULE:
        yield from _describe_rule(symbol.analysis, symbol.key[1])
    elif symbol.key[0] == LOCAL:
        yield from _describe_local(symbol)


def _describe_definition(analysis: Analysis, definition: t.Definition) -> Iterator[str]:
    """Yield title, English description, exact rules, code, origin and references of a definition as Markdown."""
    name = definition.name.word
    rules = analysis.select_rules(name)
    definition = rules.definitions[name]
    yield f"**{capitalize(NamedDefinition(name, definition).title)}** ({sort_title(definition)})"
    yield format_english(describe_definition(rules, definition))
    exact_lines = describe_exactly(rules, definition)
    yield f"Exactly:\n\n{format_english(exact_lines)}" if exact_lines else ""
    yield format_code(definition)
    yield _describe_origin(analysis, name, definition)
    yield from _describe_references(analysis, name)


def format_english(description_lines: Iterable[str]) -> str:
    """Return lines of English as Markdown: one paragraph, or a list if any is indented."""
    lines = list(description_lines)
    if not any(line.startswith(" ") for line in lines):
        return " ".join(lines)
    return "\n".join(f"{' ' * (len(line) - len(line.lstrip()))}- {line.strip()}" for line in lines)


def format_code(node: t.Definition) -> str:
    """Return a definition as Edict code in Markdown, with the changes of all modules."""
    lines = join_lines(print_lines(node)).rstrip().split("\n")
    ellipsis = ["..."] if len(lines) > MAX_LINES else []
    return "\n".join(["```edict", *lines[:MAX_LINES], *ellipsis, "```"])


def _describe_origin(analysis: Analysis, name: str, definition: t.Definition) -> str:
    """Return file and line, notes on source and module, and the modules that changed a definition, line by line."""
    notes = analysis.linked.resolved.book.notes.get(name, t.Note())
    attributes = {"Source": notes.source, "Origin": notes.origin, "Module": notes.module}
    place = f"`{definition.span.file}:{definition.span.line}`" if definition.span.line else ""
    changes = [f"{change.module} ({change.verb})" for change in analysis.select_rules(name).history.get(name, ())[1:]]
    facts = [f"{label}: {value}" for label, value in attributes.items() if value]
    return "  \n".join(filter(None, (place, *facts, f"Changed by {', '.join(changes)}" if changes else "")))


def _describe_references(analysis: Analysis, name: str) -> Iterator[str]:
    """Yield the rules that adjust, except or follow a name, then those that change, reveal or read it."""
    references = [reference for reference in analysis.find_references(name) if not reference.how.endswith(" by")]
    modifiers = [reference for reference in references if not is_mention(reference)]
    if modifiers:
        lines = [
            f"- {_get_title(analysis, reference)}: {reference.words or f'{reference.how} it'}"
            for reference in modifiers
        ]
        yield "\n".join(["**Touched by**", "", *_shorten_list(lines)])
    for relation, label in (("changes", "Changed in"), ("reveals", "Revealed in"), ("reads", "Read in")):
        names = list(
            dict.fromkeys(_get_title(analysis, reference) for reference in references if reference.how == relation)
        )
        if names:
            yield f"{label}: {', '.join(_shorten_list(names))}"


def _shorten_list(lines: list[str]) -> list[str]:
    """Return the first `MAX_REFERENCES` lines, with `and 3 more` at the end if some were cut."""
    if len(lines) <= MAX_REFERENCES:
        return lines
    return [*lines[:MAX_REFERENCES], f"and {len(lines) - MAX_REFERENCES} more"]


def _get_title(analysis: Analysis, reference: CrossReference) -> str:
    """Return the title of the definition that refers to something; `a house rule` if it has no name."""
    definition = analysis.annotated_rules.definitions.get(reference.who) or analysis.annotated_rules.standalone.get(
        reference.who
    )
    nameless = definition is None or isinstance(definition, t.Standalone) and not definition.name.word
    if nameless or definition is None:
        return "a house rule"
    return NamedDefinition(reference.who, definition).title


def _describe_field(analysis: Analysis, name: str) -> Iterator[str]:
    """Yield Markdown with title and declaration of a field, once for each kind that has a field of this name."""
    for kind in analysis.definitions.values():
        for field in declared_fields(kind):
            if field.name.word == name:
                title = field.title or spell_name(name)
                line = next(printed_line.text for printed_line in print_lines(kind) if printed_line.node is field)
                yield f"**{capitalize(title)}** (field of {kind.name.word})\n\n```edict\n{line}\n```"


def _describe_rule(analysis: Analysis, name: str) -> Iterator[str]:
    """Yield title, refusal text and code of an action's rule, named `ACTION.RULE`, then references to the action."""
    action, _, rule = name.rpartition(".")
    definition = analysis.definitions.get(action)
    for action_rule in definition.rules if isinstance(definition, t.Action) else ():
        if action_rule.name.word == rule:
            lines = join_lines(print_lines(action_rule)).rstrip()
            because = f"When it is refused: “{action_rule.because}”" if action_rule.because else ""
            yield f"**{capitalize(spell_name(rule))}** (rule of {action})"
            yield because
            yield f"```edict\n{lines}\n```"
    yield from _describe_references(analysis, action)


def _describe_local(symbol: SymbolAt) -> Iterator[str]:
    """Yield the type of a local name, and the line that binds it."""
    resolved = symbol.analysis.linked.resolved
    for local in {meaning for meaning in resolved.meaning.values() if isinstance(meaning, Local)}:
        if str(local.span) == symbol.key[1]:
            local_type = resolved.locals.get(local)
            type_text = describe_type(local_type) if local_type is not None else ""
            source = symbol.analysis.sources.get(local.span.file)
            line = source.text.split("\n")[local.span.line - 1].strip() if source else ""
            yield f"**{local.name}** ({type_text or 'a name of this rule'})\n\n```edict\n{line}\n```"
            return


# --- signature help for quantities, state variables, routines and moments ---------------------------


# nodes that take arguments, with their fields for the name and the arguments
_CALLS = (
    (t.Do, "name", "args"),
    (t.DoField, "field", "args"),
    (t.DoEdge, "moment", "args"),
    (t.Trigger, "moment", "args"),
    (t.Apply, "head", "args"),
)


def signature_help(space: Workspace, path: Path, position: TextPosition) -> Signature | None:
    """Return the signature of whatever takes the argument at a position; None if nothing does."""
    rules = space.get_rules(path)
    source = rules.get_source(path) if rules is not None else None
    analysis = rules.get_analysis(fresh=False) if rules is not None else None
    if source is None or analysis is None:
        return None
    place = compute_expectation(text_before_word(source.text, position), source.name, analysis.keyword_names).place
    call = _find_call(place) if place is not None else None
    definition = analysis.definitions.get(call[0]) if call is not None else None
    params = [param for param in getattr(definition, "params", ()) if isinstance(param, t.Param)]
    if call is None or definition is None or not params:
        return None
    names = tuple(
        param.name.word if param.name.word == param.kind.word else f"{param.kind.word} called {param.name.word}"
        for param in params
    )
    label = f"{call[0]} {_argument_preposition(definition)} " + " ".join(_interleave_joints(definition, names))
    words = " ".join(line.strip() for line in describe_definition(analysis.select_rules(call[0]), definition))
    return Signature(label, names, min(call[1], len(names) - 1), words)


def _find_call(place: NamePlace) -> tuple[str, int] | None:
    """Return the name that the innermost call around a place refers to, and the index of the argument there."""
    child: t.Node = place.name
    for node in reversed(place.around):
        for kind, head, args in _CALLS:
            if isinstance(node, kind):
                arguments = getattr(node, args)
                if any(argument is child for argument in arguments):
                    return getattr(node, head).word, next(
                        i for i, argument in enumerate(arguments) if argument is child
                    )
        child = node
    return None


def _argument_preposition(definition: t.Definition) -> str:
    """Return the word before the arguments of a call: `of` for state variables and quantities, else `with`."""
    return "of" if isinstance(definition, t.Keep | t.Quantity) else "with"


def _interleave_joints(definition: t.Definition, names: tuple[str, ...]) -> list[str]:
    """Return the parameters' names with the words between them, as a call writes them."""
    joints = [*getattr(definition, "joints", ()), *["and"] * len(names)]
    return [word for i, name in enumerate(names) for word in ((joints[i - 1], name) if i else (name,))]
