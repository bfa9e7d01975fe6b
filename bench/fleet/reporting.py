"""Telemetry of all hosts, once a second, as a gateway reports it: requests of 200 hosts."""

import gc
from collections.abc import Iterable, Iterator, Sequence

from cpu import Meter
from figures import Figure
from seed import batch, inventories
from sextant_backend.fleet.reports import batches_in
from sextant_backend.kit import memory
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.telemetry import service as telemetry
from sextant_domain.hosts.desired import DesiredHostConfig
from sextant_domain.hosts.telemetry import TelemetryBatch, as_sent

HOSTS_A_REQUEST = 200
"""As the agent of simulated hosts sends them."""


def every_second(meter: Meter, orders: Sequence[DesiredHostConfig], seconds: int) -> Iterator[Figure]:
    """What of a core reading, storing and publishing it takes; without TLS."""
    own = server = wall = 0.0
    gc.freeze()  # what the bench itself holds is nothing that a listener would look through
    memory.collect_seldom()
    for second in range(seconds):
        bodies = _bodies(orders, second)
        with meter.counted() as spent:
            _ingest(bodies)
        if second:  # the first makes every row
            own, server, wall = own + spent.own, server + spent.server, wall + spent.wall
    if seconds > 1:
        size = sum(map(len, bodies)) / 1e6
        each = seconds - 1
        how = f"listener {100 * own / each:.0f}, PostgreSQL {100 * server / each:.0f}; {size:.1f} MB a second, " + (
            f"{seconds - 1} s, {wall / each:.2f} s of time each"
        )
        yield Figure("telemetry at 1 Hz", 100 * (own + server) / each, 40, "% of a core", how)


def report(orders: Sequence[DesiredHostConfig], second: int) -> None:
    """That second of all hosts."""
    _ingest(_bodies(orders, second))


def _bodies(orders: Sequence[DesiredHostConfig], second: int) -> list[bytes]:
    cores = len(inventories(1)[0].cores)
    return [
        _body(batch(order, cores, second) for order in orders[at : at + HOSTS_A_REQUEST])
        for at in range(0, len(orders), HOSTS_A_REQUEST)
    ]


def _ingest(bodies: Iterable[bytes]) -> None:
    for body in bodies:
        batches = batches_in(body)
        with session_scope() as session:
            telemetry.ingest_all(session, batches)


def _body(batches: Iterable[TelemetryBatch]) -> bytes:
    return f'{{"batches":[{",".join(map(as_sent, batches))}]}}'.encode()
