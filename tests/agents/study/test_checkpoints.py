"""Saved studies: each piece counts once, damage is detected, and only one process writes."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from calling import COMMAND, make_environment, wait_until
from edict.agents.study.bot_games import GameRange, GameSetup, StudyError, split_games
from edict.agents.study.checkpoint import CHECKPOINT_FILE, CheckpointFile, TotalsMerger, encode_line
from edict.agents.study.study_run import make_study_format
from edict.agents.study.table_files import RequestedTables, play_piece
from edict.agents.study.totals import Totals
from edict.compiler.pipeline.compile import compile_rules
from edict.runtime.program import digest
from edict.support.locks import FileLockedError, hold_lock
from on_disk import OnDisk

Done = subprocess.CompletedProcess[str]
PIG = ("study", "pig", "--players", "2", "--bots", "random", "--workers", "1")
COMPARE = ("compare", "base", "goal=60", "--game", "pig", "--players", "2", "--bots", "random", "--workers", "1")
SETUP = GameSetup(compile_rules("pig").unwrap(), ("random", "random"), (), 1)
PIECES = [GameRange(0, 20), GameRange(20, 20), GameRange(60, 10), GameRange(40, 20)]
RESULTS = [(piece, play_piece(SETUP, RequestedTables(), piece).totals) for piece in PIECES]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A study of four pieces, the later ones not in order."""
    with CheckpointFile.create(tmp_path / "kept", make_study_format(SETUP)) as kept:
        for piece, totals in RESULTS:
            kept.add(piece, totals)
    return tmp_path / "kept"


def resumed(folder: Path) -> tuple[list[tuple[GameRange, Totals]], list[str]]:
    with CheckpointFile.resume(folder, make_study_format(SETUP)) as kept:
        return kept.results, kept.left_out


def line(first: Any, games: Any, found: Any) -> bytes:
    """A line whose digest is right, whatever it says."""
    return encode_line(
        {"first": first, "games": games, "found": found}, encode_line(make_study_format(SETUP).header, "").decode()
    )


def add(folder: Path, *lines: bytes) -> None:
    with open(folder / CHECKPOINT_FILE, "ab") as file:
        file.write(b"".join(lines))


# --- what was changed


def test_saved_pieces_are_read_again_and_duplicates_count_once(folder: Path) -> None:
    assert resumed(folder) == (RESULTS, [])
    lines = (folder / CHECKPOINT_FILE).read_bytes().splitlines(keepends=True)
    add(folder, lines[2], lines[1], lines[2])
    assert resumed(folder) == (RESULTS, [])


def test_saved_piece_is_on_disk_at_once(tmp_path: Path, on_disk: OnDisk, subtests: pytest.Subtests) -> None:
    with CheckpointFile.create(tmp_path, make_study_format(SETUP)) as kept:
        for number, (piece, totals) in enumerate(RESULTS, 1):
            with subtests.test(piece=piece):
                assert on_disk(tmp_path / CHECKPOINT_FILE).count(b"\n") == number  # the header's line is one
                kept.add(piece, totals)
        assert on_disk(tmp_path / CHECKPOINT_FILE) == (tmp_path / CHECKPOINT_FILE).read_bytes()


def test_flipped_bits_are_detected(folder: Path, subtests: pytest.Subtests) -> None:
    """Anywhere in the file: what is still used is as it was written, and all lines but the damaged ones are used."""
    file, random = folder / CHECKPOINT_FILE, Random(2)
    whole = file.read_bytes()
    ends = [at for at, byte in enumerate(whole[:-1]) if byte == ord("\n")]  # the last one ends the last line
    for at in [*ends, *(random.randrange(len(whole) - 1) for _ in range(100))]:
        with subtests.test(at=at):
            file.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << random.randrange(8)]) + whole[at + 1 :])
            results, left_out = resumed(folder)
            number = whole[:at].count(b"\n") + 1
            hit = {number - 2, number - 1} if at in ends else {number - 2}
            assert results == [one for place, one in enumerate(RESULTS) if place not in hit]
            assert left_out[0].startswith(f"line {number}: ")


