"""The reference of the language: an entry for each construct, as Markdown, with its example in English."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import fill, indent

from edict.compiler.english import lines, tell
from edict.compiler.sources.folders import Manifest, Module
from edict.compiler.sources.module_set import gather
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.construct_rows import Row, example_game, rows
from edict.prose.rulebook.annotated import Known, known_from
from edict.prose.rulebook.descriptions import description, flat
from edict.prose.rulebook.looking import Named
from edict.support.formats.diagnostic_pages import Page, code_of, codes
from edict.support.morphology import to_sentence
from edict.support.report import did_you_mean
from edict.support.text import Source

EXAMPLE = "example.edict"
WIDTH = 120
MOST = 12  # lines in English of an example
MOST_ENTRIES = 4


def entry(row: Row, english: bool = True) -> str:
    """What is said of a construct, as Markdown: what it does, how it is written, an example, and that in English."""
    return "\n\n".join(_parts(row, english))


def _parts(row: Row, english: bool) -> Iterator[str]:
    yield fill(row.does, WIDTH, break_on_hyphens=False, break_long_words=False)
    if row.forms:
        yield fenced("text", "\n".join(row.forms))
    yield fenced(f"edict {row.shape}".replace("edict rules", "edict"), row.example)
    told = list(_points(in_english(row))) if english else []
    if told:
        more = ["> - ..."] if len(told) > MOST else []
        yield "In English:\n\n" + "\n".join([*(f"> {line}" for line in told[:MOST]), *more])


def _points(told: Iterator[str]) -> Iterator[str]:
    """Sentences, a point each; what belongs to one stands below it."""
    for line in told:
        yield f"{' ' * (len(line) - len(line.lstrip()))}- {line.strip()}"


def fenced(language: str, text: str) -> str:
    return f"```{language}\n{text}\n```"


# --- looked up -------------------------------------------------------------------------------------


def entries(found: Sequence[Row]) -> str:
    """The entries of some constructs as Markdown; of very many, the first and the names of the others."""
    told = [f"# {row.name}\n\n{entry(row)}\n\n{_further(row)}" for row in found[:MOST_ENTRIES]]
    others = [f"It is also a word of: {', '.join(row.name for row in found[MOST_ENTRIES:])}."]
    return "\n\n".join([*told, *(others if found[MOST_ENTRIES:] else [])])


def _further(row: Row) -> str:
    more = [row.more] if row.more else []
    return "\n\n".join([*more, f"See also: {', '.join(row.see)}."])


def row_data(row: Row) -> dict[str, object]:
    """A construct, for programs."""
    return {
        "name": row.name,
        "group": row.group,
        "does": row.does,
        "forms": row.forms,
        "example": row.example,
        "english": list(in_english(row)),
        "more": row.more,
        "see": row.see,
    }


def page_data(code: str, page: Page) -> dict[str, object]:
    """The page of a message, for programs."""
    return {"code": code, "title": page.title, "about": page.about, "text": page.text}


def unexplained(asked: str) -> tuple[str, str]:
    """That nothing is called so, and what may have been meant."""
    known = codes()
    names = [word for row in rows() for word in (row.name, *sorted(row.words))]
    near = did_you_mean(code_of(asked), known) or did_you_mean(asked, names)
    return f"there is no message or word `{asked}`", near or f"codes run from {known[0]} to {known[-1]}"


# --- an example in English -------------------------------------------------------------------------


def in_english(row: Row) -> Iterator[str]:
    """An example in the words that the handbook has for rules, a line each; below others, indented."""
    known = known_from(modules_of(row.shape, row.example)).unwrap()
    if row.shape == "steps":
        yield from flat(known, lines(known.resolved, _turn(known)))
    elif row.shape == "values":
        yield from (to_sentence(tell(known.resolved, let.value)) for let in _turn(known) if isinstance(let, t.Let))
    else:
        yield from _definitions(known)


def _turn(known: Known) -> t.Block:
    """The steps of the player's turn in which an example stands: see `steps`."""
    (standing,) = (one for one in known.book.standalone if one.span.file == EXAMPLE)
    block: t.Block = getattr(standing.ability, "block", ())
    return tuple(step for turn in block for step in getattr(turn, "block", ()))


def _definitions(known: Known) -> Iterator[str]:
    """What the example declares or changes, each with its sentences."""
    changed = {name for name, history in known.history.items() if history[-1].module == "example"}
    for name, one in known.definitions.items():
        if one.span.file == EXAMPLE or name in changed:
            yield from _told(known, Named(name, one).title, one)
    for standing in known.book.standalone:
        if standing.span.file == EXAMPLE:
            yield from description(known, standing)


def _told(known: Known, title: str, one: t.Definition) -> Iterator[str]:
    said = list(description(known, one))
    if len(said) == 1:
        yield f"{title}: {said[0].strip()}"
    elif said:
        yield f"{title}:"
        yield from (f"  {line}" for line in said)


def modules_of(shape: str, text: str) -> tuple[Module, ...]:
    """The rules that an example is, with the game it belongs to."""
    if shape == "game":
        return (_module("example", "game", text),)
    base = gather("kingsburg").unwrap() if shape == "over kingsburg" else (_orchard(),)
    return (*base, _module("example", "module", _WRAPPED.get(shape, str)(text), requires=(base[0].name,)))


def _orchard() -> Module:
    return _module("orchard", "game", example_game())


def _module(name: str, kind: str, text: str, requires: tuple[str, ...] = ()) -> Module:
    return Module(Manifest(name, name, "1.0.0", kind, requires=requires), Path(name), (Source(f"{name}.edict", text),))


def steps(text: str) -> str:
    """Steps as they stand in a player's turn."""
    return "when start of day\n  each player\n" + indent(text, "    ") + "\n"


def values(text: str) -> str:
    """Values as they stand after `let`, with what they speak of."""
    written = text.strip().splitlines()
    return _SPOKEN_OF + steps("\n".join(f"let value-{n} = {line}" for n, line in enumerate(written)))


_SPOKEN_OF = (
    "phase evening-hours\n  nothing\nkeep other as player\nkeep guests of tree as set of player\n"
    "keep gifts of player called giver by player as number\nquantity fruits-worth is 1\n"
)
_WRAPPED = {"steps": steps, "values": values}
