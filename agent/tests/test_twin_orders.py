"""Orders, traffic and ways in the twin's words."""

from itertools import pairwise

import pytest
from sextant_agent.drivers.twin.inventory import build_inventory
from sextant_agent.drivers.twin.orders import ChainLife, order_of
from sextant_agent.drivers.twin.samples import BOUNDS_NS
from sextant_agent.drivers.twin.traffic import arrivals_of, traffic_of
from sextant_agent.drivers.twin.ways import NodeWays, WayRequest, masks_of
from sextant_agent.machine.ways import TooFewWays
from sextant_domain.chains.traffic import Traffic
from sextant_domain.hosts.desired import ChainResources
from sextant_twin import machines
from sextant_twin._core import Fleet

from .orders import chain, nf

MACHINE = machines.load("xeon-gold-6126")
PARTS = NodeWays(ways=11, nic=2, classes=16)


def traffic(**fields: object) -> Traffic:
    return Traffic.model_validate({"rate_mpps": 2.0, "packet_bytes": 64, "flows": 100} | fields)


def test_frames_of_the_twin_have_their_checksum() -> None:
    """IMIX 7 : 4 : 1 of 64, 594 and 1518 bytes without FCS: 4 bytes more each, shares of 12."""
    assert traffic_of(traffic()) == {"rate_pps": 2e6, "frames": [{"bytes": 68, "share": 1.0}], "flows": 100}
    frames = traffic_of(traffic(sizes="imix", packet_bytes=362))["frames"]
    assert [(frame["bytes"], round(12 * frame["share"])) for frame in frames] == [(68, 7), (598, 4), (1522, 1)]


def test_arrivals_keep_the_mean() -> None:
    """10 s at factor 3 and 30 s at factor 1 are 1.5 in the mean: 2 Mpps are 4 Mpps and 1.33."""
    assert arrivals_of(traffic()) is None
    assert arrivals_of(traffic(arrivals="poisson")) == {"poisson": True}
    bursts = arrivals_of(traffic(arrivals={"kind": "on-off", "on_ms": 10, "off_ms": 30}))
    assert bursts == {"shape": {"kind": "on_off", "on_s": 0.01, "off_s": 0.03}}
    trace = arrivals_of(traffic(arrivals={"kind": "trace", "steps": [[10, 3], [30, 1]]}))
    assert trace and trace["shape"]["every_s"] == 40
    assert [(at, round(rate)) for at, rate in trace["shape"]["points"]] == [(0.0, 4_000_000), (10.0, 1_333_333)]


def test_what_is_added_again_has_nothing_to_do_with_the_one_before() -> None:
    web = chain("web", nf("web", "router", core=3))
    first, second = (order_of([ChainLife(web, instance)], MACHINE)["setting"] for instance in (1, 2))
    assert (first["chains"][0]["id"], second["chains"][0]["stages"]) == ("web#1", ["web.router#2"])


def test_nfs_poll_where_they_are_alone_on_their_core() -> None:
    web = chain("web", nf("web", "router", core=3), nf("web", "firewall", core=3), nf("web", "nat", core=4))
    apart = order_of([ChainLife(web, 1)], MACHINE)["setting"]["instances"]
    assert [instance["polling"] for instance in apart] == [False, False, True]
    together = web.model_copy(update={"execution": "run-to-completion"})
    assert all(instance["polling"] for instance in order_of([ChainLife(together, 1)], MACHINE)["setting"]["instances"])


def test_memory_bandwidth_is_a_throttle_of_what_is_left() -> None:
    limited = nf("web", "router", core=3).model_copy(update={"memory_bandwidth_percent": 30})
    (instance,) = order_of([ChainLife(chain("web", limited), 1)], MACHINE)["setting"]["instances"]
    assert instance["mba"] == pytest.approx(0.7)


def test_configurations_that_the_twin_knows() -> None:
    heavy, walk = nf("web", "simple-forward", core=3, loops=500), nf("web", "bubble", core=4, working_set_bytes=2**20)
    nfs = order_of([ChainLife(chain("web", heavy, walk), 1)], MACHINE)["setting"]["nfs"]
    plain = order_of([ChainLife(chain("web", nf("web", "simple-forward")), 1)], MACHINE)["setting"]["nfs"]
    cycles = {name: found["compute_cycles"] for name, found in (nfs | plain).items()}
    assert cycles["simple-forward 500"] == cycles["simple-forward 0"] + 500
    assert nfs["bubble 1048576 None"]["streams"][0]["bytes"] == 2**20


