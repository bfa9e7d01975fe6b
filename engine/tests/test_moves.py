"""NFs of several chains to named cores of their host at once: the plan, exchanges, and every reason not to."""

import pytest
from engine_fleets import able, chain, demo_inventory, host, numa_inventory, running, simulated, snapshot
from hypothesis import given as examples
from hypothesis import settings as bounds
from hypothesis import strategies as st
from sextant_domain.base import digest_of
from sextant_domain.hosts.desired import ChainResources
from sextant_domain.hosts.host import Core, HostStatus, ReservedFor
from sextant_domain.plans.intents import ResourceIntent, RestoreIntent
from sextant_domain.plans.plan import ChangeKind
from sextant_domain.plans.snapshot import Former
from sextant_engine.check import check
from sextant_engine.plan import make_plan

WEB, NAT = chain("web", "router", "firewall"), chain("nat", "router", "firewall")
SWAP = {"web.router": 4, "web.firewall": 5, "nat.router": 0, "nat.firewall": 1}


def fleet(inventory=None, status=HostStatus.UP, cordoned=None, web=None, nat=None, specs=(WEB, NAT)):
    """Cores 0 to 3 are of node 0, 4 to 7 of node 1; web stands on 0 and 1, nat on 4 and 5."""
    inventory = inventory or able(numa_inventory())
    chains = [
        running(specs[0], inventory, [(0, 0), (1, 0)]).model_copy(update={"resources": web}),
        running(specs[1], inventory, [(4, 0), (5, 0)]).model_copy(update={"resources": nat}),
    ]
    on = host(inventory, chains, generation=3, status=status).model_copy(update={"cordoned": cordoned})
    return snapshot([on], specs)


def move(given, seats, **more):
    body = make_plan(given, ResourceIntent.model_validate({"seats": seats, **more}), clock=lambda: 0.0)
    assert all(finding.ok for finding in body.checks), [f for f in body.checks if not f.ok]
    return body


def seats_of(body):
    return {nf.nf_id: nf.core for one in body.target[0].content.chains for nf in one.nfs}


def test_two_chains_exchange_their_cores():
    """No core of a third is needed: all who move leave first."""
    body = move(fleet(), SWAP, law="numasfp")
    assert seats_of(body) == SWAP
    assert [(one.kind, one.nf_id, one.source.node, one.target.node) for one in body.changes] == [
        (ChangeKind.MOVE, "nat.router", 1, 0),
        (ChangeKind.MOVE, "nat.firewall", 1, 0),
        (ChangeKind.MOVE, "web.router", 0, 1),
        (ChangeKind.MOVE, "web.firewall", 0, 1),
    ]
    assert body.changes[0].reason == "ordered to core 0 by numasfp"
    assert (body.evidence.status, body.target[0].generation, body.rejected) == ("as_ordered", 4, ())


def test_moves_and_resources_of_the_same_plan_are_one_change_each():
    body = move(fleet(), SWAP, chains={"web": {"llc_ways": 6}})
    web = next(one for one in body.changes if one.nf_id == "web.router")
    assert (web.kind, web.target.core, web.target.chain_llc_ways) == (ChangeKind.MOVE, 4, 6)
    assert web.reason == "ordered to core 4; as ordered: LLC ways 6 for all NFs of web together"


def test_nfs_of_one_chain_exchange_their_cores():
    assert seats_of(move(fleet(), {"web.router": 1, "web.firewall": 0})) == {
        "web.router": 1, "web.firewall": 0, "nat.router": 4, "nat.firewall": 5,
    }  # fmt: skip


def test_slots_of_a_shared_core_are_given_from_the_lowest():
    """Core 0 has 2 slots and takes two of three NFs of core 1; a third is one too many."""
    spec, inventory = chain("web"), demo_inventory()
    given = snapshot([host(inventory, [running(spec, inventory, [(1, 0), (1, 1), (1, 2)])])], [spec])
    (web,) = move(given, {"web.router": 0, "web.firewall": 0}).target[0].content.chains
    assert [(nf.core, nf.slot) for nf in web.nfs] == [(0, 1), (0, 0), (1, 2)]
    full = move(given, {"web.router": 0, "web.firewall": 0, "web.basic-monitor": 0})
    assert (full.target, [one.reason for one in full.rejected]) == ((), ["core 0 is full: all 2 slots are taken"])


