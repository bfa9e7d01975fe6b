"""Slots that an operator sets, on a host whose agent offers one NF a core: planned, checked and predicted as on any
host that shares cores; taken away again, who stands too close is moved first and not predicted until then."""

import pytest
from engine_fleets import chain, host, measured, numa_inventory, running, snapshot
from sextant_domain.hosts.host import SHARED_SLOTS, Capability, HostInventory
from sextant_domain.plans.intents import PlaceIntent, ReplaceIntent
from sextant_domain.plans.plan import PlanBody
from sextant_engine.check import check
from sextant_engine.plan import make_plan

CAN_SHARE = Capability(name=SHARED_SLOTS, available=True, reason="the kernel divides a core")
WEB, DNS = chain("web", "router", "firewall", rate=3.0), chain("dns", "firewall", "router", rate=3.0)
MODELS = [measured("router", 10.0, "big-1x2"), measured("firewall", 5.0, "big-1x2")]


def two_cores(slots: int | None) -> HostInventory:
    """Packets come by a card: no core of its own source and sink."""
    plain = numa_inventory("big-1", nodes=1, cores=2)
    nics = tuple(port.model_copy(update={"kind": "nic"}) for port in plain.ports)
    able = plain.model_copy(update={"ports": nics, "capabilities": (*plain.capabilities, CAN_SHARE)})
    return able.with_slots(slots)


def planned(slots: int | None, **seats: list[tuple[int, int]]) -> PlanBody:
    """DNS placed beside WEB, which stands at `web`."""
    inventory = two_cores(slots)
    fleet = snapshot([host(inventory, [running(WEB, inventory, seats["web"])])], [WEB, DNS], MODELS)
    body = make_plan(fleet, PlaceIntent(chain="dns"), clock=lambda: 0.0)
    assert all(finding.ok for finding in check(body, fleet))
    return body


def test_without_slots_a_full_host_refuses_a_second_chain() -> None:
    """Both cores are taken, and two NFs need as many again: two a core would do."""
    (rejected,) = planned(None, web=[(0, 0), (1, 0)]).rejected
    assert rejected.chain == "dns"
    assert rejected.relax is not None and rejected.relax.endswith(
        "add 2 slots on big-1: `sextant hosts slots big-1 2 --reason ...` lets 2 NFs share a core"
    )


def test_two_chains_stand_on_the_same_cores_and_divide_their_time() -> None:
    """Each core has a router (0.1 us a packet) and a firewall (0.2 us), one of each chain: 1 / 0.3 = 3.33 Mpps a chain
    if both need as much, of which 3 are offered; what both take of a core is 3 x 0.3 = 90 %."""
    body = planned(4, web=[(0, 0), (1, 0)])
    assert not body.rejected
    assert sorted((nf.nf_id, nf.seat.core, nf.seat.slot) for nf in body.after if nf.nf_id.startswith("dns")) in (
        [("dns.firewall", 0, 1), ("dns.router", 1, 1)],
        [("dns.firewall", 1, 1), ("dns.router", 0, 1)],
    )
    found = {one.chain: one for one in body.predictions}
    assert {one.predictor for one in found.values()} == {"time-sharing"}
    assert found["dns"].throughput_mpps is not None and found["dns"].throughput_mpps > 2.4


def test_the_checker_counts_the_slots_that_are_set() -> None:
    """A plan made for four slots a core is wrong on the same host with one."""
    body = planned(4, web=[(0, 0), (1, 0)])
    inventory = two_cores(1)
    fleet = snapshot([host(inventory, [running(WEB, inventory, [(0, 0), (1, 0)])])], [WEB, DNS], MODELS)
    assert "slots" in {finding.check for finding in check(body, fleet) if not finding.ok}


def test_taken_away_slots_are_not_predicted_and_left_first() -> None:
    """Both NFs of web on core 0 since it had four slots; it has one by now, and core 1 is free."""
    inventory, small = two_cores(1), chain("dns", "router")
    standing = host(inventory, [running(WEB, inventory, [(0, 0), (0, 1)])])
    fleet = snapshot([standing], [WEB, small], MODELS)
    kept = make_plan(fleet, PlaceIntent(chain="dns"), clock=lambda: 0.0)
    of_web = next(one for one in kept.predictions if one.chain == "web")
    assert of_web.throughput_mpps is None
    assert of_web.note == "no model predicts 2 NFs on core 0, which has one slot: re-place the host"

    fleet = snapshot([standing], [WEB], MODELS)
    parted = make_plan(fleet, ReplaceIntent(), clock=lambda: 0.0)
    assert sorted(nf.seat.core for nf in parted.after if nf.nf_id.startswith("web")) == [0, 1]
    assert all(finding.ok for finding in check(parted, fleet))
    assert next(one for one in parted.predictions if one.chain == "web").throughput_mpps == pytest.approx(3.0)
