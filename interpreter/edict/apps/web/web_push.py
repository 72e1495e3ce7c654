"""Web push messages, sent through the push service that each browser names (RFC 8030, 8291 and 8292).

The only module that uses pywebpush and its dependencies. They are imported when the first message is sent.
"""

from __future__ import annotations

import socket
from base64 import urlsafe_b64decode, urlsafe_b64encode
from functools import cache
from importlib.util import find_spec
from ipaddress import ip_address
from urllib.parse import urlsplit

from edict.support.records import dataclass

MAX_ENDPOINT_LENGTH = 2000  # characters
TIMEOUT = 10.0  # seconds until a push service must answer
TIME_TO_LIVE = 24 * 60 * 60  # seconds that a push service keeps a message for a browser it cannot reach
_KEY_SIZES = 65, 16  # bytes of a browser's public key, and of its secret
_GONE_STATUSES = (404, 410)


class SubscriptionGone(Exception):
    """Raised if a subscription has expired or was cancelled."""


class PushError(Exception):
    """Raised if the push service did not take the message; its text says why."""


@dataclass(frozen=True, slots=True)
class ServerKeys:
    """The key pair by which push services recognize a server (VAPID)."""

    private: str  # PEM
    public: str  # base64url, as browsers get it


@dataclass(frozen=True, slots=True)
class PushSubscription:
    """A browser's push subscription."""

    endpoint: str  # address at the browser's push service
    public: str  # the browser's public key, base64url
    secret: str  # shared secret for the encryption, base64url
    site: str  # origin of the server that may send to it, as `https://tables.example.org`

    @property
    def is_well_formed(self) -> bool:
        """True if the address is a URL and the keys have the right sizes."""
        try:
            url, sizes = (
                urlsplit(self.endpoint),
                (len(_decode_base64url(self.public)), len(_decode_base64url(self.secret))),
            )
            has_address = bool(url.hostname) and "@" not in url.netloc and url.port != 0
        except ValueError:
            return False
        return (
            has_address
            and url.scheme in ("https", "http")
            and sizes == _KEY_SIZES
            and len(self.endpoint) <= MAX_ENDPOINT_LENGTH
        )


@cache
def is_available() -> bool:
    """Return True if pywebpush is installed; looked up once, because every change of a table asks."""
    return find_spec("pywebpush") is not None


def generate_keys() -> ServerKeys:
    """Return a new random key pair."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
    from py_vapid import Vapid02

    vapid = Vapid02()
    vapid.generate_keys()
    public = vapid.public_key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return ServerKeys(vapid.private_pem().decode(), urlsafe_b64encode(public).rstrip(b"=").decode())


def is_public(endpoint: str) -> bool:
    """Return True if an address is https and every IP address of its host is public.

    Browsers name the address, so it must not lead into the server's own network.
    """
    url = urlsplit(endpoint)
    if url.scheme != "https" or url.hostname is None:
        return False
    try:
        addresses = socket.getaddrinfo(url.hostname, url.port or 443, type=socket.SOCK_STREAM)
    except OSError:
        return False
    return bool(addresses) and all(ip_address(str(address[0]).partition("%")[0]).is_global for *_, address in addresses)


def send(receiver: PushSubscription, keys: ServerKeys, topic: str, text: str) -> None:
    """Send an encrypted message to a browser. It replaces an undelivered earlier one with the same topic.

    Raises:
        SubscriptionGone: The push service no longer knows the subscription.
        PushError: The push service cannot be reached or refuses the message.
    """
    import requests
    from py_vapid import Vapid02, VapidException
    from pywebpush import WebPusher, WebPushException

    url = urlsplit(receiver.endpoint)
    try:
        subscription_info = {
            "endpoint": receiver.endpoint,
            "keys": {"p256dh": receiver.public, "auth": receiver.secret},
        }
        body = WebPusher(subscription_info).encode(text.encode())["body"]
    except (ValueError, WebPushException) as error:  # the browser's keys are invalid
        raise SubscriptionGone(str(error)) from None
    signer, claims = Vapid02.from_pem(keys.private.encode()), {"aud": f"{url.scheme}://{url.netloc}"}
    try:
        signed_headers = signer.sign(claims | {"sub": receiver.site})
    except VapidException as error:
        raise PushError(str(error)) from None
    headers = {"Content-Encoding": "aes128gcm", "TTL": str(TIME_TO_LIVE), "Topic": topic, **signed_headers}
    try:
        with requests.post(  # its body is not read, and redirects are not followed
            receiver.endpoint, body, headers=headers, timeout=TIMEOUT, allow_redirects=False, stream=True
        ) as response:
            status = response.status_code
    except requests.RequestException as error:
        raise PushError(f"{url.netloc} cannot be reached ({type(error).__name__})") from None
    if status in _GONE_STATUSES:
        raise SubscriptionGone(str(status))
    if status >= 300:
        raise PushError(f"{url.netloc} answered {status}")


def _decode_base64url(text: str) -> bytes:
    """Decode URL-safe base64 whose padding may be missing."""
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))
