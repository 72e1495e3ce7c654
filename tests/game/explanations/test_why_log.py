"""Explanations of log lines: the rules behind them and the terms of their numbers."""

from __future__ import annotations

import pytest

from asking_why import ask_exactly, find_line, play_randomly, start_house
from edict.game.explanations.log_explanations import LogExplainer, NumberTerm
from edict.game.table.tracing import trace_step
from edict.runtime.program import opcodes as o

MODULES = ("governors", "destiny", "advisor-tiles")


def test_quantity_is_explained_by_its_formula_and_adjustments() -> None:
    game = start_house("may do plant", 'may "Go on?"', "  lose 1 fame")
    number = LogExplainer(game, 0).explain_measure(
        next(x for x in LogExplainer(game, 0).measures() if x.name == "vigour"), (0,)
    )
    assert number is not None and number.value == 8
    assert [(t.amount, t.label.removesuffix(" of Ann")) for t in number.terms] == [
        (3, "coins"),
        (2, "sticks"),
        (1, ""),
        (2, "Oak"),
    ]
    assert number.terms[-1].when and number.terms[-1].cause is not None
    assert number.terms[-1].cause.line == find_line("adjust vigour")
    assert "vigour of Ann 8 = 3 coins" in ask_exactly(game, "vigour") and "it cannot" not in ask_exactly(
        game, "need oak"
    )
    game.answer("ash")
    entry = next(x for x in reversed(game.log) if x.kind == "gain")
    (gained,) = LogExplainer(game, 0).explain_entry(entry).numbers
    assert gained.value == 8 and [t.label for t in gained.terms] == ["coins", "sticks", "", "Oak"]


@pytest.mark.parametrize("names", [("kingsburg",), ("kingsburg", *MODULES), ("pig",), ("kuhn-poker",)], ids="-".join)
def test_traced_replay_gives_the_same_events(names: tuple[str, ...], subtests: pytest.Subtests) -> None:
    game = play_randomly(names, 7, 60)
    explainer = LogExplainer(game, None)
    for step in explainer.steps[-25:]:
        with subtests.test(step=step):
            seen = [(one.kind, one.pc) for one in trace_step(game.table, step).events]
            assert seen == [(step.events[i], step.events[i + 1]) for i in range(0, len(step.events), o.EVENT_SIZE)]


def test_every_number_of_a_whole_game_has_terms(subtests: pytest.Subtests) -> None:
    """Gains, prices, battle strengths and final scores."""
    game, battles, terms = play_randomly(("kingsburg",), 7, 500), 0, list[NumberTerm]()
    explainer, scores = LogExplainer(game, None), game.scores()
    for entry in game.log:
        battle = " with strength " in entry.text
        told = explainer.explain_entry(entry) if battle or entry.kind == "gain" else None
        for number in told.numbers if told is not None else ():
            assert number.value == sum(term.amount for term in number.terms), entry.text
            terms += number.terms
            if battle:
                assert number.value == int(entry.text.rsplit(" ", 1)[1])
                assert number.terms[0].label in ("soldier", "soldiers") or number.terms[0].cause is not None
        if battle and told is not None:
            battles += 1
            titles = [link.cause.title for link in told.chain]
            assert titles[0] == "Kingsburg" and titles[-2:] == ["Winter", "The Battle"]
    assert battles > 5
    conditional = {(term.label, term.amount, term.when) for term in terms if term.when}
    assert ("Barricade", 1, "the attackers include Goblins") in conditional and min(term.amount for term in terms) < 0
    assert all(term.cause is not None and term.cause.file == "rules/buildings.edict" for term in terms if term.when)
    for seat, name in enumerate(game.players):
        with subtests.test(name=name):
            score = explainer.explain_score(seat)
            assert score is not None and score.value == scores[name] == sum(
                term.amount for term in explainer.score_sources(seat)
            )
    strength = next(one for one in explainer.measures() if one.name == "strength")
    stands = explainer.explain_measure(strength, (1,))
    assert stands is not None and stands.value == sum(term.amount for term in stands.terms)


def test_rule_of_a_module_is_named_with_its_module(subtests: pytest.Subtests) -> None:
    game = play_randomly(("kingsburg", *MODULES), 7, 500)
    explainer = LogExplainer(game, None)
    for module in MODULES:
        with subtests.test(module=module):
            entry = next(entry for entry in game.log if entry.cause.file.startswith(f"{module}/"))
            assert explainer.explain_entry(entry).chain[-1].module == module
            assert explainer.explain_entry(entry).chain[0].module == ""


def test_payment_with_a_token_has_terms() -> None:
    for seed in range(12):
        game = play_randomly(("kingsburg",), seed, 500)
        lines = [x for x in game.log if "with" in x.text and "+2 token" in x.text and x.kind == "choice"]
        for entry in lines[:1]:
            number = LogExplainer(game, None).explain_entry(entry).numbers[-1]
            assert number.terms[-1].amount == 2 and number.value == sum(term.amount for term in number.terms)
            return
    pytest.fail("no token was used in any of these games")


def test_answer_is_explained_with_its_requirements() -> None:
    game = play_randomly(("kingsburg",), 2, 30)
    answers = (x for x in reversed(game.log) if x.kind == "choice" and "Pass" not in x.text)
    entry = next(x for x in answers if x.cause.name == "influence")
    one = LogExplainer(game, None).explain_entry(entry)
    assert {"one-guest", "at-court", "received"} <= {reason.name for reason in one.requirements}
    assert all(reason.holds for reason in one.requirements)
