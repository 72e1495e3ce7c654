"""Mutation testing of a package of the engine: the table of tests/fuzz/planted-faults.md.

    pip install cosmic-ray
    python tests/fuzz/planted_faults.py                       # fifteen faults in each package
    python tests/fuzz/planted_faults.py table web --each 20 --seed 5

A fault is one that people make: another comparison, `and` for `or`, a number one more, a loop that never runs, a
negated condition. Faults are drawn by the seed from everything Cosmic Ray can change in the package's files, and each
is put into a copy of the project. The package's tests ran once before to learn which of them touch which line. Those
that touch the faulty line run until one fails, the quickest first, for up to `--seconds` of processor time; a fault
that none touches is not found. A fault that no test finds is printed with its file, line and the two texts: either a
test is missing, or the change has no effect, which only a reader can tell. Changes known to have no effect are listed
in `same_behaviour.yaml` and not drawn again.
"""

from __future__ import annotations

import argparse
import difflib
import itertools
import os
import platform
import random
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import parso
import planted_results
import touched_lines
import yaml
from cosmic_ray.ast import ast_nodes
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator
from planted_results import FaultResult
from semantic_operators import SEMANTIC
from unnoticeable import is_unnoticeable

ROOT = Path(__file__).resolve().parents[2]
ENGINE = Path("interpreter", "edict")
TOP_LEVEL = "files"  # stands for the files of `support` that lie in no subpackage
OPERATORS = (
    "ReplaceBinaryOperator_Add_Sub",
    "ReplaceBinaryOperator_Sub_Add",
    "ReplaceBinaryOperator_Mul_Add",
    "ReplaceBinaryOperator_FloorDiv_Mul",
    "ReplaceComparisonOperator_Eq_NotEq",
    "ReplaceComparisonOperator_NotEq_Eq",
    "ReplaceComparisonOperator_Lt_LtE",
    "ReplaceComparisonOperator_LtE_Lt",
    "ReplaceComparisonOperator_Gt_GtE",
    "ReplaceComparisonOperator_GtE_Gt",
    "ReplaceUnaryOperator_Delete_Not",
    "ReplaceUnaryOperator_Delete_USub",
    "AddNot",
    "ReplaceTrueWithFalse",
    "ReplaceFalseWithTrue",
    "ReplaceAndWithOr",
    "ReplaceOrWithAnd",
    "ReplaceBreakWithContinue",
    "ReplaceContinueWithBreak",
    "NumberReplacer",
    "ZeroIterationForLoop",
    *SEMANTIC,
)
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "node_modules", "build", "dist", "__pycache__", ".*_cache")

