"""Chains that leave their host: one for the host that is named, or all of a host that is drained."""

import pytest
from engine_fleets import chain, demo_inventory, host, numa_inventory, running, simulated, snapshot
from sextant_domain.base import digest_of
from sextant_domain.hosts.host import HostStatus
from sextant_domain.plans.intents import DrainIntent, RelocateIntent, RestoreIntent
from sextant_domain.plans.plan import ChangeKind
from sextant_domain.plans.snapshot import Former
from sextant_engine.check import check
from sextant_engine.plan import make_plan

WEB = chain("web-edge", rate=3.0, value=2.0)
DNS = chain("dns", "router", "firewall")
PINNED = chain("pinned", "router", ingress={"host": "big-1"})
BIG = numa_inventory("big-1")


def cordoned(one):
    return one.model_copy(update={"cordoned": "new memory"})


def fleet(*, others=1, cores=2, home=BIG, chains=((WEB, (0, 1, 2)), (DNS, (4, 5)))):
    """big-1 (2 nodes of 4 cores) is cordoned and runs web-edge on node 0 and dns on node 1; others (2 nodes of `cores`)
    are empty."""
    copies = [running(spec, home, [(core, 0) for core in seats]) for spec, seats in chains]
    hosts = [cordoned(host(home, copies, generation=4))]
    hosts += [host(numa_inventory(f"big-{number + 2}", cores=cores), generation=1) for number in range(others)]
    return snapshot(hosts, [spec for spec, _ in chains])


def plan(given, intent):
    body = make_plan(given, intent, clock=lambda: 0.0)
    assert all(finding.ok for finding in body.checks), [f for f in body.checks if not f.ok]
    return body


def refused(given, intent):
    body = plan(given, intent)
    assert body.changes == body.target == ()
    return {rejected.chain: (rejected.reason, rejected.relax) for rejected in body.rejected}


def hosts_of(body):
    return {nf.chain: nf.seat.host for nf in body.after}


def test_a_drained_host_is_empty_and_every_chain_runs_elsewhere():
    """5 NFs leave 5 cores for two hosts of 4: each chain goes whole."""
    body = plan(fleet(others=2), DrainIntent(host="big-1"))
    left = next(order for order in body.target if order.content.host_id == "big-1")
    assert (left.generation, left.content.chains, body.rejected) == (5, (), ())
    assert hosts_of(body) == {"web-edge": "big-2", "dns": "big-3"}
    assert {change.kind for change in body.changes} == {ChangeKind.MOVE}
    first = body.changes[0]
    assert (first.nf_id, first.source.host, first.target.host) == ("dns.router", "big-1", "big-3")
    assert first.reason.startswith("big-1 is drained; local to port src0")


def test_the_plan_says_what_each_chain_does_now_and_will_do():
    """All are predicted to carry what they are offered, 3 and 1 Mpps, before and after."""
    found = {one.chain: one for one in plan(fleet(others=2), DrainIntent(host="big-1")).predictions}
    assert {name: (one.before_mpps, one.throughput_mpps) for name, one in found.items()} == {
        "web-edge": (3.0, 3.0),
        "dns": (1.0, 1.0),
    }


def test_a_chain_that_loses_by_the_move_is_named_with_both_figures():
    """At 40 Mpps it carries what its slowest NF can. On big-1 all its NFs are local; on 2 cores a node one is not."""
    fast = chain("web-edge", rate=40.0)
    body = plan(fleet(chains=((fast, (0, 1, 2)),)), DrainIntent(host="big-1"))
    (slower,) = [one for one in body.worse if one.what == "throughput"]
    assert (slower.chain, slower.before_mpps > slower.after_mpps) == ("web-edge", True)


def test_what_fits_nowhere_stays_as_it_was_and_says_what_is_short():
    """4 cores are free, 5 NFs would leave: web-edge is worth more, and dns stays."""
    body = plan(fleet(), DrainIntent(host="big-1"))
    assert hosts_of(body) == {"web-edge": "big-2", "dns": "big-1"}
    (stuck,) = body.rejected
    assert (stuck.chain, stuck.reason) == ("dns", "needs 2 slots on one host: big-2 has 1 of 2 free; it stays on big-1")
    assert "big-1" not in stuck.relax, "not: uncordon the host that is drained"


