"""The small console's channels and its one message, by docs/contracts/console.md."""

from typing import Any

from sextant_domain.console.alerts import AlertSeverity
from sextant_domain.console.notifications import (
    Channel,
    ChannelKind,
    ChannelMade,
    ChannelNew,
    Delivery,
    DeliveryAttempt,
    DeliveryEvent,
    DeliveryState,
    NotificationSettings,
    NotificationSettingsView,
)

from .answers import NOW


class ShelfOfNotifications:
    """No channel at first; one message was tried twice."""

    def __init__(self) -> None:
        self.asked: dict[str, Any] = {}
        """The newest query of messages."""
        self.created: dict[str, Any] = {}
        """The newest body of POST /notification-channels."""
        self.channels: list[Channel] = []
        self.settings = NotificationSettingsView(changed_by=None, changed_at=None, version=1)
        self.delivery = Delivery(
            id=9,
            delivery_id="0b9c",
            channel="ops",
            event=DeliveryEvent.FIRED,
            state=DeliveryState.DELIVERED,
            alerts=(3,),
            attempts=2,
            created_at=NOW,
            next_attempt_at=None,
            delivered_at=NOW,
            error=None,
            log=(
                DeliveryAttempt(at=NOW, duration_ms=12, status=500, error="it answered 500"),
                DeliveryAttempt(at=NOW, duration_ms=9, status=204, error=None),
            ),
        )

    def create(self, body: dict[str, Any]) -> ChannelMade:
        self.created = body
        asked = ChannelNew.model_validate(body)
        self.channels.append(
            Channel(
                id=1,
                name=asked.name,
                kind=ChannelKind(asked.target.kind),
                enabled=True,
                target="https://hooks.example.org/…" if asked.target.kind == "webhook" else "noc@example.org",
                least_severity=asked.least_severity,
                send_resolved=asked.send_resolved,
                created_at=NOW,
                created_by="ada",
                last_delivered_at=None,
                last_error=None,
                version=1,
            )
        )
        given = body["target"].get("secret") or body["target"]["kind"] == "email"
        return self.made(None if given else "whsec_made")

    def made(self, secret: str | None) -> ChannelMade:
        return ChannelMade(channel=self.channels[0], secret=secret)

    def change(self, body: dict[str, Any]) -> Channel:
        changes = {**body, "version": 2}
        changes.pop("target", None)
        if "least_severity" in changes:
            changes["least_severity"] = AlertSeverity(changes["least_severity"])
        self.channels[0] = self.channels[0].model_copy(update=changes)
        return self.channels[0]

    def allow(self, body: dict[str, Any]) -> NotificationSettingsView:
        wanted = NotificationSettings.model_validate(body)
        self.settings = self.settings.model_copy(update={"allowed_networks": wanted.allowed_networks})
        return self.settings
