"""Building a page's folder in steps: obstacles, the files on the host, and the files of the page's Python."""

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
from edict.apps.page import page_application, page_builder
from edict.apps.page.page_builder import PageError, PageSize, _PageParts
from edict.game.table.rules import load_rules
from edict.support.translations import language_codes

Call = Callable[..., Any]
HERE = Path(edict.apps.page.__file__).parent


# --- obstacles


def test_page_command_refuses_folders_with_other_files_and_leaves_them_unchanged(
    call: Call, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for path, words, message in (
        ("page/notes.txt", (), "page contains something other than a page\nhelp: name another folder with --output"),
        ("page/service_worker.js", (), "page already contains a page\nhelp: --force replaces it"),
        ("page", (), "page is a file\nhelp: name a folder with --output"),
        ("pyodide/README.md", ("--pyodide", "pyodide"), "pyodide has no pyodide.mjs, so it is not a Pyodide folder"),
    ):
        with subtests.test(path=path):
            (tmp_path / path).parent.mkdir(exist_ok=True)
            (tmp_path / path).write_text("mine")
            process = call("page", *words)
            assert process.returncode == 2 and message in process.stderr, process.stderr
            assert (tmp_path / path).read_text() == "mine"
            shutil.rmtree(tmp_path / "page", ignore_errors=True)
            (tmp_path / "page").unlink(missing_ok=True)


def test_finished_page_replaces_an_older_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    """Also a missing folder, and one whose earlier build was interrupted."""
    rules, folder = load_rules("pig"), tmp_path / "page"
    for step in ("_require_pyodide_files", "_copy_into_image", "_prepare_image"):
        monkeypatch.setattr(page_builder, step, lambda *about: None)
    monkeypatch.setattr(page_builder, "_compile_machine", lambda program: ({}, "nothing here can link"))

    def write_page(new_folder: Path, page: _PageParts) -> PageSize:
        assert not new_folder.exists() and new_folder.parent == tmp_path
        assert (page.title, page.settings) == ("Pig", {"game": "pig", "modules": [], "studio": studio})
        new_folder.mkdir()
        (new_folder / "index.html").write_text(page.title)
        return PageSize(1, 2, 3)

    monkeypatch.setattr(page_builder, "_write_page", write_page)
    for studio in (True, False):
        with subtests.test(studio=studio):
            size = page_builder.build_page(folder, rules, studio=studio, pyodide=tmp_path)
            assert size == PageSize(1, 2, 3, "nothing here can link")
            assert [file.name for file in folder.iterdir()] == ["index.html"] and [*tmp_path.iterdir()] == [folder]
            (folder / "old.js").touch()
            folder.with_name("page.part").mkdir()
            (folder.with_name("page.part") / "half.js").touch()


def test_folder_is_accepted_if_it_is_empty_or_has_a_service_worker(tmp_path: Path) -> None:
    assert page_builder.is_page_or_empty(tmp_path)
    (tmp_path / "notes").write_text("")
    assert not page_builder.is_page_or_empty(tmp_path)
    (tmp_path / "service_worker.js").mkdir()
    assert not page_builder.is_page_or_empty(tmp_path)
    (tmp_path / "service_worker.js").rmdir()
    (tmp_path / "service_worker.js").write_text("")
    assert page_builder.is_page_or_empty(tmp_path)


def test_pyodide_folder_without_a_required_file_is_refused(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for name in page_builder.PYODIDE_FILES:
        with subtests.test(name=name):
            with pytest.raises(PageError) as raised:
                page_builder._require_pyodide_files(tmp_path)
            assert (
                raised.value.reason == f"{tmp_path} has no {name}, so it is not a Pyodide folder" == str(raised.value)
            )
            assert raised.value.remedy == f"unpack the file from `npm pack pyodide@{page_builder.PYODIDE}` there"
            (tmp_path / name).touch()
    page_builder._require_pyodide_files(tmp_path)


# --- files on the host


@pytest.fixture
def page(tmp_path: Path) -> _PageParts:
    """The parts of a page with small files in place of the large ones."""
    pyodide, image = tmp_path / "pyodide", tmp_path / "image"
    for folder in (pyodide, image):
        folder.mkdir()
    lock = b'{"info": 1, "packages": {"numpy": 2}}'
    for name in page_builder.PYODIDE_FILES:
        (pyodide / name).write_bytes(lock if name.endswith("json") else b"x" * 2_000)
    (image / "python_stdlib.zip").write_bytes(b"y" * page_builder.COMPRESSION_THRESHOLD)
    (image / "image.zst").write_bytes(b"z" * 5_000)
    (image / "memory.zst").write_bytes(b"v" * 5_000)
    (image / "prepared").mkdir()
    for code in language_codes():
        (image / "prepared" / f"start.{code}.html").write_text(f"{code} " * page_builder.COMPRESSION_THRESHOLD)
    (image / "image.json").write_bytes(b"w" * (page_builder.COMPRESSION_THRESHOLD + 1))
    machine = {"machine.js": b"m", "machine_worker.js": b"not here", "program.wasm": b"p"}
    return _PageParts("Two & two", {"game": "pig"}, pyodide, image, machine, "key-of-pig")


def read_service_worker(folder: Path) -> tuple[dict[str, dict[str, Any]], str]:
    """Return the file table in the service worker and the line with its release."""
    file = folder / "service_worker.js"
    release, files = file.read_text().splitlines()[:2]
    return json.loads(files.removeprefix("const FILES = ").rstrip(";")), release


def test_files_are_compressed_except_small_ones_and_those_loaded_before_the_service_worker(
    page: _PageParts, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    folder = tmp_path / "made"
    size = page_builder._write_page(folder, page)
    files, _ = read_service_worker(folder)
    contents = {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    packed = {name for name, entry in files.items() if entry["packed"]}
    assert {"pyodide/pyodide.mjs", "image.json", "worker.js"} <= packed
    assert {"pyodide/pyodide.mjs", "image.json", "worker.js"}.isdisjoint(contents), (
        "whoever unpacks has them packed alone"
    )
    assert {"index.html", "service_worker.js", "meeting.html", "shell.js"} <= contents.keys(), (
        "nobody unpacks these yet"
    )
    assert not packed & {"image.zst", "memory.zst", "pyodide/python_stdlib.zip", "settings.json", "machine/machine.js"}
    for name in files:
        with subtests.test(name=name):
            raw = gzip.decompress(contents[f"{name}.gz"]) if name in packed else contents[name]
            assert name in contents or name in packed
            if name in contents:
                assert contents[name] == raw
    assert size == PageSize(len(contents), sum(map(len, contents.values())), size.first_visit_bytes)
    fetched = [contents[f"{name}.gz" if name in packed else name] for name in files]
    assert size.first_visit_bytes == sum(map(len, fetched)) + len(contents["service_worker.js"])
    assert (files["pyodide/pyodide.asm.wasm"]["type"], files["image.zst"]["type"]) == (
        "application/wasm",
        "application/octet-stream",
    )
    assert {name for name in files if name.startswith("machine/")} == {"machine/machine.js", "machine/program.wasm"}
    settings = json.loads((folder / "settings.json").read_text())
    assert settings == {"application": {"game": "pig"}, "translated": {"key-of-pig": "program.wasm"}}
    lock = json.loads((folder / "pyodide" / "pyodide-lock.json").read_text())
    assert lock == {"info": 1, "packages": {}}
    shell = (folder / "index.html").read_text()
    assert "Two & two" in shell and f'data-languages="{" ".join(language_codes())}"' in shell
    assert {f"start.{code}.html" for code in language_codes()} <= packed
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
    assert {
        Path(name).suffix: entry["type"]
        for name, entry in files.items()
        if Path(name).suffix in page_builder.MEDIA_TYPES
    } == {
        suffix: type
        for suffix, type in page_builder.MEDIA_TYPES.items()
        if suffix in {Path(name).suffix for name in files}
    }


def test_release_changes_only_if_a_file_changes(page: _PageParts, tmp_path: Path) -> None:
    releases = list[str]()
    for number, content in enumerate((b"same", b"same", b"other")):
        (page.image / "image.zst").write_bytes(content)
        page_builder._write_page(tmp_path / str(number), page)
        releases.append(read_service_worker(tmp_path / str(number))[1])
    assert releases[0] == releases[1] != releases[2]
    assert re.fullmatch(r"const RELEASE = `\$\{new URL\(registration.scope\).pathname\} [0-9a-f]{16}`;", releases[0])


# --- how it is built


def fake_run(code: int, stderr: str = "", stdout: str = "") -> Any:
    """Return a `subprocess.run` that ends with this exit code and output."""
    return lambda words, **options: subprocess.CompletedProcess(words, code, stdout, stderr)


def test_preparation_error_gives_the_last_line_of_node(
    monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: f"/bin/{name}")
    for run, message in (
        (fake_run(1, "a\nno memory\n", "b\n"), "could not be tested in Node.js (no memory)"),
        (fake_run(1, "", "first\nlast\n"), "could not be tested in Node.js (last)"),
        (fake_run(1), "could not be tested in Node.js (it gave no reason)"),
    ):
        with subtests.test(message=message):
            monkeypatch.setattr(subprocess, "run", run)
            with pytest.raises(PageError) as raised:
                page_builder._prepare_image(Path("pyodide"), Path("image"), {})
            assert message in str(raised.value)
    monkeypatch.setattr(subprocess, "run", fake_run(0))
    page_builder._prepare_image(Path("pyodide"), Path("image"), {})
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(PageError, match=r"Node\.js is needed"):
        page_builder._prepare_image(Path("pyodide"), Path("image"), {})


def test_command_output_that_is_not_utf8_is_decoded() -> None:
    process = page_builder._run_command(
        [sys.executable, "-c", "import os; os.write(1, b'\\xff!'); os.write(2, b'why'); os._exit(3)"]
    )
    assert (process.returncode, process.stdout, process.stderr) == (3, "\ufffd!", "why")


def test_pyodide_is_fetched_from_npm_or_the_error_suggests_the_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome = {"returncode": 0, "stderr": ""}

    def pack(words: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        folder = Path(words[words.index("--pack-destination") + 1])
        (tmp_path / "pyodide.mjs").write_text("it")
        with tarfile.open(folder / f"pyodide-{page_builder.PYODIDE}.tgz", "w:gz") as archive:
            archive.add(tmp_path / "pyodide.mjs", "package/pyodide.mjs")
        return subprocess.CompletedProcess(words, stdout="", **outcome)  # type: ignore[arg-type]

    monkeypatch.setattr(shutil, "which", lambda name: f"/bin/{name}")
    monkeypatch.setattr(subprocess, "run", pack)
    (tmp_path / "there").mkdir()
    assert (page_builder._fetch_pyodide(tmp_path / "there") / "pyodide.mjs").read_text() == "it"
    for stderr, reason in (
        ("npm warn x\nnpm error no network\nnpm error more\n", "(npm error no network)"),
        ("", "npm gave no reason"),
    ):
        outcome |= {"returncode": 1, "stderr": stderr}
        with pytest.raises(PageError) as raised:
            page_builder._fetch_pyodide(tmp_path / "there")
        assert reason in str(raised.value) and "--pyodide" in raised.value.remedy
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(PageError, match="npm, which is not installed") as raised:
        page_builder._fetch_pyodide(Path())
    assert "--pyodide" in raised.value.remedy


def test_libraries_include_everything_that_they_require(monkeypatch: pytest.MonkeyPatch) -> None:
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

    monkeypatch.setattr(page_builder, "LIBRARIES", ("h", "a"))
    monkeypatch.setattr(page_builder, "NATIVE_LIBRARIES", ("native",))
    monkeypatch.setattr(page_builder, "distribution", distribution)
    monkeypatch.setattr(page_builder, "requires", lambda name: needs[name] or None)
    assert sorted(map(str, page_builder._find_libraries())) == ["a", "b", "f-g", "h"]
    monkeypatch.setattr(page_builder, "LIBRARIES", ("zork",))
    with pytest.raises(PageError, match="zork is not installed"):
        page_builder._find_libraries()


def test_image_has_the_files_that_a_page_runs_and_no_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The author's own rules lie in `own`. Of libraries only used Python files and data are copied."""
    library = tmp_path / "site"
    used = ("lib/__init__.py", "lib/deep/data.json")
    unused = ("lib/tests/test_it.py", "lib/fast.so", "lib-1.dist-info/METADATA", "../bin/lib", "lib/__pycache__/x.pyc")
    for name in (*used, *unused):
        (library / name).parent.mkdir(parents=True, exist_ok=True)
        (library / name).write_text("x")
    dist = SimpleNamespace(files=[*used, *unused], locate_file=lambda entry: library / str(entry))
    monkeypatch.setattr(page_builder, "_find_libraries", lambda: [dist, SimpleNamespace(files=None)])
    own_module = tmp_path / "mine"
    own_module.mkdir()
    (own_module / "module.yaml").write_text("name: mine\ntitle: Mine\nversion: 1.0.0\nkind: module\nrequires: [pig]\n")
    (own_module / "mine.edict").write_text("when end of turn\n  nothing\n")
    image = tmp_path / "image"
    page_builder._copy_into_image(image, load_rules("pig", (str(own_module),)))
    copied = {file.relative_to(image).as_posix() for file in image.rglob("*") if file.is_file()}
    assert {f"python/{name}" for name in used} <= copied
    assert not any(name.startswith(("python/lib/tests", "python/lib-1", "python/lib/fast", "bin")) for name in copied)
    assert {name for name in copied if name.startswith("own/")} == {"own/mine/module.yaml", "own/mine/mine.edict"}
    assert {
        "python/edict/apps/page/page_application.py",
        "python/edict/shipped/examples/pig/pig.edict",
        "python/rpds.py",
    } <= copied
    assert not any(
        name.startswith(("python/edict/apps/cli/", "python/edict/apps/page/page_builder")) or "__pycache__" in name
        for name in copied
    )


def import_prepare() -> Any:
    """Import `prepare.py`, which is a script and no module of the package."""
    spec = spec_from_file_location("prepare_alone", HERE / "preparing" / "prepare.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_modules_are_compiled_and_packages_of_libraries_keep_their_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    """Only the engine's own modules keep line numbers."""
    prepare, python = import_prepare(), tmp_path / "python"
    for name in ("edict/__init__.py", "edict/one.py", "lib/__init__.py", "lib/two.py", "lib/data.txt"):
        (python / name).parent.mkdir(parents=True, exist_ok=True)
        (python / name).write_text('"""Words."""\n\ndef f():\n    """More."""\n    assert 0\n    return 1\n')
    monkeypatch.setattr(prepare, "PAGE", tmp_path)
    prepare.compile_modules()
    cache_file = f"lib/__pycache__/__init__.{sys.implementation.cache_tag}.pyc"
    files = sorted(file.relative_to(python).as_posix() for file in python.rglob("*") if file.is_file())
    kept_files = ["lib/__init__.py", "lib/data.txt"]
    assert files == sorted(["edict/__init__.pyc", "edict/one.pyc", cache_file, "lib/two.pyc", *kept_files])
    for name, has_lines in (
        ("edict/one.pyc", True),
        ("edict/__init__.pyc", True),
        ("lib/two.pyc", False),
        (cache_file, False),
    ):
        with subtests.test(name=name):
            raw = (python / name).read_bytes()
            assert raw[:16] == MAGIC_NUMBER + b"\1\0\0\0" + bytes(8)
            code = marshal.loads(raw[16:])
            (inner,) = (constant for constant in code.co_consts if hasattr(constant, "co_code"))
            assert inner.co_consts[0] is None or inner.co_consts == (1,), "words for readers are left out"
            lines = {line for _, _, line in inner.co_lines() if line}
            assert (6 in lines) == has_lines and 5 not in lines and (has_lines or lines == {3})


@pytest.fixture
def prepare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module `prepare.py` with an image in a temporary folder."""
    module = import_prepare()
    monkeypatch.setattr(module, "PAGE", tmp_path)
    return module


def test_files_and_memory_are_packed_with_a_list_of_sizes(
    prepare: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compress_options = list[Any]()
    for name in ("own/c", "python/b/x", "python/a", "home/d", "elsewhere/e"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "memory").write_text("memory")
    package, zstd = ModuleType("compression"), ModuleType("compression.zstd")
    zstd.CompressionParameter = SimpleNamespace(compression_level="level", window_log="window")  # type: ignore[attr-defined]

    def compress(raw: bytes, options: Any) -> bytes:
        compress_options.append(options)
        return raw

    zstd.compress = compress  # type: ignore[attr-defined]
    package.zstd = zstd  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "compression", package)
    monkeypatch.setitem(sys.modules, "compression.zstd", zstd)
    prepare.pack()
    assert (tmp_path / "image.zst").read_bytes() == b"python/apython/b/xhome/down/c"
    assert (tmp_path / "memory.zst").read_bytes() == b"memory"
    sizes = json.loads((tmp_path / "image.json").read_text())
    assert sizes == [["python/a", 8], ["python/b/x", 10], ["home/d", 6], ["own/c", 5]]
    assert compress_options == [{"level": 19, "window": 23}] * 2


def test_files_of_imported_modules_are_dropped(prepare: Any, tmp_path: Path) -> None:
    for name in ("python/used.pyc", "python/unused.pyc"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    with ZipFile(tmp_path / "python_stdlib.zip", "w") as archive:
        for name in ("json/__init__.pyc", "csv.pyc"):
            archive.writestr(name, name)
    prepare.drop_files([f"{tmp_path.as_posix()}/python/used.pyc", "/lib/python314.zip/json/__init__.pyc", "built-in"])
    assert prepare.list_files() == [("python/unused.pyc", 0)]
    with ZipFile(tmp_path / "python_stdlib.zip") as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == {"csv.pyc": b"csv.pyc"}


def test_preparation_runs_its_steps_in_order(prepare: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = list[Any]()

    async def visit(**settings: Any) -> None:
        steps.append((type(settings.pop("workers")).__name__, settings))

    for step in ("compile_library", "compile_modules"):
        monkeypatch.setattr(prepare, step, lambda step=step: steps.append(step))
    monkeypatch.setattr(page_application, "visit", visit)
    monkeypatch.setattr(page_application, "render_prepared_pages", lambda game: {"start.en.html": game})
    monkeypatch.setattr(prepare.os, "chdir", lambda folder: steps.append(folder))
    monkeypatch.setattr(sys, "path", [*sys.path])
    asyncio.run(prepare.prepare('{"game": "pig"}'))
    assert steps == ["compile_library", "compile_modules", "/tmp", ("WebWorkerExecutor", {"game": "pig"})]
    assert sys.path[0] == str(tmp_path / "python")
    assert (tmp_path / "prepared" / "start.en.html").read_text() == "pig"


def test_standard_library_is_compiled_without_line_numbers_and_unused_modules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare = import_prepare()
    original, source = tmp_path / "old.zip", "def one():\n    found = 1\n    return found\n"
    with ZipFile(original, "w") as archive:
        for name in ("json/__init__.py", "unittest/case.py", "pdb.py", "email/notes.txt", "email/"):
            archive.writestr(name, source if name.endswith(".py") else "")
    monkeypatch.setattr(prepare, "PAGE", tmp_path)
    monkeypatch.setattr(
        prepare, "ZipFile", lambda name, *how: ZipFile(original if "/pyodide/" in str(name) else name, *how)
    )
    prepare.compile_library()
    with ZipFile(tmp_path / "python_stdlib.zip") as archive_made:
        assert archive_made.namelist() == ["json/__init__.pyc", "email/notes.txt"]
        (tmp_path / "alone.pyc").write_bytes(archive_made.read("json/__init__.pyc"))
    spec = spec_from_file_location("alone", tmp_path / "alone.pyc")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    code = module.one.__code__
    assert module.one() == 1 and [*code.co_lines()][-1][1] == len(code.co_code)
    assert {line for _, _, line in code.co_lines()} == {1}, "to tell the lines takes a third as much again"
    code_with_lines = marshal.loads(prepare.compile_source(source.encode(), "one.py", lines=True)[16:]).co_consts[0]
    assert {line for _, _, line in code_with_lines.co_lines()} == {1, 2, 3}


# --- replacements of compiled libraries


def test_rpds_replacement_returns_changed_copies() -> None:
    spec = spec_from_file_location("rpds_alone", HERE / "stand_ins" / "rpds.py")
    assert spec is not None and spec.loader is not None
    rpds: Any = module_from_spec(spec)
    spec.loader.exec_module(rpds)
    mapping = rpds.HashTrieMap.convert({"a": 1})
    assert rpds.HashTrieMap.convert(mapping) is mapping and isinstance(mapping, rpds.HashTrieMap)
    assert mapping.insert("b", 2) == {"a": 1, "b": 2} == mapping.update({"b": 2}) == mapping.update(
        b=2
    ) and mapping == {"a": 1}
    assert mapping.remove("a") == {} and mapping == {"a": 1}
    with pytest.raises(KeyError):
        mapping.remove("b")
    values = rpds.HashTrieSet({1})
    assert values.insert(2) == {1, 2} == values.update([2]) and values == {1}
    items = rpds.List((2, 3)).push_front(1)
    assert (items, items.first, items.rest) == ((1, 2, 3), 1, (2, 3))
