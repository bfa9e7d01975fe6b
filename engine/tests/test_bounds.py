"""Bounds of chains and the tables that they name: ordered, shown, refused, kept in every order, checked."""

import json

import pytest
from engine_fleets import WAYS, able, chain, host, numa_inventory, running, snapshot, unable
from hypothesis import given as examples
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from sextant_domain.base import digest_of
from sextant_domain.hosts.desired import ChainResources, HostContent, ResourceBounds
from sextant_domain.hosts.host import HostStatus
from sextant_domain.hosts.levels import Level, LevelTable, TypeLevels
from sextant_domain.plans.intents import (
    AlignIntent,
    MigrateIntent,
    RelocateIntent,
    RemoveIntent,
    ResourceIntent,
    RestoreIntent,
)
from sextant_domain.plans.snapshot import Former
from sextant_engine.check import check
from sextant_engine.plan import make_plan

WEB, NAT = chain("web", "router", "firewall"), chain("nat", "router")


def table(*types, ways=2, model="big-2x4"):
    levels = TypeLevels(local=(Level(gbps=4.0, ways=ways, mb_percent=10),))
    return LevelTable(host_model=model, types=dict.fromkeys(types, levels))


TABLE, OTHER = table("router", "firewall"), table("router", ways=3)


def of(known=TABLE, **fields):
    """2 to 6 ways, 10 to 50 %."""
    return ResourceBounds.model_validate(
        {"law": "numasfp", "law_version": 1, "table": digest_of(known), "least_ways": 2, "most_ways": 6,
         "least_percent": 10, "most_percent": 50, **fields}
    )  # fmt: skip


BEGINS = ChainResources(llc_ways=4, memory_bandwidth_percent=50)


def ordered(inventory, web=None, nat=None, generation=3, status=HostStatus.UP):
    """web on cores 0 and 1 of node 0, nat on core 4 of node 1; each with (resources, bounds, table) or nothing."""
    chains = [running(WEB, inventory, [(0, 0), (1, 0)]), running(NAT, inventory, [(4, 0)])]
    tables = []
    for at, has in enumerate((web, nat)):
        if has is not None:
            chains[at] = chains[at].model_copy(update={"resources": has[0], "bounds": has[1]})
            tables.append(has[2])
    content = HostContent(
        host_id=inventory.host_id,
        chains=tuple(sorted(chains, key=lambda one: one.chain)),
        tables=tuple(sorted({digest_of(one): one for one in tables}.values(), key=digest_of)),
    )
    on = host(inventory, chains, generation=generation, status=status) if not tables else None
    return on or host(inventory, [], generation=generation, status=status).model_copy(
        update={"content": content, "digest": digest_of(content)}
    )


BOTH = {"web": (BEGINS, of(), TABLE), "nat": (ChainResources(llc_ways=3), of(OTHER), OTHER)}


def fleet(inventory=None, hosts=(), **has):
    return snapshot([ordered(inventory or able(numa_inventory()), **has), *hosts], [WEB, NAT])


def plan(given, intent):
    body = make_plan(given, intent, clock=lambda: 0.0)
    assert all(finding.ok for finding in body.checks), [f for f in body.checks if not f.ok]
    return body


def ask(given, **fields):
    return plan(given, ResourceIntent.model_validate(fields))


HAND_OVER = {
    "chains": {"web": {"llc_ways": 4, "memory_bandwidth_percent": 50}},
    "bounds": {"web": of().model_dump()},
    "tables": [TABLE.model_dump()],
}


def test_a_chain_is_handed_over_with_what_it_begins_with_and_the_table():
    body = ask(fleet(), **HAND_OVER)
    content = body.target[0].content
    assert (content.chains[1].resources, content.chains[1].bounds, content.tables) == (BEGINS, of(), (TABLE,))
    (shown,) = body.adjustments
    assert (shown.host, shown.chain, shown.field, shown.before) == ("big-1", "web", "bounds", "null")
    assert json.loads(shown.after) == of().model_dump(mode="json")
    assert body.does_something


def test_a_change_of_bounds_alone_is_a_change_that_is_shown():
    wider = of(most_ways=8)
    body = ask(fleet(web=BOTH["web"]), bounds={"web": wider.model_dump()}, tables=[TABLE.model_dump()])
    assert (body.changes, body.does_something, body.changed_chains) == ((), True, {"web"})
    assert [json.loads(text)["most_ways"] for text in (body.adjustments[0].before, body.adjustments[0].after)] == [6, 8]


