"""What planning reads never changes: figures that were worked out of it stay right, whoever plans with it."""

import pytest
from engine_fleets import chain, host, numa_inventory, running, snapshot
from sextant_domain.plans.evidence import Solving
from sextant_domain.plans.intents import MigrateIntent, PlaceIntent
from sextant_domain.plans.plan import Rejection
from sextant_engine.fleet_view import FleetView
from sextant_engine.plan import get_ready
from sextant_engine.planning.migrate import moved_by
from sextant_engine.planning.ports import load_of
from sextant_engine.planning.progress import Progress
from sextant_engine.planning.propose import propose

INVENTORY = numa_inventory("a")
RUNS, MORE = chain("runs", "firewall"), chain("more", "router")


def fleet() -> FleetView:
    """Two nodes of four cores; one chain of one NF on core 4 runs, one waits."""
    home = host(INVENTORY, [running(RUNS, INVENTORY, [(4, 0)])])
    return FleetView.of(snapshot([home], [RUNS, chain("waits", "router")]))


def test_a_view_is_as_it_was_once_a_plan_was_made_of_it():
    view = fleet()
    before = view.hosts["a"].content(), view.hosts["a"].free
    body = propose(view, PlaceIntent(chain="waits"), Solving(), Progress())
    assert [order.content.host_id for order in body.target] == ["a"]
    assert (view.hosts["a"].content(), view.hosts["a"].free) == before


def test_getting_ready_leaves_no_trace_in_what_is_planned():
    """Even where somebody has the name that the chain of it would have had."""
    home = host(INVENTORY, [running(RUNS, INVENTORY, [(4, 0)])])
    found = snapshot([home], [RUNS, chain("any-0", "router")])
    ready, other = FleetView.of(found), FleetView.of(found)
    get_ready(ready)
    assert ready.specs == other.specs and ready.hosts["a"].content() == other.hosts["a"].content()
    first, second = (
        propose(view, PlaceIntent(chain="any-0"), Solving(), Progress(clock=lambda: 0.0)) for view in (ready, other)
    )
    assert first.model_copy(update={"evidence": second.evidence}) == second


def test_an_empty_fleet_is_ready():
    get_ready(FleetView.of(snapshot([], [])))


def test_two_plans_of_one_view_do_not_meet():
    """Each plan finds the fleet as it stands, so both choose the same seat."""
    view = fleet()
    first, second = (propose(view, PlaceIntent(chain="waits"), Solving(), Progress(clock=lambda: 0.0)) for _ in "12")
    assert first.model_copy(update={"evidence": second.evidence}) == second


def test_free_seats_and_loads_are_those_of_the_chains_of_each_view():
    """1 Mpps of 64 + 24 bytes is 704 Mbit/s of the 10,000 that a port of unknown speed is reckoned with."""
    view = fleet().hosts["a"]
    assert (view.free, load_of(view, "src0")) == (7, pytest.approx(0.0704))
    more = view.with_chain(running(MORE, INVENTORY, [(5, 0)]))
    assert (more.free, load_of(more, "src0")) == (6, pytest.approx(0.1408))
    assert (view.free, load_of(view, "src0")) == (7, pytest.approx(0.0704))
    assert more.changed and not view.changed and not more.without_chain("more").changed


def test_what_is_derived_of_a_view_is_computed_once():
    view, asked = fleet().hosts["a"], []

    def count(one, step):
        asked.append(step)
        return len(one.chains) + step

    assert [view.derive(count, 1), view.derive(count, 1), view.derive(count, 2)] == [2, 2, 3]
    assert asked == [1, 2]
    assert view.with_chain(running(MORE, INVENTORY, [(5, 0)])).derive(count, 1) == 3


def test_a_view_refuses_to_be_changed():
    with pytest.raises(AttributeError):
        fleet().hosts["a"].chains = {}


def test_a_move_is_tried_without_a_draft():
    view = fleet()
    moved = moved_by(view, view.hosts, MigrateIntent(nf_id=RUNS.nf_id(0), host="a", core=5))
    assert not isinstance(moved, Rejection), moved
    assert [nf.core for nf in moved.nfs()] == [5]
    assert [nf.core for nf in view.hosts["a"].nfs()] == [4]
