"""Native code is made once, and again when what was kept of it is not what was written; none of it runs before."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from calling import wait_until
from damaging import DAMAGES, files_in, ran
from edict.compiler.pipeline.compile import compile_rules
from edict.runtime.simulation import native
from edict.support import kept_files

pytest.importorskip("llvmlite", reason="llvmlite is an extra, and not installed here")

from edict.runtime.machine import translation
from edict.runtime.machine.translation import Playable

TEMPORARY = ("TMPDIR", "TEMP", "TMP")


@pytest.fixture
def kept_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EDICT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(kept_files, "_told", [])
    return tmp_path / "cache"


@cache
def quick() -> bytes:
    return translation.code_of(RULES, False, translation.QUICK)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The names of what was translated, in this very process: starting another takes longer."""
    names: list[str] = []

    def begin(self: translation.Translation) -> None:
        names.append(self._name(translation.QUICK))
        kept_files.keep(names[-1], quick())
        self._load(translation.QUICK, quick())

    monkeypatch.setattr(translation.Translation, "begin", begin)
    yield names


RULES = compile_rules("kuhn-poker").unwrap()


def translated() -> Playable:
    """A program as a new process would have it, translated."""
    one = Playable(RULES)
    one.ready(events=False, wanted=True)
    assert one.translated(events=False)
    return one


def kept(folder: Path) -> list[Path]:
    """What is kept of programs."""
    return [file for file in files_in(folder) if "-quiet-" in file.name]


def test_a_program_is_translated_once(kept_in: Path, made: list[str]) -> None:
    translated()
    one = translated()
    assert len(made) == 1 == len(kept(kept_in))
    assert kept(kept_in)[0].stat().st_mode & 0o077 == 0
    one.prepare(events=False)
    assert len(made) == 1 and not one.translated(events=True)
    one.prepare(events=True)
    assert len(made) == 2 and "-events-" in made[-1] and "-quiet-" in made[0]


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_damaged_is_made_again(kept_in: Path, made: list[str], damage: str) -> None:
    translated()
    DAMAGES[damage](kept(kept_in)[0])
    translated()
    assert len(made) == 2
    assert not ran(kept_in)


def test_other_processes_translate_what_is_played_much(kept_in: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Play goes on by the loop meanwhile, and by native code after; nothing differs, and no temporary file stays."""
    temporary = kept_in.parent / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    read = kept_files.read  # finds none of it: as without a cache, all has to come from the other process itself
    monkeypatch.setattr(kept_files, "read", lambda name: None if "-quiet-" in name else read(name))
    monkeypatch.setattr(translation, "PATIENCE", 0.0)
    monkeypatch.setattr(translation, "TIERS", (translation.QUICK, translation.FULL))
    program = compile_rules("pig").unwrap()
    monkeypatch.setattr(translation, "_KNOWN", type(translation._KNOWN)())
    before = native.play_batch(program, 2, range(50))
    assert not kept(kept_in)
    one = translation.playable(program)
    one.ready(events=False, wanted=True)
    assert one.translated(events=False), "it was waited for"

    def better() -> bool:
        one.ready(events=False)  # which looks for it
        return one.settled(events=False)

    for there in (lambda: bool(kept(kept_in)), better):
        wait_until(there)
        after = native.play_batch(program, 2, range(50))
        assert one.translated(events=False)
        assert after[1].tolist() == before[1].tolist()
    assert len(kept(kept_in)) == 2

    one._quiet._maker = None  # as when the process ends
    wait_until(lambda: not os.listdir(temporary))


SCRIPT = """
from edict.support import kept_files
from edict.compiler.pipeline.compile import compile_rules
from edict.runtime.simulation import native

program = compile_rules("pig").unwrap()
native.translate(program)
print(native.play_batch(program, 2, range(3))[1].tolist(), kept_files.usable())
"""


@pytest.mark.slow
def test_nothing_is_left_in_the_temporary_folder_without_a_cache_either(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    (tmp_path / "temporary").mkdir()
    places = {"EDICT_CACHE": str(tmp_path / "file"), **dict.fromkeys(TEMPORARY, str(tmp_path / "temporary"))}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **places},
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split()[-1] == "False"
    assert os.listdir(tmp_path / "temporary") == []
