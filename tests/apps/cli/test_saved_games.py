"""Saved games at the command line: locks, damage, seeds, and changed rules."""

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

from calling import GAME, ROOT, make_environment, make_manifest, run_kingsburg, write_files
from edict.apps.cli.long_runs import parse_seed as study_seed
from edict.game.table import seeded_draws
from edict.game.table.journal import read_journal
from edict.game.table.journal_files import save_journal
from edict.game.table.rules import load_rules
from edict.game.table.setup import parse_seed
from running import RunningCommand
from terminals import Terminal

GAMES = "games"
PLAY = ("play", "./sample", "--human", "Ann", "--human", "Bob")


def write_sample_game(folder: Path, text: str = GAME, **more: str) -> None:
    """Write a game of four questions (see `calling`): left or right, then up or down, for each of two players."""
    write_files(folder, {"sample/module.yaml": make_manifest("sample", "game", **more), "sample/page.edict": text})


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """Return a saved game in which Ann took the left, Bob the right, and Ann is asked next."""
    write_sample_game(tmp_path)
    (tmp_path / GAMES).mkdir()
    file = tmp_path / GAMES / "one.jsonl"
    begun = load_rules(tmp_path / "sample").new_game(["Ann", "Bob"], seed=1, journal=file)
    for key in ("left", "right"):
        begun.answer(key)
    begun.close()
    return file


def read_answer_keys(file: Path) -> list[str]:
    return [answer.key for answer in read_journal(file).answers]


def test_list_of_games_marks_cut_off_ones(game: Path) -> None:
    folder = game.parent.parent
    listed = ("games", "--format", "json")
    before = run_kingsburg(folder, *listed).stdout
    game.write_bytes(game.read_bytes()[:-9])
    after = run_kingsburg(folder, *listed).stdout
    assert [json.loads(text)["games"][0]["cut_off"] for text in (before, after)] == [False, True]
    assert "Its last line was cut off" in run_kingsburg(folder, "games").stdout


# --- one table at a time ---------------------------------------------------------------------------

Start = Callable[..., RunningCommand]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    running: list[RunningCommand] = []

    def started(*words: str) -> RunningCommand:
        running.append(RunningCommand(tmp_path, *words))
        return running[-1]

    yield started
    for one in running:
        one.end()


def test_game_in_use_is_refused_with_its_holder_and_can_be_watched(
    start: Start, game: Path, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    first = start("resume", "one", "--plain", "--human", "Ann")
    first.wait_for("And now?")
    raw = game.read_bytes()
    for command in (("resume", "one"), ("resume",), ("games", "repair", "one")):
        with subtests.test(command=command):
            second = run_kingsburg(tmp_path, *command)
            assert second.returncode == 2 and f"is being played by process {first.process.pid} since" in second.stderr
            assert "`games watch` shows it here" in second.stderr and game.read_bytes() == raw
    onlooker = start("games", "watch", "one", "--plain")
    onlooker.wait_for("Bob: Right")
    first.type_line("")
    first.type_line("up")
    assert "Ann: Up" in onlooker.wait_for("Ann: Up")
    first.type_line("")
    first.type_line("down")
    assert "The game is over" in onlooker.wait_for("wins.") and onlooker.process.wait(30) == 0
    assert read_answer_keys(game) == ["left", "right", "up", "down"]


def test_what_is_watched_may_be_taken_back_and_left_and_the_lock_dies_with_its_process(
    start: Start, game: Path, tmp_path: Path
) -> None:
    first = start("resume", "one", "--bot", "random:Bob", "--plain")
    first.wait_for("And now?")
    onlooker = start("games", "watch", "--plain")
    onlooker.wait_for("Bob: Right")
    first.type_line("undo")
    assert "taken back" in onlooker.wait_for("taken back")
    first.type_line("right")
    assert "Left" not in onlooker.wait_for("Ann: Right")
    assert onlooker.interrupt() == 0
    onlooker.wait_for("Stopped watching.")
    first.process.send_signal(signal.SIGKILL)
    first.process.wait()
    known = read_answer_keys(game)
    assert known[0] == "right", "each answer is kept at once"
    assert run_kingsburg(tmp_path, "resume", "one", typed="up\nquit\n").returncode == 0
    assert read_answer_keys(game)[: len(known)] == known
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
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=make_environment(tmp_path), cwd=ROOT)
        for _ in range(2)
    ]
    assert [int(one.communicate(timeout=100)[0]) for one in two] == [8, 8]
    assert len(read_journal(file).answers) == len(rules.replay(file).journal.answers) == 16


