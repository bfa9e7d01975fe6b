"""Chains that share cores: what each gets, with the arithmetic, and what must hold for all of them."""

from dataclasses import replace
from math import hypot

import pytest
from engine_fleets import NF_TYPES, chain, demo_inventory, host, measured, running, snapshot
from hypothesis import given
from hypothesis import strategies as st
from sextant_domain.base import Provenance
from sextant_domain.plans.intents import PlaceIntent
from sextant_domain.plans.plan import SloVerdict
from sextant_domain.plans.trust import SPARE_PREDICTOR, Spread, Trust, TrustVerdict
from sextant_domain.profiling.model import HalfWidths
from sextant_engine.parameters import assumed_models
from sextant_engine.plan import make_plan
from sextant_engine.planning.standing import standing
from sextant_engine.planning.time_sharing import BETWEEN_CORES, ScheduledPart, SharingChain, filled, shares


def part(ideal: float, core: int = 1, weight: float = 100, quota: float = 1.0, position: int = 0) -> ScheduledPart:
    return ScheduledPart(position=position, core=core, ideal_mpps=ideal, weight=weight, quota=quota)


def single(name: str, ideal: float, offered: float = 1000.0, **how) -> SharingChain:
    return SharingChain(name, offered, (part(ideal, **how),))


def test_alone_on_its_core_an_nf_carries_its_ideal():
    assert filled([single("a", 10.0)]) == pytest.approx({"a": 10.0})


def test_two_nfs_halve_a_core_whatever_a_packet_costs_them():
    """Half of the time each: 10 x 0.5 and 4 x 0.5."""
    assert filled([single("a", 10.0), single("b", 4.0)]) == pytest.approx({"a": 5.0, "b": 2.0})


def test_what_one_leaves_the_other_takes():
    """a is offered 1 of its 10 Mpps: a tenth of the core. b has nine tenths: 4 x 0.9."""
    assert filled([single("a", 10.0, offered=1.0), single("b", 4.0)]) == pytest.approx({"a": 1.0, "b": 3.6})


def test_time_is_divided_by_weight():
    """100 against 300: a quarter of 10, three quarters of 4."""
    found = filled([single("a", 10.0), single("b", 4.0, weight=300)])
    assert found == pytest.approx({"a": 2.5, "b": 3.0})


def test_a_quota_holds_also_where_there_is_room():
    """30 % of the core: 10 x 0.3; the other has the rest."""
    chains = [single("a", 10.0, quota=0.3), single("b", 4.0)]
    assert filled(chains) == pytest.approx({"a": 3.0, "b": 2.8})
    assert shares(chains)["a"].bottleneck == 0


def test_nfs_of_one_chain_on_one_core():
    """A packet takes 1/10 + 1/5 us of the core: 1 / 0.3 = 3.33 Mpps, and the slower one holds it up."""
    both = SharingChain("a", 1000.0, (part(10.0, position=0), part(5.0, position=1)))
    assert filled([both]) == pytest.approx({"a": 10 / 3})
    assert shares([both])["a"].bottleneck == 1


def test_source_and_sink_take_time_of_their_core():
    """Alone beside them 1 / (1/10 + 0.036) = 7.353; behind another NF there 1 / (0.1 + 0.2 + 0.036 + 0.026) = 2.762; on
    another core than theirs 10."""
    alone, both = part(10.0), (part(10.0, position=0), part(5.0, position=1))
    assert filled([SharingChain("a", 1000.0, (alone,), traffic_core=1)]) == pytest.approx({"a": 1 / 0.136})
    assert filled([SharingChain("a", 1000.0, both, traffic_core=1)]) == pytest.approx({"a": 1 / 0.362})
    assert filled([SharingChain("a", 1000.0, (alone,), traffic_core=0)]) == pytest.approx({"a": 10.0})


def test_the_slow_part_of_a_chain_has_as_much_time_as_its_rival():
    """Level 0.4: b of the chain and c have 0.4 of the core each, a needs 0.2 for b's 2 Mpps: 0.4 + 0.2 + 0.4 = 1."""
    both = SharingChain("ab", 1000.0, (part(10.0, position=0), part(5.0, position=1)))
    assert filled([both, single("c", 10.0)]) == pytest.approx({"ab": 2.0, "c": 4.0})


