"""The results of a study as plain data, which is printed, drawn and written to files.

The shape is described in grammar/schema/study.schema.json.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from typing import Any

from edict.agents.study.bot_games import GameSetup, get_plan
from edict.agents.study.inference import (
    ALARM,
    Estimate,
    apply_holm,
    compare_shares,
    compute_p_value,
    estimate_difference,
    estimate_mean,
    estimate_share,
    estimate_slope,
)
from edict.agents.study.option_groups import label_announcement, select_draws, select_groups
from edict.agents.study.totals import FeatureSums, SeatBin, Totals
from edict.agents.study.verdict import MIN_OFFERED, describe_study
from edict.runtime.program import Program
from edict.runtime.simulation.counters import (
    AMOUNT,
    CHOSEN,
    DRAWN,
    GROUPED,
    HELD,
    NAMED,
    SAID,
    SCORED,
    CountingPlan,
    Feature,
    list_named_options,
    score_variable,
)
from edict.runtime.simulation.counting_layout import SHARE
from edict.support.morphology import split_title

FORMAT = "edict study 1"
Data = dict[str, Any]
BIN_NAMES = ("0", "1", "2", "3", "4 or more")


def summarize_study(setup: GameSetup, totals: Totals, requested: int) -> Data:
    """Return all results of a study.

    Args:
        setup: The setup.
        totals: The totals of its games.
        requested: The number of games that were requested.
    """
    plan, program = get_plan(setup), setup.program
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
        "asked": requested,
        "games": totals.games,
        "faults": dict(totals.faults),
        "mishaps": dict(totals.mishaps),
        "shared": totals.shared,
    }
    if not totals.games:
        return data
    sums = FeatureSums(plan, totals)
    data |= {
        "score_unit": name_score_unit(program),
        "score": summarize_counts(_merge_counters(totals.scores)),
        "winning_score": summarize_counts(totals.winning),
        "margin": summarize_counts(totals.margins),
        "length": {name: summarize_counts(counts) for name, counts in totals.lengths.items()},
        "seats": list(_iter_seats(setup, totals, sums)),
        "places": [_share_to_data(wins, totals.games) for wins in sums.wins_by_place()],
        "round": plan.round_name,
        "sources": list(_iter_sources(plan, sums, totals)),
        "chosen": list(_iter_groups(plan, sums, totals, CHOSEN)),
        "held": list(_iter_groups(plan, sums, totals, HELD)),
        "drawn": list(_iter_groups(plan, sums, totals, DRAWN)),
        "grouped": list(_iter_grouped(plan, sums, totals)),
        "course": list(_iter_course(plan, sums)),
        "turns": _turns_to_data(plan, sums),
        "announced": list(_iter_announcements(plan, sums, totals)),
        "untaken": list(_iter_untaken(plan, sums)),
    }
    data["comparisons"] = mark_significant(data)
    return data | {"said": describe_study(data)}


def mark_significant(data: Data) -> Data:
    """Mark each reported difference as `significant` or not by Holm's procedure over all of them.

    Returns:
        The number of comparisons, of those that are significant, and the method.
    """
    tested = [
        *((option["lift"], _test_lift(option)) for group in select_groups(data) for option in group["options"]),
        *((option["effect"], _test(option["effect"])) for group in select_draws(data) for option in group["options"]),
        *((option["slope"], _test(option["slope"])) for group in data["grouped"] for option in group["options"]),
        *((place["difference"], _test(place["difference"])) for place in data["turns"]["places"]),
    ]
    known = [(difference, p_value) for difference, p_value in tested if difference and difference["low"] is not None]
    marks = apply_holm([p_value for _, p_value in known], ALARM)
    for (difference, _), mark in zip(known, marks, strict=True):
        difference["significant"] = mark
    return {"made": len(known), "significant": sum(marks), "method": "Holm", "alarm": ALARM}


def _test_lift(option: Data) -> float:
    """Return the p-value of an option's difference in win share."""
    sides = [option[side] for side in ("with", "without")]
    if not option["lift"]:
        return 1.0
    (hits, size), (other_hits, other_size) = ((side["win_share"]["value"] * side["of"], side["of"]) for side in sides)
    return compare_shares(hits, size, other_hits, other_size)


