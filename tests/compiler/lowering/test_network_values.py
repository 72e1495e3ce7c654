"""Tests of networks, with neighbors, connected sets, and longest paths and trails."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

import pytest

from helpers import codes_and_texts, compile_texts, list_errors, make_phase, run_cases, run_steps

SIDE = 8  # more cells than a set of one machine cell holds
GRID = f"""
kind spot
  row number from 1 to {SIDE}
  file number from 1 to {SIDE}
  walled truth, optional
  beside is spots next to spot on a {{shape}} grid of row and file
  whole is spots connected with spot through beside of it
spot for each row and file
keep built as set of spot, quiet
keep found as set of spot, quiet
"""
WAYS = {
    "square": ((0, 1), (0, -1), (1, 0), (-1, 0)),
    "hexagonal": ((0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1)),
}
Cell = tuple[int, int]


def iter_neighbors(cell: Cell, shape: str) -> Iterator[Cell]:
    yield from ((cell[0] + down, cell[1] + on) for down, on in WAYS[shape])


def find_reachable(start: set[Cell], allowed: set[Cell], shape: str) -> set[Cell]:
    found, new = set[Cell](), start & allowed
    while new:
        found |= new
        new = {one for cell in new for one in iter_neighbors(cell, shape)} & allowed - found
    return found


def longest_path_length(allowed: set[Cell], shape: str) -> int:
    def extend(path: list[Cell]) -> int:
        ways = [one for one in iter_neighbors(path[-1], shape) if one in allowed and one not in path]
        return max([len(path), *(extend([*path, one]) for one in ways)])

    return max((extend([cell]) for cell in allowed), default=0)


def format_cells(cells: set[Cell]) -> str:
    return " + ".join(f"spot-{row}-{file}" for row, file in sorted(cells)) or "nobody"


@pytest.mark.parametrize("shape", WAYS)
def test_connected_sets_and_longest_paths_match_brute_force(shape: str) -> None:
    luck, side = Random(4), range(1, SIDE + 1)
    every: list[Cell] = [(row, file) for row in side for file in side]
    built, few = set(luck.sample(every, 22)), set(luck.sample(every, 3))
    small = set(luck.sample([cell for cell in every if max(cell) < 4], 7))
    around = {cell: len({*iter_neighbors(cell, shape)} & built) for cell in every}
    run = run_steps(
        f"set built to {format_cells(built)}",
        f"set found to built connected with {format_cells(few)} through beside of it",
        "gain (count of built connected with first of built through beside of it) coin",
        f"gain (longest path in ({format_cells(small)}) through beside of it) fame",
        "gain (best of count of (built connected with it through beside of it) over built) stick",
        f"gain (sum of count of (built next to it on a {shape} grid of row and file) over spots) brick",
        f"let here = built next to {format_cells({every[20]})} on a {shape} grid of row and file",
        "gain count of here brick",
        rules=GRID.format(shape=shape),
    )
    assert run.describe_value("found") == sorted(
        f"spot-{row}-{file}" for row, file in find_reachable(few, built, shape)
    )
    assert run.get_value("coin", 0) == len(find_reachable({min(built)}, built, shape))
    assert run.get_value("fame", 0) == longest_path_length(small, shape)
    assert run.get_value("brick", 0) == sum(around.values()) + around[every[20]]
    assert run.get_value("stick", 0) == max(len(find_reachable({cell}, built, shape)) for cell in built)


def test_field_can_be_a_connected_set() -> None:
    run = run_steps(
        "gain count of whole of spot-1-1 coin",
        f"gain count of beside of spot-1-{SIDE} fame",
        rules=GRID.format(shape="hexagonal"),
    )
    assert (run.get_value("coin", 0), run.get_value("fame", 0)) == (SIDE * SIDE, 3)


ISLANDS = """
kind island
  routes set of island
  lonely is routes of island is empty
island ash
  routes elm, oak
island elm
  routes ash
island oak
  routes ash, yew
island yew
  routes oak
island fir
  routes nobody
