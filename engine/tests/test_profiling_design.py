"""The designed set: which points, why each is there, and what a host cannot measure."""

import numpy as np
import pytest
from engine_profiles import NF_TYPES, catalogue_type, host
from hypothesis import given, settings
from hypothesis import strategies as st
from profiling_designs import ASK, designed, measured_as, of, purposes
from sextant_domain.hosts.host import PROFILING_RATES, Capability
from sextant_domain.profiling.job import MAX_POINTS, PointPurpose, ProfilingAsk
from sextant_domain.profiling.profile import MAX_OTHERS
from sextant_engine.parameters import assumed_models
from sextant_engine.profiling.cores import free_cores
from sextant_engine.profiling.design import design, seconds_a_sample
from sextant_engine.profiling.points import setting_key
from sextant_engine.profiling.requests import CannotProfile, request_of


def rows(points, weight):
    """Rows of Eq. 9-11 by side, (LLC term, memory term, 1), with each NF's weight.

    A run of the chain on a remote node (its NF in front on the same node) counts there by its first NF only.
    """
    sides = {"local": [], "remote": []}
    for point in points:
        subject = point.subject
        near = [weight[nf.nf_type] for nf in (*point.chain[:-1], *point.others) if nf.node == subject.node]
        every = [weight[nf.nf_type] for nf in (*point.chain[:-1], *point.others)]
        if point.local:
            crosses = any(nf.node != subject.node for nf in point.chain[:-1])
            sides["local"].append((1.0 if crosses else sum(near), sum(every), 1.0))
        else:
            behind = any(nf.node == subject.node for nf in point.chain[:-1])
            llc = sum(weight[nf.nf_type] for nf in point.others if nf.node == subject.node) if behind else 1.0
            sides["remote"].append((llc, sum(near), 1.0))
    return {side: np.array(matrix) for side, matrix in sides.items()}


def test_about_sixty_points_on_octans_testbed():
    """6 local and 12 remote cores free, 76 points: 8 ideals (firewall, the most, a middling and the least aggressive
    type; the fewest stalls are the router's 12, the most dpi's 90; simple-forward is the middling one), then
    local: firewall and router beside 1, 2, 3, 5, the two others beside 1, 3, 5, and two mixes: 4 + 4 + 3 + 3 + 2 = 16;
    across: 2, 5, 8, 12 routers, 2, 12 firewalls, and two sets near and far: 8;
    behind a router on node 1, 10 cores left: alone, beside 1, 3, 10 routers, 2, 10 firewalls, and a mix: 7;
    rates: 5 routers at a quarter and a sixteenth, 5 firewalls and 2 routers at a sixteenth, 12 and 11 routers on node 1
    at a sixteenth, seen from either node, and chains of all types on both: 8;
    handing: a router before it on node 0, itself here or there, and behind it on either node, itself on either: 6.
    """
    made = designed(host())
    assert purposes(made) == {
        "ideal": 8, "local": 16, "across": 8, "remote": 8, "crossing": 6, "behind": 7, "rates": 8,
        "handing": 6, "sensitivity": 6, "contentiousness": 3,
    }  # fmt: skip
    assert made.left_out == ()
    assert {point.subject.nf_type for point in of(made, "ideal")} == {"firewall", "router", "simple-forward", "dpi"}


def test_competitors_are_fed_less_than_they_could_take_and_stand_in_chains():
    """Of 14.88 Mpps a quarter is 3.72 and a sixteenth 0.93. Five in chains of three: three and two."""
    made = of(designed(host()), "rates")
    assert {point.rate_mpps for point in made} == {3.72, 0.93, None}
    assert {(point.others_a_chain, len(point.others)) for point in made if point.rate_mpps is None} == {(3, 5), (3, 11)}
    unbounded = of(designed(host(), ASK.model_copy(update={"rate_mpps": None})), "rates")
    assert {point.rate_mpps for point in unbounded} == {3.72, 0.93, None}, "of 14.88, too"


