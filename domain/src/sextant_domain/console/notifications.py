"""Where alerts are sent: channels (webhooks, e-mail), what was sent when, and what a webhook receives."""

from datetime import datetime
from enum import StrEnum
from ipaddress import ip_network
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from sextant_domain.base import Frozen, Name
from sextant_domain.console.alerts import AlertKind, AlertObjectKind, AlertSeverity

MOST_ALERTS = 50
"""In one message; how many more there are is said."""


class ChannelKind(StrEnum):
    """How a channel sends."""

    WEBHOOK = "webhook"
    EMAIL = "email"


class DeliveryEvent(StrEnum):
    """What a message says."""

    FIRED = "alert.fired"
    REPEATED = "alert.repeated"
    """They fire still, and nobody has acknowledged them."""
    RESOLVED = "alert.resolved"
    TEST = "test"


class DeliveryState(StrEnum):
    """`waiting`: for others to join it, for its turn, or for its next attempt."""

    WAITING = "waiting"
    DELIVERED = "delivered"
    FAILED = "failed"
    SUPPRESSED = "suppressed"
    """Everything in it was silenced before it was sent, or its channel was switched off."""


class SmtpSecurity(StrEnum):
    """How the connection to the mail server is encrypted."""

    STARTTLS = "starttls"
    TLS = "tls"
    NONE = "none"


WebhookUrl = Annotated[str, StringConstraints(pattern=r"^https?://[\x21-\x7e]{1,1000}$")]
MailAddress = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9]([A-Za-z0-9.-]{0,187}[A-Za-z0-9])?$")
]
ServerName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9]([A-Za-z0-9.:-]{0,251}[A-Za-z0-9])?$")]
SecretText = Annotated[str, StringConstraints(pattern=r"^[\x20-\x7e]{16,200}$")]
PasswordText = Annotated[str, StringConstraints(pattern=r"^[\x20-\x7e]{1,200}$")]
UserText = Annotated[str, StringConstraints(pattern=r"^[\x21-\x7e]{1,200}$")]


class WebhookTarget(Frozen):
    """An HTTP address that is sent JSON."""

    kind: Literal["webhook"] = "webhook"
    url: WebhookUrl
    """`http://` is refused outside of the networks that are allowed."""
    secret: SecretText | None = None
    """What messages are signed with; left out: generated, and shown once."""


class EmailTarget(Frozen):
    """Addresses behind a mail server."""

    kind: Literal["email"] = "email"
    server: ServerName
    port: int = Field(default=587, ge=1, le=65_535)
    security: SmtpSecurity = SmtpSecurity.STARTTLS
    username: UserText | None = None
    password: PasswordText | None = None
    sender: MailAddress
    recipients: tuple[MailAddress, ...] = Field(min_length=1, max_length=20)

    @model_validator(mode="after")
    def _keeps_its_password(self) -> Self:
        if (self.username is None) != (self.password is None):
            raise ValueError("give username and password, or neither")
        if self.password is not None and self.security is SmtpSecurity.NONE:
            raise ValueError("a password is not sent without encryption: choose starttls or tls")
        return self


Target = Annotated[WebhookTarget | EmailTarget, Field(discriminator="kind")]


class ChannelNew(Frozen):
    """Body of POST /notification-channels."""

    name: Name
    target: Target
    least_severity: AlertSeverity = AlertSeverity.WARNING
    """Less severe alerts are not sent."""
    send_resolved: bool = True


class ChannelChange(Frozen):
    """Body of PATCH /notification-channels/{id}; what is left out stays."""

    enabled: bool | None = None
    target: Target | None = None
    """The whole of it; a webhook without a secret keeps the one it has."""
    least_severity: AlertSeverity | None = None
    send_resolved: bool | None = None


class Channel(Frozen):
    """Where alerts are sent. Without secrets, and of an address only its origin: the rest often is one."""

    id: int
    name: Name
    kind: ChannelKind
    enabled: bool
    target: str
    """`https://hooks.example.org/…`, or the recipients."""
    least_severity: AlertSeverity
    send_resolved: bool
    created_at: datetime
    created_by: str
    last_delivered_at: datetime | None
    last_error: str | None
    """Of the newest attempt, if that failed."""
    version: int


class ChannelMade(Frozen):
    """The answer that alone shows a webhook's secret."""

    channel: Channel
    secret: str | None
    """None of e-mail, and where the secret was given."""


class DeliveryAttempt(Frozen):
    """One try."""

    at: datetime
    duration_ms: int
    status: int | None
    """HTTP status, or SMTP reply code; None where there was no answer."""
    error: str | None


class Delivery(Frozen):
    """One message to one channel."""

    id: int
    delivery_id: str
    """The same in every attempt (`Sextant-Delivery`): a receiver that knows it has the message already."""
    channel: Name
    event: DeliveryEvent
    state: DeliveryState
    alerts: tuple[int, ...]
    """At most 50."""
    attempts: int
    created_at: datetime
    next_attempt_at: datetime | None
    delivered_at: datetime | None
    error: str | None
    log: tuple[DeliveryAttempt, ...]
    """Every attempt, the oldest first."""


def _network(text: str) -> str:
    return str(ip_network(text))


class NotificationSettings(Frozen):
    """Private networks that messages may be sent to; without any only public addresses are."""

    allowed_networks: tuple[Annotated[str, AfterValidator(_network)], ...] = Field(default=(), max_length=50)
    """Such as 10.20.0.0/16. Metadata services, link-local and multicast addresses stay refused, and so do database,
    queue and listeners of this installation."""


class NotificationSettingsView(NotificationSettings):
    """The settings in force."""

    changed_by: str | None
    changed_at: datetime | None
    version: int


class MessageAlert(Frozen):
    """An alert in a message."""

    id: int
    kind: AlertKind
    severity: AlertSeverity
    object_kind: AlertObjectKind
    object_name: str
    state: str
    summary: str
    cause: str
    next_step: str
    fired_at: datetime | None
    resolved_at: datetime | None
    resolved_because: str | None


class Message(Frozen):
    """The JSON body that a webhook receives. Fields may be added; what is there stays while `schema_version` is 1."""

    schema_version: Literal[1] = 1
    delivery_id: str
    event: DeliveryEvent
    channel: Name
    title: str
    """One line: `critical: web-edge misses its objective`, `3 alerts: ...`."""
    created_at: datetime
    alerts: tuple[MessageAlert, ...]
    more: int = 0
    """Alerts beyond the 50 that are here."""
