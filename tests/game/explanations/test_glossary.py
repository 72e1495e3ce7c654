"""The glossary: everything on the screen has an entry, which describes the current state of the game."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from edict.game.explanations.glossary import Glossary, GlossaryEntry, describe_state, load_glossary
from edict.game.table.game import Game
from edict.game.table.rules import Rules
from edict.game.table.view import View
from helpers import compile_program, make_phase
from secrecy import ALL, NAMES, load_rules

GAMES = [("kingsburg",), ALL, ("kingsburg", "goblin-valley"), ("kuhn-poker",), ("pig",)]


def glossary_for(game: Game) -> Glossary:
    found = load_glossary(game.table)
    assert found is not None
    return found


def play_answers(names: tuple[str, ...], answers: int, seed: int = 5) -> Game:
    """Return a random game after this many answers."""
    laid, luck = load_rules(*names), Random(seed)
    game = laid.new_game(NAMES[: min(3, laid.program.most_players)], seed)
    for _ in range(answers):
        if not game.over:
            game.answer(luck.randrange(game.count))
    return game


def iter_screen_names(game: Game, view: View) -> Iterator[str]:
    """Iterate over every name that a screen shows: panels, columns, things, phases, options."""
    yield from game.phases
    for panel in view.panels():
        yield from (title for title in (panel.title, *panel.header) if title)
        yield from (row.title.rstrip(":") for row in panel.rows if row.title)
        for grid in panel.grids:
            yield from (one.title for line in grid.cells for place in line for one in place)
    if view.ask is not None and view.ask.domain == "thing":
        yield from (option.text for option in view.ask.options if option.value >= 0)


@pytest.mark.parametrize("names", GAMES, ids="-".join)
@pytest.mark.sample(2)
def test_everything_on_the_screen_has_an_entry(names: tuple[str, ...], subtests: pytest.Subtests) -> None:
    for answers in (0, 90):
        with subtests.test(answers=answers):
            game = play_answers(names, answers)
            if game.over:
                continue
            shown = set(iter_screen_names(game, game.view(max(game.seat, 0)))) - set(game.players)
            assert not {about for about in shown if not glossary_for(game).look_up(about).entries}


def find_entry(game: Game, about: str, sort: str = "") -> GlossaryEntry:
    """Return the entry of a sort."""
    found = glossary_for(game).look_up(about, game.view(0)).entries
    return next(one for one in found if sort in ("", one.sort))


@pytest.fixture(scope="module")
def base() -> Game:
    """The base game after its beginning."""
    return play_answers(("kingsburg",), 0)


def test_names_are_found_however_they_are_typed(subtests: pytest.Subtests) -> None:
    game = play_answers(("kingsburg",), 60)
    for about in ("King's Envoy", "the king's envoy", "kings envoy", "King’s Envoy?", "envoy", "KING'S ENVOY"):
        with subtests.test(about=about):
            kept = find_entry(game, about, "game state")
            assert kept.title == "King's Envoy"
            assert any("You may influence an advisor" in line for line in kept.touched), "what it is good for"
            assert kept.now == (f"Now: {game.view(0).words('envoy')}.",)


def test_each_sort_of_entry_has_description_and_state() -> None:
    game = play_answers(ALL, 90)
    assert find_entry(game, "goods").members == ("gold", "wood", "stone")
    assert "Merchant" in find_entry(game, "advisors").members
    assert set(find_entry(game, "row B").members) >= {"Statue", "Chapel", "Church", "Cathedral"}
    assert "Bridge, Altar" in find_entry(game, "strip b").caption
    assert any("Goldsmith: " in line and "Mint" in line for line in find_entry(game, "mint").touched)
    assert ("costs", "1 gold, 1 wood") in find_entry(game, "tavern").facts
    assert find_entry(game, "tavern").module == "Module 2: Alternate Buildings"
    assert any("The Battle" in line for line in find_entry(game, "winter").lines)
    assert any(line.startswith("Guard Tower: +1") for line in find_entry(game, "strength").touched)
    assert find_entry(game, "destiny cards", "module").lines == (
        "Each year has a destiny card that applies to all players.",
    )
    assert find_entry(game, "years the game lasts").now == ("In this game: 5.",)
    assert find_entry(game, "cindy").sort == "player" and find_entry(game, "cindy").now[0].startswith("VP: ")
    view = game.view(0)
    gold = "; ".join(f"{name} {view.value('gold', seat)}" for seat, name in enumerate(game.players))
    assert find_entry(game, "gold", "resource").now == (f"Now: {gold}.",)
    built = view.words("owned", 0).partition(",")[0]
    assert "Constructed: Ann" in find_entry(game, built, "building").now[0]
    drawn = view.words("in-force")
    assert "Now: the destiny." in find_entry(game, drawn).now
    ruler = view.words("ruler", 0)
    assert "Now: Ann's governor." in find_entry(game, ruler).now


def test_lookup_finds_names_or_suggests_the_nearest(base: Game) -> None:
    look = glossary_for(base).look_up
    assert [one.caption for one in look("goblins (3)").entries] == ["year 1, strength 3", "year 2, strength 3"]
    assert (look("smugler").entries, look("smugler").nearest) == ((), "did you mean `smuggler`?")
    assert look("xyzzy").entries == () and look("xyzzy").nearest == ""
    assert look("").entries == () and look(" ? ").entries == ()
    assert not look("prospects").entries and "Prospects" not in glossary_for(base).titles(), "words of bots"
    assert "Smuggler" in glossary_for(base).titles()


def test_replaced_reward_is_shown_everywhere() -> None:
    """With a tile on an advisor: on the option, on the panel, and in the glossary."""
    names = ("kingsburg", "advisor-tiles")
    tiled = 0
    for answers in (30, 72, 114):
        game = play_answers(names, answers)
        view, tiles = game.view(game.seat), game.program.kind_by_name["tile"].things
        row = {row.key: row for panel in view.panels() for row in panel.rows}
        for number, advisor in enumerate(game.program.kind_by_name["advisor"].things):
            lying = view.value("tile-on", number)
            tile = tiles[lying] if lying is not None and lying >= 0 else None
            if advisor.name in row:
                assert row[advisor.name].words == (tile or advisor).words
            if tile is not None:
                told = glossary_for(game).look_up(advisor.name, view).entries
                said = next(one for one in told if one.sort == "advisor").lines
                assert said[0] == f"Now what counts is {tile.title}: {tile.words}"
                assert all(line.startswith("Replaced by it: ") for line in said[1:]) and len(said) > 1
                tiled += 1
        ask = view.ask
        for option in ask.options if ask is not None and ask.question == "choose-whom" else ():
            if option.value >= 0:
                assert option.words == row[option.key].words
                game.copy().answer(option)
    assert tiled > 3


# --- what it teaches ----------------------------------------------------------------------------------

TAUGHT = {
    "soldiers": "battle strength",
    "turn order": "the lowest total goes first",
    "dice": "the advisor's rank",
    "rank": "must add up to exactly",
    "provinces": "B1 is the first building of row B",
    "goods": "pay goods for buildings",
    "+2": "add exactly 2",
    "envoy": "construct a second building",
    "vp": "most VP at the end wins",
    "gold": "The goods are gold, wood and stone",
    "advisor": "receive the reward when all players have passed",
    "building": "Its effect is yours from then on",
}


def test_basic_terms_are_explained_in_the_authors_words(base: Game, subtests: pytest.Subtests) -> None:
    for about, said in TAUGHT.items():
        with subtests.test(about=about):
            found = find_entry(base, about)
            assert any(said in line for line in found.lines)
            assert not any("A set of" in line or "Each player has their own" in line for line in found.lines)
    enemy = [line for one in glossary_for(base).look_up("enemy").entries for line in one.lines]
    assert any(line.startswith("One enemy attacks each winter.") for line in enemy), "beside which one it is"
    assert find_entry(base, "province sheet").now[0].startswith("Now: Ann 20 buildings; "), "of many things the number"


def test_entry_has_the_authors_words_and_the_exact_rules(base: Game) -> None:
    wall = find_entry(base, "stone wall", "building")
    assert wall.lines == ("+1 strength. You win ties in battle.",)
    assert " ".join(wall.exactly).startswith("+1 to battle strength.")
    assert find_entry(base, "squire", "advisor").exactly == ()
    strength = find_entry(base, "strength")  # it has no words of its own: the sentences that speak of it teach it
    assert strength.lines[0].startswith("Your battle strength is your number of soldiers")
    assert strength.exactly == ("A number for each player: your soldiers.",)
    assert strength.now == ("Now: Ann 0; Ben 0; Cindy 0.",)
    assert not any(line.startswith(("They ", "It ", "If it ")) for line in strength.lines), "what they go on from"


# --- how it stands, for each seat -------------------------------------------------------------------------

HUTS = ["Shed", "Barn", "Mill", "Inn", "Forge", "Tower", *(f"Hut {number}" for number in range(7, 14))]
ROWS = "".join(f'hut {one.lower().replace(" ", "-")} "{one}"\n  size {at}\n' for at, one in enumerate(HUTS, 1))
VILLAGE = f"""
kind hut "hut/huts"
  size number from 1 to 20
{ROWS}
keep owned "buildings" of player as set of hut
keep all-seen "huts seen" of player as set of hut
keep site "building site" of player as hut or none
keep guess "secret guess" of player as hut or none, secret
keep buried "buried hut" as hut or none, secret
keep centre "town centre" as hut or none
keep cellar "dark cellar" of player as set of hut, quiet
keep plain of player as hut or none
keep age "age" of hut as number
keep visits "visits" of hut by player as number
quantity tax "tax" is 3
quantity wealth "wealth" of player is coin of you + 1
quantity room "room" of hut is size of hut + 1
quantity coins-of-first "coins" is coin of first of everyone + 1
quantity hunch "hunch" of player is size of guess of player
setting days "Days" is 4 from 1 to 9
setting kindly "Kindly" is on
setting harshly "Harshly" is off
"""
STANDS: dict[str, str | tuple[str, str]] = {
    "tax": "Always 3.",
    "wealth": "Now: Ann 4; Ben 1.",
    "room": "",
    "coins-of-first": "Now: 4.",
    "hunch": ("Now: Ann 6; Ben ?.", "Now: Ann ?; Ben 4."),
    "owned": "Now: Ann Shed and Barn; Ben none.",
    "all-seen": "Now: Ann 13 huts; Ben none.",
    "guess": ("Now: Ann Tower; Ben ?.", "Now: Ann ?; Ben Inn."),
    "buried": "",
    "centre": "Now: Forge.",
    "age": "",
    "visits": "",
    "coin": "Now: Ann 3; Ben 0.",
    "hut": "",
    "shed": "Now: Ann's buildings.\nNow: Ann's huts seen.",
    "hut-13": "Now: Ann's huts seen.",
    "mill": "Now: Ann's huts seen.\nNow: Ann's building site.",
    "forge": "Now: Ann's huts seen.\nNow: the town centre.",
    "inn": ("Now: Ann's huts seen.", "Now: Ann's huts seen.\nNow: Ben's secret guess."),
    "days": "In this game: 4.",
    "kindly": "In this game: on.",
    "harshly": "In this game: off.",
    "nothing-like-it": "",
}


def test_state_in_an_entry_hides_what_a_seat_may_not_know(subtests: pytest.Subtests) -> None:
    lines = (
        "gain 3 coin",
        "add shed to owned of you",
        "add barn to owned of you",
        "add huts to all-seen of you",
        "set site of you to mill",
        "set guess of you to tower",
        "set guess of left of you to inn",
        "set buried to barn",
        "set centre to forge",
        "add hut-12 to cellar of you",
        "set plain of you to hut-12",
        'may "Go on?"\n  gain 1 coin',
    )
    game = Rules(compile_program(VILLAGE + make_phase(*lines)), "trial").new_game(["Ann", "Ben"], seed=1)
    for name, said in STANDS.items():
        with subtests.test(name=name):
            told = tuple("\n".join(describe_state(name, game.view(seat))) for seat in (0, 1))
            assert told == (said if isinstance(said, tuple) else (said, said))
