"""Other LLC ways, memory bandwidth, CPU shares and quotas of NFs that run: the plan, its reasons and every refusal."""

import pytest
from engine_fleets import STEPS, able, chain, demo_inventory, host, numa_inventory, running, snapshot, unable
from hypothesis import given as examples
from hypothesis import settings as bounds
from hypothesis import strategies as st
from sextant_domain.base import digest_of
from sextant_domain.hosts.desired import ChainResources
from sextant_domain.hosts.host import HostStatus
from sextant_domain.plans.intents import MigrateIntent, ReplaceIntent, ResourceIntent, RestoreIntent
from sextant_domain.plans.plan import ChangeKind
from sextant_domain.plans.resources import resource_differences
from sextant_domain.plans.snapshot import Former
from sextant_engine.check import check
from sextant_engine.plan import make_plan

WEB, OTHER = chain("web", "router", "firewall"), chain("other", "router")


def fleet(inventory=None, status=HostStatus.UP, **ordered):
    """web on cores 0 and 1 of node 0, other on core 4 of node 1; `ordered`: resources that other's router has."""
    inventory = inventory or able(numa_inventory())
    web, other = running(WEB, inventory, [(0, 0), (1, 0)]), running(OTHER, inventory, [(4, 0)])
    other = other.model_copy(update={"nfs": tuple(nf.model_copy(update=ordered) for nf in other.nfs)})
    return snapshot([host(inventory, [web, other], generation=3, status=status)], [WEB, OTHER])


def intent(**resources):
    """`web_firewall={...}` for the NF web.firewall."""
    return ResourceIntent.model_validate({"resources": {nf.replace("_", "."): one for nf, one in resources.items()}})


def give(given, **resources):
    body = make_plan(given, intent(**resources), clock=lambda: 0.0)
    assert all(finding.ok for finding in body.checks), [f for f in body.checks if not f.ok]
    return body


def test_nfs_of_several_chains_get_other_resources_where_they_stand():
    body = give(
        fleet(), web_firewall={"llc_ways": 4, "cpu_quota_percent": 50}, other_router={"memory_bandwidth_percent": 50}
    )
    assert [(one.kind, one.nf_id, resource_differences(one.source, one.target)) for one in body.changes] == [
        (ChangeKind.RESOURCES, "other.router", [("memory_bandwidth_percent", None, 50)]),
        (ChangeKind.RESOURCES, "web.firewall", [("llc_ways", None, 4), ("cpu_quota_percent", None, 50.0)]),
    ]
    assert body.changes[1].reason == "as ordered: LLC ways 4, CPU quota 50 %"
    assert (body.evidence.status, body.target[0].generation, body.adjustments) == ("as_ordered", 4, ())
    other, web = body.target[0].content.chains
    assert [(nf.core, nf.llc_ways, nf.cpu_quota_percent) for nf in web.nfs] == [(0, None, None), (1, 4, 50.0)]
    assert (other.nfs[0].core, other.nfs[0].memory_bandwidth_percent) == (4, 50)


def test_what_is_left_out_stays_and_null_gives_back():
    given = fleet(llc_ways=3, cpu_share=200)
    body = give(given, other_router={"llc_ways": None})
    nf = body.target[0].content.chains[0].nfs[0]
    assert (nf.llc_ways, nf.cpu_share) == (None, 200)
    assert body.changes[0].reason == "as ordered: LLC ways shared"


def test_no_figure_is_shown_where_no_model_says_anything():
    """Octans' model knows nothing of ways: web has some, other stands on another node and is predicted as before."""
    other, web = give(fleet(), web_firewall={"llc_ways": 4}).predictions
    assert (web.chain, web.throughput_mpps, web.before_mpps) == ("web", None, 1.0)
    assert web.note.startswith("no model predicts LLC ways of web.firewall's own")
    assert (other.throughput_mpps, other.before_mpps) == (1.0, 1.0)


