"""What is said of a word, where it is declared and written, who calls it, and what is found by words."""

from __future__ import annotations

from pathlib import Path

from calling import kingsburg
from edict.tools.language_service import analysis, call_hierarchy, cursor_help, navigation, renaming
from edict.tools.language_service.answer_types import CallPlaces
from edict.tools.language_service.workspace import Workspace
from workshop import GAME, MODULE, at_end, marked, titles

# --- hover ----------------------------------------------------------------------------------------


def test_hover_tells_the_english_the_definition_and_what_acts_on_it(space: Workspace, game: Path) -> None:
    found = cursor_help.hover(space, game, marked(GAME, "do pay with you and inco"))
    assert found is not None
    assert "A number for each player" in found.text
    assert "quantity income" in found.text
    assert "**Touched by**" in found.text and "fair/fair.edict:" in found.text
    assert found.text.endswith("Read in: a house rule, Market") and "Changed in" not in found.text


def test_hover_knows_fields_rules_and_local_names(space: Workspace, game: Path) -> None:
    for part, told in (
        ("price of go", "choose a stall as goal"),
        ("require coin of you >= pri", "price number from 0"),
        ("lax to visit.fr", "it costs too much"),
    ):
        found = cursor_help.hover(space, game, marked(GAME, part))
        assert found is not None and told in found.text, part


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


def test_hover_tells_what_counts_in_play_and_not_how_bots_judge(space: Workspace, game: Path) -> None:
    space.lay(game, JUDGED)
    found = cursor_help.hover(space, game, marked(JUDGED, "stall bak"))
    assert found is not None and "Price 2" in found.text
    assert "charm" not in found.text and "more than it looks" not in found.text and "amend" not in found.text
    tavern = cursor_help.hover(space, game, marked(JUDGED, "stall tav"))
    assert tavern is not None and "Tavern" in tavern.text and "dream" not in tavern.text.lower()
    judging = cursor_help.hover(space, game, marked(JUDGED, "quantity dre"))
    assert judging is not None and "**Touched by**" in judging.text, "what is pointed at itself is told all the same"


def test_hover_tells_what_a_word_of_the_language_does(space: Workspace, game: Path) -> None:
    found = cursor_help.hover(space, game, marked(GAME, "choose a stall as goal"[:4]))
    assert found is not None and found.text.startswith("**choose**")
    assert "choose a KIND" in found.text and "kingsburg explain choose" in found.text


def test_hover_tells_of_words_while_the_rules_cannot_be_read(space: Workspace, game: Path) -> None:
    space.lay(game, "phase day\n  each player\n    gain (\n")
    found = cursor_help.hover(space, game, marked("phase day\n  each player\n    gain (\n", "gai"))
    assert found is not None and found.text.startswith("**gain**")


def test_hover_says_nothing_in_texts_and_remarks(space: Workspace, game: Path) -> None:
    assert cursor_help.hover(space, game, marked(GAME, "# A fair wi")) is None
    assert cursor_help.hover(space, game, marked(GAME, 'action visit "Visit a sta')) is None


def test_hover_goes_on_in_a_broken_file(space: Workspace, forge: Path) -> None:
    titles(space, forge)
    text = MODULE.replace("price 4", "price 4 +").replace("gain 1 cloth", 'gain 1 cloth "')
    space.lay(forge, text)
    found = cursor_help.hover(space, forge, marked(text, "if stall = bak"))
    assert found is not None and "Bakery" in found.text


def test_a_file_that_was_broken_from_the_first_is_understood_but_for_that(space: Workspace, forge: Path) -> None:
    """Nothing was ever right before, and the last line has no end yet."""
    text = MODULE + "phase x\n  do pay with you and "
    space.lay(forge, text)
    found = cursor_help.signature(space, forge, at_end(text))
    assert found is not None and found.active == 1
    assert renaming.can_rename(space, forge, marked(text, "stall = bak"))[0] == "bakery"


def test_a_file_opened_broken_is_understood_as_far_as_it_goes(space: Workspace, forge: Path) -> None:
    text = "stall hut (\n" + MODULE
    space.lay(forge, text)
    found = cursor_help.hover(space, forge, marked(text, "stall = bak"))
    assert found is not None and "Bakery" in found.text


# --- declarations and references ------------------------------------------------------------------


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
    used = navigation.references(space, game, marked(GAME, "stall bak"), declaration=False)
    assert [one.span.line for one in found if one not in used] == [marked(GAME, "stall bakery").line]


def test_places_move_with_lines_typed_above_them(space: Workspace, game: Path, forge: Path) -> None:
    titles(space, forge)
    space.lay(game, "# one\n# more\n" + GAME + "\nphase broken\n  gain")
    (found,) = navigation.definitions(space, forge, marked(MODULE, "stall = bak"))
    assert found.span.line == 14


# --- calls ----------------------------------------------------------------------------------------


def names(calls: tuple[CallPlaces, ...]) -> list[tuple[str, str]]:
    return [(one.name, one.sort) for one in calls]


def test_who_triggers_does_and_plays_and_what_follows(space: Workspace, game: Path) -> None:
    for part, by, to in (
        ("moment sol", [("market", "phase")], [("bakery", "thing")]),
        ("routine pa", [("market", "phase")], []),
        ("action vis", [("market", "phase")], [("lax", "standalone")]),
        ("phase mar", [("fair", "game")], [("visit", "action"), ("sold", "moment"), ("pay", "routine")]),
    ):
        at = marked(GAME, part)
        assert names(call_hierarchy.callers(space, game, at)) == by, part
        assert names(call_hierarchy.called(space, game, at)) == to, part
    (call,) = call_hierarchy.callers(space, game, marked(GAME, "moment sol"))
    assert [GAME.split("\n")[one.span.line - 1].strip() for one in call.places] == ["trigger sold with you and bakery"]


def test_calls_of_modules_are_found_from_the_module(space: Workspace, forge: Path) -> None:
    more = "when start of market\n  each player\n    do pay with you and 1\n"
    space.lay(forge, MODULE + more)
    at = marked(MODULE, "when sol")
    assert ("smithy", "thing") in names(call_hierarchy.called(space, forge, at))
    assert names(call_hierarchy.callers(space, forge, at)) == [("market", "phase")]
    at = marked(MODULE + more, "do pa")
    assert ("house rule", "standalone") in names(call_hierarchy.callers(space, forge, at))


def test_what_can_be_called_at_a_place(space: Workspace, game: Path) -> None:
    named = call_hierarchy.callable_at(space, game, marked(GAME, "    do vis"))
    around = call_hierarchy.callable_at(space, game, marked(GAME, "require coin of y"))
    assert named is not None and around is not None and (named.name, around.name) == ("visit", "visit")
    first = call_hierarchy.callable_at(space, game, marked(GAME, "actio"))
    assert first is not None and first.name == "visit"
    assert call_hierarchy.callable_at(space, game, marked(GAME, "# A fa")) is None
    for below in ("quantity income", "quantity in come"):
        space.lay(game, GAME.replace("quantity income", below))
        line = call_hierarchy.callable_at(space, game, marked(GAME, "seller and sta"))
        assert line is not None and line.name == "sold", "all of it stands in one line, whatever is typed below"


# --- search ---------------------------------------------------------------------------------------


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
