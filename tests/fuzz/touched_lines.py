"""Which tests touch which line of a room, and some of these tests in a process that has loaded the libraries already.

`touched` runs the tests of a room once under Coverage, whose context is the test, or the fixture that several tests
share. `fails` runs a few of them, the quickest first. Both fork, so what this process has loaded need not be loaded
again; of the engine it loads nothing, for that is what changes.
"""

from __future__ import annotations

import contextlib
import importlib
import itertools
import os
import pickle
import shutil
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import coverage
import pytest

LIBRARIES = (
    "hypothesis",
    "jinja2",
    "jsonschema",
    "lark",
    "numpy",
    "rich.console",
    "sqlalchemy",
    "starlette.applications",
    "starlette.testclient",
    "typer",
    "yaml",
    "asyncio",
    "multiprocessing",
    "http.client",
    "markdown_it",
    "pygls.server",
)
BROWSERS = "--ignore-glob=*/test_*browser*.py"  # they take minutes, and say again what pages are tested for without
HANDED = ("-q", "-p", "no:cacheprovider", "--timeout", "300", BROWSERS)
MEASURED = """[run]
source = {room}
data_file = {data}
parallel = true
patch = subprocess, fork, _exit
sigterm = true
"""
NATIVE = ("simulation/native.py", "simulation/compiled.py")  # by way of these, native code is called
FAILED = (pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED)


@dataclass
class Touched:
    """What a run of a room's tests was like: seconds of each test that passed, and who touches a line of a file."""

    seconds: dict[str, float] = field(default_factory=dict)
    tests: dict[tuple[str, int], set[str]] = field(default_factory=lambda: defaultdict(set))
    at_large: set[tuple[str, int]] = field(default_factory=set)  # while loading, or in another process
    failing: list[str] = field(default_factory=list)
    sound: set[str] = field(default_factory=set)  # tests of which that was looked at once more

    def touching(self, file: str, between: tuple[int, int] | None, enough: float) -> list[str]:
        """The tests that touch a line between these two, the quickest first; then those that touch any of the file, for
        what is kept is made for whoever asks first, and those that call native code, as Coverage does not see what that
        runs; or all others, if it also runs while files are loaded or in another process. As many as take `enough`
        seconds of processors."""
        of_file = [one for one in (*self.tests, *self.at_large) if one[0] == file]
        lines = [one for one in of_file if between is None or between[0] <= one[1] <= between[1]]
        near, natively = self._touching(lines), self._touching(one for one in self.tests if one[0].endswith(NATIVE))
        elsewhere = any(line in self.at_large for line in lines)
        others = {*self.seconds} if elsewhere else natively | (self._touching(of_file) if near else set())
        quickest = sorted(near | others, key=lambda test: (test not in near, self.seconds[test]))
        ends = itertools.accumulate(self.seconds[test] for test in quickest)
        return [test for test, end in zip(quickest, ends, strict=True) if test == quickest[0] or end < enough]

    def _touching(self, lines: Iterable[tuple[str, int]]) -> set[str]:
        """The tests that touch any of these lines and count."""
        return set[str]().union(*(self.tests.get(line, ()) for line in lines)) & self.seconds.keys()

    def passes_without(self, test: str, before: list[str], project: Path, work: Path) -> bool:
        """Whether a test that failed passes where there is no fault, after those that ran before it. One that does not
        (it needs more time than there is, or others before it) is not counted from now on."""
        if test in self.sound or test not in before:
            return True
        if fails(project, before[: before.index(test) + 1], self, work) is None:
            self.sound.add(test)
            return True
        self.seconds.pop(test)
        return False


def warm() -> None:
    """Load what the tests need that is not the engine."""
    for library in LIBRARIES:
        with contextlib.suppress(ImportError):
            importlib.import_module(library)


def touched(project: Path, room: Path, tests: list[str], work: Path) -> Touched:
    """Run all of a room's tests once; what they compile stays in `work`, for the runs that follow."""
    said = work / "touched"

    def run() -> int:
        settings = work / "coveragerc"
        settings.write_text(MEASURED.format(room=room, data=work / "coverage"), encoding="utf-8")
        recorder = _Recorder(coverage.Coverage(config_file=str(settings)), project)
        recorder.measured.start()
        code = pytest.main([*HANDED, *tests], plugins=[recorder, _Cache(work / "cache")])
        said.write_bytes(pickle.dumps(recorder.told(room)))
        return int(code)

    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    code = _apart(project, work, run, 3600)
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED) or not said.is_file():
        sys.exit((work / "said").read_text(encoding="utf-8", errors="replace")[-4000:])
    found: Touched = pickle.loads(said.read_bytes())
    return found


