"""The command `kingsburg fmt`, with one layout that changes no word and keeps every comment in place."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from edict.compiler.syntax.parse import parse
from edict.compiler.syntax.printing.canonical import format_source, is_same_tree, scan_source
from edict.support.text import Source

ROOT = Path(__file__).resolve().parents[3]
FILES = sorted(path for room in ("rules", "modules", "examples", "grammar") for path in (ROOT / room).rglob("*.edict"))
Run = Callable[..., subprocess.CompletedProcess[str]]


def format_text(text: str) -> str:
    return format_source(Source("page.edict", text)).unwrap()


# --- the layout --------------------------------------------------------------------------------


CROOKED = """\


# first of all


resource   wood "wood"   # not stone
resource stone
phase   day
    # what begins the day
    gain 1   wood or 2 stone   # either


    if (  wood of you>=3 )   and (stone of you = 2)
        play  night
        # the end of this block


    # the last word of the day
phase night "Night"

  reward-is-nothing-here
# at the very end"""

LAID = """\
# first of all

resource wood "wood"  # not stone
resource stone

phase day
  # what begins the day
  gain 1 wood or 2 stone  # either

  if (wood of you >= 3) and (stone of you = 2)
    play night
    # the end of this block

  # the last word of the day

phase night "Night"
  nothing
# at the very end
"""


def test_format_normalizes_spaces_indentation_and_empty_lines() -> None:
    assert format_text(CROOKED.replace("reward-is-nothing-here", "nothing")) == LAID


SMALL = (
    ("", ""),
    ("# only a remark", "# only a remark\n"),
    ("\n\nphase x\n\tnothing", "phase x\n  nothing\n"),
    ("oak a\n  yield\n    gain 1 x\n", "oak a\n  yield gain 1 x\n"),
    ("oak a\n  yield # why\n    gain 1 x # what\n", "oak a\n  # why\n  yield gain 1 x  # what\n"),
    ("oak a\n  yield may gain 1 x\n", "oak a\n  yield may gain 1 x\n"),
    ("oak a\n  h 1\noak b\n  h 2\nphase x\n  nothing\n", "oak a\n  h 1\noak b\n  h 2\n\nphase x\n  nothing\n"),
    ("phase x\n  draw an oak from y as z\n", "phase x\n  draw an oak from y as z\n"),
    (
        "phase x\n  if a\n    nothing\n  else\n    if b\n      nothing\n",
        "phase x\n  if a\n    nothing\n  else if b\n    nothing\n",
    ),
    ("shift x by 1 or -1\n", "shift x by +1 or -1\n"),
    ("quantity q is (1 # one\n  # two\n  + 2 # three\n )\n", "# one\n# two\nquantity q is (1 + 2)  # three\n"),
)


def test_format_edge_cases(subtests: pytest.Subtests) -> None:
    for written, expected in SMALL:
        with subtests.test(written=written):
            assert format_text(written) == expected
            assert format_text(expected) == expected


def _scramble_layout(text: str, rng: random.Random) -> str:
    """Return the text with other indentation, more spaces, and comments and empty lines anywhere."""
    lines = list[str]()
    for number, line in enumerate(text.splitlines()):
        step = len(line) - len(line.lstrip())
        body = line.lstrip()
        if body and not body.startswith("#") and '"' not in body:
            body = body.replace(" ", " " * rng.choice((1, 1, 3)))
            body += rng.choice(("", "", "  ", f" # behind {number}"))
        if rng.random() < 0.1:
            lines += ["", " " * rng.randrange(9) + f"# alone {number}"] + [""] * rng.randrange(3)
        lines.append(" " * (step * 2) + body)
    return "\n".join(lines)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("path", FILES[::3], ids=lambda path: f"{path.parent.name}/{path.name}")
@pytest.mark.sample(20)
def test_format_keeps_all_comments_and_is_idempotent(path: Path, seed: int) -> None:
    """Comments keep their order, their neighbours, and the definition in or above which they stand."""
    crooked = _scramble_layout(path.read_text(encoding="utf-8"), random.Random(seed))
    once = format_text(crooked)
    assert format_text(once) == once
    before, after = scan_source(crooked), scan_source(once)
    assert before.words == after.words
    assert [c.text for c in before.comments] == [c.text for c in after.comments]
    assert _owners(crooked) == _owners(once)
    trees = [parse(Source("page.edict", text)).unwrap().definitions for text in (crooked, once)]
    assert is_same_tree(*trees)


