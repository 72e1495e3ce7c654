"""A word of the language is said in one place: the grammar and the patterns beside it.

In a copy of the engine some words are called otherwise there, and in the rules; all that people meet follows.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SUPPORT = ROOT / "tests" / "support"
OTHERWISE = {"spend": "disburse", "each": "foreach", "quantity": "measure"}
LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*":?')  # with a colon it is a key: a rule's own name

RULES = """\
measure wealth-of-all "wealth" of player is gold of player

when start of summer
  foreach player
    may disburse 1 gold
      gain 1 wood
"""
WRONG = {  # what stands there, what somebody writes, and what is to be written
    "a-step": ("disburse 1", "disburs 1", "may disburse 1 gold"),
    "a-loop": ("foreach player", "every player", "foreach player"),
    "a-definition": ("measure wealth", "measur wealth", 'measure wealth-of-all "wealth" of player is gold of player'),
    "an-offer": ("may disburse 1 gold", "may disburse gold 1", "may disburse 1 gold"),
}
WRITTEN = {"house": RULES, **{name: RULES.replace(right, wrong) for name, (right, wrong, _) in WRONG.items()}}
ASKS = """\
import json, os, sys
from pathlib import Path
from edict.language.expecting import expected
from isolating import called

said = [["expected", 0, " ".join(expected("phase tea\\n  ", "a.edict").words)]]
for words in json.load(sys.stdin):
    done = called(Path.cwd(), words, os.environ.copy())
    said.append([" ".join(words[:2]), done.returncode, done.stdout])
json.dump(said, sys.stdout)
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
        translations = ("words",) if name == "rules" else ()
        left_out = shutil.ignore_patterns("__pycache__", "tables.json", *translations)
        shutil.copytree(ROOT / name, folder / name, ignore=left_out)
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
    for name, text in WRITTEN.items():
        (folder / name).mkdir()
        about = f"name: {name}\ntitle: House\nversion: 1.0.0\nkind: module\nlanguage: 1\nsummary: Other words.\n"
        (folder / name / "module.yaml").write_text(about + "requires: [kingsburg]\n", encoding="utf-8")
        (folder / name / "rules.edict").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def said(copy: Path) -> dict[str, tuple[int, str]]:
    """How each command ended in the copy, and what it said, and what completion offers: all from one process."""
    calls = [["check", name] for name in WRITTEN]
    calls.append(["fmt", "--check", "house", *(f"rules/{file.name}" for file in (copy / "rules").glob("*.edict"))])
    around = {"PYTHONPATH": f"{copy / 'interpreter'}:{SUPPORT}", "PATH": "/usr/bin:/bin", "HOME": str(copy)}
    done = subprocess.run(
        [sys.executable, "-c", ASKS], cwd=copy, env=around, input=json.dumps(calls), capture_output=True, text=True,
        encoding="utf-8", timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return {name: (ended, text) for name, ended, text in json.loads(done.stdout)}


@pytest.mark.slow
def test_rules_in_the_other_words_are_read_and_laid_out(said: dict[str, tuple[int, str]]) -> None:
    ended, text = said["check house"]
    assert ended == 0 and "no errors" in text, text
    assert said["fmt --check"][0] == 0, said["fmt --check"]


@pytest.mark.parametrize("name", WRONG)
def test_messages_are_told_in_the_other_words(said: dict[str, tuple[int, str]], name: str) -> None:
    ended, text = said[f"check {name}"]
    assert ended == 1 and f"`{WRONG[name][2]}`" in text, text
    assert not re.search(r"`[^`]*\b(spend|each)\b[^`]*`", text.partition("help:")[2]), text


def test_completion_offers_the_other_words(said: dict[str, tuple[int, str]]) -> None:
    offered = set(said["expected"][1].split())
    assert {"disburse", "foreach", "gain"} <= offered and not {"spend", "each"} & offered
