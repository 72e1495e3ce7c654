"""Output files: no command overwrites a file unless told to, and what it writes is well-formed."""

from __future__ import annotations

import csv
import errno
import io
import os
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from calling import GAME, list_commands, make_manifest, run_kingsburg, start_kingsburg, write_files
from edict.agents.study.reports import CSV_COLUMNS, render_csv
from edict.agents.study.table_files import escape_formula
from edict.support.files import FileAlreadyExists, write_new

Done = subprocess.CompletedProcess[str]
SCENES = """\
scenes:
  - name: left
    players: [Ann]
    play: [Ann: Left, Ann: Up]
    then:
      Ann: {coins: 4}
"""
FEW = ("--players", "2", "--bots", "random", "--workers", "1", "--games", "4")


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """Return a folder with a game."""
    write_files(
        tmp_path,
        {
            "sample/module.yaml": make_manifest("sample", "game"),
            "sample/sample.edict": GAME,
            "sample/scenes/one.yaml": SCENES,
        },
    )
    return tmp_path


WRITING_CALLS = [
    (("check", "./sample", "--format", "sarif"), "--output"),
    (("test", "./sample"), "--junit"),
    (("test", "./sample"), "--coverage-json"),
    (("rulebook", "./sample"), "-o"),
    (("league", "./sample", "--games", "2", "--bots", "random,judge"), "-o"),
    (("train", "kuhn-poker", "--games", "50"), "-o"),
    (("study", "./sample", *FEW), "-o"),
    (("study", "./sample", *FEW), "--html"),
    (("study", "./sample", *FEW), "--games-to"),
    (("study", "./sample", *FEW), "--decisions-to"),
    (("compare", "base", "goal=60", "--game", "pig", *FEW), "-o"),
    (("compare", "base", "goal=60", "--game", "pig", *FEW), "--html"),
    (("test", "--record", "game.jsonl", "--to", "1"), "-o"),
    (("tune", "pig", "goal", "60,80", "--until", "length 10 to 200", "--bots", "random", *FEW), "-o"),
    (("tune", "pig", "goal", "60,80", "--until", "length 10 to 200", "--bots", "random", *FEW), "--html"),
    (("import", "cards.csv", "--as", "card", "--amend", "--game", "kuhn-poker"), "-o"),
]


def test_nothing_is_written_over_without_force(
    call: Callable[..., Done], here: Path, subtests: pytest.Subtests
) -> None:
    call("play", "./sample", "--save", "game.jsonl", "--bot", "random:Ann")
    (here / "cards.csv").write_text("name,title,rank\nking,Ruler,3\n")
    for words, option in WRITING_CALLS:
        with subtests.test(words=words, option=option):
            ending = {"--html": "html", "--games-to": "csv", "--decisions-to": "csv"}.get(option, "json")
            file = here / ("out.html" if words[0] == "rulebook" else f"out.{ending}")
            file.write_text("of great worth")
            refused = call(*words, option, file.name)
            assert refused.returncode == 2 and refused.stdout == ""
            assert f"`{file.name}` already exists" in refused.stderr and "--force" in refused.stderr
            assert file.read_text() == "of great worth"
            written = call(*words, option, file.name, "--force")
            assert written.returncode == 0, (words, option, written.stderr)
            assert len(file.read_text()) > 20 and file.read_text() != "of great worth"
            file.unlink()


def test_every_option_that_writes_a_file_is_tried(subtests: pytest.Subtests) -> None:
    """A new one is to be added above."""
    names = {"--output", "--html", "--games-to", "--decisions-to", "--junit", "--coverage-json"}
    found = set()
    for path, command in list_commands().items():
        for option in command.params:
            with subtests.test(option=option):
                if names & set(option.opts):
                    found.add((path, (names & set(option.opts)).pop()))
                    assert any("--force" in other.opts for other in command.params)
    tried = {((words[0],), "--output" if option == "-o" else option) for words, option in WRITING_CALLS}
    assert found - tried == {
        ((*words,), "--output") for words in (["games", "tables"], ["page"], ["build"], ["index"])
    }  # they have tests of their own


def test_resumed_study_overwrites_its_own_reports_only(call: Callable[..., Done], here: Path) -> None:
    study = ("study", "pig", *FEW[:-2])
    assert call(*study, "--games", "20", "-o", "kept", "--html", "report.html").returncode == 0
    again = (*study, "--games", "40", "-o", "kept", "--resume")
    assert call(*again).returncode == 0
    assert call(*again, "--html", "report.html").returncode == 2
    assert call(*again, "--html", "report.html", "--force").returncode == 0
    kept = (here / "kept" / "games.jsonl").read_bytes()
    forced = call(*study, "--games", "20", "-o", "kept", "--force")
    assert forced.returncode == 2 and "already holds games" in forced.stderr, "--force is for reports, not for games"
    assert (here / "kept" / "games.jsonl").read_bytes() == kept


