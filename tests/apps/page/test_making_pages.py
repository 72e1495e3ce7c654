"""Making the folder of a page, without making a whole one, which takes minutes: what is in the way, what lies in it."""

from __future__ import annotations

import asyncio
import gzip
import json
import marshal
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError
from importlib.util import MAGIC_NUMBER, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from zipfile import ZipFile

import pytest

import edict.apps.page
from edict.apps.page import answering, making
from edict.apps.page.making import PageError, PageSize, _Page
from edict.game.table.rules import load_rules
from edict.support.translations import language_codes

Call = Callable[..., Any]
HERE = Path(edict.apps.page.__file__).parent


# --- what is in the way


def test_what_is_in_the_way_is_said_and_nothing_is_lost(call: Call, tmp_path: Path) -> None:
    for there, words, said in (
        ("page/notes.txt", (), "page holds something other than a page\nhelp: name another folder with --output"),
        ("page/service_worker.js", (), "page holds a page already\nhelp: --force replaces it"),
        ("page", (), "page is a file\nhelp: name a folder with --output"),
        ("pyodide/README.md", ("--pyodide", "pyodide"), "pyodide has no pyodide.mjs, so it is no folder of Pyodide"),
    ):
        (tmp_path / there).parent.mkdir(exist_ok=True)
        (tmp_path / there).write_text("mine")
        done = call("page", *words)
        assert done.returncode == 2 and said in done.stderr, done.stderr
        assert (tmp_path / there).read_text() == "mine"
        shutil.rmtree(tmp_path / "page", ignore_errors=True)
        (tmp_path / "page").unlink(missing_ok=True)


