"""The cache of native code, compiled once, and again if its file was changed; changed code never runs."""

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
from damaging import DAMAGES, has_run_code, list_files
from edict.compiler.pipeline.compile import compile_rules
from edict.runtime.simulation import native
from edict.support import signed_cache

pytest.importorskip("llvmlite", reason="llvmlite is an extra, and not installed here")

from edict.runtime.machine import translation
from edict.runtime.machine.translation import NativeProgram

TEMPORARY = ("TMPDIR", "TEMP", "TMP")


@pytest.fixture
def kept_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EDICT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(signed_cache, "_warnings", [])
    return tmp_path / "cache"


@cache
def is_quick() -> bytes:
    return translation.compile_program(RULES, False, translation.QUICK)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Return the names of what was compiled, in this process because starting another is slow."""
    names: list[str] = []

    def begin(self: translation.Translation) -> None:
        names.append(self._cache_name(translation.QUICK))
        signed_cache.write(names[-1], is_quick())
        self._load(translation.QUICK, is_quick())

    monkeypatch.setattr(translation.Translation, "start", begin)
    yield names


RULES = compile_rules("kuhn-poker").unwrap()


def translate_freshly() -> NativeProgram:
    """Return a translated program, as a new process would have it."""
    one = NativeProgram(RULES)
    one.refresh(events=False, wait=True)
    assert one.is_translated(events=False)
    return one


def list_cached(folder: Path) -> list[Path]:
    """List the cached files of programs."""
    return [file for file in list_files(folder) if "-quiet-" in file.name]


def test_program_is_compiled_once(kept_in: Path, made: list[str]) -> None:
    translate_freshly()
    one = translate_freshly()
    assert len(made) == 1 == len(list_cached(kept_in))
    assert list_cached(kept_in)[0].stat().st_mode & 0o077 == 0
    one.start_translation(events=False)
    assert len(made) == 1 and not one.is_translated(events=True)
    one.start_translation(events=True)
    assert len(made) == 2 and "-events-" in made[-1] and "-quiet-" in made[0]


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_code_is_compiled_again(kept_in: Path, made: list[str], damage: str) -> None:
    translate_freshly()
    DAMAGES[damage](list_cached(kept_in)[0])
    translate_freshly()
    assert len(made) == 2
    assert not has_run_code(kept_in)


def test_much_played_program_is_compiled_by_another_process(
    kept_in: Path, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    """The loop plays meanwhile and native code afterwards, without a difference or a leftover temporary file."""
    temporary = kept_in.parent / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    read = signed_cache.read  # finds none of it: as without a cache, all has to come from the other process itself
    monkeypatch.setattr(signed_cache, "read", lambda name: None if "-quiet-" in name else read(name))
    monkeypatch.setattr(translation, "PATIENCE", 0.0)
    monkeypatch.setattr(translation, "TIERS", (translation.QUICK, translation.FULL))
    program = compile_rules("pig").unwrap()
    monkeypatch.setattr(translation, "_KNOWN", type(translation._KNOWN)())
    before = native.play_batch(program, 2, range(50))
    assert not list_cached(kept_in)
    one = translation.get_native_program(program)
    one.refresh(events=False, wait=True)
    assert one.is_translated(events=False), "it was waited for"

    def better() -> bool:
        one.refresh(events=False)  # which looks for it
        return one.is_optimized(events=False)

    for there in (lambda: bool(list_cached(kept_in)), better):
        with subtests.test(there=there):
            wait_until(there)
            after = native.play_batch(program, 2, range(50))
            assert one.is_translated(events=False)
            assert after[1].tolist() == before[1].tolist()
    assert len(list_cached(kept_in)) == 2

    one._quiet._compiler = None  # as when the process ends
    wait_until(lambda: not os.listdir(temporary))


SCRIPT = """
from edict.support import signed_cache
from edict.compiler.pipeline.compile import compile_rules
from edict.runtime.simulation import native

program = compile_rules("pig").unwrap()
native.translate(program)
print(native.play_batch(program, 2, range(3))[1].tolist(), signed_cache.is_usable())
"""


@pytest.mark.slow
def test_no_temporary_file_remains_without_a_cache(tmp_path: Path) -> None:
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