def _test(difference: Data | None) -> float:
    """Return the p-value of a difference with a symmetric interval."""
    if not difference or difference["low"] is None:
        return 1.0
    return compute_p_value(difference["value"], difference["high"] - difference["value"])


def name_score_unit(program: Program) -> str:
    """Return the plural of a point in the words of the rules; empty if the score is computed."""
    variable = score_variable(program)
    if variable:
        return split_title(variable.title or variable.name, variable.plural)[1]
    return ""


def estimate_to_data(estimate: Estimate) -> Data:
    """Return an estimate as data, without an infinite interval."""
    is_finite = isfinite(estimate.low) and isfinite(estimate.high)
    return {
        "value": estimate.value,
        "low": estimate.low if is_finite else None,
        "high": estimate.high if is_finite else None,
    }


def _difference_to_data(with_estimate: Estimate, without_estimate: Estimate) -> Data | None:
    """Return the estimated difference of two means as data; None unless both samples have at least two values."""
    if min(with_estimate.sample_size, without_estimate.sample_size) > 1:
        return estimate_to_data(estimate_difference(with_estimate, without_estimate))
    return None


def _share_to_data(wins: float, total: int) -> Data:
    return estimate_to_data(estimate_share(wins, total))


def summarize_counts(counts: Mapping[int, int]) -> Data:
    """Return mean with interval, 0.1, 0.5 and 0.9 quantiles, and the counts themselves, as data."""
    size = sum(counts.values())
    total = sum(value * count for value, count in counts.items())
    squares = sum(value * value * count for value, count in counts.items())
    quantiles = {
        name: compute_quantile(counts, part) for name, part in (("tenth", 0.1), ("median", 0.5), ("ninetieth", 0.9))
    }
    return {
        "mean": estimate_to_data(estimate_mean(total, squares, size)),
        **quantiles,
        "counts": {str(number): counts[number] for number in sorted(counts)},
    }


def compute_quantile(counts: Mapping[int, int], share: float) -> int:
    """Return the least value that at least the share `part` of all values do not exceed."""
    remaining = share * sum(counts.values())
    for value in sorted(counts):
        remaining -= counts[value]
        if remaining <= 0:
            return value
    return max(counts, default=0)


def _merge_counters(counters: Sequence[Counter[int]]) -> Counter[int]:
    """Return the sum of counters as a new one."""
    return sum(counters, Counter[int]())


def _iter_seats(setup: GameSetup, totals: Totals, sums: FeatureSums) -> Iterator[Data]:
    """Yield each seat's results as data: bot, wins, win share with interval, and distribution of scores."""
    for seat, (shares, scores) in enumerate(zip(sums.wins(), totals.scores, strict=True)):
        wins, share = totals.won[seat], _share_to_data(shares, totals.games)
        yield {
            "seat": seat + 1,
            "bot": setup.bots[seat],
            "wins": wins,
            "win_share": share,
            "score": summarize_counts(scores),
        }


def _iter_sources(plan: CountingPlan, sums: FeatureSums, totals: Totals) -> Iterator[Data]:
    """Yield each source of score with its points by seat and round, largest first; last the unexplained rest."""
    sources: list[tuple[float, Data]] = []
    seats = totals.games * plan.players
    unexplained = float(_sum_scores(totals))
    for number, feature in enumerate(plan.features):
        by_seat = sums.get_counts_by_seat(number)[: plan.players]
        if feature.kind == SCORED and any(sums.get_counts_by_round(number)):
            unexplained -= sum(by_seat)
            sources.append(
                (
                    sum(by_seat) / seats,
                    _source_to_data(feature, by_seat, sums.get_counts_by_round(number), totals.games),
                )
            )
    yield from (data for _, data in sorted(sources, key=lambda item: -item[0]))
    if unexplained:
        yield {"rule": "", "place": "", "brought": unexplained / seats, "by_seat": [], "by_round": []}


def _source_to_data(feature: Feature, by_seat: Sequence[int], by_round: Sequence[int], games: int) -> Data:
    """Return a source of score as data: points per player and game, per game by seat, and per player by round."""
    return {
        "rule": feature.option,
        "place": feature.place,
        "brought": sum(by_seat) / games / len(by_seat),
        "by_seat": [amount / games for amount in by_seat],
        "by_round": [amount / games / len(by_seat) for amount in by_round],
    }


