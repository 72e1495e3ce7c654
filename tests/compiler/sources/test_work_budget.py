"""The work budget, shared by all passes of a check, independent of caches, with a diagnostic when it is exceeded."""

from __future__ import annotations

from edict.compiler.pipeline.pipeline import build_program
from edict.compiler.sources.module_set import Modules
from edict.compiler.sources.work_budget import spend, use_work_budget
from edict.compiler.syntax.incremental import PIECE_CACHE
from helpers import add_game, make_module

THINGS = "".join(f"kind k{i}\n  worth number from 1 to 999\nk{i} for each worth\n" for i in range(200))


def _modules(rules: str) -> Modules:
    return (make_module(*add_game(rules)),)


def _count_work(rules: str) -> int:
    with use_work_budget() as budget:
        build_program(_modules(rules), optimized=False)
    return budget.spent


def test_expansion_of_short_rules_is_counted_and_the_definition_named() -> None:
    (found,) = build_program(_modules(THINGS)).diagnostics
    assert found.code == "E0713" and found.title.startswith("to work out `k")
    assert _modules(THINGS)[0].sources[0].lines[found.span.line - 1].endswith(" for each worth")


def test_work_does_not_depend_on_caches() -> None:
    rules = "quantity q is 1\nadjust q by 2 if coin of you > 3\n"
    PIECE_CACHE.clear()
    assert _count_work(rules) == _count_work(rules) > 0


def test_work_grows_linearly_with_adjustments() -> None:
    def count_work_of(count: int) -> int:
        adjusts = "".join(f"adjust q by {i + 1} if coin of you > {i}\n" for i in range(count))
        return _count_work(f"quantity q is 1\n{adjusts}phase n\n" + "  gain q coin\n" * 20)

    assert count_work_of(400) - count_work_of(200) < 2.2 * (count_work_of(200) - count_work_of(100))


def test_nested_budget_is_the_outer_one() -> None:
    with use_work_budget() as outer:
        with use_work_budget() as inner:
            spend(5)
        assert inner is outer and outer.spent == 5
    spend(5)
    assert outer.spent == 5
