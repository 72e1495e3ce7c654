"""The signed cache, which returns what was written or nothing, and never fails because of what lies in it."""

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
from edict.support import resources, signed_cache
from edict.support.signed_cache import get_or_create, is_usable, iter_names, read, write
from examples import choose_examples

CONTENT = b"some kept words, " * 20
unix = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="modes and owners are a thing of Unix")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EDICT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(signed_cache, "_warnings", [])
    return tmp_path / "cache"


def forget_process_state() -> None:
    signed_cache._load_key.cache_clear()
    signed_cache._warnings.clear()


def key_file() -> Path:
    return resources.state_folder() / "cache.key"


def test_written_content_is_read_back(cache: Path) -> None:
    assert read("folder/name") is None
    write("folder/name", CONTENT)
    write("fact", b"")
    forget_process_state()
    assert (read("folder/name"), read("fact"), read("other")) == (CONTENT, b"", None)
    assert is_usable()
    assert list(iter_names("folder", "na")) == ["folder/name"]
    assert [*iter_names("folder", "x"), *iter_names("no", "")] == []


@unix
def test_cached_file_is_unreadable_for_others(cache: Path) -> None:
    write("folder/name", CONTENT)
    made = [cache, cache / "folder", cache / "folder" / "name", key_file().parent, key_file()]
    assert [path.stat().st_mode & 0o077 for path in made] == [0] * 5


def test_content_is_valid_only_under_its_name_and_key(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("name", CONTENT)
    (cache / "other").write_bytes((cache / "name").read_bytes())
    assert read("other") is None
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "elsewhere"))
    assert read("name") is None
    write("name", b"newer")
    assert read("name") == b"newer"


@settings(max_examples=choose_examples(60, 1000), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_file_changed_anywhere_counts_as_absent(cache: Path, data: st.DataObject) -> None:
    write("name", CONTENT)
    written = (cache / "name").read_bytes()
    start = data.draw(st.integers(0, len(written)))
    end = data.draw(st.integers(start, len(written)))
    changed = written[:start] + data.draw(st.binary(max_size=100)) + written[end:]
    (cache / "name").write_bytes(changed)
    assert read("name") == (CONTENT if changed == written else None)


def test_writing_again_repairs_damage(cache: Path, subtests: pytest.Subtests) -> None:
    for damage in DAMAGES:
        with subtests.test(damage=damage):
            write(damage, CONTENT)
            DAMAGES[damage](cache / damage)
            assert read(damage) is None
            write(damage, CONTENT)
            assert read(damage) == (None if damage == "folder" else CONTENT)


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_key_is_replaced(cache: Path, damage: str) -> None:
    write("name", CONTENT)
    DAMAGES[damage](key_file())
    forget_process_state()
    assert read("name") is None
    write("name", CONTENT)
    forget_process_state()
    assert read("name") == (None if damage == "folder" else CONTENT)
    assert not [file for file in os.listdir(key_file().parent) if file != "cache.key"]


@unix
def test_key_readable_by_others_is_replaced(cache: Path) -> None:
    write("name", CONTENT)
    known = key_file().read_bytes()
    key_file().chmod(0o644)
    forget_process_state()
    assert read("name") is None
    assert key_file().read_bytes() != known and key_file().stat().st_mode & 0o077 == 0


def test_creating_a_key_returns_an_existing_one(cache: Path) -> None:
    write("name", CONTENT)
    known = key_file().read_bytes()
    assert signed_cache._create_key(key_file()) == known == key_file().read_bytes()


def test_key_is_created_without_hard_links(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "link")
    write("name", CONTENT)
    forget_process_state()
    assert read("name") == CONTENT and os.listdir(key_file().parent) == ["cache.key"]


@unix
def test_process_waits_for_content_that_another_makes(cache: Path) -> None:
    times: list[int] = []

    def make() -> bytes:
        times.append(len(times))
        time.sleep(0.1)  # long enough for all of them to ask
        return b"made"

    with ThreadPoolExecutor(4) as threads:
        assert set(threads.map(lambda _: get_or_create("code/one", make), range(4))) == {b"made"}
    assert times == [0]
    assert read("code/one") == b"made"


def test_content_is_made_again_after_a_failure_or_without_a_cache(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> bytes:
        raise ValueError("no such thing")

    with pytest.raises(ValueError, match="no such thing"):
        get_or_create("code/one", fail)
    assert get_or_create("code/one", lambda: b"made") == b"made"
    monkeypatch.setattr(signed_cache, "_locate", lambda name: None)
    assert [get_or_create("code/two", lambda: b"made") for _ in range(2)] == [b"made", b"made"]


def test_cache_folder_writable_by_others_is_reported_once_and_not_used(
    cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write("folder/name", CONTENT)
    cache.chmod(0o770)
    forget_process_state()
    assert read("folder/name") is None and read("name") is None and not is_usable()
    write("other", CONTENT)
    assert sorted(os.listdir(cache)) == ["folder"]
    assert caplog.messages == [
        f"Not using the cache in {cache}: other users can write to {cache}. "
        f"Run `chmod go-w {cache}`, or set EDICT_CACHE to a folder of your own."
    ]
    cache.chmod(0o700)
    forget_process_state()
    assert read("folder/name") == CONTENT


@unix
def test_key_folder_writable_by_others_is_reported_and_not_used(cache: Path, caplog: pytest.LogCaptureFixture) -> None:
    write("name", CONTENT)
    key_file().parent.chmod(0o777)
    forget_process_state()
    assert read("name") is None
    (told,) = caplog.messages
    assert told.endswith("or set XDG_STATE_HOME to a folder of your own.") and str(key_file().parent) in told


@unix
def test_file_writable_by_others_is_reported_and_rewritten(cache: Path, caplog: pytest.LogCaptureFixture) -> None:
    for name in ("one", "two"):
        write(name, CONTENT)
        (cache / name).chmod(0o666)
    assert read("one") is None and read("two") is None
    assert caplog.messages == [
        f"Not using a file of the cache, which will be rebuilt: other users can write to {cache / 'one'}."
    ]
    write("one", CONTENT)
    assert read("one") == CONTENT


def test_too_large_content_is_not_stored(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signed_cache, "MAX_BYTES", 1000)
    write("name", b"x" * 936)
    assert not cache.exists()
    write("name", b"x" * 935)
    assert read("name") == b"x" * 935


@pytest.mark.parametrize("variable", ["EDICT_CACHE", "XDG_STATE_HOME"])
def test_nothing_is_stored_where_no_folder_can_be_created(
    cache: Path, tmp_path: Path, variable: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv(variable, str(tmp_path / "file" / "below"))
    assert not is_usable()
    write("name", CONTENT)
    assert read("name") is None and not caplog.messages
    assert (tmp_path / "file").read_text() == "in the way"


def test_nothing_is_stored_without_a_home_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", nowhere)
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.delenv("EDICT_CACHE", raising=False)
    write("name", CONTENT)
    assert read("name") is None and not is_usable() and not list(iter_names("folder", ""))


def test_child_process_reports_nothing(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[str] = []
    monkeypatch.setattr(logging.Logger, "warning", lambda _, words: heard.append(words))
    monkeypatch.setattr("multiprocessing.parent_process", lambda: object())
    signed_cache.warn_once("in a worker")
    assert heard == []
    monkeypatch.setattr("multiprocessing.parent_process", lambda: None)
    forget_process_state()
    signed_cache.warn_once("in the first")
    assert heard == ["in the first"]
