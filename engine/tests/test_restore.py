"""Back to before an operation: its chains alone, where nobody changed them since; and what a plan makes worse."""

from engine_fleets import chain, demo_inventory, host, numa_inventory, running, snapshot
from sextant_domain.hosts.host import HostStatus
from sextant_domain.plans.intents import MigrateIntent, RestoreIntent
from sextant_domain.plans.plan import ChangeKind
from sextant_domain.plans.snapshot import Former
from sextant_engine.plan import make_plan

INVENTORY = demo_inventory()
WEB = chain("web-edge", slo={"min_throughput_mpps": 0.5})
DNS = chain("dns", "router")
BEFORE = running(WEB, INVENTORY, [(1, 0), (1, 1), (1, 2)])
MOVED = running(WEB, INVENTORY, [(1, 0), (0, 0), (1, 2)])


def former(before, after, inventory=INVENTORY):
    return Former(before=host(inventory, before).content, after=host(inventory, after).content)


def restore(now, before, after, specs=(WEB,), inventory=INVENTORY, status=HostStatus.UP):
    """The plan back to `before` of an operation that ordered `after`, on a host that runs `now`."""
    given = snapshot([host(inventory, now, generation=9, status=status)], specs)
    given = given.model_copy(update={"former": (former(before, after, inventory),)})
    body = make_plan(given, RestoreIntent(operation_id=4), clock=lambda: 0.0)
    assert all(finding.ok for finding in body.checks), [f for f in body.checks if not f.ok]
    return body


def refusal(body):
    assert body.changes == body.target == body.base == ()
    (rejected,) = body.rejected
    assert rejected.relax
    return f"{rejected.chain}: {rejected.reason}"


def test_a_moved_nf_goes_back_to_its_very_seat_under_a_new_generation():
    body = restore([MOVED], [BEFORE], [MOVED])
    (change,) = body.changes
    assert (change.kind, change.nf_id, change.reason) == (
        ChangeKind.MOVE,
        "web-edge.firewall",
        "as before operation 4",
    )
    assert body.target[0].content.chains == (BEFORE,)
    assert (body.base[0].generation, body.target[0].generation) == (9, 10)


def test_what_other_operations_did_since_stays():
    """dns came after the operation that moved web-edge's firewall; it keeps its seat."""
    dns = running(DNS, INVENTORY, [(1, 3)])
    body = restore([dns, MOVED], [BEFORE], [MOVED], specs=(WEB, DNS))
    assert body.target[0].content.chains == (dns, BEFORE)


def test_a_chain_that_the_operation_started_waits_again():
    body = restore([BEFORE], [], [BEFORE])
    assert {change.kind for change in body.changes} == {ChangeKind.STOP}
    assert body.target[0].content.chains == ()


def test_settings_that_it_changed_are_as_before():
    slower = BEFORE.model_copy(update={"traffic": BEFORE.traffic.model_copy(update={"rate_mpps": 0.1})})
    body = restore([slower], [BEFORE], [slower])
    assert [(one.field, one.before, one.after) for one in body.adjustments] == [("traffic.rate_mpps", "0.1", "1.0")]


def test_a_chain_that_was_changed_since_is_left_alone():
    again = running(WEB, INVENTORY, [(0, 1), (0, 0), (1, 2)])
    assert refusal(restore([again], [BEFORE], [MOVED])) == (
        "web-edge: its order on edge-1 was changed again after operation 4"
    )


def test_slots_of_a_core_are_alike():
    """dns took slot 1 of core 1, where the firewall stood; it goes back to core 1, slot 3."""
    dns = running(DNS, INVENTORY, [(1, 1)])
    body = restore([dns, MOVED], [BEFORE], [MOVED], specs=(WEB, DNS))
    assert [(nf.nf_id, nf.seat.core, nf.seat.slot) for nf in body.after if nf.nf_id == "web-edge.firewall"] == [
        ("web-edge.firewall", 1, 3)
    ]


def test_a_core_that_is_taken_meanwhile_refuses_the_host_whole():
    """Exclusive cores: dns stands on core 1 now, the firewall's."""
    inventory = numa_inventory()
    before, moved = (running(WEB, inventory, [(0, 0), (core, 0), (2, 0)]) for core in (1, 3))
    dns = running(DNS, inventory, [(1, 0)])
    assert refusal(restore([dns, moved], [before], [moved], specs=(WEB, DNS), inventory=inventory)) == (
        "web-edge: web-edge.firewall cannot go back on big-1: core 1 is full now"
    )


def test_a_chain_that_was_deleted_does_not_come_back():
    assert refusal(restore([], [BEFORE], [], specs=())) == "web-edge: it was deleted since"


def test_a_host_that_is_silent_waits():
    assert "unreachable" in refusal(restore([MOVED], [BEFORE], [MOVED], status=HostStatus.UNREACHABLE))


def test_a_move_that_is_predicted_to_cost_throughput_says_so():
    """As in test_migrate: 9 Mpps on the local node, 6.56 with the firewall on the remote one; the objective of 8 is
    broken. Packets cross to the remote node and back: two crossings where there was none."""
    inventory = numa_inventory()
    asked = chain("web-edge", rate=9.0, slo={"min_throughput_mpps": 8.0})
    given = snapshot([host(inventory, [running(asked, inventory, [(0, 0), (1, 0), (2, 0)])])], [asked])
    body = make_plan(given, MigrateIntent(nf_id="web-edge.firewall", host="big-1", core=4), clock=lambda: 0.0)
    slower, longer = body.worse
    assert (slower.what, slower.breaks_slo, slower.detail) == (
        "throughput",
        True,
        "9.00 -> 6.56 Mpps, its objective would be missed",
    )
    assert longer.detail.startswith("its packets would cross between nodes 2 times more")
    back = make_plan(
        given.model_copy(update={"hosts": (host(inventory, [running(asked, inventory, [(0, 0), (4, 0), (2, 0)])]),)}),
        MigrateIntent(nf_id="web-edge.firewall", host="big-1", core=1),
        clock=lambda: 0.0,
    )
    assert back.worse == ()


def test_a_move_beside_others_says_that_latency_will_rise():
    """web-edge has core 1 for itself and dns core 0; moved there, dns shares with three and each of three with one."""
    dns = running(DNS, INVENTORY, [(0, 0)])
    given = snapshot([host(INVENTORY, [dns, BEFORE])], [WEB, DNS])
    body = make_plan(given, MigrateIntent(nf_id="dns.router", host="edge-1", core=1), clock=lambda: 0.0)
    details = {one.chain: one.detail for one in body.worse if one.what == "latency"}
    assert details["dns"].startswith("its NFs would share cores with 3 more NFs")
    assert details["web-edge"].startswith("its NFs would share cores with 3 more NFs")
