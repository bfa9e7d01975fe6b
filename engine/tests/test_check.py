"""The independent checker: a good plan passes every rule, and each planted bug is caught by the rule it breaks."""

import ast
from pathlib import Path
from typing import Any

import pytest
from engine_fleets import chain, demo_inventory, host, numa_inventory, running, snapshot
from sextant_domain.hosts.desired import DesiredHostConfig
from sextant_domain.hosts.host import HostStatus, ReservedFor
from sextant_domain.plans.intents import MigrateIntent, PlaceIntent, RemoveIntent
from sextant_domain.plans.plan import Adjustment, PlanBody, Rejection
from sextant_domain.plans.snapshot import FleetSnapshot
from sextant_engine import checks
from sextant_engine.check import RULES, check
from sextant_engine.plan import make_plan

OWN = "sextant_engine.checks"
WEB = chain("web-edge", ingress={"host": "edge-1"})
OLD = chain("old", "router", "firewall")


def fleet(**changes: Any) -> FleetSnapshot:
    """edge-1 (demonstration host) runs `old`; `web-edge` waits; edge-2 is empty."""
    inventory = demo_inventory()
    hosts = [
        host(inventory, [running(OLD, inventory, [(1, 0), (1, 1)])], generation=3),
        host(demo_inventory("edge-2"), generation=1),
    ]
    return snapshot(hosts, [OLD, WEB]).model_copy(update=changes)


def good() -> PlanBody:
    return make_plan(fleet(), PlaceIntent(chain="web-edge"), clock=lambda: 0.0)


def failed(body: PlanBody, given: FleetSnapshot | None = None) -> set[str]:
    return {finding.check for finding in check(body, given or fleet()) if not finding.ok}


def ordered(body: PlanBody, **changes: Any) -> PlanBody:
    """The plan with its only order's content changed, digest right, changes and states as they were."""
    content = body.target[0].content.model_copy(update=changes)
    return body.model_copy(update={"target": (DesiredHostConfig.of(body.target[0].generation, content),)})


def with_chain(body: PlanBody, name: str, **changes: Any) -> PlanBody:
    chains = body.target[0].content.chains
    return ordered(body, chains=tuple(c.model_copy(update=changes) if c.chain == name else c for c in chains))


def with_nf(body: PlanBody, nf_id: str, **changes: Any) -> PlanBody:
    """One NF changed, in the orders, in `after` and in `changes`: a consistent lie."""
    name = nf_id.split(".", maxsplit=1)[0]
    one = next(c for c in body.target[0].content.chains if c.chain == name)
    nfs = tuple(nf.model_copy(update=changes) if nf.nf_id == nf_id else nf for nf in one.nfs)
    seat = {key: value for key, value in changes.items() if key in {"core", "slot"}}
    changed = with_chain(body, name, nfs=nfs)
    return changed.model_copy(
        update={
            "after": tuple(
                nf.model_copy(update={"seat": nf.seat.model_copy(update=seat)}) if nf.nf_id == nf_id else nf
                for nf in body.after
            ),
            "changes": tuple(
                change.model_copy(update={"target": change.target.model_copy(update=seat)})
                if change.nf_id == nf_id and change.target
                else change
                for change in body.changes
            ),
        }
    )


def test_a_good_plan_keeps_every_rule():
    assert failed(good()) == set()
    assert [finding.check for finding in good().checks] == [name for name, _, _ in RULES]


def web(body: PlanBody) -> Any:
    return next(c for c in body.target[0].content.chains if c.chain == "web-edge")


def old(body: PlanBody) -> Any:
    return next(c for c in body.target[0].content.chains if c.chain == "old")


