"""Pages that were read before: what is found in rules is the same with them and without."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count, takewhile
from pathlib import Path

import pytest

from calling import manifest, write
from edict.compiler.pipeline.compile import check_rules, compile_rules
from edict.compiler.pipeline.pipeline import keep_pages
from edict.compiler.syntax import page_cache as pages
from edict.compiler.syntax.incremental import KEPT
from edict.compiler.syntax.parse import Reading, read_page
from edict.support.report import Diagnostic
from edict.support.text import Source
from helpers import module
from workshop import fair

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
"""Lines of the variant, and what is written in their place: right, doubtful, and wrong for every pass."""


@pytest.fixture
def variant(tmp_path: Path) -> Path:
    """A module over a small game that lies beside it."""
    write(fair(tmp_path) / "mine", {"module.yaml": manifest("mine", requires="[fair]"), "rules.edict": RIGHT})
    return tmp_path / "mine"


def as_a_new_process(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    """Nothing is known any more but what lies in this cache."""
    monkeypatch.setenv("EDICT_CACHE", str(cache))
    pages._reading.cache_clear()
    KEPT.forget()


def found_in(variant: Path) -> tuple[Diagnostic, ...]:
    return check_rules(variant.parent / "fair", [str(variant)]).diagnostics


def test_a_check_finds_the_same_whether_the_game_was_read_before_or_not(
    variant: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    as_a_new_process(monkeypatch, tmp_path / "warm")
    assert found_in(variant) == ()
    wrong = 0
    for number, (line, instead) in enumerate(LINES):
        assert line in RIGHT
        (variant / "rules.edict").write_text(RIGHT.replace(line, instead, 1), encoding="utf-8")
        as_a_new_process(monkeypatch, tmp_path / f"cold{number}")
        cold = found_in(variant)
        for _ in range(1 if cold else 2):  # the second time over what the first one kept, if nothing was wrong
            as_a_new_process(monkeypatch, tmp_path / "warm")
            assert found_in(variant) == cold, instead
        wrong += bool(cold)
    assert len(LINES) / 2 < wrong < len(LINES)


def test_after_a_change_only_the_changed_file_is_read_again(
    variant: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    as_a_new_process(monkeypatch, tmp_path / "cache")
    found_in(variant)
    again = list[str]()

    def noted(source: Source) -> Reading:
        again.append(source.name)
        return read_page(source)

    monkeypatch.setattr(pages, "read_page", noted)
    (variant / "rules.edict").write_text(RIGHT + "# a remark\n", encoding="utf-8")
    as_a_new_process(monkeypatch, tmp_path / "cache")
    found_in(variant)
    assert again == ["mine/rules.edict"]
    as_a_new_process(monkeypatch, tmp_path / "cache")
    assert compile_rules(variant.parent / "fair", [str(variant)]).ok and len(again) == 1


def test_of_each_file_one_page_is_kept(variant: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    as_a_new_process(monkeypatch, tmp_path / "cache")
    found_in(variant)
    kept = sorted((tmp_path / "cache" / "pages").iterdir())
    for number in range(3):
        (variant / "rules.edict").write_text(RIGHT + f"# remark {number}\n", encoding="utf-8")
        assert found_in(variant) == ()
    assert sorted((tmp_path / "cache" / "pages").iterdir()) == kept


def test_what_is_wrong_is_not_kept(variant: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    as_a_new_process(monkeypatch, tmp_path / "cache")
    (variant / "rules.edict").write_text("phase\n", encoding="utf-8")
    assert found_in(variant)
    assert not (tmp_path / "cache" / "pages").exists()


def steps_in_steps(*lines: str) -> Callable[[int], str]:
    """Rules in which these lines stand in each other, so many in all."""

    def rules(times: int) -> str:
        steps = [*(lines[depth % len(lines)] for depth in range(times * len(lines))), "gain 1 coin"]
        return "\n".join(["when dawn", *("  " * depth + step for depth, step in enumerate(steps, 1))]) + "\n"

    return rules


def test_what_is_nested_as_deep_as_it_may_be_is_kept_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number, rules in enumerate(
        (
            steps_in_steps("if yes"),
            steps_in_steps("choose one", 'option "A"'),
            lambda times: "when dawn\n  gain " + "(1 + " * times + "1" + ")" * times + " coin\n",
            lambda times: "when dawn\n  gain " + "- " * times + "1 coin\n",
        )
    ):
        as_a_new_process(monkeypatch, tmp_path / f"cache{number}")
        *_, deepest = takewhile(lambda text: read_page(Source("page1.edict", text)).ok, map(rules, count(1)))
        assert deepest.count("\n") > 20 or len(deepest) > 100
        deep = module(deepest)
        keep_pages((deep,))
        as_a_new_process(monkeypatch, tmp_path / f"cache{number}")
        with monkeypatch.context() as patch:
            patch.setattr(pages, "read_page", lambda _: pytest.fail("read again"))
            assert all(pages.reading(source).ok for source in deep.sources)
