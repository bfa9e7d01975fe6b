"""Planning a fleet: many hosts are solved only as far as they matter, and a stopping rule is kept."""

from engine_fleets import chain, host, numa_inventory, snapshot
from sextant_domain.evidence import Algorithm, Solving
from sextant_domain.plan import PlaceIntent, ReplaceIntent
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
