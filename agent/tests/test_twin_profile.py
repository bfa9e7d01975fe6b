"""Points computed by the twin: what an NF's core has room for, whoever stands in front of it or beside it."""

import json
from typing import Any

import pytest
from sextant_agent.contract.errors import DriverError
from sextant_agent.drivers.twin.inventory import capabilities
from sextant_agent.drivers.twin.orders import ChainLife, order_of
from sextant_agent.drivers.twin.profile import SimulatedProfiler
from sextant_agent.measuring.watch import MeasurementWatch
from sextant_domain.chains.chain import Egress, Ingress
from sextant_domain.chains.traffic import Traffic
from sextant_domain.hosts.desired import DesiredChain, DesiredNf
from sextant_domain.profiling.profile import NfEstimates, ProfiledNf, ProfileMode, ProfileRequest, ProfileTraffic
from sextant_twin import calibration, machines
from sextant_twin._core import Host

MACHINE = machines.load("xeon-e5-2650-v4")
"""Two nodes of 12 cores; the ports are on node 0, cores 0 to 11."""
MANY = 1_000_000


def nf(nf_type: str, core: int, flows: int = MANY, rate_mpps: float | None = None, **config: Any) -> ProfiledNf:
    traffic = ProfileTraffic(flows=flows, rate_mpps=rate_mpps)
    return ProfiledNf(nf_type=nf_type, core=core, config=config, traffic=traffic)


def figures(subject: ProfiledNf, *others: ProfiledNf, **chains: Any) -> tuple[NfEstimates, ...]:
    """With its competitors, and theirs: to some .2 %, which is the noise of 30 samples of 1 % each."""
    mode = ProfileMode.COLOCATION if others else ProfileMode.SOLO
    request = ProfileRequest(mode=mode, nf=subject, others=others, half_width_percent=0.05, max_samples=30, **chains)
    found = SimulatedProfiler(MACHINE).profile(request, MeasurementWatch())
    alone = found.beside or found.nf
    assert alone
    return alone, *found.others


def mpps(subject: ProfiledNf, *others: ProfiledNf, **chains: Any) -> float:
    return figures(subject, *others, **chains)[0].mpps.value


RIVALS = tuple(nf("basic-monitor", core, rate_mpps=14.88) for core in range(2, 10))


def test_a_slow_nf_behind_takes_nothing_of_what_the_core_has_room_for_and_a_far_one_costs() -> None:
    """30,000 loops behind it pass .07 Mpps. Lines that it hands on come back from its core, late from node 1."""
    fast, slow, far = (
        mpps(nf("firewall", 1), downstream=(nf("simple-forward", core, loops=loops),))
        for core, loops in ((2, 0), (2, 30_000), (13, 0))
    )
    assert slow == pytest.approx(fast, rel=0.02)
    assert far < 0.9 * fast


def test_a_competitor_in_a_chain_gets_what_those_before_it_pass() -> None:
    """Behind 30,000 loops, which pass .07 Mpps, a router takes so many; in a chain of its own what it can."""
    pair = nf("simple-forward", 2, loops=30_000), nf("router", 3)
    _, loops, router = figures(nf("nat", 1), *pair, others_a_chain=2)
    _, _, own = figures(nf("nat", 1), *pair)
    assert router.mpps.value == pytest.approx(loops.mpps.value, rel=0.02)
    assert own.mpps.value > 5


@pytest.mark.parametrize("core", [1, 12])
def test_a_slow_nf_in_front_takes_nothing_of_what_the_core_has_room_for(core: int) -> None:
    """30,000 loops at 2.2 GHz pass .07 Mpps. At that rate the firewall would find its rules driven out of the cache by
    eight monitors, and would seem to have room for 8.9 Mpps where it has room for 10.6."""
    fast, slow = (
        mpps(nf("firewall", core), *RIVALS, upstream=(nf("simple-forward", 13, loops=loops),)) for loops in (0, 30_000)
    )
    assert slow > 1 and slow == pytest.approx(fast, rel=0.02)


def test_a_slow_nf_in_front_presses_on_the_cache_as_it_would_beside() -> None:
    """A walk of 400 lines of 64 MiB a packet passes .3 Mpps: beside, it takes 3 % of a NAT's room, by a sixth more
    misses. 400 lines with each of the NAT's 10 Mpps no core could walk: they would take 30 %. In front it presses as
    much, but drives what it hands on out of its own cache, so that the NAT finds that nearer: in the LLC."""
    walker, light = (
        nf("bubble", 10, working_set_bytes=size, lines_per_packet=n) for size, n in ((2**26, 400), (4096, 1))
    )
    subject, second = nf("nat", 1), light.model_copy(update={"core": 11})
    before, in_front, beside = (
        figures(subject, *others, upstream=(first,))[0]
        for first, others in ((light, ()), (walker, ()), (second, (walker,)))
    )
    misses = [each.counts["llc-misses"].value for each in (before, in_front, beside)]
    assert misses[1] == pytest.approx(misses[2], rel=0.02)
    assert misses[0] < 0.9 * misses[2]
    assert 0.95 * before.mpps.value < beside.mpps.value < 0.99 * before.mpps.value
    assert beside.mpps.value < in_front.mpps.value


