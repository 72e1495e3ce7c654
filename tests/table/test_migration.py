"""Saved games under rules that have changed since: hundreds of them, through changes invented for it."""

from __future__ import annotations

import base64
import json
import re
import shutil
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from random import Random

import pytest

from edict.front.compile import compile_modules
from edict.scenes.scene_recorder import record
from edict.scenes.scene_runner import run_module
from edict.sources.folders import Manifest, Module
from edict.sources.module_set import rules_hash
from edict.sources.packing import unpack
from edict.table.rules import Migrated, migrate, renamed_since, translated, Rules, load_rules, repeat
from edict.table.game import Game
from edict.table.journal import Answer, Journal
from edict.text import Source

ROOT = Path(__file__).resolve().parent.parent.parent
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
class Change:
    """What is replaced in all rule files (as regular expressions), what is added to the manifest, what may stop it.

    `reason`: what is said of an answer that no longer fits; without one, all must fit and the result be the same.
    """

    replaced: tuple[tuple[str, str], ...] = ()
    added: str = ""
    manifest: str = ""
    reason: str = ""
    same: bool = False  # what fits also ends with the same result


CHANGES = {
    "a remark and another layout": Change(added="\n# a remark\n\n\n", same=True),
    "another version": Change(manifest="summary: Once more.\n", same=True),
    "another title": Change(((r'phase summer "Summer"', 'phase summer "High Summer"'),), same=True),
    "an advisor renamed, and said so": Change(
        ((r"\bmerchant\b", "trader"), (r'"Merchant"', '"Trader"')), manifest="renamed: {merchant: trader}\n", same=True
    ),
    "an advisor renamed, and not said so": Change(
        ((r"\bmerchant\b", "trader"), (r'"Merchant"', '"Trader"')), reason="`merchant` is not an answer", same=True
    ),
    "a building renamed that shifts dice": Change(
        ((r"\bmarket\b", "bazaar"), (r"\bMarket\b", "Bazaar")), manifest="renamed: {market: bazaar}\n", same=True
    ),
    "a choice renamed": Change(
        ((r"\bchoose (.*) as whom\b", r"choose \1 as guest"), (r"\bwhom\b", "guest")),
        manifest="renamed: {whom: guest}\n", same=True,
    ),
    "another reward": Change(
        ((r"(rank 1\n  reward gain 1) point", r"\1 wood"),), reason=r"is not an answer to|but `[\w-]+` was asked"
    ),
    "a building removed": Change(((r"(?s)building statue .*?\n(?=\S)", ""),), reason="`statue` is not an answer|but `"),
    "a phase added that asks": Change(
        (("  play spring\n", "  play fair\n  play spring\n"),), EXTRA, reason="was asked"
    ),
    "a phase added that does not ask": Change(
        (("  play spring\n", "  play gift\n  play spring\n"),), '\nphase gift "Gift"\n  each player\n    gain 1 point\n'
    ),
}  # fmt: skip


@cache
def base() -> Rules:
    return load_rules("kingsburg")


@cache
def games() -> tuple[Game, ...]:
    """Whole games of two, answered at random."""
    return tuple(played(base().new_game(["Ann", "Bob"], seed=seed), Random(seed)) for seed in range(GAMES))


def played(game: Game, rng: Random) -> Game:
    while not game.over:
        game.answer(rng.randrange(game.count))
    return game


def changed(change: Change, folder: Path) -> Rules:
    """The rules that ship, changed so, under a name of their own."""
    folder.mkdir()
    found = set()
    for file in (ROOT / "rules").glob("*.edict"):
        text = file.read_text(encoding="utf-8")
        for old, new in change.replaced:
            text, often = re.subn(old, new, text)
            found |= {old} if often else set()
        (folder / file.name).write_text(text + (change.added if file.name == "year.edict" else ""), encoding="utf-8")
    assert found == {old for old, _ in change.replaced}
    lines = (ROOT / "rules" / "module.yaml").read_text(encoding="utf-8").splitlines(keepends=True)
    added = change.manifest.partition(":")[0]
    kept = "".join(line for line in lines if not added or not line.startswith(added))
    (folder / "module.yaml").write_text(kept + change.manifest, encoding="utf-8")
    return load_rules(folder)


def cut(game: Game, rng: Random) -> tuple[Journal, Sequence[Answer]]:
    """The game as it was saved somewhere in the middle, and the answers that came then."""
    journal = game.journal
    at = rng.randrange(len(journal.answers) + 1)
    return replace(journal, answers=journal.answers[:at]), journal.answers[at:]


def went_on(migrated: Migrated, rest: Sequence[Answer], rules: Rules) -> Game:
    """The migrated game with the answers that came after it was saved."""
    renamed = renamed_since(rules.program, base().program)
    for answer in rest:
        repeat(migrated.game, translated(migrated.game, answer, renamed), 0, "")
    return migrated.game


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.sample(4)
def test_saved_games_are_upgraded_or_stop_with_a_reason(name: str, tmp_path: Path) -> None:
    change, rng = CHANGES[name], Random(name)
    rules = changed(change, tmp_path / "kingsburg")
    assert rules.plays(games()[0].journal.header) == (name.startswith(("a remark", "another version")))
    stopped = 0
    for game in games():
        journal, rest = cut(game, rng)
        migrated = migrate(rules, journal, renamed_since(rules.program, base().program))
        if migrated.stopped is None:
            assert migrated.answers == len(journal.answers)
            if change.same and not change.reason:
                assert went_on(migrated, rest, rules).result == game.result
        else:
            stopped += 1
            assert change.reason and re.search(change.reason, migrated.reason), migrated.reason
            assert migrated.stopped == journal.answers[migrated.answers]
            assert seats(migrated.game.journal) == seats(journal)[: migrated.answers]
    assert bool(stopped) == bool(change.reason)


