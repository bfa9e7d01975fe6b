"""Chains of one anti-affinity group stand apart, by host or by NUMA node, whatever moves them."""

import pytest
from engine_fleets import chain, host, numa_inventory, running, snapshot
from pydantic import ValidationError
from sextant_domain.base import digest_of
from sextant_domain.chains.anti_affinity import AntiAffinity
from sextant_domain.hosts.host import HostStatus
from sextant_domain.plans.intents import (
    AdjustIntent,
    DrainIntent,
    MigrateIntent,
    PlaceIntent,
    RelocateIntent,
    ReplaceIntent,
    RestoreIntent,
)
from sextant_domain.plans.plan import PlanBody
from sextant_domain.plans.snapshot import Former
from sextant_engine.check import check
from sextant_engine.plan import make_plan
from sextant_engine.targets import targets_of

BIG_1, BIG_2 = numa_inventory("big-1"), numa_inventory("big-2")  # two nodes of four cores each


def of(name, *nfs, group="web", scope="host", **fields):
    return chain(name, *nfs or ("router", "firewall"), anti_affinity={"group": group, "scope": scope}, **fields)


A, B, C = of("a"), of("b"), of("c")
NODE_A, NODE_B = of("a", scope="node"), of("b", scope="node")


def plan(fleet, intent):
    body = make_plan(fleet, intent, clock=lambda: 0.0)
    assert all(finding.ok for finding in body.checks), [f for f in body.checks if not f.ok]
    return body


def hosts_of(body):
    return {nf.chain: nf.seat.host for nf in body.after}


def nodes_of(body):
    found = {}
    for nf in body.after:
        found.setdefault(nf.chain, set()).add(nf.seat.node)
    return found


def refusal(body):
    assert body.changes == body.target == ()
    (rejected,) = body.rejected
    return rejected


def on(inventory, *placed, **more):
    """A host that runs (chain, first core) on as many cores from there on as the chain has NFs."""
    copies = [running(spec, inventory, [(core + at, 0) for at in range(len(spec.nfs))]) for spec, core in placed]
    return host(inventory, copies, **more)


def test_a_chain_goes_to_a_host_without_one_of_its_group():
    """big-1 has more free cores, and would get b if b had no group."""
    small = numa_inventory("big-2", cores=1)
    given = [on(BIG_1, (A, 0)), host(small)]
    assert hosts_of(plan(snapshot(given, [A, B]), PlaceIntent(chain="b"))) == {"b": "big-2"}
    free = chain("b", "router", "firewall")
    assert hosts_of(plan(snapshot(given, [A, free]), PlaceIntent(chain="b")))["b"] == "big-1"


def test_a_batch_places_each_replica_on_a_host_of_its_own_and_says_who_holds_them():
    """Three replicas, two hosts: the third is told who holds these, and what would place it."""
    body = plan(snapshot([host(BIG_1), host(BIG_2)], [A, B, C]), PlaceIntent(chain="a", more=("b", "c")))
    placed = hosts_of(body)
    assert (len(placed), set(placed.values())) == (2, {"big-1", "big-2"})
    (rejected,) = body.rejected
    by_host = {home: name for name, home in placed.items()}
    assert rejected.reason == (
        f"needs 2 slots on one host: big-1 holds {by_host['big-1']} of anti-affinity group web; "
        f"big-2 holds {by_host['big-2']} of anti-affinity group web"
    )
    assert rejected.relax == "place it without anti-affinity group web: then big-1 has 6 slots free"


def test_chains_of_another_group_or_none_do_not_bar():
    other, none = of("b", group="db"), chain("c", "router")
    body = plan(snapshot([on(BIG_1, (A, 0))], [A, other, none]), PlaceIntent(chain="b", more=("c",)))
    assert hosts_of(body) == {"a": "big-1", "b": "big-1", "c": "big-1"}


def test_by_node_two_replicas_share_a_host_and_no_node():
    body = plan(snapshot([host(BIG_1)], [NODE_A, NODE_B]), PlaceIntent(chain="a", more=("b",)))
    nodes = nodes_of(body)
    assert hosts_of(body) == {"a": "big-1", "b": "big-1"}
    assert len(nodes["a"]) == len(nodes["b"]) == 1
    assert nodes["a"].isdisjoint(nodes["b"])
    assert "kept apart by node" in body.evidence.hosts[0].unproven
    assert body.evidence.bound >= body.evidence.score


def test_by_node_what_is_short_is_said_by_node():
    """a holds node 0, something else three of the four cores of node 1: one core is left for two NFs."""
    ballast = chain("ballast", "router", "router", "router")
    given = snapshot([on(BIG_1, (NODE_A, 0), (ballast, 4))], [NODE_A, NODE_B, ballast])
    rejected = refusal(plan(given, PlaceIntent(chain="b")))
    assert rejected.reason == (
        "needs 2 slots on one host: big-1 has 1 of 2 free on nodes without chains of anti-affinity group web "
        "(node 0 holds a)"
    )
    assert rejected.relax == "place it without anti-affinity group web: then big-1 has 3 slots free"


def test_of_two_scopes_the_stricter_holds():
    rejected = refusal(plan(snapshot([on(BIG_1, (NODE_A, 0))], [NODE_A, B]), PlaceIntent(chain="b")))
    assert "big-1 holds a of anti-affinity group web" in rejected.reason


def test_a_chain_is_not_moved_to_the_host_of_its_replica():
    given = snapshot([on(BIG_1, (A, 0)), on(BIG_2, (B, 0))], [A, B])
    rejected = refusal(plan(given, RelocateIntent(chain="a", host="big-2")))
    assert "big-2 holds b of anti-affinity group web; it stays on big-1" in rejected.reason


