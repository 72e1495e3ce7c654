"""Campaigns at the command line: consecutive games, interrupted processes, and undo."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from calling import make_manifest, run_kingsburg, wait_until, write_files
from edict.game.table.campaigns import Campaign
from edict.game.table.journal import read_journal
from edict.support import locks
from running import RunningCommand

RULES = """\
resource coin "coin/coins"
keep seats as order of player, quiet
lasting keep renown "renown" of player as number from 0 to 5
lasting keep crown "the crown" as player or none

game reign "Reign"
  players 2 to 3
  order seats
  winners everyone with most coin of it
  score coin of you
  course
    each player
      choose one "Which?"
        option "Left"
          gain 1 coin
        option "Right"
          gain 2 coin
    each player in (everyone with most coin of it)
      add 1 to renown of you
      set crown to you
"""
BOTH = "\nleft\n\nright\n"
PLAY = ("play", "./reign", "--human", "Ann", "--human", "Bob", "--campaign", "winter", "--takebacks", "strict")


Call = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_files(tmp_path, {"reign/module.yaml": make_manifest("reign", "game"), "reign/page.edict": RULES})
    return tmp_path


def read_campaign(folder: Path) -> Campaign:
    return Campaign.read(folder / "games" / "campaigns" / "winter.jsonl")


def list_saved_games(folder: Path) -> list[Path]:
    return sorted((folder / "games").glob("*.jsonl"), key=lambda file: file.stat().st_mtime_ns)


def play(call: Call, typed: str = BOTH, *more: str) -> str:
    done = call(*PLAY, *more, typed=typed)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_next_game_begins_with_carried_values(folder: Path) -> None:
    first = run_kingsburg(folder, *PLAY, typed=BOTH).stdout
    assert "Game 1 of the campaign winter.\n" in first and "Carried over from" not in first
    assert "Carried over to the next game of the campaign winter:" in first
    assert "renown     Ann 0, Bob 1" in first
    bots = ("--bot", "random:Bob", "--bot", "random:Cleo", "--seed", "1")
    second = run_kingsburg(folder, "play", "--campaign", "winter", *bots).stdout
    assert "Game 2 of the campaign winter.\nCarried over from the game before:\n  renown     Ann 0, Bob 1\n" in second
    assert "Reign: Bob" in second, "by the rules of the last game, where none are named"
    shown = run_kingsburg(folder, "campaign", "winter").stdout
    assert shown.startswith("winter: reign, 2 games\n") and "Ann 1, Bob 2" in shown
    assert "The next game begins with:\n  renown     Ann 0, " in shown
    listed = run_kingsburg(folder, "campaign").stdout
    assert "Campaign" in listed and "Bob and Cleo" in listed
    told = run_kingsburg(folder, "games", "replay", str(list_saved_games(folder)[-1])).stdout
    assert "Carried over from the game before:" in told


def test_next_game_has_the_players_of_the_last_unless_named(folder: Path, call: Call) -> None:
    play(call)
    again = call("play", "--campaign", "winter", typed=BOTH)
    assert again.stdout.startswith("Reign: Ann and Bob.") and len(read_campaign(folder).games) == 2
    other = call("play", "--campaign", "winter", "--bot", "random:Cleo", "--bot", "random:Ann")
    assert other.stdout.startswith("Reign: Cleo (random bot) and Ann (random bot).")
    assert call("play", "--campaign", "winter").stdout.startswith("Reign: Cleo (random bot) and Ann (random bot).")


def test_game_counts_once_and_only_when_finished(folder: Path, call: Call) -> None:
    assert "To continue:" in play(call, "\nleft\nquit\n")
    assert not read_campaign(folder).games
    assert "game 1 of the campaign winter: Ann" in call("games").stdout
    (game,) = list_saved_games(folder)
    done = call("resume", str(game), typed="\nright\n")
    assert "Carried over to" in done.stdout and len(read_campaign(folder).games) == 1
    again = call("resume", str(game))
    assert "already counts in the campaign winter" in again.stdout and again.returncode == 0
    assert len(read_campaign(folder).games) == 1


def test_finished_game_is_counted_after_its_process_died(folder: Path, call: Call) -> None:
    play(call)
    file = read_campaign(folder).path
    lock = locks.Lock(file)  # so that the process waits just before it writes
    running = RunningCommand(folder, *PLAY)
    try:
        running.type_line("\nleft\n\nright\n")
        wait_until(
            lambda: len(list_saved_games(folder)) == 2 and len(read_journal(list_saved_games(folder)[-1]).answers) == 2
        )
        running.end()
    finally:
        lock.release()
    (folder / "games" / "torn.jsonl").write_text("{}\n")  # the newest, with which something else is wrong
    assert len(read_campaign(folder).games) == 1
    told = play(call)
    assert "was finished and now counts in the campaign winter" in told and "Game 3 of the campaign winter" in told
    assert [dict(one.scores) for one in read_campaign(folder).games] == [{"Ann": 1, "Bob": 2}] * 3
    assert read_campaign(folder).values["renown", "Bob"] == 3


def test_only_one_of_two_games_from_the_same_state_counts(folder: Path, call: Call) -> None:
    play(call, "\nleft\nquit\n")
    (first,) = list_saved_games(folder)
    play(call, "\nright\n\nleft\n")
    late = call("resume", str(first), typed="\nright\n")
    assert "It will not count: the campaign has moved on since this game began." in late.stdout
    assert late.returncode != 0 and "campaign winter --undo" in late.stderr and "Bob wins." in late.stdout
    assert read_campaign(folder).values["crown",] == "Ann"
    undone = call("campaign", "winter", "--undo").stdout
    assert undone.startswith("The game that Ann and Bob finished on ")
    assert "Carried over to" in call("resume", str(first)).stdout
    assert read_campaign(folder).values["crown",] == "Bob" and len(read_campaign(folder).games) == 1
    taken = call("resume", str(list_saved_games(folder)[-1])).stdout + call("resume", str(first)).stdout
    assert "counts" in taken and len(read_campaign(folder).games) == 1


def test_game_of_a_deleted_campaign_can_be_finished(folder: Path, call: Call) -> None:
    play(call, "\nleft\nquit\n")
    read_campaign(folder).path.unlink()
    done = call("resume", str(list_saved_games(folder)[0]), typed="\nright\n")
    assert "It will not count: there is no campaign at " in done.stdout and "Bob wins." in done.stdout
    assert done.returncode == 2 and "put its file back" in done.stderr and not read_campaign(folder).path.exists()


def test_rules_without_a_carried_keep_are_refused_until_it_is_forgotten(folder: Path, call: Call) -> None:
    play(call)
    (folder / "reign" / "page.edict").write_text(RULES.replace("renown", "fame"), encoding="utf-8")
    refused = call(*PLAY)
    assert refused.returncode == 2 and len(list_saved_games(folder)) == 1
    assert "in the campaign winter: these rules do not carry over `renown` of Ann" in refused.stderr
    assert "`campaign winter --forget renown`" in refused.stderr
    assert "will be reset" in call("campaign", "winter", "--forget", "renown").stdout
    assert "Game 2 of the campaign winter" in play(call)
    call("campaign", "winter", "--undo")
    call("campaign", "winter", "--undo")
    write_files(folder, {"reign/module.yaml": make_manifest("reign", "game", renamed="{renown: fame}")})
    assert "fame       Ann 0, Bob 1" in play(call)


def test_damaged_campaign_is_refused_before_the_game(folder: Path, call: Call) -> None:
    play(call)
    file = read_campaign(folder).path
    damaged = file.read_bytes().replace(b'"Bob", 1', b'"Bob", 5')
    file.write_bytes(damaged)
    refused = call(*PLAY)
    assert refused.returncode == 1 and "winter.jsonl, line 2: " in refused.stderr and "help: " in refused.stderr
    assert file.read_bytes() == damaged and len(list_saved_games(folder)) == 1
    listed = call("campaign")
    assert listed.returncode == 0 and "winter is skipped" in listed.stderr


def test_wrong_calls_name_a_remedy(folder: Path, call: Call, subtests: pytest.Subtests) -> None:
    play(call)
    for words, reason, remedy in (
        ("campaign wintre", "there is no campaign `wintre`", "did you mean `winter`?"),
        ("campaign --undo", "missing campaign name", "add a name"),
        ("campaign winter --forget renwn", "does not carry over `renwn`", "did you mean `renown`?"),
        ("campaign winter --forget renown --undo", "cannot be combined", "use one of them"),
        ("campaign winter --format xml", "invalid value `xml`", "text"),
        ("play pig --campaign winter", "Pig carries nothing over", "lasting keep"),
        ("play ./reign --campaign .hidden", "invalid campaign name `.hidden`", "use a short name"),
    ):
        with subtests.test(words=words):
            done = call(*words.split())
            assert done.returncode == 2 and reason in done.stderr and remedy in done.stderr, (words, done.stderr)
            assert len(read_campaign(folder).games) == 1


def test_campaign_has_json_and_can_be_given_by_path(folder: Path, call: Call) -> None:
    play(call, BOTH, "--campaign", "./mine.jsonl")
    data = json.loads(call("campaign", "./mine.jsonl", "--format", "json").stdout)
    assert data["name"] == "mine" and data["games"] == 1
    assert ["renown", "Bob", 1] in data["entries"][0]["values"]
    forgotten = call("campaign", "./mine.jsonl", "--forget", "renown").stdout
    assert "campaign mine.jsonl --undo` undoes that" in forgotten
    assert (folder / "mine.jsonl").stat().st_mode & 0o077 == 0
    assert "There are no campaigns." in call("campaign").stdout
