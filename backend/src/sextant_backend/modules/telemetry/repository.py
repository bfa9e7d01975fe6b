"""Queries of the latest tables, and the history of a chain."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sextant_domain.base import Provenance
from sextant_domain.telemetry import ChainSample, NfSample
from sqlalchemy import func, select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from sextant_backend.modules.telemetry.models import LatestChain, LatestHost, LatestNf, chain_samples


@dataclass(frozen=True)
class Latest:
    """The newest sample of a chain, when it was taken and what kind of figure it is."""

    sample: ChainSample
    taken_at: datetime
    provenance: Provenance


def latest_nfs(session: Session, nf_ids: Sequence[str]) -> dict[tuple[str, str], NfSample]:
    """The newest samples by (NF, host), in one query."""
    query = select(LatestNf).where(LatestNf.nf_id.in_(nf_ids))
    rows = session.scalars(query).all() if nf_ids else []
    return {(row.nf_id, row.host_id): NfSample.model_validate(row.sample) for row in rows}


def latest_chains(session: Session, names: Iterable[str] | None = None) -> dict[str, Latest]:
    """The newest sample of each chain (all chains where `names` is None), in one query."""
    query = select(LatestChain).order_by(LatestChain.taken_at)
    if names is not None:
        query = query.where(LatestChain.chain.in_(list(names)))
    return {
        row.chain: Latest(ChainSample.model_validate(row.sample), row.taken_at, Provenance(row.provenance))
        for row in session.scalars(query)
    }


def held_host(session: Session, host_id: str) -> LatestHost:
    """What an enrolled host said last, held so that rival batches of one host wait for each other."""
    query = select(LatestHost).where(LatestHost.host_id == host_id).with_for_update()
    found = session.scalars(query.execution_options(populate_existing=True)).one_or_none()
    if found is None:
        heard(session, host_id)
        found = session.scalars(query).one()
    return found


def heard(session: Session, host_id: str) -> None:
    """Note by the database's clock that a host has reported."""
    values = {"heard_at": func.clock_timestamp()}
    query = insert(LatestHost).values(host_id=host_id, cores=[], applied_generation=0, **values)
    session.execute(query.on_conflict_do_update(index_elements=["host_id"], set_=values))


def replace_chains(session: Session, host_id: str, taken_at: datetime, provenance: str, samples: str) -> None:
    """Make `samples` (a JSON array of ChainSamples) the newest of this host, and forget chains it no longer names."""
    parameters = {"host": host_id, "at": taken_at, "provenance": provenance, "samples": samples}
    session.execute(_FORGET_CHAINS, {"host": host_id, "samples": samples})
    session.execute(_REPLACE_CHAINS, parameters)


def replace_nfs(session: Session, host_id: str, taken_at: datetime, samples: str) -> None:
    """Make `samples` (a JSON array of NfSamples) the newest of this host, and forget NFs it no longer names."""
    session.execute(_FORGET_NFS, {"host": host_id, "samples": samples})
    session.execute(_REPLACE_NFS, {"host": host_id, "at": taken_at, "samples": samples})


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


_FORGET_CHAINS = text(
    "DELETE FROM latest_chains WHERE host_id = :host AND chain NOT IN"
    " (SELECT s->>'chain' FROM jsonb_array_elements(CAST(:samples AS jsonb)) s)"
)
_REPLACE_CHAINS = text(
    "INSERT INTO latest_chains (chain, host_id, taken_at, provenance, sample)"
    " SELECT s->>'chain', :host, :at, :provenance, s FROM jsonb_array_elements(CAST(:samples AS jsonb)) s"
    " ON CONFLICT (chain, host_id) DO UPDATE"
    " SET taken_at = excluded.taken_at, provenance = excluded.provenance, sample = excluded.sample"
)
_FORGET_NFS = text(
    "DELETE FROM latest_nfs WHERE host_id = :host AND nf_id NOT IN"
    " (SELECT s->>'nf_id' FROM jsonb_array_elements(CAST(:samples AS jsonb)) s)"
)
_REPLACE_NFS = text(
    "INSERT INTO latest_nfs (nf_id, host_id, taken_at, sample)"
    " SELECT s->>'nf_id', :host, :at, s FROM jsonb_array_elements(CAST(:samples AS jsonb)) s"
    " ON CONFLICT (nf_id, host_id) DO UPDATE SET taken_at = excluded.taken_at, sample = excluded.sample"
)
