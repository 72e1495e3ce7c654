"""The parts of the terminal by themselves: columns, typed words, news, boards."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache, partial
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.text import Text

import edict
from edict.agents.bots import BOTS
from edict.apps.cli.command_errors import UsageError
from edict.apps.cli.playing import questions, why
from edict.apps.cli.playing import screen as terminal
from edict.apps.cli.playing.board import SHORT, TOLD, WHOLE_BOARD, Board, Detail, Fitting, plain_lines
from edict.apps.cli.playing.game_loop import seconds
from edict.apps.cli.playing.panels_drawn import TIGHT_WORDS, abbreviations, initials, said_once
from edict.apps.cli.playing.questions import BARE, BRIEF, LINES, Put, shown
from edict.apps.cli.playing.questions import WHOLE as WHOLE_QUESTION
from edict.apps.cli.playing.screen import HANG, Screen, hanging, packed
from edict.apps.cli.playing.session import Session, _last
from edict.apps.cli.who_plays import SeatedBots, seated
from edict.game.explanations.reasons_in_words import ReasonLine
from edict.game.table.game import Game
from edict.game.table.log_entries import CHANGE, CHOICE, GAIN, LUCK, PHASE, SAID, SHOWN, Entry, build_lines
from edict.game.table.options import Ask, Option
from edict.game.table.view import View
from edict.game.table.wording import Amount
from edict.runtime.program import Cause
from edict.runtime.program.opcodes import DECLINE

WORDS = ["oak", "old oak", "elm", "a very long name indeed", "x"]


def plain(lines: list[Text]) -> list[str]:
    return [line.plain for line in lines]


# --- columns -----------------------------------------------------------------------------------


def test_items_stand_in_as_few_columns_as_there_is_height_for_and_the_width_allows() -> None:
    items = [Text(str(n)) for n in range(7)]
    assert plain(packed(items, 40, 7)) == list("0123456")
    assert plain(packed(items, 40, 3)) == ["0  3  6", "1  4   ", "2  5   "]
    assert plain(packed(items, 5, 1)) == ["0  4", "1  5", "2  6", "3   "]
    assert plain(packed(items, 2, 1)) == list("0123456"), "no two stand side by side in so little width"


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=30), st.integers(10, 80), st.integers(1, 12))
def test_nothing_is_ever_wider_than_the_screen(words: list[str], width: int, tall: int) -> None:
    items = [Text(word) for word in words]
    for lines in (packed(items, width, tall), terminal.flowing(items, width, " | ")):
        assert terminal.width_of(lines) <= width
    rows = [[Text("name"), Text("value"), Text("more")], *([item, Text("1"), item] for item in items)]
    assert terminal.width_of(terminal.table(rows, width, [False, True, False])) <= width


def test_tables_are_set_closer_and_then_cut_headers_before_values() -> None:
    rows = [[Text("Longest"), Text("Longer")], [Text("ab"), Text("1")]]
    for width, drawn in (
        (15, ["Longest  Longer", "ab            1"]),
        (14, ["Longest Longer", "ab           1"]),
        (8, ["Lo… Lon…", "ab     1"]),
    ):
        assert plain(terminal.table(rows, width, [False, True])) == drawn


def test_no_header_is_cut_to_a_letter_for_a_long_value() -> None:
    rows = [[Text("Points"), Text("Hand")], [Text("0"), Text("3, 8, 12 and 15")]]
    assert plain(terminal.table(rows, 16, [True, False])) == ["Poi… Hand       ", "   0 3, 8, 12 a…"]


def test_what_all_are_called_is_said_once() -> None:
    assert said_once("Card 3, Card 8 and Card 12") == "Card 3, 8 and 12"
    for words in ("Card 3", "Oak and Elm", "2 nuts and 2 coins", "Card 3 and Oak 4"):
        assert said_once(words) == words


def test_wide_characters_count_as_two() -> None:
    assert terminal.fit(Text("王王王"), 4).cell_len == 4


# --- what is typed -----------------------------------------------------------------------------


def asked(*texts: str, domain: str = "thing") -> Ask:
    return Ask(0, "Ann", "q", "Which?", domain, False, tuple(Option(i, i, f"k{i}", t) for i, t in enumerate(texts)))


def test_words_and_numbers_find_options() -> None:
    ask = asked("Stone Wall", "Stables", "Build nothing", "Wall")
    for typed, found in (
        ("1", ["Stone Wall"]),
        ("4", ["Wall"]),
        ("5", []),
        ("0", []),
        ("wall", ["Wall"]),
        ("WAL", ["Wall"]),
        ("st", ["Stone Wall", "Stables"]),
        ("sta", ["Stables"]),
        ("s w", ["Stone Wall"]),
        ("w s", []),
        ("no", ["Build nothing"]),
        ("", []),
        (" stone   wall ", ["Stone Wall"]),
        ("tone", []),
        ("k1", ["Stables"]),
    ):
        assert [option.text for option in questions.matching(ask, typed)] == found, typed


def things(*captions: str) -> Ask:
    """Things called A, B ... that show these values, and declining."""
    found = [Option(i, i, f"k{i}", "ABCDEF"[i], caption) for i, caption in enumerate(captions)]
    return replace(asked(), options=(*found, Option(len(found), DECLINE, "no", "No")))


def test_no_number_ever_means_two_things() -> None:
    ranked = things("2", "5", "17")
    assert questions.labels(ranked) == ("2", "5", "17", "0")
    assert [o.text for o in questions.matching(ranked, "5")] == ["B"]
    assert questions.matching(ranked, "1") == questions.matching(ranked, "3") == []
    assert [o.text for o in questions.matching(ranked, "0")] == ["No"]
    twins = things("5", "5", "0")
    assert questions.labels(twins) == ("5a", "5b", "0", "")
    assert [o.text for o in questions.matching(twins, "5")] == ["A", "B"]
    assert [o.text for o in questions.matching(twins, "5b")] == ["B"]
    assert questions.labels(things("2", "", "x")) == ("a", "b", "c", "d"), "a place could be taken for the 2"
    assert questions.labels(things("costs 2", "", "x")) == ("1", "2", "3", "4")
    amounts = asked("2 coins", "1 nut", "Nothing", domain="branch")
    assert questions.labels(amounts) == ("a", "b", "c")
    assert [o.text for o in questions.matching(amounts, "b")] == ["1 nut"]
    assert [o.text for o in questions.matching(amounts, "2")] == ["2 coins"]
    assert questions.labels(asked("1 coin", "2 coins", domain="branch")) == ("1", "2")


def test_where_options_are_numbers_a_number_means_itself() -> None:
    ask = asked("0", "1", "2", domain="number")
    assert [o.text for o in questions.matching(ask, "1")] == ["1"]
    assert questions.matching(ask, "3") == []
    dice = asked("3", "5", "bonus die 5", domain="die")
    dice = replace(dice, options=(*dice.options, Option(3, DECLINE, "no", "No")))
    assert questions.labels(dice) == ("3", "5", "a", "0")
    assert [o.text for o in questions.matching(dice, "0")] == ["No"]
    assert [o.text for o in questions.matching(dice, "a")] == ["bonus die 5"]
    assert [o.text for o in questions.matching(dice, "5")] == ["5"]
    assert [o.text for o in questions.matching(dice, "b 5")] == ["bonus die 5"]
    assert [o.text for o in questions.matching(dice, "n")] == ["No"]


def test_declining_a_die_has_a_number_to_type(screen: Screen) -> None:
    ask = replace(asked(domain="die"), options=(Option(0, 4, "d6-4", "4"), Option(1, DECLINE, "no", "No")))
    assert plain(shown(screen, Put(ask), BARE))[1] == "  4   0 No"
    assert questions.wanted(ask) == "4, or 0 for No"


def test_things_are_known_by_the_number_in_their_title() -> None:
    """Cards called `Card 38`, which show nothing but their points: nobody types `1a` for one of them."""
    shown = {"Card 38": "1", "Card 62": "1", "Card 66": "5"}
    cards = tuple(Option(i, i, f"k{i}", title, points) for i, (title, points) in enumerate(shown.items()))
    ask = Ask(0, "Ann", "q", "Which card?", "thing", False, cards)
    assert questions.labels(ask) == ("38", "62", "66")
    assert [o.text for o in questions.matching(ask, "66")] == ["Card 66"]
    assert questions.matching(ask, "1") == []


def test_numbers_are_not_beginnings_of_numbers() -> None:
    ask = asked("3 5", "3 5 with a +2 token", "12", domain="ways")
    assert [o.text for o in questions.matching(ask, "3 5")] == ["3 5"]
    assert [o.text for o in questions.matching(ask, "3 5 w")] == ["3 5 with a +2 token"]
    assert [o.text for o in questions.matching(ask, "a")] == ["3 5"]
    assert questions.matching(ask, "1") == questions.matching(ask, "4") == questions.matching(ask, "1 2") == []
    assert questions.matching(ask, "12") == [ask.options[2]]


# --- news --------------------------------------------------------------------------------------


def entry(
    kind: str,
    text: str,
    seat: int = -1,
    cause: str = "Rule",
    phase: str = "Phase",
    level: int = 0,
    line: int = 1,
    **more: Any,
) -> Entry:
    return Entry(kind, text, Cause(cause.lower(), cause, "f", line, 1), phase, seat, level=level, **more)


def deed(owner: str, verb: str, number: int, what: str, **more: Any) -> Entry:
    amount = Amount(number, what, f"{what}s")
    seat = ("Ann", "Bob").index(owner)
    return entry(GAIN, f"{owner} {verb} {amount}", seat, verb=verb, owner=owner, amount=amount, **more)


def answer(owner: str, words: str, **more: Any) -> Entry:
    return entry(CHOICE, f"{owner}: {words}", ("Ann", "Bob").index(owner), words=words, **more)


def report(text: str, *lines: int, subject: int = 0) -> Entry:
    """An announcement that reports the steps at these lines."""
    return entry(SAID, text, subject=subject, reports=frozenset(("f", line, 1) for line in lines), line=99)


def test_deeds_of_one_rule_stand_in_one_line() -> None:
    entries = [
        deed("Ann", "loses", 1, "coin"),
        deed("Ann", "gains", 1, "nut"),
        deed("Ann", "gains", 2, "pin"),
        deed("Bob", "gains", 1, "nut"),
        deed("Bob", "gains", 1, "nut", cause="Other"),
    ]
    assert [str(line) for line in build_lines(entries, ["Ann", "Bob"])] == [
        "Ann loses 1 coin, and gains 1 nut and 2 pins (Rule)",
        "Bob gains 1 nut (Rule)",
        "Bob gains 1 nut (Other)",
    ]


def test_what_is_announced_is_not_told_twice() -> None:
    entries = [
        entry(PHASE, "Spring", level=1),
        entry(PHASE, "Nothing", level=2),
        entry(PHASE, "Rolling", level=2),
        entry(LUCK, "Rolled: 3 1", words="3 1", rolled=True, line=2, question=0),
        report("Ann rolls 1 3", 2),
        answer("Ann", "Oak", line=3, question=1),
        answer("Ann", "1 3", line=4, question=2),
        report("Ann cuts Oak with 1 3", 3, 4),
        answer("Bob", "nut", line=5, question=3),
        deed("Bob", "gains", 1, "nut", cause="Phase", line=5),
        answer("Ann", "Pass", line=6, question=4),
        entry(CHANGE, "Tree: unseen"),
        entry(CHANGE, "Tree: unseen"),
    ]
    assert [str(line) for line in build_lines(entries, ["Ann", "Bob"])] == [
        "Spring > Rolling",
        "Ann rolls 1 3",
        "Ann cuts Oak with 1 3",
        "Bob gains 1 nut",
        "Ann: Pass",
        "Tree: unseen",
        "Tree: unseen",
    ]


@pytest.mark.parametrize(
    "announced",
    [
        report("Ann takes Oak"),
        report("Ann takes Oak", 4),
        report("Oak is taken", 3, subject=-1),
        report("Ben takes Oak", 3, subject=1),
    ],
)
def test_a_choice_is_told_unless_an_announcement_refers_to_it(announced: Entry) -> None:
    """Words alike were enough: `Ann: Oak` was left out if any of the next five lines began with `Ann`."""
    entries = [answer("Ann", "Oak", line=3, question=1), announced]
    assert [line.text for line in build_lines(entries, ["Ann", "Bob"])] == ["Ann: Oak", announced.text]


def test_a_choice_that_is_made_again_is_told_both_times() -> None:
    """One announcement tells the last of them."""
    oak, elm = (answer("Ann", words, line=3, question=1) for words in ("Oak", "Elm"))
    entries = [oak, elm, report("Ann takes Elm", 3)]
    assert [line.text for line in build_lines(entries, ["Ann", "Bob"])] == ["Ann: Oak", "Ann takes Elm"]


def test_who_has_no_choice_is_said_to_have_none() -> None:
    """`Ann passes` looked as if she had wanted to."""
    forced = entry(CHOICE, "Ann has no choice: Pass", 0, words="Pass", forced=True, line=3, question=1)
    said, other = report("Ann passes", 3), report("Bob passes", 3, subject=1)
    lines = build_lines([forced, said, answer("Bob", "Pass", line=3, question=1), other], ["Ann", "Bob"])
    assert [line.text for line in lines] == ["Ann has no choice and passes", "Bob passes"]
    assert lines[0].entries == (said,)


def test_what_happens_twice_is_said_twice() -> None:
    entries = [
        entry(SAID, "Knock"),
        entry(SAID, "Knock"),
        entry(SAID, "Knock"),
        entry(SAID, "Who is there?"),
        entry(SAID, "Knock"),
        entry(CHANGE, "Door: open", cause="Key"),
        entry(SHOWN, "Door: open", cause="Key"),
        entry(SHOWN, "Door: open", cause="Key"),
    ]
    lines = build_lines(entries, ["Ann", "Bob"])
    assert [str(line) for line in lines] == [
        "Knock",
        "Knock",
        "Knock",
        "Who is there?",
        "Knock",
        "Door: open",
        "Door: open (Key)",
        "Door: open (Key)",
    ]
    assert [len(line.entries) for line in lines] == [1] * 8, "each can be asked about"


def test_a_question_names_the_rule_that_asks_unless_that_is_the_phase(screen: Screen) -> None:
    session = Session(edict.load("kuhn-poker").new_game(["Ann", "Ben"], seed=3), screen, {})
    assert session.because() == "" and session.game.phases == ("Betting",)
    session.game.answer("check")
    assert session.because() == "the other may bet after a check"


def test_of_news_for_which_there_is_no_room_the_end_is_shown() -> None:
    news = [Text(word) for word in ("one", "two", "three")]
    for room, said in (
        (3, ["one", "two", "three"]),
        (2, ["  ... and 2 earlier lines (log)", "three"]),
        (1, ["  ... and 3 earlier lines (log)"]),
        (0, []),
        (-1, []),
    ):
        assert plain(_last(news, room)) == said


# --- boards ------------------------------------------------------------------------------------


def test_titles_are_cut_so_that_they_still_differ() -> None:
    assert abbreviations(["Stone Wall", "Stone Bridge", "Inn", "Market"], 4) == {
        "Stone Wall": "StoW",
        "Stone Bridge": "StoB",
        "Inn": "Inn",
        "Market": "Mark",
    }


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("LINES", "30")
    return Screen(["Ann", "Brian", "Cindy", "Dan", "Eve"])


def played(name: str, players: list[str], steps: int, seed: int) -> Game:
    game, rng = edict.load(name).new_game(players, seed=seed), Random(seed)
    for _ in range(steps):
        if game.over:
            break
        game.answer(rng.randrange(game.count))
    return game


def board_of(screen: Screen, game: Game, seat: int) -> Board:
    view = View(game, seat if seat >= 0 else len(game.players))
    return Board(screen, game.program.title, view.panels(), game.phases, seat)


def drawn(screen: Screen, game: Game, seat: int, detail: Detail = WHOLE_BOARD) -> list[str]:
    return plain(board_of(screen, game, seat).lines(detail))


SMALL = Detail(lists=True, words=TIGHT_WORDS)


@settings(max_examples=15, deadline=None)
@given(st.sampled_from(["pig", "kuhn-poker"]), st.integers(0, 30), st.integers(0, 99), st.sampled_from([60, 80, 160]))
def test_boards_of_any_game_fit(name: str, steps: int, seed: int, width: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(width))
        patch.setenv("LINES", "24")
        game = played(name, ["Ann", "Brian"], steps, seed)
        for detail in (SMALL, WHOLE_BOARD):
            lines = drawn(Screen(game.players), game, 0, detail)
            assert max(map(len, lines)) <= width
            assert any(line.startswith("Ann (you)") for line in lines)


def test_the_board_of_the_game_that_ships(screen: Screen) -> None:
    from edict.apps.cli.rules_by_name import default_game

    game = played(default_game(), ["Ann", "Brian", "Cindy", "Dan", "Eve"], 120, 3)
    things = [row.title for panel in game.view(0).panels() if panel.shape == "rows" for row in panel.rows]
    for detail, tall in ((SMALL, 18), (WHOLE_BOARD, 60)):
        lines = drawn(screen, game, 0, detail)
        assert max(map(len, lines)) <= 100
        assert len(lines) <= tall, "\n".join(lines)
        assert all(title in "\n".join(lines) for title in things)


@pytest.mark.parametrize(("width", "height"), [(60, 24), (80, 24), (120, 40), (200, 50)])
@pytest.mark.sample(2)
def test_what_is_needed_most_is_on_the_screen(monkeypatch: pytest.MonkeyPatch, width: int, height: int) -> None:
    """At the default table, wherever somebody chooses: all fits; what things do, the players, one's own province."""
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("LINES", str(height))
    most = max(on_the_screen(game.copy(), width, height) for game in moments())
    assert most >= 6, "what is constructed takes room"


