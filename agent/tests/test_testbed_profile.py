"""What a testbed says beforehand of what it can measure."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from sextant_agent.contract.errors import CoreBusy
from sextant_agent.drivers.testbed.chain_rig import AtRate, Times, at_rate, median_us, over_rings
from sextant_agent.drivers.testbed.profile import BINARY_NAME, TestbedProfiler
from sextant_agent.drivers.testbed.runner_messages import NfAnswer, QueryAnswer
from sextant_agent.drivers.testbed.scenario import Scenario, scenario_of
from sextant_agent.machine.inventory import build_inventory
from sextant_agent.machine.machine import LocalMachine, read_machine
from sextant_agent.machine.thread_time import ThreadTime
from sextant_agent.measuring.calibration import CalibrationStore
from sextant_agent.measuring.fingerprint import read_fingerprint
from sextant_agent.measuring.lost_time import CoreTimes, Watched
from sextant_agent.measuring.profiler import HostProfiler
from sextant_agent.measuring.program import CoresInUse, MeasureDisturbed
from sextant_agent.measuring.watch import MeasurementWatch
from sextant_domain.chains.nf import NfType
from sextant_domain.profiling.calibration import CounterSource
from sextant_domain.profiling.job import PointPurpose, ProfilingAsk
from sextant_domain.profiling.profile import NfFigures, ProfiledNf, ProfileMode, ProfileRequest, ProfileSample
from sextant_engine.profiling.cores import free_cores
from sextant_engine.profiling.design import design

from .machines import small, two_sockets
from .measuring_lines import calibration

NF_TYPES = {
    name: NfType(name=name, version=1, short_name=name, summary=name, library="none", config_schema={"properties": {}})
    for name in ("router", "nat", "firewall")
}


@pytest.fixture
def program(tmp_path: Path) -> Path:
    made = tmp_path / BINARY_NAME
    made.write_text("#!/bin/sh\n")
    made.chmod(0o755)
    return made


@pytest.fixture
def profiler(program: Path, tmp_path: Path) -> TestbedProfiler:
    return TestbedProfiler(program.with_name("sextant-runner"), tmp_path / "state", tmp_path / "sockets", lambda: None)


def machine(root: Path, *cores: int) -> LocalMachine:
    """A small one of one node, of which these cores are offered."""
    return read_machine(small(root, 4), cores, frozenset(range(4)))


def reported(profiler: TestbedProfiler, machine: LocalMachine) -> dict[str, tuple[bool, str]]:
    return {each.name: (each.available, each.reason) for each in profiler.capabilities(machine)}


def test_which_cores_share_a_cache_is_known_once_they_are_calibrated(profiler: TestbedProfiler, tmp_path: Path) -> None:
    """Cores 0 and 1 share a cache, core 2 stands apart (measuring_lines.py)."""
    offered = {cores: machine(tmp_path / str(cores), *cores) for cores in ((0, 1, 2), (1, 2), (1,))}
    for cores, expected in (((0, 1, 2), True), ((1,), False)):
        assert reported(profiler, offered[cores])["profiling-colocation"][0] is expected
    assert reported(profiler, offered[0, 1, 2])["profiling-colocation"][1].startswith("not calibrated yet")
    held = calibration().model_copy(update={"fingerprint": read_fingerprint(Path("/"))})
    store = CalibrationStore(tmp_path / "state")
    store.save(held)
    assert reported(profiler, offered[0, 1, 2])["profiling-colocation"] == (
        True, "cores that share an L3: 0 and 1 (31 ns)",
    )  # fmt: skip
    available, reason = reported(profiler, offered[1, 2])["profiling-colocation"]
    assert not available and reason.startswith("no pair of the calibrated cores shares an L3: ")
    store.forget()
    assert reported(profiler, offered[1, 2])["profiling-colocation"][0], "refuted: it is not known any more"


def test_a_design_for_cores_that_share_no_cache_asks_for_throughput_alone(
    profiler: TestbedProfiler, tmp_path: Path
) -> None:
    """What the engine reads is what this agent reports: cores 1 and 2 share no cache, 0 and 1 do."""
    held = calibration().model_copy(update={"fingerprint": read_fingerprint(Path("/"))})
    CalibrationStore(tmp_path / "state").save(held)
    purposes = {}
    for cores in ((0, 1), (1, 2)):
        offered = machine(tmp_path / str(cores), *cores)
        host = build_inventory(offered, "edge-1", "testbed", profiler.capabilities(offered))
        made = design(ProfilingAsk(nf_type="router", host="edge-1"), host, free_cores(host), NF_TYPES)
        purposes[cores] = {point.purpose for point in made.points}
    assert PointPurpose.LOCAL in purposes[0, 1]
    assert purposes[1, 2] == {PointPurpose.IDEAL}
    assert any(one.startswith("competitors: no pair of the calibrated cores shares an L3") for one in made.left_out)


def test_only_cores_that_take_nfs_count(profiler: TestbedProfiler, tmp_path: Path) -> None:
    """Of two CPUs that are never shared one is left to source and sink: no competitor, no chain."""
    found = {each.name: each.available for each in profiler.capabilities(machine(tmp_path / "two", 0, 1), "never")}
    alone = {"profiling": True, "profiling-shares": True}
    assert found == {**alone, "profiling-colocation": False, "profiling-chains": False}


def test_chains_are_measured_where_every_nf_has_a_core(profiler: TestbedProfiler, tmp_path: Path) -> None:
    one, two = machine(tmp_path / "one", 1), read_machine(two_sockets(tmp_path / "two"), None, frozenset(range(32)))
    assert not reported(profiler, one)["profiling-chains"][0]
    assert reported(profiler, two)["profiling-chains"] == (
        True, "over the testbed's own rings, on a core for each NF",
    )  # fmt: skip


def test_competitors_in_chains_are_refused_before_anything_starts(profiler: TestbedProfiler, tmp_path: Path) -> None:
    offered = machine(tmp_path / "one", 0, 1, 2)
    host = build_inventory(offered, "edge-1", "testbed", profiler.capabilities(offered))
    subject, *beside = (ProfiledNf(nf_type="router", core=core) for core in (1, 2, 0))
    asked = ProfileRequest(mode=ProfileMode.COLOCATION, nf=subject, others=tuple(beside), others_a_chain=2)
    found = profiler.profile(asked, host, MeasurementWatch())
    assert found.not_measurable == "chains: competitors do not stand in chains here"


def test_what_a_place_adds_comes_on_top_of_the_closed_loop() -> None:
    """20 Mpps are 50 ns a packet; 12.5 more make 62.5, 16 Mpps. At 2 GHz they are 25 cycles on top of 60. Beside
    competitors 30 more than at home make 80, 12.5 Mpps: 21.875 % less than 16."""
    figures = NfFigures(mpps=20.0, cycles_per_packet=60.0, cpu_percent=100.0, counts={"llc-misses": 0.1})
    alone = ProfileSample(
        taken_at=datetime(2026, 1, 1, tzinfo=UTC), counter_source=CounterSource.TSC, nf=figures,
        clean_slices=900, starved_slices=3, settling_slices=0,
    )  # fmt: skip
    found = over_rings(alone, Times(home=20.0, there=32.5), 2e9)
    assert (found.nf.mpps, found.nf.cycles_per_packet) == pytest.approx((16.0, 85.0))
    assert found.nf.counts == {}, "nothing counts events over rings"
    assert found.beside is None and found.throughput_drops_percent == ()
    assert over_rings(alone, Times(home=20.0, there=10.0), 2e9).nf.mpps == pytest.approx(25.0)
    pressed = over_rings(alone, Times(home=20.0, there=32.5, beside=50.0, others=(figures,)), 2e9)
    assert pressed.beside is not None and pressed.beside.mpps == pytest.approx(12.5)
    assert pressed.throughput_drops_percent == pytest.approx((21.875,))
    assert pressed.others == (figures,)
    with pytest.raises(MeasureDisturbed, match=r"50\.0 ns cheaper than it costs"):
        over_rings(alone, Times(home=60.0, there=10.0), 2e9)


def test_where_source_and_sink_have_no_core_for_now_the_host_is_busy(
    profiler: TestbedProfiler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Competitors on cores 0 and 1 leave others of node 0, all of which run NFs: that may end, and is no result."""
    offered = read_machine(two_sockets(tmp_path / "two"), None, frozenset(range(32)))
    host = build_inventory(offered, "edge-1", "testbed", profiler.capabilities(offered))
    nodes = {core.id: core.node for core in host.cores}
    home = [core for core, node in nodes.items() if node == 0]
    away = next(core for core, node in nodes.items() if node == 1)
    others = tuple(ProfiledNf(nf_type="nat", core=core) for core in home[:2])
    asked = ProfileRequest(mode=ProfileMode.COLOCATION, nf=ProfiledNf(nf_type="router", core=away), others=others)
    monkeypatch.setattr(TestbedProfiler, "_busy", lambda *_: {core: ["web.nat"] for core in home[2:]})
    with pytest.raises(CoreBusy, match="others of its cores run NFs"):
        profiler.profile(asked, host, MeasurementWatch())


