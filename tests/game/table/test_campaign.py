"""Campaigns: values carried over to the next game by name, and games that count once."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

import edict
from calling import make_manifest, write_files
from edict.game.table.campaigns import BEFORE, COUNTED, TAKEN_BACK, Campaign, read_lines
from edict.game.table.carry_over import CarriedValues, CarryOverError
from edict.game.table.game import Game
from edict.game.table.game_errors import GameError, JournalError
from edict.game.table.journal import ChecksumChain, Key, parse_header, parse_journal, values_from_rows
from edict.game.table.rules import Rules, load_rules, migrate_journal

TOKENS = "".join(f"token t{number}\n" for number in range(70))
RULES = f"""\
kind card "card/cards"
card ace "Ace"
card king "King"
card queen "Queen"
kind token
{TOKENS}
keep seats as order of player, quiet
lasting keep purse "purse" of player as number from 0 to 99 starting at 10
lasting keep crown as player or none
lasting keep host as player
lasting keep friends as set of player
lasting keep burnt as set of card
lasting keep favorite as card or none
lasting keep bold of player as truth
lasting keep pile as order of card
lasting keep standing as order of player
lasting keep tokens-found as set of token
lasting keep heap as order of token
lasting keep level of card by player as number
lasting keep debt of player called giver by player called taker as number
lasting keep played as number
lasting keep lucky as set of number
lasting keep seen of number as truth
keep forgotten of player as number

game saga "Saga"
  players 2 to 4
  order seats
  winners everyone with most purse of it
  score purse of you
  course
    add 1 to played
    shuffle pile
    shuffle heap
    each player
      choose a card as picked "Which card?"
      add picked to burnt
      set favorite to picked
      add 1 to level of picked by you
      add 1 to forgotten of you
      choose a player as friend "Which friend?"
      set crown to friend
      set host to friend
      add friend to friends
      add 1 to debt of you by friend
      choose a number from 0 to 5 as won "How much?"
      set purse of you to purse of you + won - 2
      set bold of you to yes
      add won to lucky
      set seen of won to yes
      draw a token from (tokens - tokens-found) as found
      add found to tokens-found
    shuffle standing
"""

NAMES = ("Ann", "Ben", "Cleo", "Dora")


def load_saga(folder: Path, text: str = RULES, **more: str) -> Rules:
    write_files(folder, {"saga/module.yaml": make_manifest("saga", "game", **more), "saga/page.edict": text})
    return load_rules(folder / "saga")


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Rules:
    return load_saga(tmp_path_factory.mktemp("rules"))


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    return tmp_path / "winter.jsonl"


def start_next_game(rules: Rules, file: Path, players: Sequence[str] = ("Ann", "Ben"), seed: int = 1) -> Game:
    return Campaign.read(file).next(rules).new_game(players, seed)


def finish(game: Game, luck: Random | None = None) -> Game:
    """Play a game to its end, at random or with everybody's first option."""
    while not game.over:
        game.answer(luck.randrange(game.count) if luck else 0)
    return game


def play_and_count(rules: Rules, file: Path, players: Sequence[str] = ("Ann", "Ben"), seed: int = 1) -> Game:
    game = finish(start_next_game(rules, file, players, seed))
    assert Campaign.read(file).count(game) == COUNTED
    return game


def lasting_values(game: Game) -> dict[Key, Any]:
    return CarriedValues(game.program, game.players).read_values(game.state)


# --- what is carried over --------------------------------------------------------------------------


def test_next_game_begins_with_the_last_values(rules: Rules, campaign: Path) -> None:
    first = play_and_count(rules, campaign)
    second = start_next_game(rules, campaign)
    before, after = lasting_values(first), lasting_values(second)
    assert before["played",] == 1 and after.pop(("played",)) == 2  # by the course's first step
    assert after["purse", "Ann"] == 8 and after["bold", "Ann"] is True and after["crown",] == "Ann"
    shuffled = ("pile", "heap", "standing")
    assert {key: one for key, one in after.items() if key[0] not in shuffled} == {
        key: one for key, one in before.items() if key[0] not in shuffled and key != ("played",)
    }
    forgotten = second.program.variable_by_name["forgotten"]
    assert not forgotten.lasting and second.state[forgotten.base] == 0


