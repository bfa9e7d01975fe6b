"""Plans by CoCo: NFs that share cores, with the arithmetic; against brute force; what the checker does not believe."""

from itertools import pairwise, product

import pytest
from engine_fleets import NOW, chain, demo_inventory, host, numa_inventory, running, snapshot
from hypothesis import given, settings
from hypothesis import strategies as st
from networks import promoted
from sextant_domain.base import Provenance
from sextant_domain.plans.algorithm_kinds import CHOOSES_CORES
from sextant_domain.plans.compact import HopDelays
from sextant_domain.plans.evidence import Algorithm, Solving
from sextant_domain.plans.intents import PlaceIntent, RelocateIntent, ReplaceIntent
from sextant_domain.plans.snapshot import ModelHops
from sextant_domain.profiling.host_cost import FittedCost
from sextant_domain.profiling.inflation import HandOff, InflationModel
from sextant_domain.profiling.model import LocalRemote
from sextant_engine.check import check
from sextant_engine.parameters import assumed_models
from sextant_engine.plan import make_plan

IDEALS = {"router": 10.0, "firewall": 5.0, "basic-monitor": 20.0}
"""A packet takes 1 / 10, 1 / 5 and 1 / 20 us of a core: at 1 Mpps 10, 20 and 5 % of it."""
FULL = 90.0
LONG = [{"type": "router", "name": f"r{number}"} for number in range(4)]


def shared(name="edge-1", cores=2, slots=3, nodes=1):
    inventory = numa_inventory(name, nodes=nodes, cores=cores)
    several = tuple(core.model_copy(update={"slots": slots}) for core in inventory.cores)
    return inventory.model_copy(update={"cores": several, "ports": ()})


def models(*inventories):
    return [
        one.model_copy(
            update={
                "version": "fit-1",
                "ideal_mpps": LocalRemote(local=IDEALS[one.nf_type], remote=IDEALS[one.nf_type]),
                "ideal_provenance": Provenance.MEASURED,
            }
        )
        for host_model in sorted({inventory.host_model for inventory in inventories})
        for one in assumed_models(host_model)
        if one.nf_type in IDEALS
    ]


def fleet(inventories, waiting, standing=()):
    """`standing`: (chain, host's index, seats)."""
    specs = [*waiting, *(spec for spec, _, _ in standing)]
    hosts = [
        host(one, [running(spec, one, seats) for spec, at, seats in standing if at == index])
        for index, one in enumerate(inventories)
    ]
    costs = tuple(no_harm(one.host_id) for one in inventories if one.shares_cores)
    networks = tuple(promoted(count) for count in range(1, 1 + max(len(one.cores) for one in inventories)))
    return snapshot(hosts, specs, models(*inventories)).model_copy(update={"costs": costs, "networks": networks})


def no_harm(name):
    """Costs as if fitted: NFs take beside others what they take alone."""
    nothing = ((0.0,) * 4,) * 4
    hand_off = HandOff(from_socket=0, from_remote=0, to_socket=0, to_remote=0)
    model = InflationModel(kinds=tuple(IDEALS), core=nothing, socket=nothing, weight="load", hand_off=hand_off)
    return FittedCost(host=name, version=1, fitted_at=NOW, placements=4, left_out_error=0.05, model=model)


def planned(given_fleet, intent, algorithm=Algorithm.COCO, **solving):
    body = make_plan(given_fleet, intent, Solving(algorithm=algorithm, **solving), clock=lambda: 0.0)
    assert all(finding.ok for finding in body.checks), [one for one in body.checks if not one.ok]
    return body


def cores(body, name):
    return [nf.seat.core for nf in sorted(body.after, key=lambda nf: nf.position) if nf.chain == name]


def said(body):
    [one] = body.evidence.hosts
    assert one.compact is not None
    return one.compact