def test_without_the_program_nothing_is_measured(profiler: TestbedProfiler, program: Path, tmp_path: Path) -> None:
    program.unlink()
    found = reported(profiler, machine(tmp_path / "one", 0, 1))
    assert {available for available, _ in found.values()} == {False}
    assert all("make setup" in reason for _, reason in found.values())


def test_other_work_on_the_cores_is_busy_not_a_result(
    profiler: TestbedProfiler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The console waits for a busy host and counts no try; of what a host cannot measure it keeps a record."""

    def in_use(*_: object, **__: object) -> None:
        raise CoresInUse("5 tries for one sample were void")

    monkeypatch.setattr(HostProfiler, "profile", in_use)
    offered = machine(tmp_path / "one", 0, 1)
    host = build_inventory(offered, "edge-1", "testbed", profiler.capabilities(offered))
    solo = ProfileRequest(mode=ProfileMode.SOLO, nf=ProfiledNf(nf_type="router", core=1))
    with pytest.raises(CoreBusy, match="5 tries") as busy:
        profiler.profile(solo, host, MeasurementWatch())
    assert not busy.value.permanent


def test_a_rate_is_offered_only_where_packets_arrive(profiler: TestbedProfiler, tmp_path: Path) -> None:
    """Packets arrive on node 0, the NF is asked for on node 1: nothing is started."""
    offered = read_machine(two_sockets(tmp_path / "two"), None, frozenset(range(32)))
    host = build_inventory(offered, "edge-1", "testbed", profiler.capabilities(offered))
    arrive = next(core.node for core in host.cores if core.id == host.traffic_core)
    far = next(core.id for core in host.cores if core.node != arrive)
    asked = ProfileRequest(mode=ProfileMode.SOLO, nf=ProfiledNf(nf_type="router", core=far), offered_mpps=1.0)
    found = profiler.profile(asked, host, MeasurementWatch())
    assert (
        found.not_measurable == f"its share of a core at a rate: it is measured on node {arrive}, where packets arrive"
    )


def answered(rx: int, cpu_ms: int, traffic_ms: int) -> QueryAnswer:
    """Of a runner with one NF on core 1."""
    nf = NfAnswer(
        nf="point.0", chain="point", type="firewall", pid=7, state="running", exit=None, core=1, rx=rx, tx=rx, drops=0,
        filtered=0, cycles=0, cpu_ns=cpu_ms * 1_000_000, busy_ns=25 * rx, ring_used=0, ring_size=1024, starts=1,
    )  # fmt: skip
    return QueryAnswer(chains=(), nfs=(nf,), traffic_cpu_ns=traffic_ms * 1_000_000)


def counted(at_s: float, waited_s: float | None) -> CoreTimes:
    """The NF waited so long so far; None: the kernel does not say."""
    threads = {} if waited_s is None else {7: ThreadTime("S", 0.0, waited_s)}
    return CoreTimes(at_s, {Watched("the NF", 7, 1): threads}, {})


AT_14_9 = Scenario(
    ProfileRequest(mode=ProfileMode.SOLO, nf=ProfiledNf(nf_type="firewall", core=1), offered_mpps=14.9),
    0, 0, ProfiledNf(nf_type="firewall", core=1),
)  # fmt: skip


def taken(rx: int, cpu_ms: int, traffic_ms: int, waited_s: float | None) -> AtRate:
    """After one second."""
    answers = answered(0, 0, 0), answered(rx, cpu_ms, traffic_ms)
    return at_rate(AT_14_9, 14.9, answers, (counted(5, None if waited_s is None else 0.0), counted(6, waited_s)), 2e9)


def test_what_sleeping_and_waking_leave_of_a_rate_is_what_this_machine_carries() -> None:
    """8.5 of 14.9 Mpps, NF and source 55 and 78 % busy, nobody waited: that is a figure. At 2 GHz 25 ns are 50
    cycles."""
    found = taken(8_500_000, 550, 780, waited_s=0.01)
    assert (found.figures.mpps, found.figures.cpu_percent, found.figures.cycles_per_packet) == pytest.approx(
        (8.5, 55.0, 50.0)
    )
    assert found.limit == (
        "8.5 of 14.9 Mpps were carried: NF and source sleep and wake each other; the NF had 55 % of its core, source "
        "and sink 78 % of theirs"
    )
    full, source = taken(8_500_000, 970, 780, 0.0).limit, taken(8_500_000, 550, 990, 0.0).limit
    assert "the NF's core was full" in (full or "") and "the core of source and sink was full" in (source or "")
    assert taken(14_900_000, 970, 780, 0.0).limit is None, "all was carried"


def test_a_sample_in_which_others_took_time_is_void_however_much_was_carried() -> None:
    for rx in (8_500_000, 14_900_000):
        with pytest.raises(MeasureDisturbed, match="the NF waited for core 1 20 % of the time"):
            taken(rx, 550, 780, waited_s=0.2)


def test_where_the_kernel_does_not_say_who_waited_less_is_taken_for_other_work() -> None:
    """Unless a core was full."""
    with pytest.raises(MeasureDisturbed, match="this kernel does not count"):
        taken(8_500_000, 550, 780, waited_s=None)
    assert taken(8_500_000, 970, 780, waited_s=None).figures.mpps == pytest.approx(8.5)


def test_the_median_packet_is_found_between_the_bounds() -> None:
    """Of 10 packets 2 are below 1000 ns, 6 below 2000, 2 above: the fifth is the third of those six, half of the way.
    More in the last, open bucket: no later than its bound is known."""
    assert median_us((1000, 2000), (2, 6, 2)) == pytest.approx(1.5)
    assert median_us((1000, 2000), (0, 0, 4)) == 2.0
    with pytest.raises(CoreBusy, match="no packet"):
        median_us((1000, 2000), (0, 0, 0))


def test_a_hop_that_shares_the_source_s_core_says_so() -> None:
    """Two cores for two NFs, source and sink; with a third one nothing is said."""
    first, second = (ProfiledNf(nf_type="firewall", core=core) for core in (1, 0))
    asked = ProfileRequest(mode=ProfileMode.SOLO, nf=first, downstream=(second,), offered_mpps=0.5, hop="same_node")
    nodes = {0: 0, 1: 0, 2: 0}
    narrow, wide = (scenario_of(asked, nodes, 0, free) for free in ((0, 1), (2, 0, 1)))
    found = calibration()
    assert any("one of the two NFs is on the core of source and sink" in note for note in narrow.notes(nodes, found))
    assert wide.notes(nodes, found) == ()