def test_a_page_takes_the_place_of_an_older_one_when_it_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where there is none, and where one was begun and not finished."""
    rules, folder = load_rules("pig"), tmp_path / "page"
    for step in ("_checked", "_lay_out", "_prepare"):
        monkeypatch.setattr(making, step, lambda *about: None)
    monkeypatch.setattr(making, "_machine", lambda program: ({}, "nothing here can link"))

    def written(made: Path, page: _Page) -> PageSize:
        assert not made.exists() and made.parent == tmp_path
        assert (page.title, page.settings) == ("Pig", {"game": "pig", "modules": [], "studio": studio})
        made.mkdir()
        (made / "index.html").write_text(page.title)
        return PageSize(1, 2, 3)

    monkeypatch.setattr(making, "_written", written)
    for studio in (True, False):
        made = making.make_page(folder, rules, studio=studio, pyodide=tmp_path)
        assert made == PageSize(1, 2, 3, "nothing here can link")
        assert [file.name for file in folder.iterdir()] == ["index.html"] and [*tmp_path.iterdir()] == [folder]
        (folder / "old.js").touch()
        folder.with_name("page.part").mkdir()
        (folder.with_name("page.part") / "half.js").touch()


def test_a_folder_is_a_page_if_it_has_a_pages_worker_or_nothing(tmp_path: Path) -> None:
    assert making.is_page(tmp_path)
    (tmp_path / "notes").write_text("")
    assert not making.is_page(tmp_path)
    (tmp_path / "service_worker.js").mkdir()
    assert not making.is_page(tmp_path)
    (tmp_path / "service_worker.js").rmdir()
    (tmp_path / "service_worker.js").write_text("")
    assert making.is_page(tmp_path)


def test_a_folder_of_pyodide_has_all_that_is_needed(tmp_path: Path) -> None:
    for name in making.NEEDED:
        with pytest.raises(PageError) as found:
            making._checked(tmp_path)
        assert found.value.reason == f"{tmp_path} has no {name}, so it is no folder of Pyodide" == str(found.value)
        assert found.value.remedy == f"unpack there what `npm pack pyodide@{making.PYODIDE}` gives"
        (tmp_path / name).touch()
    making._checked(tmp_path)


# --- what a host gets


@pytest.fixture
def page(tmp_path: Path) -> _Page:
    """A page of which the large parts are small."""
    pyodide, image = tmp_path / "pyodide", tmp_path / "image"
    for folder in (pyodide, image):
        folder.mkdir()
    lock = b'{"info": 1, "packages": {"numpy": 2}}'
    for name in making.NEEDED:
        (pyodide / name).write_bytes(lock if name.endswith("json") else b"x" * 2_000)
    (image / "python_stdlib.zip").write_bytes(b"y" * making.PACKED)
    (image / "image.zst").write_bytes(b"z" * 5_000)
    (image / "image.json").write_bytes(b"w" * (making.PACKED + 1))
    machine = {"machine.js": b"m", "machine_worker.js": b"not here", "program.wasm": b"p"}
    return _Page("Two & two", {"game": "pig"}, pyodide, image, machine, "key-of-pig")


def sent(folder: Path) -> tuple[dict[str, dict[str, Any]], str]:
    """What the service worker knows: how each file lies there, and the release."""
    raw = folder / "service_worker.js"
    release, files = raw.read_text().splitlines()[:2]
    return json.loads(files.removeprefix("const FILES = ").rstrip(";")), release


def test_files_lie_there_packed_but_for_small_ones_and_what_unpacks_them(page: _Page, tmp_path: Path) -> None:
    folder = tmp_path / "made"
    made = making._written(folder, page)
    files, _ = sent(folder)
    there = {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    packed = {name for name, how in files.items() if how["packed"]}
    assert {"pyodide/pyodide.mjs", "image.json", "worker.js"} <= packed
    assert {"pyodide/pyodide.mjs", "image.json", "worker.js"}.isdisjoint(there), "whoever unpacks has them packed alone"
    assert {"index.html", "service_worker.js", "meeting.html", "shell.js"} <= there.keys(), "nobody unpacks these yet"
    assert not packed & {"image.zst", "pyodide/python_stdlib.zip", "settings.json", "machine/machine.js"}
    for name in files:
        raw = gzip.decompress(there[f"{name}.gz"]) if name in packed else there[name]
        assert name in there or name in packed
        if name in there:
            assert there[name] == raw
    assert made == PageSize(len(there), sum(map(len, there.values())), made.fetched)
    once = [there[f"{name}.gz" if name in packed else name] for name in files]
    assert made.fetched == sum(map(len, once)) + len(there["service_worker.js"])
    assert (files["pyodide/pyodide.asm.wasm"]["type"], files["image.zst"]["type"]) == (
        "application/wasm",
        "application/octet-stream",
    )
    assert {name for name in files if name.startswith("machine/")} == {"machine/machine.js", "machine/program.wasm"}
    settings = json.loads((folder / "settings.json").read_text())
    assert settings == {"application": {"game": "pig"}, "translated": {"key-of-pig": "program.wasm"}}
    lock = json.loads((folder / "pyodide" / "pyodide-lock.json").read_text())
    assert lock == {"info": 1, "packages": {}}
    assert "Two & two" in (folder / "index.html").read_text()
    assert json.loads((folder / "manifest.webmanifest").read_text()) == {
        "name": "Two & two",
        "short_name": "Two & two",
        "start_url": "./",
        "scope": "./",
        "display": "standalone",
        "icons": [{"src": "icon.svg", "sizes": "any", "type": "image/svg+xml"}],
    }
    words = (folder / "meeting.html").read_text()
    assert all(f'lang="{code}"' in words for code in language_codes()) and "Two &amp; two" in words
    assert {Path(name).suffix: how["type"] for name, how in files.items() if Path(name).suffix in making.TYPES} == {
        suffix: type for suffix, type in making.TYPES.items() if suffix in {Path(name).suffix for name in files}
    }


def test_a_page_is_another_release_only_if_something_in_it_is_another(page: _Page, tmp_path: Path) -> None:
    releases = list[str]()
    for number, content in enumerate((b"same", b"same", b"other")):
        (page.image / "image.zst").write_bytes(content)
        making._written(tmp_path / str(number), page)
        releases.append(sent(tmp_path / str(number))[1])
    assert releases[0] == releases[1] != releases[2]
    assert re.fullmatch(r"const RELEASE = `\$\{new URL\(registration.scope\).pathname\} [0-9a-f]{16}`;", releases[0])


# --- what it is made of


def ran(code: int, stderr: str = "", stdout: str = "") -> Any:
    return lambda words, **options: subprocess.CompletedProcess(words, code, stdout, stderr)


def test_what_node_says_last_is_why_a_page_cannot_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: f"/bin/{name}")
    for done, said in (
        (ran(1, "a\nno memory\n", "b\n"), "could not be tried in Node.js (no memory)"),
        (ran(1, "", "first\nlast\n"), "could not be tried in Node.js (last)"),
        (ran(1), "could not be tried in Node.js (it gave no reason)"),
    ):
        monkeypatch.setattr(subprocess, "run", done)
        with pytest.raises(PageError) as found:
            making._prepare(Path("pyodide"), Path("image"), {})
        assert said in str(found.value)
    monkeypatch.setattr(subprocess, "run", ran(0))
    making._prepare(Path("pyodide"), Path("image"), {})
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(PageError, match=r"Node\.js is needed"):
        making._prepare(Path("pyodide"), Path("image"), {})


def test_other_programs_are_heard_out_whatever_they_say() -> None:
    done = making._run([sys.executable, "-c", "import os; os.write(1, b'\\xff!'); os.write(2, b'why'); os._exit(3)"])
    assert (done.returncode, done.stdout, done.stderr) == (3, "\ufffd!", "why")


def test_pyodide_comes_from_npm_or_it_is_said_why_not_and_how_else_it_is_had(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = {"returncode": 0, "stderr": ""}

    def pack(words: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        folder = Path(words[words.index("--pack-destination") + 1])
        (tmp_path / "pyodide.mjs").write_text("it")
        with tarfile.open(folder / f"pyodide-{making.PYODIDE}.tgz", "w:gz") as archive:
            archive.add(tmp_path / "pyodide.mjs", "package/pyodide.mjs")
        return subprocess.CompletedProcess(words, stdout="", **said)  # type: ignore[arg-type]

    monkeypatch.setattr(shutil, "which", lambda name: f"/bin/{name}")
    monkeypatch.setattr(subprocess, "run", pack)
    (tmp_path / "there").mkdir()
    assert (making._from_npm(tmp_path / "there") / "pyodide.mjs").read_text() == "it"
    for stderr, reason in (
        ("npm warn x\nnpm error no network\nnpm error more\n", "(npm error no network)"),
        ("", "npm gave no reason"),
    ):
        said |= {"returncode": 1, "stderr": stderr}
        with pytest.raises(PageError) as found:
            making._from_npm(tmp_path / "there")
        assert reason in str(found.value) and "--pyodide" in found.value.remedy
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(PageError, match="npm, which is not installed") as found:
        making._from_npm(Path())
    assert "--pyodide" in found.value.remedy


def test_the_libraries_are_those_named_and_what_they_need(monkeypatch: pytest.MonkeyPatch) -> None:
    needs: Mapping[str, list[str]] = {
        "a": ["b>=1", 'c; extra == "x"', 'd; python_version < "3.8"', 'e; sys_platform == "win32"', "native"],
        "b": ["f-g[more]~=2.0", "A"],
        "f-g": [],
        "h": [],
    }

    def distribution(name: str) -> str:
        if name not in needs:
            raise PackageNotFoundError(name)
        return name

    monkeypatch.setattr(making, "LIBRARIES", ("h", "a"))
    monkeypatch.setattr(making, "NATIVE", ("native",))
    monkeypatch.setattr(making, "distribution", distribution)
    monkeypatch.setattr(making, "requires", lambda name: needs[name] or None)
    assert sorted(map(str, making._libraries())) == ["a", "b", "f-g", "h"]
    monkeypatch.setattr(making, "LIBRARIES", ("zork",))
    with pytest.raises(PageError, match="zork is not installed"):
        making._libraries()


def test_what_is_laid_out_is_what_a_page_runs_and_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One's own rules lie beside those that ship; of libraries what is Python and is used."""
    library = tmp_path / "site"
    kept = ("lib/__init__.py", "lib/deep/data.json")
    left = ("lib/tests/test_it.py", "lib/fast.so", "lib-1.dist-info/METADATA", "../bin/lib", "lib/__pycache__/x.pyc")
    for name in (*kept, *left):
        (library / name).parent.mkdir(parents=True, exist_ok=True)
        (library / name).write_text("x")
    dist = SimpleNamespace(files=[*kept, *left], locate_file=lambda entry: library / str(entry))
    monkeypatch.setattr(making, "_libraries", lambda: [dist, SimpleNamespace(files=None)])
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "module.yaml").write_text("name: mine\ntitle: Mine\nversion: 1.0.0\nkind: module\nrequires: [pig]\n")
    (mine / "mine.edict").write_text("when end of turn\n  nothing\n")
    image = tmp_path / "image"
    making._lay_out(image, load_rules("pig", (str(mine),)))
    there = {file.relative_to(image).as_posix() for file in image.rglob("*") if file.is_file()}
    assert {f"python/{name}" for name in kept} <= there
    assert not any(name.startswith(("python/lib/tests", "python/lib-1", "python/lib/fast", "bin")) for name in there)
    assert {name for name in there if name.startswith("own/")} == {"own/mine/module.yaml", "own/mine/mine.edict"}
    assert {
        "python/edict/apps/page/answering.py",
        "python/edict/shipped/examples/pig/pig.edict",
        "python/rpds.py",
    } <= there
    assert not any(
        name.startswith(("python/edict/apps/cli/", "python/edict/apps/page/making")) or "__pycache__" in name
        for name in there
    )


