"""What would help a chain that does not fit, what that would bring, and the smallest set of reasons why it does not."""

import pytest
from engine_fleets import chain, host, numa_inventory, running, snapshot
from sextant_domain.hosts.host import HostStatus
from sextant_domain.plans.assumptions import Assumption, AssumptionKind
from sextant_domain.plans.intents import PlaceIntent
from sextant_engine.check import check
from sextant_engine.plan import make_plan

WEB = chain("web", "router", "firewall", "basic-monitor")
OLD = chain("old", *["router"] * 7)
"""Of the eight cores of big-1 it takes seven."""


def full(name="big-1"):
    inventory = numa_inventory(name)
    return host(inventory, [running(OLD, inventory, [(core, 0) for core in range(7)])])


def plan(fleet, *assume):
    return make_plan(fleet, PlaceIntent(chain="web", assume=assume), clock=lambda: 0.0)


def assumed(kind, name):
    return Assumption(kind=AssumptionKind(kind), name=name)


def seated(body):
    return {nf.seat.host for nf in body.after if nf.nf_id.startswith("web.")}


def cordoned(one):
    return one.model_copy(update={"cordoned": "new memory"})


def down(one):
    return one.model_copy(update={"status": HostStatus.UNREACHABLE})


@pytest.mark.parametrize(
    ("fleet", "spec", "assume", "goes_to"),
    [
        ([cordoned(host(numa_inventory()))], WEB, ("uncordoned", "big-1"), "big-1"),
        ([down(host(numa_inventory()))], WEB, ("up", "big-1"), "big-1"),
        ([full()], WEB, ("removed", "old"), "big-1"),
        (
            [full(), host(numa_inventory("big-2"))],
            chain("web", "router", "firewall", "basic-monitor", ingress={"host": "big-1"}),
            ("entry", "big-2"),
            "big-2",
        ),
    ],
)
def test_a_chain_that_does_not_fit_fits_under_a_relaxation_that_is_named(fleet, spec, assume, goes_to):
    given = snapshot(fleet, [spec, OLD])
    (rejected,) = plan(given).rejected
    way = next(one for one in rejected.relaxations if one.assume)
    assert way.assume == (assumed(*assume),)
    preview = plan(given, *way.assume)
    assert (preview.rejected, seated(preview)) == ((), {goes_to})
    assert all(finding.ok for finding in preview.checks)
    # The fleet itself is as it was: the checker finds the preview wrong on it, or another chain there.
    assert plan(given).rejected == (rejected,)
    changed = [finding for finding in check(preview, given) if not finding.ok]
    assert changed, "a preview is no plan for the fleet as it is"


def test_what_is_assumed_of_something_else_changes_nothing():
    given = snapshot([full()], [WEB, OLD])
    assert plan(given, assumed("up", "big-9"), assumed("removed", "none")).rejected == plan(given).rejected


def test_a_chain_that_can_move_is_named_with_its_host():
    """big-1 has 1 of 8 free and big-2 all: without the entry at big-1 web would fit on big-2."""
    given = snapshot(
        [full(), host(numa_inventory("big-2"))],
        [chain("web", "router", "firewall", "basic-monitor", ingress={"host": "big-1"}), OLD],
    )
    (rejected,) = plan(given).rejected
    assert [(one.move.chain, one.move.host) for one in rejected.relaxations if one.move] == [("old", "big-2")]


def test_the_smallest_conflict_takes_one_reason_for_many_hosts():
    """Of ten hosts nine are excluded by the entry alone, whatever else they lack; big-1 is full: two reasons."""
    others = [cordoned(host(numa_inventory(f"other-{number}"))) for number in range(9)]
    entry = chain("web", "router", "firewall", "basic-monitor", ingress={"host": "big-1"})
    (rejected,) = plan(snapshot([full(), *others], [entry, OLD])).rejected
    assert rejected.conflict == ("web's ingress is big-1", "big-1 has 1 of 3 free beside old")


def test_without_a_common_reason_each_host_has_its_own():
    (rejected,) = plan(snapshot([full(), cordoned(host(numa_inventory("big-2")))], [WEB, OLD])).rejected
    assert rejected.conflict == (
        "big-1 has 1 of 3 free beside old",
        "big-2 is cordoned (new memory)",
    )
    both = cordoned(full("big-3"))
    (rejected,) = plan(snapshot([both], [WEB, OLD])).rejected
    assert rejected.conflict == ("big-3 is cordoned (new memory), and big-3 has 1 of 3 free beside old",)
    many = [down(host(numa_inventory(f"h{number}"))) for number in range(8)]
    (rejected,) = plan(snapshot(many, [WEB])).rejected
    assert len(rejected.conflict) == 7
    assert rejected.conflict[-1] == "2 more hosts, each for a reason of its own"
