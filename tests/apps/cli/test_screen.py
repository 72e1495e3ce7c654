"""The parts of the terminal interface: column layout, typed words, news, boards and questions."""

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
from edict.apps.cli.playing.board import (
    EFFECTS,
    LAST_NEWS,
    OWN_NAMES,
    QUESTION_LINES,
    TITLES,
    WHOLE_BOARD,
    Board,
    BoardFitter,
    Detail,
    plain_board_lines,
)
from edict.apps.cli.playing.game_loop import parse_speed
from edict.apps.cli.playing.panel_drawing import merge_repeated_words, unique_initials
from edict.apps.cli.playing.questions import BARE, BRIEF, PAIRED, PresentedQuestion, render_question
from edict.apps.cli.playing.questions import WHOLE as WHOLE_QUESTION
from edict.apps.cli.playing.screen import HANG, Screen, pack_columns, wrap_hanging
from edict.apps.cli.playing.session import Session, _last_lines
from edict.apps.cli.seating import SeatedBots, assign_seats
from edict.game.explanations.reasons_in_words import ReasonLine
from edict.game.table.game import Game
from edict.game.table.game_errors import GameError
from edict.game.table.log_entries import CHANGE, CHOICE, GAIN, LUCK, PHASE, SAID, SHOWN, Entry, build_lines
from edict.game.table.options import Ask, Option
from edict.game.table.view import View
from edict.game.table.wording import Amount
from edict.runtime.program import Cause
from edict.runtime.program.opcodes import DECLINE

WORDS = ["oak", "old oak", "elm", "a very long name indeed", "x"]


def to_plain_text(lines: list[Text]) -> list[str]:
    return [line.plain for line in lines]


# --- columns -----------------------------------------------------------------------------------


def test_items_are_packed_into_the_fewest_columns_that_fit() -> None:
    items = [Text(str(n)) for n in range(7)]
    assert to_plain_text(pack_columns(items, 40, 7)) == list("0123456")
    assert to_plain_text(pack_columns(items, 40, 3)) == ["0  3  6", "1  4   ", "2  5   "]
    assert to_plain_text(pack_columns(items, 5, 1)) == ["0  4", "1  5", "2  6", "3   "]
    assert to_plain_text(pack_columns(items, 2, 1)) == list("0123456"), "no two stand side by side in so little width"


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=30), st.integers(10, 80), st.integers(1, 12))
def test_layout_never_exceeds_the_width(words: list[str], width: int, tall: int) -> None:
    items = [Text(word) for word in words]
    for lines in (pack_columns(items, width, tall), terminal.flow(items, width, " | ")):
        assert terminal.lines_width(lines) <= width
    rows = [[Text("name"), Text("value"), Text("more")], *([item, Text("1"), item] for item in items)]
    assert terminal.lines_width(terminal.layout_table(rows, width, [False, True, False])) <= width


def test_narrow_table_reduces_gaps_then_headings_then_values(subtests: pytest.Subtests) -> None:
    rows = [[Text("Longest"), Text("Longer")], [Text("ab"), Text("1")]]
    for width, drawn in (
        (15, ["Longest  Longer", "ab            1"]),
        (14, ["Longest Longer", "ab           1"]),
        (8, ["Lo… Lon…", "ab     1"]),
    ):
        with subtests.test(width=width):
            assert to_plain_text(terminal.layout_table(rows, width, [False, True])) == drawn


def test_long_value_is_wrapped_in_a_narrow_table() -> None:
    rows = [[Text("Points"), Text("Hand")], [Text("0"), Text("3, 8, 12 and 15")]]
    lines = to_plain_text(terminal.layout_table(rows, 16, [True, False]))
    assert [line.rstrip() for line in lines] == ["Points Hand", "     0 3, 8, 12", "       and 15"]


