"""Migration of saved games under changed rules: many games, through changes made up for it."""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import pytest

from calling import make_manifest, write_files
from edict.compiler.pipeline.compile import compile_modules
from edict.compiler.sources.folders import Manifest, Module
from edict.compiler.sources.module_set import hash_rules
from edict.compiler.sources.packing import unpack_modules
from edict.game.scenes.scene_recorder import record_scene
from edict.game.scenes.scene_runner import run_module
from edict.game.table.game import Game
from edict.game.table.journal import Answer, Journal
from edict.game.table.rules import Rules, find_new_renames, load_rules, migrate_journal, replay_answer, translate_answer
from edict.support.text import Source

TOWN = """\
resource coin "coin/coins"
resource wood "wood"
resource point "point/points"
die cube "die/dice" with 6 sides
keep places "places" as order of player, quiet
keep hand "dice" of player as dice
keep owned "buildings" of player as set of house
setting years "Years" is 4 from 1 to 9

game town "Town"
  players 2 to 2
  order places
  winners players with most point of it
  score point of you
  course
    shuffle places
    repeat years times
      play spring
      play summer

phase spring "Spring"
  each player
    remove hand of you from hand of you
    roll 3 cube into hand of you
  each player
    may do visit

phase summer "Summer"
  each player
    may do build
  each player with most coin of it
    choose one "What do you do with so many coins?"
      option "Keep them"
        gain 1 wood
      option "Lend them"
        lose 1 coin
        gain 1 point

action visit "Visit"
  choose a guest as whom "Whom do you visit?"
  choose dice from hand of you as paid making rank of whom "With which dice?"
  then
    remove paid from hand of you
    announce you, "visits", whom, "with", paid
    do reward of whom

action build "Build"
  choose a house as what "What do you build?"
  rule once-only
    require what is not in owned of you
    because "you have it"
  rule rich
    require can spend cost of what
    because "you cannot pay for it"
  then
    spend cost of what
    add what to owned of you
    gain 1 point

kind guest "guest/guests"
  rank number
  reward effect
guest jester "Jester"
  rank 2
  reward gain 1 point
guest merchant "Merchant"
  rank 4
  reward gain 2 coin
guest squire "Squire"
  rank 6
  reward gain 1 coin and 1 wood
guest king "King"
  rank 9
  reward
    choose one "What do you ask for?"
      option "Money"
        gain 3 coin
      option "A chest and timber"
        gain 2 wood

kind house "house/houses"
  cost amounts
  works if house is in owned of you
house statue "Statue"
  cost 1 coin
house market "Market"
  cost 1 wood
  shift visit by +1 or -1, once per spring
house inn "Inn"
  cost 2 coin, 1 wood
  when end of summer
    gain 1 point
"""
SCENES = """
players: [Ann, Ben]
scenes:
  - name: The Merchant gives 2 coins
    start: effect merchant reward
    for: Ann
    then: {Ann: {coins: 2}, rest: unchanged}
  - name: The Market costs 1 wood
    start: phase summer
    given: {Ann: {coins: 2, wood: 1, owned: Statue}, places: [Ann, Ben]}
    play:
      - Ann: Market
      - Ann: Keep
    then: {Ann: {coins: 2, wood: 1, points: 1, owned: [Statue, Market]}}
"""
GAMES = 24
EXTRA = """
phase fair "Fair"
  each player
    choose one "What do you buy at the fair?"
      option "A ribbon"
        gain 1 point
      option "Nothing"
        gain 0 point
"""


@dataclass(frozen=True)
class RuleChange:
    """A change of the rules, and the reasons for which a game may stop.

    It replaces text (regular expressions) and adds to the rules or the manifest.
    """

    replaced: tuple[tuple[str, str], ...] = ()
    added: str = ""
    manifest: str = ""
    reason: str = ""
    same: bool = False  # what fits also ends with the same result