def _owners(text: str) -> dict[str, int]:
    """Return the number of definitions before each comment that `_scramble_layout` inserted."""
    found, count = dict[str, int](), 0
    for line in text.splitlines():
        body = line.split("#")[0]
        count += body[:1].isalpha()
        if "# behind" in line or "# alone" in line:
            found[line[line.index("#") :]] = count
    return found


def test_format_refuses_text_that_it_would_change() -> None:
    refused = format_source(Source("page.edict", 'phase x\n  may play y else ""\n'))
    assert refused.value is None
    assert [(d.code, d.span.line) for d in refused.diagnostics] == [("E0132", 2)]


# --- the command -------------------------------------------------------------------------------


@pytest.fixture
def run(call: Run) -> Run:
    """Runs the command in an empty folder."""
    return partial(call, "fmt")


def test_fmt_refuses_yaml_file(run: Run, tmp_path: Path) -> None:
    (tmp_path / "module.yaml").write_text("name: x\n", encoding="utf-8")
    done = run("module.yaml")
    assert done.returncode == 2 and "`module.yaml` is not a rule file" in done.stderr and ".edict" in done.stderr


def test_fmt_writes_files_and_skips_faulty_ones(run: Run, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.edict", tmp_path / "bad.edict"
    good.write_bytes(b"phase   x\r\n    nothing # here\r\n")
    bad.write_text("phase   x\n", encoding="utf-8")
    good.chmod(0o640)
    done = run()
    assert done.returncode == 1
    assert done.stdout == "good.edict\n1 file reformatted, 1 file already formatted\n"
    assert "bad.edict:1:1: error E0104" in done.stderr
    assert good.read_bytes() == b"phase x\r\n  nothing  # here\r\n"
    assert bad.read_text(encoding="utf-8") == "phase   x\n"
    assert good.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.edict", "good.edict"]


def test_fmt_refuses_links_out_of_the_folder_and_non_utf8_files(run: Run, tmp_path: Path) -> None:
    (tmp_path / "house").mkdir()
    secret = tmp_path / "secret"
    secret.write_text("phase   x\n  nothing\n", encoding="utf-8")
    (tmp_path / "house" / "link.edict").symlink_to(secret)
    (tmp_path / "house" / "bytes.edict").write_bytes(b"# \xff\n")
    done = run("house")
    assert done.returncode == 1
    assert "E0153" in done.stderr and "E0154" in done.stderr
    assert secret.read_text(encoding="utf-8").startswith("phase   x")


def test_fmt_check_and_diff_write_nothing(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "a.edict"
    file.write_text("phase   x\n  nothing\n", encoding="utf-8")
    checked = run("--check", "a.edict")
    assert (checked.returncode, checked.stdout) == (1, "a.edict\n1 file would be reformatted\n")
    shown = run("--diff", ".")
    assert shown.returncode == 0
    assert shown.stdout.splitlines()[3:] == ["-phase   x", "+phase x", "   nothing"]
    assert file.read_text(encoding="utf-8") == "phase   x\n  nothing\n"
    assert run("a.edict").returncode == 0
    assert (run("--check").returncode, run("--check").stdout) == (0, "1 file already formatted\n")


def test_fmt_formats_standard_input(run: Run) -> None:
    done = run("-", typed='phase   x\r\n  announce "é"\n')
    assert (done.returncode, done.stdout) == (0, 'phase x\n  announce "é"\n')
    wrong = run("-", typed="phase\n")
    assert (wrong.returncode, wrong.stdout) == (1, "")
    assert wrong.stderr.startswith("standard input:1:")
    assert run("-", typed="\udcff").returncode == 2
    assert run("-", "--check").returncode == 2


def test_fmt_refuses_shipped_rules_by_name(run: Run) -> None:
    refused = run("pig")
    assert refused.returncode == 2
    assert "is part of the package" in refused.stderr
    assert run("pig", "--check").returncode == 0


def test_fmt_reports_missing_path(run: Run, subtests: pytest.Subtests) -> None:
    for names in ((), ("no-such-thing",), ("./nowhere",)):
        with subtests.test(names=names):
            done = run(*names)
            assert done.returncode == 2 and "help:" in done.stderr
