"""Hostile inputs, refused or handled within limits of time and memory: one of each kind, or all by EDICT_HOSTILE."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from corpus import EVERYTHING
from inputs import ALL, HostileInput

if TYPE_CHECKING:
    from measuring import CommandServer

SOMETIMES = pytest.mark.skipif(not ALL, reason="large, or a variation of another: make hostile")


@pytest.fixture(scope="module")
def reader() -> Iterator[CommandServer]:
    from measuring import CommandServer

    made = CommandServer()
    yield made
    made.stop()


@pytest.mark.skipif(sys.platform != "linux", reason="limits of processes and odd file names as Linux has them")
@pytest.mark.parametrize(
    "one", [pytest.param(one, id=one.name, marks=[SOMETIMES] if one.slow or one.like else []) for one in EVERYTHING]
)
def test_hostile_inputs_end_in_time(
    one: HostileInput, tmp_path: Path, reader: CommandServer, record_property: Callable[[str, object], None]
) -> None:
    from measuring import measure

    folder = tmp_path / "here"
    folder.mkdir()
    one.lay(folder)
    measured = measure(one, folder, reader)
    record_property("seconds", measured.seconds)
    record_property("megabytes", measured.megabytes)
    assert not measured.find_fault(one), measured.find_fault(one)


def test_inputs_have_unique_names_and_representatives_run_always() -> None:
    names = {one.name: one for one in EVERYTHING}
    assert len(names) == len(EVERYTHING) > 100
    assert not [one.name for one in EVERYTHING if one.like and (names[one.like].like or names[one.like].slow)]
