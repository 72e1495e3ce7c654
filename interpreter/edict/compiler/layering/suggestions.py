"""Suggestions for unknown names, which may be words of other languages, titles, or misspelt."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from difflib import SequenceMatcher
from functools import cached_property

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.automaton import statement_words
from edict.compiler.syntax.constructs import fill_blanks, find_place
from edict.compiler.syntax.declared_names import DeclaredNames, title_slugs
from edict.compiler.syntax.grammar import definition_words, keywords
from edict.compiler.syntax.nouns import list_inflected_forms
from edict.compiler.syntax.remedy_table import find_table_remedy
from edict.support.morphology import add_indefinite_article, parse_number_word, parse_ordinal, quote_words, spell_name
from edict.support.records import dataclass
from edict.support.report import Diagnostic, Edit, count_tolerated_typos, find_nearest, find_unambiguous
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
_PARITIES = {"even": 0, "odd": 1}
_COMPARATIVES = {"more": ">=", "higher": ">=", "greater": ">=", "less": "<=", "fewer": "<=", "lower": "<="}
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
_GAME_WORDS = frozenset(("game", "play", "match"))
SURE_SIMILARITY = 0.75  # similarity of words of which one surely means the other
MOST_SHARING = 3  # names with the same part that a message offers
# title and remedy
LEFT_EDGE = (
    "a step is not allowed at the left edge",
    "write `when start of ...` with the name of a phase above it, and indent it",
)
IMPORT_WORDS = frozenset(("import", "include", "use", "require", "requires"))
# common words for all players but `you`
OTHER_PLAYERS = frozenset(("opponent", "opponents", "other", "others", "rival", "rivals"))

RankedName = tuple[int, int, str]  # length, position and name; the smallest is suggested first


class NameCandidates(dict[str, t.Definition | None]):
    """Words with their definitions, indexed for suggestions.

    It must not change after it is built. There may be thousands of words, each compared with many mistakes.
    """

    @cached_property
    def titles(self) -> dict[str, str]:
        """Map each title to the first name that has it."""
        result: dict[str, str] = {}
        for name, definition in self.items():
            for form in title_slugs(definition) if definition is not None else ():
                result.setdefault(form, name)
        return result

    def find_sharing(self, word: str) -> str:
        """Return the shortest name that has the word as a hyphenated part or is a part of it, or ""."""
        parts = word.split("-") if "-" in word else []
        ranked = [(len(part), self._places[part], part) for part in parts if part in self._places]
        if word in self._names_by_part:
            ranked.append(self._names_by_part[word])
        return min(ranked, default=(0, 0, ""))[2]

    def list_sharing(self, word: str) -> list[str]:
        """Return the names of which the word is a hyphenated part, each definition once."""
        names = (name for name in self if word != name and word in name.split("-"))
        return list({id(self[name]) if self[name] is not None else name: name for name in names}.values())

    @cached_property
    def _places(self) -> dict[str, int]:
        """Map each candidate to its position, from 0."""
        return {name: place for place, name in enumerate(self)}

    @cached_property
    def _names_by_part(self) -> dict[str, RankedName]:
        """The shortest names by their parts."""
        result: dict[str, RankedName] = {}
        for place, name in enumerate(self):
            for part in name.split("-"):
                placed = (len(name), place, name)
                result[part] = min(result.get(part, placed), placed)
        return result


@dataclass(frozen=True, slots=True)
class NameSuggestion:
    """A suggestion for an unknown name."""

    word: str  # what to write instead; empty if unknown
    help: str  # the remedy in words
    note: str = ""  # a reason
    guessed: bool = False  # the word is not very similar
    exact: bool = False  # nothing else can be meant
    others: tuple[str, ...] = ()  # words that are as likely


def suggest_name(word: str, sorts: Iterable[str], candidates: NameCandidates, phase: str = "") -> NameSuggestion | None:
    """Return a suggestion for an unknown word where a name of certain sorts is expected, or None.

    Args:
        word: The word.
        sorts: The expected sorts.
        candidates: The names that could be meant.
        phase: The phase event that is the start or end of the game.
    """
    lowered, expected = word.casefold(), frozenset(sorts)
    suggestion = _suggest_value(word, lowered) if "builtin" in expected else None
    suggestion = suggestion or _suggest_for_sort(lowered, expected, phase)
    if suggestion is not None:
        return suggestion
    similar = _find_similar(word, candidates)
    sharing = candidates.list_sharing(word)
    if len(sharing) > 1 and "builtin" not in expected and not find_unambiguous(word, candidates):
        return NameSuggestion(sharing[0], f"did you mean `{sharing[0]}`?", others=tuple(sharing[1:MOST_SHARING]))
    if not similar or word in keywords() and similar not in sharing:
        return None
    exact = bool(count_tolerated_typos(word)) and find_unambiguous(word, candidates) == similar
    return NameSuggestion(
        similar, f"did you mean `{similar}`?", guessed=_is_guess(word, similar, candidates), exact=exact
    )


def _suggest_value(word: str, lowered: str) -> NameSuggestion | None:
    """Return a suggestion for a word of another language or of English where a value is expected, or None."""
    if lowered in _VALUES:
        return NameSuggestion(
            _VALUES[lowered], f"write `{_VALUES[lowered]}`", f"`{_VALUES[lowered]}` is the word of the language."
        )
    number = 1 if lowered in ("a", "an") else parse_number_word(word)
    if number is not None:
        return NameSuggestion(str(number), f"write `{number}`", "Expected a number here, in digits.")
    if (ordinal := parse_ordinal(word)) is not None:
        note = f"Numbers are written in digits; a part is a division, as in `... / {ordinal}`."
        return NameSuggestion(str(ordinal), f"write `{ordinal}`", note)
    if lowered in _PARITIES:
        remedy = f"write `... mod 2 = {_PARITIES[lowered]}` with the number in front"
        return NameSuggestion("", remedy, "`mod` gives the remainder of a division.")
    if lowered in _COMPARATIVES:
        return NameSuggestion(
            "", f"write `{_COMPARATIVES[lowered]}` and the number", "At least is written `>=`, and at most `<=`."
        )
    if lowered.strip("x").isdecimal():
        return NameSuggestion(lowered.strip("x"), f"write `{lowered.strip('x')}`", "Expected a number here, in digits.")
    return None


def _suggest_for_sort(lowered: str, expected: Set[str], phase: str) -> NameSuggestion | None:
    """Return a suggestion for a word that stands for something of an expected sort, or None."""
    if "number" in expected and lowered in _TYPES:
        return NameSuggestion(
            _TYPES[lowered], f"write `{_TYPES[lowered]}`", f"`{_TYPES[lowered]}` is the word of the language."
        )
    if "phase" in expected and phase and lowered in _GAME_WORDS:
        name, begins = phase.rpartition(" ")[2], "ends" if phase.startswith("end ") else "begins"
        remedy = f"write `{name}`, where the game {begins}: `when {phase}`"
        return NameSuggestion(name, remedy, "There is no phase with that name; a game is made of phases.")
    if lowered in OTHER_PLAYERS and "kind" in expected:
        remedy = "write `choose a player from players - you as ...`"
        return NameSuggestion("", remedy, "The other players are everyone except `you`.")
    if lowered == "nothing" and "routine" in expected:
        return NameSuggestion("", "write `nothing` alone, without `do`", "`nothing` is a step of its own.")
    return None


def other_players_diagnostic(each: t.Each) -> Diagnostic:
    """Return the diagnostic for `each opponent`, where nothing has that name."""
    written = "player in (players - you)"
    return Diagnostic(
        "E0201",
        f"unknown name `{each.kind.word}`",
        each.kind.span,
        note="The other players are everyone except `you`.",
        help=f"write `each {written}`",
        edits=() if each.source or each.name else (Edit(each.kind.span, written),),
    )


_RUNNABLE_SORTS = frozenset(("phase", "routine", "action", "moment"))


def suggest_for_wrong_sort(
    word: str, sort: str, sorts: Iterable[str], definitions: Mapping[str, t.Definition]
) -> NameSuggestion | None:
    """Return what to write with a name of the wrong sort, or None.

    Args:
        word: The name.
        sort: Its sort.
        sorts: The expected sorts.
        definitions: All definitions.
    """
    expected, definition = frozenset(sorts), definitions.get(word)
    kind = _kind_of(definition)
    extra_words = {
        "run": expected <= _RUNNABLE_SORTS,
        "adjusted": expected == {"quantity"},
        "valued": "builtin" in expected,
        "gained": "resource" in expected and "field" not in expected,
        "counted": "field" in expected and "moment" not in expected,
    }
    given = {sort, word if sort == "builtin" else sort}
    if isinstance(definition, t.Keep):
        given |= {"single" if definition.type.shape == "thing" else definition.type.shape}
    fillers: dict[str, Callable[[], str]] = {
        "word": lambda: word,
        "sort": lambda: add_indefinite_article(sort).capitalize(),
        "kind": lambda: kind,
        "a_kind": lambda: add_indefinite_article(word),
        "place": lambda: word + _owner_suffix(definition),
        "called": lambda: word + _argument_suffix(definition, definitions),
        "effect": lambda: next(iter(DeclaredNames(dict(definitions)).list_effect_fields(kind)), "") if kind else "",
        "resource": lambda: next(
            (name for name, candidate in definitions.items() if isinstance(candidate, t.Resource)), ""
        ),
        "phase": lambda: next((name for name, found in definitions.items() if isinstance(found, t.Phase)), ""),
        "among": lambda: _find_keep(kind or word, definitions),
    }
    table_remedy = find_table_remedy(
        "names",
        expected | {name for name, applies in extra_words.items() if applies},
        given,
        lambda blank: fillers[blank](),
    )
    if table_remedy is not None:
        return NameSuggestion(table_remedy.text, table_remedy.help, table_remedy.note)
    return None


def _kind_of(definition: t.Definition | None) -> str:
    """Return the kind of a thing, or the kind that a `keep` holds; "" for None and other definitions."""
    if isinstance(definition, t.Keep):
        return definition.type.name.word if definition.type.name is not None else ""
    return definition.kind.word if isinstance(definition, t.Thing) else ""


def _owner_suffix(definition: t.Definition | None) -> str:
    """Return ` of you` or ` of ...` for a definition with parameters, else ""."""
    if isinstance(definition, t.Keep | t.Quantity):
        kinds = [param.kind.word for param in definition.params]
    else:
        kinds = []
    if kinds == ["player"]:
        return " of you"
    if kinds:
        return " of ..."
    return ""


def _find_keep(kind: str, definitions: Mapping[str, t.Definition]) -> str:
    """Return the first state variable that holds things of a kind, or ""."""
    keeps = (keep for keep in definitions.values() if isinstance(keep, t.Keep) and _kind_of(keep) == kind)
    return next(
        (keep.name.word + _owner_suffix(keep) for keep in keeps if keep.type.shape in ("set", "bag", "order")), ""
    )


def _argument_suffix(definition: t.Definition | None, definitions: Mapping[str, t.Definition]) -> str:
    """Return the arguments to write behind a routine or moment, or ""."""
    params = definition.params if isinstance(definition, t.Routine | t.Moment) else ()
    first = {"player": "you", "number": "1"}
    for name, thing in definitions.items():
        if isinstance(thing, t.Thing):
            first.setdefault(thing.kind.word, name)
    return " with " * bool(params) + " and ".join(first.get(param.kind.word, param.name.word) for param in params)


def _find_similar(word: str, candidates: NameCandidates) -> str:
    """Return the name that is similar by title, spelling, or a part of it, or ""."""
    title, titles = to_slug(spell_name(word)), candidates.titles
    by_title = titles.get(title)
    similar, part = find_nearest(word, candidates), candidates.find_sharing(word)
    is_unsure = part and SequenceMatcher(None, word, similar).ratio() < SURE_SIMILARITY
    similar = by_title or (part if is_unsure else similar) or part or find_nearest(title, titles)
    name = titles.get(similar, similar) if similar not in candidates else similar
    definition = candidates.get(name)
    return definition.name.word if isinstance(definition, t.Resource | t.Die) else name


def _is_guess(word: str, name: str, candidates: NameCandidates) -> bool:
    """Return True if the word is no part of the name, and not close in spelling to it or its titles."""
    definition, lowered = candidates.get(name), to_slug(spell_name(word))
    forms = (name, *(title_slugs(definition) if definition is not None else ()))
    return lowered not in name.split("-") and all(
        SequenceMatcher(None, lowered, form).ratio() < SURE_SIMILARITY for form in forms
    )


def describe_candidates(candidates: NameCandidates) -> str:
    """Return the candidates as a phrase, each thing once; of many only the first."""
    plural = {form for word in candidates for form in list_inflected_forms(word)[1:]}
    singular = (
        (word, definition) for word, definition in candidates.items() if definition is not None or word not in plural
    )
    names = dict.fromkeys(definition.name.word if definition is not None else word for word, definition in singular)
    return quote_words(names) if names else ""


def suggest_similar(word: str, known: Iterable[str], span: Span) -> tuple[str, tuple[Edit, ...]]:
    """Return "did you mean" with the edit, or an empty text and no edits."""
    similar = find_nearest(word, known)
    if similar:
        return (f"did you mean `{similar}`?", (Edit(span, similar),))
    return ("", ())


def unknown_kind_diagnostic(thing: t.Thing, definitions: Mapping[str, t.Definition]) -> Diagnostic:
    """Return the diagnostic for a line of two names whose first is no kind, often a step or a foreign keyword."""
    word, span = thing.kind.word, thing.kind.span
    if word in statement_words():
        note = "Steps happen at a moment, so they belong under `when`, or in a phase, a routine or a field."
        return Diagnostic("E0127", LEFT_EDGE[0], span, note=note, help=LEFT_EDGE[1])
    inside = find_place(word)
    if inside:
        owner = fill_blanks(f"it belongs under {inside}", DeclaredNames(dict(definitions)))
        return Diagnostic("E0127", f"`{word}` cannot be at the left edge", span, help=owner)
    kinds = [name for name, kind in definitions.items() if isinstance(kind, t.Kind)]
    help_text, edits = suggest_similar(word, [*kinds, *sorted(definition_words())], span)
    from edict.compiler.syntax.syntax_errors.vocabulary import load_synonyms

    keywords_meant = [
        head for head in (word.casefold(), *load_synonyms().get(word.casefold(), ())) if head in definition_words()
    ]
    if keywords_meant and word not in IMPORT_WORDS:
        help_text, edits = (
            f"write {quote_words(keywords_meant)}",
            (Edit(span, keywords_meant[0]),) if len(keywords_meant) == 1 else (),
        )
    if kinds:
        alternatives = f", or use {'the kind' if len(kinds) == 1 else 'one of the kinds'} {quote_words(kinds)}"
    else:
        alternatives = ""
    remedy = help_text or f"declare `kind {word}`{alternatives}"
    if word in IMPORT_WORDS:
        remedy = f"list the modules you need in `module.yaml`: `requires: [{thing.name.word}]`"
    note = f"A line of two names declares a thing: `{thing.name.word}`, of the kind `{word}`."
    return Diagnostic("E0300", f"there is no kind `{word}`", span, note=note, help=remedy, edits=edits)
