"""Planning a fleet: many hosts are solved only as far as they matter, and a stopping rule is kept."""

import pytest
from engine_fleets import chain, demo_inventory, host, numa_inventory, running, snapshot
from sextant_domain.hosts.host import HostStatus
from sextant_domain.plans.evidence import Algorithm, Solving
from sextant_domain.plans.intents import PlaceIntent, ReplaceIntent
from sextant_engine.errors import PlanningCancelled
from sextant_engine.plan import make_plan


def empty_hosts(count):
    return [host(numa_inventory(f"h{number:03}")) for number in range(count)]


def test_equal_hosts_are_solved_once():
    """A hundred empty hosts promise and give the same, so they take no more evaluations than one of them."""
    alone, many = (make_plan(snapshot(empty_hosts(count), [chain("c")]), PlaceIntent(chain="c")) for count in (1, 100))
    assert many.evidence.evaluations == alone.evidence.evaluations
    assert many.target[0].content.host_id == "h000"


def test_chains_spread_over_the_fleet():
    """Twenty chains of 9 Mpps on twenty hosts: each slows another down where they meet, so each gets its own host."""
    chains = [chain(f"c{number:02}", rate=9.0) for number in range(20)]
    body = make_plan(snapshot(empty_hosts(20), chains), ReplaceIntent())
    assert len(body.target) == 20
    assert body.rejected == ()


def test_a_plan_that_is_stopped_places_everything_all_the_same():
    chains = [chain(f"c{number}", rate=9.0) for number in range(4)]
    body = make_plan(
        snapshot(empty_hosts(4), chains), ReplaceIntent(), Solving(algorithm=Algorithm.BRUTE, time_limit_s=0)
    )
    assert body.rejected == ()
    assert {change.chain for change in body.changes} == {"c0", "c1", "c2", "c3"}
    assert all(finding.ok for finding in body.checks)


@pytest.mark.parametrize("stage", ["choosing", "explaining", "checking"])
def test_a_plan_that_nobody_wants_any_more_is_made_no_further(stage):
    stages = []

    def watch(progress):
        stages.append(progress.stage)
        return progress.stage == stage

    with pytest.raises(PlanningCancelled, match=stage):
        make_plan(snapshot(empty_hosts(2), [chain("c")]), ReplaceIntent(), watch=watch)
    assert stages.count(stage) == 1
    assert stages[-1] == stage


def test_explaining_reports_host_by_host_how_far_it_is():
    updates = []
    chains = [chain(f"c{number}", rate=9.0) for number in range(3)]
    make_plan(
        snapshot(empty_hosts(3), chains), ReplaceIntent(), watch=lambda progress: updates.append(progress) or False
    )
    counted = {(now.done, now.total): None for now in updates if now.stage == "explaining" and now.total}
    assert list(counted) == [(0, 3), (1, 3), (2, 3), (3, 3)]


def test_hosts_of_every_kind_in_one_fleet():
    """down: its chain stays, with a warning. stuck: core 0 is reserved and core 1 taken, so its chains stay.
    shared: no model, nothing moves. open: takes the chain that waits, where it is predicted.
    """
    stuck = numa_inventory("stuck", nodes=1, cores=2, reserved=[0])
    specs = {name: chain(name, "router") for name in ("of-down", "of-stuck", "of-stuck-2", "of-shared", "waits")}
    fleet = [
        host(
            numa_inventory("down"),
            [running(specs["of-down"], numa_inventory("down"), [(0, 0)])],
            status=HostStatus.UNREACHABLE,
        ),
        host(stuck, [running(specs["of-stuck"], stuck, [(0, 0)]), running(specs["of-stuck-2"], stuck, [(1, 0)])]),
        host(demo_inventory("shared"), [running(specs["of-shared"], demo_inventory("shared"), [(1, 0)])]),
        host(numa_inventory("open")),
    ]
    body = make_plan(snapshot(fleet, specs.values()), ReplaceIntent())
    assert all(finding.ok for finding in body.checks)
    assert {change.chain for change in body.changes} == {"waits"}
    assert [order.content.host_id for order in body.target] == ["open"]
    [rejected] = body.rejected
    assert (rejected.chain, rejected.short.host) == ("of-stuck", "stuck")
    assert any("down is unreachable" in warning for warning in body.warnings)
