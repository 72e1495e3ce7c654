"""The vocabulary of scenes, which maps names of variables, things, players and values to numbers and back.

Names and titles both count, in any case: `point` or `VP`, `guard-tower` or `Guard Tower`. An unknown word becomes a
diagnostic with its place and the nearest known word.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, TypeVar

from edict.compiler.sources.input_limits import MOST_DIGITS, SET_BITS
from edict.game.table.addresses import PLAYER, VariableCell, sizes_at_table
from edict.game.table.wording import NUMBER, Wording
from edict.runtime.program import Program, StateVariable, ValueType
from edict.runtime.program.cell_values import decode_order, encode_order
from edict.runtime.program.opcodes import BITS
from edict.runtime.program.reasons import ComputedQuantity
from edict.support.morphology import join_words, parse_number_word, spell_name, split_title
from edict.support.report import Diagnostic, suggest_word
from edict.support.text import Span

NONE = ("none", "nobody", "nothing")
TRUTH_WORDS = {"yes": 1, "on": 1, "no": 0, "off": 0}
T = TypeVar("T")
MOST_LISTED = 8  # names listed in a remedy


class SceneError(Exception):
    """An error for a scene that cannot be played as it is written."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        self.diagnostic = diagnostic
        super().__init__(diagnostic.title)


def scene_error(code: str, title: str, span: Span, remedy: str) -> SceneError:
    """Return a `SceneError` with a diagnostic."""
    return SceneError(Diagnostic(code, title, span, help=remedy))


