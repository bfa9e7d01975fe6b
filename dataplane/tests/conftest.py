"""The real runner, started in a temp folder, and a plain client of its control socket."""

import json
import os
import secrets
import select
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

DATAPLANE = Path(__file__).resolve().parent.parent
BINARY = Path(os.environ.get("SEXTANT_RUNNER", DATAPLANE / "build" / "sextant-runner"))
CORES = sorted(os.sched_getaffinity(0))
WAIT_S = 60.0

ROUTER = {
    "routes": [{"prefix": "192.168.0.0/16", "next_hop": 1}],
    "default_next_hop": 0,
    "synthetic_routes": 100,
    "seed": 1,
}
FIREWALL = {"rules": [], "default_action": "allow", "synthetic_rules": 20, "seed": 1}
MONITOR = {"flow_table_entries": 4096}
FORWARD = {"loops": 0}
NIDS: dict[str, object] = {
    "patterns": [],
    "patterns_file": None,
    "synthetic_patterns": 20,
    "seed": 1,
    "action": "alert",
}
BALANCER = {"backends": [{"address": "10.200.0.1"}, {"address": "10.200.0.2"}], "table_size": 4093}
CONFIGS = {
    "router": ROUTER,
    "firewall": FIREWALL,
    "basic-monitor": MONITOR,
    "simple-forward": FORWARD,
    "nids": NIDS,
    "load-balancer": BALANCER,
}


def wait_for(condition: Callable[[], Any], what: str, within_s: float = WAIT_S) -> Any:
    """What `condition` returns once it is true; fails with `what` after the bound."""
    end = time.monotonic() + within_s
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.02)
    pytest.fail(f"not within {within_s} s: {what}")


