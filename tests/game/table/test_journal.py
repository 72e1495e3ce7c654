"""Journals: written as the game goes, read back, and refused with a reason."""

from __future__ import annotations

import gc
import json
import os
import pickle
import stat
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

import edict
from edict import GameError, JournalError, RulesError
from edict.game.table.journal import (
    CHANGED_REMEDY,
    MOST_BYTES,
    MOST_NAMED,
    MOST_TEXT,
    NO_GAME_MESSAGE,
    OTHER_GAME_REMEDY,
    REPAIR_REMEDY,
    Answer,
    ChecksumChain,
    JournalReader,
    parse_journal,
    read_journal,
)
from edict.game.table.journal_files import Recorder, repair_journal
from edict.game.table.rules import CONTINUE_REMEDY, Rules, load_bundled_rules, load_rules_for, replay_answers
from on_disk import OnDisk
from table_kit import CARD, PAIR, RACE


def test_replay_restores_state_and_log(subtests: pytest.Subtests) -> None:
    for rules in (RACE, CARD):
        with subtests.test(rules=rules):
            for seed in range(6):
                rng = Random(seed)
                game = rules.new_game(PAIR, seed=seed)
                while not game.over and len(game.journal.answers) < 40:
                    game.answer(rng.randrange(game.count))
                    again = edict.replay(parse_journal(game.journal.to_bytes()), rules)
                    assert again.state == game.state
                assert [repr(e) for e in again.log] == [repr(e) for e in game.log]


def test_typed_dice_are_recorded() -> None:
    game = RACE.new_game(PAIR, seed=5, dice="typed")
    for key in ("roll", "d6-4", "roll", "d6-6"):
        game.answer(key)
    assert [a.key for a in game.journal.answers] == ["roll", "d6-4", "roll", "d6-6"]
    assert game.over and edict.replay(game.journal, RACE).result == game.result


def test_each_answer_is_written_to_disk(tmp_path: Path, subtests: pytest.Subtests) -> None:
    path = tmp_path / "game.jsonl"
    game = RACE.new_game(PAIR, seed=5, journal=path)
    for key in ("hold", "hold", "roll"):
        with subtests.test(key=key):
            game.answer(key)
            assert edict.replay(path, RACE).state == game.state
    game.back()
    assert edict.replay(path, RACE).state == game.state
    assert len(path.read_text().splitlines()) == 5  # what was taken back still stands there, and that it was


def test_answers_of_people_are_synced_at_once_and_of_bots_on_close(
    tmp_path: Path, on_disk: OnDisk, subtests: pytest.Subtests
) -> None:
    path = tmp_path / "game.jsonl"
    header = RACE.new_game(PAIR).journal
    header = replace(header, header=replace(header.header, bots=("", "random")))
    recorder = Recorder.create(path, header)
    assert on_disk(path) == header.to_bytes()
    recorder.answer(Answer(1, "turn", "hold"))
    recorder.answer(Answer(0, "turn", "hold"))
    assert on_disk(path) == path.read_bytes() and path.read_bytes() != header.to_bytes()
    for change in (lambda: recorder.undo(1), recorder.record_pinned_rules, lambda: recorder.rewrite(header, "before")):
        with subtests.test(change=change):
            change()
            assert on_disk(path) == path.read_bytes()
            assert read_journal(path).keeps_rules is (change == recorder.record_pinned_rules)
    recorder.answer(Answer(1, "turn", "hold"))
    recorder.close()
    assert on_disk(path) == path.read_bytes() != header.to_bytes()