def _iter_grouped(plan: CountingPlan, sums: FeatureSums, totals: Totals) -> Iterator[Data]:
    """Yield groups of things (the rows of what players hold) with what each more of a group goes with."""
    groups: dict[str, list[int]] = {}
    for number, feature in enumerate(plan.features):
        if feature.kind == GROUPED:
            groups.setdefault(feature.group, []).append(number)
    for title, numbers in groups.items():
        options = [_group_to_data(plan, sums, totals, number) for number in numbers]
        if any(option["slope"] for option in options):
            yield {"title": title, "of": plan.features[numbers[0]].of, "options": options}


def _group_to_data(plan: CountingPlan, sums: FeatureSums, totals: Totals, number: int) -> Data:
    """Return a group's statistics as data: frequency, win share by number held, and its slope."""
    bins = sums.bins(number)
    slope = estimate_slope([(times, one.wins, one.seats) for times, one in enumerate(bins)])
    return {
        "option": plan.features[number].option,
        "often": sum(sums.get_counts_by_seat(number)) / totals.games / plan.players,
        "times": {times: _bin_to_data(one, 1) for times, one in zip(BIN_NAMES, bins, strict=True)},
        "slope": slope and estimate_to_data(slope),
    }


def _iter_course(plan: CountingPlan, sums: FeatureSums) -> Iterator[Data]:
    """Yield scores and leads at the end of each round; nothing without rounds, or if the score is computed."""
    if not plan.round_name:
        return
    for number in range(plan.rounds):
        games, score, squares, winners, leaders = sums.get_round_sums(number)
        if games:
            yield {
                "round": number + 1,
                "games": games,
                "score": estimate_to_data(estimate_mean(score / plan.players, squares / plan.players**2, games)),
                "winners": winners / SHARE / games,
                "led": [led / games for led in sums.leads(number)],
                "leaders_win": _share_to_data(leaders / SHARE, games),
            }


def _turns_to_data(plan: CountingPlan, sums: FeatureSums) -> Data:
    """Return the win share by place in the turn order, each time the rules set it; no places if they never do."""
    rows = [sums.get_turn_place(place) for place in range(plan.players)]
    shares = [estimate_mean(wins / SHARE, squares / SHARE**2, games) for games, wins, squares in rows if games > 1]
    # less than the reciprocal of the number of players if nobody wins some games
    even = sum(share.value for share in shares) / max(1, len(shares))
    differences = [share.shift(-even) for share in shares]
    places = [
        {"win_share": estimate_to_data(share), "difference": estimate_to_data(difference)}
        for share, difference in zip(shares, differences, strict=True)
    ]
    return {"names": plan.turn_names, "places": places}


def _sum_scores(totals: Totals) -> int:
    """Return the sum of all scores, of all seats in all games."""
    return sum(score * count for scores in totals.scores for score, count in scores.items())


def _iter_groups(plan: CountingPlan, sums: FeatureSums, totals: Totals, kind: str) -> Iterator[Data]:
    """Yield groups of features of one kind (CHOSEN, DRAWN, HELD) with each option's counts and results."""
    groups: dict[str, list[int]] = {}
    for number, feature in enumerate(plan.features):
        if feature.kind == kind and (any(sums.get_counts_by_seat(number)) or sums.get_offer_count(number) > 0):
            groups.setdefault(feature.group, []).append(number)
    for group, numbers in groups.items():
        options = [_option_to_data(plan, sums, totals, number) for number in numbers]
        if kind != HELD or any(option["without"]["of"] for option in options):
            kind_name = next((plan.features[number].of for number in numbers if plan.features[number].of), "")
            yield {"title": group, "of": kind_name, "options": options}


