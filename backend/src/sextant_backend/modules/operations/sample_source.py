"""Stored telemetry for steps that measure: outside of any request, in transactions of their own."""

from datetime import datetime, timedelta

from sextant_backend.kit.db import db_now, session_scope
from sextant_backend.modules.operations.readings import Reading, Sample, reading_of
from sextant_backend.modules.telemetry import repository as telemetry


class SampleSource:
    """Of any host. Safe between threads."""

    def now(self) -> datetime:
        """By the database's clock."""
        with session_scope() as session:
            return db_now(session)

    def newest(self, host: str) -> Reading | None:
        """When its newest sample was taken, by its own clock; None of a host that reports nothing."""
        with session_scope() as session:
            found = telemetry.newest(session, host)
            return None if found is None else Reading(at=found[0], provenance=found[1])

    def last(self, host: str, seconds: float) -> Reading | None:
        """Of so many seconds before its newest sample."""
        newest = self.newest(host)
        if newest is None:
            return None
        return reading_of(
            newest.at, newest.provenance, self.between(host, newest.at - timedelta(seconds=seconds), newest.at)
        )

    def between(self, host: str, after: datetime, until: datetime) -> list[Sample]:
        """Of all its chains, by rising time: later than `after`, `until` included."""
        with session_scope() as session:
            return [Sample(*found) for found in telemetry.samples_between(session, host, after, until)]
