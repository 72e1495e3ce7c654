"""Words and keys: every value has words, every option has its own key."""

from __future__ import annotations

import dataclasses

import pytest

from edict.game.table.game_errors import GameError
from edict.game.table.options import Options
from edict.game.table.wording import Amount, Wording
from edict.runtime.program import DiceLayout, LinkedKind, Question, ValueType
from edict.runtime.program.option_keys import make_distinct, to_stable_slug
from table_kit import make_card_game, make_thing

WIDTH = 3
DICE = DiceLayout(WIDTH, (("own", "die/dice", 6, 0), ("extra", "extra die/extra dice", 6, 6)))


def pack_dice(*fields: int) -> int:
    return sum(1 << (WIDTH * field) for field in fields)


def make_wording(*questions: Question, players: tuple[str, ...] = ("Ann", "Zoë K.")) -> tuple[Wording, Options]:
    cards = (make_thing("jack"), make_thing("no", "No way", "7", "Wins"))
    program = dataclasses.replace(
        make_card_game(),
        dice=DICE,
        questions=questions,
        kinds=(LinkedKind("player", "player", "", ()), LinkedKind("card", "card", "", cards)),
        shifts={"pay": ((), ("+2 token",), ("+1 stall", "+2 token"), ("-1 stall",))},
    )
    words = Wording(program, players)
    return words, Options(program, words)


def make_question(
    domain: str, kind: str = "", keys: tuple[str, ...] = (), decline: str = "", name: str = "q"
) -> Question:
    return Question(name, "", domain, kind, keys=keys, decline=decline)


@pytest.mark.parametrize(
    ("type_", "value", "text"),
    [
        (ValueType("number"), -3, "-3"),
        (ValueType("truth"), 1, "yes"),
        (ValueType("thing", "card"), 1, "No way"),
        (ValueType("thing", "card"), -1, "none"),
        (ValueType("thing", "player"), 1, "Zoë K."),
        (ValueType("set", "player"), 0, "nobody"),
        (ValueType("set", "player"), 3, "Ann and Zoë K."),
        (ValueType("set", "number"), 0b101010, "1, 3 and 5"),
        (ValueType("order", "player"), (1 << 60) - 1 - 0xEF, "Ann and Zoë K."),
        (ValueType("dice"), pack_dice(2, 4, 4, 11), "3 5 5 and extra die 6"),
        (ValueType("dice"), pack_dice(6, 11), "extra dice 1 6"),
        (ValueType("dice"), 0, "no dice"),
        (ValueType("nothing"), 0, ""),
    ],
)
def test_values_as_words(type_: ValueType, value: int, text: str) -> None:
    if type_.shape == "order":
        value = (1 << 60) - 1 - 0xFF + 0x10  # first 0, then 1, then nobody
    assert make_wording()[0].value(type_, value) == text


def test_dice_are_named_as_a_price() -> None:
    words = make_wording()[0]
    assert words.name_dice(pack_dice(2)) == "die 3"
    assert words.name_dice(pack_dice(2, 4, 11)) == "dice 3, 5 and extra die 6"
    assert words.name_dice(pack_dice(11)) == "extra die 6"


def test_payments_have_texts_and_keys() -> None:
    _, options = make_wording(make_question("ways", keys=("none", "token", "stall-and-token", "stall-2"), name="pay"))
    plain, token, both, less = (pack_dice(2, 4, 11) | n << DICE.bits for n in range(4))
    assert options.text(0, plain) == "3 5 and extra die 6"
    assert options.text(0, both) == "3 5 and extra die 6 with +1 stall and +2 token"
    assert options.key(0, plain) == "own:3,5 extra:6"
    assert options.key(0, token) == "own:3,5 extra:6 token"
    assert options.key(0, less) == "own:3,5 extra:6 stall-2"
    assert len({options.key(0, way) for way in (plain, token, both, less)}) == 4


