"""Packets that stand still under a manager that lives and writes: noticed, named and repaired; what only looks like it
is left alone. The driver over the double, whose NFs are killed in the middle of giving a packet buffer back."""

import os
import signal
import threading
from pathlib import Path

import pytest
from sextant_agent.contract.sample import HostSample
from sextant_agent.drivers.opennetvm import manager as manager_module
from sextant_agent.drivers.opennetvm import nf_process, standstill
from sextant_agent.drivers.opennetvm.driver import OpenNetVmDriver
from sextant_domain.hosts.desired import NfState

from .opennetvm_host import FIRST, SECOND, DoubleHost, kill, manager
from .orders import chain, content, nf
from .waiting import wait_for

pytestmark = pytest.mark.fault
SECONDS = 600.0
"""Of patience that nobody must have."""
KILLED, MISSED = "no packet has moved since one of its NFs was killed", "packets while it took none"


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """A period of the double takes 20 ms."""
    for name, seconds in (("STILL_S", 0.3), ("RAN_S", 0.1), ("NF_RAN_S", 0.2)):
        monkeypatch.setattr(standstill, name, seconds)


@pytest.fixture
def no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever waits for an NF or a manager that hears nothing, waits beyond the test."""
    monkeypatch.setattr(nf_process, "NF_STOP_S", SECONDS)
    monkeypatch.setattr(nf_process, "DRAIN_S", SECONDS)
    monkeypatch.setattr(manager_module, "MANAGER_STOP_S", SECONDS)


WEB = chain("web", nf("web", "router", core=FIRST), nf("web", "simple-forward", core=SECOND))


def flows(driver: OpenNetVmDriver) -> None:
    before = driver.sample().chains["web"].delivered
    wait_for("packets arrive", lambda: driver.sample().chains["web"].delivered > before + 100_000)


def states(sample: HostSample) -> set[NfState]:
    return {found.state for found in sample.nfs.values()}


def stays_well(host: DoubleHost, driver: OpenNetVmDriver, writings: int = 60) -> None:
    """Over a second and more of the double's periods, which is four times what it would take to be called stuck."""
    seen: set[int] = set()

    def enough_written() -> bool:
        sample = driver.sample()
        assert (states(sample), "stuck" in (sample.note or "")) == ({NfState.RUNNING}, False), sample
        seen.add((host.web() / "onvm_stats.txt").stat().st_mtime_ns)
        return len(seen) > writings

    wait_for("as many writings", enough_written)


@pytest.mark.parametrize(
    ("wedge", "reasons"),
    [
        ("rx", {KILLED}),
        ("card", {KILLED, MISSED}),  # both are true; which is seen first depends on when it is looked at
    ],
)
def test_a_manager_whose_packets_stand_still_is_started_again(
    host: DoubleHost, driver: OpenNetVmDriver, wedge: str, reasons: set[str]
) -> None:
    """The NFs that were started in place of the killed one poll empty rings: by the statistics an idle chain."""
    order = content(WEB)
    driver.apply(order)
    flows(driver)
    life, counted = host.manager(), driver.sample().chains["web"]
    host.home.set(wedge=wedge)
    kill(host.nf("web.simple-forward").running)
    assert not driver.apply(order).failures
    assert host.manager().pid == life.pid
    wait_for("it is noticed", lambda: states(driver.sample()) == {NfState.CRASHED})
    found = driver.sample()
    assert life.alive, "it lives, and writes"
    (why,) = (one for one in reasons if one in (host.web().parent / "stuck").read_text())
    assert "the manager of west-0 is stuck: " in (found.note or "") and why in (found.note or "")
    assert all(why in (nf.exit or "") for nf in found.nfs.values())
    host.home.set(wedge="")
    (reported,) = driver.apply(order).done
    assert reported.startswith("restarted web with its manager (it is stuck: ") and why in reported
    assert host.manager().pid != life.pid
    flows(driver)
    now = driver.sample()
    assert (states(now), now.chains["web"].instance) == ({NfState.RUNNING}, counted.instance)
    assert "was started again: it is stuck" in (now.note or "")
    assert not (host.web().parent / "stuck").exists()
    assert driver.apply(order).done == ()


@pytest.mark.usefixtures("no_patience")
def test_an_nf_that_spins_is_not_waited_for(host: DoubleHost, driver: OpenNetVmDriver) -> None:
    """The one before the killed one gives buffers back itself: it hears no SIGTERM."""
    order = content(WEB)
    driver.apply(order)
    flows(driver)
    life = host.manager().pid
    host.home.set(wedge="nf")
    kill(host.nf("web.simple-forward").running)
    router = host.nf("web.router").instance
    wait_for("it spins before a full ring", lambda: host.figures()[router].in_ring == 16_383)
    done: list[str] = []
    applying = threading.Thread(target=lambda: done.extend(driver.apply(order).done))
    applying.start()
    wait_for("it is noticed", lambda: "is stuck: " in (driver.sample().note or ""))  # by whichever rule comes first
    host.home.set(wedge="")
    applying.join()
    assert done and done[0].startswith("restarted web with its manager (it is stuck: ")
    assert host.manager().pid != life
    flows(driver)


