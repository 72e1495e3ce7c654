"""The setup of a scene: its words resolved, its table laid, and its given values written into the state."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from edict.game.scenes.scene_facts import SceneFacts, read_facts
from edict.game.scenes.scene_files import Scene
from edict.game.scenes.scene_player import ScenePlayer
from edict.game.scenes.scene_steps import read_steps
from edict.game.scenes.scene_vocabulary import (
    SceneError,
    SceneVocabulary,
    index_spellings,
    list_names,
    normalize_text,
    scene_error,
)
from edict.game.table.addresses import StateLayout, VariableCell, cell_of
from edict.game.table.carry_over import iter_readings
from edict.game.table.game_errors import GameError
from edict.game.table.setup import check_players, check_settings, lay_table, set_course_start
from edict.runtime.program import Program, StateVariable, create_state
from edict.runtime.program import opcodes as o
from edict.runtime.program.cell_values import write_value
from edict.support.records import dataclass
from edict.support.report import Diagnostic, suggest_word
from edict.support.text import Span, to_slug

_EDGE = re.compile(r"(?:when )?(start|end) of (?:the )?([\w-]+)")
STEM_LENGTH = 4  # two words with this many letters in common are taken for forms of one
WHOLE_GAME = "game"  # the start of a scene that plays from the beginning


def prepare_scene(
    scene: Scene, program: Program, layout: StateLayout, code: Sequence[int] = ()
) -> tuple[ScenePlayer | None, list[Diagnostic]]:
    """Return a player for a scene, or None and every diagnostic."""
    errors: list[SceneError] = []
    try:
        words = SceneVocabulary(program, check_players(program, scene.players))
        state = create_state(program, len(words.players), check_settings(program, scene.data.get("settings", {})))
    except GameError as error:
        key = "settings" if "setting" in error.reason else "players"
        return None, [Diagnostic("S0005", error.reason, scene.key_place(key), help=error.remedy)]
    given = read_facts(words, scene, ("given",), scene.data.get("given", {}), expected=False)
    expected = read_facts(words, scene, ("then",), scene.data.get("then", {}), expected=True)
    try:
        steps = read_steps(words, scene, errors)
        set_start(state, scene, program, words, code)
    except SceneError as error:
        errors.append(error)
    errors = [*given.errors, *errors, *expected.errors]
    if errors:
        return None, _drop_repeated_diagnostics([error.diagnostic for error in errors])
    write_facts_into(state, given)
    _update_tallies(state, given, words)
    return ScenePlayer(scene, program, layout, words, state, steps, expected, code=code), []


def _drop_repeated_diagnostics(diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Drop repeated diagnostics; an unknown name is reported only where it first occurs."""
    unique: dict[object, Diagnostic] = {}
    for diagnostic in diagnostics:
        unique.setdefault(diagnostic.title if diagnostic.code == "S0001" else diagnostic, diagnostic)
    return list(unique.values())


def set_start(
    state: list[int], scene: Scene, program: Program, words: SceneVocabulary, code: Sequence[int] = ()
) -> None:
    """Set the program counter and `you` to the start of a scene. Raises `SceneError`."""
    name = str(scene.data.get("start", WHOLE_GAME))
    if name == WHOLE_GAME:
        set_course_start(state, program, code)
    else:
        known = dict(program.entries)
        name = find_entry(program, name)
        if name not in known:
            raise scene_error(
                "S0001", f"a scene cannot start at `{name}`", scene.place("start"), _suggest_start(name, known)
            )
        lay_table(state, program, code)
        state[o.PC] = known[name]
    set_parameters(state, scene, program, words, name)
    set_progress(state, scene, words)
    if "for" in scene.data:
        state[o.YOU] = words.find_seat(scene.data["for"], scene.place("for"))


def _suggest_start(name: str, known: Iterable[str]) -> str:
    """Suggest starts with the same or similar words."""
    candidates, edge = [WHOLE_GAME, *known], _EDGE.fullmatch(name)
    written = edge[2] if edge else name
    containing = [
        candidate for candidate in candidates if set(to_slug(written).split("-")) <= set(to_slug(candidate).split("-"))
    ]
    if edge and containing:
        return f"no rule waits for the {edge[1]} of `{written}`; scenes can start at {list_names(containing)}"
    related = _find_related_names(written, candidates)
    if related and not containing:
        return suggest_word(written, related) or f"did you mean {list_names(related)}?"
    suggestion = suggest_word(f"phase {written}" if edge else written, containing or candidates)
    return suggestion or f"a scene can start at {list_names(containing or candidates)}"


def _find_related_names(name: str, candidates: Iterable[str]) -> list[str]:
    """Return names with a word of the same stem, such as `roll-dice` for `rolling`."""
    stems = {word[:STEM_LENGTH] for word in to_slug(name).split("-")[1:] or [name] if len(word) >= STEM_LENGTH}
    return [
        candidate
        for candidate in candidates
        if stems & {word[:STEM_LENGTH] for word in to_slug(candidate).split("-")[1:]}
    ]