def prepare_alone() -> Any:
    spec = spec_from_file_location("prepare_alone", HERE / "preparing" / "prepare.py")
    assert spec is not None and spec.loader is not None
    prepare = module_from_spec(spec)
    spec.loader.exec_module(prepare)
    return prepare


def test_modules_lie_there_compiled_and_those_of_packages_of_others_also_as_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine's own with their lines, for tracebacks."""
    prepare, python = prepare_alone(), tmp_path / "python"
    for name in ("edict/__init__.py", "edict/one.py", "lib/__init__.py", "lib/two.py", "lib/data.txt"):
        (python / name).parent.mkdir(parents=True, exist_ok=True)
        (python / name).write_text('"""Words."""\n\ndef f():\n    """More."""\n    assert 0\n    return 1\n')
    monkeypatch.setattr(prepare, "PAGE", tmp_path)
    prepare.compile_modules()
    beside = f"lib/__pycache__/__init__.{sys.implementation.cache_tag}.pyc"
    there = sorted(file.relative_to(python).as_posix() for file in python.rglob("*") if file.is_file())
    left = ["lib/__init__.py", "lib/data.txt"]
    assert there == sorted(["edict/__init__.pyc", "edict/one.pyc", beside, "lib/two.pyc", *left])
    for name, own in (("edict/one.pyc", True), ("edict/__init__.pyc", True), ("lib/two.pyc", False), (beside, False)):
        raw = (python / name).read_bytes()
        assert raw[:16] == MAGIC_NUMBER + b"\1\0\0\0" + bytes(8)
        code = marshal.loads(raw[16:])
        (inner,) = (one for one in code.co_consts if hasattr(one, "co_code"))
        assert inner.co_consts[0] is None or inner.co_consts == (1,), "words for readers are left out"
        lines = {line for _, _, line in inner.co_lines() if line}
        assert (6 in lines) == own and 5 not in lines and (own or lines == {3}), name


