"""Views: values, questions, log, panels and the state for searches, without anything hidden."""

from __future__ import annotations

import dataclasses
from random import Random

import pytest

import edict
from edict import GameError
from edict.agents.bots.match import Match, create_bot_table
from edict.game.table.control_flow import EXTRA_WRITES, clear_dead_cells
from edict.game.table.game import Game
from edict.game.table.rules import Rules
from edict.runtime.machine.loop import run
from edict.runtime.program import LinkedPanelPart, Panel, PanelLine, Query, create_state
from edict.runtime.program import opcodes as o
from edict.runtime.program.opcodes import (
    ANSWER,
    ASKING,
    CHANCE,
    NAMES,
    NTH,
    OPERANDS,
    OPTIONS,
    PUTX,
    RESTORE,
    STX,
    STXX,
)
from helpers import compile_program, make_phase
from instrumented import instrument_loop
from table_kit import CARD, PAIR, RACE, Assembly, make_card_game

# --- views ----------------------------------------------------------------------------------------------


def test_hidden_card_is_hidden_until_shown_and_former_log_lines_stay_veiled() -> None:
    game = CARD.new_game(PAIR, seed=3)
    ann, brian = game.view(0), game.view(1)
    assert ann.values["hand"] == (2, None) and brian.values["hand"] == (None, 1)
    assert (ann.words("hand", 0), ann.words("hand", 1)) == ("King", "?")
    assert ann.knows("hand", 0) and not ann.knows("hand", 1)
    assert ann.ask is not None and brian.ask is None and brian.waiting_for == "Ann"
    assert (ann.compute(1, 0), ann.compute(1, 1), ann.compute(0, 1)) == (2, None, 0), "what hangs on it is unknown"
    game.answer("1")
    game.answer("pass")
    assert ann.values["hand"] == brian.values["hand"] == (2, 1)
    shown = [
        "Ann: Bet how much? 1",
        "Brian: Pass",
        "Ann's card in hand is revealed: King",
        "Brian's card in hand is revealed: Queen",
    ]
    told = [[str(entry) for entry in view.log] for view in (ann, brian)]
    assert told == [
        ["Ann's card in hand: King", "Brian's card in hand: hidden from you", *shown],
        ["Ann's card in hand: hidden from you", "Brian's card in hand: Queen", *shown],
    ]


def test_open_draws_are_logged() -> None:
    game = Rules(make_card_game(secret=False), "cards").new_game(PAIR, seed=3)
    assert str(game.view(1).log[0]) == "Drawn: King"


def test_masked_state_holds_nothing_hidden() -> None:
    """Two games that differ only in cells hidden from Ann give her the same state, in every cell."""
    seen: dict[int, list[int]] = {}
    for seed in range(40):
        view = CARD.new_game(PAIR, seed=seed).view(0)
        known, own = view.known_state(), view.value("hand", 0)
        assert own is not None and known.hidden
        assert seen.setdefault(own, known.state) == known.state
    assert len(seen) == 3


def test_panels_are_plain_data_for_one_seat() -> None:
    (hands,) = CARD.new_game(PAIR, seed=3).view(1).panels()
    assert (hands.title, hands.shape, hands.header) == ("Hands", "rows", ("Card",))
    assert [(row.title, row.seat, row.cells) for row in hands.rows] == [("Ann", 0, ("?",)), ("Brian", 1, ("Queen",))]
    scores, status = RACE.new_game(PAIR, seed=3).view(1).panels()
    assert scores.rows[0].cells == ("0",) and status.rows[0].cells == ("First to 10",)


