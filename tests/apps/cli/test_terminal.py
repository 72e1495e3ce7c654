"""Play at a pseudo-terminal: the content of the screen, what is cleared from it, and how to leave."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from itertools import dropwhile
from pathlib import Path

import pytest

from calling import run_kingsburg
from edict.apps.cli.playing.screen import Screen
from edict.apps.cli.seating import ask_player_name
from terminals import Terminal

Opened = Callable[..., Terminal]
WAITS = "Press Enter to continue. "


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Opened]:
    """Return a function that opens terminals, which are closed afterwards."""
    made: list[Terminal] = []

    def make(*arguments: str, size: tuple[int, int] = (100, 30), **more: str) -> Terminal:
        made.append(Terminal(tmp_path, *arguments, size=size, **more))
        return made[-1]

    yield make
    for opened in made:
        opened.close()


def strip_escapes(text: str) -> str:
    return re.sub(r"\x1b(\[[0-9;?]*[A-Za-z]|\][^\x07]*\x07)", "", text).replace("\r", "")


def last_page(text: str) -> list[str]:
    """Return the lines since the screen was last cleared."""
    return strip_escapes(text.split("\x1b[2J")[-1]).split("\n")


def question_lines(lines: list[str]) -> list[str]:
    """Return the question at the end of a page with its options."""
    return list(dropwhile(lambda line: not re.match(r"Ann( \(.*\))?: ", line), lines))


def test_question_is_repeated_after_every_command(terminal: Opened, subtests: pytest.Subtests) -> None:
    width, height = 80, 24
    t = terminal("play", "--human", "Ann", "--bot", "random", "--seed", "8", "--speed", "0", size=(width, height))
    first = last_page(t.read(r"> \Z"))
    for typed in ("why score", "log", "help", "xyz", "? wood"):
        with subtests.test(typed=typed):
            shown = last_page(t.type_line(typed, rf"(\n> |{WAITS})\Z"))
            if shown[-1] == WAITS:  # the question no longer fits below
                shown = last_page(t.type_line("", r"> \Z"))
            assert question_lines(first) and shown[-len(question_lines(first)) :] == question_lines(first)
    assert last_page(t.type_line("", r"> \Z")) == first, "an empty answer draws it again"
    assert "? wood" in t.type_line("\x1b[A", r"> \Z"), "one person alone can fetch lines back"
    lines = first
    for _ in range(6):
        lines = last_page(
            t.type_line(
                "" if lines[-1] == WAITS else question_lines(lines)[1].replace(",", " ").split()[0], rf"(> |{WAITS})\Z"
            )
        )
        assert len(lines) <= height and max(map(len, lines)) <= width, "\n".join(lines)
        assert any(line.startswith("Ann (you)") for line in lines)
    t.press_key("\x03", r" resume kingsburg-\S+\r\n")
    assert t.wait_for_end() == 130 and "Traceback" not in t.text


def test_page_is_drawn_anew_when_the_terminal_is_resized(terminal: Opened) -> None:
    t = terminal("play", "--human", "Ann", "--bot", "random", "--seed", "8", "--speed", "0", size=(80, 24))
    first = last_page(t.read(r"> \Z"))
    os.write(t.master, b"why sc")
    t.read("why sc")
    t.resize((150, 45))
    wide = last_page(t.read(r"-- Log[\s\S]*> why sc"))  # not the line alone, which readline draws first
    assert max(map(len, wide)) > 100 and "-- Log" in wide[0] and question_lines(wide)[-2] == question_lines(first)[-2]
    assert "score" in strip_escapes(t.type_line("ore", r"\n> \Z")), "what was typed stays"
    t.resize((80, 24))
    narrow = last_page(t.read(r"\x1b\[2J[\s\S]*> \Z"))
    assert narrow[:-1] == first[:-1] and narrow[-1].endswith("> ")


def test_long_output_waits_after_each_page(terminal: Opened) -> None:
    t = terminal("play", "--human", "Ann", "--bot", "random", "--seed", "8", "--speed", "0", size=(80, 24))
    first = last_page(t.read(r"> \Z"))
    begun = last_page(t.type_line("board", rf"{WAITS}\Z"))
    assert any(line.startswith("Kingsburg  |") for line in begun[-22:]), "the beginning is not scrolled away"
    assert "King " in strip_escapes(t.type_line("", rf"{WAITS}\Z"))
    assert last_page(t.type_line("", r"> \Z")) == first
    assert "costs 2 gold, VP 3" in strip_escapes(t.type_line("sheet", rf"{WAITS}\Z")), "all of one's own"


def test_sheet_in_plain_lines_says_what_each_thing_does(tmp_path: Path) -> None:
    typed = "sheet ben\nsheet xyz\nquit\n"
    done = run_kingsburg(tmp_path, "play", "--human", "Ann", "--bot", "random:Ben", "--seed", "8", typed=typed)
    assert "Ben: VP 0, Gold 0" in done.stdout and "Ann (you): VP" not in done.stdout
    assert "Barricade: costs 1 wood, VP 0. +1 strength against Goblins." in done.stdout.split("\n")
    assert "`sheet xyz`: type the name of a player, Ann or Ben." in done.stdout and "\x1b" not in done.stdout


def test_player_name_is_asked_once(terminal: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The name of the system's user, such as root, is not taken without asking."""
    t = terminal("play", "pig")
    t.read("What is your name?")
    t.type_line("Zoë " * 30, "What is your name?")
    assert "fit on the table" in strip_escapes(t.text)
    os.write(t.master, b"\x04")
    assert t.wait_for_end() == 0 and "Traceback" not in t.text, "nobody plays who does not say who they are"
    assert not list(tmp_path.glob("games/*"))
    t = terminal("play", "pig", "--plain", "--speed", "0")
    t.read("What is your name?")
    t.type_line("Zoë", r"\n> \Z")
    t.type_line("board", r"Zoë \(you\): Points 0")
    assert not re.search(r"\x1b\[[0-9;]*[mJH]", t.text), "plain lines need no escapes"
    t.press_key("\x04", r" resume pig-\S+\r\n")
    assert t.wait_for_end() == 0 and "Traceback" not in t.text, "at the end of input the game is left"
    monkeypatch.setenv("EDICT_GAMES", str(tmp_path / "games"))
    assert ask_player_name(Screen()) == "Zoë", "without being asked again"


