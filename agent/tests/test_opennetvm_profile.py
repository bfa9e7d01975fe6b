"""What an NF of OpenNetVM carries alone: the arithmetic by hand, and the driver over the double."""

import os
import signal
import struct
import threading
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path

import pytest
from sextant_agent.contract.errors import CoreBusy, DriverError
from sextant_agent.drivers.opennetvm.driver import OpenNetVmDriver
from sextant_agent.drivers.opennetvm.figures import InstanceFigures
from sextant_agent.drivers.opennetvm.processes import of_prefix
from sextant_agent.drivers.opennetvm.profiling.capture import MAX_FLOWS, capture
from sextant_agent.drivers.opennetvm.profiling.periods import Period, PeriodFault, Writing, figures_of
from sextant_agent.drivers.opennetvm.profiling.rig import ProfilingRig, profiling_places
from sextant_agent.machine.proc import command_line
from sextant_agent.measuring.watch import MeasurementCancelled, MeasurementWatch
from sextant_domain.base import Provenance
from sextant_domain.chains.match import Match
from sextant_domain.profiling.profile import ProfiledNf, ProfileProgress, ProfileRequest, ProfileTraffic

from .opennetvm_host import FIRST, SECOND, DoubleHost, double_host, kill, manager, needs_two_cpus
from .orders import chain, content, nf

LITTLE = 0.0005
"""Of its core, what the double's packet thread must have: it takes a fiftieth of what OpenNetVM's would."""


def writing(at_s: float, *, came: int, refused: int = 0, dropped: int = 0, handed_on: int = 0, cpu_s: float) -> Writing:
    figures = InstanceFigures(
        instance=1, service=1, rx=came, tx=handed_on, rx_drop=refused, tx_drop=0, sent_out=0, dropped=dropped,
        handed_on=handed_on,
    )  # fmt: skip
    return Writing(int(at_s * 1e9), int(at_s * 1e9), figures, int(cpu_s * 1e9))


FULL = Period(
    writing(10, came=1_016_384, refused=500_000, handed_on=1_000_000, cpu_s=5),
    writing(11, came=3_016_384, refused=900_000, dropped=500_000, handed_on=2_500_000, cpu_s=5.98),
)
"""2 M packets worked on in .98 s of a core; 16,384 wait before and after; of 2.4 M that came .4 M were refused."""


def test_packets_over_the_cpu_time_of_a_thread_that_is_never_without_them() -> None:
    """2 M / .98 s = 2.041 Mpps; 2.6 GHz x .98 s / 2 M = 1274 cycles each."""
    assert FULL.fault(0.97) is None
    found = figures_of([FULL], 2.6e9)
    assert found.mpps == pytest.approx(2.0408, abs=1e-4)
    assert (round(found.cycles_per_packet, 6), round(found.cpu_percent, 6)) == (1274, 98)
    assert FULL.arrived_mpps == pytest.approx(2.4)


def test_a_period_without_its_core_or_without_a_full_ring_reports_nothing() -> None:
    assert FULL.fault(0.99) is PeriodFault.STARVED
    calm = Period(
        writing(10, came=1000, handed_on=1000, cpu_s=5), writing(11, came=501_000, handed_on=501_000, cpu_s=6)
    )
    assert calm.fault(0.97) is PeriodFault.NOT_FULL
    still = Period(FULL.now, Writing(12 * 10**9, 12 * 10**9, FULL.now.figures, FULL.now.cpu_ns + 10**9))
    assert still.fault(0.97) is PeriodFault.STARVED, "a thread that spins and takes nothing"