def test_games_are_written_even_if_the_report_fails(
    call: Callable[..., Done], here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(found: object) -> str:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("edict.agents.study.reports.render_study", full)
    done = call("study", "./sample", *FEW, "--html", "report.html", "--games-to", "games.csv")
    assert done.returncode == 2 and "No space left on device" in done.stderr
    assert len((here / "games.csv").read_text().splitlines()) == 5, "a line for each of four games"


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="a thing of Unix")
def test_output_can_go_to_standard_output_and_devices(here: Path) -> None:
    assert start_kingsburg(here, "test", "./sample", "--junit", "/dev/stdout").stdout.count("<testsuites") == 1, (
        "a pipe"
    )
    assert run_kingsburg(here, "rulebook", "./sample", "-o", "/dev/stdout").stdout.startswith("# Sample"), "a file"
    assert "<testsuites" in run_kingsburg(here, "test", "./sample", "--junit", "-").stdout
    assert run_kingsburg(here, "rulebook", "./sample", "-o", "-").stdout.startswith("# Sample")
    assert run_kingsburg(here, "check", "./sample", "-o", "-", "--format", "json").stdout.startswith("{")
    assert run_kingsburg(here, "study", "./sample", *FEW, "--html", os.devnull).returncode == 0
    assert not (here / "-").exists()


def test_of_many_who_want_one_name_one_gets_it(tmp_path: Path) -> None:
    refused: list[str] = []

    def try_it(number: int) -> None:
        try:
            write_new(tmp_path / "report", f"{number} " * 10_000)
        except FileAlreadyExists:
            refused.append(str(number))

    threads = [threading.Thread(target=try_it, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    text = (tmp_path / "report").read_text()
    assert len(refused) == 7 and len(set(text.split())) == 1 and text.split()[0] not in refused
    assert os.listdir(tmp_path) == ["report"]


def test_failed_write_leaves_no_empty_file(tmp_path: Path) -> None:
    with pytest.raises(UnicodeEncodeError):
        write_new(tmp_path / "report", "\udcff")
    assert os.listdir(tmp_path) == []


def test_invalid_output_is_refused(call: Callable[..., Done], tmp_path: Path, subtests: pytest.Subtests) -> None:
    compare, league = ("compare", "base", "goal=60"), ("league",)
    for command, name, said in (
        (league, "x.csv", "a league cannot be written to `x.csv`"),
        (compare, "-", "a comparison cannot be written to `-`"),
        (compare, "~nobody-at-all/x.html", "there is no user `nobody-at-all`"),
    ):
        with subtests.test(name=name):
            done = call(*command, "--game", "pig", *FEW, "-o", name)
            assert done.returncode == 2 and said in done.stderr and not (tmp_path / name).exists()


@pytest.mark.skipif(os.name != "posix", reason="names of files are bytes on Unix")
@pytest.mark.parametrize(
    "words",
    ["rulebook ./sample -o", "check ./sample --example --keep", "train pig --games 50 --seed 1 -o"],
)
def test_control_characters_in_file_names_are_not_printed(here: Path, words: str) -> None:
    done = run_kingsburg(here, *words.split(), "\x7fa\x9b.md" if words.startswith("rulebook") else "\x7fa\x9b.json")
    assert done.returncode == 0 and "?a?." in done.stdout, done.stderr
    assert not {"\x7f", "\x9b"} & {*(done.stdout + done.stderr)}


@pytest.mark.skipif(os.name != "posix", reason="names of files are bytes on Unix")
def test_odd_file_names_give_well_formed_reports(here: Path) -> None:
    """Reports for build servers stay well-formed, too."""
    odd = "odd\x01"
    os.rename(here / "sample", here / odd)
    done = run_kingsburg(here, "test", f"./{odd}", "--junit", "\x03.xml", "--coverage-json", "c.json")
    assert done.returncode == 0, done.stderr
    tests = ElementTree.fromstring((here / "\x03.xml").read_bytes()).iter("testcase")
    assert [case.get("name") for case in tests] == ["left"]
    assert run_kingsburg(here, "check", f"./{odd}", "--format", "sarif", "-o", "x.sarif").returncode == 0


# --- tables -----------------------------------------------------------------------------------------


def test_no_title_is_a_formula(subtests: pytest.Subtests) -> None:
    share = {"value": 0.5, "low": 0.1, "high": -0.9}
    for text in ('=HYPERLINK("http://x")', "+1", "-1", "@SUM(1)", "\t=1", "\r=1", "\n=1", "＝1"):
        with subtests.test(text=text):
            seat = {"seat": 1, "bot": text, "win_share": share, "score": {"mean": {"value": -3.5}}}
            source = {"rule": text, "place": text, "brought": -1.25}
            table = render_csv({"games": 3, "seats": [seat], "sources": [source]})
            rows = list(csv.reader(io.StringIO(table, newline="")))
            assert rows[0] == list(CSV_COLUMNS)
            assert rows[1][1] == f"'{text}" and rows[2][1:3] == [f"'{text}"] * 2
            assert (rows[1][8], rows[1][13], rows[2][3]) == ("-0.9", "-3.5", "-1.25"), "numbers stay numbers"


def test_ordinary_cells_are_unchanged() -> None:
    assert [escape_formula(value) for value in ("Inn", "1 = 2", "", -1.5, 3)] == ["Inn", "1 = 2", "", -1.5, 3]
