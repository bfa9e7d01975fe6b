"""Cores that other work uses get no new NFs while others have room, and a plan that must use one warns of it."""

from engine_fleets import chain, demo_inventory, host, numa_inventory, running, snapshot
from hypothesis import given, settings
from hypothesis import strategies as st
from sextant_domain.plans.evidence import Solving
from sextant_domain.plans.intents import MigrateIntent, PlaceIntent, ReplaceIntent
from sextant_domain.plans.plan import PlanBody
from sextant_domain.plans.snapshot import FleetSnapshot
from sextant_engine.check import check
from sextant_engine.plan import make_plan

WEB = chain("web")
"""Three NFs."""


def place(fleet: FleetSnapshot) -> PlanBody:
    body = make_plan(fleet, PlaceIntent(chain="web"), Solving())
    assert all(finding.ok for finding in body.checks), [each for each in body.checks if not each.ok]
    return body


def cores(body: PlanBody) -> list[tuple[str, int]]:
    return sorted((nf.seat.host, nf.seat.core) for nf in body.after if nf.chain == "web")


def test_a_core_with_other_work_is_passed_over_while_its_node_has_others() -> None:
    """Four cores on node 0, where packets arrive: core 0 is used by 63 %, so the chain has 1, 2 and 3."""
    body = place(snapshot([host(numa_inventory(), other={0: 63})], [WEB]))
    assert cores(body) == [("big-1", 1), ("big-1", 2), ("big-1", 3)]
    assert "core 1 is the lowest free core of node 0, of those without other work" in body.changes[0].reason
    assert [(core.host, core.core, core.percent) for core in body.other_work] == [("big-1", 0, 63)]
    assert not any("other work" in warning for warning in body.warnings)


def test_another_host_goes_before_a_core_with_other_work() -> None:
    """big-1 gains as much and has more free seats, but two of them only without other work: big-2 has three."""
    busy = host(numa_inventory("big-1", nodes=1, cores=8), other=dict.fromkeys(range(2, 8), 40.0))
    assert {name for name, _ in cores(place(snapshot([busy, host(numa_inventory("big-2", 1, 3))], [WEB])))} == {"big-2"}
    assert {name for name, _ in cores(place(snapshot([busy, host(numa_inventory("big-2", 1, 2))], [WEB])))} == {"big-1"}


def test_where_nothing_else_is_left_the_least_used_one_is_taken_and_the_plan_says_so() -> None:
    body = place(snapshot([host(numa_inventory(nodes=1, cores=4), other={0: 90, 1: 63})], [WEB]))
    assert cores(body) == [("big-1", 1), ("big-1", 2), ("big-1", 3)]
    [reason] = [change.reason for change in body.changes if change.target and change.target.core == 1]
    assert "no core of node 0 without other work has room, so core 1, of which other work uses 63 %" in reason
    [warning] = [one for one in body.warnings if "other work" in one]
    assert warning.startswith("other work uses 63 % of core 1 of big-1, where web.")
    assert "what is predicted there counts on the whole core" in warning


def test_an_operator_may_order_an_nf_there_and_reads_what_is_there() -> None:
    inventory = numa_inventory()
    fleet = snapshot([host(inventory, [running(WEB, inventory, [(1, 0), (2, 0), (3, 0)])], other={0: 63})], [WEB])
    body = make_plan(fleet, MigrateIntent(nf_id="web.router", host="big-1", core=0), Solving())
    assert all(finding.ok for finding in body.checks) and cores(body)[0] == ("big-1", 0)
    assert any("other work uses 63 % of core 0 of big-1, where web.router will stand" in one for one in body.warnings)


def test_last_choices_stay_last() -> None:
    """Core 0 of the small host is kept for its own work by its own word, which goes before any measurement."""
    assert {core for _, core in cores(place(snapshot([host(demo_inventory(), other={1: 80})], [WEB])))} == {1}


def test_a_thread_of_an_exclusive_core_is_used_too_where_its_sibling_is() -> None:
    inventory = numa_inventory(nodes=1, cores=6)
    pairs = tuple(
        core.model_copy(update={"physical_core": core.id // 2, "siblings": (core.id ^ 1,)}) for core in inventory.cores
    )
    inventory = inventory.model_copy(update={"cores": pairs})
    two = chain("web", "router", "firewall")
    assert cores(place(snapshot([host(inventory, other={1: 50})], [two]))) == [("big-1", 2), ("big-1", 4)]


def test_the_checker_refuses_a_plan_that_uses_one_needlessly() -> None:
    """Made when nothing was known; checked against a snapshot in which core 1 has other work and core 2 has none."""
    calm = snapshot([host(numa_inventory(nodes=1))], [chain("web", "router", "firewall")])
    body = make_plan(calm, PlaceIntent(chain="web"), Solving())
    loud = calm.model_copy(update={"hosts": (host(numa_inventory(nodes=1), other={1: 63}),)})
    [finding] = [each for each in check(body, loud) if not each.ok]
    assert finding.check == "other-work"
    assert finding.detail == "web.firewall is on core 1 of big-1, where other work is, but core 2 has room"


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from([0.0, 0.0, 30.0, 95.0]), min_size=2, max_size=6), min_size=1, max_size=3),
    st.lists(st.integers(1, 4), min_size=1, max_size=4),
    st.booleans(),
)
def test_no_core_with_other_work_is_used_while_an_equal_one_is_free(
    hosts: list[list[float]], lengths: list[int], two_nodes: bool
) -> None:
    """Of the same host, whatever is placed at once; and one host takes as many chains as if nothing were known."""
    fleets = []
    for known in (True, False):
        made = []
        for number, percents in enumerate(hosts):
            nodes = 2 if two_nodes and len(percents) % 2 == 0 else 1
            inventory = numa_inventory(f"h{number}", nodes, len(percents) // nodes)
            other = {core: percent for core, percent in enumerate(percents) if percent} if known else {}
            made.append(host(inventory, other=other))
        chains = [chain(f"c{index}", *["router"] * length) for index, length in enumerate(lengths)]
        fleets.append(snapshot(made, chains))
    body, blind = (make_plan(fleet, ReplaceIntent(), Solving(time_limit_s=1)) for fleet in fleets)
    assert all(finding.ok for finding in body.checks), [each for each in body.checks if not each.ok]
    assert len(hosts) > 1 or len(body.rejected) == len(blind.rejected)
    used = {(nf.seat.host, nf.seat.core) for nf in body.after}
    for number, percents in enumerate(hosts):
        free = [core for core in range(len(percents)) if (f"h{number}", core) not in used]
        busy = [core for core, percent in enumerate(percents) if percent and (f"h{number}", core) in used]
        assert not busy or all(percents[core] for core in free), (busy, free)
