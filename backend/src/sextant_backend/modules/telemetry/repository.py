"""Queries of the latest tables, and the history of a chain."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import msgspec
from sextant_domain.base import Provenance
from sextant_domain.hosts.bounded_quotas import BoundedNf, QuotaChange
from sextant_domain.hosts.chain_way import WayChange
from sextant_domain.hosts.limits import NfLoad
from sextant_domain.hosts.telemetry import ChainControl, ChainSample, CoreSample, NfSample, SharedCore, WayTransfer
from sqlalchemy import ColumnElement, Text, and_, exists, func, select, text, type_coerce
from sqlalchemy.orm import Session

from sextant_backend.modules.telemetry import texts
from sextant_backend.modules.telemetry.models import (
    HostControlsRow,
    LatestChain,
    LatestHost,
    LatestNfs,
    chain_samples,
    nf_samples,
)

_HELD = text(
    """
    SELECT host_id, other_work, epoch, sequence, previous_epoch, previous_sequence, taken_at, applied_generation,
        rolled_until, chains
    FROM latest_hosts WHERE host_id = ANY(:host_ids) ORDER BY host_id FOR UPDATE
    """
)
_REGISTERED = text(
    """
    INSERT INTO latest_hosts (host_id, heard_at, cores, applied_generation)
    SELECT host_id, clock_timestamp(), '[]', 0 FROM hosts WHERE host_id = ANY(:host_ids) ORDER BY host_id
    ON CONFLICT (host_id) DO UPDATE SET heard_at = excluded.heard_at
    """
)
_LOCKED = text("SELECT 1 FROM latest_hosts WHERE host_id = ANY(:host_ids) ORDER BY host_id FOR UPDATE")
_means = msgspec.json.Decoder(list[list[float]]).decode
_OLDEST = timedelta(hours=1)
"""A bound that spares the older partitions."""


@dataclass(frozen=True)
class Latest:
    """The newest sample of a chain, when it was taken and what kind of figure it is."""

    sample: ChainSample
    taken_at: datetime
    provenance: Provenance


@dataclass(frozen=True)
class HostControls:
    """What laws on a host's agent gave its chains, as it last said."""

    controls: Mapping[str, ChainControl]
    """By chain."""
    transfers: tuple[WayTransfer, ...]
    """The latest, oldest first."""
    at: datetime
    """When it became so: it has said the same since."""


@dataclass(frozen=True, slots=True)
class NfWindow:
    """Of an NF over ten seconds, throughout which it stood on one core and packets came."""

    at: datetime
    """When it began, by the host's clock."""
    nf_id: str
    core: int
    rx_mpps: float
    """In the mean."""
    cost_us: float
    """What a packet took of its core's time: the median of the seconds, so that what disturbs a few of them (the
    hypervisor, other work) changes nothing. Shares by rate and cost go by a median, too (NFVnice)."""


def controls(session: Session, host_ids: Collection[str]) -> dict[str, HostControls]:
    """Of those of these hosts that report any, in one query."""
    query = select(HostControlsRow.host_id, HostControlsRow.at, HostControlsRow.controls, HostControlsRow.transfers)
    return {
        host_id: HostControls(
            {one.chain: one for one in texts.CONTROLS.validate_python(said)},
            texts.TRANSFERS.validate_python(transfers),
            at,
        )
        for host_id, at, said, transfers in (
            session.execute(query.where(HostControlsRow.host_id.in_(host_ids))) if host_ids else ()
        )
    }


def shared_cores(session: Session, host_id: str) -> tuple[SharedCore, ...]:
    """How a host's agent divides cores, as it last said."""
    said = session.scalar(select(HostControlsRow.shared_cores).where(HostControlsRow.host_id == host_id))
    return texts.SHARED_CORES.validate_python(said or ())


