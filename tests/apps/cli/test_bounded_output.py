"""What a command prints is bounded, data is whole, and a message that cannot be made still ends in one."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from calling import GAME, every_command, manifest, write
from edict.apps.cli import bounded_output
from edict.apps.cli.app import LASTING
from edict.apps.cli.bounded_output import BoundedStream, print_everything, write_data
from edict.apps.cli.main import run
from edict.support.files import OutputTarget


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The path of a game, of which commands print more than they may."""
    write(tmp_path / "sample", {"module.yaml": manifest("sample", "game", language="1"), "sample.edict": GAME})
    monkeypatch.setattr(bounded_output, "MOST_PRINTED", 120)
    return str(tmp_path / "sample")


def test_stream_takes_whole_lines_up_to_its_bound() -> None:
    kept = io.StringIO()
    stream = BoundedStream(kept, 10)
    for text in ("four\n", "six\nseven\n", "x\n"):
        assert stream.write(text) == len(text)
    assert (kept.getvalue(), stream.left_out) == ("four\nsix\n", len("seven\nx\n"))
    stream.lift()
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
    code = run([*words.split(), sample])
    printed, told = capsys.readouterr()
    assert code == 0 and 0 < len(printed) <= 120 and printed.endswith("\n")
    reason, remedy = told.strip().split("\nhelp: ")
    assert reason.startswith("kingsburg: the last ") and reason.endswith("characters were left out") and remedy == way


def test_json_is_never_cut(sample: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["show", "sample", "--game", sample, "--format", "json"]) == 0
    printed, told = capsys.readouterr()
    assert len(printed) > 120 and json.loads(printed) and not told


def test_errors_are_bounded_by_themselves(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_output, "MOST_ERRORS", 20)
    assert run(["find", "x", "--game", "nowhere"]) == 2
    printed, told = capsys.readouterr()
    assert not printed and told.endswith("help: `--format json` gives all of it\n")


def test_data_for_standard_output_is_whole(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(bounded_output, "MOST_PRINTED", 5)
    with bounded_output.bounded():
        write_data(OutputTarget(Path("-"), False), "123456789\n")
    assert capsys.readouterr().out == "123456789\n"


def test_what_lasts_as_long_as_somebody_plays_is_not_cut(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDICT_GAMES", str(tmp_path))
    monkeypatch.setattr(bounded_output, "MOST_PRINTED", 50)
    assert run("play kuhn-poker --plain --speed 0 --bot random:Ann --bot random:Ben --seed 1".split()) == 0
    printed, told = capsys.readouterr()
    assert len(printed) > 200 and "left out" not in told
    assert {*LASTING} <= {words[-1] for words in every_command()}
    print_everything()  # outside a command there is nothing to lift


@pytest.mark.parametrize("broken", ["edict.apps.cli.reporting.render_diagnostics", "edict.apps.cli.usage_errors._more"])
def test_message_that_cannot_be_made_still_ends_in_one(
    broken: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: Any) -> str:
        raise ValueError("Diagnostic(...)")

    words = ["check", "nowhere"] if "render" in broken else ["play", "--nonsense"]
    monkeypatch.setattr(broken, fail)
    monkeypatch.setattr("edict.apps.cli.commands.check.render_diagnostic", fail, raising=False)
    monkeypatch.setattr("edict.apps.cli.commands.check.render_all", fail, raising=False)
    assert run(words) == 1
    told = "".join(capsys.readouterr())
    assert "internal error: ValueError" in told and "EDICT_DEBUG=1" in told and "Traceback" not in told
    monkeypatch.setenv("EDICT_DEBUG", "1")
    run(words)
    assert "Traceback" in "".join(capsys.readouterr())


def test_endless_word_is_cut_in_a_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["fmt", "x:" * 20_000]) == 2
    told = capsys.readouterr().err
    assert len(told) < 400 and "...` cannot be read: File name too long\n" in told


def test_unexpected_error_is_told_in_few_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: Any, **__: Any) -> Callable[..., Any]:
        raise ValueError("x" * 100_000)

    monkeypatch.setattr("edict.apps.cli.commands.modules.catalogue", fail, raising=False)
    monkeypatch.setattr("edict.apps.cli.commands.modules.checked_form", fail)
    assert run(["modules"]) == 1
    told = capsys.readouterr().err
    assert "internal error: ValueError: xxx" in told and len(told) < 1_000
