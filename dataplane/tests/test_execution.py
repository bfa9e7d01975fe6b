"""Run to completion: NFs that share a process, moved and regrouped under load, paused, killed."""

import os
import random
import signal
import time
from contextlib import suppress
from types import SimpleNamespace

import pytest

from .conftest import CORES, Client, Refused, Runner, is_alive, nf, source, wait_for
from .test_cores import allowed_of

FOUR = ("router", "firewall", "basic-monitor", "simple-forward")
RULES = [{"action": "deny", "src": "0.0.0.0/0", "dst": "192.168.0.0/18", "protocol": "udp", "dst_port": [1, 65535]}]
two_cores = pytest.mark.skipif(len(CORES) < 2, reason="a move needs two cores")


def add(client: Client, chain: str, execution: str, *, rate_mpps: float = 0.1, **fields: object) -> None:
    """A chain of four on one core, whose firewall denies a quarter of the traffic."""
    nfs = [nf(chain, kind) for kind in FOUR]
    nfs[1]["config"]["rules"] = RULES
    client.call("add_chain", chain=chain, nfs=nfs, source=source(rate_mpps), execution=execution, **fields)


def check_books(now: SimpleNamespace) -> None:
    """Every packet is accounted for at every NF, in order and whole."""
    assert now.sent == now.delivered + sum(entry.filtered + entry.drops for entry in now.nfs)
    assert now.nfs[0].rx == now.sent
    for one, other in zip(now.nfs, now.nfs[1:], strict=False):
        assert one.tx == other.rx
    assert now.nfs[-1].tx == now.delivered
    assert all(entry.rx == entry.tx + entry.filtered + entry.drops for entry in now.nfs)
    assert now.nfs[1].filtered > 0
    assert (now.misordered, now.damaged) == (0, 0)


def flows_on(client: Client, chain: str, packets: int) -> None:
    before = client.chain(chain).delivered
    wait_for(lambda: client.chain(chain).delivered > before + packets, f"{packets} more packets of {chain}")


def groups(client: Client, chain: str) -> list[list[int]]:
    """Cores of the NFs, by process."""
    found: dict[tuple[int, int], list[int]] = {}
    for entry in client.chain(chain).nfs:
        found.setdefault((entry.group, entry.pid), []).append(entry.core)
    return list(found.values())


def test_nfs_of_one_core_share_a_process_and_are_counted_apart(runner: Runner, client: Client) -> None:
    add(client, "a", "run-to-completion")
    assert len(runner.children()) == 2  # traffic, and one for the four
    flows_on(client, "a", 20_000)
    now = client.settled("a")
    check_books(now)
    assert (now.execution, now.paused) == ("run-to-completion", False)
    assert len({entry.pid for entry in now.nfs}) == len({entry.group for entry in now.nfs}) == 1
    assert all(entry.cycles > 0 for entry in now.nfs)
    assert all(entry.cpu_ns > 0 and entry.sleeps > 0 for entry in now.nfs)
    assert now.nfs[0].ring_peak >= 0 and [entry.ring_used for entry in now.nfs] == [0] * 4
    assert 0 < now.nfs[2].details["flows"] < 100, "the flows that the firewall lets pass"


def test_overload_reaches_back_to_the_source(client: Client) -> None:
    nfs = [nf("a", "router"), nf("a", "simple-forward", loops=20_000)]
    client.call("add_chain", chain="a", nfs=nfs, source=source(1.0), execution="run-to-completion")
    wait_for(lambda: client.chain("a").source_drops > 50_000, "packets dropped at the source")
    now = client.settled("a")
    assert now.delivered == now.sent and now.offered == now.sent + now.source_drops