@cache
def moments() -> tuple[Game, ...]:
    """Of a game of bots, each that comes after thirty more answers."""
    from edict.apps.cli.rules_by_name import default_game

    game = edict.load(default_game()).new_game(["Ann", "Ada", "Ben", "Clara"], seed=5)
    bots, found = [BOTS["greedy"](game.program, seat) for seat in range(4)], list[Game]()
    while not game.over:
        found += [game.copy()] if len(game.answers) % 30 == 0 else []
        game.answer(bots[game.seat].choose(game.view(game.seat), game.ask))
    return tuple(found)


def on_the_screen(game: Game, width: int, height: int) -> int:
    """Look at the screen for whoever is asked; gives how much has been constructed."""
    board = replace(board_of(Screen(game.players), game, game.seat), offered=set(game.ask.keys) - {"pass"})
    fitting = Fitting(board, partial(shown, board.screen, Put(game.ask)), 9, height - 1)
    plan = fitting.plan()
    lines = [*plain(board.lines(plan.detail)), *plain(fitting.asked(plan.asked))]
    text = "\n".join(lines)
    assert len(lines) <= height - 1 and max(map(len, lines)) <= width, text
    assert all(f"\n{name} " in text for name in game.players), text
    assert "Gain 2 gold" in text or width < 80, text
    (grid,) = [panel.grids[game.seat] for panel in board.panels if panel.shape == "grid"]
    province = [thing for row in grid.cells for place in row for thing in place]
    owned = [thing for thing in province if thing.marked]
    if width >= 80:
        assert plan.detail.own, text
    if width >= 120:
        assert plan.detail.own == TOLD or not owned or plan.detail.effects, text
    if width >= 200:
        assert all(thing.title.casefold() in text.casefold() for thing in province), text
    return len(owned)