def is_alive(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def source(rate_mpps: float = 0.0, **changes: Any) -> dict[str, Any]:
    """A source of 64-byte UDP packets over 100 flows; keywords change source or match fields."""
    match = {"src_prefix": "10.0.0.0/8", "dst_prefix": "192.168.0.0/16", "protocol": "udp", "dst_port": 53}
    made = {"rate_mpps": rate_mpps, "packet_bytes": 64, "flows": 100, "match": match}
    for key, value in changes.items():
        (match if key in match else made)[key] = value
    return made


def nf(chain: str, kind: str, core: int | None = None, name: str | None = None, **config: Any) -> dict[str, Any]:
    """An entry of `add_chain`'s nfs with the type's small default configuration."""
    config = {**CONFIGS.get(kind, {}), **config}
    return {
        "nf": f"{chain}.{name or kind}",
        "type": kind,
        "core": CORES[-1] if core is None else core,
        "config": config,
    }


class Refused(Exception):
    """The runner's answer was ok: false."""

    def __init__(self, error: dict[str, str]) -> None:
        super().__init__(error)
        self.code, self.field, self.message = error["code"], error["field"], error["message"]


class Client:
    """One connection: a request a line, an answer a line."""

    def __init__(self, path: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(WAIT_S)
        self.socket.connect(str(path))
        self.lines = self.socket.makefile("rb")
        self.last_id = 0

    def send(self, line: bytes) -> dict[str, Any]:
        self.socket.sendall(line)
        answer: dict[str, Any] = json.loads(self.lines.readline())
        return answer

    def ask(self, op: str, **fields: Any) -> None:
        """Sends a request and does not wait for its answer."""
        self.socket.sendall(json.dumps({"id": op, "op": op, **fields}).encode() + b"\n")

    def answers(self) -> bool:
        """Whether something has come in."""
        return bool(select.select([self.socket], [], [], 0)[0])

    def call(self, op: str, **fields: Any) -> dict[str, Any]:
        self.last_id += 1
        answer = self.send(json.dumps({"id": self.last_id, "op": op, **fields}).encode() + b"\n")
        assert answer["id"] == self.last_id
        if not answer["ok"]:
            raise Refused(answer["error"])
        return answer

    def add(self, chain: str, *nfs: dict[str, Any], **of_source: Any) -> dict[str, int]:
        """Adds a chain; the pid of each NF by its id."""
        answer = self.call("add_chain", chain=chain, nfs=list(nfs), source=source(**of_source))
        return {entry["nf"]: entry["pid"] for entry in answer["nfs"]}

    def query(self) -> SimpleNamespace:
        answer = self.call("query")
        answer["chains"] = {entry["chain"]: SimpleNamespace(**entry) for entry in answer["chains"]}
        answer["nfs"] = {entry["nf"]: SimpleNamespace(**entry) for entry in answer["nfs"]}
        return SimpleNamespace(**answer)

    def chain(self, chain: str) -> SimpleNamespace:
        """The chain's figures, with its NFs' as `nfs` in order."""
        answer = self.query()
        answer.chains[chain].nfs = [entry for entry in answer.nfs.values() if entry.chain == chain]
        return answer.chains[chain]

    def settled(self, chain: str) -> SimpleNamespace:
        """Stops the source and waits until nothing is in flight; then the conservation law must hold exactly."""
        self.call("set_source", chain=chain, source=source(0.0))

        def empty() -> SimpleNamespace | None:
            now = self.chain(chain)
            gone = now.delivered + sum(entry.filtered + entry.drops for entry in now.nfs)
            return now if now.sent == gone else None

        return wait_for(empty, f"all packets of {chain} accounted for: {self.chain(chain)}")


class Runner:
    """A running sextant-runner."""

    def __init__(self, folder: Path, prefix: tuple[str, ...], binary: Path, **options: str) -> None:
        self.socket = folder / "runner.sock"
        self.nonce = secrets.token_hex(16)
        self.log = folder / "runner.log"
        arguments = {"traffic-core": str(CORES[-1]), "cores": ",".join(map(str, CORES)), **options}
        flags = [text for key, value in arguments.items() for text in (f"--{key.replace('_', '-')}", value)]
        command = [*prefix, str(binary), "--socket", str(self.socket), "--nonce", self.nonce, *flags]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(command, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True)

    def client(self) -> Client:
        """A new connection; waits until the runner listens."""

        def connected() -> Client | None:
            assert self.process.poll() is None, self.log.read_text()
            try:
                return Client(self.socket)
            except (FileNotFoundError, ConnectionRefusedError):
                return None

        client: Client = wait_for(connected, "the runner's socket")
        return client

    def children(self) -> list[int]:
        """Of every thread of the runner: the one that builds tables has children, too, and comes and goes."""
        found: list[int] = []
        for children in Path(f"/proc/{self.process.pid}/task").glob("*/children"):
            with suppress(OSError):
                found += [int(pid) for pid in children.read_text().split()]
        return found

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise


@contextmanager
def running(folder: Path, prefix: tuple[str, ...] = (), binary: Path = BINARY, **options: str) -> Iterator[Runner]:
    if not BINARY.exists():
        pytest.fail(f"{BINARY} is not built: meson setup dataplane/build dataplane && ninja -C dataplane/build")
    runner = Runner(folder, prefix, binary, **options)
    try:
        yield runner
    finally:
        runner.end()


def _left(folder: Path) -> set[str]:
    """What DPDK and runners could leave on a machine, and processes that name `folder`."""
    places = [Path(name) for name in ("/dev/shm", "/var/run/dpdk", "/dev/hugepages") if Path(name).is_dir()]
    files = {str(path) for place in places for path in place.iterdir() if not path.name.startswith("PostgreSQL")}
    processes = set()
    for found in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if str(folder).encode() in found.read_bytes() and is_alive(int(found.parent.name)):
                processes.add(f"process {found.parent.name}")
    return files | processes


@pytest.fixture(scope="session", autouse=True)
def nothing_is_left(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Over all tests, whatever they killed: no process, no file in shared memory, of DPDK, or of hugepages."""
    folder = tmp_path_factory.getbasetemp()
    before = _left(folder)
    yield
    left: set[str] = set()

    def gone() -> bool:
        nonlocal left
        left = _left(folder) - before
        return not left

    with suppress(pytest.fail.Exception):
        wait_for(gone, "an empty place")
    assert not left, f"left behind: {sorted(left)}"


@pytest.fixture
def runner(tmp_path: Path) -> Iterator[Runner]:
    with running(tmp_path) as started:
        yield started


@pytest.fixture
def client(runner: Runner) -> Client:
    return runner.client()


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runner]:
    """One for all that a module's tests ask in vain: it bears all of it, and nothing is left of any."""
    with running(tmp_path_factory.mktemp("standing")) as started:
        yield started


@pytest.fixture
def refused_client(standing: Runner) -> Iterator[Client]:
    """Of the standing runner, on which nothing runs, before and after."""
    client = standing.client()
    yield client
    client.socket.close()
    after = standing.client()
    assert after.query().chains == {}
    after.socket.close()