@dataclass(frozen=True)
class BoundedQuotas:
    """CPU quotas that agents of some hosts set by themselves, as they last said."""

    nfs: tuple[BoundedNf, ...] = ()
    changes: tuple[QuotaChange, ...] = ()
    """Of each host the latest, oldest first."""


def bounded_quotas(session: Session, host_ids: Collection[str]) -> BoundedQuotas:
    """Of these hosts, in one query; none where there are none."""
    if not host_ids:
        return BoundedQuotas()
    query = select(HostControlsRow.bounded_nfs, HostControlsRow.quota_changes).order_by(HostControlsRow.host_id)
    found = session.execute(query.where(HostControlsRow.host_id.in_(host_ids))).all()
    return BoundedQuotas(
        tuple(nf for nfs, _ in found for nf in texts.BOUNDED_NFS.validate_python(nfs)),
        tuple(change for _, changes in found for change in texts.QUOTA_CHANGES.validate_python(changes)),
    )


def bounded_nfs(session: Session, host_ids: Collection[str]) -> dict[str, dict[str, BoundedNf]]:
    """NFs whose CPU quotas agents of these hosts set by themselves, by host and NF, in one query."""
    query = select(HostControlsRow.host_id, HostControlsRow.bounded_nfs)
    return {
        host_id: {one.nf_id: one for one in texts.BOUNDED_NFS.validate_python(said)}
        for host_id, said in (session.execute(query.where(HostControlsRow.host_id.in_(host_ids))) if host_ids else ())
    }


def newest_quota_changes(session: Session, host_ids: Collection[str]) -> dict[str, datetime]:
    """Of these hosts, those whose agents have changed quotas by themselves: when last, by the host's clock."""
    at = HostControlsRow.quota_changes[-1]["at"].astext
    query = select(HostControlsRow.host_id, at).where(HostControlsRow.host_id.in_(host_ids), at.is_not(None))
    return {host: datetime.fromisoformat(said) for host, said in (session.execute(query) if host_ids else ())}


def quota_changes(session: Session, host_ids: Collection[str]) -> dict[str, tuple[QuotaChange, ...]]:
    """By host, oldest first, the latest that its agent reports."""
    query = select(HostControlsRow.host_id, HostControlsRow.quota_changes)
    return {
        host: texts.QUOTA_CHANGES.validate_python(said)
        for host, said in (session.execute(query.where(HostControlsRow.host_id.in_(host_ids))) if host_ids else ())
    }


def way_changes(session: Session) -> dict[str, tuple[WayChange, ...]]:
    """Of hosts whose agents have led chains over other links lately, oldest first, the latest that they report."""
    query = select(HostControlsRow.host_id, HostControlsRow.way_changes).where(any_rerouted())
    return {host: texts.WAY_CHANGES.validate_python(said) for host, said in session.execute(query)}


def any_rerouted() -> ColumnElement[bool]:
    """Whether a host's row has such changes, as a condition of a query."""
    return func.jsonb_array_length(HostControlsRow.way_changes) > 0


def any_bounded() -> ColumnElement[bool]:
    """Whether an agent sets CPU quotas by itself, as a condition of a query."""
    return exists().where(func.jsonb_array_length(HostControlsRow.bounded_nfs) > 0)


def latest_cores(session: Session, host_ids: Collection[str]) -> dict[str, tuple[CoreSample, ...]]:
    """The newest samples of all cores of these hosts, by host, in one query."""
    query = select(LatestHost.host_id, LatestHost.cores).where(LatestHost.host_id.in_(host_ids))
    return {
        host_id: texts.CORES.validate_python(cores) for host_id, cores in (session.execute(query) if host_ids else ())
    }


def latest_nfs(session: Session, host_ids: Collection[str]) -> dict[tuple[str, str], NfSample]:
    """The newest samples of all NFs of these hosts, by (NF, host), in one query."""
    query = select(LatestNfs.host_id, type_coerce(LatestNfs.samples, Text)).where(LatestNfs.host_id.in_(host_ids))
    return {
        (sample.nf_id, host_id): sample
        for host_id, samples in (session.execute(query) if host_ids else ())
        for sample in texts.NFS.validate_json(samples)
    }


