"""What is meant by a name without meaning: a word of another language, a title, another spelling."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property

from edict.compiler.layering.to_json import DEFINITIONS
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.automaton import statements
from edict.compiler.syntax.constructs import blanks_filled, form_of
from edict.compiler.syntax.declared_names import Declared, titles_of
from edict.compiler.syntax.grammar import keywords, openings
from edict.compiler.syntax.nouns import plurals
from edict.compiler.syntax.remedy_table import instead_of
from edict.compiler.syntax.unreadable.vocabulary import instead
from edict.support.morphology import NUMBER_WORDS, add_indefinite_article, quote_words, spell_name
from edict.support.report import Diagnostic, Edit, find_nearest, find_unambiguous, tolerated_typos
from edict.support.text import Span, to_slug

_VALUES = {
    "true": "yes",
    "false": "no",
    "null": "none",
    "nil": "none",
    "undefined": "none",
    "nothing": "none",
    "me": "you",
    "myself": "you",
    "i": "you",
    "self": "you",
    "yourself": "you",
    "everybody": "everyone",
}
_HALVES = {"even": 0, "odd": 1}
_MORE = {"more": ">=", "higher": ">=", "greater": ">=", "less": "<=", "fewer": "<=", "lower": "<="}
_TYPES = {
    "integer": "number",
    "int": "number",
    "float": "number",
    "counter": "number",
    "boolean": "truth",
    "bool": "truth",
    "flag": "truth",
    "list": "set of ...",
    "players": "set of player",
}
_PHASES = frozenset(("game", "play", "match"))
SURE = 0.75  # how much alike words are of which one is surely meant by the other
LEFT_EDGE = (
    "a step is not allowed at the left edge",
    "write `when start of ...` with the name of a phase above it, and indent it",
)
LINKING = frozenset(("import", "include", "use", "require", "requires"))
OTHERS = frozenset(("opponent", "opponents", "other", "others", "rival", "rivals"))
"""What people call the players that are not `you`."""

Placed = tuple[int, int, str]
"""A name with the rank by which it comes before others."""


class Candidates(dict[str, t.Definition | None]):
    """Each word with what it was declared as. It is not changed any more: there may be thousands, each looked for
    by many mistakes, so what they can be found by is worked out once."""

    @cached_property
    def titles(self) -> dict[str, str]:
        """The first name of each title."""
        found: dict[str, str] = {}
        for name, definition in self.items():
            for form in titles_of(definition) if definition is not None else ():
                found.setdefault(form, name)
        return found

    def sharing(self, word: str) -> str:
        """The shortest name of which the word is a part, or that is a part of the word."""
        parts = word.split("-") if "-" in word else []
        found = [(len(part), self._places[part], part) for part in parts if part in self._places]
        if word in self._parts:
            found.append(self._parts[word])
        return min(found, default=(0, 0, ""))[2]

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self)}

    @cached_property
    def _parts(self) -> dict[str, Placed]:
        """By the words of which names are made: the shortest of these names."""
        found: dict[str, Placed] = {}
        for place, name in enumerate(self):
            for part in name.split("-"):
                placed = (len(name), place, name)
                found[part] = min(found.get(part, placed), placed)
        return found


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What to write in place of a name (nothing, if nobody can tell), the remedy in words, and a reason.

    guessed: the word is not very near to what was written; exact: it can only be meant, for it is spelled nearly so
    and nothing else is.
    """

    word: str
    help: str
    note: str = ""
    guessed: bool = False
    exact: bool = False