def test_a_chain_that_names_the_host_of_its_packets_stays():
    given = fleet(chains=((WEB, (0, 1, 2)), (PINNED, (4,))))
    body = plan(given, DrainIntent(host="big-1"))
    (stuck,) = body.rejected
    assert stuck.reason == "its ingress is big-1: its packets arrive or leave there, and no other host is named"
    assert stuck.relax == "lead them to another host, then move the chain there by hand"
    assert hosts_of(body) == {"web-edge": "big-2", "pinned": "big-1"}


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (fleet(others=0, chains=((DNS, (4, 5)),)), "big-1 is the only host of the fleet"),
        (
            snapshot(
                [cordoned(host(BIG, [running(DNS, BIG, [(4, 0), (5, 0)])])), host(simulated(demo_inventory()))], [DNS]
            ),
            "needs 2 slots on one host: edge-1 is simulated, and the chain does not name it; it stays on big-1",
        ),
        (
            snapshot(
                [cordoned(host(BIG, [running(DNS, BIG, [(4, 0), (5, 0)])])), cordoned(host(demo_inventory()))], [DNS]
            ),
            "needs 2 slots on one host: edge-1 is cordoned (new memory); it stays on big-1",
        ),
        (
            snapshot([host(BIG, [running(DNS, BIG, [(4, 0), (5, 0)])], status=HostStatus.STALE)], [DNS]),
            "big-1 is stale: no telemetry for longer than the limit, so its chains cannot be stopped there",
        ),
        (
            snapshot([host(BIG, [running(DNS, BIG, [(4, 0), (5, 0)])]), host(demo_inventory())], []),
            "the chain is being deleted, and big-1 still runs it",
        ),
    ],
)
def test_why_a_chain_does_not_leave(given, reason):
    (found,) = refused(given, DrainIntent(host="big-1")).values()
    assert found[0] == reason
    assert found[1]


def test_an_empty_host_is_drained_by_nothing():
    body = plan(fleet(chains=()), DrainIntent(host="big-1"))
    assert (body.changes, body.rejected, body.warnings) == ((), (), ())


def test_draining_a_host_in_service_warns_that_it_may_fill_again():
    inventory = demo_inventory()
    given = snapshot([host(BIG, [running(DNS, BIG, [(4, 0), (5, 0)])]), host(inventory)], [DNS])
    body = plan(given, DrainIntent(host="big-1"))
    assert "big-1 is not cordoned: plans may put NFs there again; cordon it to keep it empty" in body.warnings
    assert hosts_of(body) == {"dns": "edge-1"}


def test_resources_of_the_old_machine_do_not_go_along_and_the_plan_says_so():
    copy = running(DNS, BIG, [(4, 0), (5, 0)])
    owning = copy.model_copy(update={"nfs": (copy.nfs[0].model_copy(update={"llc_ways": 4}), copy.nfs[1])})
    given = snapshot([cordoned(host(BIG, [owning])), host(numa_inventory("big-2"))], [DNS])
    body = plan(given, DrainIntent(host="big-1"))
    assert "dns.router has LLC ways of its own on big-1, which do not go along" in body.warnings


def test_a_chain_goes_to_the_host_that_is_named_though_another_is_better():
    """big-2 has 2 cores on the node that packets arrive on, big-3 has 4."""
    hosts = (cordoned(host(BIG, [running(WEB, BIG, [(0, 0), (1, 0), (2, 0)])])), host(numa_inventory("big-2", cores=2)))
    given = snapshot([*hosts, host(numa_inventory("big-3"))], [WEB])
    body = plan(given, RelocateIntent(chain="web-edge", host="big-2"))
    assert hosts_of(body) == {"web-edge": "big-2"}
    assert body.changes[0].reason.startswith("ordered to big-2; ")
    assert hosts_of(plan(given, DrainIntent(host="big-1"))) == {"web-edge": "big-3"}


def test_a_chain_that_names_its_host_names_the_new_one_afterwards():
    given = fleet(chains=((PINNED, (4,)),))
    body = plan(given, RelocateIntent(chain="pinned", host="big-2"))
    (copy,) = next(order for order in body.target if order.content.host_id == "big-2").content.chains
    assert (copy.ingress.host, copy.egress.host) == ("big-2", "big-2")


@pytest.mark.parametrize(
    ("intent", "reason", "relax"),
    [
        (RelocateIntent(chain="dns", host="big-1"), "the chain runs on big-1 already", "name another host"),
        (RelocateIntent(chain="dns", host="big-9"), "host big-9 is not in the fleet", "name a host of the fleet"),
        (RelocateIntent(chain="new", host="big-2"), "the chain runs on no host", "place it instead"),
    ],
)
def test_why_a_chain_is_not_moved_by_hand(intent, reason, relax):
    assert refused(fleet(), intent) == {intent.chain: (reason, relax)}


def test_the_host_that_is_named_must_have_room():
    given = fleet(cores=1, chains=((WEB, (0, 1, 2)),))
    found = refused(given, RelocateIntent(chain="web-edge", host="big-2"))["web-edge"]
    assert found == (
        "needs 3 slots on one host: big-2 has 2 of 3 free; it stays on big-1",
        "shorten it to 2 NFs, or add 1 slot on big-2",
    )


# -- the checker, which shares no code with the above