keep open-routes as set of island starting at islands
keep friends of player as set of player
"""


RELATIONS = [
    ("count of (islands connected with elm through routes of it)", 4),
    ("count of islands connected with (elm, fir) through routes of it", 5),
    ("count of (islands where it is not ash) connected with elm through routes of it", 1),
    ("count of islands connected with nobody through routes of it", 0),
    ("longest path in islands through routes of it", 4),
    ("longest path in islands through (routes of it where it is not oak)", 3),
    ("longest path in islands counting count of routes of it through routes of it", 1 + 2 + 2 + 1),
    ("count of everyone connected with you through left of it", 3),
    ("longest path in everyone through left of it", 3),
    ("count of everyone connected with you through friends of it", 2),
]


def test_networks_follow_any_declared_relation(subtests: pytest.Subtests) -> None:
    cases = [(f"let many = {value}\ngain many coin", number) for value, number in RELATIONS]
    asked = "if {} is in (open-routes connected with elm through routes of it)\n  gain 1 coin"
    cases += [(asked.format("yew"), 1), (asked.format("fir"), 0)]
    cases += [(f"remove oak from open-routes\n{asked.format('yew')}", 0)]
    for run, lines, number in run_cases(cases, ISLANDS, "set friends of you to left of you", players=3):
        with subtests.test(lines=lines):
            assert run.get_value("coin", 0) == number


Road = tuple[int, int, int]


def road_rules(*roads: Road, towns: int = 9) -> str:
    """Return rules with roads of given lengths between towns; `there` holds these roads among others."""
    text = "kind town\nkind road\n  ends set of town\n  miles number\n"
    text += "".join(f"town town-{i}\n" for i in range(towns))
    text += "".join(
        f"road road-{i}\n  ends town-{a}, town-{b}\n  miles {miles}\n" for i, (a, b, miles) in enumerate(roads)
    )
    return text


def longest_trail_length(roads: Sequence[Road], counting: bool, town: int, used: frozenset[int] = frozenset()) -> int:
    """Return the length of the longest trail from a town, by brute force."""
    on = [
        (miles if counting else 1) + longest_trail_length(roads, counting, b if town == a else a, used | {i})
        for i, (a, b, miles) in enumerate(roads)
        if i not in used and a != b and town in (a, b)
    ]
    return max([0, *on])


SQUARE = ((0, 1, 3), (1, 2, 1), (2, 3, 4), (3, 0, 1), (0, 2, 5), (4, 5, 9))
TREE = ((0, 1, 1), (1, 2, 6), (1, 3, 2), (3, 4, 5), (3, 5, 1), (5, 5, 9))
PENALTY = ((0, 1, 4), (1, 2, -1), (2, 3, 3), (3, 4, -5), (4, 5, 4))
ALONE = ((7, 7, 3),)
TRAIL = "longest trail in roads through ends of it"


def test_longest_trail_uses_members_once_and_may_revisit_places(subtests: pytest.Subtests) -> None:
    for roads in (SQUARE, TREE, PENALTY, ALONE, SQUARE + TREE[:3]):
        cases = [
            (f"gain ({TRAIL.replace('roads', which)}) coin", which != "roads")
            for which in ("roads", "roads counting miles of it")
        ]
        for run, _, counting in run_cases(cases, road_rules(*roads)):
            with subtests.test(run=run):
                assert run.get_value("coin", 0) == max(
                    longest_trail_length(roads, counting, town) for town in range(9)
                ), (
                    roads,
                    counting,
                )


def test_longest_trail_spans_several_cells() -> None:
    ring = [(i, (i + 1) % 70, 1) for i in range(70)]
    run = run_steps(
        f"gain ({TRAIL}) coin",
        f"gain ({TRAIL.replace('roads', '(roads - road-65)')}) stick",
        rules=road_rules(*ring, (0, 35, 5), towns=70),
    )
    assert (run.get_value("coin", 0), run.get_value("stick", 0)) == (71, 30 + 35 + 4)


def test_invalid_relations_are_type_errors(subtests: pytest.Subtests) -> None:
    for value, code in {
        "islands connected with 3 through routes of it": "E0401",
        "islands connected with elm through coin of you": "E0401",
        "longest path in coin of you through routes of it": "E0402",
        "longest trail in islands through 3": "E0402",
        "longest trail in islands counting routes of it through routes of it": "E0401",
        "islands next to elm on a square grid of routes and routes": "E0421",
        "islands next to elm on a square grid of lonely and lonely": "E0421",
    }.items():
        with subtests.test(value=value):
            found = list_errors(ISLANDS + make_phase(f"let many = {value}", "announce many"))
            assert code in {one.code for one in found}


def test_constant_relation_is_reported_but_constant_weight_is_not(subtests: pytest.Subtests) -> None:
    for value, codes in (
        ("longest trail in islands through islands", {"E0557"}),
        ("count of islands connected with elm through open-routes", {"E0557"}),
        ("longest path in islands counting 2 through routes of it", set()),
    ):
        with subtests.test(value=value):
            assert {one.code for one in compile_texts(ISLANDS + make_phase(f"gain ({value}) coin")).diagnostics} & {
                "E0557"
            } == codes


def test_network_keywords_are_ordinary_names_elsewhere() -> None:
    text = "keep longest as number\nkeep connected as number\nkeep next-one as number\n"
    text += "keep trail as number\nresource counting\n"
    text += make_phase(
        "add 1 to longest",
        "add longest to connected",
        "gain longest coin",
        "gain connected stick",
        "add 1 to next-one",
        "announce next-one",
        "add trail to trail",
        "gain trail counting",
    )
    assert "E0112" not in dict(codes_and_texts(text)) and not [d for d in compile_texts(text).diagnostics if d.is_error]
