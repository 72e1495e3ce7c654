"""Judgement for bots: in files of its own, invisible to players and readers, and right about the rules."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random

import pytest

import edict
from calling import ROOT
from edict.apps.cli.commands.rulebook import render_markdown
from edict.compiler.semantics.judgement import find_judgement
from edict.game.table.knowledge import compute_query
from edict.prose.rulebook.annotated_rules import remove_judgement
from edict.prose.rulebook.blame import sign_lines
from edict.prose.rulebook.cross_references import find_references
from edict.prose.rulebook.rule_search import collect_named_definitions
from edict.prose.rulebook.rulebook_contents import build_rulebook
from edict.runtime.machine.loop import run
from edict.runtime.program import Program, create_state
from edict.runtime.program import opcodes as o
from reading import EVERYTHING, Call, load_annotated, write_module

PLAIN = {"project", "standing", "service", "wins", "losses", "plans", "appeal"}  # words of everyday English
ROLLING = [("destiny",), (), ("governors", "more-buildings"), ("goblin-valley",)]


def words_of_judgement(modules: tuple[str, ...]) -> set[str]:
    """Names and titles by which the judgement could be met."""
    known = load_annotated("kingsburg", *modules)
    names = find_judgement(known.linked).names
    titles = {one.title for name, one in known.definitions.items() if name in names and one.title}
    assert {"prospects", "charm", "yearly", "king-most"} <= names and "strength" not in names
    return titles | names - PLAIN


@pytest.mark.parametrize(
    "modules", [("governors",), pytest.param(EVERYTHING, marks=pytest.mark.slow)], ids=["governors", "everything"]
)
def test_judgement_appears_nowhere_in_the_rulebook(modules: tuple[str, ...]) -> None:
    wanted = words_of_judgement(modules)
    known = remove_judgement(load_annotated("kingsburg", *modules))
    read = render_markdown(
        build_rulebook(load_annotated("kingsburg", *modules), load_annotated("kingsburg"))
    ).splitlines()
    for name in collect_named_definitions(known):
        read += [f"{line.text}  {line.span.file}" for line in sign_lines(known, name)]
    read += [f"{touch.who} {touch.how} {touch.whom} {touch.part} {touch.words}" for touch in find_references(known)]
    read += [thing.words for kind in edict.load("kingsburg", modules).program.kinds for thing in kind.things]
    assert not [(line, word) for line in read for word in (*wanted, "judgement.edict") if word in line]


def test_judgement_has_files_of_its_own(subtests: pytest.Subtests) -> None:
    """Whoever reads the other files of what ships meets no field or quantity of it."""
    names = find_judgement(load_annotated("kingsburg", *EVERYTHING).linked).names - {
        "service",
        "standing",
        "project",
        "wins",
    }
    files = [file for folder in ("rules", "modules") for file in (ROOT / folder).rglob("*.edict")]
    assert len(files) > 30
    for file in files:
        with subtests.test(file=file):
            words = set(file.read_text(encoding="utf-8").split())
            assert file.name == "judgement.edict" or not words & names


def test_show_and_graph_explain_judgement_by_name(call: Call) -> None:
    assert "charm number" in call("show", "charm").stdout and "charm" not in call("show", "advisor").stdout
    assert "value of an advisor" in call("graph", "appeal").stdout


def test_building_of_a_module_may_have_its_own_judgement(call: Call, tmp_path: Path, subtests: pytest.Subtests) -> None:
    """In its own lines or in an amendment of the same module; and a module may remove what the game judges."""
    text = 'row H "H"\n  place 8\n\nbuilding mill "Mill"\n  row H\n  column 1\n  cost 1 wood\n  worth 1\n  yearly 9\n'
    folder = str(write_module(tmp_path / "mills", text + "\namend building inn\n  yearly 1\n\nremove advisor queen\n"))
    for name in ("mill", "inn"):
        with subtests.test(name=name):
            assert "yearly" not in call("show", name, "--with", folder).stdout
    told = call("diff", "base", folder)
    assert told.returncode == 0 and "Mill" in told.stdout and "Inn" not in told.stdout


# --- what it says of the king's soldiers ------------------------------------------------------------


@cache
def program(modules: tuple[str, ...]) -> Program:
    return edict.load("kingsburg", modules).program


def quantity(program: Program, state: list[int], name: str, *args: int) -> int:
    one = next(measure for measure in program.reasons.measures if measure.name == name)
    return one.value if one.query < 0 else compute_query(program, state, one.query, *args)


@pytest.mark.parametrize("modules", ROLLING, ids="+".join)
@pytest.mark.sample(2)
def test_expected_soldiers_of_the_king_are_exact_bounds(modules: tuple[str, ...], subtests: pytest.Subtests) -> None:
    """Before each die of the king's: no fewer and no more can come, and both do."""
    rolled = program(modules)
    sent = next(v for v in rolled.variables if v.name == "sent")
    met: set[tuple[int, int, int]] = set()
    for seed in range(10):
        state = create_state(rolled, 2, {s.name: s.value for s in rolled.settings})
        luck, log, expected = Random(seed), [0] * 20_001, (0, 0)
        while run(rolled.code, state, log) == o.ASKING:
            for at in range(1, log[0] + 1, o.EVENT_SIZE):
                kind, _, cell, _, value = log[at : at + 5]
                if kind == o.EV_SET and cell == sent.base:
                    met.add((*expected, value))
            log[0] = 0
            expected = (quantity(rolled, state, "king-least"), quantity(rolled, state, "king-most"))
            state[o.ANSWER] = luck.randrange(state[o.OPTIONS])
    for least, most in {(least, most) for least, most, _ in met}:
        with subtests.test(least=least):
            values = {value for low, high, value in met if (low, high) == (least, most)}
            assert (min(values), max(values)) == (least, most), values
    assert any(most == 6 for _, most, _ in met) and ("destiny" not in modules or any(most == 2 for _, most, _ in met))


def test_expected_soldier_tokens_are_those_left() -> None:
    """Any that is left; once one is chosen, that one, and the others are kept back."""
    game = edict.load("kingsburg", ("soldier-tokens",)).new_game(["Ann", "Brian"], seed=1)
    names = ("fewest-to-come", "most-to-come", "kept-back")
    assert [quantity(game.program, game.state, name, 0) for name in names] == [0, 4, 11]
    while game.ask.prompt != "Which soldier token do you send?":
        game.answer(0)
    seat = game.seat
    before = game.copy()
    game.answer("three")
    assert [quantity(game.program, game.state, name, seat) for name in names] == [3, 3, 8]
    judged = set()
    for option in before.ask.options:
        tried = before.copy()
        tried.answer(option.key)
        judged.add(tried.judged(seat))
    assert len(judged) > 1, "the judgement must tell tokens apart"
