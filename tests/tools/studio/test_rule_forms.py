"""Forms that write rules: their controls, and the rules they write."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from edict.compiler.pipeline.pipeline import analyze
from edict.compiler.sources.module_set import gather_modules
from edict.prose.rulebook.annotated_rules import AnnotatedRules, annotate_rules, read_annotated_rules
from edict.support.report import Diagnostic
from edict.tools.studio import StudioError
from edict.tools.studio.rule_forms import (
    ADD,
    AMOUNTS,
    CHANGE,
    CHOICE,
    EFFECT,
    NEW_PREFIX,
    NUMBER,
    RULE,
    SEVERAL,
    TRUTH,
    Answers,
    FormControl,
    RuleForm,
    build_form,
    find_file,
    insert_lines,
    list_kinds,
    write_lines,
)
from edict.tools.studio.scaffolding import BlankModule, build_files, list_games

UNIQUE = "E0534"  # two things are alike in what no two may be alike in
GAMES = [name for name, _ in list_games()]
SEASON = {"moment": "when start of season", "does.1.count": "1", "does.1.what": "stone"}
SMITHY = {"title": "Smithy", "field.row": "B", "field.column": "1", "field.cost.wood": "2", "field.worth": "1"}


@pytest.fixture(scope="module")
def game() -> AnnotatedRules:
    return read_annotated_rules("kingsburg").unwrap()


def write_rules(rules: AnnotatedRules, form: RuleForm, answers: Answers, before: str = "") -> str:
    return insert_lines(before, write_lines(rules, form, answers))[0]


# --- what is asked -----------------------------------------------------------------------------------


def test_forms_exist_only_for_kinds_with_effects_or_costs(
    game: AnnotatedRules,
) -> None:
    assert {changeable.kind.value for changeable in list_kinds(game) if changeable.open} == {
        "advisor",
        "building",
        "enemy",
    }
    for what, kind, thing in ((ADD, "gold", ""), (CHANGE, "advisor", "inn"), ("", "", "")):
        with pytest.raises(StudioError):
            build_form(game, what, kind, thing)


def test_form_has_controls_for_fields_with_their_values(game: AnnotatedRules) -> None:
    asked = {control.name: control for control in build_form(game, CHANGE, "advisor", "squire").controls}
    assert list(asked) == ["title", "field.rank", "field.reward", "field.extra"]  # and not what bots think of him
    assert (asked["field.rank"].low, asked["field.rank"].high, asked["field.rank"].now) == (1, 18, "2")
    assert asked["field.reward"].now == "Gain 1 gold."
    assert {"gold", "good", "do recruit"} <= {choice.value for choice in asked["field.reward"].choices}
    assert [control.name for control in build_form(game, ADD, "building").controls if control.needed] == [
        "title",
        "field.row",
        "field.column",
        "field.cost",
        "field.worth",
    ]


def test_places_of_a_form_tell_what_is_there_and_full_rows_are_not_possible(game: AnnotatedRules) -> None:
    def list_rows(what: str, thing: str = "") -> dict[str, tuple[str, bool]]:
        (control,) = (item for item in build_form(game, what, "building", thing).controls if item.name == "field.row")
        return {choice.value: (choice.title, choice.possible) for choice in control.choices}

    added, changed = list_rows(ADD), list_rows(CHANGE, "chapel")
    assert added["B"] == ("B: 1 Statue, 2 Chapel, 3 Church, 4 Cathedral", False)
    assert changed["B"] == ("B: 1 Statue, 2 free, 3 Church, 4 Cathedral", True)
    assert [value for value, (_, possible) in added.items() if possible] == [f"{NEW_PREFIX}row"]


def test_moments_of_a_form_are_grouped_by_the_phase_in_which_they_come(game: AnnotatedRules) -> None:
    (control,) = (item for item in build_form(game, RULE).controls if item.name == "moment")
    groups = {group: [choice.value for choice in choices] for group, choices in control.groups}
    assert list(groups) == [*dict.fromkeys(choice.group for choice in control.choices)]  # each heading once
    assert groups["The Battle"] == ["when revealed", "when onset"]
    assert "when start of winter" in groups["Year"] and "when start of setup" in groups["The whole game"]


# --- what is written ---------------------------------------------------------------------------------


def reward_answers(*rewards: tuple[str, str], **more: str) -> dict[str, str]:
    """Return answers for a reward of these amounts and names."""
    effect = {
        f"field.reward.{number}.{part}": reward[index]
        for number, reward in enumerate(rewards, 1)
        for index, part in PARTS
    }
    return effect | {f"field.reward.{name}": value for name, value in more.items()}


PARTS = (0, "count"), (1, "what")
WRITTEN = [
    ({"field.rank": "3"}, ["amend advisor squire", "  rank 3"]),
    ({"title": "Page"}, ['call squire "Page"']),
    (reward_answers(("2", "gold")), ["amend advisor squire", "  reward gain 2 gold"]),
    (
        reward_answers(("1", "gold"), ("1", "good"), join="or"),
        ["amend advisor squire", "  reward gain 1 gold or 1 good"],
    ),
    (
        reward_answers(("2", "gold"), ("-1", "point"), may="yes"),
        ["amend advisor squire", "  reward", "    may", "      gain 2 gold", "      lose 1 point"],
    ),
    (
        reward_answers(("1", "gold"), ("2", "do recruit"), join="or"),
        ["amend advisor squire", "  reward", "    choose one", "      gain 1 gold", "      do recruit with 2"],
    ),
]


def test_change_writes_only_answered_fields(game: AnnotatedRules, subtests: pytest.Subtests) -> None:
    form = build_form(game, CHANGE, "advisor", "squire")
    for answers, lines in WRITTEN:
        with subtests.test(answers=answers):
            assert write_rules(game, form, answers).splitlines() == lines
            assert not write_lines(game, form, answers).empty and write_lines(game, form, {}).empty


def test_general_rule_has_moment_condition_and_effect(game: AnnotatedRules) -> None:
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
    assert write_rules(game, build_form(game, RULE), answers).splitlines() == [
        "when start of summer",
        "  each player where gold of it <= 0",
        "    gain 1 gold",
        "",
        "adjust dice-rolled by -1",
    ]


def test_new_building_can_create_its_row(game: AnnotatedRules) -> None:
    answers = SMITHY | SEASON | {"field.row": f"{NEW_PREFIX}row", "field.row.title": "G", "does.may": "yes"}
    assert write_rules(game, build_form(game, ADD, "building"), answers).splitlines() == [
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


def test_bounds_are_accepted_and_taken_names_get_a_number(
    game: AnnotatedRules,
    subtests: pytest.Subtests,
) -> None:
    form = build_form(game, ADD, "building")
    for column in ("1", "4"):
        with subtests.test(column=column):
            assert f"  column {column}\n" in write_rules(game, form, SMITHY | {"field.column": column})
    assert 'building inn-2 "Inn"' in write_rules(game, form, SMITHY | {"title": "Inn"})


INVALID_NUMBERS = ("-", "+", "\u2212", "\u2212x", "5\u2212", "1.5", "\u0661", "9" * 5000)


def test_invalid_answers_are_refused_with_the_reason(game: AnnotatedRules, subtests: pytest.Subtests) -> None:
    form = build_form(game, ADD, "building")
    for answers, reason in (
        ({}, "“Name” is not filled in yet"),
        (SMITHY | {"field.column": "5"}, "5 is not within 1 to 4"),
        (SMITHY | {"field.column": "0"}, "0 is not within 1 to 4"),
        (SMITHY | {"field.column": "two"}, "`two` is not a number"),
        *((SMITHY | {"field.column": number}, f"`{number}` is not a number") for number in INVALID_NUMBERS),
        (SMITHY | {"field.row": "Z"}, "`Z` is not one of the choices"),
        (SMITHY | {"title": 'A "smithy"'}, "a name has no quotation marks"),
        (SMITHY | {"field.row": f"{NEW_PREFIX}row"}, "“Row” has no name yet"),
        (SMITHY | {"moment": "when start of season"}, "the effect is not filled in yet"),
        (
            SMITHY | {"quantity": "strength\n  worth 9", "quantity.by": "1"},
            "`strength\n  worth 9` is not one of the choices",
        ),
    ):
        with subtests.test(answers=answers):
            with pytest.raises(StudioError) as refused:
                write_lines(game, form, answers)
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


def test_existing_amendment_is_updated_in_place(game: AnnotatedRules) -> None:
    form = build_form(game, CHANGE, "advisor", "squire")
    form_lines = write_lines(game, form, {"field.reward.1.count": "3", "field.reward.1.what": "wood"})
    text, first, last = insert_lines(OWN, form_lines)
    assert text == OWN.replace("  reward\n    gain 1 gold\n", "  reward gain 3 wood\n")
    assert text.splitlines()[first - 1 : last] == text.splitlines()[1:6]
    other_lines = write_lines(game, form, {"title": "Page", "field.extra": "yes"})
    text, first, last = insert_lines(OWN, other_lines)
    assert text.splitlines()[first - 1 : last] == [
        'call squire "Page"',
        *OWN.splitlines()[1:7],
        "  extra yes",
    ]
    assert insert_lines("# Mine.\n", form_lines) == ("# Mine.\n\namend advisor squire\n  reward gain 3 wood\n", 3, 4)
    assert insert_lines("", form_lines) == ("amend advisor squire\n  reward gain 3 wood\n", 1, 2)
    assert find_file({"a.edict": "row x\n", "b.edict": OWN, "c.md": OWN}, "squire") == "b.edict"


def test_own_thing_is_changed_at_its_declaration(game: AnnotatedRules) -> None:
    form = build_form(game, ADD, "building")
    text = write_rules(game, form, SMITHY)
    changed = RuleForm(CHANGE, "", form.controls, "building", "smithy")
    answers = {"title": "Forge", "field.worth": "2", **SEASON}
    needed = {"field.row": "B", "field.column": "1", "field.cost.wood": "2"}
    assert write_rules(game, changed, needed | answers, text).splitlines() == [
        'building smithy "Forge"',
        "  row B",
        "  column 1",
        "  cost 2 wood",
        "  worth 2",
        "  when start of season",
        "    gain 1 stone",
    ]


# --- random answers ----------------------------------------------------------------------------------


@pytest.mark.sample(6)
@pytest.mark.parametrize("name", GAMES)
def test_random_answers_give_valid_rules(name: str, tmp_path: Path, subtests: pytest.Subtests) -> None:
    """Random answers to every form of every shipped game; only duplicates that rules forbid may be errors."""
    annotated, rng = read_annotated_rules(name).unwrap(), random.Random(7)
    for file, text in build_files(BlankModule(name), "mine").items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    rules = tmp_path / "rules.edict"
    forms = [
        build_form(annotated, RULE),
        *(build_form(annotated, ADD, item.kind.value) for item in list_kinds(annotated) if item.open),
    ]
    forms += [
        build_form(annotated, CHANGE, item.kind.value, rng.choice(item.things).value) for item in list_kinds(annotated)
    ]
    for form in forms:
        with subtests.test(form=form):
            answers = {key: value for control in form.controls for key, value in answer_randomly(control, rng)}
            rules.write_text(write_rules(annotated, form, answers), encoding="utf-8")
            unexpected = [item for item in find_errors(tmp_path) if item.code != UNIQUE]
            assert not unexpected, f"{rules.read_text(encoding='utf-8')}\n{unexpected[0]}"


def find_errors(folder: Path) -> Iterator[Diagnostic]:
    gathered = gather_modules(str(folder))
    outcome = gathered.and_then(analyze).and_then(lambda _: annotate_rules(gathered.unwrap()))
    return (diagnostic for diagnostic in outcome.diagnostics if diagnostic.is_error)


def answer_randomly(control: FormControl, rng: random.Random) -> Iterator[tuple[str, str]]:
    """Yield random answers for a control of any sort."""
    chosen = rng.choice(control.choices).value if control.choices else ""
    if control.sort == NUMBER:
        yield control.name, str(rng.randint(max(control.low, -9), min(control.high, 9)))
    elif control.sort == TRUTH:
        yield control.name, rng.choice(("yes", "no"))
    elif control.sort == CHOICE:
        yield from ((control.name, chosen), (f"{control.name}.title", "Brand new"))
    elif control.sort == SEVERAL:
        yield control.name, chosen
    elif control.sort == AMOUNTS:
        yield f"{control.name}.{chosen}", "2"
    elif control.sort == EFFECT:
        yield from ((f"{control.name}.1.what", chosen), (f"{control.name}.1.count", str(rng.choice((-1, 2)))))
        yield from ((f"{control.name}.2.what", rng.choice(control.choices).value), (f"{control.name}.2.count", "1"))
        yield f"{control.name}.join", rng.choice(("and", "or"))
        yield f"{control.name}.may", rng.choice(("", "yes"))
    else:
        yield control.name, "Something else"
