"""Take in what agents measure, once; read it back."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from sextant_domain.hosts.telemetry import TelemetryBatch
from sextant_domain.problem import FieldError
from sqlalchemy.orm import Session

from sextant_backend.domain_events import BatchesStored, announce
from sextant_backend.kit import outbox
from sextant_backend.kit.db import db_now
from sextant_backend.kit.errors import ValidationFailed
from sextant_backend.modules.telemetry import (
    bulk_copy,
    intervals,
    latest,
    moments,
    other_work,
    partitions,
    received,
    repository,
    structs,
)
from sextant_backend.modules.telemetry.repository import HeldHost
from sextant_backend.modules.telemetry.schemas import ChainHistory
from sextant_backend.modules.telemetry.texts import BatchText
from sextant_backend.settings import get_settings


def ingest(session: Session, batch: TelemetryBatch) -> bool:
    """Store a batch and publish it to open consoles; False where it was stored before. The host must be enrolled."""
    return ingest_all(session, [batch]) == 1


def ingest_all(session: Session, batches: Sequence[TelemetryBatch]) -> int:
    """The same for batches of many hosts, in statements that do not grow in number; returns how many were new.

    Batches of one host wait for each other, and (epoch, sequence) identifies a repeat: of the present epoch, or of the
    one before, whose last batches may arrive after an agent's restart.
    """
    batches = [structs.of(batch) for batch in batches]
    for batch in batches:
        _refuse_repeats_within(batch)
    held = repository.held_hosts(session, {batch.host_id for batch in batches})
    now = db_now(session)
    changed = dict.fromkeys(held, False)
    fresh: list[tuple[TelemetryBatch, datetime]] = []
    texts: list[BatchText] = []
    newest: dict[str, tuple[TelemetryBatch, BatchText]] = {}
    for batch in batches:
        host = held[batch.host_id]
        if not _seen(host, batch):
            at = moments.measured_at(batch.host_id, batch.taken_at, now)
            changed[batch.host_id] |= host.applied_generation != batch.applied_generation
            _follow(host, batch, at)
            fresh.append((batch, at))
            texts.append(BatchText.of(batch))
            newest[batch.host_id] = batch, texts[-1]
    if fresh:
        for at in {at.astimezone(UTC).date(): at for _, at in fresh}.values():
            partitions.ensure(at)
        bulk_copy.store(session, fresh)
    latest.replace(session, now, held, newest)
    announce(session, BatchesStored(changed))
    received.note(session, [batch for batch, _ in fresh], repeated=len(batches) - len(fresh))
    for text in texts:
        outbox.publish_json(session, b'{"event":"telemetry","batch":%b}' % text.whole)
    return len(fresh)


def _refuse_repeats_within(batch: TelemetryBatch) -> None:
    for field, samples, names in (
        ("nfs", batch.nfs, {sample.nf_id for sample in batch.nfs}),
        ("chains", batch.chains, {sample.chain for sample in batch.chains}),
        ("cores", batch.cores, {sample.core for sample in batch.cores}),
        ("nodes", batch.nodes, {sample.node for sample in batch.nodes}),
        ("shared_cores", batch.shared_cores, {one.core for one in batch.shared_cores}),
        ("bounded_nfs", batch.bounded_nfs, {one.nf_id for one in batch.bounded_nfs}),
        ("controls", batch.controls, {control.chain for control in batch.controls}),
    ):
        if len(names) != len(samples):
            error = FieldError(field=field, message="names one of them twice")
            detail = "A batch has one sample of each NF, chain, core and node, one control of a chain or core."
            raise ValidationFailed(f"{detail} Nothing was stored.", errors=[error])


def _seen(host: HeldHost, batch: TelemetryBatch) -> bool:
    for epoch, sequence in ((host.epoch, host.sequence), (host.previous_epoch, host.previous_sequence)):
        if epoch == batch.epoch and sequence is not None:
            return batch.sequence <= sequence
    return False


def _follow(host: HeldHost, batch: TelemetryBatch, at: datetime) -> None:
    if host.epoch != batch.epoch:
        host.previous_epoch, host.previous_sequence = host.epoch, host.sequence
    host.epoch, host.sequence = batch.epoch, batch.sequence
    silent = host.taken_at is None or (at - host.taken_at).total_seconds() > other_work.WINDOW_S
    host.other_work = other_work.followed([] if silent else host.other_work, batch.cores, batch.interval_s)
    host.taken_at = at
    if at < host.rolled_until:
        host.rolled_until = intervals.start_of(at)
    host.applied_generation = batch.applied_generation
    host.provenance, host.phase = batch.provenance.value, batch.phase
    host.throughput_mpps = sum(chain.delivered_mpps for chain in batch.chains)
    host.chains = [chain.chain for chain in batch.chains]


def history(session: Session, chain: str, seconds: int) -> ChainHistory:
    """A chain's last seconds, oldest first; empty where nothing was measured."""
    rows = repository.chain_history(session, chain, timedelta(seconds=seconds))
    return ChainHistory(samples=tuple((at.timestamp(), *figures) for at, *figures in rows))


def housekeep(session: Session) -> int:
    """Make partitions ahead and drop old ones that are rolled up; returns how many were dropped."""
    today = db_now(session).astimezone(UTC).date()
    days, rolled_until = get_settings().telemetry_retention_days, repository.rolled_until(session)
    return partitions.keep(session, today, days, rolled_until)