# The tests of a room are those in the folder of its name, also if they are marked `slow`, and for some rooms these too.
MORE = {
    "codegen": ("tests/compiler/lowering",),  # every construct, played
    "checks": (
        "tests/compiler/lowering/test_simultaneous_questions.py",
        "tests/compiler/lowering/test_quantities.py",
    ),  # what is refused there
    "cli": (
        "tests/prose/rulebook/test_graph.py",
        "tests/prose/rulebook/test_diff.py",
        "tests/prose/rulebook/test_moments.py",
        "tests/prose/rulebook/test_rulebook.py",
        "tests/compiler/syntax/test_editions.py",
        "tests/agents/study/test_compare.py",  # commands
    ),
    "explanations": ("tests/game/table/test_panels.py", "tests/game/table/test_worlds.py"),
    "files": (
        "tests/agents/study/test_svg.py",
        "tests/agents/study/test_tables.py",
        "tests/game/table/test_names_and_settings.py",
    ),
    "formats": (
        "tests/apps/cli/test_check.py",
        "tests/apps/cli/test_command_line.py",
        "tests/apps/cli/test_wrong_calls.py",
        "tests/agents/study/test_exemplified.py",
    ),
    "pipeline": (
        "tests/compiler/syntax/test_mistakes.py",
        "tests/compiler/syntax/test_exact_fixes.py",  # remedies that are tried
        "tests/compiler/semantics/test_link.py",
        "tests/agents/study/test_asserted.py",
        "tests/agents/study/test_exemplified.py",
        "tests/apps/cli/test_cli_modules.py",
        "tests/tools/language_service/test_typing.py",  # forms, and what is told while somebody types
    ),
    "rulebook": ("tests/apps/cli/test_gallery.py",),  # the gallery and its pictures
    "syntax": (
        "tests/compiler/semantics",
        "tests/tools/language_service/test_completion.py",
    ),  # what fields are for; what may come next
    "layering": (
        "tests/compiler/semantics/test_resolve.py",
        "tests/compiler/syntax/test_mistakes.py",
    ),  # names without meaning, remedies
    "lowering": (
        "tests/game/table/test_log.py",
        "tests/game/table/test_panels.py",
        "tests/game/table/test_secrets_in_play.py",
        "tests/agents/study/test_asserted.py",  # what shows in play only
    ),
    "machine": ("tests/runtime/native/test_native_cache.py",),  # translations
    "semantics": (
        "tests/compiler/checks/test_ranges.py",
        "tests/compiler/checks/test_silent.py",  # what values can be
        "tests/compiler/checks/test_checks.py",
        "tests/compiler/lowering/test_network_values.py",
        "tests/compiler/lowering/test_exceptions.py",
        "tests/compiler/lowering/test_payments.py",
        "tests/compiler/english/test_texts.py",
        "tests/compiler/lowering/test_repeated_rules.py",
        "tests/compiler/lowering/test_simultaneous_questions.py",
        "tests/compiler/lowering/test_bags.py",
        "tests/compiler/lowering/test_dice_steps.py",
        "tests/compiler/lowering/test_many_dice.py",
        "tests/compiler/lowering/test_moves.py",
        "tests/compiler/lowering/test_shorthand_steps.py",
        "tests/compiler/lowering/test_step_moments.py",  # steps in short
    ),
    "native": ("tests/runtime/machine",),
    "processes": (
        "tests/tools/studio/test_background.py",
        "tests/agents/bots/test_agents.py",
        "tests/agents/study/test_cluster.py",
    ),
    "program": ("tests/compiler/codegen", "tests/runtime/machine", "tests/support/files"),
    "scenes": ("tests/agents/study/test_exemplified.py",),  # scenes that tell two readings apart
    "simulation": (
        "tests/runtime/machine",
        "tests/agents/bots",
        "tests/game/table/test_belief.py",
        "tests/agents/study/test_tables.py",
        "tests/agents/gym/test_many_games.py",
        "tests/agents/open_spiel",
        "tests/agents/study/test_game_cards.py",  # side by side, as trees
    ),
    "spaces": ("tests/agents/gym", "tests/agents/open_spiel", "tests/compiler/lowering/test_wide_values.py"),
    "studio": ("tests/apps/cli/test_new.py",),  # templates
    "table": (
        "tests/agents/gym/test_gym.py",
        "tests/agents/open_spiel/test_information_state.py",
    ),  # numbers and words for learners
    "sources": (
        "tests/support/files",
        "tests/hostile",
        "tests/apps/cli/test_check.py",
        "tests/compiler/pipeline/test_compile.py",
        "tests/apps/web/test_web_themes.py",  # misnamed files, looks
        "tests/apps/cli/test_gallery.py",
        "tests/tools/language_service/test_workspace.py",  # one's own folder, what was never saved
    ),
    "english": (  # moments, what stands line by line, adjustments
        "tests/prose/rulebook/test_moments.py",
        "tests/prose/rulebook/test_little_game.py",
        "tests/compiler/lowering/test_quantities.py",
    ),
}


@dataclass(frozen=True)
class Fault:
    """A place in a file and an operator that changes it."""

    file: Path
    operator: str
    occurrence: int
    first: int
    last: int
    loading: bool

    def apply(self, text: str) -> str:
        """Return the text of the file with the fault."""
        mutated: str = mutate_code(text, operator_of(self.operator), self.occurrence)
        return mutated


@cache
def list_package_folders() -> dict[str, Path]:
    """Return the folder of each subpackage of the engine, relative to the engine, by its name."""
    named = {path.parent.name: path.parent for path in (ROOT / ENGINE).glob("*/*/__init__.py")}
    return {TOP_LEVEL: Path("support")} | {name: path.relative_to(ROOT / ENGINE) for name, path in named.items()}


