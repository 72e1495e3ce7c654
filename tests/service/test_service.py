"""What an editor asks about rules: answers of `edict.service`, also while the file is broken."""

from __future__ import annotations

from pathlib import Path

import pytest
from calling import kingsburg
from workshop import GAME, MODULE, at_end, marked

from edict.front.compile import check_rules
from edict.rendering import in_order
from edict.report import edited
from edict.service import (
    cursor_help, diagnostics, document_structure, formatting, navigation, rule_completion, semantic_tokens,
)  # fmt: skip
from edict.service import analysis, renaming, scene_lenses
from edict.service.answer_types import At, Item, Refused
from edict.service.workspace import Workspace


def titles(space: Workspace, path: Path) -> list[str]:
    return [found.message.split("\n")[0] for found in diagnostics.problems(space, path)]


def labels(space: Workspace, path: Path, text: str, at: At | None = None) -> list[str]:
    """What is offered after a text that was typed, the words of the language last."""
    return [one.label for one in offered(space, path, text, at) if one.sort != "keyword"]


def offered(space: Workspace, path: Path, text: str, at: At | None = None) -> tuple[Item, ...]:
    space.rules(path).analysis()  # type: ignore[union-attr] # as after the last good state
    space.lay(path, text)
    return rule_completion.completions(space, path, at or at_end(text))


# --- problems --------------------------------------------------------------------------------------


def test_an_unsaved_text_counts_and_the_file_counts_again_when_it_is_lifted(space: Workspace, forge: Path) -> None:
    assert titles(space, forge) == []
    space.lay(forge, MODULE.replace("gain 1 cloth", "gain 1 clot"))
    assert titles(space, forge) == ["nothing is called `clot`"]
    space.lift(forge)
    assert titles(space, forge) == []
    assert forge.read_text(encoding="utf-8") == MODULE


def test_an_unsaved_text_of_the_game_counts_for_what_lies_over_it(space: Workspace, forge: Path, game: Path) -> None:
    assert titles(space, forge) == []
    space.lay(game, GAME.replace("stall tavern", "stall inn"))
    assert titles(space, forge) == ["there is no `tavern` to amend"]


def test_a_file_that_was_never_saved_is_part_of_its_module(space: Workspace, forge: Path) -> None:
    new = forge.parent / "new.edict"
    space.lay(new, "adjust incom by 1\n")
    found = diagnostics.problems(space, new)
    assert [one.where.path for one in found] == [new.resolve()]


def test_the_manifest_counts_as_it_is_typed(space: Workspace, forge: Path) -> None:
    manifest = forge.parent / "module.yaml"
    space.lay(manifest, manifest.read_text(encoding="utf-8").replace("requires: [fair]", "requires: [fairy]"))
    assert titles(space, manifest) == ["`forge` requires `fairy`, which is not here"]


def test_what_counts_beside_another_module_is_checked_with_it(space: Workspace, forge: Path) -> None:
    beside = forge.parent / "with" / "guild" / "more.edict"
    space.lay(beside, "amend stall smithy\n  prise 6\n")
    assert [one.where.path for one in diagnostics.problems(space, beside)] == [beside.resolve()]


def test_a_fix_carried_out_leaves_nothing_to_fix(space: Workspace, forge: Path) -> None:
    for wrong in ("gain 1 clot", "gain 1 clothh", "gian 1 cloth", "gain one cloth"):
        text = MODULE.replace("gain 1 cloth", wrong)
        space.lay(forge, text)
        (found,) = diagnostics.problems(space, forge)
        assert found.fix is not None, wrong
        (change,) = found.fix.changes
        space.lay(change.path, edited(text, change.edits))
        assert titles(space, forge) == [], wrong


