"""Counts of what the fleet listener takes in, for the fleet's metrics."""

from collections.abc import Collection

from sextant_domain.hosts.telemetry import TelemetryBatch
from sqlalchemy.orm import Session

from sextant_backend.kit import outbox, tallies

BATCHES, SAMPLES = "telemetry_batches", "telemetry_samples"
STORED, REPEATED, REFUSED = OUTCOMES = ("stored", "repeated", "refused")
KINDS = ("chain", "nf", "core")


def note(session: Session, stored: Collection[TelemetryBatch], repeated: int) -> None:
    """Count these once the transaction is committed."""
    for kind, number in zip(
        KINDS,
        (
            sum(len(batch.chains) for batch in stored),
            sum(len(batch.nfs) for batch in stored),
            sum(len(batch.cores) for batch in stored),
        ),
        strict=True,
    ):
        outbox.count(session, SAMPLES, number, kind)
    outbox.count(session, BATCHES, len(stored), STORED)
    outbox.count(session, BATCHES, repeated, REPEATED)


def note_refused(number: int) -> None:
    """Count batches of hosts that the sender may not speak for."""
    tallies.add(BATCHES, number, REFUSED)
    tallies.flush()
