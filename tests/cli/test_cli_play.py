"""Playing at the keyboard: what is typed through a pipe or a terminal of its own, and what is then shown."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from dataclasses import replace
from itertools import dropwhile
from pathlib import Path

import pytest

from calling import kingsburg
from edict.table.journal import read_journal
from terminals import Terminal


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[object]:
    """Makes terminals, and takes them away again."""
    made: list[Terminal] = []

    def make(*arguments: str, size: tuple[int, int] = (100, 30), **more: str) -> Terminal:
        made.append(Terminal(tmp_path, *arguments, size=size, **more))
        return made[-1]

    yield make
    for one in made:
        one.close()


def plain(text: str) -> str:
    return re.sub(r"\x1b(\[[0-9;?]*[A-Za-z]|\][^\x07]*\x07)", "", text).replace("\r", "")


def screen(text: str) -> list[str]:
    """The lines shown since the screen was last cleared."""
    return plain(text.split("\x1b[2J")[-1]).split("\n")


WAITS = "Press Enter to continue. "


def first_label(lines: list[str]) -> str:
    """What to type for the first option of the question at the end of a screen."""
    options = list(dropwhile(lambda line: not re.match(r"Ann( \(.*\))?: ", line), lines))[1:]
    return options[0].replace(",", " ").split()[0]


KUHN = ("play", "kuhn-poker", "--human", "Ann", "--human", "Bob", "--seed", "3", "--plain")
PIG = ("play", "pig", "--human", "Ann", "--bot", "random:Bob", "--seed", "3")

# --- answers -----------------------------------------------------------------------------------


def test_answers_by_number_and_by_word_and_what_is_neither(tmp_path: Path) -> None:
    done = kingsburg(tmp_path, *PIG, typed="rol\n1\n9\nxyz\n\nhold\n")
    assert done.returncode == 0
    said = done.stdout
    assert said.count("Ann rolls") >= 2, said
    assert "`9` is not an answer here" in said and "`xyz` is not an answer here" in said
    assert "type a number from 1 to 2" in said
    assert re.search(r"`xyz` is not an answer.*\n> \nAnn: Roll or hold\?\n", said), "the question again, no more"
    assert "The game is saved. To continue:\n" in said


def test_every_command_answers(tmp_path: Path) -> None:
    typed = "help\n?\n? 1\n? hol\n? nothing\nboard\nlog\nlog 2\nlog x\nsave\nsave copy.jsonl\nsave copy.jsonl\nquit\n"
    done = kingsburg(tmp_path, *PIG, typed=typed)
    assert done.returncode == 0
    for said in (
        "Answer with the number", " 2 Hold", "Nothing here is named `nothing`", "Bob: Points 0", "Ann rolls",
        "type a number of lines", "Every answer is saved to", "Saved a copy to copy.jsonl", "That did not work",
    ):  # fmt: skip
        assert said in done.stdout, said
    assert read_journal(tmp_path / "copy.jsonl").header.players == ("Ann", "Bob")


def test_ambiguous_words_are_named(tmp_path: Path) -> None:
    cards(tmp_path)
    done = kingsburg(tmp_path, "play", "./cards", "--human", "Ann", "--bot", "random", typed="stay\ng\ngr\n")
    assert "`g` could be Good or Great: type more of it." in done.stdout, done.stdout
    assert "Ann: Great" in done.stdout


def test_undo_takes_back_and_says_when_it_cannot(tmp_path: Path) -> None:
    cards(tmp_path)
    game = ("play", "./cards", "--human", "Ann", "--bot", "random", "--seed", "3")
    done = kingsburg(tmp_path, *game, typed="undo\nstay\nundo\nquit\n")
    assert "That cannot be taken back: you have not answered anything yet." in done.stdout
    assert "Your last answer is taken back." in done.stdout
    (kept,) = (tmp_path / "games").iterdir()
    assert read_journal(kept).answers == ()


def test_undo_ends_at_dice_unless_that_is_asked_for(tmp_path: Path) -> None:
    done = kingsburg(tmp_path, *PIG, "--save", "strict.jsonl", typed="1\nundo\nquit\n")
    said = "That cannot be taken back: dice have been rolled since. (`play --takebacks free` lets you"
    assert said in done.stdout and len(read_journal(tmp_path / "strict.jsonl").answers) == 1, done.stdout
    done = kingsburg(tmp_path, *PIG, "--takebacks", "free", "--save", "free.jsonl", typed="1\nundo\nquit\n")
    assert "Your last answer is taken back." in done.stdout
    assert read_journal(tmp_path / "free.jsonl").answers == ()
    done = kingsburg(tmp_path, "resume", "strict.jsonl", "--takebacks", "free", typed="undo\nquit\n")
    assert "Your last answer is taken back." in done.stdout


def test_takebacks_are_free_for_nobody_who_plays_with_others(tmp_path: Path) -> None:
    for words in (("--human", "Ann", "--human", "Bob", "--takebacks", "free"), ("--takebacks", "some")):
        done = kingsburg(tmp_path, "play", "pig", "--save", "game.jsonl", *words)
        assert done.returncode == 2 and "--takebacks" in done.stderr and "help:" in done.stderr
    assert not (tmp_path / "game.jsonl").exists()


def test_a_slip_in_typed_dice_is_taken_back(tmp_path: Path) -> None:
    typed = "1\n3 5\nundo\n6 6 6\n2 2\nundo\n1 1\nundo\nquit\n"
    done = kingsburg(tmp_path, "play", "--human", "Ann", "--bot", "random:Bob", "--seed", "5", "--dice", "typed",
                     typed=typed)  # fmt: skip
    assert done.stdout.count("The dice are taken back: type them again.") == 3, done.stdout
    assert "The neutral dice show 6 6 6 and 1 1" in done.stdout, done.stdout


def test_undo_does_not_reach_behind_another_person(tmp_path: Path) -> None:
    done = kingsburg(tmp_path, *KUHN, typed="\ncheck\n\n\nbet\n\n\nundo\nquit\n")
    assert "That cannot be taken back: Bob has answered since." in done.stdout, done.stdout


def test_undo_does_not_forget_a_drawn_card(tmp_path: Path) -> None:
    cards(tmp_path)
    done = kingsburg(tmp_path, "play", "./cards", "--human", "Ann", "--bot", "random", typed="draw\nundo\n")
    assert re.search("That cannot be taken back: (Low|High) has been drawn since", done.stdout), done.stdout


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


def cards(parent: Path) -> None:
    """A game in the folder `cards`, in which one may draw."""
    (parent / "cards").mkdir()
    manifest = "name: cards\ntitle: Cards\nversion: 1.0.0\nkind: game\nlanguage: 1\n"
    (parent / "cards" / "module.yaml").write_text(manifest, encoding="utf-8")
    (parent / "cards" / "page.edict").write_text(CARDS, encoding="utf-8")


# --- several people ----------------------------------------------------------------------------


def test_secrets_are_shown_only_to_their_owner(tmp_path: Path) -> None:
    done = kingsburg(tmp_path, *KUHN, typed="\nbet\n\nfold\n\n")
    parts = re.split(r"Pass the keyboard to (\w+)\.", done.stdout)
    assert parts[1::2] == ["Ann", "Bob"], done.stdout
    before, ann, bob = parts[0], parts[2], parts[4]
    hand = re.search(r"Ann's card: (\w+)\n", ann)
    assert hand and hand[1] != "unseen"
    assert "Bob's card: unseen" in ann
    assert "Ann's card: unseen" in bob and f"Ann's card: {hand[1]}" not in bob
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


def hot_seat(parent: Path, text: str, typed: str) -> str:
    """A game of two people at one keyboard, to its end or as far as what is typed goes."""
    (parent / "roles").mkdir()
    manifest = "name: roles\ntitle: Roles\nversion: 1.0.0\nkind: game\nlanguage: 1\n"
    (parent / "roles" / "module.yaml").write_text(manifest, encoding="utf-8")
    (parent / "roles" / "page.edict").write_text(text, encoding="utf-8")
    people = ("--human", "Ann", "--human", "Bob", "--seed", "1", "--plain")
    return kingsburg(parent, "play", "./roles", *people, typed=typed).stdout


PASS, OPENLY = "Pass the keyboard to", ROLES.replace("{question}", 'may "Cheer?"')


def test_the_keyboard_is_passed_on_only_where_something_secret_is_shown(tmp_path: Path) -> None:
    """It was passed before every answer of those who knew anything that others did not, though nothing showed it."""
    done = hot_seat(tmp_path, OPENLY, "y\n\ny\n" * 2 + "y\n" * 10)
    dealt, openly = done[: done.index("Cheer?")], done[done.index("Cheer?") :]
    assert dealt.count(PASS) == 2 and openly.count(PASS) == 0, done
    assert len(re.findall(r"(?:Ann|Bob)> ", openly)) == 10 and "Ann and Bob win" in openly, done


def test_it_is_passed_on_each_time_if_a_secret_lies_on_the_table(tmp_path: Path) -> None:
    done = hot_seat(tmp_path, OPENLY + SHOWN, "y\n\ny\n" * 2 + "\ny\n" * 10)
    assert done[done.index("Cheer?") :].count(PASS) >= 9, done
    for name, said in re.findall(r"Pass the keyboard to (\w+)\.(.*?)(?=Pass the|$)", done, re.DOTALL):
        other = {"Ann": "Bob", "Bob": "Ann"}[name]
        assert not re.search(rf"{other}\W+.*Role (Knight|Thief|Baker)", said), said


OMEN = OPENLY.replace("set role-of of you to dealt", "set omen to dealt\n      show omen to you") + """\
keep omen "omen" as role or none, secret
display omens
  line "The omen:", omen
