"""Whole games at the terminal: with typed dice, from a scene, and by a player who knows only the screen."""

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
from calling import run_kingsburg
from edict.agents.bots import BOTS
from edict.apps.cli.command_errors import PlayerLeaves
from edict.apps.cli.playing import questions
from edict.apps.cli.playing.game_loop import GameLoop
from edict.apps.cli.playing.screen import Screen
from edict.apps.cli.playing.session import Session, knows_more
from edict.apps.cli.playing.typed_dice import count_dice, enter_dice
from edict.apps.cli.rules_by_name import load_rules_with_notes
from edict.game.explanations.option_previews import preview_options
from edict.game.table.game import Game
from edict.game.table.journal import read_journal
from edict.game.table.rules import Rules
from helpers import compile_program, make_phase
from workshop import write_fair

MODULE_SETS = (
    (),
    ("governors",),
    ("first-edition",),
    ("long-winter",),
    ("destiny",),
    ("governors", "destiny", "advisor-tiles", "alternate-rows", "soldier-tokens", "more-buildings"),
)


@cache
def load_rules_cached(game: str, modules: tuple[str, ...]) -> Rules:
    return load_rules_with_notes(game, modules)


class DiceScreen(Screen):
    """A screen at which dice are rolled and typed, and which leaves after a number of lines."""

    def __init__(self, seed: int, lines: int) -> None:
        super().__init__((), simple=True)
        self.luck, self.lines = Random(seed), lines
        self.game: Game | None = None

    def ask(self, prompt: str) -> str:
        assert self.game is not None and prompt == "dice> "
        if self.lines == 0:
            raise PlayerLeaves
        self.lines -= 1
        faces = [option.text for option in self.game.ask.options]
        return " ".join(self.luck.choices(faces, k=self.luck.randint(1, count_dice(self.game))))


def play_with_typed_dice(game: Game, seed: int, lines: int = -1) -> Game:
    """Play with bots and typed dice, to the end or until a number of lines was typed."""
    screen = DiceScreen(seed, lines)
    screen.game = game
    bots = {seat: BOTS["random"](game.program, seed + seat) for seat in range(len(game.players))}
    session = Session(game, screen, bots)
    try:
        GameLoop(session).run()
        session.finish()
    except PlayerLeaves:
        assert not game.over
    return game


@pytest.mark.parametrize("modules", MODULE_SETS, ids=lambda names: "+".join(names) or "base")
@pytest.mark.sample(2)
def test_game_with_typed_dice_can_be_left_and_resumed(tmp_path: Path, modules: tuple[str, ...]) -> None:
    laid, file, seed = load_rules_cached("kingsburg", modules), tmp_path / "game.jsonl", len(modules)
    game = laid.new_game(["Ann", "Ben", "Cy"][: 2 + seed % 2], seed, dice="typed", journal=file)
    play_with_typed_dice(game, seed, lines=20)
    ended = play_with_typed_dice(laid.resume(file), seed)
    assert ended.over and ended.result is not None
    again = play_with_typed_dice(laid.resume(file), seed)
    assert again.over and again.result == ended.result


THROWS = """
keep seen as number from 0 to 6
""" + make_phase("repeat until seen = 3", "  roll 1 cube as thrown", "  set seen to total of thrown")


def test_superfluous_typed_dice_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    game = Rules(compile_program(THROWS), "trial").new_game(["Ann", "Ben"], 1, dice="typed")
    session = Session(game, DiceScreen(1, -1), {0: BOTS["random"](game.program, 0), 1: BOTS["random"](game.program, 1)})
    assert not enter_dice(session, ["1", "3", "5"], 3) and game.answers == []
    assert "After 1 3 no more of these dice are rolled" in capsys.readouterr().out
    assert enter_dice(session, ["1", "3"], 3) and game.over


COLUMNS, LINES = 80, 24


class Newcomer(Screen):
    """A screen whose player chooses by what it shows, and now and then asks about something on it."""

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

    def start_page(self) -> None:
        self.shown = []

    clear = start_page

    def wait(self) -> None:
        self.check_fit()
        self.moments.append(self.shown)

    def ask(self, prompt: str) -> str:
        self.prompts.append(prompt)
        if "press Enter" in prompt:
            assert any(knows_more(self.game, seat, 1 - seat) for seat in range(2)), "a pass, and nothing is secret"
            return ""
        if self.simple:
            return self.answer()
        if self.asking_about:
            return self.ask_next()
        self.check_fit()
        if self.luck.random() < 0.2:
            self.asking_about = ["", *(f"? {name}" for name in self.sample_titles())]
            return self.ask_next()
        self.check_options()
        return self.answer()

    def answer(self) -> str:
        return self.luck.choice([one for one in questions.option_labels(self.game.ask) if one])

    # --- what must hold

    def check_fit(self) -> None:
        """Check that nothing is scrolled away, unless lines follow each other anyway."""
        fits = len(self.shown) < LINES and max(map(len, self.shown)) <= COLUMNS
        assert fits or self.simple, "\n".join(self.shown)

    def check_options(self) -> None:
        """Check that each option is on the screen with its label and its cost besides dice."""
        ask = self.game.ask
        text = " ".join(" ".join(self.shown[self.find_question_line() :]).split())
        for one, option, found in zip(
            questions.option_labels(ask), ask.options, preview_options(self.game), strict=True
        ):
            assert f" {one} {option.text}" in text or one == option.text, text
            costs = [cost for cost in found.costs if not re.match("(die|dice) |.* die", cost)]
            assert all(re.sub(r" \(.*", "", cost) in text for cost in costs), (text, costs)

    def find_question_line(self) -> int:
        name = re.escape(self.game.ask.player)
        return max(place for place, line in enumerate(self.shown) if re.match(rf"{name}( \(.*\))?: ", line))

    def sample_titles(self) -> list[str]:
        """Return titles on the screen, of phases, options and panels."""
        panels = self.game.view(self.game.seat).panels()
        rows = [row.title for panel in panels for row in panel.rows if row.key]
        placed = [t.title for panel in panels for g in panel.grids for row in g.cells for place in row for t in place]
        heads = [title for panel in panels for title in (panel.title, *panel.header) if title]
        return self.luck.sample([*rows, *placed, *heads, *self.game.phases], 3)

    def ask_next(self) -> str:
        """Type the next word to ask about, after checking that the last was explained."""
        assert not any("Nothing here is called" in line for line in self.shown), "\n".join(self.shown[-5:])
        return self.asking_about.pop()