def test_neighbours_on_the_node_are_not_predicted_either():
    inventory = able(numa_inventory())
    chains = [running(WEB, inventory, [(0, 0), (1, 0)]), running(OTHER, inventory, [(2, 0)])]
    body = give(snapshot([host(inventory, chains)], [WEB, OTHER]), web_firewall={"llc_ways": 4})
    assert [one.throughput_mpps for one in body.predictions] == [None, None]


def test_a_share_of_a_core_of_its_own_changes_no_prediction():
    (_, web) = give(fleet(), web_firewall={"cpu_share": 300}).predictions
    assert (web.throughput_mpps, web.before_mpps) == (1.0, 1.0)


def test_nothing_is_rebalanced_where_no_model_holds():
    """firewall (own ways) stays remote although a local core is free; without ways it would be brought home."""
    inventory = able(numa_inventory())
    web = running(chain("web", "router", "firewall", rate=9.0), inventory, [(0, 0), (4, 0)])
    spec = chain("web", "router", "firewall", rate=9.0)
    held = web.model_copy(update={"nfs": (web.nfs[0], web.nfs[1].model_copy(update={"llc_ways": 4}))})
    plans = [
        make_plan(snapshot([host(inventory, [one])], [spec]), ReplaceIntent(), clock=lambda: 0.0) for one in (web, held)
    ]
    assert [len(body.changes) for body in plans] == [1, 0]


@pytest.mark.parametrize(
    ("asked", "reason", "relax"),
    [
        ({"web_firewall": {"llc_ways": 11}},
         "llc_ways of web.firewall: the cache of node 0 of big-1 has 11 ways, one at least for all others, and 11 "
         "would be given away (web.firewall 11)",
         "ask for 10 at most"),
        ({"web_firewall": {"llc_ways": 4}, "web_router": {"llc_ways": 7}},
         "llc_ways of web.router: the cache of node 0 of big-1 has 11 ways, one at least for all others, and 11 would "
         "be given away (web.router 7, web.firewall 4)",
         "ask for 6 at most"),
        ({"web_firewall": {"memory_bandwidth_percent": 35}},
         "memory_bandwidth_percent of web.firewall: big-1 has no step of 35 %", "ask for 10 %, 50 %, 100 %"),
        ({"web_ghost": {"llc_ways": 4}}, "no host runs web.ghost", "list the NFs that run and name one of them"),
        ({"web_firewall": {"host": "big-2", "llc_ways": 4}}, "web.firewall runs on big-1, not on big-2",
         "name big-1, or leave the host out; a migration moves an NF"),
        ({"web_firewall": {"llc_ways": None}}, "nothing changes: web.firewall has all of that already",
         "ask for another value"),
    ],
)  # fmt: skip
def test_a_refusal_names_the_field_the_cause_and_what_helps(asked, reason, relax):
    body = give(fleet(), **asked)
    assert (body.target, body.changes, body.evidence.status) == ((), (), "infeasible")
    assert [(one.reason, one.relax) for one in body.rejected] == [(reason, relax)]


@pytest.mark.parametrize(
    ("capability", "asked", "words"),
    [
        ("resctrl-cat", {"llc_ways": 4}, "llc_ways of web.firewall: big-1 cannot give LLC ways: no CAT"),
        ("resctrl-mba", {"memory_bandwidth_percent": 50},
         "memory_bandwidth_percent of web.firewall: big-1 cannot give memory bandwidth: no CAT"),
        ("cpu-share", {"cpu_quota_percent": 50},
         "cpu_quota_percent of web.firewall: big-1 cannot give CPU quota: no CAT"),
    ],
)  # fmt: skip
def test_a_host_that_cannot_says_why(capability, asked, words):
    body = give(fleet(unable(able(numa_inventory()), capability, "no CAT")), web_firewall=asked)
    assert [one.reason for one in body.rejected] == [words]


def test_a_quota_above_what_all_nfs_of_a_host_have_together_is_refused():
    inventory = able(numa_inventory()).model_copy(update={"cpu_budget_percent": 40.0})
    assert give(fleet(inventory), web_firewall={"cpu_quota_percent": 40}).rejected == ()
    refused = give(fleet(inventory), web_firewall={"cpu_quota_percent": 50}).rejected
    assert [(one.reason, one.relax) for one in refused] == [
        ("cpu_quota_percent of web.firewall: all NFs of big-1 have 40 % of a core together", "ask for 40 % at most")
    ]


