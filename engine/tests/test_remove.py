"""Taking a chain off its hosts."""

from engine_fleets import chain, demo_inventory, host, running, snapshot
from sextant_domain.hosts.host import HostStatus
from sextant_domain.plans.intents import RemoveIntent
from sextant_domain.plans.plan import ChangeKind
from sextant_engine.plan import make_plan

WEB, OTHER = chain("web-edge"), chain("other", "router")


def remove(given, name="web-edge"):
    body = make_plan(given, RemoveIntent(chain=name), clock=lambda: 0.0)
    assert all(finding.ok for finding in body.checks), [f for f in body.checks if not f.ok]
    return body


def fleet(status=HostStatus.UP):
    inventory = demo_inventory()
    chains = [running(WEB, inventory, [(1, 0), (1, 1), (1, 2)]), running(OTHER, inventory, [(1, 3)])]
    return snapshot([host(inventory, chains, generation=2, status=status)], [OTHER])


def test_its_nfs_stop_and_the_others_stay():
    body = remove(fleet())
    assert [(change.kind, change.reason) for change in body.changes] == [
        (ChangeKind.STOP, "chain web-edge is removed")
    ] * 3
    assert [chain.chain for chain in body.target[0].content.chains] == ["other"]
    assert (body.target[0].generation, body.evidence.status) == (3, "as_ordered")


def test_a_host_that_is_unreachable_is_ordered_all_the_same_with_a_warning():
    body = remove(fleet(HostStatus.UNREACHABLE))
    assert len(body.changes) == 3
    assert "edge-1 is unreachable: its order waits until it answers" in body.warnings


def test_a_chain_that_runs_nowhere_is_a_rejection():
    body = remove(fleet(), "ghost")
    assert body.changes == ()
    assert body.rejected[0].reason == "the chain runs on no host"
