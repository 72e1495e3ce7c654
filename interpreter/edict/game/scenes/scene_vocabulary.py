"""The words of scenes: what people call variables, things, players and values, as the machine's numbers and back.

Names and titles both count, in any case: `point` or `VP`, `guard-tower` or `Guard Tower`. A word nobody knows
is a diagnostic with its place and the nearest known one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, TypeVar

from edict.compiler.sources.input_limits import MEMBERS, MOST_DIGITS
from edict.game.table.addresses import PLAYER, Cell, sizes_for
from edict.game.table.wording import NUMBER, Wording
from edict.runtime.program import Program, Type, Variable
from edict.runtime.program.cells import in_order, ordered
from edict.runtime.program.opcodes import BITS
from edict.runtime.program.reasons import Measure
from edict.support.morphology import NUMBER_WORDS, join_words, spell_name, split_title
from edict.support.report import Diagnostic, did_you_mean
from edict.support.text import Span

NONE = ("none", "nobody", "nothing")
TRUTHS = {"yes": 1, "on": 1, "no": 0, "off": 0}
T = TypeVar("T")
SHOWN = 8  # at most so many names in a remedy


class SceneError(Exception):
    """A scene that cannot be played as it is written."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        self.diagnostic = diagnostic
        super().__init__(diagnostic.title)


def wrong(code: str, title: str, span: Span, remedy: str) -> SceneError:
    return SceneError(Diagnostic(code, title, span, help=remedy))


