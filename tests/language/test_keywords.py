"""A word of the language is said in one place: the grammar and the patterns beside it.

In a copy of the engine some words are called otherwise there, and in the rules; all that people meet follows.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OTHERWISE = {"spend": "disburse", "each": "foreach", "quantity": "measure"}
LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*":?')  # with a colon it is a key: a rule's own name

RULES = """\
measure wealth-of-all "wealth" of player is gold of player

when start of summer
  foreach player
    may disburse 1 gold
      gain 1 wood
"""


def renamed(text: str) -> str:
    """With the other words; what stands in braces is a field's own name."""
    for word, other in OTHERWISE.items() if text[-1:] != ":" else ():
        text = re.sub(rf"(?<![\w{{-]){word}(?![\w}}:-])", other, text)
    return text


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The engine and the base game with other words, in the grammar, its lists, the patterns and the rules only."""
    folder = tmp_path_factory.mktemp("renamed")
    for name in ("interpreter", "grammar", "rules"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "tables.json"))
    for file in (*(folder / "grammar").glob("*.*"), *(folder / "rules").glob("*.edict")):
        lark = file.suffix == ".lark"
        text = file.read_text(encoding="utf-8")
        text = LITERAL.sub(lambda found: renamed(found[0]), text) if lark else renamed(text)
        file.write_text(text, encoding="utf-8")
    for file in (folder / "interpreter" / "edict" / "language" / "tree").glob("*.py"):
        says = re.compile(r"(?:says|under): ClassVar\[.*?(?=\n\n)", re.DOTALL)
        text = file.read_text(encoding="utf-8")
        text = says.sub(lambda found: LITERAL.sub(lambda one: renamed(one[0]), found[0]), text)
        file.write_text(text, encoding="utf-8")
    house = folder / "house"
    house.mkdir()
    about = "name: house\ntitle: House\nversion: 1.0.0\nkind: module\nsummary: Other words.\nrequires: [kingsburg]\n"
    (house / "module.yaml").write_text(about, encoding="utf-8")
    return folder


def around(copy: Path) -> dict[str, str]:
    return {"PYTHONPATH": str(copy / "interpreter"), "PATH": "/usr/bin:/bin", "HOME": str(copy)}


def run(copy: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "edict.cli.main", *words], cwd=copy, env=around(copy), capture_output=True, text=True,
        encoding="utf-8", timeout=120,
    )  # fmt: skip


def test_rules_in_the_other_words_are_read_and_laid_out(copy: Path) -> None:
    written(copy, RULES)
    done = run(copy, "check", "house")
    assert done.returncode == 0 and "no errors" in done.stdout, done
    done = run(copy, "fmt", "--check", "house", *(f"rules/{file.name}" for file in (copy / "rules").glob("*.edict")))
    assert done.returncode == 0, done


@pytest.mark.parametrize(
    ("right", "wrong", "help_"),
    [
        ("disburse 1", "disburs 1", "may disburse 1 gold"),
        ("foreach player", "every player", "foreach player"),
        ("measure wealth", "measur wealth", 'measure wealth-of-all "wealth" of player is gold of player'),
        ("may disburse 1 gold", "disburse gold", "disburse 1 gold"),
    ],
)
def test_messages_are_told_in_the_other_words(copy: Path, right: str, wrong: str, help_: str) -> None:
    written(copy, RULES.replace(right, wrong))
    done = run(copy, "check", "house")
    assert done.returncode == 1 and f"`{help_}`" in done.stdout, done
    assert not re.search(r"`[^`]*\b(spend|each)\b[^`]*`", done.stdout.partition("help:")[2]), done


def test_completion_offers_the_other_words(copy: Path) -> None:
    script = "from edict.language.expecting import expected; print(*expected('phase tea\\n  ', 'a.edict').words)"
    done = subprocess.run([sys.executable, "-c", script], env=around(copy), capture_output=True, text=True, check=True)
    offered = set(done.stdout.split())
    assert {"disburse", "foreach", "gain"} <= offered and not {"spend", "each"} & offered


def written(copy: Path, text: str) -> None:
    (copy / "house" / "rules.edict").write_text(text, encoding="utf-8")