def test_a_capture_has_a_packet_for_every_flow_within_the_match() -> None:
    """Four sources: the fifth flow has the first one's address and the next port. 24 bytes of header, 16 a packet."""
    match = Match(src_prefix=IPv4Network("10.0.0.0/30"), dst_prefix=IPv4Network("192.168.7.0/24"), dst_port=53)
    text = capture(ProfileTraffic(packet_bytes=128, flows=5, match=match))
    assert len(text) == 24 + 5 * (16 + 128)
    flows = set()
    for start in range(24, len(text), 16 + 128):
        assert struct.unpack_from("<IIII", text, start) == (0, 0, 128, 128)
        packet = text[start + 16 : start + 16 + 128]
        assert packet[12:14] == b"\x08\x00" and struct.unpack_from(">H", packet, 16) == (114,)
        total = sum(struct.unpack_from(">10H", packet, 14))
        assert (total & 0xFFFF) + (total >> 16) == 0xFFFF, "the sum of a header with its checksum (RFC 1071)"
        source, target = (IPv4Address(packet[at : at + 4]) for at in (26, 30))
        assert source in match.src_prefix and target in match.dst_prefix and packet[23] == 17
        flows.add((source, struct.unpack_from(">HHH", packet, 34)))
    assert flows == {
        (IPv4Address(f"10.0.0.{number % 4}"), (1024 + number // 4, 53, 94)) for number in range(5)
    }  # fmt: skip


def asked(nf_type: str = "firewall", core: int = SECOND, *, flows: int = 100, **changes: object) -> ProfileRequest:
    one = ProfiledNf(nf_type=nf_type, core=core, traffic=ProfileTraffic(flows=flows), config=nf("web", nf_type).config)
    fields = {"mode": "solo", "nf": one, "half_width_percent": 50.0, "max_samples": 4, **changes}
    return ProfileRequest.model_validate(fields)


@pytest.fixture
def host(tmp_path: Path) -> Iterator[DoubleHost]:
    """Slower than in other tests: a thread that takes a fiftieth of a core has then had some of it in every period."""
    needs_two_cpus()
    with double_host(tmp_path, manager("west", [FIRST, SECOND]), time=0.1) as host:
        yield host
        for pid in remains(host):
            os.kill(pid, signal.SIGKILL)


@pytest.fixture
def driver(host: DoubleHost) -> OpenNetVmDriver:
    return host.driver(own_share=LITTLE)


def remains(host: DoubleHost) -> list[int]:
    """Processes of measurements."""
    return [running.pid for place in profiling_places(host.installation) for running in of_prefix(place.prefix)]


def test_an_nf_alone_has_figures_and_nothing_is_left(host: DoubleHost, driver: OpenNetVmDriver) -> None:
    """The firewall of 500 ns takes 2 M of the 10 M packets that come a second."""
    host.home.set(cost_ns={"firewall": 500})
    heard: list[ProfileProgress] = []
    found = driver.profile(asked(), MeasurementWatch(progress=heard.append))
    assert found.nf is not None and found.ended in {"narrow", "limit"}
    assert (found.provenance, found.nf.mpps.count) == (Provenance.MEASURED, len(found.samples))
    assert len(found.samples) >= 3 and all(sample.clean_slices >= 3 for sample in found.samples)
    packets_a_cycle = found.nf.mpps.value * 1e6 / 2.6e9
    assert found.nf.cycles_per_packet.value == pytest.approx(1 / packets_a_cycle, rel=0.2)
    assert found.program_version.startswith("firewall ")
    assert heard[0].note.startswith("starting a manager") and heard[-1].samples == len(found.samples)
    assert remains(host) == []
    assert [path for path in host.leftovers() if path.name.startswith("sextant-")] == []


def test_one_that_takes_all_that_comes_is_not_measurable(host: DoubleHost, driver: OpenNetVmDriver) -> None:
    host.home.set(cost_ns={"firewall": 50}, endless_packets_per_second=1_000_000)
    found = driver.profile(asked(), MeasurementWatch())
    assert found.nf is None and found.not_measurable is not None
    assert found.not_measurable.startswith("its ring did not overflow: it takes the ")
    assert remains(host) == []


def test_on_a_host_without_a_core_for_it_is_busy(host: DoubleHost) -> None:
    """As the agent itself has it: the double's threads take a fiftieth of a core."""
    with pytest.raises(CoreBusy, match=f"other work uses the cores: firewall had .+ % of core {SECOND}, and 97 % are"):
        host.driver().profile(asked(), MeasurementWatch())
    assert remains(host) == []


def test_where_a_chain_runs_it_is_refused_and_the_chain_untouched(host: DoubleHost, driver: OpenNetVmDriver) -> None:
    assert driver.apply(content(chain("web", nf("web", "firewall", core=FIRST)))).failures == {}
    there = host.processes()
    with pytest.raises(CoreBusy, match=rf"core {FIRST} runs web.firewall: .* delete web first, or profile on another"):
        driver.profile(asked(), MeasurementWatch())
    assert host.processes() == there and remains(host) == []


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"mode": "shared-core", "others": (asked().nf,)}, "NFs that share a core: under the manager of a measurement"),
        ({"mode": "colocation", "others": (asked(core=FIRST).nf,)}, "1 in opennetvm.toml, 2 needed for 1 beside it"),
        ({"upstream": (asked(core=FIRST).nf,)}, "chains: NFs of OpenNetVM are measured without others of their chain"),
        ({"flows": MAX_FLOWS + 1}, f"flows: OpenNetVM's packet buffers hold {MAX_FLOWS} flows to play, not 8193"),
    ],
    ids=["a shared core", "competitors without a manager", "a chain", "flows"],
)
def test_what_it_cannot_measure_it_says(driver: OpenNetVmDriver, changes: dict[str, object], reason: str) -> None:
    found = driver.profile(asked(**changes), MeasurementWatch())  # type: ignore[arg-type]
    assert reason in (found.not_measurable or "")


