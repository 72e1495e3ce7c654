"""Forms that write rules: they ask what a game declares, and write what was answered."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from edict.compiler.pipeline.pipeline import understand
from edict.compiler.sources.module_set import gather
from edict.prose.rulebook.annotated_rules import AnnotatedRules, annotate_rules, read_annotated_rules
from edict.support.report import Diagnostic
from edict.tools.studio.rule_forms import (
    ADD,
    AMOUNTS,
    CHANGE,
    CHOICE,
    EFFECT,
    NEW,
    NUMBER,
    RULE,
    SEVERAL,
    TRUTH,
    Answers,
    Control,
    RuleForm,
    file_of,
    form_for,
    kinds,
    laid_into,
    written,
)
from edict.tools.studio.scaffolding import Blank, games, texts_of
from edict.tools.studio.studio_errors import StudioError

UNIQUE = "E0534"  # two things are alike in what no two may be alike in
GAMES = [name for name, _ in games()]
SEASON = {"moment": "when start of season", "does.1.count": "1", "does.1.what": "stone"}
SMITHY = {"title": "Smithy", "field.row": "B", "field.column": "1", "field.cost.wood": "2", "field.worth": "1"}


@pytest.fixture(scope="module")
def game() -> AnnotatedRules:
    return read_annotated_rules("kingsburg").unwrap()


def text_of(known: AnnotatedRules, form: RuleForm, answers: Answers, before: str = "") -> str:
    return laid_into(before, written(known, form, answers))[0]


# --- what is asked -----------------------------------------------------------------------------------


def test_forms_are_offered_for_what_does_or_costs_something_and_for_nothing_the_game_has_not(
    game: AnnotatedRules,
) -> None:
    assert {one.kind.value for one in kinds(game) if one.open} == {"advisor", "building", "enemy"}
    for what, kind, thing in ((ADD, "gold", ""), (CHANGE, "advisor", "inn"), ("", "", "")):
        with pytest.raises(StudioError):
            form_for(game, what, kind, thing)


def test_a_form_asks_for_the_fields_of_a_kind_and_shows_what_holds_now(game: AnnotatedRules) -> None:
    asked = {control.name: control for control in form_for(game, CHANGE, "advisor", "squire").controls}
    assert list(asked) == ["title", "field.rank", "field.reward", "field.extra"]  # and not what bots think of him
    assert (asked["field.rank"].low, asked["field.rank"].high, asked["field.rank"].now) == (1, 18, "2")
    assert asked["field.reward"].now == "Gain 1 gold."
    assert {"gold", "good", "do recruit"} <= {one.value for one in asked["field.reward"].choices}
    assert [control.name for control in form_for(game, ADD, "building").controls if control.needed] == [
        "title",
        "field.row",
        "field.column",
        "field.cost",
        "field.worth",
    ]


# --- what is written ---------------------------------------------------------------------------------


def gains(*what: tuple[str, str], **more: str) -> dict[str, str]:
    """What a reward is to be: amounts and names."""
    effect = {f"field.reward.{n}.{part}": one[at] for n, one in enumerate(what, 1) for at, part in PARTS}
    return effect | {f"field.reward.{name}": value for name, value in more.items()}


PARTS = (0, "count"), (1, "what")
WRITTEN = [
    ({"field.rank": "3"}, ["amend advisor squire", "  rank 3"]),
    ({"title": "Page"}, ['call squire "Page"']),
    (gains(("2", "gold")), ["amend advisor squire", "  reward gain 2 gold"]),
    (gains(("1", "gold"), ("1", "good"), join="or"), ["amend advisor squire", "  reward gain 1 gold or 1 good"]),
    (
        gains(("2", "gold"), ("-1", "point"), may="yes"),
        ["amend advisor squire", "  reward", "    may", "      gain 2 gold", "      lose 1 point"],
    ),
    (
        gains(("1", "gold"), ("2", "do recruit"), join="or"),
        ["amend advisor squire", "  reward", "    choose one", "      gain 1 gold", "      do recruit with 2"],
    ),
]


def test_a_change_writes_what_was_answered_and_nothing_else(game: AnnotatedRules) -> None:
    form = form_for(game, CHANGE, "advisor", "squire")
    for answers, lines in WRITTEN:
        assert text_of(game, form, answers).splitlines() == lines
        assert not written(game, form, answers).empty and written(game, form, {}).empty


def test_a_rule_for_everybody_says_when_for_whom_and_what(game: AnnotatedRules) -> None:
    answers = {
        "moment": "when start of summer",
        "does.1.count": "1",
        "does.1.what": "gold",
        "bound": "<=",
        "bound.count": "0",
        "bound.what": "gold",
        "quantity": "dice-rolled",
        "quantity.by": "-1",
    }
    assert text_of(game, form_for(game, RULE), answers).splitlines() == [
        "when start of summer",
        "  each player where gold of it <= 0",
        "    gain 1 gold",
        "",
        "adjust dice-rolled by -1",
    ]


def test_a_new_row_is_made_with_the_building_that_stands_in_it(game: AnnotatedRules) -> None:
    answers = SMITHY | SEASON | {"field.row": f"{NEW}row", "field.row.title": "G", "does.may": "yes"}
    assert text_of(game, form_for(game, ADD, "building"), answers).splitlines() == [
        'row g "G"',
        "  place 7",
        "",
        'building smithy "Smithy"',
        "  row g",
        "  column 1",
        "  cost 2 wood",
        "  worth 1",
        "  when start of season",
        "    may gain 1 stone",
    ]


def test_a_number_may_be_the_least_and_the_greatest_and_a_name_that_is_taken_gets_a_number(
    game: AnnotatedRules,
) -> None:
    form = form_for(game, ADD, "building")
    for column in ("1", "4"):
        assert f"  column {column}\n" in text_of(game, form, SMITHY | {"field.column": column})
    assert 'building inn-2 "Inn"' in text_of(game, form, SMITHY | {"title": "Inn"})


NO_NUMBERS = ("-", "+", "\u2212", "\u2212x", "5\u2212", "1.5", "\u0661", "9" * 5000)


def test_what_cannot_be_written_is_said(game: AnnotatedRules) -> None:
    form = form_for(game, ADD, "building")
    for answers, reason in (
        ({}, "“What is it called?” is not filled in yet"),
        (SMITHY | {"field.column": "5"}, "5 is not within 1 to 4"),
        (SMITHY | {"field.column": "0"}, "0 is not within 1 to 4"),
        (SMITHY | {"field.column": "two"}, "`two` is not a number"),
        *((SMITHY | {"field.column": one}, f"`{one}` is not a number") for one in NO_NUMBERS),
        (SMITHY | {"field.row": "Z"}, "`Z` is not offered here"),
        (SMITHY | {"title": 'A "smithy"'}, "a name has no quotation marks"),
        (SMITHY | {"field.row": f"{NEW}row"}, "“Row” has no name yet"),
        (SMITHY | {"moment": "when start of season"}, "what happens then is not filled in yet"),
        (SMITHY | {"quantity": "strength\n  worth 9", "quantity.by": "1"}, "`strength\n  worth 9` is not offered here"),
    ):
        with pytest.raises(StudioError) as refused:
            written(game, form, answers)
        assert refused.value.reason == reason


# --- where it is written -----------------------------------------------------------------------------


OWN = """\
# Mine.
amend advisor squire
  reward
    gain 1 gold
    # for now
  # his rank
  rank 2

