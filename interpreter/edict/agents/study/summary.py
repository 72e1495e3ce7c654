"""What a study found, as plain data under names: what is printed, drawn and written to files.

The shape is described in grammar/schema/study.schema.json.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from typing import Any

from edict.agents.study.bot_games import Setup, plan_of
from edict.agents.study.inference import Estimate, difference, mean, wilson
from edict.agents.study.totals import Bin, Sums, Totals
from edict.runtime.simulation.counters import AMOUNT, CHOSEN, DRAWN, HELD, NAMED, SAID, SCORED, CountingPlan, Feature

FORMAT = "edict study 1"
Data = dict[str, Any]
TIMES = ("0", "1", "2", "3", "4 or more")


def study_data(setup: Setup, totals: Totals, asked: int) -> Data:
    """Everything found; `asked` is how many games were wanted."""
    plan, program = plan_of(setup), setup.program
    data: Data = {
        "format": FORMAT,
        "game": {
            "name": program.name,
            "title": program.title,
            "version": program.version,
            "modules": list(program.modules),
            "rules": program.rules_hash,
        },
        "players": setup.players,
        "bots": list(setup.bots),
        "settings": dict(setup.settings),
        "seed": setup.seed,
        "asked": asked,
        "games": totals.games,
        "faults": dict(totals.faults),
        "mishaps": dict(totals.mishaps),
        "shared": totals.shared,
    }
    if not totals.games:
        return data
    sums = Sums(plan, totals)
    return data | {
        "score": spread_of(_merged(totals.scores)),
        "winning_score": spread_of(totals.winning),
        "margin": spread_of(totals.margins),
        "length": {name: spread_of(counts) for name, counts in totals.lengths.items()},
        "seats": list(_seats(setup, totals, sums)),
        "places": [_share(wins, totals.games) for wins in sums.wins_by_place()],
        "round": plan.round_name,
        "sources": list(_sources(plan, sums, totals)),
        "chosen": list(_groups(plan, sums, totals, CHOSEN)),
        "held": list(_groups(plan, sums, totals, HELD)),
        "drawn": list(_groups(plan, sums, totals, DRAWN)),
        "announced": list(_announced(plan, sums, totals)),
    }


def estimated(found: Estimate) -> Data:
    """The interval of a single number, which is all numbers, is left out."""
    known = isfinite(found.low) and isfinite(found.high)
    return {"value": found.value, "low": found.low if known else None, "high": found.high if known else None}


def _effect(had: Estimate, had_not: Estimate) -> Data | None:
    return estimated(difference(had, had_not)) if min(had.of, had_not.of) > 1 else None


def _share(wins: float, of: int) -> Data:
    return estimated(wilson(wins, of))


def spread_of(counts: Mapping[int, int]) -> Data:
    """Of whole numbers by how often each was met: the mean and its interval, quantiles, and the counts themselves."""
    of = sum(counts.values())
    total = sum(value * often for value, often in counts.items())
    squares = sum(value * value * often for value, often in counts.items())
    quantiles = {name: quantile(counts, part) for name, part in (("tenth", 0.1), ("median", 0.5), ("ninetieth", 0.9))}
    return {
        "mean": estimated(mean(total, squares, of)),
        **quantiles,
        "counts": {str(v): counts[v] for v in sorted(counts)},
    }


def quantile(counts: Mapping[int, int], part: float) -> int:
    """The least value that `part` of all do not exceed."""
    left = part * sum(counts.values())
    for value in sorted(counts):
        left -= counts[value]
        if left <= 0:
            return value
    return max(counts, default=0)


def _merged(counters: Sequence[Counter[int]]) -> Counter[int]:
    return sum(counters, Counter[int]())


def _seats(setup: Setup, totals: Totals, sums: Sums) -> Iterator[Data]:
    for seat, (shares, scores) in enumerate(zip(sums.wins(), totals.scores, strict=True)):
        wins, share = totals.won[seat], _share(shares, totals.games)
        yield {"seat": seat + 1, "bot": setup.bots[seat], "wins": wins, "win_share": share, "score": spread_of(scores)}


def _sources(plan: CountingPlan, sums: Sums, totals: Totals) -> Iterator[Data]:
    """What the score came from, by rule, in points a player and game; what no rule's event shows is the last."""
    found: list[tuple[float, Data]] = []
    seats = totals.games * plan.players
    left = float(_all_score(totals))
    for number, feature in enumerate(plan.features):
        by_seat = sums.by_seat(number)[: plan.players]
        if feature.kind == SCORED and any(sums.by_round(number)):
            left -= sum(by_seat)
            found.append((sum(by_seat) / seats, _source(feature, by_seat, sums.by_round(number), totals.games)))
    yield from (data for _, data in sorted(found, key=lambda one: -one[0]))
    if left:
        yield {"rule": "", "place": "", "brought": left / seats, "by_seat": [], "by_round": []}


