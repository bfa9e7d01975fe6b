"""CPU of the start of each process by itself, as a unit or a container starts it: until it listens or takes tasks,
beside PostgreSQL and Valkey of its own. An installation forks its processes, which costs less (docs/decisions/0066)."""

import os
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType

import psutil
import redis
from figures import Figure
from sextant_backend.kit.queue import alive_key
from sextant_run.pki.store import Store
from sextant_run.ports import any_free
from sextant_run.servers.temporary import temporary_postgres, temporary_valkey

GOAL_S = 1.5
LIMIT_S = 60.0
HOST = "edge-1"
WORKERS = (("plan",), ("operate", "profile", "study", "control"), ("watch",))


@dataclass(frozen=True)
class Place:
    """Where processes start: a folder with certificates, and the two servers."""

    folder: Path
    queue: str
    environment: Mapping[str, str]


def start_cpu(repeats: int) -> Iterator[Figure]:
    """The least of `repeats` starts of each process: a machine can only add to it."""
    with _place() as place:
        migrate = [_ended(place, "sextant_backend", "migrate", "--create-roles") for _ in range(repeats + 1)][1:]
        yield _figure("migrate, nothing to do", migrate)
        for name, one in _starts(place):
            yield _figure(name, [one() for _ in range(repeats)])


def _figure(name: str, seconds: Sequence[float]) -> Figure:
    return Figure(f"CPU of a start by itself: {name}", min(seconds), GOAL_S, "s", f"least of {len(seconds)}")


def _starts(place: Place) -> Iterator[tuple[str, Callable[[], float]]]:
    yield "console", partial(_listener, place, "console")
    yield "fleet listener", partial(_listener, place, "fleet")
    for queues in WORKERS:
        yield f"worker {' '.join(queues)}", partial(_worker, place, queues)
    yield "agent", partial(_agent, place, "serve")
    simulated = {"SEXTANT_AGENT_PKI_DIR": str(place.folder / "simulated"), "SEXTANT_AGENT_HOSTS": HOST}
    yield "simulated host", partial(_agent, place, "twin", simulated)


def _listener(place: Place, name: str) -> float:
    port = any_free()
    return _started(place, ["sextant_backend", name, "--port", str(port)], {}, lambda: _listens(port))


def _worker(place: Place, queues: Sequence[str]) -> float:
    with redis.Redis.from_url(place.queue) as client:
        client.flushall()
        return _started(place, ["sextant_worker", *queues], {}, lambda: client.exists(alive_key(queues[0])) == 1)


def _agent(place: Place, command: str, settings: Mapping[str, str] = MappingProxyType({})) -> float:
    port = any_free()
    where = {**settings, "SEXTANT_AGENT_LISTEN": f"127.0.0.1:{port}"}
    return _started(place, ["sextant_agent", command], where, lambda: _listens(port))


def _started(place: Place, command: Sequence[str], settings: Mapping[str, str], ready: Callable[[], bool]) -> float:
    child = subprocess.Popen(
        [sys.executable, "-m", *command],
        env={**place.environment, **settings},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + LIMIT_S
    try:
        while not ready():
            if child.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{' '.join(command)} is not ready; it ended with {child.returncode}")
            time.sleep(0.02)
        times = psutil.Process(child.pid).cpu_times()
        return times.user + times.system + times.children_user + times.children_system
    finally:
        child.kill()
        child.wait()


def _ended(place: Place, *command: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", *command], env=place.environment, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _listens(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def _place() -> Iterator[Place]:
    with tempfile.TemporaryDirectory() as name, temporary_postgres() as database, temporary_valkey() as queue:
        folder = Path(name)
        pki = Store(folder / "pki")
        pki.renew((HOST,))
        own = pki.host(HOST).folder
        simulated = folder / "simulated"
        (simulated / "hosts").mkdir(parents=True)
        for file, copy in (
            ("ca.crt", "ca.crt"),
            ("host.key", "host.key"),
            ("host.crt", "gateway.crt"),
            ("host.crt", f"hosts/{HOST}.crt"),
        ):
            shutil.copy(own / file, simulated / copy)
        yield Place(folder, queue, _environment(folder, pki, database, queue))


def _environment(folder: Path, pki: Store, database: str, queue: str) -> dict[str, str]:
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith("SEXTANT_")},
        "DATABASE_URL": database,
        "REDIS_URL": queue,
        "SEXTANT_PKI_DIR": str(pki.backend.folder),
        "SEXTANT_CA_KEY_FILE": str(pki.folder / "ca.key"),
        "SEXTANT_AGENT_HOST_ID": HOST,
        "SEXTANT_AGENT_STATE_DIR": str(folder / "state"),
        "SEXTANT_AGENT_PKI_DIR": str(pki.host(HOST).folder),
        "SEXTANT_AGENT_SOCKET_DIR": str(folder / "sockets"),
        "SEXTANT_AGENT_RUNNER": sys.executable,  # asked for nothing while it starts
    }