def fails(project: Path, tests: list[str], known: Touched, work: Path) -> str | None:
    """The first of these tests that fails, or does not end; None if none does."""
    if not tests:
        return None
    run = work / "run"
    shutil.rmtree(run, ignore_errors=True)
    run.mkdir()
    shutil.copytree(work / "cache", run / "cache", copy_function=os.link)
    seconds = sum(known.seconds[test] for test in tests)

    def some() -> int:
        files = list(dict.fromkeys(test.partition("::")[0] for test in tests))
        chosen = _Chosen(tests, known.seconds, run / "first")
        return int(pytest.main(["-x", *HANDED, *files], plugins=[chosen, _Cache(run / "cache")]))

    code = _apart(project, run, some, 120 + 20 * seconds)
    first = (run / "first").read_text(encoding="utf-8") if (run / "first").is_file() else None
    if code is None:
        return first or "(the run did not end)"
    if code in FAILED or code < 0:
        return first or "(the tests could not be read)"
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        return first or f"(the run ended with {code})"
    return None


def _apart(project: Path, work: Path, run: Callable[[], int], seconds: float) -> int | None:
    """What this gives in a process of its own, with nothing left of it afterwards; None if it takes longer."""
    child = os.fork()
    if not child:
        code = 99
        try:
            _settle(project, work)
            code = run()
        finally:
            sys.stdout.flush()
            os._exit(code)
    end = time.monotonic() + seconds
    status: int | None = None
    while status is None and time.monotonic() < end:
        done, status_now = os.waitpid(child, os.WNOHANG)
        if done:
            status = os.waitstatus_to_exitcode(status_now)
        else:
            time.sleep(0.02)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    if status is None:
        os.waitpid(child, 0)
    return status


def _settle(project: Path, work: Path) -> None:
    """Be a process that was started in the project, with nobody at the keyboard."""
    os.setsid()
    os.chdir(project)
    said = os.open(work / "said", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(said, 1)
    os.dup2(said, 2)
    (work / "tmp").mkdir(exist_ok=True)
    os.environ |= {"PYTHONPATH": str(project / "interpreter"), "PYTEST_DEBUG_TEMPROOT": str(work / "tmp")}
    sys.path[:] = [str(project / "interpreter"), *(path for path in sys.path if not path.endswith("/interpreter"))]
    sys.argv = ["pytest"]


class _Cache:
    """What is compiled lies in a folder that outlives the run: a fault above the compiler compiles nothing."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True, mode=0o700)
        self.folder = folder

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Iterator[None]:
        made = yield
        if fixturedef.argname == "_private_folders":
            os.environ["XDG_CACHE_HOME"] = str(self.folder)
        return made


class _Recorder:
    """Tells Coverage whose lines they are."""

    def __init__(self, measured: coverage.Coverage, project: Path) -> None:
        self.measured = measured
        self.project = project
        self.known = Touched()
        self.users: dict[str, set[str]] = defaultdict(set)  # of a fixture that is shared: who asks for it
        self.test = ""

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.test = item.nodeid
        self.measured.switch_context(self.test)
        for name in getattr(item, "fixturenames", ()):
            self.users[f"fixture {name}"].add(item.nodeid)
        began = sum(os.times()[:4])  # of processors, as others may be at work on this computer
        done = yield
        self.known.seconds[item.nodeid] = sum(os.times()[:4]) - began
        self.measured.switch_context("")
        return done

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Iterator[None]:
        if fixturedef.scope == "function":
            return (yield)
        self.measured.switch_context(f"fixture {fixturedef.argname}")
        try:
            return (yield)
        finally:
            self.measured.switch_context(self.test)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed or report.skipped:
            self.known.failing += [report.nodeid] * report.failed

    def told(self, room: Path) -> Touched:
        self.measured.stop()
        self.measured.save()
        self.measured.combine()
        data = self.measured.get_data()
        for path in data.measured_files():
            file = Path(path).relative_to(self.project).as_posix()
            for line, contexts in data.contexts_by_lineno(path).items():
                for context in contexts:
                    if not context:
                        self.known.at_large.add((file, line))
                    else:
                        self.known.tests[file, line] |= self.users.get(context, {context})
        for test in self.known.failing:
            self.known.seconds.pop(test, None)
        self.known.tests = dict(self.known.tests)
        return self.known


class _Chosen:
    """Of what was collected only these tests, in this order, each with a limit by the time it took before."""

    def __init__(self, tests: list[str], seconds: dict[str, float], first: Path) -> None:
        self.order = {test: place for place, test in enumerate(tests)}
        self.seconds = seconds
        self.first = first

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted((one for one in items if one.nodeid in self.order), key=lambda one: self.order[one.nodeid])
        for item in items:
            item.add_marker(pytest.mark.timeout(60 + 20 * self.seconds[item.nodeid]))

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.first.write_text(f"{nodeid} (did not end)", encoding="utf-8")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.first.write_text(report.nodeid, encoding="utf-8")
