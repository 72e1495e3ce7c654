"""What all tests share: where the checkout is, and that no test writes into a person's own folders."""

from __future__ import annotations

import contextlib
import gc
import hashlib
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest

import examples
from calling import run_kingsburg
from edict.compiler.syntax.grammar import renew_tables
from edict.runtime.simulation import native
from edict.support.signed_cache import KEY_LENGTH

pytest_plugins = ["browser_kit", "on_disk", "page_kit", "variants_kit", "web_kit", "workshop"]  # their fixtures
examples.load_profile()
ROOT = Path(__file__).resolve().parent.parent
LONGEST = (
    "project/test_command_pages.py",
    "apps/web/test_browsers.py",
    "hostile/test_hostile.py",
    "tools/studio/test_background.py",
    "apps/web/test_web_sandbox.py",
    "agents/bots/test_networks.py",
    "runtime/native/test_native.py",
    "compiler/syntax/test_mistakes.py",
    "apps/web/test_studio_routes.py",
    "runtime/machine/test_total.py",
    "agents/study/test_never.py",
    "agents/study/test_best_response.py",
    "apps/cli/test_cli_modules.py",
    "game/table/test_worlds.py",
    "apps/cli/test_command_line.py",
    "support/processes/test_jobs_and_limits.py",
    "project/test_names.py",
    "apps/web/test_web.py",
)
if missing := [name for name in LONGEST if not (ROOT / "tests" / name).is_file()]:
    raise FileNotFoundError(f"of LONGEST in {__file__}: {', '.join(missing)}")
SAMPLED = os.environ.get("EDICT_SAMPLED") == "1"  # `make test`: some of the games a test goes through, not all
DAY = 24 * 60 * 60.0  # seconds

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in a shell's background: the commands tested would be deaf
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Hundreds of tests start the command: were its bytecode not kept, each would compile the whole source again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


if native.is_available():  # without llvmlite there is no native code, and what asserts it is skipped
    from edict.runtime.machine import translation

    # Translating a program takes longer than any test plays it, and all processors: `tests/runtime/native` asserts it.
    translation.PATIENCE = 30.0

    # Nor does any test play so long that the better code, which takes far longer to make, would be worth it.
    translation.TIERS = (translation.QUICK,)  # type: ignore[assignment]

# Work of its own process begins with what it needs at hand, whichever test is the first to have some.
if os.name == "posix":
    ready = ["edict.tools.studio.scene_runs", "edict.tools.studio.evaluation"]
    multiprocessing.get_context("forkserver").set_forkserver_preload(ready)

# The programs that workers keep are large, and looking through them for garbage over and over is a quarter of the time.
gc.set_threshold(200_000, 50, 100)


def pytest_configure(config: pytest.Config) -> None:
    """Renew the parser's tables, which git does not keep, before any worker reads them."""
    if not hasattr(config, "workerinput"):
        renew_tables()


@pytest.hookimpl(trylast=True)  # once what was asked for by name is known
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What takes longest begins first, so that no worker is left with it at the end (with `--no-loadscope-reorder`)."""
    left = set(_beyond_samples(items)) if SAMPLED else set()
    config.hook.pytest_deselected(items=[item for item in items if item in left])
    items[:] = [item for item in items if item not in left]
    places = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path.relative_to(ROOT / "tests").as_posix(), len(places)))


def _beyond_samples(items: Sequence[pytest.Item]) -> Iterator[pytest.Item]:
    """The cases left out of tests marked `sample`: all but as many as the mark says, from the first to the last."""
    tests = defaultdict[tuple[object, int], list[pytest.Item]](list)
    for item in items:
        if marker := item.get_closest_marker("sample"):
            tests[getattr(item, "function", item), marker.args[0]].append(item)
    for (_, most), cases in tests.items():
        kept = {round(place * (len(cases) - 1) / (most - 1)) for place in range(most)}
        yield from (item for place, item in enumerate(cases) if place not in kept)


def pytest_sessionfinish() -> None:
    """All is over: pytest's last looks for garbage find the programs that were kept, and nothing that a test asks."""
    gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what each hostile input took, where all of them are run: `make hostile`."""
    reports = [one for status in ("passed", "failed") for one in terminalreporter.stats.get(status, ())]
    taken = [dict(one.user_properties) | {"name": one.nodeid.partition("[")[2].rstrip("]")} for one in reports]
    measured = sorted((one for one in taken if "seconds" in one), key=lambda one: -one["seconds"])
    if measured and os.environ.get("EDICT_HOSTILE") == "all":
        terminalreporter.section("processor time and memory of each hostile input")
        for one in measured:
            terminalreporter.write_line(f"{one['seconds']:6.1f} s {one['megabytes']:5d} MB  {one['name']}")


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


def _kept(run: Path) -> Path:
    """Where what is compiled is kept, for this run and those of the same day with the very same engine."""
    shared = (run.parent if "PYTEST_XDIST_WORKER" in os.environ else run) / "cache"
    engine = hashlib.sha256()
    for file in sorted([*(ROOT / "interpreter").rglob("*.py"), *(ROOT / "grammar").rglob("*.*")]):
        engine.update(file.read_bytes() if file.is_file() else b"")
    kept = shared / engine.hexdigest()[:16]
    for folder in (shared, kept):
        folder.mkdir(exist_ok=True, mode=0o700)
    os.utime(kept)
    for other in shared.iterdir():  # of another engine
        with contextlib.suppress(OSError):  # another worker has removed it
            if other.stat().st_mtime < time.time() - DAY:
                shutil.rmtree(other, ignore_errors=True)
    return kept


@pytest.fixture(scope="session", autouse=True)
def _private_folders(tmp_path_factory: pytest.TempPathFactory) -> object:
    """What the tests save goes to a folder of their own, one a worker; what is compiled is compiled once for all."""
    folder = tmp_path_factory.mktemp("home")
    shared = _kept(tmp_path_factory.getbasetemp().parent)
    (folder / "state" / "edict").mkdir(parents=True)
    key = folder / "state" / "edict" / "cache.key"  # one key, or what one worker compiled would not count for another
    key.write_bytes(b"known to all workers of the tests".ljust(KEY_LENGTH)[:KEY_LENGTH])
    key.chmod(0o600)
    with pytest.MonkeyPatch.context() as patch:
        for variable, name in (
            ("XDG_DATA_HOME", "data"),
            ("XDG_STATE_HOME", "state"),
            ("XDG_CONFIG_HOME", "config"),
        ):
            patch.setenv(variable, str(folder / name))
        patch.setenv("XDG_CACHE_HOME", str(shared))
        yield folder


@pytest.fixture(autouse=True)
def _known_luck(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Games whose seed nobody gave go the same way in every run, or a test would fail on one day in six."""
    if os.environ.get("EDICT_EXAMPLES") != "all":
        luck = Random(request.node.nodeid)
        monkeypatch.setattr("edict.game.table.seeded_draws.secrets", SimpleNamespace(randbelow=luck.randrange))
        monkeypatch.setattr("edict.game.table.game.SystemRandom", lambda: luck)


@pytest.fixture
def call(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """The command in an empty folder; nobody is at the keyboard, and no game is kept yet."""
    return partial(run_kingsburg, tmp_path)