def test_dice_are_chosen_by_field_and_rolled_by_face() -> None:
    _, options = make_wording(make_question("die"), make_question("die", "extra"))
    assert (options.key(0, 11), options.text(0, 11), options.text(0, 2)) == ("extra-6", "extra die 6", "3")
    assert (options.key(1, 6), options.text(1, 6)) == ("extra-6", "extra die 6")


@pytest.mark.parametrize(
    ("value", "described"),
    [
        (0, ("own", "die/dice", 1)),
        (5, ("own", "die/dice", 6)),
        (6, ("extra", "extra die/extra dice", 1)),
        (11, ("extra", "extra die/extra dice", 6)),
        (12, ("die", "die", 12)),
    ],
)
def test_field_describes_its_die_and_face(value: int, described: tuple[str, str, int]) -> None:
    assert make_wording()[0].describe_field(value) == described


@pytest.mark.parametrize(
    ("options", "remedy"),
    [
        (12, "the options are: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11"),
        (13, "the options are: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 ..."),
    ],
)
def test_unknown_answer_lists_up_to_twelve_options(options: int, remedy: str) -> None:
    _, factory = make_wording(make_question("number"))
    with pytest.raises(GameError) as found:
        factory.build_question(0, 0, range(options)).named("nothing-like-it")
    assert found.value.remedy == remedy


def test_things_players_and_branches_have_stable_keys() -> None:
    _, options = make_wording(
        make_question("thing", "card", decline="No"),
        make_question("thing", "player"),
        make_question("branch", keys=("gain-1", "gain-1-2")),
    )
    assert [options.key(0, v) for v in (0, 1, -1)] == ["jack", "no", "no-2"]
    assert [options.key(1, v) for v in (0, 1)] == ["ann", "zoe-k"]
    assert [options.key(2, v) for v in (0, 1, -1)] == ["gain-1", "gain-1-2", "no"]
    ask = options.build_question(0, 0, [0, 1, -1])
    assert ask.prompt == "Which card?" and [o.caption for o in ask.options] == ["", "7", ""]
    assert ask.options[1].words == "Wins" and ask.find("no") == ask.options[1] and ask.find("king") is None


def test_players_with_equal_keys_get_seat_keys() -> None:
    _, options = make_wording(make_question("thing", "player"), players=("A.", "A!", "!!", "Bo"))
    assert [options.key(0, v) for v in range(4)] == ["player-1", "player-2", "player-3", "bo"]


@pytest.mark.parametrize(
    "texts",
    [
        [],
        [""],
        ["", ""],
        ["a", "a", "a"],
        ["a", "a-2", "a"],
        ["a-2", "a", "a"],
        ["a", "", "a", "1"],
        ["1", "1", "1-2", "option-1", "-"],
        ["a", "a-3", "a", "a", "a-2"],
    ],
)
def test_keys_are_always_distinct(texts: list[str]) -> None:
    """The first of each keeps its key, whatever else there is."""
    slugs = [to_stable_slug(text) for text in texts]
    keys = make_distinct(slugs)
    assert len(set(keys)) == len(texts) and all(keys)
    assert all(keys[slugs.index(made)] == made for made in slugs if made)


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("Zoë K.", "zoe-k"),
        (" - +2 token!", "plus-2-token"),
        ("\u2212 -1", "minus-1"),
        ("", ""),
        ("Straße\t9", "strasse-9"),
        ("龍 🦊", "龍"),
    ],
)
def test_slugs_are_safe_for_files_and_typing(text: str, made: str) -> None:
    assert to_stable_slug(text) == to_stable_slug(to_stable_slug(text)) == made


@pytest.mark.parametrize(
    ("amount", "words"),
    [
        (Amount(1, "+2 token", "+2 tokens"), "a +2 token"),
        (Amount(3, "+2 token", "+2 tokens"), "3 +2 tokens"),
        (Amount(1, "soldier", "soldiers"), "1 soldier"),
        (Amount(-1, "coin", "coins"), "-1 coin"),
    ],
)
def test_title_that_begins_with_a_number_has_no_one_before_it(amount: Amount, words: str) -> None:
    assert str(amount) == words
