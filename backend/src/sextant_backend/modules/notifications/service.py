"""Channels: made, changed, tested, deleted; and which private networks may be sent to."""

from collections.abc import Mapping
from datetime import timedelta

from sextant_domain.console.notifications import (
    Channel,
    ChannelChange,
    ChannelKind,
    ChannelMade,
    ChannelNew,
    Delivery,
    DeliveryEvent,
    DeliveryState,
    NotificationSettings,
    NotificationSettingsView,
    WebhookTarget,
)
from sextant_domain.console.views import Page
from sextant_domain.problem import FieldError, NextAction
from sqlalchemy.orm import Session

from sextant_backend.kit import outbox
from sextant_backend.kit.db import db_now
from sextant_backend.kit.errors import NameTaken, NotFound
from sextant_backend.kit.paging import ItemOrder, Paging
from sextant_backend.kit.principal import Principal
from sextant_backend.kit.tasks import TaskName
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.notifications import queueing, repository, targets, views
from sextant_backend.modules.notifications.errors import ChannelsFull
from sextant_backend.modules.notifications.models import ChannelRow, NotificationSettingsRow
from sextant_backend.modules.notifications.signing import new_secret

ORDER = ItemOrder[Channel](
    "name",
    name=lambda channel: channel.name,
    kind=lambda channel: channel.kind.value,
    target=lambda channel: channel.target,
    enabled=lambda channel: str(channel.enabled),
)
MOST_CHANNELS = 20
KEPT_FOR = timedelta(days=30)
_SEE = NextAction(label="See the channels", command="sextant notifications channels")


def page(session: Session, asked: Paging, kind: ChannelKind | None, enabled: bool | None) -> Page[Channel]:
    """A page of channels: of one kind, those that are switched on or off."""
    rows = [
        row
        for row in repository.channels(session)
        if (kind is None or row.kind == kind) and (enabled is None or row.enabled is enabled)
    ]
    return ORDER.page(views.channels(session, rows), asked)


def one(session: Session, row: ChannelRow) -> Channel:
    """One channel."""
    return views.channels(session, [row])[0]


def found(session: Session, channel_id: int, *, lock: bool = False) -> ChannelRow:
    """The channel; raises NotFound."""
    row = repository.channel(session, channel_id, lock=lock)
    if row is None:
        raise NotFound(f"There is no channel {channel_id}.", next_actions=[_SEE])
    return row


def create(session: Session, asked: ChannelNew, who: Principal) -> ChannelMade:
    """A webhook without a secret gets one, which this answer alone shows. Raises NameTaken, ChannelsFull,
    ForbiddenTarget, NoSecretsKey."""
    allowed = repository.settings(session, lock=True)  # one change of channels at a time
    there = repository.channels(session)
    if any(row.name == asked.name for row in there):
        raise NameTaken(
            f"There is a channel {asked.name} already. Nothing was stored.",
            errors=[FieldError(field="name", message="choose another name")],
            next_actions=[_SEE],
        )
    if len(there) >= MOST_CHANNELS:
        raise ChannelsFull(f"There are {MOST_CHANNELS} channels. Delete one first.", next_actions=[_SEE])
    target, secret = asked.target, None
    if isinstance(target, WebhookTarget) and target.secret is None:
        secret = new_secret()
        target = target.model_copy(update={"secret": secret})
    targets.refuse_wrong(target, targets.networks_of(allowed))
    row = ChannelRow(
        name=asked.name,
        kind=ChannelKind(target.kind).value,
        config=targets.stored(session, target, who),
        least_severity=asked.least_severity.value,
        send_resolved=asked.send_resolved,
        created_by=who.username,
    )
    session.add(row)
    session.flush()
    audit.record(session, who.username, "channel.create", f"channel/{row.name}", _described(row))
    return ChannelMade(channel=one(session, row), secret=secret)


