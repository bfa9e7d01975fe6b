"""The key that seals the audit log: Ed25519, in a file of its own: 64 hexadecimal digits, its 32 bytes."""

import secrets
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from sextant_backend.kit.files import write_private

KEY_BYTES = 32
MAX_FILE_BYTES = 4096


class SigningProblem(Exception):
    """Nothing can be signed: cause and next step, and nothing of the key."""


def signing_key(path: Path | None) -> Ed25519PrivateKey:
    """The key in the file; raises SigningProblem."""
    if path is None:
        raise SigningProblem("SEXTANT_AUDIT_KEY_FILE is not set; docs/contracts/processes.md says what it holds")
    try:
        with path.open("rb") as stream:
            content = bytes.fromhex(stream.read(MAX_FILE_BYTES).decode("ascii").strip())
    except OSError as error:
        raise SigningProblem(f"SEXTANT_AUDIT_KEY_FILE: {path} cannot be read: {error.strerror}") from None
    except ValueError:
        content = b""
    if len(content) != KEY_BYTES:
        raise SigningProblem(f"SEXTANT_AUDIT_KEY_FILE: {path} does not hold a key of 64 hexadecimal digits")
    return Ed25519PrivateKey.from_private_bytes(content)


def make_signing_key(path: Path) -> None:
    """A new key, mode 0600, unless the file is there."""
    if not path.exists():
        write_private(path, f"{secrets.token_hex(KEY_BYTES)}\n")


def public_bytes(key: Ed25519PrivateKey) -> bytes:
    """The 32 bytes of its public half."""
    return key.public_key().public_bytes_raw()


def is_signed(public_key: bytes, signature: bytes, content: bytes) -> bool:
    """Whether the signature is of the content, by that key."""
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, content)
    except (InvalidSignature, ValueError):
        return False
    return True