when end of year
  each player
    gain 1 gold
"""


def test_what_the_file_says_already_is_said_anew_in_its_place(game: AnnotatedRules) -> None:
    form = form_for(game, CHANGE, "advisor", "squire")
    made = written(game, form, {"field.reward.1.count": "3", "field.reward.1.what": "wood"})
    whole, first, last = laid_into(OWN, made)
    assert whole == OWN.replace("  reward\n    gain 1 gold\n", "  reward gain 3 wood\n")
    assert whole.splitlines()[first - 1 : last] == whole.splitlines()[1:6]
    more = written(game, form, {"title": "Page", "field.extra": "yes"})
    whole, first, last = laid_into(OWN, more)
    assert whole.splitlines()[first - 1 : last] == [
        'call squire "Page"',
        *OWN.splitlines()[1:7],
        "  extra yes",
    ]
    assert laid_into("# Mine.\n", made) == ("# Mine.\n\namend advisor squire\n  reward gain 3 wood\n", 3, 4)
    assert laid_into("", made) == ("amend advisor squire\n  reward gain 3 wood\n", 1, 2)
    assert file_of({"a.edict": "row x\n", "b.edict": OWN, "c.md": OWN}, "squire") == "b.edict"


def test_a_thing_of_ones_own_is_changed_where_it_is_declared(game: AnnotatedRules) -> None:
    form = form_for(game, ADD, "building")
    text = text_of(game, form, SMITHY)
    changed = RuleForm(CHANGE, "", form.controls, "building", "smithy")
    answers = {"title": "Forge", "field.worth": "2", **SEASON}
    needed = {"field.row": "B", "field.column": "1", "field.cost.wood": "2"}
    assert text_of(game, changed, needed | answers, text).splitlines() == [
        'building smithy "Forge"',
        "  row B",
        "  column 1",
        "  cost 2 wood",
        "  worth 2",
        "  when start of season",
        "    gain 1 stone",
    ]


# --- whatever is answered ----------------------------------------------------------------------------


@pytest.mark.sample(6)
@pytest.mark.parametrize("name", GAMES)
def test_whatever_is_answered_is_rules_that_can_be_read(name: str, tmp_path: Path) -> None:
    """Random answers to every form of every game that ships; only what is not allowed twice may be wrong with them."""
    known, luck = read_annotated_rules(name).unwrap(), random.Random(7)
    for file, text in texts_of(Blank(name), "mine").items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    rules = tmp_path / "rules.edict"
    forms = [form_for(known, RULE), *(form_for(known, ADD, one.kind.value) for one in kinds(known) if one.open)]
    forms += [form_for(known, CHANGE, one.kind.value, luck.choice(one.things).value) for one in kinds(known)]
    for form in forms:
        answers = {key: value for control in form.controls for key, value in answered(control, luck)}
        rules.write_text(text_of(known, form, answers), encoding="utf-8")
        unexpected = [one for one in found(tmp_path) if one.code != UNIQUE]
        assert not unexpected, f"{rules.read_text(encoding='utf-8')}\n{unexpected[0]}"


def found(folder: Path) -> Iterator[Diagnostic]:
    gathered = gather(str(folder))
    outcome = gathered.and_then(understand).and_then(lambda _: annotate_rules(gathered.unwrap()))
    return (one for one in outcome.diagnostics if one.is_error)


def answered(control: Control, luck: random.Random) -> Iterator[tuple[str, str]]:
    """Something for a control, whatever sort it is of."""
    chosen = luck.choice(control.choices).value if control.choices else ""
    if control.sort == NUMBER:
        yield control.name, str(luck.randint(max(control.low, -9), min(control.high, 9)))
    elif control.sort == TRUTH:
        yield control.name, luck.choice(("yes", "no"))
    elif control.sort == CHOICE:
        yield from ((control.name, chosen), (f"{control.name}.title", "Brand new"))
    elif control.sort == SEVERAL:
        yield control.name, chosen
    elif control.sort == AMOUNTS:
        yield f"{control.name}.{chosen}", "2"
    elif control.sort == EFFECT:
        yield from ((f"{control.name}.1.what", chosen), (f"{control.name}.1.count", str(luck.choice((-1, 2)))))
        yield from ((f"{control.name}.2.what", luck.choice(control.choices).value), (f"{control.name}.2.count", "1"))
        yield f"{control.name}.join", luck.choice(("and", "or"))
        yield f"{control.name}.may", luck.choice(("", "yes"))
    else:
        yield control.name, "Something else"
