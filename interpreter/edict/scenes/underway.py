"""What a scene finds going on when it starts: `during` which phases it is, and what was `used` in them already."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

from edict.program import Program
from edict.program import opcodes as o
from edict.report import did_you_mean
from edict.scenes.reading import Path_, Scene
from edict.scenes.words import Words, folded, some, spellings, wrong
from edict.text import Span

DURING, USED = "during", "used"
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Once:
    """An ability that works once in a period. Cell base + i, bit `bit` says whether player i has used it."""

    label: str
    phase: str
    base: int
    bit: int


def phase_cells(program: Program) -> dict[str, int]:
    """For each phase the cell that says how often it is being played: its first instruction names it."""
    starts = ((name.removeprefix("phase "), at) for name, at in program.entries if name.startswith("phase "))
    return {name: program.code[at + 1] for name, at in starts if program.code[at] == o.ENTER}


def limited(program: Program) -> list[Once]:
    """What works once in a while: by the title of what has the ability, or by file and line; numbered if need be."""
    found: list[Once] = []
    often: dict[str, int] = {}
    for period in program.periods:
        for bit, number in enumerate(period.abilities):
            cause = program.causes[number]
            label = cause.title or cause.name or f"{cause.file}:{cause.line}"
            often[label] = often.get(label, 0) + 1
            told = label if often[label] == 1 else f"{label} {often[label]}"
            found.append(Once(told, period.phase, period.base, bit))
    return found


def under_way(state: list[int], scene: Scene, words: Words) -> None:
    """Write both into the state. Raises `SceneError` for what is not there."""
    cells = phase_cells(words.program)
    known = spellings((name, (name, title)) for name, title in words.program.phases)
    for text, span in _texts(scene, (DURING,), scene.data.get(DURING, [])):
        state[cells[_found(known, text, span, "phase")]] = 1
    abilities = spellings((one, (one.label,)) for one in limited(words.program))
    for player, data in scene.data.get(USED, {}).items():
        seat = words.seat(player, scene.key(USED, player))
        for text, span in _texts(scene, (USED, player), data):
            one = _found(abilities, text, span, "ability with a limited number of uses")
            state[one.base + seat] |= 1 << one.bit


def _texts(scene: Scene, path: Path_, data: str | list[str]) -> Iterator[tuple[str, Span]]:
    if isinstance(data, str):
        yield data, scene.place(*path)
    else:
        yield from ((text, scene.place(*path, number)) for number, text in enumerate(data))


def _found(known: dict[str, list[T]], text: str, span: Span, what: str) -> T:
    found = known.get(folded(text), [])
    if len(found) == 1:
        return found[0]
    if found:
        raise wrong("S0002", f"`{text}` is ambiguous", span, "write the name instead of the title")
    remedy = did_you_mean(text, known) or (f"there are {some([*known])}" if known else "delete it")
    raise wrong("S0001", f"there is no {what} `{text}`", span, remedy)
