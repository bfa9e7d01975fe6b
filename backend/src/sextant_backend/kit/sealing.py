"""Secrets sealed under a key outside the database: AES-256-GCM, bound to the name under which each is stored.

The key file holds keys as 64 hexadecimal digits, one a line: the first seals, all of them open.
"""

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from sextant_backend.kit.files import write_private

KEY_BYTES = 32
NONCE_BYTES = 12
"""Random, and each key seals far fewer than 2^32 of them (NIST SP 800-38D, 8.3)."""
MAX_KEYS = 16
MAX_FILE_BYTES = 4096


class SealingError(Exception):
    """Nothing can be sealed or opened: cause and next step, and nothing of any key."""


@dataclass(frozen=True)
class Sealed:
    """What the database holds."""

    key_id: str
    content: bytes
    """Nonce and ciphertext."""


class Keys:
    """The keys of an installation."""

    def __init__(self, keys: list[bytes]) -> None:
        """`keys`: the first one seals."""
        self._keys = {_id_of(key): AESGCM(key) for key in keys}
        self.current = _id_of(keys[0])
        """Id of the key that seals: what is sealed under another is due to be sealed anew."""

    def seal(self, name: str, value: str) -> Sealed:
        """Encrypt `value`; only under the same name can it be opened."""
        nonce = secrets.token_bytes(NONCE_BYTES)
        return Sealed(self.current, nonce + self._keys[self.current].encrypt(nonce, value.encode(), name.encode()))

    def open(self, name: str, sealed: Sealed) -> str:
        """What was sealed under that name; raises SealingError."""
        key = self._keys.get(sealed.key_id)
        if key is None:
            raise SealingError(f"{name} is sealed under key {sealed.key_id}, which SEXTANT_SECRETS_KEY_FILE lacks")
        nonce, content = sealed.content[:NONCE_BYTES], sealed.content[NONCE_BYTES:]
        try:
            return key.decrypt(nonce, content, name.encode()).decode()
        except (InvalidTag, ValueError):
            raise SealingError(f"{name} was altered in the database; give the secret again") from None


def fingerprints(path: Path | None, text: str) -> tuple[str, ...]:
    """What only who has a key can compute of `text`, under each key, the one that seals first: a plain digest of a
    request lets a reader of the database try guesses of a secret in it. Without a key file the plain one: nothing
    secret is taken then."""
    try:
        keys = _read(path)
    except SealingError:
        return (hashlib.sha256(text.encode()).hexdigest(),)
    return tuple(hmac.new(key, text.encode(), hashlib.sha256).hexdigest() for key in keys)


def keys_of(path: Path | None) -> Keys:
    """The keys in the file; raises SealingError where there is none that can be used."""
    return Keys(_read(path))


def _read(path: Path | None) -> list[bytes]:
    if path is None:
        raise SealingError("SEXTANT_SECRETS_KEY_FILE is not set; docs/contracts/processes.md says what it holds")
    try:
        with path.open("rb") as stream:
            text = stream.read(MAX_FILE_BYTES + 1).decode("ascii")
        keys = [bytes.fromhex(line) for line in text.split()]
    except OSError as error:
        raise SealingError(f"SEXTANT_SECRETS_KEY_FILE: {path} cannot be read: {error.strerror}") from None
    except ValueError:
        keys = []
    if not 1 <= len(keys) <= MAX_KEYS or any(len(key) != KEY_BYTES for key in keys):
        raise SealingError(f"SEXTANT_SECRETS_KEY_FILE: {path} does not hold keys of 64 hexadecimal digits, one a line")
    return keys


def make_key_file(path: Path) -> None:
    """A new key, mode 0600, unless the file is there."""
    if not path.exists():
        write_private(path, f"{secrets.token_hex(KEY_BYTES)}\n")


def _id_of(key: bytes) -> str:
    return hashlib.sha256(b"sextant secrets key" + key).hexdigest()[:16]