def play_as_newcomer(
    monkeypatch: pytest.MonkeyPatch, people: int, game: str = "kingsburg", players: int = 4
) -> Newcomer:
    monkeypatch.setenv("COLUMNS", str(COLUMNS))
    monkeypatch.setenv("LINES", str(LINES))
    begun = edict.load(game).new_game(["Ann", "Bob", "Cy", "Dora"][:players], seed=4, settings={"years": 2})
    screen = Newcomer(begun, people)
    bots = {seat: BOTS["greedy"](begun.program, seat) for seat in range(people, players)}
    session = Session(begun, screen, bots)
    session.attended = True
    GameLoop(session).run()
    session.finish()
    assert begun.over
    return screen


def test_newcomer_can_play_by_what_the_screen_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = play_as_newcomer(monkeypatch, people=1)
    assert len(screen.prompts) > 30
    battles = [moment for moment in screen.moments if any(line.startswith("-- The Battle") for line in moment)]
    assert len(battles) == 2 and len(screen.moments) == 4, "two battles, a year, and the end"
    assert all(any("Strength to beat" in line for line in battle) for battle in battles)
    assert any("VP: " in line for line in screen.moments[-1]), "points by source"
    assert any(re.match(r"\w+ wins\.|.* win together\.", line) for line in screen.shown)


def test_keyboard_is_passed_only_for_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    """In this game, these are hidden cards that somebody has seen."""
    screen = play_as_newcomer(monkeypatch, people=2)
    passes = [prompt for prompt in screen.prompts if "press Enter" in prompt]
    assert len(screen.prompts) > 50 and 0 < len(passes) < len(screen.prompts) / 5, (len(passes), len(screen.prompts))


@pytest.fixture
def scenes(tmp_path: Path) -> Path:
    return write_fair(tmp_path) / "forge" / "scenes" / "forge.yaml"


def test_game_from_a_scene_asks_its_first_player(tmp_path: Path, scenes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr(importlib.import_module("edict.apps.cli.commands.play"), "sys", terminal)
    done = run_kingsburg(tmp_path, "play", "--at", f"{scenes}:5", "--save", "game.jsonl", typed="quit\n")
    assert done.returncode == 0 and "Smithy" in done.stdout
    journal = read_journal(str(tmp_path / "game.jsonl"))
    assert journal.header.players == ("Ann", "Brian") and journal.header.bots[0] == "" != journal.header.bots[1]
    assert journal.header.opening is not None and journal.header.opening.at == "phase market"


def test_bots_play_a_game_from_a_scene_without_a_terminal(tmp_path: Path, scenes: Path) -> None:
    done = run_kingsburg(tmp_path, "play", "--at", str(scenes), "--save", "game.jsonl", "--seed", "1")
    assert done.returncode == 0, done.stderr
    assert "Market" in done.stdout
    again = run_kingsburg(tmp_path, "games", "replay", "game.jsonl")
    assert again.returncode == 0 and "Smithy" in again.stdout


def test_invalid_scene_start_is_refused_and_saves_nothing(
    tmp_path: Path, scenes: Path, subtests: pytest.Subtests
) -> None:
    first = "forge/scenes/forge.yaml:1"
    for words, said in (
        (("nowhere.yaml:3",), "there is no file `nowhere.yaml`"),
        (("fair/fair.edict:3",), "is not a scene file"),
        (("forge/scenes/forge.yaml:999",), "`forge/scenes/forge.yaml` has no line 999"),
        (("forge/scenes/forge.yaml:999",), "name a line where a scene begins: "),
        ((first, "--human", "Bob"), "no player in this scene is named `Bob`"),
        ((first, "--set", "x=1"), "`--at` and `--set` cannot be combined"),
        ((first, "--speed", "soon"), "invalid speed `soon`"),
        ((first, "--human", "Ann", "--human", "Brian", "--takebacks", "free"), "--takebacks free is for a single"),
    ):
        with subtests.test(words=words):
            done = run_kingsburg(tmp_path, "play", "--at", *words)
            assert done.returncode == 2 and said in done.stderr, (words, done.stderr)
            assert not list(tmp_path.glob("games/*"))
