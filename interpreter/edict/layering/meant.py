"""What is meant by a name without meaning: a word of another language, a title, another spelling."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher

from edict.language import tree as t
from edict.language.constructs import blanks_filled, form_of
from edict.language.declared import Declared, titles_of
from edict.language.automaton import statements
from edict.language.unreadable.vocabulary import instead
from edict.language.grammar import keywords, openings
from edict.layering.candidates import Candidates
from edict.layering.to_json import DEFINITIONS
from edict.text import NUMBERS
from edict.language.sorts import a, plurals
from edict.report import Diagnostic, Edit, letters_off, listed, nearest, only_near
from edict.text import Span, slug

_VALUES = {
    "true": "yes", "false": "no", "null": "none", "nil": "none", "undefined": "none", "nothing": "none",
    "me": "you", "myself": "you", "i": "you", "self": "you", "yourself": "you", "everybody": "everyone",
}  # fmt: skip
_HALVES = {"even": 0, "odd": 1}
_MORE = {"more": ">=", "higher": ">=", "greater": ">=", "less": "<=", "fewer": "<=", "lower": "<="}
_TYPES = {
    "integer": "number", "int": "number", "float": "number", "counter": "number", "boolean": "truth", "bool": "truth",
    "flag": "truth", "list": "set of ...", "players": "set of player",
}  # fmt: skip
_PHASES = frozenset(("game", "play", "match"))
SURE = 0.75  # how much alike words are of which one is surely meant by the other
LEFT_EDGE = (
    "a step is not allowed at the left edge",
    "write `when start of ...` with the name of a phase above it, and indent it",
)
LINKING = frozenset(("import", "include", "use", "require", "requires"))
OTHERS = frozenset(("opponent", "opponents", "other", "others", "rival", "rivals"))
"""What people call the players that are not `you`."""


@dataclass(frozen=True, slots=True)
class Meant:
    """What to write in place of a name (nothing, if nobody can tell), the remedy in words, and a reason.

    guessed: the word is not very near to what was written; exact: it can only be meant, for it is spelled nearly so
    and nothing else is.
    """

    word: str
    help: str
    note: str = ""
    guessed: bool = False
    exact: bool = False


def meant(word: str, sorts: Iterable[str], candidates: Candidates, phase: str = "") -> Meant | None:
    """What somebody means who writes a word where one of these sorts of names must stand; None, if nobody can tell.

    phase: the start or end of a phase that is the start or end of the game.
    """
    low, wanted = word.casefold(), frozenset(sorts)
    if "builtin" in wanted and low in _VALUES:
        return Meant(_VALUES[low], f"write `{_VALUES[low]}`", f"`{_VALUES[low]}` is the word of the language.")
    if "builtin" in wanted and (low in NUMBERS or low in ("a", "an")):
        digits = "1" if low in ("a", "an") else str(NUMBERS.index(low))
        return Meant(digits, f"write `{digits}`", "A number is expected here, in digits.")
    if "builtin" in wanted and low in _HALVES:
        remedy = f"write `... mod 2 = {_HALVES[low]}` with what is asked about"
        return Meant("", remedy, "`mod` gives what remains of a division.")
    if "builtin" in wanted and low in _MORE:
        return Meant("", f"write `{_MORE[low]}` and the number", "At least is written `>=`, and at most `<=`.")
    if "builtin" in wanted and low.strip("x").isdecimal():
        return Meant(low.strip("x"), f"write `{low.strip('x')}`", "A number is expected here, in digits.")
    if "number" in wanted and low in _TYPES:
        return Meant(_TYPES[low], f"write `{_TYPES[low]}`", f"`{_TYPES[low]}` is the word of the language.")
    if "phase" in wanted and phase and low in _PHASES:
        name, begins = phase.rpartition(" ")[2], "ends" if phase.startswith("end ") else "begins"
        remedy = f"write `{name}`, with which the game {begins}: `when {phase}`"
        return Meant(name, remedy, "There is no phase of that name; a game is made of phases.")
    if low in OTHERS and "kind" in wanted:
        remedy = "write `choose a player from players - you as ...`"
        return Meant("", remedy, "The other players are all without `you`.")
    if low == "nothing" and "routine" in wanted:
        return Meant("", "write `nothing` alone, without `do`", "`nothing` is a step of its own.")
    near = _near(word, candidates)
    if not near or word in keywords():
        return None
    exact = bool(letters_off(word)) and only_near(word, candidates) == near
    return Meant(near, f"did you mean `{near}`?", guessed=_far(word, near, candidates), exact=exact)


def all_others(each: t.Each) -> Diagnostic:
    """Of `each opponent`, where nothing is called so."""
    written = "player in (players - you)"
    return Diagnostic(
        "E0201", f"nothing is called `{each.kind.word}`", each.kind.span,
        note="The other players are all without `you`.", help=f"write `each {written}`",
        edits=() if each.source or each.name else (Edit(each.kind.span, written),),
    )  # fmt: skip


_STEPS = {"phase": "play", "routine": "do", "action": "do", "moment": "trigger"}
"""How what has a name is brought about."""


def otherwise(word: str, sort: str, sorts: Iterable[str], definition: t.Definition | None = None) -> Meant | None:
    """What to write with a name of another sort than the place takes; None, if nobody can tell."""
    wanted = frozenset(sorts)
    found = _brought_about(word, sort, wanted, definition) or _of_a_kind(word, sort, wanted, definition)
    if found is not None:
        return found
    named = isinstance(definition, t.Keep) and definition.type.shape == "thing"
    if named and "resource" in wanted and "field" not in wanted:
        note = "A resource that is remembered gets a name first, and is gained by that."
        return Meant("", f"write `let chosen = {word}`, and then `chosen` in place of `{word}`", note)
    if sort == "number" and "field" in wanted:
        return Meant("count", "write `count of ...`", "To ask how many there are of something, use `count of`.")
    if sort == "phase" and "builtin" in wanted:
        written = f"during {word}"
        return Meant(written, f"write `{written}`", "To ask whether a phase is being played, use `during`.")
    if "resource" in wanted and sort in ("thing", "kind") and "field" not in wanted:
        note = "Resources are gained; things are added to the keep in which they are."
        return Meant("", f"write `add {word} to ...` with the name of that keep" , note)
    if wanted == {"quantity"} and sort in ("resource", "group", "die"):
        note = "Resources are gained and lost; quantities are adjusted."
        when = "write `when start of PHASE` (an `if` goes to its end)"
        return Meant("", f"{when}, under it `each player`, under it `gain 1 {word}`", note)
    if wanted == {"quantity"} and sort == "keep":
        return Meant("", f"write `add 1 to {word}` at a moment", "Keeps are set; quantities are adjusted.")
    if wanted == {"quantity"} and sort == "setting":
        return Meant("", f"write `amend setting {word} is ...`", "A setting has one value; quantities are adjusted.")
    return None


def _brought_about(word: str, sort: str, wanted: frozenset[str], definition: t.Definition | None) -> Meant | None:
    """Of what is done, played or triggered, and stands in another's place; and of a type that is no value."""
    if sort in _STEPS and wanted <= _STEPS.keys():
        params = getattr(definition, "params", ()) if sort in ("routine", "moment") else ()
        given = " and ".join("you" if param.kind.word == "player" else param.name.word for param in params)
        text = f"{_STEPS[sort]} {word}" + f" with {given}" * bool(given)
        many = {"phase": "phases are played", "moment": "moments are triggered"}.get(sort, f"{sort}s are done")
        return Meant("", f"write `{text}`", f"{many[:1].upper()}{many[1:]}.")
    if sort in _STEPS and "builtin" in wanted and sort != "phase":
        note = f"{a(sort).capitalize()} is no value."
        return Meant("", "remember in a keep that it came, or ask about what it changes", note)
    if sort in ("number", "player") and "builtin" in wanted:
        note = f"`{word}` is a type, and not one of its values."
        return Meant("", "write which one; a field that things fill in has its type after its name, without `is`", note)
    return None


