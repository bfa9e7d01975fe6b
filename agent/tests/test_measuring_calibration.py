"""What a machine is taken for: caches from a sweep, shared caches from ping-pongs, and when that no longer holds."""

import math
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sextant_agent.measuring.cache_levels import Step, cache_levels
from sextant_agent.measuring.calibration import CalibrationStore, read_calibration
from sextant_agent.measuring.distances import threshold
from sextant_agent.measuring.fingerprint import read_fingerprint
from sextant_agent.measuring.gates import fault
from sextant_agent.measuring.lines import GateLine, ProgramLine
from sextant_agent.measuring.program import MeasureFailed
from sextant_domain.profiling.calibration import MachineFingerprint

from .machines import write
from .measuring_lines import CALIBRATION, FINGERPRINT, calibration, gate

KIB, MIB = 2**10, 2**20


def sweep(*levels: tuple[int, float], most: int = 256 * MIB, noise: float = 1.0) -> list[Step]:
    """Four sizes an octave; the latency of the first level that holds a size, every other one `noise` times as long."""
    sizes = [int(8 * KIB * 2 ** (step / 4)) for step in range(round(4 * math.log2(most / (8 * KIB))) + 1)]
    found = [(size, next(ns for holds, ns in levels if size <= holds)) for size in sizes]
    return [(size, ns * (noise if number % 2 else 1)) for number, (size, ns) in enumerate(found)]


TYPICAL = ((48 * KIB, 1.4), (2 * MIB, 4.5), (14 * MIB, 40.0), (2**40, 160.0))


def test_three_caches_and_memory() -> None:
    """Sizes are those of the sweep: the last one before 48 KiB, 2 MiB and 14 MiB."""
    caches, memory_ns = cache_levels(sweep(*TYPICAL))
    assert [(cache.level, cache.load_ns) for cache in caches] == [(1, 1.4), (2, 4.5), (3, 40.0)]
    for cache, size in zip(caches, (48 * KIB, 2 * MIB, 14 * MIB), strict=True):
        assert size / 2**0.25 <= cache.size_bytes <= size
    assert memory_ns == 160


def test_a_gradual_end_counts_until_latency_has_risen_by_a_seventh_of_the_way() -> None:
    """From 40 to 160 ns: at 58 ns and more (40 + 0.15 x 120) the cache has ended."""
    steps = sweep(*TYPICAL)
    rising = [
        (size, 50.0 if 8 * MIB < size <= 11 * MIB else 90.0 if 11 * MIB < size <= 14 * MIB else ns)
        for size, ns in steps
    ]
    caches, _ = cache_levels(rising)
    assert 8 * MIB < caches[2].size_bytes <= 11 * MIB


def test_a_sweep_that_ends_within_a_cache_knows_no_memory() -> None:
    caches, memory_ns = cache_levels(sweep(*TYPICAL, most=8 * MIB))
    assert [cache.level for cache in caches] == [1, 2, 3]
    assert caches[-1].size_bytes == 8 * MIB
    assert memory_ns is None


def test_page_walks_are_no_level() -> None:
    """4.5 to 5.8 ns is a factor 1.29: less than between any two levels."""
    steps = [(size, 5.8 if 512 * KIB < size <= 2 * MIB else ns) for size, ns in sweep(*TYPICAL)]
    caches, memory_ns = cache_levels(steps)
    assert len(caches) == 3
    assert memory_ns == 160


@settings(deadline=None)
@given(
    l1=st.floats(0.5, 2),
    ratios=st.tuples(*[st.floats(2, 8)] * 3),
    ends=st.tuples(st.integers(16, 64), st.integers(256, 2048), st.integers(4096, 65536)),
    noise=st.floats(0.95, 1.05),
)
def test_any_clear_hierarchy_is_found(
    l1: float, ratios: tuple[float, ...], ends: tuple[int, ...], noise: float
) -> None:
    ns = [l1, l1 * ratios[0], l1 * ratios[0] * ratios[1], l1 * math.prod(ratios)]
    holds = [end * KIB for end in ends] + [2**40]
    caches, memory_ns = cache_levels(sweep(*zip(holds, ns, strict=True), noise=noise))
    assert memory_ns == pytest.approx(ns[3], rel=0.06)
    for cache, end, latency in zip(caches, holds, ns, strict=False):
        assert end / 2**0.5 <= cache.size_bytes <= end
        assert cache.load_ns == pytest.approx(latency, rel=0.06)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(1, 2**40), st.floats(0.01, 1e6)), min_size=1, max_size=60))
def test_any_sweep_is_survived(steps: list[Step]) -> None:
    caches, _ = cache_levels(sorted(steps))
    assert [cache.level for cache in caches] == list(range(1, len(caches) + 1))


def test_near_and_far_pairs_are_separated_by_the_gap_between_them() -> None:
    """31 to 42 and 150 to 178 ns: the threshold is sqrt(42 x 150) = 79."""
    found = threshold([31, 42, 38, 150, 178], llc_ns=20, memory_ns=100)
    assert found.ns == pytest.approx(79.4, abs=0.1)
    assert [found.shares(ns) for ns in (31, 42, 150, 178)] == [True, True, False, False]


