"""Atomic file writes, and special files, which stay what they are."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from edict.support.files import (
    FileAlreadyExists,
    OutputTarget,
    replace_with_backup,
    write_atomically,
    write_new,
    write_secret,
)
from on_disk import OnDisk

resource = pytest.importorskip("resource", reason="limits of a process are a thing of Unix")


@pytest.fixture
def small_disk() -> Iterator[None]:
    """Limit files to 10,000 bytes, as if the disk were full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_old_file_stays_until_the_new_one_is_complete(tmp_path: Path, small_disk: None) -> None:
    target = tmp_path / "report.html"
    target.write_text("before")
    with pytest.raises(OSError, match="too large") as caught:
        write_atomically(target, "x" * 100_000)
    assert caught.value.filename == str(target)
    assert target.read_text() == "before"
    assert os.listdir(tmp_path) == ["report.html"]
    nowhere = tmp_path / "not there" / "report.html"
    with pytest.raises(FileNotFoundError) as caught:
        write_atomically(nowhere, "text")
    assert caught.value.filename == str(nowhere)


@pytest.mark.parametrize(
    ("write", "over"),
    [
        (lambda path: write_atomically(path, "after"), True),
        (lambda path: write_new(path, "after"), False),
        (lambda path: write_secret(path, b"after"), False),
        (lambda path: replace_with_backup(path, b"after", "before"), True),
    ],
    ids=["write_whole", "write_new", "write_secret", "replace_keeping"],
)
def test_written_file_survives_a_power_failure(
    tmp_path: Path, write: Callable[[Path], object], over: bool, on_disk: OnDisk
) -> None:
    target = tmp_path / "report.html"
    if over:
        target.write_text("before")
    write(target)
    assert on_disk(target) == b"after"


def test_replaced_file_keeps_its_mode_and_links_and_devices_stay(tmp_path: Path) -> None:
    target, link = tmp_path / "words.edict", tmp_path / "link.edict"
    target.write_text("before")
    target.chmod(0o640)
    link.symlink_to(target)
    write_atomically(link, "two\nlines\n", newline="\r\n")
    assert link.is_symlink() and target.read_bytes() == b"two\r\nlines\r\n"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    write_atomically(Path(os.devnull), "into nothing")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def _kill_during_write(number: int, path: Path, raw: bytes) -> bool:
    """Replace the file in a process that dies before a given call that changes anything; return if it was reached."""
    child = os.fork()
    if child == 0:
        calls = [0]

        def counted(real: Callable[..., object]) -> Callable[..., object]:
            def call(*args: object, **more: object) -> object:
                calls[0] += 1
                if calls[0] == number:
                    os._exit(9)
                return real(*args, **more)

            return call

        for name in ("open", "fsync", "link", "replace", "unlink"):
            setattr(os, name, counted(getattr(os, name)))
        replace_with_backup(path, raw, "before")
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9


def test_old_file_survives_a_kill_at_any_call(tmp_path: Path) -> None:
    number = 1
    while True:
        folder = tmp_path / str(number)
        folder.mkdir()
        game = folder / "game.jsonl"
        game.write_bytes(b"old")
        killed = _kill_during_write(number, game, b"new")
        there = {file.name: file.read_bytes() for file in folder.iterdir()}
        assert there["game.jsonl"] in (b"old", b"new")
        assert b"old" in (there["game.jsonl"], there.get("game.jsonl.before"))
        if not killed:
            break
        number += 1
    assert there == {"game.jsonl": b"new", "game.jsonl.before": b"old"} and number > 4


def test_replaced_file_is_backed_up_by_link_or_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    game = tmp_path / "game.jsonl"
    game.write_bytes(b"0")
    numbers = list[str]()
    for number in (1, 2, 3):
        with subtests.test(number=number):
            if number == 3:
                monkeypatch.delattr(os, "link")
            before = game.stat()
            kept = replace_with_backup(game, str(number).encode(), "before")
            numbers.append(kept.name)
            assert kept.read_bytes() == str(number - 1).encode() and game.read_bytes() == str(number).encode()
            assert os.path.samestat(kept.stat(), before) == (number < 3), "the very file, which takes no more room"
    assert numbers == ["game.jsonl.before", "game.jsonl.before-2", "game.jsonl.before-3"]


@pytest.mark.parametrize(
    ("name", "force", "raised"),
    [
        ("new", False, None),
        ("there", False, FileAlreadyExists),
        ("there", True, None),
        (".", True, IsADirectoryError),
        ("no/where", True, FileNotFoundError),
        ("-", False, None),
        (os.devnull, False, None),
    ],
)
def test_unwritable_output_is_reported_before_the_work(
    name: str, force: bool, raised: type[OSError] | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("there").write_text("before")
    target = OutputTarget(Path(name), force)
    if raised is not None:
        with pytest.raises(raised) as caught:
            target.check()
        assert caught.value.filename == str(Path(name))
        return
    target.check()
    target.write("aft\udcffer")
    if name in ("new", "there"):
        assert Path(name).read_text() == "aft?er"