class SceneVocabulary:
    """The names that a scene may use for one program and its players."""

    def __init__(self, program: Program, players: Sequence[str]) -> None:
        self.program = program
        self.players = tuple(players)
        self.renamed = dict(program.renamed)
        self.wording = Wording(program, players)
        self._variables = index_spellings(
            (variable, (variable.name, variable.title, *split_title(variable.title, variable.plural)))
            for variable in program.variables
        )
        add_former_names(self._variables, program)
        self._measures = index_spellings(
            (measure, (measure.name, measure.title, *split_title(measure.title))) for measure in all_measures(program)
        )
        add_former_names(self._measures, program)
        self._things: dict[str, dict[str, list[int]]] = {}

    # --- names

    def find_seat(self, text: object, span: Span) -> int:
        """Return the seat of a player. Raises `SceneError` if there is none."""
        return self.find_thing(PLAYER, text, span)

    def is_player(self, text: str) -> bool:
        """Return True if a text names a player."""
        return normalize_text(text) in self._things_by_spelling(PLAYER)

    def find_variable(self, text: str, span: Span, suggestions: Iterable[str] = ()) -> StateVariable:
        """Return the `keep` or `resource` with this name or title.

        Raises `SceneError`; `suggestions` are other words for its remedy.
        """
        matches = self._variables.get(normalize_text(text), [])
        if len(matches) == 1:
            return matches[0]
        if matches:
            either = join_words(f"`{variable.name}`" for variable in matches)
            raise scene_error("S0002", f"`{text}` may mean {either}", span, "write one of these names")
        known = [variable.name for variable in self.program.variables] + [
            variable.title for variable in self.program.variables if variable.title
        ]
        near = suggest_word(text, [*known, *self.players, *suggestions])
        remedy = self._missing_colon_hint(text) or near or self._describe_known_names(text, known)
        raise scene_error("S0001", f"unknown name `{text}`", span, remedy)

    def _missing_colon_hint(self, text: str) -> str:
        """Suggest a colon where a name and a number run together."""
        head, _, number = text.rpartition(" ")
        is_missing = is_number(number) and normalize_text(head) in self._variables
        return f"a colon is missing: write `{head}: {number}`" if is_missing else ""

    def _describe_known_names(self, text: str, known: Sequence[str]) -> str:
        """List the names that are possible here; a capitalized word was more likely meant as a player."""
        playing = f"the players are {join_words(self.players)}; " if text[:1].isupper() else ""
        return f"{playing}the names known here are {list_names(known)}"

    def find_measure(self, text: str) -> ComputedQuantity | None:
        """Return the quantity or value with this name or title, unless a variable has it."""
        matches = self._measures.get(normalize_text(text), [])
        if len(matches) == 1 and not self.matching_variables(text):
            return matches[0]
        return None

    @cached_property
    def measure_names(self) -> tuple[str, ...]:
        """Return the names and titles of all quantities and values."""
        return tuple(text for measure in all_measures(self.program) for text in (measure.name, measure.title) if text)

    def type_of(self, what: StateVariable | ComputedQuantity) -> ValueType:
        """Return the type of a variable, quantity or value."""
        if isinstance(what, StateVariable):
            return what.type
        if what.query >= 0:
            return self.program.queries[what.query].type
        return ValueType("number")

    def matching_variables(self, text: str) -> list[StateVariable]:
        """Return every variable that a text may name."""
        return self._variables.get(normalize_text(text), [])

    def find_thing(self, kind: str, text: object, span: Span) -> int:
        """Return the index of a thing by name or title, or a number itself. Raises `SceneError`."""
        if kind == NUMBER and is_number(str(text)):
            return int(str(text))
        known = self._things_by_spelling(kind)
        matches = known.get(normalize_text(str(text)), [])
        if len(matches) == 1:
            return matches[0]
        title = split_title(self.wording.kind_title(kind))[0]
        if matches:
            either = join_words(f"`{self.wording.things(kind)[i].name}`" for i in matches)
            raise scene_error("S0002", f"several are named `{text}`", span, f"write one of {either}")
        names = [t.name if kind != PLAYER else t.title for t in self.wording.things(kind)]
        near = suggest_word(str(text), [*names, *(t.title for t in self.wording.things(kind))])
        raise scene_error("S0001", f"there is no {title} `{text}`", span, near or f"choose one of {list_names(names)}")

    def matching_things(self, kind: str, text: str) -> list[int]:
        """Return the index of every thing of a kind that a text may name."""
        if kind == NUMBER and is_number(text):
            return [int(text)]
        return self._things_by_spelling(kind).get(normalize_text(text), [])

    def _things_by_spelling(self, kind: str) -> dict[str, list[int]]:
        """Return the indexes of a kind's things by name, title, plural and former name; cached."""
        if kind not in self._things:
            things = enumerate(self.wording.things(kind))
            self._things[kind] = index_spellings(
                (i, (t.name, t.title, t.plural, f"{t.title}/{t.plural}")) for i, t in things
            )
            add_former_names(self._things[kind], self.program)
        return self._things[kind]

    def is_in_range(self, variable: StateVariable, of: Sequence[int]) -> bool:
        """Return True if a variable has a cell for these indices at this table."""
        sizes = sizes_at_table(variable, len(self.players))
        return len(of) == len(sizes) and all(0 <= i < size for i, size in zip(of, sizes, strict=True))

    # --- values

    def parse_value(self, type_: ValueType, data: Any, span: Span) -> int:
        """Convert a value written in a scene to the machine's number. Raises `SceneError`."""
        if type_.shape == "thing":
            return self._parse_thing(type_, data, span)
        if type_.shape == "bag":
            return sum(count << BITS * i for i, count in enumerate(self.parse_counts(type_.kind, data, span)))
        if type_.shape in ("set", "order", "dice"):
            return self._parse_members(type_, data, span)
        if type_.shape == "truth" and normalize_text(str(data)) in TRUTH_WORDS:
            return TRUTH_WORDS[normalize_text(str(data))]
        if type_.shape == "number" and isinstance(data, int):
            return data
        wanted = "`yes` or `no`" if type_.shape == "truth" else _number_remedy(data)
        raise scene_error("S0003", f"{describe_data(data)} is not allowed here", span, f"write {wanted}")

    def parse_counts(self, kind: str, data: Any, span: Span) -> list[int]:
        """Return the number of copies of each thing in a bag. Raises `SceneError`."""
        counts = [0] * len(self.wording.things(kind))
        for thing, count in self._iter_bag_entries(data, span):
            if isinstance(count, bool) or not isinstance(count, int) or count < 0:
                raise scene_error(
                    "S0003", f"{describe_data(count)} is not allowed here", span, "write how many there are"
                )
            counts[self.find_thing(kind, thing, span)] += count
        return counts

    def _iter_bag_entries(self, data: Any, span: Span) -> list[tuple[Any, Any]]:
        """Return pairs of a thing and its number from a map; 1 for each member of a list."""
        if isinstance(data, dict):
            return [*data.items()]
        members = _to_members(data, span, "write `{NAME: 2}`, or a list")
        return [(member, 1) for member in members]

    def _parse_thing(self, type_: ValueType, data: Any, span: Span) -> int:
        """Return the index of the named thing, -1 for `none`. Raise `SceneError` for a map or list."""
        if normalize_text(str(data)) in NONE:
            return -1
        if isinstance(data, dict | list):
            raise scene_error("S0003", f"{describe_data(data)} is not allowed here", span, f"name one {type_.kind}")
        return self.find_thing(type_.kind, data, span)

    def _parse_members(self, type_: ValueType, data: Any, span: Span) -> int:
        """Encode a list as a set, an order or dice. Raise `SceneError` for duplicates in a set or order."""
        members = _to_members(data, span, "write a list in `[` and `]`")
        if type_.shape == "dice":
            return sum(1 << self.program.dice.offset_of(field) for m in members for field in self._parse_dice(m, span))
        things = [self.find_thing(type_.kind, m, span) for m in members]
        duplicates = [str(m) for m, count in Counter(map(str, members)).items() if count > 1]
        if duplicates:
            raise scene_error("S0003", f"`{duplicates[0]}` appears twice in the list", span, "write it once")
        too_large = next((i for i in things if i >= SET_BITS and type_.kind == NUMBER), None)
        if too_large is not None:
            raise scene_error(
                "S0003", f"`{too_large}` is too large for a set", span, f"a set has numbers up to {SET_BITS - 1}"
            )
        if type_.shape == "set":
            return sum(1 << i for i in things)
        return encode_order(type_, things)

    def _parse_dice(self, member: object, span: Span) -> list[int]:
        """Return the fields of dice written as `3`, `bonus die 6` or `3 5 5`: a kind of die, then faces."""
        *name, faces = split_faces(str(member))
        for die, title, sides, first in self.program.dice.kinds:
            if (
                not name[0] or normalize_text(name[0]) in {normalize_text(t) for t in (die, title, *split_title(title))}
            ) and faces:
                shown = [int(face) for face in faces.split()]
                if all(1 <= face <= sides for face in shown):
                    return [first + face - 1 for face in shown]
        kinds = list_names([title for _, title, _, _ in self.program.dice.kinds])
        raise scene_error("S0003", f"`{member}` is not a die", span, f"write its face, after its name if not {kinds}")

    # --- back into words

    def format_value(self, type_: ValueType, value: int) -> str:
        """Format a value as a scene writes it."""
        if type_.shape == "thing":
            return self.thing_label(type_.kind, value)
        if type_.shape == "set":
            return join_or_none(self.thing_label(type_.kind, i) for i in range(value.bit_length()) if value >> i & 1)
        if type_.shape == "order":
            return join_or_none(self.thing_label(type_.kind, i) for i in decode_order(value))
        return self.wording.value(type_, value)

    def thing_label(self, kind: str, index: int) -> str:
        """Return a thing's title, or its name if others share the title."""
        thing = self.wording.thing(kind, index)
        if thing is None:
            return str(index) if kind == NUMBER else "none"
        shared = len(self._things_by_spelling(kind).get(normalize_text(thing.title), [])) > 1
        return thing.name if shared or not thing.title else thing.title

    def cell_label(self, spot: VariableCell) -> str:
        """Return the label of a cell, such as `Ann, gold`."""
        return self.measure_label(spot.variable, spot.of)

    def measure_label(self, what: StateVariable | ComputedQuantity, of: Sequence[int]) -> str:
        """Return the label of a variable or quantity for some things."""
        title = split_title(what.title or what.name)[0]
        names = (self.thing_label(kind, i) for kind, i in zip(what.kinds, of, strict=True))
        return ", ".join([*names, title])