def test_one_refusal_leaves_all_others_ungiven():
    """Ways that one NF releases go to another: carrying out half of that is not what was asked for."""
    body = give(fleet(), other_router={"llc_ways": 2}, web_firewall={"llc_ways": 20})
    assert (body.target, [one.chain for one in body.rejected]) == ((), ["web"])


def test_a_silent_host_gives_nothing():
    body = give(fleet(status=HostStatus.UNREACHABLE), web_firewall={"llc_ways": 4})
    assert body.rejected[0].reason == "big-1 is unreachable, so nothing can be given there"


def test_nfs_that_share_a_process_get_nothing_of_their_own():
    spec, inventory = chain("web", "router", "firewall", execution="run-to-completion"), able(demo_inventory())
    given = snapshot([host(inventory, [running(spec, inventory, [(1, 0), (1, 1)])])], [spec])
    body = give(given, web_firewall={"cpu_quota_percent": 50})
    assert body.rejected[0].reason.startswith("cpu_quota_percent of web.firewall: NFs that share a process")


def test_a_migration_takes_ways_along_only_where_they_fit():
    """web.firewall's 8 ways beside the 3 of other.router on node 1: 11 of 11."""
    given = fleet(llc_ways=3)
    held = give(given, web_firewall={"llc_ways": 8})
    inventory = given.hosts[0].inventory
    standing = snapshot([host(inventory, held.target[0].content.chains)], [WEB, OTHER])
    body = make_plan(standing, MigrateIntent(nf_id="web.firewall", host="big-1", core=5), clock=lambda: 0.0)
    assert body.target == ()
    assert body.rejected[0].reason.startswith("its 8 LLC ways do not fit into the cache of node 1")


VALUES = {
    "llc_ways": st.none() | st.integers(1, 5),
    "memory_bandwidth_percent": st.none() | st.sampled_from(STEPS),
    "cpu_share": st.none() | st.integers(1, 10_000),
    "cpu_quota_percent": st.none() | st.floats(1, 100),
}
REQUESTS = st.dictionaries(
    st.sampled_from(["web_router", "web_firewall", "other_router"]),
    st.sets(st.sampled_from(sorted(VALUES)), min_size=1).flatmap(
        lambda fields: st.fixed_dictionaries({field: VALUES[field] for field in fields})
    ),
    min_size=1,
)


@bounds(deadline=None, max_examples=60)
@examples(asked=REQUESTS, held=st.fixed_dictionaries({}, optional=VALUES))
def test_what_is_given_and_undone_leaves_the_former_order(asked, held):
    given = fleet(**held)
    body = give(given, **asked)
    if not body.target:
        assert [one.reason.partition(":")[0] for one in body.rejected] == ["nothing changes"] * len(asked)
        return
    former, inventory = given.hosts[0].content, given.hosts[0].inventory
    after = body.target[0].content
    back = snapshot([host(inventory, after.chains, generation=4)], [WEB, OTHER]).model_copy(
        update={"former": (Former(before=former, after=after),)}
    )
    undo = make_plan(back, RestoreIntent(operation_id=1), clock=lambda: 0.0)
    assert undo.target[0].digest == digest_of(former)
    assert {one.nf_id for one in undo.changes} == {one.nf_id for one in body.changes}
    assert {one.kind for one in undo.changes} == {ChangeKind.RESOURCES}


def broken(body, chain_at, nf_at, **update):
    """The plan with one NF of its order changed, under its digest."""
    chains = list(body.target[0].content.chains)
    nfs = list(chains[chain_at].nfs)
    nfs[nf_at] = nfs[nf_at].model_copy(update=update)
    chains[chain_at] = chains[chain_at].model_copy(update={"nfs": tuple(nfs)})
    content = body.target[0].content.model_copy(update={"chains": tuple(chains)})
    target = body.target[0].model_copy(update={"content": content, "digest": digest_of(content)})
    return body.model_copy(update={"target": (target,)})