def list_tested_packages() -> list[str]:
    """Return the names of the subpackages that have tests."""
    return sorted(name for name in list_package_folders() if list_tests(name))


def list_tests(room: str) -> list[str]:
    """Return the folders and files of tests that run for a subpackage."""
    own = Path("tests", list_package_folders()[room], TOP_LEVEL if room == TOP_LEVEL else "")
    return [path for path in (own.as_posix(), *MORE.get(room, ())) if (ROOT / path).exists()]


def iter_faults(file: Path, operator: str, text: str) -> Iterator[Fault]:
    """Yield every noticeable fault of an operator in a file."""
    changing: Any = operator_of(operator)
    occurrences = itertools.count()
    for node in ast_nodes(parse_text(text)):
        for (first, _), (last, _) in changing.mutation_positions(node):
            fault = Fault(file, operator, next(occurrences), first, last, not _is_in_function_body(node))
            if not is_unnoticeable(node, operator):
                yield fault


def operator_of(name: str) -> Any:
    """Return an operator of ours, or else of Cosmic Ray's, by its name."""
    return SEMANTIC[name]() if name in SEMANTIC else get_operator(f"core/{name}")()


@cache
def parse_text(text: str) -> Any:
    return parso.parse(text)


def _is_in_function_body(node: Any) -> bool:
    """Return True if a node is in the body of a function, not only in its defaults."""
    while node.parent is not None:
        if node.parent.type in ("funcdef", "lambdef") and node is node.parent.children[-1]:
            return True
        node = node.parent
    return False


def draw_faults(room: Path, rng: random.Random) -> Iterator[tuple[Fault, str, str]]:
    """Yield random faults, each with the text of its file before and after.

    A file is drawn in proportion to its length, then an operator that applies in it, then one of its places.
    """
    inside = room.glob("*.py") if room.name == "support" else room.rglob("*.py")
    files = [file for file in sorted(inside) if file.stat().st_size > 400]
    same = load_equivalent_changes()
    chosen = set[Fault]()
    while files:
        file = rng.choices(files, [file.stat().st_size for file in files])[0]
        text = file.read_text(encoding="utf-8")
        for operator in rng.sample(OPERATORS, len(OPERATORS)):
            if free := [fault for fault in iter_faults(file, operator, text) if fault not in chosen]:
                fault = rng.choice(free)
                chosen.add(fault)
                changed = fault.apply(text)
                harmless = same.get(file.as_posix().partition(f"/{ENGINE.as_posix()}/")[2], [])
                if changed != text and find_changed_lines(text, changed) not in harmless and is_python(changed):
                    yield fault, text, changed
                break
        else:
            files.remove(file)


def is_python(text: str) -> bool:
    """Return True if a text compiles; a lone `*` among arguments, for example, cannot become a `+`."""
    try:
        compile(text, "planted", "exec", dont_inherit=True)
    except SyntaxError:
        return False
    return True


def load_equivalent_changes() -> dict[str, list[list[str]]]:
    """Return the lines before and after changes without effect, by file."""
    entries = yaml.safe_load((Path(__file__).parent / "same_behaviour.yaml").read_text(encoding="utf-8")) or {}
    return {file: [[str(entry["line"]), str(entry["as"])] for entry in changes] for file, changes in entries.items()}


