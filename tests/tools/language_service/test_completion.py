"""Completion in rules, manifests and scenes, and signature help."""

from __future__ import annotations

from pathlib import Path

import pytest

from edict.support import resources
from edict.tools.language_service import cursor_help, rule_completion
from edict.tools.language_service.answer_types import Completion, TextPosition
from edict.tools.language_service.workspace import Workspace
from workshop import MODULE, end_position, problem_titles

# --- rules ----------------------------------------------------------------------------------------


def labels(space: Workspace, path: Path, text: str, position: TextPosition | None = None) -> list[str]:
    """Type a text and return the labels offered at its end, without keywords."""
    return [completion.label for completion in complete(space, path, text, position) if completion.sort != "keyword"]


def complete(space: Workspace, path: Path, text: str, position: TextPosition | None = None) -> tuple[Completion, ...]:
    space.get_rules(path).get_analysis()  # type: ignore[union-attr] # as after the last good state
    space.set_text(path, text)
    return rule_completion.complete(space, path, position or end_position(text))


def test_when_offers_moments_with_their_values(space: Workspace, forge: Path) -> None:
    completions = {completion.label: completion for completion in complete(space, forge, MODULE + "when ")}
    assert {"sold", "start of market", "end of market"} <= completions.keys()
    assert "seller (player)" in completions["sold"].detail
    assert labels(space, forge, MODULE + "when start of ") == ["market", "pay"]


def test_names_are_offered_only_where_they_fit(space: Workspace, forge: Path) -> None:
    assert labels(space, forge, MODULE + "adjust ") == ["income"]
    assert set(labels(space, forge, MODULE + "phase x\n  gain 1 ")) == {"coin", "cloth", "good"}
    assert set(labels(space, forge, MODULE + "phase x\n  do ")) == {"pay", "visit"}
    assert labels(space, forge, MODULE + "phase x\n  play ") == ["market"]
    assert labels(space, forge, MODULE + "exception to visit.") == ["free"]
    assert set(labels(space, forge, MODULE + "exception calm to gaining ")) == {"coin", "cloth", "good"}
    assert "pay" in labels(space, forge, MODULE + "exception calm to ")
    assert "stall" in labels(space, forge, MODULE + "amend ")
    assert set(labels(space, forge, MODULE + "amend stall ")) == {"bakery", "tavern", "smithy"}


def test_thing_offers_missing_fields_and_field_offers_values(space: Workspace, forge: Path) -> None:
    thing = MODULE + "stall hut\n  price 1\n  "
    assert set(labels(space, forge, thing)) == {"cost", "gift", "twin"}
    assert set(labels(space, forge, thing + "twin ")) == {"bakery", "tavern", "smithy", "none"}


def test_names_that_the_rules_use_most_come_first(space: Workspace, forge: Path) -> None:
    """Coins are used more than cloth; moments come before the starts and ends of phases and routines."""
    assert labels(space, forge, MODULE + "phase x\n  gain 1 ")[:2] == ["coin", "cloth"]
    assert labels(space, forge, MODULE + "when ")[0] == "sold"


def test_resources_are_offered_only_for_fields_of_amounts(space: Workspace, forge: Path) -> None:
    assert labels(space, forge, MODULE + "stall hut\n  price 1 ") == []
    assert labels(space, forge, MODULE + "amend stall tavern\n  price 1 co") == []
    assert labels(space, forge, MODULE + "stall hut\n  cost 1 ") == ["coin", "cloth", "good"]
    assert labels(space, forge, MODULE + "stall hut\n  gift gain 1 ") == ["coin", "cloth", "good"]


def test_local_names_are_offered_in_their_scope(space: Workspace, forge: Path) -> None:
    assert "seller" in labels(space, forge, MODULE + "when sold\n  let x = coin of ")
    block = MODULE + "phase x\n  choose a stall as pick\n  let y = price of "
    assert "pick" in labels(space, forge, block)
    assert "it" in labels(space, forge, MODULE + "phase x\n  let y = stalls where price of ")
    assert "pick" not in labels(space, forge, block + "pick\nphase z\n  let y = price of ")


