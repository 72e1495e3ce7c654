"""Tests that the keys of options in saved games come from the rules, whatever text is displayed."""

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
from edict.game.table.rules import load_bundled_rules
from edict.game.table.wording import Wording
from edict.runtime.program import Program, Question
from edict.runtime.program.opcodes import DECLINE
from helpers import compile_program
from shipped import catalogue

KEPT = Path(__file__).parents[2] / "game" / "table" / "kept"
RECIPES = Path(__file__).parents[3] / "examples" / "recipes"
TEXTS = [
    name
    for name, made in vars(program_wording).items()
    if getattr(made, "__module__", "").startswith(("edict.compiler.english", "edict.support.morphology"))
]


def change_text(text: str) -> str:
    """Return another text for each text."""
    return f"Blah {hashlib.md5(text.encode()).hexdigest()}"


def return_same_text(_: str) -> str:
    return "Blah"


def patch_english(replace_text: Callable[[str], str], patch: pytest.MonkeyPatch) -> None:
    """Replace every English text that the compiler produces from here on."""

    def tell_changed(tell: Callable[..., object], *given: object, **more: object) -> object:
        told = tell(*given, **more)
        return replace_text(told) if isinstance(told, str) else told

    for name in TEXTS:
        patch.setattr(program_wording, name, partial(tell_changed, getattr(program_wording, name)))


def compile_questions(rules: tuple[str, ...], replace_text: Callable[[str], str] | None = None) -> tuple[Question, ...]:
    with pytest.MonkeyPatch.context() as patch:
        if replace_text:
            patch_english(replace_text, patch)
        return compile_rules(rules[0], rules[1:], fresh=True).unwrap().questions


def question_keys(found_questions: Sequence[Question]) -> list[tuple[object, ...]]:
    return [(question.name, question.keys, question.decline_key) for question in found_questions]


RULES: list[tuple[str, ...]] = [
    ("gem-fair",),
    ("under-the-cups",),
    *((str(RECIPES / name),) for name in ("market", "payments", "loan", "interrupt")),
]
WHOLE: list[tuple[str, ...]] = [
    ("kingsburg", "destiny", "governors", "more-buildings", "soldier-tokens"),
    ("kingsburg", "first-edition"),
]


def test_keys_do_not_depend_on_the_english(subtests: pytest.Subtests) -> None:
    for rules in RULES:
        with subtests.test(rules=rules):
            usual = compile_questions(rules)
            other = compile_questions(rules, change_text)
            assert (
                question_keys(other)
                == question_keys(usual)
                == question_keys(compile_questions(rules, return_same_text))
            ), rules
            for one, two in zip(usual, other, strict=True):
                same = {label for label, another in zip(one.labels, two.labels, strict=True) if label == another}
                assert same <= {"Yes"}, "all of the English changed"
    assert question_keys(compile_questions(("kingsburg",))) == question_keys(
        compile_questions(("kingsburg",), change_text)
    )


@pytest.mark.slow  # seconds for each; what makes keys is in the small games too
@pytest.mark.parametrize("rules", WHOLE, ids="+".join)
def test_keys_of_large_games_do_not_depend_on_the_english(rules: tuple[str, ...]) -> None:
    assert (
        question_keys(compile_questions(rules))
        == question_keys(compile_questions(rules, change_text))
        == question_keys(compile_questions(rules, return_same_text))
    )


SAVED = [
    pytest.param(path, marks=pytest.mark.slow if "kingsburg" in path.name else (), id=path.stem)
    for path in sorted(KEPT.glob("*.jsonl"))
]


@pytest.mark.parametrize("journal", SAVED)
def test_saved_game_continues_with_other_english(journal: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    patch_english(change_text, monkeypatch)
    monkeypatch.setattr(compile, "_load_or_build", lambda _, made: made())  # what is compiled here is for nobody else
    results = yaml.safe_load((KEPT / "results.yaml").read_text(encoding="utf-8"))
    saved = read_journal(journal)
    assert str(load_bundled_rules(saved).replay(saved).result) == results[journal.name]


# --- one key, one option ---------------------------------------------------------------------------------

PLAYERS = ("No", "Ann", "ann!", "...", "Player 4")


@pytest.mark.parametrize("name", sorted(catalogue()))
@pytest.mark.sample(8)
def test_keys_are_unique_within_a_question(name: str, subtests: pytest.Subtests) -> None:
    needed = catalogue()[name][1]
    rules = compile_rules(name) if needed.kind == "game" else compile_rules(needed.requires[0], [name])
    program = rules.unwrap()
    options = Options(program, Wording(program, PLAYERS))
    for number, question in enumerate(program.questions):
        with subtests.test(question=question):
            keys = [options.key(number, value) for value in (*sample_answers(program, question), DECLINE)]
            assert len({*keys}) == len(keys) and all(keys)


def sample_answers(program: Program, question: Question) -> Iterable[int]:
    """Iterate over all possible answers; of numbers and ways to pay, over some."""
    if question.domain == "thing" and question.kind != "player":
        return range(len(program.kind_by_name[question.kind].things))
    if question.domain == "die":
        return range(1, 7) if question.kind else program.dice.fields
    if question.domain == "ways":
        return [1 + (shift << program.dice.bits) for shift in range(len(question.keys))]
    return range({"thing": len(PLAYERS), "number": 40}.get(question.domain, len(question.keys)))


# --- which they are ---------------------------------------------------------------------------------------


def option_keys(*options: str) -> tuple[str, ...]:
    lines = "\n".join(f"    {option}" for option in options)
    return (
        compile_program(f"keep pot as number from 0 to 9\nphase trial-run\n  choose one\n{lines}\n").questions[0].keys
    )


def titled_branch(title: str) -> str:
    return f"option {title}\n      gain 1 coin"


def test_key_comes_from_title_or_steps() -> None:
    keys = option_keys(titled_branch('"Take it (or 2)"'), "gain 2 coin and 1 stick")
    assert keys == ("take-it-or-2", "gain-2-coin-and-1-stick")


def test_key_omits_values_in_titles_except_numbers() -> None:
    keys = option_keys(titled_branch('"Take", pot, "coin/coins"'), titled_branch('"Take", 3'), "nothing")
    assert keys == ("take-coins", "take-3", "nothing")


def test_key_of_optional_action_is_its_name() -> None:
    rules = "action sell\n  choose a stuff as what\n  then\n    gain 1 coin\n"
    offers = "phase trial-run\n  may do sell%s\n  may do sell%s\n"
    entries = dict(compile_program(rules + offers % ("", ' else "Keep it"')).entries)
    assert {name for name in entries if name.startswith("action")} == {"action sell", "action sell Keep it"}


def test_equal_keys_are_numbered_from_the_second_on() -> None:
    keys = option_keys(*(titled_branch(f'"{title}"') for title in ("Take", "Take!", "Take 2", "(Take)")))
    assert keys == ("take", "take-3", "take-2", "take-4")


def test_long_keys_are_cut_between_words() -> None:
    keys = option_keys(titled_branch(f'"{"A long word and " * 8}"'), "gain 1 coin")
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


def test_decline_key_is_no_unless_the_rules_word_it() -> None:
    assert [question.decline_key for question in compile_program(DECLINED).questions] == ["no", "keep-it", "no", "no"]


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


def test_decline_key_yields_to_things_and_players_of_that_name() -> None:
    made = compile_program(CALLED_NO)
    options = Options(made, Wording(made, ("No", "Ann")))
    keys = [[options.key(number, value) for value in (0, 1, DECLINE)] for number in (0, 1)]
    assert keys == [["jack", "queen", "jack-2"], ["no", "ann", "no-2"]]
