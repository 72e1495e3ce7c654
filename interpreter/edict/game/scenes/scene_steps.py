"""What is done in a scene, step by step: answers, what is asked and offered, dice and draws, facts on the way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from edict.game.scenes.scene_facts import EVERYONE, PlaceFacts, read_facts
from edict.game.scenes.scene_files import Path_, Scene
from edict.game.scenes.scene_vocabulary import SceneError, SceneVocabulary, described, folded, split_faces, wrong
from edict.game.table.carry_over import Renamed, readings
from edict.game.table.options import Ask, Option
from edict.runtime.program.option_keys import slug
from edict.support.morphology import join_words
from edict.support.report import did_you_mean
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
    """One step. `texts` are answers, options or draws; `dice` faces by seat (None: whoever rolls)."""

    kind: str
    span: Span
    seat: int = -1
    texts: tuple[str, ...] = ()
    dice: tuple[tuple[int | None, int], ...] = ()
    facts: PlaceFacts | None = None


def read_steps(words: SceneVocabulary, scene: Scene, found: list[SceneError]) -> list[SceneStep]:
    """The steps of a scene: its `dice` and `drawn`, then those of `play`; mistakes are added to `found`."""
    steps: list[SceneStep] = []
    for path, key, data in _entries(scene):
        try:
            steps += _step(words, scene, path, key, data)
        except SceneError as error:
            found.append(error)
    for step in steps:
        if step.facts is not None:
            found += step.facts.found
    return steps


def _entries(scene: Scene) -> Iterator[tuple[Path_, str, Any]]:
    for key in (DICE, DRAWN):
        if key in scene.data:
            yield (key,), key, scene.data[key]
    play = scene.data.get("play", [])
    pages = enumerate(play) if isinstance(play, list) else [(None, play)]
    for number, entries in pages:
        path: Path_ = ("play",) if number is None else ("play", number)
        for key, data in entries.items():
            yield (*path, key), key, data


def _step(words: SceneVocabulary, scene: Scene, path: Path_, key: str, data: Any) -> Iterator[SceneStep]:
    span, word = scene.key(*path), folded(key)
    if word == DICE:
        yield SceneStep(DICE, span, dice=tuple(_dice(words, scene, path, data)))
    elif word == DRAWN:
        yield SceneStep(DRAWN, span, texts=tuple(_texts(scene, path, data)))
    elif word == NOW:
        yield SceneStep(NOW, span, facts=read_facts(words, scene, path, data, expected=True))
    elif word == EVERYONE:
        yield SceneStep(ALL, span, texts=tuple(_texts(scene, path, data)))
    elif words.is_player(key):
        seat = words.seat(key, span)
        yield from (SceneStep(ANSWER, span, seat, (text,)) for text in _texts(scene, path, data))
    else:
        yield _check(words, scene, path, key, data)


def _check(words: SceneVocabulary, scene: Scene, path: Path_, key: str, data: Any) -> SceneStep:
    span = scene.key(*path)
    for ending in ENDINGS:
        player = key[: -len(ending)].strip()
        if folded(key).endswith(" " + ending) and words.is_player(player):
            return SceneStep(ending, span, words.seat(player, span), tuple(_texts(scene, path, data)))
    possible = [*words.players, *(f"{name} {end}" for name in words.players for end in ENDINGS), ALL, DICE, DRAWN, NOW]
    remedy = did_you_mean(key, possible) or _beginnings(words)
    raise wrong("S0001", f"nobody here is named `{key}`", span, remedy)


def _beginnings(words: SceneVocabulary) -> str:
    return f"a step begins with a player ({join_words(words.players)}), `{ALL}`, `{DICE}`, `{DRAWN}` or `{NOW}`"


def _texts(scene: Scene, path: Path_, data: Any) -> list[str]:
    members = data if isinstance(data, list) else [data]
    for number, member in enumerate(members):
        if isinstance(member, dict | list):
            place = scene.place(*path, number)
            raise wrong("S0003", f"{described(member)} is not allowed here", place, "write a text or a number")
    return [text for text, _ in scene.texts(path, data)]


def _dice(words: SceneVocabulary, scene: Scene, path: Path_, data: Any) -> Iterator[tuple[int | None, int]]:
    """Faces in the order they are rolled, or under the name of each who rolls them."""
    if isinstance(data, dict):
        for name, faces in data.items():
            seat = words.seat(name, scene.key(*path, name))
            yield from ((seat, face) for face in _faces(scene, (*path, name), faces))
    else:
        yield from ((None, face) for face in _faces(scene, path, data))


def _faces(scene: Scene, path: Path_, data: Any) -> list[int]:
    if isinstance(data, list):
        return [face for number, part in enumerate(data) for face in _faces(scene, (*path, number), part)]
    name, faces = split_faces(str(data))
    if name or not faces:
        raise wrong("S0003", f"{described(data)} is not a roll", scene.place(*path), "write the faces: `3 5 1`")
    return [int(face) for face in faces.split()]


# --- matching ----------------------------------------------------------------------------------


def match(ask: Ask, text: str, renamed: Renamed | None = None) -> Option | None:
    """The option meant: by key, by its words in any order, or the only one that begins so; or by what it was called
    before. Else None."""
    exact = _matching(ask, text)
    if exact is not None or not renamed:
        return exact
    others = (_matching(ask, reading) for reading in readings(text, renamed))
    return next((option for option in others if option is not None), None)


def _matching(ask: Ask, text: str) -> Option | None:
    word = folded(text)
    for exact in (lambda o: o.key == text.strip(), lambda o: folded(o.text) == word, lambda o: o.key == slug(text)):
        found = [option for option in ask.options if exact(option)]
        if len(found) == 1:
            return found[0]
    found = [o for o in ask.options if sorted(folded(o.text).split()) == sorted(word.split())]
    if len(found) != 1:
        found = [o for o in ask.options if folded(o.text).startswith(word) or o.key.startswith(word)]
    return found[0] if len(found) == 1 else None


def offered(ask: Ask) -> str:
    """What is asked and offered, for a message."""
    return f"{ask.player} is asked `{ask.prompt}`: {join_words(option.text for option in ask.options)}"
