"""Signatures of files with Ed25519: 64 bytes beside the file, and keys in PEM files, as OpenSSL reads and writes them.

The only module of the tools that uses `cryptography`, which is imported when something is signed or verified.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from edict.support.request_errors import RequestError
from edict.support.resources import install_command

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