def test_all_files_are_packed_into_one_with_a_list_of_how_long_each_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare, asked = prepare_alone(), list[Any]()
    for name in ("own/c", "python/b/x", "python/a", "home/d", "elsewhere/e"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    monkeypatch.setattr(prepare, "PAGE", tmp_path)
    package, zstd = ModuleType("compression"), ModuleType("compression.zstd")
    zstd.CompressionParameter = SimpleNamespace(compression_level="level", window_log="window")  # type: ignore[attr-defined]

    def compress(raw: bytes, options: Any) -> bytes:
        asked.append(options)
        return raw

    zstd.compress = compress  # type: ignore[attr-defined]
    package.zstd = zstd  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "compression", package)
    monkeypatch.setitem(sys.modules, "compression.zstd", zstd)
    prepare.pack()
    assert (tmp_path / "image.zst").read_bytes() == b"python/apython/b/xhome/down/c"
    listed = json.loads((tmp_path / "image.json").read_text())
    assert listed == [["python/a", 8], ["python/b/x", 10], ["home/d", 6], ["own/c", 5]]
    assert asked == [{"level": 19, "window": 21}]


def test_a_page_is_prepared_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    prepare, done = prepare_alone(), list[Any]()

    async def visit(**settings: Any) -> None:
        done.append((type(settings.pop("workers")).__name__, settings))

    for step in ("compile_library", "compile_modules", "pack"):
        monkeypatch.setattr(prepare, step, lambda step=step: done.append(step))
    monkeypatch.setattr(answering, "visit", visit)
    monkeypatch.setattr(prepare.os, "chdir", lambda folder: done.append(folder))
    monkeypatch.setattr(sys, "path", [*sys.path])
    asyncio.run(prepare.prepare('{"game": "pig"}'))
    assert done == ["compile_library", "compile_modules", "/tmp", ("InWorkers", {"game": "pig"}), "pack"]
    assert sys.path[0] == str(Path("/page/python"))


