"""What can be written in manifests and scenes, asked of `edict.service`: keys of the schema, words of the game."""

from __future__ import annotations

from pathlib import Path

import pytest
from workshop import at_end

from edict import resources
from edict.service import rule_completion
from edict.service.answer_types import Item
from edict.service.workspace import Workspace

SCENE = "game: fair\nscenes:\n  - name: A\n"
PLAY = SCENE + "    given: {Ann: {coin: 9}}\n    start: phase market\n    play:\n"


@pytest.fixture
def scenes(folder: Path) -> Path:
    return folder / "forge" / "scenes" / "forge.yaml"


def offered(space: Workspace, path: Path, text: str) -> tuple[Item, ...]:
    space.lay(path, text)
    return rule_completion.completions(space, path, at_end(text))


def labels(space: Workspace, path: Path, text: str) -> list[str]:
    return [one.label for one in offered(space, path, text)]


def best(space: Workspace, path: Path, text: str) -> list[str]:
    return [one.label for one in offered(space, path, text) if one.rank == 1]


def test_a_manifest_offers_the_keys_and_values_of_its_schema_and_the_modules_there_are(
    space: Workspace, folder: Path
) -> None:
    manifest = folder / "forge" / "module.yaml"
    keys = offered(space, manifest, "name: forge\nti")
    assert {"title", "kind", "requires"} <= {one.label for one in keys} and "name" not in {one.label for one in keys}
    assert next(one for one in keys if one.label == "kind").text == "kind: "
    assert labels(space, manifest, "name: forge\nkind: ") == ["game", "module", "scenario"]
    space.lift(manifest)
    required = offered(space, manifest, manifest.read_text(encoding="utf-8").replace("[fair]", "[fa").rstrip())
    assert [one.label for one in required[:3]] == ["fair", "forge", "guild"] and required[0].detail == "Fair"


def test_a_scene_offers_its_parts_until_they_are_written(space: Workspace, scenes: Path) -> None:
    assert {"given", "start", "play", "then"} <= set(labels(space, scenes, SCENE + "    "))
    assert "start" not in labels(space, scenes, SCENE + "    start: game\n    ")
    assert labels(space, scenes, "game: ")[0] == "fair"


def test_facts_are_offered_as_the_game_keeps_them(space: Workspace, scenes: Path) -> None:
    assert best(space, scenes, SCENE + "    given: {") == ["Ann", "Brian", "everyone"]
    assert labels(space, scenes, SCENE + "    given: {Ann: {co") == ["cloth", "coin", "owned"]
    for written in ("given: {Ann: {owned: ", "given: {Ann: {owned: [Bakery, ", "given:\n      Ann:\n        owned: "):
        assert labels(space, scenes, SCENE + "    " + written) == ["Bakery", "Smithy", "Tavern"], written
    for written in ("given: {seats: ", "given: {seats: [Brian, "):  # what is kept for the table
        assert labels(space, scenes, SCENE + "    " + written) == ["Ann", "Brian"], written
    assert "winners" in labels(space, scenes, SCENE + "    then:\n      ")
    assert "phase market" in labels(space, scenes, SCENE + "    start: ph")
    assert labels(space, scenes, SCENE + "    for: ") == ["Ann", "Brian"]


def test_steps_offer_what_the_game_really_asks_there(space: Workspace, scenes: Path) -> None:
    step = offered(space, scenes, PLAY + "      - ")
    assert (step[0].label, step[0].detail, step[0].text) == ("Ann", "Which stall?", "Ann: ")
    assert labels(space, scenes, PLAY + "      - Ann: ") == ["Bakery", "Smithy", "Tavern"]
    assert labels(space, scenes, PLAY + "      - Ann is asked: ") == ["Which stall?"]
    assert labels(space, scenes, PLAY + "      - Brian: ") == []  # who is not asked
    assert best(space, scenes, PLAY + "      - Ann: Bakery\n      - ") == []  # nobody is asked any more
    poor = PLAY.replace("coin: 9", "coin: 4")
    assert labels(space, scenes, poor + "      - Ann: ") == ["Bakery", "Smithy"]


def test_what_comes_after_the_place_does_not_count(space: Workspace, scenes: Path) -> None:
    text = PLAY + "      - Ann: \n      - Brian: [: nonsense\n"
    space.lay(scenes, text)
    at = at_end(PLAY + "      - Ann: ")
    assert [one.label for one in rule_completion.completions(space, scenes, at)] == ["Bakery", "Smithy", "Tavern"]


def test_unsaved_rules_count_in_scenes(space: Workspace, folder: Path, scenes: Path) -> None:
    rules = folder / "forge" / "forge.edict"
    mill = 'stall mill "Mill"\n  price 1\n  cost 1 coin\n  gift nothing\n'
    space.lay(rules, rules.read_text(encoding="utf-8") + mill)
    assert "Mill" in labels(space, scenes, PLAY + "      - Ann: ")


def test_nothing_is_offered_while_the_rules_are_broken_and_in_remarks_and_texts(
    space: Workspace, folder: Path, scenes: Path
) -> None:
    assert labels(space, scenes, SCENE + '    note: "said ') == []
    assert labels(space, scenes, SCENE + "    # a remark: ") == []
    rules = folder / "forge" / "forge.edict"
    space.lay(rules, "stall\n")
    assert labels(space, scenes, PLAY + "      - Ann: ") == []
    assert "given" in labels(space, scenes, SCENE + "    ")


def test_dice_are_offered_where_they_are_rolled() -> None:
    rules = resources.home() / "rules"
    space = Workspace([rules])
    text = "scenes:\n  - name: x\n    start: phase roll-dice\n    play:\n      - "
    assert best(space, rules / "scenes" / "unsaved.yaml", text) == ["dice"]
