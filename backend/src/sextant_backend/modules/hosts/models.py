"""The table of hosts: one row from the moment a host is enrolled."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, Computed, func, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from sextant_backend.kit.db import Base

_INVENTORY_KIND = (
    "hashtextextended((inventory->>'host_model') || CAST(inventory->'nodes' AS text)"
    " || CAST(inventory->'cores' AS text), 0)"
)
"""Inventories are long and compressed: to compare them each time took a thousand hosts 0.1 s."""
_SHARES_CORES = "coalesce(jsonb_path_exists(inventory, '$.cores[*].slots ? (@ > 1)'), false)"
"""As `HostInventory.shares_cores` says, for who asks each second and would read no inventory for it."""


class Host(Base):
    """A host. Its row changes seldom: what changes every second is in telemetry's `latest_hosts`."""

    __tablename__ = "hosts"
    __table_args__ = (
        CheckConstraint("status IN ('up', 'stale', 'unreachable')", name="status"),
        CheckConstraint("num_nulls(cordoned_at, cordoned_by, cordon_reason) IN (0, 3)", name="cordon"),
    )

    host_id: Mapped[str] = mapped_column(primary_key=True)
    labels: Mapped[dict[str, str]] = mapped_column(default=dict)
    status: Mapped[str] = mapped_column(default="unreachable")
    status_reason: Mapped[str] = mapped_column(default="its agent has not reported yet")
    status_since: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    agent_url: Mapped[str | None]
    inventory: Mapped[dict[str, Any] | None]
    """HostInventory as JSON, with the cores that operators reserve and their slots; None until the agent has
    registered."""
    inventory_kind: Mapped[int | None] = mapped_column(
        BigInteger, Computed(_INVENTORY_KIND, persisted=True), deferred=True
    )
    """The same for hosts of one host model, nodes and cores."""
    shares_cores: Mapped[bool] = mapped_column(Computed(_SHARES_CORES, persisted=True), deferred=True)
    """Some core has more than one slot, by its agent's word or an operator's."""
    registered_at: Mapped[datetime | None]
    desired: Mapped[dict[str, Any]]
    """DesiredHostConfig as JSON: the newest order, written when it is given; generation 0 is the empty host."""
    desired_generation: Mapped[int]
    desired_digest: Mapped[str]
    enrolled_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    gateway: Mapped[str | None] = mapped_column(index=True)
    """The process that speaks for this host beside others, by the id in its certificate; None for a host by itself."""
    revoked_at: Mapped[datetime | None]
    """Every certificate of the host is refused from then on, until it is enrolled anew."""
    trusted_after: Mapped[datetime | None]
    """Certificates that begin before are refused for ever: set by revocation, and by every enrolment but the first."""
    certificate_ends_at: Mapped[datetime | None]
    """Of the newest certificate that the fleet listener gave its agent; None where the keeper wrote it."""
    cordoned_at: Mapped[datetime | None]
    """No NF starts or moves there from then on; None for a host in service."""
    cordoned_by: Mapped[str | None]
    cordon_reason: Mapped[str | None]
    reserved_cores: Mapped[list[Any]] = mapped_column(default=list, server_default=text("'[]'::jsonb"))
    """ReservedCore as JSON, by rising core: what operators keep from NFs. The inventory has it too."""
    core_slots: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    """CoreSlots as JSON: how many NFs share a core, by an operator; None where its agent determines it."""
    drift: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    """KeptDrift as JSON: what its reports say differently from its order, and since when; None where they agree."""
    version: Mapped[int] = mapped_column(default=1)


class RemovedHost(Base):
    """A host that left: one that is enrolled under its name does not share the trust in its certificates."""

    __tablename__ = "removed_hosts"

    host_id: Mapped[str] = mapped_column(primary_key=True)
    removed_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
