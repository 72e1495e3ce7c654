"""The table at a terminal, screen by screen: eight moments of a game in four sizes, and questions of every game.

`PYTHONPATH=tests/kit python tests/apps/cli/test_table_screens.py` writes the screens anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest
from rich.text import Text

from edict.agents.bots import BOTS
from edict.apps.cli.command_errors import PlayerLeaves
from edict.apps.cli.playing import questions
from edict.apps.cli.playing.game_loop import GameLoop
from edict.apps.cli.playing.questions import EXPLAIN_HINT, NUMBER_DOMAINS
from edict.apps.cli.playing.screen import Screen
from edict.apps.cli.playing.session import Session
from edict.apps.cli.rules_by_name import load_rules_with_notes
from edict.game.table.game import Game
from edict.game.table.options import Option
from examples import choose_examples
from shipped import GAMES, MODULES, SCENARIOS

SCREENS = Path(__file__).parent / "screens"
SIZES = ((80, 24), (100, 30), (120, 40), (160, 50))
MOMENTS = {  # the line at which a screen is kept, by moment
    "influence": r"Ann: Which advisor do you influence\?",
    "reward": r"Ann \(.*\): What do you gain\?",
    "build": r"Ann: Which building do you construct\?",
    "recruit": r"Ann: How many soldiers do you recruit\?",
    "battle": "-- The Battle",
    "end of the year": "-- The Year",
}
NAMES = ("Ann", "Ada", "Ben", "Clara", "Dan")


@dataclass
class Page:
    """A screen of the table, and what it asks."""

    lines: list[str]
    game: Game | None = None  # as it was, if the screen asks a question


@dataclass
class Watcher:
    """The player in the first seat, who answers at random and keeps every screen."""

    game: Game
    seed: int
    limit: int  # of questions, after which the player leaves
    pages: list[Page] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.luck = Random(self.seed)

    def answer(self, prompt: str) -> str:
        if self.limit == 0 or prompt == "dice> ":
            raise PlayerLeaves
        self.limit -= 1
        option = self.luck.choice(self.game.ask.options)
        return questions.option_labels(self.game.ask)[option.index] or option.text


class WatchedScreen(Screen):
    """A terminal of some size that hands its pages to a watcher."""

    def __init__(self, watcher: Watcher) -> None:
        super().__init__(watcher.game.players)
        self.alive, self.simple, self.watcher, self.page = True, False, watcher, list[str]()

    def _write(self, text: Text) -> None:
        self.page.append(text.plain.rstrip())

    def start_page(self) -> None:
        self.page = []

    clear = start_page

    def wait(self) -> None:
        self.watcher.pages.append(Page([*self.page, "Press Enter to continue."]))

    def ask(self, prompt: str) -> str:
        self.watcher.pages.append(Page([*self.page, prompt.rstrip()], self.watcher.game.copy()))
        return self.watcher.answer(prompt)


def play_watched(
    patch: pytest.MonkeyPatch,
    size: tuple[int, int],
    game: str = "kingsburg",
    modules: tuple[str, ...] = (),
    seed: int = 1,
    limit: int = -1,
    dice: str = "seeded",
    settings: dict[str, int] | None = None,
) -> list[Page]:
    """Return every screen of the first player in a game of random answers, the end last."""
    patch.setenv("COLUMNS", str(size[0]))
    patch.setenv("LINES", str(size[1]))
    rules = load_rules_with_notes(game, modules)
    players = NAMES[: min(rules.program.most_players, 4 + bool(modules))]
    watcher = Watcher(rules.new_game(list(players), seed, dice=dice, settings=settings or {}), seed, limit)
    program = watcher.game.program
    session = Session(
        watcher.game,
        WatchedScreen(watcher),
        {seat: BOTS["random"](program, seed + seat) for seat in range(1, len(players))},
    )
    session.attended = True
    try:
        GameLoop(session).run()
        session.finish()
        watcher.pages.append(Page(session.screen.page))  # type: ignore[attr-defined]
    except PlayerLeaves:
        pass
    return watcher.pages


# --- eight moments in four sizes -----------------------------------------------------------------


def draw_moments(patch: pytest.MonkeyPatch, size: tuple[int, int]) -> str:
    """Return a screen of each moment: of a decision with many options, so the third of its kind."""
    pages = play_watched(patch, size, settings={"years": 2})
    shown = {"roll": play_watched(patch, size, dice="typed")[-1].lines}
    for moment, pattern in MOMENTS.items():
        found = [page for page in pages if any(re.match(pattern, line) for line in page.lines)]
        shown[moment] = found[min(2, len(found) - 1)].lines
    shown["end of the game"] = pages[-1].lines
    return "\n".join(f"######## {moment}\n\n" + "\n".join(lines) + "\n" for moment, lines in shown.items())


@pytest.mark.parametrize("size", SIZES, ids=lambda size: "x".join(map(str, size)))
def test_eight_moments_look_as_recorded(monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]) -> None:
    recorded = (SCREENS / f"{size[0]}x{size[1]}.txt").read_text(encoding="utf-8")
    assert draw_moments(monkeypatch, size) == recorded


# --- every question in whole words ---------------------------------------------------------------


def find_faults(page: Page, width: int, height: int) -> Iterator[str]:
    """Yield what is cut, scrolled away or missing on a screen."""
    if len(page.lines) > height or max(map(len, page.lines)) > width:
        yield "does not fit"
    if any("…" in line for line in page.lines):
        yield "is cut"
    if page.game is None:
        return
    ask, words = page.game.ask, set(re.split(r"[\s,;()]+", "\n".join(page.lines)))
    if ask.domain in NUMBER_DOMAINS:
        return
    labels = questions.option_labels(ask)
    for option in ask.options:
        if not needed_words(option, labels[option.index]) <= words:
            yield f"lacks {option.text}"
    if any(EXPLAIN_HINT in line for line in page.lines):
        yield "lacks effects"


def needed_words(option: Option, label: str) -> set[str]:
    """Return the words of an option that must be on the screen."""
    return set(filter(None, re.split(r"[\s,;()]+", f"{label} {option.text} {option.words}")))


QUESTIONS = choose_examples(12, 2000)  # of each game
CASES = [
    *((game, ()) for game in GAMES),
    *(("kingsburg", (module,)) for module in (*MODULES, *SCENARIOS)),
    ("kingsburg", ("governors", "destiny", "more-buildings")),
]


@pytest.mark.parametrize(
    ("game", "modules"), CASES, ids=lambda value: value if isinstance(value, str) else "+".join(value)
)
@pytest.mark.sample(6)
def test_no_line_of_a_question_is_cut(monkeypatch: pytest.MonkeyPatch, game: str, modules: tuple[str, ...]) -> None:
    """At 80x24, all that a question needs is on one screen in whole words, whatever the game."""
    width, height = 80, 24
    for seed in range(choose_examples(1, 5)):
        pages = play_watched(monkeypatch, (width, height), game, modules, seed, QUESTIONS)
        assert pages
        for page in pages:
            assert not [*find_faults(page, width, height)], "\n".join(page.lines)


if __name__ == "__main__":
    SCREENS.mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patching:
        for columns, lines in SIZES:
            drawn = draw_moments(patching, (columns, lines))
            (SCREENS / f"{columns}x{lines}.txt").write_text(drawn, encoding="utf-8")