def test_masks_of_an_example() -> None:
    """Of 11 ways a has 0 and 1, c has 2 to 4; b shares the rest, and so does e on the other node, of all."""
    requests = [WayRequest("c", 0, 3), WayRequest("a", 0, 2), WayRequest("b", 0, None), WayRequest("e", 1, None)]
    found = masks_of(requests, PARTS, {})
    assert {where: f"{one.mask:011b}" for where, one in found.items()} == {
        ("a", 0): "00000000011",
        ("c", 0): "00000011100",
        ("b", 0): "11111100000",
        ("e", 1): "11111111111",
    }


def test_a_mask_on_another_node_is_no_place_in_the_stack() -> None:
    """c moves to the node of a, and comes upon it, though its mask on the other node was the lowest."""
    held = masks_of([WayRequest("a", 0, 2), WayRequest("c", 1, 2)], PARTS, {})
    found = masks_of([WayRequest("a", 0, 2), WayRequest("c", 0, 2)], PARTS, held)
    assert (found["a", 0].mask, found["c", 0].mask) == (0b0011, 0b1100)


def test_classes_of_service_bound_who_has_ways_on_all_nodes_together() -> None:
    """4 classes, one of them everybody's: two groups on node 0, and on node 1 one that has a limit of bandwidth alone.
    NFs of one chain are one group, wherever they stand."""
    parts = NodeWays(11, nic=2, classes=4)
    requests = [WayRequest("a", 0, 1), WayRequest("b", 0, 1), WayRequest("c", 1, None, limited=True)]
    masks_of([*requests, WayRequest("c", 0, None, limited=True)], parts, {})
    with pytest.raises(TooFewWays, match="at most 3 NFs and chains") as refusal:
        masks_of([*requests, WayRequest("d", 1, 1)], parts, masks_of(requests, parts, {}))
    assert refusal.value.owner == "d", "whoever came last"


def test_classes_are_the_fewer_of_both_kinds() -> None:
    """The Gold 6126 has 16 classes of ways and 8 of bandwidth: 7 groups a host. The E5-2695 v4 has no MBA, so 15; the
    EPYC 7301 has neither."""
    groups = [
        build_inventory(machines.load(name), "sim-1").resource_groups
        for name in ("xeon-gold-6126", "xeon-e5-2695-v4", "epyc-7301")
    ]
    assert groups == [7, 15, None]


def test_the_nfs_of_a_chain_have_one_mask_and_one_limit() -> None:
    """4 of 11 ways for both, the other 7 for the nat; half of the bandwidth each."""
    web = chain("web", nf("web", "router", core=3), nf("web", "firewall", core=4)).model_copy(
        update={"resources": ChainResources(llc_ways=4, memory_bandwidth_percent=50)}
    )
    order = order_of([ChainLife(web, 1), ChainLife(chain("nat", nf("nat", "nat", core=5)), 2)], MACHINE)
    found = {one["id"]: (one["ways"], one["mba"]) for one in order["setting"]["instances"]}
    assert found == {
        "web.router#1": (0b1111, 0.5),
        "web.firewall#1": (0b1111, 0.5),
        "nat.nat#2": (0b11111110000, 0.0),
    }


def test_buckets_are_the_twins() -> None:
    assert list(BOUNDS_NS) == Fleet.latency_bounds_ns()
    assert all(low < high for low, high in pairwise(BOUNDS_NS))


def test_a_host_with_siblings_reports_them_as_the_kernel_does_and_reserves_those_of_reserved_cores() -> None:
    """2 nodes of 10 cores: core 20 is the second thread of core 0, 30 that of core 10 on node 1."""
    host = build_inventory(machines.load("xeon-silver-4210-smt"), "sim-1")
    cores = {core.id: core for core in host.cores}
    assert len(cores) == 40
    assert [(cores[id].node, cores[id].physical_core, cores[id].siblings) for id in (0, 20, 30)] == [
        (0, 0, (20,)),
        (0, 0, (0,)),
        (1, 10, (10,)),
    ]
    assert {core.id: core.reserved_for for core in host.cores if core.reserved_for} == {
        0: "system", 1: "rx", 2: "tx", 20: "system", 21: "rx", 22: "tx",
    }  # fmt: skip