def test_crossing_the_link_costs_the_nf_behind_it() -> None:
    near, far = (mpps(nf("router", 1, flows=1000), upstream=(nf("firewall", core),)) for core in (2, 13))
    assert far < 0.95 * near


def test_a_competitor_takes_what_it_is_offered_and_no_more() -> None:
    """1 Mpps of the 8 to 9 that it has room for: it shows 1, and takes less of the NF's cache."""
    subject = nf("nat", 1)
    slow, fast = (figures(subject, *(nf("nat", c, rate_mpps=rate) for c in range(2, 8))) for rate in (1.0, 14.88))
    assert [each.mpps.value for each in slow[1:]] == [pytest.approx(1.0, rel=0.01)] * 6
    assert all(each.mpps.value > 5 for each in fast[1:])
    assert fast[0].mpps.value < slow[0].mpps.value < mpps(subject)


def test_a_competitor_on_the_sibling_takes_more_than_one_on_another_core() -> None:
    """Cores 1 and 25 are threads of one physical core: a pair gets 1.15 to 1.3 times what one does, each half of it."""

    def taken(core: int) -> float:
        mode = ProfileMode.COLOCATION
        request = ProfileRequest(mode=mode, nf=nf("firewall", 1), others=(nf("firewall", core),))
        found = SimulatedProfiler(machines.load(f"{MACHINE.name}-smt")).profile(request, MeasurementWatch())
        assert found.beside and found.nf
        return found.beside.mpps.value / found.nf.mpps.value

    assert taken(2) > 0.97
    assert 0.575 < taken(25) < 0.65


def test_competitors_have_ports_of_their_own() -> None:
    """Of one port of 14.2 Mpps six NATs would get 2.4 each, and none would hurt another."""
    subject, others = nf("nat", 1), [nf("nat", core) for core in range(2, 7)]
    alone, among = mpps(subject), figures(subject, *others)
    assert [each.mpps.value for each in among] == [pytest.approx(among[0].mpps.value, rel=0.02)] * 6
    assert 0.5 * alone < among[0].mpps.value < 0.98 * alone


def test_larger_bubbles_take_more() -> None:
    """Of 30 MiB of cache: 8 bubbles of 256 KiB fit their cores' own, of 64 MiB none does."""
    subject = nf("basic-monitor", 1)
    left = [
        mpps(subject, *(nf("bubble", core, working_set_bytes=kib * 1024) for core in range(2, 10)))
        for kib in (256, 4096, 65536)
    ]
    assert left[0] > left[1] > left[2]


def test_a_registered_type_is_measured_as_what_runs_for_it() -> None:
    plain = nf("simple-forward", 1, loops=500)
    named = plain.model_copy(update={"nf_type": "edge-forward", "implementation": "simple-forward"})
    assert mpps(named) == pytest.approx(mpps(plain), rel=0.01)


@pytest.mark.parametrize(
    ("changes", "reported"),
    [
        ({"upstream": (nf("router", 24),)}, "core 24 is not offered by this host; offered are 0 to 23"),
        ({"downstream": (nf("router", 24),)}, "core 24 is not offered by this host; offered are 0 to 23"),
        ({"upstream": (nf("teleporter", 2),)}, r"upstream\.0\.type: there is no NF type 'teleporter'"),
    ],
)
def test_nfs_in_front_are_checked_too(changes: dict[str, Any], reported: str) -> None:
    request = ProfileRequest(mode=ProfileMode.SOLO, nf=nf("router", 1), **changes)
    with pytest.raises(DriverError, match=reported) as refusal:
        SimulatedProfiler(MACHINE).profile(request, MeasurementWatch())
    assert refusal.value.permanent


def test_a_simulated_host_can_measure_neighbours_and_chains() -> None:
    reported = {each.name: each.available for each in capabilities(MACHINE)}
    assert reported["profiling-colocation"] and reported["profiling-chains"]


