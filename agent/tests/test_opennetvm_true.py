"""The OpenNetVM driver over a true OpenNetVM, where SEXTANT_ONVM_HOME names one; as root, with huge pages.

    SEXTANT_ONVM_HOME=/opt/openNetVM SEXTANT_ONVM_HUGE=/dev/hugepages pytest -m true_onvm -s agent/tests

SEXTANT_ONVM_HUGE is where huge pages are mounted, of which SEXTANT_ONVM_MEMORY_MB (default 512) must be free,
SEXTANT_ONVM_EAL EAL's options for ports (default `--no-pci --vdev=net_null0`, a port that floods). Two CPUs are
enough, and take their time. Durations are printed; nothing here fails for being slow.
"""

import os
import shlex
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import pytest
from sextant_agent.contract.sample import HostSample
from sextant_agent.control.reconciliation import HostProgress
from sextant_agent.drivers.opennetvm.driver import OpenNetVmDriver
from sextant_agent.drivers.opennetvm.limits import MAX_STARTS
from sextant_agent.drivers.opennetvm.processes import cpu_of_thread, packet_thread
from sextant_agent.measuring.watch import MeasurementWatch
from sextant_agent.reporting.sampling import Sampling
from sextant_domain.hosts.desired import DesiredChain, HostContent, NfState, Phase
from sextant_domain.profiling.profile import ProfiledNf, ProfileMode, ProfileRequest, ProfileTraffic

from . import onvm_pool
from .onvm_double.true_home import HOME_VARIABLE, HUGE_VARIABLE
from .opennetvm_host import FIRST, SECOND, OnvmHost, kill, manager
from .orders import HOST, chain, content, nf
from .waiting import wait_for

T = TypeVar("T")
pytestmark = [
    pytest.mark.true_onvm,
    pytest.mark.skipif(HOME_VARIABLE not in os.environ, reason=f"{HOME_VARIABLE} names no OpenNetVM"),
    pytest.mark.skipif(FIRST == SECOND, reason="OpenNetVM needs two CPUs"),
]


@pytest.fixture
def host() -> Iterator[OnvmHost]:
    """In a folder with a short name: DPDK's sockets lie below it, and have 107 bytes for their whole path."""
    west = manager(
        "west", [FIRST, SECOND], cpus=[FIRST, FIRST, SECOND],
        memory_mb=int(os.environ.get("SEXTANT_ONVM_MEMORY_MB", "512")),
        eal=shlex.split(os.environ.get("SEXTANT_ONVM_EAL", "--no-pci --vdev=net_null0")),
    )  # fmt: skip
    huge_dir = Path(os.environ.get(HUGE_VARIABLE, "/dev/hugepages"))
    with TemporaryDirectory(prefix="sx-", dir="/tmp") as folder:
        host = OnvmHost(Path(folder), Path(os.environ[HOME_VARIABLE]), huge_dir, [west])
        yield host
        host.end()
    for path in huge_dir.glob(f"sextant-{west['name']}map_*"):
        path.unlink()


def web(core: int = FIRST, version: int = 1) -> DesiredChain:
    """Two that look at no packet, since those of net_null are none of IP; and the way out."""
    first, second = nf("web", "simple-forward", core=core), nf("web", "simple-forward", core=other(core))
    return chain("web", first.model_copy(update={"nf_id": "web.first", "nf_version": version}), second)


def other(core: int) -> int:
    return SECOND if core == FIRST else FIRST


def took(what: str, step: Callable[[], T]) -> T:
    began = time.monotonic()
    found = step()
    print(f"\n{what}: {time.monotonic() - began:.2f} s", end="")
    return found


def carries(driver: OpenNetVmDriver) -> None:
    before = driver.sample()
    assert {found.state for found in before.nfs.values()} == {NfState.RUNNING}, before.nfs
    sent = before.chains["web"].delivered
    wait_for("packets pass all of it", lambda: driver.sample().chains["web"].delivered > sent + 1000)