"""


def test_a_line_that_one_has_seen_is_not_passed_on_for_again(tmp_path: Path) -> None:
    """What one player knows of the table kept the keyboard going round for the rest of the game."""
    done = hot_seat(tmp_path, OMEN, "y\n\ny\n" * 2 + "y\n" * 3 + "board\n\ny\n" + "y\n" * 6)
    dealt, openly = done[: done.index("Cheer?")], done[done.index("Cheer?") :]
    assert dealt.count(PASS) == 2 and openly.count(PASS) == 1, done
    assert "Ann and Bob win" in openly, done
    before, after = openly.split(PASS)
    assert "The omen:" not in before and after.startswith(" Bob") and "The omen:" in after, done


def test_or_if_it_is_what_one_may_choose_from(tmp_path: Path) -> None:
    choice = 'choose a role as named where it is not role-of of you "Who are you not?"\n        may "Cheer?"'
    done = hot_seat(tmp_path, ROLES.replace("{question}", choice), "y\n\ny\n" * 2 + "\n1\ny\n" * 10)
    assert done[done.index("Who are you not?") :].count(PASS) >= 9, done


def test_it_is_passed_on_in_the_middle_of_a_turn_when_a_secret_comes_up(tmp_path: Path) -> None:
    """Who was asked something open first was shown a card dealt after it while everybody looked on."""
    done = hot_seat(tmp_path, OPENLY, "y\n\ny\n")
    assert done.index("Ready?") < done.index(PASS) < done.index("role: "), done


def test_and_before_somebody_reads_what_only_they_were_told(tmp_path: Path) -> None:
    done = hot_seat(tmp_path, OPENLY, "y\n\ny\n" * 2 + "log\n\nquit\n")
    openly = done[done.index("Cheer?") :]
    assert openly.count(PASS) == 1 and openly.index(PASS) < openly.index("role: "), done


def test_one_person_alone_is_never_asked_to_pass_on(tmp_path: Path) -> None:
    done = kingsburg(tmp_path, "play", "kuhn-poker", "--human", "Ann", "--bot", "random", typed="1\n1\n1\n")
    assert "Pass the keyboard" not in done.stdout


# --- dice of a real table ----------------------------------------------------------------------


def test_dice_are_typed_one_or_several_at_a_time(tmp_path: Path) -> None:
    typed = "1\n3 5\n9\n3 3 3 3\n1\n2, 2, 6\nquit\n"
    done = kingsburg(tmp_path, "play", "--human", "Ann", "--bot", "random:Bob", "--bot", "random:Cy",
                     "--seed", "5", "--dice", "typed", typed=typed)  # fmt: skip
    said = done.stdout
    assert "3 dice show? (1 to 6)" in said
    assert re.search(r"What does \w+'s die show\?", said), said
    assert "`9` is on none of these dice" in said
    assert "That is 4 dice, and only 1 is rolled now." in said
    assert re.search(r"\w+ rolls 1 3 5\n", said) and re.search(r"\w+ rolls 2 2 6\n", said), said


# --- keeping and going on ----------------------------------------------------------------------


def test_a_game_goes_on_where_it_was_left(tmp_path: Path) -> None:
    kingsburg(tmp_path, *PIG, typed="1\nhold\n")
    (kept,) = (tmp_path / "games").iterdir()
    answers = read_journal(kept).answers
    done = kingsburg(tmp_path, "resume", typed="hold\nquit\n")
    assert "Ann and Bob (random bot)" in done.stdout
    assert len(read_journal(kept).answers) > len(answers)
    told = kingsburg(tmp_path, "games", "replay", str(kept))
    assert "The game is not finished" in told.stdout


def test_a_seat_may_change_hands(tmp_path: Path) -> None:
    kingsburg(tmp_path, *PIG, typed="1\nhold\n")
    done = kingsburg(tmp_path, "resume", "--bot", "random:Ann")
    assert done.returncode == 0 and ("wins." in done.stdout), done.stdout + done.stderr
    done = kingsburg(tmp_path, "resume")
    assert done.returncode == 2 and "is finished" in done.stderr


def test_a_journal_of_other_rules_is_refused(tmp_path: Path) -> None:
    kingsburg(tmp_path, *PIG, "--save", "game.jsonl", typed="1\n")
    file = tmp_path / "game.jsonl"
    journal = read_journal(file)
    header = replace(journal.header, rules="0", meaning="0")
    file.write_bytes(replace(journal, header=header, bundle="").to_bytes())
    done = kingsburg(tmp_path, "games", "replay", "game.jsonl")
    assert done.returncode == 1
    assert "other rules" in done.stderr and "help:" in done.stderr


def test_a_journal_cut_off_is_played_on_and_a_damaged_one_refused(tmp_path: Path) -> None:
    kingsburg(tmp_path, *PIG, "--save", "game.jsonl", typed="1\nhold\n")
    file = tmp_path / "game.jsonl"
    whole = file.read_bytes()
    file.write_bytes(whole[:-9])
    assert kingsburg(tmp_path, "resume", "game.jsonl").returncode == 0
    file.write_bytes(whole.replace(b'"answer": "roll"', b'"answer": "rool"', 1))
    done = kingsburg(tmp_path, "resume", "game.jsonl")
    assert done.returncode == 1 and "game.jsonl, line 3" in done.stderr, done.stderr


def test_an_existing_file_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "game.jsonl").write_text("mine", encoding="utf-8")
    done = kingsburg(tmp_path, *PIG, "--save", "game.jsonl")
    assert done.returncode == 2 and "the file already exists" in done.stderr
    assert (tmp_path / "game.jsonl").read_text(encoding="utf-8") == "mine"


# --- at a terminal -----------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(100, 30), (80, 24)])
def test_the_board_and_the_question_fit_on_the_screen(terminal, size: tuple[int, int]) -> None:  # type: ignore[no-untyped-def]
    t = terminal("play", "--human", "Ann", "--bot", "random", "--bot", "random", "--bot", "random", "--seed", "8",
                 "--speed", "0", size=size)  # fmt: skip
    shown, moments = t.read(r"> \Z"), []
    for _ in range(15):
        lines = screen(shown)
        assert len(lines) <= size[1], "\n".join(lines)
        assert max(map(len, lines)) <= size[0], "\n".join(lines)
        assert any(line.startswith("Ann (you)") for line in lines)
        moment = lines[-1] == WAITS
        moments += [lines] if moment else []
        shown = t.type("" if moment else first_label(lines), rf"(> |{WAITS})\Z")
    battle = moments[0]
    assert any(line.startswith("The enemy: ") for line in battle) and any("battle strength" in line for line in battle)
    assert "\x1b[" in t.text
    t.type("quit", "resume")
    assert t.ended() == 0


def test_the_question_stands_below_what_was_said_instead_of_an_answer(terminal) -> None:  # type: ignore[no-untyped-def]
    t = terminal(*PIG, "--speed", "0")
    first = screen(t.read(r"> \Z"))
    question = next(place for place, line in enumerate(first) if re.match(r"Ann( \(.*\))?: ", line))
    for typed in ("why score", "log", "hint 0.1s", "help", "xyz", "? roll"):
        assert screen(t.type(typed, r"\n> \Z"))[question - len(first) :] == first[question:], typed
    assert screen(t.type("", r"> \Z")) == first, "an empty answer draws it again"
    assert "? roll" in t.type("\x1b[A", r"> \Z"), "one person alone can fetch lines back"


def test_colours_can_be_switched_off(terminal) -> None:  # type: ignore[no-untyped-def]
    t = terminal(*PIG, "--speed", "0", NO_COLOR="1")
    t.read(r"> \Z")
    assert not coloured(t.text), repr(t.text)


def coloured(text: str) -> bool:
    return re.search(r"\x1b\[[0-9;]*3[1-7]", text) is not None


def test_who_plays_is_asked_once(terminal, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """The player was called Root, after the system's user."""
    t = terminal("play", "pig", "--speed", "0")
    t.read("What is your name?")
    t.type("Zoë " * 30, "What is your name?")
    assert "fit on the table" in plain(t.text)
    t.type("Zoë", r"\n> \Z")
    assert "Zoë (you)" in plain(t.text)
    again = terminal("play", "pig", "--speed", "0")
    again.read(r"\n> \Z")
    assert "What is your name?" not in again.text and "Zoë (you)" in plain(again.text)