def suggestion(word: str, sorts: Iterable[str], candidates: Candidates, phase: str = "") -> Suggestion | None:
    """What somebody means who writes a word where one of these sorts of names must stand; None, if nobody can tell.

    phase: the start or end of a phase that is the start or end of the game.
    """
    low, wanted = word.casefold(), frozenset(sorts)
    if "builtin" in wanted and low in _VALUES:
        return Suggestion(_VALUES[low], f"write `{_VALUES[low]}`", f"`{_VALUES[low]}` is the word of the language.")
    if "builtin" in wanted and (low in NUMBER_WORDS or low in ("a", "an")):
        digits = "1" if low in ("a", "an") else str(NUMBER_WORDS.index(low))
        return Suggestion(digits, f"write `{digits}`", "A number is expected here, in digits.")
    if "builtin" in wanted and low in _HALVES:
        remedy = f"write `... mod 2 = {_HALVES[low]}` with what is asked about"
        return Suggestion("", remedy, "`mod` gives what remains of a division.")
    if "builtin" in wanted and low in _MORE:
        return Suggestion("", f"write `{_MORE[low]}` and the number", "At least is written `>=`, and at most `<=`.")
    if "builtin" in wanted and low.strip("x").isdecimal():
        return Suggestion(low.strip("x"), f"write `{low.strip('x')}`", "A number is expected here, in digits.")
    if "number" in wanted and low in _TYPES:
        return Suggestion(_TYPES[low], f"write `{_TYPES[low]}`", f"`{_TYPES[low]}` is the word of the language.")
    if "phase" in wanted and phase and low in _PHASES:
        name, begins = phase.rpartition(" ")[2], "ends" if phase.startswith("end ") else "begins"
        remedy = f"write `{name}`, with which the game {begins}: `when {phase}`"
        return Suggestion(name, remedy, "There is no phase of that name; a game is made of phases.")
    if low in OTHERS and "kind" in wanted:
        remedy = "write `choose a player from players - you as ...`"
        return Suggestion("", remedy, "The other players are all without `you`.")
    if low == "nothing" and "routine" in wanted:
        return Suggestion("", "write `nothing` alone, without `do`", "`nothing` is a step of its own.")
    near = _near(word, candidates)
    if not near or word in keywords():
        return None
    exact = bool(tolerated_typos(word)) and find_unambiguous(word, candidates) == near
    return Suggestion(near, f"did you mean `{near}`?", guessed=_far(word, near, candidates), exact=exact)


def all_others(each: t.Each) -> Diagnostic:
    """Of `each opponent`, where nothing is called so."""
    written = "player in (players - you)"
    return Diagnostic(
        "E0201",
        f"nothing is named `{each.kind.word}`",
        each.kind.span,
        note="The other players are all without `you`.",
        help=f"write `each {written}`",
        edits=() if each.source or each.name else (Edit(each.kind.span, written),),
    )


_RUN = frozenset(("phase", "routine", "action", "moment"))


def otherwise(word: str, sort: str, sorts: Iterable[str], definitions: Mapping[str, t.Definition]) -> Suggestion | None:
    """What to write with a name of another sort than the place takes; None, if nobody can tell."""
    wanted, definition = frozenset(sorts), definitions.get(word)
    kind = _kind_of(definition)
    also = {
        "run": wanted <= _RUN,
        "adjusted": wanted == {"quantity"},
        "valued": "builtin" in wanted,
        "gained": "resource" in wanted and "field" not in wanted,
        "counted": "field" in wanted and "moment" not in wanted,
    }
    have = {sort, word if sort == "builtin" else sort}
    if isinstance(definition, t.Keep):
        have |= {"single" if definition.type.shape == "thing" else definition.type.shape}
    blanks: dict[str, Callable[[], str]] = {
        "word": lambda: word,
        "sort": lambda: add_indefinite_article(sort).capitalize(),
        "kind": lambda: kind,
        "a_kind": lambda: add_indefinite_article(word),
        "place": lambda: word + _of_what(definition),
        "called": lambda: word + _given(definition, definitions),
        "effect": lambda: next(iter(Declared(dict(definitions)).effects(kind)), "") if kind else "",
        "resource": lambda: next((name for name, d in definitions.items() if isinstance(d, t.Resource)), ""),
        "among": lambda: _place_of(kind or word, definitions),
    }
    instead = instead_of("names", wanted | {name for name, holds in also.items() if holds}, have, lambda b: blanks[b]())
    return Suggestion(instead.text, instead.help, instead.note) if instead is not None else None


def _kind_of(definition: t.Definition | None) -> str:
    """The kind of a thing, or of the one thing that is remembered; or nothing."""
    if isinstance(definition, t.Keep):
        return definition.type.name.word if definition.type.name is not None else ""
    return definition.kind.word if isinstance(definition, t.Thing) else ""


def _of_what(definition: t.Definition | None) -> str:
    """Whose it is, where that can be said."""
    kinds = [param.kind.word for param in definition.params] if isinstance(definition, t.Keep | t.Quantity) else []
    return " of you" if kinds == ["player"] else " of ..." if kinds else ""