def test_grid_has_rows_columns_and_marks(subtests: pytest.Subtests) -> None:
    program = make_card_game()
    entry = program.queries[1].entry
    card = Query(entry, (program.queries[1].params[0],), program.queries[1].result, program.queries[1].type)
    grid = Panel(
        "grid",
        "Grid",
        "grid",
        "player",
        (PanelLine("", (LinkedPanelPart("a", -1), LinkedPanelPart("b", -1))),),
        rows=1,
        columns=1,
        mark=1,
    )
    half = dataclasses.replace(grid, columns=0)
    rules = Rules(dataclasses.replace(program, panels=(grid, half), queries=(program.queries[0], card)), "cards")
    game = rules.new_game(PAIR, seed=3)
    for found in game.view(0).panels():
        with subtests.test(found=found):
            assert [[[cell.title for cell in cells] for cells in row] for row in found.grids[1].cells] == [[["Ann"]]], (
                "what a seat cannot know the place of is not there"
            )
    game.answer("1")
    game.answer("1")
    panel, _ = game.view(0).panels()
    first = panel.grids[0]
    assert (first.player, first.rows, first.columns) == ("Ann", ("Queen", "King"), ("Queen", "King"))
    titles = [[[cell.title for cell in cells] for cells in row] for row in first.cells]
    assert titles == [[["Brian"], []], [[], ["Ann"]]]
    assert first.cells[0][0][0].marked and first.cells[0][0][0].text == "a b"


GUESSES = """
kind leaf "leaf/leaves"
  size number from 1 to 5
leaf lime "Lime"
  size 1
leaf fern "Fern"
  size 2
leaf moss "Moss"
  size 3
keep hand of player as leaf or none, secret
keep hoard of player as set of leaf, secret
keep trump of player as number from 0 to 9, secret
quantity bonus "bonus" of player is trump of you, at least 5
quantity luck "luck" of player is count of (hoard of you where size of it > 2)

display all "All"
  each player
  column "Bonus" bonus of player
  column "Luck" luck of player
  column "Has" moss is in hoard of player
  column "Moss" hand of player is moss
"""
GIVEN = """draw a leaf from leaves as dealt secretly
set hand of you to dealt
add dealt to hoard of you
set trump of you to size of dealt * 3
choose a number from 1 to 2 as stop-here"""


def test_panel_hides_values_that_depend_on_hidden_ones() -> None:
    """Regression: two values were tried in its place, and their common result was shown even if it was wrong."""
    laid = Rules(compile_program(GUESSES + make_phase(GIVEN)), "trial")
    games = (laid.new_game(["Ann", "Ben"], seed) for seed in range(20))
    game = next(game for game in games if game.view(0).words("hand", 0) == "Moss")
    own, others = (game.view(seat).panels()[0].rows[0].cells for seat in (0, 1))
    assert own == ("9", "1", "yes", "yes") and others == ("?", "?", "?", "?")
    luck = next(one.query for one in game.program.reasons.measures if one.name == "luck")
    assert [game.view(seat).compute(luck, 0) for seat in (0, 1)] == [1, None]


def test_unknown_variables_are_refused() -> None:
    view = RACE.new_game(PAIR, seed=3).view(0)
    with pytest.raises(GameError, match="point"):
        view.value("pont", 0)
    with pytest.raises(GameError, match="player 0 to 1"):
        view.value("point", 2)


def test_log_entries_have_rule_phase_and_terms() -> None:
    game = RACE.new_game(PAIR, seed=3)
    game.answer("roll")
    gain = next(e for e in game.log if e.kind == "gain")
    assert (gain.text, gain.seat, gain.phase) == ("Ann gains 5 points", 0, "The race")
    assert (gain.cause.title, gain.cause.file, gain.cause.line) == ("Roll", "race.edict", 8)
    assert [(t.quantity, t.amount, t.seat) for t in gain.terms] == [("Step", 5, 0)]
    assert [e.kind for e in game.log][:3] == ["phase", "choice", "luck"]


# --- hidden hands: what comes and goes -------------------------------------------------------------------

LEAF_HANDS = """
kind leaf "leaf/leaves"
  rank number
leaf ash
  rank 1
leaf birch
  rank 2
leaf cedar
  rank 3
leaf elm
  rank 4
keep deck of player as set of leaf, secret
keep pile as set of leaf starting at leaves, secret
keep held "hand" of player as set of leaf, secret
keep laid as set of leaf
"""
DEAL = """each player
  draw a leaf from pile as drawn secretly
  remove drawn from pile
  add drawn to held of you"""
