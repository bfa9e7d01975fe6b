"""Samples, gates and repetitions, against a program that prints what a certain machine would make it print."""

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from sextant_agent.measuring.pressure import measure_pressure
from sextant_agent.measuring.profiler import HostProfiler
from sextant_agent.measuring.program import CoresInUse, MeasureFailed, MeasureProgram, MeasureRefused
from sextant_agent.measuring.protocol import MAX_TRIES, profile
from sextant_agent.measuring.watch import MeasurementCancelled, MeasurementWatch
from sextant_domain.profiling.calibration import CounterSource
from sextant_domain.profiling.profile import (
    ProfiledNf,
    ProfileMode,
    ProfileProgress,
    ProfileRequest,
    ProfileResult,
    ProfileTraffic,
)

from .measuring_lines import CALIBRATION, NO_COUNTERS, calibration, gate_line, run, sample_line, scripted

ROUTER = ProfiledNf(nf_type="router", core=0)
SOLO = ProfileRequest(mode=ProfileMode.SOLO, nf=ROUTER, max_samples=4)


def beside(core: int, **changes: Any) -> ProfileRequest:
    other = ProfiledNf(nf_type="basic-monitor", core=core)
    return ProfileRequest(mode=ProfileMode.COLOCATION, nf=ROUTER, others=(other,), **changes)


def blocks(alone: int, besides: list[int]) -> list[dict[str, Any]]:
    """One ABBA block for each of `besides`: cycles of the NF against the spinner, and beside its competitor."""
    lines = []
    for block, cycles in enumerate(besides):
        for place, against in enumerate(("spinner", "competitor", "competitor", "spinner")):
            phase = 4 * block + place
            mine = cycles if against == "competitor" else alone
            lines.append(sample_line(phase, against=against, cycles=mine))
            if against == "competitor":
                lines.append(sample_line(phase, nf=1, against=against, cycles=99))
    return lines


def asked(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / "asked").read_text()))


def test_solo_is_repeated_until_the_interval_is_narrow(tmp_path: Path) -> None:
    """Three equal samples: the interval has no width."""
    found = profile(SOLO, scripted(tmp_path, run(sample_line(0))), calibration(), MeasurementWatch())
    assert (found.ended, len(found.samples), found.void_tries) == ("narrow", 3, 0)
    assert found.nf is not None
    assert (found.nf.cycles_per_packet.value, found.nf.mpps.value, found.nf.cpu_percent.value) == (15, 32, 99)
    assert found.nf.cycles_per_packet.half_width == 0
    assert (found.clean_slices, found.dropped_slices) == (150, 0)
    assert {sample.counter_source for sample in found.samples} == {CounterSource.TSC}
    assert (found.provenance, found.program_version) == ("measured", "0.1.0")
    source = asked(tmp_path)["nf"]["source"]
    assert (asked(tmp_path)["mode"], source["flows"], source["match"]["protocol"]) == ("solo", 1000, "udp")


def test_solo_ends_at_its_limit_and_says_so(tmp_path: Path) -> None:
    """10, 20, 10, 20: mean 15, error 2.887, half width 3.182 x 2.887 = 9.19."""
    low, high = run(sample_line(0, cycles=10)), run(sample_line(0, cycles=20))
    found = profile(SOLO, scripted(tmp_path, low, high, low, high), calibration(), MeasurementWatch())
    assert (found.ended, len(found.samples)) == ("limit", 4)
    assert found.nf is not None and found.nf.cycles_per_packet.value == 15
    assert found.nf.cycles_per_packet.half_width == pytest.approx(9.19, abs=0.01)


def test_a_sample_whose_gate_does_not_hold_is_void_and_repeated(tmp_path: Path) -> None:
    heard: list[ProfileProgress] = []
    program = scripted(tmp_path, run(sample_line(0, cycles=99), ns=150), run(sample_line(0)))
    found = profile(SOLO, program, calibration(), MeasurementWatch(progress=heard.append))
    assert (found.ended, len(found.samples), found.void_tries) == ("narrow", 3, 1)
    assert found.nf is not None and found.nf.cycles_per_packet.value == 15, "the void one is in no figure"
    assert "sample void: before the sample cores 0 and 1 were 150 ns apart" in heard[1].note
    assert [progress.samples for progress in heard] == [0, 0, 1, 2, 3]


