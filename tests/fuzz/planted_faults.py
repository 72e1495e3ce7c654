"""How many faults planted in a room of the engine its tests find.

    pip install cosmic-ray
    python tests/fuzz/planted_faults.py                       # eight in each room: hours
    python tests/fuzz/planted_faults.py table web --each 20 --seed 5

A fault is one that people make: another comparison, `and` for `or`, a number one more, a loop that never runs, a
condition turned round. They are drawn by the seed from all that Cosmic Ray knows to do with the room's files; each is
put into a copy of the project, where the tests of the room run until the first fails. A fault that no test finds is
printed with its file, line and the two texts: it is either a test that is missing or a change that changes nothing,
and only a reader can tell. The table is what CONTRIBUTING.md shows.
"""

from __future__ import annotations

import argparse
import difflib
import os
import platform
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator

ROOT = Path(__file__).resolve().parents[2]
OPERATORS = (
    "ReplaceBinaryOperator_Add_Sub", "ReplaceBinaryOperator_Sub_Add", "ReplaceBinaryOperator_Mul_Add",
    "ReplaceBinaryOperator_FloorDiv_Mul", "ReplaceComparisonOperator_Eq_NotEq", "ReplaceComparisonOperator_NotEq_Eq",
    "ReplaceComparisonOperator_Lt_LtE", "ReplaceComparisonOperator_LtE_Lt", "ReplaceComparisonOperator_Gt_GtE",
    "ReplaceComparisonOperator_GtE_Gt", "ReplaceUnaryOperator_Delete_Not", "ReplaceUnaryOperator_Delete_USub",
    "AddNot", "ReplaceTrueWithFalse", "ReplaceFalseWithTrue", "ReplaceAndWithOr", "ReplaceOrWithAnd",
    "ReplaceBreakWithContinue", "ReplaceContinueWithBreak", "NumberReplacer", "ZeroIterationForLoop",
)  # fmt: skip
SECONDS = 900  # for the tests of one room; a fault that makes them endless is found
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "node_modules", "build", "dist", "__pycache__", ".*_cache")
TESTED = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-m", "not slow", "--timeout", "300"]


@dataclass(frozen=True)
class Fault:
    """The `occurrence`-th place of `file` at which `operator` applies."""

    file: Path
    operator: str
    occurrence: int

    def applied(self, text: str) -> str | None:
        changed: str | None = mutate_code(text, get_operator(f"core/{self.operator}")(), self.occurrence)
        return changed


def rooms() -> list[str]:
    """The rooms of the engine that have tests."""
    engine = ROOT / "interpreter" / "edict"
    return sorted(room.name for room in engine.iterdir() if room.is_dir() and (ROOT / "tests" / room.name).is_dir())


def places(file: Path, operator: str, text: str) -> Iterator[Fault]:
    """Everywhere in a file that this operator applies."""
    occurrence = 0
    while (fault := Fault(file, operator, occurrence)).applied(text) is not None:
        yield fault
        occurrence += 1


def drawn(room: Path, how_many: int, luck: random.Random) -> list[Fault]:
    """First a file, the more likely the longer it is; then an operator that applies in it, and one of its places."""
    files = [file for file in sorted(room.rglob("*.py")) if file.stat().st_size > 400]
    chosen: list[Fault] = []
    while files and len(chosen) < how_many:
        file = luck.choices(files, [file.stat().st_size for file in files])[0]
        text = file.read_text(encoding="utf-8")
        for operator in luck.sample(OPERATORS, len(OPERATORS)):
            if free := [fault for fault in places(file, operator, text) if fault not in chosen]:
                chosen.append(luck.choice(free))
                break
        else:
            files.remove(file)
    return chosen


def found(copy: Path, room: str) -> bool:
    """Whether a test of this room fails."""
    environment = os.environ | {"PYTHONPATH": str(copy / "interpreter"), "EDICT_CACHE": str(copy / ".cache")}
    command = [*TESTED, f"tests/{room}"]
    try:
        done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return True
    if done.returncode not in (0, 1, 2):
        sys.exit(done.stdout.decode()[-2000:] + done.stderr.decode()[-2000:])
    return done.returncode != 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("rooms", nargs="*", default=rooms())
    parser.add_argument("--each", type=int, default=8, help="faults in each room")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    print(f"seed {chosen.seed}, {platform.platform()}, {os.cpu_count()} cores\n")
    print("| room | planted | found | share |\n|---|---:|---:|---:|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "project"
        shutil.copytree(ROOT, copy, ignore=LEFT_OUT)
        all_planted = all_found = 0
        lived: list[str] = []
        for room in chosen.rooms:
            luck = random.Random(f"{chosen.seed} {room}")
            planted = drawn(copy / "interpreter" / "edict" / room, chosen.each, luck)
            killed = 0
            for fault in planted:
                text = fault.file.read_text(encoding="utf-8")
                changed = fault.applied(text) or text
                fault.file.write_text(changed, encoding="utf-8")
                if found(copy, room):
                    killed += 1
                else:
                    lived.append(difference(fault.file.relative_to(copy), text, changed))
                fault.file.write_text(text, encoding="utf-8")
            print(f"| {room} | {len(planted)} | {killed} | {killed / max(len(planted), 1):.0%} |", flush=True)
            all_planted, all_found = all_planted + len(planted), all_found + killed
    print(f"| all | {all_planted} | {all_found} | {all_found / max(all_planted, 1):.0%} |\n")
    print("\n".join(lived))


def difference(file: Path, before: str, after: str) -> str:
    """`table/log.py`, and the lines that differ."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), str(file), "planted", lineterm="", n=1)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
