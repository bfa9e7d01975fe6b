"""Pure: what a sign-in by a provider is made of, where it may lead, and what its claims say. No I/O.

State, nonce and PKCE verifier are computed from one cookie, which scripts cannot read and no other site is sent: the
console keeps nothing of a sign-in that was only begun, so nobody can fill a table with them.
"""

import hashlib
import hmac
import re
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sextant_domain.console.access import Role

LIFETIME_S = 600
_PATH = re.compile(r"/(?![/\\])[\x21-\x7e]{0,1000}")
"""Of this console: not `//elsewhere`, and nothing that browsers would drop from it (tabs, line ends)."""
_MOST_GROUPS = 10_000


def own_path(path: str | None) -> str:
    """Where a sign-in leads: a path of this console, or its first page."""
    return path if path is not None and _PATH.fullmatch(path) else "/"


@dataclass(frozen=True)
class Handshake:
    """A sign-in that was begun, as its browser keeps it."""

    cookie: str

    @classmethod
    def begin(cls, now: float, back: str) -> "Handshake":
        """With 256 random bits."""
        path = urlsafe_b64encode(back.encode()).decode()
        return cls(f"{secrets.token_urlsafe(32)}.{int(now)}.{path}")

    @property
    def state(self) -> str:
        """What the provider hands back."""
        return self._derived("state")

    @property
    def nonce(self) -> str:
        """What the ID token has to repeat."""
        return self._derived("nonce")

    @property
    def verifier(self) -> str:
        """Of PKCE: 43 characters (RFC 7636, 4.1)."""
        return self._derived("verifier")

    def back(self, state: str, now: float) -> str | None:
        """Where the sign-in leads; None where `state` is of another one, or it was begun too long ago."""
        parts = self.cookie.split(".")
        same = hmac.compare_digest(state.encode(errors="surrogatepass"), self.state.encode())
        if not same or len(parts) != 3 or not parts[1].isascii() or not parts[1].isdigit():
            return None
        if not 0 <= now - int(parts[1][:12]) <= LIFETIME_S:
            return None
        try:
            return own_path(urlsafe_b64decode(parts[2]).decode())
        except ValueError:
            return None

    def _derived(self, purpose: str) -> str:
        made = hmac.new(self.cookie.encode(errors="surrogatepass"), f"sextant {purpose}".encode(), hashlib.sha256)
        return urlsafe_b64encode(made.digest()).decode().rstrip("=")


def claim(claims: Mapping[str, Any], name: str) -> Any:
    """A claim by its name, or by a path into objects: `realm_access.roles`; None where it is not there."""
    if name in claims:
        return claims[name]
    found: Any = claims
    for part in name.split("."):
        if not isinstance(found, Mapping) or part not in found:
            return None
        found = found[part]
    return found


def groups_of(claims: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """The groups that a claim lists; none where it is no list of texts."""
    found = claim(claims, name)
    if isinstance(found, str):
        return (found,)
    if not isinstance(found, list):
        return ()
    return tuple(one for one in found[:_MOST_GROUPS] if isinstance(one, str))


def role_of(groups: Iterable[str], roles: Mapping[str, Role]) -> Role | None:
    """The highest role that one of the groups gives."""
    return max((roles[group] for group in groups if group in roles), key=lambda role: role.rank, default=None)
