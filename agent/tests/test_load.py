"""Utilisation and headroom, with the arithmetic written out."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sextant_agent.contract.sample import NfCounters, NfCpu, Sightings
from sextant_agent.reporting.load import NfUtilisation, loads
from sextant_domain.hosts.desired import NfState
from sextant_domain.hosts.telemetry import LoadBasis

SECOND = 1_000_000_000


def nf(
    name: str, *, busy_s: float | None, rx: int, core: int = 1, cpu_s: float | None = None, **more: object
) -> NfCounters:
    """After an interval that began with all counters at 0."""
    made = NfCounters(
        f"web.{name}", "web", name, NfState.RUNNING, 7, core, core, 1, None, rx=rx,
        cpu_ns=int((busy_s or 0.0) * SECOND if cpu_s is None else cpu_s * SECOND),
        busy_ns=None if busy_s is None else int(busy_s * SECOND),
    )  # fmt: skip
    return replace(made, **more)  # type: ignore[arg-type]


def of(*nfs: NfCounters, seconds: float = 1.0, core_busy: dict[int, float] | None = None) -> dict[str, NfUtilisation]:
    pairs = [(replace(each, rx=0, cpu_ns=0, busy_ns=None if each.busy_ns is None else 0), each) for each in nfs]
    found = loads(pairs, seconds, core_busy or {})
    return {name.split(".")[1]: load for name, load in found.items()}


def test_time_with_packets_is_reported_as_a_share_of_the_cores_time() -> None:
    """.5 s of 2 s, for 1 M packets: 25 %. Its core was busy for .3 of the time, .05 of that with other things than the
    NF: it may have .95 of the core and has .25, so .70 are left, 2.8 times what it has now for .5 Mpps: 1.4 Mpps."""
    found = of(nf("router", busy_s=0.5, rx=1_000_000), seconds=2.0, core_busy={1: 0.3})["router"]
    assert (found.utilisation_percent, found.basis) == (25.0, LoadBasis.BUSY_TIME)
    assert found.headroom_mpps == pytest.approx(1.4)


def test_what_polling_and_wake_ups_take_is_no_load() -> None:
    """All of its core's time is CPU time of its own; a tenth of it goes into packets: 9 times as many can come."""
    found = of(nf("router", busy_s=0.1, cpu_s=1.0, rx=1_000_000), core_busy={1: 1.0})["router"]
    assert found.utilisation_percent == 10.0
    assert found.headroom_mpps == pytest.approx(9.0)


def test_a_chain_takes_time_of_all_its_nfs_on_the_core() -> None:
    """Router .2 and monitor .3 of core 1, firewall .1 of core 2, 1 Mpps through all. Core 1 has .5 left and a further
    packet takes .5 us of it: 1 Mpps more for either. Core 2 has .9 left, at .1 us a packet: 9."""
    found = of(
        nf("router", busy_s=0.2, rx=1_000_000),
        nf("firewall", busy_s=0.1, rx=1_000_000, core=2),
        nf("monitor", busy_s=0.3, rx=1_000_000),
        core_busy={1: 0.5, 2: 0.1},
    )
    assert {name: load.headroom_mpps for name, load in found.items()} == pytest.approx(
        {"router": 1.0, "firewall": 9.0, "monitor": 1.0}
    )


def test_a_process_of_several_nfs_is_one_user_of_its_core() -> None:
    """As above in one process: what its other NF uses is not left to it by others."""
    found = of(
        nf("router", busy_s=0.2, rx=1_000_000, group=4),
        nf("monitor", busy_s=0.3, rx=1_000_000, group=4),
        core_busy={1: 0.6},
    )
    assert found["router"].headroom_mpps == pytest.approx(1_000_000 * (0.9 - 0.5) / 0.5 / 1e6)


def test_a_quota_ends_what_it_can_carry() -> None:
    """Half of the core's time and no more: at .4 there is room for a quarter of what it carries."""
    held = nf("router", busy_s=0.4, rx=2_000_000, cpu=NfCpu(100, 50.0, 0))
    assert of(held, core_busy={1: 0.4})["router"].headroom_mpps == pytest.approx(0.5)


def test_what_the_driver_knows_of_its_share_comes_before_the_kernels_figures() -> None:
    """A simulated NF: .5 of the core is its own, .25 of it is used."""
    found = of(nf("router", busy_s=0.25, rx=1_000_000, core_share=0.5))
    assert found["router"].headroom_mpps == pytest.approx(1.0)


@pytest.mark.parametrize("busy_s", [0.0, 0.009])
def test_too_little_to_judge_by_is_not_reported(busy_s: float) -> None:
    found = of(nf("router", busy_s=busy_s, rx=1000), core_busy={1: 0.1})["router"]
    assert (found.utilisation_percent, found.headroom_mpps) == (round(100 * busy_s, 2), None)


def test_what_nobody_counts_is_not_reported() -> None:
    """A runner of older make, and the CPU time of one that polls."""
    assert of(nf("router", busy_s=None, cpu_s=1.0, rx=1_000_000), core_busy={1: 1.0}) == {"router": NfUtilisation()}
    assert of(nf("router", busy_s=0.5, rx=1_000_000))["router"].headroom_mpps is None, "its core is not reported"