@pytest.mark.usefixtures("no_patience")
def test_a_stuck_chain_is_removed_at_once_and_what_goes_on_is_reported(
    host: DoubleHost, driver: OpenNetVmDriver
) -> None:
    driver.apply(content(WEB))
    flows(driver)
    host.home.set(wedge="nf")
    kill(host.nf("web.simple-forward").running)
    router = host.nf("web.router").instance
    wait_for("it spins before a full ring", lambda: host.figures()[router].in_ring == 16_383)
    done: list[str] = []
    applying = threading.Thread(target=lambda: done.extend(driver.apply(content()).done))
    applying.start()
    wait_for("it is reported", lambda: driver.sample().busy == "removing web" or not applying.is_alive())
    assert driver.sample().busy == "removing web"
    applying.join()
    assert done == ["removed web"]
    assert (host.processes(), host.leftovers(), driver.sample().busy) == ([], [], None)


@pytest.mark.usefixtures("no_patience")
def test_an_nf_that_has_lost_a_signal_is_sent_another(host: DoubleHost, driver: OpenNetVmDriver) -> None:
    driver.apply(content(WEB))
    host.home.set(lose_first_sigterm=True)
    assert driver.apply(content()).done == ("removed web",)
    assert (host.processes(), host.leftovers()) == ([], [])


def test_an_agent_that_comes_later_finds_it_too(host: DoubleHost, driver: OpenNetVmDriver) -> None:
    """It has never seen a packet move under this manager; the registry has recorded the death."""
    order = content(WEB)
    driver.apply(order)
    flows(driver)
    host.home.set(wedge="rx")
    kill(host.nf("web.simple-forward").running)
    driver.apply(order)
    later = host.driver()
    wait_for("it is noticed", lambda: "is stuck" in (later.sample().note or ""))


def test_a_chain_without_packets_is_idle_also_where_an_nf_was_killed(host: DoubleHost, driver: OpenNetVmDriver) -> None:
    order = content(WEB)
    host.home.set(packets_per_second={}, wedge="rx")
    driver.apply(order)
    life = host.manager().pid
    stays_well(host, driver)
    kill(host.nf("web.simple-forward").running)
    driver.apply(order)
    stays_well(host, driver)
    assert (host.manager().pid, host.manager().dead) == (life, 1)


def test_a_chain_whose_sender_stops_is_idle(host: DoubleHost, driver: OpenNetVmDriver) -> None:
    """Also long after a death that did no harm: more packets came than a manager has buffers."""
    order = content(WEB)
    driver.apply(order)
    kill(host.nf("web.simple-forward").running)
    driver.apply(order)
    flows(driver)
    host.home.set(packets_per_second={})
    stays_well(host, driver)


def test_an_nf_that_is_held_by_a_signal_is_not_stuck(host: DoubleHost, driver: OpenNetVmDriver) -> None:
    """Its ring is full, and then nothing moves any more; its thread does not run."""
    driver.apply(content(WEB))
    flows(driver)
    held = host.nf("web.router")
    os.kill(held.pid or 0, signal.SIGSTOP)
    try:
        wait_for("its ring is full", lambda: host.figures()[held.instance].waiting == 16_383)
        stays_well(host, driver)
        host.home.set(packets_per_second={})
        stays_well(host, driver)
    finally:
        os.kill(held.pid or 0, signal.SIGCONT)


def test_a_slow_nf_is_not_stuck(tmp_path: Path) -> None:
    """20 ms for a packet: 50 of a million a second. Its ring is full, nearly all is lost; its thread has a CPU."""
    slow = DoubleHost(tmp_path, manager("west", [FIRST]), cost_ns={"flow_tracker": 20_000_000}, duty=0.5)
    try:
        driver = slow.driver()
        driver.apply(content(chain("web", nf("web", "router", core=FIRST))))
        wait_for("its ring is full", lambda: slow.figures()[slow.nf("web.router").instance].waiting > 16_000)
        stays_well(slow, driver)
    finally:
        slow.end()


def test_nfs_that_sleep_under_a_shared_manager_are_not_stuck(tmp_path: Path) -> None:
    shared = DoubleHost(tmp_path, manager("west", [FIRST], shared=True))
    try:
        driver = shared.driver()
        driver.apply(content(chain("web", nf("web", "router", core=FIRST), nf("web", "simple-forward", core=FIRST))))
        flows(driver)
        shared.home.set(packets_per_second={})
        stays_well(shared, driver)
    finally:
        shared.end()


def test_a_manager_that_is_held_by_a_signal_is_not_stuck(host: DoubleHost, driver: OpenNetVmDriver) -> None:
    """It writes nothing meanwhile, and packets flow when it goes on."""
    driver.apply(content(WEB))
    flows(driver)
    life = host.manager()
    os.kill(life.pid or 0, signal.SIGSTOP)
    for _ in range(20):
        assert "stuck" not in (driver.sample().note or "")
    os.kill(life.pid or 0, signal.SIGCONT)
    flows(driver)
    assert host.manager().pid == life.pid
