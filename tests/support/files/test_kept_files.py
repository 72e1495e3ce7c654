"""What is kept comes back as it was written, or not at all; and nothing that lies in a cache stops anybody."""

from __future__ import annotations

import logging
import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from damaging import DAMAGES
from edict.support import kept_files, resources
from edict.support.kept_files import keep, made, names, read, usable
from examples import examples

CONTENT = b"some kept words, " * 20
unix = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="modes and owners are a thing of Unix")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EDICT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(kept_files, "_told", [])
    return tmp_path / "cache"


def as_in_a_new_process() -> None:
    kept_files._key.cache_clear()
    kept_files._told.clear()


def key_file() -> Path:
    return resources.state_folder() / "cache.key"


def test_what_is_kept_comes_back(cache: Path) -> None:
    assert read("folder/name") is None
    keep("folder/name", CONTENT)
    keep("fact", b"")
    as_in_a_new_process()
    assert (read("folder/name"), read("fact"), read("other")) == (CONTENT, b"", None)
    assert usable()
    assert list(names("folder", "na")) == ["folder/name"]
    assert [*names("folder", "x"), *names("no", "")] == []


@unix
def test_nobody_else_can_read_it(cache: Path) -> None:
    keep("folder/name", CONTENT)
    made = [cache, cache / "folder", cache / "folder" / "name", key_file().parent, key_file()]
    assert [path.stat().st_mode & 0o077 for path in made] == [0] * 5


def test_it_comes_back_by_its_own_name_and_key_only(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep("name", CONTENT)
    (cache / "other").write_bytes((cache / "name").read_bytes())
    assert read("other") is None
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "elsewhere"))
    assert read("name") is None
    keep("name", b"newer")
    assert read("name") == b"newer"


@settings(max_examples=examples(60, 1000), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_file_changed_anywhere_counts_as_absent(cache: Path, data: st.DataObject) -> None:
    keep("name", CONTENT)
    written = (cache / "name").read_bytes()
    start = data.draw(st.integers(0, len(written)))
    end = data.draw(st.integers(start, len(written)))
    changed = written[:start] + data.draw(st.binary(max_size=100)) + written[end:]
    (cache / "name").write_bytes(changed)
    assert read("name") == (CONTENT if changed == written else None)


def test_damage_is_mended_by_keeping_it_again(cache: Path) -> None:
    for damage in DAMAGES:
        keep(damage, CONTENT)
        DAMAGES[damage](cache / damage)
        assert read(damage) is None, damage
        keep(damage, CONTENT)
        assert read(damage) == (None if damage == "folder" else CONTENT), damage


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_key_is_replaced(cache: Path, damage: str) -> None:
    keep("name", CONTENT)
    DAMAGES[damage](key_file())
    as_in_a_new_process()
    assert read("name") is None
    keep("name", CONTENT)
    as_in_a_new_process()
    assert read("name") == (None if damage == "folder" else CONTENT)
    assert not [file for file in os.listdir(key_file().parent) if file != "cache.key"]


@unix
def test_a_key_that_others_may_have_read_is_replaced(cache: Path) -> None:
    keep("name", CONTENT)
    known = key_file().read_bytes()
    key_file().chmod(0o644)
    as_in_a_new_process()
    assert read("name") is None
    assert key_file().read_bytes() != known and key_file().stat().st_mode & 0o077 == 0


def test_two_that_begin_at_once_have_one_key(cache: Path) -> None:
    keep("name", CONTENT)
    known = key_file().read_bytes()
    assert kept_files._new_key(key_file()) == known == key_file().read_bytes()


def test_a_key_is_made_where_files_have_only_one_name(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "link")
    keep("name", CONTENT)
    as_in_a_new_process()
    assert read("name") == CONTENT and os.listdir(key_file().parent) == ["cache.key"]


@unix
def test_who_wants_what_is_being_made_waits_for_it(cache: Path) -> None:
    times: list[int] = []

    def make() -> bytes:
        times.append(len(times))
        time.sleep(0.1)  # long enough for all of them to ask
        return b"made"

    with ThreadPoolExecutor(4) as threads:
        assert set(threads.map(lambda _: made("code/one", make), range(4))) == {b"made"}
    assert times == [0]
    assert read("code/one") == b"made"


def test_what_could_not_be_made_or_cannot_be_kept_is_made_by_the_next(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> bytes:
        raise ValueError("no such thing")

    with pytest.raises(ValueError, match="no such thing"):
        made("code/one", fail)
    assert made("code/one", lambda: b"made") == b"made"
    monkeypatch.setattr(kept_files, "_place", lambda name: None)
    assert [made("code/two", lambda: b"made") for _ in range(2)] == [b"made", b"made"]


def test_a_folder_open_to_others_is_told_once_and_not_used(cache: Path, caplog: pytest.LogCaptureFixture) -> None:
    keep("folder/name", CONTENT)
    cache.chmod(0o770)
    as_in_a_new_process()
    assert read("folder/name") is None and read("name") is None and not usable()
    keep("other", CONTENT)
    assert sorted(os.listdir(cache)) == ["folder"]
    assert caplog.messages == [
        f"Not using the cache in {cache}: other users can write to {cache}. "
        f"Run `chmod go-w {cache}`, or set EDICT_CACHE to a folder of your own."
    ]
    cache.chmod(0o700)
    as_in_a_new_process()
    assert read("folder/name") == CONTENT


@unix
def test_a_key_folder_open_to_others_is_told_and_not_used(cache: Path, caplog: pytest.LogCaptureFixture) -> None:
    keep("name", CONTENT)
    key_file().parent.chmod(0o777)
    as_in_a_new_process()
    assert read("name") is None
    (told,) = caplog.messages
    assert told.endswith("or set XDG_STATE_HOME to a folder of your own.") and str(key_file().parent) in told


@unix
def test_files_others_can_write_to_are_told_and_written_anew(cache: Path, caplog: pytest.LogCaptureFixture) -> None:
    for name in ("one", "two"):
        keep(name, CONTENT)
        (cache / name).chmod(0o666)
    assert read("one") is None and read("two") is None
    assert caplog.messages == [
        f"Not using a file of the cache, which will be rebuilt: other users can write to {cache / 'one'}."
    ]
    keep("one", CONTENT)
    assert read("one") == CONTENT


def test_what_is_too_large_is_not_kept(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_files, "MOST_BYTES", 1000)
    keep("name", b"x" * 936)
    assert not cache.exists()
    keep("name", b"x" * 935)
    assert read("name") == b"x" * 935


@pytest.mark.parametrize("variable", ["EDICT_CACHE", "XDG_STATE_HOME"])
def test_where_nothing_can_be_written_nothing_is_kept(
    cache: Path, tmp_path: Path, variable: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv(variable, str(tmp_path / "file" / "below"))
    assert not usable()
    keep("name", CONTENT)
    assert read("name") is None and not caplog.messages
    assert (tmp_path / "file").read_text() == "in the way"


def test_without_a_home_nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", nowhere)
    monkeypatch.delenv("XDG_CACHE_HOME")
    keep("name", CONTENT)
    assert read("name") is None and not usable() and not list(names("folder", ""))


def test_a_process_started_by_another_says_nothing(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[str] = []
    monkeypatch.setattr(logging.Logger, "warning", lambda _, words: heard.append(words))
    monkeypatch.setattr("multiprocessing.parent_process", lambda: object())
    kept_files.tell("in a worker")
    assert heard == []
    monkeypatch.setattr("multiprocessing.parent_process", lambda: None)
    as_in_a_new_process()
    kept_files.tell("in the first")
    assert heard == ["in the first"]
