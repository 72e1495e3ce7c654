"""The command as such: without a command, its version, called as a module, and with a reader who has left."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from calling import COMMAND, environment, kingsburg, manifest, write

import edict
from edict import resources
from edict.study.cluster import on_cluster
from edict.study.errors import StudyError


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
        ("play ", ["here", "kingsburg", "kuhn-poker", "pig"]),
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
    with pytest.raises(StudyError, match="needs Dask") as raised, on_cluster("tcp://127.0.0.1:1")():
        pass
    assert raised.value.remedy.startswith("pip install 'distributed>=")
    assert resources.installing("fast").startswith("pip install 'llvmlite>=")
    assert resources.installing("no-such-extra") == "pip install 'kingsburg[no-such-extra]'"
