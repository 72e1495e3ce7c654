"""What may be the case for a seat: it shows what the game shows, comes as often as chance makes it, and is found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import pytest

import edict
from calling import manifest, write
from edict.agents.bots.match import Match, laid
from edict.game.table.belief import History, facts_of
from edict.game.table.evidence import Hands, Piles, Sightings, find_passed_hands
from edict.game.table.knowledge import Secrets
from edict.runtime.machine.events import make_event_buffer, run_logged
from edict.runtime.program import Program
from edict.runtime.program.beginning import first_state
from edict.runtime.program.opcodes import ANSWER, ASKING, BITS, CHANCE, EV_SET, LOGGING
from edict.runtime.simulation import native
from helpers import program, steps
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


def played(program: Program, players: int, luck: Random) -> Iterator[tuple[Match, History]]:
    """A game answered at random, chance's questions too, at every question of a player."""
    match, history = Match(laid(program, players)), History(program)
    while match.advance():
        history.asked(match.state)
        if match.seat != CHANCE:
            yield match, history
        index = luck.randrange(len(match.options))
        history.answered(index)
        match.answer(index)


def replayed(program: Program, players: int, answers: Sequence[int]) -> Match:
    """The game with these answers, those of chance included."""
    match = Match(laid(program, players))
    for answer in answers:
        assert match.advance()
        match.answer(answer)
    assert match.advance()
    return match


def told(match: Match, seat: int) -> list[str]:
    return [entry.text for one in match.log if (entry := one.seen_by(seat)) is not None]


def from_seat(match: Match, seat: int) -> tuple[object, ...]:
    """All there is to be seen now."""
    program = match.program
    cells = Secrets.of(program).masked(match.state, seat)[program.header : program.working]
    return cells, match.seat, match.options if match.seat == seat else None, told(match, seat)


@pytest.mark.parametrize(("name", "players"), GAMES)
def test_another_world_shows_the_seat_the_same(name: str, players: int) -> None:
    """The values it may see, who is asked, what it may answer, and every line of the log."""
    program, luck, others = edict.load(name).program, Random(5), Random(6)
    often, found = 1.0 if name in SHORT else 0.15, 0
    for match, history in (at for _ in range(3) if not found for at in played(program, players, luck)):
        if luck.random() < often and match.number < 200:
            seat = luck.randrange(players)
            other = replayed(program, players, history.course(seat, others))
            assert from_seat(other, seat) == from_seat(match, seat)
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
def test_worlds_are_found_however_hands_have_changed(name: str, players: int) -> None:
    program, luck = edict.load(name).program, Random(2)
    asked = found = 0
    for match, history in played(program, players, luck):
        if luck.random() < 0.2 and match.number < 120:
            worlds = history.possible(match.seat, 8, luck)
            asked, found = asked + 1, found + (len(worlds) > 1)
            hidden = {tuple(world[program.header : program.working]) for world in worlds}
            assert len(worlds) == 1 or len(hidden) > 1 or match.number > 40
    assert asked > 2 and found >= 0.8 * asked


def test_worlds_come_as_often_as_chance_makes_them() -> None:
    """Two cards may be with the other player, and each is as likely: chi-squared with one degree of freedom, 1 %."""
    program = edict.load("kuhn-poker").program
    hand = program.variable_by_name["hand"].base + 1
    match, history = next(iter(played(program, 2, Random(4))))
    assert match.seat == 0
    counts = Counter(history.possible(0, 1, Random(number))[0][hand] for number in range(400))
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


def test_dice_that_were_typed_are_as_they_were_typed() -> None:
    """What a bot thinks about at a table with real dice is that table, not what the seed would have thrown there."""
    for face in ("d6-1", "d6-5"):
        game = RACE.new_game(PAIR, seed=5, dice="typed")
        for key in ("roll", face, "hold"):
            game.answer(key)
        (found,) = History.of(game.table, game.answers).possible(game.seat, 1, Random(1))
        kept = slice(game.program.header, game.program.working)
        assert found[kept] == game.state[kept], face


def test_a_card_seen_later_was_in_the_hand_and_the_rest_is_open(tmp_path: Path) -> None:
    """Of the three cards that are not mine, one was laid down; the other of that hand is any of the two left over."""
    write(tmp_path, {"module.yaml": manifest("dealt", "game"), "dealt.edict": DEALT})
    program = edict.load(tmp_path).program
    hand = program.variable_by_name["hand"].base + 1
    for match, history in played(program, 2, Random(3)):  # noqa: B007 - looked at after the loop
        if len(match.options) == 2 and match.log[-1].text.startswith("Seat 2 gains"):
            break
    held = {match.state[hand]}
    counts = Counter(history.possible(0, 1, Random(number))[0][hand] for number in range(400))
    assert held < set(counts) and len(counts) == 2
    assert sum((count - 200) ** 2 / 200 for count in counts.values()) < 6.63