PLANTED = {
    "order skips a generation": (
        "generations",
        lambda b: b.model_copy(update={"target": (DesiredHostConfig.of(9, b.target[0].content),)}),
    ),
    "base is not the present state": (
        "generations",
        lambda b: b.model_copy(update={"base": (b.base[0].model_copy(update={"generation": 2}),)}),
    ),
    "order without a base": ("generations", lambda b: b.model_copy(update={"base": ()})),
    "two orders for one host": ("generations", lambda b: b.model_copy(update={"target": b.target * 2})),
    "wrong digest": (
        "digests",
        lambda b: b.model_copy(update={"target": (b.target[0].model_copy(update={"digest": b.base[0].digest}),)}),
    ),
    "chains not in canonical order": (
        "digests",
        lambda b: ordered(b, chains=tuple(reversed(b.target[0].content.chains))),
    ),
    "another chain's config changes": (
        "scope",
        lambda b: with_nf(b, "old.router", config={"size": 11}),
    ),
    "another chain moves": ("scope", lambda b: with_nf(b, "old.router", core=0)),
    "another chain vanishes": ("nf-once", lambda b: ordered(b, chains=(web(b),))),
    "the new chain vanishes": ("nf-once", lambda b: ordered(b, chains=(old(b),))),
    "an NF twice": (
        "nf-once",
        lambda b: with_chain(b, "web-edge", nfs=(*web(b).nfs, web(b).nfs[0].model_copy(update={"slot": 7}))),
    ),
    "an NF left out": ("order", lambda b: with_chain(b, "web-edge", nfs=web(b).nfs[:2])),
    "NFs swapped": ("order", lambda b: with_chain(b, "web-edge", nfs=tuple(reversed(web(b).nfs)))),
    "NFs of a running chain swapped": ("order", lambda b: with_chain(b, "old", nfs=tuple(reversed(old(b).nfs)))),
    "an NF of another type": ("order", lambda b: with_nf(b, "web-edge.router", nf_type="firewall")),
    "an older version of the type": ("nf-types", lambda b: with_nf(b, "web-edge.router", nf_version=7)),
    "a config against the schema": ("config", lambda b: with_nf(b, "web-edge.router", config={"size": 0})),
    "a default left out": ("config", lambda b: with_nf(b, "web-edge.router", config={})),
    "an override invented": ("config", lambda b: with_nf(b, "web-edge.router", config={"size": 12})),
    "another ingress port": (
        "ingress",
        lambda b: with_chain(b, "web-edge", ingress=web(b).ingress.model_copy(update={"port": "src9"})),
    ),
    "another ingress host": (
        "ingress",
        lambda b: with_chain(b, "web-edge", ingress=web(b).ingress.model_copy(update={"host": "edge-2"})),
    ),
    "other traffic": (
        "settings",
        lambda b: with_chain(b, "web-edge", traffic=web(b).traffic.model_copy(update={"rate_mpps": 2.0})),
    ),
    "paused, which nobody asked for": ("settings", lambda b: with_chain(b, "web-edge", paused=True)),
    "a CPU share that nobody asked for": ("settings", lambda b: with_nf(b, "web-edge.router", cpu_share=7)),
    "a CPU quota taken from another chain": ("scope", lambda b: with_nf(b, "old.router", cpu_quota_percent=1.0)),
    "an adjustment invented": (
        "adjustments",
        lambda b: b.model_copy(
            update={"adjustments": (Adjustment(host="edge-1", chain="old", field="paused", before="1", after="2"),)}
        ),
    ),
    "placed and rejected": (
        "rejections",
        lambda b: b.model_copy(
            update={"rejected": (Rejection(chain="web-edge", reason="no", short=None, relax=None),)}
        ),
    ),
    "a core that is not there": ("cores", lambda b: with_nf(b, "web-edge.router", core=17)),
    "a slot that is taken": ("slots", lambda b: with_nf(b, "web-edge.router", slot=0)),
    "a slot beyond the core's": ("slots", lambda b: with_nf(b, "web-edge.router", slot=8)),
    "a last-choice core first": ("last-choice", lambda b: with_nf(b, "web-edge.router", core=0, slot=0)),
    "a change not listed": ("changes", lambda b: b.model_copy(update={"changes": b.changes[1:]})),
    "a change invented": (
        "changes",
        lambda b: b.model_copy(
            update={"changes": (*b.changes, b.changes[0].model_copy(update={"nf_id": "web-edge.ghost"}))}
        ),
    ),
    "a change without a reason": (
        "changes",
        lambda b: b.model_copy(update={"changes": (b.changes[0].model_copy(update={"reason": ""}), *b.changes[1:])}),
    ),
    "a state not listed": ("states", lambda b: b.model_copy(update={"after": b.after[1:]})),
    "a node that is wrong": (
        "states",
        lambda b: b.model_copy(
            update={
                "after": (
                    b.after[0].model_copy(update={"seat": b.after[0].seat.model_copy(update={"node": 1})}),
                    *b.after[1:],
                )
            }
        ),
    ),
}


@pytest.mark.parametrize("bug", PLANTED)
def test_a_planted_bug_is_caught(bug):
    rule, plant = PLANTED[bug]
    assert rule in failed(plant(good()))


def test_a_reserved_core_is_caught():
    """The plan was made before core 1 became the manager's."""
    body, given = good(), fleet()
    inventory = given.hosts[0].inventory
    cores = (inventory.cores[0], inventory.cores[1].model_copy(update={"reserved_for": ReservedFor.MANAGER}))
    held = given.hosts[0].model_copy(update={"inventory": inventory.model_copy(update={"cores": cores})})
    assert "reserved" in failed(body, given.model_copy(update={"hosts": (held, given.hosts[1])}))


def test_a_core_without_slots_is_caught():
    body, given = good(), fleet()
    inventory = given.hosts[0].inventory
    cores = (inventory.cores[0], inventory.cores[1].model_copy(update={"slots": 0}))
    held = given.hosts[0].model_copy(update={"inventory": inventory.model_copy(update={"cores": cores})})
    assert "cores" in failed(body, given.model_copy(update={"hosts": (held, given.hosts[1])}))


def test_more_nfs_than_slots_are_caught():
    """Core 1 loses all but four of its slots; five NFs would stand there."""
    body, given = good(), fleet()
    inventory = given.hosts[0].inventory
    cores = (inventory.cores[0], inventory.cores[1].model_copy(update={"slots": 4}))
    held = given.hosts[0].model_copy(update={"inventory": inventory.model_copy(update={"cores": cores})})
    assert "slots" in failed(body, given.model_copy(update={"hosts": (held, given.hosts[1])}))


