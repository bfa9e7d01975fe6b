"""Targets as they are stored, with a reference in the place of the secret, and as everybody may see them."""

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from typing import Any
from urllib.parse import urlsplit

from pydantic import TypeAdapter
from sextant_domain.console.notifications import ChannelKind, EmailTarget, SmtpSecurity, Target, WebhookTarget
from sextant_domain.problem import FieldError, NextAction
from sqlalchemy.orm import Session

from sextant_backend.agents.destinations import ForbiddenDestination
from sextant_backend.kit.errors import ValidationFailed
from sextant_backend.kit.principal import Principal
from sextant_backend.modules.notifications import destination
from sextant_backend.modules.notifications.destination import Networks
from sextant_backend.modules.notifications.errors import ForbiddenTarget
from sextant_backend.modules.notifications.models import ChannelRow, NotificationSettingsRow
from sextant_backend.modules.secrets import service as secrets
from sextant_backend.modules.secrets.source import SecretSource

_TARGET: TypeAdapter[WebhookTarget | EmailTarget] = TypeAdapter(Target)
_PORTS = {"http": 80, "https": 443}
_NEXT = (NextAction(label="Allow its network", command="sextant notifications allow NETWORK"),)


@dataclass(frozen=True, slots=True)
class Stored:
    """A channel's target as its row has it."""

    config: dict[str, Any]


def networks_of(row: NotificationSettingsRow) -> Networks:
    """The private networks that may be sent to."""
    return tuple(ip_network(text) for text in row.allowed_networks)


def secret_field(kind: str) -> str:
    """Where a target of this kind keeps its secret."""
    return "secret" if kind == ChannelKind.WEBHOOK else "password"


def stored(session: Session, target: WebhookTarget | EmailTarget, who: Principal) -> dict[str, Any]:
    """As a row keeps it; raises NoSecretsKey."""
    config, field = target.model_dump(mode="json"), secret_field(target.kind)
    if config[field] is not None:
        config[field] = secrets.keep(session, config[field], who)
    return config


def read(row: ChannelRow) -> Stored:
    """What an attempt needs of a channel."""
    return Stored(dict(row.config))


def opened(what: Stored) -> WebhookTarget | EmailTarget:
    """With its secret; raises SealingError."""
    field = secret_field(what.config["kind"])
    reference = what.config[field]
    value = None if reference is None else SecretSource().open([reference])[reference]
    return _TARGET.validate_python({**what.config, field: value})


def shown(config: dict[str, Any]) -> str:
    """What everybody may see: of a webhook's address the path is often a secret itself."""
    if config["kind"] == ChannelKind.EMAIL:
        return f"{', '.join(config['recipients'])} by {config['server']}:{config['port']}"
    parts = urlsplit(config["url"])
    return f"{parts.scheme}://{parts.netloc}/…"


def refuse_wrong(target: WebhookTarget | EmailTarget, allowed: Sequence[Any]) -> None:
    """What can be said before anything is sent. A name is judged when it is connected to, and again each time. Raises
    ValidationFailed, ForbiddenTarget."""
    if isinstance(target, EmailTarget):
        _refuse_address(target.server, target.port, allowed, target.security is not SmtpSecurity.NONE, "target.server")
        return
    try:
        parts = urlsplit(target.url)
        port = parts.port
    except ValueError:
        raise _no_url("its port is none") from None
    if not parts.hostname or parts.username is not None or parts.fragment or port == 0:
        raise _no_url("write https://HOST/PATH, without user name and fragment")
    encrypted = parts.scheme == "https"
    _refuse_address(parts.hostname, port or _PORTS[parts.scheme], allowed, encrypted, "target.url")


def _refuse_address(host: str, port: int, allowed: Sequence[Any], encrypted: bool, field: str) -> None:
    try:
        address = ip_address(host)
    except ValueError:
        return
    try:
        destination.check(address, port, allowed, encrypted=encrypted)
    except ForbiddenDestination as error:
        errors = [FieldError(field=field, message=str(error))]
        raise ForbiddenTarget(f"{error}. Nothing was changed.", errors=errors, next_actions=_NEXT) from None


def _no_url(why: str) -> ValidationFailed:
    return ValidationFailed("Nothing was changed.", errors=[FieldError(field="target.url", message=why)])