@pytest.mark.parametrize("core", [7, 13])
def test_an_nf_is_measured_at_what_it_does_in_a_chain(core: int) -> None:
    """On this machine other cores move packets between ports and rings. With that to do itself the firewall would seem
    to have room for 11.8 Mpps on core 7, where it has room for 21.5."""
    chain = DesiredChain(
        chain="edge",
        nfs=(DesiredNf(nf_id="edge.fw", nf_type="firewall", nf_version=1, config={}, core=core),),
        ingress=Ingress(port="nic0"),
        egress=Egress(),
        traffic=Traffic(rate_mpps=30.0, packet_bytes=64, flows=MANY),
    )
    order = order_of([ChainLife(chain, 0)], MACHINE)
    (live,) = json.loads(Host(MACHINE.core_json(calibration.load())).steady(json.dumps(order["setting"])))["instances"]
    assert mpps(nf("firewall", core)) == pytest.approx(live["capacity_pps"] / 1e6, rel=0.02)


GOLD = machines.load("xeon-gold-6126")
"""11 ways, CAT and MBA; the ports are on node 0, cores 0 to 11."""


def mpps_with(ways: int | None, percent: int | None, core: int = 7) -> float:
    request = ProfileRequest(
        mode=ProfileMode.SOLO, nf=nf("dpi", core), half_width_percent=0.2, max_samples=100,
        llc_ways=ways, memory_bandwidth_percent=percent,
    )  # fmt: skip
    found = SimulatedProfiler(GOLD).profile(request, MeasurementWatch())
    assert found.nf is not None and found.request == request
    return found.nf.mpps.value


def test_fewer_ways_and_less_bandwidth_carry_less() -> None:
    """A DPI engine with a million flows: throttled to a tenth it stands still for most of its misses."""
    whole = mpps_with(None, None)
    assert mpps_with(10, 100) == pytest.approx(whole, rel=0.05), "one way of 11 less"
    assert mpps_with(1, 100) < 0.98 * whole
    assert mpps_with(10, 10) < 0.2 * whole
    assert mpps_with(10, 50, core=13) < mpps_with(10, 50), "and so on a remote node, from farther away"


def test_one_way_stays_with_all_others() -> None:
    with pytest.raises(DriverError, match="llc_ways: 11 are asked for, but of 11 one stays"):
        mpps_with(11, None)


def test_a_part_without_cat_or_mba_says_so() -> None:
    """A Xeon E5-2650 v4 has CAT and no MBA."""
    for machine, available in ((MACHINE, False), (GOLD, True)):
        found = next(each for each in capabilities(machine) if each.name == "profiling-resources")
        assert found.available is available
        assert available or "no memory bandwidth allocation (MBA)" in found.reason


def test_at_a_rate_it_carries_that_and_takes_as_much_of_its_core_as_its_packets_do() -> None:
    """2 Mpps of 64 bytes, far below what the core has room for: the share is the time a packet times the rate, and
    twice the rate takes nearly twice as much."""
    one, two = (figures(nf("vpn", 1), offered_mpps=rate)[0] for rate in (1.0, 2.0))
    assert one.mpps.value == pytest.approx(1.0, rel=1e-6)
    clock_mhz = MACHINE.clock / 1e6
    assert one.cpu_percent.value == pytest.approx(100 * one.cycles_per_packet.value / clock_mhz, rel=0.02)
    assert two.cpu_percent.value == pytest.approx(2 * one.cpu_percent.value, rel=0.1)


def test_a_rate_is_only_offered_to_an_nf_alone() -> None:
    with pytest.raises(ValueError, match="offered_mpps"):
        figures(nf("vpn", 1), nf("router", 2), offered_mpps=1.0)


def test_a_hop_costs_more_the_farther_it_goes() -> None:
    """Cores 2 and 3 are of node 0, 13 of node 1. On its own core the twin hands nothing on; to another core packets
    come from its caches, and over the link later still: tenths of a microsecond, since its NFs neither sleep nor
    wake."""
    delays = []
    for hop, core in (("same_core", 2), ("same_node", 3), ("other_node", 13)):
        first, second = nf("firewall", 2), nf("firewall", core)
        delays.append(figures(first, downstream=(second,), offered_mpps=0.5, hop=hop)[0].delay_us)
    values = [delay.value for delay in delays if delay is not None]
    assert values[0] == 0.0 and 0.001 < values[1] < values[2] < 1.0


@pytest.mark.parametrize(
    "changes",
    [
        {"hop": "same_node", "offered_mpps": 0.5},
        {"hop": "same_core", "offered_mpps": 0.5, "downstream": (nf("nat", 2),)},
        {"hop": "same_node", "offered_mpps": 0.5, "downstream": (nf("nat", 1),)},
        {"hop": "same_node", "downstream": (nf("nat", 2),)},
        {"hop": "same_node", "offered_mpps": 0.5, "downstream": (nf("nat", 2), nf("nat", 3))},
        {"hop": "same_node", "offered_mpps": 0.5, "downstream": (nf("nat", 2),), "upstream": (nf("nat", 3),)},
    ],
)
def test_a_hop_is_of_a_pair_at_a_rate(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"hop|downstream|upstream"):
        figures(nf("vpn", 1), **changes)
