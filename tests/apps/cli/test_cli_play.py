"""Play at the keyboard: typed answers and commands, saved games, and games of bots alone."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from calling import GAME, make_manifest, run_kingsburg, write_files
from edict.apps.cli.playing import saved_games
from edict.game.table.journal import read_journal

Call = Callable[..., CompletedProcess[str]]


KUHN = ("play", "kuhn-poker", "--human", "Ann", "--human", "Bob", "--seed", "3", "--plain")
PIG = ("play", "pig", "--human", "Ann", "--bot", "random:Bob", "--seed", "3")

# --- answers -----------------------------------------------------------------------------------


def test_answers_are_taken_by_number_and_word_and_others_rejected(tmp_path: Path) -> None:
    done = run_kingsburg(tmp_path, *PIG, typed="rol\n1\n9\nxyz\n\nhold\n")
    assert done.returncode == 0
    said = done.stdout
    assert said.count("Ann rolls") >= 2, said
    assert "`9` isn't one of the choices" in said and "`xyz` isn't one of the choices" in said
    assert "Type a number from 1 to 2" in said
    assert re.search(r"`xyz` isn't one of the choices.*\n> \nAnn: Roll or hold\?\n", said), (
        "the question again, no more"
    )
    assert "The game is saved. To continue:\n" in said


def test_every_command_during_play_prints_an_answer(tmp_path: Path, subtests: pytest.Subtests) -> None:
    typed = "help\n?\n? 1\n? hol\n? nothing\nboard\nlog\nlog 2\nlog x\nsave\nsave copy.jsonl\nsave copy.jsonl\nquit\n"
    done = run_kingsburg(tmp_path, *PIG, typed=typed)
    assert done.returncode == 0
    for said in (
        "Type a number or letter",
        " 2 Hold",
        "I don't know anything called `nothing`",
        "Bob: Points 0",
        "Ann rolls",
        "type a number of lines",
        "The game is saved after every move",
        "Saved a copy to copy.jsonl",
        "That did not work",
    ):
        with subtests.test(said=said):
            assert said in done.stdout
    assert read_journal(tmp_path / "copy.jsonl").header.players == ("Ann", "Bob")


def test_ambiguous_answer_lists_the_matching_options(tmp_path: Path) -> None:
    write_card_game(tmp_path)
    done = run_kingsburg(tmp_path, "play", "./cards", "--human", "Ann", "--bot", "random", typed="stay\ng\ngr\n")
    assert "`g` could be Good or Great: type more of it." in done.stdout, done.stdout
    assert "Ann: Great" in done.stdout


def test_undo_takes_back_an_answer_or_says_why_not(tmp_path: Path) -> None:
    write_card_game(tmp_path)
    game = ("play", "./cards", "--human", "Ann", "--bot", "random", "--seed", "3", "--save", "game.jsonl")
    done = run_kingsburg(tmp_path, *game, typed="undo\nstay\nundo\ndraw\nundo\nquit\n")
    said = ("you have not answered anything yet.", "Your last move is undone.", "(Low|High) has been drawn since")
    assert re.search(".*".join(said), done.stdout, re.DOTALL), done.stdout
    assert [answer.key for answer in read_journal(tmp_path / "game.jsonl").answers] == ["draw"]


def test_undo_of_dice_needs_free_takebacks(tmp_path: Path) -> None:
    done = run_kingsburg(tmp_path, *PIG, "--save", "game.jsonl", typed="1\nundo\nquit\n")
    said = "You can't undo that: dice have been rolled since. (`play --takebacks free` lets you"
    assert said in done.stdout and len(read_journal(tmp_path / "game.jsonl").answers) == 1, done.stdout
    done = run_kingsburg(tmp_path, "resume", "game.jsonl", "--takebacks", "free", typed="undo\nquit\n")
    assert "Your last move is undone." in done.stdout
    assert read_journal(tmp_path / "game.jsonl").answers == ()


def test_free_takebacks_are_refused_with_several_people(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for words in (("--human", "Ann", "--human", "Bob", "--takebacks", "free"), ("--takebacks", "some")):
        with subtests.test(words=words):
            done = run_kingsburg(tmp_path, "play", "pig", "--save", "game.jsonl", *words)
            assert done.returncode == 2 and "--takebacks" in done.stderr and "help:" in done.stderr
    assert not (tmp_path / "game.jsonl").exists()


def test_undo_takes_back_typed_dice(tmp_path: Path) -> None:
    typed = "1\n3 5\nundo\n6 6 6\n2 2\nundo\n1 1\nundo\nquit\n"
    done = run_kingsburg(
        tmp_path, "play", "--human", "Ann", "--bot", "random:Bob", "--seed", "5", "--dice", "typed", typed=typed
    )
    assert done.stdout.count("Type the dice again.") == 3, done.stdout
    assert "The neutral dice show 6, 6 and 6, then 1 and 1" in done.stdout, done.stdout


def test_undo_stops_at_another_players_answer(tmp_path: Path) -> None:
    done = run_kingsburg(tmp_path, *KUHN, typed="\ncheck\n\n\nbet\n\n\nundo\nquit\n")
    assert "You can't undo that: Bob has answered since." in done.stdout, done.stdout


CARDS = """\
resource coin "coin/coins"
keep seats as order of player, quiet
kind card "card"
  rank number from 1 to 3, shown
