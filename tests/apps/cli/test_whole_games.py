"""Whole games at the terminal: with typed dice, from a scene, and by somebody who knows only what the screen says."""

from __future__ import annotations

import importlib
import re
from functools import cache
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest
from rich.text import Text

import edict
from calling import kingsburg
from edict.agents.bots import BOTS
from edict.apps.cli.command_errors import Leave
from edict.apps.cli.playing import questions
from edict.apps.cli.playing.game_loop import GameLoop
from edict.apps.cli.playing.screen import Screen
from edict.apps.cli.playing.session import Session, holds_more
from edict.apps.cli.playing.typed_dice import typed_in, waiting
from edict.apps.cli.rules_by_name import rules_of
from edict.game.explanations.option_previews import preview_options
from edict.game.table.game import Game
from edict.game.table.journal import read_journal
from edict.game.table.rules import Rules
from helpers import program, steps
from workshop import fair

LAID = (
    (),
    ("governors",),
    ("first-edition",),
    ("long-winter",),
    ("destiny",),
    ("governors", "destiny", "advisor-tiles", "alternate-rows", "soldier-tokens", "more-buildings"),
)


@cache
def rules(game: str, modules: tuple[str, ...]) -> Rules:
    return rules_of(game, modules)


class Hands(Screen):
    """A screen at which dice are rolled and typed, one or several at a time; after `lines` of them somebody leaves."""

    def __init__(self, seed: int, lines: int) -> None:
        super().__init__((), simple=True)
        self.luck, self.lines = Random(seed), lines
        self.game: Game | None = None

    def ask(self, prompt: str) -> str:
        assert self.game is not None and prompt == "dice> "
        if self.lines == 0:
            raise Leave
        self.lines -= 1
        faces = [option.text for option in self.game.ask.options]
        return " ".join(self.luck.choices(faces, k=self.luck.randint(1, waiting(self.game))))


def played_on(game: Game, seed: int, lines: int = -1) -> Game:
    """Bots and typed dice, to the end or until so many lines were typed."""
    screen = Hands(seed, lines)
    screen.game = game
    bots = {seat: BOTS["random"](game.program, seed + seat) for seat in range(len(game.players))}
    session = Session(game, screen, bots)
    try:
        GameLoop(session).to_the_end()
        session.finish()
    except Leave:
        assert not game.over
    return game


@pytest.mark.parametrize("modules", LAID, ids=lambda names: "+".join(names) or "base")
@pytest.mark.sample(2)
def test_a_game_is_played_to_its_end_and_can_be_gone_on_with(tmp_path: Path, modules: tuple[str, ...]) -> None:
    laid, file, seed = rules("kingsburg", modules), tmp_path / "game.jsonl", len(modules)
    game = laid.new_game(["Ann", "Ben", "Cy"][: 2 + seed % 2], seed, dice="typed", journal=file)
    played_on(game, seed, lines=20)
    ended = played_on(laid.resume(file), seed)
    assert ended.over and ended.result is not None
    again = played_on(laid.resume(file), seed)
    assert again.over and again.result == ended.result


THROWS = """
keep seen as number from 0 to 6
""" + steps("repeat until seen = 3", "  roll 1 cube as thrown", "  set seen to total of thrown")


def test_what_is_not_rolled_any_more_is_not_taken_in(capsys: pytest.CaptureFixture[str]) -> None:
    game = Rules(program(THROWS), "trial").new_game(["Ann", "Ben"], 1, dice="typed")
    session = Session(game, Hands(1, -1), {0: BOTS["random"](game.program, 0), 1: BOTS["random"](game.program, 1)})
    assert not typed_in(session, ["1", "3", "5"], 3) and game.answers == []
    assert "After 1 3 no more of these dice are rolled" in capsys.readouterr().out
    assert typed_in(session, ["1", "3"], 3) and game.over


COLUMNS, LINES = 80, 24


class Newcomer(Screen):
    """Reads the screen, chooses by it, and now and then asks about something that stands there."""

    def __init__(self, game: Game, people: int) -> None:
        super().__init__(game.players)
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
        return self.luck.choice([one for one in questions.labels(self.game.ask) if one])

    # --- what must hold

    def fits(self) -> None:
        """Nothing is scrolled away; where lines just follow each other, nothing can be."""
        fits = len(self.shown) < LINES and max(map(len, self.shown)) <= COLUMNS
        assert fits or self.simple, "\n".join(self.shown)

    def all_is_told(self) -> None:
        """Each option stands below the question with what to type for it, and with what it costs beyond dice."""
        ask = self.game.ask
        text = " ".join(" ".join(self.shown[self.question() :]).split())
        for one, option, found in zip(questions.labels(ask), ask.options, preview_options(self.game), strict=True):
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
    GameLoop(session).to_the_end()
    session.finish()
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


@pytest.fixture
def scenes(tmp_path: Path) -> Path:
    return fair(tmp_path) / "forge" / "scenes" / "forge.yaml"


def test_the_first_of_the_scene_is_asked_with_what_it_gives(
    tmp_path: Path, scenes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr(importlib.import_module("edict.apps.cli.commands.play"), "sys", terminal)
    done = kingsburg(tmp_path, "play", "--at", f"{scenes}:5", "--save", "game.jsonl", typed="quit\n")
    assert done.returncode == 0 and "Smithy" in done.stdout
    journal = read_journal(str(tmp_path / "game.jsonl"))
    assert journal.header.players == ("Ann", "Brian") and journal.header.bots[0] == "" != journal.header.bots[1]
    assert journal.header.opening is not None and journal.header.opening.at == "phase market"


def test_without_a_terminal_bots_play_it_to_its_end_and_it_is_kept(tmp_path: Path, scenes: Path) -> None:
    done = kingsburg(tmp_path, "play", "--at", str(scenes), "--save", "game.jsonl", "--seed", "1")
    assert done.returncode == 0, done.stderr
    assert "Market" in done.stdout
    again = kingsburg(tmp_path, "games", "replay", "game.jsonl")
    assert again.returncode == 0 and "Smithy" in again.stdout


def test_what_cannot_be_begun_is_said_and_nothing_is_kept(tmp_path: Path, scenes: Path) -> None:
    first = "forge/scenes/forge.yaml:1"
    for words, said in (
        (("nowhere.yaml:3",), "there is no file `nowhere.yaml`"),
        (("fair/fair.edict:3",), "is not a file of scenes"),
        (("forge/scenes/forge.yaml:999",), "`forge/scenes/forge.yaml` has no line 999"),
        (("forge/scenes/forge.yaml:999",), "name a line in which a scene begins: "),
        ((first, "--human", "Bob"), "nobody in this scene is named `Bob`"),
        ((first, "--set", "x=1"), "`--at` and `--set` cannot be combined"),
        ((first, "--speed", "soon"), "invalid speed `soon`"),
        ((first, "--human", "Ann", "--human", "Brian", "--takebacks", "free"), "--takebacks free is for a single"),
    ):
        done = kingsburg(tmp_path, "play", "--at", *words)
        assert done.returncode == 2 and said in done.stderr, (words, done.stderr)
        assert not list(tmp_path.glob("games/*")), words
