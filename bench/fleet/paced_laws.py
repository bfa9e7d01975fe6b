"""Turns of the laws that are evaluated every second, for all hosts: reading, deciding, writing."""

from collections.abc import Iterator, Sequence
from unittest.mock import patch

from cpu import Meter
from figures import Figure
from reporting import HOSTS_A_REQUEST
from seed import batch, inventories
from sextant_backend.kit.db import session_scope
from sextant_backend.kit.principal import Principal
from sextant_backend.modules.control import each_second, repository
from sextant_backend.modules.levels import service as levels
from sextant_backend.modules.nfs.catalogue import BY_NAME
from sextant_backend.modules.telemetry import service as telemetry
from sextant_domain.base import Provenance
from sextant_domain.console.access import Role
from sextant_domain.hosts.desired import DesiredHostConfig
from sextant_domain.hosts.levels import Level, TypeLevels
from sextant_domain.hosts.measured_levels import MeasuredLevels
from sqlalchemy import text

LEVELS = tuple(Level(gbps=float(gbps), ways=1 + gbps // 5, mb_percent=10 * (1 + gbps // 4)) for gbps in range(1, 11))
GOAL_PERCENT = 50


def every_second(meter: Meter, orders: Sequence[DesiredHostConfig], seconds: int) -> Iterator[Figure]:
    """What of a core it takes, once every host has been read: where nothing is to be planned, and right after a
    promotion, when each turn plans some hand-overs."""
    _promote(orders)
    with patch.object(each_second, "MOST_DRAFTS", 0):
        yield from _turns(meter, orders, seconds, "laws of every second", GOAL_PERCENT)
    most = each_second.MOST_DRAFTS
    yield from _turns(meter, orders, seconds // 3, f"the same, {most} plans a turn", 2 * GOAL_PERCENT)


def _turns(meter: Meter, orders: Sequence[DesiredHostConfig], seconds: int, name: str, goal: float) -> Iterator[Figure]:
    cores = len(inventories(1)[0].cores)
    own = server = wall = 0.0
    for second in range(seconds + 1):
        for at in range(0, len(orders), HOSTS_A_REQUEST):
            with session_scope() as session:
                telemetry.ingest_all(
                    session, tuple(batch(order, cores, second) for order in orders[at : at + HOSTS_A_REQUEST])
                )
        with meter.counted() as spent:
            each_second.tick()
        if second:
            own, server, wall = own + spent.own, server + spent.server, wall + spent.wall
    with session_scope() as session:
        hosts = session.execute(text("SELECT count(*) FROM numasfp_hosts")).scalar_one()
        opened = len(repository.open_ones(session))
    how = f"worker {100 * own / seconds:.0f}, PostgreSQL {100 * server / seconds:.0f}; {wall / seconds:.2f} s of time"
    how += f" each, {hosts} hosts looked at, {opened} recommendations open at the end"
    yield Figure(name, 100 * (own + server) / seconds, goal, "% of a core", how)


def _promote(orders: Sequence[DesiredHostConfig]) -> None:
    types = {nf.nf_type for order in orders for chain in order.content.chains for nf in chain.nfs}
    host_model = inventories(1)[0].host_model
    found = MeasuredLevels(
        levels=TypeLevels(local=LEVELS, remote=LEVELS[:7]), nodes=(), noise_percent=1.0, packet_bytes=256, flows=1000
    )
    for job_id, nf_type in enumerate(sorted(types), start=1):
        with session_scope() as session:
            number = levels.store(
                session,
                host_model=host_model,
                nf_type=nf_type,
                nf_version=BY_NAME[nf_type].version,
                measured=found,
                provenance=Provenance.SIMULATED,
                job_id=job_id,
                host_id=orders[0].content.host_id,
                who="bench",
            )
            levels.promote(session, number, Principal("bench", Role.ADMIN))
