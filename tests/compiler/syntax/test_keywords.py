"""Keywords, which are defined only in the grammar and the patterns.

A copy of the engine has other keywords there and in its rules; parser, messages and completion must follow.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from calling import write_files

ROOT = Path(__file__).parents[3]
SUPPORT = ROOT / "tests" / "kit"
OTHERWISE = {"spend": "disburse", "each": "foreach", "quantity": "measure"}
LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*":?')  # with a colon it is a key: a rule's own name

MANIFEST = "name: house\ntitle: House\nversion: 1.0.0\nkind: game\nlanguage: 1\n"
RULES = """\
resource gold "gold"
keep seats as order of player, quiet

measure wealth "wealth" of player is gold of player

game house "House"
  players 2 to 2
  order seats
  winners everyone
  score wealth of you
  course
    play morning
    play evening
    play night

phase morning "Morning"
  foreach player
    gain 1 gold

phase evening "Evening"
  foreach player in first of seats
    disburse 1 gold

phase night "Night"
  foreach player in first of seats
    may disburse 1 gold
"""
WRONG = (  # what stands there, what somebody writes, and what is to be written
    ("    disburse 1 gold\n", "    disburs 1 gold\n", "disburse 1 gold"),
    ("foreach player\n", "every player\n", "foreach player"),
    ("may disburse 1 gold", "may disburse gold 1", "may disburse 1 gold"),
    ("measure wealth", "measur wealth", 'measure wealth "wealth" of player is gold of player'),
)
ASKS = """\
import json, os, sys
from pathlib import Path
from edict.compiler.syntax.completion import compute_expectation
from isolating import call_isolated

said = [[0, " ".join(compute_expectation("phase tea\\n  ", "a.edict").words)]]
for words in json.load(sys.stdin):
    done = call_isolated(Path.cwd(), words, os.environ.copy())
    said.append([done.returncode, done.stdout])
json.dump(said, sys.stdout)
"""


def replace_keywords(text: str) -> str:
    """Return text with the other keywords; braces hold a field's own name."""
    for word, other in OTHERWISE.items() if text[-1:] != ":" else ():
        text = re.sub(rf"(?<![\w{{-]){word}(?![\w}}:-])", other, text)
    return text


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The engine and the base game with other words, in the grammar, its lists, the patterns and the rules only."""
    folder = tmp_path_factory.mktemp("renamed")
    for name in ("interpreter", "grammar", "rules"):
        translations = ("words",) if name == "rules" else ()
        left_out = shutil.ignore_patterns("tables.json", *translations)
        shutil.copytree(ROOT / name, folder / name, ignore=left_out)  # with the bytecode of what stays as it is
    for file in (*(folder / "grammar").glob("*.*"), *(folder / "rules").glob("*.edict")):
        lark = file.suffix == ".lark"
        text = file.read_text(encoding="utf-8")
        text = LITERAL.sub(lambda found: replace_keywords(found[0]), text) if lark else replace_keywords(text)
        file.write_text(text, encoding="utf-8")
    for file in (folder / "interpreter" / "edict" / "compiler" / "syntax" / "tree").glob("*.py"):
        says = re.compile(r"(?:says|under): ClassVar\[.*?(?=\n\n)", re.DOTALL)
        text = file.read_text(encoding="utf-8")
        text = says.sub(lambda found: LITERAL.sub(lambda one: replace_keywords(one[0]), found[0]), text)
        file.write_text(text, encoding="utf-8")
    mistaken = RULES
    for right, wrong, _ in WRONG:
        mistaken = mistaken.replace(right, wrong, 1)
    write_files(folder, {"right/module.yaml": MANIFEST, "right/rules.edict": RULES})
    write_files(folder, {"wrong/module.yaml": MANIFEST, "wrong/rules.edict": mistaken})
    return folder


def run_in_copy(copy: Path, *calls: list[str]) -> list[tuple[int, str]]:
    """Return what completion offers in the copy, and exit code and output of each command, from one process."""
    around = {"PYTHONPATH": f"{copy / 'interpreter'}:{SUPPORT}", "PATH": "/usr/bin:/bin", "HOME": str(copy)}
    done = subprocess.run(
        [sys.executable, "-c", ASKS],
        cwd=copy,
        env=around,
        input=json.dumps(calls),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return [(ended, text) for ended, text in json.loads(done.stdout)]


def test_other_keywords_are_parsed_and_appear_in_messages_and_completion(copy: Path) -> None:
    (_, offered), right, wrong = run_in_copy(copy, ["check", "./right"], ["check", "./wrong"])
    assert right[0] == 0 and "no errors" in right[1], right
    assert wrong[0] == 1 and all(f"`{written}`" in wrong[1] for _, _, written in WRONG), wrong
    assert not re.search(r"`[^`]*\b(spend|each)\b[^`]*`", wrong[1].partition("help:")[2]), wrong
    assert {"disburse", "foreach", "gain"} <= {*offered.split()} and not {"spend", "each"} & {*offered.split()}


@pytest.mark.slow  # it reads and compiles all of the base game, for words that the little game has too
def test_base_game_with_other_keywords_is_parsed_and_formatted(copy: Path) -> None:
    files = [f"rules/{file.name}" for file in (copy / "rules").glob("*.edict")]
    _, checked, laid_out = run_in_copy(copy, ["check", "kingsburg"], ["fmt", "--check", *files])
    assert checked[0] == 0 and laid_out[0] == 0, (checked, laid_out)
