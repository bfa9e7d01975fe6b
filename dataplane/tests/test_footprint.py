"""Little CPU when little is sent, no files, no privileges."""

import os
import shutil
import tempfile
import time
from pathlib import Path

import pytest

from .conftest import CORES, Client, Runner, nf, running, wait_for

THREE = ("router", "firewall", "basic-monitor")


def cpu_s(pids: list[int]) -> float:
    """User and system time of the processes so far."""
    ticks = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[14 - 3]) + int(fields[15 - 3])
    return ticks / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("rate_mpps", [0.0, 0.0001])
def test_an_idle_chain_takes_under_5_percent_of_a_core(runner: Runner, client: Client, rate_mpps: float) -> None:
    client.add("a", *(nf("a", kind) for kind in THREE), rate_mpps=rate_mpps)
    pids = [runner.process.pid, *runner.children()]
    before, started = cpu_s(pids), time.monotonic()
    wait_for(lambda: time.monotonic() - started > 3, "three seconds")
    assert (cpu_s(pids) - before) / (time.monotonic() - started) < 0.05
    assert client.chain("a").source_drops == 0


def switches(pid: int) -> int:
    """How often the process has gone to sleep so far."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("voluntary_ctxt_switches"))


def test_a_tick_wakes_each_nf_about_once(client: Client) -> None:
    """At 0.02 Mpps a tick is 64 packets, 3.2 ms: 312 a second. A wake-up for nothing would run round the chain."""
    pids = client.add("a", *(nf("a", kind) for kind in THREE), rate_mpps=0.02)
    first, before = client.chain("a"), {name: switches(pid) for name, pid in pids.items()}
    wait_for(lambda: client.chain("a").delivered > first.delivered + 30_000, "a second and a half")
    ticks = (client.chain("a").delivered - first.delivered) / 64
    for name, pid in pids.items():
        assert switches(pid) - before[name] < 2 * ticks, name


def test_a_single_packet_a_second_arrives_soon(client: Client) -> None:
    client.add("a", *(nf("a", kind) for kind in THREE), rate_mpps=0.000001)
    wait_for(lambda: client.chain("a").delivered >= 2, "two packets")


def test_no_child_keeps_a_socket_or_file(runner: Runner, client: Client) -> None:
    pids = client.add("a", nf("a", "router"))
    for pid in [*pids.values(), *runner.children()]:
        assert sorted(entry.name for entry in Path(f"/proc/{pid}/fd").iterdir()) == ["0", "1", "2"]


@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("setpriv") is None, reason="needs root to give up root")
def test_it_runs_as_nobody(tmp_path: Path) -> None:
    # Not pytest's folder: its parents are closed to others.
    with tempfile.TemporaryDirectory(prefix="sextant-runner-") as name:
        folder = Path(name)
        folder.chmod(0o777)
        binary = folder / "sextant-runner"
        shutil.copy(Path(os.environ.get("SEXTANT_RUNNER", Path(__file__).parents[1] / "build/sextant-runner")), binary)
        binary.chmod(0o755)
        nobody = (
            "setpriv",
            "--reuid=65534",
            "--regid=65534",
            "--clear-groups",
            "--no-new-privs",
            "--bounding-set=-all",
        )
        with running(folder, prefix=nobody, binary=binary) as runner:
            client = runner.client()
            pids = client.add("a", *(nf("a", kind) for kind in THREE), rate_mpps=0.05)
            assert Path(f"/proc/{pids['a.router']}").stat().st_uid == 65534
            wait_for(lambda: client.chain("a").delivered > 1000, "packets")
            assert client.call("move_nf", nf="a.router", core=CORES[0])["core"] == CORES[0]
            now = client.settled("a")
            assert (now.delivered, now.misordered) == (now.sent, 0)


@pytest.mark.skipif(not Path("/sys/kernel/mm/hugepages/hugepages-2048kB").exists(), reason="no 2 MiB pages here")
def test_it_says_whether_it_uses_hugepages(tmp_path: Path) -> None:
    free = int(Path("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages").read_text())
    with running(tmp_path) as runner:
        client = runner.client()
        assert client.call("hello")["hugepages"] == (
            free * 2 >= 192 + 1536
        )  # packets, and tables of some twenty routers
        client.add("a", *(nf("a", kind) for kind in THREE), rate_mpps=0.05)
        wait_for(lambda: client.chain("a").delivered > 1000, "packets")