card low "Low"
  rank 1
card high "High"
  rank 3
keep table "card on the table" as card or none
game cards "Cards"
  players 2 to 2
  order seats
  winners players with most coin of it
  score coin of you
  course
    each player
      choose one "Draw?"
        option "Draw"
          draw a card from cards as drawn
          set table to drawn
          gain rank of drawn coin
        option "Stay"
          gain 2 coin
      choose one "Well?"
        option "Good"
          nothing
        option "Great"
          nothing
"""


def write_card_game(parent: Path) -> None:
    """Write a game with a draw of cards to the folder `write_card_game`."""
    write_files(parent / "cards", {"module.yaml": make_manifest("cards", "game", language="1"), "page.edict": CARDS})


# --- several people ----------------------------------------------------------------------------


def test_secret_card_is_shown_to_its_owner_only(tmp_path: Path) -> None:
    done = run_kingsburg(tmp_path, *KUHN, typed="\nbet\n\nfold\n\n")
    parts = re.split(r"Pass the keyboard to (\w+)\.", done.stdout)
    assert parts[1::2] == ["Ann", "Bob"], done.stdout
    before, ann, bob = parts[0], parts[2], parts[4]
    hand = re.search(r"Ann's card: (\w+)\n", ann)
    assert hand
    assert "Bob's card: hidden from you" in ann
    assert "Ann's card: hidden from you" in bob and f"Ann's card: {hand[1]}" not in bob
    assert "card:" not in before
    assert "\n" * 40 in ann, "wiped at once: nothing was told since the answer"
    assert "Ann wins." in bob, "a folded card stays hidden to the end"


ROLES = """\
resource coin "coin/coins"
keep seats as order of player, quiet
kind role "role/roles"
role knight "Knight"
role thief "Thief"
role baker "Baker"
keep role-of "role" of player as role or none, secret
game roles "Roles"
  players 2 to 2
  order seats
  winners players with most coin of it
  score coin of you
  course
    each player
      may "Ready?"
        nothing
      draw a role from roles as dealt secretly
      set role-of of you to dealt
      may "Still ready?"
        nothing
    repeat 5 times
      each player
        {question}
          gain 1 coin
display purses "Purses"
  each player
  column "Coins" coin of player
