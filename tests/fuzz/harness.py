"""Fuzzing the front end with atheris, which is an extra: pip install -e '.[fuzz]'

    python tests/fuzz/harness.py rules -max_total_time=600
    python tests/fuzz/harness.py manifest -max_total_time=300
    python tests/fuzz/harness.py scenes -max_total_time=300

What follows the name goes to libFuzzer. What it finds is written into the current folder as `crash-...`; make it
small (`... rules crash-... -minimize_crash=1 -max_total_time=60`) and put it into corpus/ beside this file, of which
test_fuzz.py makes sure that it stays mended.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path
from random import Random

import atheris

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "interpreter"), str(ROOT / "tests" / "fuzz")]
os.environ.setdefault("EDICT_CACHE", tempfile.mkdtemp(prefix="edict-fuzz-"))  # nobody's own cache is filled

with atheris.instrument_imports(include=["edict"]):
    from targets import GAME, TARGETS

SEEDS = {
    "rules": ("rules/*.edict", "modules/*/*.edict", "examples/*/*.edict", "grammar/template/*.edict"),
    "manifest": ("rules/module.yaml", "modules/*/module.yaml", "examples/*/module.yaml"),
    "scenes": ("examples/pig/scenes/*.yaml", "modules/destiny/scenes/*.yaml", "rules/scenes/*.yaml"),
}
_WORD = re.compile(r'"[^"\n]*"|[\w-]+|\n *|[^\s\w]')


def seeds(target: str) -> list[bytes]:
    """Files that ship, and in pieces those of rules, for small inputs find more; and what was found before."""
    files = [path for pattern in SEEDS[target] for path in sorted(ROOT.glob(pattern))]
    texts = [path.read_text(encoding="utf-8") for path in files] + ([GAME] if target == "rules" else [])
    pieces = [piece for text in texts for piece in re.split(r"\n(?=[a-z-])", text)]
    found = [path.read_bytes() for path in sorted((ROOT / "tests" / "fuzz" / "corpus" / target).glob("*"))]
    return found + [piece.encode() for piece in (pieces if target == "rules" else texts)]


def mutator(target: str) -> object:
    """Half of the time words are changed, not bytes: more of what comes out can be read."""
    words = [word for seed in seeds(target) for word in _WORD.findall(seed.decode("utf-8", "replace"))]
    words += ["0", "-1", "999999999", "é", "none", "it", "(", ")", "you", "\n", "\n  ", "\n    ", "[", "{", ": ", "- "]

    def mutate(data: bytes, most: int, seed: int) -> bytes:
        lot = Random(seed)
        if lot.random() < 0.5:
            return bytes(atheris.Mutate(data, most))
        parts = re.split(r"(\s+)", data.decode("utf-8", "replace"))
        for _ in range(lot.randrange(1, 5)):
            at = lot.randrange(len(parts))
            parts[at : at + lot.randrange(3)] = [lot.choice(words)] * lot.randrange(1, 3)
        return "".join(parts).encode()[:most]

    return mutate


def main() -> None:
    if len(sys.argv) < 2 or sys.argv[1] not in TARGETS:
        sys.exit(f"{__doc__}\nThere are: {', '.join(TARGETS)}")
    target = sys.argv.pop(1)
    if not any(not argument.startswith("-") for argument in sys.argv[1:]):
        folder = Path(tempfile.mkdtemp(prefix=f"fuzz-{target}-"))
        for number, seed in enumerate(seeds(target)):
            (folder / f"seed-{number}").write_bytes(seed)
        sys.argv += [str(folder), "-timeout=30", "-rss_limit_mb=3000", "-max_len=4000"]
    atheris.Setup(sys.argv, TARGETS[target], custom_mutator=mutator(target))
    atheris.Fuzz()


if __name__ == "__main__":
    main()