def test_a_chain_over_two_cores_goes_as_fast_as_its_fullest_core():
    """On core 1 ab and c halve the time: ab 10 x 0.5 = 5. On core 2 it then uses 5 / 20 of the time, d the rest."""
    chains = [
        SharingChain("ab", 1000.0, (part(10.0, core=1, position=0), part(20.0, core=2, position=1))),
        single("c", 4.0, core=1),
        single("d", 8.0, core=2),
    ]
    assert filled(chains) == pytest.approx({"ab": 5.0, "c": 2.0, "d": 6.0})


def test_what_a_chain_could_carry_is_reported_beside_what_it_does():
    """a is offered 1 and could have half of the core: 5. b has nine tenths and could have no more."""
    found = shares([single("a", 10.0, offered=1.0), single("b", 4.0)])
    assert (found["a"].mpps, found["a"].capacity_mpps) == pytest.approx((1.0, 5.0))
    assert (found["b"].mpps, found["b"].capacity_mpps) == pytest.approx((3.6, 3.6))


def test_a_chain_without_traffic_takes_nothing():
    assert filled([single("a", 10.0, offered=0.0), single("b", 4.0)]) == {"a": 0.0, "b": pytest.approx(4.0)}


# -- laws


@st.composite
def worlds(draw) -> list[SharingChain]:
    chains = []
    for number in range(draw(st.integers(1, 5))):
        parts = tuple(
            part(
                draw(st.floats(0.1, 50)),
                core=draw(st.integers(0, 2)),
                weight=draw(st.sampled_from([1, 50, 100, 300, 10_000])),
                quota=draw(st.sampled_from([1.0, 1.0, 0.5, 0.01])),
                position=position,
            )
            for position in range(draw(st.integers(1, 3)))
        )
        offered = draw(st.one_of(st.just(0.0), st.floats(0.001, 60)))
        chains.append(SharingChain(f"c{number}", offered, parts))
    return chains


def fair_share(chain: SharingChain, chains: list[SharingChain]) -> float:
    """What every core of the chain leaves it where all who stand there want all they can get."""

    def speed(one: SharingChain) -> float:
        return one.slowest.ideal_mpps * one.slowest.weight

    level = min(1 / sum(speed(one) * one.time_on(p.core) for one in chains) for p in chain.parts)
    return min(chain.most_mpps, level * speed(chain))


@given(worlds())
def test_no_core_is_over_committed_and_no_one_has_more_than_it_may(chains):
    rates = filled(chains)
    for core in range(3):
        assert sum(rates[one.name] * one.time_on(core) for one in chains) <= 1 + 1e-6
    for one in chains:
        assert 0 <= rates[one.name] <= one.most_mpps * (1 + 1e-6)


@given(worlds())
def test_nobody_is_kept_below_a_fair_share_whatever_others_are_offered(chains):
    for greedy in chains:
        wanting = [replace(one, offered_mpps=1e6) if one is greedy else one for one in chains]
        rates = filled(wanting)
        for one in wanting:
            assert rates[one.name] >= fair_share(one, wanting) * (1 - 1e-6)


@given(worlds())
def test_who_is_held_up_is_so_by_a_full_core_or_by_itself(chains):
    rates = filled(chains)
    full = {core for core in range(3) if sum(rates[one.name] * one.time_on(core) for one in chains) >= 1 - 1e-6}
    for one in chains:
        at_its_end = rates[one.name] >= one.most_mpps * (1 - 1e-6)
        assert at_its_end or full & {p.core for p in one.parts}


@given(worlds(), st.floats(1, 10))
def test_more_offered_is_never_less_carried(chains, factor):
    before = filled(chains)
    for one in chains:
        more = [replace(other, offered_mpps=other.offered_mpps * factor) if other is one else other for other in chains]
        assert filled(more)[one.name] >= before[one.name] * (1 - 1e-6) - 1e-9


# -- in plans

WEB = chain("web-edge", "router", "firewall", rate=3.0, slo={"min_throughput_mpps": 2.0, "max_p95_ms": 5.0})