def test_large_packets_are_offered_no_faster_than_a_link_brings_them():
    """10 Gbps / (8 (1518 + 20) bytes) = 0.8127 Mpps, a quarter 0.2032; 14.88 would be 183 Gbps."""
    large = ProfilingAsk(nf_type="firewall", host="big-1", packet_bytes=1518)
    assert large.rate_mpps == 0.8127
    assert max(point.rate_mpps or 0 for point in of(designed(host(), large), "rates")) == pytest.approx(0.8127 / 4)
    assert ProfilingAsk(nf_type="firewall", host="big-1", packet_bytes=1518, rate_mpps=None).rate_mpps is None
    unbounded = of(designed(host(), large.model_copy(update={"rate_mpps": None})), "rates")
    assert max(point.rate_mpps or 0 for point in unbounded) == pytest.approx(0.8127 / 4)


def test_without_chains_on_its_driver_a_host_still_reports_rates():
    """What a lost cache costs shows only behind an NF of its chain: on two nodes no model comes of the rest."""
    made = designed(host(profiling_chains=False))
    assert purposes(made)["rates"] == 6 and not set(purposes(made)) & {"crossing", "behind", "handing"}
    assert made.left_out == ("crossing, behind, rates of chains, handing: profiling-chains says so",)
    assert made.no_model is not None
    assert made.no_model.startswith("too few samples: 0 of 1 'crossing', 0 of 1 'behind'; profile it again")


def test_where_competitors_have_managers_of_their_own_they_are_few_and_have_no_rate():
    """2 beside it at most, near or far; rates cannot be given, so none are designed, and one that is asked for is
    refused by its field. A sample takes 8 phases of 3 s, and 6 s for fresh processes."""
    why = Capability(name=PROFILING_RATES, available=False, reason="as fast as they can")
    able = host(profiling_chains=False)
    onvm = able.model_copy(
        update={"driver": "opennetvm", "most_competitors": 2, "capabilities": (*able.capabilities, why)}
    )
    ask = ASK.playable(None, at_rates=False)
    assert (ASK.rate_mpps, ask.rate_mpps) == (14.88, None)
    made = designed(onvm, ask)
    assert max(len(point.others) for point in made.points) == 2
    assert {point.rate_mpps for point in made.points} == {None}
    assert "rates" not in purposes(made) and "rates: as fast as they can" in made.left_out
    beside = next(point for point in made.points if point.others)
    assert seconds_a_sample(beside, ask, onvm) == 30.0
    with pytest.raises(CannotProfile, match="gives competitors no rate: as fast as they can; leave it out") as refused:
        designed(onvm, ask.model_copy(update={"rate_mpps": 1.0}))
    assert refused.value.field == "rate_mpps"


def test_handing_points_are_those_that_no_other_purpose_has():
    """The NF's node, that of the router before it, that of the router behind it."""
    places = {
        (point.subject.node, *(nf.node for nf in point.chain[:-1]), *(10 + nf.node for nf in point.downstream))
        for point in of(designed(host()), "handing")
    }
    assert places == {(0, 0), (1, 0), (0, 10), (0, 11), (1, 10), (1, 11)}


def test_competitors_elsewhere_are_spread_over_all_other_nodes():
    """Three nodes of 4 cores, the first three of node 0 reserved: 1 free there, 4 and 4 elsewhere, taken in turn. The
    reporter, which has no room beside it on node 0, stands on node 1."""
    made = designed(host(nodes=3, cores=4, reserved=3))
    most = max(of(made, "across"), key=lambda point: len(point.others))
    assert [other.node for other in most.others] == [1, 2, 1, 2, 1, 2, 1, 2]
    behind_one = max(of(made, "crossing"), key=lambda point: len(point.others))
    assert [other.node for other in behind_one.others] == [1, 2, 1, 2, 1, 2, 2]
    assert {point.subject.node for point in of(made, "contentiousness")} == {1}


def test_competitors_stand_in_rising_number_beside_the_nf():
    made = designed(host())
    counts = {
        name: sorted(
            len(point.others) for point in of(made, "local") if {other.nf_type for other in point.others} == {name}
        )
        for name in ("router", "simple-forward", "dpi", "firewall")
    }
    assert counts == {"router": [1, 2, 3, 5], "simple-forward": [1, 3, 5], "dpi": [1, 3, 5], "firewall": [1, 2, 3, 5]}