def test_a_chain_from_its_start_to_its_end(host: OnvmHost) -> None:
    """Start, deaths, a successor of the agent, a new configuration, removal."""
    driver = host.driver()
    order = content(web())
    report = took("start of a manager and 3 NFs", lambda: driver.apply(order))
    assert not report.failures
    took("first packets", lambda: carries(driver))
    assert driver.apply(order).done == ()
    for found in driver.sample().nfs.values():
        thread = packet_thread(found.pid or 0)
        assert thread and cpu_of_thread(thread) == found.core

    kill(host.nf("web.simple-forward").running)
    found = took("a killed NF is seen", driver.sample).nfs["web.simple-forward"]
    assert (found.state, found.exit) == (NfState.CRASHED, "killed by signal 9 (SIGKILL)")
    assert not took("its recovery, with the NF before it", lambda: driver.apply(order)).failures
    assert host.manager().dead == 1
    carries(driver)

    kill(host.nf("web.first").running)
    assert not took("recovery of the first NF, with the manager", lambda: driver.apply(order)).failures
    carries(driver)

    there, counted = host.processes(), driver.sample()
    driver.close()
    driver = host.driver()
    assert driver.apply(order).done == () and host.processes() == there
    assert driver.sample().chains["web"].delivered >= counted.chains["web"].delivered
    carries(driver)

    kill(host.manager().running)
    assert {found.state for found in driver.sample().nfs.values()} == {NfState.CRASHED}
    assert not took("recovery of a killed manager", lambda: driver.apply(order)).failures
    assert driver.sample().chains["web"].delivered >= counted.chains["web"].delivered
    carries(driver)

    replaced = content(web(version=2))
    assert not took("a new version under the same manager", lambda: driver.apply(replaced)).failures
    carries(driver)
    assert took("removal", lambda: driver.apply(content())).done == ("removed web",)
    assert host.processes() == []
    assert [path for path in host.leftovers() if path.name.startswith("sextant-")] == []


def test_no_sample_reports_that_nothing_flows_while_packets_do(host: OnvmHost) -> None:
    """24 samples, half a second apart, at figures that are written once a second: of about every second one nothing was
    counted anew. Rates of a port that floods are those of the last two writings."""
    driver, sampling = host.driver(), Sampling(HOST, ())
    assert not driver.apply(content(chain("web", nf("web", "simple-forward", core=SECOND)))).failures
    carries(driver)
    found: list[float] = []
    sample = driver.sample()
    sampling.batch(sample, HostProgress(1, Phase.CONVERGED), {})
    first = sample.chains["web"].counted_ns
    wait_for("another writing", lambda: driver.sample().chains["web"].counted_ns != first)
    for _ in range(24):
        sample = half_a_second_after(sample, driver)
        (web,) = sampling.batch(sample, HostProgress(1, Phase.CONVERGED), {}).chains
        found.append(web.delivered_mpps)
    print(f"\n{found} Mpps", end="")
    assert min(found) > 0
    driver.apply(content())


def half_a_second_after(sample: HostSample, driver: OpenNetVmDriver) -> HostSample:
    wait_for("half a second", lambda: time.monotonic_ns() - sample.taken_ns > 500_000_000)
    return driver.sample()


def test_a_move_is_a_matter_of_the_packet_thread(host: OnvmHost) -> None:
    """A chain of one, from one CPU to the other and back."""
    driver = host.driver()

    def on(core: int) -> DesiredChain:
        return chain("web", nf("web", "simple-forward", core=core))

    assert not driver.apply(content(on(SECOND))).failures
    carries(driver)
    before = host.nf("web.simple-forward")
    for core in (FIRST, SECOND):
        report = took(f"a move to CPU {core}", lambda to=core: driver.apply(content(on(to))))
        assert (len(report.done), dict(report.failures)) == (1, {})
        found = driver.sample().nfs["web.simple-forward"]
        assert (found.core, found.pid, found.state) == (core, before.pid, NfState.RUNNING)
        carries(driver)
    host.kill_all()
    assert driver.apply(content()).done == ("removed web",)
    assert [path for path in host.leftovers() if path.name.startswith("sextant-")] == []


def test_a_firewall_starts_and_what_it_drops_is_counted(host: OnvmHost) -> None:
    """The manager makes its table first. Packets that are none of IP it drops."""
    driver = host.driver()
    order = content(chain("web", nf("web", "firewall", core=SECOND)))
    assert not took("start of a manager, a firewall and the way out", lambda: driver.apply(order)).failures
    wait_for("packets are dropped", lambda: driver.sample().nfs["web.firewall"].filtered > 1000)
    driver.apply(content())


def test_an_nf_is_measured_alone(host: OnvmHost) -> None:
    """Its RX thread has a CPU to itself, the NF shares its own with the way out, TX and all else that runs: a fiftieth
    of it must do. `aes_encrypt` takes microseconds a packet, so that its ring overflows on any machine."""
    (west,) = host.entries.values()
    host.entries = {west["name"]: west | {"cpus": [SECOND, FIRST, SECOND]}}
    path = Path(os.environ[HOME_VARIABLE]) / "examples/aes_encrypt/build/app/aes_encrypt"
    host.fields = {"program": {"simple-forward": {"path": path, "args": ["-d", "{next}"]}}}
    driver = host.driver(own_share=0.02)
    measured = ProfiledNf(nf_type="simple-forward", core=SECOND, traffic=ProfileTraffic(packet_bytes=1024, flows=1000))
    request = ProfileRequest(mode=ProfileMode.SOLO, nf=measured, half_width_percent=10, max_samples=4)
    found = took("a measurement", lambda: driver.profile(request, MeasurementWatch()))
    print(f"\n{found.nf}", end="")
    assert found.nf is not None, found.not_measurable
    assert found.nf.cycles_per_packet.value > 1000
    assert [path for path in host.leftovers() if path.name.startswith("sextant-")] == []


