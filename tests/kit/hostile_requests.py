"""Requests that no page sends: for each route of an application, hostile values in every part of a request.

Routes come from the application and names of fields from the code that reads them, so that new ones are tried too.
"""

from __future__ import annotations

import asyncio
import gzip
import html
import io
import json
import logging
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote, unquote, urlencode

from starlette.routing import Mount, Route

import edict.apps.web

MAX_BODY = 3_000_000  # bytes of a response body; more than the largest file that pages load
# Python internals that no response body may show
FAILING = re.compile(r"Traceback \(most recent|object at 0x|<class '|\b[A-Z][A-Za-z]+\([a-z_]+=[^\s&]")
FORM, MULTIPART, JSON = "application/x-www-form-urlencoded", "multipart/form-data; boundary=b", "application/json"


@dataclass(frozen=True)
class HostileRequest:
    """A request; `target` is percent-encoded, as in its first line."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    body: bytes


@cache
def find_field_names() -> tuple[str, ...]:
    """Return the names of fields in forms, queries and JSON that the application's code reads."""
    home = Path(edict.apps.web.__file__).parent
    code = "\n".join(path.read_text(encoding="utf-8") for path in sorted(home.rglob("*.py")))
    named = re.findall(r"(?:\.get|getlist|_in|read_upload)\((?:\w+, )?\"([\w-]+)\"", code)
    return tuple(sorted({*named, "game", "with", "seat-0", "seat-1", "name-0", "name-1", "clock-minutes", "thing"}))


ODD_TEXTS = (
    "",
    " ",
    "0",
    "-1",
    "1",
    "2",
    "7",
    "9" * 5000,
    "-" + "9" * 20,
    "1e9",
    "1.5",
    "NaN",
    "\u0661\u0662",
    "\u2212x",
    "\x00",
    "a\x00b",
    "..",
    "../../etc/passwd",
    "/etc/passwd",
    "C:\\nul",
    "con",
    "a" * 5000,
    "\U0001f600",
    "\u202e\u200b",
    "<script>alert(1)</script>",
    "{{ 7*7 }}",
    "%s%n{0}",
    "None",
    "true",
    "\r\nX: y",
    "\n",
    "\u3164",
    "'; drop table tables --",
    "[]",
    "{}",
    "\ufffd",
    "\u0130\u0131\u017f",
    "a/b",
    "a" * 300 + ".edict",
    "scenes/\x1b.yaml",
    "\x85",
    "e" + "\u0301" * 500,
)
LIKELY = (
    "pig",
    "kuhn-poker",
    "kingsburg",
    "more-buildings",
    "person",
    "greedy",
    "random",
    "all",
    "game",
    "turn",
    "copy",
    "zip",
    "form",
    "forms",
    "Ann",
    "rules.edict",
    "module.yaml",
    "look.yaml",
    "more.edict",
    "scenes/a.yaml",
    "yes",
    "on",
    "asked",
    "apart",
    "take",
    "rule",
    "add",
    "change",
    "thing",
    "player",
    "game pig\n",
    "when end of turn\n  each player\n    gain 1 point\n",
    "https://example.org/studio/x",
    "de",
    "roll",
    "hold",
)
ODD_JSON: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    2,
    10**9,
    10**18,
    10**400,
    1.5,
    1e308,
    float("inf"),
    float("nan"),
    [],
    {},
    [[[[]]]],
    {"a": {"b": []}},
    "\ud800",
    "a\udfffb",
    ["pig"],
    {"file": "rules.edict"},
)
ODD_YAML = (
    "null",
    "true",
    "7",
    "-1",
    "9" * 40,
    "1e999",
    ".inf",
    "0x10",
    "2001-01-01",
    "''",
    "[]",
    "{}",
    "[1, 2]",
    "{a: 1}",
    "[" * 30 + "]" * 30,
    "&a [*a]",
    "*nothing",
    "!!python/object:os.system x",
    "!!binary aGk=",
    '"\\u202e"',
    "'\u202e'",
    '"\\ud800"',
    "|\n  a\n  b",
    "? a",
    "- a",
    "a: b: c",
    "\t",
    "%",
    "@",
    "'",
    "<<: 1",
    "x" * 3000,
    "[pig]",
    "{light: {ground: red}}",
    "'#12345'",
    '"#zzzzzz"',
    "<b>&</b>",
    "{{ x }}",
)
MANIFEST = {
    "name": "odd",
    "title": "Odd",
    "version": "1.0.0",
    "kind": "module",
    "language": "1",
    "requires": "[pig]",
    "summary": "x",
    "order": "1",
    "origin": "x",
    "license": "x",
    "conflicts": "[]",
    "settings": "{}",
    "book": "[]",
    "unknown": "1",
}
LOOK = {
    "colours": "{light: {ground: '#ffffff'}}",
    "colors": "{}",
    "pictures": "{}",
    "players": "['#112233']",
    "dice": "{}",
    "panels": "{}",
    "icons": "{}",
    "cards": "{}",
    "light": "{}",
    "dark": "{}",
    "things": "{}",
    "unknown": "1",
}
RULES = (
    "",
    "when end of turn\n  each player\n    gain 1 point\n",
    "game odd\n",
    "\ufeff",
    "\x00",
    "resource point\n" * 3,
    "(" * 500,
    "\u202e",
)
NEEDED = ("name", "title", "version", "kind", "language", "requires")


