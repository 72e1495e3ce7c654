"""The reference of the language as Markdown, an entry for each construct with its example in English."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import fill, indent

from edict.compiler.english import describe, outline_block
from edict.compiler.sources.folders import Manifest, Module
from edict.compiler.sources.module_set import gather_modules
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.construct_rows import ConstructRow, list_rows, read_example_game
from edict.prose.rulebook.annotated_rules import AnnotatedRules, annotate_rules
from edict.prose.rulebook.descriptions import describe_definition, flatten_lines
from edict.prose.rulebook.rule_search import NamedDefinition
from edict.support.formats import DiagnosticPage, list_codes, normalize_code, read_diagnostic_page
from edict.support.morphology import to_sentence
from edict.support.report import suggest_word
from edict.support.request_errors import RequestError
from edict.support.text import Source

EXAMPLE = "example.edict"
WIDTH = 120
MAX_EXAMPLE_LINES = 12  # lines in English for an example
MAX_ENTRIES = 4


def render_entry(row: ConstructRow, english: bool = True) -> str:
    """Return the entry of a construct as Markdown: meaning, forms, an example, and the example in English."""
    return "\n\n".join(_iter_entry_parts(row, english))


def _iter_entry_parts(row: ConstructRow, english: bool) -> Iterator[str]:
    """Yield Markdown blocks of an entry: meaning, forms, example and, if `english`, the example in sentences."""
    yield fill(row.does, WIDTH, break_on_hyphens=False, break_long_words=False)
    if row.forms:
        yield fence_code("text", "\n".join(row.forms))
    yield fence_code(f"edict {row.shape}".replace("edict rules", "edict"), row.example)
    sentences = list(_to_list_items(describe_example(row))) if english else []
    if sentences:
        ellipsis = ["> - ..."] if len(sentences) > MAX_EXAMPLE_LINES else []
        yield "In English:\n\n" + "\n".join([*(f"> {line}" for line in sentences[:MAX_EXAMPLE_LINES]), *ellipsis])


def _to_list_items(sentences: Iterator[str]) -> Iterator[str]:
    """Iterate over sentences as Markdown list items, nested ones indented."""
    for line in sentences:
        yield f"{' ' * (len(line) - len(line.lstrip()))}- {line.strip()}"


def fence_code(language: str, text: str) -> str:
    """Return a fenced Markdown code block."""
    return f"```{language}\n{text}\n```"


# --- lookup ----------------------------------------------------------------------------------------


def render_entries(found_rows: Sequence[ConstructRow]) -> str:
    """Return the entries of constructs as Markdown, the first few in full and the names of the others."""
    rendered = [f"# {row.name}\n\n{render_entry(row)}\n\n{_render_see_also(row)}" for row in found_rows[:MAX_ENTRIES]]
    others = [f"It is also a word of: {', '.join(row.name for row in found_rows[MAX_ENTRIES:])}."]
    return "\n\n".join([*rendered, *(others if found_rows[MAX_ENTRIES:] else [])])


def _render_see_also(row: ConstructRow) -> str:
    """Return Markdown with the construct's further note, if any, and a `See also:` line."""
    extra = [row.more] if row.more else []
    return "\n\n".join([*extra, f"See also: {', '.join(row.see)}."])


def row_to_data(row: ConstructRow) -> dict[str, object]:
    """Return a construct as data."""
    return {
        "name": row.name,
        "group": row.group,
        "does": row.does,
        "forms": row.forms,
        "example": row.example,
        "english": list(describe_example(row)),
        "more": row.more,
        "see": row.see,
    }


def diagnostic_page_to_data(code: str, page: DiagnosticPage) -> dict[str, object]:
    """Return the page of a diagnostic as data."""
    return {"code": code, "title": page.title, "about": page.about, "text": page.text}