def failed(body, given):
    return {finding.check for finding in check(body, given) if not finding.ok}


@pytest.mark.parametrize(
    ("at", "update", "rules"),
    [
        ((1, 1), {"llc_ways": 11}, {"resources", "cache", "states"}),  # 11 of 11
        ((1, 1), {"llc_ways": 3}, {"resources", "states"}),  # 4 were asked for
        ((1, 1), {"memory_bandwidth_percent": 50}, {"scope", "states"}),  # not asked for
        ((1, 1), {"memory_bandwidth_percent": 35}, {"scope", "bandwidth", "states"}),
        ((0, 0), {"cpu_share": 300}, {"scope", "changes", "states"}),  # another chain
        ((0, 0), {"llc_ways": 2}, {"scope", "changes", "states"}),
        ((1, 0), {"cpu_quota_percent": 10.0}, {"scope", "changes", "states"}),  # another NF
        ((1, 1), {"core": 2}, {"scope", "changes", "states", "loss"}),  # it moves
    ],
)  # fmt: skip
def test_the_checker_sees_each_way_of_being_wrong(at, update, rules):
    given = fleet()
    body = give(given, web_firewall={"llc_ways": 4})
    assert failed(broken(body, *at, **update), given) == rules


def test_the_checker_sees_a_sum_above_the_cache():
    """Both of node 0 as asked for: 4 + 7 of 11 ways."""
    given = fleet()
    body = give(given, web_firewall={"llc_ways": 4}, web_router={"llc_ways": 6})
    wrong = broken(body, 1, 0, llc_ways=7).model_copy(
        update={"intent": intent(web_firewall={"llc_ways": 4}, web_router={"llc_ways": 7})}
    )
    assert failed(wrong, given) == {"cache", "states"}


@pytest.mark.parametrize("capability", ["resctrl-cat", "resctrl-mba", "cpu-share"])
def test_the_checker_sees_a_host_that_cannot(capability):
    body = give(fleet(), web_firewall={"llc_ways": 4, "memory_bandwidth_percent": 50, "cpu_quota_percent": 20})
    assert failed(body, fleet(unable(able(numa_inventory()), capability, "no"))) == {"hosts-able"}


def test_the_checker_sees_resources_in_a_shared_process():
    given = fleet()
    body = give(given, web_firewall={"llc_ways": 4})
    chains = body.target[0].content.chains
    together = chains[1].model_copy(update={"execution": "run-to-completion"})
    content = body.target[0].content.model_copy(update={"chains": (chains[0], together)})
    target = body.target[0].model_copy(update={"content": content, "digest": digest_of(content)})
    assert "processes" in failed(body.model_copy(update={"target": (target,)}), given)


def test_the_checker_sees_a_change_that_is_not_listed_and_one_that_is_listed_wrongly():
    given = fleet()
    body = give(given, web_firewall={"llc_ways": 4})
    assert failed(body.model_copy(update={"changes": ()}), given) == {"changes"}
    moved = body.changes[0].model_copy(update={"kind": ChangeKind.MOVE})
    assert failed(body.model_copy(update={"changes": (moved,)}), given) == {"changes"}


def give_chain(given, chains, **resources):
    wanted = {"resources": {nf.replace("_", "."): one for nf, one in resources.items()}, "chains": chains}
    body = make_plan(given, ResourceIntent.model_validate(wanted), clock=lambda: 0.0)
    assert all(finding.ok for finding in body.checks), [f for f in body.checks if not f.ok]
    return body


