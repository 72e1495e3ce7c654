"""What the page sends as JSON, and what it is answered."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from edict.report import RulesError
from edict.service.values import Refused
from edict.studio.errors import Clash, StudioError
from edict.table.errors import GameError

WRONG = "That is nothing the studio's page would send."


async def sent(request: Request) -> Mapping[str, Any]:
    """The object that was sent; a 400 for anything else."""
    try:
        found = json.loads(await request.body())
    except (ValueError, RecursionError):
        raise HTTPException(400, WRONG) from None
    if not isinstance(found, dict):
        raise HTTPException(400, WRONG)
    return found


def text(body: Mapping[str, Any], name: str) -> str:
    value = body.get(name)
    if not isinstance(value, str):
        raise HTTPException(400, WRONG)
    return value


def number(body: Mapping[str, Any], name: str) -> int:
    value = body.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 10**9:
        raise HTTPException(400, WRONG)
    return value


async def answered(answer: Awaitable[Any]) -> Response:
    """The answer as data; the reason, for what cannot be done."""
    try:
        return JSONResponse(await answer)
    except Clash as problem:
        return JSONResponse({"refused": reason(problem), "clash": True}, 409)
    except (Refused, StudioError, GameError, RulesError) as problem:
        return JSONResponse({"refused": reason(problem)}, 422)


def reason(problem: Exception) -> str:
    """Why something cannot be done, as one sentence that begins small and has no full stop."""
    if isinstance(problem, RulesError):
        return f"the rules have errors: {problem.first}"
    if isinstance(problem, StudioError | GameError):
        remedy = f"; {problem.remedy}" if problem.remedy else ""
        return f"{problem.reason}{remedy}"
    return str(problem)
