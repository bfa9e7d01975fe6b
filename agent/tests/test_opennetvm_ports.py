"""What a port's card loses, by DPDK's telemetry: the driver over the double, and hostile answers."""

import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sextant_agent.contract.sample import ChainCounters, HostSample
from sextant_agent.drivers.opennetvm import port_telemetry
from sextant_agent.drivers.opennetvm.driver import OpenNetVmDriver
from sextant_agent.drivers.opennetvm.port_telemetry import MAX_BYTES, NAME, Unanswered, ask
from sextant_agent.drivers.opennetvm.statistics import Statistics
from sextant_agent.reporting.telemetry import rates
from sextant_domain.hosts.desired import DesiredChain

from .opennetvm_host import FIRST, SECOND, DoubleHost, double_host, kill, manager, needs_two_cpus
from .orders import chain, content, nf
from .waiting import wait_for


@pytest.fixture
def host(tmp_path: Path) -> Iterator[DoubleHost]:
    """The RX thread takes 2.5 M packets a second; none come yet."""
    needs_two_cpus()
    west, rates = manager("west", [FIRST, SECOND]), {"rx_packets_per_second": {"0": 2_500_000}}
    with double_host(tmp_path, west, packets_per_second={"0": 0}, **rates) as host:
        yield host


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A manager that waits for a CPU of a busy machine may be later than the agent waits: the figures are then older
    ones, which is another test's matter."""
    monkeypatch.setattr(port_telemetry, "PATIENCE_S", 60.0)


def begin(host: DoubleHost, driver: OpenNetVmDriver) -> None:
    """The chain, then 3 M packets a second: statistics and telemetry are of two moments, and agree while none come."""
    assert driver.apply(content(web())).failures == {}
    host.home.set(packets_per_second={"0": 3_000_000})


def web() -> DesiredChain:
    return chain("web", nf("web", "router", core=FIRST), nf("web", "simple-forward", core=SECOND))


def counted(driver: OpenNetVmDriver) -> ChainCounters:
    return driver.sample().chains["web"]


def stopped(host: DoubleHost, driver: OpenNetVmDriver) -> HostSample:
    """Between two periods, once no more packets come and all that came have passed."""
    host.home.set(packets_per_second={"0": 0})
    for _ in range(3):
        host.next_period()
    return driver.sample()


@pytest.mark.usefixtures("patient")
def test_what_arrives_was_received_or_missed(host: DoubleHost, driver: OpenNetVmDriver) -> None:
    """Of each second's 3 M packets the card misses 0.5 M, a sixth of what arrives; whole seconds are counted."""
    begin(host, driver)
    wait_for("some seconds", lambda: counted(driver).offered >= 12_000_000)
    now = stopped(host, driver).chains["web"]
    assert now.source_drops and now.offered == 6 * now.source_drops == now.sent + now.source_drops


@pytest.mark.usefixtures("patient")
def test_no_loss_of_a_chain_is_counted_twice_or_not_at_all(host: DoubleHost, driver: OpenNetVmDriver) -> None:
    """Of 3 M a second the card misses 0.5 M; the router does 2 M at 500 ns each, the next 1 M at 1000 ns, and the way
    out 0.5 M at 2000 ns, of which the port can send 0.3 M. What none of them passes on is lost once: at the card, in a
    ring, or behind the last NF, which has the losses of the way out, since nobody ordered that. What waited in rings
    has passed when nothing comes."""
    costs = {"flow_tracker": 500, "simple_forward": 1000, "basic_monitor": 2000}
    host.home.set(cost_ns=costs, tx_packets_per_second={"0": 300_000})
    begin(host, driver)
    before = driver.sample()
    wait_for("losses everywhere", lambda: all(found.drops for found in driver.sample().nfs.values()))
    now = stopped(host, driver)
    web_now, first, last = now.chains["web"], now.nfs["web.router"], now.nfs["web.simple-forward"]
    assert web_now.offered == web_now.delivered + web_now.source_drops + first.drops + last.drops
    assert first.drops and last.drops
    (reported,) = rates(before, now, {}).chains
    assert reported.drop_mpps == pytest.approx(reported.offered_mpps - reported.delivered_mpps, rel=0.02), (
        "some waited before"
    )


@pytest.mark.usefixtures("patient")
def test_losses_go_on_over_lives_of_managers_and_agents(host: DoubleHost, driver: OpenNetVmDriver) -> None:
    begin(host, driver)
    wait_for("losses", lambda: counted(driver).source_drops > 1_000_000)
    before = counted(driver).source_drops
    kill(host.manager().running)
    assert counted(driver).source_drops >= before
    assert not driver.apply(content(web())).failures
    wait_for("more", lambda: counted(driver).source_drops > before + 1_000_000)
    before = counted(driver).source_drops
    driver.close()
    assert counted(host.driver()).source_drops >= before


