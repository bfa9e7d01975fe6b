"""What kills and stops OpenNetVM's processes while they carry packets: the driver over the double."""

import itertools
import os
import re
import signal
import threading

import pytest
from sextant_agent.contract.sample import HostSample
from sextant_agent.drivers.opennetvm import manager as manager_module
from sextant_agent.drivers.opennetvm import nf_process, statistics
from sextant_agent.drivers.opennetvm.driver import OpenNetVmDriver
from sextant_domain.hosts.desired import DesiredChain, HostContent, NfState

from .opennetvm_host import FIRST, SECOND, DoubleHost, kill
from .orders import chain, content, nf
from .waiting import wait_for

pytestmark = pytest.mark.fault


def web(last: str = "simple-forward") -> DesiredChain:
    """Services 1 and 2, and the way out as 3; a basic-monitor at the end is the way out itself."""
    return chain("web", nf("web", "router", core=FIRST), nf("web", last, core=SECOND))


def states(sample: HostSample) -> set[NfState]:
    return {found.state for found in sample.nfs.values()}


def packets_flow(driver: OpenNetVmDriver) -> None:
    before = driver.sample().chains["web"].delivered
    wait_for("packets arrive", lambda: driver.sample().chains["web"].delivered > before + 100_000)


def runs(host: DoubleHost, driver: OpenNetVmDriver, order: HostContent) -> None:
    """As ordered, and nothing is left to do."""
    assert states(driver.sample()) == {NfState.RUNNING}
    packets_flow(driver)
    assert (driver.apply(order).done, host.home.complaints) == ((), [])


@pytest.mark.parametrize("last", ["simple-forward", "basic-monitor"])
def test_a_killed_nf_is_seen_at_the_next_sample_and_replaced_with_the_one_before_it(
    host: DoubleHost, driver: OpenNetVmDriver, last: str
) -> None:
    """Services 1, 2, 3. The manager never learns of the death: the dead one keeps its id and its service. So whoever
    takes its place has another service, and the one before it hands on to that: 1, 4, 3. With a basic-monitor, which
    needs no way out behind it: 1, 2, then 1, 3."""
    order = content(web(last))
    driver.apply(order)
    before, life, victim = host.chain(), host.manager(), f"web.{last}"
    services = [each.service for each in before.nfs]
    assert services == ([1, 2, 3] if last == "simple-forward" else [1, 2])
    kill(before.nfs[1].running)
    found = driver.sample().nfs[victim]
    assert (found.state, found.exit, found.pid) == (NfState.CRASHED, "killed by signal 9 (SIGKILL)", None)
    assert driver.apply(order).done == (
        f"restarted {victim} ({victim}: killed by signal 9 (SIGKILL)) with 1 NFs before it",
    )
    after = host.chain()
    assert [each.service for each in after.nfs] == [1, max(services) + 1, *services[2:]]
    assert {each.instance for each in after.nfs[:2]}.isdisjoint(each.instance for each in before.nfs)
    assert after.nfs[2:] == before.nfs[2:], "those behind it are not touched"
    assert (host.manager().pid, host.manager().dead) == (life.pid, 1)
    assert before.nfs[1].instance in host.figures(), "by its manager's word the dead one runs on"
    assert driver.sample().nfs[victim].starts == 2
    runs(host, driver, order)


def test_the_death_of_what_packets_enter_by_is_the_end_of_the_managers_life(
    host: DoubleHost, driver: OpenNetVmDriver
) -> None:
    """All packets of a port enter service 1, of which the dead one keeps its share."""
    order = content(web())
    driver.apply(order)
    packets_flow(driver)
    life, counted = host.manager(), driver.sample()
    kill(host.chain().nfs[0].running)
    reported = driver.apply(order).done
    assert reported == ("restarted web with its manager (web.router: killed by signal 9 (SIGKILL))",)
    assert (host.manager().pid != life.pid, host.manager().dead) == (True, 0)
    after = driver.sample()
    assert "was started again: web.router: killed by signal 9" in (after.note or "")
    assert after.chains["web"].instance == counted.chains["web"].instance
    assert after.chains["web"].delivered >= counted.chains["web"].delivered, "counters go on over lives of managers"
    assert after.nfs["web.router"].rx >= counted.nfs["web.router"].rx
    runs(host, driver, order)


def test_the_way_out_is_replaced_too(host: DoubleHost, driver: OpenNetVmDriver) -> None:
    """Nobody ordered it: its chain has no fingerprint while it is dead. All before it hand on to the service of its
    successor in the end, 1, 4, 5 after 1, 2, 3; the manager stays, and counters go on."""
    order = content(web())
    driver.apply(order)
    packets_flow(driver)
    life, counted = host.manager(), driver.sample().chains["web"]
    kill(host.chain().nfs[2].running)
    assert driver.sample().chains["web"].fingerprint is None
    (reported,) = driver.apply(order).done
    assert reported == "restarted way-out (way-out: killed by signal 9 (SIGKILL)) with 2 NFs before it"
    assert [each.service for each in host.chain().nfs] == [1, 4, 5]
    assert (host.manager().pid, host.manager().dead) == (life.pid, 1)
    now = driver.sample().chains["web"]
    assert (now.instance, now.delivered >= counted.delivered) == (counted.instance, True)
    runs(host, driver, order)


def test_two_dead_nfs_end_the_managers_life(host: DoubleHost, driver: OpenNetVmDriver) -> None:
    """Each keeps 16,383 of 32,767 packet buffers, and two starve the host."""
    order = content(web())
    driver.apply(order)
    life = host.manager().pid
    for pids in ({life}, set()):  # the same life, then another
        kill(host.chain().nfs[1].running)
        assert not driver.apply(order).failures
        assert pids <= {host.manager().pid}
    assert (host.manager().pid != life, host.manager().dead) == (True, 0)
    runs(host, driver, order)


