"""Commands on pages: each call works as it is written, in a folder with what the pages refer to.

Long runs play fewer games, and only the options of servers are read. A call is not repeated for a later page: what it
creates is in the folder already or needed on one page only.
"""

from __future__ import annotations

import importlib
import re
import shlex
import shutil
from pathlib import Path

import pytest

from calling import ROOT, list_commands, make_manifest, run_kingsburg, write_files
from edict.agents.study import never_happened
from edict.game.table.game_links import GameLink
from edict.game.table.rules import load_rules

PAGES = (
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "SECURITY.md",
    ROOT / "editors" / "README.md",
    *(
        page
        for page in sorted((ROOT / "docs").rglob("*.md"))
        if page.name != "commands.md" and page.parent.name != "decisions"
    ),
)
SERVERS = ("serve", "studio", "lsp", "mcp", "games watch", "--watch")  # until somebody stops them
ELSEWHERE = ("https://", "--key", "--install-completion", "--cluster")  # what is on no computer, or is of its shell
# Minutes each, or of versions that no index has: what ships stands for what comes of training, `make check` checks all
# that ships, and tests/agents/study searches best responses with few games.
LONG_CALLS = (
    *("train ", "league ", "page ", "card --all", "report ", "check --shipped", "check --strict --shipped"),
    "study --best-response",
)
SMALL = ("--games", "2", "--workers", "1")  # enough here
FEW = {
    "study": SMALL,
    "compare": SMALL,
    "tune": (*SMALL, "--retrain", "never"),
    "card": SMALL[:2],
    "play --bot search --bot": ("--game", "kuhn-poker"),
}
PLACEHOLDERS = {  # what stands for something else
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

PLANS = {"farms.plan": "first farms, then market\n", "inn.plan": 'first inn; avoid "Pass"\n'}
HOUSE_RULES = {  # variants that lie side by side
    **{f"house-rules/{name}/module.yaml": make_manifest(name, requires="[kingsburg]") for name in ("inn", "festival")},
    "house-rules/inn/rules.edict": "adjust dice-rolled by 1 if year = 1\n",
    "house-rules/festival/rules.edict": "adjust strength by 1 if year = 5\n",
}


def find_calls(page: Path) -> list[str]:
    """Return the commands on a page in order, without comments, pipes and redirections."""
    found, fence = [], None
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("```"):
            fence = line[3:].strip() if fence is None else None
        elif fence == "sh":  # a whole way, which a test of its own goes: tests/project/test_wheel.py
            continue
        elif fence is None:
            found += re.findall(r"`(kingsburg [^`]+)`", line)
        elif typed := re.match(r"(?:.*&& |\$ )?(kingsburg .*)", line):
            found.append(typed[1])
    outside_quotes = r"""(?=(?:[^"']*["'][^"']*["'])*[^"']*$)"""
    return [re.split(rf"(?:\s+#|\s+[|>]\s){outside_quotes}", call)[0].strip() for call in found]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with what pages refer to: examples, variants, a bot, a table of cards, networks."""
    folder = tmp_path_factory.mktemp("prepared")
    (folder / "examples").symlink_to(ROOT / "examples")
    page = (ROOT / "docs" / "guides" / "write-rules.md").read_text(encoding="utf-8")
    (table,) = re.findall(r"^```text\n(Building,.*?)^```", page, re.MULTILINE | re.DOTALL)
    write_files(folder, {"mine.py": MINE, "buildings.csv": table, **HOUSE_RULES, **PLANS})
    for name, trained in {"network.json": "network", "mine.json": "network", "court.json": "weights"}.items():
        shutil.copyfile(ROOT / "rules" / f"{trained}.json", folder / name)
    assert run_kingsburg(folder, "new", "my-variant").returncode == 0
    return folder


@pytest.fixture(scope="module")
def called() -> set[tuple[str, ...]]:
    """Return the calls of earlier pages."""
    return set()


@pytest.fixture(autouse=True)
def few_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Test assertions in two games instead of many, and explain options that nobody took by one."""
    monkeypatch.setattr(importlib.import_module("edict.apps.cli.commands.test"), "FEW_GAMES", 2)
    monkeypatch.setattr(never_happened, "EXPLAINED_GAMES", 1)


@pytest.fixture
def here(prepared: Path, tmp_path: Path) -> Path:
    """Return a copy of the prepared folder for one page."""
    return Path(shutil.copytree(prepared, tmp_path / "here", symlinks=True))


def save_game(here: Path) -> None:
    """Save a game called `mine` under the variant of the folder."""
    (here / "games").mkdir()
    seats = [word for name in ("Ann", "Ben", "Clara") for word in ("--bot", f"random:{name}")]
    saved = ("--seed", "1", "--save", "games/mine.jsonl")
    assert run_kingsburg(here, "play", "--with", "./my-variant", *seats, *saved).returncode == 0


@pytest.mark.sample(12)
@pytest.mark.parametrize("page", [page for page in PAGES if find_calls(page)], ids=lambda page: page.stem)
def test_calls_on_a_page_succeed(
    page: Path, here: Path, called: set[tuple[str, ...]], subtests: pytest.Subtests
) -> None:
    lines = {words: call for call in find_calls(page) if (words := tuple(prepare_call(call))) not in called}
    if any("mine" in words for words in lines):
        save_game(here)
    if ("new", "my-variant") in lines:
        shutil.rmtree(here / "my-variant")
    for words, call in lines.items():
        with subtests.test(words=words):
            done = run_kingsburg(here, *words)
            assert done.returncode == 0, f"{page.name}: {call}\n{done.stdout[-500:]}{done.stderr}"
            called.add(words)


def test_pages_have_calls() -> None:
    assert sum(len(find_calls(page)) for page in PAGES) > 120


def prepare_call(call: str) -> list[str]:
    """Return the words of a call; `--help` is added to a bare command or one that would take too long."""
    typed = shlex.split(call.replace("--game GAME", "--game pig"))[1:]
    words = [one for word in typed if (one := PLACEHOLDERS.get(word, word))]
    line = " ".join(words)
    named = line in {" ".join(command) for command in list_commands()}
    if named or any(one in line for one in (*SERVERS, *ELSEWHERE)) or line.startswith(LONG_CALLS):
        return [*words, "--help"]
    words = [
        word for word in words if word != "--never"
    ]  # a thousand games beside scenes: tests/agents/study has it with few
    return [*words, *(word for start, few in FEW.items() if f"{line} ".startswith(f"{start} ") for word in few)]