@two_cores
@pytest.mark.parametrize("execution", ["isolated", "run-to-completion"])
def test_moves_under_load_lose_and_misorder_nothing(client: Client, execution: str) -> None:
    add(client, "a", execution)
    rng, pids, timed = random.Random(3), {entry.pid for entry in client.chain("a").nfs}, 0
    for _ in range(40):
        before = client.chain("a")
        name, core = f"a.{rng.choice(FOUR)}", rng.choice(CORES)
        answer = client.call("move_nf", nf=name, core=core)
        assert answer["core"] == core and allowed_of(answer["pid"]) == {str(core)}
        timed += answer["interruption_us"] is not None
        flows_on(client, "a", 500)
        after = client.chain("a")
        for old, new in zip(before.nfs, after.nfs, strict=True):
            assert all(
                getattr(new, key) >= getattr(old, key)
                for key in ("rx", "tx", "filtered", "cycles", "cpu_ns", "busy_ns")
            )
    assert timed > 20, "most moves could be timed"
    now = client.settled("a")
    check_books(now)
    assert all(entry.starts == 1 for entry in now.nfs), "a move is no restart"
    assert ({entry.pid for entry in now.nfs} == pids) == (execution == "isolated")


@two_cores
def test_a_process_holds_the_neighbours_of_one_core(client: Client) -> None:
    add(client, "a", "run-to-completion")
    here, there = CORES[-1], CORES[0]
    first = {entry.pid for entry in client.chain("a").nfs}
    for name, expected in (
        ("firewall", [[here], [there], [here, here]]),
        ("router", [[there, there], [here, here]]),
        ("simple-forward", [[there, there], [here], [there]]),
        ("basic-monitor", [[there] * 4]),
    ):
        client.call("move_nf", nf=f"a.{name}", core=there)
        assert groups(client, "a") == expected
    pids = {entry.pid for entry in client.chain("a").nfs}
    assert not any(map(is_alive, first - pids)), "processes of former groups are gone"
    check_books(client.settled("a"))


def test_execution_changes_while_packets_flow(runner: Runner, client: Client) -> None:
    add(client, "a", "isolated")
    for turn in range(20):
        execution = ("run-to-completion", "isolated")[turn % 2]
        answer = client.call("set_execution", chain="a", execution=execution)
        assert len({entry["pid"] for entry in answer["nfs"]}) == (1, 4)[turn % 2]
        assert len(runner.children()) == (2, 5)[turn % 2]
        flows_on(client, "a", 500)
    assert client.call("set_execution", chain="a", execution="isolated")["nfs"] == answer["nfs"], "nothing to change"
    now = client.settled("a")
    check_books(now)
    assert {entry.starts for entry in now.nfs} == {1}


def test_flow_tables_survive_a_change(client: Client) -> None:
    """20 flows before it and 30 others after it are 50: nobody began with an empty table."""
    nfs = [nf("a", "router"), nf("a", "basic-monitor")]
    client.call("add_chain", chain="a", nfs=nfs, source=source(0.01, flows=20), execution="run-to-completion")
    flows_on(client, "a", 100)
    client.call("set_execution", chain="a", execution="isolated")
    client.call("set_source", chain="a", source=source(0.01, flows=30, dst_port=99))
    wait_for(lambda: client.chain("a").nfs[1].details["flows"] == 50, "30 new flows beside the 20")


def test_a_paused_chain_sleeps_and_loses_nothing(client: Client) -> None:
    add(client, "a", "run-to-completion")
    flows_on(client, "a", 1000)
    client.call("pause_chain", chain="a")

    def quiet() -> SimpleNamespace | None:
        now = client.chain("a")
        return now if now.offered == now.sent == now.delivered + sum(entry.filtered for entry in now.nfs) else None

    before = wait_for(quiet, "an empty chain")
    assert before.paused
    client.call("set_source", chain="a", source=source(0.2))  # taken up, but not begun
    client.call("pause_chain", chain="a")
    for _ in range(3):
        now = client.chain("a")
        assert (now.offered, now.source_drops, now.paused) == (before.offered, 0, True)
        assert [entry.pid for entry in now.nfs] == [entry.pid for entry in before.nfs]
    time.sleep(0.3)  # at 0.2 Mpps a pause that owed its packets would owe 60,000
    resumed = time.monotonic()
    client.call("resume_chain", chain="a")
    flows_on(client, "a", 1000)
    now = client.settled("a")
    most = 0.2e6 * (time.monotonic() - resumed) + 256  # a burst; however long other work kept the chain waiting
    assert now.offered - before.offered <= most, "the pause itself owes no packets"
    assert not now.paused
    check_books(now)


