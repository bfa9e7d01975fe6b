"""Chains that leave the port open are spread over the ports of their host, with the arithmetic."""

import pytest
from engine_fleets import NF_TYPES, chain, host, numa_inventory, running, snapshot
from sextant_domain.chains.chain import ChainSpec, Egress, Ingress
from sextant_domain.chains.kernel_nf import KERNEL_NFS
from sextant_domain.chains.nf import NfType
from sextant_domain.hosts.desired import DesiredChain
from sextant_domain.hosts.host import Capability, HostInventory, Nic, Port
from sextant_domain.plans.intents import PlaceIntent, ReplaceIntent
from sextant_domain.plans.plan import PlanBody
from sextant_domain.plans.snapshot import FleetSnapshot
from sextant_engine.plan import make_plan

MPPS_OF_GBPS = 1e3 / ((1500 + 24) * 8)
"""Of packets of 1500 bytes: with FCS, preamble and gap 1524 x 8 = 12,192 bits on the wire, so 0.082 Mpps a Gbit/s."""


def ported(*ports: tuple[int, int | None], name: str = "big-1") -> HostInventory:
    """Two nodes of 16 cores; nic0, nic1, ... by (node, Mbit/s)."""
    named = [(f"nic{number}", node, speed) for number, (node, speed) in enumerate(ports)]
    update = {
        "ports": tuple(Port(name=port, node=node, kind="nic") for port, node, _ in named),
        "nics": tuple(Nic(name=port, node=node, speed_mbps=speed) for port, node, speed in named),
    }
    return numa_inventory(name, nodes=2, cores=16).model_copy(update=update)


def at_gbps(name: str, gbps: float, **fields: object) -> ChainSpec:
    traffic = {"rate_mpps": gbps * MPPS_OF_GBPS, "packet_bytes": 1500}
    return chain(name, "simple-forward", traffic=traffic, **fields)


def on_port(spec: ChainSpec, inventory: HostInventory, port: str, core: int) -> DesiredChain:
    there = running(spec, inventory, [(core, 0)])
    ends = {
        "ingress": Ingress(host=inventory.host_id, port=port),
        "egress": Egress(host=inventory.host_id, port=port),
    }
    return there.model_copy(update=ends)


def replaced(fleet: FleetSnapshot) -> dict[str, DesiredChain]:
    body = make_plan(fleet, ReplaceIntent())
    return {one.chain: one for order in body.target for one in order.content.chains}


def carried(body: PlanBody) -> dict[str, float]:
    """Gbit/s on the wire by chain."""
    return {one.chain: (one.throughput_mpps or 0.0) / MPPS_OF_GBPS for one in body.predictions}


TEN_AND_TEN = [
    pytest.param(((0, 10_000), (0, 10_000)), id="both on one node"),
    pytest.param(((0, 10_000), (1, 10_000)), id="one a node"),
]


@pytest.mark.parametrize("ports", TEN_AND_TEN)
def test_four_chains_fit_only_if_they_are_spread(ports: tuple[tuple[int, int], ...]) -> None:
    """Four of 4.8 Gbit/s are 19.2 of 20: two a port, 9.6 of 10. On one port alone they would get 2.5 each."""
    chains = [at_gbps(name, 4.8) for name in "abcd"]
    body = make_plan(snapshot([host(ported(*ports))], chains), ReplaceIntent())
    used = sorted(one.ingress.port or "" for order in body.target for one in order.content.chains)
    assert used == ["nic0", "nic0", "nic1", "nic1"]
    assert carried(body) == pytest.approx(dict.fromkeys("abcd", 4.8))


@pytest.mark.parametrize("ports", TEN_AND_TEN)
def test_what_two_ports_cannot_carry_is_shared_fairly(ports: tuple[tuple[int, int], ...]) -> None:
    """Four of 6 Gbit/s are 24 of 20: two a port get 5 each, twice what all of them would on one port."""
    chains = [at_gbps(name, 6.0) for name in "abcd"]
    body = make_plan(snapshot([host(ported(*ports))], chains), ReplaceIntent())
    assert carried(body) == pytest.approx(dict.fromkeys("abcd", 5.0))


