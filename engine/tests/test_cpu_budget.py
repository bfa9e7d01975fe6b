"""The CPU budget of a host beside CPU quotas: whoever would have more by itself than all NFs of the host have together
goes elsewhere, or the plan says why it goes nowhere. The agent's rule: sums do not count."""

import pytest
from engine_fleets import NF_TYPES, chain, demo_inventory, host, measured, nf_type, running, snapshot
from engine_placing import place
from hypothesis import given
from hypothesis import strategies as st
from sextant_domain.hosts.host import Capability
from sextant_domain.plans.evidence import Algorithm
from sextant_domain.plans.intents import (
    AdjustIntent,
    LaneIntent,
    PlaceIntent,
    RelocateIntent,
    ResourceIntent,
    RestoreIntent,
)
from sextant_domain.plans.resources import ResourceRequest
from sextant_domain.plans.snapshot import Former
from sextant_engine.check import check
from sextant_engine.plan import make_plan

MORE = tuple(Capability(name=name, available=True, reason="always") for name in ("quota-bounds", "kernel-nfs"))
OF_WEB = "all NFs of a have a CPU budget of 40 % of a core together, and"


def inventory(name="a", budget=40.0):
    found = demo_inventory(name)
    return found.model_copy(update={"cpu_budget_percent": budget, "capabilities": (*found.capabilities, *MORE)})


def web(*quotas, name="web-edge", **fields):
    """A router, and behind it a firewall, with these CPU quotas; None: none."""
    types = ("router", "firewall", "basic-monitor")
    nfs = [{"type": kind, "cpu_quota_percent": quota} for kind, quota in zip(types, quotas, strict=False)]
    return chain(name, *nfs, **fields)


def bounds(least, most=80):
    return {"max_p95_us": 900.0, "least_percent": least, "most_percent": most}


def planned(fleet, intent):
    body = make_plan(fleet, intent, clock=lambda: 0.0)
    assert all(finding.ok for finding in body.checks), [f for f in body.checks if not f.ok]
    return body


def homes(body):
    return {nf.seat.host for nf in body.after}


@pytest.mark.parametrize(
    ("asked", "home"),
    [
        (web(None, None), "a"),
        (web(40, None), "a"),
        (web(40, 40), "a"),  # 80 together: the kernel holds them to 40, and nothing is refused
        (web(40.5, None), "b"),
        (web(10, 60), "b"),
        (web(None, None, quota_bounds=bounds(40)), "a"),
        (web(60, 60, quota_bounds=bounds(10)), "a"),  # they begin with 40, which is within 10 to 80
        (web(None, None, quota_bounds=bounds(41)), "b"),
    ],
)
def test_a_chain_goes_to_a_host_whose_budget_each_of_its_quotas_is_within(asked, home):
    """a has 40 % of a core for all its NFs, b has 100; without a budget b would not be taken, as the second by name."""
    assert homes(place(snapshot([host(inventory("a")), host(inventory("b", 100.0))], [asked]))) == {home}
    assert homes(place(snapshot([host(inventory("a", None)), host(inventory("b", 100.0))], [asked]))) == {"a"}


def test_a_chain_that_goes_nowhere_is_told_how_much_there_is_and_what_would_do():
    (rejected,) = place(snapshot([host(inventory("a")), host(inventory("b", 30.0))], [web(60, 50)])).rejected
    assert rejected.reason == (
        f"needs 2 slots on one host: {OF_WEB} router alone is to have 60 %, firewall 50 %; all NFs of b have a CPU "
        "budget of 30 % of a core together, and router alone is to have 60 %, firewall 50 %"
    )
    assert rejected.relax == "ask for CPU quotas of 40 % at most: then a has 10 slots free"
    assert rejected.conflict == ("web-edge needs a CPU budget of 60 % of a core (router)",)
    assert rejected.short is None


def test_of_bounds_it_is_told_what_each_nf_begins_with_but_not_of_nfs_in_the_kernel():
    asked = chain("web-edge", "router", "nft-firewall", quota_bounds=bounds(50))
    types = (*NF_TYPES, nf_type("nft-firewall"))
    (rejected,) = place(snapshot([host(inventory())], [asked], nf_types=types)).rejected
    assert rejected.reason == f"needs 2 slots on one host: {OF_WEB} router alone is to have 50 %"
    assert rejected.relax.startswith("ask for quota bounds whose least_percent is 40 % at most")


def test_chains_of_one_plan_that_differ_in_their_quotas_alone_are_told_apart():
    specs = [web(30, 30, name="fits"), web(60, 30, name="large"), web(30, 70, name="larger")]
    body = planned(snapshot([host(inventory())], specs), PlaceIntent(chain="fits", more=("large", "larger")))
    assert {nf.chain for nf in body.after} == {"fits"}
    assert {one.chain: one.reason.split("and ")[-1] for one in body.rejected} == {
        "large": "router alone is to have 60 %",
        "larger": "firewall alone is to have 70 %",
    }


@pytest.mark.parametrize("algorithm", [Algorithm.COCO, Algorithm.RR])
def test_algorithms_that_choose_cores_keep_to_it(algorithm):
    models = [measured("router", 8.0), measured("firewall", 6.0)]
    fleet = snapshot([host(inventory("a")), host(inventory("b", 100.0))], [web(60, None)], models=models)
    assert homes(place(fleet, algorithm=algorithm)) == {"b"}
    (rejected,) = place(snapshot([host(inventory())], [web(60, None)], models=models), algorithm=algorithm).rejected
    assert f"{OF_WEB} router alone is to have 60 %" in rejected.reason