def test_game_outside_a_campaign_begins_with_initial_values(rules: Rules) -> None:
    game = rules.new_game(["Ann", "Ben"], 1)
    assert lasting_values(game)["purse", "Ann"] == 10 and game.journal.header.chapter is None


def test_values_follow_player_names_not_seats(rules: Rules, campaign: Path, subtests: pytest.Subtests) -> None:
    last = lasting_values(play_and_count(rules, campaign))
    swapped = start_next_game(rules, campaign, ("ben", "Cleo", "Ann"))
    now = lasting_values(swapped)
    for key, value in last.items():
        with subtests.test(key=key):
            if "Ann" in key and "Ben" not in key:
                assert now[key] == value
    assert now["level", "ace", "ben"] == last["level", "ace", "Ben"]
    assert now["debt", "ben", "Ann"] == last["debt", "Ben", "Ann"] == 1
    assert now["purse", "Cleo"] == 10, "who plays for the first time begins as in a first game"


def test_absent_player_keeps_values(rules: Rules, campaign: Path) -> None:
    first = lasting_values(play_and_count(rules, campaign, ("Ann", "Ben")))
    game = start_next_game(rules, campaign, ("Cleo", "Dora"))
    now = lasting_values(game)
    assert now["crown",] is None and now["host",] == "Cleo" and now["friends",] == []
    game = finish(game, Random(3))
    Campaign.read(campaign).count(game)
    left = dict(Campaign.read(campaign).values)
    assert left["purse", "Ann"] == first["purse", "Ann"] and left["debt", "Ann", "Ann"] == first["debt", "Ann", "Ann"]
    assert "Ann" in left["friends",] and left["crown",] in ("Cleo", "Dora")


def test_absent_player_keeps_the_crown_unless_it_is_taken(tmp_path: Path) -> None:
    text = """
lasting keep crown as player or none
keep seats as order of player, quiet

game reign "Reign"
  players 2 to 4
  order seats
  winners everyone
  score 0
  course
    each player
      may set crown to you
"""
    rules, file = load_saga(tmp_path, text), tmp_path / "reign.jsonl"

    def play_with(players: tuple[str, str], *answers: str) -> Any:
        game = start_next_game(rules, file, players)
        for answer in answers:
            game.answer(answer)
        Campaign.read(file).count(game)
        return Campaign.read(file).values["crown",]

    assert play_with(("Ann", "Ben"), "yes", "no") == "Ann"
    assert play_with(("Ben", "Cleo"), "no", "no") == "Ann"
    assert play_with(("Ben", "Cleo"), "no", "yes") == "Cleo"


def test_replayed_campaign_gives_the_same_values(rules: Rules, campaign: Path) -> None:
    luck = Random(1)
    for number in range(1, 8):
        players = luck.sample(NAMES, luck.randint(2, 4))
        game = start_next_game(rules, campaign, players, luck.randrange(1 << 60))
        before = dict(Campaign.read(campaign).values)
        began = CarriedValues(rules.program, game.players).read_values(game.table.first_state())
        for key, value in before.items():
            here = {player for player in players if player in key}
            if key in began and not isinstance(value, str | list) and value is not None:
                assert began[key] == value, (key, here)
        finish(game, luck)
        again = rules.replay(parse_journal(game.journal.to_bytes()))
        assert again.state == game.state and again.journal.header == game.journal.header
        assert Campaign.read(campaign).count(again) == COUNTED
        now = Campaign.read(campaign)
        assert len(now.games) == number and now.games[-1].players == tuple(players)
        ended = lasting_values(game)
        for key, value in now.values.items():
            if key not in ended:
                assert value == before[key]
            elif key[0] == "friends":
                assert set(value) == set(ended[key]) | {one for one in before.get(key, ()) if one not in players}
            else:
                assert value == ended[key]


def test_values_of_every_type_round_trip(rules: Rules) -> None:
    """Sets and orders of several cells included."""
    luck = Random(5)
    for _ in range(4):
        game = finish(rules.new_game(["Ann", "Ben", "Cleo"], luck.randrange(1 << 60)), luck)
        lasting, state = CarriedValues(rules.program, game.players), game.state
        blank = list(rules.program.initial)
        for address, value in lasting.to_cells(lasting.read_values(state)):
            blank[address] = value
        assert lasting.read_values(blank) == lasting.read_values(state)


