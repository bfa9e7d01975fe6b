"""Take in what agents measure, once; read it back."""

import json
from datetime import UTC, datetime, timedelta

import structlog
from sextant_domain.live import TelemetryEvent
from sextant_domain.problem import FieldError
from sextant_domain.telemetry import TelemetryBatch
from sqlalchemy.orm import Session

from sextant_backend.kit import outbox
from sextant_backend.kit.db import db_now
from sextant_backend.kit.errors import ValidationFailed
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.telemetry import copy, partitions, repository
from sextant_backend.modules.telemetry.models import LatestHost
from sextant_backend.modules.telemetry.schemas import ChainHistory
from sextant_backend.settings import get_settings

LATE = timedelta(minutes=5)
"""An agent keeps at most 120 batches of a second each: older ones come from a clock that is wrong."""
EARLY = timedelta(seconds=5)
_log = structlog.get_logger()


def ingest(session: Session, batch: TelemetryBatch) -> bool:
    """Store a batch and tell open consoles; False where it was stored before. The host must be enrolled.

    Batches of one host wait for each other, and (epoch, sequence) tells a repeat: of the present epoch, or of the one
    before, whose last batches may arrive after an agent's restart.
    """
    _refuse_repeats_within(batch)
    latest = repository.held_host(session, batch.host_id)
    now = db_now(session)
    latest.heard_at = now
    if _seen(latest, batch):
        session.flush()
        hosts.heard(session, batch.host_id, changed=False)
        return False
    at = _moment(batch, now)
    changed = latest.applied_generation != batch.applied_generation
    _update(latest, batch, at)
    session.flush()
    partitions.ensure(at)
    copy.store(session, batch, at)
    _replace_latest(session, batch, at)
    hosts.heard(session, batch.host_id, changed=changed)
    outbox.publish(session, TelemetryEvent(batch=batch))
    return True


def _refuse_repeats_within(batch: TelemetryBatch) -> None:
    for field, names in (
        ("nfs", [sample.nf_id for sample in batch.nfs]),
        ("chains", [sample.chain for sample in batch.chains]),
        ("cores", [str(sample.core) for sample in batch.cores]),
        ("nodes", [str(sample.node) for sample in batch.nodes]),
    ):
        if len(set(names)) != len(names):
            error = FieldError(field=field, message="names one of them twice")
            raise ValidationFailed(
                "A batch has one sample of each NF, chain, core and node. Nothing was stored.", errors=[error]
            )


def _seen(latest: LatestHost, batch: TelemetryBatch) -> bool:
    for epoch, sequence in (
        (latest.epoch, latest.sequence),
        (latest.previous_epoch, latest.previous_sequence),
    ):
        if epoch == batch.epoch and sequence is not None:
            return batch.sequence <= sequence
    return False


def _moment(batch: TelemetryBatch, now: datetime) -> datetime:
    """When it was measured; now where the agent's clock cannot be right."""
    taken_at = batch.taken_at if batch.taken_at.tzinfo else batch.taken_at.replace(tzinfo=UTC)
    if now - LATE <= taken_at <= now + EARLY:
        return taken_at
    _log.debug("clock_differs", host=batch.host_id, seconds=round((taken_at - now).total_seconds()))
    return now


def _update(latest: LatestHost, batch: TelemetryBatch, at: datetime) -> None:
    if latest.epoch != batch.epoch:
        latest.previous_epoch, latest.previous_sequence = latest.epoch, latest.sequence
    latest.epoch, latest.sequence = batch.epoch, batch.sequence
    latest.taken_at, latest.provenance = at, batch.provenance.value
    latest.applied_generation, latest.phase = batch.applied_generation, batch.phase
    latest.throughput_mpps = sum(chain.delivered_mpps for chain in batch.chains)
    latest.cores = [core.model_dump(mode="json") for core in batch.cores]


def _replace_latest(session: Session, batch: TelemetryBatch, at: datetime) -> None:
    chains = json.dumps([sample.model_dump(mode="json") for sample in batch.chains])
    nfs = json.dumps([sample.model_dump(mode="json") for sample in batch.nfs])
    repository.replace_chains(session, batch.host_id, at, batch.provenance.value, chains)
    repository.replace_nfs(session, batch.host_id, at, nfs)


def history(session: Session, chain: str, seconds: int) -> ChainHistory:
    """A chain's last seconds, oldest first; empty where nothing was measured."""
    rows = repository.chain_history(session, chain, timedelta(seconds=seconds))
    return ChainHistory(samples=tuple((at.timestamp(), *figures) for at, *figures in rows))


def housekeep(session: Session) -> int:
    """Make partitions ahead and drop old ones; returns how many were dropped."""
    today = db_now(session).astimezone(UTC).date()
    return partitions.keep(session, today, get_settings().telemetry_retention_days)
