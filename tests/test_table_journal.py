"""Journals: written as the game goes, read back, and refused with a reason."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest
from test_table_kit import CARD, PAIR, RACE

import edict
from edict import GameError, JournalError
from edict.table.journal import parse_journal, read_journal


def test_a_replay_gives_the_same_state_and_log() -> None:
    for rules in (RACE, CARD):
        for seed in range(30):
            rng = Random(seed)
            game = rules.new_game(PAIR, seed=seed)
            while not game.over and len(game.journal.answers) < 40:
                game.answer(rng.randrange(game.count))
                again = edict.replay(parse_journal(game.journal.to_text().encode()), rules)
                assert again.state == game.state
            assert [repr(e) for e in again.log] == [repr(e) for e in game.log]


def test_typed_dice_are_in_the_journal() -> None:
    game = RACE.new_game(PAIR, seed=5, dice="typed")
    for key in ("roll", "d6-4", "roll", "d6-6"):
        game.answer(key)
    assert [a.key for a in game.journal.answers] == ["roll", "d6-4", "roll", "d6-6"]
    assert game.over and edict.replay(game.journal, RACE).result == game.result


def test_a_game_is_on_disk_after_each_answer(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    game = RACE.new_game(PAIR, seed=5, journal=path)
    for key in ("hold", "hold", "roll"):
        game.answer(key)
        assert edict.replay(path, RACE).state == game.state
    game.back()
    assert edict.replay(path, RACE).state == game.state
    assert len(path.read_text().splitlines()) == 5  # what was taken back still stands there, and that it was


def test_a_copy_does_not_write(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    game = RACE.new_game(PAIR, seed=5, journal=path)
    game.copy().answer("hold")
    assert read_journal(path).answers == ()


def test_a_cut_off_line_is_left_out_and_resuming_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    game = RACE.new_game(PAIR, seed=5, journal=path)
    game.answer("hold")
    whole = game.state
    game.answer("hold")
    path.write_bytes(path.read_bytes()[:-9])
    journal = read_journal(path)
    assert journal.cut_off.startswith('{"seat": 1') and len(journal.answers) == 1
    resumed = RACE.resume(path)
    assert resumed.state == whole
    resumed.answer("hold")
    assert edict.replay(path, RACE).state == game.state and read_journal(path).cut_off == ""


def test_a_lost_line_end_is_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    game = RACE.new_game(PAIR, seed=5, journal=path)
    game.answer("hold")
    path.write_bytes(path.read_bytes()[:-1])
    RACE.resume(path).answer("hold")
    assert [a.key for a in read_journal(path).answers] == ["hold", "hold"]


def test_every_cut_is_read_or_refused_in_words() -> None:
    game = RACE.new_game(["Ann", "Zoë"], seed=5)
    game.answer("hold")
    game.answer("hold")
    raw = game.journal.to_text().encode()
    for length in range(len(raw)):
        try:
            assert len(parse_journal(raw[:length]).answers) <= 2
        except JournalError as problem:
            assert problem.line == 1 and problem.remedy


def test_a_file_is_never_written_over(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_text("precious")
    with pytest.raises(JournalError, match="already"):
        RACE.new_game(PAIR, journal=path)
    assert path.read_text() == "precious"
    with pytest.raises(JournalError, match="cannot be used"):
        RACE.new_game(PAIR, journal=tmp_path / "no" / "such" / "folder")
    with pytest.raises(JournalError, match="cannot be used"):
        edict.replay(tmp_path / "missing.jsonl", RACE)


HEADER = RACE.new_game(PAIR, seed=5).journal.header.to_line()
ROLL = '{"seat": 0, "question": "turn", "answer": "hold"}\n'


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("", 1, "empty"),
        ("\n", 1, "no line of JSON"),
        ("[]\n", 1, "no JSON object"),
        ("{}\n", 1, "does not begin with the header"),
        (HEADER.replace("edict journal 1", "edict journal 9"), 1, "'edict journal 9'"),
        (HEADER.replace('"seed": 5', '"seed": "x"'), 1, "`seed` is wrong"),
        (HEADER.replace('"seed": 5, ', ""), 1, "`seed` is missing"),
        (HEADER.replace('"seed": 5', '"seed": -5'), 1, "seed"),
        (HEADER.replace('"Ann", ', ""), 1, "players"),
        (HEADER.replace('"goal"', '"gaol"'), 1, "no setting"),
        (HEADER.replace("hash-of-race", "hash-of-others"), 1, "other rules"),
        (HEADER + "nonsense\n" + ROLL, 2, "no line of JSON"),
        (HEADER + ROLL + "7\n", 3, "no JSON object"),
        (HEADER + ROLL + '{"seat": 0}\n', 3, "neither"),
        (HEADER + '{"undo": 1}\n', 2, "neither"),
        (HEADER + ROLL.replace('"hold"', "3"), 2, "must be text"),
        (HEADER + ROLL.replace("hold", "fold"), 2, "`fold` is no answer"),
        (HEADER + ROLL + ROLL, 3, "seat 1"),
        (HEADER + ROLL.replace("turn", "bid"), 2, "`bid`"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(text: str, line: int, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(text)
    with pytest.raises(JournalError) as caught:
        edict.replay(path, RACE)
    problem = caught.value
    assert problem.line == line and reason in str(problem) and problem.remedy and "bad.jsonl, line" in str(problem)


def test_an_answer_after_the_end_is_refused() -> None:
    game = CARD.new_game(PAIR, seed=1)
    game.answer("pass")
    game.answer("pass")
    text = game.journal.to_text() + '{"seat": 0, "question": "bet", "answer": "1"}\n'
    with pytest.raises(JournalError, match="after the end"):
        CARD.replay(parse_journal(text.encode()))


def test_lines_are_json_with_readable_keys() -> None:
    game = CARD.new_game(["Ann", "Zoë"], seed=1)
    game.answer("pass")
    header, line = (json.loads(x) for x in game.journal.to_text().splitlines())
    assert header["players"] == ["Ann", "Zoë"] and header["rules"] == "hash-of-cards"
    assert line == {"seat": 0, "question": "bet", "answer": "pass"}


@pytest.mark.parametrize(
    ("players", "reason"),
    [
        (["Ann"], "for 2 players, not 1"),
        (["Ann", "ann"], "two players"),
        (["Ann", " "], "no name"),
        (["Ann", "B\x1bob"], "cannot be shown"),
        (["Ann", "B" * 41], "41 characters"),
        (["Ann", 3], "must be text"),
        ("AB", "a list of names"),
    ],
)
def test_players_are_checked(players: list[str], reason: str) -> None:
    with pytest.raises(GameError, match=reason) as caught:
        RACE.new_game(players)
    assert caught.value.remedy


def test_settings_are_checked() -> None:
    game = RACE.new_game(PAIR, seed=1, settings={"goal": "20", "kind": "on"})
    assert game.journal.header.settings == {"goal": 20, "kind": 1}
    for wrong in ({"gaol": 3}, {"goal": True}, {"goal": "many"}, {"kind": 3}):
        with pytest.raises(GameError) as caught:
            RACE.new_game(PAIR, settings=wrong)
        assert caught.value.remedy
    for arguments in ({"seed": -1}, {"seed": 2**64}, {"seed": True}, {"dice": "loaded"}):
        with pytest.raises(GameError):
            RACE.new_game(PAIR, **arguments)  # type: ignore[arg-type, unused-ignore]