@pytest.mark.parametrize("purse", [0, 99])
def test_carried_number_may_be_at_the_bounds_of_its_range(rules: Rules, purse: int) -> None:
    lasting = CarriedValues(rules.program, ("Ann", "Ben"))
    values: dict[tuple[str, ...], Any] = {("purse", "Ben"): purse}
    lasting.check(values)
    assert [value for _, value in lasting.to_cells(values)] == [purse]


@pytest.mark.parametrize(
    ("purse", "bound"), [(-1, "in these rules it is at least 0"), (100, "in these rules it is at most 99")]
)
def test_carried_number_beyond_its_range_is_refused(rules: Rules, purse: int, bound: str) -> None:
    with pytest.raises(CarryOverError, match=bound):
        CarriedValues(rules.program, ("Ann", "Ben")).check({("purse", "Ben"): purse})


def test_carried_number_index_has_at_most_five_digits(rules: Rules) -> None:
    lasting = CarriedValues(rules.program, ("Ann", "Ben"))
    assert lasting.translate_values({("seen", "12345"): True}) == {("seen", "12345"): True}
    with pytest.raises(CarryOverError, match="speaks of `123456`, and these rules have no such number"):
        lasting.translate_values({("seen", "123456"): True})


def test_carried_values_are_described_in_words(rules: Rules, campaign: Path) -> None:
    play_and_count(rules, campaign)
    told = Campaign.read(campaign).told
    assert told["purse"] == ("purse", "Ann 8, Ben 8") and told["burnt"] == ("burnt", "Ace")
    assert told["level"] == ("level", "Ace, Ann 1; Ace, Ben 1") and told["bold"] == ("bold", "Ann yes, Ben yes")
    assert told["crown"] == ("crown", "Ann")


def test_many_values_can_be_carried_over(tmp_path: Path) -> None:
    """Their description is longer than any name may be."""
    cards = "".join(f'card c{number} "The card of the number {number}"\n' for number in range(300))
    text = f"""
kind card
{cards}
lasting keep level of card by player as number
keep seats as order of player, quiet

game many "Many"
  players 2 to 4
  order seats
  winners everyone
  score 0
  course
    each player
      each card
        add 3 to level of card by you
"""
    rules, file = load_saga(tmp_path, text), tmp_path / "many.jsonl"
    play_and_count(rules, file)
    play_and_count(rules, file)
    assert Campaign.read(file).values["level", "c7", "Ben"] == 6
    assert len(Campaign.read(file).told["level"][1]) > 10_000


# --- journals --------------------------------------------------------------------------------------


def test_journal_replays_without_its_campaign(rules: Rules, campaign: Path, tmp_path: Path) -> None:
    play_and_count(rules, campaign)
    file = tmp_path / "game.jsonl"
    game = finish(Campaign.read(campaign).next(rules).new_game(("Ben", "Ann"), 7, journal=file))
    game.close()
    campaign.unlink()
    assert edict.replay(file).state == game.state
    with pytest.raises(GameError, match="there is no campaign at"):
        Campaign.read(campaign).count(game)


FORGED: list[list[Any]] = [
    ["purse", "Ann", 1000],
    ["purse", "Ann", "Ben"],
    ["level", "ace", 3],
    ["level", "jack", "Ann", 3],
    ["nonesuch", 3],
    ["friends", 3],
    ["bold", "Ann", 1],
    ["pile", ["jack"]],
    ["crown", 3],
    ["lucky", ["99999"]],
    ["lucky", ["9" * 30]],
    ["seen", "x", True],
    ["played", 1 << 62],
]


def test_invalid_carried_values_are_refused(rules: Rules, campaign: Path) -> None:
    journal = start_next_game(rules, campaign).journal
    chapter = journal.header.chapter
    assert chapter is not None
    for row in FORGED:
        values = replace(chapter, values=values_from_rows([row]) or {})
        forged = replace(journal, header=replace(journal.header, chapter=values))
        with pytest.raises(JournalError):
            rules.replay(parse_journal(forged.to_bytes()))