def test_an_nf_is_measured_beside_another_under_a_second_manager(host: OnvmHost) -> None:
    """As alone, on two CPUs that two managers and their NFs share: what the drop is says nothing here, that managers
    stand still and go on without a wedge does."""
    (west,) = host.entries.values()
    east = west | {
        "name": f"e{west['name']}"[:12],
        "port": "east-0",
        "cpus": [FIRST, SECOND, FIRST],
        "nf_cpus": [FIRST],
    }
    host.entries = {
        west["name"]: west | {"cpus": [SECOND, FIRST, SECOND], "nf_cpus": [SECOND]}, east["name"]: east,
    }  # fmt: skip
    path = Path(os.environ[HOME_VARIABLE]) / "examples/aes_encrypt/build/app/aes_encrypt"
    host.fields = {"program": {"simple-forward": {"path": path, "args": ["-d", "{next}"]}}}
    driver = host.driver(own_share=0.02)
    measured, rival = (
        ProfiledNf(nf_type="simple-forward", core=core, traffic=ProfileTraffic(packet_bytes=1024, flows=1000))
        for core in (SECOND, FIRST)
    )
    request = ProfileRequest(
        mode=ProfileMode.COLOCATION, nf=measured, others=(rival,), pairs=2, half_width_percent=50, max_samples=3
    )
    found = took("a measurement beside another", lambda: driver.profile(request, MeasurementWatch()))
    print(f"\n{found.nf}\n{found.beside}\n{found.others}\n{found.throughput_drop_percent}", end="")
    assert found.beside is not None, found.not_measurable
    assert found.others[0].mpps.value > 0
    assert [path for path in host.leftovers() if path.name.startswith("sextant-")] == []


def test_a_stuck_manager_is_noticed_and_a_stuck_chain_removed(host: OnvmHost) -> None:
    """As an NF leaves the ring of free packet buffers that is killed at the wrong moment; a kill itself hits it now and
    then, the more often the fewer CPUs there are. The firewall gives every packet of net_null back."""
    driver = host.driver()
    order = content(chain("web", nf("web", "simple-forward", core=FIRST), nf("web", "firewall", core=SECOND)))
    assert not driver.apply(order).failures
    break_off(host)
    took("a stuck manager is noticed", lambda: wait_for("it", lambda: "is stuck" in (driver.sample().note or "")))
    (reported,) = took("its restart, with the chain", lambda: driver.apply(order)).done
    assert reported.startswith("restarted web with its manager (it is stuck: ")
    before = driver.sample().chains["web"].offered
    wait_for("packets come", lambda: driver.sample().chains["web"].offered > before + 1000)
    break_off(host)
    assert took("removal of a chain that has just got stuck", lambda: driver.apply(content())).done == ("removed web",)
    assert host.processes() == []


def break_off(host: OnvmHost) -> None:
    pid = host.manager().pid
    assert pid
    onvm_pool.break_off([running.pid for running in host.processes()], pid)


def test_starts_that_fail_are_reported_in_words(host: OnvmHost) -> None:
    (west,) = host.entries.values()
    for field, value, said in (
        ("memory_mb", 1 << 20, "there are fewer free huge pages than memory_mb"),
        ("eal", ["--nonsense"], "EAL does not know an option in `eal`"),
        ("port_mask", 0x80, "it has not all ports of port_mask 0x80"),
    ):
        host.entries = {west["name"]: west | {field: value}}
        (failure,) = host.driver().apply(content(web())).failures.values()
        assert said in failure.message
        assert host.processes() == []


def test_churn(host: OnvmHost) -> None:
    """Each order is another version of the NF: 2 starts with the way out. 55 orders are the 110 that a manager may
    start, so that of 62 the last 7 run under another; then three NFs are killed, of which the second ends its manager's
    life. Takes some minutes."""
    driver = host.driver()

    def order(version: int) -> HostContent:
        one = nf("web", "simple-forward", core=SECOND)
        return content(chain("web", one.model_copy(update={"nf_version": version})))

    def churn() -> list[int]:
        lives = []
        for version in range(1, 63):
            assert not driver.apply(order(version)).failures
            carries(driver)
            lives.append(host.manager().pid or 0)
            assert host.manager().starts <= MAX_STARTS
            assert len(host.processes()) == 3, "nothing of the version before"
        return lives

    lives = took("62 orders, 124 starts", churn)
    assert [lives.count(pid) for pid in dict.fromkeys(lives)] == [55, 7]
    life = host.manager().pid
    for dead in (1, 0, 1):
        kill(host.nf("way-out").running)
        report = took("recovery of a way out", lambda: driver.apply(order(62)))
        assert (dict(report.failures), host.manager().dead) == ({}, dead)
        carries(driver)
    assert host.manager().pid != life
    driver.apply(content())
    assert host.processes() == []
    assert [path for path in host.leftovers() if path.name.startswith("sextant-")] == []
