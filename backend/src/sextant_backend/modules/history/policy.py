"""Levels of history and what each keeps, which of them answers a question, and what is rolled up. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sextant_backend.kit.partitions import Width
from sextant_backend.modules.telemetry.intervals import INTERVAL, start_of

SETTLING_S = 5.0
"""After the end of an interval, before it is rolled up: its samples are there by then, and it is done once."""


@dataclass(frozen=True)
class Level:
    """Rows of one length."""

    name: str
    length: timedelta
    width: Width
    """Of its partitions."""

    def done(self, rolled_until: datetime) -> datetime:
        """How far this level reaches of a host that is rolled up so far: its intervals that are over by then."""
        return start_of(rolled_until, self.length)


LEVELS = (
    Level("10s", INTERVAL, Width.DAY),
    Level("5min", timedelta(minutes=5), Width.MONTH),
    Level("1h", timedelta(hours=1), Width.MONTH),
    Level("1d", timedelta(days=1), Width.MONTH),
)
"""Each is rolled up from the one before, the first from samples. The last two keep as long as rows of five minutes, and
are there because a year of one chain is 105,120 of those, one to a page of the table."""


@dataclass(frozen=True)
class Kind:
    """What there is history of. The names of its figures are those of the samples."""

    name: str
    samples: str
    """A query of its samples: host_id, ts, simulated, the key and the figures of the `{range}` that is asked for."""
    key: tuple[str, ...]
    """What names one of them, beside the host. `core` and `position` are numbers."""
    figures: tuple[str, ...]
    """In every sample."""
    optional: tuple[str, ...] = ()
    """Only in samples of hosts that report them."""
    objectives: bool = False
    """Samples are judged by the objectives of their chain."""

    def table(self, level: Level) -> str:
        """Where its rows of a level are."""
        return f"history_{self.name}_{level.name}"


CHAIN = Kind(
    "chain",
    "SELECT * FROM chain_samples WHERE {range}",
    ("chain",),
    ("offered_mpps", "delivered_mpps", "drop_mpps", "filtered_mpps"),
    ("p50_us", "p95_us", "p99_us", "p999_us", "delivered_gbps"),
    objectives=True,
)
NF = Kind(
    "nf",
    "SELECT * FROM nf_samples WHERE {range}",
    ("nf_id", "core"),
    ("rx_mpps", "tx_mpps", "drop_mpps"),
    ("cpu_percent", "utilisation_percent"),
)
CORE = Kind(
    "core",
    "SELECT host_id, ts, simulated, one.core, one.busy_percent"
    " FROM core_samples CROSS JOIN LATERAL unnest(cores, core_samples.busy_percent) AS one(core, busy_percent)"
    " WHERE {range}",
    ("core",),
    ("busy_percent",),
)
HOST = Kind(
    "host",
    "SELECT host_id, ts, bool_or(simulated) AS simulated, sum(offered_mpps) AS offered_mpps,"
    " sum(delivered_mpps) AS delivered_mpps, sum(drop_mpps) AS drop_mpps, sum(delivered_gbps) AS delivered_gbps"
    " FROM chain_samples WHERE {range} GROUP BY host_id, ts",
    (),
    ("offered_mpps", "delivered_mpps", "drop_mpps"),
    ("delivered_gbps",),
)
"""A host has no samples of its own: the sum over its chains, second by second."""

HOP = Kind(
    "hop",
    "SELECT * FROM hop_samples WHERE {range}",
    ("chain", "position", "device", "nf_id"),
    (),
    ("latency_us", "p95_us", "most_us", "waits_us", "queue_packets"),
)

KINDS = (CHAIN, NF, CORE, HOST, HOP)


_STEPS_S = (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800)


@dataclass(frozen=True)
class Choice:
    """What a range of time is answered with."""

    level: Level | None
    """The coarsest that is read; None: samples alone."""
    step: timedelta

    @property
    def levels(self) -> tuple[Level, ...]:
        """All that are read, the coarsest first: what the first does not have yet, the next one has."""
        return () if self.level is None else tuple(reversed(LEVELS[: LEVELS.index(self.level) + 1]))


def choose(start: datetime, end: datetime, points: int, kept_from: Mapping[Level | None, datetime]) -> Choice:
    """The shortest step by which no more than so many points come back, from the coarsest level that is no longer than
    it; from a coarser one where that does not go back to `start`."""
    least_s = (end - start).total_seconds() / points
    step = timedelta(seconds=next((step for step in _STEPS_S if step >= least_s), _STEPS_S[-1]))
    fitting = [level for level in (None, *LEVELS) if level is None or level.length <= step]
    wanted = fitting[-1]
    for level in (wanted, *LEVELS[len(fitting) - 1 :]):
        if kept_from[level] <= start or level is LEVELS[-1]:
            return Choice(level, step if level is None else max(step, level.length))
    raise AssertionError("the last level answers whatever the others do not")