def test_invalid_or_older_study_is_refused_and_left_unchanged(tmp_path: Path, subtests: pytest.Subtests) -> None:
    header = make_study_format(SETUP).header
    earlier = {name: value for name, value in header.items() if name != "luck"} | {"format": header["format"] - 1}
    told = dict.fromkeys((b"", b"{}\n", b'{"format": 1}\n{"first": 0}\n', b"\xff\xfe\n" * 50), "line 1")
    told[encode_line(earlier, "")] = "was started with another version, whose games have other luck"
    for text, reason in told.items():
        with subtests.test(text=text):
            (tmp_path / CHECKPOINT_FILE).write_bytes(text)
            with pytest.raises(StudyError, match=reason):
                resumed(tmp_path)
            assert (tmp_path / CHECKPOINT_FILE).read_bytes() == text
    (tmp_path / CHECKPOINT_FILE).unlink()
    with pytest.raises(StudyError, match="no study to continue"):
        resumed(tmp_path)


FOUND = play_piece(SETUP, RequestedTables(), GameRange(70, 30)).totals.to_data()
WRONG: list[dict[str, Any]] = [
    {"games": None},
    {"shared": True},
    {"games": 10**3000},
    {"cells": 10**12},
    {"sums": {"-1": 5}},
    {"sums": {"9" * 3000: 5}},
    {"scores": []},
    {"margins": {"1": 29}},
]
CANNOT_BE: list[tuple[Any, Any, Any]] = [
    (0, 90, FOUND),  # 30 games told as 90
    (-30, 30, FOUND),
    (70, None, FOUND),
    (70, -30, FOUND),
    (70, 0, FOUND),
    (70, True, FOUND),
    ("70", 30, FOUND),
    (10**3000, 30, FOUND),
    (70, 30, None),
    *((70, 30, FOUND | wrong) for wrong in WRONG),
]


def test_impossible_pieces_are_skipped_even_with_a_valid_digest(
    folder: Path, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    other = GameSetup(SETUP.program, SETUP.bots, (), seed=2)
    with CheckpointFile.create(tmp_path / "other", make_study_format(other)) as kept:
        kept.add(GameRange(70, 10), play_piece(other, RequestedTables(), GameRange(70, 10)).totals)
    deep = b"[" * 100_000 + b"]" * 100_000
    seal = encode_line(make_study_format(SETUP).header, "").decode()
    wrong: list[tuple[bytes, str]] = [
        (line(65, 30, FOUND), "it holds some of the same games as line 4"),
        (line(0, 30, FOUND), "it holds some of the same games as line 2"),
        ((tmp_path / "other" / CHECKPOINT_FILE).read_bytes().splitlines(keepends=True)[1], "its digest does not match"),
        (b'{"digest":"%s","data":%s}\n' % (digest(seal + deep.decode()).encode(), deep), "it cannot be read as JSON"),
        *((line(*one), "it does not hold") for one in CANNOT_BE),
    ]
    add(folder, *(text for text, _ in wrong))
    results, left_out = resumed(folder)
    assert results == RESULTS
    for number, (told, (_, reason)) in enumerate(zip(left_out, wrong, strict=True), 6):
        with subtests.test(told=told):
            assert told.startswith(f"line {number}: {reason}")


def test_pieces_are_used_if_only_the_header_is_damaged(folder: Path) -> None:
    file = folder / CHECKPOINT_FILE
    file.write_bytes(file.read_bytes().replace(b"Pig", b"Pug", 1))
    results, left_out = resumed(folder)
    assert results == RESULTS
    assert [one.partition(":")[0] for one in left_out] == ["line 1"]


def test_resuming_with_fewer_games_is_refused(folder: Path) -> None:
    with pytest.raises(StudyError, match="already larger") as told:
        CheckpointFile.resume(folder, make_study_format(SETUP), 60)
    assert told.value.remedy == "give --games 70"


# --- pieces


def test_missing_ranges_fill_every_gap_without_overlap() -> None:
    random = Random(5)
    for _ in range(200):
        edges = sorted(random.sample(range(100), 8))
        done = [GameRange(a, b - a) for a, b in zip(edges[::2], edges[1::2], strict=True)]
        random.shuffle(done)
        missing = list(split_games(120, 25, done))
        pieces = [*done, *missing]
        assert sorted(n for one in pieces for n in range(one.first, one.first + one.games)) == list(range(120))
        assert all(one.first // 25 == (one.first + one.games - 1) // 25 for one in missing)


def test_collected_pieces_are_passed_on_once_and_in_time(subtests: pytest.Subtests) -> None:
    """Games that take minutes are not held back until there are many of them."""
    pieces = list(split_games(120, 4))
    Random(3).shuffle(pieces)
    given = list[tuple[GameRange, Totals]]()
    for games, longest in ((1, 30.0), (7, 30.0), (30, 30.0), (100, 30.0), (1000, 0.0)):
        with subtests.test(games=games):
            given.clear()
            with TotalsMerger(games, lambda stretch, totals: given.append((stretch, totals)), longest) as gathering:
                for taken, piece in enumerate(pieces, 1):
                    totals = Totals.zero(2)
                    totals.games = piece.games
                    gathering.add(piece, totals)
                    assert longest or len(given) == taken
            numbers = [n for one, _ in given for n in range(one.first, one.first + one.games)]
            assert sorted(numbers) == list(range(120))
            assert all(one.games == totals.games for one, totals in given)
            assert len(given) < len(pieces) or games == 1 or not longest


# --- the command


def test_damaged_or_truncated_pieces_are_reported_and_played_again(call: Callable[..., Done], tmp_path: Path) -> None:
    call(*PIG, "--games", "1200", "-o", "kept")
    file, report = tmp_path / "kept" / CHECKPOINT_FILE, tmp_path / "kept" / "study.json"
    whole = report.read_text()
    header, piece, *others = file.read_bytes().splitlines(keepends=True)
    damaged = piece.replace(b'"games":', b'"games":9', 1)
    file.write_bytes(b"".join([header, damaged, *others[:-1], b"{nonsense}\n", others[-1][:-100]]))
    done = call(*PIG, "--games", "1200", "-o", "kept", "--resume")
    assert done.returncode == 0, done.stderr
    assert "games.jsonl, line 2: its digest" in done.stderr and f"line {2 + len(others)}: this is no" in done.stderr
    assert "played again" in done.stderr
    assert report.read_text() == whole
    again = call(*PIG, "--games", "1200", "-o", "kept", "--resume")
    assert report.read_text() == whole and again.returncode == 0


def test_resumed_comparison_equals_an_uninterrupted_one(
    call: Callable[..., Done], tmp_path: Path, subtests: pytest.Subtests
) -> None:
    """What is kept of it is cut off in the middle of a look."""
    call(*COMPARE, "--games", "800", "--seed", "4", "-o", "parts")
    file, report = tmp_path / "parts" / CHECKPOINT_FILE, tmp_path / "parts" / "comparison.json"
    whole = report.read_text()
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:4]))
    done = call(*COMPARE, "--games", "800", "--seed", "4", "-o", "parts", "--resume")
    assert done.returncode == 0, done.stderr
    assert report.read_text() == whole
    for words, said in (
        ((*COMPARE, "--games", "900", "--seed", "4", "-o", "parts", "--resume"), "games 800, not 900"),
        ((*PIG, "--games", "800", "-o", "parts", "--resume"), "holds no study, but a comparison"),
        ((*COMPARE, "-o", "out.json", "--resume"), "--resume continues the comparison in a folder"),
    ):
        with subtests.test(words=words):
            refused = call(*words)
            assert refused.returncode == 2 and said in refused.stderr


