"""Beliefs of a seat: sampled worlds look like the game, have the right probabilities, and are found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import pytest

import edict
from calling import make_manifest, write_files
from edict.agents.bots.match import Match, create_bot_table
from edict.game.table.belief import History, build_facts
from edict.game.table.evidence import Hands, Piles, SightingFinder, find_passed_hands
from edict.game.table.knowledge import Secrets
from edict.runtime.machine.events import make_event_buffer, run_and_collect_events
from edict.runtime.program import Program, create_state
from edict.runtime.program.opcodes import ANSWER, ASKING, BITS, CHANCE, EV_SET, LOGGING
from edict.runtime.simulation import native
from helpers import compile_program, make_phase
from table_kit import PAIR, RACE

# --- courses that look the same -------------------------------------------------------------------------

GAMES = [
    ("kuhn-poker", 2),
    ("four-winds", 4),
    ("foxes-at-court", 3),
    ("harbour-lots", 3),
    ("sixty-four", 2),
    ("four-lanes", 3),
    ("kingsburg", 2),
    ("night-market", 3),
]
SHORT = ("kuhn-poker", "harbour-lots")  # in which there are few moments to look at
DRAFT = str(Path(__file__).resolve().parents[3] / "examples" / "recipes" / "draft")  # hands are passed on


def play_at_random(program: Program, players: int, luck: Random) -> Iterator[tuple[Match, History]]:
    """Iterate over a game answered at random, draws included, at every question to a player."""
    match, history = Match(create_bot_table(program, players)), History(program)
    while match.advance():
        history.add_question(match.state)
        if match.seat != CHANCE:
            yield match, history
        index = luck.randrange(len(match.options))
        history.add_answer(index)
        match.answer(index)


def replay_answers(program: Program, players: int, answers: Sequence[int]) -> Match:
    """Return the game with these answers, draws included."""
    match = Match(create_bot_table(program, players))
    for answer in answers:
        assert match.advance()
        match.answer(answer)
    assert match.advance()
    return match


def read_log(match: Match, seat: int) -> list[str]:
    return [entry.text for one in match.log if (entry := one.seen_by(seat)) is not None]


def observe(match: Match, seat: int) -> tuple[object, ...]:
    """Return everything that a seat can see now."""
    program = match.program
    cells = Secrets.from_program(program).mask_state(match.state, seat)[program.header_size : program.working]
    return cells, match.seat, match.options if match.seat == seat else None, read_log(match, seat)


@pytest.mark.parametrize(("name", "players"), GAMES)
def test_sampled_world_looks_the_same_to_the_seat(name: str, players: int) -> None:
    """Values, questions, options and every line of the log are the same."""
    program, luck, others = edict.load(name).program, Random(5), Random(6)
    often, found = 1.0 if name in SHORT else 0.15, 0
    for match, history in (at for _ in range(3) if not found for at in play_at_random(program, players, luck)):
        if luck.random() < often and match.number < 200:
            seat = luck.randrange(players)
            other = replay_answers(program, players, history.sample_course(seat, others))
            assert observe(other, seat) == observe(match, seat)
            found += other.state != match.state
    assert found > 0


@pytest.mark.parametrize(
    ("name", "players"),
    [
        ("four-winds", 4),
        ("foxes-at-court", 3),
        ("four-lanes", 4),
        (DRAFT, 5),
    ],
)
def test_worlds_are_found_after_any_changes_of_hands(name: str, players: int) -> None:
    program, luck = edict.load(name).program, Random(2)
    asked = found = 0
    for match, history in play_at_random(program, players, luck):
        if luck.random() < 0.2 and match.number < 120:
            worlds = history.sample_states(match.seat, 8, luck)
            asked, found = asked + 1, found + (len(worlds) > 1)
            hidden = {tuple(world[program.header_size : program.working]) for world in worlds}
            assert len(worlds) == 1 or len(hidden) > 1 or match.number > 40
    assert asked > 2 and found >= 0.8 * asked


def test_worlds_are_sampled_with_their_probabilities() -> None:
    """Either of two cards may be with the other player: chi-squared with one degree of freedom at 1 %."""
    program = edict.load("kuhn-poker").program
    hand = program.variable_by_name["hand"].base + 1
    match, history = next(iter(play_at_random(program, 2, Random(4))))
    assert match.seat == 0
    counts = Counter(history.sample_states(0, 1, Random(number))[0][hand] for number in range(400))
    assert len(counts) == 2
    assert sum((count - 200) ** 2 / 200 for count in counts.values()) < 6.63


DEALT = """
resource coin
kind card
card ash
card elm
card fir
card oak
card yew
keep turn-order as order of player, quiet
keep deck as set of card starting at cards, secret, quiet
keep hand of player as set of card, secret, quiet
game dealt "Dealt"
  players 2 to 2
  order turn-order
  winners players with most coin of it
  score coin of you
  course
    each player
      draw 2 cards from deck into hand of you
    each player
      choose a card from hand of you as what "Which card do you lay down?"
      remove what from hand of you
      gain 1 coin
    each player
      choose one "Enough?"
        option "Yes"
          nothing
        option "No"
          gain 1 coin