def test_header_with_an_invalid_chapter_is_refused(rules: Rules, campaign: Path) -> None:
    header = json.loads(json.dumps(start_next_game(rules, campaign).journal.header.to_data()))
    for data in (3, {}, {"values": 3}, {"values": [["a"]]}, {"number": "x"}, {"values": [[1, 2]]}):
        chapter = {**header["chapter"], **data} if isinstance(data, dict) and data else data
        with pytest.raises(JournalError, match="`chapter` is invalid"):
            parse_header({**header, "chapter": chapter}, "journal")


# --- how often a game counts -------------------------------------------------------------------------


def test_game_counts_once_and_only_when_over(rules: Rules, campaign: Path) -> None:
    with pytest.raises(GameError, match="only a finished game"):
        Campaign.read(campaign).count(start_next_game(rules, campaign))
    assert not Campaign.read(campaign).games
    game = play_and_count(rules, campaign)
    assert Campaign.read(campaign).count(rules.replay(game.journal)) == BEFORE
    assert len(Campaign.read(campaign).games) == 1


def test_first_of_two_parallel_games_counts(rules: Rules, campaign: Path) -> None:
    one, other = start_next_game(rules, campaign), start_next_game(rules, campaign)
    Campaign.read(campaign).count(finish(one))
    with pytest.raises(GameError, match="has gone on since the game began") as refused:
        Campaign.read(campaign).count(finish(other))
    command = f"campaign {shlex.quote(str(campaign))}"
    assert Campaign.read(campaign).command == command
    assert f"(`{command} --undo`)" in refused.value.remedy
    Campaign.read(campaign).undo()
    assert Campaign.read(campaign).count(other) == COUNTED, "what the remedy says is possible"
    assert Campaign.read(campaign).count(one) == TAKEN_BACK


def test_undo_restores_former_values(rules: Rules, campaign: Path) -> None:
    play_and_count(rules, campaign)
    before = Campaign.read(campaign).values
    play_and_count(rules, campaign)
    assert Campaign.read(campaign).values != before
    Campaign.read(campaign).undo()
    assert Campaign.read(campaign).values == before
    Campaign.read(campaign).undo()
    with pytest.raises(GameError, match="no game to undo"):
        Campaign.read(campaign).undo()


def test_keep_can_be_reset_and_restored(rules: Rules, campaign: Path) -> None:
    play_and_count(rules, campaign)
    Campaign.read(campaign).forget("purse")
    assert lasting_values(start_next_game(rules, campaign))["purse", "Ann"] == 10
    with pytest.raises(GameError, match="does not carry over `purse`"):
        Campaign.read(campaign).forget("purse")
    Campaign.read(campaign).undo()
    assert lasting_values(start_next_game(rules, campaign))["purse", "Ann"] == 8


def test_damaged_campaign_is_refused_and_unchanged(rules: Rules, campaign: Path, subtests: pytest.Subtests) -> None:
    play_and_count(rules, campaign)
    raw = campaign.read_bytes()
    edited, half = raw.replace(b'"Ann", 8', b'"Ann", 9'), raw[: raw.index(b"\n") - 3]
    for damaged in (edited, half, raw[:-20], b"", b"x\n", raw + raw):
        with subtests.test(damaged=damaged):
            campaign.write_bytes(damaged)
            with pytest.raises(JournalError):
                Campaign.read(campaign)
            assert campaign.read_bytes() == damaged


NOT_ONE = "the line is not one of a campaign"
NO_LINES: list[tuple[dict[str, Any], str]] = [
    *(({name: 3}, NOT_ONE) for name in ("identity", "written", "forgot", "rules", "base", "told", "values", "scores")),
    *(({name: "Ann"}, NOT_ONE) for name in ("players", "bots", "winners", "modules")),
    ({"scores": {"Ann": "3"}}, NOT_ONE),
    ({"told": {"purse": ["Purse"]}}, NOT_ONE),
    ({"told": {"purse": "xy"}}, NOT_ONE),
]
GO_ON_BEFORE = "put a copy of the file in its place, or delete this line and those after it to play on from there"


