"""Parsing of every construct to its node and every mistake to one diagnostic, without failure on any text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lark import Lark

from edict.compiler.syntax import grammar
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.grammar import Indentation
from edict.compiler.syntax.parse import parse
from edict.support import resources
from edict.support.text import Source
from examples import choose_examples
from helpers import underlined_text

ROOT = Path(__file__).resolve().parents[3]
FILES = sorted(path for room in ("rules", "modules", "examples") for path in (ROOT / room).rglob("*.edict"))

TEXTS = [path.read_text(encoding="utf-8") for path in FILES]


def parse_page(text: str) -> t.Page:
    return parse(Source("page.edict", text)).unwrap()


def parse_definition(text: str) -> t.Definition:
    return parse_page(text).definitions[0]


def parse_statement(text: str) -> t.Stmt:
    phase = parse_definition("phase dawn\n" + "".join(f"  {line}\n" for line in text.splitlines()))
    assert isinstance(phase, t.Phase)
    return phase.block[0]


def parse_value(text: str) -> t.Expr:
    let = parse_statement(f"let x = {text}")
    assert isinstance(let, t.Let)
    return let.value


def test_grammar_has_no_conflicts() -> None:
    """Strict Lark refuses shift/reduce conflicts and tokens that could be each other."""
    pytest.importorskip("interegular")
    Lark(grammar._grammar_text(), parser="lalr", postlex=Indentation(), strict=True)


def test_shipped_tables_belong_to_the_grammar_and_are_reproducible() -> None:
    text = grammar._grammar_text()
    name, shipped = resources.parser_tables_path().read_bytes().split(b"\n", 1)
    assert name == grammar._tables_name(text).encode()
    assert shipped == grammar._serialize_tables(grammar._build_parser(text))


# with the tokens that the layout of lines needs
SMALL_GRAMMAR = r"""
start: "word" _NL
_NL: /\n/
%declare _INDENT _DEDENT
"""


def test_tables_of_another_grammar_are_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    tables = tmp_path / "tables.json"
    monkeypatch.setattr(resources, "parser_tables_path", lambda: tables)
    monkeypatch.setattr(grammar, "_grammar_text", lambda: SMALL_GRAMMAR)
    name, ships = grammar._tables_name(grammar._grammar_text()), b"grammar-0123-1.2.2.json\n{}"
    for stale in (None, ships, b""):
        with subtests.test(stale=stale):
            if stale is not None:
                tables.write_bytes(stale)
            assert grammar._read_shipped_tables(name) is None
            grammar.renew_tables()
            assert (grammar._read_shipped_tables(name) or b"").startswith(b"{")
    made = tables.stat().st_mtime_ns
    grammar.renew_tables()
    assert tables.stat().st_mtime_ns == made


def test_game_without_players_line_is_for_one(subtests: pytest.Subtests) -> None:
    for players, numbers in (("", (1, 1)), ("  players 2 to 4\n", (2, 4)), ("  players 3 to 3\n", (3, 3))):
        with subtests.test(players=players):
            rest = "  order o\n  winners everyone\n  score 0\n  course\n    nothing\n"
            game = parse_definition(f"game sample\n{players}{rest}")
            assert isinstance(game, t.Game) and (game.low, game.high) == numbers


# --- constructs --------------------------------------------------------------------------------

DEFINITIONS = {
    'resource wood "wood" may go below 0': t.Resource,
    'resource silk "silk" limited to 3, secret': t.Resource,
    "group good is wood, stone": t.Group,
    "group good is wood, stone but counted": t.Group,
    "die d6 with 6 sides": t.Die,
    "kind hero\n  rank number from 1 to 18, shown\n  gift effect, optional\n  in order of rank": t.Kind,
    "keep hand of player as dice, secret": t.Keep,
    "keep visits of hero by player as number from 0 to 2 starting at 1, quiet": t.Keep,
    "keep luck of hero as number from least-luck to 9 starting at 1": t.Keep,
    "quantity price of hero in good is rank of hero + 1, at least 0, at most 9": t.Quantity,
    'moment built "after building" with hero and player called owner': t.Moment,
    'phase dawn "Dawn"\n  nothing': t.Phase,
    "routine help with number called n\n  nothing": t.Routine,
    'action visit\n  choose a hero as whom\n  rule free\n    require whom is not you\n    because "no"': t.Action,
    "setting years is 5": t.Setting,
    "setting long is off": t.Setting,
    "game sample\n  players 2 to 4\n  order o\n  winners everyone\n  score 0\n  course\n    nothing": t.Game,
    'display panel\n  each player\n  line "wood", wood of player': t.Display,
    'assert few "Nobody has more than three" every player has wood of it <= 3': t.Assert,
    'assert kept "No wood is lost in year one" never losing wood if year = 1': t.AssertNever,
    'hero ann "Ann"\n  rank 3\n  cost 2 wood, 1 stone\n  gift gain 1 wood\n  adjust price by -1': t.Thing,
    "adjust price by 1 if year > 2": t.Standalone,
    "when built, once per dawn\n  gain 1 wood": t.Standalone,
    "exception again to visit.free if envoy is you\n  allow": t.Standalone,
    'option "Rest" to influence\n  gain 1 gold': t.Standalone,
    'option "Rest" to dusk at "Which?" if envoy is you, once per year\n  gain 1 gold': t.Standalone,
    "exception dusk to gaining wood in evening if helped is empty\n  instead\n    nothing": t.Standalone,
    "amend setting years is 4": t.Amend,
    "remove hero ann": t.Remove_,
}


def test_every_definition_is_parsed_to_its_node() -> None:
    assert {text: type(parse_definition(text + "\n")) for text in DEFINITIONS} == DEFINITIONS


STATEMENTS = {
    "gain 1 wood and 2 stone or 3 point": t.Gain,
    "gain 1 of each good except paid": t.Gain,
    "gain (worth of you) of each good": t.Gain,
    "lose 1 wood": t.Lose,
    "spend 1 wood or 1 stone as paid\n  gain 1 point": t.Spend,
    'may spend 1 wood else "Keep it"\n  gain 1 point\nelse\n  nothing': t.May,
    "choose one\n  gain 1 wood\n  gain 1 stone": t.ChooseOne,
    'choose one "Which?"\n  option "A" if year = 1\n    nothing': t.ChooseOne,
    "choose a hero as whom where rank of it > 2": t.Choose,
    "choose a number from 1 to 3 as n": t.Choose,
    "choose a die from hand of you as d": t.ChooseDie,
    "let x = 1": t.Let,
    "set hand of you to no-dice": t.Set,
    "swap hand of you with hand of left of you": t.Swap,
    "set d to total of d + 1 within hand of you": t.SetFace,
    "add 1 to year": t.Add,
    "remove d from hand of you": t.Remove,
    "roll 3 d6 as thrown": t.Roll,
    "roll 3 d6 into hand of you": t.Roll,
    "reroll all within hand of you": t.Reroll,
    "draw a card from deck as dealt secretly": t.Draw,
    "show foe to you": t.Show,
    "show foe to everyone": t.Show,
    'announce you, "passes"': t.Announce,
    "look at the-table": t.Look,
    'text "All gain", 1, "point."': t.Text,
    'text "All gain", 1, "point."\n  gain 1 point': t.Text,
    "trigger built with x": t.Trigger,
    "play dusk": t.Play,
    "do help with 2": t.Do,
    "do gift of whom": t.DoField,
    "do built of whom with you": t.DoField,
    "do end of dusk of whom": t.DoEdge,
    "do help with 2 2 times": t.DoTimes,
    "do gift of whom (count of taken) times": t.DoTimes,
    "arrange turn-order lowest total of hand of it first": t.Arrange,
    "shuffle turn-order": t.Shuffle,
    "if x = 1\n  nothing\nelse if x = 2\n  nothing\nelse\n  nothing": t.If,
    "each hero as host in taken\n  nothing": t.Each,
    "repeat 3 times\n  nothing": t.Repeat,
    "repeat until taken is empty\n  nothing": t.Repeat,
    'choose 2 heroes from taken as some where rank of it > 2 asking you secretly "Which?"': t.ChooseSome,
    "choose up to x heroes as some": t.ChooseUpTo,
    'choose 2 dice from hand of you as some secretly "Which?"': t.ChooseDice,
    "choose up to 2 dice from hand of you as some": t.ChooseUpToDice,
    "draw 2 heroes from deck as some secretly": t.DrawSome,
    "draw 2 heroes from deck into hand of you": t.DrawInto,
    "draw a hero from deck into hand of you secretly": t.DrawInto,
    "move ann from deck to hand of you": t.Move,
    "move last of deck from deck to pile first": t.Move,
    "give 1 wood and 2 stone to left of you": t.Give,
    "give price of whom to left of you": t.Give,
    "take 2 goods at random from left of you": t.Take,
    "take 2 goods from left of you": t.TakeChosen,
    "gain price of whom": t.Gain,
    "gain 1 wood, 2 stone and cost of whom or price of whom": t.Gain,
    "lose price of whom and 1 wood": t.Lose,
    "spend price of whom or 2 wood\n  nothing": t.Spend,
    "roll 1 cube, 2 gems and x cubes as thrown": t.RollSeveral,
    "roll 1 cube and 2 gems into hand of you": t.RollSeveral,
    "choose a die from hand of you as one where it > 3 secretly": t.ChooseDie,
    "choose up to 2 dice from hand of you as some where it is not 2": t.ChooseUpToDice,
    "spend cost of whom": t.Spend,
    "spend price of whom by you\n  nothing": t.Spend,
    "for left of you\n  nothing": t.For,
    "each hero as one where rank of it > 2\n  nothing": t.EachWhere,
    "each hero with most rank of it then fewest luck of it\n  nothing": t.EachWith,
    "each player from starter\n  nothing": t.EachRound,
    "each player as other from left of you where wood of it > 2\n  nothing": t.EachRound,
    "each number as n from 1 to x\n  nothing": t.EachNumber,
    "each player in others at once\n  nothing": t.EachAtOnce,
    "leave loop": t.Leave,
    "lose all wood": t.Lose,
    "end game": t.EndGame,
    "nothing": t.Nothing,
}


def test_every_statement_is_parsed_to_its_node() -> None:
    assert {text: type(parse_statement(text)) for text in STATEMENTS} == STATEMENTS
    tested = {kind.__name__ for kind in STATEMENTS.values()}
    known = {k.__name__ for k in vars(t).values() if isinstance(k, type) and issubclass(k, t.Stmt)}
    assert known - {"Stmt", "Short"} == tested  # these are never written


VALUES = {
    "7": t.Number,
    "(a, b + 1)": t.Listed,
    "whom": t.Name,
    "rank of whom": t.Apply,
    "visits of whom by you": t.Apply,
    "count of heroes": t.Unary,
    "7 of penny": t.CopiesOf,
    "(rank of ann + 1) of (first of pile)": t.CopiesOf,
    "(many) of each card": t.OfEach,
    "-x": t.Unary,
    "not x": t.Unary,
    "x is empty": t.Unary,
    "1 + 2 * 3 mod 2": t.Binary,
    "x is not in taken": t.Binary,
    "a = 1 or b = 2 and c = 3": t.Binary,
    "heroes where rank of it > 2": t.Where,
    "players with most point of it then fewest wood of it": t.Best,
    "sum of rank of it over heroes": t.Over,
    "sum of rank of one over (heroes as one)": t.Over,
    "every good has wood of you > 0": t.Quantified,
    "no everyone - you has wood of it > 0": t.Quantified,
    "heroes as one where some player has visits of one by it > 0": t.Where,
    "heroes as one with most count of (pile where luck of it > luck of one)": t.Best,
    "numbers from 1 to x + 2": t.NumbersFrom,
    "heroes connected with ann through friends of it": t.Connected,
    "heroes next to ann on a hexagonal grid of rank and rank": t.NextTo,
    "longest path in heroes through friends of it": t.LongestPath,
    "longest path in heroes counting rank of it through friends of it": t.LongestPath,
    "longest trail in roads of you through ends of it": t.LongestTrail,
    "longest trail in roads of you counting 2 * miles of it through ends of it": t.LongestTrail,
    "can spend 3 wood and 1 stone or 2 good": t.CanPay,
    "can spend cost of whom with gold for what is missing": t.CanPay,
    "during dawn": t.During,
    "(heroes)": t.Name,
}


def test_every_value_is_parsed_to_its_node() -> None:
    assert {text: type(parse_value(text)) for text in VALUES} == VALUES


def test_operator_precedence() -> None:
    product = parse_value("1 + 2 * 3")
    assert isinstance(product, t.Binary) and product.op == "+"
    either = parse_value("a = 1 or b = 2 and c = 3")
    assert isinstance(either, t.Binary) and either.op == "or"
    inner = parse_value("count of hand of you + 1")
    assert isinstance(inner, t.Binary) and inner.op == "+"


# --- places ------------------------------------------------------------------------------------


def test_spans_count_from_one_in_the_file() -> None:
    name = parse_page("# first\nresource wood\n\nresource stone\n").definitions[1].name
    assert (name.span.line, name.span.column, name.span.end_column) == (4, 10, 15)


# --- mistakes ----------------------------------------------------------------------------------


def test_each_unparsable_line_gets_one_diagnostic() -> None:
    outcome = parse(Source("page.edict", "resource 5\nresource wood\nphase dawn\n  gian 1\n  lett x\n\ngroup g wood\n"))
    assert [(d.code, d.span.line) for d in outcome.diagnostics] == [
        *(("E0118", 1), ("E0118", 4), ("E0118", 5), ("E0111", 7))
    ]
    assert outcome.value is not None
    assert [d.name.word for d in outcome.value.definitions] == ["wood"]


def test_empty_page_is_valid(subtests: pytest.Subtests) -> None:
    for text in ("", "\n", "# only a remark", "\n\n# a\n\n"):
        with subtests.test(text=text):
            assert parse_page(text).definitions == ()


def test_words_need_spaces_between(subtests: pytest.Subtests) -> None:
    """The lexer would read `lett x` as `let t x` where only `let` may stand."""
    begin = "begin the line with a keyword, such as `gain 1 RESOURCE`"
    for line, code, at, help in (
        ("lett x = 1", "E0103", "lett", "write `let x = 1`"),
        ("gain1 wood", "E0118", "gain1 wood", begin),
        ("ifx = 1", "E0831", "ifx = 1", "write `set ifx to 1`"),
        ("shuffledeck", "E0118", "shuffledeck", begin),
    ):
        with subtests.test(line=line):
            text = f"phase dawn\n  {line}\n"
            (found,) = parse(Source("page.edict", text)).diagnostics
            assert (found.code, underlined_text(text, found), found.help) == (code, at, help)


@pytest.mark.parametrize(
    ("many", "told", "last", "more"),
    [
        (100, 100, "unexpected `IS wood`", 0),
        (101, 101, "1 more error", 0),
        (103, 101, "3 more errors", 2),
    ],
)
def test_first_hundred_mistakes_are_reported_twenty_with_fixes(many: int, told: int, last: str, more: int) -> None:
    found = parse(Source("page.edict", "".join(f"group g{i} IS wood\n" for i in range(many)))).diagnostics
    assert (len(found), found[-1].title, found[-1].more, found[-1].span.line) == (told, last, more, told)
    assert [number for number, one in enumerate(found, 1) if one.edits] == [*range(1, 21)]


def test_ambiguous_value_needs_parentheses(subtests: pytest.Subtests) -> None:
    for value, one, other in (
        ("best of 0 and a - b", "(best of 0 and a) - b", "best of 0 and (a - b)"),
        ("(1, 3, 6) at n + 1", "((1, 3, 6) at n) + 1", "(1, 3, 6) at (n + 1)"),
        ("least of 0, a and b * 2", "(least of 0, a and b) * 2", "least of 0, a and (b * 2)"),
    ):
        with subtests.test(value=value):
            (found,) = parse(Source("a.edict", f"quantity q is {value}\n")).diagnostics
            assert found.code == "E0135" and f"`{one}` or `{other}`" in found.help
            for written in (one, other, f"3 + {other}"):
                assert parse(Source("a.edict", f"quantity q is {written}\n")).diagnostics == ()


def test_line_endings_do_not_matter(subtests: pytest.Subtests) -> None:
    for text in ("phase dawn\n  nothing", "phase dawn\r\n  nothing\r\n", "phase dawn\n  nothing\n# end"):
        with subtests.test(text=text):
            assert len(parse_page(text).definitions) == 1


LONG, DEEP = ("E0121", "this line is too long"), ("E0122", "this is nested too deep")


@pytest.mark.parametrize(
    ("deep", "told"),
    [
        ("quantity q is " + "not " * 5000 + "1", [(*LONG, 1)]),
        ("quantity q is " + "(" * 4000 + "1", [(*LONG, 1)]),
        ("quantity q is " + "1 + " * 480 + "1", [(*LONG, 1)]),
        ("quantity q is (\n" + "1 +\n" * 5000 + "1)", [(*DEEP, 100)]),
        ("phase dawn\n" + "".join("  " * n + "if x\n" for n in range(1, 300)) + "  " * 300 + "nothing", [(*DEEP, 21)]),
        ("quantity q is " + "count of " * 190 + "1", [(*LONG, 1)]),
        ("quantity q is " + "first of (" * 18 + "1" + ")" * 18, []),
    ],
    ids=range(7),
)
def test_deep_nesting_is_refused(deep: str, told: list[tuple[str, str, int]]) -> None:
    found = parse(Source("page.edict", deep + "\n")).diagnostics
    assert [(one.code, one.title, one.span.line) for one in found] == told


_WORDS = [*"()=+-*/,.\n", "\n  ", "\n    ", "\t", '"', '"text"', "5", "wood", "of", "is", "gain", "choose", "a", "one"]
_WORDS += ["phase", "kind", "let", "if", "else", "each", "may", "rule", "require", "#", "\r\n", "é", "_", "\x00", "{"]


@settings(max_examples=choose_examples(100, 3000))
@given(st.lists(st.sampled_from(_WORDS), max_size=30).map(" ".join))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    """No text raises an exception, and every diagnostic has a place in the text."""
    _assert_diagnostics_have_places(text)


@settings(max_examples=choose_examples(50, 1500))
@given(st.data())
def test_damaged_shipped_rules_are_parsed_or_refused(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(TEXTS))
    at = data.draw(st.integers(0, len(text)))
    until = data.draw(st.integers(at, min(len(text), at + 20)))
    _assert_diagnostics_have_places(text[:at] + data.draw(st.sampled_from(["", *_WORDS])) + text[until:])


def _assert_diagnostics_have_places(text: str) -> None:
    source = Source("page.edict", text)
    for found in parse(source).diagnostics:
        assert found.help and found.title
        assert 1 <= found.span.line <= max(1, text.count("\n") + 1)
        assert found.span.column >= 1
        assert len(found.note) < 300


def test_unparsable_piece_is_not_parsed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long definition with a mistake at its end was parsed again for every fix beside it."""
    from edict.compiler.syntax import parse as parsing
    from edict.compiler.syntax.incremental import PIECE_CACHE

    bad, good = "phase a\n  gain gain\n", "phase b\n  gain 1 coin\n"
    PIECE_CACHE.clear()
    first = parsing.parse_file(Source("p.edict", bad + good))
    tried: list[str] = []
    read = parsing._build_piece

    def record_parse(file: Any, piece: Any, names: Any) -> Any:
        tried.append(piece.own_text)
        return read(file, piece, names)

    monkeypatch.setattr(parsing, "_build_piece", record_parse)
    page, unparsed = parsing.split_readable(
        Source("p.edict", "# one line more\n" + bad + good + "phase c\n  gain 2 coin\n")
    )
    assert [one.line for one in first.unparsed] == [2] and unparsed == {3: bad}
    assert tried == ["phase c\n  gain 2 coin\n"] and len(page.definitions) == 2
