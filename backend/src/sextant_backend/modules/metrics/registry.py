"""Every family of the fleet's metrics. A new source is a file of its own and a line here."""

from sqlalchemy.orm import Session

from sextant_backend.modules.metrics.frame import Family, Found, Group
from sextant_backend.modules.metrics.sources import (
    alerts,
    burn_rates,
    chains,
    hosts,
    laws,
    nfs,
    operations,
    predictions,
    queues,
    tallies,
    telemetry,
)

SERIES = Family("sextant_metrics_series", "series", ("group",), "Series found, those left out included", Group.FLEET)
LEFT_OUT = Family(
    "sextant_metrics_left_out",
    "0 or 1",
    ("group",),
    "1 where all series of the group are left out, because there would be more than the limit",
    Group.FLEET,
)
LIMIT = Family("sextant_metrics_series_limit", "series", (), "SEXTANT_METRICS_MAX_SERIES", Group.FLEET)
COLLECTED = Family(
    "sextant_metrics_collected_timestamp_seconds",
    "s",
    (),
    "When these metrics were read, by the database's clock; they are kept for SEXTANT_METRICS_KEPT_S",
    Group.FLEET,
)
SECONDS = Family("sextant_metrics_collection_duration_seconds", "s", (), "How long that took", Group.FLEET)
OF_THEMSELVES = (SERIES, LEFT_OUT, LIMIT, COLLECTED, SECONDS)

FAMILIES: tuple[Family, ...] = (
    *hosts.FAMILIES,
    *chains.FAMILIES,
    *predictions.FAMILIES,
    *burn_rates.FAMILIES,
    *nfs.FAMILIES,
    *operations.FAMILIES,
    *queues.FAMILIES,
    *laws.FAMILIES,
    *alerts.FAMILIES,
    *telemetry.FAMILIES,
    *OF_THEMSELVES,
)


def collect(session: Session) -> Found:
    """Everything that there is: a fixed number of statements."""
    found, sums = Found(), tallies.read()
    for source in (
        hosts.collect,
        chains.collect,
        predictions.collect,
        burn_rates.collect,
        nfs.collect,
        operations.collect,
        queues.collect,
        alerts.collect,
    ):
        source(session, found)
    laws.collect(session, found, sums)
    telemetry.collect(session, found, sums)
    return found