# --- which there are ------------------------------------------------------------------------------


def test_list_of_games_shows_their_state(game: Path, tmp_path: Path, subtests: pytest.Subtests) -> None:
    run_kingsburg(
        tmp_path, "play", "pig", "--bot", "random:Ann", "--bot", "random:Bob", "--save", f"{GAMES}/over.jsonl"
    )
    write_files(tmp_path, {f"{GAMES}/spoilt.jsonl": "nonsense\n"})
    game.with_name("two.jsonl").write_bytes(game.read_bytes())
    told = run_kingsburg(tmp_path, "games").stdout
    assert "one  (last played 2" in told and told.count("sample: Ann 1 and Bob 2\n") == 2, told
    assert "waiting for Ann" in told and re.search(r"  finished; \w+ won\n", told), told
    assert re.search(r"spoilt .*\n  cannot be played: ", told), told
    document = json.loads(run_kingsburg(tmp_path, "games", "--format", "json").stdout)
    data = {one["name"]: one for one in document["games"]}
    assert data["one"]["waits_for"] == "Ann" and data["one"]["scores"] == [1, 2] and data["over"]["over"]
    for name in ("one", "on"):
        with subtests.test(name=name):
            assert run_kingsburg(tmp_path, "resume", name, typed="quit\n").returncode == 0
    missing = run_kingsburg(tmp_path, "resume", "oen")
    assert missing.returncode == 2 and "did you mean `one`?" in missing.stderr, missing.stderr
    assert "No saved games in" in run_kingsburg(tmp_path, "games", EDICT_GAMES=str(tmp_path / "none")).stdout


# --- damage ----------------------------------------------------------------------------------------


def test_resume_skips_damaged_games(game: Path, tmp_path: Path, subtests: pytest.Subtests) -> None:
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
    done = run_kingsburg(tmp_path, "resume", typed="\nup\nquit\n")
    assert done.returncode == 0 and read_answer_keys(game) == ["left", "right", "up"]
    for name in ("two", "three", "four", "five"):
        with subtests.test(name=name):
            assert f"{name}.jsonl is skipped: " in done.stderr
    assert "repair two` recovers what it can" in done.stderr and "repair four" not in done.stderr


def test_repair_reports_saved_and_lost_lines(game: Path, tmp_path: Path) -> None:
    raw = game.read_bytes()
    *lines, last = raw.splitlines(keepends=True)
    damaged = b"".join([*lines, last.replace(b"right", b"left"), last])
    game.write_bytes(damaged)
    refused = run_kingsburg(tmp_path, "resume", "one")
    assert refused.returncode == 1 and "line 4: it does not match the lines before it" in refused.stderr
    done = run_kingsburg(tmp_path, "games", "repair", "one")
    assert done.returncode == 0
    assert "Saved: the game up to line 3, with 1 answer.\n" in done.stdout
    assert "Lost: 2 lines, starting with line 4 (it does not match" in done.stdout
    assert game.with_name("one.jsonl.damaged").read_bytes() == damaged and read_answer_keys(game) == ["left"]
    assert run_kingsburg(tmp_path, "resume", "one", typed="right\nquit\n").returncode == 0
    assert "is not damaged" in run_kingsburg(tmp_path, "games", "repair", "one").stdout
    nothing = run_kingsburg(tmp_path, "games", "repair", "nosuch")
    assert nothing.returncode == 2 and "there is no game `nosuch`" in nothing.stderr