def test_blocks_fill_columns_whole_and_in_order() -> None:
    blocks = [[Text(f"{number}{line}") for line in range(number % 3 + 1)] for number in range(6)]
    lines = to_plain_text(terminal.arrange_blocks(blocks, 2, 10, 2))
    assert [line.split() for line in lines] == [
        ["00", "30"],
        ["10", "40"],
        ["11", "41"],
        ["20", "50"],
        ["21", "51"],
        ["22", "52"],
    ]
    lowest = terminal.flow_blocks(lambda width: blocks, 30, 6)
    assert len(lowest) == 3, "as many columns as make it lowest"


def test_repeated_first_word_is_merged(subtests: pytest.Subtests) -> None:
    assert merge_repeated_words("Card 3, Card 8 and Card 12") == "Card 3, 8 and 12"
    for words in ("Card 3", "Oak and Elm", "2 nuts and 2 coins", "Card 3 and Oak 4"):
        with subtests.test(words=words):
            assert merge_repeated_words(words) == words


def test_wide_characters_take_two_columns() -> None:
    assert terminal.fit(Text("王王王"), 4).cell_len == 4


# --- what is typed -----------------------------------------------------------------------------


def make_question(*texts: str, domain: str = "thing") -> Ask:
    return Ask(0, "Ann", "q", "Which?", domain, False, tuple(Option(i, i, f"k{i}", t) for i, t in enumerate(texts)))


def test_typed_words_and_numbers_match_options(subtests: pytest.Subtests) -> None:
    ask = make_question("Stone Wall", "Stables", "Build nothing", "Wall")
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
        with subtests.test(typed=typed):
            assert [option.text for option in questions.match_options(ask, typed)] == found


def make_thing_question(*captions: str) -> Ask:
    """Return a question about things called A, B and so on with these captions, and declining."""
    found = [Option(i, i, f"k{i}", "ABCDEF"[i], caption) for i, caption in enumerate(captions)]
    return replace(make_question(), options=(*found, Option(len(found), DECLINE, "no", "No")))


def test_labels_are_unambiguous() -> None:
    ranked = make_thing_question("2", "5", "17")
    assert questions.option_labels(ranked) == ("2", "5", "17", "0")
    assert [o.text for o in questions.match_options(ranked, "5")] == ["B"]
    assert questions.match_options(ranked, "1") == questions.match_options(ranked, "3") == []
    assert [o.text for o in questions.match_options(ranked, "0")] == ["No"]
    twins = make_thing_question("5", "5", "0")
    assert questions.option_labels(twins) == ("5a", "5b", "0", "")
    assert [o.text for o in questions.match_options(twins, "5")] == ["A", "B"]
    assert [o.text for o in questions.match_options(twins, "5b")] == ["B"]
    assert questions.option_labels(make_thing_question("2", "", "x")) == ("a", "b", "c", "d"), (
        "a place could be taken for the 2"
    )
    assert questions.option_labels(make_thing_question("costs 2", "", "x")) == ("1", "2", "3", "4")
    amounts = make_question("2 coins", "1 nut", "Nothing", domain="branch")
    assert questions.option_labels(amounts) == ("a", "b", "c")
    assert [o.text for o in questions.match_options(amounts, "b")] == ["1 nut"]
    assert [o.text for o in questions.match_options(amounts, "2")] == ["2 coins"]
    assert questions.option_labels(make_question("1 coin", "2 coins", domain="branch")) == ("1", "2")


def test_number_options_are_labeled_by_their_value() -> None:
    ask = make_question("0", "1", "2", domain="number")
    assert [o.text for o in questions.match_options(ask, "1")] == ["1"]
    assert questions.match_options(ask, "3") == []
    dice = make_question("3", "5", "bonus die 5", domain="die")
    dice = replace(dice, options=(*dice.options, Option(3, DECLINE, "no", "No")))
    assert questions.option_labels(dice) == ("3", "5", "a", "0")
    assert [o.text for o in questions.match_options(dice, "0")] == ["No"]
    assert [o.text for o in questions.match_options(dice, "a")] == ["bonus die 5"]
    assert [o.text for o in questions.match_options(dice, "5")] == ["5"]
    assert [o.text for o in questions.match_options(dice, "b 5")] == ["bonus die 5"]
    assert [o.text for o in questions.match_options(dice, "n")] == ["No"]