@given(weights=st.lists(st.floats(0.01, 0.3), min_size=10, max_size=10, unique=True), cores=st.integers(3, 14))
@settings(deadline=None, max_examples=30)
def test_alpha_beta_and_c_can_be_told_apart_whatever_the_weights(weights, cores):
    """The singular values of each side's rows, scaled to unit columns, stay clear of 0. Only points whose NFs are all
    as their types are count: not bubbles of a size, nor the reporter."""
    made = designed(host(cores=cores, reserved=0))
    weight = dict(zip(sorted(NF_TYPES), weights, strict=True))
    plain = [
        point
        for point in made.points
        if point.subject.nf_type == "firewall" and point.purpose not in {"sensitivity", "contentiousness", "ideal"}
    ]
    for matrix in rows(plain, weight).values():
        scaled = matrix / np.linalg.norm(matrix, axis=0)
        assert np.linalg.svd(scaled, compute_uv=False)[-1] > 1e-3


@pytest.mark.parametrize("left_out", ["behind", "crossing"])
def test_remote_points_need_those_behind_an_nf_and_local_ones_need_none_of_them(left_out):
    """Without `behind` the LLC term of every remote row is 1, the same as its constant: rank 2 of 3."""
    plain = [point for point in designed(host()).points if point.purpose not in {"sensitivity", "contentiousness"}]
    kept = [point for point in plain if point.purpose != left_out and point.subject.nf_type == "firewall"]
    weight = {name: 0.01 * number for number, name in enumerate(sorted(NF_TYPES), start=1)}
    ranks = {side: int(np.linalg.matrix_rank(matrix)) for side, matrix in rows(kept, weight).items()}
    assert ranks == {"local": 3, "remote": 2 if left_out == "behind" else 3}


def test_one_node_has_nothing_remote():
    made = designed(host(nodes=1, reserved=0))
    assert set(purposes(made)) == {"ideal", "local", "rates", "handing", "sensitivity", "contentiousness"}
    assert made.left_out == ("remote, crossing, behind: the host has one NUMA node",)
    assert made.no_model is None


def test_more_flows_than_a_host_can_play_are_refused_by_their_field():
    few = host().model_copy(update={"most_flows": 8192})
    with pytest.raises(CannotProfile, match="big-1 plays 8192 flows at most") as refusal:
        designed(few)
    assert refusal.value.field == "flows"
    assert designed(few, ASK.model_copy(update={"flows": 8192})).points


def test_only_ideals_where_co_location_cannot_be_measured():
    """A model of an NF type that is only measured alone has assumed drops: there is nothing that stands in its way."""
    made = designed(host(profiling_colocation=False))
    assert [(point.subject.nf_type, point.subject.node) for point in made.points] in (
        [("firewall", 0), ("firewall", 1)],
        [("firewall", 1), ("firewall", 0)],
    )
    assert made.left_out == ("competitors: profiling-colocation says so",)
    assert made.no_model is None


def test_two_cores_of_one_node_leave_one_competitor():
    made = designed(host(nodes=1, cores=2, reserved=0))
    assert max(len(point.others) for point in made.points) == 1
    assert len(of(made, "local")) == 4  # one of each chosen type and one of itself; a mix needs two


def test_beside_one_competitor_only_no_model_comes_of_it_where_hosts_have_room_for_more():
    """6 cores of node 0 are open to NFs, 6-9 of them taken: one competitor, of whatever type. What a second one takes
    is not measured. With records of an emptier host of the model, beside 3 and 5, it is."""
    made = designed(host(), busy=range(6, 10))
    assert {len(point.others) for point in of(made, "local")} == {1}
    assert made.left_out == (
        "more than 1 beside it on the local node: 2 cores of node 0 are free, 4 of 6 are taken by NFs",
    )
    assert made.no_model == (
        "too few samples: 'local' only beside 1 of up to 5 competitors; profile it again so that these points are "
        "measured, on a host of this model with more free cores where packets arrive"
    )
    before = [measured_as(point) for point in of(designed(host()), "local")]
    assert designed(host(), busy=range(6, 10), measured=before).no_model is None
    stale = [measured_as(point, versions={"firewall": 2, "router": 1}) for point in of(designed(host()), "local")]
    assert designed(host(), busy=range(6, 10), measured=stale).no_model == made.no_model