"""
SHOWN = '  column "Role" role-of of player\n'


def play_hot_seat(parent: Path, text: str, typed_lines: str) -> str:
    """Play a game of two people at one keyboard and return its output."""
    write_files(parent / "roles", {"module.yaml": make_manifest("roles", "game", language="1"), "page.edict": text})
    people = ("--human", "Ann", "--human", "Bob", "--seed", "1", "--plain")
    return run_kingsburg(parent, "play", "./roles", *people, typed=typed_lines).stdout


PASS, OPENLY = "Pass the keyboard to", ROLES.replace("{question}", 'may "Cheer?"')


def test_keyboard_is_passed_only_before_a_secret_is_shown(tmp_path: Path) -> None:
    """Private knowledge that is not shown does not pass the keyboard."""
    done = play_hot_seat(tmp_path, OPENLY, "y\n\ny\n" * 2 + "log\n\n" + "y\n" * 10)
    dealt, openly = done[: done.index("Cheer?")], done[done.index("Cheer?") :]
    assert dealt.index("Ready?") < dealt.index(PASS) < dealt.index("role: "), "in the middle of a turn: a card is dealt"
    assert dealt.count(PASS) == 2 and openly.count(PASS) == 1, done
    assert openly.index(PASS) < openly.index("role: "), "before somebody reads what only they were told"
    assert len(re.findall(r"(?:Ann|Bob)> ", openly)) == 11 and "Ann and Bob win" in openly, done


def test_keyboard_is_passed_each_turn_if_the_board_shows_a_secret(tmp_path: Path, subtests: pytest.Subtests) -> None:
    done = play_hot_seat(tmp_path, OPENLY + SHOWN, "y\n\ny\n" * 2 + "\ny\n" * 10)
    assert done[done.index("Cheer?") :].count(PASS) >= 9, done
    for name, said in re.findall(r"Pass the keyboard to (\w+)\.(.*?)(?=Pass the|$)", done, re.DOTALL):
        with subtests.test(said=said):
            other = {"Ann": "Bob", "Bob": "Ann"}[name]
            assert not re.search(rf"{other}\W+.*Role (Knight|Thief|Baker)", said)


OMEN = (
    OPENLY.replace("set role-of of you to dealt", "set omen to dealt\n      show omen to you")
    + """\
keep omen "omen" as role or none, secret
display omens
  line "The omen:", omen
