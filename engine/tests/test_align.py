"""Ending drift: the last order once more under a new number, or what runs as the order; and nothing else."""

import pytest
from engine_fleets import chain, demo_inventory, host, running, snapshot
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from sextant_domain.hosts.desired import HostContent
from sextant_domain.hosts.drift import DriftAction
from sextant_domain.hosts.host import HostStatus
from sextant_domain.plans.intents import AlignIntent
from sextant_engine.check import check
from sextant_engine.plan import make_plan
from test_properties import fleets

OLD = chain("old", "router", "firewall")
WEB = chain("web", "router")
REPAIR = AlignIntent(host="edge-1", action=DriftAction.REPAIR)
INVENTORY = demo_inventory()
AS_ORDERED = running(OLD, INVENTORY, [(1, 0), (1, 1)])
ON_CORE_0 = running(OLD, INVENTORY, [(0, 0), (1, 1)])


def accept(*chains):
    content = HostContent(host_id="edge-1", chains=chains)
    return AlignIntent(host="edge-1", action=DriftAction.ACCEPT, accepted=content)


def fleet(*chains, status=HostStatus.UP, specs=(OLD, WEB), inventory=INVENTORY):
    return snapshot([host(inventory, chains, generation=7, status=status), host(demo_inventory("edge-2"))], specs)


def plan(given, intent):
    return make_plan(given, intent, clock=lambda: 0.0)


def broken(body, given):
    return {finding.check for finding in check(body, given) if not finding.ok}


def test_a_repair_orders_the_same_content_under_the_next_number():
    given = fleet(AS_ORDERED)
    body = plan(given, REPAIR)
    (base,), (target,) = body.base, body.target
    assert (base.host, base.generation, target.generation) == ("edge-1", 7, 8)
    assert target.digest == base.digest, "nothing is changed that runs as ordered"
    assert (body.changes, body.adjustments, body.rejected, body.does_something) == ((), (), (), True)
    assert broken(body, given) == set()


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(fleets(), st.data())
def test_a_repair_of_any_host_changes_nothing_and_keeps_every_rule(fleet, data):
    """Also where NFs stand on cores that they could not be put on today."""
    up = [one for one in fleet.hosts if one.status is HostStatus.UP]
    assume(up)
    one = data.draw(st.sampled_from(up))
    body = plan(fleet, AlignIntent(host=one.inventory.host_id, action=DriftAction.REPAIR))
    assert [(target.generation, target.digest) for target in body.target] == [(one.generation + 1, one.digest)]
    assert (body.changes, broken(body, fleet)) == ((), set())


def test_an_empty_host_is_repaired_too():
    """Its ledger was lost: chains that it was never ordered may run there."""
    body = plan(fleet(), REPAIR)
    assert ([target.generation for target in body.target], body.does_something) == ([8], True)


def test_an_nf_is_accepted_where_it_runs():
    given = fleet(AS_ORDERED)
    body = plan(given, accept(ON_CORE_0))
    (change,) = body.changes
    assert (change.nf_id, change.source.core, change.target.core) == ("old.router", 1, 0)
    assert change.reason == "as edge-1 runs it"
    assert broken(body, given) == set()


def test_a_chain_that_does_not_run_is_dropped_and_waits_again():
    given = fleet(AS_ORDERED)
    body = plan(given, accept())
    assert {change.kind.value for change in body.changes} == {"stop"}
    assert [target.content.chains for target in body.target] == [()]
    assert broken(body, given) == set()


def test_a_chain_of_the_fleet_that_was_never_ordered_there_is_taken_on():
    given = fleet(AS_ORDERED)
    body = plan(given, accept(AS_ORDERED, running(WEB, INVENTORY, [(0, 0)])))
    assert [(change.kind.value, change.nf_id) for change in body.changes] == [("start", "web.router")]
    assert broken(body, given) == set()


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        (fleet(AS_ORDERED, inventory=INVENTORY.reserving([0])), "reserved by an operator"),
        (fleet(AS_ORDERED).model_copy(update={"chains": (WEB,)}), None),
    ],
)
def test_what_breaks_a_rule_is_refused_with_the_rule(given, rule):
    body = plan(given, accept(ON_CORE_0))
    if rule is None:
        assert broken(body, given) == set(), "a chain whose specification is gone stays as it runs"
        return
    assert body.changes == () and not body.does_something
    assert rule in body.rejected[0].reason


def test_a_host_that_is_away_is_not_ordered():
    body = plan(fleet(AS_ORDERED, status=HostStatus.UNREACHABLE), REPAIR)
    assert (body.target, body.does_something) == ((), False)
    assert body.rejected[0].reason == "edge-1 is unreachable, so no order reaches it"


def test_the_checker_catches_an_order_that_is_not_the_accepted_one():
    given = fleet(AS_ORDERED)
    body = plan(given, accept(ON_CORE_0))
    for other in (REPAIR, accept(AS_ORDERED), accept(ON_CORE_0).model_copy(update={"host": "edge-2"})):
        assert "scope" in broken(body.model_copy(update={"intent": other}), given)


def test_an_intent_names_what_it_accepts_and_only_then():
    content = HostContent(host_id="edge-2")
    for wrong in (
        {"action": "accept"},
        {"action": "repair", "accepted": HostContent(host_id="edge-1")},
        {"action": "accept", "accepted": content},
    ):
        with pytest.raises(ValidationError, match="accepted"):
            AlignIntent(host="edge-1", **wrong)