def test_bots_that_a_journal_names_cannot_harm(game: Path, tmp_path: Path, subtests: pytest.Subtests) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    write_files(tmp_path, {"deep.json": "[" * 100_000})
    journal = read_journal(game)
    for bot in ("/dev/zero", "pipe", "deep.json", "a\0b", "~nosuch/x", "missing", "folder"):
        with subtests.test(bot=bot):
            header = replace(journal.header, bots=(f"greedy@{bot}", ""))
            game.write_bytes(replace(journal, header=header).to_bytes())
            told = run_kingsburg(tmp_path, "resume", "one")
            assert told.returncode in (1, 2) and "internal error" not in told.stderr and "help:" in told.stderr, (
                bot,
                told,
            )


def test_saved_games_are_readable_by_their_owner_only(tmp_path: Path) -> None:
    write_sample_game(tmp_path)
    before = os.umask(0)
    try:
        done = run_kingsburg(tmp_path, *PLAY, typed="\nleft\n\nsave copy.jsonl\nquit\n")
    finally:
        os.umask(before)
    assert done.returncode == 0, done.stdout + done.stderr
    (kept,) = (tmp_path / GAMES).iterdir()
    modes = [stat.S_IMODE(file.stat().st_mode) for file in (tmp_path / GAMES, kept, tmp_path / "copy.jsonl")]
    assert modes == [0o700, 0o600, 0o600]


# --- the seed --------------------------------------------------------------------------------------


def test_a_seed_is_told_when_the_game_is_over_or_if_it_was_chosen(tmp_path: Path) -> None:
    write_sample_game(tmp_path)
    typed = "\nleft\n\nright\n\nup\n\n"
    done = run_kingsburg(tmp_path, *PLAY, typed=typed + "quit\n")
    (kept,) = (tmp_path / GAMES).iterdir()
    seed = read_journal(kept).header.seed
    assert seed >= 2**64 and str(seed) not in done.stdout + run_kingsburg(tmp_path, "games", "replay", str(kept)).stdout
    ended = run_kingsburg(tmp_path, "resume", typed="\ndown\n")
    assert (
        f"--seed {seed}" in ended.stdout and str(seed) in run_kingsburg(tmp_path, "games", "replay", str(kept)).stdout
    )
    assert "Seed 12." in run_kingsburg(tmp_path, *PLAY, "--seed", "12", typed=typed).stdout


def test_seed_has_the_same_meaning_in_every_command(subtests: pytest.Subtests) -> None:
    for seed, number in (("12345678901234567890", 12345678901234567890), ("0", 0), ("luck", parse_seed("luck"))):
        with subtests.test(seed=seed):
            assert parse_seed(seed) == study_seed(seed) == number
    assert parse_seed("") is None and study_seed("") == 0


def test_luck_from_a_long_seed_is_even_and_small_seeds_keep_theirs(subtests: pytest.Subtests) -> None:
    seeds = [seeded_draws.create_seed() for _ in range(3)]
    assert len(set(seeds)) == 3 and all(2**64 <= seed < 2**128 for seed in seeds)
    rolls = Counter(seeded_draws.draw(seeds[0], number, 6) for number in range(6000))
    assert set(rolls) == set(range(6)) and all(850 < often < 1150 for often in rolls.values())
    first = [seeded_draws.draw(seeds[0], number, 1000) for number in range(40)]
    assert first == [seeded_draws.draw(seeds[0], number, 1000) for number in range(40)], "luck is a function"
    for other in (seeds[0] ^ 1, seeds[0] ^ 1 << 127, seeds[1]):
        with subtests.test(other=other):
            assert first != [seeded_draws.draw(max(other, 2**64), number, 1000) for number in range(40)]
    small = [seeded_draws.draw(7, number, 6) for number in range(12)]
    assert small == SEVEN, "journals with small seeds keep their luck"


SEVEN = [4, 3, 3, 3, 2, 1, 5, 5, 5, 0, 5, 2]


# --- rules that changed ----------------------------------------------------------------------------


def test_changed_comments_and_layout_do_not_count_as_changed_rules(game: Path, tmp_path: Path) -> None:
    write_sample_game(tmp_path, "# a remark\n\n" + GAME.replace("worth 1", "worth 1  # one"), summary="The same.")
    raw = game.read_bytes()
    done = run_kingsburg(tmp_path, "resume", "one", typed="\nup\nquit\n")
    assert done.returncode == 0 and "changed" not in done.stdout + done.stderr
    assert game.read_bytes().startswith(raw) and len(list(game.parent.iterdir())) == 1