def test_where_a_model_can_never_be_measured_the_design_says_so():
    full = designed(host(cores=4, reserved=0), busy=range(4, 8))
    assert full.no_model is not None and full.no_model.startswith("its throughput alone on a remote node")


def test_one_core_a_node_is_enough_where_hosts_have_no_more():
    """Four nodes of 4 cores, three of node 0 reserved: no competitor ever stands beside a local NF there. With one core
    on each of two nodes nothing stands beside a remote one either, and competitors elsewhere are all there is."""
    assert designed(host(nodes=4, cores=4, reserved=3)).no_model is None
    pair = designed(host(nodes=2, cores=1, reserved=0))
    assert {"ideal", "across", "crossing", "handing"} <= set(purposes(pair)) and not of(pair, "local")
    assert pair.no_model is None
    alone = designed(host(nodes=2, cores=1, reserved=0, profiling_chains=False))
    assert alone.no_model is not None and "0 of 1 'crossing'" in alone.no_model


def test_two_cores_are_enough_where_hosts_have_no_more():
    """One competitor is all there ever is: nothing is left to be measured beside two."""
    assert designed(host(nodes=1, cores=2, reserved=0)).no_model is None


def test_siblings_and_what_is_held_are_no_free_cores():
    """Cores 0-1 and 2-3 are threads of two physical cores: core 2 runs an NF, so 3 is not free either."""
    made = host(nodes=1, cores=4, reserved=0)
    cores = tuple(
        core.model_copy(update={"siblings": (core.id ^ 1,), "physical_core": core.id // 2}) for core in made.cores
    )
    assert free_cores(made.model_copy(update={"cores": cores}), busy={2}) == {0: (0,)}


def test_a_core_of_last_choice_is_taken_last():
    inventory = host(nodes=1, cores=2, reserved=0)
    first = inventory.cores[0].model_copy(update={"last_choice": True})
    assert free_cores(inventory.model_copy(update={"cores": (first, inventory.cores[1])})) == {0: (1, 0)}


def test_ideals_come_first_and_the_seed_shuffles_the_rest():
    made = designed(host())
    assert {point.purpose for point in made.points[:8]} == {PointPurpose.IDEAL}
    other = designed(host(), ASK.model_copy(update={"seed": 1}))
    assert other.points != made.points
    assert {setting_key(point) for point in other.points} == {setting_key(point) for point in made.points}
    assert designed(host()).points == made.points


def promoted(**stalls):
    """Models that differ from the assumed ones in their stalls, and in nothing else where none are given; `edge` is
    a firewall."""
    assumed = {model.nf_type: model for model in assumed_models("test")}
    assumed["edge"] = assumed["firewall"].model_copy(update={"nf_type": "edge"})
    return {name: assumed[name].model_copy(update={"stalls": number}) for name, number in stalls.items()}


ASSUMED = {model.nf_type: model.stalls for model in assumed_models("test")}


def test_stalls_of_promoted_models_choose_the_competitors():
    """nat would be in nobody's way with 500 stalls, and vpn in everybody's with 1."""
    made = designed(host(), promoted=promoted(**ASSUMED | {"nat": 500.0, "vpn": 1.0}))
    assert {point.subject.nf_type for point in of(made, "ideal")} >= {"nat", "vpn"}


def test_stalls_of_promoted_models_have_a_scale_of_their_own():
    """All assumed stalls over a sixteenth: the same order, so the same competitors. One type of which the sixteenth is
    known brings the others' to it, and does not become the most aggressive of all."""
    plain = designed(host())
    sixteenth = {name: stalls / 16 for name, stalls in ASSUMED.items()}
    assert designed(host(), promoted=promoted(**sixteenth)).points == plain.points
    assert designed(host(), promoted=promoted(nids=sixteenth["nids"])).points == plain.points


def test_a_registered_type_is_a_competitor_only_where_it_is_known():
    """With 1 where the firewall's are assumed: the most aggressive of all."""
    types = NF_TYPES | {"edge": catalogue_type("edge", implementation="firewall")}
    assert "edge" not in {other.nf_type for point in designed(host(), nf_types=types).points for other in point.others}
    made = designed(host(), nf_types=types, promoted=promoted(**ASSUMED | {"edge": 1.0}))
    assert "edge" in {other.nf_type for point in made.points for other in point.others}


def test_time_is_reported_before_it_starts():
    """One node with one free core: one ideal. A sample takes 1 s and 0.5 s for its start; half of 10 samples, or 3 as
    such points took before; all 10 at most."""
    one = host(nodes=1, cores=1, reserved=0)
    assert (designed(one).expected_s, designed(one).most_s) == (7.5, 15.0)
    assert designed(one, usual_samples={PointPurpose.IDEAL: 3.0}).expected_s == 4.5
    onvm = one.model_copy(update={"driver": "opennetvm"})
    assert (designed(onvm).expected_s, designed(onvm).most_s) == (45.0, 90.0), "6 s for fresh processes, and 3 periods"


@pytest.mark.parametrize(
    ("ask", "inventory", "busy", "field", "says"),
    [
        (ASK.model_copy(update={"nf_type": "nope"}), host(), (), "nf_type", "there is no NF type 'nope'"),
        (ASK.model_copy(update={"competitors": ("dpi", "nope")}), host(), (), "competitors.1", "no NF type 'nope'"),
        (ASK, host(profiling=False), (), "host", "cannot profile: profiling says so"),
        (ASK, host(), range(12), "host", "no free core on node 0"),
    ],
)
def test_what_cannot_be_profiled_is_refused_with_the_cause(ask, inventory, busy, field, says):
    with pytest.raises(CannotProfile, match=says) as refused:
        designed(inventory, ask, busy=busy)
    assert refused.value.field == field


def test_what_is_in_the_kernel_cannot_be_profiled_nor_stand_beside():
    types = {**NF_TYPES, "wall": catalogue_type("wall", implementation="nft-firewall")}
    for changes, field in (({"nf_type": "wall"}, "nf_type"), ({"competitors": ("wall",)}, "competitors.0")):
        with pytest.raises(CannotProfile, match="wall is in the kernel") as refused:
            designed(host(), ASK.model_copy(update=changes), types)
        assert refused.value.field == field
    types["nft-firewall"] = catalogue_type("nft-firewall")
    beside = {other.nf_type for point in designed(host(), nf_types=types).points for other in point.others}
    assert beside and not beside & {"wall", "nft-firewall"}


@given(
    nodes=st.integers(1, 4),
    cores=st.integers(1, 24),
    busy=st.sets(st.integers(0, 95)),
    most=st.none() | st.integers(0, MAX_OTHERS),
    competitors=st.lists(st.sampled_from(sorted(NF_TYPES)), unique=True),
)
@settings(deadline=None, max_examples=60)
def test_every_point_fits_on_free_cores(nodes, cores, busy, most, competitors):
    """Law: each point becomes a request on cores that are free, each once; none is there twice; never more than
    MAX_POINTS and as many competitors as were asked for."""
    inventory = host(nodes=nodes, cores=cores, reserved=0)
    free = free_cores(inventory, busy)
    ask = ASK.model_copy(update={"most_competitors": most, "competitors": tuple(competitors)})
    if not free[0]:
        with pytest.raises(CannotProfile):
            design(ask, inventory, free, NF_TYPES)
        return
    made = design(ask, inventory, free, NF_TYPES)
    assert len(made.points) <= MAX_POINTS
    assert len({setting_key(point) for point in made.points}) == len(made.points)
    for point in made.points:
        request = request_of(point, ask, inventory, free, NF_TYPES)
        assert set(request.cores) <= {core for node in free.values() for core in node}
        assert len(request.cores) == len(point.chain) + len(point.downstream) + len(point.others)
        assert len(point.others) <= (MAX_OTHERS if most is None else most)
