"""Telemetry of one second, to which a part of the agent adds what it has to say."""

from datetime import UTC, datetime

from sextant_domain.base import Provenance
from sextant_domain.hosts.telemetry import ChainSample, TelemetryBatch

from .orders import HOST


def a_batch(*chains: ChainSample) -> TelemetryBatch:
    return TelemetryBatch(
        host_id=HOST, epoch="e", sequence=0, taken_at=datetime.now(UTC), interval_s=1, chains=chains,
        provenance=Provenance.MEASURED, applied_generation=1, phase="converged",
    )  # fmt: skip
