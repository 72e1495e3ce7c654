"""Campaigns at the command line: games that follow each other, processes that die in between, and going back."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from calling import kingsburg, manifest, wait_until, write
from edict.game.table.campaigns import Campaign
from edict.game.table.journal import read_journal
from edict.support import locks
from running import Running

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
    write(tmp_path, {"reign/module.yaml": manifest("reign", "game"), "reign/page.edict": RULES})
    return tmp_path


def campaign(folder: Path) -> Campaign:
    return Campaign.read(folder / "games" / "campaigns" / "winter.jsonl")


def saved(folder: Path) -> list[Path]:
    return sorted((folder / "games").glob("*.jsonl"), key=lambda file: file.stat().st_mtime_ns)


def play(call: Call, typed: str = BOTH, *more: str) -> str:
    done = call(*PLAY, *more, typed=typed)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_one_game_after_the_other(folder: Path) -> None:
    first = kingsburg(folder, *PLAY, typed=BOTH).stdout
    assert "Game 1 of the campaign winter.\n" in first and "Carried over from" not in first
    assert "Carried over to the next game of the campaign winter:" in first
    assert "renown     Ann 0, Bob 1" in first
    bots = ("--bot", "random:Bob", "--bot", "random:Cleo", "--seed", "1")
    second = kingsburg(folder, "play", "--campaign", "winter", *bots).stdout
    assert "Game 2 of the campaign winter.\nCarried over from the game before:\n  renown     Ann 0, Bob 1\n" in second
    assert "Reign: Bob" in second, "by the rules of the last game, where none are named"
    shown = kingsburg(folder, "campaign", "winter").stdout
    assert shown.startswith("winter: reign, 2 games\n") and "Ann 1, Bob 2" in shown
    assert "The next game begins with:\n  renown     Ann 0, " in shown
    listed = kingsburg(folder, "campaign").stdout
    assert "Campaign" in listed and "Bob and Cleo" in listed
    told = kingsburg(folder, "games", "replay", str(saved(folder)[-1])).stdout
    assert "Carried over from the game before:" in told


def test_who_plays_is_as_last_time_unless_somebody_else_is_named(folder: Path, call: Call) -> None:
    play(call)
    again = call("play", "--campaign", "winter", typed=BOTH)
    assert again.stdout.startswith("Reign: Ann and Bob.") and len(campaign(folder).games) == 2
    other = call("play", "--campaign", "winter", "--bot", "random:Cleo", "--bot", "random:Ann")
    assert other.stdout.startswith("Reign: Cleo (random bot) and Ann (random bot).")
    assert call("play", "--campaign", "winter").stdout.startswith("Reign: Cleo (random bot) and Ann (random bot).")


def test_what_is_only_begun_counts_nothing_and_what_is_finished_counts_once(folder: Path, call: Call) -> None:
    assert "To continue:" in play(call, "\nleft\nquit\n")
    assert not campaign(folder).games
    assert "game 1 of the campaign winter: Ann" in call("games").stdout
    (game,) = saved(folder)
    done = call("resume", str(game), typed="\nright\n")
    assert "Carried over to" in done.stdout and len(campaign(folder).games) == 1
    again = call("resume", str(game))
    assert "already counts in the campaign winter" in again.stdout and again.returncode == 0
    assert len(campaign(folder).games) == 1


def test_a_process_that_dies_before_it_has_counted_its_game(folder: Path, call: Call) -> None:
    play(call)
    file = campaign(folder).path
    lock = locks.Lock(file)  # so that the process waits just before it writes
    running = Running(folder, *PLAY)
    try:
        running.type("\nleft\n\nright\n")
        wait_until(lambda: len(saved(folder)) == 2 and len(read_journal(saved(folder)[-1]).answers) == 2)
        running.end()
    finally:
        lock.release()
    (folder / "games" / "torn.jsonl").write_text("{}\n")  # the newest, with which something else is wrong
    assert len(campaign(folder).games) == 1
    told = play(call)
    assert "was finished and now counts in the campaign winter" in told and "Game 3 of the campaign winter" in told
    assert [dict(one.scores) for one in campaign(folder).games] == [{"Ann": 1, "Bob": 2}] * 3
    assert campaign(folder).values["renown", "Bob"] == 3


def test_of_two_games_begun_together_one_counts(folder: Path, call: Call) -> None:
    play(call, "\nleft\nquit\n")
    (first,) = saved(folder)
    play(call, "\nright\n\nleft\n")
    late = call("resume", str(first), typed="\nright\n")
    assert "It will not count: the campaign has gone on since this game began." in late.stdout
    assert late.returncode != 0 and "campaign winter --undo" in late.stderr and "Bob wins." in late.stdout
    assert campaign(folder).values["crown",] == "Ann"
    undone = call("campaign", "winter", "--undo").stdout
    assert undone.startswith("The game that Ann and Bob finished on ")
    assert "Carried over to" in call("resume", str(first)).stdout
    assert campaign(folder).values["crown",] == "Bob" and len(campaign(folder).games) == 1
    taken = call("resume", str(saved(folder)[-1])).stdout + call("resume", str(first)).stdout
    assert "counts" in taken and len(campaign(folder).games) == 1


def test_a_game_whose_campaign_is_gone_can_be_finished(folder: Path, call: Call) -> None:
    play(call, "\nleft\nquit\n")
    campaign(folder).path.unlink()
    done = call("resume", str(saved(folder)[0]), typed="\nright\n")
    assert "It will not count: there is no campaign at " in done.stdout and "Bob wins." in done.stdout
    assert done.returncode == 2 and "put its file back" in done.stderr and not campaign(folder).path.exists()


def test_rules_that_have_no_place_for_what_was_carried_over(folder: Path, call: Call) -> None:
    play(call)
    (folder / "reign" / "page.edict").write_text(RULES.replace("renown", "fame"), encoding="utf-8")
    refused = call(*PLAY)
    assert refused.returncode == 2 and len(saved(folder)) == 1
    assert "in the campaign winter: these rules do not carry over `renown` of Ann" in refused.stderr
    assert "`campaign winter --forget renown`" in refused.stderr
    assert "starts afresh" in call("campaign", "winter", "--forget", "renown").stdout
    assert "Game 2 of the campaign winter" in play(call)
    call("campaign", "winter", "--undo")
    call("campaign", "winter", "--undo")
    write(folder, {"reign/module.yaml": manifest("reign", "game", renamed="{renown: fame}")})
    assert "fame       Ann 0, Bob 1" in play(call)


def test_a_damaged_campaign_stops_the_game_before_it_begins(folder: Path, call: Call) -> None:
    play(call)
    file = campaign(folder).path
    damaged = file.read_bytes().replace(b'"Bob", 1', b'"Bob", 5')
    file.write_bytes(damaged)
    refused = call(*PLAY)
    assert refused.returncode == 1 and "winter.jsonl, line 2: " in refused.stderr and "help: " in refused.stderr
    assert file.read_bytes() == damaged and len(saved(folder)) == 1
    listed = call("campaign")
    assert listed.returncode == 0 and "winter is skipped" in listed.stderr


def test_calls_that_are_wrong(folder: Path, call: Call) -> None:
    play(call)
    for words, reason, remedy in (
        ("campaign wintre", "there is no campaign `wintre`", "did you mean `winter`?"),
        ("campaign --undo", "no campaign is named", "write its name"),
        ("campaign winter --forget renwn", "does not carry over `renwn`", "did you mean `renown`?"),
        ("campaign winter --forget renown --undo", "cannot be combined", "use one of them"),
        ("campaign winter --format xml", "invalid value `xml`", "text"),
        ("play pig --campaign winter", "Pig carries nothing over", "lasting keep"),
        ("play ./reign --campaign .hidden", "a campaign cannot be called `.hidden`", "use a short name"),
    ):
        done = call(*words.split())
        assert done.returncode == 2 and reason in done.stderr and remedy in done.stderr, (words, done.stderr)
        assert len(campaign(folder).games) == 1, words


def test_a_campaign_as_data_and_at_a_path(folder: Path, call: Call) -> None:
    play(call, BOTH, "--campaign", "./mine.jsonl")
    data = json.loads(call("campaign", "./mine.jsonl", "--format", "json").stdout)
    assert data["name"] == "mine" and data["games"] == 1
    assert ["renown", "Bob", 1] in data["entries"][0]["values"]
    forgotten = call("campaign", "./mine.jsonl", "--forget", "renown").stdout
    assert "campaign mine.jsonl --undo` takes that back" in forgotten
    assert (folder / "mine.jsonl").stat().st_mode & 0o077 == 0
    assert "There are no campaigns." in call("campaign").stdout
