"""Fuzzing of the front end with atheris, which is an extra: pip install -e '.[fuzz]'

    python tests/fuzz/harness.py rules -max_total_time=600
    python tests/fuzz/harness.py manifest -max_total_time=300
    python tests/fuzz/harness.py scenes -max_total_time=300

Options after the name go to libFuzzer. Findings are written into the current folder as `crash-...`. Minimize one
(`... rules crash-... -minimize_crash=1 -max_total_time=60`) and put it into corpus/ beside this file, which
test_fuzz.py checks.
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


def load_seeds(target: str) -> list[bytes]:
    """Return shipped files, rules split into definitions because small inputs find more, and earlier findings."""
    files = [path for pattern in SEEDS[target] for path in sorted(ROOT.glob(pattern))]
    texts = [path.read_text(encoding="utf-8") for path in files] + ([GAME] if target == "rules" else [])
    pieces = [piece for text in texts for piece in re.split(r"\n(?=[a-z-])", text)]
    corpus = [path.read_bytes() for path in sorted((ROOT / "tests" / "fuzz" / "corpus" / target).glob("*"))]
    return corpus + [piece.encode() for piece in (pieces if target == "rules" else texts)]


def make_mutator(target: str) -> object:
    """Return a mutator that changes words instead of bytes half of the time, so that more inputs parse."""
    words = [word for seed in load_seeds(target) for word in _WORD.findall(seed.decode("utf-8", "replace"))]
    words += ["0", "-1", "999999999", "é", "none", "it", "(", ")", "you", "\n", "\n  ", "\n    ", "[", "{", ": ", "- "]

    def mutate(data: bytes, most: int, seed: int) -> bytes:
        rng = Random(seed)
        if rng.random() < 0.5:
            return bytes(atheris.Mutate(data, most))
        parts = re.split(r"(\s+)", data.decode("utf-8", "replace"))
        for _ in range(rng.randrange(1, 5)):
            index = rng.randrange(len(parts))
            parts[index : index + rng.randrange(3)] = [rng.choice(words)] * rng.randrange(1, 3)
        return "".join(parts).encode()[:most]

    return mutate


def main() -> None:
    if len(sys.argv) < 2 or sys.argv[1] not in TARGETS:
        sys.exit(f"{__doc__}\nThere are: {', '.join(TARGETS)}")
    target = sys.argv.pop(1)
    if not any(not argument.startswith("-") for argument in sys.argv[1:]):
        folder = Path(tempfile.mkdtemp(prefix=f"fuzz-{target}-"))
        for number, seed in enumerate(load_seeds(target)):
            (folder / f"seed-{number}").write_bytes(seed)
        sys.argv += [str(folder), "-timeout=30", "-rss_limit_mb=3000", "-max_len=4000"]
    atheris.Setup(sys.argv, TARGETS[target], custom_mutator=make_mutator(target))
    atheris.Fuzz()


if __name__ == "__main__":
    main()