def test_hyperthreads_are_not_taken_for_near_and_far() -> None:
    """7 ns within a core, 30 within the cache, 150 beyond: the widest gap (7 to 30) divides nothing that matters."""
    found = threshold([7, 7, 30, 34, 150, 160], llc_ns=20, memory_ns=100)
    assert [found.shares(ns) for ns in (7, 30, 34, 150)] == [True, True, True, False]
    alone = threshold([7, 7, 30, 34], llc_ns=20, memory_ns=100)
    assert [alone.shares(ns) for ns in (7, 34)] == [True, True]


def test_a_single_pair_is_compared_with_cache_and_memory() -> None:
    """The middle of 20 and 100 ns is sqrt(2000) = 44.7; beyond memory's 100 ns nothing is shared."""
    assert threshold([31], 20, 100).shares(31) is True
    assert threshold([160], 20, 100).shares(160) is False
    undecided = threshold([70], 20, 100)
    assert undecided.shares(70) is None
    assert "neither near nor far" in undecided.reason


def test_why_there_is_no_threshold_is_reported() -> None:
    assert "one core only" in threshold([], 20, 100).reason
    assert "nothing to be compared with" in threshold([30, 150], None, None).reason
    assert threshold([30, 150], None, None).ns is None


@settings(deadline=None)
@given(
    near=st.lists(st.floats(25, 42), min_size=1, max_size=20),
    far=st.lists(st.floats(145, 180), min_size=1, max_size=20),
)
def test_latencies_as_measured_on_real_machines_are_told_apart(near: list[float], far: list[float]) -> None:
    found = threshold([*far, *near], llc_ns=22, memory_ns=110)
    assert all(found.shares(ns) is True for ns in near)
    assert all(found.shares(ns) is False for ns in far)


def test_a_fingerprint_is_read_from_the_kernel(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "proc/cpuinfo": "model name\t: Xeon\nmicrocode\t: 0x2b\nflags\t\t: fpu hypervisor sse",
            "proc/sys/kernel/random/boot_id": "a-b-c",
            "sys/class/dmi/id/sys_vendor": "QEMU",
        },
    )
    assert read_fingerprint(tmp_path) == MachineFingerprint(
        cpu_model="Xeon", microcode="0x2b", hypervisor="QEMU", boot_id="a-b-c"
    )
    empty = read_fingerprint(tmp_path / "nowhere")
    assert (empty.cpu_model, empty.hypervisor, empty.boot_id) == ("unknown", "", "unknown")
    assert read_fingerprint(Path("/")) == read_fingerprint(Path("/")), "the same machine, the same fingerprint"


def test_a_calibration_is_read_from_the_programs_lines() -> None:
    found = calibration()
    assert [cache.size_bytes for cache in found.caches] == [32 * KIB, MIB, 8 * MIB]
    assert found.memory_ns == 100
    assert (found.pairs[0].shares_llc, found.pairs[1].shares_llc) == (True, False)
    assert found.pair(1, 0) == found.pair(0, 1) == found.pairs[0]
    assert found.pair(1, 2) is not None and found.pair(1, 9) is None
    assert found.cores == {0, 1, 2}


@pytest.mark.parametrize("kept", ["clock", "pair", "chase"])
def test_a_calibration_that_is_not_whole_is_refused(kept: str) -> None:
    lines = [line for line in CALIBRATION if kept in line or "summary" in line]
    with pytest.raises(MeasureFailed, match="not whole"):
        read_calibration([ProgramLine.model_validate(line) for line in lines], FINGERPRINT, datetime.now(UTC))


def test_a_kept_calibration_holds_for_its_machine_its_start_and_its_cores(tmp_path: Path) -> None:
    store = CalibrationStore(tmp_path / "state")
    assert store.load(FINGERPRINT, [0]) is None
    made = calibration()
    store.save(made)
    assert store.load(FINGERPRINT, [0, 2]) == made
    assert store.load(FINGERPRINT, [0, 3]) is None, "core 3 is not in it"
    assert store.load(FINGERPRINT.model_copy(update={"boot_id": "another start"}), [0]) is None
    (tmp_path / "state/calibration.json").write_text("{")
    assert store.load(FINGERPRINT, [0]) is None, "a damaged file is none"
    store.save(made)
    store.forget()
    store.forget()
    assert store.load(FINGERPRINT, [0]) is None


def test_gates_hold_while_the_machine_is_the_calibrated_one() -> None:
    assert fault([gate("before"), gate("after", ns=40)], calibration()) is None


@pytest.mark.parametrize(
    ("gates", "reported"),
    [
        ([gate("before")], "no gate after"),
        ([], "no gate after and before"),
        ([gate("before"), gate("after", ns=150)], "after the sample cores 0 and 1 were 150 ns apart, calibrated 31 ns"),
        ([gate("before", ns=15), gate("after")], "before the sample cores 0 and 1 were 15 ns apart"),
        ([gate("before", imul_ns=1.8), gate("after")], "its clock has changed"),
        ([gate("before", cores=(0, 7)), gate("after")], "core 7 was in use, which is not calibrated"),
    ],
)
def test_a_gate_says_what_has_changed(gates: list[GateLine], reported: str) -> None:
    assert reported in (fault(gates, calibration()) or "")