def test_what_only_the_compiler_finds_out_comes_with_the_whole(space: Workspace, forge: Path) -> None:
    things = "".join(f'stall s{n}\n  price 1\n  cost 1 coin\n  gift gain 1 coin\n' for n in range(30))
    space.lay(forge, MODULE + things)
    quick, whole = diagnostics.problems(space, forge, whole=False), diagnostics.problems(space, forge)
    assert quick == () or set(quick) <= set(whole)
    forge.write_text(MODULE + things, encoding="utf-8")
    assert [one.code for one in whole] == [d.code for d in in_order(check_rules(str(forge.parent)).diagnostics)]


# --- hover and places ------------------------------------------------------------------------------


def test_hover_tells_the_english_the_definition_and_what_acts_on_it(space: Workspace, game: Path) -> None:
    found = cursor_help.hover(space, game, marked(GAME, "do pay with you and inco"))
    assert found is not None
    assert "A number for each player" in found.text
    assert "quantity income" in found.text
    assert "**Touched by**" in found.text and "fair/fair.edict:" in found.text


def test_hover_knows_fields_rules_and_local_names(space: Workspace, game: Path) -> None:
    for part, told in (("price of go", "choose a stall as goal"), ("require coin of you >= pri", "price number from 0"),
                       ("lax to visit.fr", "it costs too much")):  # fmt: skip
        found = cursor_help.hover(space, game, marked(GAME, part))
        assert found is not None and told in found.text, part


def test_a_file_that_was_broken_from_the_first_is_understood_but_for_that(space: Workspace, forge: Path) -> None:
    """Nothing was ever right before, and the last line has no end yet."""
    text = MODULE + "phase x\n  do pay with you and "
    space.lay(forge, text)
    found = cursor_help.signature(space, forge, at_end(text))
    assert found is not None and found.active == 1
    assert renaming.can_rename(space, forge, marked(text, "stall = bak"))[0] == "bakery"


def test_hover_says_nothing_in_texts_and_remarks(space: Workspace, game: Path) -> None:
    assert cursor_help.hover(space, game, marked(GAME, "# A fair wi")) is None
    assert cursor_help.hover(space, game, marked(GAME, 'action visit "Visit a sta')) is None


def test_hover_goes_on_in_a_broken_file(space: Workspace, forge: Path) -> None:
    titles(space, forge)
    text = MODULE.replace("price 4", "price 4 +").replace("gain 1 cloth", 'gain 1 cloth "')
    space.lay(forge, text)
    found = cursor_help.hover(space, forge, marked(text, "if stall = bak"))
    assert found is not None and "Bakery" in found.text


def test_a_file_opened_broken_is_understood_as_far_as_it_goes(space: Workspace, forge: Path) -> None:
    text = "stall hut (\n" + MODULE
    space.lay(forge, text)
    found = cursor_help.hover(space, forge, marked(text, "stall = bak"))
    assert found is not None and "Bakery" in found.text


def test_definition_leads_from_module_to_game(space: Workspace, forge: Path, game: Path) -> None:
    (found,) = navigation.definitions(space, forge, marked(MODULE, "stall = bak"))
    assert (found.path, found.span.line) == (game.resolve(), 12)


def test_definition_of_a_local_name_is_where_it_is_bound(space: Workspace, game: Path) -> None:
    (found,) = navigation.definitions(space, game, marked(GAME, "price of goa"))
    assert found.span.line == marked(GAME, "choose a stall as goal").line


def test_references_are_found_in_all_modules(space: Workspace, forge: Path, game: Path) -> None:
    found = navigation.references(space, game, marked(GAME, "stall bak"))
    lines = {(one.path.name, one.span.line) for one in found}
    assert ("forge.edict", marked(MODULE, "stall = bakery").line) in lines
    assert len([one for one in found if one.path == game.resolve()]) == GAME.count("bakery")


def test_places_move_with_lines_typed_above_them(space: Workspace, game: Path, forge: Path) -> None:
    titles(space, forge)
    space.lay(game, "# one\n# more\n" + GAME + "\nphase broken\n  gain")
    (found,) = navigation.definitions(space, forge, marked(MODULE, "stall = bak"))
    assert found.span.line == 14