def latest_chains(session: Session, names: Iterable[str] | None = None) -> dict[str, Latest]:
    """The newest sample of each chain (all chains where `names` is None), in one query."""
    query = select(LatestChain).order_by(LatestChain.taken_at)
    if names is not None:
        query = query.where(LatestChain.chain.in_(list(names)))
    return {
        row.chain: Latest(ChainSample.model_validate(row.sample), row.taken_at, Provenance(row.provenance))
        for row in session.scalars(query)
    }


@dataclass(slots=True)
class HeldHost:
    """What a host said last, as far as its next batch has to do with it, and what of that batch is stored of it."""

    host_id: str
    other_work: list[list[float]]
    epoch: str | None
    sequence: int | None
    previous_epoch: str | None
    previous_sequence: int | None
    taken_at: datetime | None
    applied_generation: int
    rolled_until: datetime
    known_chains: list[str] | None
    """Those of which there are rows, in the order in which it named them last; None where that is not known."""
    provenance: str | None = None
    phase: str | None = None
    throughput_mpps: float | None = None
    chains: Sequence[str] = ()
    """This and the three before it: of its next batch only."""


def held_hosts(session: Session, host_ids: Collection[str]) -> dict[str, HeldHost]:
    """What enrolled hosts said last, held so that rival batches of one host wait for each other."""
    asked = {"host_ids": list(host_ids)}
    found = session.execute(_HELD, asked).all()
    if len(found) < len(host_ids):
        heard(session, set(host_ids) - {row.host_id for row in found})
        found = session.execute(_HELD, asked).all()
    return {host_id: HeldHost(host_id, _means(means), *row) for host_id, means, *row in found}


def lock(session: Session, host_ids: Collection[str]) -> None:
    """Hold what hosts said last. Whoever locks hosts as well locks this first, as storing telemetry does: of two that
    want both, none waits for the other."""
    session.execute(_LOCKED, {"host_ids": sorted(host_ids)})


def heard(session: Session, host_ids: Iterable[str]) -> None:
    """Note by the database's clock that hosts have reported, those of them that are enrolled; the rows stay locked."""
    session.execute(_REGISTERED, {"host_ids": sorted(host_ids)})


def rolled_until(session: Session) -> datetime | None:
    """What every host measured before is rolled up; None where no host has reported."""
    return session.scalar(select(func.min(LatestHost.rolled_until)))


def chain_history(session: Session, chain: str, span: timedelta) -> Sequence[Any]:
    """Rows (ts; offered, delivered, drop in Mpps; p50, p95, p99, p99.9 in us) of the last `span`, oldest first."""
    table = chain_samples.c
    latencies = (table.p50_us, table.p95_us, table.p99_us, table.p999_us)
    figures = (table.offered_mpps, table.delivered_mpps, table.drop_mpps, *latencies)
    hosts = select(LatestChain.host_id).where(LatestChain.chain == chain)
    query = (
        select(table.ts, *figures)
        .where(table.host_id.in_(hosts), table.ts > func.clock_timestamp() - span, table.chain == chain)
        .order_by(table.ts)
    )
    return session.execute(query).all()


@dataclass(frozen=True)
class Mean:
    """Of the samples of a chain over a while, in Mpps."""

    samples: int
    offered_mpps: float
    carried_mpps: float
    """Delivered, and what an NF dropped because its rules say so, which was work done as well."""


def means(session: Session, names: Collection[str], span: timedelta) -> dict[str, Mean]:
    """Of these chains over the `span` before the newest sample of each, whatever its host's clock says; chains without
    a sample are absent. One query."""
    table, latest = chain_samples.c, LatestChain
    offered, carried = func.avg(table.offered_mpps), func.avg(table.delivered_mpps + table.filtered_mpps)
    query = (
        select(table.chain, func.count(), offered, carried)
        .join(latest, and_(latest.chain == table.chain, latest.host_id == table.host_id))
        .where(latest.chain.in_(names), table.ts > latest.taken_at - span, table.ts > func.now() - _OLDEST)
        .group_by(table.chain)
    )
    found = session.execute(query).all() if names else []
    return {chain: Mean(samples, offered or 0.0, carried or 0.0) for chain, samples, offered, carried in found}


