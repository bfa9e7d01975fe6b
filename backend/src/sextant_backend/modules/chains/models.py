"""Tables of chains and of the seats their NFs were ordered to take."""

from datetime import datetime
from typing import Any

from sextant_domain.plans.placement import PlacedNf, Seat
from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, Index, func, text
from sqlalchemy.orm import Mapped, mapped_column

from sextant_backend.kit.db import Base


class ChainRow(Base):
    """A chain. Of its specification only settings change (decision 20), and the host it names as it is moved; a deleted
    one keeps its row and frees its name."""

    __tablename__ = "chains"
    __table_args__ = (
        Index("uq_chains_name_living", "name", unique=True, postgresql_where=text("deleted_at IS NULL")),
        Index(
            "ix_chains_anti_affinity",
            text("((spec -> 'anti_affinity') ->> 'group')"),
            postgresql_where=text("deleted_at IS NULL"),
        ),
        Index(
            "uq_chains_path_tag",
            text("((spec -> 'part') ->> 'tag')"),
            text("((spec -> 'part') ->> 'number')"),
            unique=True,
            postgresql_where=text("deleted_at IS NULL AND spec ? 'part'"),
        ),
        CheckConstraint("state IN ('submitted', 'applying', 'running', 'removing')", name="state"),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    name: Mapped[str]
    spec: Mapped[dict[str, Any]]
    """ChainSpec as JSON."""
    state: Mapped[str] = mapped_column(default="submitted")
    plan_id: Mapped[int | None] = mapped_column(BigInteger)
    """The newest plan that names this chain."""
    operation_id: Mapped[int | None] = mapped_column(BigInteger)
    created_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    created_by: Mapped[str]
    deleted_at: Mapped[datetime | None]
    version: Mapped[int] = mapped_column(default=1)


class PlacedNfRow(Base):
    """Where an NF was ordered to stand: mirrors its host's newest order, in the same transaction."""

    __tablename__ = "placed_nfs"

    nf_id: Mapped[str] = mapped_column(primary_key=True)
    chain: Mapped[str] = mapped_column(index=True)
    position: Mapped[int]
    nf_type: Mapped[str]
    nf_version: Mapped[int | None]
    """Of its type, as ordered; None of an order from before this was noted."""
    host_id: Mapped[str] = mapped_column(ForeignKey("hosts.host_id", ondelete="CASCADE"), index=True)
    node: Mapped[int]
    core: Mapped[int]
    slot: Mapped[int]
    llc_ways: Mapped[int | None]
    memory_bandwidth_percent: Mapped[int | None]
    chain_llc_ways: Mapped[int | None]
    """What it has together with all other NFs of its chain; so the next one."""
    chain_memory_bandwidth_percent: Mapped[int | None]
    cpu_share: Mapped[int | None]
    cpu_quota_percent: Mapped[float | None]
    plan_id: Mapped[int] = mapped_column(BigInteger)
    """The plan that put it there."""
    since: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())

    def seat(self) -> Seat:
        """Its seat."""
        return Seat(
            host=self.host_id,
            node=self.node,
            core=self.core,
            slot=self.slot,
            llc_ways=self.llc_ways,
            memory_bandwidth_percent=self.memory_bandwidth_percent,
            cpu_share=self.cpu_share,
            cpu_quota_percent=self.cpu_quota_percent,
            chain_llc_ways=self.chain_llc_ways,
            chain_memory_bandwidth_percent=self.chain_memory_bandwidth_percent,
        )

    def placed(self) -> PlacedNf:
        """As plans and views show it."""
        return PlacedNf(
            nf_id=self.nf_id, chain=self.chain, position=self.position, nf_type=self.nf_type, seat=self.seat()
        )