def test_after_so_many_void_tries_the_point_is_not_measurable(tmp_path: Path) -> None:
    found = profile(SOLO, scripted(tmp_path, run(sample_line(0), ns=150)), calibration(), MeasurementWatch())
    assert (found.ended, found.void_tries, found.samples) == ("not-measurable", MAX_TRIES, ())
    assert "150 ns apart, calibrated 31 ns" in (found.not_measurable or "")
    assert "calibrate again" in (found.not_measurable or "")


def test_a_host_too_busy_is_distinguished_from_one_that_moved(tmp_path: Path) -> None:
    """Other work ends: that the host cannot measure while it lasts is no result, and its calibration holds."""
    heard: list[ProfileProgress] = []
    busy = run(sample_line(0, slices=19, starved=81))
    profiler = HostProfiler(
        scripted(tmp_path, CALIBRATION, *[busy] * MAX_TRIES, run(sample_line(0))), tmp_path / "state"
    )
    with pytest.raises(CoresInUse, match="other work uses the cores") as raised:
        profiler.profile(SOLO, [0, 1, 2], MeasurementWatch(progress=heard.append))
    assert "only 19 clean slices of 100" in str(raised.value)
    assert "sample void: other work uses the cores" in heard[-1].note
    assert profiler.profile(SOLO, [0, 1, 2], MeasurementWatch(progress=heard.append)).ended == "narrow"
    assert [progress.stage for progress in heard].count("calibrating") == 1


def test_a_run_that_was_disturbed_is_void_and_repeated(tmp_path: Path) -> None:
    """A worker was killed, or a core gave no time for the gate."""
    killed = [{"error": {"code": "start-failed", "field": "nf", "message": "its process ended early (signal 9)"}}]
    found = profile(SOLO, scripted(tmp_path, killed, run(sample_line(0))), calibration(), MeasurementWatch())
    assert (found.ended, found.void_tries) == ("narrow", 1)


def test_colocation_finds_the_drop_block_by_block(tmp_path: Path) -> None:
    """10 cycles against the spinner and 11, 12, 13, 12 beside the monitor: 10, 20, 30, 20 % more; mean 20."""
    program = scripted(tmp_path, run(*blocks(10, [11, 12, 13, 12])))
    found = profile(beside(1, max_samples=3, half_width_percent=50.0), program, calibration(), MeasurementWatch())
    assert (found.ended, len(found.samples)) == ("narrow", 2)
    assert found.cycles_rise_percent is not None and found.throughput_drop_percent is not None
    assert found.cycles_rise_percent.value == pytest.approx(20)
    assert found.cycles_rise_percent.count == 8, "two samples of four blocks"
    assert found.throughput_drop_percent.value == 0, "these lines hold the same packets a slice"
    assert found.pairs == 16
    assert found.nf is not None and found.beside is not None
    assert (found.nf.cycles_per_packet.value, found.beside.cycles_per_packet.value) == (10, 12)
    assert found.others[0].cycles_per_packet.value == 99
    assert asked(tmp_path)["pairs"] == 16 and "seconds" not in asked(tmp_path)


def test_a_competitor_with_a_rate_is_reported_by_its_mean(tmp_path: Path) -> None:
    """A burst of 32 every other millisecond are .016 Mpps, of 99 ticks each; the median of slices would be none."""
    lines = blocks(10, [11])
    for line in lines:
        if line["sample"]["nf"] == 1:
            line["sample"]["slices"] = [[32, 32 * 99, 1_000_000], [0, 0, 1_000_000]] * 25
    other = ProfiledNf(nf_type="basic-monitor", core=1, traffic=ProfileTraffic(rate_mpps=0.016))
    request = beside(1, max_samples=3).model_copy(update={"others": (other,)})
    found = profile(request, scripted(tmp_path, run(*lines)), calibration(), MeasurementWatch())
    assert (found.others[0].mpps.value, found.others[0].cycles_per_packet.value) == (pytest.approx(0.016), 99)
    assert asked(tmp_path)["others"][0]["source"]["rate_mpps"] == 0.016
    assert "rate_mpps" not in asked(tmp_path)["nf"]["source"]


def test_a_phase_with_too_few_clean_slices_drops_its_block_only(tmp_path: Path) -> None:
    lines = blocks(10, [11, 90])
    lines[-1] = sample_line(7, against="spinner", cycles=10, slices=4, starved=46)
    found = profile(beside(1, max_samples=3), scripted(tmp_path, run(*lines)), calibration(), MeasurementWatch())
    assert found.cycles_rise_percent is not None
    assert found.cycles_rise_percent.value == pytest.approx(10), "the block with 90 is not counted"
    assert [len(sample.throughput_drops_percent) for sample in found.samples] == [1] * len(found.samples)