def test_the_board_stays_as_it_is_however_much_there_is_to_choose_from(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    width, height = 80, 24
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("LINES", str(height))
    for game in moments()[::2]:
        board = board_of(Screen(game.players), game, game.seat)
        few = replace(game.ask, options=game.ask.options[:1])
        asks = (partial(shown, board.screen, Put(ask)) for ask in (game.ask, few))
        one, other = (Fitting(board, asked, 9, height - 1).plan() for asked in asks)
        assert one.detail == other.detail, game.ask.prompt


def test_what_the_options_do_is_told_by_a_question_mark_where_there_is_no_room(screen: Screen) -> None:
    ask = replace(things("2"), options=(Option(0, 0, "oak", "Oak", "2", "Gain a nut."),))
    assert "? explains" in plain(shown(screen, Put(ask), BRIEF))[0]
    assert "? explains" not in plain(shown(screen, Put(ask), LINES))[0]
    assert "? explains" not in plain(shown(screen, Put(ask, listed=True), BRIEF))[0]


def test_a_price_stands_once_beside_an_option(screen: Screen) -> None:
    """Not `costs 1 gold, 1 wood, VP 0; 1 gold, 1 wood`; what is printed is told apart from what is paid."""
    options = (Option(0, 0, "inn", "Inn", "costs 1 gold, VP 0"), Option(1, 1, "wall", "Wall", "costs 2 gold, VP 2"))
    ask = Ask(0, "Ann", "q", "Which?", "thing", False, options)
    put = Put(ask, prices=["1 gold", "1 gold"], dues=["1 gold", "1 gold"])
    text = " ".join(plain(shown(screen, put, BRIEF)))
    assert "Inn (VP 0; costs 1 gold)" in text and "Wall (costs 2 gold, VP 2; now costs 1 gold)" in text
    assert "Wall (1 gold)" in " ".join(plain(shown(screen, put, BARE)))


def test_one_board_shows_what_everybody_has_on_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A board that all play on was drawn once for each player, or not at all."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")
    game = edict.load("causeway").new_game(["Ann", "Bob"], seed=3)
    for key in ("a-1", "b-2", "a-2"):
        game.answer(key)
    lines = [line.rstrip() for line in drawn(Screen(game.players), game, 0, Detail(own=SHORT))]
    assert lines[1:4] == [
        "-- The marsh (CAPITALS: built), B Bob ------------------------------------------",
        "a A1    A2    a3    a4    a5", "b    b1    b2 B  b3    b4    b5",
    ]  # fmt: skip  # a board of hexagons: each row begins half a place further on
    looking_on = [line.rstrip() for line in drawn(Screen(game.players), game, -1)]
    assert looking_on[1].startswith("-- The marsh: built, A Ann, B Bob --")
    assert looking_on[2:4] == ["a a1 A  a2 A  a3    a4    a5", "b    b1    b2 B  b3    b4    b5"]
    fitting = Fitting(board_of(Screen(game.players), game, 0), lambda room: [], 0, 23)
    whole = drawn(Screen(game.players), game, 0, fitting.plan().detail)
    assert sum(line.count("a1") + line.count("A1") for line in whole) == 1


