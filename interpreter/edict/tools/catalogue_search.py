"""Search in a catalogue of modules, a local file or an address; the index is a stranger's text.

An index is bounded in size and time, fetched by https only, and used only if its schema, and its signature if a key is
given, are right. So names of files in it stay below the folder of the index.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from http.client import HTTPException
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import Any
from urllib.parse import quote, urljoin, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from edict.compiler.sources.file_schemas import load_schema
from edict.compiler.sources.json_schema import create_validator
from edict.compiler.sources.version_requirements import split_requirement
from edict.compiler.syntax.word_search import search
from edict.support.records import dataclass
from edict.support.request_errors import RequestError
from edict.support.resources import PACKAGE, install_command
from edict.support.version import __version__
from edict.tools.catalogue import FORMAT, INDEX, PAGE, SIGNATURE
from edict.tools.language_service.answer_types import SearchEntry

MAX_KEY_BYTES = 10_000


class SignatureError(RequestError):
    """A key that cannot be used, or a signature that does not fit."""


def sign(content: bytes, key: Path) -> bytes:
    """Return the signature of content by the private key in a PEM file; raises `SignatureError`."""
    signature: bytes = _load_key(key, private=True).sign(content)
    return signature


def verify(content: bytes, signature: bytes, key: Path) -> None:
    """Raise `SignatureError` unless a signature of content was made with the key to the public key in a PEM file."""
    public_key = _load_key(key, private=False)
    from cryptography.exceptions import InvalidSignature

    try:
        public_key.verify(signature, content)
    except InvalidSignature:
        raise SignatureError("the signature does not fit the index and this key", "do not trust the index") from None


def _load_key(file: Path, private: bool) -> Any:
    """Return the key in a PEM file without a passphrase."""
    try:
        from cryptography.hazmat.primitives.asymmetric import ed25519
        from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key
    except ImportError:
        raise SignatureError("signatures need the library `cryptography`", install_command("sign")) from None
    kind = "private" if private else "public"
    try:
        with file.open("rb") as stream:
            text = stream.read(MAX_KEY_BYTES)
        key: Any = load_pem_private_key(text, None) if private else load_pem_public_key(text)
    except OSError as error:
        raise SignatureError(f"`{file}` cannot be read: {error.strerror}") from None
    except (ValueError, TypeError):
        raise SignatureError(f"`{file}` is no {kind} key in PEM without a passphrase", _MAKE_KEYS) from None
    if not isinstance(key, ed25519.Ed25519PrivateKey if private else ed25519.Ed25519PublicKey):
        raise SignatureError(f"`{file}` is no key of Ed25519", _MAKE_KEYS)
    return key


_MAKE_KEYS = (
    "make one with `openssl genpkey -algorithm ed25519 -out key.pem`; `openssl pkey -pubout` gives its public key"
)


MAX_BYTES = 4_000_000  # of an index
TIMEOUT = 20.0  # seconds for an index or its signature, from the first step to the last
Data = Mapping[str, Any]


class CatalogueError(RequestError):
    """A catalogue that cannot be read, or is not what it should be."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The index of a catalogue, and the address that the files in it are relative to."""

    base: str
    index: Data

    def search(self, words: str) -> list[Data]:
        """Return the entries that match the words, best first; all without words."""
        entries = {_to_searchable(entry): entry for entry in self.index["modules"]}
        return [entries[found] for found in (search(entries, words) if words.strip() else entries)]

    def locate(self, file: str) -> str:
        """Return the address of a file of the catalogue."""
        return urljoin(self.base, quote(file))

    def install_command(self, entry: Data) -> str:
        """Return the command that installs a module, whose checksum pip and uv verify; empty for a zip file.

        What it requires is looked for in the catalogue too.
        """
        archive = entry["archive"]
        if not archive["file"].endswith(".whl"):
            return ""
        address = shlex.quote(f"{self.locate(archive['file'])}#sha256={archive['sha256']}")
        names = {other["name"] for other in self.index["modules"]}
        needs_more = any(split_requirement(requirement)[0] in names for requirement in entry["requires"])
        return f"pip install {address}" + (f" --find-links {shlex.quote(self.locate(PAGE))}" if needs_more else "")


