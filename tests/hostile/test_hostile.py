"""Everything hostile is refused, or done, within its time and memory: one of each kind, or all by EDICT_HOSTILE."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from corpus import EVERYTHING
from inputs import ALL, Hostile

if TYPE_CHECKING:
    from measuring import Reader

SOMETIMES = pytest.mark.skipif(not ALL, reason="large, or a variation of another: make hostile")


@pytest.fixture(scope="module")
def reader() -> Iterator[Reader]:
    from measuring import Reader

    made = Reader()
    yield made
    made.end()


@pytest.mark.skipif(sys.platform != "linux", reason="limits of processes and odd file names as Linux has them")
@pytest.mark.parametrize(
    "one", [pytest.param(one, id=one.name, marks=[SOMETIMES] if one.slow or one.like else []) for one in EVERYTHING]
)
def test_hostile_inputs_end_in_time(
    one: Hostile, tmp_path: Path, reader: Reader, record_property: Callable[[str, object], None]
) -> None:
    from measuring import run

    folder = tmp_path / "here"
    folder.mkdir()
    one.lay(folder)
    measured = run(one, folder, reader)
    record_property("seconds", measured.seconds)
    record_property("megabytes", measured.megabytes)
    assert not measured.wrong(one), measured.wrong(one)


def test_no_two_are_called_the_same_and_what_stands_for_others_is_in_every_run() -> None:
    names = {one.name: one for one in EVERYTHING}
    assert len(names) == len(EVERYTHING) > 100
    assert not [one.name for one in EVERYTHING if one.like and (names[one.like].like or names[one.like].slow)]