def test_a_chain_of_three_stands_on_one_core():
    """At 2 Mpps 20 + 40 + 10 = 70 % of a core: all on one, and nothing changes cores. The engine's own choice puts
    them where they may carry most, over both cores."""
    web = chain("web", rate=2.0)
    body = planned(fleet([shared()], [web]), PlaceIntent(chain="web"))
    assert cores(body, "web") == [0, 0, 0]
    compact = said(body)
    assert (compact.delayed, compact.cost, compact.bound, compact.moves) == (0.0, 0.0, 0.0, 0)
    assert [hop.distance for hop in compact.hops] == ["same_core", "same_core"]
    assert [(core.core, core.before_percent, core.nfs_percent) for core in compact.cores] == [
        (0, 0.0, pytest.approx(70.0)),
        (1, 0.0, 0.0),
    ]
    assert (body.evidence.algorithm, body.evidence.status) == (Algorithm.COCO, "optimal")
    assert body.changes[1].reason.endswith(
        "core 0 with web.router and web.basic-monitor: so the fewest packets change cores"
    )
    [one] = compact.chains
    assert (one.mpps, one.automatic_mpps) == (pytest.approx(2.0), pytest.approx(2.0))


@pytest.mark.parametrize("algorithm", CHOOSES_CORES)
def test_a_cordoned_host_and_a_reserved_core_take_none(algorithm):
    """edge-1 and its core 0 come first, or both its cores; with core 0 reserved core 1, with edge-1 cordoned edge-2."""
    web, first, second = chain("web"), shared(), shared("edge-2")
    one = planned(fleet([first, second], [web]), PlaceIntent(chain="web"), algorithm)
    assert min((nf.seat.host, nf.seat.core) for nf in one.after) == ("edge-1", 0)
    assert {nf.seat.host for nf in one.after} == {"edge-1"}
    reserved = planned(fleet([first.reserving([0]), second.reserving([0])], [web]), PlaceIntent(chain="web"), algorithm)
    assert {(nf.seat.host, nf.seat.core) for nf in reserved.after} == {("edge-1", 1)}
    both = fleet([first, second], [web])
    closed = tuple(
        each.model_copy(update={"cordoned": "new memory"} if each.inventory.host_id == "edge-1" else {})
        for each in both.hosts
    )
    away = planned(both.model_copy(update={"hosts": closed}), PlaceIntent(chain="web"), algorithm)
    assert {nf.seat.host for nf in away.after} == {"edge-2"}


def test_at_a_higher_rate_it_needs_two_cores_and_one_hop():
    """At 3 Mpps 30 + 60 + 15 = 105 %: two cores. Router and firewall are 90 % together, just what may be needed; so
    are firewall and monitor (75 %): one hop of 3 Mpps either way. Alternately placed, it would be two of them."""
    body = planned(fleet([shared()], [chain("web", rate=3.0)]), PlaceIntent(chain="web"))
    compact = said(body)
    assert compact.delayed == pytest.approx(3.0) == compact.bound
    assert sorted(hop.distance for hop in compact.hops) == ["same_core", "same_node"]
    assert max(core.nfs_percent for core in compact.cores) <= FULL + 1e-6
    assert compact.automatic is not None and compact.automatic >= compact.delayed
    [one] = compact.chains
    assert one.mpps == pytest.approx(3.0)


def hops_of_a(model, **us):
    return (ModelHops(host_model=model, delays=HopDelays(measured=True, **us)),)


def test_hops_count_as_they_were_measured_on_the_host_model():
    """As above at 3 Mpps: two cores, one hop of 3 Mpps to the other one, 12.5 us, and one on a core, 8 us: 61.5. On
    another model nothing was measured, and they count 1 and 0: 3."""
    web, edge = chain("web", rate=3.0), shared()
    standing = fleet([edge], [web])
    measured = hops_of_a(edge.host_model, same_core=8.0, same_node=12.5, other_node=20.0)
    compact = said(planned(standing.model_copy(update={"hops": measured}), PlaceIntent(chain="web")))
    assert compact.delayed == pytest.approx(61.5) == compact.bound
    assert compact.delays == measured[0].delays
    strange = hops_of_a("another model", same_core=8.0, same_node=12.5, other_node=20.0)
    assumed = said(planned(standing.model_copy(update={"hops": strange}), PlaceIntent(chain="web")))
    assert (assumed.delayed, assumed.delays.measured) == (pytest.approx(3.0), False)


def test_where_two_cores_are_quicker_than_one_neighbours_part():
    """A hop on a core costs 8 us and one to another core nothing: at 1 Mpps all would fit on one core, but router,
    firewall and monitor alternate, which delays nothing."""
    edge = shared()
    hops = hops_of_a(edge.host_model, same_core=8.0, same_node=0.0, other_node=0.0)
    body = planned(fleet([edge], [chain("web")]).model_copy(update={"hops": hops}), PlaceIntent(chain="web"))
    assert said(body).delayed == 0.0
    assert [hop.distance for hop in said(body).hops] == ["same_node", "same_node"]


