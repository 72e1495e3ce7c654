"""Native code is compiled once, and again when what was kept of it is not what was written; none of it runs before."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from damaging import DAMAGES, files_in, ran

from edict import kept_files
from edict.cli.warming import COMPILING, COMPILING_AGAIN, notice

pytest.importorskip("numba", reason="Numba is an extra, and not installed here")

from edict.machine.keeping import _with_cache, native, native_callback


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EDICT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(kept_files, "_told", [])
    return tmp_path / "cache"


def doubled(number: int) -> int:
    return 2 * number


def loads(argument: Any = 4) -> int:
    """Compile the function as a new process would; how often that was read from the cache."""
    made = native(doubled)
    assert made(argument) == 2 * argument
    hits: int = sum(made.stats.cache_hits.values())
    misses: int = sum(made.stats.cache_misses.values())
    assert hits + misses == 1
    return hits


def kept(cache: Path) -> Path:
    (file,) = files_in(cache)
    return file


def test_it_is_compiled_once_for_each_kind_of_argument(cache: Path) -> None:
    assert [loads(), loads(), loads(1.5), loads(1.5), loads()] == [0, 1, 0, 1, 1]
    assert len(files_in(cache)) == 2
    assert all(file.name.startswith("test_native_cache.doubled-") for file in files_in(cache))


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_damaged_is_compiled_again(cache: Path, damage: str) -> None:
    loads()
    DAMAGES[damage](kept(cache))
    assert loads() == 0
    assert loads() == (0 if damage == "folder" else 1)
    assert not ran(cache)


@pytest.mark.parametrize("content", [b"", b"no pickle", pickle.dumps(1), pickle.dumps((1,) * 8)])
def test_what_cannot_be_loaded_though_signed_is_told_and_compiled_again(
    cache: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    loads()
    kept_files.keep(kept(cache).relative_to(cache).as_posix(), content)
    assert loads() == 0
    assert "test_native_cache.doubled cannot be loaded and is compiled again" in caplog.messages[0]
    assert loads() == 1


def test_a_callback_is_kept_likewise(cache: Path) -> None:
    from numba import types

    first, second = (native_callback(types.int64(types.int64))(doubled) for _ in range(2))
    assert (first.cache_hits, second.cache_hits) == (0, 1)
    assert first.ctypes(21) == second.ctypes(21) == 42
    DAMAGES["bomb"](kept(cache))
    third = native_callback(types.int64(types.int64))(doubled)
    assert third.cache_hits == 0 and third.ctypes(21) == 42 and not ran(cache)


def test_another_numba_than_we_know_goes_without_a_cache(cache: Path, caplog: pytest.LogCaptureFixture) -> None:
    made = SimpleNamespace(_cache="of another kind")
    assert _with_cache(made, doubled) is made and made._cache == "of another kind"
    assert "Native code is compiled anew in every run" in caplog.text


SCRIPT = """
from edict import kept_files
from edict.cli.warming import COMPILING, COMPILING_AGAIN, notice
from edict.machine import native
from edict.machine.keeping import native as compiled

def doubled(number):
    return 2 * number

print(compiled(doubled)(21), native.kept("__main__.doubled"), kept_files.usable())
"""


@pytest.mark.parametrize("usable", [True, False])
def test_nothing_is_left_in_the_temporary_folder(tmp_path: Path, usable: bool) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    (tmp_path / "temporary").mkdir()
    cache, temporary = tmp_path / ("cache" if usable else "file"), str(tmp_path / "temporary")
    places = {"EDICT_CACHE": str(cache), "TMPDIR": temporary, "TEMP": temporary, "TMP": temporary}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **places},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == ["42", str(usable), str(usable)]
    assert os.listdir(temporary) == []


def test_who_waits_is_told_whether_once_or_each_time(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert notice() == COMPILING
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("EDICT_CACHE", str(tmp_path / "file"))
    assert notice() == COMPILING_AGAIN