class SceneVocabulary:
    """Looks up what a scene names, for one program and its players."""

    def __init__(self, program: Program, players: Sequence[str]) -> None:
        self.program = program
        self.players = tuple(players)
        self.renamed = dict(program.renamed)
        self.wording = Wording(program, players)
        self._variables = spellings(
            (variable, (variable.name, variable.title, *split_title(variable.title, variable.plural)))
            for variable in program.variables
        )
        with_former(self._variables, program)
        self._measures = spellings((one, (one.name, one.title, *split_title(one.title))) for one in worked_out(program))
        with_former(self._measures, program)
        self._things: dict[str, dict[str, list[int]]] = {}

    # --- names

    def seat(self, text: object, span: Span) -> int:
        """The seat of a player."""
        return self.thing(PLAYER, text, span)

    def is_player(self, text: str) -> bool:
        return folded(text) in self._known(PLAYER)

    def variable(self, text: str, span: Span, also: Iterable[str] = ()) -> Variable:
        """A `keep` or `resource` by its name or title; `also` are other words that could stand here."""
        found = self._variables.get(folded(text), [])
        if len(found) == 1:
            return found[0]
        if found:
            either = join_words(f"`{v.name}`" for v in found)
            raise wrong("S0002", f"`{text}` may mean {either}", span, "write one of these names")
        known = [v.name for v in self.program.variables] + [v.title for v in self.program.variables if v.title]
        near = did_you_mean(text, [*known, *self.players, *also])
        remedy = self._colon(text) or near or self._known_here(text, known)
        raise wrong("S0001", f"nothing is named `{text}`", span, remedy)

    def _colon(self, text: str) -> str:
        """What to write where a name and its number are not apart."""
        head, _, number = text.rpartition(" ")
        missing = is_number(number) and folded(head) in self._variables
        return f"a colon is missing: write `{head}: {number}`" if missing else ""

    def _known_here(self, text: str, known: Sequence[str]) -> str:
        """What could have been written in place of a name; with a capital it is rather a player's."""
        playing = f"the players are {join_words(self.players)}; " if text[:1].isupper() else ""
        return f"{playing}the names known here are {some(known)}"

    def measure(self, text: str) -> Measure | None:
        """A quantity or value by its name or title, unless something that is kept is called so."""
        found = self._measures.get(folded(text), [])
        return found[0] if len(found) == 1 and not self.variables(text) else None

    @cached_property
    def measures(self) -> tuple[str, ...]:
        """The names and titles of quantities and values."""
        return tuple(text for one in worked_out(self.program) for text in (one.name, one.title) if text)

    def type_of(self, what: Variable | Measure) -> Type:
        """What is kept, or worked out."""
        if isinstance(what, Variable):
            return what.type
        return self.program.queries[what.query].type if what.query >= 0 else Type("number")

    def variables(self, text: str) -> list[Variable]:
        """Whatever a text may mean."""
        return self._variables.get(folded(text), [])

    def thing(self, kind: str, text: object, span: Span) -> int:
        """A thing of a kind by its name or title, or a number."""
        if kind == NUMBER and is_number(str(text)):
            return int(str(text))
        known = self._known(kind)
        found = known.get(folded(str(text)), [])
        if len(found) == 1:
            return found[0]
        title = split_title(self.wording.kind_title(kind))[0]
        if found:
            either = join_words(f"`{self.wording.things(kind)[i].name}`" for i in found)
            raise wrong("S0002", f"several are called `{text}`", span, f"write one of {either}")
        names = [t.name if kind != PLAYER else t.title for t in self.wording.things(kind)]
        near = did_you_mean(str(text), [*names, *(t.title for t in self.wording.things(kind))])
        raise wrong("S0001", f"there is no {title} `{text}`", span, near or f"there are {some(names)}")

    def things(self, kind: str, text: str) -> list[int]:
        """Whatever things of a kind a text may mean."""
        return [int(text)] if kind == NUMBER and is_number(text) else self._known(kind).get(folded(text), [])

    def _known(self, kind: str) -> dict[str, list[int]]:
        if kind not in self._things:
            things = enumerate(self.wording.things(kind))
            self._things[kind] = spellings((i, (t.name, t.title, t.plural, f"{t.title}/{t.plural}")) for i, t in things)
            with_former(self._things[kind], self.program)
        return self._things[kind]

    def in_range(self, variable: Variable, of: Sequence[int]) -> bool:
        """Whether there is such a cell with these players."""
        sizes = sizes_for(variable, len(self.players))
        return len(of) == len(sizes) and all(0 <= i < size for i, size in zip(of, sizes, strict=True))

    # --- values

    def value(self, type_: Type, data: Any, span: Span) -> int:
        """A value written in a scene as the machine's number. Raises `SceneError`."""
        if type_.shape == "thing":
            return self._one(type_, data, span)
        if type_.shape == "bag":
            return sum(many << BITS * i for i, many in enumerate(self.counts(type_.kind, data, span)))
        if type_.shape in ("set", "order", "dice"):
            return self._many(type_, data, span)
        if type_.shape == "truth" and folded(str(data)) in TRUTHS:
            return TRUTHS[folded(str(data))]
        if type_.shape == "number" and isinstance(data, int):
            return data
        wanted = "`yes` or `no`" if type_.shape == "truth" else _number_meant(data)
        raise wrong("S0003", f"{described(data)} is not allowed here", span, f"write {wanted}")

    def counts(self, kind: str, data: Any, span: Span) -> list[int]:
        """How many of each thing of a kind are in a bag. Raises `SceneError`."""
        found = [0] * len(self.wording.things(kind))
        for thing, many in self._counted(data, span):
            if isinstance(many, bool) or not isinstance(many, int) or many < 0:
                raise wrong("S0003", f"{described(many)} is not allowed here", span, "write how many there are")
            found[self.thing(kind, thing, span)] += many
        return found

    def _counted(self, data: Any, span: Span) -> list[tuple[Any, Any]]:
        if isinstance(data, dict):
            return [*data.items()]
        members = _members(data, span, "write `{NAME: 2}`, or a list")
        return [(member, 1) for member in members]

    def _one(self, type_: Type, data: Any, span: Span) -> int:
        if folded(str(data)) in NONE:
            return -1
        if isinstance(data, dict | list):
            raise wrong("S0003", f"{described(data)} is not allowed here", span, f"name one {type_.kind}")
        return self.thing(type_.kind, data, span)

    def _many(self, type_: Type, data: Any, span: Span) -> int:
        members = _members(data, span, "write a list in `[` and `]`")
        if type_.shape == "dice":
            return sum(1 << self.program.dice.place(field) for m in members for field in self._fields(m, span))
        things = [self.thing(type_.kind, m, span) for m in members]
        twice = [str(m) for m, often in Counter(map(str, members)).items() if often > 1]
        if twice:
            raise wrong("S0003", f"`{twice[0]}` is in the list twice", span, "write it once")
        beyond = next((i for i in things if i >= MEMBERS and type_.kind == NUMBER), None)
        if beyond is not None:
            raise wrong("S0003", f"`{beyond}` is too large for a set", span, f"a set has numbers up to {MEMBERS - 1}")
        if type_.shape == "set":
            return sum(1 << i for i in things)
        return in_order(type_, things)

    def _fields(self, member: object, span: Span) -> list[int]:
        """The fields of dice written as `3`, `bonus die 6` or `3 5 5`: a kind of die, then faces."""
        *name, faces = split_faces(str(member))
        for die, title, sides, first in self.program.dice.kinds:
            if (not name[0] or folded(name[0]) in {folded(t) for t in (die, title, *split_title(title))}) and faces:
                shown = [int(face) for face in faces.split()]
                if all(1 <= face <= sides for face in shown):
                    return [first + face - 1 for face in shown]
        kinds = some([title for _, title, _, _ in self.program.dice.kinds])
        raise wrong("S0003", f"`{member}` is not a die", span, f"write its face, after its name if not {kinds}")

    # --- back into words

    def text(self, type_: Type, value: int) -> str:
        """A value as a scene would write it."""
        if type_.shape == "thing":
            return self.named(type_.kind, value)
        if type_.shape == "set":
            return listed_or_none(self.named(type_.kind, i) for i in range(value.bit_length()) if value >> i & 1)
        if type_.shape == "order":
            return listed_or_none(self.named(type_.kind, i) for i in ordered(value))
        return self.wording.value(type_, value)

    def named(self, kind: str, index: int) -> str:
        """A thing's title, or its name where others have the same title."""
        thing = self.wording.thing(kind, index)
        if thing is None:
            return str(index) if kind == NUMBER else "none"
        shared = len(self._known(kind).get(folded(thing.title), [])) > 1
        return thing.name if shared or not thing.title else thing.title

    def label(self, spot: Cell) -> str:
        """What a cell is called: `Ann, gold`."""
        return self.labelled(spot.variable, spot.of)

    def labelled(self, what: Variable | Measure, of: Sequence[int]) -> str:
        """What a variable or quantity of some things is called."""
        title = split_title(what.title or what.name)[0]
        names = (self.named(kind, i) for kind, i in zip(what.kinds, of, strict=True))
        return ", ".join([*names, title])


