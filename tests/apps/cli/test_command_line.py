"""The command as such: help and version, closed pipes, colors, JSON output, and one call of each command."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import edict
from calling import (
    COMMAND,
    GAME,
    list_commands,
    make_environment,
    make_manifest,
    run_kingsburg,
    start_kingsburg,
    write_files,
)
from edict.apps.cli.app import GAMES, INDEX
from edict.apps.cli.main import _run_and_report_errors
from edict.compiler.sources.file_schemas import SCHEMA_NAMES
from edict.support import resources
from edict.support.processes.cluster import cluster_starter
from edict.support.processes.distribution import WorkersError
from shipped import catalogue

# --- help --------------------------------------------------------------------------------------


def test_help_lists_all_commands_in_groups_with_whole_summaries(tmp_path: Path, subtests: pytest.Subtests) -> None:
    told = run_kingsburg(tmp_path, "--help", COLUMNS="80").stdout
    listed = told.partition("\nPlay:\n")[2]
    assert re.findall(r"^(\w+):$", told, re.M) == ["Options", *INDEX]
    for entries in INDEX.values():
        for entry in entries:
            with subtests.test(entry=entry):
                assert re.search(rf"^  {entry.name} +{re.escape(entry.summary)}$", listed, re.M)
    words = [words[0] for words in list_commands() if len(words) == 1]
    assert sorted(words) == sorted(["help", *(entry.name for entries in INDEX.values() for entry in entries)])
    inner = run_kingsburg(tmp_path, "games", "--help", COLUMNS="80").stdout
    assert all(f" {entry.summary}\n" in inner + "\n" for entry in GAMES)


def test_help_is_printed_by_option_by_command_and_without_arguments(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for words in ((), ("play",), ("games", "view")):
        with subtests.test(words=words):
            told = run_kingsburg(tmp_path, *words, "--help")
            assert told.returncode == 0 and "Usage:" in told.stdout and told.stderr == ""
            assert run_kingsburg(tmp_path, "help", *words).stdout == told.stdout
    assert run_kingsburg(tmp_path).stdout == run_kingsburg(tmp_path, "help").stdout
    for option in ("--version", "-V"):
        with subtests.test(option=option):
            assert run_kingsburg(tmp_path, option).stdout == f"kingsburg {edict.__version__}\n"


def test_help_imports_no_heavy_modules(tmp_path: Path) -> None:
    heavy = {"lark", "jsonschema", "yaml", "llvmlite", "edict.compiler.syntax.tree", "edict.game.table.game"}
    words = [sys.executable, "-X", "importtime", "-m", "edict", "--help"]
    done = subprocess.run(words, env=make_environment(tmp_path), capture_output=True, text=True, timeout=60)
    read = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert done.returncode == 0 and "Usage:" in done.stdout
    assert "edict.apps.cli.main" in read and not heavy & read


def test_shell_completes_names(tmp_path: Path, subtests: pytest.Subtests) -> None:
    write_files(tmp_path, {"here/module.yaml": make_manifest("here", "game"), "games/my-game.jsonl": "{}\n"})
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
        with subtests.test(typed=typed):
            words = f"kingsburg {typed}"
            number = str(len(words.split()) - (not words.endswith(" ")))
            asked = {"COMP_WORDS": words, "COMP_CWORD": number, "_KINGSBURG_COMPLETE": "complete_bash"}
            done = run_kingsburg(tmp_path, **asked)
            assert (done.returncode, done.stdout.split(), done.stderr) == (0, found, "")


@pytest.mark.parametrize("shell", ["fish", "zsh"])
def test_other_shells_complete_names_by_their_script(shell: str, tmp_path: Path) -> None:
    script = run_kingsburg(tmp_path, _KINGSBURG_COMPLETE=f"source_{shell}")
    assert script.returncode == 0 and f"_KINGSBURG_COMPLETE=complete_{shell}" in script.stdout
    asked = {"_TYPER_COMPLETE_ARGS": "kingsburg play --with gov", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    done = run_kingsburg(tmp_path, _KINGSBURG_COMPLETE=f"complete_{shell}", **asked)
    assert (done.returncode, done.stderr) == (0, "") and "governors" in done.stdout


@pytest.mark.skipif(shutil.which("fish") is None, reason="needs the shell fish")
def test_fish_completes_names(tmp_path: Path) -> None:
    (tmp_path / "script.fish").write_text(run_kingsburg(tmp_path, _KINGSBURG_COMPLETE="source_fish").stdout, "utf-8")
    (tmp_path / "kingsburg").write_text(f'#!/bin/sh\nexec {sys.executable} -m edict "$@"\n', "utf-8")
    (tmp_path / "kingsburg").chmod(0o755)
    around = make_environment(tmp_path, PATH=f"{tmp_path}:{os.environ['PATH']}", HOME=str(tmp_path))
    typed = ["fish", "-c", f"source {tmp_path / 'script.fish'}; complete -C 'kingsburg check gov'"]
    shown = subprocess.run(typed, env=around, capture_output=True, text=True, timeout=120)
    assert shown.stdout.split() == ["governors"], shown.stderr


def test_missing_extra_is_reported_with_its_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("dask", "distributed", "distributed.scheduler"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(WorkersError, match="needs Dask") as raised, cluster_starter("tcp://127.0.0.1:1")():
        pass
    assert raised.value.remedy.startswith("pip install 'distributed>=")
    assert resources.install_command("fast").startswith("pip install 'llvmlite>=")
    assert resources.install_command("no-such-extra") == "pip install 'kingsburg[no-such-extra]'"


# --- data for programs -------------------------------------------------------------------------

COMMANDS_WITHOUT_JSON = {  # what is played, served, written or repaired; the last two print JSON as it is
    "play",
    "resume",
    "games watch",
    "serve",
    "studio",
    "page",
    "lsp",
    "mcp",
    "new",
    "build",
    "index",
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
    "import",
}


@pytest.fixture
def data(tmp_path: Path) -> Callable[[str], Any]:
    """Return a function that runs a command and returns its JSON output."""

    def asked(words: str) -> Any:
        done = run_kingsburg(tmp_path, *words.split(), "--format", "json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return asked


def test_every_command_with_data_has_a_json_format() -> None:
    commands = list_commands()
    without = {" ".join(words) for words, one in commands.items() if not any("--format" in p.opts for p in one.params)}
    assert without == COMMANDS_WITHOUT_JSON


def test_rule_commands_print_json(tmp_path: Path, data: Callable[[str], Any]) -> None:
    (jack,) = data("show jack --game kuhn-poker")["found"]
    assert (jack["name"], jack["module"]) == ("jack", "kuhn-poker") and jack["lines"][0]["text"].startswith("card jack")
    assert {"pig", "kingsburg", "governors"} <= {one["name"] for one in data("modules")["modules"]}
    pig = data("modules pig")
    assert pig["kind"] == "game" and pig["settings"][0]["name"] == "goal" and pig["settings"][0]["default"] == 100
    (tested,) = data("test pig")["modules"]
    assert tested["ok"] and tested["passed"] == len(tested["scenes"]) > 0
    moments, names = (data(f"find --{kind} --game kuhn-poker")["found"] for kind in ("moments", "names"))
    assert moments[0]["line"].startswith("when ") and {
        "sort",
        "written",
        "title",
        "meaning",
        "happens",
        "example",
    } == set(names[0])
    page = data("explain E0111")
    assert page["code"] == "E0111" and page["text"].startswith(f"# E0111: {page['title']}\n")
    (word,) = data("explain swap")["constructs"]
    assert word["forms"] == ["swap PLACE with PLACE"] and word["english"][0].startswith("Swap")
    assert (
        run_kingsburg(tmp_path, "schema", "--game", "kuhn-poker").stdout
        == f"files: {', '.join(SCHEMA_NAMES)}\nkinds: card\n"
    )
    card = json.loads(run_kingsburg(tmp_path, "schema", "card", "--game", "kuhn-poker").stdout)
    assert card["properties"]["fields"]["required"] == ["rank"]


def test_game_and_study_commands_print_json(tmp_path: Path, data: Callable[[str], Any]) -> None:
    run_kingsburg(tmp_path, "play", "kuhn-poker", "--bot", "random:Ann", "--bot", "random:Ben", "--save", "game.jsonl")
    replayed = data("games replay game.jsonl")
    assert replayed["players"] == ["Ann", "Ben"] and replayed["over"] and len(replayed["log"]) > 3
    answers = data("test --record game.jsonl --list")["answers"]
    assert [one["number"] for one in answers] == [*range(1, len(answers) + 1)]
    assert {one["player"] for one in answers} == {"Ann", "Ben"}
    listed = run_kingsburg(tmp_path, "test", "--record", "game.jsonl", "--list").stdout
    assert len(listed.splitlines()) >= len(answers)
    assert data("games tables")["tables"] == []
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
def test_output_at_a_terminal_is_colored_unless_disabled(tmp_path: Path, words: str, shown: str) -> None:
    terminals = pytest.importorskip("terminals", reason="terminals of Unix")
    games = {"sample": GAME + "  nonsense\n", "fair": GAME, "dear": GAME.replace("gain 2 coin", "gain 5 coin")}
    write_files(tmp_path, {f"{name}/module.yaml": make_manifest(name, "game") for name in games})
    write_files(tmp_path, {f"{name}/page.edict": text for name, text in games.items()})

    def text(*more: str, **around: str) -> str:
        terminal = terminals.Terminal(tmp_path, *more, *words.split(), size=(100, 60), **around)
        terminal.process.wait(60)
        return str(terminal.read(r"\w[^\w]*\Z"))

    assert shown in text()
    assert "\x1b" not in (text(NO_COLOR="1") if words.endswith("help") else text("--no-color"))


def test_every_command_has_the_no_color_option() -> None:
    assert all(any("--no-color" in p.opts for p in one.params) for one in list_commands().values())


# --- how it ends -------------------------------------------------------------------------------


def test_closed_pipe_is_no_error(tmp_path: Path, subtests: pytest.Subtests) -> None:
    """Output piped to a reader that closes early, as `head -1` does, ends the command silently."""
    run_kingsburg(tmp_path, "play", "pig", "--bot", "random", "--bot", "random", "--seed", "1", "--save", "game.jsonl")
    around, pipe = (
        make_environment(tmp_path, PYTHONUNBUFFERED=""),
        subprocess.PIPE,
    )  # little is written at the very end only
    for words in ("games replay game.jsonl", "games repair game.jsonl", "--help"):
        with subtests.test(words=words):
            with subprocess.Popen(
                [*COMMAND, *words.split()], cwd=tmp_path, env=around, stdout=pipe, stderr=pipe
            ) as process:
                assert process.stdout is not None and process.stderr is not None
                process.stdout.close()
                assert process.stderr.read() == b""
                assert process.wait(60) == 0


def test_ctrl_c_during_imports_exits_quietly(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "class Stop:\n"
        "    def find_spec(self, name, *more):\n"
        "        if name == 'typer': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Stop())\n"
        "from edict.__main__ import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], env=make_environment(tmp_path), capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
    signalled = code.replace("raise KeyboardInterrupt", "import os, signal; os.kill(os.getpid(), signal.SIGINT)")
    done = subprocess.run(
        [sys.executable, "-c", signalled], env=make_environment(tmp_path), capture_output=True, text=True
    )
    assert (done.returncode in (130, -2), done.stdout, done.stderr) == (True, "", "")


def test_ctrl_c_within_a_class_definition_is_recognized(capsys: pytest.CaptureFixture[str]) -> None:
    class Stopped:
        def __set_name__(self, owner: type, name: str) -> None:
            raise KeyboardInterrupt

    def imports() -> None:
        type("Made", (), {"field": Stopped()})

    assert _run_and_report_errors(imports, ()) == 130
    assert capsys.readouterr().err.strip() == ""


# --- each command once -------------------------------------------------------------------------

FEW = ("--players", "2", "--bots", "random", "--workers", "1", "--games", "4")
SCENES = "scenes:\n  - {name: left, players: [Ann], play: [Ann: Left, Ann: Up], then: {Ann: {coins: 4}}}\n"
EXPECTED_OUTPUT: dict[tuple[str, ...], str] = {
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
    ("words", "de", "--game", "./sample", "--stub"): "texts:",
    ("league", "./sample", "--bots", "random,judge", "--games", "2"): "random",
    ("train", "kuhn-poker", "--games", "50", "-o", "weights.json"): "",
    ("compare", "base", "goal=60", "--game", "pig", *FEW): "goal",
    ("tune", "pig", "goal", "60,80", "--until", "length 10 to 200", *FEW): "meets every goal",
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
    ("show", "--all", "card", "--game", "kuhn-poker", "--format", "csv"): "jack,Jack,1,",
    ("import", "cards.csv", "--as", "card", "--game", "./sample"): 'card gem "Gem"\n  worth 3\n',
    ("explain", "e0103"): "# E0103",
    ("explain", "choose", "one"): "> - Choose one:",
    ("explain", "choose"): "# choose\n",
    ("explain", "let"): "# let\n",
}
TESTED_ELSEWHERE = {  # what else is called, and by which tests
    "test_cli_play": {"play"},
    "test_saved_games": {"resume", "games watch"},
    "test_stopping": {"study"},
    "test_game_cards": {"card"},
    "test_cli_links": {"games link", "games open"},
    "test_web and test_lsp": {"serve", "studio", "lsp"},
    "test_mcp_server": {"mcp"},
    "test_making_pages": {"page"},
    "test_packages": {"build"},
    "test_catalogue": {"index"},
    "test_version_differences": {"report"},
}


def test_every_command_runs_in_process_and_in_its_own_process(tmp_path: Path, subtests: pytest.Subtests) -> None:
    write_files(
        tmp_path,
        {
            "sample/module.yaml": make_manifest("sample", "game"),
            "sample/sample.edict": GAME,
            "sample/scenes/one.yaml": SCENES,
            "cards.csv": "Card;Worth\nGem;3\n",
        },
    )
    (tmp_path / "games").mkdir()
    run_kingsburg(tmp_path, "play", "./sample", "--human", "Ann", "--save", "games/one.jsonl", typed="left\n")
    league = next(words for words in EXPECTED_OUTPUT if words[0] == "league")  # which starts workers
    for call, words in [*((run_kingsburg, words) for words in EXPECTED_OUTPUT), (start_kingsburg, league)]:
        with subtests.test(call=call):
            done = call(tmp_path, *words)
            assert done.returncode == 0 and EXPECTED_OUTPUT[words] in done.stdout, (words, done.stdout + done.stderr)
    commands = {" ".join(words) for words in list_commands()}
    called = {next(name for name in (" ".join(words[:2]), words[0]) if name in commands) for words in EXPECTED_OUTPUT}
    assert called | {name for names in TESTED_ELSEWHERE.values() for name in names} == commands, "none is left out"
