"""Files that others can change, which are refused by any path, and special files, which are not even opened."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import pytest

from damaging import DAMAGES
from edict.support.files import OTHERS_READ, NotPrivateError, make_private_folder, read_private, require_private

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="modes and owners are a thing of Unix")
MOST = 1000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "outer" / "inner"
    make_private_folder(made)
    return made


def give_away(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Change the owner of a file, or pretend to be another user where that is not allowed."""
    if os.geteuid() == 0:
        os.chown(path, 54321, -1, follow_symlinks=False)
    else:
        somebody = os.geteuid() + 1
        monkeypatch.setattr("os.geteuid", lambda: somebody)


def test_created_folder_is_private_under_any_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        make_private_folder(tmp_path / "a" / "b")
    finally:
        os.umask(before)
    require_private(tmp_path / "a" / "b")
    assert [path.stat().st_mode & 0o777 for path in (tmp_path / "a", tmp_path / "a" / "b")] == [0o700, 0o700]


def test_folder_writable_by_others_is_refused_with_a_remedy(folder: Path, subtests: pytest.Subtests) -> None:
    for shared in (folder, folder.parent):
        for mode in (0o770, 0o720, 0o702):
            with subtests.test(mode=mode):
                shared.chmod(mode)
                with pytest.raises(NotPrivateError, match="other users can write to") as refused:
                    require_private(folder)
                assert refused.value.command == f"chmod go-w {shared}"
                subprocess.run(shlex.split(refused.value.command), check=True)
                require_private(folder)
                shared.chmod(0o700)


def test_sticky_folder_is_allowed_as_a_parent_only(folder: Path) -> None:
    folder.parent.chmod(0o1777)
    require_private(folder)  # others can put nothing in the place of what is not theirs
    folder.chmod(0o1777)
    with pytest.raises(NotPrivateError, match="other users can write to") as refused:
        require_private(folder)
    assert refused.value.command == "", "so that nobody is told to shut others out of /tmp"


def test_remedy_quotes_names_with_spaces(tmp_path: Path) -> None:
    make_private_folder(tmp_path / "two words")
    (tmp_path / "two words").chmod(0o777)
    with pytest.raises(NotPrivateError) as refused:
        require_private(tmp_path / "two words" / "not made yet")
    assert refused.value.command == f"chmod go-w '{tmp_path / 'two words'}'"


@pytest.mark.parametrize("which", ["outer/inner", "outer"])
def test_folder_of_another_user_is_refused(
    folder: Path, tmp_path: Path, which: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    give_away(tmp_path / which, monkeypatch)
    with pytest.raises(NotPrivateError, match="belongs to another user"):
        require_private(folder)


def test_links_are_checked_too(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link = tmp_path / "link"
    link.symlink_to(folder)
    require_private(link)
    folder.parent.chmod(0o777)
    with pytest.raises(NotPrivateError, match="outer"):
        require_private(link)
    folder.parent.chmod(0o700)
    give_away(link, monkeypatch)
    with pytest.raises(NotPrivateError, match="belongs to another user"):
        require_private(link)


def test_folders_above_home_are_not_checked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.parent.chmod(0o777)
    monkeypatch.setenv("HOME", str(folder))
    require_private(folder / "cache")


def test_regular_file_is_read(folder: Path) -> None:
    file = folder / "file"
    file.write_bytes(b"x" * MOST)
    assert read_private(file, MOST) == b"x" * MOST
    assert read_private(file, MOST - 1) is None
    assert read_private(folder / "missing", MOST) is None
    assert read_private(file / "below", MOST) is None


def test_special_file_is_not_opened(folder: Path, subtests: pytest.Subtests) -> None:
    for damage in ("pipe", "folder", "link to a device", "link to itself", "huge"):
        with subtests.test(damage=damage):
            (folder / damage).write_bytes(b"x")
            DAMAGES[damage](folder / damage)
            assert read_private(folder / damage, MOST) is None
    (folder / "file").write_bytes(b"x")
    (folder / "link").symlink_to("file")
    assert read_private(folder / "link", MOST) is None, "not even a link to an ordinary one is followed"


def test_file_of_another_user_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = folder / "file"
    file.write_bytes(b"x")
    file.chmod(0o664)
    with pytest.raises(NotPrivateError, match="other users can write to"):
        read_private(file, MOST)
    file.chmod(0o644)
    assert read_private(file, MOST) == b"x"
    with pytest.raises(NotPrivateError):
        read_private(file, MOST, OTHERS_READ)
    give_away(file, monkeypatch)
    with pytest.raises(NotPrivateError, match="belongs to another user"):
        read_private(file, MOST)