def test_a_full_nf_has_no_headroom_and_a_restarted_one_counts_anew() -> None:
    full = of(nf("router", busy_s=1.0, rx=1_000_000), core_busy={1: 1.0})["router"]
    assert (full.utilisation_percent, full.headroom_mpps) == (100.0, 0.0)
    before, now = nf("router", busy_s=9.0, rx=10), nf("router", busy_s=0.5, rx=20)
    assert loads([(before, now)], 1.0, {})["web.router"].utilisation_percent == 50.0


@given(
    busy=st.lists(st.floats(0, 2), min_size=1, max_size=4),
    core_busy=st.floats(0, 1),
    share=st.none() | st.floats(0, 1),
    rx=st.integers(0, 10**12),
)
def test_whatever_comes_the_figures_are_within_their_bounds(
    busy: list[float], core_busy: float, share: float | None, rx: int
) -> None:
    made = [nf(f"n{place}", busy_s=each, rx=rx, core_share=share) for place, each in enumerate(busy)]
    for load in of(*made, core_busy={1: core_busy}).values():
        assert load.utilisation_percent is not None and 0 <= load.utilisation_percent <= 100
        assert load.headroom_mpps is None or 0 <= load.headroom_mpps <= 1e6


def test_a_thread_that_sleeps_is_reported_by_its_cpu_time() -> None:
    """Nobody counts the time of packets; it has .2 of the core, others .1 of it: the .7 left are 3.5 times as many as
    the 1 Mpps that it carries."""
    found = of(nf("router", busy_s=None, cpu_s=0.2, rx=1_000_000, sleeps=True), core_busy={1: 0.3})["router"]
    assert (found.utilisation_percent, found.basis) == (20.0, LoadBasis.CPU_TIME)
    assert found.headroom_mpps == pytest.approx(1.0 * (0.9 - 0.2) / 0.2)


@pytest.mark.parametrize(
    ("rx", "lost", "reported"),
    [
        (990_000, 20_000, NfUtilisation(100.0, LoadBasis.FULL_RING, 0.0)),
        (999_000, 1_000, NfUtilisation()),
        (1_000_000, 0, NfUtilisation()),
        (0, 50_000, NfUtilisation()),
    ],
    ids=["overflows", "a short burst", "no loss", "stands still"],
)
def test_a_poller_is_reported_as_full_where_its_ring_overflows_and_it_works(
    rx: int, lost: int, reported: NfUtilisation
) -> None:
    """Otherwise nothing is reported of it, however busy its core is."""
    polls = nf("router", busy_s=None, cpu_s=1.0, rx=rx, ring_drops=lost)
    pair = replace(polls, rx=0, cpu_ns=0, ring_drops=0), polls
    assert loads([pair], 1.0, {1: 1.0})["web.router"] == reported


@pytest.mark.parametrize(
    ("seen", "low"),
    [
        (Sightings(30, 15, 1.0), 35.6),
        (Sightings(30, 15, 0.9), 25.6),
        (Sightings(30, 30, 1.0), 91.7),
        (Sightings(1, 1, 1.0), 27.0),
        (Sightings(30, 15, 0.6), None),
        (Sightings(30, 0, 1.0), None),
        (None, None),
    ],
)
def test_of_a_poller_a_lower_bound_is_reported_by_the_moments_at_which_it_had_packets(
    seen: Sightings | None, low: float | None
) -> None:
    """15 of 30 moments, z = 1.645, z^2 = 2.706: (.5 + 2.706/60 - 1.645 * (.25/30 + 2.706/3600)^.5) / (1 + 2.706/30)
    = (.5451 - .1568) / 1.0902 = .356. A tenth of the time its thread did not run: so much less, since it may have had
    packets then without working on them. 30 of 30: 1 / (1 + 2.706/30) = .917."""
    polls = nf("router", busy_s=None, cpu_s=1.0, rx=1_000_000, ring_drops=0, sightings=seen)
    found = of(polls, core_busy={1: 1.0})["router"]
    assert found == NfUtilisation(low_percent=None if low is None else pytest.approx(low, abs=0.05))


def test_beside_a_figure_no_bound_is_reported() -> None:
    """Of a full ring the figure is of this second, the bound of half a minute: together they would contradict."""
    seen = Sightings(30, 30, 1.0)
    full = nf("router", busy_s=None, cpu_s=0.5, rx=900_000, ring_drops=100_000, sightings=seen)
    pair = replace(full, rx=0, cpu_ns=0, ring_drops=0), full
    assert loads([pair], 1.0, {})["web.router"] == NfUtilisation(50.0, LoadBasis.FULL_RING, 0.0)
    assert of(nf("nat", busy_s=0.2, rx=1, sightings=seen))["nat"].low_percent is None


def test_beside_an_nf_whose_time_is_not_measured_no_headroom_is_known() -> None:
    """The kernel works for `wall` on any core. The chain on core 2 knows its own: .1 us a packet, .9 left, 9 Mpps."""
    other = replace(nf("router", busy_s=0.1, rx=1_000_000, core=2), chain="dns", nf_id="dns.alone")
    found = of(
        nf("router", busy_s=0.2, rx=1_000_000),
        replace(nf("wall", busy_s=None, rx=1_000_000), cpu_ns=None),
        other,
        core_busy={1: 0.5, 2: 0.1},
    )
    assert (found["router"].utilisation_percent, found["router"].headroom_mpps) == (20.0, None)
    assert found["wall"] == NfUtilisation()
    assert found["alone"].headroom_mpps == pytest.approx(9.0)
