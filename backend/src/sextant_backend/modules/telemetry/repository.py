"""Queries of the latest tables, and the history of a chain."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import msgspec
from sextant_domain.base import Provenance
from sextant_domain.hosts.limits import NfLoad
from sextant_domain.hosts.telemetry import ChainControl, ChainSample, NfSample, SharedCore, WayTransfer
from sqlalchemy import Text, and_, cast, func, select, text
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
from sextant_backend.modules.telemetry.texts import BatchText

_HELD = text(
    """
    SELECT host_id, epoch, sequence, previous_epoch, previous_sequence, taken_at, applied_generation, other_work,
        rolled_until, throughput_mpps
    FROM latest_hosts WHERE host_id = ANY(:host_ids) ORDER BY host_id FOR UPDATE
    """
)
_HEARD = text("UPDATE latest_hosts SET heard_at = :now WHERE host_id = ANY(:host_ids)")
_REGISTERED = text(
    """
    INSERT INTO latest_hosts (host_id, heard_at, cores, applied_generation)
    SELECT host_id, clock_timestamp(), '[]', 0 FROM hosts WHERE host_id = ANY(:host_ids) ORDER BY host_id
    ON CONFLICT (host_id) DO UPDATE SET heard_at = excluded.heard_at
    """
)
_LOCKED = text("SELECT 1 FROM latest_hosts WHERE host_id = ANY(:host_ids) ORDER BY host_id FOR UPDATE")
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


def latest_nfs(session: Session, host_ids: Collection[str]) -> dict[tuple[str, str], NfSample]:
    """The newest samples of all NFs of these hosts, by (NF, host), in one query."""
    query = select(LatestNfs.host_id, cast(LatestNfs.samples, Text)).where(LatestNfs.host_id.in_(host_ids))
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
    """What a host said last, as far as its next batch has to do with it."""

    host_id: str
    epoch: str | None
    sequence: int | None
    previous_epoch: str | None
    previous_sequence: int | None
    taken_at: datetime | None
    applied_generation: int
    other_work: list[list[float]]
    rolled_until: datetime
    throughput_mpps: float | None
    chains: list[str] = field(default_factory=list)
    """Those that its newest batch names; of it only."""

    def about(self) -> str:
        """As JSON: what is stored of it beside samples, and is not in the batch."""
        about = {
            "host_id": self.host_id,
            "previous_epoch": self.previous_epoch,
            "previous_sequence": self.previous_sequence,
            "at": self.taken_at and self.taken_at.isoformat(),
            "other_work": self.other_work,
            "rolled_until": self.rolled_until.isoformat(),
            "throughput_mpps": self.throughput_mpps,
            "chains": self.chains,
        }
        return msgspec.json.encode(about).decode()  # what is no number becomes null


def held_hosts(session: Session, host_ids: Collection[str]) -> dict[str, HeldHost]:
    """What enrolled hosts said last, held so that rival batches of one host wait for each other."""
    asked = {"host_ids": list(host_ids)}
    found = session.execute(_HELD, asked).all()
    if len(found) < len(host_ids):
        heard(session, set(host_ids) - {row.host_id for row in found})
        found = session.execute(_HELD, asked).all()
    return {row.host_id: HeldHost(*row) for row in found}


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


def replace_latest(
    session: Session, now: datetime, held: Mapping[str, HeldHost], newest: Mapping[str, BatchText]
) -> None:
    """Note that the hosts were heard `now`. Of those that said something new (`newest`: their newest batch) it is the
    latest from now on, and chains and NFs that it does not name are forgotten."""
    if repeated := [host_id for host_id in held if host_id not in newest]:
        session.execute(_HEARD, {"now": now, "host_ids": repeated})
    if newest:
        found = newest.values()
        parts = {
            "about": [held[host_id].about() for host_id in newest],
            "rests": [one.rest for one in found],
            "nfs": [one.nfs for one in found],
            "chains": [one.chains for one in found],
            "cores": [one.cores for one in found],
            "nodes": [one.nodes for one in found],
        }
        session.connection().exec_driver_sql(_REPLACE_LATEST, {"now": now, **parts})


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


_REPLACE_LATEST = """
    WITH batches AS MATERIALIZED (
        SELECT about->>'host_id' AS host, CAST(about->>'at' AS timestamptz) AS at, rest->>'provenance' AS provenance,
            about, rest, nfs, chains, cores, nodes
        FROM (
            SELECT CAST(about AS jsonb) AS about, CAST(rest AS jsonb) AS rest, nfs, chains, cores, nodes
            FROM unnest(%(about)b::text[], %(rests)b::text[], %(nfs)b::text[], %(chains)b::text[], %(cores)b::text[],
                %(nodes)b::text[]) AS part(about, rest, nfs, chains, cores, nodes)
        ) part
    ),
    hosts AS (
        UPDATE latest_hosts l SET heard_at = %(now)s, taken_at = at, epoch = rest->>'epoch',
            sequence = CAST(rest->>'sequence' AS bigint), previous_epoch = about->>'previous_epoch',
            previous_sequence = CAST(about->>'previous_sequence' AS bigint), provenance = b.provenance,
            applied_generation = CAST(rest->>'applied_generation' AS int), phase = rest->>'phase',
            throughput_mpps = CAST(about->>'throughput_mpps' AS float8), cores = CAST(b.cores AS json),
            nodes = CAST(b.nodes AS jsonb), other_work = about->'other_work',
            rolled_until = CAST(about->>'rolled_until' AS timestamptz)
        FROM batches b WHERE l.host_id = host
    ),
    gone_chains AS (
        DELETE FROM latest_chains l USING batches WHERE l.host_id = host AND NOT about->'chains' ? l.chain
    ),
    named_chains AS (
        INSERT INTO latest_chains (chain, host_id, taken_at, provenance, sample)
        SELECT s->>'chain', host, at, provenance, s FROM batches, jsonb_array_elements(CAST(chains AS jsonb)) s
        ON CONFLICT (chain, host_id) DO UPDATE
        SET taken_at = excluded.taken_at, provenance = excluded.provenance, sample = excluded.sample
    ),
    gone_controls AS (
        DELETE FROM host_controls c USING batches
        WHERE c.host_id = host AND NOT rest ?| ARRAY['controls', 'shared_cores']
    ),
    named_controls AS (
        INSERT INTO host_controls (host_id, at, controls, transfers, shared_cores)
        SELECT host, at, COALESCE(rest->'controls', '[]'), COALESCE(rest->'transfers', '[]'),
            COALESCE(rest->'shared_cores', '[]')
        FROM batches WHERE rest ?| ARRAY['controls', 'shared_cores']
        ON CONFLICT (host_id) DO UPDATE
        SET at = excluded.at, controls = excluded.controls, transfers = excluded.transfers,
            shared_cores = excluded.shared_cores
        WHERE (host_controls.controls, host_controls.transfers, host_controls.shared_cores)
            IS DISTINCT FROM (excluded.controls, excluded.transfers, excluded.shared_cores)
    )
    INSERT INTO latest_nfs (host_id, taken_at, samples)
    SELECT host, at, CAST(nfs AS json) FROM batches
    ON CONFLICT (host_id) DO UPDATE SET taken_at = excluded.taken_at, samples = excluded.samples
"""
"""What is deleted is not named, and what is inserted is: no row is touched twice in the one statement. Samples of NFs,
which are most of a batch, are never looked into. The driver's own placeholders: `%b` sends texts as they are, so that
neither side escapes what JSON quotes.
"""