def newest(session: Session, host_id: str) -> tuple[datetime, Provenance] | None:
    """When a host's newest batch was taken, by its own clock, and what kind of figures it holds; None before any."""
    query = select(LatestHost.taken_at, LatestHost.provenance).where(LatestHost.host_id == host_id)
    found = session.execute(query).one_or_none()
    if found is None or found.taken_at is None or found.provenance is None:
        return None
    return found.taken_at, Provenance(found.provenance)


def samples_between(session: Session, host_id: str, after: datetime, until: datetime) -> Sequence[Any]:
    """Rows (ts, chain; offered, carried, dropped in Mpps; 95th percentile of latency in us) of all chains of a host,
    oldest first: of times by its own clock, later than `after`, `until` included. Samples of a while in which a chain
    was paused are left out."""
    table = chain_samples.c
    carried = table.delivered_mpps + table.filtered_mpps
    query = (
        select(table.ts, table.chain, table.offered_mpps, carried, table.drop_mpps, table.p95_us)
        .where(table.host_id == host_id, table.ts > after, table.ts <= until, table.paused.is_(False))
        .order_by(table.ts, table.chain)
    )
    return session.execute(query).all()


def loads(session: Session, nf_ids: Collection[str], span: timedelta) -> dict[str, NfLoad]:
    """Means of these NFs over the `span` before the newest sample of their chain, on the hosts that report it; those
    without a sample are absent. One query."""
    table, latest = nf_samples.c, LatestChain
    means = (func.avg(table.rx_mpps), func.avg(table.drop_mpps), func.avg(table.ring_used_percent))
    query = (
        select(table.nf_id, *means)
        .join(latest, and_(latest.chain == func.split_part(table.nf_id, ".", 1), latest.host_id == table.host_id))
        .where(
            latest.chain.in_({nf_id.partition(".")[0] for nf_id in nf_ids}),
            table.nf_id.in_(nf_ids),
            table.ts > latest.taken_at - span,
            table.ts > func.now() - _OLDEST,
        )
        .group_by(table.nf_id)
    )
    found = session.execute(query).all() if nf_ids else []
    return {nf_id: NfLoad(nf_id, rx, drop, ring) for nf_id, rx, drop, ring in found}


def nf_windows(session: Session, host_id: str, nf_ids: Collection[str] | None, span: timedelta) -> Sequence[NfWindow]:
    """Of these NFs on a host, or of all that were there, in the `span` before its newest batch; oldest first."""
    table = nf_samples.c
    newest = select(LatestHost.taken_at).where(LatestHost.host_id == host_id).scalar_subquery()
    at = func.date_bin(text("interval '10 s'"), table.ts, text("timestamptz 'epoch'")).label("at")
    rate = func.avg(table.rx_mpps)
    # a core has a million microseconds a second, and Mpps are a million packets
    cost_us = table.utilisation_percent / 100 / func.nullif(table.rx_mpps, 0)
    query = (
        select(at, table.nf_id, func.min(table.core), rate, func.percentile_cont(0.5).within_group(cost_us))
        .where(table.host_id == host_id, table.ts > newest - span)
        .group_by(at, table.nf_id)
        .having(
            func.min(table.core) == func.max(table.core),
            rate > 0,
            func.bool_and(table.utilisation_percent.is_not(None)),
        )
        .order_by(at, table.nf_id)
    )
    if nf_ids is not None:
        query = query.where(table.nf_id.in_(nf_ids))
    return [NfWindow(*row) for row in session.execute(query)]
