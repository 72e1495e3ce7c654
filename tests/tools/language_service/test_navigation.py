"""Hover, declarations, references, call hierarchy and search."""

from __future__ import annotations

from pathlib import Path

import pytest

from calling import run_kingsburg
from edict.tools.language_service import analysis, cursor_help, navigation, renaming
from edict.tools.language_service.answer_types import CallHierarchyEntry
from edict.tools.language_service.workspace import Workspace
from workshop import GAME, MODULE, end_position, position_after, problem_titles

# --- hover ----------------------------------------------------------------------------------------


def test_hover_shows_english_code_and_references(space: Workspace, game: Path) -> None:
    help_text = cursor_help.hover(space, game, position_after(GAME, "do pay with you and inco"))
    assert help_text is not None
    assert "A number for each player" in help_text.text
    assert "quantity income" in help_text.text
    assert "**Touched by**" in help_text.text and "fair/fair.edict:" in help_text.text
    assert help_text.text.endswith("Read in: a house rule, Market") and "Changed in" not in help_text.text


def test_hover_works_on_fields_rules_and_local_names(space: Workspace, game: Path, subtests: pytest.Subtests) -> None:
    for part, expected in (
        ("price of go", "choose a stall as goal"),
        ("require coin of you >= pri", "price number from 0"),
        ("lax to visit.fr", "it costs too much"),
    ):
        with subtests.test(part=part):
            help_text = cursor_help.hover(space, game, position_after(GAME, part))
            assert help_text is not None and expected in help_text.text


JUDGED = (
    GAME.replace("  score coin of you\n", "  score coin of you\n  judge by dream of you\n")
    + """\
amend kind stall
  charm number from -9 to 9 "worth more than it looks", optional
amend stall bakery
  charm -4
quantity dream "dream" of player is sum of charm of it over owned of player
adjust dream by 2 if tavern is in owned of player
"""
)


def test_hover_omits_definitions_for_bots(space: Workspace, game: Path) -> None:
    space.set_text(game, JUDGED)
    help_text = cursor_help.hover(space, game, position_after(JUDGED, "stall bak"))
    assert help_text is not None and "Price 2" in help_text.text
    assert (
        "charm" not in help_text.text and "more than it looks" not in help_text.text and "amend" not in help_text.text
    )
    tavern = cursor_help.hover(space, game, position_after(JUDGED, "stall tav"))
    assert tavern is not None and "Tavern" in tavern.text and "dream" not in tavern.text.lower()
    judging = cursor_help.hover(space, game, position_after(JUDGED, "quantity dre"))
    assert judging is not None and "**Touched by**" in judging.text, "what is pointed at itself is told all the same"


def test_hover_explains_keywords(space: Workspace, game: Path) -> None:
    help_text = cursor_help.hover(space, game, position_after(GAME, "choose a stall as goal"[:4]))
    assert help_text is not None and help_text.text.startswith("**choose**")
    assert "choose a KIND" in help_text.text and "kingsburg explain choose" in help_text.text


def test_hover_explains_keywords_in_unparsable_rules(space: Workspace, game: Path) -> None:
    space.set_text(game, "phase day\n  each player\n    gain (\n")
    help_text = cursor_help.hover(space, game, position_after("phase day\n  each player\n    gain (\n", "gai"))
    assert help_text is not None and help_text.text.startswith("**gain**")


def test_hover_is_empty_in_strings_and_comments(space: Workspace, game: Path) -> None:
    assert cursor_help.hover(space, game, position_after(GAME, "# A fair wi")) is None
    assert cursor_help.hover(space, game, position_after(GAME, 'action visit "Visit a sta')) is None


def test_hover_works_in_a_broken_file(space: Workspace, forge: Path) -> None:
    problem_titles(space, forge)
    text = MODULE.replace("price 4", "price 4 +").replace("gain 1 cloth", 'gain 1 cloth "')
    space.set_text(forge, text)
    help_text = cursor_help.hover(space, forge, position_after(text, "if stall = bak"))
    assert help_text is not None and "Bakery" in help_text.text


def test_signature_and_rename_work_in_a_file_that_was_never_valid(space: Workspace, forge: Path) -> None:
    """There was no valid state before, and the last line has no line break yet."""
    text = MODULE + "phase x\n  do pay with you and "
    space.set_text(forge, text)
    signature = cursor_help.signature_help(space, forge, end_position(text))
    assert signature is not None and signature.active == 1
    assert renaming.prepare_rename(space, forge, position_after(text, "stall = bak"))[0] == "bakery"


def test_hover_works_in_a_file_opened_with_errors(space: Workspace, forge: Path) -> None:
    text = "stall hut (\n" + MODULE
    space.set_text(forge, text)
    help_text = cursor_help.hover(space, forge, position_after(text, "stall = bak"))
    assert help_text is not None and "Bakery" in help_text.text


# --- declarations and references ------------------------------------------------------------------


def test_definition_leads_from_module_to_game(space: Workspace, forge: Path, game: Path) -> None:
    (location,) = navigation.find_declarations(space, forge, position_after(MODULE, "stall = bak"))
    assert (location.path, location.span.line) == (game.resolve(), 12)


