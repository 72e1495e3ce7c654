"""Files are written whole or not at all, and what is no ordinary file is left what it is."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from edict.files import write_whole

resource = pytest.importorskip("resource", reason="limits of a process are a thing of Unix")


@pytest.fixture
def small_disk() -> Iterator[None]:
    """No file may grow beyond 10,000 bytes, as if there were no room for more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_the_old_file_stays_until_the_new_one_is_whole(tmp_path: Path, small_disk: None) -> None:
    target = tmp_path / "report.html"
    target.write_text("before")
    with pytest.raises(OSError, match="too large") as caught:
        write_whole(target, "x" * 100_000)
    assert caught.value.filename == str(target)
    assert target.read_text() == "before"
    assert os.listdir(tmp_path) == ["report.html"]


def test_lines_end_as_wanted_and_rights_stay(tmp_path: Path) -> None:
    target = tmp_path / "words.edict"
    target.write_text("before")
    target.chmod(0o640)
    write_whole(target, "two\nlines\n", newline="\r\n")
    assert target.read_bytes() == b"two\r\nlines\r\n"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_a_link_leads_to_what_is_replaced(tmp_path: Path) -> None:
    target, link = tmp_path / "report.html", tmp_path / "link.html"
    target.write_text("before")
    link.symlink_to(target)
    write_whole(link, "after")
    assert link.is_symlink()
    assert target.read_text() == "after"


def test_a_device_stays_a_device() -> None:
    write_whole(Path(os.devnull), "into nothing")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_what_cannot_be_written_names_the_file(tmp_path: Path) -> None:
    target = tmp_path / "not there" / "report.html"
    with pytest.raises(FileNotFoundError) as caught:
        write_whole(target, "text")
    assert caught.value.filename == str(target)