def test_what_is_marked_stands_out_where_there_are_no_letters(screen: Screen) -> None:
    game = edict.load("nine-tiles").new_game(["Ann"], seed=3)
    assert drawn(screen, game, 0)[-1].strip() == "[1] [2] [3] [4] [5] [6] [7] [8] [9]"
    game = edict.load("sixty-four").new_game(["Ann", "Ben"], seed=3)
    for bid in ("9", "8"):
        game.answer(bid)
    lines = "\n".join(drawn(screen, game, 0))
    assert lines.count("[") == 2 and "[ ]: bought" in lines
    assert len(re.findall(r" \d-\d  B", "\n".join(drawn(screen, game, 1)))) == 0


def test_players_are_told_apart_by_few_letters() -> None:
    assert initials(["Ann", "Bob"]) == ["A", "B"]
    assert initials(["Ann", "Ada"]) == ["An", "Ad"]
    assert initials(["Anna", "Annabel"]) == ["1", "2"]


def test_hidden_cards_are_not_drawn(screen: Screen) -> None:
    game = played("kuhn-poker", ["Ann", "Brian"], 0, 1)
    cards = {"Jack", "Queen", "King"}
    seen = [cards & set(" ".join(drawn(screen, game, seat)).split()) for seat in (0, 1)]
    assert [len(found) for found in seen] == [1, 1] and seen[0] != seen[1]
    view = game.view(0)
    assert "Brian: Card ?, Chips -1" in plain_lines(screen, view.panels(), game.phases, 0)