def test_native_code_and_plain_python_draw_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    if not native.available():
        pytest.skip("llvmlite is an extra, and not installed here")
    program, luck = edict.load("foxes-at-court").program, Random(7)
    for match, _ in played(program, 2, luck):
        if match.number > 12:
            break
    answers = match.answers

    def drawn() -> list[list[int]]:
        history = History(program)
        again = Match(laid(program, 2))
        for answer in [*answers, -1]:
            assert again.advance()
            history.asked(again.state)
            if answer >= 0:
                history.answered(answer)
                again.answer(answer)
        return history.possible(again.seat, 3, Random(1))

    fast = drawn()
    monkeypatch.setattr(native, "available", lambda: False)
    assert drawn() == fast


# --- what a seat has seen -------------------------------------------------------------------------------

DRAWN = """
keep deck as set of card starting at cards, secret, quiet
keep hand of player as set of card, secret
"""


@pytest.mark.parametrize("cards", [9, BITS + 8])
def test_card_drawn_after_a_hand_was_shown_is_not_seen(cards: int) -> None:
    """Also where a hand takes several cells, and the rules say only after an event of their own who knows it."""
    kind = "kind card\n" + "".join(f"card card-{number}\n" for number in range(cards))
    lines = steps(
        "draw 1 card from deck into hand of you",
        "show hand of you to everyone",
        "draw 1 card from deck into hand of you",
        *('choose one "Go on?"', '  option "Yes"', "    nothing", '  option "No"', "    nothing"),
    )
    rules = program(kind + DRAWN + lines)
    state, seen = first_state(rules, 2, {}), list[list[tuple[int, int]]]()
    sightings = [Sightings(rules, facts_of(rules, seat)) for seat in range(2)]
    for at, answer in enumerate((0, 3, 4)):
        before, events = [*state], list[int]()
        state[LOGGING], state[ANSWER] = 1, answer
        assert run_logged(rules.code, state, make_event_buffer(), events) == ASKING
        seen.append([])
        for seat, found in enumerate(sightings):
            seen[-1] += {(seat, sighting.value) for sighting in found.find(at, before, events) if sighting.seat == 0}
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


class Table:
    """Cards lie in hands, and are moved one by one; what happens is written down as the machine does."""

    def __init__(self, shape: str, hands: Sequence[str]) -> None:
        self.program: Program = program(HANDS.format(shape=shape) + steps("nothing"))
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

    def all(self, cards: str, source: tuple[str, int], place: tuple[str, int]) -> None:
        for card in cards.split():
            self.move(card, source, place)

    def _change(self, keep: str, seat: int, card: str, by: int) -> None:
        variable, thing = self.program.variable_by_name[keep], self.cards.index(card)
        at = variable.base + (seat * len(self.cards) + thing if variable.counts else seat)
        old = self.cells[at]
        self.cells[at] = old + by if variable.counts else old ^ 1 << thing
        self.events += [EV_SET, 0, at, old, self.cells[at]]

    def passed(self) -> dict[str, dict[int, int]]:
        return find_passed_hands(Hands(self.program), self.before, self.events)


shapes = pytest.mark.parametrize("shape", ["set", "bag"])


@shapes
def test_hands_that_go_round_through_another_place(shape: str) -> None:
    table = Table(shape, ["ash elm", "fir", "oak"])
    for seat, cards in enumerate(("ash elm", "fir", "oak")):
        table.all(cards, ("hand", seat), ("tray", (seat + 1) % 3))
    for seat, cards in enumerate(("oak", "ash elm", "fir")):
        table.all(cards, ("tray", seat), ("hand", seat))
    assert table.passed() == {"card": {0: 2, 1: 0, 2: 1}}


@shapes
def test_what_is_laid_down_meanwhile_does_not_count(shape: str) -> None:
    table = Table(shape, ["ash elm", "fir oak"])
    table.move("ash", ("hand", 0), ("laid", 0))
    table.move("oak", ("hand", 1), ("laid", 1))
    table.move("elm", ("hand", 0), ("tray", 1))
    table.move("fir", ("hand", 1), ("hand", 0))
    table.move("elm", ("tray", 1), ("hand", 1))
    assert table.passed() == {"card": {0: 1, 1: 0}}


@shapes
@pytest.mark.parametrize("card", ["ash", "elm"])
def test_a_part_of_a_hand_is_no_pile_whichever_part_it_is(shape: str, card: str) -> None:
    table = Table(shape, ["ash elm", "fir oak"])
    table.move(card, ("hand", 0), ("hand", 1))
    table.move("fir", ("hand", 1), ("hand", 0))
    assert table.passed() == {}


def test_piles_are_followed_from_hand_to_hand() -> None:
    piles = Piles(program(HANDS.format(shape="bag") + steps("nothing")))
    piles.pass_on("card", 3, {0: 1, 1: 0})
    piles.pass_on("card", 8, {0: 2, 1: 0, 2: 1})
    assert [[piles.pile("card", seat, at) for seat in range(3)] for at in (3, 4, 8, 9)] == [
        [0, 1, 2],
        [1, 0, 2],
        [1, 0, 2],
        [2, 1, 0],
    ]
