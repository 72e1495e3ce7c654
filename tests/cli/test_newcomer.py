"""A game of two years at a terminal of 80 columns and 24 lines, by somebody who knows only what the screen says."""

from __future__ import annotations

import re
from random import Random

import pytest
from rich.text import Text

import edict
from edict.bots import BOTS
from edict.cli.playing import answers
from edict.cli.playing.course import Course
from edict.cli.playing.screen import Screen
from edict.cli.playing.session import Session
from edict.cli.playing.showing_more import holds_more
from edict.table.game import Game
from edict.table.prospects import prospects

COLUMNS, LINES = 80, 24


class Newcomer(Screen):
    """Reads the screen, chooses by it, and now and then asks about something that stands there."""

    def __init__(self, game: Game, people: int) -> None:
        super().__init__(game.players, colour=False)
        self.alive, self.simple, self.shared = people == 1, people > 1, people > 1
        self.game, self.luck, self.people = game, Random(1), people
        self.shown: list[str] = []
        self.asking_about: list[str] = []
        self.moments: list[list[str]] = []
        self.prompts: list[str] = []

    def _write(self, text: Text) -> None:
        self.shown.append(text.plain)

    def fresh(self) -> None:
        self.shown = []

    clear = fresh

    def wait(self) -> None:
        self.fits()
        self.moments.append(self.shown)

    def ask(self, prompt: str) -> str:
        self.prompts.append(prompt)
        if "press Enter" in prompt:
            assert any(holds_more(self.game, seat, 1 - seat) for seat in range(2)), "a pass, and nothing is secret"
            return ""
        if self.simple:
            return self.answer()
        if self.asking_about:
            return self.explained()
        self.fits()
        if self.luck.random() < 0.2:
            self.asking_about = ["", *(f"? {name}" for name in self.names())]
            return self.explained()
        self.all_is_told()
        return self.answer()

    def answer(self) -> str:
        return self.luck.choice([one for one in answers.labels(self.game.ask) if one])

    # --- what must hold

    def fits(self) -> None:
        """Nothing is scrolled away; where lines just follow each other, nothing can be."""
        fits = len(self.shown) < LINES and max(map(len, self.shown)) <= COLUMNS
        assert fits or self.simple, "\n".join(self.shown)

    def all_is_told(self) -> None:
        """Each option stands below the question with what to type for it, and with what it costs beyond dice."""
        ask = self.game.ask
        text = " ".join(" ".join(self.shown[self.question() :]).split())
        for one, option, found in zip(answers.labels(ask), ask.options, prospects(self.game), strict=True):
            assert f" {one} {option.text}" in text or one == option.text, text
            costs = [cost for cost in found.costs if not re.match("dice|.* die", cost)]
            assert all(re.sub(r" \(.*", "", cost) in text for cost in costs), (text, costs)

    def question(self) -> int:
        name = re.escape(self.game.ask.player)
        return max(place for place, line in enumerate(self.shown) if re.match(rf"{name}( \(.*\))?: ", line))

    def names(self) -> list[str]:
        """Titles on the screen: of phases, of options, of everything on the panels."""
        panels = self.game.view(self.game.seat).panels()
        rows = [row.title for panel in panels for row in panel.rows if row.key]
        placed = [t.title for panel in panels for g in panel.grids for row in g.cells for place in row for t in place]
        heads = [title for panel in panels for title in (panel.title, *panel.header) if title]
        return self.luck.sample([*rows, *placed, *heads, *self.game.phases], 3)

    def explained(self) -> str:
        """Ask about the next name, and at last for the question; whatever was asked about before has been explained."""
        assert not any("Nothing here is called" in line for line in self.shown), "\n".join(self.shown[-5:])
        return self.asking_about.pop()


def played(monkeypatch: pytest.MonkeyPatch, people: int, game: str = "kingsburg", players: int = 4) -> Newcomer:
    monkeypatch.setenv("COLUMNS", str(COLUMNS))
    monkeypatch.setenv("LINES", str(LINES))
    begun = edict.load(game).new_game(["Ann", "Bob", "Cy", "Dora"][:players], seed=4, settings={"years": 2})
    screen = Newcomer(begun, people)
    bots = {seat: BOTS["greedy"](begun.program, seat) for seat in range(people, players)}
    session = Session(begun, screen, bots)
    session.attended = True
    Course(session).run()
    assert begun.over
    return screen


def test_a_game_holds_no_surprise(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = played(monkeypatch, people=1)
    assert len(screen.prompts) > 30
    battles = [moment for moment in screen.moments if any(line.startswith("-- The Battle") for line in moment)]
    assert len(battles) == 2 and len(screen.moments) == 4, "two battles, a year, and the end"
    assert all(any("Strength to beat" in line for line in battle) for battle in battles)
    assert any("VP: " in line for line in screen.moments[-1]), "points by source"
    assert any(re.match(r"\w+ wins\.|.* win together\.", line) for line in screen.shown)


def test_the_keyboard_is_passed_on_only_where_something_is_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    """In this game that is what somebody has seen of a hidden card, until it is turned up."""
    screen = played(monkeypatch, people=2)
    passes = [prompt for prompt in screen.prompts if "press Enter" in prompt]
    assert len(screen.prompts) > 50 and 0 < len(passes) < len(screen.prompts) / 5, (len(passes), len(screen.prompts))