@pytest.mark.parametrize(
    ("seats", "reason"),
    [
        ({"web.router": 4}, "core 4 is full: an NF stands on its physical core"),
        ({"web.router": 2, "nat.router": 2}, "core 2 is full: an NF stands on its physical core"),
        ({"web.router": 3}, "core 3 is reserved for system"),
        ({"web.router": 9}, "big-1 has no core 9"),
        ({"web.router": 0, "web.firewall": 2}, "web.router stands on core 0 already"),
        ({"web.ghost": 2}, "no host runs web.ghost"),
    ],
)
def test_one_core_that_cannot_be_had_leaves_all_where_they_are(seats, reason):
    body = move(fleet(able(numa_inventory(reserved=[3]))), seats | {"nat.firewall": 6})
    assert (body.target, body.changes, body.evidence.status) == ((), (), "infeasible")
    assert [one.reason for one in body.rejected] == [reason]
    assert body.rejected[0].relax


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"status": HostStatus.UNREACHABLE}, "big-1 is unreachable, so the move cannot be made"),
        ({"cordoned": "new memory"}, "big-1 is cordoned (new memory), so no NF may move there"),
    ],
)
def test_nothing_moves_on_a_host_out_of_service(fields, reason):
    body = move(fleet(**fields), {"web.router": 2})
    assert (body.target, [one.reason for one in body.rejected]) == ((), [reason])


def test_a_sibling_stays_empty():
    """Cores 2 and 6 share a physical core here, and 6 is reserved."""
    inventory = numa_inventory()
    cores = [core.model_copy(update={"siblings": {2: (6,), 6: (2,)}.get(core.id, ())}) for core in inventory.cores]
    cores[6] = Core.model_validate({**cores[6].model_dump(), "reserved_for": ReservedFor.SYSTEM})
    body = move(fleet(inventory.model_copy(update={"cores": tuple(cores)})), {"web.router": 2})
    assert body.rejected[0].reason == "core 2 must stay empty: its sibling, core 6, is reserved for system"


def test_chains_of_a_group_exchange_nodes_and_come_to_share_none():
    apart = {"anti_affinity": {"group": "edge", "scope": "node"}}
    specs = tuple(one.model_validate({**one.model_dump(), **apart}) for one in (WEB, NAT))
    assert seats_of(move(fleet(specs=specs), SWAP)) == SWAP
    body = move(fleet(specs=specs), {"web.router": 6})
    assert body.target == ()
    assert body.rejected[0].reason == "node 1 of big-1 holds nat of anti-affinity group edge"


def test_ways_go_along_where_they_fit():
    """web has 8 ways of node 0, nat 8 of node 1: exchanged each cache gives 8 again. Alone web would need 16 of 10."""
    own = {"web": ChainResources(llc_ways=8), "nat": ChainResources(llc_ways=8)}
    assert seats_of(move(fleet(**own), SWAP)) == SWAP
    alone = move(fleet(**own), {"web.router": 6, "web.firewall": 7})
    assert alone.target == ()
    assert alone.rejected[0].reason.startswith("its 8 LLC ways do not fit into the cache of node 1")
    given_back = move(fleet(**own), {"web.router": 6, "web.firewall": 7}, chains={"nat": {"llc_ways": 2}})
    assert seats_of(given_back)["web.router"] == 6, "what nat gives back makes room: 8 + 2 of 10"
    half = move(fleet(**own), {"web.router": 6})
    assert half.rejected[0].reason.startswith("web has LLC ways or memory bandwidth of its own, which are of one node")