"""


def test_worlds_keep_typed_dice(subtests: pytest.Subtests) -> None:
    """A bot at a table with real dice thinks about these dice, not about those of the seed."""
    for face in ("d6-1", "d6-5"):
        with subtests.test(face=face):
            game = RACE.new_game(PAIR, seed=5, dice="typed")
            for key in ("roll", face, "hold"):
                game.answer(key)
            (found,) = History.from_game(game.table, game.answers).sample_states(game.seat, 1, Random(1))
            kept = slice(game.program.header_size, game.program.working)
            assert found[kept] == game.state[kept]


def test_card_seen_later_was_in_the_hand(tmp_path: Path) -> None:
    """One of the three cards of others was played; the other card of that hand is either of the remaining two."""
    write_files(tmp_path, {"module.yaml": make_manifest("dealt", "game"), "dealt.edict": DEALT})
    program = edict.load(tmp_path).program
    hand = program.variable_by_name["hand"].base + 1
    for match, history in play_at_random(program, 2, Random(3)):  # noqa: B007 - looked at after the loop
        if len(match.options) == 2 and match.log[-1].text.startswith("Seat 2 gains"):
            break
    held = {match.state[hand]}
    counts = Counter(history.sample_states(0, 1, Random(number))[0][hand] for number in range(400))
    assert held < set(counts) and len(counts) == 2
    assert sum((count - 200) ** 2 / 200 for count in counts.values()) < 6.63


def test_native_and_plain_python_sample_equal_worlds(monkeypatch: pytest.MonkeyPatch) -> None:
    if not native.is_available():
        pytest.skip("llvmlite is an extra, and not installed here")
    program, luck = edict.load("foxes-at-court").program, Random(7)
    for match, _ in play_at_random(program, 2, luck):
        if match.number > 12:
            break
    answers = match.answers

    def sample() -> list[list[int]]:
        history = History(program)
        again = Match(create_bot_table(program, 2))
        for answer in [*answers, -1]:
            assert again.advance()
            history.add_question(again.state)
            if answer >= 0:
                history.add_answer(answer)
                again.answer(answer)
        return history.sample_states(again.seat, 3, Random(1))

    fast = sample()
    monkeypatch.setattr(native, "is_available", lambda: False)
    assert sample() == fast


# --- what a seat has seen -------------------------------------------------------------------------------

DRAWN = """
keep deck as set of card starting at cards, secret, quiet
keep hand of player as set of card, secret
"""


@pytest.mark.parametrize("cards", [9, BITS + 8])
def test_card_drawn_after_a_hand_was_shown_is_not_seen(cards: int, subtests: pytest.Subtests) -> None:
    """Also where a hand takes several cells, and the rules say only after an event of their own who knows it."""
    kind = "kind card\n" + "".join(f"card card-{number}\n" for number in range(cards))
    lines = make_phase(
        "draw 1 card from deck into hand of you",
        "show hand of you to everyone",
        "draw 1 card from deck into hand of you",
        *('choose one "Go on?"', '  option "Yes"', "    nothing", '  option "No"', "    nothing"),
    )
    rules = compile_program(kind + DRAWN + lines)
    state, seen = create_state(rules, 2, {}), list[list[tuple[int, int]]]()
    sightings = [SightingFinder(rules, build_facts(rules, seat)) for seat in range(2)]
    for at, answer in enumerate((0, 3, 4)):
        with subtests.test(answer=answer):
            before, events = [*state], list[int]()
            state[LOGGING], state[ANSWER] = 1, answer
            assert run_and_collect_events(rules.code, state, make_event_buffer(), events) == ASKING
            seen.append([])
            for seat, found in enumerate(sightings):
                seen[-1] += {
                    (seat, sighting.value) for sighting in found.find(at, before, events) if sighting.seat == 0
                }
    assert [sorted(pairs) for pairs in seen] == [[], [(0, 3), (1, 3)], [(0, 3), (0, 5)]]


# --- whose pile lies before whom, once hands were passed on ---------------------------------------------

HANDS = """
kind card
card ash
card elm
card fir
card oak
keep hand of player as {shape} of card, secret
keep tray of player as {shape} of card, secret
keep laid of player as {shape} of card
"""


class HandTable:
    """A table on which cards are moved one by one and events are recorded like the machine's."""

    def __init__(self, shape: str, hands: Sequence[str]) -> None:
        self.program: Program = compile_program(HANDS.format(shape=shape) + make_phase("nothing"))
        self.cells = list(map(int, self.program.initial))
        self.cards = [thing.name for thing in self.program.kind_by_name["card"].things]
        self.events: list[int] = []
        for seat, cards in enumerate(hands):
            for card in cards.split():
                self._change("hand", seat, card, 1)
        self.before = [*self.cells]
        self.events.clear()

    def move(self, card: str, source: tuple[str, int], place: tuple[str, int]) -> None:
        self._change(*source, card, -1)
        self._change(*place, card, 1)

    def move_all(self, cards: str, source: tuple[str, int], place: tuple[str, int]) -> None:
        for card in cards.split():
            self.move(card, source, place)

    def _change(self, keep: str, seat: int, card: str, by: int) -> None:
        variable, thing = self.program.variable_by_name[keep], self.cards.index(card)
        at = variable.base + (seat * len(self.cards) + thing if variable.counts else seat)
        old = self.cells[at]
        self.cells[at] = old + by if variable.counts else old ^ 1 << thing
        self.events += [EV_SET, 0, at, old, self.cells[at]]

    def find_passed(self) -> dict[str, dict[int, int]]:
        return find_passed_hands(Hands(self.program), self.before, self.events)


