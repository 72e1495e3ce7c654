"""What can be written at a place: in rules, in manifests and in scenes; and what takes the value being written."""

from __future__ import annotations

from pathlib import Path

import pytest

from edict.support import resources
from edict.tools.language_service import cursor_help, rule_completion
from edict.tools.language_service.answer_types import At, Item
from edict.tools.language_service.workspace import Workspace
from workshop import MODULE, at_end, titles

# --- rules ----------------------------------------------------------------------------------------


def labels(space: Workspace, path: Path, text: str, at: At | None = None) -> list[str]:
    """What is offered after a text that was typed, the words of the language last."""
    return [one.label for one in offered(space, path, text, at) if one.sort != "keyword"]


def offered(space: Workspace, path: Path, text: str, at: At | None = None) -> tuple[Item, ...]:
    space.rules(path).analysis()  # type: ignore[union-attr] # as after the last good state
    space.lay(path, text)
    return rule_completion.completions(space, path, at or at_end(text))


def test_after_when_come_the_moments_with_what_they_bring(space: Workspace, forge: Path) -> None:
    found = {one.label: one for one in offered(space, forge, MODULE + "when ")}
    assert {"sold", "start of market", "end of market"} <= found.keys()
    assert "seller (player)" in found["sold"].detail
    assert labels(space, forge, MODULE + "when start of ") == ["market", "pay"]


def test_names_are_offered_by_what_may_stand_there(space: Workspace, forge: Path) -> None:
    assert labels(space, forge, MODULE + "adjust ") == ["income"]
    assert set(labels(space, forge, MODULE + "phase x\n  gain 1 ")) == {"coin", "cloth", "good"}
    assert set(labels(space, forge, MODULE + "phase x\n  do ")) == {"pay", "visit"}
    assert labels(space, forge, MODULE + "phase x\n  play ") == ["market"]
    assert labels(space, forge, MODULE + "exception to visit.") == ["free"]
    assert set(labels(space, forge, MODULE + "exception calm to gaining ")) == {"coin", "cloth", "good"}
    assert "pay" in labels(space, forge, MODULE + "exception calm to ")
    assert "stall" in labels(space, forge, MODULE + "amend ")
    assert set(labels(space, forge, MODULE + "amend stall ")) == {"bakery", "tavern", "smithy"}


def test_at_a_thing_its_missing_fields_and_at_a_field_its_values(space: Workspace, forge: Path) -> None:
    thing = MODULE + "stall hut\n  price 1\n  "
    assert labels(space, forge, thing) == ["cost", "gift", "twin"]
    assert set(labels(space, forge, thing + "twin ")) == {"bakery", "tavern", "smithy", "none"}


def test_resources_are_offered_only_at_a_field_of_amounts(space: Workspace, forge: Path) -> None:
    assert labels(space, forge, MODULE + "stall hut\n  price 1 ") == []
    assert labels(space, forge, MODULE + "amend stall tavern\n  price 1 co") == []
    assert labels(space, forge, MODULE + "stall hut\n  cost 1 ") == ["cloth", "coin", "good"]
    assert labels(space, forge, MODULE + "stall hut\n  gift gain 1 ") == ["cloth", "coin", "good"]


def test_local_names_are_offered_where_they_are_known(space: Workspace, forge: Path) -> None:
    assert "seller" in labels(space, forge, MODULE + "when sold\n  let x = coin of ")
    block = MODULE + "phase x\n  choose a stall as pick\n  let y = price of "
    assert "pick" in labels(space, forge, block)
    assert "it" in labels(space, forge, MODULE + "phase x\n  let y = stalls where price of ")
    assert "pick" not in labels(space, forge, block + "pick\nphase z\n  let y = price of ")


def test_a_line_begins_with_the_words_of_the_language_and_whole_things(space: Workspace, forge: Path) -> None:
    found = offered(space, forge, MODULE)
    snippet = next(one for one in found if one.label == "stall" and one.snippet)
    assert "price ${3:1}" in snippet.text and "gift" in snippet.text and "twin" not in snippet.text
    assert {"quantity", "amend", "when"} <= {one.label for one in found if one.sort == "keyword"}


def test_nothing_is_offered_in_texts_and_remarks(space: Workspace, forge: Path) -> None:
    assert offered(space, forge, MODULE + 'stall hut "A ') == ()
    assert offered(space, forge, MODULE + "# a ") == ()


def test_nothing_is_offered_at_a_finished_name_or_number(space: Workspace, forge: Path) -> None:
    for text in (
        "amend stall smithy",
        "amend stall smithy\n  price 6",
        "stall mill\n  gift\n    gain 1 cloth",
        "when end of market",
    ):
        assert offered(space, forge, text) == (), text


def test_what_begins_a_definition_is_offered_to_its_last_letter(space: Workspace, forge: Path) -> None:
    assert "stall" in labels(space, forge, "stall")
    assert "tavern" in labels(space, forge, "amend stall taver")


def test_the_signature_says_what_is_given(space: Workspace, forge: Path) -> None:
    titles(space, forge)
    text = MODULE + "phase x\n  do pay with you and "
    space.lay(forge, text)
    found = cursor_help.signature(space, forge, at_end(text))
    assert found is not None
    assert (found.label, found.active) == ("pay with player called buyer and number called fee", 1)


# --- manifests and scenes -------------------------------------------------------------------------


SCENE = "game: fair\nscenes:\n  - name: A\n"
PLAY = SCENE + "    given: {Ann: {coin: 9}}\n    start: phase market\n    play:\n"


@pytest.fixture
def scenes(folder: Path) -> Path:
    return folder / "forge" / "scenes" / "forge.yaml"