# --- renaming --------------------------------------------------------------------------------------


def test_a_thing_is_renamed_in_all_modules_and_all_is_in_order(space: Workspace, game: Path, forge: Path) -> None:
    changes = renaming.rename(space, game, marked(GAME, "stall bak"), "baker")
    assert {change.path.name for change in changes} == {"fair.edict", "forge.edict"}
    for change in changes:
        space.lay(change.path, edited(space.text(change.path), change.edits))
    assert titles(space, forge) == [] and "bakery" not in space.text(forge) + space.text(game)


def test_renaming_reaches_files_beside_other_modules_and_scenes(space: Workspace, game: Path, forge: Path) -> None:
    beside = renaming.rename(space, forge, marked(MODULE, "stall smi"), "anvil")
    assert {change.path.name for change in beside} == {"forge.edict", "more.edict"}
    scene = renaming.rename(space, game, marked(GAME, "keep own"), "stands")
    assert "forge.yaml" in {change.path.name for change in scene}


def test_plurals_of_a_renamed_kind_follow_it(space: Workspace, game: Path) -> None:
    text = GAME.replace("is count of owned of player,", "is count of stalls,")
    space.lay(game, text)
    changes = renaming.rename(space, game, marked(text, "kind sta"), "booth")
    new = edited(text, next(one.edits for one in changes if one.path == game.resolve()))
    assert "is count of booths," in new and "choose a booth as goal" in new


def test_a_rename_that_cannot_be_is_refused_with_the_reason(space: Workspace, game: Path, folder: Path) -> None:
    for part, new, reason in (
        ("stall bak", "tavern", "already"), ("stall bak", "gain", "word of the language"),
        ("stall bak", "two words", "not a name"), ("adjust income by 1 i", "x", "word of the language"),
        ("choose a stall as go", "everyone", "error"),
        ("choose a stall as go", "owned", "already means something"),
        ("choose a stall as go", "visit", "already means something in line 28"),  # where its definition begins
        ("number called fe", "buyer", "already means something in line 26"),
        ("player called sel", "stall", "already means something in line 23"),  # the only one
        ("choose a stall as go", "gift", "already means something in line 35"),  # the last one
    ):  # fmt: skip
        with pytest.raises(Refused, match=reason):
            renaming.rename(space, game, marked(GAME, part), new)


def test_what_lies_outside_the_workspace_is_not_renamed(folder: Path, forge: Path) -> None:
    space = Workspace([folder / "forge"])
    with pytest.raises(Refused, match="outside this workspace"):
        renaming.rename(space, forge, marked(MODULE, "stall = bak"), "baker")


# --- completion ------------------------------------------------------------------------------------


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
    assert labels(space, forge, MODULE + "except visit.") == ["free"]
    assert set(labels(space, forge, MODULE + "exception calm to gaining ")) == {"coin", "cloth", "good"}
    assert "pay" in labels(space, forge, MODULE + "exception calm to ")
    assert "stall" in labels(space, forge, MODULE + "amend ")
    assert set(labels(space, forge, MODULE + "amend stall ")) == {"bakery", "tavern", "smithy"}


def test_at_a_thing_its_missing_fields_and_at_a_field_its_values(space: Workspace, forge: Path) -> None:
    thing = MODULE + "stall hut\n  price 1\n  "
    assert labels(space, forge, thing) == ["cost", "gift", "twin"]
    assert set(labels(space, forge, thing + "twin ")) == {"bakery", "tavern", "smithy", "none"}


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


def test_the_signature_says_what_is_given(space: Workspace, forge: Path) -> None:
    titles(space, forge)
    text = MODULE + "phase x\n  do pay with you and "
    space.lay(forge, text)
    found = cursor_help.signature(space, forge, at_end(text))
    assert found is not None
    assert (found.label, found.active) == ("pay with player called buyer and number called fee", 1)


# --- a file as a whole -----------------------------------------------------------------------------


