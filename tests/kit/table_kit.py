"""Two small games assembled by hand for tests of the table: dice, and a hidden card."""

from __future__ import annotations

from edict.game.table.rules import Rules
from edict.runtime.program import (
    AnnouncementPart,
    Cause,
    DiceLayout,
    LinkedKind,
    LinkedPanelPart,
    LinkedSetting,
    LinkedThing,
    Panel,
    PanelLine,
    Program,
    Query,
    Question,
    StateVariable,
    ValueType,
)
from edict.runtime.program import (
    opcodes as o,
)

NUMBER, PLAYER = ValueType("number"), ValueType("thing", "player")


class Assembly:
    """Instructions with labels: `add_label` defines one, a text operand refers to it."""

    def __init__(self) -> None:
        self.code: list[int | str] = []
        self.labels: dict[str, int] = {}
        self.initial = [0] * o.HEADER

    def add_cells(self, value: int = 0, count: int = 1) -> int:
        self.initial += [value] * count
        return len(self.initial) - count

    def add_label(self, name: str) -> None:
        self.labels[name] = len(self.code)

    def add_table(self, name: str, values: list[int]) -> None:
        self.add_label(name)
        self.code += values

    def __call__(self, op: int, *operands: int | str) -> int:
        assert len(operands) + 1 == o.SIZE[op], o.NAMES[op]
        self.code += [op, *operands]
        return len(self.code)

    def link(self) -> tuple[int, ...]:
        return tuple(self.labels[operand] if isinstance(operand, str) else operand for operand in self.code)


def make_thing(name: str, title: str = "", caption: str = "", words: str = "") -> LinkedThing:
    return LinkedThing(name, title or name.title(), "", caption, words, "p. 1", "printed", "base")


def make_dice_game() -> Program:
    """A game in which each in turn rolls (points by eyes, a 1 loses all) or holds; ten points win."""
    a = Assembly()
    points, pool, hold = a.add_cells(count=2), a.add_cells(), a.add_cells()
    zero, one, goal = a.add_cells(0), a.add_cells(1), a.add_cells(10)
    you, face, answer, mine, phase, option = (
        a.add_cells(),
        a.add_cells(),
        a.add_cells(),
        a.add_cells(),
        a.add_cells(),
        a.add_cells(),
    )
    a.add_table("faces", [1, 2, 3, 4, 5, 6, 0])
    a.add_label("start")
    a(o.ENTER, phase, 0)
    a.add_label("turn")
    a(o.OFFER, zero)
    a(o.OFFER, one)
    a(o.ASK, 0, you, answer)
    a(o.JNE, answer, zero, "held")
    for number in range(1, 7):
        a(o.OFFER, a.add_cells(number))
    a(o.ASKC, 1, face)
    a(o.SAY, 0, you)
    a(o.SAY, 1, face)
    a(o.MOV, option, zero)
    a(o.DADD, option, face, 0)
    a(o.SET, pool, option)
    a(o.LDX, mine, points, you)
    a(o.TERM, 0, face, you)
    a(o.ADD, mine, mine, face)
    a(o.JNE, face, one, "keep")
    a(o.MOV, mine, zero)
    a.add_label("keep")
    a(o.STX, points, you, mine)
    a(o.JLE, goal, mine, "won")
    a(o.JNE, face, one, "turn")
    a.add_label("held")
    a(o.SUB, you, one, you)
    a(o.JMP, "turn")
    a.add_label("won")
    a(o.BIT, o.WINNERS, you)
    a(o.OVER)
    a.add_label("score")
    a(o.LDX, mine, points, o.YOU)
    a(o.RET, "score")
    a.add_label("goal")
    a(o.RET, "goal")
    code = a.link()
    a.initial[o.WIDTH], a.initial[o.FIELDS], a.initial[o.FACES] = 4, 6, a.labels["faces"]
    stack = a.add_cells(count=16)
    return Program(
        "race",
        "Race",
        "1",
        (),
        "hash-of-race",
        2,
        2,
        code,
        tuple(a.initial),
        stack,
        a.labels["start"],
        kinds=(LinkedKind("player", "player", "players", ()),),
        variables=(
            StateVariable("point", "point", "points", NUMBER, ("player",), (2,), points, resource=True),
            StateVariable("pool", "dice on the table", "", ValueType("dice"), (), (), pool),
            StateVariable("held", "held", "", NUMBER, (), (), hold),
        ),
        questions=(
            Question("turn", "Roll or hold?", "branch", labels=("Roll", "Hold"), keys=("roll", "hold")),
            Question("roll", "", "die", "d6", cause=1),
        ),
        says=(AnnouncementPart("", PLAYER, False), AnnouncementPart("", NUMBER, True)),
        phases=(("race", "The race"),),
        quantities=(("step", "Step"),),
        causes=(Cause("turn", "Turn", "race.edict", 3, 1), Cause("roll", "Roll", "race.edict", 8, 3)),
        places=((0, 0), (a.labels["turn"] + 12, 1)),
        settings=(
            LinkedSetting("goal", "Points to win", goal, 10, False),
            LinkedSetting("kind", "Be kind", hold, 0, True),
        ),
        dice=DiceLayout(4, (("d6", "die", 6, 0),)),
        shifts={},
        panels=(
            Panel("scores", "Scores", "rows", "player", (PanelLine("Points", (LinkedPanelPart("", 0),)),)),
            Panel(
                "status", "", "lines", "", (PanelLine("", (LinkedPanelPart("First to", -1), LinkedPanelPart("", 1))),)
            ),
        ),
        queries=(
            Query(a.labels["score"], (o.YOU,), mine, NUMBER),
            Query(a.labels["goal"], (), goal, NUMBER),
        ),
        score=0,
        judge=-1,
        order=-1,
        entries=(),
        working=you,
    )


