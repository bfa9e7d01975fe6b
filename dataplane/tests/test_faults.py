"""Processes that die: nothing stays behind, nothing is lost twice, and the other chains go on."""

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import Client, Refused, Runner, is_alive, nf, running, wait_for

THREE = ("router", "firewall", "basic-monitor")
pytestmark = pytest.mark.fault


def crash(client: Client, name: str, pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    wait_for(lambda: client.query().nfs[name].state == "crashed", f"{name} seen as crashed")


def test_a_killed_nf_is_reported_and_can_be_restarted(client: Client) -> None:
    pids = client.add("a", *(nf("a", kind) for kind in THREE), rate_mpps=0.05)
    with pytest.raises(Refused) as refusal:
        client.call("restart_nf", nf="a.firewall")
    assert refusal.value.code == "bad-request"
    wait_for(lambda: client.chain("a").delivered > 1000, "packets")
    crash(client, "a.firewall", pids["a.firewall"])
    dead = client.query().nfs["a.firewall"]
    assert (dead.pid, dead.exit, dead.starts) == (None, "killed by signal 9 (Killed)", 1)
    assert dead.rx > 0 and dead.cpu_ns > 0
    pid = client.call("restart_nf", nf="a.firewall")["pid"]
    alive = client.query().nfs["a.firewall"]
    assert (alive.pid, alive.state, alive.exit, alive.starts) == (pid, "running", None, 2)
    assert alive.rx >= dead.rx and alive.cpu_ns >= dead.cpu_ns
    before = client.chain("a").delivered
    wait_for(lambda: client.chain("a").delivered > before + 1000, "packets after the restart")
    now = client.settled("a")
    assert (now.misordered, now.damaged) == (0, 0)


def test_50_kills_under_load_lose_no_packet(client: Client) -> None:
    """Each kill may hit any instruction of a burst; afterwards every packet is accounted for exactly once."""
    rng = random.Random(7)
    rules = [{"action": "deny", "src": "0.0.0.0/0", "dst": "192.168.0.0/18", "protocol": "udp", "dst_port": [1, 65535]}]
    client.add("a", nf("a", "router"), nf("a", "firewall", rules=rules), nf("a", "basic-monitor"), rate_mpps=0.3)
    for kill in range(50):
        name = f"a.{rng.choice(THREE)}"
        before = client.chain("a").delivered
        wait_for(lambda: client.chain("a").delivered > before, f"packets before kill {kill}")  # noqa: B023
        crash(client, name, client.query().nfs[name].pid)
        client.call("restart_nf", nf=name)
    before = client.chain("a").delivered
    wait_for(lambda: client.chain("a").delivered > before + 20_000, "full flow after 50 kills")
    now = client.settled("a")
    assert now.sent == now.delivered + sum(entry.filtered + entry.drops for entry in now.nfs)
    assert now.nfs[0].rx == now.sent
    assert now.nfs[0].tx == now.nfs[1].rx
    assert now.nfs[1].tx == now.nfs[2].rx
    assert now.nfs[2].tx == now.delivered
    assert (now.misordered, now.damaged) == (0, 0)
    assert sum(entry.starts for entry in now.nfs) == 53


def test_no_packet_is_changed_twice_by_kills(client: Client) -> None:
    """Where NFs write into packets a killed one's burst is given up: each of the two ends of a VPN undoes the other.

    A packet that was wrapped twice, or by half, would come out of the far end as forged, malformed or damaged.
    """
    near = nf("a", "vpn", name="near", mode="encrypt")
    far = nf("a", "vpn", name="far", mode="decrypt")
    client.add("a", near, far, nf("a", "basic-monitor"), rate_mpps=0.3)
    for kill in range(30):
        name = ("a.near", "a.far")[kill % 2]
        before = client.chain("a").delivered
        wait_for(lambda: client.chain("a").delivered > before, f"packets before kill {kill}")  # noqa: B023
        crash(client, name, client.query().nfs[name].pid)
        client.call("restart_nf", nf=name)
    now = client.settled("a")
    details = now.nfs[1].details
    assert (details["forged"], details["malformed"], details["not_esp"]) == (0, 0, 0)
    assert [entry.filtered for entry in now.nfs] == [0, 0, 0]
    assert (now.misordered, now.damaged) == (0, 0)


def test_a_stuck_chain_starves_no_other(client: Client) -> None:
    """Three chains whose last NF is dead fill their rings; the healthy one still gets packets from the pool."""
    for number in range(3):
        name = f"stuck{number}"
        nfs = [nf(name, "simple-forward", name=f"n{i}") for i in range(8)]
        pids = client.add(name, *nfs, rate_mpps=0.5)
        crash(client, f"{name}.n7", pids[f"{name}.n7"])
    wait_for(lambda: all(client.chain(f"stuck{i}").source_drops > 10_000 for i in range(3)), "full rings")
    client.add("good", nf("good", "router"), rate_mpps=0.01)  # a backlog of 1.6 s: longer than a busy machine pauses it
    wait_for(lambda: client.chain("good").delivered > 5_000, "packets of the good chain")
    now = client.settled("good")
    assert (now.source_drops, now.delivered) == (0, now.sent)


def test_an_nf_drops_only_after_a_second_without_room(client: Client) -> None:
    pids = client.add("a", nf("a", "router"), nf("a", "firewall"), rate_mpps=0.05)
    crash(client, "a.firewall", pids["a.firewall"])
    wait_for(lambda: client.query().nfs["a.router"].drops > 0, "a burst dropped by the NF before the dead one")
    lost = client.call("remove_chain", chain="a")["lost_packets"]
    assert lost >= 1024  # the dead NF's full ring


def _filled(client: Client, nf_id: str) -> int | None:
    """Packets in an NF's ring once no whole burst of 32 has room in its 1024 places."""
    used: int = client.query().nfs[nf_id].ring_used
    return used if used > 1024 - 32 else None


def test_removing_a_crashed_chain_frees_its_packets(client: Client) -> None:
    for _ in range(12):  # together more packets than the pool has
        pids = client.add("a", nf("a", "router"), nf("a", "firewall"), rate_mpps=0.5)
        crash(client, "a.firewall", pids["a.firewall"])
        used = wait_for(lambda: _filled(client, "a.firewall"), "a full ring")
        assert client.call("remove_chain", chain="a")["lost_packets"] >= used
    client.add("a", nf("a", "router"), rate_mpps=0.05)
    wait_for(lambda: client.chain("a").delivered > 1000, "packets")
    assert client.settled("a").source_drops == 0


def test_killing_the_runner_kills_every_process(runner: Runner, client: Client) -> None:
    client.add("a", *(nf("a", kind) for kind in THREE), rate_mpps=0.05)
    children = runner.children()
    assert len(children) == 4
    runner.process.kill()
    runner.process.wait()
    wait_for(lambda: not any(map(is_alive, children)), "the end of all NFs")


def test_sigterm_ends_everything(runner: Runner, client: Client) -> None:
    client.add("a", *(nf("a", kind) for kind in THREE), rate_mpps=0.05)
    children = runner.children()
    runner.process.terminate()
    assert runner.process.wait(60) == 0
    assert not any(map(is_alive, children))
    assert not runner.socket.exists()


def test_without_its_traffic_process_the_runner_ends(runner: Runner, client: Client) -> None:
    client.call("hello")
    (traffic,) = runner.children()
    client.add("a", nf("a", "router"), rate_mpps=0.05)
    os.kill(traffic, signal.SIGKILL)
    assert runner.process.wait(60) == 1
    assert "the traffic process ended" in runner.log.read_text()


def test_it_outlives_its_client_and_its_starter(tmp_path: Path) -> None:
    """Started by a process that dies: the runner goes on, and a new client finds its chains."""
    with running(tmp_path) as runner:
        script = "import sys; sys.path.insert(0, sys.argv[1]); import conftest, pathlib; "
        script += "conftest.Client(pathlib.Path(sys.argv[2])).add('a', conftest.nf('a', 'router'), rate_mpps=0.01)"
        runner.client().call("hello")
        folder = str(Path(__file__).parent)
        subprocess.run([sys.executable, "-c", script, folder, str(runner.socket)], check=True, timeout=30)
        os.killpg(runner.process.pid, signal.SIGHUP)
        client = runner.client()
        before = client.chain("a").delivered
        wait_for(lambda: client.chain("a").delivered > before, "packets")