ON = 'each player in first of line\n  may "Go on?"\n    gain 1 coin'


def deal_hands(*lines: str, seed: int) -> Game:
    return Rules(compile_program(LEAF_HANDS + make_phase(DEAL, *lines, ON)), "trial").new_game(PAIR, seed=seed)


def observe(game: Game, seat: int) -> tuple[object, ...]:
    """Return everything that a seat sees and that its bot works with."""
    view = game.view(seat)
    known = view.known_state()
    return view.values, tuple(str(entry) for entry in view.log), tuple(known.state), known.hidden


def test_secret_changes_of_hand_and_deck_are_hidden() -> None:
    view = deal_hands(seed=1).view(0)
    assert view.knows("held", 0) and not view.knows("held", 1) and not view.knows("pile")
    assert [str(entry) for entry in view.log if "hidden from you" in str(entry)]


@pytest.mark.parametrize(
    "lines",
    [
        "nothing",
        "each player\n  let x = first of held of you\n  remove x from held of you\n  add x to held of left of you",
        "each player\n  let one = first of held of you\n  add one to pile",
        "each player\n  let n = nobody\n  set n to held of you\n  add n to held of left of you",
        "each player\n  add held of left of you to deck of you",
    ],
)
@pytest.mark.sample(3)
def test_games_that_differ_only_in_hidden_things_look_the_same(lines: str) -> None:
    looks: dict[object, set[object]] = {}
    for seed in range(24):
        game = deal_hands(lines, seed=seed)
        view = game.view(0)
        own = tuple(view.values[name][0] for name in ("held", "deck"))
        mine = tuple(str(entry) for entry in view.log if str(entry).startswith("Ann"))  # what came to her, and went
        looks.setdefault((own, mine), set()).add(observe(game, 0)[1:])
    assert len(looks) > 3 and all(len(found) == 1 for found in looks.values())


def test_open_move_does_not_change_who_knows_the_rest() -> None:
    first = "each player in first of line\n  "
    lines = first + "show held of left of you to you", first + "add ash to held of left of you"
    game = deal_hands(*lines, seed=2)
    assert game.view(0).knows("held", 1)


# --- the state a bot is handed --------------------------------------------------------------------------


LEAVES = """
kind leaf "leaf/leaves"
leaf lime "Lime"
leaf fern "Fern"
keep hand of player as leaf or none, secret
keep hit of player as number from 0 to 9, secret
"""


def collect_thinking_states(*lines: str) -> set[tuple[tuple[int, ...], ...]]:
    """Return the third seat's states at its question in worlds that differ only in the first seat's cards."""
    deal = "draw a leaf from leaves as dealt secretly\nset hand of you to dealt"
    laid_out = Rules(compile_program(LEAVES + make_phase(deal, *lines)), "trial")
    found, dealt = set[tuple[tuple[int, ...], ...]](), set[int]()
    for seed in range(12):
        game = laid_out.new_game(["Ann", "Ben", "Cindy"], seed)
        view = game.view(2)
        known = view.known_state()
        assert known.hidden
        found.add((tuple(view.thinking_state), tuple(known.state), tuple(sorted(known.hidden))))
        dealt.add(game.state[game.program.variable_by_name["hand"].base])
    assert len(dealt) == 2
    return found


ASK_ALL = 'each player in (players - you)\n  may "Go?"\n    gain 1 coin'


@pytest.mark.parametrize(
    "deed",
    [
        "set hit of left of you to 1",  # the first would know it no longer
        "draw a leaf from leaves as another secretly\n  set hand of left of you to another",
        "show hand of you to left of you",
    ],
)
def test_knowers_of_a_secret_are_hidden(deed: str) -> None:
    """Regression: the sets of knowers in the state told whether something had depended on a hidden card."""
    assert len(collect_thinking_states(f"if hand of you is lime\n  {deed}", ASK_ALL)) == 1