def test_declining_a_die_is_labeled_zero(screen: Screen) -> None:
    ask = replace(make_question(domain="die"), options=(Option(0, 4, "d6-4", "4"), Option(1, DECLINE, "no", "No")))
    assert to_plain_text(render_question(screen, PresentedQuestion(ask), BARE))[1] == "  4   0 No"
    assert questions.describe_valid_answers(ask) == "4, or 0 for No"


def test_things_are_labeled_by_the_number_in_their_title() -> None:
    """Cards such as `Card 38` are not labeled by their points."""
    shown = {"Card 38": "1", "Card 62": "1", "Card 66": "5"}
    cards = tuple(Option(i, i, f"k{i}", title, points) for i, (title, points) in enumerate(shown.items()))
    ask = Ask(0, "Ann", "q", "Which card?", "thing", False, cards)
    assert questions.option_labels(ask) == ("38", "62", "66")
    assert [o.text for o in questions.match_options(ask, "66")] == ["Card 66"]
    assert questions.match_options(ask, "1") == []


def test_typed_number_matches_whole_numbers_only() -> None:
    ask = make_question("3 5", "3 5 with a +2 token", "12", domain="ways")
    assert [o.text for o in questions.match_options(ask, "3 5")] == ["3 5"]
    assert [o.text for o in questions.match_options(ask, "3 5 w")] == ["3 5 with a +2 token"]
    assert [o.text for o in questions.match_options(ask, "a")] == ["3 5"]
    assert (
        questions.match_options(ask, "1")
        == questions.match_options(ask, "4")
        == questions.match_options(ask, "1 2")
        == []
    )
    assert questions.match_options(ask, "12") == [ask.options[2]]


# --- news --------------------------------------------------------------------------------------


