"""`diff`: what one set of rules changes compared with another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from reading import EVERYTHING, VARIANT, Call, rules, write

from edict.handbook.differing import differences
from edict.handbook.judging import without_judgement


@pytest.fixture
def variant(tmp_path: Path) -> str:
    return str(write(tmp_path / "my-variant", VARIANT))


@pytest.fixture
def data(call: Call, variant: str) -> dict[tuple[str, str], Any]:
    """The changes of the variant, by way and name."""
    done = call("diff", "base", variant, "--format", "json")
    assert done.returncode == 0, done.stderr
    return {(change["way"], change["name"]): change for change in json.loads(done.stdout)["changes"]}


def marked(change: Any, mark: str) -> list[str]:
    return [line["text"].strip() for line in change["lines"] if line["mark"] == mark]


def test_all_that_a_module_does_is_there_and_nothing_else(data: dict[tuple[str, str], Any]) -> None:
    assert set(data) == {
        ("added", "windmill"), ("added", "H"), ("added", "crowded"), ("added", ""),
        ("changed", "jester"), ("changed", "squire"), ("changed", "winter"), ("changed", "years"), ("changed", "year"),
        ("changed", "kings-reward"), ("removed", "demons-5-8"),
    }  # fmt: skip


def test_old_and_new_lines_stand_together_with_their_places(data: dict[tuple[str, str], Any]) -> None:
    squire = data["changed", "squire"]
    assert marked(squire, "-") == ["reward gain 1 gold"] and marked(squire, "+") == ["reward gain 1 gold or 1 stone"]
    modules = {line["mark"]: line["module"] for line in squire["lines"]}
    assert modules == {" ": "kingsburg", "-": "kingsburg", "+": "my-variant"}
    assert squire["before"] == ["Gain 1 gold."] and squire["after"] == ["Gain 1 gold or 1 stone."]


def test_what_is_new_and_what_is_gone_is_told_whole(data: dict[tuple[str, str], Any]) -> None:
    windmill, demons = data["added", "windmill"], data["removed", "demons-5-8"]
    assert len(marked(windmill, "+")) == 8 and not windmill["before"]
    assert "+1 to battle strength if the attackers include Orcs." in windmill["after"]
    assert len(marked(demons, "-")) == 8 and not demons["after"]


def test_as_text_for_people(call: Call, variant: str) -> None:
    said = call("diff", "base", variant).stdout
    assert said.startswith("kingsburg + my-variant, compared with kingsburg: 5 added, 6 changed, 1 removed\n")
    assert "\nadded\n" in said and "\nchanged\n" in said and "\nremoved\n" in said
    assert "    -   reward gain 1 gold " in said and "      was: Gain 1 gold.\n" in said


def test_backwards_added_and_removed_change_places(call: Call, variant: str) -> None:
    there = json.loads(call("diff", "base", variant, "--format", "json").stdout)["changes"]
    back = json.loads(call("diff", variant, "base", "--format", "json").stdout)["changes"]
    turned = {"added": "removed", "removed": "added", "changed": "changed"}
    assert sorted((turned[c["way"]], c["name"]) for c in there) == sorted((c["way"], c["name"]) for c in back)


@pytest.mark.parametrize(
    "arguments",
    [("base", "base"), ("kingsburg", "base"), ("governors", "governors"), ("governors,destiny", "destiny,governors")],
)  # fmt: skip
@pytest.mark.sample(2)
def test_equal_rules_differ_in_nothing(call: Call, arguments: tuple[str, str]) -> None:
    assert call("diff", *arguments).stdout.endswith(": nothing differs\n")


def test_modules_on_both_sides_go_without_saying(call: Call) -> None:
    """Files in `with/` count when both modules are played: only so is the Good Year's exception there."""
    alone = call("diff", "base", "destiny").stdout
    beside = call("diff", "base", "destiny", "--with", "governors").stdout
    assert "blessed-year" in beside and "blessed-year" not in alone
    assert "governor architect-governor" not in beside


def test_of_another_game(call: Call, tmp_path: Path) -> None:
    folder = write(tmp_path / "pigs", "amend setting goal is 50\n")
    (folder / "module.yaml").write_text(
        "name: pigs\ntitle: Pigs\nversion: 1.0.0\nkind: module\nlanguage: 1\nrequires: [pig]\n", encoding="utf-8"
    )
    done = call("diff", "pig", str(folder))
    assert done.returncode in (0, 1) and ("pig + pigs" in done.stdout or "E0172" in done.stderr)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("base", "nowhere"), "E0150"),
        (("base", "governors,"), "is not a set of rules"),
        (("base", ""), "is not a set of rules"),
        (("base", "governors", "--format", "xml"), "invalid value `xml` for --format"),
        (("base", "governors", "--game", "pig"), "are both games"),
    ],
)
def test_wrong_use_is_told(call: Call, arguments: tuple[str, ...], said: str) -> None:
    done = call("diff", *arguments)
    assert done.returncode in (1, 2) and said in done.stderr


def test_each_shipped_module_is_told_by_its_difference() -> None:
    """Things a module declares are exactly what is added."""
    base = rules()
    for name in EVERYTHING:
        with_it = without_judgement(rules("kingsburg", name))
        added = {change.name for change in differences(base, with_it) if change.way == "added" and change.name}
        assert added == (with_it.definitions.keys() | {n for n, s in with_it.standing.items() if s.name.word}) - (
            base.definitions.keys() | base.standing.keys()
        )