def _of_a_kind(word: str, sort: str, wanted: frozenset[str], definition: t.Definition | None) -> Meant | None:
    """Of what is no kind, and stands where one must."""
    if "kind" in wanted and isinstance(definition, t.Thing):
        kind = definition.kind.word
        note = f"`{word}` is one {kind}, and what stands here is a kind, of which there may be many."
        return Meant("", f"write `{kind}`, or say of `{word}` alone what is to be done, by its name", note)
    if word == "you" and "kind" in wanted:
        return Meant("player", "write `player`", "It is declared for all players, and then asked `of you`.")
    if sort == "die" and "kind" in wanted:
        note = "One of several dice is chosen as `a die`."
        return Meant("", "write `a die from` and the keep in which the dice lie", note)
    if sort == "resource" and "kind" in wanted:
        note = f"`{word}` is one resource: how much there is of it is a number, and one of several is of a group."
        return Meant("", "write `number`, or the name of a group of resources", note)
    return None


def _near(word: str, candidates: Candidates) -> str:
    """By title, by the name in other letters, by a part of the name, by what is near to it."""
    title, titles = slug(word.replace("-", " ")), candidates.titles
    called = titles.get(title)
    near, part = nearest(word, candidates), candidates.sharing(word)
    unsure = part and SequenceMatcher(None, word, near).ratio() < SURE
    near = called or (part if unsure else near) or part or nearest(title, titles)
    found = titles.get(near, near) if near not in candidates else near
    definition = candidates.get(found)
    return definition.name.word if isinstance(definition, t.Resource | t.Die) else found


def _far(word: str, name: str, candidates: Candidates) -> bool:
    """Whether a word is neither written nearly as a name, nor the title of what is called so."""
    one, low = candidates.get(name), slug(word.replace("-", " "))
    forms = (name, *(titles_of(one) if one is not None else ()))
    return low not in name.split("-") and all(SequenceMatcher(None, low, form).ratio() < SURE for form in forms)


def choice(candidates: Candidates) -> str:
    """The words that could stand there, each thing once; of many the first."""
    plural = {form for word in candidates for form in plurals(word)[1:]}
    words = {word: one for word, one in candidates.items() if one is not None or word not in plural}
    names = dict.fromkeys(one.name.word if one is not None else word for word, one in words.items())
    return listed(names) if names else ""


def near_word(word: str, known: Iterable[str], span: Span) -> tuple[str, tuple[Edit, ...]]:
    """A did-you-mean, in words and as an edit; nothing if no known word is near."""
    near = nearest(word, known)
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
    kinds = [name for name, one in definitions.items() if isinstance(one, t.Kind)]
    near, edits = near_word(word, [*kinds, *DEFINITIONS], span)
    heads = [one for one in (word.casefold(), *instead().get(word.casefold(), ())) if one in openings()]
    if heads and word not in LINKING:
        near, edits = f"write {listed(heads)}", (Edit(span, heads[0]),) if len(heads) == 1 else ()
    remedy = near or f"declare `kind {word}`, or use one of the kinds {listed(kinds)}"
    if word in LINKING:
        remedy = f"name what your rules need in `module.yaml`: `requires: [{thing.name.word}]`"
    note = f"A line of two names declares a thing: `{thing.name.word}`, of the kind `{word}`."
    return Diagnostic("E0300", f"there is no kind `{word}`", span, note=note, help=remedy, edits=edits)
