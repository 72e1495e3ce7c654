"""What an option is called in saved games comes from the rules, whatever is shown for it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

import pytest
import yaml

from edict.compiler.lowering import program_wording
from edict.compiler.pipeline import compile
from edict.compiler.pipeline.compile import compile_rules
from edict.game.table.journal import read_journal
from edict.game.table.options import Options
from edict.game.table.rules import kept_rules
from edict.game.table.wording import Wording
from edict.runtime.program import Program, Question
from edict.runtime.program.opcodes import DECLINE
from helpers import program
from shipped import catalogue

KEPT = Path(__file__).parents[2] / "game" / "table" / "kept"
RECIPES = Path(__file__).parents[3] / "examples" / "recipes"
TEXTS = [
    name
    for name, made in vars(program_wording).items()
    if getattr(made, "__module__", "").startswith(("edict.compiler.english", "edict.support.morphology"))
]


def otherwise(text: str) -> str:
    """Another text for each."""
    return f"Blah {hashlib.md5(text.encode()).hexdigest()}"


def alike(_: str) -> str:
    return "Blah"


def speak(instead: Callable[[str], str], patch: pytest.MonkeyPatch) -> None:
    """All that the compiler has of `words` says something else from here on."""

    def other(tell: Callable[..., object], *given: object, **more: object) -> object:
        told = tell(*given, **more)
        return instead(told) if isinstance(told, str) else told

    for name in TEXTS:
        patch.setattr(program_wording, name, partial(other, getattr(program_wording, name)))


def questions(rules: tuple[str, ...], instead: Callable[[str], str] | None = None) -> tuple[Question, ...]:
    with pytest.MonkeyPatch.context() as patch:
        if instead:
            speak(instead, patch)
        return compile_rules(rules[0], rules[1:], fresh=True).unwrap().questions


def named(found: Sequence[Question]) -> list[tuple[object, ...]]:
    return [(question.name, question.keys, question.decline_key) for question in found]


RULES: list[tuple[str, ...]] = [
    ("gem-fair",),
    ("under-the-cups",),
    *((str(RECIPES / name),) for name in ("market", "payments", "loan", "interrupt")),
]
WHOLE: list[tuple[str, ...]] = [
    ("kingsburg", "destiny", "governors", "more-buildings", "soldier-tokens"),
    ("kingsburg", "first-edition"),
]


def test_no_key_changes_with_the_english() -> None:
    for rules in RULES:
        usual = questions(rules)
        other = questions(rules, otherwise)
        assert named(other) == named(usual) == named(questions(rules, alike)), rules
        for one, two in zip(usual, other, strict=True):
            same = {label for label, another in zip(one.labels, two.labels, strict=True) if label == another}
            assert same <= {"Yes"}, "all of the English changed"
    assert named(questions(("kingsburg",))) == named(questions(("kingsburg",), otherwise))


@pytest.mark.slow  # seconds for each; what makes keys is in the small games too
@pytest.mark.parametrize("rules", WHOLE, ids="+".join)
def test_no_key_of_a_large_game_changes_with_the_english(rules: tuple[str, ...]) -> None:
    assert named(questions(rules)) == named(questions(rules, otherwise)) == named(questions(rules, alike))


SAVED = [
    pytest.param(path, marks=pytest.mark.slow if "kingsburg" in path.name else (), id=path.stem)
    for path in sorted(KEPT.glob("*.jsonl"))
]


@pytest.mark.parametrize("journal", SAVED)
def test_a_saved_game_goes_on_whatever_the_english(journal: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    speak(otherwise, monkeypatch)
    monkeypatch.setattr(compile, "_cached", lambda _, made: made())  # what is compiled here is for nobody else
    results = yaml.safe_load((KEPT / "results.yaml").read_text(encoding="utf-8"))
    saved = read_journal(journal)
    assert str(kept_rules(saved).replay(saved).result) == results[journal.name]


# --- one key, one option ---------------------------------------------------------------------------------

PLAYERS = ("No", "Ann", "ann!", "...", "Player 4")


@pytest.mark.parametrize("name", sorted(catalogue()))
@pytest.mark.sample(8)
def test_no_two_options_of_a_question_have_one_key(name: str) -> None:
    needed = catalogue()[name][1]
    rules = compile_rules(name) if needed.kind == "game" else compile_rules(needed.requires[0], [name])
    program = rules.unwrap()
    options = Options(program, Wording(program, PLAYERS))
    for number, question in enumerate(program.questions):
        keys = [options.key(number, value) for value in (*values(program, question), DECLINE)]
        assert len({*keys}) == len(keys) and all(keys), question


def values(program: Program, question: Question) -> Iterable[int]:
    """All that may ever be answered; of numbers, and of ways to pay, some."""
    if question.domain == "thing" and question.kind != "player":
        return range(len(program.kind_by_name[question.kind].things))
    if question.domain == "die":
        return range(1, 7) if question.kind else program.dice.fields
    if question.domain == "ways":
        return [1 + (shift << program.dice.bits) for shift in range(len(question.keys))]
    return range({"thing": len(PLAYERS), "number": 40}.get(question.domain, len(question.keys)))


# --- which they are ---------------------------------------------------------------------------------------


def keys_of(*options: str) -> tuple[str, ...]:
    lines = "\n".join(f"    {option}" for option in options)
    return program(f"keep pot as number from 0 to 9\nphase trial-run\n  choose one\n{lines}\n").questions[0].keys


def titled(title: str) -> str:
    return f"option {title}\n      gain 1 coin"


def test_an_option_has_the_key_of_its_title_or_of_what_it_does() -> None:
    keys = keys_of(titled('"Take it (or 2)"'), "gain 2 coin and 1 stick")
    assert keys == ("take-it-or-2", "gain-2-coin-and-1-stick")


def test_a_value_in_a_title_is_left_out_unless_it_is_a_number() -> None:
    keys = keys_of(titled('"Take", pot, "coin/coins"'), titled('"Take", 3'), "nothing")
    assert keys == ("take-coins", "take-3", "nothing")


def test_an_action_that_is_declined_without_words_is_started_by_its_name() -> None:
    rules = "action sell\n  choose a stuff as what\n  then\n    gain 1 coin\n"
    offers = "phase trial-run\n  may do sell%s\n  may do sell%s\n"
    entries = dict(program(rules + offers % ("", ' else "Keep it"')).entries)
    assert {name for name in entries if name.startswith("action")} == {"action sell", "action sell Keep it"}


def test_options_of_one_text_are_numbered_in_their_order_from_the_second_on() -> None:
    keys = keys_of(*(titled(f'"{title}"') for title in ("Take", "Take!", "Take 2", "(Take)")))
    assert keys == ("take", "take-3", "take-2", "take-4")


def test_what_is_said_at_length_is_cut_between_words() -> None:
    keys = keys_of(titled(f'"{"A long word and " * 8}"'), "gain 1 coin")
    assert keys == ("a-long-word-and-a-long-word-and-a-long-word-and", "gain-1-coin")


DECLINED = """
phase trial-run
  may gain 1 fame
    lose 1 coin
  may spend 1 coin else "Keep it"
    gain 1 fame
  may spend 2 coin else "2"
    gain 1 fame
  may spend 3 coin
    gain 2 fame
"""


def test_declining_is_no_unless_the_rules_have_words_for_it() -> None:
    assert [question.decline_key for question in program(DECLINED).questions] == ["no", "keep-it", "no", "no"]


CALLED_NO = """
kind card "card/cards"
card jack "Jack"
card queen "Queen"
keep mine of player as card or none
keep theirs of player as player or none
phase trial-run
  may choose a card as it else "Jack"
    set mine of you to it
  may choose a player as whom
    set theirs of you to whom
"""


def test_declining_gives_way_to_a_thing_and_to_a_player_of_that_name() -> None:
    made = program(CALLED_NO)
    options = Options(made, Wording(made, ("No", "Ann")))
    keys = [[options.key(number, value) for value in (0, 1, DECLINE)] for number in (0, 1)]
    assert keys == [["jack", "queen", "jack-2"], ["no", "ann", "no-2"]]
