"""Tests that constant evaluation and play agree on random typed expressions."""

from __future__ import annotations

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from examples import choose_examples
from helpers import Run, compile_program, compile_texts, list_errors, make_phase, run_cases

CARDS = """
kind card "card/cards"
  rank number
  mates set of card
  pal card or none, optional
card a
  rank 1
  mates b
  pal c
card b
  rank 2
  mates c
card c
  rank 3
  mates cards where rank of it > 1
  pal a
"""
TYPES = {"number": "number", "truth": "truth", "set": "set of card", "thing": "card or none"}
PRODUCTS = {
    "number": (
        "rank of ({card})",
        "count of ({set})",
        "({number}) + ({number})",
        "({number}) - ({number})",
        "({number}) * ({small})",
        "({number}) / ({small})",
        "({number}) mod ({small})",
        "-({number})",
        "sum of ({number}) over ({set})",
        "best of ({number}) over ({members})",
        "least of ({number}) over ({set})",
        "sum of rank of it over ({members})",
        "count of (({members}) where {truth})",
    ),
    "truth": (
        "({number}) < ({number})",
        "({number}) >= ({number})",
        "({number}) = ({number})",
        "({card}) = ({thing})",
        "({thing}) is none",
        "({card}) is in ({members})",
        "(first of ({set})) is not in ({set})",
        "({members}) is within ({set})",
        "({set}) is empty",
        "({set}) is not empty",
        "({set}) = ({set})",
        "({set}) != ({set})",
        "not ({truth})",
        "({truth}) and ({truth})",
        "({truth}) or ({truth})",
        "every ({members}) has {truth}",
        "some ({members}) has {truth}",
        "some ({members}) has rank of it > ({number})",
    ),
    "set": (
        "({set}) + ({members})",
        "({set}) - ({members})",
        "nobody + ({card})",
        "mates of ({card})",
        "cards - ({card})",
        "({members}) where {truth}",
        "({members}) where rank of it > ({number})",
        "({members}) where it is not ({thing})",
        "({members}) with most {number}",
        "({members}) with fewest rank of it then most {number}",
    ),
    "thing": ("first of ({set})", "first of ({card})", "pal of ({card})"),
}
LEAVES = {
    "number": ("0", "1", "2", "3", "rank of card", "7"),
    "truth": ("yes", "no", "rank of card > 1", "card is in mates of card"),
    "set": ("cards", "(cards - cards)", "mates of card"),
    "thing": ("none", "pal of card"),
    "card": ("card", "a", "b", "c"),
    "small": ("1", "2", "3"),
}


def expression(type_name: str, depth: int) -> st.SearchStrategy[str]:
    """Generate an expression of a type; a set may be a single card."""
    if type_name == "members":
        return expression("set", depth) | expression("card", depth)
    leaf = st.sampled_from(LEAVES[type_name])
    if depth == 0 or type_name not in PRODUCTS:
        return leaf
    return leaf | st.sampled_from(PRODUCTS[type_name]).flatmap(lambda form: fill_template(form, depth - 1))


def fill_template(form: str, depth: int) -> st.SearchStrategy[str]:
    """Generate a template with a typed expression in each gap."""
    head, _, rest = form.partition("{")
    if not rest:
        return st.just(form)
    of, _, tail = rest.partition("}")
    return st.tuples(expression(of, depth), fill_template(tail, depth)).map(lambda pair: head + pair[0] + pair[1])


TYPED = st.sampled_from(sorted(TYPES)).flatmap(lambda of: st.tuples(st.just(of), expression(of, 3)))


def probes_as_fields(probes: list[tuple[str, str]]) -> str:
    """Return rules that evaluate each probe before play as a derived field."""
    fields = "".join(f"  probe{i} is {text}\n" for i, (_, text) in enumerate(probes))
    return CARDS.replace("card a\n", fields + "card a\n", 1)


def probe_keeps(probes: list[tuple[str, str]]) -> str:
    return "".join(f"keep seen{i} of card as {TYPES[type_name]}\n" for i, (type_name, _) in enumerate(probes))


def run_probes_in_play(probes: list[tuple[str, str]]) -> Run:
    lines = ["each card", *(f"  set seen{i} of card to {text}" for i, (_, text) in enumerate(probes))]
    return Run(compile_program(CARDS + probe_keeps(probes) + make_phase(*lines)))


def run_probes_before_play(probes: list[tuple[str, str]]) -> Run:
    lines = ["each card", *(f"  set seen{i} of card to probe{i} of card" for i in range(len(probes)))]
    return Run(compile_program(probes_as_fields(probes) + probe_keeps(probes) + make_phase(*lines)))


def probe_values(run: Run, probes: list[tuple[str, str]]) -> list[list[int]]:
    assert run.is_over, run.fault
    return [[run.get_value(f"seen{i}", card) for card in range(3)] for i in range(len(probes))]


def find_unevaluable(probes: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the probes without a value before play."""
    text = probes_as_fields(probes) + make_phase("nothing")
    lines = text.splitlines()
    found = list_errors(text)
    assert {one.code for one in found} <= {"E0502"}, found
    wrong = [probes[int(lines[one.span.line - 1].split()[0].removeprefix("probe"))] for one in found]
    return wrong + find_unevaluable([one for one in probes if one not in wrong]) if wrong else []


@settings(
    max_examples=choose_examples(6, 60),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # one expression is named anyway; lists shrink for minutes
)
@given(st.lists(TYPED, min_size=20, max_size=60))
def test_constant_evaluation_matches_play(probes: list[tuple[str, str]]) -> None:
    """A probe without a value before play faults in play; all other values are equal."""
    wrong = find_unevaluable(probes)
    set_down = [(f"each card\n  set seen{i} of card to {text}",) for i, (_, text) in enumerate(wrong)]
    for run, line in run_cases(set_down, CARDS + probe_keeps(wrong)):
        assert run.fault, line
    known = [probe for probe in probes if probe not in wrong]
    for probe, one, other in zip(
        known,
        probe_values(run_probes_in_play(known), known),
        probe_values(run_probes_before_play(known), known),
        strict=True,
    ):
        assert one == other, probe


SETS = {
    ("number", "count of (mates of card + a)"): [2, 2, 3],
    ("number", "sum of rank of it over b"): [2, 2, 2],
    ("set", "nobody + a + b + c"): [7, 7, 7],
    ("set", "cards - card"): [6, 5, 3],
    ("thing", "first of b"): [1, 1, 1],
    ("truth", "pal of card is not none and rank of pal of card > 1"): [1, 0, 0],
    ("set", "cards with most rank of it"): [4, 4, 4],
}


def test_things_are_coerced_to_sets() -> None:
    probes = [*SETS]
    assert probe_values(run_probes_in_play(probes), probes) == [*SETS.values()]
    assert probe_values(run_probes_before_play(probes), probes) == [*SETS.values()]


def test_printed_set_can_be_a_thing_or_a_sum() -> None:
    text = CARDS.replace("  mates b\n", "  mates nobody + b + c\n")
    assert not compile_texts(text + make_phase("nothing")).diagnostics
    lines = make_phase("each card", "  set seen of card to mates of card")
    run = Run(compile_program(text + "keep seen of card as set of card\n" + lines))
    assert [run.get_value("seen", i) for i in range(3)] == [6, 4, 6]