def test_colocation_without_a_shared_cache_is_a_result_not_an_error(tmp_path: Path) -> None:
    program = scripted(tmp_path, run(*blocks(10, [11])))
    found = profile(beside(2), program, calibration(), MeasurementWatch())
    assert found.ended == "not-measurable"
    assert found.not_measurable == "co-location: cores 0 and 2 are 155 ns apart and share no L3; pairs that do: 0-1"
    far = calibration().model_copy(update={"pairs": calibration().pairs[1:]})
    assert "no pair of offered cores shares an L3" in (
        profile(beside(2), program, far, MeasurementWatch()).not_measurable or ""
    )
    unsure = tuple(pair.model_copy(update={"shares_llc": None}) for pair in calibration().pairs)
    dim = calibration().model_copy(update={"pairs": unsure})
    assert "is not known" in (profile(beside(2), program, dim, MeasurementWatch()).not_measurable or "")
    assert not (tmp_path / "asked").exists(), "nothing was run for it"


def test_a_competitor_on_another_node_shares_memory_and_no_cache(tmp_path: Path) -> None:
    """Cores 0 and 2 are 155 ns apart, which is why one of them stands on node 1: 10 cycles, and 11 beside it."""
    far = {"ns": 155.0, "cores": (0, 2)}
    lines = [gate_line("before", **far), *blocks(10, [11]), gate_line("after", **far), run()[-1]]
    program = scripted(tmp_path, lines)
    found = profile(beside(2, max_samples=3), program, calibration(), MeasurementWatch(), nodes={0: 0, 1: 0, 2: 1})
    assert found.not_measurable is None and found.cycles_rise_percent is not None
    assert found.cycles_rise_percent.value == pytest.approx(10)
    beside_both = beside(2).model_copy(update={"others": (*beside(2).others, *beside(3).others)})
    refused = profile(beside_both, program, calibration(), MeasurementWatch(), nodes={0: 0, 1: 0, 2: 1, 3: 0})
    assert refused.not_measurable is not None and "cores 0 and 3" in refused.not_measurable, "on its own node"


def test_counters_are_named_and_averaged(tmp_path: Path) -> None:
    counters = {"source": "perf", "events": ["instructions", "stalled-cycles"], "reason": ""}
    lines = [sample_line(number) for number in range(2)]
    lines[0]["sample"]["counts"] = {"instructions": 100.0, "stalled-cycles": 7.0}
    lines[1]["sample"]["counts"] = {"instructions": 104.0, "stalled-cycles": 9.0}
    found = profile(SOLO, scripted(tmp_path, run(*lines, counters=counters)), calibration(), MeasurementWatch())
    assert found.nf is not None and found.counters is not None
    assert {event: each.value for event, each in found.nf.counts.items()} == {"instructions": 102, "stalled-cycles": 8}
    assert {sample.counter_source for sample in found.samples} == {CounterSource.PERF}
    assert found.counters.events == ("instructions", "stalled-cycles")


def test_cores_are_asked_for_before_and_after_every_run(tmp_path: Path) -> None:
    """An NF that was started there meanwhile spoils the run in which that happened."""
    calls = 0

    def check() -> None:
        nonlocal calls
        calls += 1
        if calls == 4:
            raise RuntimeError("core 0 runs web.router")

    with pytest.raises(RuntimeError, match=r"web\.router"):
        profile(SOLO, scripted(tmp_path, run(sample_line(0))), calibration(), MeasurementWatch(), check)
    assert (tmp_path / "count").read_text() == "2\n"


@pytest.mark.parametrize(
    ("mode", "others", "changes", "reported"),
    [
        ("solo", [1], {}, "has none"),
        ("colocation", [], {}, "at least one other"),
        ("colocation", [0], {}, "a core each"),
        ("shared-core", [1], {}, "all name core 0"),
        ("colocation", [1], {"pairs": 7}, "even number"),
        ("colocation", list(range(1, 17)), {}, "at most 15"),
        ("solo", [], {"seconds": 61.0}, "less than or equal to 60"),
    ],
)
def test_requests_that_make_no_sense_are_refused(
    mode: str, others: list[int], changes: dict[str, Any], reported: str
) -> None:
    nfs = [{"nf_type": "router", "core": core} for core in others]
    with pytest.raises(ValidationError, match=reported):
        ProfileRequest.model_validate({"mode": mode, "nf": {"nf_type": "router", "core": 0}, "others": nfs, **changes})