def test_the_checker_does_not_believe_hops_that_were_not_measured():
    edge = shared()
    hops = hops_of_a(edge.host_model, same_core=0.0, same_node=12.5, other_node=20.0)
    known = fleet([edge], [chain("web", rate=3.0)])
    body = planned(known.model_copy(update={"hops": hops}), PlaceIntent(chain="web"))
    wrong = [one for one in check(body, known) if not one.ok]
    assert any("not what was measured, or assumed" in str(one) for one in wrong)


def test_the_baseline_fills_the_first_core():
    """Heavy first: monitor 5 %, firewall 20 %, router 10 % at 1 Mpps, two slots a core: monitor and firewall on core 0,
    the router on core 1; one hop, which is the least there is: at most two of three stand together."""
    web = chain("web", "basic-monitor", "firewall", "router")
    body = planned(fleet([shared(slots=2)], [web]), PlaceIntent(chain="web"), Algorithm.COCO_GREEDY)
    assert cores(body, "web") == [0, 0, 1]
    assert (said(body).delayed, body.evidence.algorithm) == (pytest.approx(1.0), Algorithm.COCO_GREEDY)
    assert body.changes[2].reason.endswith("core 1: the first core with room for it")


def test_what_runs_keeps_its_seats_when_a_chain_is_placed():
    """old stands apart, with 3 hops' worth of nothing to do: it stays. 70 % of core 0 are taken by its firewall at
    3.5 Mpps, so that new (35 % at 1 Mpps) has 20 % left there, and goes to core 1 as a whole (35 + 35 = 70 %)."""
    old = chain("old", "router", "firewall", rate=3.5)
    new = chain("new", rate=1.0)
    given_fleet = fleet([shared(slots=4)], [new], [(old, 0, [(1, 0), (0, 0)])])
    body = planned(given_fleet, PlaceIntent(chain="new"))
    assert (cores(body, "old"), cores(body, "new")) == ([1, 0], [1, 1, 1])
    compact = said(body)
    assert compact.delayed == pytest.approx(3.5) == compact.bound, "old's hop is counted, and is nobody's choice"
    assert [core.nfs_percent for core in compact.cores] == pytest.approx([70.0, 70.0])


def test_replacing_brings_neighbours_together_where_that_is_worth_the_move():
    """web at 2 Mpps stands on cores 0, 1, 0: two hops are 4. A move counts as a hop of the fastest chain, 2; one move
    (the firewall to core 0: 70 % there) ends both. Where none may move, nothing does."""
    web = chain("web", rate=2.0)
    given_fleet = fleet([shared()], [], [(web, 0, [(0, 0), (1, 0), (0, 1)])])
    body = planned(given_fleet, ReplaceIntent())
    assert cores(body, "web") == [0, 0, 0]
    compact = said(body)
    assert (compact.delayed, compact.moves, compact.move_price, compact.cost) == (0.0, 1, 2.0, 2.0)
    assert compact.automatic == pytest.approx(4.0), "the engine's own choice moves nothing on shared cores"
    assert planned(given_fleet, ReplaceIntent(keep=("web",))).changes == ()
    assert planned(given_fleet, ReplaceIntent(), max_moves=0).changes == ()
    assert planned(given_fleet, ReplaceIntent(), Algorithm.COCO_GREEDY).changes == ()


def test_one_hop_is_not_worth_two_moves():
    """a and b exchange nothing: two slots a core, all four taken. To bring either together takes two moves, and one hop
    of 1 Mpps each is ended: 2 hops saved, 2 moves paid: the least moves are none."""
    standing = [
        (chain("a", "router", "firewall"), 0, [(0, 0), (1, 0)]),
        (chain("b", "router", "firewall"), 0, [(0, 1), (1, 1)]),
    ]
    body = planned(fleet([shared(slots=2)], [], standing), ReplaceIntent())
    assert body.changes == () and said(body).delayed == pytest.approx(2.0)


