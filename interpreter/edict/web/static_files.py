"""Files that pages load: under an address that names what is in them, so that browsers never ask for them twice."""

from __future__ import annotations

import os

from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from edict.web.page_templates import STATIC, release

FOREVER = "public, max-age=31536000, immutable"


class Static(StaticFiles):
    """The files of this release: for ever under its own address, and until they are asked for again under another's."""

    def __init__(self) -> None:
        super().__init__(directory=STATIC)
        self._kept = {str(file): _as_it_is(file.stat()) for file in STATIC.rglob("*")}

    async def get_response(self, path: str, scope: Scope) -> Response:
        named, _, file = path.partition("/")
        response = await super().get_response(file, scope)
        found = getattr(response, "stat_result", None)  # as it is now: it may have been replaced by another release's
        if named == release() and found and _as_it_is(found) == self._kept.get(str(STATIC / file)):
            response.headers["Cache-Control"] = FOREVER
        return response


def _as_it_is(found: os.stat_result) -> tuple[int, int]:
    return found.st_mtime_ns, found.st_size