CARDS = ("jack", "queen", "king")


def make_card_game(secret: bool = True) -> Program:
    """A game in which each draws a hidden card, bets or passes, then shows it; the higher card wins."""
    a = Assembly()
    hand, known, bet = a.add_cells(-1, 2), a.add_cells(0, 2), a.add_cells(0, 2)
    zero, one, two, none = a.add_cells(0), a.add_cells(1), a.add_cells(2), a.add_cells(-1)
    deck, you, card, bit, answer, best, winner = (a.add_cells() for _ in range(7))
    a.add_table("ranks", [1, 2, 3])
    a.add_label("start")
    a(o.MOV, deck, a.add_cells(7))
    a(o.MOV, you, zero)
    a.add_label("deal")
    a(o.OFFERS, deck)
    a(o.ASKC, 0, card)
    a(o.BIT, bit, card)
    a(o.ANDN, deck, deck, bit)
    a(o.ADD, best, a.add_cells(hand), you)
    a(o.MOV, o.SCRATCH, zero)
    a(o.SET, o.SCRATCH, best)  # others are told that something is put there
    a(o.STX, hand, you, card)
    a(o.MOV, best, zero)
    a(o.BIT, bit, you)
    a(o.STX, known, you, bit)
    a(o.ADD, you, you, one)
    a(o.JLT, you, two, "deal")
    a(o.MOV, you, zero)
    a.add_label("bets")
    a(o.OFFER, none)
    a(o.OFFER, one)
    a(o.OFFER, two)
    a(o.ASK, 1, you, answer)
    a(o.STX, bet, you, answer)
    a(o.ADD, you, you, one)
    a(o.JLT, you, two, "bets")
    a(o.STX, known, zero, o.EVERYONE)
    a(o.STX, known, one, o.EVERYONE)
    a(o.MOV, you, zero)
    a.add_label("compare")
    a(o.LDX, card, hand, you)
    a(o.TAB, card, "ranks", card)
    a(o.BEST, winner, best, card, you)
    a(o.ADD, you, you, one)
    a(o.JLT, you, two, "compare")
    a(o.MOV, o.WINNERS, winner)
    a(o.OVER)
    a.add_label("score")
    a(o.LDX, answer, bet, o.YOU)
    a(o.RET, "score")
    a.add_label("hand")
    a(o.LDX, card, hand, you)
    a(o.RET, "hand")
    stack = a.add_cells(count=16)
    return Program(
        "cards",
        "Cards",
        "1",
        (),
        "hash-of-cards",
        2,
        2,
        a.link(),
        tuple(a.initial),
        stack,
        a.labels["start"],
        kinds=(
            LinkedKind("player", "player", "players", ()),
            LinkedKind("card", "card", "cards", tuple(make_thing(c) for c in CARDS)),
        ),
        variables=(
            StateVariable(
                "hand", "card in hand", "", ValueType("thing", "card", True), ("player",), (2,), hand, known=known
            ),
            StateVariable("bet", "bet", "", NUMBER, ("player",), (2,), bet, quiet=True),
        ),
        questions=(
            Question("deal", "", "thing", "card", secret=secret),
            Question("bet", "Bet how much?", "number", decline="Pass", decline_key="pass"),
        ),
        says=(),
        phases=(),
        quantities=(),
        causes=(Cause("deal", "Deal", "cards.edict", 2, 1),),
        places=((0, 0),),
        settings=(),
        dice=DiceLayout(1, ()),
        shifts={},
        panels=(Panel("hands", "Hands", "rows", "player", (PanelLine("Card", (LinkedPanelPart("", 1),)),)),),
        queries=(
            Query(a.labels["score"], (o.YOU,), answer, NUMBER),
            Query(a.labels["hand"], (you,), card, ValueType("thing", "card", True)),
        ),
        score=0,
        judge=-1,
        order=-1,
        entries=(),
        working=deck,
    )


RACE = Rules(make_dice_game(), "race")
CARD = Rules(make_card_game(), "cards")
PAIR = ["Ann", "Brian"]