shapes = pytest.mark.parametrize("shape", ["set", "bag"])


@shapes
def test_hands_passed_through_another_place_are_followed(shape: str) -> None:
    table = HandTable(shape, ["ash elm", "fir", "oak"])
    for seat, cards in enumerate(("ash elm", "fir", "oak")):
        table.move_all(cards, ("hand", seat), ("tray", (seat + 1) % 3))
    for seat, cards in enumerate(("oak", "ash elm", "fir")):
        table.move_all(cards, ("tray", seat), ("hand", seat))
    assert table.find_passed() == {"card": {0: 2, 1: 0, 2: 1}}


@shapes
def test_cards_played_meanwhile_do_not_hide_a_passed_hand(shape: str) -> None:
    table = HandTable(shape, ["ash elm", "fir oak"])
    table.move("ash", ("hand", 0), ("laid", 0))
    table.move("oak", ("hand", 1), ("laid", 1))
    table.move("elm", ("hand", 0), ("tray", 1))
    table.move("fir", ("hand", 1), ("hand", 0))
    table.move("elm", ("tray", 1), ("hand", 1))
    assert table.find_passed() == {"card": {0: 1, 1: 0}}


@shapes
@pytest.mark.parametrize("card", ["ash", "elm"])
def test_part_of_a_hand_is_no_pile(shape: str, card: str) -> None:
    table = HandTable(shape, ["ash elm", "fir oak"])
    table.move(card, ("hand", 0), ("hand", 1))
    table.move("fir", ("hand", 1), ("hand", 0))
    assert table.find_passed() == {}


def test_piles_are_followed_between_seats() -> None:
    piles = Piles(compile_program(HANDS.format(shape="bag") + make_phase("nothing")))
    piles.record_passing("card", 3, {0: 1, 1: 0})
    piles.record_passing("card", 8, {0: 2, 1: 0, 2: 1})
    assert [[piles.pile_of("card", seat, at) for seat in range(3)] for at in (3, 4, 8, 9)] == [
        [0, 1, 2],
        [1, 0, 2],
        [1, 0, 2],
        [2, 1, 0],
    ]