def all_measures(program: Program) -> tuple[ComputedQuantity, ...]:
    """Return all quantities and values of a program."""
    return (*program.reasons.measures, *program.reasons.values)


def _to_members(data: Any, span: Span, remedy: str) -> list[Any]:
    """Return the members of a list, a single member as a list, or none. Raises `SceneError` for other data."""
    members = [] if isinstance(data, str) and normalize_text(data) in NONE else data
    if isinstance(members, str | int):
        members = [members]
    if not isinstance(members, list) or any(isinstance(member, dict | list) for member in members):
        raise scene_error("S0003", f"{describe_data(data)} is not allowed here", span, remedy)
    return members


def index_spellings(entries: Iterable[tuple[T, Iterable[str]]]) -> dict[str, list[T]]:
    """Map each spelling to what it may name; a name takes precedence over another's title."""
    names: dict[str, list[T]] = {}
    titles: dict[str, list[T]] = {}
    for target, (name, *others) in entries:
        names.setdefault(normalize_text(name), []).append(target)
        for other in {normalize_text(text) for text in others if text} - {normalize_text(name)}:
            titles.setdefault(other, []).append(target)
    return {**titles, **names}


def add_former_names(known: dict[str, list[T]], program: Program) -> None:
    """Add the former names of renamed definitions, except those that name something else now."""
    for old, new in program.renamed:
        if new in known:
            known.setdefault(old, known[new])
            known.setdefault(spell_name(old), known[new])


def normalize_text(text: str) -> str:
    """Return a text in lower case with single spaces."""
    return " ".join(text.casefold().split())


def is_number(text: str) -> bool:
    """Return True if a text is a whole number that rules may have."""
    return text.isdecimal() and len(text) <= MOST_DIGITS


def split_faces(text: str) -> tuple[str, str]:
    """Split `bonus die 3 6` into `bonus die` and `3 6`."""
    words = text.split()
    start = next((i for i, word in enumerate(words) if is_number(word)), len(words))
    rest = words[start:]
    return " ".join(words[:start]), " ".join(rest) if all(map(is_number, rest)) else ""


def join_or_none(names: Iterable[str]) -> str:
    """Join names with commas; `none` if there are none."""
    return ", ".join(names) or "none"


def list_names(names: Sequence[str]) -> str:
    """List the first few names in backticks."""
    return ", ".join(f"`{name}`" for name in names[:MOST_LISTED]) + (" ..." if len(names) > MOST_LISTED else "")


def describe_data(data: object) -> str:
    """Describe data for a message, such as `a list`."""
    if isinstance(data, dict | list):
        return "a list" if isinstance(data, list) else "a map"
    return f"`{data}`"


def _number_remedy(data: Any) -> str:
    """Say what to write for a number in words, or for one that is added."""
    text = str(data).strip()
    if (number := parse_number_word(text)) is not None:
        return f"`{number}`"
    if re.fullmatch(r"[+]\s*\d+", text):
        return f"how much there is in all, as in `{text.lstrip('+ ')}`"
    if text.lstrip("-").isdecimal():
        return f"a whole number of at most {MOST_DIGITS} digits"
    return "a whole number"