def test_game_continues_under_changed_rules_if_all_answers_fit(game: Path, tmp_path: Path) -> None:
    write_sample_game(tmp_path, GAME.replace("gain 3 coin", "gain 30 coin"))
    raw = game.read_bytes()
    done = run_kingsburg(tmp_path, "resume", "one", typed="\nup\nquit\n")
    assert done.returncode == 0, done.stderr
    assert "The rules of Sample have changed since this game was started:" in done.stdout
    assert "gain 30 coin" in done.stdout and "All 2 answers fit the current rules" in done.stdout
    assert game.with_name("one.jsonl.before").read_bytes() == raw
    assert read_answer_keys(game) == ["left", "right", "up"]
    again = run_kingsburg(tmp_path, "resume", "one", typed="quit\n")
    assert "changed" not in again.stdout


OTHER = GAME.replace('option "Right"', 'option "Back"')


def test_an_answer_that_no_longer_fits_is_named_and_nothing_is_touched(
    game: Path, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    write_sample_game(tmp_path, OTHER)
    raw = game.read_bytes()
    for words in (("resume", "one"), ("resume",)):
        with subtests.test(words=words):
            done = run_kingsburg(tmp_path, *words, typed="\n\n")
            assert done.returncode == 1, done.stdout
            assert "one.jsonl, line 4: answer 2 (Bob, `choose-one`: `right`) no longer fits" in done.stderr, done.stderr
            assert "--rules new" in done.stderr and "--rules old" in done.stderr
            assert 'option "Back"' in done.stdout, "the difference is told"
            assert game.read_bytes() == raw and len(list(game.parent.iterdir())) == 1


def test_continuing_before_a_mismatch_keeps_a_backup(game: Path, tmp_path: Path) -> None:
    write_sample_game(tmp_path, OTHER)
    raw = game.read_bytes()
    done = run_kingsburg(tmp_path, "resume", "one", "--rules", "new", typed="\nback\nquit\n")
    assert done.returncode == 0 and "continues after answer 1; 1 later ones were dropped" in done.stdout
    assert read_answer_keys(game) == ["left", "back"] and game.with_name("one.jsonl.before").read_bytes() == raw
    kept = run_kingsburg(tmp_path, "games", "replay", str(game.with_name("one.jsonl.before")))
    assert kept.returncode == 0 and "Bob: Right" in kept.stdout, "by the rules it was begun with"


def test_playing_on_under_the_rules_it_was_begun_with(game: Path, tmp_path: Path) -> None:
    write_sample_game(tmp_path, OTHER)
    done = run_kingsburg(tmp_path, "resume", "one", "--rules", "old", typed="\nup\nquit\n")
    assert done.returncode == 0 and "under the rules it was started with" in done.stdout
    assert read_answer_keys(game) == ["left", "right", "up"]
    again = run_kingsburg(tmp_path, "resume", typed="\ndown\n")
    assert again.returncode == 0 and "The game is over" in again.stdout, "it remembers that it keeps its rules"
    assert run_kingsburg(tmp_path, "resume").returncode == 2
    assert run_kingsburg(tmp_path, "resume", "one", "--rules", "odd").returncode == 2


def test_game_with_broken_or_missing_rules_can_use_its_own(game: Path, tmp_path: Path) -> None:
    write_sample_game(tmp_path, "nonsense\n")
    done = run_kingsburg(tmp_path, "resume", "one")
    assert done.returncode == 1 and "--rules old" in done.stderr and "(sample/page.edict:1)" in done.stderr, done.stderr
    (tmp_path / "sample").rename(tmp_path / "elsewhere")
    done = run_kingsburg(tmp_path, "resume", "one")
    assert done.returncode == 1 and "--rules old" in done.stderr
    done = run_kingsburg(tmp_path, "resume", "one", "--rules", "old", typed="\nup\nquit\n")
    assert done.returncode == 0 and read_answer_keys(game) == ["left", "right", "up"]


def test_finished_game_is_not_migrated(game: Path, tmp_path: Path) -> None:
    assert run_kingsburg(tmp_path, "resume", "one", typed="\nup\n\ndown\n").returncode == 0
    write_sample_game(tmp_path, OTHER)
    raw = game.read_bytes()
    assert "The game is over" in run_kingsburg(tmp_path, "resume", "one").stdout
    done = run_kingsburg(tmp_path, "resume")
    assert done.returncode == 2 and "is finished" in done.stderr and game.read_bytes() == raw


def test_secret_answer_is_hidden_in_a_mismatch(tmp_path: Path, subtests: pytest.Subtests) -> None:
    drawn = '    each player\n      choose a card as mine secretly\n      choose one "Which?"'
    secret = GAME.replace('    each player\n      choose one "Which?"', drawn, 1) + "card king\n  worth 2\n"
    write_sample_game(tmp_path, secret)
    done = run_kingsburg(tmp_path, *PLAY, "--save", "one.jsonl", typed="\nking\nquit\n")
    assert done.returncode == 0, done.stderr
    assert read_answer_keys(tmp_path / "one.jsonl") == ["king"]
    for text in (secret.replace("mine", "ours"), secret.replace("card king", "card queen")):
        with subtests.test(text=text):
            write_sample_game(tmp_path, text)
            done = run_kingsburg(tmp_path, "resume", "one.jsonl")
            assert done.returncode == 1 and "(secret)) no longer fits" in done.stderr, done.stderr
            assert "king" not in done.stderr.replace("kingsburg", "").casefold()


def test_game_with_too_many_players_for_new_rules_is_refused(game: Path, tmp_path: Path) -> None:
    write_sample_game(tmp_path, GAME.replace("players 1 to 2", "players 1 to 1"))
    done = run_kingsburg(tmp_path, "resume", "one")
    assert done.returncode == 1 and "cannot start" in done.stderr and "--rules old" in done.stderr


def test_rules_kept_in_a_game_that_were_tampered_with_are_not_played(
    game: Path, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    journal = read_journal(game)
    write_sample_game(tmp_path, GAME.replace("gain 3 coin", "gain 30 coin"))
    run_kingsburg(tmp_path, "play", "./sample", "--human", "Ann", "--human", "Bob", "--save", "other.jsonl", typed="")
    other = read_journal(tmp_path / "other.jsonl")
    bomb = base64.b64encode(zlib.compress(b"[" + b"[]," * 20_000_000 + b"[]]")).decode()
    for bundle in (other.bundle, "AAAA", journal.bundle[:-80], bomb):
        with subtests.test(bundle=bundle):
            game.write_bytes(replace(journal, bundle=bundle).to_bytes())
            done = run_kingsburg(tmp_path, "resume", "one", "--rules", "old")
            assert done.returncode == 2 and "the rules kept in the game are damaged" in done.stderr, done.stderr


def test_player_at_a_terminal_chooses_how_to_continue(
    game: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_sample_game(tmp_path, OTHER)
    raw = game.read_bytes()
    resume = importlib.import_module("edict.apps.cli.commands.resume")
    monkeypatch.setattr(resume, "sys", SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True)))
    left = run_kingsburg(tmp_path, "resume", "one", typed="nonsense\nleave\n")
    assert "no longer fits" in left.stdout and "Type go on, old, leave" in left.stdout
    assert left.returncode == 0 and game.read_bytes() == raw
    assert run_kingsburg(tmp_path, "resume", "one", typed="old\n\nquit\n").returncode == 0
    assert read_journal(game).keeps_rules
    game.write_bytes(raw)
    assert run_kingsburg(tmp_path, "resume", "one", typed="go\n\nquit\n").returncode == 0
    assert read_answer_keys(game) == ["left"] and game.with_name("one.jsonl.before").read_bytes() == raw


def test_rule_changes_wait_for_enter_before_the_board(game: Path, tmp_path: Path) -> None:
    write_sample_game(tmp_path, GAME.replace("gain 3 coin", "gain 30 coin"))
    terminal = Terminal(tmp_path, "resume", "one", size=(100, 60))
    try:
        terminal.read(r"All 2 answers fit[\s\S]*Press Enter\. ")
        terminal.type_line("", r"Ann> \Z")
    finally:
        terminal.close()