def change(session: Session, row: ChannelRow, wanted: ChannelChange, who: Principal) -> Channel:
    """What is left out stays. Raises ForbiddenTarget, NoSecretsKey."""
    before = _described(row)
    if wanted.target is not None:
        targets.refuse_wrong(wanted.target, targets.networks_of(repository.settings(session)))
        config = targets.stored(session, wanted.target, who)
        field = targets.secret_field(wanted.target.kind)
        if wanted.target.kind == row.kind == ChannelKind.WEBHOOK and config[field] is None:
            config[field] = row.config[field]
        row.kind, row.config = ChannelKind(wanted.target.kind).value, config
    row.enabled = row.enabled if wanted.enabled is None else wanted.enabled
    row.least_severity = row.least_severity if wanted.least_severity is None else wanted.least_severity.value
    row.send_resolved = row.send_resolved if wanted.send_resolved is None else wanted.send_resolved
    after = _described(row)
    if after != before or wanted.target is not None:
        row.version += 1
        session.flush()
        detail = {name: f"{before[name]} -> {after[name]}" for name in after if after[name] != before[name]}
        given = {"address": "given again"} if wanted.target is not None else {}
        audit.record(session, who.username, "channel.change", f"channel/{row.name}", {**detail, **given})
    return one(session, row)


def renew_secret(session: Session, row: ChannelRow, who: Principal) -> ChannelMade:
    """Another secret of a webhook, which this answer alone shows; the former one signs nothing from now on. Raises
    NotFound where the channel has none."""
    if row.kind != ChannelKind.WEBHOOK:
        raise NotFound(f"{row.name} sends mail: it has no secret that messages are signed with.")
    secret = new_secret()
    target = WebhookTarget(url=row.config["url"], secret=secret)
    row.config = targets.stored(session, target, who)
    row.version += 1
    session.flush()
    audit.record(session, who.username, "channel.secret", f"channel/{row.name}")
    return ChannelMade(channel=one(session, row), secret=secret)


def delete(session: Session, row: ChannelRow, who: Principal) -> None:
    """Nothing is sent to it any more; its log is kept as long as any."""
    row.deleted_at, row.enabled = db_now(session), False
    audit.record(session, who.username, "channel.delete", f"channel/{row.name}", _described(row))


def test(session: Session, row: ChannelRow, who: Principal) -> Delivery:
    """Send it a message that says nothing but that it arrives; also to a channel that is switched off."""
    made = queueing.add(session, row, DeliveryEvent.TEST, None, wait_s=0.0)
    audit.record(session, who.username, "channel.test", f"channel/{row.name}")
    outbox.ring(session, TaskName.NOTIFY)
    session.refresh(made)
    return views.deliveries(session, [made])[0]


def deliveries(
    session: Session, asked: Paging, *, state: DeliveryState | None, channel: str | None, alert: int | None
) -> Page[Delivery]:
    """A page of messages."""
    found = repository.page(session, asked, state=state, channel=channel, alert=alert)
    return found.page(views.deliveries(session, found.rows))


def delivery(session: Session, delivery_id: int) -> Delivery:
    """One message; raises NotFound."""
    row = repository.get(session, delivery_id)
    if row is None:
        see = NextAction(label="See what was sent", command="sextant notifications deliveries")
        raise NotFound(f"There is no message {delivery_id}.", next_actions=[see])
    return views.deliveries(session, [row])[0]


def allow(
    session: Session, row: NotificationSettingsRow, wanted: NotificationSettings, who: Principal
) -> NotificationSettingsView:
    """Which private networks may be sent to, from the next attempt on."""
    before, after = list(row.allowed_networks), list(wanted.allowed_networks)
    if before != after:
        row.allowed_networks, row.changed_at, row.changed_by = after, db_now(session), who.username
        row.version += 1
        session.flush()
        detail = {"before": ", ".join(before) or "none", "after": ", ".join(after) or "none"}
        audit.record(session, who.username, "notifications.allow", "notification-settings", detail)
    return views.settings(row)


def forget_old(session: Session) -> None:
    """For the housekeeping task."""
    repository.forget_old(session, KEPT_FOR)


def _described(row: ChannelRow) -> Mapping[str, object]:
    return {
        "target": targets.shown(row.config),
        "enabled": row.enabled,
        "least_severity": str(row.least_severity),
        "send_resolved": row.send_resolved,
    }