def test_a_lane_goes_to_a_host_whose_budget_has_room_for_it():
    """The first has stood on a since before there was a budget, or was so small a one."""
    spec = web(60, None, name="web")
    stands = host(inventory("a"), [running(spec, inventory("a"), [(1, 0), (1, 1)])])
    body = planned(snapshot([stands, host(inventory("b", 100.0))], [spec]), LaneIntent(chain="web", weights=(1, 1)))
    assert {nf.seat.host for nf in body.after if nf.chain == "web-lane-2"} == {"b"}
    (rejected,) = planned(snapshot([stands], [spec]), LaneIntent(chain="web", weights=(1, 1))).rejected
    assert rejected.chain == "web-lane-2" and f"{OF_WEB} router alone is to have 60 %" in rejected.reason


def test_a_chain_is_not_moved_to_a_host_whose_budget_has_no_room():
    spec, home = web(60, None), inventory("b", 100.0)
    stands = host(home, [running(spec, home, [(1, 0), (1, 1)])])
    body = planned(snapshot([host(inventory("a")), stands], [spec]), RelocateIntent(chain=spec.name, host="a"))
    (rejected,) = body.rejected
    assert rejected.reason == f"needs 2 slots on one host: {OF_WEB} router alone is to have 60 %; it stays on b"


def test_settings_that_exceed_it_are_refused_and_others_of_such_a_chain_change():
    spec, home = web(60, 30), inventory()
    fleet = snapshot([host(home, [running(spec, home, [(1, 0), (1, 1)])])], [spec])

    def adjusted(**changes):
        return planned(fleet, AdjustIntent(chain=spec.name, settings=spec.settings.model_copy(update=changes)))

    def firewall(percent):
        nfs = spec.settings.nfs
        return {**nfs, "firewall": nfs["firewall"].model_copy(update={"cpu_quota_percent": percent})}

    (rejected,) = adjusted(nfs=firewall(50.0)).rejected
    assert (rejected.reason, rejected.relax) == (
        f"{OF_WEB} firewall alone is to have 50 %",
        "ask for CPU quotas of 40 % at most",
    )
    assert adjusted(nfs=firewall(40.0)).rejected == adjusted(paused=True).rejected == ()


def test_within_bounds_an_order_may_name_more_than_there_is():
    """Its agent begins with what fits."""
    spec, home = web(None, quota_bounds=bounds(10)), inventory()
    fleet = snapshot([host(home, [running(spec, home, [(1, 0)])])], [spec])
    asked = {"web-edge.router": ResourceRequest(cpu_quota_percent=60.0)}
    assert planned(fleet, ResourceIntent(resources=asked)).rejected == ()


def test_an_undo_does_not_bring_back_more_than_there_is_by_now():
    spec, home = web(60, None), inventory()
    before, after = (host(home, chains).content for chains in ([running(spec, home, [(1, 0), (1, 1)])], []))
    fleet = snapshot([host(home, generation=9)], [spec])
    fleet = fleet.model_copy(update={"former": (Former(before=before, after=after),)})
    (rejected,) = planned(fleet, RestoreIntent(operation_id=4)).rejected
    assert rejected.reason == f"{OF_WEB} router alone is to have 60 %"


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        (web(60, 40), "web-edge.router is to have 60 % of a core on a, whose NFs have 40 % together"),
        (
            web(None, quota_bounds=bounds(50)),
            "web-edge.router is to have 50 % of a core on a, whose NFs have 40 % together",
        ),
    ],
)
def test_a_plan_that_gives_more_is_caught_by_the_checker(asked, found):
    body = place(snapshot([host(inventory(budget=None))], [asked]))
    (broken,) = [finding for finding in check(body, snapshot([host(inventory())], [asked])) if not finding.ok]
    assert (broken.check, broken.detail) == ("cpu-budget", found)


def test_what_stands_beyond_it_is_not_the_next_plans_doing():
    old, new, home = web(60, None, name="old"), web(40, None), inventory()
    fleet = snapshot([host(home, [running(old, home, [(1, 0), (1, 1)])])], [old, new])
    assert homes(place(fleet)) == {"a"}


BUDGETS = st.lists(st.one_of(st.none(), st.floats(1, 120)), min_size=1, max_size=4)
QUOTAS = st.lists(st.one_of(st.none(), st.floats(1, 100)), min_size=1, max_size=3)


@given(BUDGETS, st.lists(st.tuples(QUOTAS, st.one_of(st.none(), st.integers(1, 80))), min_size=1, max_size=3))
def test_a_chain_is_placed_exactly_where_an_agent_takes_it(budgets, asked):
    """Three chains of three NFs have seats on every host. What an agent takes, said once more: each NF's quota, or the
    least of its bounds, is within the budget."""
    specs = [
        web(*quotas, name=f"c{number}", **({} if least is None else {"quota_bounds": bounds(least)}))
        for number, (quotas, least) in enumerate(asked)
    ]
    begins = {
        spec.name: [quota for quota in quotas if quota is not None] if least is None else [least]
        for spec, (quotas, least) in zip(specs, asked, strict=True)
    }
    there = {f"h{number}": budget for number, budget in enumerate(budgets)}
    fleet = snapshot([host(inventory(name, budget)) for name, budget in there.items()], specs)
    names = [spec.name for spec in specs]
    body = planned(fleet, PlaceIntent(chain=names[0], more=tuple(names[1:])))

    def takes(budget, chain_name):
        return budget is None or all(percent <= budget for percent in begins[chain_name])

    placed = {(nf.chain, nf.seat.host) for nf in body.after}
    assert all(takes(there[at], name) for name, at in placed)
    assert {name for name, _ in placed} == {
        name for name in names if any(takes(budget, name) for budget in there.values())
    }
