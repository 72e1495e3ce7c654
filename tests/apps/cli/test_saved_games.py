"""Saved games at the command line: one table at a time, damage that stands in nobody's way, rules that changed."""

from __future__ import annotations

import base64
import importlib
import json
import os
import re
import signal
import stat
import subprocess
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from calling import GAME, ROOT, environment, kingsburg, manifest, write
from edict.apps.cli.long_runs import seed_of as study_seed
from edict.game.table import seeded_draws
from edict.game.table.journal import read_journal
from edict.game.table.journal_files import save_journal
from edict.game.table.rules import load_rules
from edict.game.table.setup import parse_seed
from running import Running
from terminals import Terminal

GAMES = "games"
PLAY = ("play", "./sample", "--human", "Ann", "--human", "Bob")


def sample(folder: Path, text: str = GAME, **more: str) -> None:
    """The rules of a game of four questions (see `calling`): left or right, and then up or down, for each of two."""
    write(folder, {"sample/module.yaml": manifest("sample", "game", **more), "sample/page.edict": text})


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """A saved game of Ann and Bob: Ann took the left, Bob the right, and Ann is asked whether up or down."""
    sample(tmp_path)
    (tmp_path / GAMES).mkdir()
    file = tmp_path / GAMES / "one.jsonl"
    begun = load_rules(tmp_path / "sample").new_game(["Ann", "Bob"], seed=1, journal=file)
    for key in ("left", "right"):
        begun.answer(key)
    begun.close()
    return file


def keys(file: Path) -> list[str]:
    return [answer.key for answer in read_journal(file).answers]


def test_the_list_of_games_says_whose_last_line_was_cut_off(game: Path) -> None:
    """It was left out without a word."""
    folder = game.parent.parent
    listed = ("games", "--format", "json")
    before = kingsburg(folder, *listed).stdout
    game.write_bytes(game.read_bytes()[:-9])
    after = kingsburg(folder, *listed).stdout
    assert [json.loads(text)[0]["cut_off"] for text in (before, after)] == [False, True]
    assert "Its last line was cut off" in kingsburg(folder, "games").stdout


# --- one table at a time ---------------------------------------------------------------------------

Start = Callable[..., Running]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    running: list[Running] = []

    def started(*words: str) -> Running:
        running.append(Running(tmp_path, *words))
        return running[-1]

    yield started
    for one in running:
        one.end()


def test_the_second_table_is_told_who_has_the_game_and_may_watch(start: Start, game: Path, tmp_path: Path) -> None:
    first = start("resume", "one", "--plain", "--human", "Ann")
    first.until("And now?")
    raw = game.read_bytes()
    for command in (("resume", "one"), ("resume",), ("games", "repair", "one")):
        second = kingsburg(tmp_path, *command)
        assert second.returncode == 2 and f"is being played by process {first.process.pid} since" in second.stderr
        assert "`games watch` shows it here" in second.stderr and game.read_bytes() == raw
    onlooker = start("games", "watch", "one", "--plain")
    onlooker.until("Bob: Right")
    first.type("")
    first.type("up")
    assert "Ann: Up" in onlooker.until("Ann: Up")
    first.type("")
    first.type("down")
    assert "The game is over" in onlooker.until("wins.") and onlooker.process.wait(30) == 0
    assert keys(game) == ["left", "right", "up", "down"]


def test_what_is_watched_may_be_taken_back_and_left_and_the_lock_dies_with_its_process(
    start: Start, game: Path, tmp_path: Path
) -> None:
    first = start("resume", "one", "--bot", "random:Bob", "--plain")
    first.until("And now?")
    onlooker = start("games", "watch", "--plain")
    onlooker.until("Bob: Right")
    first.type("undo")
    assert "taken back" in onlooker.until("taken back")
    first.type("right")
    assert "Left" not in onlooker.until("Ann: Right")
    assert onlooker.interrupt() == 0
    onlooker.until("Stopped watching.")
    first.process.send_signal(signal.SIGKILL)
    first.process.wait()
    known = keys(game)
    assert known[0] == "right", "each answer is kept at once"
    assert kingsburg(tmp_path, "resume", "one", typed="up\nquit\n").returncode == 0
    assert keys(game)[: len(known)] == known
    assert [file.name for file in game.parent.iterdir()] == ["one.jsonl"], "the lock is taken away"