def worked_out(program: Program) -> tuple[Measure, ...]:
    """All quantities and values."""
    return (*program.reasons.measures, *program.reasons.values)


def _members(data: Any, span: Span, remedy: str) -> list[Any]:
    """One member, those of a list, or none. Raises `SceneError` for anything else."""
    members = [] if isinstance(data, str) and folded(data) in NONE else data
    if isinstance(members, str | int):
        members = [members]
    if not isinstance(members, list) or any(isinstance(member, dict | list) for member in members):
        raise wrong("S0003", f"{described(data)} is not allowed here", span, remedy)
    return members


def spellings(named: Iterable[tuple[T, Iterable[str]]]) -> dict[str, list[T]]:
    """What each spelling may mean; a name goes before the same word as another's title."""
    names: dict[str, list[T]] = {}
    titles: dict[str, list[T]] = {}
    for meant, (name, *others) in named:
        names.setdefault(folded(name), []).append(meant)
        for other in {folded(text) for text in others if text} - {folded(name)}:
            titles.setdefault(other, []).append(meant)
    return {**titles, **names}


def with_former(known: dict[str, list[T]], program: Program) -> None:
    """What was called otherwise before can still be called so, unless something else is called so now."""
    for old, new in program.renamed:
        if new in known:
            known.setdefault(old, known[new])
            known.setdefault(spell_name(old), known[new])


def folded(text: str) -> str:
    """A text without what should make no difference: case and space."""
    return " ".join(text.casefold().split())


def is_number(text: str) -> bool:
    """Whether it is a whole number as rules may have them: of a few digits."""
    return text.isdecimal() and len(text) <= MOST_DIGITS


def split_faces(text: str) -> tuple[str, str]:
    """`bonus die 3 6` is `bonus die` and `3 6`."""
    words = text.split()
    start = next((i for i, word in enumerate(words) if is_number(word)), len(words))
    rest = words[start:]
    return " ".join(words[:start]), " ".join(rest) if all(map(is_number, rest)) else ""


def listed_or_none(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


def some(names: Sequence[str]) -> str:
    """A few of the names."""
    return ", ".join(f"`{name}`" for name in names[:SHOWN]) + (" ..." if len(names) > SHOWN else "")


def described(data: object) -> str:
    if isinstance(data, dict | list):
        return "a list" if isinstance(data, list) else "a map"
    return f"`{data}`"


def _number_meant(data: Any) -> str:
    """What to write for a number in words, or one that is added to what was there."""
    text = str(data).strip()
    if text.casefold() in NUMBER_WORDS:
        return f"`{NUMBER_WORDS.index(text.casefold())}`"
    if re.fullmatch(r"[+]\s*\d+", text):
        return f"how much there is in all, as in `{text.lstrip('+ ')}`"
    return f"a whole number of at most {MOST_DIGITS} digits" if text.lstrip("-").isdecimal() else "a whole number"