def test_a_chain_gets_ways_that_all_its_nfs_have_together():
    body = give_chain(fleet(), {"web": {"llc_ways": 4, "memory_bandwidth_percent": 50}})
    other, web = body.target[0].content.chains
    assert web.resources == ChainResources(llc_ways=4, memory_bandwidth_percent=50)
    assert ([nf.llc_ways for nf in web.nfs], other.resources) == ([None, None], None)
    expected = [("chain_llc_ways", None, 4), ("chain_memory_bandwidth_percent", None, 50)]
    assert [(one.kind, one.nf_id, resource_differences(one.source, one.target)) for one in body.changes] == [
        (ChangeKind.RESOURCES, "web.router", expected),
        (ChangeKind.RESOURCES, "web.firewall", expected),
    ]
    assert body.changes[0].reason == "as ordered: LLC ways 4, memory bandwidth 50 % for all NFs of web together"
    note = body.predictions[1].note
    assert (
        note == "no model predicts LLC ways of web's own, for it or for others on its node: throughput is measured only"
    )


def test_a_chain_may_take_over_what_its_nfs_give_back():
    """The firewall has 8 of 10 ways; the chain gets 10, which fit only since it gives them back."""
    given = fleet()
    held = give(given, web_firewall={"llc_ways": 8})
    standing = snapshot([host(given.hosts[0].inventory, held.target[0].content.chains, generation=4)], [WEB, OTHER])
    body = give_chain(standing, {"web": {"llc_ways": 10}}, web_firewall={"llc_ways": None})
    web = body.target[0].content.chains[1]
    assert (web.resources.llc_ways, [nf.llc_ways for nf in web.nfs]) == (10, [None, None])
    back = give_chain(
        snapshot([host(given.hosts[0].inventory, body.target[0].content.chains)], [WEB, OTHER]),
        {"web": {"llc_ways": None}},
    )
    assert back.target[0].content.chains[1].resources is None


OVER_TWO_NODES = [(0, 0), (4, 0)]


def spread(inventory=None):
    """web's router on node 0, its firewall on node 1."""
    inventory = inventory or able(numa_inventory())
    return snapshot([host(inventory, [running(WEB, inventory, OVER_TWO_NODES)])], [WEB])


@pytest.mark.parametrize(
    ("chains", "nfs", "reason", "relax"),
    [
        ({"web": {"llc_ways": 4}}, {"web_router": {"llc_ways": 2}},
         "llc_ways of web: on big-1 web would have LLC ways or memory bandwidth for all its NFs together, and "
         "web.router some of its own; a thread is in one group",
         "give back (none) what web.router has, or what web has"),
        ({"web": {"llc_ways": 11}}, {},
         "llc_ways of web: the cache of node 0 of big-1 has 11 ways, one at least for all others, and 11 would be "
         "given away (web 11)",
         "ask for 10 at most"),
        ({"web": {"memory_bandwidth_percent": 35}}, {},
         "memory_bandwidth_percent of web: big-1 has no step of 35 %", "ask for 10 %, 50 %, 100 %"),
        ({"ghost": {"llc_ways": 4}}, {}, "no host runs ghost", "list the chains that run and name one of them"),
        ({"web": {"llc_ways": None}}, {}, "nothing changes: web has all of that already", "ask for another value"),
    ],
)  # fmt: skip
def test_what_a_chain_is_refused_names_the_field_the_cause_and_what_helps(chains, nfs, reason, relax):
    body = give_chain(fleet(), chains, **nfs)
    assert (body.target, body.evidence.status) == ((), "infeasible")
    assert [(one.reason, one.relax) for one in body.rejected] == [(reason, relax)]


def test_a_chain_over_two_nodes_gets_nothing_as_a_whole():
    body = give_chain(spread(), {"web": {"llc_ways": 4}})
    assert body.target == ()
    assert body.rejected[0].reason == (
        "llc_ways of web: its NFs stand on nodes 0 and 1 of big-1; ways and bandwidth of a chain are of one node"
    )


def test_an_nf_does_not_leave_the_node_where_its_chain_has_ways():
    given = fleet()
    held = give_chain(given, {"web": {"llc_ways": 4}}).target[0].content.chains
    standing = snapshot([host(given.hosts[0].inventory, held)], [WEB, OTHER])
    moved = [
        make_plan(standing, MigrateIntent(nf_id="web.firewall", host="big-1", core=core), clock=lambda: 0.0)
        for core in (2, 5)
    ]
    assert [len(body.changes) for body in moved] == [1, 0], "core 2 is of node 0, core 5 of node 1"
    assert moved[1].rejected[0].reason.startswith("web has LLC ways or memory bandwidth of its own, which are of one")


