"""A scene made ready: its words understood, its table laid, what is given and going on written into the state."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from edict.game.scenes.scene_facts import PlaceFacts, read_facts
from edict.game.scenes.scene_files import Scene
from edict.game.scenes.scene_player import ScenePlayer
from edict.game.scenes.scene_steps import read_steps
from edict.game.scenes.scene_vocabulary import SceneError, SceneVocabulary, folded, some, spellings, wrong
from edict.game.table.addresses import Cell, Layout, cell_of
from edict.game.table.carry_over import readings
from edict.game.table.game_errors import GameError
from edict.game.table.setup import begin_laid, checked_players, checked_settings, lay_table
from edict.runtime.program import Program, Variable
from edict.runtime.program import opcodes as o
from edict.runtime.program.beginning import first_state
from edict.runtime.program.cells import put
from edict.support.report import Diagnostic, did_you_mean
from edict.support.text import Span, slug

_EDGE = re.compile(r"(?:when )?(start|end) of (?:the )?([\w-]+)")
STEM = 4  # letters with which two words begin that are likely forms of one
WHOLE = "game"  # where a scene starts that plays from the beginning


def prepare(
    scene: Scene, program: Program, layout: Layout, code: Sequence[int] = ()
) -> tuple[ScenePlayer | None, list[Diagnostic]]:
    """The stage for a scene, or everything in it that cannot be understood."""
    found: list[SceneError] = []
    try:
        words = SceneVocabulary(program, checked_players(program, scene.players))
        state = first_state(program, len(words.players), checked_settings(program, scene.data.get("settings", {})))
    except GameError as error:
        key = "settings" if "setting" in error.reason else "players"
        return None, [Diagnostic("S0005", error.reason, scene.key(key), help=error.remedy)]
    given = read_facts(words, scene, ("given",), scene.data.get("given", {}), expected=False)
    then = read_facts(words, scene, ("then",), scene.data.get("then", {}), expected=True)
    try:
        steps = read_steps(words, scene, found)
        begin(state, scene, program, words, code)
    except SceneError as error:
        found.append(error)
    found = [*given.found, *found, *then.found]
    if found:
        return None, _once([error.diagnostic for error in found])
    lay_out(state, given)
    _recount(state, given, words)
    return ScenePlayer(scene, program, layout, words, state, steps, then, code=code), []


def _once(found: Sequence[Diagnostic]) -> list[Diagnostic]:
    """A name that nobody knows is reported where it first stands, however often it is used."""
    kept: dict[object, Diagnostic] = {}
    for one in found:
        kept.setdefault(one.title if one.code == "S0001" else one, one)
    return list(kept.values())


def begin(state: list[int], scene: Scene, program: Program, words: SceneVocabulary, code: Sequence[int] = ()) -> None:
    """Where the machine starts, and who `you` is."""
    name = str(scene.data.get("start", WHOLE))
    if name == WHOLE:
        begin_laid(state, program, code)
    else:
        known = dict(program.entries)
        name = entry_of(program, name)
        if name not in known:
            raise wrong("S0001", f"a scene cannot start at `{name}`", scene.place("start"), _elsewhere(name, known))
        lay_table(state, program, code)
        state[o.PC] = known[name]
    bring(state, scene, program, words, name)
    under_way(state, scene, words)
    if "for" in scene.data:
        state[o.YOU] = words.seat(scene.data["for"], scene.place("for"))


def _elsewhere(name: str, known: Iterable[str]) -> str:
    """Where else a scene can start that has the same words, or nearly the same."""
    among, edge = [WHOLE, *known], _EDGE.fullmatch(name)
    said = edge[2] if edge else name
    holding = [one for one in among if set(slug(said).split("-")) <= set(slug(one).split("-"))]
    if edge and holding:
        return f"no rule waits for the {edge[1]} of `{said}`; a scene can start at {some(holding)}"
    akin = _akin(said, among)
    if akin and not holding:
        return did_you_mean(said, akin) or f"did you mean {some(akin)}?"
    near = did_you_mean(f"phase {said}" if edge else said, holding or among)
    return near or f"a scene can start at {some(holding or among)}"


def _akin(said: str, among: Iterable[str]) -> list[str]:
    """Those with a word that begins as one of these does: `roll-dice` for `rolling`."""
    stems = {word[:STEM] for word in slug(said).split("-")[1:] or [said] if len(word) >= STEM}
    return [one for one in among if stems & {word[:STEM] for word in slug(one).split("-")[1:]}]


def bring(state: list[int], scene: Scene, program: Program, words: SceneVocabulary, entry: str) -> None:
    """The values that come along with a moment or a routine: all of them, by their names."""
    wanted = {one.name: one for one in program.brought if one.entry == entry}
    given = scene.data.get("with", {})
    for name in given:
        if name not in wanted:
            remedy = did_you_mean(name, wanted) or (f"it takes {some([*wanted])}" if wanted else "delete it")
            raise wrong("S0001", f"`{entry}` takes no `{name}`", scene.key("with", name), remedy)
    for name, one in wanted.items():
        if name not in given:
            example = ", ".join(f"{other.name}: {other.type.kind or 'number'}" for other in wanted.values())
            place = scene.key("with") if given else scene.place("start")
            raise wrong("S0003", f"`{entry}` needs `{name}`", place, f"write `with: {{{example}}}`")
        state[one.cell] = words.value(one.type, given[name], scene.place("with", name))


def entry_of(program: Program, name: str) -> str:
    """Where a scene starts, as the program calls it, or as `when` does; what nothing is called so stays as it is."""
    known, edge = dict(program.entries), _EDGE.fullmatch(name)
    written = f"moment {edge[2]} {edge[1]}" if edge else name.removeprefix("when ")
    ways = (reading for way in (written, f"moment {written}") for reading in readings(way, dict(program.renamed)))
    return next((way for way in ways if way in known), name)


def lay_out(state: list[int], given: PlaceFacts) -> None:
    """Write what is given into the state; of a secret only its owner knows, unless the scene says who does."""
    for fact in given.values:
        spot = fact.spot
        put(spot.variable.type, state, spot.address, fact.value)
        if spot.known >= 0:
            state[spot.known] = spot.owner_mask
    for known in given.knows:
        mask = 1 << known.seat
        old = state[known.spot.known]
        state[known.spot.known] = old | mask if known.does else old & ~mask


def _recount(state: list[int], given: PlaceFacts, words: SceneVocabulary) -> None:
    """Where everybody may know how many a secret holds, they know how many are given."""
    for spot in counts_of(given, words):
        secrets = (words.program.variable_by_name[name] for name in spot.variable.tallies)
        state[spot.address] = sum(_held(state, secret, spot.of) for secret in secrets)


def counts_of(given: PlaceFacts, words: SceneVocabulary) -> Iterator[Cell]:
    """Where everybody sees how many are held of a secret that is given."""
    for fact in given.values:
        for count in words.program.variables:
            if fact.spot.variable.name in count.tallies:
                yield cell_of(count, fact.spot.of[: len(count.kinds)])


def _held(state: list[int], secret: Variable, of: tuple[int, ...]) -> int:
    """Return how many a secret holds."""
    if secret.counts:
        return sum(state[cell_of(secret, (*of, index)).address] for index in range(secret.sizes[-1]))
    value = cell_of(secret, of).value(state)
    return value.bit_count() if secret.type.shape == "set" else value


# --- what is going on when it starts --------------------------------------------------------------


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


def under_way(state: list[int], scene: Scene, words: SceneVocabulary) -> None:
    """Write both into the state. Raises `SceneError` for what is not there."""
    cells = phase_cells(words.program)
    known = spellings((name, (name, title)) for name, title in words.program.phases)
    for text, span in scene.texts((DURING,), scene.data.get(DURING, [])):
        state[cells[_found(known, text, span, "phase")]] = 1
    abilities = spellings((one, (one.label,)) for one in limited(words.program))
    for player, data in scene.data.get(USED, {}).items():
        seat = words.seat(player, scene.key(USED, player))
        for text, span in scene.texts((USED, player), data):
            one = _found(abilities, text, span, "ability with a limited number of uses")
            state[one.base + seat] |= 1 << one.bit


def _found(known: dict[str, list[T]], text: str, span: Span, what: str) -> T:
    found = known.get(folded(text), [])
    if len(found) == 1:
        return found[0]
    if found:
        raise wrong("S0002", f"`{text}` is ambiguous", span, "write the name instead of the title")
    remedy = did_you_mean(text, known) or (f"there are {some([*known])}" if known else "delete it")
    raise wrong("S0001", f"there is no {what} `{text}`", span, remedy)
