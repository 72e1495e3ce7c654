"""What is told of one thing or rule: its members, where it comes from, what acts on it; all of it as data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import singular_title
from edict.prose.rulebook.annotated import Known
from edict.prose.rulebook.blame import Signed, signed
from edict.prose.rulebook.descriptions import description, exactly
from edict.prose.rulebook.looking import Named
from edict.prose.rulebook.things import ordered
from edict.prose.rulebook.touching import Touch, mentions
from edict.support.morphology import join_words, spell_name, split_title
from edict.support.rendering import plain
from edict.support.text import Span

Lines = Iterator[tuple[str, str]]
MOST_NAMES = 12
WIDEST = 78  # columns for the language; what is longer pushes its signature to the right


def page(rules: Known, one: Named, all_: Sequence[Touch]) -> Lines:
    """All about one thing or rule as lines, each with its style."""
    yield "bold", plain(f"{one.title} ({one.sort})")
    if one.gone:
        change = rules.history[one.name][-1]
        yield "", plain(f"  Removed by {change.module} ({place(change.span)}).")
    else:
        yield from _told(rules, one)
        yield from _things(rules, one)
    yield "", ""
    yield from in_columns(signed(rules, one.name))
    notes = list(_notes(rules, one))
    yield from [("", "")] * bool(notes)
    yield from notes
    touching = list(_touched(rules, one, all_))
    yield from [("", "")] * bool(touching)
    yield from touching


def _told(rules: Known, one: Named) -> Lines:
    """What it says, in the author's words where there are some, and then exactly."""
    yield from (("", plain(f"  {text}")) for text in description(rules, one.definition))
    made = exactly(rules, one.definition)
    yield from [("", "  Exactly:")] if made else []
    yield from (("", plain(f"    {text}")) for text in made)


def _things(rules: Known, one: Named) -> Lines:
    """Of a kind, what there is of it."""
    titles = members(rules, one)
    if titles:
        yield "", plain(f"  There {'are' if len(titles) > 1 else 'is'} {len(titles)}: {', '.join(titles)}.")


def _notes(rules: Known, one: Named) -> Lines:
    """Where it comes from."""
    yield from (("", plain(f"  {label}: {value}")) for label, value in origins(rules, one).items() if value)


def _touched(rules: Known, one: Named, all_: Sequence[Touch]) -> Lines:
    """What acts on it; the small print as a list of names."""
    mine = [touch for touch in all_ if touch.whom == one.name]
    active = acting(one, all_)
    yield from [("bold", "  affected by")] if active else []
    for touch in active:
        words = touch.words or f"{touch.how} it"
        yield "", plain(f"    {who(rules, touch)}: {words}  [{place(touch.span)}  {touch.module}]")
    for how, label in (("changes", "changed in"), ("reveals", "revealed in"), ("reads", "mentioned in")):
        names = list(dict.fromkeys(touch.who for touch in mine if touch.how == how))
        if names:
            yield "", plain(f"  {label}: {_some(names)}")


def _some(names: Sequence[str]) -> str:
    named = ["a house rule" if ":" in name else name for name in names]
    unique = list(dict.fromkeys(named))
    return join_words(unique, most=MOST_NAMES)


def in_columns(lines: Sequence[Signed], indent: str = "  ", base: str = "") -> Iterator[tuple[str, str]]:
    """Each line with its mark, and its signature at the right: file and line, module, and who took it away."""
    texts = [line.text.split("\n") for line in lines]
    width = min(max((len(part) for text in texts for part in text), default=0), WIDEST)
    places = max((len(place(line.span)) for line in lines), default=0)
    for line, (first, *more) in zip(lines, texts, strict=True):
        gone = f"  (until {line.by})" if line.by else ""
        sign = f"{place(line.span).ljust(places)}  {line.module or base}{gone}"
        yield line.mark, plain(f"{indent}{line.mark} {first.ljust(width)}  {sign}".rstrip())
        yield from ((line.mark, plain(f"{indent}{line.mark} {part}")) for part in more)


# --- as data ---------------------------------------------------------------------------------------


def as_data(rules: Known, one: Named, all_: Sequence[Touch]) -> dict[str, object]:
    """All about one thing or rule, for programs."""
    removed = rules.history[one.name][-1] if one.gone else None
    return {
        "name": one.name,
        "title": one.title,
        "sort": one.sort,
        **origins(rules, one),
        "removed": None if removed is None else {"by": removed.module, "at": place(removed.span)},
        "words": [] if one.gone else list(description(rules, one.definition)),
        "exactly": [] if one.gone else list(exactly(rules, one.definition)),
        "things": members(rules, one),
        "lines": [
            {"mark": line.mark, "text": line.text, "at": place(line.span), "module": line.module, "until": line.by}
            for line in signed(rules, one.name)
        ],
        "touched": [
            {
                "name": touch.who,
                "by": who(rules, touch),
                "how": touch.how,
                "words": touch.words,
                "at": place(touch.span),
                "module": touch.module,
            }
            for touch in acting(one, all_)
        ],
    }


def members(rules: Known, one: Named) -> list[str]:
    """The titles of all there is of a kind."""
    if not isinstance(one.definition, t.Kind):
        return []
    return [singular_title(thing) for thing in ordered(rules, one.definition)]


def origins(rules: Known, one: Named) -> dict[str, str]:
    """Where it comes from; texts may be empty."""
    note = rules.book.notes.get(one.name, t.Note())
    return {"source": note.source, "origin": note.origin, "module": note.module}


def acting(one: Named, all_: Sequence[Touch]) -> list[Touch]:
    """What acts on it, without the small print, which only speaks of it."""
    mine = (touch for touch in all_ if touch.whom == one.name)
    return [touch for touch in mine if not mentions(touch) and not touch.how.endswith(" by")]


def who(rules: Known, touch: Touch) -> str:
    """The title of what touches."""
    there = rules.definitions.get(touch.who) or rules.standing.get(touch.who)
    title = split_title(there.title)[0] if there is not None else ""
    nameless = isinstance(there, t.Standalone) and not there.name.word
    return title or ("a house rule" if nameless else spell_name(touch.who))


def place(span: Span) -> str:
    """File and line without the folder, which the module's name stands for."""
    return f"{span.file.partition('/')[2] or span.file}:{span.line}" if span.file else ""
