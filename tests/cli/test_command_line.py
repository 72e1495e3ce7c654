"""The command as such: its help and version, wrong calls, readers who leave; each command once, some as processes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from calling import COMMAND, GAME, environment, every_command, kingsburg, manifest, started, write

import edict
from edict import resources
from edict.cli.app import GAMES, INDEX
from edict.cli.main import _guarded, run
from edict.cli.usage_errors import _COMMANDS, _OPTIONS
from shipped import catalogue
from edict.processes.cluster import on_cluster
from edict.processes.spreading import WorkersError


def test_without_a_command_it_helps(tmp_path: Path) -> None:
    for words in ((), ("help",)):
        done = kingsburg(tmp_path, *words)
        assert done.returncode == 0 and "Usage:" in done.stdout and done.stderr == "", done
    wrong = kingsburg(tmp_path, "plya")
    assert wrong.returncode == 2 and "plya" in wrong.stderr


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


def test_help_of_a_command_is_what_its_option_prints(tmp_path: Path) -> None:
    for words in (("play",), ("games",), ("games", "view")):
        assert kingsburg(tmp_path, "help", *words).stdout == kingsburg(tmp_path, *words, "--help").stdout
    assert kingsburg(tmp_path, "help").stdout == kingsburg(tmp_path, "--help").stdout


def test_its_version(tmp_path: Path) -> None:
    for option in ("--version", "-V"):
        done = kingsburg(tmp_path, option)
        assert (done.returncode, done.stdout) == (0, f"kingsburg {edict.__version__}\n")


def test_it_answers_as_a_module_too(tmp_path: Path) -> None:
    words, around = [sys.executable, "-m", "edict", "--version"], environment(tmp_path)
    done = subprocess.run(words, env=around, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, f"kingsburg {edict.__version__}\n")


@pytest.mark.parametrize("words", ["games replay game.jsonl", "--help"])
def test_a_reader_who_leaves_is_no_error(tmp_path: Path, words: str) -> None:
    """As in `kingsburg games replay FILE | head -1`: nobody reads, so it ends, and says nothing."""
    kingsburg(tmp_path, "play", "pig", "--bot", "random", "--bot", "random", "--seed", "1", "--save", "game.jsonl")
    call, around, pipe = [*COMMAND, *words.split()], environment(tmp_path), subprocess.PIPE
    with subprocess.Popen(call, cwd=tmp_path, env=around, stdout=pipe, stderr=pipe) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 0


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("play --with go", ["goblin-valley", "governors"]),
        ("play ", sorted(["here", *(name for name, (_, found) in catalogue().items() if found.kind == "game")])),
        ("show --game pig ", ["d6", "point"]),
        ("resume my", ["my-game"]),
        ("play --bot g", ["greedy"]),
        ("show --game ./nowhere x", []),
        ("explain E0111", ["E0111"]),
        ("games re", ["replay", "repair"]),
    ],
)
def test_a_shell_completes_names(tmp_path: Path, typed: str, found: list[str]) -> None:
    write(tmp_path, {"here/module.yaml": manifest("here", "game"), "games/my-game.jsonl": "{}\n"})
    words = f"kingsburg {typed}"
    number = str(len(words.split()) - (not words.endswith(" ")))
    asked = {"COMP_WORDS": words, "COMP_CWORD": number, "_KINGSBURG_COMPLETE": "complete_bash"}
    done = kingsburg(tmp_path, **asked)
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, found, "")


def test_a_missing_extra_is_named_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("dask", "distributed", "distributed.scheduler"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(WorkersError, match="needs Dask") as raised, on_cluster("tcp://127.0.0.1:1")():
        pass
    assert raised.value.remedy.startswith("pip install 'distributed>=")
    assert resources.installing("fast").startswith("pip install 'llvmlite>=")
    assert resources.installing("no-such-extra") == "pip install 'kingsburg[no-such-extra]'"


PLAYED = ("play", "pig", "--human", "Ann", "--bot", "random:Bob", "--seed", "3")


def test_saved_games_are_listed_with_how_they_stand(tmp_path: Path) -> None:
    assert "No games are saved in" in kingsburg(tmp_path, "games").stdout
    (tmp_path / "games").mkdir()
    kingsburg(tmp_path, *PLAYED, "--save", "games/mine.jsonl", typed="hold\n")
    kingsburg(tmp_path, "play", "pig", "--bot", "random:Ann", "--bot", "random:Bob", "--save", "games/over.jsonl")
    (tmp_path / "games" / "spoilt.jsonl").write_text("nonsense\n", encoding="utf-8")
    told = kingsburg(tmp_path, "games").stdout
    assert "mine  (last played 2" in told and "  pig: Ann 5 and Bob (random bot) " in told, told
    assert "waiting for Ann" in told and re.search(r"  finished; \w+ won\n", told), told
    assert re.search(r"spoilt .*\n  cannot be played: ", told), told
    data = {one["name"]: one for one in json.loads(kingsburg(tmp_path, "games", "--format", "json").stdout)}
    assert data["mine"]["waits_for"] == "Ann" and data["mine"]["scores"][0] == 5 and data["over"]["over"]
    for name in ("mine", "min"):
        assert kingsburg(tmp_path, "resume", name, typed="quit\n").returncode == 0
    missing = kingsburg(tmp_path, "resume", "mnie")
    assert missing.returncode == 2 and "did you mean `mine`?" in missing.stderr, missing.stderr


def test_what_is_told_can_be_had_as_data(tmp_path: Path) -> None:
    def data(*words: str) -> Any:
        done = kingsburg(tmp_path, *words, "--format", "json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    (inn,) = data("show", "inn")
    assert inn["name"] == "inn" and inn["module"] == "kingsburg" and inn["lines"][0]["text"].startswith("building inn")
    assert {"pig", "kingsburg", "governors"} <= {one["name"] for one in data("modules")}
    pig = data("modules", "pig")
    assert pig["kind"] == "game" and pig["settings"][0]["name"] == "goal" and pig["settings"][0]["default"] == 100
    (tested,) = data("test", "pig")
    assert tested["ok"] and tested["passed"] == len(tested["scenes"]) > 0
    profile = data("study", "pig", "--profile", "--games", "2")
    assert profile["games"] == 2 and profile["operations"][0]["ran"] > 0
    wrong = kingsburg(tmp_path, "show", "inn", "--format", "xml")
    assert wrong.returncode == 2 and "invalid value `xml` for --format" in wrong.stderr


NO_DATA = {  # what is played, served, written or repaired; the last two print JSON as it is
    "play", "resume", "games watch", "serve", "studio", "page", "lsp", "mcp", "new", "fmt", "upgrade", "train",
    "rulebook", "games repair", "games link", "games open",
    "help", "games view", "schema",
}  # fmt: skip


def test_whatever_programs_could_read_can_be_had_as_json(tmp_path: Path) -> None:
    commands = every_command()
    without = {" ".join(words) for words, one in commands.items() if not any("--format" in p.opts for p in one.params)}
    assert without == NO_DATA
    kingsburg(tmp_path, "play", "kuhn-poker", "--bot", "random:Ann", "--bot", "random:Ben", "--save", "game.jsonl")

    def data(words: str) -> Any:
        done = kingsburg(tmp_path, *words.split(), "--format", "json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    replayed = data("games replay game.jsonl")
    assert replayed["players"] == ["Ann", "Ben"] and replayed["over"] and len(replayed["log"]) > 3
    answers = data("test --record game.jsonl --list")
    assert [one["number"] for one in answers] == [*range(1, len(answers) + 1)]
    assert {one["player"] for one in answers} == {"Ann", "Ben"}
    assert data("games tables") == []
    moments, names = data("find --moments --game kuhn-poker"), data("find --names --game kuhn-poker")
    assert moments[0]["line"].startswith("when ") and {"sort", "written", "title", "meaning"} == set(names[0])
    page = data("explain E0111")
    assert page["code"] == "E0111" and page["text"].startswith(f"# E0111: {page['title']}\n")
    (word,) = data("explain swap")
    assert word["forms"] == ["swap PLACE with PLACE"] and word["english"][0].startswith("Swap")
    few = "--games 4 --workers 1 --bots"
    assert data(f"study kuhn-poker {few} random")["games"] == 4
    assert len(data(f"league kuhn-poker {few} random,greedy")["bots"]) == 2
    assert data(f"compare base goal=60 --game pig --players 2 {few} random")["main"]


def test_every_command_can_do_without_colours() -> None:
    assert all(any("--no-color" in p.opts for p in one.params) for one in every_command().values())


RED, BOLD = "\x1b[1;31m", "\x1b[1m"


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("words", "shown"),
    [("check sample", f"{RED}sample/page.edict:"), ("show coin --game ./sample", RED), ("--help", f"{BOLD}Play:"),
     ("diff ./fair ./dear", "\x1b[32m"), ("games --help", "\x1b[36mreplay")],
)  # fmt: skip
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
    assert "\x1b" not in text("--no-color") and "\x1b" not in text(NO_COLOR="1")


def test_the_game_is_named_alike_everywhere(tmp_path: Path) -> None:
    """Every command that takes a game takes it by `--game`."""
    commands = every_command()
    of_a_game = {name for (name, *_), one in commands.items() if any(p.name in ("game", "over") for p in one.params)}
    by_option = {name for (name, *_), one in commands.items() if any("--game" in p.opts for p in one.params)}
    assert of_a_game == by_option and {"play", "show", "study", "new"} <= by_option
    done = kingsburg(tmp_path, "play", "--game", "pig", "--bot", "random", "--bot", "random")
    assert done.returncode == 0 and done.stdout.startswith("Pig: ")
    both = kingsburg(tmp_path, "play", "pig", "--game", "kuhn-poker")
    assert both.returncode == 2 and "two games are given" in both.stderr


def test_games_begun_at_the_same_moment_are_kept_apart(tmp_path: Path) -> None:
    """Another process may take a name between our choosing it and taking it."""
    words = ("play", "pig", "--bot", "random", "--bot", "random")
    call, around = [*COMMAND, *words], environment(tmp_path)
    both = [subprocess.Popen(call, env=around, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(2)]
    assert [process.communicate(timeout=60)[1] for process in both] == [b"", b""]
    assert len(list((tmp_path / "games").glob("*.jsonl"))) == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("plya", "did you mean `play`?"),
        ("why score", "type `why` while you play"),
        ("play --set years 3", "write --set NAME=VALUE"),
        ("study --set years 3", "write --set NAME=VALUE"),
        ("play --bot greedy,random", "--bot greedy --bot random"),
        ("study --bots greedy greedy random", "joined by commas, as in `--bots random,greedy`"),
        ("play --scenario governors", "add it with `--with governors`"),
        ("games replay last-game", "`kingsburg games` lists the saved games"),
        ("play --human Ann --bot gredy:Ben", "did you mean `greedy:Ben`?"),
        ("train --games 0", "a number from 50"),
        ("run", "write `kingsburg play`"),
        ("replay game", "write `kingsburg games replay`"),
        ("profile pig", "write `kingsburg study --profile`"),
        ("names dice", "write `kingsburg find --names`"),
        ("transcribe governors", "write `kingsburg new --form MODULE`"),
        ("new x --over pig", "write `--game NAME_OR_PATH`"),
        ("find", "--moments or --names to list everything"),
        ("test --name Ann", "--only WORDS picks scenes to run"),
        ("test pig --record game", "leave out the other names"),
        ("test --record game --coverage", "leave out one of them"),
        ("games --all view", "write what `view` takes after its name"),
        ("study pig --profile -o out.json", "write --format json"),
        ("help plya", "did you mean `play`?"),
        ("version", "`kingsburg --version`"),
        ("games foo", "`kingsburg games --help` lists the commands"),
        ("league --games 1k", "write a whole number, as in `--games 120`"),
        ("serve --port 99999", "write a whole number from 0 to 65535"),
        ("test --fail-under much", "write a number"),
        ("diff", "write `kingsburg diff A [B]`"),
        ("play with governors", "write `kingsburg play --with governors`"),
        ("check --module governors", "write `kingsburg check governors`;"),
        ("check --module=governors", "write `kingsburg check governors`;"),
        ("fmt governors --dry-run", "write `--check`"),
        ("explain", "CODE|WORD... is a code from a message"),
        ("play pig kuhn-poker", "modules are added with `--with kuhn-poker`"),
        ("play --players 6", "write `--human NAME` for each person and `--bot KIND` for each bot"),
        ("play --bots greedy", "write `--bot KIND[:NAME]`, once for each"),
        ("play --modules governors", "write `--with MODULE`, once for each"),
        ("check --strikt", "did you mean `--strict`?"),
        ("check --nonsense", "`kingsburg check --help` lists"),
        ("--nonsense", "`kingsburg --help` lists"),
        ("play --seed", "write `--seed SEED`: seed for the random numbers"),
        ("check --strict=3", "write `--strict` alone"),
    ],
)
def test_a_wrong_call_is_told_with_what_to_write(words: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(words.split()) == 2
    reason, remedy = capsys.readouterr().err.strip().split("\nhelp: ")
    assert reason.startswith("kingsburg: ") and said in remedy, (reason, remedy)


def test_what_is_offered_instead_is_there() -> None:
    commands = {" ".join(words) for words in every_command()}
    options = {name for one in every_command().values() for param in one.params for name in param.opts}
    offered = {call.partition(" --")[0] for call in _COMMANDS}
    assert offered <= commands and set(_OPTIONS) <= options
    assert {word for call in _COMMANDS for word in call.split() if word.startswith("--")} <= options
    assert not {word for words in _COMMANDS.values() for word in words.split()} & commands


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


FEW = ("--players", "2", "--bots", "random", "--workers", "1", "--games", "20")
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
    ("fmt", "./sample"): "1 file",
    ("games", "replay", "games/one.jsonl"): "Ann",
    ("modules",): "governors",
    ("gallery",): "kingsburg play causeway",
    ("show", "merchant"): "Merchant",
    ("explain", "E0111"): "E0111",
}  # fmt: skip
OF_THEIR_OWN = [words for words in SAID if words == ("games",) or words[0] in ("check", "rulebook", "league")]
"""What reads games, reads rules, writes to a stream, and starts workers."""
ELSEWHERE = {  # what else is called, and by which tests
    "test_cli_commands": {"play"}, "test_saved_games": {"resume", "games watch"}, "test_stopping": {"study"},
    "test_game_cards": {"card"}, "test_cli_links": {"games link", "games open"},
    "test_web and test_lsp": {"serve", "studio", "lsp"}, "test_mcp_server": {"mcp"}, "test_making_pages": {"page"},
}  # fmt: skip


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    """A folder with a game, its scene, and a saved game."""
    write(tmp_path, {"sample/module.yaml": manifest("sample", "game"), "sample/sample.edict": GAME,
                     "sample/scenes/one.yaml": SCENES})  # fmt: skip
    (tmp_path / "games").mkdir()
    kingsburg(tmp_path, "play", "./sample", "--human", "Ann", "--save", "games/one.jsonl", typed="left\n")
    return tmp_path


@pytest.mark.parametrize("words", SAID, ids=" ".join)
def test_every_command_answers(sample: Path, words: tuple[str, ...]) -> None:
    done = kingsburg(sample, *words)
    assert done.returncode == 0 and SAID[words] in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("words", OF_THEIR_OWN, ids=" ".join)
def test_it_answers_in_a_process_of_its_own(sample: Path, words: tuple[str, ...]) -> None:
    done = started(sample, *words)
    assert done.returncode == 0 and SAID[words] in done.stdout, done.stdout + done.stderr


def test_no_command_is_left_out() -> None:
    commands = {" ".join(words) for words in every_command()}
    called = {next(name for name in (" ".join(words[:2]), words[0]) if name in commands) for words in SAID}
    assert called | {name for names in ELSEWHERE.values() for name in names} == commands
