"""What a comparison found: as plain data, as sentences, and as a page.

The shape of the data is described in grammar/schema/comparison.schema.json.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from edict.simulation.counters import CHOSEN, HELD, SAID, SCORED
from edict.study.comparing import FAVOUR, LENGTH, LESS, MORE, OFTEN, SAME, SCORES, WINS, Answer, Comparison
from edict.study.drawing import Axis, Chart, Mark, dots
from edict.study.findings import Data
from edict.study.games import Setup
from edict.study.html_report import Page, Part, Section, as_html
from edict.study.scales import digits, interval
from edict.study.sequence import ALARM, RARE

FORMAT = "edict comparison 1"
CERTAIN = "more than chance would explain"
METHOD = (
    "Both sets of rules were played with the same seeds, and what counts is the difference within each pair of games. "
    "The looks at growing numbers of pairs were planned in advance; a false-alarm rate of 5 % overall is divided among "
    "the looks and kinds of questions, and evenly among the questions of a kind (Bonferroni). So all intervals hold at "
    "once, and a difference is told where its interval does not hold 0. Nothing is said of a detail that differs in "
    f"fewer than {RARE} pairs."
)


def contrast(found: Comparison, names: tuple[str, str]) -> Data:
    """Everything found."""
    answers = found.answers()
    return {
        "format": FORMAT, "rules": [_rules(found.one, names[0]), _rules(found.other, names[1])],
        "players": found.one.players, "bots": list(found.one.bots), "seed": found.one.seed,
        "budget": found.budget, "pairs": found.pairs, "broken": found.broken, "looks": found.looks,
        "alarm": ALARM, "matters": found.matters, "clear": found.clear,
        "main": [_told(a) for a in answers if a.question.main],
        "details": [_told(a) for a in answers if not a.question.main],
        "said": list(sentences(answers, names)),
    }  # fmt: skip


def _rules(setup: Setup, name: str) -> Data:
    program = setup.program
    return {"name": name, "title": program.title, "modules": list(program.modules), "rules": program.rules_hash,
            "settings": dict(setup.settings)}  # fmt: skip


def _told(answer: Answer) -> Data:
    question = answer.question
    kind, group, option, of = question.key
    return {
        "about": question.about, "name": question.name, "kind": kind, "group": group, "option": option, "of": of,
        "values": [answer.one, answer.other],
        "difference": {"value": answer.value, "low": answer.low, "high": answer.high}, "p": answer.p,
        "verdict": answer.verdict,
    }  # fmt: skip


def sentences(answers: list[Answer], names: tuple[str, str]) -> Iterator[str]:
    """What can be said with confidence, and what cannot."""
    main = [answer for answer in answers if answer.question.main]
    for answer in main:
        if answer.verdict in (MORE, LESS):
            yield f"{names[1]}: {answer.question.name} {_change(answer)}; that is {CERTAIN}."
    same = [a.question.name for a in main if a.verdict == SAME]
    if same:
        yield f"No meaningful difference: {'; '.join(same)}."
    unclear = [a.question.name for a in main if a.verdict not in (MORE, LESS, SAME)]
    if unclear:
        yield f"Still unclear after this many games: {'; '.join(unclear)}."
    details = [a for a in answers if not a.question.main]
    differing = [a for a in details if a.verdict in (MORE, LESS)]
    yield f"Of {len(details):,} details examined, {len(differing):,} differ{'s' * (len(differing) == 1)} by {CERTAIN}."


def _change(answer: Answer) -> str:
    way = "up" if answer.value > 0 else "down"
    if answer.question.about == WINS:
        return f"{way} by {abs(100 * answer.value):.1f} percentage points to {100 * answer.other:.1f} %"
    return f"{way} by {abs(answer.value):.2f} to {answer.other:.2f}"


# --- the page ---------------------------------------------------------------------------------


def contrast_page(data: Data) -> str:
    one, other = (rules["name"] for rules in data["rules"])
    title = f"{data['rules'][0]['title']}: {other} against {one}"
    bots = ", ".join(sorted(set(data["bots"])))
    lead = f"{data['pairs']:,} pairs of games, {data['players']} players ({bots}), seed {data['seed']}."
    return as_html(Page(title, lead, _facts(data), list(_sections(data)), METHOD, _warnings(data)))


def _facts(data: Data) -> list[tuple[str, str]]:
    certain = sum(answer["verdict"] in (MORE, LESS) for answer in data["details"])
    return [
        ("pairs of games", f"{data['pairs']:,}"),
        (
            "main questions answered",
            f"{sum(a['verdict'] in (MORE, LESS, SAME) for a in data['main'])} of {len(data['main'])}",
        ),
        ("details that differ", f"{certain} of {len(data['details'])}"),
    ]


def _warnings(data: Data) -> list[str]:
    told = [f"{data['broken']:,} pairs were aborted and are not counted."] if data["broken"] else []
    if data["pairs"] + data["broken"] < data["budget"] and not data["clear"]:
        told.append(f"The comparison was stopped early; it could have gone on to {data['budget']:,} pairs.")
    return told


def _sections(data: Data) -> Iterator[Section]:
    one, other = (rules["name"] for rules in data["rules"])
    yield Section("In short", "", [Part(lines=data["said"])])
    texts = {WINS: "Win share", SCORES: "Scores", LENGTH: "Length"}
    parts = [
        Part(title, _chart([a for a in data["main"] if a["about"] == about], about, title))
        for about, title in texts.items()
    ]
    yield Section("The main questions", f"How {other} differs from {one}: a dot to the right means more.", parts)
    for title, kind, about in (
        ("What players choose", CHOSEN, OFTEN), ("What they hold at the end", HELD, OFTEN),
        ("Where their points come from", SCORED, OFTEN), ("What happens in a game", SAID, OFTEN),
        ("What correlates with winning", "", FAVOUR),
    ):  # fmt: skip
        chosen = [a for a in data["details"] if a["verdict"] in (MORE, LESS) and a["about"] == about]
        groups = _by_group([a for a in chosen if kind in ("", a["kind"])])
        parts = [Part(group, _chart(answers, about, f"{title}: {group}")) for group, answers in groups.items()]
        yield Section(title, _said_of(about, kind), parts)


def _said_of(about: str, kind: str) -> str:
    if about == FAVOUR:
        return "How far those who have it are above an even win share, in percentage points."
    what = {SCORED: "Points per player and game.", SAID: "Times per game."}.get(kind, "Times per player and game.")
    return f"{what} Only what differs by {CERTAIN}."


def _by_group(answers: list[Data]) -> dict[str, list[Data]]:
    found: dict[str, list[Data]] = {}
    for answer in answers:
        found.setdefault(answer["group"], []).append(answer)
    return found


def _chart(answers: list[Data], about: str, title: str) -> Chart | None:
    shares = about in (WINS, FAVOUR)
    unit = 100 if shares else 1
    places = digits(unit * answer["difference"][name] for answer in answers for name in ("value", "low", "high"))
    marks = [_mark(answer, shares, places) for answer in answers]
    change = "percentage points (interval)" if shares else "change (interval)"
    names = Axis(change, sign=True, note="before → after")
    return dots(marks, f"{title}: change, with its interval", names)


def _mark(answer: Data, shares: bool, places: int) -> Mark:
    unit, percent = (100, " %") if shares else (1, "")
    value, low, high = (unit * answer["difference"][name] for name in ("value", "low", "high"))
    before, after = (f"{unit * number:.{places}f}{percent}" for number in answer["values"])
    label, text = answer["option"] or answer["name"], interval(value, low, high, places)
    return Mark(label, value, low, high, text, f"{before} → {after}")


__all__: list[Any] = ["contrast", "contrast_page", "sentences"]
