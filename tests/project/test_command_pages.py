"""What pages call works: each call as it stands there, in a folder that has what the pages speak of.

Of those that play many games fewer are played, and of servers only the words are read. What an earlier page has called
is not called again: what it makes either lies in the folder already or is wanted on one page alone.
"""

from __future__ import annotations

import importlib
import re
import shlex
import shutil
from pathlib import Path

import pytest

from calling import ROOT, every_command, kingsburg, write
from edict.game.table.game_links import GameLink
from edict.game.table.rules import load_rules

PAGES = (
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "SECURITY.md",
    ROOT / "editors" / "README.md",
    *(page for page in sorted((ROOT / "docs").glob("*.md")) if page.name != "commands.md"),
)
STAYING = ("serve", "studio", "lsp", "mcp", "games watch", "--watch")  # until somebody stops them
LONG = ("train ", "league ", "page ", "card --all")  # minutes each; what ships stands for what comes of training
SMALL = ("--games", "4", "--workers", "1")  # enough here
FEW = {"study": SMALL, "compare": SMALL, "card": SMALL[:2]}
NAMED = {  # what stands for something else
    "GAME": "mine",
    "NAME": "mine",
    "FILE": "mine",
    "TABLE": "",
    "THING": "merchant",
    "MODULE": "governors",
    "LINK": GameLink(load_rules("pig").new_game(["Ann", "Ben"], seed=1).journal).encode(),
    "A": "my-variant",
    "[B]": "",
    "FILE:LINE": "my-variant/scenes/rules.yaml:12",
    ".": "my-variant",
}
MINE = """\
class Mine:
    def __init__(self, seed):
        pass

    def choose(self, view, ask, clock):
        return ask.options[0]
"""


def calls(page: Path) -> list[str]:
    """What is typed on a page, from top to bottom, without comments and without what the shell does to it."""
    found, fence = [], None
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("```"):
            fence = line[3:].strip() if fence is None else None
        elif fence is None:
            found += re.findall(r"`(kingsburg [^`]+)`", line)
        elif typed := re.match(r"(?:.*&& |\$ )?(kingsburg .*)", line):
            found.append(typed[1])
    return [re.split(r"\s+#|\s+[|>]\s", call)[0].strip() for call in found]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What pages speak of: examples, variants, a bot, networks."""
    folder = tmp_path_factory.mktemp("prepared")
    (folder / "examples").symlink_to(ROOT / "examples")
    write(folder, {"mine.py": MINE})
    for name, trained in {"network.json": "network", "mine.json": "network", "court.json": "weights"}.items():
        shutil.copyfile(ROOT / "rules" / f"{trained}.json", folder / name)
    for variant in ("my-variant", "my-rules"):
        assert kingsburg(folder, "new", variant).returncode == 0
    return folder


@pytest.fixture(scope="module")
def called() -> set[tuple[str, ...]]:
    """What was called on the pages before."""
    return set()


@pytest.fixture(autouse=True)
def few_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is asserted of the rules is looked at in two games beside scenes."""
    monkeypatch.setattr(importlib.import_module("edict.apps.cli.commands.test"), "FEW_GAMES", 2)


@pytest.fixture
def here(prepared: Path, tmp_path: Path) -> Path:
    """A folder of its own in which somebody follows a page."""
    return Path(shutil.copytree(prepared, tmp_path / "here", symlinks=True))


def play(here: Path) -> None:
    """A saved game, called `mine`, under the variant that lies here."""
    (here / "games").mkdir()
    seats = [word for name in ("Ann", "Ben", "Clara") for word in ("--bot", f"random:{name}")]
    saved = ("--seed", "1", "--save", "games/mine.jsonl")
    assert kingsburg(here, "play", "--with", "./my-variant", *seats, *saved).returncode == 0


@pytest.mark.parametrize("page", [page for page in PAGES if calls(page)], ids=lambda page: page.stem)
def test_what_a_page_calls_works_as_it_stands_there(page: Path, here: Path, called: set[tuple[str, ...]]) -> None:
    lines = {words: call for call in calls(page) if (words := tuple(followed(call))) not in called}
    if any("mine" in words for words in lines):
        play(here)
    if ("new", "my-variant") in lines:
        shutil.rmtree(here / "my-variant")
    for words, call in lines.items():
        done = kingsburg(here, *words)
        assert done.returncode == 0, f"{page.name}: {call}\n{done.stdout[-500:]}{done.stderr}"
        called.add(words)


def test_there_are_calls() -> None:
    assert sum(len(calls(page)) for page in PAGES) > 120


def followed(call: str) -> list[str]:
    """The words of a call. Where a command is only named, or would take too long, its options are read."""
    typed = shlex.split(call.replace("--game GAME", "--game pig"))[1:]
    words = [one for word in typed if (one := NAMED.get(word, word))]
    line = " ".join(words)
    named = line in {" ".join(command) for command in every_command()}
    if named or any(one in line for one in STAYING) or line.startswith(LONG):
        return [*words, "--help"]
    words = [
        word for word in words if word != "--never"
    ]  # a thousand games beside scenes: tests/agents/study has it with few
    return [*words, *FEW.get(words[0], ())]
