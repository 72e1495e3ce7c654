"""The command as such: its help and version, readers who leave, colours, data for programs; each command once."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import edict
from calling import COMMAND, GAME, environment, every_command, kingsburg, manifest, started, write
from edict.apps.cli.app import GAMES, INDEX
from edict.apps.cli.main import _guarded
from edict.compiler.sources.file_schemas import FIXED
from edict.support import resources
from edict.support.processes.cluster import cluster_starter
from edict.support.processes.distribution import WorkersError
from shipped import catalogue

# --- help --------------------------------------------------------------------------------------


def test_the_help_lists_commands_in_groups_and_cuts_none_short(tmp_path: Path) -> None:
    told = kingsburg(tmp_path, "--help", COLUMNS="80").stdout
    listed = told.partition("\nPlay:\n")[2]
    assert re.findall(r"^(\w+):$", told, re.M) == ["Options", *INDEX]
    for entries in INDEX.values():
        for entry in entries:
            assert re.search(rf"^  {entry.name} +{re.escape(entry.summary)}$", listed, re.M), entry
    words = [words[0] for words in every_command() if len(words) == 1]
    assert sorted(words) == sorted(["help", *(entry.name for entries in INDEX.values() for entry in entries)])
    inner = kingsburg(tmp_path, "games", "--help", COLUMNS="80").stdout
    assert all(f" {entry.summary}\n" in inner + "\n" for entry in GAMES)


def test_help_is_had_by_its_option_by_its_command_and_without_any(tmp_path: Path) -> None:
    for words in ((), ("play",), ("games", "view")):
        told = kingsburg(tmp_path, *words, "--help")
        assert told.returncode == 0 and "Usage:" in told.stdout and told.stderr == ""
        assert kingsburg(tmp_path, "help", *words).stdout == told.stdout
    assert kingsburg(tmp_path).stdout == kingsburg(tmp_path, "help").stdout
    for option in ("--version", "-V"):
        assert kingsburg(tmp_path, option).stdout == f"kingsburg {edict.__version__}\n"


def test_help_as_a_module_reads_nothing_heavy(tmp_path: Path) -> None:
    heavy = {"lark", "jsonschema", "yaml", "llvmlite", "edict.compiler.syntax.tree", "edict.game.table.game"}
    words = [sys.executable, "-X", "importtime", "-m", "edict", "--help"]
    done = subprocess.run(words, env=environment(tmp_path), capture_output=True, text=True, timeout=60)
    read = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert done.returncode == 0 and "Usage:" in done.stdout
    assert "edict.apps.cli.main" in read and not heavy & read


def test_a_shell_completes_names(tmp_path: Path) -> None:
    write(tmp_path, {"here/module.yaml": manifest("here", "game"), "games/my-game.jsonl": "{}\n"})
    for typed, found in {
        "play --with go": ["goblin-valley", "governors"],
        "play ": sorted(["here", *(name for name, (_, found) in catalogue().items() if found.kind == "game")]),
        "show --game pig ": ["d6", "point"],
        "resume my": ["my-game"],
        "play --bot g": ["greedy"],
        "show --game ./nowhere x": [],
        "explain E0111": ["E0111"],
        "games re": ["replay", "repair"],
    }.items():
        words = f"kingsburg {typed}"
        number = str(len(words.split()) - (not words.endswith(" ")))
        asked = {"COMP_WORDS": words, "COMP_CWORD": number, "_KINGSBURG_COMPLETE": "complete_bash"}
        done = kingsburg(tmp_path, **asked)
        assert (done.returncode, done.stdout.split(), done.stderr) == (0, found, ""), typed


def test_a_missing_extra_is_named_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("dask", "distributed", "distributed.scheduler"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(WorkersError, match="needs Dask") as raised, cluster_starter("tcp://127.0.0.1:1")():
        pass
    assert raised.value.remedy.startswith("pip install 'distributed>=")
    assert resources.install_command("fast").startswith("pip install 'llvmlite>=")
    assert resources.install_command("no-such-extra") == "pip install 'kingsburg[no-such-extra]'"


# --- data for programs -------------------------------------------------------------------------

NO_DATA = {  # what is played, served, written or repaired; the last two print JSON as it is
    "play",
    "resume",
    "games watch",
    "serve",
    "studio",
    "page",
    "lsp",
    "mcp",
    "new",
    "fmt",
    "upgrade",
    "train",
    "rulebook",
    "games repair",
    "games link",
    "games open",
    "help",
    "games view",
    "schema",
}


@pytest.fixture
def data(tmp_path: Path) -> Callable[[str], Any]:
    """What a command tells programs."""

    def asked(words: str) -> Any:
        done = kingsburg(tmp_path, *words.split(), "--format", "json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return asked


def test_whatever_programs_could_read_can_be_had_as_json() -> None:
    commands = every_command()
    without = {" ".join(words) for words, one in commands.items() if not any("--format" in p.opts for p in one.params)}
    assert without == NO_DATA


def test_rules_and_what_is_said_of_them_are_had_as_data(tmp_path: Path, data: Callable[[str], Any]) -> None:
    (jack,) = data("show jack --game kuhn-poker")
    assert (jack["name"], jack["module"]) == ("jack", "kuhn-poker") and jack["lines"][0]["text"].startswith("card jack")
    assert {"pig", "kingsburg", "governors"} <= {one["name"] for one in data("modules")}
    pig = data("modules pig")
    assert pig["kind"] == "game" and pig["settings"][0]["name"] == "goal" and pig["settings"][0]["default"] == 100
    (tested,) = data("test pig")
    assert tested["ok"] and tested["passed"] == len(tested["scenes"]) > 0
    moments, names = data("find --moments --game kuhn-poker"), data("find --names --game kuhn-poker")
    assert moments[0]["line"].startswith("when ") and {"sort", "written", "title", "meaning"} == set(names[0])
    page = data("explain E0111")
    assert page["code"] == "E0111" and page["text"].startswith(f"# E0111: {page['title']}\n")
    (word,) = data("explain swap")
    assert word["forms"] == ["swap PLACE with PLACE"] and word["english"][0].startswith("Swap")
    assert kingsburg(tmp_path, "schema", "--game", "kuhn-poker").stdout == f"files: {', '.join(FIXED)}\nkinds: card\n"
    card = json.loads(kingsburg(tmp_path, "schema", "card", "--game", "kuhn-poker").stdout)
    assert card["properties"]["fields"]["required"] == ["rank"]


def test_games_and_studies_are_had_as_data(tmp_path: Path, data: Callable[[str], Any]) -> None:
    kingsburg(tmp_path, "play", "kuhn-poker", "--bot", "random:Ann", "--bot", "random:Ben", "--save", "game.jsonl")
    replayed = data("games replay game.jsonl")
    assert replayed["players"] == ["Ann", "Ben"] and replayed["over"] and len(replayed["log"]) > 3
    answers = data("test --record game.jsonl --list")
    assert [one["number"] for one in answers] == [*range(1, len(answers) + 1)]
    assert {one["player"] for one in answers} == {"Ann", "Ben"}
    listed = kingsburg(tmp_path, "test", "--record", "game.jsonl", "--list").stdout
    assert len(listed.splitlines()) >= len(answers)
    assert data("games tables") == []
    few = "--games 4 --workers 1 --bots"
    assert data(f"study kuhn-poker {few} random")["games"] == 4
    assert len(data(f"league kuhn-poker {few} random,greedy")["bots"]) == 2
    assert data(f"compare base goal=60 --game pig --players 2 {few} random")["main"]
    profile = data("study kuhn-poker --profile --games 2")
    assert profile["games"] == 2 and profile["operations"][0]["ran"] > 0


# --- colours -----------------------------------------------------------------------------------

RED, BOLD = "\x1b[1;31m", "\x1b[1m"


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("check sample", f"{RED}sample/page.edict:"),
        ("show coin --game ./sample", RED),
        ("--help", f"{BOLD}Play:"),
        ("diff ./fair ./dear", "\x1b[32m"),
        ("games --help", "\x1b[36mreplay"),
    ],
)
def test_a_terminal_is_shown_colours_unless_they_are_not_wanted(tmp_path: Path, words: str, shown: str) -> None:
    terminals = pytest.importorskip("terminals", reason="terminals of Unix")
    games = {"sample": GAME + "  nonsense\n", "fair": GAME, "dear": GAME.replace("gain 2 coin", "gain 5 coin")}
    write(tmp_path, {f"{name}/module.yaml": manifest(name, "game") for name in games})
    write(tmp_path, {f"{name}/page.edict": text for name, text in games.items()})

    def text(*more: str, **around: str) -> str:
        terminal = terminals.Terminal(tmp_path, *more, *words.split(), size=(100, 60), **around)
        terminal.process.wait(60)
        return str(terminal.read(r"\w[^\w]*\Z"))

    assert shown in text()
    assert "\x1b" not in (text(NO_COLOR="1") if words.endswith("help") else text("--no-color"))


def test_every_command_can_do_without_colours() -> None:
    assert all(any("--no-color" in p.opts for p in one.params) for one in every_command().values())


# --- how it ends -------------------------------------------------------------------------------


def test_a_reader_who_leaves_is_no_error(tmp_path: Path) -> None:
    """As in `kingsburg games replay FILE | head -1`: nobody reads, so it ends, and says nothing."""
    kingsburg(tmp_path, "play", "pig", "--bot", "random", "--bot", "random", "--seed", "1", "--save", "game.jsonl")
    around, pipe = environment(tmp_path, PYTHONUNBUFFERED=""), subprocess.PIPE  # little is written at the very end only
    for words in ("games replay game.jsonl", "games repair game.jsonl", "--help"):
        with subprocess.Popen(
            [*COMMAND, *words.split()], cwd=tmp_path, env=around, stdout=pipe, stderr=pipe
        ) as process:
            assert process.stdout is not None and process.stderr is not None
            process.stdout.close()
            assert process.stderr.read() == b"", words
            assert process.wait(60) == 0, words


def test_ctrl_c_during_the_first_imports_ends_quietly(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "class Stop:\n"
        "    def find_spec(self, name, *more):\n"
        "        if name == 'typer': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Stop())\n"
        "from edict.__main__ import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], env=environment(tmp_path), capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
    signalled = code.replace("raise KeyboardInterrupt", "import os, signal; os.kill(os.getpid(), signal.SIGINT)")
    done = subprocess.run([sys.executable, "-c", signalled], env=environment(tmp_path), capture_output=True, text=True)
    assert (done.returncode in (130, -2), done.stdout, done.stderr) == (True, "", "")


def test_ctrl_c_while_a_class_is_made_is_ctrl_c(capsys: pytest.CaptureFixture[str]) -> None:
    class Stopped:
        def __set_name__(self, owner: type, name: str) -> None:
            raise KeyboardInterrupt

    def imports() -> None:
        type("Made", (), {"field": Stopped()})

    assert _guarded(imports, ()) == 130
    assert capsys.readouterr().err.strip() == ""


# --- each command once -------------------------------------------------------------------------

FEW = ("--players", "2", "--bots", "random", "--workers", "1", "--games", "4")
SCENES = "scenes:\n  - {name: left, players: [Ann], play: [Ann: Left, Ann: Up], then: {Ann: {coins: 4}}}\n"
SAID: dict[tuple[str, ...], str] = {
    ("upgrade", "./sample"): "sample: edition 0 to 1",
    ("games",): "Ann",
    ("campaign",): "There are no campaigns.",
    ("games", "view", "games/one.jsonl"): '"seat": null',
    ("games", "repair", "games/one.jsonl"): "is not damaged",
    ("games", "tables"): "",
    ("find", "coin", "--game", "./sample"): "coin",
    ("rulebook", "./sample", "-o", "-"): "# Sample",
    ("diff", "./sample", "./sample"): "nothing differs",
    ("graph", "--game", "./sample"): "",
    ("league", "./sample", "--bots", "random,judge", "--games", "2"): "random",
    ("train", "kuhn-poker", "--games", "50", "-o", "weights.json"): "",
    ("compare", "base", "goal=60", "--game", "pig", *FEW): "goal",
    ("help", "games", "view"): "--seat NAME",
    ("new", "twist", "--game", "pig"): "check twist",
    ("check", "./sample"): "sample: no errors",
    ("test", "./sample"): "1 scene passed",
    ("schema", "card", "--game", "./sample"): '"worth"',
    ("schema", "table"): '"table file"',
    ("fmt", "./sample"): "1 file",
    ("games", "replay", "games/one.jsonl"): "Ann",
    ("modules",): "pig ",
    ("modules", "pig"): "public domain",
    ("gallery",): "kingsburg play causeway",
    ("show", "jac", "--game", "kuhn-poker"): "Jack (card)\n",
    ("explain", "e0103"): "# E0103",
    ("explain", "choose", "one"): "> - Choose one:",
    ("explain", "choose"): "# choose\n",
    ("explain", "let"): "# let\n",
}
ELSEWHERE = {  # what else is called, and by which tests
    "test_cli_play": {"play"},
    "test_saved_games": {"resume", "games watch"},
    "test_stopping": {"study"},
    "test_game_cards": {"card"},
    "test_cli_links": {"games link", "games open"},
    "test_web and test_lsp": {"serve", "studio", "lsp"},
    "test_mcp_server": {"mcp"},
    "test_making_pages": {"page"},
}


def test_every_command_answers_here_and_in_a_process_of_its_own(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "sample/module.yaml": manifest("sample", "game"),
            "sample/sample.edict": GAME,
            "sample/scenes/one.yaml": SCENES,
        },
    )
    (tmp_path / "games").mkdir()
    kingsburg(tmp_path, "play", "./sample", "--human", "Ann", "--save", "games/one.jsonl", typed="left\n")
    league = next(words for words in SAID if words[0] == "league")  # which starts workers
    for call, words in [*((kingsburg, words) for words in SAID), (started, league)]:
        done = call(tmp_path, *words)
        assert done.returncode == 0 and SAID[words] in done.stdout, (words, done.stdout + done.stderr)
    commands = {" ".join(words) for words in every_command()}
    called = {next(name for name in (" ".join(words[:2]), words[0]) if name in commands) for words in SAID}
    assert called | {name for names in ELSEWHERE.values() for name in names} == commands, "none is left out"
