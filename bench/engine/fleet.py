"""The table `fleet`: from POST /plans to the plan stored, for a thousand hosts, in a real database.

A process of its own plans (`python bench/engine/fleet.py`, which reads the number of a plan), as a worker does: its
wall time, CPU time and memory are what the table shows.
"""

import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient
from sextant_backend import migrate
from sextant_backend.app import console_app
from sextant_backend.kit import logging
from sextant_backend.kit.db import allow_idle, session_scope
from sextant_backend.kit.principal import CSRF_HEADER
from sextant_backend.modules.auth import service as auth
from sextant_backend.modules.chains.models import ChainRow
from sextant_backend.modules.hosts.models import Host
from sextant_backend.modules.plans import planner
from sextant_backend.settings import get_settings
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.chains.traffic import Traffic
from sextant_domain.console.access import Role
from sextant_domain.hosts.desired import DesiredHostConfig, HostContent
from sextant_domain.hosts.host import Core, HostInventory, Nic, NumaNode, Port, ReservedFor
from sextant_domain.plans.evidence import PlanProgress
from sextant_domain.plans.plan import ChangeKind, PlanBody
from sextant_run.servers import temporary_postgres, temporary_valkey
from sqlalchemy import insert, text, update

API, PASSWORD = "/api/v1", "a long enough password"
NODES, CORES_A_NODE = 2, 24
TYPES = ("router", "firewall", "basic-monitor", "simple-forward")
MODELS = ("xeon-2x24", "xeon-2x24-smt", "epyc-2x24")
SEATS = {"all fit": 24, "some do not fit": 9}
"""Cores a node that NFs may use; the system holds the others."""


def fleet(hosts: int, chains: int) -> Iterator[str]:
    """A fleet with room for all, the same fleet once everything runs, and one in which some chains do not fit."""
    yield "| hosts x chains | fleet | wall s | CPU s | of it | peak MiB | placed, rejected | hosts proven | exchanges |"
    yield "|---|---|---|---|---|---|---|---|---|"
    with servers() as client:
        for name, seats in SEATS.items():
            seed(hosts, chains, seats)
            row, body = planned(client)
            yield f"| {hosts} x {chains} | {name} {row}"
            if name == "all fit":
                apply(body)
                row, _ = planned(client)
                yield f"| {hosts} x {chains} | everything runs {row}"


@contextmanager
def servers() -> Iterator[TestClient]:
    """The console on servers of its own, with an operator signed in."""
    with ExitStack() as stack:
        os.environ["DATABASE_URL"] = stack.enter_context(temporary_postgres())
        os.environ["REDIS_URL"] = stack.enter_context(temporary_valkey())
        get_settings.cache_clear()
        logging.configure("bench", "WARNING")
        migrate.upgrade()
        with session_scope() as session:
            auth.create_user(session, "ada", PASSWORD, Role.OPERATOR)
        client = stack.enter_context(TestClient(console_app()))
        answer = client.post(f"{API}/auth/login", json={"username": "ada", "password": PASSWORD})
        client.headers[CSRF_HEADER] = answer.json()["csrf_token"]
        yield client


def inventory(name: str, model: str, seats: int) -> HostInventory:
    """Two nodes of 24 physical cores, on one model with two threads each; a NIC on either node."""
    threads = 2 if model.endswith("smt") else 1
    total = NODES * CORES_A_NODE
    return HostInventory(
        host_id=name,
        hostname=name,
        host_model=model,
        driver="opennetvm",
        kernel="6.1",
        agent_version="0.1.0",
        nodes=tuple(NumaNode(id=node, socket=node, memory_bytes=2**37) for node in range(NODES)),
        cores=tuple(
            Core(
                id=thread * total + core,
                node=core // CORES_A_NODE,
                socket=core // CORES_A_NODE,
                physical_core=core,
                siblings=tuple(other * total + core for other in range(threads) if other != thread),
                reserved_for=None if core % CORES_A_NODE < seats else ReservedFor.SYSTEM,
            )
            for thread in range(threads)
            for core in range(total)
        ),
        nics=(Nic(name="eth0", node=0), Nic(name="eth1", node=1)),
        ports=(Port(name="eth0", node=0, kind="nic"), Port(name="eth1", node=1, kind="nic")),
    )


def chain(number: int, dice: random.Random) -> ChainSpec:
    """Three to five NFs at 1 to 6 Mpps, worth 1, 2 or 5; one in eight names the port it enters by."""
    return ChainSpec.model_validate(
        {
            "name": f"c{number:05}",
            "nfs": [dice.choice(TYPES) for _ in range(dice.randint(3, 5))],
            "traffic": Traffic(rate_mpps=1.0 + dice.randrange(50) / 10, packet_bytes=256),
            "ingress": {"port": f"eth{dice.randrange(2)}"} if dice.random() < 1 / 8 else {},
            "value": dice.choice((1.0, 2.0, 5.0)),
        }
    )