# --- one process at a time


@pytest.fixture
def running(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A study without end that has kept something."""
    with subprocess.Popen(
        [*COMMAND, *PIG, "--games", "100000000", "-o", "kept"],
        cwd=tmp_path,
        env=make_environment(tmp_path),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        file = tmp_path / "kept" / CHECKPOINT_FILE
        wait_until(lambda: file.exists() and file.read_bytes().count(b"\n") > 3)
        yield process
        process.kill()


def test_study_is_locked_until_its_process_ends(
    call: Callable[..., Done], tmp_path: Path, running: subprocess.Popen[bytes]
) -> None:
    refused = call(*PIG, "--games", "100000000", "-o", "kept", "--resume")
    assert refused.returncode == 2 and "another process is writing to" in refused.stderr
    running.send_signal(signal.SIGKILL)
    running.wait()
    lines = (tmp_path / "kept" / CHECKPOINT_FILE).read_bytes().count(b"\n")
    games = str(500 * lines)
    assert call(*PIG, "--games", games, "-o", "kept", "--resume").returncode == 0
    assert json.loads((tmp_path / "kept" / "study.json").read_text())["games"] == int(games)
    call(*PIG, "--games", games, "-o", "whole.json")
    assert (tmp_path / "kept" / "study.json").read_text() == (tmp_path / "whole.json").read_text()


def test_lock_is_exclusive_and_leaves_no_file(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    with hold_lock(file):
        with pytest.raises(FileLockedError) as told, hold_lock(tmp_path / "." / "games.jsonl"):
            pass
        assert told.value.filename == str(file)
    with hold_lock(file):
        pass
    assert list(tmp_path.iterdir()) == []