def planned(models, spec=WEB, **more):
    fleet = snapshot([host(demo_inventory())], [spec], models=models).model_copy(update=more)
    body = make_plan(fleet, PlaceIntent(chain=spec.name), clock=lambda: 0.0)
    assert all(finding.ok for finding in body.checks)
    return body


def test_a_host_that_shares_cores_is_predicted_once_its_nfs_were_profiled():
    """Both on core 1, with source and sink: 1 / (1/10 + 1/5 + 0.036 + 0.026) = 2.762 Mpps, of 3 that are offered."""
    body = planned([measured("router", 10.0), measured("firewall", 5.0)])
    (prediction,) = body.predictions
    assert (prediction.throughput_mpps, prediction.capacity_mpps) == pytest.approx((1 / 0.362, 1 / 0.362))
    assert (prediction.predictor, prediction.bottleneck, prediction.low_mpps) == (
        "time-sharing",
        "web-edge.firewall",
        None,
    )
    assert (prediction.throughput_slo, prediction.latency_slo) == (SloVerdict.MET, SloVerdict.NOT_PREDICTABLE)
    assert prediction.note == (
        "shared cores: Octans' model does not apply; predicted by time sharing; capacity 2.76 Mpps; "
        "latency is measured, not predicted; what source and sink take of its core (0.036 us a packet, 0.026 more "
        "behind a second process) was measured on one machine and is assumed of this one"
    )
    assert prediction.assumes == ("source and sink",)
    assert body.warnings == ("edge-1: shared cores: Octans' model does not apply; predicted by time sharing",)
    assert [(use.version, use.provenance, use.ideal_provenance) for use in body.evidence.models] == [
        ("fit-1", Provenance.ASSUMED, Provenance.MEASURED)
    ] * 2
    assert body.evidence.objective_mpps is None


def test_an_assumed_throughput_predicts_nothing_there():
    body = planned([measured("router", 10.0), *assumed_models("small-1x2")[3:4]])
    (prediction,) = body.predictions
    assert (prediction.throughput_mpps, prediction.predictor, prediction.note) == (
        None,
        None,
        "shared cores: Octans' model does not apply",
    )
    assert body.warnings == ("edge-1: shared cores: Octans' model does not apply; throughput is measured only",)


def test_neighbours_of_a_chain_in_one_process_have_one_weight():
    """web (both NFs one process) and lone rise as 10/3 to 10; a step takes 10/3 x (0.3 + 0.036) + 10 x (0.1 + 0.036) =
    1.12 + 1.36 = 2.48 of core 1: 1.344 and 4.032. Isolated, web's router would have its time beside the firewall's."""
    models = [measured("router", 10.0), measured("firewall", 5.0)]
    web = chain("web", "router", "firewall", rate=9.0, execution="run-to-completion")
    lone = chain("lone", "router", rate=9.0)
    inventory = demo_inventory()
    fleet = snapshot([host(inventory, [running(lone, inventory, [(1, 0)])])], [web, lone], models=models)
    predictions = make_plan(fleet, PlaceIntent(chain="web"), clock=lambda: 0.0).predictions
    assert {one.chain: one.throughput_mpps for one in predictions} == pytest.approx(
        {"web": 10 / 3 / 2.48, "lone": 10 / 2.48}
    )


def test_the_interval_is_the_widest_of_the_chain():
    """1 / 0.362 = 2.762 Mpps -+ 4 %: 2.652 to 2.873. 2.8 are offered, and no more than 1.4 % above that arrive, since
    repetitions of either NF alone vary by 1 %: hypot(1, 1)."""
    alone = {"ideal_half_width": HalfWidths(local=0.01, remote=0.5)}
    router = measured("router", 10.0, half_width=HalfWidths(local=0.04, remote=0.5), **alone)
    firewall = measured("firewall", 5.0, half_width=HalfWidths(local=0.01, remote=0.5), **alone)
    spec = chain("web-edge", "router", "firewall", rate=2.8)
    (prediction,) = planned([router, firewall], spec).predictions
    assert (prediction.low_mpps, prediction.high_mpps) == pytest.approx((0.96 / 0.362, 2.8 * (1 + hypot(0.01, 0.01))))


SPREAD = Spread(host_model="small-1x2", predictor="time-sharing", half_width=0.1, outcomes=25)