CHANGES = {
    "a remark and another layout": RuleChange(added="\n# a remark\n\n\n", same=True),
    "another version": RuleChange(manifest="summary: Once more.\n", same=True),
    "another title": RuleChange(((r'phase summer "Summer"', 'phase summer "High Summer"'),), same=True),
    "a guest renamed, and said so": RuleChange(
        ((r"\bmerchant\b", "trader"), (r'"Merchant"', '"Trader"')), manifest="renamed: {merchant: trader}\n", same=True
    ),
    "a guest renamed, and not said so": RuleChange(
        ((r"\bmerchant\b", "trader"), (r'"Merchant"', '"Trader"')), reason="`merchant` is not an answer", same=True
    ),
    "a house renamed that shifts dice": RuleChange(
        ((r"\bmarket\b", "bazaar"), (r"\bMarket\b", "Bazaar")), manifest="renamed: {market: bazaar}\n", same=True
    ),
    "a choice renamed": RuleChange(((r"\bwhom\b", "host"),), manifest="renamed: {whom: host}\n", same=True),
    "a setting renamed": RuleChange(((r"\byears\b", "rounds"),), manifest="renamed: {years: rounds}\n", same=True),
    "another reward": RuleChange(
        ((r"(rank 4\n  reward gain 2) coin", r"\1 point"),), reason=r"is not an answer to|but `[\w-]+` was asked"
    ),
    "a house removed": RuleChange(((r"(?s)house statue .*?\n(?=\S)", ""),), reason="`statue` is not an answer|but `"),
    "a phase added that asks": RuleChange(
        (("      play spring\n", "      play fair\n      play spring\n"),), EXTRA, reason="was asked"
    ),
    "a phase added that does not ask": RuleChange(
        (("      play spring\n", "      play gift\n      play spring\n"),),
        '\nphase gift "Gift"\n  each player\n    gain 1 point\n',
    ),
}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Rules:
    return load_changed_rules(RuleChange(), tmp_path_factory.mktemp("base"))


@pytest.fixture(scope="module")
def games(base: Rules) -> list[Game]:
    """Whole games of two, answered at random."""
    begun = (base.new_game(["Ann", "Bob"], seed, {"years": 3 + seed % 2}) for seed in range(GAMES))
    return [play_to_end(game, Random(seed)) for seed, game in enumerate(begun)]


def play_to_end(game: Game, rng: Random) -> Game:
    while not game.over:
        game.answer(rng.randrange(game.count))
    return game


def load_changed_rules(change: RuleChange, folder: Path) -> Rules:
    """Return the changed rules under the same name."""
    text = TOWN
    for old, new in change.replaced:
        text, often = re.subn(old, new, text)
        assert often, old
    about = make_manifest("town", "game") + change.manifest
    write_files(folder / "town", {"module.yaml": about, "town.edict": text + change.added})
    return load_rules(folder / "town")


def cut_journal(game: Game, rng: Random) -> tuple[Journal, Sequence[Answer]]:
    """Return the journal as saved somewhere in the middle, and the answers after it."""
    journal = game.journal
    at = rng.randrange(len(journal.answers) + 1)
    return replace(journal, answers=journal.answers[:at]), journal.answers[at:]


@pytest.mark.parametrize("name", CHANGES)
def test_saved_games_migrate_or_stop_with_a_reason(name: str, base: Rules, games: list[Game], tmp_path: Path) -> None:
    change, rng = CHANGES[name], Random(name)
    rules = load_changed_rules(change, tmp_path)
    renamed = find_new_renames(rules.program, base.program)
    assert rules.plays(games[0].journal.header) == (name.startswith(("a remark", "another version")))
    stopped = 0
    for game in games:
        journal, rest = cut_journal(game, rng)
        migrated = migrate_journal(rules, journal, renamed)
        if migrated.rejected is None:
            assert migrated.answers == len(journal.answers)
            for answer in rest if change.same and not change.reason else ():
                replay_answer(migrated.game, translate_answer(migrated.game, answer, renamed), 0, "")
            assert not change.same or change.reason or migrated.game.result == game.result
        else:
            stopped += 1
            assert change.reason and re.search(change.reason, migrated.reason), migrated.reason
            assert migrated.rejected == journal.answers[migrated.answers]
            assert seats_and_questions(migrated.game.journal) == seats_and_questions(journal)[: migrated.answers]
        assert play_to_end(migrated.game, rng).result, "what was carried over is played to its end"
    assert bool(stopped) == bool(change.reason)


def seats_and_questions(journal: Journal) -> list[tuple[int, str]]:
    return [(answer.seat, answer.question) for answer in journal.answers]