def _to_searchable(entry: Data) -> SearchEntry:
    """Return an entry as the search for words takes it."""
    texts = [entry["summary"], *entry["changes"], *entry["requires"], *entry["authors"]]
    return SearchEntry(entry["name"], entry["title"], entry["kind"], " ".join(texts))


def open_catalogue(place: str, key: Path | None = None) -> Catalogue:
    """Read a catalogue from its folder, its index file or an address; nothing else is fetched.

    Args:
        place: A path or an https address.
        key: The public key that must have signed the index.

    Raises:
        CatalogueError: It cannot be read, or is no index.
        SignatureError: It is not signed by this key.
    """
    if urlsplit(place).scheme in ("http", "https"):
        address = place if place.endswith(".json") else urljoin(f"{place.removesuffix('/')}/", INDEX)
        read: Callable[[str], bytes] = fetch
    else:
        path = Path(place).expanduser()
        address = (path / INDEX if path.is_dir() else path).absolute().as_uri()
        file = path / INDEX if path.is_dir() else path

        def read(address: str) -> bytes:
            return _read_file(file.with_name(Path(urlsplit(address).path).name))

    content = read(address)
    if key is not None:
        verify(content, read(urljoin(address, SIGNATURE)), key)
    return Catalogue(urljoin(address, "."), _parse_index(content, place))


def _read_file(file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            return _require_size(stream.read(MAX_BYTES + 1), str(file))
    except OSError as error:
        raise CatalogueError(f"`{file}` cannot be read: {error.strerror}") from None


def _require_size(content: bytes, name: str) -> bytes:
    if len(content) > MAX_BYTES:
        raise CatalogueError(f"`{name}` has more than {MAX_BYTES:,} bytes")
    return content


def _parse_index(content: bytes, name: str) -> Data:
    """Return the data of an index; raise `CatalogueError` for anything else."""
    try:
        data: Data = json.loads(content)
    except (ValueError, RecursionError):
        raise CatalogueError(f"`{name}` is no index: it is not JSON") from None
    error = next(create_validator(load_schema("index")).iter_errors(data), None)
    if error is not None:
        place = ".".join(map(str, error.absolute_path))
        raise CatalogueError(
            f"`{name}` is no index: {f'`{place}` is not as' if place else 'it has not the keys of'} {FORMAT}"
        )
    return data


# --- by https ------------------------------------------------------------------------------------


class _HttpsRedirects(HTTPRedirectHandler):
    """Follows only addresses of https."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Request | None:
        """Return the request for a new address; raise `CatalogueError` for another protocol."""
        _require_https(newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _require_https(address: str) -> None:
    if urlsplit(address).scheme != "https":
        raise CatalogueError(f"`{address}` is not an address of https", "only https is fetched")


def fetch(address: str) -> bytes:
    """Return what an https address holds, at most `MAX_BYTES` in `TIMEOUT` seconds; raises `CatalogueError`."""
    _require_https(address)
    results: Queue[bytes | Exception] = Queue()
    # a thread of its own, since a server could keep each single step within any limit
    Thread(target=_fetch_into, args=(results, address), daemon=True).start()
    try:
        result = results.get(timeout=TIMEOUT)
    except Empty:
        raise CatalogueError(f"`{address}` did not answer within {TIMEOUT:g} seconds") from None
    if isinstance(result, Exception):
        reason = getattr(result, "reason", "") or result
        raise CatalogueError(f"`{address}` cannot be fetched: {reason}") from None
    return _require_size(result, address)


def _fetch_into(results: Queue[bytes | Exception], address: str) -> None:
    """Put what an address holds, or the error, into a queue."""
    request = Request(address, headers={"User-Agent": f"{PACKAGE}/{__version__}"})
    try:
        with build_opener(_HttpsRedirects).open(request, timeout=TIMEOUT) as response:
            results.put(response.read(MAX_BYTES + 1))
    except (OSError, ValueError, HTTPException, CatalogueError) as error:
        results.put(error)
