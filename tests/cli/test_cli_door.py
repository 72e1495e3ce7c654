"""The command as such: without a command, its version, called as a module, and with a reader who has left."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from calling import COMMAND, environment, kingsburg, manifest, write

import edict
from edict import resources
from edict.cli.commands import app
from edict.sources.finding import catalogue
from edict.processes.cluster import on_cluster
from edict.processes.spreading import WorkersError


def test_without_a_command_it_helps(tmp_path: Path) -> None:
    for words in ((), ("scene",)):
        done = kingsburg(tmp_path, *words)
        assert done.returncode == 0 and "Usage:" in done.stdout and done.stderr == "", done
    wrong = kingsburg(tmp_path, "plya")
    assert wrong.returncode == 2 and "plya" in wrong.stderr


def test_its_version(tmp_path: Path) -> None:
    done = kingsburg(tmp_path, "--version")
    assert (done.returncode, done.stdout) == (0, f"kingsburg {edict.__version__}\n")


def test_it_answers_as_a_module_too(tmp_path: Path) -> None:
    words, around = [sys.executable, "-m", "edict", "--version"], environment(tmp_path)
    done = subprocess.run(words, env=around, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, f"kingsburg {edict.__version__}\n")


@pytest.mark.parametrize("words", ["replay game.jsonl", "modules", "show merchant", "explain E0111", "--help"])
def test_a_reader_who_leaves_is_no_error(tmp_path: Path, words: str) -> None:
    """As in `kingsburg replay FILE | head -1`: nobody reads, so it ends, and says nothing."""
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
    profile = data("profile", "pig", "--games", "2")
    assert profile["games"] == 2 and profile["operations"][0]["ran"] > 0
    wrong = kingsburg(tmp_path, "show", "inn", "--format", "xml")
    assert wrong.returncode == 2 and "invalid value `xml` for --format" in wrong.stderr


def test_the_game_is_named_alike_everywhere(tmp_path: Path) -> None:
    """Every command that takes a game takes it by `--game`."""
    commands: dict[str, Any] = vars(typer.main.get_command(app))["commands"]
    of_a_game = {name for name, one in commands.items() if any(p.name in ("game", "over") for p in one.params)}
    by_option = {name for name, one in commands.items() if any("--game" in p.opts for p in one.params)}
    assert of_a_game == by_option and {"play", "show", "study", "new"} <= by_option
    done = kingsburg(tmp_path, "play", "--game", "pig", "--bot", "random", "--bot", "random")
    assert done.returncode == 0 and done.stdout.startswith("Pig: ")
    both = kingsburg(tmp_path, "play", "pig", "--game", "kuhn-poker")
    assert both.returncode == 2 and "two games are given" in both.stderr


def test_games_begun_at_the_same_moment_are_kept_apart(tmp_path: Path) -> None:
    """Another process may take a name between our choosing it and taking it."""
    words = ("play", "pig", "--bot", "random", "--bot", "random")
    call, around = [*COMMAND, *words], environment(tmp_path)
    both = [subprocess.Popen(call, env=around, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(3)]
    assert [process.communicate(timeout=60)[1] for process in both] == [b"", b"", b""]
    assert len(list((tmp_path / "games").glob("*.jsonl"))) == 3