def find_changed_lines(before: str, after: str) -> list[str]:
    """Return the lines that differ, before and after, without indentation."""
    pairs = [(a, b) for a, b in zip(before.splitlines(), after.splitlines(), strict=False) if a != b]
    return [" / ".join(line.strip() for line in lines) for lines in zip(*pairs, strict=True)] if pairs else ["", ""]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("rooms", nargs="*", default=list_tested_packages())
    parser.add_argument("--each", type=int, default=15, help="faults in each room")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--told", action="store_true", help="also print what was found, and by which test")
    parser.add_argument("--again", action="store_true", help="only what no test found the last time, once more")
    parser.add_argument("--tests", nargs="*", help="with --again: only these files of tests")
    parser.add_argument("--seconds", type=float, default=30, help="of processors that the tests of one fault may take")
    parser.add_argument("--write", action="store_true", help="put what was found into tests/fuzz/planted-faults.md")
    chosen = parser.parse_args()
    touched_lines.import_libraries()
    print(f"seed {chosen.seed}, {platform.platform()}, {os.cpu_count()} cores\n", flush=True)
    rows = dict[str, str]()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "project"
        shutil.copytree(ROOT, copy, ignore=LEFT_OUT)
        for room in chosen.rooms:
            source = copy / ENGINE / list_package_folders()[room]
            before = planted_results.load_results(room) if chosen.again else []
            faults = (
                iter_undetected(source, before)
                if chosen.again
                else itertools.islice(draw_faults(source, random.Random(f"{chosen.seed} {room}")), chosen.each)
            )
            found = plant_faults(copy, source, chosen.tests or list_tests(room), faults, chosen.seconds, chosen.told)
            results = merge_results(before, found) if chosen.again else list(found)
            planted_results.save_results(room, results)
            rows[room] = planted_results.format_row(room, results)
            print(rows[room], flush=True)
    print("\n", planted_results.HEAD, *rows.values(), sep="", end="")
    if chosen.write:
        planted_results.write_page(rows)


def iter_undetected(room: Path, before: list[FaultResult]) -> Iterator[tuple[Fault, str, str]]:
    """Yield the faults that no test found before, if their line still exists."""
    for result in before:
        file = room / result.file
        text = file.read_text(encoding="utf-8") if file.is_file() and not result.by else ""
        for fault in iter_faults(file, result.operator, text):
            changed = fault.apply(text)
            if find_changed_lines(text, changed) == [result.line, result.changed]:
                yield fault, text, changed
                break


def merge_results(before: list[FaultResult], found: Iterator[FaultResult]) -> list[FaultResult]:
    """Return a sample with the results of faults that were planted again.

    Faults whose line has changed or that no longer count are left out.
    """
    found_by = {(result.file, result.line, result.changed): result.by for result in found}
    keys = [(result.file, result.line, result.changed) for result in before]
    return [
        result if result.by else replace(result, by=found_by[key])
        for result, key in zip(before, keys, strict=True)
        if result.by or key in found_by
    ]


def plant_faults(
    copy: Path, room: Path, tests: list[str], faults: Iterable[tuple[Fault, str, str]], seconds: float, telling: bool
) -> Iterator[FaultResult]:
    """Yield the result of each fault, and print those that no test found, or all."""
    work = copy.parent / "work"
    known = touched_lines.measure_coverage(copy, room, tests, work)
    for test in known.failing:
        print(f"{test} fails without any fault and is not counted", flush=True)
    for number, (fault, text, changed) in enumerate(faults, 1):
        file = fault.file.relative_to(copy)
        near = known.select_tests(file.as_posix(), None if fault.loading else (fault.first, fault.last), seconds)
        write_with_time(fault.file, changed, 2 * number)
        by = touched_lines.find_failing_test(copy, near, known, work)
        write_with_time(fault.file, text, 2 * number + 1)
        while by and not known.passes_without(by, near, copy, work):
            print(f"{by} fails without any fault and is not counted", flush=True)
            near.remove(by)
            write_with_time(fault.file, changed, 2 * number)
            by = touched_lines.find_failing_test(copy, near, known, work)
            write_with_time(fault.file, text, 2 * number + 1)
        if telling or not by:
            told = f"found by {by}" if by else f"NOT FOUND by {len(near)} tests that touch it"
            print(format_difference(file, text, changed), told, "\n", sep="", flush=True)
        line, other = find_changed_lines(text, changed)
        yield FaultResult(fault.file.relative_to(room).as_posix(), fault.operator, line, other, by or "", by or "")


def write_with_time(file: Path, text: str, moment: int) -> None:
    """Write a file with a new modification time, so that cached bytecode is not used."""
    file.write_text(text, encoding="utf-8")
    os.utime(file, (2_000_000_000 + moment, 2_000_000_000 + moment))


def format_difference(file: Path, before: str, after: str) -> str:
    """Return the lines that differ under the name of the file."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), str(file), "planted", lineterm="", n=1)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