HAMMER = """
import sys
import time
import edict
from edict.game.table.rules import load_rules

rules = load_rules("pig")
given = 0
while given < 8:
    try:
        game = edict.resume(sys.argv[1], rules)
    except edict.JournalError as problem:
        assert "being played" in problem.reason, problem
        time.sleep(0.001)
        continue
    game.answer("roll")
    given += 1
    game.close()
print(given)
"""


def test_two_processes_on_one_file_lose_nothing(tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    rules = load_rules("pig")
    rules.new_game(["Ann", "Bob"], seed=3, journal=file).close()
    command = [sys.executable, "-c", HAMMER, str(file)]
    two = [
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment(tmp_path), cwd=ROOT)
        for _ in range(2)
    ]
    assert [int(one.communicate(timeout=100)[0]) for one in two] == [8, 8]
    assert len(read_journal(file).answers) == len(rules.replay(file).journal.answers) == 16


# --- which there are ------------------------------------------------------------------------------


def test_saved_games_are_listed_with_how_they_stand(game: Path, tmp_path: Path) -> None:
    kingsburg(tmp_path, "play", "pig", "--bot", "random:Ann", "--bot", "random:Bob", "--save", f"{GAMES}/over.jsonl")
    write(tmp_path, {f"{GAMES}/spoilt.jsonl": "nonsense\n"})
    game.with_name("two.jsonl").write_bytes(game.read_bytes())
    told = kingsburg(tmp_path, "games").stdout
    assert "one  (last played 2" in told and told.count("sample: Ann 1 and Bob 2\n") == 2, told
    assert "waiting for Ann" in told and re.search(r"  finished; \w+ won\n", told), told
    assert re.search(r"spoilt .*\n  cannot be played: ", told), told
    data = {one["name"]: one for one in json.loads(kingsburg(tmp_path, "games", "--format", "json").stdout)}
    assert data["one"]["waits_for"] == "Ann" and data["one"]["scores"] == [1, 2] and data["over"]["over"]
    for name in ("one", "on"):
        assert kingsburg(tmp_path, "resume", name, typed="quit\n").returncode == 0
    missing = kingsburg(tmp_path, "resume", "oen")
    assert missing.returncode == 2 and "did you mean `one`?" in missing.stderr, missing.stderr
    assert "No games are saved in" in kingsburg(tmp_path, "games", EDICT_GAMES=str(tmp_path / "none")).stdout


# --- damage ----------------------------------------------------------------------------------------


def test_a_damaged_newest_game_does_not_stand_in_the_way(game: Path, tmp_path: Path) -> None:
    journal = read_journal(game)
    for number, name in enumerate(("two", "three", "four", "five")):
        file = game.with_name(f"{name}.jsonl")
        if name == "four":
            os.mkfifo(file)
        elif name == "five":
            file.mkdir()
        else:
            save_journal(file, journal)
            file.write_bytes(file.read_bytes() + (b"[[[[" * 50_000 if name == "two" else b"nonsense\n"))
        os.utime(file, (2_000_000_000 + number, 2_000_000_000 + number))
    done = kingsburg(tmp_path, "resume", typed="\nup\nquit\n")
    assert done.returncode == 0 and keys(game) == ["left", "right", "up"]
    for name in ("two", "three", "four", "five"):
        assert f"{name}.jsonl is skipped: " in done.stderr
    assert "repair two` recovers what it can" in done.stderr and "repair four" not in done.stderr


def test_repair_tells_what_was_saved_and_what_was_lost(game: Path, tmp_path: Path) -> None:
    raw = game.read_bytes()
    *lines, last = raw.splitlines(keepends=True)
    damaged = b"".join([*lines, last.replace(b"right", b"left"), last])
    game.write_bytes(damaged)
    refused = kingsburg(tmp_path, "resume", "one")
    assert refused.returncode == 1 and "line 4: it does not match the lines before it" in refused.stderr
    done = kingsburg(tmp_path, "games", "repair", "one")
    assert done.returncode == 0
    assert "Saved: the game up to line 3, with 1 answer.\n" in done.stdout
    assert "Lost: 2 lines, starting with line 4 (it does not match" in done.stdout
    assert game.with_name("one.jsonl.damaged").read_bytes() == damaged and keys(game) == ["left"]
    assert kingsburg(tmp_path, "resume", "one", typed="right\nquit\n").returncode == 0
    assert "is not damaged" in kingsburg(tmp_path, "games", "repair", "one").stdout
    nothing = kingsburg(tmp_path, "games", "repair", "nosuch")
    assert nothing.returncode == 2 and "there is no game `nosuch`" in nothing.stderr