def test_a_refusal_carries_the_programs_field(tmp_path: Path) -> None:
    refusal = {"error": {"code": "bad-config", "field": "nf.config.routes", "message": "a list is expected"}}
    with pytest.raises(MeasureRefused, match=r"nf\.config\.routes: a list") as raised:
        scripted(tmp_path, [refusal]).run({})
    assert (raised.value.code, raised.value.field) == ("bad-config", "nf.config.routes")


@pytest.mark.parametrize(
    ("script", "reported"),
    [
        ("echo no memory here >&2; exit 3", "status 3.*no memory here"),
        ("echo '{}'", "without a result"),
        ("echo 'hello'", "does not understand"),
        ('echo \'{"sample": {"phase": -1}}\'', "sample.phase"),
        ("head -c 9000000 /dev/zero", "without end"),
    ],
)
def test_a_program_that_is_not_ours_is_reported(tmp_path: Path, script: str, reported: str) -> None:
    binary = tmp_path / "sextant-measure"
    binary.write_text(f"#!/bin/sh\n{script}\n")
    binary.chmod(0o755)
    with pytest.raises(MeasureFailed, match=reported):
        MeasureProgram(binary).run({"mode": "describe"})


def test_a_missing_program_is_reported_with_the_next_step(tmp_path: Path) -> None:
    program = MeasureProgram(tmp_path / "sextant-measure")
    assert "make setup" in (program.missing or "")
    with pytest.raises(MeasureFailed, match="make setup"):
        program.run({})


def test_a_calibration_is_made_once_and_anew_when_it_is_refuted(tmp_path: Path) -> None:
    """Runs: calibration, three samples; three more; five void ones, calibration and three samples; three more."""
    sample, moved = run(sample_line(0)), run(sample_line(0), ns=150)
    program = scripted(tmp_path, CALIBRATION, *[sample] * 6, *[moved] * MAX_TRIES, CALIBRATION, sample)
    profiler = HostProfiler(program, tmp_path / "state")
    heard: list[ProfileProgress] = []
    watch = MeasurementWatch(progress=heard.append)
    found = [profiler.profile(SOLO, [0, 1, 2], watch) for _ in range(4)]
    assert [one.ended for one in found] == ["narrow"] * 4
    assert [one.void_tries for one in found] == [0, 0, MAX_TRIES, 0]
    assert [progress.stage for progress in heard].count("calibrating") == 2
    assert asked(tmp_path)["mode"] == "solo"


def test_a_machine_that_changes_after_every_calibration_is_not_measurable(tmp_path: Path) -> None:
    """Twice calibrated and five void tries each time; the next point does not rest on either calibration."""
    sample, moved = run(sample_line(0)), run(sample_line(0), ns=150)
    program = scripted(tmp_path, *[CALIBRATION, *[moved] * MAX_TRIES] * 2, CALIBRATION, sample)
    profiler = HostProfiler(program, tmp_path / "state")
    found = profiler.profile(SOLO, [0, 1, 2], MeasurementWatch())
    assert (found.ended, found.void_tries) == ("not-measurable", 2 * MAX_TRIES)
    assert "150 ns apart, calibrated 31 ns" in (found.not_measurable or "")
    assert profiler.calibration is None
    assert profiler.profile(SOLO, [0, 1, 2], MeasurementWatch()).ended == "narrow"


def test_a_calibration_that_reports_no_distances_is_not_kept(tmp_path: Path) -> None:
    """All pairs at 70 ns, between a load from L3 (20) and one from memory (100): the next point calibrates again."""
    dim = [{"pair": {**line["pair"], "ns": 70.0}} if "pair" in line else line for line in CALIBRATION]
    profiler = HostProfiler(scripted(tmp_path, dim, CALIBRATION, run(*blocks(10, [11]))), tmp_path / "state")
    first = profiler.profile(beside(1, max_samples=3), [0, 1, 2], MeasurementWatch())
    assert "70 ns is neither near nor far" in (first.not_measurable or "")
    assert profiler.profile(beside(1, max_samples=3), [0, 1, 2], MeasurementWatch()).ended == "narrow"


def test_a_calibration_that_gets_no_core_is_busy_not_failed(tmp_path: Path) -> None:
    """As every sample that other work spoils: whoever asked waits, and asks again."""
    refused = {"error": {"code": "start-failed", "field": "", "message": "core 1 was too busy for 5 s"}}
    profiler = HostProfiler(scripted(tmp_path, [refused], CALIBRATION, run(sample_line(0))), tmp_path / "state")
    with pytest.raises(CoresInUse, match="calibrating ended because other work uses the cores: core 1 was too busy"):
        profiler.profile(SOLO, [0, 1], MeasurementWatch())
    assert profiler.profile(SOLO, [0, 1], MeasurementWatch()).ended == "narrow"