@pytest.mark.parametrize("ports", TEN_AND_TEN)
def test_one_after_the_other_they_are_spread_as_well(ports: tuple[tuple[int, int], ...]) -> None:
    """The second of 6 Gbit/s finds nic0 at 0.6 of its line and nic1 empty."""
    inventory, a, b = ported(*ports), at_gbps("a", 6.0), at_gbps("b", 6.0)
    body = make_plan(snapshot([host(inventory, [on_port(a, inventory, "nic0", 1)])], [a, b]), PlaceIntent(chain="b"))
    assert carried(body) == pytest.approx({"a": 6.0, "b": 6.0})


def test_the_load_is_of_the_line_once_the_chain_is_there() -> None:
    """nic0 (10 G) would be at 6 / 10 = 0.6, nic1 (100 G), which has 40 already, at 46 / 100 = 0.46."""
    inventory = ported((0, 10_000), (0, 100_000))
    a, b = at_gbps("a", 40.0), at_gbps("b", 6.0)
    there = host(inventory, [on_port(a, inventory, "nic1", 1)])
    assert replaced(snapshot([there], [a, b]))["b"].ingress.port == "nic1"


def test_the_largest_choose_first() -> None:
    """5, 5, 4 and 6 Gbit/s on two lines of 10. By their names: 5 | 5, then 4 beside a 5, and 6 beside the other: 11. By
    size: 6 | 5, the other 5 beside the 5 (10, not 11), 4 beside the 6: 10 | 10."""
    chains = [at_gbps(name, gbps) for name, gbps in (("a", 5.0), ("b", 5.0), ("c", 4.0), ("d", 6.0))]
    body = make_plan(snapshot([host(ported((0, 10_000), (0, 10_000)))], chains), ReplaceIntent())
    assert carried(body) == pytest.approx({"a": 5.0, "b": 5.0, "c": 4.0, "d": 6.0})


def test_a_named_port_is_kept_and_packets_leave_where_they_came() -> None:
    """`b` insists on nic0, full as it is; `c` takes nic1 and leaves by it; `d` leaves by nic0 as it says."""
    inventory = ported((0, 10_000), (0, 10_000))
    a, b = at_gbps("a", 9.0), at_gbps("b", 3.0, ingress={"port": "nic0"})
    c, d = at_gbps("c", 3.0), at_gbps("d", 3.0, egress={"port": "nic0"})
    found = replaced(snapshot([host(inventory, [on_port(a, inventory, "nic0", 1)])], [a, b, c, d]))
    ends = {name: (found[name].ingress.port, found[name].egress.port) for name in "bcd"}
    assert ends == {"b": ("nic0", "nic0"), "c": ("nic1", "nic1"), "d": ("nic1", "nic0")}


def test_a_node_without_seats_comes_last_however_empty_its_port() -> None:
    """Node 1 has one free core, so a chain of two NFs would be torn apart there; node 0's port is a third full."""
    inventory = ported((0, 10_000), (1, 10_000))
    nfs = [{"type": "router", "name": f"r{number}"} for number in range(15)]
    busy = chain("busy", *nfs, rate=0.001)
    there = running(busy, inventory, [(16 + number, 0) for number in range(15)])
    a, b = at_gbps("a", 3.5), at_gbps("b", 3.0)
    b = b.model_copy(update={"nfs": chain("b", "router", "firewall").nfs})
    ends = {"ingress": Ingress(host="big-1", port="nic1"), "egress": Egress(host="big-1", port="nic1")}
    fleet = snapshot([host(inventory, [there.model_copy(update=ends), on_port(a, inventory, "nic0", 1)])], [a, b, busy])
    assert replaced(fleet)["b"].ingress.port == "nic0"


def test_ports_of_unknown_speed_are_spread_over_as_well() -> None:
    inventory = ported((0, None), (0, None))
    chains = [at_gbps(name, 1.0) for name in "ab"]
    found = replaced(snapshot([host(inventory)], chains))
    assert sorted(one.ingress.port or "" for one in found.values()) == ["nic0", "nic1"]