def seats(journal: Journal) -> list[tuple[int, str]]:
    return [(answer.seat, answer.question) for answer in journal.answers]


def test_a_game_carried_over_can_be_played_to_its_end(tmp_path: Path) -> None:
    rules = changed(CHANGES["another reward"], tmp_path / "kingsburg")
    for seed, game in enumerate(games()[:4]):
        journal, _ = cut(game, Random(seed))
        assert played(migrate(rules, journal).game, Random(seed)).result


def test_scenes_survive_what_is_renamed(tmp_path: Path) -> None:
    names = {"merchant": "trader", "market": "bazaar", "whom": "guest", "years": "how-many-years", "spring": "thaw"}
    words = [(rf"(?<![\w-]){old}(?![\w-])", new) for old, new in names.items()]
    titles = [('"Merchant"', '"Trader"')]
    manifest = f"renamed: {{{', '.join(f'{old}: {new}' for old, new in names.items())}}}\n"
    folder = tmp_path / "kingsburg"
    changed(Change((*words, *titles), manifest=manifest), folder)
    shutil.copytree(ROOT / "rules" / "scenes", folder / "scenes")
    journal = games()[0].journal
    for number, first in enumerate((3, 40, 90)):
        text = record(base().replay(journal), first, first + 6).page({})
        (folder / "scenes" / f"recorded-{number}.yaml").write_text(text, encoding="utf-8")
    report = run_module(folder)
    failed = [(played.scene.name, played.differences, played.diagnostics) for played in report.failures]
    assert not report.diagnostics and not failed, (report.diagnostics, failed)
    assert len(report.scenes) > 50


# --- the rules that a game brings along --------------------------------------------------------------


@pytest.mark.parametrize("modules", [(), ("governors", "destiny"), ("long-winter", "soldier-tokens", "advisor-tiles")])
def test_packed_rules_mean_the_same(modules: tuple[str, ...]) -> None:
    rules = load_rules("kingsburg", modules)
    unpacked = unpack(rules.bundle).unwrap()
    assert rules_hash(unpacked) == rules.program.rules_hash
    assert compile_modules(unpacked).unwrap().to_json() == rules.program.to_json()


MANIFEST = "name: house\ntitle: House\nversion: 1.0.0\nkind: game\nlanguage: 1\n"


def packed(**part: object) -> str:
    data = {"manifest": MANIFEST, "files": {"house/page.edict": "kind hut\n"}, "beside": []} | part
    return base64.b64encode(zlib.compress(json.dumps([data]).encode())).decode()


@pytest.mark.parametrize(
    "text",
    [
        "", "!", "AAAA", packed()[:-60], packed(manifest=7), packed(manifest="name: [\n"), packed(manifest="name: x\n"),
        packed(manifest=MANIFEST + "renamed: {a: B}\n"), packed(files=[]), packed(files={"house/page.edict": 7}),
        packed(files={"../page.edict": ""}), packed(files={"/etc/passwd": ""}), packed(files={"a\0b/page.edict": ""}),
        packed(files={f"house/{n}.edict": "" for n in range(1000)}), packed(beside=7), packed(beside=["x"] * 3)[:-80],
    ],
)  # fmt: skip
def test_what_is_no_bundle_is_refused_in_words(text: str) -> None:
    refused(text)


@pytest.mark.parametrize(("byte", "many"), [(b"[", 1_000_000), (b" ", 100_000_000)])
def test_nor_is_what_swells_when_it_is_unpacked(byte: bytes, many: int) -> None:
    refused(base64.b64encode(zlib.compress(byte * many)).decode())


def refused(text: str) -> None:
    outcome = unpack(text)
    assert not outcome.ok and outcome.diagnostics[0].title == "the rules kept with this game cannot be read"
    assert outcome.diagnostics[0].note


def test_a_bundle_of_one_module_is_read() -> None:
    (module,) = unpack(packed()).unwrap()
    assert (module.name, [source.name for source in module.sources]) == ("house", ["house/page.edict"])


def test_rules_of_earlier_versions_keep_their_name() -> None:
    """The hash that journals were written with: of a manifest as it was before it could say more."""
    manifest = Manifest("trial", "Trial", "1.0.0", "game")
    text = Source("trial/page.edict", 'resource coin "coin"\n')
    made = rules_hash((Module(manifest, Path("trial"), (text,)),))
    assert made == "198e2be4a049a270", "saved games of earlier versions would count as damaged"
    for more in (replace(manifest, purpose="Be happy."), replace(manifest, renamed=(("a", "b"),))):
        assert rules_hash((Module(more, Path("trial"), (text,)),)) != made
