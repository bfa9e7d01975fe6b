"""The table `drawing`: POST /chains/predictions while a chain of eight NFs is drawn, NF after NF, in a real database.

Everything runs that fits, five chains a host. Before each request ten hosts have got another order and all have
reported: what an installation does meanwhile. CPU time is of the console's process, that of its client included.
"""

import random
import time
from collections.abc import Iterator
from statistics import median, quantiles
from typing import Any

import fleet
from fastapi.testclient import TestClient
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.hosts.models import Host
from sextant_backend.modules.telemetry.models import LatestHost
from sqlalchemy import func, insert, select, text, update

GOALS_MS = {4: 150}
LARGE_GOAL_MS = 300
REQUESTS = 96
TOUCHED = 10
NFS = ("router", "firewall", "basic-monitor", "simple-forward", "firewall", "router", "basic-monitor", "firewall")


def drawing(*sizes: int) -> Iterator[str]:
    """A row for each number of hosts."""
    yield "| hosts x chains | first: CPU ms | CPU ms: median, p95 | wall ms: median, p95 | goal: CPU, p95 | answer kB |"
    yield "|---|---|---|---|---|---|"
    with fleet.servers() as client:
        for hosts in sizes:
            fleet.seed(hosts, 5 * hosts, fleet.SEATS["all fit"])
            _, body = fleet.planned(client)
            fleet.apply(body)
            yield f"| {hosts} x {5 * hosts} {_row(client, hosts)}"


def _row(client: TestClient, hosts: int) -> str:
    _reports()
    dice = random.Random(1)
    first, _, _ = _asked(client, 1)
    cpu, wall, sizes = [], [], []
    for number in range(REQUESTS):
        _meanwhile(dice, hosts)
        cpu_ms, wall_ms, size = _asked(client, 1 + number % len(NFS))
        cpu.append(cpu_ms)
        wall.append(wall_ms)
        sizes.append(size)
    goal, p95 = GOALS_MS.get(hosts, LARGE_GOAL_MS), quantiles(cpu, n=20)[-1]
    return (
        f"| {first:.0f} | {median(cpu):.0f}, {p95:.0f} | {median(wall):.0f}, {quantiles(wall, n=20)[-1]:.0f} "
        f"| {goal}: {'met' if p95 <= goal else 'missed'} | {max(sizes) / 1000:.1f} |"
    )


def _asked(client: TestClient, nfs: int) -> tuple[float, float, int]:
    """CPU and wall time of a request in ms, and the bytes of its answer."""
    spec: dict[str, Any] = {"name": "drawn", "nfs": NFS[:nfs], "traffic": {"rate_mpps": 5.0, "packet_bytes": 256}}
    began, wall = time.process_time(), time.monotonic()
    answer = client.post(f"{fleet.API}/chains/predictions", json=spec)
    cpu_s, wall_s = time.process_time() - began, time.monotonic() - wall
    assert answer.is_success and answer.json()["host"] is not None, answer.text
    return 1000 * cpu_s, 1000 * wall_s, len(answer.content)


def _reports() -> None:
    """What every host uses of its cores beside its NFs: much of one of them on every tenth host."""
    with session_scope() as session:
        names = session.scalars(select(Host.host_id).order_by(Host.host_id)).all()
        cores = fleet.NODES * fleet.CORES_A_NODE
        rows = [
            {
                "host_id": name,
                "heard_at": func.clock_timestamp(),
                "cores": [],
                "other_work": [[core, 60.0 if core == 1 and not at % 10 else 2.5, 30.0] for core in range(cores)],
            }
            for at, name in enumerate(names)
        ]
        for row in rows:
            session.execute(insert(LatestHost).values(row))


def _meanwhile(dice: random.Random, hosts: int) -> None:
    with session_scope() as session:
        touched = [f"h{dice.randrange(hosts):04}" for _ in range(TOUCHED)]
        order = {"desired_generation": Host.desired_generation + 1}
        session.execute(update(Host).where(Host.host_id.in_(touched)).values(order))
        session.execute(text("UPDATE latest_hosts SET heard_at = clock_timestamp()"))