def test_name_set_because_of_a_secret_reveals_nothing(subtests: pytest.Subtests) -> None:
    """Regression: it was cleared where it had been set, and kept its value where it had not."""
    for deed in ("set mark to 3", "set mark to 3\n  set hit of left of you to 1"):
        with subtests.test(deed=deed):
            made = ("let mark = 2", f"if hand of you is lime\n  {deed}", ASK_ALL, "gain mark coin")
            assert len(collect_thinking_states(*made)) == 1


def test_instructions_write_exactly_their_declared_operands() -> None:
    """Otherwise a secret stays in a dead cell, or a cell that is still needed is cleared."""
    before, seen = list[tuple[int, list[int]]](), set[int]()
    code = edict.load("kingsburg").program

    def note_writes(at: int, state: list[int]) -> None:
        for last, then in before:
            op = code.code[last]
            letters, too = enumerate(OPERANDS[op].split(), 1), EXTRA_WRITES.get(op, ())
            told = {code.code[last + i] for i, letter in letters if letter == "d" or i in too}
            changed = {cell for cell in range(code.working, code.stack) if then[cell] != state[cell]}
            seen.update({op} if changed else ())
            assert changed <= told or op in (STX, STXX, PUTX, RESTORE), NAMES[op]
        before[:] = [(at, state[:])]

    run, luck = instrument_loop("pc, s", note_writes), Random(1)
    state = create_state(code, 2, {}, logging=False)
    for _ in range(50):
        assert run(code.code, state, [0]) == ASKING
        state[ANSWER] = luck.randrange(state[OPTIONS])
        before.clear()
    assert seen > {*EXTRA_WRITES} - {NTH}


@pytest.mark.parametrize("name", ["foxes-at-court", "four-lanes", "harbour-lots", "kingsburg"])
def test_clearing_dead_cells_does_not_change_the_game(name: str) -> None:
    """Dead cells are cleared at every question."""
    code = edict.load(name).program
    (true, clean), luck = (Match(create_bot_table(code, 3), 1) for _ in range(2)), Random(1)
    while true.advance():
        assert clean.advance()
        assert clean.cells[code.header_size : code.working] == true.cells[code.header_size : code.working]
        assert (clean.seat, clean.options) == (true.seat, true.options)
        index = true.draw_chance() if true.seat == CHANCE else luck.randrange(len(true.options))
        clear_dead_cells(code, clean.cells)
        true.answer(index)
        clean.answer(index)
    clean.advance()
    assert clean.over and clean.scores() == true.scores()


def test_dead_rows_of_computations_are_cleared() -> None:
    a = Assembly()
    cells = {name: a.add_cells() for name in ("index", "value", "answer", "other", "unused")}
    left, kept = a.add_cells(count=3), a.add_cells(count=3)
    stack = a.add_cells(count=8)
    a(o.OFFER, cells["index"])
    a(o.OFFER, cells["other"])
    a(o.ASK, 0, cells["index"], cells["answer"])
    a(o.LDX, cells["value"], kept, cells["index"])
    a(o.STX, left, cells["index"], cells["value"])
    a(o.MOV, cells["other"], cells["value"])
    a(o.ADD, cells["unused"], cells["other"], cells["answer"])
    a(o.OVER)
    made = dataclasses.replace(
        RACE.program,
        code=a.link(),
        initial=tuple(a.initial),
        stack=stack,
        entry=0,
        working=cells["index"],
        variables=(),
        queries=(),
        settings=(),
        panels=(),
        constants=(),
        score=0,
        places=(),
    )
    state = [*a.initial]
    state[cells["index"] : stack] = range(11, 11 + stack - cells["index"])
    state[cells["index"]], state[o.SP], state[o.STACK] = 1, stack, stack
    assert run(made.code, state, [0]) == ASKING
    clear_dead_cells(made, state)
    assert {name: state[cell] for name, cell in cells.items()} == {
        "index": 1,
        "value": 0,
        "answer": 0,
        "other": 0,
        "unused": 0,
    }
    assert state[left:stack] == [0, 0, 0, 19, 20, 21]