def test_copy_is_not_recorded(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    game = RACE.new_game(PAIR, seed=5, journal=path)
    game.copy().answer("hold")
    assert read_journal(path).answers == ()


def test_incomplete_last_line_is_dropped_on_resume(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    game = RACE.new_game(PAIR, seed=5, journal=path)
    game.answer("hold")
    whole = game.state
    game.answer("hold")
    game.close()
    path.write_bytes(path.read_bytes()[:-9])
    journal = read_journal(path)
    assert journal.cut_off.startswith('{"line": 3, "seat": 1') and len(journal.answers) == 1
    resumed = RACE.resume(path)
    assert resumed.state == whole
    resumed.answer("hold")
    resumed.close()
    assert edict.replay(path, RACE).state == game.state and read_journal(path).cut_off == ""
    path.write_bytes(path.read_bytes()[:-1])
    RACE.resume(path).answer("hold")
    assert [a.key for a in read_journal(path).answers] == ["hold"] * 3, "a lost line end is no harm"


def test_journal_cut_anywhere_is_read_or_refused() -> None:
    game = RACE.new_game(["Ann", "Zoë"], seed=5)
    game.answer("hold")
    game.answer("hold")
    raw = game.journal.to_bytes()
    for length in range(len(raw)):
        try:
            assert len(parse_journal(raw[:length]).answers) <= 2
        except JournalError as problem:
            assert problem.line == 1 and problem.remedy


def test_existing_file_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_text("precious")
    with pytest.raises(JournalError, match="already"):
        RACE.new_game(PAIR, journal=path)
    assert path.read_text() == "precious"
    gc.collect()
    os.fstat(0)  # what was never opened is not closed: the keyboard was, when the recorder went
    with pytest.raises(JournalError, match="cannot be used"):
        RACE.new_game(PAIR, journal=tmp_path / "no" / "such" / "folder")
    with pytest.raises(JournalError, match="cannot be used"):
        edict.replay(tmp_path / "missing.jsonl", RACE)


HEADER = RACE.new_game(PAIR, seed=5).journal.header.to_data()
HOLD = {"seat": 0, "question": "turn", "answer": "hold"}


def journal_lines(*data: dict[str, Any]) -> list[bytes]:
    """Return data as lines of a journal."""
    chain = ChecksumChain()
    return [chain.append_data(one) for one in data]


def journal_bytes(*data: dict[str, Any]) -> bytes:
    return b"".join(journal_lines(*data))


def former_journal(*data: object) -> bytes:
    """Return a journal of format 1, whose lines have no number and no checksum."""
    header = {name: value for name, value in HEADER.items() if name != "meaning"} | {"format": "edict journal 1"}
    texts = (one if isinstance(one, str) else json.dumps(one) for one in (header, *data))
    return "".join(text + "\n" for text in texts).encode()


A, B, C, D = journal_lines(HEADER, HOLD, HOLD | {"seat": 1}, HOLD)
DEEP = b"[" * 100_000


NO_MATCH = "it does not match the lines before it, so something was changed"
NO_LINE = "this is not a line of a journal"
NOT_HELD = "the line is no answer before its turn"
NEITHER = "the line is neither an answer nor an undo"
NO_TEXT = "the seat must be a number, the question and the answer must be text"
ANOTHER_QUESTION = "it answers `{}` for seat 0, but `turn` was asked of seat 0"
ANOTHER_FORMAT = "this version reads 'edict journal 2' and 'edict journal 1'; open it with the version it was made with"
OTHER_RULES = "the game was played under other rules of race (version 1, hash-of-others; these are 1, hash-of-race)"
HOW_ON = "`resume` shows what is different, and how to continue"
NO_SETTING = "in the header: there is no setting `gaol`"
START_ANEW = "nothing can be saved without the first line; start a new game"
WRONG: list[tuple[bytes, int, str, str]] = [
    (b"", 1, "it is empty or is not a journal", "start a new game"),
    (b"\n", 1, NO_GAME_MESSAGE, OTHER_GAME_REMEDY),
    (DEEP, 1, "it is empty or is not a journal", "start a new game"),
    (DEEP + b"\n", 1, NO_GAME_MESSAGE, OTHER_GAME_REMEDY),
    (b"[]\n", 1, NO_GAME_MESSAGE, OTHER_GAME_REMEDY),
    (b"{}\n", 1, NO_GAME_MESSAGE, OTHER_GAME_REMEDY),
    (journal_bytes(HEADER | {"format": 7}), 1, NO_GAME_MESSAGE, OTHER_GAME_REMEDY),
    (journal_bytes(HEADER | {"format": ""}), 1, NO_GAME_MESSAGE, OTHER_GAME_REMEDY),
    (journal_bytes(HEADER | {"format": "x" * 41}), 1, f"its format is {'x' * 40!r}", ANOTHER_FORMAT),
    (
        A.replace(b"edict journal 2", b"edict journal 9"),
        1,
        "its format is 'edict journal 9'",
        "this version reads 'edict journal 2' and 'edict journal 1'; open it with the version it was made with",
    ),
    (A.replace(b"Ann", b"Eve"), 1, NO_MATCH, START_ANEW),
    (journal_bytes(HEADER | {"seed": "x"}), 1, "`seed` is invalid in the header", CHANGED_REMEDY),
    (journal_bytes(HEADER | {"seed": -5}), 1, "`seed` is invalid in the header", CHANGED_REMEDY),
    (journal_bytes(HEADER | {"seed": 2**128}), 1, "`seed` is invalid in the header", CHANGED_REMEDY),
    (
        journal_bytes({k: v for k, v in HEADER.items() if k != "seed"}),
        1,
        "`seed` is missing in the header",
        CHANGED_REMEDY,
    ),
    (journal_bytes(HEADER | {"game": "a\0b"}), 1, "`game` is invalid in the header", CHANGED_REMEDY),
    (journal_bytes(HEADER | {"game": "\ud800"}), 1, "`game` is invalid in the header", CHANGED_REMEDY),
    (journal_bytes(HEADER | {"modules": ["m"] * 1000}), 1, "`modules` is invalid in the header", CHANGED_REMEDY),
    (journal_bytes(HEADER | {"bots": 7}), 1, "`bots` is invalid in the header", CHANGED_REMEDY),
    (journal_bytes(HEADER | {"players": ["Ann"]}), 1, "in the header: Race is for 2 players, not 1", "name 2 players"),
    (
        journal_bytes(HEADER | {"settings": {"gaol": 20}}),
        1,
        "in the header: there is no setting `gaol`",
        "did you mean `goal`?",
    ),
    (
        journal_bytes(HEADER | {"settings": {"goal": 10**3000}}),
        1,
        "`settings` is invalid in the header",
        CHANGED_REMEDY,
    ),
    (
        journal_bytes(HEADER | {"rules": "hash-of-others"}),
        1,
        "the game was played under other rules of race (version 1, hash-of-others; these are 1, hash-of-race)",
        "`resume` shows what is different, and how to continue",
    ),
    (A + b"nonsense\n", 2, NO_LINE, REPAIR_REMEDY),
    (A + DEEP + b"\n", 2, NO_LINE, REPAIR_REMEDY),
    (A + DEEP, 2, NO_LINE, REPAIR_REMEDY),
    (A + b'{"seat": ' + b"9" * 5000 + b"}\n", 2, NO_LINE, REPAIR_REMEDY),
    (A + b"\0\0\0\0", 2, NO_LINE, REPAIR_REMEDY),
    (A + B + b"\n" + C, 3, NO_LINE, REPAIR_REMEDY),
    (A + B + C[:40] + b"\n" + D, 3, NO_LINE, REPAIR_REMEDY),
    (A + B + B + C, 3, "line 2 of the game appears here a second time", REPAIR_REMEDY),
    (A + B + C + B + D, 4, "line 2 of the game appears here again", REPAIR_REMEDY),
    (A + C + D, 2, "line 3 of the game appears here: line 2 must be missing or out of place", REPAIR_REMEDY),
    (A + D, 2, "line 4 of the game appears here: lines 2 to 3 must be missing or out of place", REPAIR_REMEDY),
    (A + C + B + D, 2, "line 3 of the game appears here: line 2 must be missing or out of place", REPAIR_REMEDY),
    (A + B.replace(b"hold", b"roll") + C, 2, NO_MATCH, REPAIR_REMEDY),
    (A + B.replace(b'"hold"', b'"roll"'), 2, NO_MATCH, REPAIR_REMEDY),
    (journal_bytes(HEADER, {"undo": 1}), 2, NEITHER, REPAIR_REMEDY),
    (journal_bytes(HEADER, HOLD, {"undo": 2}), 3, NEITHER, REPAIR_REMEDY),
    (
        journal_bytes(HEADER, HOLD | {"answer": 3}),
        2,
        "the seat must be a number, the question and the answer must be text",
        REPAIR_REMEDY,
    ),
    (
        journal_bytes(HEADER, HOLD | {"answer": "fold"}),
        2,
        "`fold` is not an answer to `Roll or hold?`",
        CONTINUE_REMEDY,
    ),
    (
        journal_bytes(HEADER, HOLD, HOLD),
        3,
        "it answers `turn` for seat 0, but `turn` was asked of seat 1",
        CONTINUE_REMEDY,
    ),
    (
        journal_bytes(HEADER, HOLD | {"question": "bid"}),
        2,
        "it answers `bid` for seat 0, but `turn` was asked of seat 0",
        CONTINUE_REMEDY,
    ),
    (former_journal("nonsense", HOLD), 2, "the line is not valid JSON", REPAIR_REMEDY),
    (former_journal(HOLD, 7), 3, "the line is not a JSON object", REPAIR_REMEDY),
    (former_journal(HOLD, {"seat": 0}), 3, NEITHER, REPAIR_REMEDY),
    (
        former_journal({"seat": 10**3000, "question": "turn", "answer": "hold"}),
        2,
        "the seat must be a number, the question and the answer must be text",
        REPAIR_REMEDY,
    ),
    (former_journal(DEEP.decode(), HOLD), 2, "the line is not valid JSON", REPAIR_REMEDY),
    (former_journal(HOLD) + DEEP, 3, "the line is not valid JSON", REPAIR_REMEDY),
    (former_journal(HOLD, HOLD), 3, "it answers `turn` for seat 0, but `turn` was asked of seat 1", CONTINUE_REMEDY),
    (former_journal(HOLD) + C + D, 3, NO_MATCH, REPAIR_REMEDY),
    (former_journal() + b"\n" * 1_000_000, 1, "it has more than 200,000 lines", "no game has that many answers"),
    (journal_bytes(HEADER, HOLD | {"time": -1}), 2, "the time must be a number", REPAIR_REMEDY),
    (journal_bytes(HEADER, HOLD | {"time": True}), 2, "the time must be a number", REPAIR_REMEDY),
    (journal_bytes(HEADER, HOLD | {"time": 1 << 40}), 2, "the time must be a number", REPAIR_REMEDY),
    (journal_bytes(HEADER, {"held": "x", "answers": []}), 2, NOT_HELD, REPAIR_REMEDY),
    (journal_bytes(HEADER, {"held": 0, "answers": 7}), 2, NOT_HELD, REPAIR_REMEDY),
    (journal_bytes(HEADER, {"held": 0, "answers": [["a"]]}), 2, NOT_HELD, REPAIR_REMEDY),
    (journal_bytes(HEADER, {"held": 0, "answers": [["a", 7]]}), 2, NOT_HELD, REPAIR_REMEDY),
    (journal_bytes(HEADER, {"held": 0, "answers": [["a", "b"]] * (MOST_NAMED + 1)}), 2, NOT_HELD, REPAIR_REMEDY),
    (journal_bytes(HEADER, HOLD, {"bundle": 7}), 3, NEITHER, REPAIR_REMEDY),
    (journal_bytes(HEADER, HOLD, {"undo": 0}), 3, NEITHER, REPAIR_REMEDY),
    (journal_bytes(HEADER, HOLD, {"undo": -1}), 3, NEITHER, REPAIR_REMEDY),
    (journal_bytes(HEADER, HOLD, {"undo": True}), 3, NEITHER, REPAIR_REMEDY),
    (
        journal_bytes(HEADER, HOLD | {"question": ""}, HOLD),
        2,
        "it answers `` for seat 0, but `turn` was asked of seat 0",
        CONTINUE_REMEDY,
    ),
    (journal_bytes(HEADER | {"game": "a" * (MOST_TEXT + 1)}), 1, "`game` is invalid in the header", CHANGED_REMEDY),
    (
        journal_bytes(HEADER | {"modules": ["m"] * (MOST_NAMED + 1)}),
        1,
        "`modules` is invalid in the header",
        CHANGED_REMEDY,
    ),
    (
        journal_bytes(HEADER | {"players": ["Ann ", "Ben"]}),
        1,
        "in the header: the list of players is not valid",
        CHANGED_REMEDY,
    ),
    (journal_bytes(HEADER | {"drawn": [["a"]]}), 1, "`drawn` is invalid in the header", CHANGED_REMEDY),
    (journal_bytes(HEADER | {"opening": {"at": ""}}), 1, "`opening` is invalid in the header", CHANGED_REMEDY),
    (journal_bytes(HEADER | {"chapter": {"campaign": ""}}), 1, "`chapter` is invalid in the header", CHANGED_REMEDY),
    (journal_bytes(HEADER | {"dice": "loaded"}), 1, "`dice` is invalid in the header", CHANGED_REMEDY),
]


def test_damage_is_reported_with_its_line(tmp_path: Path, subtests: pytest.Subtests) -> None:
    path = tmp_path / "bad.jsonl"
    for raw, line, reason, remedy in WRONG:
        with subtests.test(raw=raw):
            path.write_bytes(raw)
            with pytest.raises(JournalError) as caught:
                edict.replay(path, RACE)
            problem = caught.value
            assert (problem.line, problem.reason, problem.remedy) == (line, reason, remedy), raw[:200]
            assert str(problem) == f"{path}, line {line}: {reason} ({remedy})"


RIGHT: list[tuple[bytes, int, bool]] = [
    (journal_bytes(HEADER, HOLD | {"time": 0}), 1, False),
    (journal_bytes(HEADER, HOLD | {"time": (1 << 40) - 0.5}), 1, False),
    (journal_bytes(HEADER, HOLD, {"undo": 1, "time": 1.5}), 0, False),
    (journal_bytes(HEADER, {"held": 1, "answers": [["turn", "hold"]] * MOST_NAMED}, HOLD), 1, False),
    (journal_bytes(HEADER, {"keeps_rules": True}, HOLD), 1, True),
    (journal_bytes(HEADER, {"keeps_rules": 1}, HOLD), 1, False),
    (former_journal(HOLD, ""), 1, False),
    (former_journal({}, HOLD), 1, False),
]


@pytest.mark.parametrize(("raw", "answers", "keeps"), RIGHT)
def test_other_kinds_of_lines_are_read(raw: bytes, answers: int, keeps: bool) -> None:
    journal = parse_journal(raw)
    assert (len(journal.answers), journal.keeps_rules, journal.damage, journal.cut_off) == (answers, keeps, None, "")
    assert journal.to_text() == journal.to_bytes().decode()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("game", "a" * MOST_TEXT),
        ("modules", ["m"] * MOST_NAMED),
        ("drawn", [["a", "b"]]),
        ("drawn", []),
        ("seed", 0),
        ("seed", 2**128 - 1),
        ("bots", ["", "greedy"]),
        ("settings", {"goal": -(1 << 63)}),
    ],
)
def test_headers_at_their_limits_are_read(name: str, value: Any) -> None:
    found = getattr(parse_journal(journal_bytes(HEADER | {name: value})).header, name)
    assert found == (
        tuple(map(tuple, value)) if name == "drawn" else tuple(value) if isinstance(value, list) else value
    )


