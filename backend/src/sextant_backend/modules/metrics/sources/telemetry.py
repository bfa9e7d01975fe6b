"""Telemetry: what the fleet listener takes in and refuses, and how far it is rolled up."""

from sqlalchemy import text
from sqlalchemy.orm import Session

from sextant_backend.kit.context import FLEET_REQUESTS, STATUS_CLASSES
from sextant_backend.modules.metrics.frame import Family, Found, Group
from sextant_backend.modules.metrics.sources.tallies import Sums
from sextant_backend.modules.telemetry import received

BATCHES = Family(
    "sextant_telemetry_batches_total",
    "batches",
    ("outcome",),
    "Batches of telemetry: stored, repeated (known already), or refused because the sender may not speak for the host",
    Group.FLEET,
    "counter",
)
SAMPLES = Family(
    "sextant_telemetry_samples_total",
    "samples",
    ("of",),
    "Samples stored, of chains, NFs and cores",
    Group.FLEET,
    "counter",
)
REQUESTS = Family(
    "sextant_fleet_requests_total",
    "requests",
    ("status_class",),
    "Requests that the fleet listener has answered; 4xx are those that it refused",
    Group.FLEET,
    "counter",
)
ROLLED = Family(
    "sextant_telemetry_rolled_up_timestamp_seconds",
    "s",
    (),
    "What every host measured before is rolled up into history; some 20 s ago where nothing is late",
    Group.FLEET,
)
FAMILIES = (BATCHES, SAMPLES, REQUESTS, ROLLED)

_ROLLED = text("SELECT extract(epoch FROM min(rolled_until)) FROM latest_hosts")


def collect(session: Session, found: Found, sums: Sums) -> None:
    """One statement."""
    for outcome in received.OUTCOMES:
        found.add(BATCHES, sums.of(received.BATCHES, outcome), outcome)
    for kind in received.KINDS:
        found.add(SAMPLES, sums.of(received.SAMPLES, kind), kind)
    for status_class in STATUS_CLASSES:
        found.add(REQUESTS, sums.of(FLEET_REQUESTS, status_class), status_class)
    found.add(ROLLED, session.execute(_ROLLED).scalar_one())
