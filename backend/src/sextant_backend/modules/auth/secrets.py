"""Passwords, session cookies, CSRF and API tokens: how they are made, hashed and compared."""

import hashlib
import hmac
import secrets
import threading

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

TOKEN_PREFIX = "sxt_"  # noqa: S105 - the prefix of tokens, not one
_CSRF = b"sextant csrf"

# OWASP's password storage cheat sheet, argon2id: 19 MiB, 2 passes, 1 lane.
_hasher = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
NOBODYS = "$argon2id$v=19$m=19456,t=2,p=1$M4PQtBqPYxlGRevXa+ZWLg$8xXHJCmQmLDhLbUqjuBympUBfsGLjaaIxPsUeAkQCYI"
"""What the password of an unknown user is compared with: of 256 random bits that nobody kept. Written down, since
making one at every start takes as long as a sign-in."""
_one_at_a_time = threading.Semaphore(2)
"""A burst of sign-ins may not take 19 MiB for each thread of the pool."""


def hash_password(password: str) -> str:
    """argon2id in PHC form."""
    with _one_at_a_time:
        return _hasher.hash(password)


def password_matches(stored: str | None, password: str) -> bool:
    """Compare; takes the same time for a user that does not exist (`stored` None)."""
    with _one_at_a_time:
        try:
            return _hasher.verify(stored or NOBODYS, password) and stored is not None
        except (VerificationError, InvalidHashError):
            return False


def new_session() -> str:
    """A cookie: 256 random bits."""
    return secrets.token_urlsafe(32)


def new_api_token() -> str:
    """`sxt_` and 256 random bits."""
    return TOKEN_PREFIX + secrets.token_urlsafe(32)


def new_password() -> str:
    """A password for an administrator to type: 100 random bits in groups of five characters."""
    alphabet = "abcdefghjkmnpqrstuvwxyz23456789"
    return "-".join("".join(secrets.choice(alphabet) for _ in range(5)) for _ in range(4))


def digest(token: str) -> bytes:
    """What is stored of a token that has enough entropy by itself."""
    return hashlib.sha256(token.encode(errors="surrogatepass")).digest()


def csrf_of(session_token: str) -> str:
    """The CSRF token of a session: computed from the cookie, which scripts cannot read; never stored."""
    return hmac.new(session_token.encode(errors="surrogatepass"), _CSRF, hashlib.sha256).hexdigest()


def same(given: str, expected: str) -> bool:
    """Compare in constant time."""
    return hmac.compare_digest(given.encode(errors="surrogatepass"), expected.encode(errors="surrogatepass"))
