"""The page of one definition, with its description, its source lines and what affects it, as text and as data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import singular_title
from edict.prose.rulebook.annotated_rules import AnnotatedRules
from edict.prose.rulebook.blame import SignedLine, sign_lines
from edict.prose.rulebook.cross_references import CrossReference, is_mention
from edict.prose.rulebook.descriptions import describe_definition, describe_exactly
from edict.prose.rulebook.rule_search import NamedDefinition
from edict.prose.rulebook.things import sort_things
from edict.support.morphology import join_words, spell_name, split_title
from edict.support.rendering import escape_terminal
from edict.support.text import Span

Lines = Iterator[tuple[str, str]]
MAX_NAMES = 12
MAX_CODE_WIDTH = 78  # columns for rules; longer lines push their signature to the right


def render_page(rules: AnnotatedRules, named: NamedDefinition, references: Sequence[CrossReference]) -> Lines:
    """Iterate over the lines of the page of a definition, each with its style."""
    yield "bold", escape_terminal(f"{named.title} ({named.sort})")
    if named.gone:
        change = rules.history[named.name][-1]
        yield "", escape_terminal(f"  Removed by {change.module} ({format_place(change.span)}).")
    else:
        yield from _render_description(rules, named)
        yield from _render_members(rules, named)
    yield "", ""
    yield from render_columns(sign_lines(rules, named.name))
    notes = list(_render_origins(rules, named))
    yield from [("", "")] * bool(notes)
    yield from notes
    reference_lines = list(_render_references(rules, named, references))
    yield from [("", "")] * bool(reference_lines)
    yield from reference_lines


def _render_description(rules: AnnotatedRules, named: NamedDefinition) -> Lines:
    """Iterate over the author's description, then the exact one."""
    yield from (("", escape_terminal(f"  {text}")) for text in describe_definition(rules, named.definition))
    made = describe_exactly(rules, named.definition)
    yield from [("", "  Exactly:")] if made else []
    yield from (("", escape_terminal(f"    {text}")) for text in made)


def _render_members(rules: AnnotatedRules, named: NamedDefinition) -> Lines:
    """Yield one line that counts and lists the things of a kind; nothing if there are none."""
    titles = member_titles(rules, named)
    if titles:
        yield "", escape_terminal(f"  There {'are' if len(titles) > 1 else 'is'} {len(titles)}: {', '.join(titles)}.")


def _render_origins(rules: AnnotatedRules, named: NamedDefinition) -> Lines:
    """Yield a line for each known origin, such as `source: page 4`; skip empty ones."""
    yield from (
        ("", escape_terminal(f"  {label}: {value}")) for label, value in origin_notes(rules, named).items() if value
    )


def _render_references(rules: AnnotatedRules, named: NamedDefinition, all_: Sequence[CrossReference]) -> Lines:
    """Yield styled lines: `affected by` with each rule's words, then names of rules that change or mention it."""
    own_references = [touch for touch in all_ if touch.whom == named.name]
    active = effective_references(named, all_)
    yield from [("bold", "  affected by")] if active else []
    for touch in active:
        words = touch.words or f"{touch.how} it"
        yield (
            "",
            escape_terminal(
                f"    {referrer_title(rules, touch)}: {words}  [{format_place(touch.span)}  {touch.module}]"
            ),
        )
    for how, label in (("changes", "changed in"), ("reveals", "revealed in"), ("reads", "mentioned in")):
        names = list(dict.fromkeys(touch.who for touch in own_references if touch.how == how))
        if names:
            yield "", escape_terminal(f"  {label}: {_join_rule_names(names)}")


def _join_rule_names(names: Sequence[str]) -> str:
    """Join rule names into a phrase, each once and shortened if many; nameless ones become `a house rule`."""
    named = ["a house rule" if ":" in name else name for name in names]
    unique = list(dict.fromkeys(named))
    return join_words(unique, limit=MAX_NAMES)


def render_columns(lines: Sequence[SignedLine], indent: str = "  ") -> Iterator[tuple[str, str]]:
    """Iterate over lines with their marks, places and modules in columns."""
    texts = [line.text.split("\n") for line in lines]
    width = min(max((len(part) for text in texts for part in text), default=0), MAX_CODE_WIDTH)
    places = max((len(format_place(line.span)) for line in lines), default=0)
    for line, (first, *others) in zip(lines, texts, strict=True):
        removal_note = f"  (until {line.by})" if line.by else ""
        signature = f"{format_place(line.span).ljust(places)}  {line.module}{removal_note}"
        yield line.mark, escape_terminal(f"{indent}{line.mark} {first.ljust(width)}  {signature}".rstrip())
        yield from ((line.mark, escape_terminal(f"{indent}{line.mark} {part}")) for part in others)


# --- as data ---------------------------------------------------------------------------------------


def definition_page_to_data(
    rules: AnnotatedRules, named: NamedDefinition, references: Sequence[CrossReference]
) -> dict[str, object]:
    """Return the page of a definition as data."""
    removed = rules.history[named.name][-1] if named.gone else None
    return {
        "name": named.name,
        "title": named.title,
        "sort": named.sort,
        **origin_notes(rules, named),
        "removed": None if removed is None else {"by": removed.module, "at": format_place(removed.span)},
        "words": [] if named.gone else list(describe_definition(rules, named.definition)),
        "exactly": [] if named.gone else list(describe_exactly(rules, named.definition)),
        "things": member_titles(rules, named),
        "lines": [
            {
                "mark": line.mark,
                "text": line.text,
                "at": format_place(line.span),
                "module": line.module,
                "until": line.by,
            }
            for line in sign_lines(rules, named.name)
        ],
        "touched": [
            {
                "name": touch.who,
                "by": referrer_title(rules, touch),
                "how": touch.how,
                "words": touch.words,
                "at": format_place(touch.span),
                "module": touch.module,
            }
            for touch in effective_references(named, references)
        ],
    }


def member_titles(rules: AnnotatedRules, named: NamedDefinition) -> list[str]:
    """Return the titles of the things of a kind."""
    if not isinstance(named.definition, t.Kind):
        return []
    return [singular_title(thing) for thing in sort_things(rules, named.definition)]


def origin_notes(rules: AnnotatedRules, named: NamedDefinition) -> dict[str, str]:
    """Return a dict with the `source`, `origin` and `module` of a definition; each may be an empty text."""
    note = rules.book.notes.get(named.name, t.Note())
    return {"source": note.source, "origin": note.origin, "module": note.module}


def effective_references(named: NamedDefinition, references: Sequence[CrossReference]) -> list[CrossReference]:
    """Return the references to a definition from rules that affect it, not mentions or changes by modules."""
    own_references = (touch for touch in references if touch.whom == named.name)
    return [touch for touch in own_references if not is_mention(touch) and not touch.how.endswith(" by")]


def referrer_title(rules: AnnotatedRules, touch: CrossReference) -> str:
    """Return the title of the rule that refers, else `a house rule` if nameless, else its name spelled out."""
    definition = rules.definitions.get(touch.who) or rules.standalone.get(touch.who)
    title = split_title(definition.title)[0] if definition is not None else ""
    is_nameless = isinstance(definition, t.Standalone) and not definition.name.word
    return title or ("a house rule" if is_nameless else spell_name(touch.who))


def format_place(span: Span) -> str:
    """Return file and line, without the folder of the module."""
    if span.file:
        return f"{span.file.partition('/')[2] or span.file}:{span.line}"
    return ""
