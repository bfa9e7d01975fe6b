"""Tables of telemetry.

Raw samples are range-partitioned by day (their partitions are made ahead and dropped by `partitions.py`), indexed by
btree (host_id, ts) for one host's history and BRIN (ts) for scans by time. The latest tables answer every list.
"""

from datetime import datetime
from typing import Any

import msgspec
from pydantic_core import from_json
from sqlalchemy import (
    ARRAY,
    REAL,
    BigInteger,
    Boolean,
    Column,
    DateTime,
    ForeignKey,
    Index,
    Integer,
    Table,
    Text,
    TypeDecorator,
    false,
    text,
)
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import Mapped, mapped_column

from sextant_backend.kit.db import Base


class JsonText(TypeDecorator[Any]):
    """JSON as text: what is replaced every second and read now and then is neither checked nor turned into another form
    by PostgreSQL. SQL that looks into it casts it."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:  # noqa: ARG002
        """To be stored."""
        return None if value is None else msgspec.json.encode(value).decode()

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:  # noqa: ARG002
        """As read."""
        return None if value is None else from_json(value)


_ROLLED_FROM = text("date_bin('10 s', clock_timestamp() - interval '310 s', timestamptz 'epoch')")
"""Of a host that has just reported for the first time: nothing that it may still send is older."""


class LatestHost(Base):
    """The newest batch of a host, and how far its numbering is; also the host's heartbeat."""

    __tablename__ = "latest_hosts"
    __table_args__ = ({"postgresql_with": {"fillfactor": 50}},)

    host_id: Mapped[str] = mapped_column(ForeignKey("hosts.host_id", ondelete="CASCADE"), primary_key=True)
    heard_at: Mapped[datetime]
    """By the database's clock; the watcher looks at nothing else."""
    epoch: Mapped[str | None]
    sequence: Mapped[int | None] = mapped_column(BigInteger)
    previous_epoch: Mapped[str | None]
    previous_sequence: Mapped[int | None] = mapped_column(BigInteger)
    taken_at: Mapped[datetime | None]
    provenance: Mapped[str | None]
    applied_generation: Mapped[int] = mapped_column(default=0)
    phase: Mapped[str | None]
    throughput_mpps: Mapped[float | None]
    chains: Mapped[list[str] | None] = mapped_column(ARRAY(Text))
    """Those of its newest batch, in its order, of which alone there are rows in `latest_chains`; None before one."""
    cores: Mapped[list[Any]] = mapped_column(JsonText)
    """CoreSamples."""
    other_work: Mapped[list[Any]] = mapped_column(JsonText, server_default="[]")
    """By core, as `other_work.followed` keeps it."""
    nodes: Mapped[list[Any]] = mapped_column(server_default="[]")
    """NodeSamples as JSON; empty of hosts whose counters do not reach memory controllers."""
    rolled_until: Mapped[datetime] = mapped_column(server_default=_ROLLED_FROM)
    """The watermark: what the host measured before is rolled up (module `history`). A sample that arrives late moves it
    back, so that its interval is rolled up again. Always at the start of a ten-second interval."""


class LatestChain(Base):
    """The newest sample of a chain on a host."""

    __tablename__ = "latest_chains"
    __table_args__ = ({"postgresql_with": {"fillfactor": 50}},)

    chain: Mapped[str] = mapped_column(primary_key=True)
    host_id: Mapped[str] = mapped_column(ForeignKey("hosts.host_id", ondelete="CASCADE"), primary_key=True, index=True)
    taken_at: Mapped[datetime]
    provenance: Mapped[str]
    sample: Mapped[dict[str, Any]] = mapped_column(JsonText)
    """ChainSample."""


class LatestNfs(Base):
    """The newest samples of a host's NFs, in one row: a row for each NF and second was most of what PostgreSQL did.

    Unlogged: after a crash of the server it is empty until the hosts report, which they do every second. A host without
    a row says nothing about its NFs; one that runs none has a row with an empty list. Stored as they come, within the
    row up to a page (migration 0067): to compress them took longer than all else that replacing them does.
    """

    __tablename__ = "latest_nfs"
    __table_args__ = ({"prefixes": ["UNLOGGED"], "postgresql_with": {"fillfactor": 50, "toast_tuple_target": 8160}},)

    host_id: Mapped[str] = mapped_column(ForeignKey("hosts.host_id", ondelete="CASCADE"), primary_key=True)
    taken_at: Mapped[datetime]
    samples: Mapped[list[Any]] = mapped_column(JsonText)
    """NfSamples."""


