"""The results of a comparison as plain data, which is printed, drawn and written to files.

The shape is described in grammar/schema/comparison.schema.json.
"""

from __future__ import annotations

from edict.agents.study.bot_games import GameSetup
from edict.agents.study.comparison import FORMAT, ComparedQuestion, Comparison
from edict.agents.study.inference import ALARM
from edict.agents.study.summary import Data, name_score_unit
from edict.agents.study.verdict import ComparedGames, describe_comparison


def comparison_data(comparison: Comparison, names: tuple[str, str], change: str = "") -> Data:
    """Return everything found as data.

    Args:
        comparison: The comparison.
        names: Both sets of rules as they are called.
        change: What the second rules add or set, as readers call it; by default their name.
    """
    answers = comparison.evaluate()
    games = ComparedGames(comparison.pairs, change or names[1], name_score_unit(comparison.other.program))
    return {
        "format": FORMAT,
        "rules": [_describe_rules(comparison.one, names[0]), _describe_rules(comparison.other, names[1])],
        "players": comparison.one.players,
        "bots": list(comparison.one.bots),
        "seed": comparison.one.seed,
        "budget": comparison.budget,
        "pairs": comparison.pairs,
        "broken": comparison.broken_pairs,
        "looks": comparison.looks,
        "alarm": ALARM,
        "matters": comparison.matters,
        "clear": comparison.clear,
        "said": describe_comparison(answers, games),
        "main": [_to_data(answer) for answer in answers if answer.question.main],
        "details": [_to_data(answer) for answer in answers if not answer.question.main],
    }


def _describe_rules(setup: GameSetup, name: str) -> Data:
    program = setup.program
    return {
        "name": name,
        "title": program.title,
        "modules": list(program.modules),
        "rules": program.rules_hash,
        "settings": dict(setup.settings),
    }


def _to_data(answer: ComparedQuestion) -> Data:
    question = answer.question
    kind, group, option, of = question.key
    return {
        "about": question.about,
        "name": question.name,
        "kind": kind,
        "group": group,
        "option": option,
        "of": of,
        "values": [answer.one, answer.other],
        "difference": {"value": answer.value, "low": answer.low, "high": answer.high},
        "p": answer.p,
        "verdict": answer.verdict,
    }
