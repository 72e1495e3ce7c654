"""Valid rules that mean something else than their author wants; `meaning_mistakes.yaml` is the specification.

It says of forty mistakes who tells: `check`, with a code; `study --never`, with words; or nobody, and why.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from calling import make_manifest, run_kingsburg, write_files
from edict.compiler.pipeline.pipeline import analyze
from edict.compiler.sources.folders import Manifest, Module
from edict.compiler.sources.module_set import gather_modules
from edict.support.report import Diagnostic, apply_edits
from edict.support.text import Source
from helpers import underlined_text

GAMES = 20  # of each kind of bot

SPECIFICATION: dict[str, Any] = yaml.safe_load(
    Path(__file__).with_name("meaning_mistakes.yaml").read_text(encoding="utf-8")
)


def find_over_game(text: str) -> list[Diagnostic]:
    """Return the findings in rules that are laid over Kingsburg."""
    game = gather_modules("kingsburg").unwrap()
    manifest = Manifest("house", "House", "1.0.0", "module", requires=("kingsburg",))
    found = analyze((*game, Module(manifest, Path("house"), (Source("house.edict", text),)))).diagnostics
    return [diagnostic for diagnostic in found if diagnostic.span.file == "house.edict"]


@pytest.mark.parametrize("name", SPECIFICATION["mistakes"])
def test_mistake_of_meaning_is_a_warning_at_its_place(name: str) -> None:
    row = SPECIFICATION["mistakes"][name]
    (diagnostic,) = find_over_game(row["rules"])
    assert (diagnostic.code, diagnostic.severity) == (row["told"], "warning")
    assert underlined_text(row["rules"], diagnostic) == row["at"]
    assert diagnostic.help
    if diagnostic.edits:
        assert find_over_game(apply_edits(row["rules"], diagnostic.edits)) == []


def test_forty_mistakes_say_who_tells_them() -> None:
    parts = [SPECIFICATION[part] for part in ("mistakes", "never", "nobody")]
    assert [len(part) for part in parts] == [21, 14, 5]
    assert len({name for part in parts for name in part}) == sum(map(len, parts))


def test_mistakes_that_only_play_tells_are_silent_in_check() -> None:
    rows = [*SPECIFICATION["never"].values(), *SPECIFICATION["nobody"].values()]
    assert find_over_game("\n".join(row["rules"] for row in rows)) == []


@pytest.mark.slow
def test_mistake_of_meaning_is_told_by_games_between_bots(tmp_path: Path, subtests: pytest.Subtests) -> None:
    """All at once: they do not touch each other."""
    write_files(
        tmp_path / "house",
        {
            "module.yaml": make_manifest("house", requires="[kingsburg]", language="1"),
            **{f"{name}.edict": row["rules"] for name, row in SPECIFICATION["never"].items()},
        },
    )
    done = run_kingsburg(tmp_path, "study", "house", "--never", "--games", str(GAMES))
    own_part = done.stdout.partition("# kingsburg")[0]
    for name, row in SPECIFICATION["never"].items():
        with subtests.test(name=name):
            assert row["told"].format(games=2 * GAMES) in own_part


def test_rules_that_mean_what_they_say_have_no_findings() -> None:
    assert find_over_game(SPECIFICATION["meant"]) == []


@pytest.mark.parametrize("condition", ["inn", "good is gold and inn"])
def test_thing_in_place_of_a_condition_is_asked_about(condition: str) -> None:
    """Both the price of the Inn and prices for its owner may be meant, so neither is a fix."""
    (diagnostic,) = find_over_game(f"adjust price by -1 if {condition}\n")
    assert diagnostic.code == "E0401" and not diagnostic.edits
    assert "`building is inn`" in diagnostic.help and "`inn is in owned of you`" in diagnostic.help