def test_nobody_plays_who_does_not_say_who_they_are(terminal) -> None:  # type: ignore[no-untyped-def]
    t = terminal("play", "pig")
    t.read("What is your name?")
    os.write(t.master, b"\x04")
    assert t.ended() == 0 and "Traceback" not in t.text


def test_plain_lines_at_a_terminal(terminal) -> None:  # type: ignore[no-untyped-def]
    t = terminal(*PIG, "--plain", "--speed", "0")
    t.read(r"> \Z")
    t.type("board", "Bob: Points 0")
    assert not re.search(r"\x1b\[[0-9;]*[mJH]", t.text), repr(t.text)


def test_a_killed_process_loses_nothing(terminal, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    t = terminal(*PIG, "--save", "game.jsonl", "--speed", "0")
    t.read(r"> \Z")
    t.type("hold", r"> \Z")
    t.process.send_signal(signal.SIGKILL)
    t.process.wait()
    assert read_journal(tmp_path / "game.jsonl").answers[0].key == "hold"
    assert kingsburg(tmp_path, "resume", "game.jsonl", typed="hold\n").returncode == 0


def test_ctrl_c_and_the_end_of_input_leave_politely(terminal) -> None:  # type: ignore[no-untyped-def]
    for key, code in (("\x03", 130), ("\x04", 0)):
        t = terminal(*PIG, "--speed", "0")
        t.read(r"> \Z")
        t.press(key, r" resume pig-\S+\r\n")
        assert t.ended() == code
        assert "Traceback" not in t.text


def test_the_screen_is_wiped_before_the_keyboard_goes_on(terminal) -> None:  # type: ignore[no-untyped-def]
    t = terminal("play", "kuhn-poker", "--human", "Ann", "--human", "Bob", "--seed", "3")
    t.read("press Enter")
    shown = t.type("", r"Ann> \Z")
    hand = re.search(r"Ann \(you\) +(\w+)", plain(shown))
    assert hand
    t.type("bet", "Bob: press Enter")
    assert hand[1] not in "\n".join(screen(t.text))
    assert "\x1b[3J" in t.text, "nor may it be scrolled back to"
    shown = t.type("", r"Bob> \Z")
    assert re.search(r"Ann +\?", plain(shown))


def test_what_one_typed_cannot_be_fetched_back_by_the_next(terminal) -> None:  # type: ignore[no-untyped-def]
    t = terminal("play", "kuhn-poker", "--human", "Ann", "--human", "Bob", "--seed", "3")
    t.read("press Enter")
    t.type("", r"Ann> \Z")
    t.type("why check", r"Ann> \Z")
    os.write(t.master, b"quite a secret\x15")  # Ctrl-U cuts what was typed
    t.type("bet", "Bob: press Enter")
    hand = re.search(r"Bob \(you\) +(\w+)", plain(t.type("", r"Bob> \Z")))
    for keys in ("\x1b[A", "\x1b[A\x1b[A", "\x10", "\x19"):  # Up, Ctrl-P, and Ctrl-Y, which puts back what was cut
        shown = t.type(keys, r"> \Z")
        assert not re.search("bet`|why check|quite a secret", shown), shown
    t.type("quit", "The game is saved")
    assert hand and hand[1] not in "\n".join(screen(t.text)), "whoever stops leaves nothing secret on the screen"


def test_bots_alone_can_be_watched(terminal) -> None:  # type: ignore[no-untyped-def]
    t = terminal("play", "kuhn-poker", "--bot", "random:Ann", "--bot", "greedy:Bob", "--speed", "0", "--no-color")
    t.read(r"wins\.")
    assert t.ended() == 0
    assert not coloured(t.text), repr(t.text)