@pytest.mark.parametrize("capability", ["resctrl-cat", "resctrl-mba"])
def test_a_host_without_cat_or_mba_says_why_a_chain_gets_nothing(capability):
    asked = {"resctrl-cat": {"llc_ways": 4}, "resctrl-mba": {"memory_bandwidth_percent": 50}}[capability]
    body = give_chain(fleet(unable(able(numa_inventory()), capability, "no such thing here")), {"web": asked})
    (field,) = asked
    assert body.rejected[0].reason.startswith(f"{field} of web: big-1 cannot give ")
    assert body.rejected[0].reason.endswith(": no such thing here")
    assert body.rejected[0].relax == f"leave {field} out"


def test_classes_of_service_are_counted_for_the_whole_host():
    """One group: other's router has it on node 1, so web gets none on node 0; as one chain its NFs need one alone."""
    inventory = able(numa_inventory()).model_copy(update={"resource_groups": 1})
    full = give_chain(fleet(inventory, llc_ways=2), {"web": {"memory_bandwidth_percent": 50}})
    assert full.rejected[0].reason == (
        "memory_bandwidth_percent of web: big-1 has 2 classes of service, counted for the whole host, one of which all "
        "others share, and 2 NFs and chains would need one each (now: other.router)"
    )
    assert give_chain(fleet(inventory), {"web": {"llc_ways": 2}}).changes
    swapped = give_chain(fleet(inventory, llc_ways=2), {"web": {"llc_ways": 2}}, other_router={"llc_ways": None})
    assert len(swapped.changes) == 3, "what one gives back another takes"
    beyond = give(fleet(inventory), web_router={"llc_ways": 2}, web_firewall={"llc_ways": 2})
    assert beyond.target == ()


def with_resources(body, at, **update):
    """The plan with one chain of its order changed, under its digest."""
    chains = list(body.target[0].content.chains)
    chains[at] = chains[at].model_copy(update=update)
    content = body.target[0].content.model_copy(update={"chains": tuple(chains)})
    target = body.target[0].model_copy(update={"content": content, "digest": digest_of(content)})
    return body.model_copy(update={"target": (target,)})


@pytest.mark.parametrize(
    ("at", "resources", "rules"),
    [
        (1, ChainResources(llc_ways=3), {"resources", "states"}),  # 4 were asked for
        (1, ChainResources(llc_ways=11), {"resources", "cache", "states"}),  # 11 of 11
        (1, ChainResources(llc_ways=4, memory_bandwidth_percent=50), {"scope", "states"}),  # not asked for
        (1, ChainResources(llc_ways=4, memory_bandwidth_percent=35), {"scope", "bandwidth", "states"}),
        (1, ChainResources(), {"resources", "groups", "changes", "states"}),
        (0, ChainResources(llc_ways=2), {"scope", "changes", "states"}),  # another chain
    ],
)  # fmt: skip
def test_the_checker_sees_each_way_in_which_a_chain_gets_something_else(at, resources, rules):
    given = fleet()
    body = give_chain(given, {"web": {"llc_ways": 4}})
    assert failed(with_resources(body, at, resources=resources), given) == rules


def test_the_checker_sees_groups_that_cannot_be():
    """An NF in two groups; a chain on two nodes; two groups where a host can have one."""
    given = fleet()
    body = give_chain(given, {"web": {"llc_ways": 4}})
    assert "groups" in failed(broken(body, 1, 1, llc_ways=2), given)
    assert "groups" in failed(broken(body, 1, 1, core=5), given)
    few = fleet(able(numa_inventory()).model_copy(update={"resource_groups": 1}), llc_ways=2)
    standing = give_chain(fleet(llc_ways=2), {"web": {"llc_ways": 4}})
    assert failed(standing, few) == {"groups"}