@bounds(deadline=None, max_examples=60)
@examples(
    seats=st.dictionaries(st.sampled_from(sorted(SWAP)), st.integers(0, 8), min_size=1),
    tampered=st.tuples(st.sampled_from(sorted(SWAP)), st.integers(0, 7)),
)
def test_any_moves_keep_every_rule_and_a_tampered_seat_is_seen(seats, tampered):
    given = fleet()
    body = move(given, seats)
    if not body.target:
        assert body.rejected
        return
    assert seats_of(body) == {"web.router": 0, "web.firewall": 1, "nat.router": 4, "nat.firewall": 5} | seats
    nf_id, core = tampered
    if seats_of(body)[nf_id] == core:
        return
    wrong = {f.check for f in check(with_seat(body, nf_id, core), given) if not f.ok}
    assert wrong & {"seats", "scope"}, "neither another core than was asked for, nor a move that was not asked for"


def with_seat(body, nf_id, core):
    content = body.target[0].content
    chains = tuple(
        one.model_copy(
            update={"nfs": tuple(nf.model_copy(update={"core": core}) if nf.nf_id == nf_id else nf for nf in one.nfs)}
        )
        for one in content.chains
    )
    content = content.model_copy(update={"chains": chains})
    target = body.target[0].model_copy(update={"content": content, "digest": digest_of(content)})
    return body.model_copy(update={"target": (target,)})


def test_an_exchange_is_undone_whole():
    given = fleet()
    former, after = given.hosts[0].content, move(given, SWAP).target[0].content
    back = snapshot([host(given.hosts[0].inventory, after.chains, generation=4)], [WEB, NAT])
    undo = make_plan(
        back.model_copy(update={"former": (Former(before=former, after=after),)}),
        RestoreIntent(operation_id=1),
        clock=lambda: 0.0,
    )
    assert undo.target[0].digest == digest_of(former)


def test_what_moving_costs_is_said_and_refused_beyond_its_budget():
    """Both chains are offered 1 Mpps, and each of 4 moves holds its chain up for 2.6 ms: 4 x 2600 packets."""
    loss = move(fleet(), SWAP, loss_budget={"most_packets": 10_400, "most_pause_ms": 2.6}).loss
    assert (loss.packets, loss.pause_ms, loss.assumed) == (10_400, 2.6, False)
    assert [(one.chain, one.moves, one.packets) for one in loss.chains] == [("nat", 2, 5200), ("web", 2, 5200)]
    refused = move(fleet(), SWAP, loss_budget={"most_packets": 10_399})
    assert (refused.target, refused.loss, refused.does_something) == ((), None, False)
    (one,) = refused.rejected
    assert one.reason == (
        "loss_budget: moving 4 NFs of nat, web is expected to cost 10400 packets lost, 10399 are allowed: each move "
        "holds its chain up for 2.6 ms, and nat is offered 1 Mpps"
    )
    assert one.relax == "allow 10400 packets, or move fewer NFs, or wait until less is offered"
    paused = move(fleet(), {"web.router": 2}, loss_budget={"most_pause_ms": 2})
    assert "cost 2.6 ms without a packet, 2 ms are allowed" in paused.rejected[0].reason


def test_a_pause_that_was_never_measured_there_is_said_to_be_assumed():
    loss = move(fleet(simulated(able(numa_inventory())).model_copy(update={"driver": "twin"})), SWAP).loss
    assert loss.assumed
    assert loss.basis == (
        "99 of 100 moves of an NF on the testbed held its chain up for 2.6 ms at most; taken to be the same on "
        "simulated hosts, where it was not measured"
    )


def test_the_checker_sees_a_loss_that_is_made_smaller():
    given = fleet()
    body = move(given, SWAP, loss_budget={"most_packets": 10_400})
    less = body.loss.model_copy(update={"packets": 100, "chains": body.loss.chains[:1]})
    for loss in (None, less, body.loss.model_copy(update={"packets": 5})):
        wrong = body.model_copy(update={"loss": loss})
        assert {finding.check for finding in check(wrong, given) if not finding.ok} == {"loss"}
    tight = body.intent.model_copy(update={"loss_budget": body.intent.loss_budget.model_copy(
        update={"most_packets": 10_399})})  # fmt: skip
    wrong = body.model_copy(update={"intent": tight})
    assert {finding.check for finding in check(wrong, given) if not finding.ok} == {"loss"}
