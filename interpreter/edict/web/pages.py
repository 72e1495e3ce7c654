"""Pages and their parts, made of views. The one door of this room to Jinja, which escapes everything."""

from __future__ import annotations

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse

from edict.web import showing

GONE = "There is no table behind this link any more."
LOG_LINES = 60


class Pages:
    """Templates filled in."""

    def __init__(self) -> None:
        self._made = Environment(
            loader=PackageLoader("edict.web"), autoescape=select_autoescape(), undefined=StrictUndefined,
            trim_blocks=True, lstrip_blocks=True,
        )  # fmt: skip
        helpers = {name: getattr(showing, name) for name in showing.__all__}
        self._made.globals.update(helpers, problem=None, said="", LOG_LINES=LOG_LINES)

    def page(self, template: str, status: int = 200, **values: Any) -> HTMLResponse:
        return HTMLResponse(self._made.get_template(template).render(values), status)

    async def problem(self, _: Request, problem: Exception) -> HTMLResponse:
        status = problem.status_code if isinstance(problem, HTTPException) else 500
        text = problem.detail if isinstance(problem, HTTPException) else ""
        return self.page("problem.html", status, text=text)

    async def gone(self, _: Request, __: Exception) -> HTMLResponse:
        return self.page("problem.html", 404, text=GONE)