def test_null_takes_bounds_and_their_table_away_and_leaves_resources():
    body = ask(fleet(**BOTH), bounds={"web": None})
    nat, web = body.target[0].content.chains
    assert (web.bounds, web.resources, nat.bounds) == (None, BEGINS, of(OTHER))
    assert body.target[0].content.tables == (OTHER,), "nat's table stays, web's is named by nobody any more"
    again = ask(fleet(), bounds={"web": None})
    assert [one.reason for one in again.rejected] == ["nothing changes: web has all of that already"]


@pytest.mark.parametrize(
    ("fields", "reason", "relax"),
    [
        ({"chains": {}}, "it has no LLC ways and no memory bandwidth of its own to begin with",
         "give it some in chains, 2 to 6 LLC ways and 10 to 50 % of memory bandwidth, in the same plan"),
        ({"chains": {"web": {"llc_ways": 7}}},
         "it has LLC ways 7, outside 2 to 6 LLC ways and 10 to 50 % of memory bandwidth",
         "name what it begins with in chains, or widen its bounds, or take them away (null)"),
        ({"bounds": {"web": of(most_ways=WAYS).model_dump()}},
         "most_ways is 11, and the cache of node 0 of big-1 has 11, one of which stays with all others",
         "ask for 10 at most"),
        ({"seats": {"web.firewall": 5}, "chains": {}},
         "its NFs stand on node 0 and node 1 of big-1", "move its NFs to one node (seats) as well"),
        ({"bounds": {"web": of(OTHER).model_dump()}, "tables": [OTHER.model_dump()]},
         "its table of levels says nothing of firewall", "measure levels of firewall on big-2x4 and promote them"),
        ({"bounds": {"web": of(table("router", "firewall", model="old")).model_dump()},
          "tables": [table("router", "firewall", model="old").model_dump()]},
         "its table of levels is of old, and big-1 is big-2x4", "name a table of big-2x4"),
        ({"bounds": {"ghost": of().model_dump()}}, "no host runs it", "list the chains that run and name one of them"),
    ],
)  # fmt: skip
def test_bounds_that_cannot_be_say_why_and_what_helps(fields, reason, relax):
    body = ask(fleet(), **{**HAND_OVER, **fields})
    assert (body.target, body.evidence.status) == ((), "infeasible")
    assert [(one.reason.partition(": ")[2], one.relax) for one in body.rejected] == [(reason, relax)]


def test_a_table_that_was_not_sent_along_is_missed():
    body = ask(fleet(), **{**HAND_OVER, "tables": []})
    assert body.rejected[0].reason == f"bounds of web name table {digest_of(TABLE)}, which is not among tables"


@pytest.mark.parametrize(("capability", "what"), [("resctrl-cat", "LLC ways"), ("resctrl-mba", "memory bandwidth")])
def test_a_host_without_cat_or_mba_takes_no_bounds(capability, what):
    body = ask(fleet(unable(able(numa_inventory()), capability, "no such thing")), bounds=HAND_OVER["bounds"],
               tables=HAND_OVER["tables"])  # fmt: skip
    assert body.target == ()
    assert body.rejected[0].reason == f"bounds of web: big-1 cannot give {what}: no such thing"


def test_a_host_that_is_not_reached_takes_no_bounds():
    body = ask(fleet(status=HostStatus.UNREACHABLE), bounds={"web": None})
    assert body.rejected[0].reason == "bounds of web: big-1 is unreachable, so no order reaches it"


def test_a_chain_with_bounds_counts_as_a_group_whatever_it_begins_with():
    """Its agent may give it ways at any moment: one class, which is then not nat's."""
    inventory = able(numa_inventory()).model_copy(update={"resource_groups": 1})
    begins = (ChainResources(memory_bandwidth_percent=100), of(most_percent=100), TABLE)
    body = ask(fleet(inventory, web=begins), chains={"nat": {"llc_ways": 2}})
    assert body.target == ()
    assert "2 NFs and chains would need one each (now: web)" in body.rejected[0].reason


def test_bounds_go_along_to_the_other_node_and_hold_one_nf_back():
    held = fleet(web=BOTH["web"])
    moved = ask(held, seats={"web.router": 5, "web.firewall": 6})
    assert (moved.target[0].content.chains[1].bounds, moved.target[0].content.tables) == (of(), (TABLE,))
    alone = plan(held, MigrateIntent(nf_id="web.firewall", host="big-1", core=5))
    assert alone.target == ()