def _option_to_data(plan: CountingPlan, sums: FeatureSums, totals: Totals, number: int) -> Data:
    """Return an option's statistics as data: frequencies, and win share and score of seats with and without it."""
    feature, by_seat, bins = plan.features[number], sums.get_counts_by_seat(number), sums.bins(number)
    seats = plan.players if feature.kind == DRAWN else 1
    with_bin = sum(bins[1:], SeatBin())
    both = with_bin.seats and bins[0].seats
    offered = sums.get_offer_count(number)
    return {
        "option": feature.option,
        "often": sum(by_seat) / totals.games / (1 if feature.kind == DRAWN else plan.players),
        "offered": offered / totals.games / plan.players,
        "taken": sum(by_seat) / offered if offered else None,
        "by_seat": [count / totals.games for count in by_seat[: plan.players]],
        "by_round": [count / totals.games for count in sums.get_counts_by_round(number)],
        "with": _bin_to_data(with_bin, seats),
        "without": _bin_to_data(bins[0], seats),
        "lift": estimate_to_data(_estimate_lift(with_bin, bins[0])) if seats == 1 and both else None,
        "effect": _difference_to_data(_estimate_score(with_bin, seats), _estimate_score(bins[0], seats)),
        "times": {times: _bin_to_data(one, seats) for times, one in zip(BIN_NAMES, bins, strict=True)},
    }


def _iter_untaken(plan: CountingPlan, sums: FeatureSums) -> Iterator[Data]:
    """Yield the options that were offered and never taken, then those never offered or drawn.

    What was offered less than `MIN_OFFERED` times, and what a question that was never asked could offer, are left out.
    """
    used = {
        (feature.of, feature.option)
        for number, feature in enumerate(plan.features)
        if feature.kind in (CHOSEN, DRAWN) and (any(sums.get_counts_by_seat(number)) or sums.get_offer_count(number))
    }
    unoffered: dict[tuple[str, str], Data] = {}
    for numbers in list_named_options(plan):
        offers = [sums.get_offer_count(number) for number in numbers]
        for number, offered in zip(numbers, offers, strict=True):
            feature = plan.features[number]
            finding = {"option": feature.option, "question": feature.group, "of": feature.of, "offered": offered}
            if offered >= MIN_OFFERED and not any(sums.get_counts_by_seat(number)):
                yield finding
            elif not offered and sum(offers) >= MIN_OFFERED and (feature.of, feature.option) not in used:
                unoffered.setdefault((feature.of, feature.option), finding)
    yield from unoffered.values()


def _bin_to_data(seat_bin: SeatBin, seats: int) -> Data:
    """Return a bin's size, win share and mean score as data; the estimates are None for an empty bin."""
    share = _share_to_data(seat_bin.wins, seat_bin.seats) if seats == 1 and seat_bin.seats else None
    return {
        "of": seat_bin.seats,
        "win_share": share,
        "score": estimate_to_data(_estimate_score(seat_bin, seats)) if seat_bin.seats else None,
    }


def _estimate_score(seat_bin: SeatBin, seats: int) -> Estimate:
    """Estimate the mean score of a seat, where `seats` scores were added up."""
    return estimate_mean(seat_bin.score / seats, seat_bin.squares / seats**2, seat_bin.seats)


def _estimate_lift(with_bin: SeatBin, without_bin: SeatBin) -> Estimate:
    """Estimate the difference of win shares between seats with and without something."""
    return estimate_difference(
        estimate_share(with_bin.wins, with_bin.seats), estimate_share(without_bin.wins, without_bin.seats)
    )


def _iter_announcements(plan: CountingPlan, sums: FeatureSums, totals: Totals) -> Iterator[Data]:
    """Yield the announcements with their frequency, the mean of their numbers, and the things named."""
    for number, feature in enumerate(plan.features):
        counts = sums.get_counts_by_round(number)
        if feature.kind == SAID and any(counts):
            yield {
                "words": feature.group,
                "label": label_announcement(feature.group),
                "often": sum(counts) / totals.games,
                "by_round": [count / totals.games for count in counts],
                "amounts": _mean_amounts(plan, sums, feature.group, counts),
                "named": [
                    {
                        "thing": other.option,
                        "by_round": [count / totals.games for count in sums.get_counts_by_round(index)],
                    }
                    for index, other in enumerate(plan.features)
                    if other.kind == NAMED and other.group == feature.group and any(sums.get_counts_by_round(index))
                ],
            }


def _mean_amounts(plan: CountingPlan, sums: FeatureSums, group: str, counts: Sequence[int]) -> list[float | None]:
    """Return by round the mean number that an announcement named; [] if it names none."""
    number = plan.feature_numbers.get((AMOUNT, group, "in all", ""))
    if number is None:
        return []
    return [
        total / times if times else None for total, times in zip(sums.get_counts_by_round(number), counts, strict=True)
    ]
