"""Commands over a cache that somebody else has filled, which print the same as without it and run nothing from it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from calling import GAME, make_manifest, run_kingsburg, start_kingsburg, write_files
from damaging import DAMAGES, copy_cache, has_run_code, list_files
from edict.compiler.pipeline.compile import check_rules, compile_rules
from edict.compiler.sources import compiler_fingerprint
from edict.compiler.sources.module_set import gather_modules, hash_rules
from edict.compiler.syntax import grammar
from edict.compiler.syntax.grammar import get_parser
from edict.compiler.syntax.parse import parse
from edict.runtime.program import digest
from edict.runtime.simulation import native
from edict.support import resources, signed_cache
from edict.support.text import Source
from examples import ALL, choose_examples

WRONG = GAME.replace("winners players", "winners playrs")
CHECK = ("check", "sample")
STUDY = ("study", "sample", "--players", "2", "--games", "20", "--bots", "random", "--workers", "1", "--seed", "1")


def write_sample_game(folder: Path) -> Path:
    write_files(folder / "sample", {"module.yaml": make_manifest("sample", "game"), "rules.edict": GAME})
    return folder / "sample"


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    return write_sample_game(tmp_path)


def cache_environment(path: Path) -> dict[str, str]:
    return {"EDICT_CACHE": str(path)}


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """Return the output of `check` without a cache, and the cache that it leaves."""
    place = write_sample_game(tmp_path_factory.mktemp("checked")).parent
    done = start_kingsburg(place, *CHECK, **cache_environment(place / "cache"))
    assert (done.returncode, done.stderr) == (0, "") and list_files(place / "cache")
    return done.stdout, place / "cache"


@pytest.fixture(scope="module")
def studied(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """Return the output of `study` without a cache, and the cache that it leaves."""
    place = write_sample_game(tmp_path_factory.mktemp("studied")).parent
    done = start_kingsburg(place, *STUDY, **cache_environment(place / "cache"))
    assert done.returncode == 0
    return done.stdout, place / "cache"


# --- the grammar, programs and facts ---------------------------------------------------------------


@pytest.fixture
def fresh_parser() -> Iterator[None]:
    get_parser.cache_clear()
    yield
    get_parser.cache_clear()


@pytest.mark.parametrize("place", ["shipped", *choose_examples([], ["shipped for another grammar", "kept"])])
def test_cached_grammar_parses_the_same(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fresh_parser: None, subtests: pytest.Subtests
) -> None:
    monkeypatch.setenv("EDICT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(resources, "parser_tables_path", lambda: tmp_path / "tables.json")
    monkeypatch.setattr(grammar, "_build_parser", cache(grammar._build_parser))  # seconds each time
    if place == "shipped for another grammar":
        (tmp_path / "tables.json").write_text("grammar-of-yesterday\nnothing", encoding="utf-8")
    files = sorted((resources.get_shipped_folder() / "rules").glob("*.edict")) if ALL else ()
    texts = [GAME, *(file.read_text(encoding="utf-8") for file in files)]
    texts += [WRONG.replace("each player", "each each player"), "phase p\n  gain", "resource coin coin\n\tlet"]
    made = [parse(Source("page", text)) for text in texts]
    get_parser.cache_clear()
    if place == "shipped":
        grammar.write_tables()
        shutil.rmtree(tmp_path / "cache")
    else:
        monkeypatch.setattr(grammar, "_load_tables", lambda _: pytest.fail("read again"))
    monkeypatch.setattr(grammar, "_build_parser", lambda _: pytest.fail("made again"))
    for text, before in zip(texts, made, strict=True):
        with subtests.test(text=text):
            after = parse(Source("page", text))
            assert repr(after.value) == repr(before.value)
            assert after.diagnostics == before.diagnostics
    assert sum(not outcome.ok for outcome in made) == 3


@pytest.mark.parametrize("damage", ["bomb", *choose_examples([], ["deep, signed by nobody", "pipe"])])
def test_check_prints_the_same_over_a_damaged_cache(
    tmp_path: Path, rules: Path, checked: tuple[str, Path], damage: str
) -> None:
    said, place = checked[0], copy_cache(checked[1], tmp_path / "cache")
    kept = {file: file.read_bytes() for file in list_files(place)}
    for file in kept:
        DAMAGES[damage](file)
    pickled = write_pickled_grammar(place)
    again = start_kingsburg(tmp_path, *CHECK, **cache_environment(place))
    assert (again.returncode, again.stdout, again.stderr) == (0, said, "")
    assert not has_run_code(tmp_path) and list_files(place) == sorted([*kept, pickled])
    assert {file: file.read_bytes() for file in kept if "known" in file.parts} == {
        file: content for file, content in kept.items() if "known" in file.parts
    }


def write_pickled_grammar(place: Path) -> Path:
    """Store a grammar as a pickle, the former format, which must not even be read."""
    text = (resources.grammar_folder() / "edict.lark").read_text(encoding="utf-8")
    old = place / f"grammar-{digest(text)}.lark"
    old.touch()
    DAMAGES["bomb"](old)
    old.write_bytes(b"a line with what Lark took for a signature\n" + old.read_bytes())
    return old


def test_known_rules_are_not_rewritten_and_the_program_in_use_is_returned(
    rules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDICT_CACHE", str(tmp_path / "cache"))
    built = compile_rules(rules).unwrap()
    assert check_rules(rules).ok
    with monkeypatch.context() as patched:
        patched.setattr(
            "edict.support.signed_cache.write_private", lambda path, _: pytest.fail(f"written again: {path}")
        )
        assert check_rules(rules).ok
        assert compile_rules(rules).unwrap() is built
    (file,) = (tmp_path / "cache").glob("*.program")
    file.unlink()
    assert compile_rules(rules).unwrap() is built


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=choose_examples(10, 500))
@given(st.data())
def test_a_changed_program_is_compiled_anew(
    rules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: st.DataObject
) -> None:
    monkeypatch.setenv("EDICT_CACHE", str(tmp_path / "cache"))
    program = compile_rules(rules).unwrap()
    (file,) = (tmp_path / "cache").glob("*.program")
    written = file.read_bytes()
    start = data.draw(st.integers(0, len(written)))
    end = data.draw(st.integers(start, len(written)))
    file.write_bytes(written[:start] + data.draw(st.binary(max_size=20)) + written[end:])
    assert compile_rules(rules).unwrap() == program
    assert file.read_bytes() == written


def test_foreign_cache_cannot_mark_rules_as_valid(
    rules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    monkeypatch.setenv("EDICT_CACHE", str(tmp_path / "cache"))
    (rules / "rules.edict").write_text(WRONG, encoding="utf-8")
    known = tmp_path / "cache" / "known"
    known.mkdir(parents=True, mode=0o700)
    name = f"rules-{hash_rules(gather_modules(str(rules), ()).unwrap())}-{compiler_fingerprint.fingerprint()}"
    for content in (b"", b"0" * 64 + b"\n"):
        with subtests.test(content=content):
            (known / name).write_bytes(content)
            assert not check_rules(rules).ok
    compiler_fingerprint.mark_verified(name.rpartition("-")[0])
    assert check_rules(rules).ok  # as this user's own run has found, so the name above was the right one


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="modes are a thing of Unix")
def test_cache_writable_by_others_is_reported_once_and_not_used(
    tmp_path: Path, rules: Path, checked: tuple[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    said, place = checked[0], copy_cache(checked[1], tmp_path / "cache")
    before = {file: file.stat().st_mtime_ns for file in list_files(place)}
    place.chmod(0o777)
    monkeypatch.setattr(signed_cache, "_warnings", [])
    again = run_kingsburg(tmp_path, *CHECK, **cache_environment(place))
    assert (again.returncode, again.stdout) == (0, said)
    assert again.stderr == (
        f"Not using the cache in {place}: other users can write to {place}. "
        f"Run `chmod go-w {place}`, or set EDICT_CACHE to a folder of your own.\n"
    )
    assert {file: file.stat().st_mtime_ns for file in list_files(place)} == before


# --- native code -----------------------------------------------------------------------------------

ENTRY = "machine-"  # prefix of the cache files with the machine's compiled functions, which a study calls


@pytest.mark.slow
@pytest.mark.skipif(not native.is_available(), reason="llvmlite is an extra, and not installed here")
@pytest.mark.parametrize("damage", ["bomb, signed by nobody", *choose_examples([], ["empty", "pipe"])])
def test_study_prints_the_same_over_damaged_native_code(
    tmp_path: Path, rules: Path, studied: tuple[str, Path], damage: str
) -> None:
    said, place = studied[0], copy_cache(studied[1], tmp_path / "cache")
    damaged = list(place.rglob(f"{ENTRY}*"))
    sizes = [file.stat().st_size for file in damaged]
    for file in damaged:
        DAMAGES[damage](file)
    again = start_kingsburg(tmp_path, *STUDY, **cache_environment(place))
    assert damaged and (again.returncode, again.stdout) == (0, said), again.stderr
    assert not has_run_code(place)
    assert [file.stat().st_size for file in damaged] == sizes, "it was made again"