def seed(hosts: int, chains: int, seats: int) -> None:
    """Empty hosts that are up, and chains that wait, straight into the tables."""
    dice = random.Random(1)
    specs = [chain(number, dice) for number in range(chains)]
    with session_scope() as session:
        allow_idle(session)
        session.execute(text("TRUNCATE hosts, chains, placed_nfs, plans CASCADE"))
        session.execute(insert(Host), [_host(f"h{number:04}", MODELS[number % 3], seats) for number in range(hosts)])
        rows = [{"name": one.name, "spec": one.model_dump(mode="json"), "created_by": "ada"} for one in specs]
        session.execute(insert(ChainRow), rows)


def _host(name: str, model: str, seats: int) -> dict[str, Any]:
    empty = DesiredHostConfig.of(0, HostContent(host_id=name))
    return {
        "host_id": name,
        "status": "up",
        "status_reason": "it reports",
        "agent_url": "https://127.0.0.1:1",
        "inventory": inventory(name, model, seats).model_dump(mode="json"),
        "registered_at": datetime.now(UTC),
        **_ordered(empty),
    }


def _ordered(order: DesiredHostConfig) -> dict[str, Any]:
    return {
        "desired": order.model_dump(mode="json"),
        "desired_generation": order.generation,
        "desired_digest": order.digest,
    }


def apply(body: PlanBody) -> None:
    """As if every agent had taken its order."""
    with session_scope() as session:
        for order in body.target:
            session.execute(update(Host).where(Host.host_id == order.content.host_id).values(_ordered(order)))


def planned(client: TestClient) -> tuple[str, PlanBody]:
    """Ask, let it be made, and read it back: a row's cells, and the plan."""
    with subprocess.Popen([sys.executable, __file__], stdin=-1, stdout=-1, text=True) as planner:
        assert planner.stdin is not None and planner.stdout is not None
        planner.stdout.readline()  # it has started and is connected, as a worker is
        began = time.monotonic()
        plan_id = client.post(f"{API}/plans", json={"intent": {"kind": "replace"}}).raise_for_status().json()["id"]
        report = json.loads(planner.communicate(f"{plan_id}\n")[0])
        wall = time.monotonic() - began
    plan = client.get(f"{API}/plans/{plan_id}").json()
    if plan["state"] != "proposed":
        sys.exit(f"the plan is {plan['state']}: {plan['error']}")
    body = PlanBody.model_validate(plan["body"])
    broken = [finding for finding in body.checks if not finding.ok]
    if broken:
        sys.exit(f"the checker refuses the plan: {broken}")
    return _cells(wall, report, body), body


def _cells(wall: float, report: dict[str, Any], body: PlanBody) -> str:
    stages: dict[str, float] = report["stages"]
    of_it = ", ".join(f"{name} {cpu_s:.1f}" for name, cpu_s in stages.items())
    placed = len({change.chain for change in body.changes if change.kind is ChangeKind.START})
    status = Counter(host.status for host in body.evidence.hosts)
    return (
        f"| {wall:.1f} | {sum(stages.values()):.1f} | {of_it} | {report['peak_mib']:.0f} "
        f"| {placed}, {len(body.rejected)} | {status['optimal']} of {status.total()} | {body.evidence.exchanges} |"
    )


class _Clock(planner.Watch):
    """Reports progress as the worker's does, and notes when each stage began."""

    begun: list[tuple[str, float]] = []  # noqa: RUF012 - one plan a process
    """Each stage, as often as it was entered, and the CPU time at that moment."""

    def __call__(self, progress: PlanProgress) -> bool:
        self.note(progress.stage)
        return super().__call__(progress)

    @classmethod
    def note(cls, stage: str) -> None:
        """A stage that has begun already goes on."""
        if not cls.begun or cls.begun[-1][0] != stage:
            cls.begun.append((stage, time.process_time()))


def _planner() -> None:
    """What a worker does with the plan whose number comes on standard input."""
    with session_scope() as session:
        session.execute(text("SELECT 1"))
    print("ready", flush=True)
    plan_id = int(sys.stdin.readline())
    make_plan = planner.make_plan

    def timed(*arguments: Any) -> PlanBody:
        body = make_plan(*arguments)
        _Clock.note("storing")
        return body

    planner.Watch, planner.make_plan = _Clock, timed  # type: ignore[misc]
    planner.make(plan_id)
    _Clock.note("end")
    stages: dict[str, float] = {}
    for (name, began), (_, ended) in pairwise(_Clock.begun):
        stages[name] = stages.get(name, 0.0) + ended - began
    print(json.dumps({"stages": stages, "peak_mib": _peak_mib()}))


def _peak_mib() -> float:
    """Most that this process has held, its interpreter included; what `ru_maxrss` says may be its parent's."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:"))


if __name__ == "__main__":
    _planner()