"""
)


def test_secret_line_passes_the_keyboard_only_once(tmp_path: Path) -> None:
    """A line that its owner has seen is left out while others look on."""
    done = play_hot_seat(tmp_path, OMEN, "y\n\ny\n" * 2 + "y\n" * 3 + "board\n\ny\n" + "y\n" * 6)
    dealt, openly = done[: done.index("Cheer?")], done[done.index("Cheer?") :]
    assert dealt.count(PASS) == 2 and openly.count(PASS) == 1, done
    assert "Ann and Bob win" in openly, done
    before, after = openly.split(PASS)
    assert "The omen:" not in before and after.startswith(" Bob") and "The omen:" in after, done


def test_keyboard_is_passed_if_options_reveal_a_secret(tmp_path: Path) -> None:
    choice = 'choose a role as named where it is not role-of of you "Who are you not?"\n        may "Cheer?"'
    done = play_hot_seat(tmp_path, ROLES.replace("{question}", choice), "y\n\ny\n" * 2 + "\n1\ny\n" * 10)
    assert done[done.index("Who are you not?") :].count(PASS) >= 9, done


def test_keyboard_is_never_passed_by_a_single_person(tmp_path: Path) -> None:
    done = run_kingsburg(tmp_path, "play", "kuhn-poker", "--human", "Ann", "--bot", "random", typed="1\n1\n1\n")
    assert "Pass the keyboard" not in done.stdout


# --- dice of a real table ----------------------------------------------------------------------


def test_typed_dice_are_taken_one_or_several_at_a_time(tmp_path: Path) -> None:
    typed = "1\n3 5\n9\n3 3 3 3\n1\n2, 2, 6\nquit\n"
    done = run_kingsburg(
        tmp_path,
        "play",
        "--human",
        "Ann",
        "--bot",
        "random:Bob",
        "--bot",
        "random:Cy",
        "--seed",
        "5",
        "--dice",
        "typed",
        typed=typed,
    )
    said = done.stdout
    assert "3 dice show? (1 to 6)" in said
    assert re.search(r"What does \w+'s die show\?", said), said
    assert "`9` is on none of these dice" in said
    assert "That is 4 dice, and only 1 is rolled now." in said
    assert re.search(r"\w+ rolls 1, 3 and 5\n", said) and re.search(r"\w+ rolls 2, 2 and 6\n", said), said


# --- keeping and going on ----------------------------------------------------------------------


def test_resumed_game_continues_after_its_last_answer(tmp_path: Path) -> None:
    run_kingsburg(tmp_path, *PIG, typed="1\nhold\n")
    (kept,) = (tmp_path / "games").iterdir()
    answers = read_journal(kept).answers
    done = run_kingsburg(tmp_path, "resume", typed="hold\nquit\n")
    assert "Ann and Bob (random bot)" in done.stdout
    assert len(read_journal(kept).answers) > len(answers)
    told = run_kingsburg(tmp_path, "games", "replay", str(kept))
    assert "The game is not finished" in told.stdout


def test_resume_can_hand_a_seat_to_a_bot(tmp_path: Path) -> None:
    run_kingsburg(tmp_path, *PIG, typed="1\nhold\n")
    done = run_kingsburg(tmp_path, "resume", "--bot", "random:Ann")
    assert done.returncode == 0 and ("wins." in done.stdout), done.stdout + done.stderr
    done = run_kingsburg(tmp_path, "resume")
    assert done.returncode == 2 and "is finished" in done.stderr


def test_journal_of_other_rules_without_a_copy_is_refused(tmp_path: Path) -> None:
    run_kingsburg(tmp_path, *PIG, "--save", "game.jsonl", typed="1\n")
    file = tmp_path / "game.jsonl"
    journal = read_journal(file)
    header = replace(journal.header, rules="0", meaning="0")
    file.write_bytes(replace(journal, header=header, bundle="").to_bytes())
    done = run_kingsburg(tmp_path, "games", "replay", "game.jsonl")
    assert done.returncode == 1
    assert "other rules" in done.stderr and "help:" in done.stderr


def test_cut_off_journal_is_resumed_and_damaged_one_refused(tmp_path: Path, subtests: pytest.Subtests) -> None:
    run_kingsburg(tmp_path, *PIG, "--save", "game.jsonl", typed="1\nhold\n")
    file = tmp_path / "game.jsonl"
    whole = file.read_bytes()
    file.write_bytes(whole[:-9])
    for command in (
        ("games", "replay", "game.jsonl"),
        ("games", "replay", "game.jsonl", "--format", "json"),
        ("games", "replay", "game.jsonl", "--why", "1"),
        ("games", "view", "game.jsonl"),
    ):
        with subtests.test(command=command):
            done = run_kingsburg(tmp_path, *command)
            assert done.returncode == 0 and "game.jsonl: the last line was cut off" in done.stderr, done.stderr
    assert file.read_bytes() == whole[:-9], "who only reads leaves it as it is"
    done = run_kingsburg(tmp_path, "resume", "game.jsonl")
    assert done.returncode == 0 and "the last line was cut off" in done.stdout + done.stderr, done.stdout
    assert file.read_bytes().startswith(whole[: whole[:-1].rindex(b"\n") + 1]), "the lines before it are kept"
    assert "cut off" not in run_kingsburg(tmp_path, "games", "replay", "game.jsonl").stderr
    file.write_bytes(whole.replace(b'"answer": "roll"', b'"answer": "rool"', 1))
    done = run_kingsburg(tmp_path, "resume", "game.jsonl")
    assert done.returncode == 1 and "game.jsonl, line 3" in done.stderr, done.stderr


def test_existing_file_is_not_overwritten_by_a_new_game(tmp_path: Path) -> None:
    write_files(tmp_path, {"game.jsonl": "mine"})
    done = run_kingsburg(tmp_path, *PIG, "--save", "game.jsonl")
    assert done.returncode == 2 and "the file already exists" in done.stderr
    assert (tmp_path / "game.jsonl").read_text(encoding="utf-8") == "mine"


def test_game_follows_the_language_of_the_terminal(tmp_path: Path) -> None:
    play = ("play", "--human", "Ann", "--bot", "random", "--seed", "3", "--takebacks", "free", "--save", "game.jsonl")
    begun = run_kingsburg(tmp_path, *play, typed="Holz\nundo\nwood\n", LC_ALL="de_DE.UTF-8").stdout
    assert "Die Gunst des Königs" in begun and begun.count("Ann erhält 1 Holz") == 2, "by its title, and by its key"
    again = run_kingsburg(tmp_path, "resume", "game.jsonl", LC_ALL="it_IT.UTF-8")
    assert "Chi influenzi?" in again.stdout, again.stdout
    assert "The King's Favor" in run_kingsburg(tmp_path, "games", "replay", "game.jsonl", LC_ALL="C.UTF-8").stdout


# --- nobody answers ----------------------------------------------------------------------------


def test_bots_play_a_whole_game_without_a_terminal(tmp_path: Path) -> None:
    done = run_kingsburg(tmp_path, "play", "--seed", "7")
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) > 100 and re.search(r" win( together|s)\.$", done.stdout.strip())


def test_seed_can_be_a_word_and_each_game_has_its_own_file(call: Call, tmp_path: Path) -> None:
    bots = ("--bot", "random", "--bot", "random")
    games = [call("play", "pig", *bots, "--seed", seed).stdout for seed in ("a", "a", "b")]
    told = [[line for line in game.splitlines() if "saved in" not in line] for game in games]
    assert told[0] == told[1] != told[2]
    assert len(list((tmp_path / "games").glob("pig-*.jsonl"))) == 3


def test_new_game_avoids_a_file_just_created_by_another_process(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh = saved_games.choose_new_file

    def taken(title: str, tried: Collection[Path] = ()) -> Path | None:
        path = fresh(title, tried)
        if path is not None and not tried:
            path.write_text("another's", encoding="utf-8")
        return path

    monkeypatch.setattr(saved_games, "choose_new_file", taken)
    done = call("play", "pig", "--bot", "random", "--bot", "random")
    assert done.returncode == 0, done.stderr
    sizes = sorted(file.stat().st_size for file in (tmp_path / "games").iterdir())
    assert len(sizes) == 2 and sizes[0] == len("another's") < sizes[1]


def test_table_file_sets_players_game_and_seed(call: Call, tmp_path: Path) -> None:
    seats = "".join(f"  - name: {name}\n    bot: greedy\n" for name in ("Ann", "Bob"))
    write_files(
        tmp_path,
        {
            "sample/module.yaml": make_manifest("sample", "game"),
            "sample/page.edict": GAME,
            "table.yaml": f"game: ./sample\nseed: 3\nplayers:\n{seats}",
            "wrong.yaml": "players:\n  - nmae: Ann\n",
        },
    )
    done = call("play", "--table", "table.yaml", "--save", "kept.jsonl")
    assert done.returncode == 0, done.stderr
    assert "Ann (greedy bot)" in done.stdout and "Ann and Bob win together." in done.stdout
    header = json.loads((tmp_path / "kept.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert (header["players"], header["bots"], header["seed"]) == (["Ann", "Bob"], ["greedy", "greedy"], 3)
    assert header["game"] == str(tmp_path / "sample"), "found again from any other folder"
    wrong = call("play", "--table", "wrong.yaml")
    assert wrong.returncode == 1 and "wrong.yaml:2" in wrong.stderr and "nmae" in wrong.stderr


def test_scenario_is_chosen_by_name_or_drawn_by_seed(call: Call, subtests: pytest.Subtests) -> None:
    def told(wanted: str) -> list[str]:
        words = ("play", "--scenario", wanted, "--seed", "9", "--human", "Ann", "--bot", "random")
        return call(*words, typed="quit\n").stdout.partition("The game is saved")[0].splitlines()[1:]

    first = told("random")
    assert first == told("random"), "the same seed, the same scenario"
    for lines in (first, told("goblin-valley")):
        with subtests.test(lines=lines):
            assert re.match(r"Scenario: .+\. \w.+\.", lines[0]), "it is named, and said what it is about"


def test_game_is_played_even_if_it_cannot_be_saved(call: Call, tmp_path: Path) -> None:
    write_files(tmp_path, {"file": ""})
    done = call("play", "pig", "--bot", "random", "--bot", "random", EDICT_GAMES=str(tmp_path / "file" / "games"))
    assert done.returncode == 0, done.stderr
    assert "cannot be saved" in done.stderr
