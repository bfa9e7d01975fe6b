"""What the talk with a provider begins with, and how it fails. The talk itself (`provider.py`) needs Authlib and
joserfc, which a console loads when somebody signs in by a provider: few have one."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Client:
    """The console as the provider knows it."""

    issuer: str
    client_id: str
    client_secret: str | None
    redirect_url: str
    scopes: tuple[str, ...]


class ProviderFailed(Exception):
    """It could not be reached, or answered what cannot be used: the cause, and no secret."""


class NotProven(Exception):
    """What it sent does not prove who the user is."""
