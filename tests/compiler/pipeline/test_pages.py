"""Cached pages, with which a check finds the same as without."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count, takewhile
from pathlib import Path
from typing import Any

import pytest

from calling import make_manifest, write_files
from edict.compiler.pipeline.compile import check_rules, compile_rules
from edict.compiler.pipeline.pipeline import save_pages
from edict.compiler.syntax import parse as pages
from edict.compiler.syntax.incremental import PIECE_CACHE
from edict.compiler.syntax.parse import ParseResult, parse_file
from edict.support.report import Diagnostic
from edict.support.text import Source
from helpers import make_module
from workshop import write_fair

RIGHT = """\
amend stall tavern
  gift gain 2 coin and 1 cloth

group ware "ware/wares" is cloth, coin

stall smithy "Smithy"
  price 4
  cost 2 coin
  gift
    gain 1 coin
  when sold
    may spend 1 cloth
      gain 2 coin

adjust income by 1 if coin of you = 1
"""
# lines of the variant and their replacements: correct, doubtful, and wrong for each pass
LINES = (
    ("  price 4", "  price 5"),
    ("  price 4", "  price no"),
    ("  price 4", "  prcie 4"),
    ("  price 4", "  price 17"),
    ("  price 4\n", ""),
    ("stall smithy", "stall bakery"),
    ("gain 2 coin\n\nadjust", "gain 2 coni\n\nadjust"),
    ("gain 2 coin\n\nadjust", "gain of 2 coin coin\n\nadjust"),
    ("when sold", "when slod"),
    ("if coin of you = 1", "if coin of you < 0"),
    ("if coin of you = 1", "if price of smithy = 4"),
    ("income by", "income twice by"),
    ("tavern\n", "tavern\n  cost 17 wood\n"),
    ("adjust", "remove stall bakery\n\nadjust"),
)


@pytest.fixture
def variant(tmp_path: Path) -> Path:
    """A module over a small game that lies beside it."""
    write_files(
        write_fair(tmp_path) / "mine", {"module.yaml": make_manifest("mine", requires="[fair]"), "rules.edict": RIGHT}
    )
    return tmp_path / "mine"


def reset_caches(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    """Clear the caches in memory and use this cache folder."""
    monkeypatch.setenv("EDICT_CACHE", str(cache))
    pages._load_or_parse.cache_clear()
    pages.save_page.cache_clear()
    PIECE_CACHE.clear()


def check_variant(variant: Path) -> tuple[Diagnostic, ...]:
    return check_rules(variant.parent / "fair", [str(variant)]).diagnostics


def test_check_finds_the_same_with_cached_pages(variant: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reset_caches(monkeypatch, tmp_path / "warm")
    assert check_variant(variant) == ()
    wrong = 0
    for number, (line, instead) in enumerate(LINES):
        assert line in RIGHT
        (variant / "rules.edict").write_text(RIGHT.replace(line, instead, 1), encoding="utf-8")
        reset_caches(monkeypatch, tmp_path / f"cold{number}")
        cold = check_variant(variant)
        for _ in range(1 if cold else 2):  # the second time over what the first one kept, if nothing was wrong
            reset_caches(monkeypatch, tmp_path / "warm")
            assert check_variant(variant) == cold, instead
        wrong += bool(cold)
    assert len(LINES) / 2 < wrong < len(LINES)


def test_only_the_changed_file_is_parsed_again(variant: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reset_caches(monkeypatch, tmp_path / "cache")
    check_variant(variant)
    again = list[str]()

    def record_parse(source: Source, *args: Any, **kwargs: Any) -> ParseResult:
        again.append(source.name)
        return parse_file(source, *args, **kwargs)

    monkeypatch.setattr(pages, "parse_file", record_parse)
    (variant / "rules.edict").write_text(RIGHT + "# a remark\n", encoding="utf-8")
    reset_caches(monkeypatch, tmp_path / "cache")
    check_variant(variant)
    assert set(again) == {"mine/rules.edict"}
    again.clear()
    reset_caches(monkeypatch, tmp_path / "cache")
    assert compile_rules(variant.parent / "fair", [str(variant)]).ok and not again


def test_one_page_is_cached_per_file(variant: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reset_caches(monkeypatch, tmp_path / "cache")
    check_variant(variant)
    kept = sorted((tmp_path / "cache" / "pages").iterdir())
    for number in range(3):
        (variant / "rules.edict").write_text(RIGHT + f"# remark {number}\n", encoding="utf-8")
        assert check_variant(variant) == ()
    assert sorted((tmp_path / "cache" / "pages").iterdir()) == kept


def test_faulty_page_is_not_cached(variant: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reset_caches(monkeypatch, tmp_path / "cache")
    (variant / "rules.edict").write_text("phase\n", encoding="utf-8")
    assert check_variant(variant)
    assert not (tmp_path / "cache" / "pages").exists()


def nested_steps(*lines: str) -> Callable[[int], str]:
    """Return a function that builds rules with these lines nested a number of times."""

    def build_rules(times: int) -> str:
        steps = [*(lines[depth % len(lines)] for depth in range(times * len(lines))), "gain 1 coin"]
        return "\n".join(["when dawn", *("  " * depth + step for depth, step in enumerate(steps, 1))]) + "\n"

    return build_rules


def test_deepest_allowed_nesting_can_be_cached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    for number, rules in enumerate(
        (
            nested_steps("if yes"),
            nested_steps("choose one", 'option "A"'),
            lambda times: "when dawn\n  gain " + "(1 + " * times + "1" + ")" * times + " coin\n",
            lambda times: "when dawn\n  gain " + "- " * times + "1 coin\n",
        )
    ):
        with subtests.test(rules=rules):
            reset_caches(monkeypatch, tmp_path / f"cache{number}")
            *_, deepest = takewhile(lambda text: parse_file(Source("page1.edict", text)).ok, map(rules, count(1)))
            assert deepest.count("\n") > 20 or len(deepest) > 100
            deep = make_module(deepest)
            save_pages((deep,))
            reset_caches(monkeypatch, tmp_path / f"cache{number}")
            with monkeypatch.context() as patch:
                patch.setattr(pages, "parse_file", lambda _: pytest.fail("read again"))
                assert all(pages.get_parse_result(source).ok for source in deep.sources)
