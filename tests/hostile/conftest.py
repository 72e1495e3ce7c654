"""Prints what each hostile input took, where all of them are run: `make hostile`."""

from __future__ import annotations

import pytest
from inputs import ALL


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = [one for status in ("passed", "failed") for one in terminalreporter.stats.get(status, ())]
    taken = [dict(one.user_properties) | {"name": one.nodeid.partition("[")[2].rstrip("]")} for one in reports]
    measured = sorted((one for one in taken if "seconds" in one), key=lambda one: -one["seconds"])
    if ALL and measured:
        terminalreporter.section("processor time and memory of each hostile input")
        for one in measured:
            terminalreporter.write_line(f"{one['seconds']:6.1f} s {one['megabytes']:5d} MB  {one['name']}")