class RequestGrammar:
    """A generator of requests to the routes of an application.

    Args:
        routes: The routes.
        keys: Links that open something, by their path; they may change between requests.
        rng: Source of all random choices.
        journal: A saved game, which is sent damaged.
    """

    def __init__(
        self, routes: Sequence[Any], keys: Mapping[str, Sequence[str]], rng: Random, journal: bytes, without: str = ""
    ) -> None:
        self.rng, self._keys, self._journal = rng, keys, journal
        known = [(f"{one.path}/{{path}}" if isinstance(one, Mount) else one.path, one) for one in routes]
        self.routes = [
            (path, sorted((one.methods or set()) - {"HEAD"}) if isinstance(one, Route) else ["GET"])
            for path, one in known
            if not (without and re.search(without, path))
        ]

    def make_request(self, number: int) -> HostileRequest:
        """Make a request; routes take turns by number."""
        path, methods = self.routes[number % len(self.routes)]
        method = self.rng.choice(methods) if self.rng.random() < 0.95 else self.rng.choice(("PUT", "HEAD", "OPTIONS"))
        target = re.sub(r"\{(\w+)(:\w+)?\}", lambda one: quote(self._parameter(one[1], path), safe=""), path)
        if self.rng.random() < 0.3 or method == "GET" and self.rng.random() < 0.5:
            target += "?" + self._query()
        kind, body = self._body() if method == "POST" else ("", b"")
        return HostileRequest(method, target, (*self._headers(), *([("content-type", kind)] if kind else ())), body)

    # --- values

    def _text(self) -> str:
        draw = self.rng.random()
        if draw < 0.4:
            return self.rng.choice(LIKELY)
        if draw < 0.5:
            return self.rng.choice([key for keys in self._keys.values() for key in keys])
        return self.rng.choice(ODD_TEXTS) + (self.rng.choice(ODD_TEXTS) if draw > 0.95 else "")

    def _parameter(self, name: str, path: str) -> str:
        if name == "key" and self.rng.random() < 0.9:
            return self.rng.choice(self._keys[path.split("/")[1]])
        if name in ("number", "at") and self.rng.random() < 0.5:
            return str(self.rng.randrange(4))
        if name == "seen" and self.rng.random() < 0.5:
            return self.rng.choice(("asked", "all", "0", "-5"))
        if name == "question" and self.rng.random() < 0.9:
            from edict.apps.web.studio.editor_api import QUESTIONS

            return self.rng.choice([*QUESTIONS])
        if name == "path" and self.rng.random() < 0.5:
            return self.rng.choice(("x/table.css", "x/../table.css", "x//table.css", "table.css", "x/vendor"))
        return self._text() or "%"

    def _fields(self) -> list[tuple[str, str]]:
        return [(self._name(), self._text()) for _ in range(self.rng.randrange(12))]

    def _name(self) -> str:
        return self.rng.choice(find_field_names()) if self.rng.random() < 0.95 else self._text()

    def _query(self) -> str:
        if self.rng.random() < 0.2:
            return self.rng.choice(
                ("%", "a=%ff%fe", "&&==", "=", "language=%00", "since=" + "9" * 5000, "a" * 9000, "+", ";")
            )
        return urlencode(self._fields())

    def _headers(self) -> list[tuple[str, str]]:
        told = []
        if self.rng.random() < 0.5:
            told.append(("hx-request", "true"))
        for name, values in ODD_HEADERS.items():
            if self.rng.random() < 0.02:
                told.append((name, self.rng.choice(values)))
        return told

    # --- bodies

    def _body(self) -> tuple[str, bytes]:
        choices: tuple[tuple[str, Callable[[], bytes]], ...] = (
            (FORM, lambda: urlencode(self._fields()).encode()),
            (MULTIPART, self._multipart),
            (MULTIPART, self._multipart),
            (JSON, self._json),
            (JSON, self._json),
            (self.rng.choice((FORM, MULTIPART, JSON)), lambda: self.rng.randbytes(self.rng.randrange(200))),
            (self.rng.choice(ODD_KINDS), self._multipart),
            ("", lambda: b"x"),
            (FORM, lambda: self.rng.choice(ODD_FORMS)),
        )
        kind, make = self.rng.choice(choices)
        return kind, make()

    def _multipart(self) -> bytes:
        parts = [
            f'--b\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n'.encode()
            + value.encode("utf-8", "replace")
            + b"\r\n"
            for name, value in ((re.sub(r'[\r\n"]', "", name), value) for name, value in self._fields())
        ]
        for name in ("module", "journal", "zip", "game", "text"):
            if self.rng.random() < 0.35:
                file = self.rng.choice(("a.zip", "../a", "", "\x00", "a" * 300))
                head = f'--b\r\nContent-Disposition: form-data; name="{name}"; filename="{file}"\r\n\r\n'
                parts.append(head.encode() + self._file() + b"\r\n")
        whole = b"".join(parts) + b"--b--\r\n"
        return whole[: self.rng.randrange(len(whole) + 1)] if self.rng.random() < 0.1 else whole

    def _json(self) -> bytes:
        if self.rng.random() < 0.15:
            return self.rng.choice(
                (
                    b"",
                    b"[" * 100_000,
                    b"{",
                    b"9" * 5000,
                    b"\xff",
                    b'"\\ud800"',
                    b"null",
                    b"[]",
                    b"1e999",
                    b'{"a":1,"a":2}',
                )
            )
        found: dict[str, Any] = {}
        for name in (
            "file",
            "text",
            "name",
            "line",
            "column",
            "host",
            "answers",
            "players",
            "scene",
            "bot",
            "over",
            "before",
        ):
            if self.rng.random() < 0.6:
                found[name] = self._json_value(name)
        found |= {self._name(): self._json_value("") for _ in range(self.rng.randrange(4))}
        return json.dumps(found, ensure_ascii=True).encode()

    def _json_value(self, name: str) -> Any:
        if self.rng.random() < 0.4:
            return self.rng.choice(ODD_JSON)
        if name == "file" and self.rng.random() < 0.7:
            return self.rng.choice(("rules.edict", "module.yaml", "look.yaml"))
        if name in ("line", "column", "answers", "players", "shown", "reached"):
            return self.rng.choice((0, 1, 2, 3, 40, 10**8))
        return self.rng.choice(self._keys["host"]) if name == "host" else self._text()

    def _file(self) -> bytes:
        draw = self.rng.random()
        if draw < 0.15:
            return self._damage(self._journal)
        if draw < 0.25:
            return self.rng.choice(
                (b"", b"PK", b"\x00" * 100, b"{}", b"PK\x05\x06" + b"\x00" * 18, self.rng.randbytes(300))
            )
        raw = make_hostile_zip(self.rng)
        return self._damage(raw) if draw > 0.9 else raw

    def _damage(self, raw: bytes) -> bytes:
        offset = self.rng.randrange(len(raw))
        return self.rng.choice((raw[:offset], raw[:offset] + b"\xff" + raw[offset + 1 :], raw + raw, raw[offset:], raw))


