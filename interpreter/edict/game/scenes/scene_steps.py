"""The steps of a scene: answers, checks of questions and options, dice and draws, and facts on the way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from edict.game.scenes.scene_facts import EVERYONE, SceneFacts, read_facts
from edict.game.scenes.scene_files import Path_, Scene
from edict.game.scenes.scene_vocabulary import (
    SceneError,
    SceneVocabulary,
    describe_data,
    normalize_text,
    scene_error,
    split_faces,
)
from edict.game.table.carry_over import Renamed, iter_readings
from edict.game.table.options import Ask, Option
from edict.runtime.program.option_keys import to_stable_slug
from edict.support.morphology import join_words
from edict.support.records import dataclass
from edict.support.report import suggest_word
from edict.support.text import Span

ANSWER, CAN, ONLY, CANNOT, ASKED, ALL, DICE, DRAWN, NOW = (
    "answers",
    "can",
    "can only",
    "cannot",
    "is asked",
    EVERYONE,
    "dice",
    "drawn",
    "now",
)
ENDINGS = (ONLY, CANNOT, CAN, ASKED)


@dataclass(frozen=True, slots=True)
class SceneStep:
    """One step of a scene."""

    kind: str
    span: Span
    seat: int = -1
    texts: tuple[str, ...] = ()  # answers, options or draws
    dice: tuple[tuple[int | None, int], ...] = ()  # faces, each with the seat that rolls it (None: any)
    facts: SceneFacts | None = None


def read_steps(words: SceneVocabulary, scene: Scene, errors: list[SceneError]) -> list[SceneStep]:
    """Return the steps of a scene: its `dice` and `drawn`, then those of `play`; append mistakes to `errors`."""
    steps: list[SceneStep] = []
    for path, key, data in _iter_entries(scene):
        try:
            steps += _read_step(words, scene, path, key, data)
        except SceneError as error:
            errors.append(error)
    for step in steps:
        if step.facts is not None:
            errors += step.facts.errors
    return steps


def _iter_entries(scene: Scene) -> Iterator[tuple[Path_, str, Any]]:
    """Yield path, key and data of `dice`, `drawn` and each entry of `play`, in this order."""
    for key in (DICE, DRAWN):
        if key in scene.data:
            yield (key,), key, scene.data[key]
    play = scene.data.get("play", [])
    entry_maps = enumerate(play) if isinstance(play, list) else [(None, play)]
    for number, entries in entry_maps:
        path: Path_ = ("play",) if number is None else ("play", number)
        for key, data in entries.items():
            yield (*path, key), key, data


def _read_step(words: SceneVocabulary, scene: Scene, path: Path_, key: str, data: Any) -> Iterator[SceneStep]:
    """Yield the steps of one entry: one for each answer of a player, else a single one."""
    span, word = scene.key_place(*path), normalize_text(key)
    if word == DICE:
        yield SceneStep(DICE, span, dice=tuple(_read_dice(words, scene, path, data)))
    elif word == DRAWN:
        yield SceneStep(DRAWN, span, texts=tuple(_read_texts(scene, path, data)))
    elif word == NOW:
        yield SceneStep(NOW, span, facts=read_facts(words, scene, path, data, expected=True))
    elif word == EVERYONE:
        yield SceneStep(ALL, span, texts=tuple(_read_texts(scene, path, data)))
    elif words.is_player(key):
        seat = words.find_seat(key, span)
        yield from (SceneStep(ANSWER, span, seat, (text,)) for text in _read_texts(scene, path, data))
    else:
        yield _read_check(words, scene, path, key, data)


def _read_check(words: SceneVocabulary, scene: Scene, path: Path_, key: str, data: Any) -> SceneStep:
    """Return the step that expects a player's question or options. Raise `SceneError` for an unknown key."""
    span = scene.key_place(*path)
    for ending in ENDINGS:
        player = key[: -len(ending)].strip()
        if normalize_text(key).endswith(" " + ending) and words.is_player(player):
            return SceneStep(ending, span, words.find_seat(player, span), tuple(_read_texts(scene, path, data)))
    possible = [*words.players, *(f"{name} {end}" for name in words.players for end in ENDINGS), ALL, DICE, DRAWN, NOW]
    remedy = suggest_word(key, possible) or _describe_step_keys(words)
    raise scene_error("S0001", f"no player is named `{key}`", span, remedy)


def _describe_step_keys(words: SceneVocabulary) -> str:
    """Return a sentence for a diagnostic that lists the keys with which a step may begin."""
    return f"a step begins with a player ({join_words(words.players)}), `{ALL}`, `{DICE}`, `{DRAWN}` or `{NOW}`"


def _read_texts(scene: Scene, path: Path_, data: Any) -> list[str]:
    """Return one text, or those of a list. Raise `SceneError` for a map or list within."""
    members = data if isinstance(data, list) else [data]
    for number, member in enumerate(members):
        if isinstance(member, dict | list):
            place = scene.place(*path, number)
            raise scene_error(
                "S0003", f"{describe_data(member)} is not allowed here", place, "write a text or a number"
            )
    return [text for text, _ in scene.iter_texts(path, data)]


def _read_dice(words: SceneVocabulary, scene: Scene, path: Path_, data: Any) -> Iterator[tuple[int | None, int]]:
    """Iterate over faces in the order of the rolls, or under the name of each player who rolls."""
    if isinstance(data, dict):
        for name, faces in data.items():
            seat = words.find_seat(name, scene.key_place(*path, name))
            yield from ((seat, face) for face in _read_faces(scene, (*path, name), faces))
    else:
        yield from ((None, face) for face in _read_faces(scene, path, data))


def _read_faces(scene: Scene, path: Path_, data: Any) -> list[int]:
    """Return the faces in `3 5 1` or in nested lists of such texts. Raise `SceneError` for anything else."""
    if isinstance(data, list):
        return [face for number, part in enumerate(data) for face in _read_faces(scene, (*path, number), part)]
    name, faces = split_faces(str(data))
    if name or not faces:
        raise scene_error(
            "S0003", f"{describe_data(data)} is not a roll", scene.place(*path), "write the faces: `3 5 1`"
        )
    return [int(face) for face in faces.split()]


# --- matching ----------------------------------------------------------------------------------


def match_option(ask: Ask, text: str, renamed: Renamed | None = None) -> Option | None:
    """Return the option that a text names by key, words in any order, unique beginning or former name."""
    exact = _match_current(ask, text)
    if exact is not None or not renamed:
        return exact
    others = (_match_current(ask, reading) for reading in iter_readings(text, renamed))
    return next((option for option in others if option is not None), None)


def _match_current(ask: Ask, text: str) -> Option | None:
    """Return the option with this key, text, words in any order or unique beginning; None if no single one."""
    word = normalize_text(text)
    for is_exact in (
        lambda o: o.key == text.strip(),
        lambda o: normalize_text(o.text) == word,
        lambda o: o.key == to_stable_slug(text),
    ):
        matches = [option for option in ask.options if is_exact(option)]
        if len(matches) == 1:
            return matches[0]
    matches = [o for o in ask.options if sorted(normalize_text(o.text).split()) == sorted(word.split())]
    if len(matches) != 1:
        matches = [o for o in ask.options if normalize_text(o.text).startswith(word) or o.key.startswith(word)]
    return matches[0] if len(matches) == 1 else None


def describe_question(ask: Ask) -> str:
    """Describe a question and its options for a message."""
    return f"{ask.player} is asked `{ask.prompt}`: {join_words(option.text for option in ask.options)}"
