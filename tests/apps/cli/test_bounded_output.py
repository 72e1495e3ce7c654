"""The limit on printed output, complete data, and errors in the reporting of errors."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from calling import GAME, list_commands, make_manifest, write_files
from edict.apps.cli import command_output
from edict.apps.cli.app import UNBOUNDED_COMMANDS
from edict.apps.cli.command_output import BoundedStream, lift_output_limit, write_data
from edict.apps.cli.main import run_command
from edict.support.files import OutputTarget


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the path of a game, and lower the output limit so that commands exceed it."""
    write_files(
        tmp_path / "sample", {"module.yaml": make_manifest("sample", "game", language="1"), "sample.edict": GAME}
    )
    monkeypatch.setattr(command_output, "MAX_OUTPUT", 120)
    return str(tmp_path / "sample")


def test_stream_writes_whole_lines_up_to_its_limit(subtests: pytest.Subtests) -> None:
    kept = io.StringIO()
    stream = BoundedStream(kept, 10)
    for text in ("four\n", "six\nseven\n", "x\n"):
        with subtests.test(text=text):
            assert stream.write(text) == len(text)
    assert (kept.getvalue(), stream.left_out) == ("four\nsix\n", len("seven\nx\n"))
    stream.lift_limit()
    stream.writelines(["all ", "of it"])
    assert kept.getvalue() == "four\nsix\nall of it" and stream.left_out == 8
    assert not stream.isatty(), "what it cannot do itself is the stream's"


@pytest.mark.parametrize(
    ("words", "way"),
    [
        ("show sample --game", "`--format json` gives all of it"),
        ("rulebook", "`--output FILE` gives all of it"),
    ],
)
def test_long_output_is_cut_with_a_last_line_that_says_so(
    sample: str, capsys: pytest.CaptureFixture[str], words: str, way: str
) -> None:
    code = run_command([*words.split(), sample])
    printed, told = capsys.readouterr()
    assert code == 0 and 0 < len(printed) <= 120 and printed.endswith("\n")
    reason, remedy = told.strip().split("\nhelp: ")
    assert reason.startswith("kingsburg: the last ") and reason.endswith("characters are not shown") and remedy == way


def test_json_is_never_cut(sample: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["show", "sample", "--game", sample, "--format", "json"]) == 0
    printed, told = capsys.readouterr()
    assert len(printed) > 120 and json.loads(printed) and not told


def test_standard_error_has_its_own_limit(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command_output, "MAX_ERRORS", 20)
    assert run_command(["find", "x", "--game", "nowhere"]) == 2
    printed, told = capsys.readouterr()
    assert not printed and told.endswith("help: `--format json` gives all of it\n")


def test_data_on_standard_output_is_not_cut(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command_output, "MAX_OUTPUT", 5)
    with command_output.bound_output():
        write_data(OutputTarget(Path("-"), False), "123456789\n")
    assert capsys.readouterr().out == "123456789\n"


def test_output_of_a_game_is_not_cut(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDICT_GAMES", str(tmp_path))
    monkeypatch.setattr(command_output, "MAX_OUTPUT", 50)
    assert run_command("play kuhn-poker --plain --speed 0 --bot random:Ann --bot random:Ben --seed 1".split()) == 0
    printed, told = capsys.readouterr()
    assert len(printed) > 200 and "left out" not in told
    assert {*UNBOUNDED_COMMANDS} <= {words[-1] for words in list_commands()}
    lift_output_limit()  # outside a command this does nothing


@pytest.mark.parametrize(
    "broken", ["edict.apps.cli.reporting.render_diagnostics", "edict.apps.cli.usage_errors._help_hint"]
)
def test_message_that_cannot_be_made_still_ends_in_one(
    broken: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: Any) -> str:
        raise ValueError("Diagnostic(...)")

    words = ["check", "nowhere"] if "render" in broken else ["play", "--nonsense"]
    monkeypatch.setattr(broken, fail)
    monkeypatch.setattr("edict.apps.cli.commands.check.render_diagnostic", fail, raising=False)
    monkeypatch.setattr("edict.apps.cli.commands.check.style_diagnostics", fail, raising=False)
    assert run_command(words) == 1
    told = "".join(capsys.readouterr())
    assert "internal error: ValueError" in told and "EDICT_DEBUG=1" in told and "Traceback" not in told
    monkeypatch.setenv("EDICT_DEBUG", "1")
    run_command(words)
    assert "Traceback" in "".join(capsys.readouterr())


def test_long_word_is_cut_in_a_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["fmt", "x:" * 20_000]) == 2
    told = capsys.readouterr().err
    assert len(told) < 400 and "...` cannot be read: File name too long\n" in told


def test_unexpected_error_is_reported_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: Any, **__: Any) -> Callable[..., Any]:
        raise ValueError("x" * 100_000)

    monkeypatch.setattr("edict.apps.cli.commands.modules.load_full_catalogue", fail, raising=False)
    monkeypatch.setattr("edict.apps.cli.commands.modules.validate_format", fail)
    assert run_command(["modules"]) == 1
    told = capsys.readouterr().err
    assert "internal error: ValueError: xxx" in told and len(told) < 1_000