def test_line_start_offers_keywords_and_snippets(space: Workspace, forge: Path) -> None:
    completions = complete(space, forge, MODULE)
    snippet = next(completion for completion in completions if completion.label == "stall" and completion.snippet)
    assert "price ${3:1}" in snippet.text and "gift" in snippet.text and "twin" not in snippet.text
    assert {"quantity", "amend", "when"} <= {
        completion.label for completion in completions if completion.sort == "keyword"
    }


def test_nothing_is_offered_in_strings_and_comments(space: Workspace, forge: Path) -> None:
    assert complete(space, forge, MODULE + 'stall hut "A ') == ()
    assert complete(space, forge, MODULE + "# a ") == ()


def test_nothing_is_offered_after_a_complete_name_or_number(
    space: Workspace, forge: Path, subtests: pytest.Subtests
) -> None:
    for text in (
        "amend stall smithy",
        "amend stall smithy\n  price 6",
        "stall mill\n  gift\n    gain 1 cloth",
        "when end of market",
    ):
        with subtests.test(text=text):
            assert complete(space, forge, text) == ()


def test_word_that_begins_a_definition_is_offered_when_complete(space: Workspace, forge: Path) -> None:
    assert "stall" in labels(space, forge, "stall")
    assert "tavern" in labels(space, forge, "amend stall taver")


def test_signature_names_parameters_and_the_active_one(space: Workspace, forge: Path) -> None:
    problem_titles(space, forge)
    text = MODULE + "phase x\n  do pay with you and "
    space.set_text(forge, text)
    signature = cursor_help.signature_help(space, forge, end_position(text))
    assert signature is not None
    assert (signature.label, signature.active) == ("pay with player called buyer and number called fee", 1)


# --- manifests and scenes -------------------------------------------------------------------------


SCENE = "game: fair\nscenes:\n  - name: A\n"
PLAY = SCENE + "    given: {Ann: {coin: 9}}\n    start: phase market\n    play:\n"


@pytest.fixture
def scenes(folder: Path) -> Path:
    return folder / "forge" / "scenes" / "forge.yaml"


def complete_file(space: Workspace, path: Path, text: str) -> tuple[Completion, ...]:
    space.set_text(path, text)
    return rule_completion.complete(space, path, end_position(text))


def labels_in_file(space: Workspace, path: Path, text: str) -> list[str]:
    return [completion.label for completion in complete_file(space, path, text)]


def best_labels(space: Workspace, path: Path, text: str) -> list[str]:
    return [completion.label for completion in complete_file(space, path, text) if completion.rank == 1]


def test_manifest_offers_keys_and_values_of_its_schema_and_modules(space: Workspace, folder: Path) -> None:
    manifest = folder / "forge" / "module.yaml"
    keys = complete_file(space, manifest, "name: forge\nti")
    assert {"title", "kind", "requires"} <= {completion.label for completion in keys} and "name" not in {
        completion.label for completion in keys
    }
    assert next(completion for completion in keys if completion.label == "kind").text == "kind: "
    assert labels_in_file(space, manifest, "name: forge\nkind: ") == ["game", "module", "scenario"]
    space.drop_text(manifest)
    required = complete_file(space, manifest, manifest.read_text(encoding="utf-8").replace("[fair]", "[fa").rstrip())
    assert [completion.label for completion in required[:3]] == ["fair", "forge", "guild"] and required[
        0
    ].detail == "Fair"


def test_scene_offers_the_parts_it_does_not_have(space: Workspace, scenes: Path) -> None:
    assert {"given", "start", "play", "then"} <= set(labels_in_file(space, scenes, SCENE + "    "))
    assert "start" not in labels_in_file(space, scenes, SCENE + "    start: game\n    ")
    assert labels_in_file(space, scenes, "game: ")[0] == "fair"