def test_a_dead_manager_is_seen_though_its_files_look_fresh(host: DoubleHost, driver: OpenNetVmDriver) -> None:
    """Its NFs live on, and one under load may no longer listen to SIGTERM."""
    host.home.set(wedge_on_manager_death=True)
    order = content(web())
    driver.apply(order)
    packets_flow(driver)
    counted, nfs = driver.sample(), host.chain().nfs
    kill(host.manager().running)
    found = driver.sample()
    assert all(each.alive for each in nfs)
    assert {(each.state, each.exit) for each in found.nfs.values()} == {
        (NfState.CRASHED, "its manager is gone: killed by signal 9 (SIGKILL)")
    }
    assert found.chains["web"].delivered >= counted.chains["web"].delivered, "its last figures stay true"
    assert (found.chains["web"].counted_ns, counted.chains["web"].counted_ns is None) == (None, False), "no more come"
    assert not driver.apply(order).failures
    assert not any(each.alive for each in nfs), "an NF of the dead manager would fall over the next one's memory"
    assert driver.sample().chains["web"].delivered >= found.chains["web"].delivered
    runs(host, driver, order)


def test_a_manager_that_hangs_is_seen_by_its_silence(
    host: DoubleHost, driver: OpenNetVmDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An id that poisoned itself, used again: the manager lives, writes nothing, and hears no SIGTERM."""
    monkeypatch.setattr(statistics, "STALE_S", 1.0)
    order = content(web())
    driver.apply(order)
    hung = host.manager().running
    assert hung
    for _ in range(2):
        failing = host.start("simple_forward", "-r", "9", "-n", "100", "-s", "--")
        wait_for("the manager has heard", lambda one=failing: one.ended or "assign an ID" in one.said)
    wait_for("it hangs", lambda: "Cannot create rx ring queue" in _log(host))
    wait_for("its silence", lambda: states(driver.sample()) == {NfState.CRASHED})
    assert hung.alive
    assert {each.exit for each in driver.sample().nfs.values()} == {"its manager hangs"}
    said = re.search(r"has written nothing for (\d+) s", driver.sample().note or "")
    assert said is not None and int(said[1]) >= 1, "by now; more on a busy machine"
    assert driver.apply(order).done == ("restarted web with its manager (it hangs)",)
    assert not hung.alive and failing.ended
    runs(host, driver, order)


def _log(host: DoubleHost) -> str:
    return (host.web().parent / "manager" / "log").read_text()


def test_a_manager_that_hangs_at_its_end_is_killed(
    host: DoubleHost, driver: OpenNetVmDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(manager_module, "MANAGER_STOP_S", 0.5)
    driver.apply(content(web()))
    host.home.set(hang_at_exit=True)
    assert not driver.apply(content()).failures
    assert (host.processes(), host.leftovers()) == ([], [])


def test_an_nf_that_hears_no_signal_is_killed_and_counted_as_dead(
    host: DoubleHost, driver: OpenNetVmDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nf_process, "NF_STOP_S", 1.0)
    order = content(web())
    driver.apply(order)
    life, router = host.manager().pid, host.nf("web.router")
    other = chain("web", *(each.model_copy(update={"nf_version": 2}) for each in web().nfs))
    os.kill(router.pid or 0, signal.SIGSTOP)
    assert not driver.apply(content(other)).failures
    assert not router.alive
    assert host.manager().pid != life, "its id and its service were still taken"
    runs(host, driver, content(other))


def test_figures_that_are_cut_short_take_nothing_back(host: DoubleHost, driver: OpenNetVmDriver) -> None:
    """Files are empty, then half written, for half of each period."""
    order = content(web())
    driver.apply(order)
    host.home.set(write_pause_s=0.02)
    samples = [driver.sample() for _ in range(60)]
    assert {state for sample in samples for state in states(sample)} == {NfState.RUNNING}
    for before, after in itertools.pairwise(samples):
        _only_rises(before, after)
    assert samples[-1].chains["web"].delivered > samples[0].chains["web"].delivered


def test_telemetry_goes_on_while_processes_change(host: DoubleHost, driver: OpenNetVmDriver) -> None:
    """Another thread samples all the time: what is being started is no crash, and no packet is counted twice."""
    order = content(web())
    driver.apply(order)
    packets_flow(driver)
    samples: list[HostSample] = []
    done = threading.Event()

    def keep_sampling() -> None:
        while not done.is_set():
            samples.append(driver.sample())

    def restart(kill_it: bool) -> None:
        if kill_it:
            kill(host.manager().running)
        assert not driver.apply(order).failures

    watching = threading.Thread(target=keep_sampling)
    watching.start()
    try:
        kill(host.chain().nfs[0].running)
        restart(kill_it=False)
        restart(kill_it=True)
    finally:
        done.set()
        watching.join()
    assert len(samples) > 20
    for before, after in itertools.pairwise(samples):
        _only_rises(before, after)
    settled = driver.sample()
    _only_rises(samples[-1], settled)


def _only_rises(before: HostSample, after: HostSample) -> None:
    for name in ("offered", "sent", "delivered", "source_drops"):
        assert getattr(after.chains["web"], name) >= getattr(before.chains["web"], name), name
    for nf_id, found in after.nfs.items():
        for name in ("rx", "tx", "drops", "filtered", "cpu_ns"):
            assert getattr(found, name) >= getattr(before.nfs[nf_id], name), (nf_id, name)