def test_escapes_in_titles_are_made_visible(screen: Screen) -> None:
    option = Option(0, 0, "k", "O\x1b]0;x\x07ne", "c\x9b", "w\x1b")
    evil = Ask(0, "Ann", "q", "Wh\x1b[2Jich?", "thing", False, (option,))
    lines = shown(screen, Put(evil, "be\x1bcause", ["t\x1bold"]), WHOLE_QUESTION)
    assert not [c for line in lines for c in line.plain if ord(c) < 32 or 127 <= ord(c) < 160], plain(lines)


def test_what_is_printed_on_a_thing_is_read_whatever_it_brings_and_only_once(screen: Screen) -> None:
    """Nobody chooses blind: a field that is `shown` stands beside the name, also where prices and outcomes are told."""
    options = (Option(0, 0, "oak", "Oak", "height 9, costs 3 coins"), Option(1, 1, "elm", "Elm", "height 2"))
    ask = Ask(0, "Ann", "q", "Which tree?", "thing", False, (*options, Option(2, DECLINE, "no", "No")))
    put = Put(ask, told=["costs 4 coins", "", ""], prices=["4 coins", "", ""], dues=["4 coins", "", ""])
    for room in (BRIEF, LINES, WHOLE_QUESTION):
        text = "\n".join(plain(shown(screen, put, room)))
        assert "height 9, costs 3 coins" in text and "height 2" in text and "4 coins" in text, text
        assert room == BRIEF or "Oak  (height 9, costs 3 coins) costs 4 coins" in text, text
    for caption, told, line in (
        ("costs 3 coins", "costs 3 coins; +1 VP", "Oak  costs 3 coins; +1 VP"),
        ("costs 3 coins, VP 1", "costs 3 coins; +1 VP", "Oak  (VP 1) costs 3 coins; +1 VP"),
        ("VP 1, costs 3 coins", "costs 3 coins", "Oak  (VP 1) costs 3 coins"),
        ("costs 3 coins, 1 nut", "costs 3 coins", "Oak  (costs 3 coins, 1 nut) costs 3 coins"),
    ):
        ask = Ask(0, "Ann", "q", "Which?", "thing", False, (Option(0, 0, "oak", "Oak", caption),))
        assert plain(shown(screen, Put(ask, told=[told]), WHOLE_QUESTION))[1] == f" 1 {line}"