def test_a_second_measurement_is_refused_while_one_runs(tmp_path: Path) -> None:
    profiler = HostProfiler(scripted(tmp_path, CALIBRATION, run(sample_line(0))), tmp_path / "state")
    reported: list[str] = []

    def meanwhile(_: ProfileProgress) -> None:
        with pytest.raises(MeasureFailed) as raised:
            profiler.profile(SOLO, [0], MeasurementWatch())
        reported.append(str(raised.value))

    assert profiler.profile(SOLO, [0], MeasurementWatch(progress=meanwhile)).ended == "narrow"
    assert set(reported) == {"another measurement runs on this host; wait until it has ended, or cancel it"}
    assert profiler.profile(SOLO, [0], MeasurementWatch()).ended == "narrow", "and taken afterwards"


def test_a_cancelled_measurement_ends(tmp_path: Path) -> None:
    binary = tmp_path / "sextant-measure"
    binary.write_text("#!/bin/sh\nexec sleep 600\n")
    binary.chmod(0o755)
    with pytest.raises(MeasurementCancelled):
        profile(SOLO, MeasureProgram(binary), calibration(), MeasurementWatch(cancelled=lambda: True))


def result_of(request: ProfileRequest, tmp_path: Path, *lines: dict[str, Any], **of_run: Any) -> ProfileResult:
    folder = tmp_path / f"{len(list(tmp_path.iterdir()))}"
    folder.mkdir()
    return profile(request, scripted(folder, run(*lines, **of_run)), calibration(), MeasurementWatch())


def test_pressure_by_substitutes_says_what_stood_in(tmp_path: Path) -> None:
    """34 cycles with 1 k flows and 101 with 1 M: sensitivity 67. Beside a walker 12 instead of 10 cycles."""
    seen: list[ProfileRequest] = []

    def measure(request: ProfileRequest) -> ProfileResult:
        seen.append(request)
        if request.mode is ProfileMode.COLOCATION:
            return result_of(request, tmp_path, *blocks(10, [12, 12]))
        return result_of(request, tmp_path, sample_line(0, cycles=101 if request.nf.traffic.flows > 1000 else 34))

    found = measure_pressure(ROUTER, 1, frozenset({"router", "basic-monitor"}), measure)
    assert (found.source, found.stalls_per_packet) == ("substitutes", None)
    assert found.sensitivity_cycles is not None and found.sensitivity_cycles.value == 67
    assert found.bubble_drop_percent is not None and found.contentiousness_percent is not None
    assert found.notes == (
        "bubble sensitivity: no 'bubble' here, basic-monitor with 1000000 flows walks memory instead",
    )
    pairs = [(request.nf.nf_type, request.others[0].nf_type) for request in seen if request.others]
    assert pairs == [("router", "basic-monitor"), ("basic-monitor", "router")]
    with_bubble = measure_pressure(ROUTER, 1, frozenset({"bubble"}), measure)
    assert with_bubble.notes == ()
    assert seen[-2].others[0].nf_type == "bubble"


def test_pressure_without_a_second_core_or_a_shared_cache_says_so(tmp_path: Path) -> None:
    def measure(request: ProfileRequest) -> ProfileResult:
        return result_of(request, tmp_path, sample_line(0))

    alone = measure_pressure(ROUTER, None, frozenset(), measure)
    assert [note.partition(":")[0] for note in alone.notes] == ["bubble sensitivity", "contentiousness"]
    apart = measure_pressure(ROUTER, 2, frozenset({"bubble"}), measure)
    assert all("share no L3" in note for note in apart.notes) and len(apart.notes) == 2
    assert apart.bubble_drop_percent is None


def test_pressure_by_counters_needs_one_measurement(tmp_path: Path) -> None:
    counters = {**NO_COUNTERS, "source": "perf", "events": ["stalled-cycles"]}
    line = sample_line(0)
    line["sample"]["counts"] = {"stalled-cycles": 12.5}
    found = measure_pressure(
        ROUTER, 1, frozenset(), lambda request: result_of(request, tmp_path, line, counters=counters)
    )
    assert found.source == "perf"
    assert found.stalls_per_packet is not None and found.stalls_per_packet.value == 12.5
    assert len(list(tmp_path.iterdir())) == 1
