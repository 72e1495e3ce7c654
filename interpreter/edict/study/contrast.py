"""What a comparison found: as plain data, as sentences, and as a page.

The shape of the data is described in grammar/schema/comparison.schema.json.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from edict.machine.counters import CHOSEN, HELD, SAID, SCORED
from edict.study.comparing import FAVOUR, LENGTH, LESS, MORE, OFTEN, SAME, WINS, Answer, Comparison
from edict.study.drawing import Mark, dots
from edict.study.findings import Data
from edict.study.games import Setup
from edict.study.pages import Cell, Page, Part, Section, as_html
from edict.study.sequence import ALARM, looks

FORMAT = "edict comparison 1"
CERTAIN = "more than chance"
METHOD = (
    "Both were played over the same seeds, and the differences are those of pairs. The looks at growing numbers of "
    "pairs were planned beforehand; a false alarm of 5 % in all is divided among the looks, and within each look held "
    "for all questions together by Holm's method. Intervals hold for all questions of their kind at once."
)


def contrast(found: Comparison, names: tuple[str, str]) -> Data:
    """Everything found."""
    answers = found.answers()
    return {
        "format": FORMAT, "rules": [_rules(found.one, names[0]), _rules(found.other, names[1])],
        "players": found.one.players, "bots": list(found.one.bots), "seed": found.one.seed,
        "budget": found.budget, "pairs": found.pairs, "broken": found.broken, "looks": looks(found.budget),
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
    new = names[1]
    for answer in answers:
        if answer.question.main and answer.verdict in (MORE, LESS):
            yield f"{new}: {answer.question.name} {_change(answer)}, {CERTAIN}."
    same = [a.question.name for a in answers if a.question.main and a.verdict == SAME]
    if same:
        yield f"No difference that matters: {'; '.join(same)}."
    unclear = [a.question.name for a in answers if a.question.main and a.verdict not in (MORE, LESS, SAME)]
    if unclear:
        yield f"Not clear with so many games: {'; '.join(unclear)}."
    details = [a for a in answers if not a.question.main]
    differing = [a for a in details if a.verdict in (MORE, LESS)]
    yield f"Of {len(details):,} details looked at, {len(differing):,} differ by {CERTAIN}."


def _change(answer: Answer) -> str:
    if answer.question.about == WINS:
        verb = "rises" if answer.value > 0 else "drops"
        return f"{verb} by {abs(100 * answer.value):.1f} percent to {100 * answer.other:.1f} %"
    verb = "grows" if answer.value > 0 else "shrinks"
    return f"{verb} by {abs(answer.value):.2f} to {answer.other:.2f}"


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
    told = [f"{data['broken']:,} pairs broke off and are not counted."] if data["broken"] else []
    if data["pairs"] + data["broken"] < data["budget"] and not data["clear"]:
        told.append(f"The comparison was stopped early: up to {data['budget']:,} pairs were wanted.")
    return told


def _sections(data: Data) -> Iterator[Section]:
    one, other = (rules["name"] for rules in data["rules"])
    yield Section("In short", "", [Part(head=[""], rows=[[Cell(text)] for text in data["said"]])])
    texts = {WINS: "Share of wins", "scores": "Scores", LENGTH: "Length"}
    parts = [_main(title, [a for a in data["main"] if a["about"] == about], about) for about, title in texts.items()]
    yield Section("The main questions", f"What {other} adds to {one}: a dot to the right is more.", parts)
    for title, kind, about in (
        ("What players choose", CHOSEN, OFTEN), ("What they hold at the end", HELD, OFTEN),
        ("Where their score comes from", SCORED, OFTEN), ("What happens in a game", SAID, OFTEN),
        ("What goes better or worse with winning", "", FAVOUR),
    ):  # fmt: skip
        chosen = [a for a in data["details"] if a["verdict"] in (MORE, LESS) and a["about"] == about]
        groups = _by_group([a for a in chosen if kind in ("", a["kind"])])
        parts = [Part(group, _chart(answers, about)) for group, answers in groups.items()]
        yield Section(title, _said_of(about), parts)


def _said_of(about: str) -> str:
    return (
        "Times, or score, a player and game. Only what differs by more than chance."
        if about == OFTEN
        else ("How much more those win who have it, above an even share, in percent of games.")
    )


def _by_group(answers: list[Data]) -> dict[str, list[Data]]:
    found: dict[str, list[Data]] = {}
    for answer in answers:
        found.setdefault(answer["group"], []).append(answer)
    return found


def _main(title: str, answers: list[Data], about: str) -> Part:
    return Part(title, _chart(answers, about))


def _chart(answers: list[Data], about: str) -> str:
    shares = about in (WINS, FAVOUR)
    unit = 100 if shares else 1
    marks = [_mark(answer, unit, shares) for answer in answers]
    return dots(marks, 0.0, "change, with interval", lambda value: f"{value:+g}" if value else "0")


def _mark(answer: Data, unit: float, shares: bool) -> Mark:
    by, (one, other) = answer["difference"], answer["values"]
    percent = " %" if shares else ""
    text = f"{unit * by['value']:+.2f}   ({unit * one:.2f}{percent} to {unit * other:.2f}{percent})"
    label = answer["option"] or answer["name"]
    return Mark(label, unit * by["value"], unit * by["low"], unit * by["high"], text)


__all__: list[Any] = ["contrast", "contrast_page", "sentences"]
