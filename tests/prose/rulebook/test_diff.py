"""Tests of `diff`, which compares two sets of rules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from calling import run_kingsburg
from edict.prose.rulebook.annotated_rules import AnnotatedRules, read_annotated_rules, remove_judgement
from edict.prose.rulebook.rule_differences import find_differences
from reading import VARIANT, Call, load_annotated, write_module


@pytest.fixture(scope="module")
def variant(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_module(tmp_path_factory.mktemp("variants") / "my-variant", VARIANT))


@pytest.fixture(scope="module")
def data(variant: str) -> dict[tuple[str, str], Any]:
    """The changes of the variant, by way and name."""
    done = run_kingsburg(Path(variant).parent, "diff", "base", variant, "--format", "json")
    assert done.returncode == 0, done.stderr
    return {(change["way"], change["name"]): change for change in json.loads(done.stdout)["changes"]}


def texts_with_mark(change: Any, mark: str) -> list[str]:
    return [line["text"].strip() for line in change["lines"] if line["mark"] == mark]


def test_diff_lists_exactly_what_a_module_changes(data: dict[tuple[str, str], Any]) -> None:
    assert set(data) == {
        ("added", "windmill"),
        ("added", "H"),
        ("added", "crowded"),
        ("added", ""),
        ("changed", "jester"),
        ("changed", "squire"),
        ("changed", "winter"),
        ("changed", "years"),
        ("changed", "year"),
        ("changed", "kings-reward"),
        ("removed", "demons-5-8"),
    }


def test_diff_merges_changed_lines_and_shows_additions_and_removals_in_full(
    data: dict[tuple[str, str], Any],
) -> None:
    squire, windmill, demons = data["changed", "squire"], data["added", "windmill"], data["removed", "demons-5-8"]
    assert texts_with_mark(squire, "-") == ["reward gain 1 gold"] and texts_with_mark(squire, "+") == [
        "reward gain 1 gold or 1 stone"
    ]
    modules = {line["mark"]: line["module"] for line in squire["lines"]}
    assert modules == {" ": "kingsburg", "-": "kingsburg", "+": "my-variant"}
    assert squire["before"] == ["Gain 1 gold."] and squire["after"] == ["Gain 1 gold or 1 stone."]
    assert len(texts_with_mark(windmill, "+")) == 8 and not windmill["before"]
    assert "+1 to battle strength if the attackers include Orcs." in windmill["after"]
    assert len(texts_with_mark(demons, "-")) == 8 and not demons["after"]


def test_diff_as_text(call: Call, variant: str) -> None:
    said = call("diff", "base", variant).stdout
    assert said.startswith("kingsburg + my-variant, compared with kingsburg: 5 added, 6 changed, 1 removed\n")
    assert "\nadded\n" in said and "\nchanged\n" in said and "\nremoved\n" in said
    assert "    -   reward gain 1 gold " in said and "      was: Gain 1 gold.\n" in said


def test_reversed_diff_swaps_added_and_removed_and_equal_rules_do_not_differ(variant: str) -> None:
    base, mine = load_annotated(), read_annotated_rules("kingsburg", (variant,)).unwrap()
    turned = {"added": "removed", "removed": "added", "changed": "changed"}
    assert {(turned[way], name) for way, name in changes_by_name(base, mine)} == changes_by_name(mine, base)
    assert not changes_by_name(base, base) and not changes_by_name(mine, mine)


def changes_by_name(old: AnnotatedRules, new: AnnotatedRules) -> set[tuple[str, str]]:
    return {(change.way, change.name) for change in find_differences(old, new)}


def test_diff_ignores_module_order_and_applies_with_to_both_sides(call: Call) -> None:
    """Files in `with/`, such as the Good Year's exception, apply only when both modules are played."""
    same = call("diff", "governors,destiny", "destiny,governors").stdout
    assert same.endswith(": nothing differs\n")
    beside = call("diff", "base", "destiny", "--with", "governors").stdout
    assert "blessed-year" in beside and "governor architect-governor" not in beside


def test_diff_of_another_game(call: Call, tmp_path: Path) -> None:
    folder = write_module(tmp_path / "pigs", "amend setting goal is 50\n")
    (folder / "module.yaml").write_text(
        "name: pigs\ntitle: Pigs\nversion: 1.0.0\nkind: module\nlanguage: 1\nrequires: [pig]\n", encoding="utf-8"
    )
    done = call("diff", "pig", str(folder))
    assert done.returncode in (0, 1) and ("pig + pigs" in done.stdout or "E0172" in done.stderr)


def test_diff_rejects_wrong_arguments(call: Call, subtests: pytest.Subtests) -> None:
    for words, said in (
        (("base", "nowhere"), "E0150"),
        (("base", "governors,"), "is not a set of rules"),
        (("base", ""), "is not a set of rules"),
        (("base", "governors", "--format", "xml"), "invalid value `xml` for --format"),
        (("base", "governors", "--game", "pig"), "are both games"),
    ):
        with subtests.test(words=words):
            done = call("diff", *words)
            assert done.returncode in (1, 2) and said in done.stderr


def test_diff_adds_exactly_what_a_shipped_module_declares(subtests: pytest.Subtests) -> None:
    base = load_annotated()
    for name in ("destiny", "goblin-valley"):
        with subtests.test(name=name):
            with_it = remove_judgement(load_annotated("kingsburg", name))
            added = {change.name for change in find_differences(base, with_it) if change.way == "added" and change.name}
            assert added == (with_it.definitions.keys() | {n for n, s in with_it.standalone.items() if s.name.word}) - (
                base.definitions.keys() | base.standalone.keys()
            )
            assert "blessed-year" not in added