def test_of_two_hosts_the_one_where_it_adds_least_is_taken():
    """On edge-1 one slot of each core is left, on edge-2 two of core 0."""
    full = chain("full", "router", "firewall", rate=0.1)
    given_fleet = fleet(
        [shared("edge-1", slots=2), shared("edge-2", slots=2)],
        [chain("web", "router", "firewall")],
        [(full, 0, [(0, 0), (1, 0)])],
    )
    body = planned(given_fleet, PlaceIntent(chain="web"))
    assert {(nf.seat.host, nf.seat.core) for nf in body.after if nf.chain == "web"} == {("edge-2", 0)}


@pytest.mark.parametrize(
    ("inventories", "spec", "reason", "relax"),
    [
        ([numa_inventory(nodes=1)], chain("web"), "every NF has a core of its own on big-1", "sextant hosts slots"),
        (
            [shared()],
            chain("web", rate=6.0),
            "web.firewall needs 120 % of a core of edge-1 at 6 Mpps, and NFs may have 90 % of one",
            "offer web less than 4.5 Mpps, or submit it in lanes",
        ),
        ([shared(slots=1)], chain("web"), "every NF has a core of its own on edge-1", "sextant hosts slots"),
        (
            [shared(cores=1)],
            chain("web", *["router"] * 4),
            "too little time or too few slots left",
            "free cores of edge-1",
        ),
        (
            [shared()],
            chain("web", "simple-forward"),
            "no model in use says how much of a core of edge-1 is needed by simple-forward",
            "profile simple-forward on a host of model big-1x2, and promote the model",
        ),
    ],
)
def test_what_it_cannot_place_it_refuses_with_the_reason(inventories, spec, reason, relax):
    body = planned(fleet(inventories, [spec]), PlaceIntent(chain="web"))
    [rejected] = body.rejected
    assert reason in rejected.reason and relax in (rejected.relax or "")
    assert body.changes == () and body.evidence.status == "infeasible"


def test_neighbours_that_were_never_measured_are_in_the_way():
    beside = (chain("old", "simple-forward"), 0, [(0, 0)])
    body = planned(fleet([shared()], [chain("web")], [beside]), PlaceIntent(chain="web"))
    assert "is needed by simple-forward" in body.rejected[0].reason


def test_cores_that_are_kept_for_last_stay_so():
    """edge-1 of the demonstration: eight slots on core 1, of which 3 Mpps leave too little time (105 %). Core 0 is a
    last choice: it stays empty while core 1 has slots."""
    inventory = demo_inventory()
    known = models(inventory)
    given_fleet = snapshot([host(inventory)], [chain("web", rate=3.0)], known)
    assert planned(given_fleet, PlaceIntent(chain="web")).rejected[0].chain == "web"
    placed = planned(snapshot([host(inventory)], [chain("web", rate=2.0)], known), PlaceIntent(chain="web"))
    assert cores(placed, "web") == [1, 1, 1]


def test_other_work_and_the_chains_source_and_sink_take_their_part():
    """On the last core packets are made and taken: 3.6 % at 1 Mpps. A fifth of core 0 is somebody else's, so that
    is kept for last."""
    inventory = shared().model_copy(update={"ports": demo_inventory().ports})
    given_fleet = snapshot([host(inventory, other={0: 20.0})], [chain("web")], models(inventory))
    body = planned(given_fleet, PlaceIntent(chain="web"))
    assert cores(body, "web") == [1, 1, 1]
    assert [core.others_percent for core in said(body).cores] == pytest.approx([20.0, 3.6])


def test_a_chain_that_goes_to_another_host_stands_together_there():
    web = chain("web")
    given_fleet = fleet([shared("edge-1"), shared("edge-2")], [], [(web, 0, [(0, 0), (1, 0), (0, 1)])])
    body = planned(given_fleet, RelocateIntent(chain="web", host="edge-2"))
    assert {(nf.seat.host, nf.seat.core) for nf in body.after} == {("edge-2", 0)}


def test_on_two_nodes_a_hop_between_them_counts_double():
    """One core a node, two slots each: the chain of three has to cross, which is one hop of 1 Mpps at 2."""
    body = planned(fleet([shared(cores=1, slots=2, nodes=2)], [chain("web")]), PlaceIntent(chain="web"))
    assert said(body).delayed == pytest.approx(2.0)
    assert sorted(hop.distance for hop in said(body).hops) == ["other_node", "same_core"]


