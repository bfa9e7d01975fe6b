"""Tables of trained networks, and of what plans may go by."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, Index, LargeBinary, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from sextant_backend.kit.db import Base


class NetworkRow(Base):
    """A trained network. It never changes: other weights are another row."""

    __tablename__ = "networks"

    weights: Mapped[str] = mapped_column(primary_key=True)
    """Their digest."""
    cores: Mapped[int]
    document: Mapped[bytes] = mapped_column(LargeBinary, deferred=True, deferred_raiseload=True)
    """TrainedWeights as JSON, as it was checked; read by `repository.documents` only."""
    report: Mapped[dict[str, Any]]
    """SchoolReport."""
    study_id: Mapped[int | None] = mapped_column(BigInteger)
    """No foreign key: studies are removed, and what they trained stays."""
    trained_at: Mapped[datetime]
    trained_by: Mapped[str]


class PromotionRow(Base):
    """A network was put in force for hosts of so many cores; changed while it is watched, and once when it ends."""

    __tablename__ = "network_promotions"
    __table_args__ = (
        CheckConstraint("ended IN ('replaced', 'reverted', 'worse')", name="ended"),
        CheckConstraint(
            "(ended IS NULL) = (ended_at IS NULL) AND (ended IS NULL) = (ended_by IS NULL)", name="end_is_whole"
        ),
        CheckConstraint("(ended IS NOT DISTINCT FROM 'worse') = (verdict IS NOT NULL)", name="worse_has_a_verdict"),
        Index("uq_network_promotions_in_force", "cores", unique=True, postgresql_where=text("ended IS NULL")),
        Index("ix_network_promotions_cores", "cores", "id"),
        Index("ix_network_promotions_weights", "weights"),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    cores: Mapped[int]
    weights: Mapped[str] = mapped_column(ForeignKey("networks.weights"))
    before: Mapped[str | None] = mapped_column(ForeignKey("networks.weights"))
    """The network in force before; None: a basic assigner."""
    promoted_at: Mapped[datetime]
    promoted_by: Mapped[str]
    watched: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    """WatchedHost by host that it assigned."""
    ended: Mapped[str | None]
    ended_at: Mapped[datetime | None]
    ended_by: Mapped[str | None]
    verdict: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    """NetworkVerdict, where it was found worse."""
