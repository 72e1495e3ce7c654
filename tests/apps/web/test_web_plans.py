"""Plans of bots at tables in the browser: checked before the game begins, followed, saved with the game."""

from __future__ import annotations

from typing import Any

import edict
from calling import wait_until
from edict.game.table.journal import parse_journal
from serving import OpenedTable, make_table_form

HOLD = 'prefer "Hold" when turn-points >= 10; prefer "Roll"'


def open_with_plan(client: Any, plan: str, bot: str = "random") -> Any:
    """Return the page after a table of Pig for a person and a bot with a plan was asked for."""
    form = {**make_table_form("pig", ["person", "", bot]), "plan-2": plan, "plan-0": "", "set-goal": "30"}
    return client.post("/tables", data=form, follow_redirects=True)


def test_bot_at_a_table_in_the_browser_follows_its_plan(client: Any) -> None:
    table = OpenedTable.from_page(client, open_with_plan(client, HOLD))

    def is_over() -> bool:
        table.play()
        return bool(table.get_view(table.seats[0])["over"])

    wait_until(is_over)
    journal = parse_journal(client.get(f"/seat/{table.host}/journal").content)
    assert journal.header.plans == ("", HOLD)
    rules = edict.load("pig")
    game, decisions = rules.new_game(journal.header.players, journal.header.seed, journal.header.settings), 0
    for answer in journal.answers:
        points = game.view(1).value("turn-points") or 0
        if answer.seat == 1 and len(game.ask.options) > 1:
            assert (game.ask.named(answer.key).text == "Hold") == (points >= 10)
            decisions += 1
        game.answer(answer.key)
    assert game.over and decisions


def test_plan_with_a_mistake_is_refused_with_its_reason(client: Any) -> None:
    for plan, reason in (
        ("first nowhere", "unknown name `nowhere`"),
        ('prefer "Hould"', "no option is called"),
        ("frist x", "no line of a plan begins with"),
    ):
        page = open_with_plan(client, plan)
        assert page.status_code == 422 and reason in page.text.replace("&#39;", "'").replace("&#34;", '"'), page.text


def test_plan_for_a_person_is_refused(client: Any) -> None:
    form = {**make_table_form("pig", ["person", "random"]), "plan-0": HOLD}
    page = client.post("/tables", data=form, follow_redirects=True)
    assert page.status_code == 422 and "Player 1 cannot follow a plan" in page.text