ODD_HEADERS: Mapping[str, Sequence[str]] = {
    "host": ("", "[::1", "a@b", "x" * 5000, "\xff", "localhost:99999999", "a b", "[::1]:x", "%00"),
    "cookie": ("language=xx", "language=" + "9" * 5000, ";;==", "\xff=\xfe", 'language="', "language=de"),
    "accept-language": (
        "de",
        "x" * 5000,
        "de;q=" + "9" * 5000,
        "de;q=nan",
        "de;q=-1,;;,",
        "*",
        "\xff",
        "de-" * 500,
        "it;q=1e999",
    ),
    "last-event-id": ("9" * 5000, "\xff", "x"),
    "sec-fetch-site": ("same-origin", "none", "\xff"),
    "origin": ("http://testserver", "null"),
    "range": ("bytes=" + "9" * 5000 + "-", "bytes=0-0,1-1", "bytes=-", "x", "bytes=5-1", "bytes=0-" + ",0-" * 2000),
    "if-modified-since": ("x", "Mon, 99 Foo 99999", "\xff", "Thu, 01 Jan 0000 00:00:00 GMT", "9" * 5000),
    "if-none-match": ("*", '"', "\xff"),
    "if-range": ("x", "\xff"),
    "accept-encoding": ("gzip", "gzip;q=x", "\xff", "*"),
    "content-length": ("9" * 5000, "-1", "x", "\xb2", "5"),
    "x-forwarded-for": ("x", "1.2.3.4", "::" * 500),
    "x-forwarded-proto": ("https", "x"),
    "hx-request": ("false", "\xff"),
    "hx-current-url": ("\xff", "x" * 5000),
    "transfer-encoding": ("chunked", "x"),
    "content-encoding": ("gzip",),
    "upgrade": ("websocket",),
}
ODD_FORMS = (b"%", b"game=%ff%00&name=%ed%a0%80", b"&=&=&", b"a=1&" * 1500, b"\xff=\xfe")
ODD_KINDS = (
    "multipart/form-data",
    "multipart/form-data; boundary=",
    "multipart/form-data; boundary=" + "b" * 500,
    "multipart/form-data; boundary=\xff",
    "multipart/form-data; boundary=b; charset=idna",
    "multipart/form-data; boundary=b; charset=utf-7",
    "multipart/form-data; boundary=b; charset=x",
    "multipart/form-data; boundary=b; charset*=x",
    "multipart/form-data; boundary*0=b",
    'multipart/form-data; boundary="b',
    "multipart/mixed; boundary=b",
    "text/plain",
    "application/json; charset=utf-16",
    "\xff",
    ";",
    "x" * 5000,
    "multipart/form-data; boundary*=utf-8''%62",
    "a/b; " + "c=d; " * 2000,
)