def test_definition_of_a_local_name_is_its_binding(space: Workspace, game: Path) -> None:
    (location,) = navigation.find_declarations(space, game, position_after(GAME, "price of goa"))
    assert location.span.line == position_after(GAME, "choose a stall as goal").line


def test_references_are_found_in_all_modules(space: Workspace, forge: Path, game: Path) -> None:
    locations = navigation.find_references(space, game, position_after(GAME, "stall bak"))
    lines = {(location.path.name, location.span.line) for location in locations}
    assert ("forge.edict", position_after(MODULE, "stall = bakery").line) in lines
    assert len([location for location in locations if location.path == game.resolve()]) == GAME.count("bakery")
    used = navigation.find_references(space, game, position_after(GAME, "stall bak"), declaration=False)
    assert [location.span.line for location in locations if location not in used] == [
        position_after(GAME, "stall bakery").line
    ]


def test_locations_move_with_lines_inserted_above(space: Workspace, game: Path, forge: Path) -> None:
    problem_titles(space, forge)
    space.set_text(game, "# one\n# more\n" + GAME + "\nphase broken\n  gain")
    (location,) = navigation.find_declarations(space, forge, position_after(MODULE, "stall = bak"))
    assert location.span.line == 14


# --- calls ----------------------------------------------------------------------------------------


def names_and_sorts(calls: tuple[CallHierarchyEntry, ...]) -> list[tuple[str, str]]:
    return [(call.name, call.sort) for call in calls]


def test_call_hierarchy_lists_callers_and_callees(space: Workspace, game: Path, subtests: pytest.Subtests) -> None:
    for part, callers, callees in (
        ("moment sol", [("market", "phase")], [("bakery", "thing")]),
        ("routine pa", [("market", "phase")], []),
        ("action vis", [("market", "phase")], [("lax", "standalone")]),
        ("phase mar", [("fair", "game")], [("visit", "action"), ("sold", "moment"), ("pay", "routine")]),
    ):
        with subtests.test(part=part):
            at = position_after(GAME, part)
            assert names_and_sorts(navigation.find_callers(space, game, at)) == callers
            assert names_and_sorts(navigation.find_callees(space, game, at)) == callees
    (call,) = navigation.find_callers(space, game, position_after(GAME, "moment sol"))
    assert [GAME.split("\n")[place.span.line - 1].strip() for place in call.places] == [
        "trigger sold with you and bakery"
    ]


def test_call_hierarchy_includes_the_module(space: Workspace, forge: Path) -> None:
    more = "when start of market\n  each player\n    do pay with you and 1\n"
    space.set_text(forge, MODULE + more)
    at = position_after(MODULE, "when sol")
    assert ("smithy", "thing") in names_and_sorts(navigation.find_callees(space, forge, at))
    assert names_and_sorts(navigation.find_callers(space, forge, at)) == [("market", "phase")]
    at = position_after(MODULE + more, "do pa")
    assert ("house rule", "standalone") in names_and_sorts(navigation.find_callers(space, forge, at))


def test_callable_at_a_position_is_named_or_encloses_it(
    space: Workspace, game: Path, subtests: pytest.Subtests
) -> None:
    named = navigation.find_callable(space, game, position_after(GAME, "    do vis"))
    around = navigation.find_callable(space, game, position_after(GAME, "require coin of y"))
    assert named is not None and around is not None and (named.name, around.name) == ("visit", "visit")
    first = navigation.find_callable(space, game, position_after(GAME, "actio"))
    assert first is not None and first.name == "visit"
    assert navigation.find_callable(space, game, position_after(GAME, "# A fa")) is None
    for below in ("quantity income", "quantity in come"):
        with subtests.test(below=below):
            space.set_text(game, GAME.replace("quantity income", below))
            line = navigation.find_callable(space, game, position_after(GAME, "seller and sta"))
            assert line is not None and line.name == "sold", "all of it stands in one line, whatever is typed below"


# --- search ---------------------------------------------------------------------------------------


def test_search_finds_moments_by_plain_english(space: Workspace, forge: Path, subtests: pytest.Subtests) -> None:
    rules_analysis = space.get_rules(forge).get_analysis()  # type: ignore[union-attr]
    assert rules_analysis is not None
    for words in ("after selling a stall sold", "sold", "after a stall is sold"):
        with subtests.test(words=words):
            entries = analysis.search(rules_analysis.search_index, words)
            assert not entries or entries[0].line == "when sold"
    assert analysis.search(rules_analysis.search_index, "after a stall is sold")[0].line == "when sold"
    assert analysis.search(rules_analysis.search_index, "incone")[0].line == "income of player"
    symbols = navigation.search_symbols(space, "smithy")
    assert symbols[0].where is not None and symbols[0].where.path == forge.resolve()


def test_find_command_prints_matches_as_rules_write_them(folder: Path) -> None:
    done = run_kingsburg(folder, "find", "after", "a", "stall", "is", "sold", "--game", "./fair")
    assert done.returncode == 0 and done.stdout.startswith("when sold  # moment; after a stall is sold")
    done = run_kingsburg(folder, "find", "spaceship", "--game", "./fair")
    assert done.returncode == 2 and "nothing in Fair matches `spaceship`" in done.stderr
