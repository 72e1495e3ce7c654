"""`diff`: what one set of rules changes compared with another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from calling import kingsburg
from edict.prose.rulebook.annotated import Known, read
from edict.prose.rulebook.differing import differences
from edict.prose.rulebook.judging import without_judgement
from reading import VARIANT, Call, rules, write


@pytest.fixture(scope="module")
def variant(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write(tmp_path_factory.mktemp("variants") / "my-variant", VARIANT))


@pytest.fixture(scope="module")
def data(variant: str) -> dict[tuple[str, str], Any]:
    """The changes of the variant, by way and name."""
    done = kingsburg(Path(variant).parent, "diff", "base", variant, "--format", "json")
    assert done.returncode == 0, done.stderr
    return {(change["way"], change["name"]): change for change in json.loads(done.stdout)["changes"]}


def marked(change: Any, mark: str) -> list[str]:
    return [line["text"].strip() for line in change["lines"] if line["mark"] == mark]


def test_all_that_a_module_does_is_there_and_nothing_else(data: dict[tuple[str, str], Any]) -> None:
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


def test_old_and_new_lines_stand_together_with_their_places_and_what_is_new_or_gone_is_told_whole(
    data: dict[tuple[str, str], Any],
) -> None:
    squire, windmill, demons = data["changed", "squire"], data["added", "windmill"], data["removed", "demons-5-8"]
    assert marked(squire, "-") == ["reward gain 1 gold"] and marked(squire, "+") == ["reward gain 1 gold or 1 stone"]
    modules = {line["mark"]: line["module"] for line in squire["lines"]}
    assert modules == {" ": "kingsburg", "-": "kingsburg", "+": "my-variant"}
    assert squire["before"] == ["Gain 1 gold."] and squire["after"] == ["Gain 1 gold or 1 stone."]
    assert len(marked(windmill, "+")) == 8 and not windmill["before"]
    assert "+1 to battle strength if the attackers include Orcs." in windmill["after"]
    assert len(marked(demons, "-")) == 8 and not demons["after"]


def test_as_text_for_people(call: Call, variant: str) -> None:
    said = call("diff", "base", variant).stdout
    assert said.startswith("kingsburg + my-variant, compared with kingsburg: 5 added, 6 changed, 1 removed\n")
    assert "\nadded\n" in said and "\nchanged\n" in said and "\nremoved\n" in said
    assert "    -   reward gain 1 gold " in said and "      was: Gain 1 gold.\n" in said


def test_backwards_added_and_removed_change_places_and_equal_rules_differ_in_nothing(variant: str) -> None:
    base, mine = rules(), read("kingsburg", (variant,)).unwrap()
    turned = {"added": "removed", "removed": "added", "changed": "changed"}
    assert {(turned[way], name) for way, name in ways(base, mine)} == ways(mine, base)
    assert not ways(base, base) and not ways(mine, mine)


def ways(one: Known, other: Known) -> set[tuple[str, str]]:
    return {(change.way, change.name) for change in differences(one, other)}


def test_sets_of_rules_are_named_in_any_order_and_both_have_what_is_with_them(call: Call) -> None:
    """Files in `with/` count when both modules are played: only so is the Good Year's exception there."""
    same = call("diff", "governors,destiny", "destiny,governors").stdout
    assert same.endswith(": nothing differs\n")
    beside = call("diff", "base", "destiny", "--with", "governors").stdout
    assert "blessed-year" in beside and "governor architect-governor" not in beside


def test_of_another_game(call: Call, tmp_path: Path) -> None:
    folder = write(tmp_path / "pigs", "amend setting goal is 50\n")
    (folder / "module.yaml").write_text(
        "name: pigs\ntitle: Pigs\nversion: 1.0.0\nkind: module\nlanguage: 1\nrequires: [pig]\n", encoding="utf-8"
    )
    done = call("diff", "pig", str(folder))
    assert done.returncode in (0, 1) and ("pig + pigs" in done.stdout or "E0172" in done.stderr)


def test_wrong_use_is_told(call: Call) -> None:
    for words, said in (
        (("base", "nowhere"), "E0150"),
        (("base", "governors,"), "is not a set of rules"),
        (("base", ""), "is not a set of rules"),
        (("base", "governors", "--format", "xml"), "invalid value `xml` for --format"),
        (("base", "governors", "--game", "pig"), "are both games"),
    ):
        done = call("diff", *words)
        assert done.returncode in (1, 2) and said in done.stderr, words


def test_what_a_shipped_module_declares_is_exactly_what_is_added() -> None:
    base = rules()
    for name in ("destiny", "goblin-valley"):
        with_it = without_judgement(rules("kingsburg", name))
        added = {change.name for change in differences(base, with_it) if change.way == "added" and change.name}
        assert added == (with_it.definitions.keys() | {n for n, s in with_it.standing.items() if s.name.word}) - (
            base.definitions.keys() | base.standing.keys()
        )
        assert "blessed-year" not in added