def set_parameters(state: list[int], scene: Scene, program: Program, words: SceneVocabulary, entry: str) -> None:
    """Write the parameters of a moment or routine into the state; all must be given by name. Raises `SceneError`."""
    parameters = {parameter.name: parameter for parameter in program.brought if parameter.entry == entry}
    given = scene.data.get("with", {})
    for name in given:
        if name not in parameters:
            remedy = suggest_word(name, parameters) or (
                f"it takes {list_names([*parameters])}" if parameters else "delete it"
            )
            raise scene_error("S0001", f"`{entry}` takes no `{name}`", scene.key_place("with", name), remedy)
    for name, parameter in parameters.items():
        if name not in given:
            example = ", ".join(
                f"{parameter_.name}: {parameter_.type.kind or 'number'}" for parameter_ in parameters.values()
            )
            place = scene.key_place("with") if given else scene.place("start")
            raise scene_error("S0003", f"`{entry}` needs `{name}`", place, f"write `with: {{{example}}}`")
        state[parameter.cell] = words.parse_value(parameter.type, given[name], scene.place("with", name))


def find_entry(program: Program, name: str) -> str:
    """Return the program's name for a start, which may be written as after `when`.

    An unknown name is returned unchanged.
    """
    known, edge = dict(program.entries), _EDGE.fullmatch(name)
    written = f"moment {edge[2]} {edge[1]}" if edge else name.removeprefix("when ")
    candidates = (
        reading
        for candidate in (written, f"moment {written}")
        for reading in iter_readings(candidate, dict(program.renamed))
    )
    return next((candidate for candidate in candidates if candidate in known), name)


def write_facts_into(state: list[int], given: SceneFacts) -> None:
    """Write given facts into the state; only its owner knows a secret, unless the scene says who does."""
    for fact in given.values:
        cell = fact.spot
        write_value(cell.variable.type, state, cell.address, fact.value)
        if cell.known >= 0:
            state[cell.known] = cell.owner_mask
    for knowledge in given.knows:
        mask = 1 << knowledge.seat
        knowers = state[knowledge.spot.known]
        state[knowledge.spot.known] = knowers | mask if knowledge.does else knowers & ~mask


def _update_tallies(state: list[int], given: SceneFacts, words: SceneVocabulary) -> None:
    """Update the public numbers of the secrets that are given."""
    for cell in iter_tally_cells(given, words):
        secrets = (words.program.variable_by_name[name] for name in cell.variable.tallies)
        state[cell.address] = sum(_count_held_things(state, secret, cell.of) for secret in secrets)


def iter_tally_cells(given: SceneFacts, words: SceneVocabulary) -> Iterator[VariableCell]:
    """Iterate over the cells that show everybody how many a given secret holds."""
    for fact in given.values:
        for tally in words.program.variables:
            if fact.spot.variable.name in tally.tallies:
                yield cell_of(tally, fact.spot.of[: len(tally.kinds)])


def _count_held_things(state: list[int], secret: StateVariable, of: tuple[int, ...]) -> int:
    """Return the number of things that a secret holds."""
    if secret.counts:
        return sum(state[cell_of(secret, (*of, index)).address] for index in range(secret.sizes[-1]))
    value = cell_of(secret, of).value(state)
    return value.bit_count() if secret.type.shape == "set" else value


# --- what is going on when it starts --------------------------------------------------------------


DURING, USED = "during", "used"
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class LimitedAbility:
    """An ability that works once in a period."""

    label: str
    phase: str
    base: int  # cell of the first player's flags
    bit: int  # bit in a player's flags that is set when it was used


def phase_cells(program: Program) -> dict[str, int]:
    """Return the cell that counts how often a phase is in progress, by phase."""
    starts = ((name.removeprefix("phase "), address) for name, address in program.entries if name.startswith("phase "))
    return {name: program.code[address + 1] for name, address in starts if program.code[address] == o.ENTER}


def list_limited_abilities(program: Program) -> list[LimitedAbility]:
    """Return the abilities that work once in a period, labelled by title or place and numbered if need be."""
    abilities: list[LimitedAbility] = []
    counts: dict[str, int] = {}
    for period in program.periods:
        for bit, number in enumerate(period.abilities):
            cause = program.causes[number]
            label = cause.title or cause.name or f"{cause.file}:{cause.line}"
            counts[label] = counts.get(label, 0) + 1
            name = label if counts[label] == 1 else f"{label} {counts[label]}"
            abilities.append(LimitedAbility(name, period.phase, period.base, bit))
    return abilities


def set_progress(state: list[int], scene: Scene, words: SceneVocabulary) -> None:
    """Write the phases in progress and the used abilities into the state. Raises `SceneError` for unknown ones."""
    cells = phase_cells(words.program)
    phases = index_spellings((name, (name, title)) for name, title in words.program.phases)
    for text, span in scene.iter_texts((DURING,), scene.data.get(DURING, [])):
        state[cells[_find_unique(phases, text, span, "phase")]] = 1
    abilities = index_spellings((ability, (ability.label,)) for ability in list_limited_abilities(words.program))
    for player, data in scene.data.get(USED, {}).items():
        seat = words.find_seat(player, scene.key_place(USED, player))
        for text, span in scene.iter_texts((USED, player), data):
            ability = _find_unique(abilities, text, span, "ability with a limited number of uses")
            state[ability.base + seat] |= 1 << ability.bit


def _find_unique(known: dict[str, list[T]], text: str, span: Span, what: str) -> T:
    """Return the only match for a text. Raise `SceneError` with a suggestion if there are none or several."""
    matches = known.get(normalize_text(text), [])
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise scene_error("S0002", f"`{text}` is ambiguous", span, "write the name instead of the title")
    remedy = suggest_word(text, known) or (f"choose one of {list_names([*known])}" if known else "delete it")
    raise scene_error("S0001", f"there is no {what} `{text}`", span, remedy)
