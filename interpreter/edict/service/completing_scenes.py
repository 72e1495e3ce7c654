"""What a scene can say at a place: players, keeps and things of its game, and what that would really ask there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from edict.program import Type, Variable
from edict.program.reasons import Measure
from edict.scenes.scene_facts import EVERYONE, KNOWS, KNOWS_NOT, READS, READS_NOT, SPECIAL
from edict.scenes.scene_setup import WHOLE, entry_of, limited
from edict.scenes.scene_steps import DICE, DRAWN, ENDINGS, NOW
from edict.scenes.scene_vocabulary import Words
from edict.service.scene_questions import Asked, OpenScene, Way, asked, scene_around
from edict.service.answer_types import Item
from edict.service.workspace import Workspace
from edict.service.yaml_places import Place
from edict.table.addresses import PLAYER
from edict.table.wording import forms

FACTS = ("given", "then")


def scene_items(space: Workspace, path: Path, place: Place) -> Iterator[Item]:
    """What the scene's game has for a place within a scene; nothing while its rules cannot be played."""
    there = scene_around(space, path, place.path, place.written)
    if there is None:
        return
    work, way = _Scene(there, place), place.path[2:]
    if way[:1] == ("play",) and len(way) > 1:
        yield from work.step(way[1:])
    elif way and way[0] in FACTS:
        yield from work.facts(way[1:], way[0] == "then")
    elif way:
        yield from work.part(str(way[0]), way[1:])


@dataclass(frozen=True)
class _Scene:
    """A scene whose game is known; `place` is what is being written in it."""

    open: OpenScene
    place: Place

    @property
    def words(self) -> Words:
        return self.open.words

    # --- parts of a scene

    def part(self, key: str, way: Way) -> Iterator[Item]:
        """`start`, `for`, `with`, `during`, `used`, `settings`."""
        program, is_key = self.words.program, self.place.is_key
        if key == "start" and not is_key:
            yield from (Item(name, "phase", rank=1) for name in (WHOLE, *(name for name, _ in program.entries)))
        elif key == "for" or key == "used" and is_key:
            yield from self.players()
        elif key == "with":
            yield from self.brought(way)
        elif key == "during":
            yield from (Item(title, "phase", name, rank=1) for name, title in program.phases if title)
        elif key == "used":
            yield from (Item(one.label, "thing", rank=1) for one in limited(program))
        elif key == "settings" and is_key:
            yield from (Item(one.name, "setting", one.title, rank=1) for one in program.settings)
        elif key == "settings":
            yield from (Item(word, "builtin", rank=1) for word in ("on", "off"))

    def brought(self, way: Way) -> Iterator[Item]:
        """The names of what comes along where the scene starts, or the values of one of them."""
        program = self.words.program
        entry = entry_of(program, str(self.open.scene.data.get("start", "")))
        found = {one.name: one for one in program.brought if one.entry == entry}
        if self.place.is_key:
            yield from (Item(name, "value", one.type.kind or "number", rank=1) for name, one in found.items())
        elif way and str(way[0]) in found:
            yield from self.values(found[str(way[0])].type)

    def players(self) -> Iterator[Item]:
        yield from (Item(name, "player", rank=1) for name in self.words.players)

    # --- facts

    def facts(self, way: Way, expected: bool) -> Iterator[Item]:
        """What is so, before or after: of the table, of a player, of a thing."""
        if self.place.is_key and not way:
            yield from self.players()
            yield Item(EVERYONE, "player", rank=1)
            yield from (_named(one) for one in self.known(expected) if PLAYER not in one.kinds[:1])
            yield from (Item(word, "keyword", rank=3) for word in (SPECIAL if expected else ()))
            endings = (KNOWS, KNOWS_NOT, *((READS, READS_NOT) if expected else ()))
            yield from (Item(f"{name}{end}", "keyword", rank=5) for name in self.words.players for end in endings)
            return
        names = [str(part) for part in way if not isinstance(part, int)]
        of_player = bool(names) and (names[0] == EVERYONE or self.words.is_player(names[0]))
        if of_player and len(names) == 1:
            if self.place.is_key:
                yield from (_named(one) for one in self.known(expected) if PLAYER in one.kinds)
            return
        yield from self.of_variable(names[1:] if of_player else names, of_player)

    def known(self, expected: bool) -> Iterator[Variable | Measure]:
        """What can be given, and what can be expected besides."""
        yield from self.words.program.variables
        yield from self.words.program.reasons.measures if expected else ()

    def of_variable(self, names: list[str], of_player: bool) -> Iterator[Item]:
        """The things a variable is kept for, then its values."""
        found: list[Variable | Measure] = [*self.words.variables(names[0])] if names else []
        measure = self.words.measure(names[0]) if names else None
        found += [measure] if measure is not None else []
        if len(found) != 1:
            return
        kinds = list(found[0].kinds)
        if of_player and PLAYER in kinds:
            kinds.remove(PLAYER)
        given = len(names) - 1
        if given < len(kinds):
            yield from self.things(kinds[given]) if self.place.is_key else ()
        elif not self.place.is_key and isinstance(found[0], Variable):
            yield from self.values(found[0].type)

    def values(self, of: Type) -> Iterator[Item]:
        if of.shape == "truth":
            yield from (Item(word, "builtin", rank=1) for word in ("yes", "no"))
        elif of.shape in ("thing", "set", "order"):
            yield from self.things(of.kind)
            yield from [Item("none", "builtin", rank=2)] if of.optional else []

    def things(self, kind: str) -> Iterator[Item]:
        if kind == PLAYER:
            yield from self.players()
            return
        for number, one in enumerate(self.words.wording.things(kind)):
            yield Item(self.words.named(kind, number), "thing", one.name, rank=1)

    # --- steps

    def step(self, way: Way) -> Iterator[Item]:
        """A line of `play`: who does something, or what the question they are asked can be answered with."""
        if len(way) > 1 and way[1] == NOW:
            yield from self.facts(way[2:], True)
            return
        now = asked(self.open, self.place.path)
        if len(way) == 1:
            yield from self.keys(now) if self.place.is_key else ()
        elif not self.place.is_key and now is not None:
            yield from _answers(now, str(way[1]))

    def keys(self, now: Asked | None) -> Iterator[Item]:
        """Who can be named; whoever is asked comes first, with the question."""
        for name in self.words.players:
            mine = now is not None and now.player == name
            yield Item(name, "player", now.prompt if mine and now else "", rank=1 if mine else 3)
            for ending in ENDINGS:
                yield Item(f"{name} {ending}", "keyword", rank=2 if mine else 5)
        chance = now.key if now is not None and not now.player else ""
        for word in (EVERYONE, DICE, DRAWN, NOW):
            yield Item(word, "keyword", now.prompt if now and word == chance else "", rank=1 if word == chance else 4)


def _answers(now: Asked, key: str) -> Iterator[Item]:
    if key.endswith(" is asked"):
        yield Item(now.prompt, "text", rank=1)
    elif (key == now.key) if not now.player else (key == EVERYONE or key.startswith(now.player)):
        yield from (Item(text, "answer", now.prompt, words, rank=1) for text, words in now.options)


def _named(one: Variable | Measure) -> Item:
    title = forms(one.title)[0] if one.title else ""
    sort = "keep" if isinstance(one, Variable) else "quantity"
    return Item(one.name, sort, title if title != one.name else "", rank=2)
