"""Parsing of the values in a request: numbers in paths and fields, forms, uploaded files and JSON.

Routes read such values only with these functions. A malformed value leads to a 4xx response, or is None where the
form is shown again with its error.
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

MOST_FIELDS = 200  # in a form, by default
# the message for requests that no page of this server sends
MALFORMED = "That is nothing a page of this server would send."
CHARSETS = (b"utf-8", b"utf8")  # accepted encodings of forms


def parse_number(value: object) -> int | None:
    """Return the integer in a form's field; None for anything else, or more than nine digits."""
    return parse_integer(str(value))


def require_path_number(request: Request, name: str) -> int:
    """Return a parameter of a request's path as a number that is not negative.

    Raises:
        HTTPException: It is not such a number (404).
    """
    number = parse_integer(request.path_params[name])
    if number is None or number < 0:
        raise HTTPException(404)
    return number


@asynccontextmanager
async def read_form(request: Request, most_fields: int = MOST_FIELDS, file_field: str = "") -> AsyncIterator[FormData]:
    """Yield the form that a request submits, without unexpected files.

    Args:
        request: The request.
        most_fields: The largest number of fields accepted.
        file_field: The only field that may hold a file; empty if none may.

    Raises:
        HTTPException: The form is malformed, too large, or not in UTF-8.
    """
    _, options = parse_options_header(request.headers.get("content-type", ""))
    if options.get(b"charset", CHARSETS[0]).lower() not in CHARSETS:  # some of Python's codecs do not decode to text
        raise HTTPException(415, MALFORMED)
    async with request.form(max_files=1 if file_field else 0, max_fields=most_fields) as form:
        fields = form.multi_items()
        yield FormData([(name, value) for name, value in fields if isinstance(value, str) or name == file_field])


async def read_upload(form: FormData, name: str) -> bytes:
    """Return the content of the file in a form's field; empty if there is none."""
    file = form.get(name)
    return await file.read() if isinstance(file, UploadFile) else b""


async def read_json(request: Request) -> Mapping[str, Any]:
    """Return the JSON object in the body of a request.

    Raises:
        HTTPException: The body is not a JSON object, or holds text that UTF-8 cannot encode (400).
    """
    try:
        body = json.loads(await request.body())
        json.dumps(body, ensure_ascii=False).encode()  # a lone surrogate can be escaped, but not encoded
    except (ValueError, RecursionError):
        raise HTTPException(400, MALFORMED) from None
    if not isinstance(body, dict):
        raise HTTPException(400, MALFORMED)
    return body


def require_text(body: Mapping[str, Any], name: str, default: str | None = None) -> str:
    """Return a text in a JSON object, or the default if the key is missing or null.

    Raises:
        HTTPException: The value is not a text, or it is missing and has no default (400).
    """
    value = body.get(name) if body.get(name) is not None else default
    if not isinstance(value, str):
        raise HTTPException(400, MALFORMED)
    return value


def require_number(body: Mapping[str, Any], name: str) -> int:
    """Return a number in a JSON object.

    Raises:
        HTTPException: The value is not an integer from 0 to 999,999,999 (400).
    """
    value = body.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 10**9:
        raise HTTPException(400, MALFORMED)
    return value
