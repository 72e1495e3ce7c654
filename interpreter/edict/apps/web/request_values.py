"""Values that somebody sends in a request: numbers in paths and fields, forms, uploaded files and JSON.

Routes read them here only. A malformed value is a 4xx, or None where a form shows what is wrong with it.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from python_multipart.multipart import parse_options_header
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request

from edict.support.text import parse_integer

MOST_FIELDS = 200
MALFORMED = "That is nothing a page of this server would send."
CHARSETS = (b"utf-8", b"utf8")


def parse_number(value: object) -> int | None:
    """Return the whole number of a form's field; None if it is anything else, or has more than nine digits."""
    return parse_integer(str(value))


def path_number(request: Request, name: str) -> int:
    """Return the whole number that a request's path has under a name. Raises `HTTPException` if it has none."""
    found = parse_integer(request.path_params[name])
    if found is None or found < 0:
        raise HTTPException(404)
    return found


@asynccontextmanager
async def read_form(request: Request, most_fields: int = MOST_FIELDS, file: str = "") -> AsyncIterator[FormData]:
    """Yield the form that a request submits. Raises `HTTPException` if it cannot be read.

    Args:
        request: The request.
        most_fields: How many fields it may have.
        file: The only field that may hold a file; none may if it is empty.
    """
    _, options = parse_options_header(request.headers.get("content-type", ""))
    if options.get(b"charset", CHARSETS[0]).lower() not in CHARSETS:  # Python knows codecs that are none of characters
        raise HTTPException(415, MALFORMED)
    async with request.form(max_files=1 if file else 0, max_fields=most_fields) as form:
        fields = form.multi_items()
        yield FormData([(name, value) for name, value in fields if isinstance(value, str) or name == file])


async def read_upload(form: FormData, name: str) -> bytes:
    """Return the content of the file that a form holds under a name; nothing if it holds none."""
    file = form.get(name)
    return await file.read() if isinstance(file, UploadFile) else b""


async def read_json(request: Request) -> Mapping[str, Any]:
    """Return the JSON object that a request holds. Raises `HTTPException` for anything else."""
    try:
        found = json.loads(await request.body())
        json.dumps(found, ensure_ascii=False).encode()  # half of a character can be escaped, but never stored or sent
    except (ValueError, RecursionError):
        raise HTTPException(400, MALFORMED) from None
    if not isinstance(found, dict):
        raise HTTPException(400, MALFORMED)
    return found


def text_in(body: Mapping[str, Any], name: str, default: str | None = None) -> str:
    """Return the text that a JSON object has under a name, or the default. Raises `HTTPException` for anything else."""
    value = body.get(name) if body.get(name) is not None else default
    if not isinstance(value, str):
        raise HTTPException(400, MALFORMED)
    return value


def number_in(body: Mapping[str, Any], name: str) -> int:
    """Return the number from 0 to 999,999,999 that a JSON object has under a name. Raises `HTTPException`."""
    value = body.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 10**9:
        raise HTTPException(400, MALFORMED)
    return value