def test_many_numbers_are_told_as_a_range(screen: Screen) -> None:
    values = [*range(500), 600, 602, 603, 1000]
    options = tuple(Option(i, value, str(value), str(value)) for i, value in enumerate(values))
    ask = Ask(0, "Ann", "bid", "How much?", "number", False, options)
    lines = plain(shown(screen, Put(ask, told=[f"bid: {value}" for value in values]), WHOLE_QUESTION))
    assert lines == ["Ann: How much?", "  0 to 499, 600, 602 to 603, 1000"]


# --- who plays ---------------------------------------------------------------------------------


def test_seats() -> None:
    assert seated([], [], 2, 5).bots == ("greedy",) * 4
    assert seated(["Ann"], [], 2, 2) == SeatedBots(("Ann", "Ada"), ("", "greedy"))
    assert seated(["Ada"], ["random", "greedy:Bo"], 2, 5) == SeatedBots(("Ada", "Ben", "Bo"), ("", "random", "greedy"))
    assert seated(["Ann", "Bob"], [], 2, 5).people == (0, 1)
    with pytest.raises(UsageError):
        seated([], ["nobody"], 2, 5)


def test_speeds() -> None:
    assert (seconds("0.5"), seconds("fast")) == (0.5, 0.2)
    for wrong in ("nan", "inf", "-1", "61", "soon"):
        with pytest.raises(UsageError):
            seconds(wrong)


