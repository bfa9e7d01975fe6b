"""Points through the measuring interface: noise by seed, and an end whenever whoever looks on wants one."""

import pytest
from sextant_domain.base import Provenance
from sextant_domain.profiling.profile import ProfiledNf, ProfileMode, ProfileRequest
from sextant_twin import machines
from sextant_twin.errors import BadTwinInput
from sextant_twin.profiling import TwinProfiler

PROFILER = TwinProfiler(machines.load("xeon-e5-2650-v4"))
REQUEST = ProfileRequest(
    mode=ProfileMode.COLOCATION, nf=ProfiledNf(nf_type="router", core=1), others=(ProfiledNf(nf_type="nat", core=2),)
)


def drop(seed: int | None) -> float:
    found = PROFILER.profile(REQUEST, "test", seed=seed)
    assert found.provenance is Provenance.SIMULATED and found.throughput_drop_percent is not None
    return found.throughput_drop_percent.value


def test_seeds_change_the_noise_and_nothing_else() -> None:
    """Some 24 blocks of two figures of 1 % each: a standard error of 1.41 / sqrt(24) = 0.29 points either side."""
    assert drop(1) == drop(1)
    assert len({drop(None), drop(1), drop(2)}) == 3
    true = PROFILER.computed(REQUEST)
    assert true.beside is not None
    assert drop(1) == pytest.approx(100 * (1 - true.beside[0].mpps / true.alone[0].mpps), abs=1.2)


def test_whoever_watches_may_end_it() -> None:
    reported: list[int] = []

    def end_at_two(samples: int) -> None:
        reported.append(samples)
        if samples == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        PROFILER.profile(REQUEST, "test", end_at_two)
    assert reported == [0, 1, 2]


def test_an_nf_without_data_is_refused() -> None:
    strange = REQUEST.model_copy(update={"nf": ProfiledNf(nf_type="teleporter", core=1)})
    with pytest.raises(BadTwinInput, match="'teleporter' is none of"):
        PROFILER.profile(strange, "test")
