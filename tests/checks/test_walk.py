"""The one walk of all checks: none is left out, and what is found is told by place."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from helpers import compiled

from edict import checks
from edict.checks.check_registry import Checks


def test_the_checks_of_every_file_are_carried_out() -> None:
    files = [import_module(f"{checks.__name__}.{one.name}") for one in pkgutil.iter_modules(checks.__path__)]
    declared = [one for file in files for one in vars(file).values() if isinstance(one, Checks)]
    assert len(declared) > 10 and {*map(id, declared)} == {*map(id, checks.ALL.checks)}
    assert all(one.nodes or one.rules for one in declared)


def test_what_is_found_is_told_by_place() -> None:
    routines = (f"routine {name}\n  spend 0 coin\n  if 2 < 1\n    gain 0 coin\n" for name in ("trade", "barter"))
    found = compiled("".join(routines)).diagnostics
    places = [one.span for one in found]
    assert len(places) == 8 and places == sorted(places)