def test_facts_offer_the_variables_of_the_game(space: Workspace, scenes: Path, subtests: pytest.Subtests) -> None:
    assert best_labels(space, scenes, SCENE + "    given: {") == ["Ann", "Brian", "everyone"]
    assert labels_in_file(space, scenes, SCENE + "    given: {Ann: {co") == ["cloth", "coin", "owned"]
    for written in ("given: {Ann: {owned: ", "given: {Ann: {owned: [Bakery, ", "given:\n      Ann:\n        owned: "):
        with subtests.test(written=written):
            assert labels_in_file(space, scenes, SCENE + "    " + written) == ["Bakery", "Smithy", "Tavern"]
    for written in ("given: {seats: ", "given: {seats: [Brian, "):  # what is kept for the table
        with subtests.test(written=written):
            assert labels_in_file(space, scenes, SCENE + "    " + written) == ["Ann", "Brian"]
    assert "winners" in labels_in_file(space, scenes, SCENE + "    then:\n      ")
    assert "phase market" in labels_in_file(space, scenes, SCENE + "    start: ph")
    assert labels_in_file(space, scenes, SCENE + "    for: ") == ["Ann", "Brian"]


def test_steps_offer_the_options_of_the_question_asked_there(space: Workspace, scenes: Path) -> None:
    step = complete_file(space, scenes, PLAY + "      - ")
    assert (step[0].label, step[0].detail, step[0].text) == ("Ann", "Which stall?", "Ann: ")
    assert labels_in_file(space, scenes, PLAY + "      - Ann: ") == ["Bakery", "Smithy", "Tavern"]
    assert labels_in_file(space, scenes, PLAY + "      - Ann is asked: ") == ["Which stall?"]
    assert labels_in_file(space, scenes, PLAY + "      - Brian: ") == []  # not asked
    assert best_labels(space, scenes, PLAY + "      - Ann: Bakery\n      - ") == []  # no further question
    alone = PLAY.removeprefix("game: fair\n") + "      - Ann: "
    assert labels_in_file(space, scenes.parents[2] / "fair" / "scenes" / "fair.yaml", alone) == ["Bakery", "Tavern"]
    poor = PLAY.replace("coin: 9", "coin: 4")
    assert labels_in_file(space, scenes, poor + "      - Ann: ") == ["Bakery", "Smithy"]


def test_text_after_the_position_is_ignored(space: Workspace, scenes: Path) -> None:
    text = PLAY + "      - Ann: \n      - Brian: [: nonsense\n"
    space.set_text(scenes, text)
    at = end_position(PLAY + "      - Ann: ")
    assert [one.label for one in rule_completion.complete(space, scenes, at)] == ["Bakery", "Smithy", "Tavern"]


def test_scene_completion_uses_unsaved_rules(space: Workspace, folder: Path, scenes: Path) -> None:
    rules = folder / "forge" / "forge.edict"
    mill = 'stall mill "Mill"\n  price 1\n  cost 1 coin\n  gift nothing\n'
    space.set_text(rules, rules.read_text(encoding="utf-8") + mill)
    assert "Mill" in labels_in_file(space, scenes, PLAY + "      - Ann: ")


def test_scene_offers_nothing_with_broken_rules_or_in_comments_and_strings(
    space: Workspace, folder: Path, scenes: Path
) -> None:
    assert labels_in_file(space, scenes, SCENE + '    note: "said ') == []
    assert labels_in_file(space, scenes, SCENE + "    # a remark: ") == []
    rules = folder / "forge" / "forge.edict"
    space.set_text(rules, "stall\n")
    assert labels_in_file(space, scenes, PLAY + "      - Ann: ") == []
    assert "given" in labels_in_file(space, scenes, SCENE + "    ")


def test_dice_are_offered_where_they_are_rolled() -> None:
    rules = resources.get_shipped_folder() / "rules"
    space = Workspace([rules])
    text = "scenes:\n  - name: x\n    start: phase roll-dice\n    play:\n      - "
    assert best_labels(space, rules / "scenes" / "unsaved.yaml", text) == ["dice"]
