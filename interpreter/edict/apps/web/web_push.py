"""Messages to browsers that show no page, by the push service that each of them names (RFC 8030, 8291 and 8292).

The one door to pywebpush and what it is made of. These are loaded when the first message is sent.
"""

from __future__ import annotations

import socket
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from importlib.util import find_spec
from ipaddress import ip_address
from urllib.parse import urlsplit

LONGEST = 2000  # characters of an address
PATIENCE = 10.0  # seconds until a push service has to answer
KEPT = 24 * 60 * 60  # seconds that it keeps a message for a browser it cannot reach
_SIZES = 65, 16  # bytes of what a browser gives to encrypt by: its public key, and a secret
_GONE = (404, 410)


class SubscriptionGone(Exception):
    """Nobody gets messages there any more."""


class Unsent(Exception):
    """The push service did not take the message; the text says why."""


@dataclass(frozen=True, slots=True)
class ServerKeys:
    """By which push services know a server: the private one as PEM, the public one as browsers are given it."""

    private: str
    public: str


@dataclass(frozen=True, slots=True)
class Receiver:
    """A browser, as it describes itself: the address at its push service, and by what to encrypt (base64url).

    site: where the server stands that may send to it, as `https://tables.example.org`.
    """

    endpoint: str
    public: str
    secret: str
    site: str

    @property
    def well_formed(self) -> bool:
        """Whether a message can be encrypted for it, and sent to the address."""
        try:
            place, sizes = urlsplit(self.endpoint), (len(_bytes(self.public)), len(_bytes(self.secret)))
            addressed = bool(place.hostname) and "@" not in place.netloc and place.port != 0
        except ValueError:
            return False
        return addressed and place.scheme in ("https", "http") and sizes == _SIZES and len(self.endpoint) <= LONGEST


def installed() -> bool:
    """Whether messages can be sent at all."""
    return find_spec("pywebpush") is not None


def new_keys() -> ServerKeys:
    """Keys that nobody else has."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
    from py_vapid import Vapid02

    made = Vapid02()
    made.generate_keys()
    public = made.public_key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return ServerKeys(made.private_pem().decode(), urlsafe_b64encode(public).rstrip(b"=").decode())


def is_public(endpoint: str) -> bool:
    """Whether an address is one of the internet, reached safely: who names it must not reach what is behind a wall."""
    place = urlsplit(endpoint)
    if place.scheme != "https" or place.hostname is None:
        return False
    try:
        found = socket.getaddrinfo(place.hostname, place.port or 443, type=socket.SOCK_STREAM)
    except OSError:
        return False
    return bool(found) and all(ip_address(str(address[0]).partition("%")[0]).is_global for *_, address in found)


def send(receiver: Receiver, keys: ServerKeys, topic: str, text: str) -> None:
    """Send a text that only the browser can read, in place of an earlier one with this topic that did not reach it.

    Raises `SubscriptionGone`, or `Unsent`.
    """
    import requests
    from py_vapid import Vapid02, VapidException
    from pywebpush import WebPusher, WebPushException

    place = urlsplit(receiver.endpoint)
    try:
        about = {"endpoint": receiver.endpoint, "keys": {"p256dh": receiver.public, "auth": receiver.secret}}
        body = WebPusher(about).encode(text.encode())["body"]
    except (ValueError, WebPushException) as problem:  # what it has given is no key
        raise SubscriptionGone(str(problem)) from None
    signer, claims = Vapid02.from_pem(keys.private.encode()), {"aud": f"{place.scheme}://{place.netloc}"}
    try:
        signed = signer.sign(claims | {"sub": receiver.site})
    except VapidException as problem:
        raise Unsent(str(problem)) from None
    headers = {"Content-Encoding": "aes128gcm", "TTL": str(KEPT), "Topic": topic, **signed}
    try:
        with requests.post(  # what it answers is not read, nor followed anywhere
            receiver.endpoint, body, headers=headers, timeout=PATIENCE, allow_redirects=False, stream=True
        ) as answer:
            status = answer.status_code
    except requests.RequestException as problem:
        raise Unsent(f"{place.netloc} cannot be reached ({type(problem).__name__})") from None
    if status in _GONE:
        raise SubscriptionGone(str(status))
    if status >= 300:
        raise Unsent(f"{place.netloc} answered {status}")


def _bytes(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))