def test_invalid_lines_are_reported(rules: Rules, campaign: Path, subtests: pytest.Subtests) -> None:
    play_and_count(rules, campaign)
    header, entry = (json.loads(line) for line in campaign.read_bytes().splitlines())
    for data in (header, entry):
        del data["line"], data["check"]

    def read_error(*data: dict[str, Any]) -> tuple[int, str, str]:
        chain = ChecksumChain()
        with pytest.raises(JournalError) as caught:
            read_lines(b"".join(chain.append_data(one) for one in data), "saga")
        return caught.value.line, caught.value.reason, caught.value.remedy

    for wrong, reason in NO_LINES:
        with subtests.test(wrong=wrong):
            assert read_error(header, entry | wrong) == (2, reason, GO_ON_BEFORE)
    gone = {"undo": entry["identity"]}
    assert read_error(header, gone) == (2, "it takes back what is not there", GO_ON_BEFORE)
    assert read_error(header, entry, {"undo": "another"}) == (3, "it takes back what is not there", GO_ON_BEFORE)
    for wrong in ({"format": "another"}, {"game": 3}):
        with subtests.test(wrong=wrong):
            told = read_error(header | wrong, entry)
            assert told == (1, "it does not begin with the header of a campaign", "name another file")
    chain = ChecksumChain()
    name, games, known, lines = read_lines(b"".join(map(chain.append_data, (header, entry, gone, entry))), "saga")
    assert (name, len(games), known, len(lines)) == ("saga", 1, frozenset({entry["identity"]}), 4)


# --- rules that changed --------------------------------------------------------------------------------


def load_changed_rules(folder: Path, *pairs: tuple[str, str], **more: str) -> Rules:
    text = RULES
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return load_saga(folder, text, **more)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("lasting keep purse", "keep purse", "do not carry over `purse` of Ann"),
        ("from 0 to 99 starting at 10", "from 0 to 7", "`purse` of Ann is 8, and in these rules it is at most 7"),
        ("keep bold of player as truth", "keep bold of player as number", "is yes, which is not a number"),
    ],
)
def test_rules_that_cannot_take_carried_values_are_refused(
    rules: Rules, campaign: Path, tmp_path: Path, old: str, new: str, reason: str
) -> None:
    play_and_count(rules, campaign)
    pairs = [(old, new), *([("set bold of you to yes", "set bold of you to 1")] if "bold" in old else [])]
    with pytest.raises(GameError, match=reason) as refused:
        start_next_game(load_changed_rules(tmp_path, *pairs), campaign)
    keep = "bold" if "bold" in old else "purse"
    anew = f"begin it anew with `campaign {shlex.quote(str(campaign))} --forget {keep}`"
    assert anew in refused.value.remedy and "renamed" in refused.value.remedy
    Campaign.read(campaign).forget(keep)
    start_next_game(load_changed_rules(tmp_path, *pairs), campaign)


def test_renamed_values_are_found_under_new_names(rules: Rules, campaign: Path, tmp_path: Path) -> None:
    play_and_count(rules, campaign)
    new = load_changed_rules(
        tmp_path, ("purse", "hoard"), ("card ace ", "card one "), renamed="{purse: hoard, ace: one}"
    )
    now = lasting_values(start_next_game(new, campaign))
    assert now["hoard", "Ann"] == 8 and now["level", "one", "Ann"] == 1


def test_campaign_game_continues_under_changed_rules(rules: Rules, campaign: Path, tmp_path: Path) -> None:
    play_and_count(rules, campaign)
    game = start_next_game(rules, campaign)
    game.answer(0)
    new = load_changed_rules(tmp_path, ("purse", "hoard"), renamed="{purse: hoard}")
    migrated = migrate_journal(new, game.journal)
    assert migrated.rejected is None and lasting_values(migrated.game)["hoard", "Ben"] == 8
    assert Campaign.read(campaign).count(finish(migrated.game)) == COUNTED
    assert Campaign.read(campaign).values["hoard", "Ben"] == 6


def test_rules_without_lasting_keeps_refuse_a_campaign(campaign: Path) -> None:
    with pytest.raises(GameError, match="carries nothing over"):
        start_next_game(load_rules("pig"), campaign)
    assert not campaign.exists()


def test_campaign_refuses_another_game(rules: Rules, campaign: Path, tmp_path: Path) -> None:
    play_and_count(rules, campaign)
    with pytest.raises(GameError, match="is of `saga`, not of `tale`"):
        start_next_game(load_changed_rules(tmp_path, ('game saga "Saga"', "game tale")), campaign)