def test_a_manager_that_is_silent_there_holds_up_no_sample_and_is_reported(
    host: DoubleHost, driver: OpenNetVmDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last losses stay; packets are counted by its statistics. It is asked again, and then counts on."""
    monkeypatch.setattr(port_telemetry, "RETRY_S", 0.5)
    begin(host, driver)
    wait_for("losses", lambda: counted(driver).source_drops)
    assert capability(driver) == (True, "DPDK's telemetry reports what a port's card drops before OpenNetVM takes it")
    host.home.set(telemetry_silent=True)
    wait_for("it is reported", lambda: driver.sample() and not capability(driver)[0])
    assert capability(driver)[1].endswith(f"{NAME} does not answer within 0.25 s")
    silent = counted(driver)
    wait_for("packets", lambda: counted(driver).delivered > silent.delivered)
    assert counted(driver).source_drops == silent.source_drops
    host.home.set(telemetry_silent=False)
    wait_for("losses again", lambda: counted(driver).source_drops > silent.source_drops)
    assert capability(driver)[0]


def capability(driver: OpenNetVmDriver) -> tuple[bool, str]:
    found = next(one for one in driver.inventory().host.capabilities if one.name == "port-losses")
    return found.available, found.reason.partition(", where")[0]


@pytest.mark.usefixtures("patient")
def test_a_sample_reads_a_managers_figures_once(
    host: DoubleHost, driver: OpenNetVmDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver.apply(content(web()))
    read: list[object] = []
    real = Statistics.figures

    def figures(self: Statistics, *, alive: bool) -> object:
        read.append(self)
        return real(self, alive=alive)

    monkeypatch.setattr(Statistics, "figures", figures)
    driver.sample()
    assert len(read) == 1


GREETING = {"version": "DPDK 22.11.11", "pid": os.getpid(), "max_output_len": 16_384}
STATS = {"imissed": 5, "ierrors": 2, "rx_nombuf": 900, "ipackets": 10}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Deeper than a socket's address is long."""
    folder = tmp_path / ("x" * 100)
    folder.mkdir()
    return folder


def serve(folder: Path, *messages: bytes) -> None:
    """One connection: a greeting, then an answer to each question; with the last the connection ends."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    descriptor = os.open(folder, os.O_PATH)
    listener.bind(f"/proc/self/fd/{descriptor}/{NAME}")
    os.close(descriptor)
    listener.listen(1)

    def answer() -> None:
        with listener, listener.accept()[0] as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 * MAX_BYTES)
            connection.send(messages[0])
            for message in messages[1:]:
                if connection.recv(1024):
                    connection.send(message)
            connection.recv(1024)

    threading.Thread(target=answer, daemon=True).start()


def said(value: object) -> bytes:
    return json.dumps(value).encode()


@pytest.mark.usefixtures("patient")
def test_missed_and_erroneous_packets_of_all_ports_are_added(folder: Path) -> None:
    """5 + 2 of each of two ports; allocations that failed are no packets."""
    stats = said({"/ethdev/stats": STATS})
    serve(folder, said(GREETING), stats, stats)
    found = ask(folder, os.getpid(), (0, 1))
    assert (found.missed, found.broken, found.packets) == (10, 4, 14)


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize(
    ("messages", "cause"),
    [
        ([said({**GREETING, "pid": 1})], "another process"),
        ([said([])], "another shape"),
        ([b"\xff\xfe"], "no JSON"),
        ([b"[" * 60_000], "no JSON"),
        ([b'"' + b"x" * MAX_BYTES + b'"'], f"over {MAX_BYTES} bytes"),
        ([said(GREETING)], "ended the connection"),
        ([said(GREETING), said({"/ethdev/stats": None})], "knows no port 0"),
        ([said(GREETING), said({"/ethdev/stats": {**STATS, "imissed": -1}})], "no count of imissed"),
        ([said(GREETING), said({"/ethdev/stats": {**STATS, "imissed": True}})], "no count of imissed"),
        ([said(GREETING), said({"/ethdev/stats": {**STATS, "ierrors": 2**64}})], "no count of ierrors"),
        ([said(GREETING), said({"/ethdev/stats": {"imissed": 1}})], "no count of ierrors"),
    ],
)
def test_an_answer_of_another_shape_is_no_figure(folder: Path, messages: list[bytes], cause: str) -> None:
    serve(folder, *messages)
    with pytest.raises(Unanswered, match=cause):
        ask(folder, os.getpid(), (0,))


def test_nobody_there_and_nobody_who_speaks(folder: Path) -> None:
    with pytest.raises(Unanswered, match="No such file"):
        ask(folder, os.getpid(), (0,))
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    descriptor = os.open(folder, os.O_PATH)
    listener.bind(f"/proc/self/fd/{descriptor}/{NAME}")
    os.close(descriptor)
    with pytest.raises(Unanswered, match="Connection refused"):
        ask(folder, os.getpid(), (0,))
    listener.listen(0)
    for _ in range(3):  # the first is never taken, and then none more waits
        began = time.monotonic()
        with pytest.raises(Unanswered):
            ask(folder, os.getpid(), (0,))
        assert time.monotonic() - began < 30, "an answer that never comes is not waited for"
    listener.close()