def test_scenes_pass_under_renamed_rules(base: Rules, games: list[Game], tmp_path: Path) -> None:
    names = {"merchant": "trader", "market": "bazaar", "whom": "host", "spring": "thaw", "coin": "penny"}
    words = [(rf"(?<![\w-]){old}(?![\w-])", new) for old, new in names.items()]
    manifest = f"renamed: {{{', '.join(f'{old}: {new}' for old, new in names.items())}}}\n"
    load_changed_rules(RuleChange((*words, ('"Merchant"', '"Trader"')), manifest=manifest), tmp_path)
    scenes = {"written.yaml": SCENES}
    for first in (2, 8, 14):
        scenes[f"recorded-{first}.yaml"] = record_scene(base.replay(games[0].journal), first, first + 4).to_page({})
    write_files(tmp_path / "town" / "scenes", scenes)
    report = run_module(tmp_path / "town")
    failed = [(played.scene.name, played.differences, played.diagnostics) for played in report.failures]
    assert not report.diagnostics and not failed, (report.diagnostics, failed)
    assert len(report.scenes) == 5


# --- the rules that a game brings along --------------------------------------------------------------


def test_packed_rules_compile_to_the_same_program(base: Rules, subtests: pytest.Subtests) -> None:
    for rules in (base, load_rules("kingsburg", ("soldier-tokens", "advisor-tiles"))):
        with subtests.test(rules=rules):
            unpacked = unpack_modules(rules.bundle).unwrap()
            assert hash_rules(unpacked) == rules.program.rules_hash
            assert compile_modules(unpacked).unwrap().to_json() == rules.program.to_json()


MANIFEST = "name: house\ntitle: House\nversion: 1.0.0\nkind: game\nlanguage: 1\n"


def pack_part(**part: object) -> str:
    data = {"manifest": MANIFEST, "files": {"house/page.edict": "kind hut\n"}, "beside": []} | part
    return base64.b64encode(zlib.compress(json.dumps([data]).encode())).decode()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "!",
        "AAAA",
        pack_part()[:-60],
        pack_part(manifest=7),
        pack_part(manifest="name: [\n"),
        pack_part(manifest="name: x\n"),
        pack_part(manifest=MANIFEST + "renamed: {a: B}\n"),
        pack_part(files=[]),
        pack_part(files={"house/page.edict": 7}),
        pack_part(files={"../page.edict": ""}),
        pack_part(files={"/etc/passwd": ""}),
        pack_part(files={"a\0b/page.edict": ""}),
        pack_part(files={f"house/{n}.edict": "" for n in range(1000)}),
        pack_part(beside=7),
        pack_part(beside=["x"] * 3)[:-80],
    ],
)
def test_invalid_bundle_is_refused_with_a_message(text: str) -> None:
    assert_refused(text)


@pytest.mark.parametrize(("byte", "many"), [(b"[", 1_000_000), (b" ", 20_000_000)])
def test_decompression_bomb_is_refused(byte: bytes, many: int) -> None:
    assert_refused(base64.b64encode(zlib.compress(byte * many)).decode())


def assert_refused(text: str) -> None:
    outcome = unpack_modules(text)
    assert not outcome.ok and outcome.diagnostics[0].title == "the rules kept with this game cannot be read"
    assert outcome.diagnostics[0].note


def test_bundle_of_one_module_is_read() -> None:
    (module,) = unpack_modules(pack_part()).unwrap()
    assert (module.name, [source.name for source in module.sources]) == ("house", ["house/page.edict"])


def test_rules_of_earlier_versions_keep_their_hash(subtests: pytest.Subtests) -> None:
    """Journals contain this hash of a manifest from before it had further fields."""
    manifest = Manifest("trial", "Trial", "1.0.0", "game")
    text = Source("trial/page.edict", 'resource coin "coin"\n')
    made = hash_rules((Module(manifest, Path("trial"), (text,)),))
    assert made == "198e2be4a049a270", "saved games of earlier versions would count as damaged"
    for more in (replace(manifest, purpose="Be happy."), replace(manifest, renamed=(("a", "b"),))):
        with subtests.test(more=more):
            assert hash_rules((Module(more, Path("trial"), (text,)),)) != made
