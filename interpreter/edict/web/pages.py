"""Pages and their parts, made of views. The one door of this room to Jinja, which escapes everything."""

from __future__ import annotations

from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse

from edict.handbook.pages import TESTS
from edict.web import chart, showing

GONE = "There is no table behind this link any more."
LOG_LINES = 60


class Pages:
    """Templates filled in."""

    def __init__(self) -> None:
        self._made = Environment(
            loader=ChoiceLoader([PackageLoader("edict.web"), PackageLoader("edict.handbook")]), autoescape=True,
            undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        )  # fmt: skip
        self._made.tests.update(TESTS)
        helpers = {name: getattr(room, name) for room in (showing, chart) for name in room.__all__}
        # problem: what was wrong with a form. said: a message over the board. at: after how many answers a replay
        # stands; None at the table itself.
        self._made.globals.update(helpers, problem=None, said="", at=None, LOG_LINES=LOG_LINES)

    def page(self, template: str, status: int = 200, **values: Any) -> HTMLResponse:
        return HTMLResponse(self._made.get_template(template).render(values), status)

    async def problem(self, _: Request, problem: Exception) -> HTMLResponse:
        """A page for a problem with a status."""
        assert isinstance(problem, HTTPException)
        page = self.page("problem.html", problem.status_code, text=problem.detail)
        page.headers.update(problem.headers or {})
        return page

    async def gone(self, _: Request, __: Exception) -> HTMLResponse:
        """A page for a table that is not there."""
        return self.page("problem.html", 404, text=GONE)