def require_diagnostic_page(name: str) -> tuple[str, DiagnosticPage]:
    """Return the code that somebody wrote and its page; raise `RequestError` if it is no code."""
    code = normalize_code(name)
    if page := read_diagnostic_page(code):
        return code, page
    known_codes = list_codes()
    names = [word for row in list_rows() for word in (row.name, *sorted(row.words))]
    suggestion = suggest_word(code, known_codes) or suggest_word(name, names)
    remedy = suggestion or f"codes run from {known_codes[0]} to {known_codes[-1]}"
    raise RequestError(f"there is no message or word `{name}`", remedy)


# --- an example in English -------------------------------------------------------------------------


def describe_example(row: ConstructRow) -> Iterator[str]:
    """Iterate over the example of a construct in English, one indented line each."""
    known = annotate_rules(example_modules(row.shape, row.example)).unwrap()
    if row.shape == "steps":
        yield from flatten_lines(known, outline_block(known.resolved, _example_steps(known)))
    elif row.shape == "values":
        yield from (
            to_sentence(describe(known.resolved, let.value)) for let in _example_steps(known) if isinstance(let, t.Let)
        )
    else:
        yield from _describe_definitions(known)


def _example_steps(rules: AnnotatedRules) -> t.Block:
    """Return the statements of an example of steps, without the player's turn that `wrap_steps` put around them."""
    (standalone,) = (ability for ability in rules.book.standalone if ability.span.file == EXAMPLE)
    block: t.Block = getattr(standalone.ability, "block", ())
    return tuple(step for turn in block for step in getattr(turn, "block", ()))


def _describe_definitions(rules: AnnotatedRules) -> Iterator[str]:
    """Iterate over the sentences on what the example declares or changes."""
    changed = {name for name, history in rules.history.items() if history[-1].module == "example"}
    for name, definition in rules.definitions.items():
        if definition.span.file == EXAMPLE or name in changed:
            yield from _describe_with_title(rules, NamedDefinition(name, definition).title, definition)
    for standalone in rules.book.standalone:
        if standalone.span.file == EXAMPLE:
            yield from describe_definition(rules, standalone)


def _describe_with_title(rules: AnnotatedRules, title: str, definition: t.Definition) -> Iterator[str]:
    """Yield `title: sentence`, or the title with several sentences indented below; nothing if there are none."""
    sentences = list(describe_definition(rules, definition))
    if len(sentences) == 1:
        yield f"{title}: {sentences[0].strip()}"
    elif sentences:
        yield f"{title}:"
        yield from (f"  {line}" for line in sentences)


def example_modules(shape: str, text: str) -> tuple[Module, ...]:
    """Return the modules in which an example compiles: its game, then the text wrapped by its `shape`."""
    if shape == "game":
        return (_make_module("example", "game", text),)
    base = gather_modules("kingsburg").unwrap() if shape == "over kingsburg" else (_orchard_game(),)
    return (*base, _make_module("example", "module", _WRAPPERS.get(shape, str)(text), requires=(base[0].name,)))


def _orchard_game() -> Module:
    return _make_module("orchard", "game", read_example_game())


def _make_module(name: str, kind: str, text: str, requires: tuple[str, ...] = ()) -> Module:
    """Build a module in memory with version 1.0.0 from one rule text, named and titled `name`."""
    return Module(Manifest(name, name, "1.0.0", kind, requires=requires), Path(name), (Source(f"{name}.edict", text),))


def wrap_steps(text: str) -> str:
    """Return rules in which steps are in a player's turn."""
    return "when start of day\n  each player\n" + indent(text, "    ") + "\n"


def wrap_values(text: str) -> str:
    """Return rules that bind each line's value by `let value-N = ...`, below declarations that values refer to."""
    value_lines = text.strip().splitlines()
    return _VALUE_CONTEXT + wrap_steps(
        "\n".join(f"let value-{number} = {line}" for number, line in enumerate(value_lines))
    )


_VALUE_CONTEXT = (
    "phase evening-hours\n  nothing\nkeep other as player\nkeep guests of tree as set of player\n"
    "keep gifts of player called giver by player as number\nquantity fruits-worth is 1\n"
)
_WRAPPERS = {"steps": wrap_steps, "values": wrap_values}