def test_a_chain_may_be_added_paused(client: Client) -> None:
    add(client, "a", "isolated", paused=True)
    assert (client.chain("a").offered, client.chain("a").paused) == (0, True)
    client.call("resume_chain", chain="a")
    flows_on(client, "a", 100)
    client.call("pause_chain", chain="a")
    assert client.call("remove_chain", chain="a")["lost_packets"] == 0
    add(client, "a", "isolated")  # the place of a paused chain is not born paused
    flows_on(client, "a", 100)


def test_what_is_not_agreed_is_refused(client: Client) -> None:
    for fields, field in (
        ({"execution": "fast"}, "execution"),
        ({"execution": None}, "execution"),
        ({"paused": 1}, "paused"),
    ):
        with pytest.raises(Refused) as refusal:
            client.call("add_chain", chain="a", nfs=[nf("a", "router")], source=source(), **fields)
        assert (refusal.value.code, refusal.value.field) == ("bad-request", field)
    client.add("a", nf("a", "router"))
    for op, fields, field in (
        ("set_execution", {}, "execution"),
        ("set_execution", {"execution": 3}, "execution"),
        ("pause_chain", {"for_s": 3}, "for_s"),
        ("query", {"keep_peaks": "yes"}, "keep_peaks"),
    ):
        names = {} if op == "query" else {"chain": "a"}
        with pytest.raises(Refused) as refusal:
            client.call(op, **names, **fields)
        assert (refusal.value.code, refusal.value.field) == ("bad-request", field)


def test_the_deepest_ring_is_reported_once(client: Client) -> None:
    nfs = [nf("a", "router"), nf("a", "simple-forward", loops=20_000)]
    client.call("add_chain", chain="a", nfs=nfs, source=source(1.0))
    wait_for(lambda: client.chain("a").source_drops > 10_000, "a full chain")
    wait_for(
        lambda: client.call("query", keep_peaks=True)["nfs"][1]["ring_peak"] > 900,
        "a ring that was full once: no look of these takes the mark away",
    )
    client.settled("a")
    client.query()
    now = client.query()
    assert now.nfs["a.simple-forward"].ring_peak < 900, "of this round only"


@two_cores
def test_an_exclusive_core_takes_no_company(client: Client) -> None:
    here, there = CORES[-1], CORES[0]
    client.add("alone", {**nf("alone", "router", core=here), "exclusive": True})
    with pytest.raises(Refused) as refusal:
        client.add("a", nf("a", "firewall", core=there), nf("a", "router", core=here))
    assert (refusal.value.code, refusal.value.field) == ("core-taken", "nfs.1.core")
    assert "'alone.router'" in refusal.value.message
    client.add("a", nf("a", "firewall", core=there), rate_mpps=0.01)
    with pytest.raises(Refused) as refusal:
        client.call("move_nf", nf="a.firewall", core=here)
    assert (refusal.value.code, refusal.value.field) == ("core-taken", "core")
    with pytest.raises(Refused) as refusal:  # it may not join others either
        client.call("move_nf", nf="alone.router", core=there)
    assert "'a.firewall'" in refusal.value.message
    pair = [nf("b", kind, core=there) for kind in ("router", "firewall")]
    with pytest.raises(Refused) as refusal:
        client.add("b", pair[0], {**pair[1], "exclusive": True})
    assert refusal.value.code == "core-taken"
    flows_on(client, "a", 100)
    client.call("remove_chain", chain="alone")
    assert client.call("move_nf", nf="a.firewall", core=here)["core"] == here


