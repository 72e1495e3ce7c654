"""Where everybody answers at once, whoever is quick is first, and nobody sees anything before all have answered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from serving import LATE, Opened, served

GAME = "recipe-vote"
PEOPLE = ["person", "person", "person"]


def option(table: Opened, key: str, number: int = 0) -> str:
    return str(table.view(key)["question"]["options"][number]["key"])


def choose(table: Opened, key: str, number: int = 0, version: int | None = None) -> Any:
    done = table.answer(key, table.version(key) if version is None else version, option(table, key, number))
    assert done.status_code == 200
    return done


def test_everybody_is_asked_at_once_and_the_results_come_when_all_have_answered(tmp_path: Path) -> None:
    with served(tmp_path) as (_, client):
        table = Opened.at(client, "four-lanes", PEOPLE)
        ann, ben, cleo = table.seats
        assert all(table.view(key)["question"] for key in table.seats)
        for key in (cleo, ann):
            assert LATE not in choose(table, key).text
            assert table.view(key)["question"] is None
        assert "is revealed" not in client.get(f"/seat/{table.onlookers}").text
        choose(table, ben)
        assert "is revealed" in client.get(f"/seat/{table.onlookers}").text