def test_the_outline_has_every_definition_also_those_that_cannot_be_read(space: Workspace, forge: Path) -> None:
    text = MODULE.replace("price 4", "price 4 +")
    space.lay(forge, text)
    found = document_structure.outline(space, forge)
    assert [one.name for one in found] == ["smithy", "tavern"]
    space.lay(forge, MODULE)
    assert [one.name for one in document_structure.outline(space, forge)[0].below][:3] == ["price", "cost", "gift"]
    assert document_structure.folds(space, forge) == ((1, 7), (4, 5), (6, 7), (8, 9))


def test_words_have_colours_by_what_they_are_also_in_a_broken_definition(space: Workspace, forge: Path) -> None:
    titles(space, forge)
    text = MODULE.replace("price 4", "price 4 + income of )")
    space.lay(forge, text)
    lines = text.split("\n")
    sorts = {(one.span.line, lines[one.span.line - 1][one.span.column - 1 : one.span.end_column - 1]): one.sort
             for one in semantic_tokens.colours(space, forge)}  # fmt: skip
    assert sorts[2, "price"] == "field" and sorts[2, "income"] == "quantity" and sorts[5, "gain"] == "keyword"
    assert sorts[6, "sold"] == "moment" and sorts[6, "bakery"] == "thing" and sorts[7, "cloth"] == "resource"


def test_a_thing_has_the_scenes_that_speak_of_it(space: Workspace, forge: Path) -> None:
    (found,) = scene_lenses.lenses(space, forge)
    assert found.thing == "smithy"
    assert [name for name, _ in found.scenes] == ["The smithy is a stall of coin"]


def test_format_lays_a_file_out_or_says_why_not(space: Workspace, forge: Path) -> None:
    space.lay(forge, MODULE.replace("  price 4", "      price   4", 1).replace("\n  cost", "\n      cost"))
    with pytest.raises(Refused, match="cannot be laid out"):
        formatting.laid_out(space, forge)
    neat = MODULE.replace("gift\n    gain 1 coin", "gift gain 1 coin").replace("amend", "\namend")
    space.lay(forge, neat.replace("price 4", "price   4"))
    assert formatting.laid_out(space, forge) == neat


def test_the_place_is_found_by_words_of_people(space: Workspace, forge: Path) -> None:
    known = space.rules(forge).analysis()  # type: ignore[union-attr]
    assert known is not None
    for words in ("after selling a stall sold", "sold", "after a stall is sold"):
        found = analysis.find(known.findable, words)
        assert not found or found[0].line == "when sold"
    assert analysis.find(known.findable, "after a stall is sold")[0].line == "when sold"
    assert analysis.find(known.findable, "incone")[0].line == "income of player"
    symbols = navigation.symbols(space, "smithy")
    assert symbols[0].where is not None and symbols[0].where.path == forge.resolve()


def test_find_prints_what_fits_as_a_rule_writes_it(folder: Path) -> None:
    done = kingsburg(folder, "find", "after", "a", "stall", "is", "sold", "--game", "./fair")
    assert done.returncode == 0 and done.stdout.startswith("when sold  # moment; after a stall is sold")
    done = kingsburg(folder, "find", "spaceship", "--game", "./fair")
    assert done.returncode == 2 and "nothing in Fair fits `spaceship`" in done.stderr


@pytest.mark.parametrize("text", [
    "amend stall smithy", "amend stall smithy\n  price 6", "stall mill\n  gift\n    gain 1 cloth", "when end of market",
])  # fmt: skip
def test_nothing_is_offered_at_a_finished_name_or_number(space: Workspace, forge: Path, text: str) -> None:
    assert offered(space, forge, text) == ()


def test_what_begins_a_definition_is_offered_to_its_last_letter(space: Workspace, forge: Path) -> None:
    assert "stall" in labels(space, forge, "stall")
    assert "tavern" in labels(space, forge, "amend stall taver")