def test_earlier_predictions_of_the_host_model_determine_how_far_off_the_next_may_be():
    """2.762 Mpps -+ 10 % by outcomes, also where models have intervals of their drops, -+ 4 %; outcomes of another host
    model do not count. How sure a throughput alone is says nothing of sharing: no interval."""
    known = {"half_width": HalfWidths(local=0.04, remote=0.5)}
    router, firewall = measured("router", 10.0, **known), measured("firewall", 5.0, **known)
    alone = measured("firewall", 5.0, ideal_half_width=HalfWidths(local=0.01, remote=0.01))
    elsewhere = SPREAD.model_copy(update={"host_model": "big-2x4"})
    for models, spread, width, source in (
        ([router, firewall], SPREAD, 0.1, "outcomes"),
        ([router, firewall], elsewhere, 0.04, "held-out"),
        ([router, alone], SPREAD, 0.1, "outcomes"),
        ([router, alone], elsewhere, None, None),
    ):
        (prediction,) = planned(models, spreads=(spread,)).predictions
        assert prediction.interval_source == source
        expected = (None, None) if width is None else ((1 - width) / 0.362, (1 + width) / 0.362)
        assert (prediction.low_mpps, prediction.high_mpps) == (expected if width is None else pytest.approx(expected))


def test_a_chain_with_room_to_spare_carries_its_offer():
    """2.762 Mpps of capacity by throughputs that were measured alone, the firewall's to 3 %. Offered half of it, 1.381,
    or less, the chain carries its offer unless half of its capacity is wrong, within hypot(1, 3) = 3.16 %; of a hair
    more nothing is said."""
    widths = {"ideal_half_width": HalfWidths(local=0.03, remote=0.5)}
    models = [measured("router", 10.0, ideal_half_width=HalfWidths(local=0.02, remote=0.5))]
    models += [measured("firewall", 5.0, **widths)]
    capacity, off = 1 / 0.362, hypot(0.01, 0.03)
    (prediction,) = planned(models, chain("web-edge", "router", "firewall", rate=0.1)).predictions
    assert (prediction.low_mpps, prediction.throughput_mpps, prediction.high_mpps) == pytest.approx(
        (0.1 - off / 10, 0.1, 0.1 + off / 10)
    )
    assert prediction.interval_source == "spare"
    assert prediction.interval_note == (
        "from its capacity, 27.6 times its offer; within 3.2 %, by repeated measurements of its NFs alone"
    )
    (prediction,) = planned(models, chain("web-edge", "router", "firewall", rate=capacity / 2 * 1.001)).predictions
    assert (prediction.low_mpps, prediction.interval_source, prediction.interval_note) == (None, None, None)


def test_a_throughput_that_was_measured_once_may_be_off_as_far_as_a_clock():
    """The gates of a measurement let 10 % pass: hypot(1, 10) = 10.05 %."""
    models = [measured("router", 10.0), measured("firewall", 5.0, ideal_half_width=HalfWidths(local=0.03, remote=0.5))]
    (prediction,) = planned(models, chain("web-edge", "router", "firewall", rate=0.1)).predictions
    assert (prediction.low_mpps, prediction.high_mpps) == pytest.approx(
        (0.1 - hypot(0.001, 0.01), 0.1 + hypot(0.001, 0.01))
    )


OF_OFFERS = Spread(host_model="small-1x2", predictor=SPARE_PREDICTOR, half_width=0.023, outcomes=31)


def test_what_chains_with_room_carried_before_predicts_what_the_next_one_does():
    """Within 2.3 %, whatever repetitions alone say, and whatever chains were off by that had no room."""
    models = [measured("router", 10.0), measured("firewall", 5.0)]
    spec = chain("web-edge", "router", "firewall", rate=0.1)
    (prediction,) = planned(models, spec, spreads=(SPREAD, OF_OFFERS)).predictions
    assert (prediction.low_mpps, prediction.high_mpps) == pytest.approx((0.0977, 0.1023))
    assert prediction.interval_source == "spare"
    assert prediction.interval_note == "from its capacity, 27.6 times its offer; within 2.3 %, of 31 chains with room"


WIDTH = st.none() | st.floats(1e-6, 0.2)
INVENTORY = demo_inventory()