def test_a_long_line_is_broken_between_words_and_set_in() -> None:
    said = "  Whenever you win a battle, you may gain 1 VP, and once a year you may call a blessing."
    lines = [line.plain for line in hanging(Text(said), 40)]
    assert len(lines) > 2 and all(len(line) <= 40 for line in lines)
    assert lines[0].startswith("  Whenever")
    assert all(len(line) - len(line.lstrip()) == HANG for line in lines[1:])
    assert " ".join(" ".join(lines).split()) == said.strip()
    assert [line.plain for line in hanging(Text("  Year 1"), 40)] == ["  Year 1"], "a short one stays as it is"


def test_what_explains_is_wrapped_within_the_screen_beside_its_first_column(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    screen = Screen()
    screen.simple = False
    words = "why not 3   says what keeps an option from being offered to you, " + "and why that is so, " * 6
    for level, hang in ((0, 0), (1, 0), (0, 12), (3, 12)):
        lines = [line.plain for line in why.why_lines(screen, [ReasonLine(words, level=level, hang=hang)])]
        assert len(lines) > 2 and all(len(line) <= 60 for line in lines)
        assert " ".join(" ".join(lines).split()) == " ".join(words.split())
        indent = len(lines[0]) - len(lines[0].lstrip())
        assert not hang or all(line.startswith(" " * (indent + hang)) for line in lines[1:])
