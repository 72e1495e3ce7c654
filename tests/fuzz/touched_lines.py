"""Coverage by test: which tests touch which line of a package, and runs of chosen tests in a forked process.

`measure_coverage` runs the tests of a package once under Coverage, with the test or a shared fixture as context.
`find_failing_test` runs a few of them, the quickest first. Both fork, so that libraries loaded by this process need not
be loaded again; it loads nothing of the engine, which is what changes.
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
PYTEST_OPTIONS = ("-q", "-p", "no:cacheprovider", "--timeout", "300", BROWSERS)
COVERAGE_SETTINGS = """[run]
source = {room}
data_file = {data}
parallel = true
patch = subprocess, fork, _exit
sigterm = true
"""
NATIVE = ("simulation/native.py", "simulation/compiled.py")  # by way of these, native code is called
FAILED = (pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED)


@dataclass
class CoverageByTest:
    """A run of a package's tests: seconds of each test that passed, and the tests that touch each line."""

    seconds: dict[str, float] = field(default_factory=dict)
    tests: dict[tuple[str, int], set[str]] = field(default_factory=lambda: defaultdict(set))
    at_large: set[tuple[str, int]] = field(default_factory=set)  # while loading, or in another process
    failing: list[str] = field(default_factory=list)
    sound: set[str] = field(default_factory=set)  # tests of which that was looked at once more

    def select_tests(self, file: str, between: tuple[int, int] | None, enough: float) -> list[str]:
        """Return the tests that may notice a fault, for `enough` seconds of processor time, the quickest first.

        First come tests that touch a line in the range; then those that touch the file at all, because caches are
        filled
        by whichever test comes first, and those that call native code, which Coverage does not see. If the file's lines
        also run on import or in another process, all other tests follow.
        """
        of_file = [key for key in (*self.tests, *self.at_large) if key[0] == file]
        lines = [key for key in of_file if between is None or between[0] <= key[1] <= between[1]]
        nearby, natively = (
            self._tests_of_lines(lines),
            self._tests_of_lines(key for key in self.tests if key[0].endswith(NATIVE)),
        )
        elsewhere = any(line in self.at_large for line in lines)
        others = {*self.seconds} if elsewhere else natively | (self._tests_of_lines(of_file) if nearby else set())
        quickest = sorted(nearby | others, key=lambda test: (test not in nearby, self.seconds[test]))
        ends = itertools.accumulate(self.seconds[test] for test in quickest)
        return [test for test, end in zip(quickest, ends, strict=True) if test == quickest[0] or end < enough]

    def _tests_of_lines(self, lines: Iterable[tuple[str, int]]) -> set[str]:
        """Return the counted tests that touch any of these lines."""
        return set[str]().union(*(self.tests.get(line, ()) for line in lines)) & self.seconds.keys()

    def passes_without(self, test: str, before: list[str], project: Path, work: Path) -> bool:
        """Return True if a failed test passes without a fault after the tests that ran before it.

        A test that does not (it needs more time, or other tests before it) is not counted from now on.
        """
        if test in self.sound or test not in before:
            return True
        if find_failing_test(project, before[: before.index(test) + 1], self, work) is None:
            self.sound.add(test)
            return True
        self.seconds.pop(test)
        return False


def import_libraries() -> None:
    """Import what the tests need apart from the engine."""
    for library in LIBRARIES:
        with contextlib.suppress(ImportError):
            importlib.import_module(library)


def measure_coverage(project: Path, room: Path, tests: list[str], work: Path) -> CoverageByTest:
    """Run all tests of a package once; compiled code stays in `work` for later runs."""
    said = work / "touched"

    def run() -> int:
        settings = work / "coveragerc"
        settings.write_text(COVERAGE_SETTINGS.format(room=room, data=work / "coverage"), encoding="utf-8")
        recorder = _ContextRecorder(coverage.Coverage(config_file=str(settings)), project)
        recorder.measured.start()
        code = pytest.main([*PYTEST_OPTIONS, *tests], plugins=[recorder, _SharedCache(work / "cache")])
        said.write_bytes(pickle.dumps(recorder.to_coverage(room)))
        return int(code)

    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    code = _run_forked(project, work, run, 3600)
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED) or not said.is_file():
        sys.exit((work / "said").read_text(encoding="utf-8", errors="replace")[-4000:])
    found: CoverageByTest = pickle.loads(said.read_bytes())
    return found


def find_failing_test(project: Path, tests: list[str], measured: CoverageByTest, work: Path) -> str | None:
    """Return the first of these tests that fails or does not end; None if all pass."""
    if not tests:
        return None
    run = work / "run"
    shutil.rmtree(run, ignore_errors=True)
    run.mkdir()
    shutil.copytree(work / "cache", run / "cache", copy_function=os.link)
    seconds = sum(measured.seconds[test] for test in tests)

    def some() -> int:
        files = list(dict.fromkeys(test.partition("::")[0] for test in tests))
        chosen = _ChosenTests(tests, measured.seconds, run / "first")
        return int(pytest.main(["-x", *PYTEST_OPTIONS, *files], plugins=[chosen, _SharedCache(run / "cache")]))

    code = _run_forked(project, run, some, 120 + 20 * seconds)
    first = (run / "first").read_text(encoding="utf-8") if (run / "first").is_file() else None
    if code is None:
        return first or "(the run did not end)"
    if code in FAILED or code < 0:
        return first or "(the tests could not be read)"
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        return first or f"(the run ended with {code})"
    return None


def _run_forked(project: Path, work: Path, run: Callable[[], int], seconds: float) -> int | None:
    """Return the result of a function in a forked process, which is killed with its children; None on timeout."""
    child = os.fork()
    if not child:
        code = 99
        try:
            _detach(project, work)
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


def _detach(project: Path, work: Path) -> None:
    """Turn this process into one started in the project without input."""
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


class _SharedCache:
    """Keeps compiled code across runs, because faults outside of the compiler do not change it."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True, mode=0o700)
        self.folder = folder

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Iterator[None]:
        made = yield
        if fixturedef.argname == "_private_folders":
            os.environ["XDG_CACHE_HOME"] = str(self.folder)
        return made


class _ContextRecorder:
    """Tells Coverage which test or fixture runs."""

    def __init__(self, measured: coverage.Coverage, project: Path) -> None:
        self.measured = measured
        self.project = project
        self.known = CoverageByTest()
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

    def to_coverage(self, room: Path) -> CoverageByTest:
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


class _ChosenTests:
    """Runs only these tests, in this order, with a time limit from their earlier duration."""

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