def broken(body, given, target_host, chains):
    """Findings where the order of one host is another, told consistently."""
    orders = tuple(
        order.model_copy(
            update={
                "content": (content := order.content.model_copy(update={"chains": chains})),
                "digest": digest_of(content),
            }
        )
        if order.content.host_id == target_host
        else order
        for order in body.target
    )
    return {f.check: f.detail for f in check(body.model_copy(update={"target": orders}), given) if not f.ok}


def test_a_chain_that_leaves_and_arrives_nowhere_is_caught():
    given = fleet(others=2)
    body = plan(given, DrainIntent(host="big-1"))
    found = broken(body, given, "big-3", ())
    assert "dns is neither placed nor rejected" in found["nf-once"]
    assert "big-1: chain dns does not move as the intent asks" in found["scope"]


def test_a_chain_that_runs_on_both_hosts_is_caught():
    given = fleet(others=2)
    body = plan(given, DrainIntent(host="big-1"))
    found = broken(body, given, "big-1", (running(DNS, BIG, [(4, 0), (5, 0)]),))
    assert "dns is placed on big-1, big-3 at once" in found["nf-once"]
    assert "big-3: chain dns does not move as the intent asks" in found["scope"]


def test_a_chain_that_goes_to_another_host_than_was_named_is_caught():
    given = fleet(others=2)
    body = plan(given, RelocateIntent(chain="dns", host="big-2"))
    lie = body.model_copy(update={"intent": RelocateIntent(chain="dns", host="big-3")})
    assert (
        "big-2: chain dns does not move as the intent asks"
        in {f.check: f.detail for f in check(lie, given) if not f.ok}["scope"]
    )


def test_a_chain_of_another_host_that_moves_along_is_caught():
    """The plan empties big-1, but was to empty big-2."""
    given = fleet(others=2)
    body = plan(given, DrainIntent(host="big-1"))
    lie = body.model_copy(update={"intent": DrainIntent(host="big-2")})
    assert "scope" in {f.check for f in check(lie, given) if not f.ok}


# -- and back


def undone(now, before, specs, cordon=()):
    """The plan back to `before` of an operation that ordered `now`: contents by host."""
    hosts = [host(numa_inventory(name), chains, generation=9) for name, chains in now.items()]
    hosts = [cordoned(one) if one.inventory.host_id in cordon else one for one in hosts]
    former = tuple(
        Former(
            before=host(numa_inventory(name), before[name]).content, after=host(numa_inventory(name), now[name]).content
        )
        for name in now
    )
    return plan(snapshot(hosts, specs).model_copy(update={"former": former}), RestoreIntent(operation_id=4))


def at(name, spec, *cores):
    return running(spec, numa_inventory(name), [(core, 0) for core in cores])


def test_a_drain_is_undone_on_all_its_hosts():
    before = {"big-1": [at("big-1", WEB, 0, 1, 2), at("big-1", DNS, 4, 5)], "big-2": [], "big-3": []}
    now = {"big-1": [], "big-2": [at("big-2", WEB, 0, 1, 2)], "big-3": [at("big-3", DNS, 0, 1)]}
    body = undone(now, before, [WEB, DNS])
    assert hosts_of(body) == {"web-edge": "big-1", "dns": "big-1"}
    assert {change.kind for change in body.changes} == {ChangeKind.MOVE}


def test_where_one_host_cannot_take_its_chains_back_the_others_keep_them():
    """Else web-edge would be dropped on big-2 and run nowhere. other moved inside big-3, which has no part in that."""
    other = chain("other", "router")
    before = {"big-1": [at("big-1", WEB, 0, 1, 2)], "big-2": [], "big-3": [at("big-3", other, 0)]}
    now = {"big-1": [], "big-2": [at("big-2", WEB, 0, 1, 2)], "big-3": [at("big-3", other, 1)]}
    body = undone(now, before, [WEB, other], cordon=["big-1"])
    assert [(change.nf_id, change.target.core) for change in body.changes] == [("other.router", 0)]
    (rejected,) = body.rejected
    assert (rejected.chain, rejected.relax) == ("web-edge", "uncordon big-1 first")


def test_chains_that_came_along_stay_too_and_say_why():
    """big-1 cannot take web-edge back; dns came to big-2 from big-3 by the same operation."""
    before = {"big-1": [at("big-1", WEB, 0, 1, 2)], "big-2": [], "big-3": [at("big-3", DNS, 0, 1)]}
    now = {"big-1": [], "big-2": [at("big-2", WEB, 0, 1, 2), at("big-2", DNS, 4, 5)], "big-3": []}
    body = undone(now, before, [WEB, DNS], cordon=["big-1"])
    assert body.changes == ()
    assert {one.chain: one.reason for one in body.rejected} == {
        "web-edge": "big-1 is cordoned (new memory), so nothing goes back there",
        "dns": "it goes back together with what cannot go back on big-1",
    }