def test_tables_are_those_that_are_named_in_orders_of_every_kind():
    """web (TABLE) and nat (OTHER): removed, moved to another host, restored, repaired, and taken as found."""
    given = fleet(**BOTH)
    gone = plan(given.model_copy(update={"chains": (NAT,)}), RemoveIntent(chain="web"))
    assert gone.target[0].content.tables == (OTHER,)

    second = host(able(numa_inventory("big-2")))
    left = plan(fleet(hosts=[second], **BOTH), RelocateIntent(chain="web", host="big-2"))
    by_host = {one.content.host_id: one.content for one in left.target}
    assert (by_host["big-1"].tables, by_host["big-2"].tables, by_host["big-2"].chains[0].bounds) == ((OTHER,), (), None)
    assert "web has bounds of numasfp on big-1, which do not go along" in left.warnings

    before, after = given.hosts[0].content, ask(given, bounds={"web": None, "nat": None}).target[0].content
    assert after.tables == ()
    taken = snapshot([host(given.hosts[0].inventory, after.chains, generation=4)], [WEB, NAT])
    back = plan(
        taken.model_copy(update={"former": (Former(before=before, after=after),)}), RestoreIntent(operation_id=1)
    )
    assert back.target[0].digest == digest_of(before)

    repaired = plan(given, AlignIntent(host="big-1", action="repair"))
    assert repaired.target[0].digest == digest_of(before)
    accepted = plan(taken, AlignIntent(host="big-1", action="accept", accepted=before))
    assert set(map(digest_of, accepted.target[0].content.tables)) == {digest_of(TABLE), digest_of(OTHER)}


def tampered(body, content):
    target = body.target[0].model_copy(update={"content": content, "digest": digest_of(content)})
    return body.model_copy(update={"target": (target,)})


def failed(body, given):
    return {finding.check for finding in check(body, given) if not finding.ok}


@hypothesis_settings(deadline=None, max_examples=60)
@examples(
    st.fixed_dictionaries(
        {},
        optional={
            "least_ways": st.integers(1, 4),
            "most_ways": st.integers(4, 12),
            "least_percent": st.integers(1, 50),
            "most_percent": st.integers(50, 100),
            "law_version": st.integers(1, 3),
            "table": st.sampled_from([digest_of(TABLE), digest_of(OTHER)]),
        },
    )
)
def test_the_checker_sees_other_bounds_than_were_asked_for(changed):
    given = fleet()
    body, other = ask(given, **HAND_OVER), of().model_copy(update=changed)
    if other == of():
        return
    content = body.target[0].content
    nat, web = content.chains
    wrong = tampered(body, content.model_copy(update={"chains": (nat, web.model_copy(update={"bounds": other}))}))
    expected = {"bounds", "bounds-shown"}
    if other.most_ways >= WAYS or other.table != digest_of(TABLE):
        expected.add("within-bounds")
    if other.table != digest_of(TABLE):
        expected.add("tables")
    assert failed(wrong, given) == expected


@hypothesis_settings(deadline=None, max_examples=30)
@examples(st.lists(st.sampled_from([TABLE, OTHER, table("nat")]), max_size=3).filter(lambda held: held != [TABLE]))
def test_the_checker_sees_tables_that_nobody_names_and_missing_ones(tables):
    given = fleet()
    body = ask(given, **HAND_OVER)
    wrong = tampered(body, body.target[0].content.model_copy(update={"tables": tuple(tables)}))
    assert "tables" in failed(wrong, given)


@pytest.mark.parametrize(
    ("update", "rules"),
    [
        ({"resources": ChainResources(llc_ways=8)}, {"resources", "scope", "within-bounds", "states"}),
        ({"resources": None}, {"resources", "scope", "within-bounds", "changes", "states"}),
        ({"bounds": None}, {"bounds", "tables", "adjustments", "bounds-shown"}),
    ],
)
def test_the_checker_sees_a_chain_that_begins_outside_its_bounds(update, rules):
    given = fleet()
    body = ask(given, **HAND_OVER)
    nat, web = body.target[0].content.chains
    wrong = body.target[0].content.model_copy(update={"chains": (nat, web.model_copy(update=update))})
    assert failed(tampered(body, wrong), given) == rules - {"scope"}


def test_the_checker_sees_bounds_that_nobody_asked_for():
    given = fleet()
    body = ask(given, **HAND_OVER)
    nat, web = body.target[0].content.chains
    more = nat.model_copy(update={"resources": ChainResources(llc_ways=2), "bounds": of()})
    assert {"scope", "adjustments"} <= failed(
        tampered(body, body.target[0].content.model_copy(update={"chains": (more, web)})), given
    )