def test_a_host_that_went_down_is_caught():
    body, given = good(), fleet()
    down = given.hosts[0].model_copy(update={"status": HostStatus.UNREACHABLE})
    assert "hosts-up" in failed(body, given.model_copy(update={"hosts": (down, given.hosts[1])}))


def test_an_nf_type_that_left_the_catalogue_is_caught():
    assert "nf-types" in failed(good(), fleet(nf_types=()))


def test_a_chain_on_two_hosts_is_caught():
    body, given = good(), fleet()
    content = given.hosts[1].content.model_copy(update={"chains": (web(body),)})
    twice = body.model_copy(update={"target": (*body.target, DesiredHostConfig.of(2, content))})
    assert "nf-once" in failed(twice, given)


def test_an_order_for_a_host_out_of_the_fleet_is_caught():
    body, given = good(), fleet()
    assert "generations" in failed(body, given.model_copy(update={"hosts": given.hosts[1:]}))


@pytest.mark.parametrize(("listed", "rule"), [((1,), "siblings"), ((), None)])
def test_a_sibling_in_use_is_caught(listed, rule):
    """Cores 0 and 1 of an exclusive host as siblings, two NFs on them."""
    inventory = numa_inventory("edge-1", nodes=1, cores=2)
    given = snapshot([host(inventory)], [chain("web-edge", "router", "firewall")])
    body = make_plan(given, PlaceIntent(chain="web-edge"), clock=lambda: 0.0)
    cores = (inventory.cores[0].model_copy(update={"siblings": listed}), inventory.cores[1])
    later = given.hosts[0].model_copy(update={"inventory": inventory.model_copy(update={"cores": cores})})
    assert failed(body, given.model_copy(update={"hosts": (later,)})) == ({rule} if rule else set())


def test_a_removed_chain_that_stays_is_caught():
    given = fleet(chains=())
    body = make_plan(given, RemoveIntent(chain="old"), clock=lambda: 0.0)
    assert failed(body, given) == set()
    kept = body.model_copy(update={"target": (DesiredHostConfig.of(4, given.hosts[0].content),)})
    assert "removed-gone" in failed(kept, given)


def test_a_migration_to_another_core_or_of_another_nf_is_caught():
    given = fleet()
    body = make_plan(given, MigrateIntent(nf_id="old.router", host="edge-1", core=0), clock=lambda: 0.0)
    assert failed(body, given) == set()
    assert "scope" in failed(with_nf(body, "old.router", core=1, slot=7), given)
    assert "scope" in failed(with_nf(body, "old.firewall", slot=7), given)


def test_every_rule_has_a_planted_bug():
    """A rule that nothing can break checks nothing. Elsewhere: test_resources.py has five, test_bounds.py
    four, test_moves.py and test_adjust.py two, test_cordon.py, test_anti_affinity.py, test_compact.py,
    test_handover.py, test_lane_plans.py, test_part_plans.py, test_ties.py, test_assigned.py and test_cpu_budget.py one
    each."""
    elsewhere = {"reserved", "hosts-up", "hosts-able", "siblings", "removed-gone", "other-work"}
    elsewhere |= {
        "assigned",
        "resources",
        "cache",
        "bandwidth",
        "processes",
        "groups",
        "cordoned",
        "anti-affinity",
        "shared-cores",
    }
    elsewhere |= {
        "seats",
        "loss",
        "bounds",
        "within-bounds",
        "tables",
        "share-lines",
        "share-laws",
        "bounds-shown",
        "handover",
        "lanes",
        "parts",
        "ties",
        "cpu-budget",
    }
    assert {rule for rule, _ in PLANTED.values()} | elsewhere == {name for name, _, _ in RULES}


def test_a_plan_that_the_checker_refuses_comes_back_with_nothing_to_apply(monkeypatch):
    """A defect in the seat assignment (here: everything on core 0) is stopped before anybody can apply it."""
    from sextant_engine import assign_cores as module
    from sextant_engine.planning import seating

    def wrong(_seats: Any, problem: Any, _assigner: Any) -> Any:
        return {nf_id: module.Assigned(core=0, slot=0, node=node, why="a bug") for nf_id, node in problem.wanted}

    monkeypatch.setattr(seating, "take_seats", wrong)
    body = good()
    assert body.target == body.changes == body.base == ()
    assert "slots" in {finding.check for finding in body.checks if not finding.ok}
    assert "the checker refused the plan" in body.rejected[0].reason


def test_the_checker_imports_the_domain_and_nothing_of_the_engine_but_itself():
    root = Path(checks.__file__).parent
    for path in [*root.glob("*.py"), root.parent / "check.py"]:
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            strangers = [n for n in names if n.startswith("sextant_") and not n.startswith(("sextant_domain", OWN))]
            assert strangers == [], path