def test_every_flipped_bit_is_detected() -> None:
    raw = A + B + C + D
    whole = parse_journal(raw)
    for place in range(len(raw)):
        spoilt = bytes([*raw[:place], raw[place] ^ 1 << place % 7, *raw[place + 1 :]])
        try:
            journal = JournalReader(spoilt).journal
        except JournalError as problem:
            assert problem.line == 1
            continue
        kept = len(journal.answers)
        assert journal.damage or journal.cut_off, f"byte {place}"
        assert journal.header == whole.header and journal.answers == whole.answers[:kept], f"byte {place}"
        assert spoilt[: journal.size] == raw[: journal.size], "what is kept is as it was written"


def test_format_1_is_read_and_appended_lines_have_checksums(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_bytes(former_journal(HOLD, HOLD | {"seat": 1}, {"undo": 1}))
    game = RACE.resume(path)
    assert [answer.key for answer in game.journal.answers] == ["hold"]
    game.answer("hold")
    game.answer("roll")
    assert edict.replay(path, RACE).state == game.state
    path.write_bytes(path.read_bytes().replace(b'"seat": 1, "question": "turn"', b'"seat": 1, "question": "torn"', 1))
    with pytest.raises(JournalError, match="line 5: it does not match the lines before it"):
        edict.replay(path, RACE)  # its own lines have no checksums, and yet those behind them tell


@pytest.mark.parametrize("kind", ["folder", "pipe", "device", "large", "name"])
def test_non_journal_file_is_refused(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "large":
        with path.open("wb") as file:
            file.truncate(MOST_BYTES + 1)
    path = Path("/dev/zero") if kind == "device" else Path("a\0b") if kind == "name" else path
    for use in (read_journal, Recorder.resume, repair_journal):
        with pytest.raises(JournalError, match="cannot be used"):
            use(path)


def test_only_its_owner_may_read_a_journal(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    before = os.umask(0)
    try:
        game = RACE.new_game(PAIR, seed=5, journal=path)
        game.answer("hold")
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        game.close()
        path.write_bytes(path.read_bytes() + b"nonsense\n")
        kept = repair_journal(path).backup
        assert kept is not None
        assert {stat.S_IMODE(file.stat().st_mode) for file in (path, kept)} == {0o600}
    finally:
        os.umask(before)


# --- repairing -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "answers", "line", "lost", "reason"),
    [
        (A + B + C + D, 3, 0, 0, ""),
        (A + B + C[:-20], 1, 3, 1, "cut off"),
        (A + B + D + C, 1, 3, 2, "missing or out of place"),
        (A + B + B + C + D, 1, 3, 3, "a second time"),
        (A + DEEP + b"\n" + B, 0, 2, 2, "not a line of a journal"),
        (former_journal(HOLD, "nonsense", HOLD), 1, 3, 2, "not valid JSON"),
    ],
)
def test_repair_keeps_valid_lines_and_the_damaged_file(
    raw: bytes, answers: int, line: int, lost: int, reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "game.jsonl"
    path.write_bytes(raw)
    done = repair_journal(path)
    assert (len(done.journal.answers), done.line, done.lost) == (answers, line, lost) and reason in done.reason
    assert (done.backup is None) == (not lost)
    if done.backup:
        assert done.backup.read_bytes() == raw
        path.write_bytes(path.read_bytes() + b"again\n")
        again = repair_journal(path).backup
        assert again and again != done.backup and done.backup.read_bytes() == raw
    game = RACE.resume(path)
    assert len(game.journal.answers) == answers
    game.answer("hold")
    assert edict.replay(path, RACE).state == game.state


def test_repair_without_header_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_bytes(A.replace(b"Ann", b"Eve") + B)
    with pytest.raises(JournalError, match="line 1"):
        repair_journal(path)
    assert path.read_bytes() == A.replace(b"Ann", b"Eve") + B and list(tmp_path.iterdir()) == [path]


# --- one table at a time ---------------------------------------------------------------------------


def test_resuming_in_the_same_process_takes_the_lock_over(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    first = RACE.new_game(PAIR, seed=5, journal=path)
    first.answer("hold")
    second = RACE.resume(path)
    with pytest.raises(JournalError, match="being played elsewhere in this program"):
        first.answer("hold")
    second.answer("hold")
    assert edict.replay(path, RACE).state == second.state


def test_externally_changed_file_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    game = RACE.new_game(PAIR, seed=5, journal=path)
    game.answer("hold")
    with path.open("ab") as other:
        other.write(b"more\n")
    raw = path.read_bytes()
    with pytest.raises(JournalError, match="changed by somebody else"):
        game.answer("hold")
    assert path.read_bytes() == raw and len(game.journal.answers) == 1


def test_full_disk_leaves_no_partial_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "game.jsonl"
    game = RACE.new_game(PAIR, seed=5, journal=path)
    write, room = os.write, [20]

    def short(file: int, raw: bytes) -> int:
        if not room[0]:
            raise OSError(28, "No space left on device")
        written = write(file, raw[: room[0]])
        room[0] = 0
        return written

    monkeypatch.setattr(os, "write", short)
    with pytest.raises(JournalError, match="No space left"):
        game.answer("hold")
    monkeypatch.undo()
    assert read_journal(path).cut_off == "" and game.journal.answers == ()
    game.answer("hold")
    assert edict.replay(path, RACE).state == game.state


@pytest.mark.parametrize("reason", [28, 27], ids=["disk", "file"])
def test_full_disk_leaves_no_file_for_a_new_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reason: int) -> None:
    def full(file: int, raw: bytes) -> int:
        raise OSError(reason, "no room")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(JournalError) as told:
        RACE.new_game(PAIR, seed=5, journal=tmp_path / "game.jsonl")
    monkeypatch.undo()
    assert told.value.remedy == "make room on that disk" and not (tmp_path / "game.jsonl").exists()
    RACE.new_game(PAIR, seed=5, journal=tmp_path / "game.jsonl")


def test_answer_after_the_end_is_refused() -> None:
    game = CARD.new_game(PAIR, seed=1)
    game.answer("pass")
    game.answer("pass")
    more = Answer(0, "bet", "1")
    with pytest.raises(JournalError, match="after the end"):
        CARD.replay(replace(game.journal, answers=(*game.journal.answers, more)))


def test_lines_are_json_with_readable_keys() -> None:
    game = CARD.new_game(["Ann", "Zoë"], seed=1)
    game.answer("pass")
    header, line = (json.loads(x) for x in game.journal.to_bytes().splitlines())
    assert header["players"] == ["Ann", "Zoë"] and header["rules"] == "hash-of-cards"
    assert line.pop("check") and line == {"line": 2, "seat": 0, "question": "bet", "answer": "pass"}


# --- the rules it is played under ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bundle", "reason"),
    [("", "the game does not contain the rules it was started with"), ("!", "the rules kept in the game are damaged")],
)
def test_missing_or_damaged_bundle_is_refused(bundle: str, reason: str) -> None:
    journal = replace(RACE.new_game(PAIR, seed=5).journal, bundle=bundle)
    with pytest.raises(JournalError) as caught:
        load_bundled_rules(journal)
    assert (caught.value.reason, caught.value.remedy) == (reason, "play it under the current rules")
    assert (caught.value.line, caught.value.place) == (0, "journal")


def test_game_is_played_under_its_own_rules(subtests: pytest.Subtests) -> None:
    pig = edict.load("pig")
    journal = pig.new_game(PAIR, seed=5).journal
    others = replace(pig.program, rules_hash="others", meaning="others")

    def changed(name: str, modules: Sequence[str]) -> Rules:
        return Rules(others, name)

    def gone(name: str, modules: Sequence[str]) -> Rules:
        raise RulesError(())

    def same(name: str, modules: Sequence[str]) -> Rules:
        assert (name, modules) == ("pig", ())
        return pig

    hashes = {
        "as they are": (journal, same, pig.program.rules_hash),
        "kept": (replace(journal, keeps_rules=True), changed, pig.program.rules_hash),
        "others now": (journal, changed, pig.program.rules_hash),
        "not there": (journal, gone, pig.program.rules_hash),
        "others now, and none brought along": (replace(journal, bundle=""), changed, "others"),
    }
    for case, (one, load, expected) in hashes.items():
        with subtests.test(case=case):
            assert load_rules_for(one, load).program.rules_hash == expected
    with pytest.raises(RulesError):
        load_rules_for(replace(journal, bundle=""), gone)
    kept = load_bundled_rules(journal)
    assert (kept.name, kept.modules, kept.title, kept.bundle) == ("pig", (), pig.title, journal.bundle)
    with pytest.raises(JournalError, match="the rules kept in the game are damaged"):
        load_bundled_rules(replace(journal, header=replace(journal.header, rules="others")))


def test_replay_names_the_first_invalid_answer() -> None:
    game = RACE.new_game(PAIR, seed=5)
    game.answer("hold")
    with pytest.raises(JournalError) as caught:
        replay_answers(game, [Answer(1, "turn", "hold"), Answer(1, "turn", "hold")], "here")
    assert (caught.value.line, caught.value.place, caught.value.remedy) == (4, "here", CONTINUE_REMEDY)
    assert [answer.key for answer in game.journal.answers] == ["hold", "hold"]


def test_errors_survive_pickling(subtests: pytest.Subtests) -> None:
    for problem in (GameError("so", "thus"), GameError("so"), JournalError("so", "thus", 3, "there")):
        with subtests.test(problem=problem):
            again = pickle.loads(pickle.dumps(problem))
            assert (type(again), vars(again), str(again)) == (type(problem), vars(problem), str(problem))
    assert str(GameError("so", "thus")) == "so (thus)" and str(GameError("so")) == "so"
    assert str(JournalError("so", "", 0, "there")) == "there: so"


def test_game_cannot_go_back_beyond_its_start() -> None:
    game = RACE.new_game(PAIR, seed=5)
    begun = game.state
    game.answer("hold")
    game.answer("hold")
    with pytest.raises(GameError) as caught:
        game.back_by(3)
    assert (caught.value.reason, caught.value.remedy) == ("the game cannot go back by 3 answers", "go back by fewer")
    game.back_by(0)
    assert len(game.answers) == 2
    game.back_by(2)
    assert game.state == begun and game.journal.answers == ()