class HostControlsRow(Base):
    """What laws on a host's agent gave its chains, as it last said; hosts that say nothing of it have no row.

    Unlogged, as the samples of NFs are: it is said again within a second. Written only where it has changed.
    """

    __tablename__ = "host_controls"
    __table_args__ = ({"prefixes": ["UNLOGGED"], "postgresql_with": {"fillfactor": 50}},)

    host_id: Mapped[str] = mapped_column(ForeignKey("hosts.host_id", ondelete="CASCADE"), primary_key=True)
    at: Mapped[datetime]
    """When it became so."""
    controls: Mapped[list[Any]]
    """ChainControls as JSON."""
    transfers: Mapped[list[Any]]
    """WayTransfers as JSON, oldest first."""
    shared_cores: Mapped[list[Any]] = mapped_column(server_default=text("'[]'"))
    """SharedCores as JSON."""
    bounded_nfs: Mapped[list[Any]] = mapped_column(server_default=text("'[]'"))
    """BoundedNfs as JSON."""
    quota_changes: Mapped[list[Any]] = mapped_column(server_default=text("'[]'"))
    """QuotaChanges as JSON, oldest first."""
    way_changes: Mapped[list[Any]] = mapped_column(server_default=text("'[]'"))
    """WayChanges as JSON, oldest first."""


class EarlyReportRow(Base):
    """The newest early report of a host. Unlogged: what it says, the report of the second says again."""

    __tablename__ = "early_reports"
    __table_args__ = ({"prefixes": ["UNLOGGED"], "postgresql_with": {"fillfactor": 50}},)

    host_id: Mapped[str] = mapped_column(ForeignKey("hosts.host_id", ondelete="CASCADE"), primary_key=True)
    heard_at: Mapped[datetime]
    """By the database's clock."""
    budget: Mapped[float]
    """How many more were taken at that moment (`early`)."""
    taken_at: Mapped[datetime]
    report: Mapped[str] = mapped_column(Text)
    """EarlyReport as JSON."""


def _raw(name: str, *columns: Column[Any]) -> Table:
    """A raw table: no key, because nothing ever addresses one row."""
    return Table(
        name,
        Base.metadata,
        Column("ts", DateTime(timezone=True), nullable=False),
        Column("host_id", Text, nullable=False),
        *columns,
        _flag("simulated"),
        Index(f"ix_{name}_host_id_ts", "host_id", "ts"),
        Index(f"ix_{name}_ts", "ts", postgresql_using="brin"),
        postgresql_partition_by="RANGE (ts)",
    )


def _flag(name: str) -> Column[Any]:
    return Column(name, Boolean, nullable=False, server_default=false())


def _real(*names: str, nullable: bool = False) -> list[Column[Any]]:
    return [Column(name, REAL, nullable=nullable) for name in names]


def _text(name: str) -> Column[Any]:
    return Column(name, Text, nullable=False)


chain_samples = _raw(
    "chain_samples",
    _text("chain"),
    *_real("offered_mpps", "delivered_mpps", "drop_mpps", "filtered_mpps"),
    *_real("p50_us", "p95_us", "p99_us", "p999_us", "delivered_gbps", nullable=True),
    _flag("paused"),
)
nf_samples = _raw(
    "nf_samples",
    _text("nf_id"),
    Column("core", Integer, nullable=False),
    *_real("rx_mpps", "tx_mpps", "drop_mpps", "filtered_mpps"),
    *_real("cpu_percent", "ring_used_percent", "cycles_per_packet", "utilisation_percent", nullable=True),
    *_real("headroom_mpps", "utilisation_low_percent", nullable=True),
)
core_samples = _raw(
    "core_samples",
    Column("cores", ARRAY(Integer), nullable=False),
    Column("busy_percent", ARRAY(REAL), nullable=False),
)
"""All cores of a host in one row, their numbers and in the same order how busy they were: they are reported together,
and only ever read together."""

hop_samples = _raw(
    "hop_samples",
    _text("chain"),
    Column("position", Integer, nullable=False),
    _text("device"),
    _text("nf_id"),
    *_real("latency_us", "p95_us", "most_us", "waits_us", "queue_packets", nullable=True),
)
"""Of chains whose packets say what was measured of them, hop by hop as they pass, the first as 0; `nf_id` is empty
where the hop is a device itself."""

RAW_TABLES = (chain_samples, nf_samples, core_samples, hop_samples)