def test_a_port_that_takes_one_chain_takes_one() -> None:
    """Three chains of one NF, 32 cores, two ports of one chain each: two are placed, the third has a reason why not."""
    inventory = ported((0, 10_000), (1, 10_000))
    single = inventory.model_copy(
        update={"ports": tuple(port.model_copy(update={"chains": 1}) for port in inventory.ports)}
    )
    fleet = snapshot([host(single)], [at_gbps(name, 1.0) for name in "abc"])
    body = make_plan(fleet, ReplaceIntent())
    placed = [one for order in body.target for one in order.content.chains]
    assert sorted(one.ingress.port or "" for one in placed) == ["nic0", "nic1"]
    (left,) = body.rejected
    assert left.chain not in {one.chain for one in placed}
    assert left.reason.startswith("needs 1 slot on one host: big-1: its ports take no more chains (nic")


def test_who_finds_no_port_goes_to_another_host() -> None:
    """The core counts seats: it may give the host of one port all three, and two of them have to look again."""
    narrow, wide = ported((0, 10_000)), ported((0, 10_000), name="big-2")
    single = narrow.model_copy(update={"ports": (narrow.ports[0].model_copy(update={"chains": 1}),)})
    fleet = snapshot([host(single), host(wide)], [at_gbps(name, 1.0) for name in "abc"])
    body = make_plan(fleet, ReplaceIntent())
    held = {order.content.host_id: len(order.content.chains) for order in body.target}
    assert sum(held.values()) == 3 and held.get("big-1", 0) <= 1 and not body.rejected


def test_a_named_port_that_is_taken_is_refused_by_its_name() -> None:
    inventory = ported((0, 10_000), (0, 10_000))
    single = inventory.model_copy(
        update={"ports": tuple(port.model_copy(update={"chains": 1}) for port in inventory.ports)}
    )
    first = at_gbps("first", 1.0)
    second = at_gbps("second", 1.0, ingress=Ingress(host="big-1", port="nic0"))
    fleet = snapshot([host(single, [on_port(first, single, "nic0", 4)])], [first, second])
    (left,) = make_plan(fleet, PlaceIntent(chain="second")).rejected
    assert "big-1: port 'nic0' takes no more chains (nic0: first)" in left.reason


def test_chains_go_where_their_nfs_have_a_program() -> None:
    """big-1 runs OpenNetVM's few NFs, big-2 all: a router goes to big-2, and is refused where only big-1 is."""
    few = ported((0, 10_000)).model_copy(update={"nf_types": ("firewall", "simple-forward")})
    wide = ported((0, 10_000), name="big-2")
    routed = chain("web", "router")
    body = make_plan(snapshot([host(few), host(wide)], [routed]), PlaceIntent(chain="web"))
    assert [order.content.host_id for order in body.target] == ["big-2"]
    (left,) = make_plan(snapshot([host(few)], [routed]), PlaceIntent(chain="web")).rejected
    assert "big-1 cannot run router (it runs firewall, simple-forward)" in left.reason


def test_chains_with_an_nf_in_the_kernel_go_where_the_kernel_can_be_one() -> None:
    """And nobody advises another host that has room and cannot, nor to do without a wish that is none."""
    wall = NfType(name="nft-firewall", version=1, short_name="nft", summary="", library="nf_tables", config_schema={})
    cannot = Capability(name=KERNEL_NFS, available=False, reason="no nf_tables here")
    can = cannot.model_copy(update={"available": True})
    hosts = [ported((0, 10_000)), ported((0, 10_000), name="big-2"), ported((0, 10_000), name="big-3")]
    one, two, three = (
        host(inventory.model_copy(update={"capabilities": (*inventory.capabilities, *more)}))
        for inventory, more in zip(hosts, ((), (cannot,), (can,)), strict=True)
    )
    walled = chain("web", "nft-firewall")
    body = make_plan(snapshot([one, two, three], [walled], nf_types=[*NF_TYPES, wall]), PlaceIntent(chain="web"))
    assert [order.content.host_id for order in body.target] == ["big-3"]
    asked = chain("web", "nft-firewall", ingress=Ingress(host="big-1"), egress=Egress(host="big-1"))
    (left,) = make_plan(snapshot([one, two], [asked], nf_types=[*NF_TYPES, wall]), PlaceIntent(chain="web")).rejected
    assert "big-1 cannot run nft-firewall (its driver does not offer it)" in left.reason
    assert [way.text for way in left.relaxations] == ["bring a host back, or enrol another"]
    (left,) = make_plan(snapshot([two], [walled], nf_types=[*NF_TYPES, wall]), PlaceIntent(chain="web")).rejected
    assert "big-2 cannot run nft-firewall (no nf_tables here)" in left.reason