def _source(feature: Feature, by_seat: Sequence[int], by_round: Sequence[int], games: int) -> Data:
    return {
        "rule": feature.option,
        "place": feature.place,
        "brought": sum(by_seat) / games / len(by_seat),
        "by_seat": [amount / games for amount in by_seat],
        "by_round": [amount / games / len(by_seat) for amount in by_round],
    }


def _all_score(totals: Totals) -> int:
    return sum(score * often for scores in totals.scores for score, often in scores.items())


def _groups(plan: CountingPlan, sums: Sums, totals: Totals, kind: str) -> Iterator[Data]:
    """Questions, draws or holdings, each with its options; those that tell nothing are left out."""
    groups: dict[str, list[int]] = {}
    for number, feature in enumerate(plan.features):
        if feature.kind == kind and (any(sums.by_seat(number)) or sums.offered(number) > 0):
            groups.setdefault(feature.group, []).append(number)
    for group, numbers in groups.items():
        options = [_option(plan, sums, totals, number) for number in numbers]
        if kind != HELD or any(option["without"]["of"] for option in options):
            of = next((plan.features[number].of for number in numbers if plan.features[number].of), "")
            yield {"title": group, "of": of, "options": options}


def _option(plan: CountingPlan, sums: Sums, totals: Totals, number: int) -> Data:
    feature, by_seat, bins = plan.features[number], sums.by_seat(number), sums.bins(number)
    seats = plan.players if feature.kind == DRAWN else 1
    had = sum(bins[1:], Bin())
    both = had.seats and bins[0].seats
    offered = sums.offered(number)
    return {
        "option": feature.option,
        "often": sum(by_seat) / totals.games / (1 if feature.kind == DRAWN else plan.players),
        "offered": offered / totals.games / plan.players,
        "taken": sum(by_seat) / offered if offered else None,
        "by_seat": [often / totals.games for often in by_seat[: plan.players]],
        "by_round": [often / totals.games for often in sums.by_round(number)],
        "with": _of_bin(had, seats),
        "without": _of_bin(bins[0], seats),
        "lift": estimated(_lift(had, bins[0])) if seats == 1 and both else None,
        "effect": _effect(_score(had, seats), _score(bins[0], seats)),
        "times": {times: _of_bin(one, seats) for times, one in zip(TIMES, bins, strict=True)},
    }


def _of_bin(one: Bin, seats: int) -> Data:
    """Of nobody nothing is known."""
    share = _share(one.wins, one.seats) if seats == 1 and one.seats else None
    return {"of": one.seats, "win_share": share, "score": estimated(_score(one, seats)) if one.seats else None}


def _score(one: Bin, seats: int) -> Estimate:
    """The mean score of a seat; of what was the whole table's, `seats` scores were added up."""
    return mean(one.score / seats, one.squares / seats**2, one.seats)


def _lift(had: Bin, had_not: Bin) -> Estimate:
    """How much more often those win who had it."""
    return difference(wilson(had.wins, had.seats), wilson(had_not.wins, had_not.seats))


def _announced(plan: CountingPlan, sums: Sums, totals: Totals) -> Iterator[Data]:
    """What was announced, how often a game and round, with the mean of numbers told and the things named."""
    for number, feature in enumerate(plan.features):
        often = sums.by_round(number)
        if feature.kind == SAID and any(often):
            yield {
                "words": feature.group,
                "often": sum(often) / totals.games,
                "by_round": [n / totals.games for n in often],
                "amounts": _amounts(plan, sums, feature.group, often),
                "named": [
                    {"thing": one.option, "by_round": [n / totals.games for n in sums.by_round(at)]}
                    for at, one in enumerate(plan.features)
                    if one.kind == NAMED and one.group == feature.group and any(sums.by_round(at))
                ],
            }


def _amounts(plan: CountingPlan, sums: Sums, group: str, often: Sequence[int]) -> list[float | None]:
    """The mean of the numbers in an announcement, by round; nothing if it describes none."""
    at = plan.feature_numbers.get((AMOUNT, group, "in all", ""))
    if at is None:
        return []
    return [total / times if times else None for total, times in zip(sums.by_round(at), often, strict=True)]
