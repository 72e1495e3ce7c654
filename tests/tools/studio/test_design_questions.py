"""Questions of designers: what they may name, how they are answered, and how answers are kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from edict.game.table.rules import load_rules
from edict.tools.studio import StudioError
from edict.tools.studio.collection import Collection
from edict.tools.studio.design_questions import (
    COST,
    GAME_COUNTS,
    MAX_KEPT,
    STRATEGIES,
    STRENGTH,
    AnswerStore,
    DesignAnswer,
    DesignQuestion,
    QuestionChoices,
    QuestionRun,
    answer_question,
    ask,
    list_choices,
    parse_question,
)
from edict.tools.studio.scaffolding import LaidOver
from edict.tools.studio.variant_files import Snapshot, compile_variant

TIMEOUT = 120  # seconds


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    return Collection(tmp_path_factory.mktemp("variants")).create(LaidOver("gem-fair"), "Fair").take_snapshot()


@pytest.fixture(scope="module")
def choices(snapshot: Snapshot) -> QuestionChoices:
    return list_choices(compile_variant(snapshot))


def get_answer(snapshot: Snapshot, question: DesignQuestion) -> tuple[DesignAnswer, list[int]]:
    """Return the last report of a question, and the numbers of games of all."""
    reports: list[DesignAnswer] = []
    answer_question(snapshot, question, reports.append)
    return reports[-1], [report.done for report in reports]


# --- what can be asked


def test_choices_are_what_the_rules_have(choices: QuestionChoices) -> None:
    titles = {choice.title for choice in choices.things}
    assert "Jade Palace" in titles and {choice.group for choice in choices.things} == {"workshop"}
    lines = [choice for choice in choices.numbers if choice.title.startswith("Jade Palace: ")]
    assert lines and all(f"[{choice.value}]" in choice.title for choice in lines)
    assert len({choice.place for choice in choices.numbers}) == len(choices.numbers)
    assert choices.usual_players in choices.players


def test_bot_with_a_network_is_offered_where_one_ships(choices: QuestionChoices) -> None:
    assert not choices.has_network
    assert list_choices(load_rules("kingsburg")).has_network


def test_forms_become_questions_in_words(choices: QuestionChoices) -> None:
    number = next(choice for choice in choices.numbers if choice.title.startswith("Jade Palace: "))
    fields = {"kind": "cost", "number": number.place, "goal": "games", "least": "25", "most": "40"}
    cost = parse_question(fields, choices)
    assert (cost.kind, cost.low, cost.high) == (COST, max(0, number.value - 2), number.value + 2)
    assert cost.goal == "25 to 40 % of games" and cost.title.endswith("so that it is used in 25 to 40 % of games?")
    strong = parse_question({"kind": "strength", "thing": "jade-palace", "players": "2"}, choices)
    assert (strong.kind, strong.title, strong.players) == (STRENGTH, "Is Jade Palace too strong?", 2)
    assert strong.plans == ("never jade-palace", "first jade-palace") and strong.games == GAME_COUNTS[0]
    plans = parse_question({"kind": "strategies", "first": " prefer ruby\r\n", "second": ""}, choices)
    assert (plans.kind, plans.plans, plans.names) == (STRATEGIES, ("", "prefer ruby"), ("B", "A"))


def test_questions_that_make_no_sense_are_refused(choices: QuestionChoices, subtests: pytest.Subtests) -> None:
    number = next(choice.place for choice in choices.numbers if choice.is_counted)
    setting = next(choice.place for choice in choices.numbers if choice.group == "settings")
    for fields, reason in (
        ({}, "that is no question that the studio answers"),
        ({"kind": "cost", "number": "elsewhere:1:1", "goal": "games"}, "choose a number and what should come of it"),
        ({"kind": "cost", "number": number, "goal": "games", "low": "1", "high": "90"}, "from 1 to 90 is no range of"),
        ({"kind": "cost", "number": number, "goal": "games", "least": "40", "most": "25"}, "write two numbers, the"),
        ({"kind": "cost", "number": setting, "goal": "games"}, "that number belongs to nothing that players choose or"),
        ({"kind": "strength", "thing": "__class__"}, "choose something that players can choose"),
        ({"kind": "strength", "thing": "jade-palace", "players": "40"}, "so many players or games are not offered"),
        ({"kind": "strength", "thing": "jade-palace", "games": "1000000"}, "so many players or games are not offered"),
        ({"kind": "strength", "thing": "jade-palace", "bot": "mine:Bot"}, "there is no bot `mine:Bot`"),
        ({"kind": "strategies", "first": "x", "second": " x"}, "both strategies are the same"),
        ({"kind": "strategies", "first": "x" * 5000}, "a strategy is too long"),
    ):
        with subtests.test(fields=fields), pytest.raises(StudioError) as refused:
            parse_question(fields, choices)
        assert refused.value.reason.startswith(reason)


# --- answers


def test_cost_is_tuned_and_named_in_its_line(snapshot: Snapshot, choices: QuestionChoices) -> None:
    number = next(choice for choice in choices.numbers if choice.title.startswith("Jade Palace: "))
    fields = {"kind": "cost", "number": number.place, "goal": "games", "least": "1", "most": "99", "bot": "random"}
    question = parse_question({**fields, "low": "1", "high": "2"}, choices)
    answer, done = get_answer(snapshot, question)
    assert answer.finished and answer.done == answer.of == done[-1] and done == sorted(done)
    assert "“Jade Palace: jade, [" in answer.sentences[0] and " = " not in answer.sentences[0]
    assert len(answer.charts) == 1 and [row[0] for row in answer.charts[0].table] == ["1", "2"]


def test_strategies_are_compared_in_pairs(snapshot: Snapshot, choices: QuestionChoices) -> None:
    fields = {"kind": "strength", "thing": "jade-palace", "players": "2", "bot": "random"}
    answer, _ = get_answer(snapshot, parse_question(fields, choices))
    assert answer.finished and answer.sentences[0].startswith(("Yes, ", "No, ", "Not clear: "))
    assert "a player who never takes Jade Palace" in answer.sentences[0] and len(answer.charts) == 1
    assert any(line.startswith("With Jade Palace, “first jade-palace”: reached in") for line in answer.details)


def test_reason_why_there_is_no_answer_is_a_sentence(snapshot: Snapshot) -> None:
    question = DesignQuestion(STRATEGIES, "Does A beat B?", plans=("", "first nonsense"), names=("B", "A"))
    run = QuestionRun(snapshot, question)
    run.wait_until_done(TIMEOUT)
    assert "nonsense" in run.problem and not run.running


# --- answers that are kept


def test_answer_is_read_as_it_was_kept(tmp_path: Path, snapshot: Snapshot, choices: QuestionChoices) -> None:
    question = parse_question({"kind": "strength", "thing": "jade-palace", "players": "2", "bot": "random"}, choices)
    answer, _ = get_answer(snapshot, question)
    store, kept = AnswerStore(tmp_path / "answers"), ask(question, "mark")
    store.put(kept)
    assert store.get(kept.key) == kept
    store.put(answered := replace(kept, answer=answer))
    assert store.get(kept.key) == answered and answered.key == kept.key
    assert ask(question, "other rules").key != kept.key


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"format": "edict answer 0"}', '{"format": "edict answer 1"}'])
def test_unreadable_answer_is_none(tmp_path: Path, content: str) -> None:
    (tmp_path / f"{'0' * 16}.json").write_text(content, encoding="utf-8")
    assert AnswerStore(tmp_path).get("0" * 16) is None
    assert AnswerStore(tmp_path).get("../../secret") is None


def test_oldest_answers_make_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert MAX_KEPT >= 100
    monkeypatch.setattr("edict.tools.studio.design_questions.MAX_KEPT", 2)
    store, question = AnswerStore(tmp_path), DesignQuestion(STRENGTH, "Is it?")
    asked: list[Any] = [ask(question, str(number)) for number in range(4)]
    for kept in asked:
        store.put(kept)
    assert len(list(tmp_path.glob("*.json"))) == 2 and store.get(asked[-1].key) is not None