def make_hostile_zip(rng: Random) -> bytes:
    """Return a zip file of a module with something wrong in it, or that is damaged itself."""
    manifest = {name: MANIFEST[name] for name in NEEDED}
    look = dict(rng.sample(sorted(LOOK.items()), rng.randrange(4)))
    texts = [manifest, look]
    if rng.random() < 0.8:
        wrong = rng.choice(texts)
        wrong[rng.choice([*(MANIFEST if wrong is manifest else LOOK), "\u202e", "a" * 300])] = rng.choice(ODD_YAML)
    files: dict[str, bytes] = {
        "module.yaml": _yaml(manifest, rng),
        "odd.edict": rng.choice(RULES).encode("utf-8", "replace"),
    }
    if rng.random() < 0.6:
        files["look.yaml"] = _yaml(look, rng) if rng.random() < 0.8 else rng.choice(ODD_YAML).encode("utf-8", "replace")
    for name in (
        "scenes/a.yaml",
        "words/de.yaml",
        "words/xx.yaml",
        "with/pig/a.edict",
        "../a.edict",
        "/a.edict",
        "a" * 300 + ".edict",
        "odd\x01.edict",
        "NUL.edict",
        "a.png",
        "module.yaml/x",
        "README.md",
    ):
        if rng.random() < 0.08:
            files[name] = rng.choice((*ODD_YAML, *RULES)).encode("utf-8", "replace")
    made, folder = io.BytesIO(), rng.choice(("", "odd/") * 6 + ("a/b/", "..\\"))
    with zipfile.ZipFile(
        made, "w", rng.choice((zipfile.ZIP_DEFLATED,) * 9 + (zipfile.ZIP_STORED, zipfile.ZIP_LZMA))
    ) as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo(folder + name)
            if rng.random() < 0.03:
                info.external_attr = 0o120777 << 16  # a link
            archive.writestr(info, content if rng.random() < 0.97 else b"\xff\xfe\x00" * 50, archive.compression)
        if rng.random() < 0.03:
            archive.writestr(folder + "big.edict", b"0" * 3_000_000, zipfile.ZIP_DEFLATED)
    return made.getvalue()