def test_an_idle_chain_cannot_measure_an_interruption(client: Client) -> None:
    client.add("a", nf("a", "router"))
    assert client.call("move_nf", nf="a.router", core=CORES[0])["interruption_us"] is None


@pytest.mark.fault
def test_50_kills_of_a_group_under_load_lose_no_packet(client: Client) -> None:
    add(client, "a", "run-to-completion", rate_mpps=0.3)
    for kill in range(50):
        flows_on(client, "a", 1)
        os.kill(client.chain("a").nfs[0].pid, signal.SIGKILL)
        wait_for(lambda: client.chain("a").nfs[0].state == "crashed", f"kill {kill} seen")
        assert {entry.state for entry in client.chain("a").nfs} == {"crashed"}, "they die together"
        name = f"a.{FOUR[kill % 4]}"
        pid = client.call("restart_nf", nf=name)["pid"]  # and return together, whichever is named
        assert {(entry.pid, entry.exit) for entry in client.chain("a").nfs} == {(pid, None)}
    flows_on(client, "a", 20_000)
    now = client.settled("a")
    check_books(now)
    assert {entry.starts for entry in now.nfs} == {51}


@two_cores
@pytest.mark.fault
def test_moves_and_kills_together_lose_no_packet(client: Client) -> None:
    """Kills may meet a change at any moment; then it is refused, the crashed restarted, and nothing is lost."""
    add(client, "a", "run-to-completion", rate_mpps=0.2)
    rng = random.Random(1)
    for _ in range(60):
        entry = rng.choice(client.chain("a").nfs)
        if entry.pid is not None and rng.random() < 0.4:
            with suppress(ProcessLookupError):
                os.kill(entry.pid, signal.SIGKILL)
        try:
            if rng.random() < 0.5:
                client.call("move_nf", nf=f"a.{rng.choice(FOUR)}", core=rng.choice(CORES))
            else:
                execution = rng.choice(["isolated", "run-to-completion"])
                client.call("set_execution", chain="a", execution=execution)
        except Refused as refusal:
            assert refusal.code in {"bad-request", "internal"}, refusal.message
        restart_crashed(client)
    wait_for(lambda: restart_crashed(client) == 0, "all run")
    flows_on(client, "a", 5000)
    check_books(client.settled("a"))


def restart_crashed(client: Client) -> int:
    """How many had to be restarted; an NF returns with those that shared its process."""
    count = 0
    while crashed := [entry.nf for entry in client.chain("a").nfs if entry.state == "crashed"]:
        client.call("restart_nf", nf=crashed[0])
        count += 1
    return count


@pytest.mark.fault
def test_moving_beside_a_crashed_nf_says_what_to_do(client: Client) -> None:
    add(client, "a", "run-to-completion")
    os.kill(client.chain("a").nfs[0].pid, signal.SIGKILL)
    wait_for(lambda: client.chain("a").nfs[0].state == "crashed", "the crash")
    with pytest.raises(Refused) as refusal:
        client.call("set_execution", chain="a", execution="isolated")
    assert (refusal.value.code, refusal.value.field) == ("bad-request", "nf")
    assert "restart it first" in refusal.value.message
    client.call("restart_nf", nf="a.router")
    client.call("set_execution", chain="a", execution="isolated")
    flows_on(client, "a", 1000)
    check_books(client.settled("a"))


@pytest.mark.fault
def test_killing_the_runner_kills_its_groups(runner: Runner, client: Client) -> None:
    add(client, "a", "run-to-completion")
    children = runner.children()
    runner.process.kill()
    runner.process.wait()
    wait_for(lambda: not any(map(is_alive, children)), "the end of all processes")


@pytest.mark.fault
def test_without_traffic_process_the_runner_and_its_groups_end(runner: Runner, client: Client) -> None:
    client.call("hello")
    (traffic,) = runner.children()
    add(client, "a", "run-to-completion")
    children = runner.children()
    os.kill(traffic, signal.SIGKILL)
    assert runner.process.wait(60) == 1
    wait_for(lambda: not any(map(is_alive, children)), "the end of all processes")