def test_python_brings_its_library_compiled_and_without_what_nobody_asks_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare = prepare_alone()
    old, source = tmp_path / "old.zip", "def one():\n    found = 1\n    return found\n"
    with ZipFile(old, "w") as archive:
        for name in ("json/__init__.py", "unittest/case.py", "pdb.py", "email/notes.txt", "email/"):
            archive.writestr(name, source if name.endswith(".py") else "")
    monkeypatch.setattr(prepare, "PAGE", tmp_path)
    monkeypatch.setattr(prepare, "ZipFile", lambda name, *how: ZipFile(old if "/pyodide/" in str(name) else name, *how))
    prepare.compile_library()
    with ZipFile(tmp_path / "python_stdlib.zip") as made:
        assert made.namelist() == ["json/__init__.pyc", "email/notes.txt"]
        (tmp_path / "alone.pyc").write_bytes(made.read("json/__init__.pyc"))
    ran = spec_from_file_location("alone", tmp_path / "alone.pyc")
    assert ran is not None and ran.loader is not None
    module = module_from_spec(ran)
    ran.loader.exec_module(module)
    code = module.one.__code__
    assert module.one() == 1 and [*code.co_lines()][-1][1] == len(code.co_code)
    assert {line for _, _, line in code.co_lines()} == {1}, "to tell the lines takes a third as much again"
    told = marshal.loads(prepare.compiled(source.encode(), "one.py", lines=True)[16:]).co_consts[0]
    assert {line for _, _, line in told.co_lines()} == {1, 2, 3}


# --- what stands in


def test_what_stands_in_for_rpds_never_changes() -> None:
    spec = spec_from_file_location("rpds_alone", HERE / "stand_ins" / "rpds.py")
    assert spec is not None and spec.loader is not None
    rpds: Any = module_from_spec(spec)
    spec.loader.exec_module(rpds)
    one = rpds.HashTrieMap.convert({"a": 1})
    assert rpds.HashTrieMap.convert(one) is one and isinstance(one, rpds.HashTrieMap)
    assert one.insert("b", 2) == {"a": 1, "b": 2} == one.update({"b": 2}) == one.update(b=2) and one == {"a": 1}
    assert one.remove("a") == {} and one == {"a": 1}
    with pytest.raises(KeyError):
        one.remove("b")
    some = rpds.HashTrieSet({1})
    assert some.insert(2) == {1, 2} == some.update([2]) and some == {1}
    line = rpds.List((2, 3)).push_front(1)
    assert (line, line.first, line.rest) == ((1, 2, 3), 1, (2, 3))
