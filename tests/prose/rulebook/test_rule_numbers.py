"""Numbers in the text of rules, found by words or by place, and replaced in memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from calling import make_manifest, write_files
from edict.compiler.pipeline.compile import compile_modules
from edict.compiler.sources.module_set import Modules, gather_modules
from edict.prose.rulebook.rule_numbers import find_numbers, list_numbers, render_diff, replace_numbers, suggest_numbers

VARIANT = """amend building crane
  cost 5 gold
amend building inn
  when end of season if during summer
    gain 3 token
"""


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Modules:
    folder = tmp_path_factory.mktemp("variant")
    write_files(folder, {"module.yaml": make_manifest("variant", requires="[kingsburg]"), "v.edict": VARIANT})
    return gather_modules("kingsburg", [folder]).unwrap()


def find_lines(modules: Modules, phrase: str) -> list[tuple[int, str]]:
    return [(number.value, number.line) for number in find_numbers(list_numbers(modules), phrase)]


@pytest.mark.parametrize(
    ("phrase", "value", "line"),
    [
        ("cost of embassy in gold", 2, "cost 2 gold, 2 wood, 2 stone"),
        ("wood of the inn", 1, "cost 1 gold, 1 wood"),
        ("worth of embassy", 4, "worth 4"),
        ("cost of crane in gold", 5, "cost 5 gold"),  # of the module on top
        ("tokens of the inn at the end of summer", 3, "gain 3 token"),
    ],
)
def test_phrase_names_the_number_whose_words_are_nearest(modules: Modules, phrase: str, value: int, line: str) -> None:
    assert find_lines(modules, phrase) == [(value, line)]


def test_definition_names_the_first_number_of_its_head_only() -> None:
    pig = gather_modules("pig").unwrap()
    assert [value for value, _ in find_lines(pig, "goal")] == [100]
    assert [value for value, _ in find_lines(pig, "points to win")] == [100]
    assert len(find_lines(pig, "turn-points")) > 1


def test_place_names_its_numbers_with_or_without_folders(modules: Modules) -> None:
    (embassy,) = find_numbers(list_numbers(modules), "cost of embassy in gold")
    short = str(embassy.span).rpartition("/")[2]
    assert find_numbers(list_numbers(modules), short) == (embassy,)
    assert len(find_numbers(list_numbers(modules), short.rpartition(":")[0])) == 3


def test_ambiguous_and_unknown_phrases_have_suggestions(modules: Modules) -> None:
    numbers = list_numbers(modules)
    assert len(find_numbers(numbers, "cost of embassy")) == 3
    assert not find_numbers(numbers, "cost of embassy in silver")
    assert {number.definition for number in suggest_numbers(numbers, "cost of embassy in silver")} == {"embassy"}


def test_texts_comments_and_names_hold_no_numbers(tmp_path: Path) -> None:
    text = 'die d6 "6 or 7 sides" with 6 sides  # 8\nresource point-9\n'
    write_files(tmp_path, {"module.yaml": make_manifest("tiny", kind="game"), "t.edict": text})
    assert [(n.value, n.span.column) for n in list_numbers(gather_modules(tmp_path).unwrap())] == [(6, 28)]


def test_replaced_number_changes_its_line_alone(modules: Modules) -> None:
    (number,) = find_numbers(list_numbers(modules), "cost of embassy in gold")
    changed = replace_numbers(modules, [(number, 10)])
    assert render_diff(modules, changed)[-2:] == ["-  cost 2 gold, 2 wood, 2 stone", "+  cost 10 gold, 2 wood, 2 stone"]
    assert len(render_diff(modules, changed)) == 5
    assert compile_modules(changed).unwrap().rules_hash != compile_modules(modules).unwrap().rules_hash
    assert replace_numbers(modules, [(number, number.value)]) == modules