def _place_of(kind: str, definitions: Mapping[str, t.Definition]) -> str:
    """The first place in which things of a kind lie."""
    keeps = (keep for keep in definitions.values() if isinstance(keep, t.Keep) and _kind_of(keep) == kind)
    return next((keep.name.word + _of_what(keep) for keep in keeps if keep.type.shape in ("set", "bag", "order")), "")


def _given(definition: t.Definition | None, definitions: Mapping[str, t.Definition]) -> str:
    """What is written behind what is done or triggered, with what it takes."""
    params = definition.params if isinstance(definition, t.Routine | t.Moment) else ()
    first = {"player": "you", "number": "1"}
    for name, thing in definitions.items():
        if isinstance(thing, t.Thing):
            first.setdefault(thing.kind.word, name)
    return " with " * bool(params) + " and ".join(first.get(param.kind.word, param.name.word) for param in params)


def _near(word: str, candidates: Candidates) -> str:
    """By title, by the name in other letters, by a part of the name, by what is near to it."""
    title, titles = to_slug(spell_name(word)), candidates.titles
    called = titles.get(title)
    near, part = find_nearest(word, candidates), candidates.sharing(word)
    unsure = part and SequenceMatcher(None, word, near).ratio() < SURE
    near = called or (part if unsure else near) or part or find_nearest(title, titles)
    name = titles.get(near, near) if near not in candidates else near
    definition = candidates.get(name)
    return definition.name.word if isinstance(definition, t.Resource | t.Die) else name


def _far(word: str, name: str, candidates: Candidates) -> bool:
    """Whether a word is neither written nearly as a name, nor the title of what is called so."""
    definition, low = candidates.get(name), to_slug(spell_name(word))
    forms = (name, *(titles_of(definition) if definition is not None else ()))
    return low not in name.split("-") and all(SequenceMatcher(None, low, form).ratio() < SURE for form in forms)


def choice(candidates: Candidates) -> str:
    """The words that could stand there, each thing once; of many the first."""
    plural = {form for word in candidates for form in plurals(word)[1:]}
    known = ((word, meant) for word, meant in candidates.items() if meant is not None or word not in plural)
    names = dict.fromkeys(meant.name.word if meant is not None else word for word, meant in known)
    return quote_words(names) if names else ""


def near_word(word: str, known: Iterable[str], span: Span) -> tuple[str, tuple[Edit, ...]]:
    """A did-you-mean, in words and as an edit; nothing if no known word is near."""
    near = find_nearest(word, known)
    return (f"did you mean `{near}`?", (Edit(span, near),)) if near else ("", ())


def no_kind(thing: t.Thing, definitions: Mapping[str, t.Definition]) -> Diagnostic:
    """A line of two names whose first is no kind: often a step, or a word of another language."""
    word, span = thing.kind.word, thing.kind.span
    if word in statements():
        note = "Steps are carried out at a moment, and so stand under `when`, in a phase, a routine or a field."
        return Diagnostic("E0127", LEFT_EDGE[0], span, note=note, help=LEFT_EDGE[1])
    inside = form_of(word, "inside")
    if inside:
        under = blanks_filled(f"it belongs under {inside}", Declared(dict(definitions)))
        return Diagnostic("E0127", f"`{word}` does not stand at the left edge", span, help=under)
    kinds = [name for name, kind in definitions.items() if isinstance(kind, t.Kind)]
    near, edits = near_word(word, [*kinds, *DEFINITIONS], span)
    heads = [head for head in (word.casefold(), *instead().get(word.casefold(), ())) if head in openings()]
    if heads and word not in LINKING:
        near, edits = f"write {quote_words(heads)}", (Edit(span, heads[0]),) if len(heads) == 1 else ()
    there = f", or use {'the kind' if len(kinds) == 1 else 'one of the kinds'} {quote_words(kinds)}" if kinds else ""
    remedy = near or f"declare `kind {word}`{there}"
    if word in LINKING:
        remedy = f"name what your rules need in `module.yaml`: `requires: [{thing.name.word}]`"
    note = f"A line of two names declares a thing: `{thing.name.word}`, of the kind `{word}`."
    return Diagnostic("E0300", f"there is no kind `{word}`", span, note=note, help=remedy, edits=edits)