def offered_in_file(space: Workspace, path: Path, text: str) -> tuple[Item, ...]:
    space.lay(path, text)
    return rule_completion.completions(space, path, at_end(text))


def labels_in_file(space: Workspace, path: Path, text: str) -> list[str]:
    return [one.label for one in offered_in_file(space, path, text)]


def best(space: Workspace, path: Path, text: str) -> list[str]:
    return [one.label for one in offered_in_file(space, path, text) if one.rank == 1]


def test_a_manifest_offers_the_keys_and_values_of_its_schema_and_the_modules_there_are(
    space: Workspace, folder: Path
) -> None:
    manifest = folder / "forge" / "module.yaml"
    keys = offered_in_file(space, manifest, "name: forge\nti")
    assert {"title", "kind", "requires"} <= {one.label for one in keys} and "name" not in {one.label for one in keys}
    assert next(one for one in keys if one.label == "kind").text == "kind: "
    assert labels_in_file(space, manifest, "name: forge\nkind: ") == ["game", "module", "scenario"]
    space.lift(manifest)
    required = offered_in_file(space, manifest, manifest.read_text(encoding="utf-8").replace("[fair]", "[fa").rstrip())
    assert [one.label for one in required[:3]] == ["fair", "forge", "guild"] and required[0].detail == "Fair"


def test_a_scene_offers_its_parts_until_they_are_written(space: Workspace, scenes: Path) -> None:
    assert {"given", "start", "play", "then"} <= set(labels_in_file(space, scenes, SCENE + "    "))
    assert "start" not in labels_in_file(space, scenes, SCENE + "    start: game\n    ")
    assert labels_in_file(space, scenes, "game: ")[0] == "fair"


def test_facts_are_offered_as_the_game_keeps_them(space: Workspace, scenes: Path) -> None:
    assert best(space, scenes, SCENE + "    given: {") == ["Ann", "Brian", "everyone"]
    assert labels_in_file(space, scenes, SCENE + "    given: {Ann: {co") == ["cloth", "coin", "owned"]
    for written in ("given: {Ann: {owned: ", "given: {Ann: {owned: [Bakery, ", "given:\n      Ann:\n        owned: "):
        assert labels_in_file(space, scenes, SCENE + "    " + written) == ["Bakery", "Smithy", "Tavern"], written
    for written in ("given: {seats: ", "given: {seats: [Brian, "):  # what is kept for the table
        assert labels_in_file(space, scenes, SCENE + "    " + written) == ["Ann", "Brian"], written
    assert "winners" in labels_in_file(space, scenes, SCENE + "    then:\n      ")
    assert "phase market" in labels_in_file(space, scenes, SCENE + "    start: ph")
    assert labels_in_file(space, scenes, SCENE + "    for: ") == ["Ann", "Brian"]


def test_steps_offer_what_the_game_really_asks_there(space: Workspace, scenes: Path) -> None:
    step = offered_in_file(space, scenes, PLAY + "      - ")
    assert (step[0].label, step[0].detail, step[0].text) == ("Ann", "Which stall?", "Ann: ")
    assert labels_in_file(space, scenes, PLAY + "      - Ann: ") == ["Bakery", "Smithy", "Tavern"]
    assert labels_in_file(space, scenes, PLAY + "      - Ann is asked: ") == ["Which stall?"]
    assert labels_in_file(space, scenes, PLAY + "      - Brian: ") == []  # who is not asked
    assert best(space, scenes, PLAY + "      - Ann: Bakery\n      - ") == []  # nobody is asked any more
    alone = PLAY.removeprefix("game: fair\n") + "      - Ann: "
    assert labels_in_file(space, scenes.parents[2] / "fair" / "scenes" / "fair.yaml", alone) == ["Bakery", "Tavern"]
    poor = PLAY.replace("coin: 9", "coin: 4")
    assert labels_in_file(space, scenes, poor + "      - Ann: ") == ["Bakery", "Smithy"]


def test_what_comes_after_the_place_does_not_count(space: Workspace, scenes: Path) -> None:
    text = PLAY + "      - Ann: \n      - Brian: [: nonsense\n"
    space.lay(scenes, text)
    at = at_end(PLAY + "      - Ann: ")
    assert [one.label for one in rule_completion.completions(space, scenes, at)] == ["Bakery", "Smithy", "Tavern"]


def test_unsaved_rules_count_in_scenes(space: Workspace, folder: Path, scenes: Path) -> None:
    rules = folder / "forge" / "forge.edict"
    mill = 'stall mill "Mill"\n  price 1\n  cost 1 coin\n  gift nothing\n'
    space.lay(rules, rules.read_text(encoding="utf-8") + mill)
    assert "Mill" in labels_in_file(space, scenes, PLAY + "      - Ann: ")


def test_nothing_is_offered_while_the_rules_are_broken_and_in_remarks_and_texts(
    space: Workspace, folder: Path, scenes: Path
) -> None:
    assert labels_in_file(space, scenes, SCENE + '    note: "said ') == []
    assert labels_in_file(space, scenes, SCENE + "    # a remark: ") == []
    rules = folder / "forge" / "forge.edict"
    space.lay(rules, "stall\n")
    assert labels_in_file(space, scenes, PLAY + "      - Ann: ") == []
    assert "given" in labels_in_file(space, scenes, SCENE + "    ")


def test_dice_are_offered_where_they_are_rolled() -> None:
    rules = resources.shipped_folder() / "rules"
    space = Workspace([rules])
    text = "scenes:\n  - name: x\n    start: phase roll-dice\n    play:\n      - "
    assert best(space, rules / "scenes" / "unsaved.yaml", text) == ["dice"]