def test_an_order_ends_a_measurement_and_then_goes_on(host: DoubleHost, driver: OpenNetVmDriver) -> None:
    host.home.set(cost_ns={"firewall": 500})
    begun, ended = threading.Event(), []

    def heard(progress: ProfileProgress) -> None:
        if progress.samples:
            begun.set()

    def measure() -> None:
        with pytest.raises(CoreBusy, match="an order for this host came") as busy:
            driver.profile(asked(half_width_percent=0.05, max_samples=100), MeasurementWatch(progress=heard))
        ended.append(busy.value)

    thread = threading.Thread(target=measure)
    thread.start()
    assert begun.wait(60)
    assert driver.apply(content(chain("web", nf("web", "firewall", core=FIRST)))).failures == {}
    assert remains(host) == [], "it ended before the order was carried out"
    thread.join(60)
    assert len(ended) == 1


def test_cancelled_it_leaves_nothing(host: DoubleHost, driver: OpenNetVmDriver) -> None:
    seen: list[ProfileProgress] = []
    watch = MeasurementWatch(progress=seen.append, cancelled=lambda: any(one.samples for one in seen))
    host.home.set(cost_ns={"firewall": 500})
    with pytest.raises(MeasurementCancelled):
        driver.profile(asked(half_width_percent=0.05, max_samples=100), watch)
    assert remains(host) == []


def test_what_a_measurement_has_left_whose_agent_died_ends_with_the_next_agent(
    host: DoubleHost, driver: OpenNetVmDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its manager, the NF and the way out lead sessions of their own, and live on where nobody ends them."""
    host.home.set(cost_ns={"firewall": 500})

    def die(progress: ProfileProgress) -> None:
        if progress.samples:
            raise Dead

    monkeypatch.setattr(ProfilingRig, "end", lambda _: None)
    with pytest.raises(Dead):
        driver.profile(asked(half_width_percent=0.05, max_samples=100), MeasurementWatch(progress=die))
    assert len(remains(host)) == 3
    host.driver()
    assert remains(host) == []


class Dead(Exception):
    """What an agent is that does nothing more."""


def test_what_dies_while_it_is_measured_is_no_figure(host: DoubleHost, driver: OpenNetVmDriver) -> None:
    def strike() -> bool:
        for one in remains(host):
            if "firewall" in " ".join(command_line(one)):
                os.kill(one, signal.SIGKILL)
        return False

    with pytest.raises(DriverError, match="firewall"):
        driver.profile(asked(), MeasurementWatch(cancelled=strike))
    assert remains(host) == []


def test_a_manager_that_dies_between_two_samples_is_started_anew(host: DoubleHost, driver: OpenNetVmDriver) -> None:
    host.home.set(cost_ns={"firewall": 500})

    def strike(progress: ProfileProgress) -> None:
        if progress.samples == 1:
            (place,) = profiling_places(host.installation)
            kill(next(one for one in of_prefix(place.prefix) if "onvm_mgr" in " ".join(command_line(one.pid))))

    found = driver.profile(asked(half_width_percent=0.05, max_samples=3), MeasurementWatch(progress=strike))
    assert len(found.samples) == 3
    assert remains(host) == []
