"""All passes of a check draw on one budget, which counts the same whatever is cached, and ends with a message."""

from __future__ import annotations

from helpers import module, with_game

from edict.front.pipeline import build
from edict.language.incremental import KEPT
from edict.sources.module_set import Modules
from edict.sources.work_budget import spend, work_budget

THINGS = "".join(f"kind k{i}\n  worth number from 1 to 999\nk{i} for each worth\n" for i in range(200))


def _modules(rules: str) -> Modules:
    return (module(*with_game(rules)),)


def _count_work(rules: str) -> int:
    with work_budget() as budget:
        build(_modules(rules), optimized=False)
    return budget.spent


def test_what_short_rules_stand_for_is_counted_and_the_definition_named() -> None:
    (found,) = build(_modules(THINGS)).diagnostics
    assert found.code == "E0713" and found.title.startswith("to work out `k")
    assert _modules(THINGS)[0].sources[0].lines[found.span.line - 1].endswith(" for each worth")


def test_work_is_counted_alike_whatever_was_read_before() -> None:
    rules = "quantity q is 1\nadjust q by 2 if coin of you > 3\n"
    KEPT.forget()
    assert _count_work(rules) == _count_work(rules) > 0


def test_adjustments_of_one_quantity_take_work_in_proportion() -> None:
    def work(count: int) -> int:
        adjusts = "".join(f"adjust q by {i + 1} if coin of you > {i}\n" for i in range(count))
        return _count_work(f"quantity q is 1\n{adjusts}phase n\n" + "  gain q coin\n" * 20)

    assert work(400) - work(200) < 2.2 * (work(200) - work(100))


def test_a_budget_inside_another_is_the_same_and_ends_with_it() -> None:
    with work_budget() as outer:
        with work_budget() as inner:
            spend(5)
        assert inner is outer and outer.spent == 5
    spend(5)
    assert outer.spent == 5