def interval_of(rate, alone, beside, earlier, offers) -> tuple[float | None, float, float | None]:
    """Low, predicted and high of web-edge on core 1, by half widths of its NFs' models and of earlier outcomes."""

    def of(width: float | None) -> HalfWidths | None:
        return None if width is None else HalfWidths(local=width, remote=0.5)

    models = [
        measured(name, ideal, ideal_half_width=of(own), half_width=of(drop))
        for name, ideal, own, drop in zip(("router", "firewall"), (10.0, 5.0), alone, beside, strict=True)
    ]
    known = ((SPREAD, earlier), (OF_OFFERS, offers))
    spreads = tuple(one.model_copy(update={"half_width": width}) for one, width in known if width is not None)
    spec = chain("web-edge", "router", "firewall", rate=rate)
    there = host(INVENTORY, [running(spec, INVENTORY, [(1, 0), (1, 1)])])
    fleet = snapshot([there], [spec], models=models).model_copy(update={"spreads": spreads})
    (prediction,) = standing(fleet, [INVENTORY.host_id])
    return prediction.low_mpps, prediction.throughput_mpps, prediction.high_mpps


@given(st.floats(0.01, 20), st.tuples(st.tuples(WIDTH, WIDTH), st.tuples(WIDTH, WIDTH), WIDTH, WIDTH))
def test_an_interval_holds_its_prediction_is_never_a_point_and_widens_with_every_doubt(rate, widths):
    """Up to half of its capacity, 1.381 Mpps, a chain has one, whatever is known; with a point for an interval no
    measurement could lie inside, since none is exact."""

    def doubled(width):
        return tuple(map(doubled, width)) if isinstance(width, tuple) else width and 2 * width

    low, mpps, high = interval_of(rate, *widths)
    wide_low, _, wide_high = interval_of(rate, *map(doubled, widths))
    assert low is not None or rate > 1.381
    if low is not None:
        assert wide_low <= low < mpps < high <= wide_high


def test_a_chain_over_two_cores_says_what_is_not_predicted():
    """web-edge runs with its router on core 0, beside source and sink, and its firewall on core 1."""
    inventory, spec = demo_inventory(), chain("web-edge", "router", "firewall", rate=3.0)
    models = [measured("router", 10.0), measured("firewall", 5.0)]
    lone = chain("lone", "router", rate=0.1)
    there = host(inventory, [running(spec, inventory, [(0, 0), (1, 0)])])
    fleet = snapshot([there], [spec, lone], models=models)
    notes = {one.chain: one.note for one in make_plan(fleet, PlaceIntent(chain="lone"), clock=lambda: 0.0).predictions}
    assert BETWEEN_CORES in notes["web-edge"]
    assert BETWEEN_CORES not in notes["lone"]


def test_a_model_of_an_earlier_version_is_used_with_a_warning():
    newer = tuple(one.model_copy(update={"version": 3}) if one.name == "router" else one for one in NF_TYPES)
    body = planned([measured("router", 10.0, nf_version=2), measured("firewall", 5.0)], nf_types=newer)
    assert body.predictions[0].throughput_mpps == pytest.approx(1 / 0.362)
    assert body.warnings[-1] == ("edge-1: model of router is of version 2, the type is at version 3: profile it again")


def trust(version: str) -> Trust:
    return Trust(
        nf_type="firewall",
        host_model="small-1x2",
        predictor="time-sharing",
        version=version,
        informative=6,
        uninformative=2,
        error_percent=14.2,
        bias_percent=-14.2,
        coverage_percent=None,
        band_percent=5.0,
        verdict=TrustVerdict.DISTRUSTED,
        why="6 outcomes, mean error 14.2 %",
        last=None,
    )


def test_a_plan_says_how_far_its_predictor_is_trusted():
    models = [measured("router", 10.0), measured("firewall", 5.0)]
    body = planned(models, trust=(trust("fit-1"),))
    assert [use.trust for use in body.evidence.models] == [TrustVerdict.DISTRUSTED, None]
    assert body.warnings[-1] == "edge-1: time-sharing is off by 14.2 % on firewall on this host model: profile it again"
    former = planned(models, trust=(trust("fit-0"),))
    assert [use.trust for use in former.evidence.models] == [None, None], "it is of a model that is not in use"
