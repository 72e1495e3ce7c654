"""Paths as they are typed: one door for all of them, and no device, pipe or deep file behind it that is waited for."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from calling import every_command, kingsburg

from edict.bots import BOTS
from edict.cli.command_errors import USAGE, UsageError
from edict.cli.main import run
from edict.cli.option_values import a_file, a_path
from edict.paths import BadPath, read_regular, typed_path


def test_every_path_of_every_command_goes_through_the_door() -> None:
    found = 0
    for names, command in every_command().items():
        for param in command.params:
            assert not type(param.type).__name__.endswith("Path"), (names, param.name)
            door = getattr(param.type, "func", None)
            if door in (a_path, a_file):
                found += 1
                with pytest.raises(UsageError, match="there is no user `nosuch`"):
                    param.type.convert("~nosuch/x", param, None)
    assert found > 12


NAMED = (
    "play", "play --with", "games replay", "resume", "play --table", "rulebook", "rulebook -o", "new", "new x --game",
    "check", "check kingsburg --with", "test", "fmt", "new x --form", "show ale --game",
    "diff base", "graph --game", "study", "compare base", "league", "train", "study --profile",
    "schema building --game", "play --bot random --bot greedy@", "study --bots greedy@", "play --save", "test --record",
)  # fmt: skip


def test_the_home_of_nobody(capsys: pytest.CaptureFixture[str]) -> None:
    for words in NAMED:
        line = f"{words}~nosuch/x.html" if words.endswith("@") else f"{words} ~nosuch/x.html"
        code = run(line.split())
        told = "".join(capsys.readouterr())
        assert code in (1, USAGE) and "~nosuch/x.html" in told and "help:" in told, (line, told)
        assert "internal error" not in told, line


def test_what_can_be_no_path() -> None:
    for text, reason in (("", "no file"), ("a\0b", "null character"), ("a\udcffb", "not valid UTF-8")):
        with pytest.raises(BadPath, match=reason):
            typed_path(text)
    assert typed_path("~") == Path.home() and typed_path("a b/c") == Path("a b/c")
    assert typed_path("./~nosuch") == Path("~nosuch").absolute()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_only_regular_files_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "small").write_bytes(b"12345")
    for name in (str(tmp_path / "pipe"), "/dev/zero"):
        with pytest.raises(BadPath, match="not a regular file"):
            read_regular(Path(name), 10)
    with pytest.raises(IsADirectoryError):
        read_regular(tmp_path, 10)
    with pytest.raises(BadPath, match="larger than 4 bytes"):
        read_regular(tmp_path / "small", 4)
    assert read_regular(tmp_path / "small", 5) == b"12345"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_bots_that_are_no_weights(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "deep.json").write_text("[" * 100_000, encoding="utf-8")
    play = ("play", "kuhn-poker", "--bot", "random")
    for name, said in (("pipe", "is a pipe"), ("/dev/zero", "is a device"), ("deep.json", "nested too deeply")):
        done = kingsburg(tmp_path, *play, "--bot", f"greedy@{name}")
        assert done.returncode == USAGE and said in done.stderr, done.stderr
    assert BOTS.problem("greedy@a\0b") is not None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(tmp_path / "pipe")
    for words in ("games replay", "resume", "test --record", "play --table"):
        assert run([*words.split(), str(tmp_path / "pipe")]) == USAGE, words
        assert "is a pipe, not a regular file" in capsys.readouterr().err, words


@pytest.mark.skipif(sys.platform == "win32", reason="names there are always text")
def test_a_name_that_is_no_text(tmp_path: Path) -> None:
    name = os.fsdecode(b"\xff.jsonl")
    done = kingsburg(tmp_path, "play", "pig", "--bot", "random", "--bot", "random", "--save", name)
    assert done.returncode == USAGE and "not valid UTF-8" in done.stderr
    assert list(tmp_path.glob("*.jsonl")) == []


def test_null_characters_at_prompts_are_no_reason_to_stop(tmp_path: Path) -> None:
    typed = "\0\nro\0ll\nsave \0x\nscene \0y\nwhy \0\n? \0\nlog \0\nhint \0\nquit\n"
    done = kingsburg(tmp_path, "play", "pig", "--human", "Ann", "--bot", "random", "--seed", "3", typed=typed)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("cannot contain a null character") == 2, done.stdout
    assert "The game is saved" in done.stdout
