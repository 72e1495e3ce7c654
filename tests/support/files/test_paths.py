"""Typed paths, all parsed by one function, and special files, which are never waited for."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from calling import list_commands, run_kingsburg
from edict.agents.bots import BOTS
from edict.apps.cli.command_errors import USAGE, UsageError, parse_file_path, to_path
from edict.apps.cli.main import run_command
from edict.support.files import BadPathError, parse_path, read_regular


def test_every_path_of_every_command_is_parsed_by_one_function() -> None:
    found = 0
    for names, command in list_commands().items():
        for param in command.params:
            assert not type(param.type).__name__.endswith("Path"), (names, param.name)
            door = getattr(param.type, "func", None)
            if door in (to_path, parse_file_path):
                found += 1
                with pytest.raises(UsageError, match="there is no user `nosuch`"):
                    param.type.convert("~nosuch/x", param, None)
    assert found > 12


NAMED = (
    "play",
    "play --with",
    "games replay",
    "resume",
    "play --table",
    "rulebook",
    "rulebook -o",
    "new",
    "new x --game",
    "check",
    "check kingsburg --with",
    "test",
    "fmt",
    "new x --form",
    "show ale --game",
    "diff base",
    "graph --game",
    "study",
    "compare base",
    "league",
    "train",
    "study --profile",
    "schema building --game",
    "play --bot random --bot greedy@",
    "study --bots greedy@",
    "play --save",
    "test --record",
)


def test_home_of_unknown_user_is_rejected(capsys: pytest.CaptureFixture[str], subtests: pytest.Subtests) -> None:
    for words in NAMED:
        with subtests.test(words=words):
            line = f"{words}~nosuch/x.html" if words.endswith("@") else f"{words} ~nosuch/x.html"
            code = run_command(line.split())
            told = "".join(capsys.readouterr())
            assert code in (1, USAGE) and "~nosuch/x.html" in told and "help:" in told, (line, told)
            assert "internal error" not in told, line


def test_invalid_path_is_rejected() -> None:
    for text, reason in (("", "missing file name"), ("a\0b", "null character"), ("a\udcffb", "not valid UTF-8")):
        with pytest.raises(BadPathError, match=reason):
            parse_path(text)
    assert parse_path("~") == Path.home() and parse_path("a b/c") == Path("a b/c")
    assert parse_path("./~nosuch") == Path("~nosuch").absolute()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_special_files_are_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "small").write_bytes(b"12345")
    for name in (str(tmp_path / "pipe"), "/dev/zero"):
        with pytest.raises(BadPathError, match="not a regular file"):
            read_regular(Path(name), 10)
    with pytest.raises(IsADirectoryError):
        read_regular(tmp_path, 10)
    with pytest.raises(BadPathError, match="larger than 4 bytes"):
        read_regular(tmp_path / "small", 4)
    assert read_regular(tmp_path / "small", 5) == b"12345"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_special_or_too_deep_weights_file_is_rejected(tmp_path: Path, subtests: pytest.Subtests) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "deep.json").write_text("[" * 100_000, encoding="utf-8")
    play = ("play", "kuhn-poker", "--bot", "random")
    for name, said in (("pipe", "is a pipe"), ("/dev/zero", "is a device"), ("deep.json", "nested too deeply")):
        with subtests.test(name=name):
            done = run_kingsburg(tmp_path, *play, "--bot", f"greedy@{name}")
            assert done.returncode == USAGE and said in done.stderr, done.stderr
    assert BOTS.find_problem("greedy@a\0b") is not None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_pipe_is_not_waited_for(tmp_path: Path, capsys: pytest.CaptureFixture[str], subtests: pytest.Subtests) -> None:
    os.mkfifo(tmp_path / "pipe")
    for words in ("games replay", "resume", "test --record", "play --table"):
        with subtests.test(words=words):
            assert run_command([*words.split(), str(tmp_path / "pipe")]) == USAGE
            assert "is a pipe, not a regular file" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="names there are always text")
def test_path_that_is_not_utf8_is_rejected(tmp_path: Path) -> None:
    name = os.fsdecode(b"\xff.jsonl")
    done = run_kingsburg(tmp_path, "play", "pig", "--bot", "random", "--bot", "random", "--save", name)
    assert done.returncode == USAGE and "not valid UTF-8" in done.stderr
    assert list(tmp_path.glob("*.jsonl")) == []


def test_null_characters_at_prompts_do_not_stop_a_game(tmp_path: Path) -> None:
    typed = "\0\nro\0ll\nsave \0x\nscene \0y\nwhy \0\n? \0\nlog \0\nhint \0\nquit\n"
    done = run_kingsburg(tmp_path, "play", "pig", "--human", "Ann", "--bot", "random", "--seed", "3", typed=typed)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("cannot contain a null character") == 2, done.stdout
    assert "The game is saved" in done.stdout
