"""Playing at a terminal of its own: what stands on the screen, what may not be read any more, and how one leaves."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from itertools import dropwhile
from pathlib import Path

import pytest

from edict.apps.cli.playing.screen import Screen
from edict.apps.cli.who_plays import your_name
from terminals import Terminal

Opened = Callable[..., Terminal]
WAITS = "Press Enter to continue. "


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Opened]:
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


def asked(lines: list[str]) -> list[str]:
    """The question at the end of a screen, with what can be answered."""
    return list(dropwhile(lambda line: not re.match(r"Ann( \(.*\))?: ", line), lines))


def test_the_board_and_the_question_stand_there_whatever_was_said_instead_of_an_answer(terminal: Opened) -> None:
    width, height = 80, 24
    t = terminal("play", "--human", "Ann", "--bot", "random", "--seed", "8", "--speed", "0", size=(width, height))
    first = screen(t.read(r"> \Z"))
    for typed in ("why score", "log", "help", "xyz", "? wood"):
        shown = screen(t.type(typed, r"\n> \Z"))
        assert asked(first) and shown[-len(asked(first)) :] == asked(first), typed
    assert screen(t.type("", r"> \Z")) == first, "an empty answer draws it again"
    assert "? wood" in t.type("\x1b[A", r"> \Z"), "one person alone can fetch lines back"
    lines = first
    for _ in range(6):
        lines = screen(
            t.type("" if lines[-1] == WAITS else asked(lines)[1].replace(",", " ").split()[0], rf"(> |{WAITS})\Z")
        )
        assert len(lines) <= height and max(map(len, lines)) <= width, "\n".join(lines)
        assert any(line.startswith("Ann (you)") for line in lines)
    t.press("\x03", r" resume kingsburg-\S+\r\n")
    assert t.ended() == 130 and "Traceback" not in t.text


def test_who_plays_is_asked_once(terminal: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The player was called Root, after the system's user."""
    t = terminal("play", "pig")
    t.read("What is your name?")
    t.type("Zoë " * 30, "What is your name?")
    assert "fit on the table" in plain(t.text)
    os.write(t.master, b"\x04")
    assert t.ended() == 0 and "Traceback" not in t.text, "nobody plays who does not say who they are"
    assert not list(tmp_path.glob("games/*"))
    t = terminal("play", "pig", "--plain", "--speed", "0")
    t.read("What is your name?")
    t.type("Zoë", r"\n> \Z")
    t.type("board", r"Zoë \(you\): Points 0")
    assert not re.search(r"\x1b\[[0-9;]*[mJH]", t.text), "plain lines need no escapes"
    t.press("\x04", r" resume pig-\S+\r\n")
    assert t.ended() == 0 and "Traceback" not in t.text, "at the end of input the game is left"
    monkeypatch.setenv("EDICT_GAMES", str(tmp_path / "games"))
    assert your_name(Screen()) == "Zoë", "without being asked again"


def test_nobody_reads_at_one_keyboard_what_another_saw_or_typed(terminal: Opened) -> None:
    t = terminal("play", "kuhn-poker", "--human", "Ann", "--human", "Bob", "--seed", "3")
    t.read("press Enter")
    hand = re.search(r"Ann \(you\) +(\w+)", plain(t.type("", r"Ann> \Z")))
    t.type("why check", r"Ann> \Z")
    os.write(t.master, b"quite a secret\x15")  # Ctrl-U cuts what was typed
    t.type("bet", "Bob: press Enter")
    assert hand and hand[1] not in "\n".join(screen(t.text)), "wiped before the keyboard goes on"
    assert "\x1b[3J" in t.text, "nor may it be scrolled back to"
    shown = plain(t.type("", r"Bob> \Z"))
    hand = re.search(r"Bob \(you\) +(\w+)", shown)
    assert re.search(r"Ann +\?", shown)
    for keys in ("\x1b[A", "\x1b[A\x1b[A", "\x10", "\x19"):  # Up, Ctrl-P, and Ctrl-Y, which puts back what was cut
        shown = t.type(keys, r"> \Z")
        assert not re.search("bet`|why check|quite a secret", shown), shown
    t.type("quit", "The game is saved")
    assert hand and hand[1] not in "\n".join(screen(t.text)), "whoever stops leaves nothing secret on the screen"


def test_bots_alone_can_be_watched_without_colours(terminal: Opened) -> None:
    t = terminal("play", "kuhn-poker", "--bot", "random:Ann", "--bot", "greedy:Bob", "--speed", "0", NO_COLOR="1")
    t.read(r"wins\.")
    assert t.ended() == 0
    assert "\x1b[" in t.text and not re.search(r"\x1b\[[0-9;]*3[1-7]", t.text), repr(t.text)