def test_a_drained_host_sends_its_chains_apart():
    """big-1 runs a, big-2 runs b: a goes to big-3 although big-2 has as much room; where there is no big-3 it stays."""
    given = [on(BIG_1, (A, 0)), on(BIG_2, (B, 0)), host(numa_inventory("big-3", cores=1))]
    assert hosts_of(plan(snapshot(given, [A, B]), DrainIntent(host="big-1"))) == {"a": "big-3"}
    rejected = refusal(plan(snapshot(given[:2], [A, B]), DrainIntent(host="big-1")))
    assert "big-2 holds b of anti-affinity group web" in rejected.reason


def test_an_nf_is_not_moved_by_hand_to_a_node_of_its_replica():
    """a stands on cores 0 and 1 of node 0, b on 4 and 5 of node 1: core 6 is b's node, core 2 its own."""
    given = snapshot([on(BIG_1, (NODE_A, 0), (NODE_B, 4))], [NODE_A, NODE_B])
    rejected = refusal(plan(given, MigrateIntent(nf_id="a.router", host="big-1", core=6)))
    assert rejected.reason == "node 1 of big-1 holds b of anti-affinity group web"
    assert len(plan(given, MigrateIntent(nf_id="a.router", host="big-1", core=2)).changes) == 1
    why = {core.core: core.why_not for core in targets_of(given, "a.router", "big-1").cores}
    assert (why[2], why[6]) == (None, "node 1 of big-1 holds b of anti-affinity group web")


def test_replacing_the_fleet_keeps_replicas_apart_and_places_what_waits():
    """a (by node) holds node 0 of big-1, and d (by host) big-2: node 1 of big-1 is left for b."""
    d = of("d")
    body = plan(snapshot([on(BIG_1, (NODE_A, 0)), on(BIG_2, (d, 0))], [NODE_A, NODE_B, d]), ReplaceIntent())
    assert (hosts_of(body)["b"], nodes_of(body)["b"], nodes_of(body)["a"]) == ("big-1", {1}, {0})


@pytest.mark.parametrize("other", ["0", "b"])
def test_an_undo_that_would_put_replicas_together_is_refused(other):
    """Operation 4 moved a from big-1 to big-2; since then another of its group was placed on big-1."""
    formers = (
        Former(before=on(BIG_1, (A, 0)).content, after=host(BIG_1).content),
        Former(before=host(BIG_2).content, after=on(BIG_2, (A, 0)).content),
    )
    given = snapshot([on(BIG_1, (of(other), 4)), on(BIG_2, (A, 0))], [A, of(other)])
    body = plan(given.model_copy(update={"former": formers}), RestoreIntent(operation_id=4))
    assert body.changes == ()
    reasons = {one.chain: one.reason for one in body.rejected}
    assert reasons == {"a": f"it would stand with {other} of anti-affinity group web on big-1 again"}


def test_what_stands_together_already_may_be_adjusted_and_moved_away():
    """a and b share big-1: settings still change, b can be moved away, and a third chain may come."""
    given = snapshot([on(BIG_1, (A, 0), (B, 4)), host(BIG_2)], [A, B, chain("dns", "router")])
    paused = A.settings.model_copy(update={"paused": True})
    assert len(plan(given, AdjustIntent(chain="a", settings=paused)).target) == 1
    assert hosts_of(plan(given, RelocateIntent(chain="b", host="big-2"))) == {"a": "big-1", "b": "big-2"}
    assert "dns" in hosts_of(plan(given, PlaceIntent(chain="dns")))


def test_a_host_without_the_group_that_is_down_is_what_helps():
    """Not the group is given up: big-2 would take b as soon as it is back."""
    down = host(BIG_2, status=HostStatus.STALE)
    rejected = refusal(plan(snapshot([on(BIG_1, (A, 0)), down], [A, B]), PlaceIntent(chain="b")))
    assert rejected.relax == "bring big-2 back: it has 8 slots free"


def broken_by(body: PlanBody, given):
    return next(finding for finding in check(body, given) if finding.check == "anti-affinity")


def test_the_checker_finds_what_a_plan_puts_together():
    """Plans made for chains without groups, examined against a fleet in which they have some."""
    free = [chain(name, "router", "firewall") for name in "ab"]
    hosts = [host(BIG_1)]
    body = plan(snapshot(hosts, free), PlaceIntent(chain="a", more=("b",)))
    found = broken_by(body, snapshot(hosts, [A, B]))
    assert (found.ok, found.detail) == (False, "a and b of anti-affinity group web both stand on big-1")
    nodes = nodes_of(body)
    shared = nodes["a"] & nodes["b"]
    assert broken_by(body, snapshot(hosts, [NODE_A, NODE_B])).ok is not bool(shared)
    assert broken_by(body, snapshot(hosts, [A, of("b", group="db")])).ok
    moved = plan(
        snapshot([on(BIG_1, (free[0], 0), (free[1], 4))], free), MigrateIntent(nf_id="a.router", host="big-1", core=6)
    )
    given = snapshot([on(BIG_1, (NODE_A, 0), (NODE_B, 4))], [NODE_A, NODE_B])
    assert broken_by(moved, given).detail == "a and b of anti-affinity group web both stand on node 1 of big-1"


def test_a_chain_without_a_group_keeps_its_digest():
    plain = chain("a", "router")
    assert "anti_affinity" not in plain.model_dump(mode="json")
    assert digest_of(plain) != digest_of(of("a", "router"))


@pytest.mark.parametrize(
    "wrong", [{"scope": "host"}, {"group": "web", "scope": "rack"}, {"group": ""}, {"group": "w" * 200}]
)
def test_a_group_that_is_none_is_refused(wrong):
    with pytest.raises(ValidationError, match="AntiAffinity"):
        AntiAffinity.model_validate(wrong)