def make_entry(
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


def make_gain_entry(owner: str, verb: str, number: int, what: str, **more: Any) -> Entry:
    amount = Amount(number, what, f"{what}s")
    seat = ("Ann", "Bob").index(owner)
    return make_entry(GAIN, f"{owner} {verb} {amount}", seat, verb=verb, owner=owner, amount=amount, **more)


def make_choice_entry(owner: str, words: str, **more: Any) -> Entry:
    return make_entry(CHOICE, f"{owner}: {words}", ("Ann", "Bob").index(owner), words=words, **more)


def make_announcement(text: str, *lines: int, subject: int = 0) -> Entry:
    """Return an announcement that reports the steps at these lines."""
    return make_entry(SAID, text, subject=subject, reports=frozenset(("f", line, 1) for line in lines), line=99)


def test_changes_by_one_rule_share_a_line() -> None:
    entries = [
        make_gain_entry("Ann", "loses", 1, "coin"),
        make_gain_entry("Ann", "gains", 1, "nut"),
        make_gain_entry("Ann", "gains", 2, "pin"),
        make_gain_entry("Bob", "gains", 1, "nut"),
        make_gain_entry("Bob", "gains", 1, "nut", cause="Other"),
    ]
    assert [str(line) for line in build_lines(entries, ["Ann", "Bob"])] == [
        "Ann loses 1 coin, and gains 1 nut and 2 pins (Rule)",
        "Bob gains 1 nut (Rule)",
        "Bob gains 1 nut (Other)",
    ]


def test_announced_events_are_not_repeated() -> None:
    entries = [
        make_entry(PHASE, "Spring", level=1),
        make_entry(PHASE, "Nothing", level=2),
        make_entry(PHASE, "Rolling", level=2),
        make_entry(LUCK, "Rolled: 3 1", words="3 1", rolled=True, line=2, question=0),
        make_announcement("Ann rolls 1 3", 2),
        make_choice_entry("Ann", "Oak", line=3, question=1),
        make_choice_entry("Ann", "1 3", line=4, question=2),
        make_announcement("Ann cuts Oak with 1 3", 3, 4),
        make_choice_entry("Bob", "nut", line=5, question=3),
        make_gain_entry("Bob", "gains", 1, "nut", cause="Phase", line=5),
        make_choice_entry("Ann", "Pass", line=6, question=4),
        make_entry(CHANGE, "Tree: hidden from you"),
        make_entry(CHANGE, "Tree: hidden from you"),
    ]
    assert [str(line) for line in build_lines(entries, ["Ann", "Bob"])] == [
        "Spring > Rolling",
        "Ann rolls 1 3",
        "Ann cuts Oak with 1 3",
        "Bob gains 1 nut",
        "Ann: Pass",
        "Tree: hidden from you",
        "Tree: hidden from you",
    ]


@pytest.mark.parametrize(
    "announced",
    [
        make_announcement("Ann takes Oak"),
        make_announcement("Ann takes Oak", 4),
        make_announcement("Oak is taken", 3, subject=-1),
        make_announcement("Ben takes Oak", 3, subject=1),
    ],
)
def test_choice_is_listed_unless_an_announcement_reports_it(announced: Entry) -> None:
    """Matching words alone do not hide a choice."""
    entries = [make_choice_entry("Ann", "Oak", line=3, question=1), announced]
    assert [line.text for line in build_lines(entries, ["Ann", "Bob"])] == ["Ann: Oak", announced.text]


def test_repeated_choice_is_listed_twice() -> None:
    """An announcement reports the last of equal choices only."""
    oak, elm = (make_choice_entry("Ann", words, line=3, question=1) for words in ("Oak", "Elm"))
    entries = [oak, elm, make_announcement("Ann takes Elm", 3)]
    assert [line.text for line in build_lines(entries, ["Ann", "Bob"])] == ["Ann: Oak", "Ann takes Elm"]


def test_forced_choice_is_marked() -> None:
    """A forced pass does not read like a voluntary one."""
    forced = make_entry(CHOICE, "Ann has no choice: Pass", 0, words="Pass", forced=True, line=3, question=1)
    said, other = make_announcement("Ann passes", 3), make_announcement("Bob passes", 3, subject=1)
    lines = build_lines([forced, said, make_choice_entry("Bob", "Pass", line=3, question=1), other], ["Ann", "Bob"])
    assert [line.text for line in lines] == ["Ann must pass", "Bob passes"]
    assert lines[0].entries == (said,)


def test_repeated_events_are_repeated_in_the_news() -> None:
    entries = [
        make_entry(SAID, "Knock"),
        make_entry(SAID, "Knock"),
        make_entry(SAID, "Knock"),
        make_entry(SAID, "Who is there?"),
        make_entry(SAID, "Knock"),
        make_entry(CHANGE, "Door: open", cause="Key"),
        make_entry(SHOWN, "Door: open", cause="Key"),
        make_entry(SHOWN, "Door: open", cause="Key"),
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


def test_question_names_its_rule_unless_it_is_the_phase(screen: Screen) -> None:
    session = Session(edict.load("kuhn-poker").new_game(["Ann", "Ben"], seed=3), screen, {})
    assert session.asking_rule() == "" and session.game.phases == ("Betting",)
    session.game.answer("check")
    assert session.asking_rule() == "the other may bet after a check"


def test_long_news_are_cut_at_the_beginning(subtests: pytest.Subtests) -> None:
    news = [Text(word) for word in ("one", "two", "three")]
    for room, said in (
        (3, ["one", "two", "three"]),
        (2, ["  ... and 2 earlier lines (log)", "three"]),
        (1, ["  ... and 3 earlier lines (log)"]),
        (0, []),
        (-1, []),
    ):
        with subtests.test(room=room):
            assert to_plain_text(_last_lines(news, room)) == said


# --- boards ------------------------------------------------------------------------------------


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("LINES", "30")
    return Screen(["Ann", "Brian", "Cindy", "Dan", "Eve"])


def play_random_game(name: str, players: list[str], steps: int, seed: int) -> Game:
    game, rng = edict.load(name).new_game(players, seed=seed), Random(seed)
    for _ in range(steps):
        if game.over:
            break
        game.answer(rng.randrange(game.count))
    return game


def make_board(screen: Screen, game: Game, seat: int) -> Board:
    view = View(game, seat if seat >= 0 else len(game.players))
    return Board(screen, game.program.title, view.panels(), game.phases, seat)


def draw_board(screen: Screen, game: Game, seat: int, detail: Detail = WHOLE_BOARD) -> list[str]:
    return to_plain_text(make_board(screen, game, seat).render(detail))


SMALL = Detail(players=True, lists=TITLES)


@settings(max_examples=15, deadline=None)
@given(st.sampled_from(["pig", "kuhn-poker"]), st.integers(0, 30), st.integers(0, 99), st.sampled_from([60, 80, 160]))
def test_board_fits_the_width(name: str, steps: int, seed: int, width: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(width))
        patch.setenv("LINES", "24")
        game = play_random_game(name, ["Ann", "Brian"], steps, seed)
        for detail in (SMALL, WHOLE_BOARD):
            lines = draw_board(Screen(game.players), game, 0, detail)
            assert max(map(len, lines)) <= width
            assert any(line.startswith("Ann (you)") for line in lines)


def test_board_of_the_shipped_game_fits_and_has_all_titles(screen: Screen, subtests: pytest.Subtests) -> None:
    from edict.apps.cli.rules_by_name import default_game

    game = play_random_game(default_game(), ["Ann", "Brian", "Cindy", "Dan", "Eve"], 120, 3)
    things = [row.title for panel in game.view(0).panels() if panel.shape == "rows" for row in panel.rows]
    for detail, tall in ((SMALL, 18), (WHOLE_BOARD, 60)):
        with subtests.test(tall=tall):
            lines = draw_board(screen, game, 0, detail)
            assert max(map(len, lines)) <= 100
            assert len(lines) <= tall, "\n".join(lines)
            assert all(title in "\n".join(lines) for title in things)


@pytest.mark.parametrize(("width", "height"), [(60, 24), (80, 24), (120, 40), (200, 50)])
@pytest.mark.sample(2)
def test_most_useful_details_are_on_the_screen(monkeypatch: pytest.MonkeyPatch, width: int, height: int) -> None:
    """At every choice in the default game, the effect of every option fits, and more on a larger screen."""
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("LINES", str(height))
    most = max(check_screen(game.copy(), width, height) for game in sample_positions())
    assert most >= 6, "what is constructed takes room"


@cache
def sample_positions() -> tuple[Game, ...]:
    """Return a position of a game between bots after every thirty answers."""
    from edict.apps.cli.rules_by_name import default_game

    game = edict.load(default_game()).new_game(["Ann", "Ada", "Ben", "Clara"], seed=5)
    bots, positions = [BOTS["greedy"](game.program, seat) for seat in range(4)], list[Game]()
    while not game.over:
        positions += [game.copy()] if len(game.answers) % 30 == 0 else []
        game.answer(bots[game.seat].choose(game.view(game.seat), game.ask))
    return tuple(positions)


def check_screen(game: Game, width: int, height: int) -> int:
    """Check the screen of the player who is asked; return the number of buildings they have."""
    board = replace(make_board(Screen(game.players), game, game.seat), offered=set(game.ask.keys) - {"pass"})
    question = PresentedQuestion(game.ask, listed=board.lists_all_offered)
    fitting = BoardFitter(board, partial(render_question, board.screen, question), 9, height - 1)
    plan = fitting.plan()
    lines = [*to_plain_text(board.render(plan.detail)), *to_plain_text(fitting.render_question(plan.question_detail))]
    text = "\n".join(lines)
    assert len(lines) <= height - 1 and max(map(len, lines)) <= width, text
    names = game.players if width >= 80 else [game.ask.player]
    assert all(re.search(rf"\n{name}( \(you\))?[: ]", text) for name in names), text
    words = set(text.split())
    assert all(set(option.words.split()) <= words for option in game.ask.options), text
    assert "…" not in text, "what does not fit whole is left out"
    (grid,) = [panel.grids[game.seat] for panel in board.panels if panel.shape == "grid"]
    province = [thing for row in grid.cells for place in row for thing in place]
    if width >= 120:
        assert plan.detail.own and all(thing.title.casefold() in text.casefold() for thing in province), text
    if width >= 200:
        assert plan.detail.lists == EFFECTS, text
    return sum(thing.marked for thing in province)


def test_board_is_the_same_at_every_short_question(
    monkeypatch: pytest.MonkeyPatch,
    subtests: pytest.Subtests,
) -> None:
    """Questions of some lines, with their news, do not change the board."""
    width, height, compared = 80, 24, 0
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("LINES", str(height))
    for game in sample_positions():
        with subtests.test(game=game):
            board = make_board(Screen(game.players), game, game.seat)
            few = replace(game.ask, options=game.ask.options[:1])
            asks = [partial(render_question, board.screen, PresentedQuestion(ask)) for ask in (game.ask, few)]
            one, other = (BoardFitter(board, asked, 9, height - 1).plan() for asked in asks)
            if len(asks[0](WHOLE_QUESTION)) + LAST_NEWS <= QUESTION_LINES:
                compared += 1
                assert one.detail == other.detail, game.ask.prompt
    assert compared > 3


def test_question_hints_at_help_if_effects_do_not_fit(screen: Screen) -> None:
    ask = replace(make_thing_question("2"), options=(Option(0, 0, "oak", "Oak", "2", "Gain a nut."),))
    assert "? explains" in to_plain_text(render_question(screen, PresentedQuestion(ask), BRIEF))[0]
    assert "? explains" not in to_plain_text(render_question(screen, PresentedQuestion(ask), PAIRED))[0]
    assert "? explains" not in to_plain_text(render_question(screen, PresentedQuestion(ask, listed=True), BRIEF))[0]


def test_price_is_shown_once_beside_an_option(screen: Screen) -> None:
    """The printed cost is distinguished from the actual one."""
    options = (Option(0, 0, "inn", "Inn", "costs 1 gold, VP 0"), Option(1, 1, "wall", "Wall", "costs 2 gold, VP 2"))
    ask = Ask(0, "Ann", "q", "Which?", "thing", False, options)
    put = PresentedQuestion(ask, prices=["1 gold", "1 gold"], prices_without_dice=["1 gold", "1 gold"])
    text = " ".join(to_plain_text(render_question(screen, put, BRIEF)))
    assert "Inn (VP 0; costs 1 gold)" in text and "Wall (costs 2 gold, VP 2; now costs 1 gold)" in text
    assert "Wall (1 gold)" in " ".join(to_plain_text(render_question(screen, put, BARE)))


def test_shared_board_shows_the_marks_of_all_players(monkeypatch: pytest.MonkeyPatch) -> None:
    """A board that all share is drawn once."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")
    game = edict.load("causeway").new_game(["Ann", "Bob"], seed=3)
    for key in ("a-1", "b-2", "a-2"):
        game.answer(key)
    lines = [line.rstrip() for line in draw_board(Screen(game.players), game, 0, Detail(own=OWN_NAMES))]
    assert lines[1:4] == [
        "-- The marsh (CAPITALS: built), B Bob ------------------------------------------",
        "a A1    A2    a3    a4    a5", "b    b1    b2 B  b3    b4    b5",
    ]  # fmt: skip  # a board of hexagons: each row begins half a place further on
    looking_on = [line.rstrip() for line in draw_board(Screen(game.players), game, -1)]
    assert looking_on[1].startswith("-- The marsh: built, A Ann, B Bob --")
    assert looking_on[2:4] == ["a a1 A  a2 A  a3    a4    a5", "b    b1    b2 B  b3    b4    b5"]
    fitting = BoardFitter(make_board(Screen(game.players), game, 0), lambda room: [], 0, 23)
    whole = draw_board(Screen(game.players), game, 0, fitting.plan().detail)
    assert sum(line.count("a1") + line.count("A1") for line in whole) == 1


def test_marked_cells_have_brackets_if_titles_have_no_letters(screen: Screen) -> None:
    game = edict.load("nine-tiles").new_game(["Ann"], seed=3)
    assert draw_board(screen, game, 0)[-1].strip() == "[1] [2] [3] [4] [5] [6] [7] [8] [9]"
    game = edict.load("sixty-four").new_game(["Ann", "Ben"], seed=3)
    for bid in ("9", "8"):
        game.answer(bid)
    lines = "\n".join(draw_board(screen, game, 0))
    assert lines.count("[") == 2 and "[ ]: bought" in lines
    assert len(re.findall(r" \d-\d  B", "\n".join(draw_board(screen, game, 1)))) == 0


def test_player_initials_are_distinct() -> None:
    assert unique_initials(["Ann", "Bob"]) == ["A", "B"]
    assert unique_initials(["Ann", "Ada"]) == ["An", "Ad"]
    assert unique_initials(["Anna", "Annabel"]) == ["1", "2"]


def test_hidden_cards_are_not_on_the_board(screen: Screen) -> None:
    game = play_random_game("kuhn-poker", ["Ann", "Brian"], 0, 1)
    cards = {"Jack", "Queen", "King"}
    seen = [cards & set(" ".join(draw_board(screen, game, seat)).split()) for seat in (0, 1)]
    assert [len(found) for found in seen] == [1, 1] and seen[0] != seen[1]
    view = game.view(0)
    assert "Brian: Card ?, Chips -1" in plain_board_lines(screen, view.panels(), game.phases, 0)


def test_control_characters_in_titles_are_removed(screen: Screen) -> None:
    option = Option(0, 0, "k", "O\x1b]0;x\x07ne", "c\x9b", "w\x1b")
    evil = Ask(0, "Ann", "q", "Wh\x1b[2Jich?", "thing", False, (option,))
    lines = render_question(screen, PresentedQuestion(evil, "be\x1bcause", ["t\x1bold"]), WHOLE_QUESTION)
    assert not [c for line in lines for c in line.plain if ord(c) < 32 or 127 <= ord(c) < 160], to_plain_text(lines)


def test_printed_values_are_shown_once_beside_outcomes(screen: Screen, subtests: pytest.Subtests) -> None:
    """A field that is `render_question` stands beside the name, also with prices and outcomes."""
    options = (Option(0, 0, "oak", "Oak", "height 9, costs 3 coins"), Option(1, 1, "elm", "Elm", "height 2"))
    ask = Ask(0, "Ann", "q", "Which tree?", "thing", False, (*options, Option(2, DECLINE, "no", "No")))
    put = PresentedQuestion(
        ask, outcomes=["costs 4 coins", "", ""], prices=["4 coins", "", ""], prices_without_dice=["4 coins", "", ""]
    )
    for room in (BRIEF, PAIRED, WHOLE_QUESTION):
        with subtests.test(room=room):
            text = "\n".join(to_plain_text(render_question(screen, put, room)))
            words = set(re.findall(r"\w+", text))  # in columns, lines of two options are side by side
            assert {"height", "9", "costs", "3", "coins", "2", "4"} <= words, text
            assert room != BRIEF or "height 9, costs 3 coins; now costs 4 coins" in text, text
            assert room != WHOLE_QUESTION or "Oak  (height 9, costs 3 coins) costs 4 coins" in text, text
    for caption, told, line in (
        ("costs 3 coins", "costs 3 coins; +1 VP", "Oak  costs 3 coins; +1 VP"),
        ("costs 3 coins, VP 1", "costs 3 coins; +1 VP", "Oak  (VP 1) costs 3 coins; +1 VP"),
        ("VP 1, costs 3 coins", "costs 3 coins", "Oak  (VP 1) costs 3 coins"),
        ("costs 3 coins, 1 nut", "costs 3 coins", "Oak  (costs 3 coins, 1 nut) costs 3 coins"),
    ):
        with subtests.test(caption=caption):
            ask = Ask(0, "Ann", "q", "Which?", "thing", False, (Option(0, 0, "oak", "Oak", caption),))
            assert (
                to_plain_text(render_question(screen, PresentedQuestion(ask, outcomes=[told]), WHOLE_QUESTION))[1]
                == f" 1 {line}"
            )


def test_many_numbers_are_shown_as_ranges(screen: Screen) -> None:
    values = [*range(500), 600, 602, 603, 1000]
    options = tuple(Option(i, value, str(value), str(value)) for i, value in enumerate(values))
    ask = Ask(0, "Ann", "bid", "How much?", "number", False, options)
    lines = to_plain_text(
        render_question(screen, PresentedQuestion(ask, outcomes=[f"bid: {value}" for value in values]), WHOLE_QUESTION)
    )
    assert lines == ["Ann: How much?", "  0 to 499, 600, 602 to 603, 1000"]


# --- who plays ---------------------------------------------------------------------------------


def test_seats_are_assigned_to_people_then_bots() -> None:
    assert assign_seats([], [], 2, 5).bots == ("greedy",) * 4
    assert assign_seats(["Ann"], [], 2, 2) == SeatedBots(("Ann", "Ada"), ("", "greedy"))
    assert assign_seats(["Ada"], ["random", "greedy:Bo"], 2, 5) == SeatedBots(
        ("Ada", "Ben", "Bo"), ("", "random", "greedy")
    )
    assert assign_seats(["Ann", "Bob"], [], 2, 5).people == (0, 1)
    with pytest.raises(GameError, match="there is no bot `nobody`"):
        assign_seats([], ["nobody"], 2, 5)


def test_speed_is_parsed_as_word_or_seconds() -> None:
    assert (parse_speed("0.5"), parse_speed("fast")) == (0.5, 0.2)
    for wrong in ("nan", "inf", "-1", "61", "soon"):
        with pytest.raises(UsageError):
            parse_speed(wrong)


def test_long_line_is_wrapped_with_an_indent() -> None:
    said = "  Whenever you win a battle, you may gain 1 VP, and once a year you may call a blessing."
    lines = [line.plain for line in wrap_hanging(Text(said), 40)]
    assert len(lines) > 2 and all(len(line) <= 40 for line in lines)
    assert lines[0].startswith("  Whenever")
    assert all(len(line) - len(line.lstrip()) == HANG for line in lines[1:])
    assert " ".join(" ".join(lines).split()) == said.strip()
    assert [line.plain for line in wrap_hanging(Text("  Year 1"), 40)] == ["  Year 1"], "a short one stays as it is"


def test_reasons_are_wrapped_within_the_screen(monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    screen = Screen()
    screen.simple = False
    words = "why not 3   says what keeps an option from being offered to you, " + "and why that is so, " * 6
    for level, hang in ((0, 0), (1, 0), (0, 12), (3, 12)):
        with subtests.test(level=level):
            lines = [line.plain for line in why.layout_reasons(screen, [ReasonLine(words, level=level, hang=hang)])]
            assert len(lines) > 2 and all(len(line) <= 60 for line in lines)
            assert " ".join(" ".join(lines).split()) == " ".join(words.split())
            indent = len(lines[0]) - len(lines[0].lstrip())
            assert not hang or all(line.startswith(" " * (indent + hang)) for line in lines[1:])
