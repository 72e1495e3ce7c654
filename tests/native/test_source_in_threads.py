"""Sources are read one at a time, whoever asks: CPython's parser may fail if two threads are in it at once."""

from __future__ import annotations

import ast
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from edict.native import functions
from edict.simulation import ismcts, stepping


def test_two_threads_never_parse_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    parse, busy, together = ast.parse, threading.Lock(), []

    def slow(*source: Any, **more: Any) -> Any:
        free = busy.acquire(blocking=False)
        together.append(not free)
        time.sleep(0.01)
        try:
            return parse(*source, **more)
        finally:
            if free:
                busy.release()

    monkeypatch.setattr("edict.native.functions.ast.parse", slow)
    wanted = [stepping.look, stepping.step, ismcts.grow, ismcts.slot_of] * 2
    with ThreadPoolExecutor(4) as pool:
        trees = list(pool.map(functions.source_of, wanted))
    monkeypatch.undo()
    assert [tree.name for tree in trees] == ["look", "step", "grow", "slot_of"] * 2
    assert len(together) == len(wanted) and not any(together)