def _yaml(values: Mapping[str, str], rng: Random) -> bytes:
    text = "".join(f"{name}: {value}\n" for name, value in values.items())
    return text.encode(rng.choice(("utf-8",) * 12 + ("utf-16", "utf-8-sig", "latin-1")), "replace")


# --- sending ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AsgiResponse:
    status: int
    headers: Mapping[str, str]
    body: bytes


async def send_request(app: Any, hostile_request: HostileRequest) -> AsgiResponse:
    """Send a request to an ASGI application and return its response or the start of an endless one."""
    path, _, query = hostile_request.target.partition("?")
    told = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in hostile_request.headers]
    told += [] if any(name == b"host" for name, _ in told) else [(b"host", b"testserver")]
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": hostile_request.method,
        "scheme": "http",
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": told,
        "client": ("10.0.0.1", 1),
        "server": ("testserver", 80),
        "state": {},
    }
    begun: dict[str, Any] = {}
    body, received, enough = bytearray(), False, asyncio.Event()

    async def receive() -> dict[str, Any]:
        nonlocal received
        if received:
            await enough.wait()
            return {"type": "http.disconnect"}
        received = True
        return {"type": "http.request", "body": hostile_request.body, "more_body": False}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            begun.update(message)
        else:
            body.extend(message.get("body", b""))
            if "event-stream" in decode_headers(begun).get("content-type", ""):
                enough.set()

    await app(scope, receive, send)
    return AsgiResponse(begun["status"], decode_headers(begun), bytes(body))


def decode_headers(message: Mapping[str, Any]) -> dict[str, str]:
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in message.get("headers", ())}


# --- judging ----------------------------------------------------------------------------------------


BUSY = 503  # the database is away, a bot failed, there is no room: each says so


def find_fault(hostile_request: HostileRequest, response: AsgiResponse, records: Sequence[logging.LogRecord]) -> str:
    """Return what must not be in a response or in the log; empty if all is well."""
    if response.status >= 500 and response.status != BUSY:
        return f"status {response.status}"
    failed = next((one for one in records if one.exc_info or one.levelno >= logging.ERROR), None)
    if failed is not None:
        return f"the log says: {failed.getMessage()}"
    if len(response.body) > MAX_BODY:
        return f"{len(response.body)} bytes"
    raw = (
        gzip.decompress(response.body)
        if response.headers.get("content-encoding") == "gzip" and response.body
        else response.body
    )
    if not response.headers.get("content-type", "").startswith(("text/html", "text/plain", "application/json")):
        return ""
    text = html.unescape(raw.decode("utf-8", "replace"))
    shown = FAILING.search(text)
    return f"it shows {text[max(0, shown.start() - 60) : shown.end() + 60]!r}" if shown else ""


class FaultCollection:
    """Requests with wrong responses, one for each kind of fault."""

    def __init__(self) -> None:
        self.found: dict[str, HostileRequest] = {}

    def add(self, sent: HostileRequest, fault: str, log: str) -> None:
        """Add a request if there was a fault in its response."""
        if fault:
            self.found.setdefault(re.sub(r"[\d'\"]+", "", fault + _find_raise_place(log))[:300], sent)

    def __str__(self) -> str:
        return "\n\n".join(f"{fault}\n{str(sent)[:1500]}" for fault, sent in self.found.items())


def _find_raise_place(log: str) -> str:
    """Return where a failure in the log was raised."""
    places = re.findall(r'File "[^"]*?/(edict/[^"]+)", line (\d+)', log)
    return f" {places[-1]} {log.strip().splitlines()[-1][:200]}" if places else ""