RATES = st.sampled_from([0.3, 0.7, 1.0, 1.9, 2.6])
CHAINS = st.lists(
    st.tuples(st.lists(st.sampled_from(sorted(IDEALS)), min_size=1, max_size=3), RATES), min_size=1, max_size=2
)


@settings(max_examples=40, deadline=None)
@given(CHAINS, st.integers(1, 3), st.integers(2, 3))
def test_a_single_host_gets_what_trying_everything_finds(drawn, count, slots):
    """New chains on one empty host, all at once."""
    specs = [
        chain(f"c{index}", *[{"type": kind, "name": f"n{place}"} for place, kind in enumerate(kinds)], rate=rate)
        for index, (kinds, rate) in enumerate(drawn)
    ]
    body = planned(fleet([shared(cores=count, slots=slots)], specs), ReplaceIntent())
    best = _tried(specs, count, slots)
    if best is None:
        assert body.rejected
    elif not body.rejected:  # chain by chain a host is chosen: one may be left out where there is only just room
        assert said(body).delayed == pytest.approx(best, abs=1e-9)


def _tried(specs, count, slots):
    nfs = [(spec, place) for spec in specs for place in range(len(spec.nfs))]
    costs = []
    for at in product(range(count), repeat=len(nfs)):
        needs = [0.0] * count
        for (spec, place), core in zip(nfs, at, strict=True):
            needs[core] += 100 * spec.traffic.rate_mpps / IDEALS[spec.nfs[place].type]
        if max(needs) > FULL + 1e-7 or any(at.count(core) > slots for core in range(count)):
            continue
        pairs = pairwise(zip(nfs, at, strict=True))
        costs.append(sum(one[0].traffic.rate_mpps for (one, a), (two, b) in pairs if one[0] is two[0] and a != b))
    return min(costs, default=None)


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"delayed": 1.0, "cost": 1.0}, "3 are delayed, not 1"),
        ({"bound": 9.0}, "above what is reached"),
        ({"bound": 0.0}, "does not prove it"),
        ({"moves": 4}, "0 NFs move"),
        ({"cores": ()}, "nothing is said of core"),
        ({"hops": ()}, "the hops are not those of the orders"),
        ({"full_percent": 100.0}, "100 % of a core may not be needed"),
    ],
)
def test_the_checker_reckons_itself(change, found):
    given_fleet = fleet([shared()], [chain("web", rate=3.0)])
    body = planned(given_fleet, PlaceIntent(chain="web"))
    [one] = body.evidence.hosts
    told = one.model_copy(update={"compact": said(body).model_copy(update=change)})
    wrong = body.model_copy(update={"evidence": body.evidence.model_copy(update={"hosts": (told,)})})
    assert found in finding(wrong, given_fleet).detail


def finding(body, given_fleet):
    [one] = [one for one in check(body, given_fleet) if one.check == "shared-cores"]
    assert not one.ok
    return one


def test_the_checker_refuses_a_core_that_is_overfull_and_silence():
    """All three on core 0 at 3 Mpps: 105 %, whatever is said of it."""
    given_fleet = fleet([shared()], [chain("web", rate=3.0)])
    body = planned(given_fleet, PlaceIntent(chain="web"))
    [target] = body.target
    [web] = target.content.chains
    together = web.model_copy(
        update={"nfs": tuple(nf.model_copy(update={"core": 0, "slot": slot}) for slot, nf in enumerate(web.nfs))}
    )
    order = target.model_copy(update={"content": target.content.model_copy(update={"chains": (together,)})})
    assert (
        "core 0 needs 105 % of its time, of which it has 90 %"
        in finding(body.model_copy(update={"target": (order,)}), given_fleet).detail
    )
    silent = body.model_copy(update={"evidence": body.evidence.model_copy(update={"hosts": ()})})
    assert finding(silent, given_fleet).detail == "edge-1: nothing is said of its shared cores"
    by_another = body.evidence.model_copy(update={"solving": Solving(algorithm=Algorithm.EXACT)})
    assert "was not placed by CoCo" in finding(body.model_copy(update={"evidence": by_another}), given_fleet).detail


def test_equal_questions_get_equal_plans():
    given_fleet = fleet([shared(cores=3)], [chain(f"c{index}", rate=1.5) for index in range(3)])
    assert planned(given_fleet, ReplaceIntent()) == planned(given_fleet, ReplaceIntent())