def test_bots_that_a_journal_names_cannot_harm(game: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    write(tmp_path, {"deep.json": "[" * 100_000})
    journal = read_journal(game)
    for bot in ("/dev/zero", "pipe", "deep.json", "a\0b", "~nosuch/x", "missing", "folder"):
        header = replace(journal.header, bots=(f"greedy@{bot}", ""))
        game.write_bytes(replace(journal, header=header).to_bytes())
        told = kingsburg(tmp_path, "resume", "one")
        assert told.returncode in (1, 2) and "internal error" not in told.stderr and "help:" in told.stderr, (bot, told)


def test_saved_games_are_for_their_owner_alone(tmp_path: Path) -> None:
    sample(tmp_path)
    before = os.umask(0)
    try:
        done = kingsburg(tmp_path, *PLAY, typed="\nleft\n\nsave copy.jsonl\nquit\n")
    finally:
        os.umask(before)
    assert done.returncode == 0, done.stdout + done.stderr
    (kept,) = (tmp_path / GAMES).iterdir()
    modes = [stat.S_IMODE(file.stat().st_mode) for file in (tmp_path / GAMES, kept, tmp_path / "copy.jsonl")]
    assert modes == [0o700, 0o600, 0o600]


# --- the seed --------------------------------------------------------------------------------------


def test_a_seed_is_told_when_the_game_is_over_or_if_it_was_chosen(tmp_path: Path) -> None:
    sample(tmp_path)
    typed = "\nleft\n\nright\n\nup\n\n"
    done = kingsburg(tmp_path, *PLAY, typed=typed + "quit\n")
    (kept,) = (tmp_path / GAMES).iterdir()
    seed = read_journal(kept).header.seed
    assert seed >= 2**64 and str(seed) not in done.stdout + kingsburg(tmp_path, "games", "replay", str(kept)).stdout
    ended = kingsburg(tmp_path, "resume", typed="\ndown\n")
    assert f"--seed {seed}" in ended.stdout and str(seed) in kingsburg(tmp_path, "games", "replay", str(kept)).stdout
    assert "Seed 12." in kingsburg(tmp_path, *PLAY, "--seed", "12", typed=typed).stdout


def test_a_seed_means_the_same_to_every_command() -> None:
    for seed, number in (("12345678901234567890", 12345678901234567890), ("0", 0), ("luck", parse_seed("luck"))):
        assert parse_seed(seed) == study_seed(seed) == number
    assert parse_seed("") is None and study_seed("") == 0


def test_luck_from_a_long_seed_is_even_and_small_seeds_keep_theirs() -> None:
    seeds = [seeded_draws.create_seed() for _ in range(3)]
    assert len(set(seeds)) == 3 and all(2**64 <= seed < 2**128 for seed in seeds)
    rolls = Counter(seeded_draws.draw(seeds[0], number, 6) for number in range(6000))
    assert set(rolls) == set(range(6)) and all(850 < often < 1150 for often in rolls.values())
    first = [seeded_draws.draw(seeds[0], number, 1000) for number in range(40)]
    assert first == [seeded_draws.draw(seeds[0], number, 1000) for number in range(40)], "luck is a function"
    for other in (seeds[0] ^ 1, seeds[0] ^ 1 << 127, seeds[1]):
        assert first != [seeded_draws.draw(max(other, 2**64), number, 1000) for number in range(40)]
    small = [seeded_draws.draw(7, number, 6) for number in range(12)]
    assert small == SEVEN, "journals with small seeds keep their luck"


SEVEN = [4, 3, 3, 3, 2, 1, 5, 5, 5, 0, 5, 2]


# --- rules that changed ----------------------------------------------------------------------------


def test_a_remark_or_another_layout_changes_nothing(game: Path, tmp_path: Path) -> None:
    sample(tmp_path, "# a remark\n\n" + GAME.replace("worth 1", "worth 1  # one"), summary="The same.")
    raw = game.read_bytes()
    done = kingsburg(tmp_path, "resume", "one", typed="\nup\nquit\n")
    assert done.returncode == 0 and "changed" not in done.stdout + done.stderr
    assert game.read_bytes().startswith(raw) and len(list(game.parent.iterdir())) == 1


def test_rules_that_changed_are_told_and_played_on_where_all_fits(game: Path, tmp_path: Path) -> None:
    sample(tmp_path, GAME.replace("gain 3 coin", "gain 30 coin"))
    raw = game.read_bytes()
    done = kingsburg(tmp_path, "resume", "one", typed="\nup\nquit\n")
    assert done.returncode == 0, done.stderr
    assert "The rules of Sample have changed since this game was started:" in done.stdout
    assert "gain 30 coin" in done.stdout and "All 2 answers fit the rules as they are now" in done.stdout
    assert game.with_name("one.jsonl.before").read_bytes() == raw
    assert keys(game) == ["left", "right", "up"]
    again = kingsburg(tmp_path, "resume", "one", typed="quit\n")
    assert "changed" not in again.stdout


OTHER = GAME.replace('option "Right"', 'option "Back"')


def test_an_answer_that_no_longer_fits_is_named_and_nothing_is_touched(game: Path, tmp_path: Path) -> None:
    sample(tmp_path, OTHER)
    raw = game.read_bytes()
    for words in (("resume", "one"), ("resume",)):
        done = kingsburg(tmp_path, *words, typed="\n\n")
        assert done.returncode == 1, done.stdout
        assert "one.jsonl, line 4: answer 2 (Bob, `choose-one`: `right`) no longer fits" in done.stderr, done.stderr
        assert "--rules new" in done.stderr and "--rules old" in done.stderr
        assert 'option "Back"' in done.stdout, "the difference is told"
        assert game.read_bytes() == raw and len(list(game.parent.iterdir())) == 1


def test_going_on_from_there_keeps_the_whole_game(game: Path, tmp_path: Path) -> None:
    sample(tmp_path, OTHER)
    raw = game.read_bytes()
    done = kingsburg(tmp_path, "resume", "one", "--rules", "new", typed="\nback\nquit\n")
    assert done.returncode == 0 and "continues after answer 1; 1 later ones were dropped" in done.stdout
    assert keys(game) == ["left", "back"] and game.with_name("one.jsonl.before").read_bytes() == raw
    kept = kingsburg(tmp_path, "games", "replay", str(game.with_name("one.jsonl.before")))
    assert kept.returncode == 0 and "Bob: Right" in kept.stdout, "by the rules it was begun with"


def test_playing_on_under_the_rules_it_was_begun_with(game: Path, tmp_path: Path) -> None:
    sample(tmp_path, OTHER)
    done = kingsburg(tmp_path, "resume", "one", "--rules", "old", typed="\nup\nquit\n")
    assert done.returncode == 0 and "under the rules it was started with" in done.stdout
    assert keys(game) == ["left", "right", "up"]
    again = kingsburg(tmp_path, "resume", typed="\ndown\n")
    assert again.returncode == 0 and "The game is over" in again.stdout, "it remembers that it keeps its rules"
    assert kingsburg(tmp_path, "resume").returncode == 2
    assert kingsburg(tmp_path, "resume", "one", "--rules", "odd").returncode == 2


def test_rules_that_are_broken_or_gone(game: Path, tmp_path: Path) -> None:
    sample(tmp_path, "nonsense\n")
    done = kingsburg(tmp_path, "resume", "one")
    assert done.returncode == 1 and "--rules old" in done.stderr and "(sample/page.edict:1)" in done.stderr, done.stderr
    (tmp_path / "sample").rename(tmp_path / "elsewhere")
    done = kingsburg(tmp_path, "resume", "one")
    assert done.returncode == 1 and "--rules old" in done.stderr
    done = kingsburg(tmp_path, "resume", "one", "--rules", "old", typed="\nup\nquit\n")
    assert done.returncode == 0 and keys(game) == ["left", "right", "up"]


def test_a_game_that_is_over_stays_as_it_is(game: Path, tmp_path: Path) -> None:
    assert kingsburg(tmp_path, "resume", "one", typed="\nup\n\ndown\n").returncode == 0
    sample(tmp_path, OTHER)
    raw = game.read_bytes()
    assert "The game is over" in kingsburg(tmp_path, "resume", "one").stdout
    done = kingsburg(tmp_path, "resume")
    assert done.returncode == 2 and "is finished" in done.stderr and game.read_bytes() == raw


def test_a_secret_answer_is_not_told(tmp_path: Path) -> None:
    drawn = '    each player\n      choose a card as mine secretly\n      choose one "Which?"'
    secret = GAME.replace('    each player\n      choose one "Which?"', drawn, 1) + "card king\n  worth 2\n"
    sample(tmp_path, secret)
    done = kingsburg(tmp_path, *PLAY, "--save", "one.jsonl", typed="\nking\nquit\n")
    assert done.returncode == 0, done.stderr
    assert keys(tmp_path / "one.jsonl") == ["king"]
    for text in (secret.replace("mine", "ours"), secret.replace("card king", "card queen")):
        sample(tmp_path, text)
        done = kingsburg(tmp_path, "resume", "one.jsonl")
        assert done.returncode == 1 and "(secret)) no longer fits" in done.stderr, done.stderr
        assert "king" not in done.stderr.replace("kingsburg", "").casefold()


def test_a_seat_that_is_no_longer_there(game: Path, tmp_path: Path) -> None:
    sample(tmp_path, GAME.replace("players 1 to 2", "players 1 to 1"))
    done = kingsburg(tmp_path, "resume", "one")
    assert done.returncode == 1 and "cannot even start" in done.stderr and "--rules old" in done.stderr


def test_rules_kept_in_a_game_that_were_tampered_with_are_not_played(game: Path, tmp_path: Path) -> None:
    journal = read_journal(game)
    sample(tmp_path, GAME.replace("gain 3 coin", "gain 30 coin"))
    kingsburg(tmp_path, "play", "./sample", "--human", "Ann", "--human", "Bob", "--save", "other.jsonl", typed="")
    other = read_journal(tmp_path / "other.jsonl")
    bomb = base64.b64encode(zlib.compress(b"[" + b"[]," * 20_000_000 + b"[]]")).decode()
    for bundle in (other.bundle, "AAAA", journal.bundle[:-80], bomb):
        game.write_bytes(replace(journal, bundle=bundle).to_bytes())
        done = kingsburg(tmp_path, "resume", "one", "--rules", "old")
        assert done.returncode == 2 and "the rules kept in the game are damaged" in done.stderr, done.stderr


def test_somebody_who_is_there_is_asked(game: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sample(tmp_path, OTHER)
    raw = game.read_bytes()
    resume = importlib.import_module("edict.apps.cli.commands.resume")
    monkeypatch.setattr(resume, "sys", SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True)))
    left = kingsburg(tmp_path, "resume", "one", typed="nonsense\nleave\n")
    assert "no longer fits" in left.stdout and "Type go on, old, leave" in left.stdout
    assert left.returncode == 0 and game.read_bytes() == raw
    assert kingsburg(tmp_path, "resume", "one", typed="old\n\nquit\n").returncode == 0
    assert read_journal(game).keeps_rules
    game.write_bytes(raw)
    assert kingsburg(tmp_path, "resume", "one", typed="go\n\nquit\n").returncode == 0
    assert keys(game) == ["left"] and game.with_name("one.jsonl.before").read_bytes() == raw


def test_what_is_told_of_changed_rules_can_be_read_before_the_board_is_drawn(game: Path, tmp_path: Path) -> None:
    sample(tmp_path, GAME.replace("gain 3 coin", "gain 30 coin"))
    terminal = Terminal(tmp_path, "resume", "one", size=(100, 60))
    try:
        terminal.read(r"All 2 answers fit[\s\S]*Press Enter\. ")
        terminal.type("", r"Ann> \Z")
    finally:
        terminal.close()