@pytest.mark.parametrize("size", [(100, 30), (150, 45)], ids=["board", "board and log"])
def test_nobody_reads_at_one_keyboard_what_another_saw_or_typed(
    terminal: Opened, subtests: pytest.Subtests, size: tuple[int, int]
) -> None:
    t = terminal("play", "kuhn-poker", "--human", "Ann", "--human", "Bob", "--seed", "3", size=size)
    t.read("press Enter")
    hand = re.search(r"Ann \(you\) +(\w+)", strip_escapes(t.type_line("", r"Ann> \Z")))
    t.type_line("why check", r"Ann> \Z")
    os.write(t.master, b"quite a secret\x15")  # Ctrl-U cuts what was typed
    t.type_line("bet", "Bob: press Enter")
    assert hand and hand[1] not in "\n".join(last_page(t.text)), "wiped before the keyboard goes on"
    assert "\x1b[3J" in t.text, "nor may it be scrolled back to"
    shown = strip_escapes(t.type_line("", r"Bob> \Z"))
    hand = re.search(r"Bob \(you\) +(\w+)", shown)
    assert re.search(r"Ann +\?", shown)
    for keys in ("\x1b[A", "\x1b[A\x1b[A", "\x10", "\x19"):  # Up, Ctrl-P, and Ctrl-Y, which puts back what was cut
        with subtests.test(keys=keys):
            shown = t.type_line(keys, r"> \Z")
            assert not re.search("bet`|why check|quite a secret", shown), shown
    t.type_line("quit", "The game is saved")
    assert hand and hand[1] not in "\n".join(last_page(t.text)), "whoever stops leaves nothing secret on the screen"


def test_game_of_bots_can_be_watched_without_color(terminal: Opened) -> None:
    t = terminal("play", "kuhn-poker", "--bot", "random:Ann", "--bot", "greedy:Bob", "--speed", "0", NO_COLOR="1")
    t.read(r"wins\.")
    assert t.wait_for_end() == 0
    assert "\x1b[" in t.text and not re.search(r"\x1b\[[0-9;]*3[1-7]", t.text), repr(t.text)
