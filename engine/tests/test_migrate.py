"""Moving one NF to an ordered core, and every reason not to."""

import pytest
from engine_fleets import chain, demo_inventory, host, numa_inventory, running, snapshot
from sextant_domain.hosts.host import HostStatus, ReservedFor
from sextant_domain.plans.intents import MigrateIntent
from sextant_domain.plans.plan import ChangeKind
from sextant_engine.plan import make_plan

WEB = chain("web-edge")


def fleet(status=HostStatus.UP):
    inventory = demo_inventory()
    return snapshot(
        [host(inventory, [running(WEB, inventory, [(1, 0), (1, 1), (1, 2)])], generation=7, status=status)], [WEB]
    )


def migrate(given, nf="web-edge.firewall", to=0, on="edge-1"):
    body = make_plan(given, MigrateIntent(nf_id=nf, host=on, core=to), clock=lambda: 0.0)
    assert all(finding.ok for finding in body.checks), [f for f in body.checks if not f.ok]
    return body


def test_the_nf_moves_and_nothing_else():
    body = migrate(fleet())
    (change,) = body.changes
    assert (change.kind, change.nf_id, change.reason) == (ChangeKind.MOVE, "web-edge.firewall", "ordered to core 0")
    assert (change.source.core, change.target.core, change.target.slot) == (1, 0, 0)
    assert (body.evidence.status, body.evidence.algorithm, body.target[0].generation) == ("as_ordered", None, 8)
    assert [nf.seat.core for nf in body.after] == [1, 0, 1]


def test_where_the_model_holds_the_move_carries_its_gain():
    """Chain at 9 Mpps on one node, its firewall moved to the empty remote node and thereby slower: the gain is below 0
    and equals the difference of the predictions."""
    inventory, asked = numa_inventory(), chain("web-edge", rate=9.0)
    given = snapshot([host(inventory, [running(asked, inventory, [(0, 0), (1, 0), (2, 0)])])], [asked])
    body = migrate(given, to=4, on="big-1")
    # firewall remote: head, llc 1, mem 0: 8.2 (1 - .18 - .02) = 6.56; before min(9, 9.2119) = 9.0
    assert body.changes[0].gain_mpps == pytest.approx(6.56 - 9.0)
    assert body.predictions[0].throughput_mpps == pytest.approx(6.56)


def refusal(body):
    assert body.changes == body.target == body.base == ()
    assert body.evidence.status == "infeasible"
    (rejected,) = body.rejected
    assert rejected.relax
    return rejected.reason


@pytest.mark.parametrize(("fields", "reason"), [
    ({"to": 1}, "web-edge.firewall stands on core 1 already"),
    ({"to": 9}, "edge-1 has no core 9"),
    ({"on": "edge-9"}, "host edge-9 is not in the fleet"),
    ({"nf": "web-edge.ghost"}, "no host runs web-edge.ghost"),
])  # fmt: skip
def test_orders_that_name_something_wrong(fields, reason):
    assert refusal(migrate(fleet(), **fields)) == reason


def test_another_host_is_refused():
    inventory = demo_inventory()
    given = snapshot(
        [host(inventory, [running(WEB, inventory, [(1, 0), (1, 1), (1, 2)])]), host(demo_inventory("edge-2"))], [WEB]
    )
    assert refusal(migrate(given, on="edge-2")) == (
        "web-edge.firewall runs on edge-1; one NF cannot leave its chain's host"
    )


def test_a_host_that_is_not_up_is_refused():
    assert refusal(migrate(fleet(HostStatus.UNREACHABLE))) == "edge-1 is unreachable, so the move cannot be made"


def changed_core(**changes):
    inventory = demo_inventory()
    core = inventory.cores[0].model_copy(update=changes)
    inventory = inventory.model_copy(update={"cores": (core, inventory.cores[1])})
    return snapshot([host(inventory, [running(WEB, inventory, [(1, 0), (1, 1), (1, 2)])])], [WEB])


def test_a_reserved_core_and_one_without_slots_are_refused():
    assert refusal(migrate(changed_core(reserved_for=ReservedFor.RX))) == "core 0 is reserved for rx"
    assert refusal(migrate(changed_core(slots=0))) == "core 0 offers no slot"


def test_a_full_core_is_refused_with_what_is_short():
    inventory, other = demo_inventory(), chain("other", "router", "firewall")
    given = snapshot(
        [
            host(
                inventory,
                [running(WEB, inventory, [(1, 0), (1, 1), (1, 2)]), running(other, inventory, [(0, 0), (0, 1)])],
            )
        ],
        [WEB, other],
    )
    body = migrate(given)
    assert refusal(body) == "core 0 is full: all 2 slots are taken"
    assert (body.rejected[0].short.host, body.rejected[0].short.cores) == ("edge-1", 1)


def test_the_sibling_of_an_occupied_exclusive_core_is_refused():
    inventory = numa_inventory(nodes=1)
    paired = tuple(core.model_copy(update={"siblings": (core.id ^ 1,)}) for core in inventory.cores)
    inventory = inventory.model_copy(update={"cores": paired})
    asked = chain("web-edge", "router", "firewall")
    given = snapshot([host(inventory, [running(asked, inventory, [(0, 0), (2, 0)])])], [asked])
    assert refusal(migrate(given, to=1, on="big-1")) == "core 1 is full: an NF stands on its physical core"
