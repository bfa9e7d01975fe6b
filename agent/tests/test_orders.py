"""What a host refuses before its ledger takes it; every refusal names its field."""

from typing import Any

import pytest
from sextant_agent.contract.driver import HostOffer
from sextant_agent.orders.admission import MAX_ERRORS, check_order
from sextant_agent.orders.problems import BadOrder
from sextant_domain.chains.chain import Egress, Ingress
from sextant_domain.chains.lane import Lane
from sextant_domain.chains.match import Match
from sextant_domain.chains.traffic import Traffic
from sextant_domain.hosts.desired import ChainResources, DesiredChain
from sextant_domain.hosts.host import (
    SHARED_SLOTS,
    Capability,
    Core,
    HostInventory,
    LlcInfo,
    NumaNode,
    Port,
    ReservedFor,
)

from .orders import HOST, chain, content, nf, registered

INVENTORY = HostInventory(
    host_id=HOST,
    hostname="edge",
    host_model="test",
    driver="testbed",
    kernel="6",
    agent_version="0",
    nodes=(NumaNode(id=0, socket=0, memory_bytes=1),),
    cores=(
        Core(id=0, node=0, socket=0, physical_core=0, slots=0, reserved_for=ReservedFor.SYSTEM),
        Core(id=1, node=0, socket=0, physical_core=1, slots=2),
    ),
    ports=(Port(name="src0", node=0, kind="source"), Port(name="sink0", node=0, kind="sink")),
    capabilities=(
        Capability(name="resctrl-cat", available=False, reason="no resctrl here"),
        Capability(name="pause", available=False, reason="only NICs here"),
        Capability(name="lanes", available=False, reason="a port is a chain"),
        Capability(name="ipv6", available=False, reason="NFs read IPv4 only"),
    ),
)
IPV6 = Match(src_prefix="2001:db8:a::/48", dst_prefix="2001:db8:b::/48")
SECOND_LANE = Traffic(rate_mpps=0.1, packet_bytes=64, lane=Lane(of="web", number=2, weights=(1, 1)))
OFFER = HostOffer(INVENTORY, frozenset({"router", "firewall"}))


def web(**changes: Any) -> DesiredChain:
    return chain("web", nf("web", "router", core=1)).model_copy(update=changes)


def with_share(field: str) -> DesiredChain:
    return web(nfs=(nf("web", "router", core=1).model_copy(update={field: 2}),))


def test_what_fits_is_taken() -> None:
    ports = {"ingress": Ingress(host=HOST, port="src0"), "egress": Egress(host=HOST, port="sink0")}
    check_order(content(web(**ports)), OFFER)
    check_order(content(), OFFER)
    check_order(content(web(nfs=(registered("edge-router", nf("web", "router", core=1)),))), OFFER)


@pytest.mark.parametrize(
    ("chains", "field", "message"),
    [
        ([web(nfs=())], "chains.0.nfs", "at least one"),
        ([web(), web()], "chains.1.chain", "twice"),
        ([web(nfs=(nf("web", "router", core=0),))], "chains.0.nfs.0.core", "reserved for system"),
        ([web(nfs=(nf("web", "router", core=7),))], "chains.0.nfs.0.core", "offered are 1"),
        ([web(nfs=(nf("web", "router", core=1, slot=2),))], "chains.0.nfs.0.slot", "slots 0 to 1"),
        ([web(), chain("b", nf("b", "router", core=1))], "chains.1.nfs.0.slot", "already web.router's"),
        ([web(nfs=(nf("other", "router", core=1),))], "chains.0.nfs.0.nf_id", "does not belong"),
        ([web(nfs=(nf("web", "dpi", core=1),))], "chains.0.nfs.0.nf_type", "firewall, router"),
        (
            [web(nfs=(registered("router", nf("web", "dpi", core=1)),))],
            "chains.0.nfs.0.implementation",
            "'dpi' is not an NF type of this host",
        ),
        ([with_share("llc_ways")], "chains.0.nfs.0.llc_ways", "no resctrl"),
        ([web(nfs=(nf("web", "router", core=1, seed=float("inf")),))], "chains.0.nfs.0.config", "JSON cannot carry"),
        ([web(ingress=Ingress(host="edge-2"))], "chains.0.ingress.host", "another host"),
        ([web(ingress=Ingress(port="sink0"))], "chains.0.ingress.port", "there are src0"),
        ([web(egress=Egress(port="eth0"))], "chains.0.egress.port", "there are sink0"),
        ([web(execution="run-to-completion")], "chains.0.execution", "not offer"),
        (
            [with_share("cpu_share").model_copy(update={"execution": "run-to-completion"})],
            "chains.0.nfs.0.cpu_share",
            "share its CPU time",
        ),
        ([web(paused=True)], "chains.0.paused", "only NICs"),
        ([web(traffic=SECOND_LANE)], "chains.0.traffic.lane", "a port is a chain"),
        ([web(ingress=Ingress(match=IPV6))], "chains.0.ingress.match.src_prefix", "IPv4 only"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_by_field(chains: list[DesiredChain], field: str, message: str) -> None:
    with pytest.raises(BadOrder) as refusal:
        check_order(content(*chains), OFFER)
    found = {error.field: error.message for error in refusal.value.errors}
    assert message in found[f"desired.content.{field}"]


@pytest.mark.parametrize("available", [True, False])
def test_slots_that_operators_set_are_not_known_here(available: bool) -> None:
    """The console says how many NFs share a core; an agent that cannot share them holds to what it offers."""
    capability = Capability(name=SHARED_SLOTS, available=available, reason="its NFs poll")
    host = INVENTORY.model_copy(update={"capabilities": (*INVENTORY.capabilities, capability)})
    order = content(web(nfs=(nf("web", "router", core=1, slot=63),)))
    if available:
        check_order(order, HostOffer(host, OFFER.nf_types))
        order = content(web(nfs=(nf("web", "router", core=0, slot=1),)))
    with pytest.raises(BadOrder, match="reserved for system" if available else "slots 0 to 1"):
        check_order(order, HostOffer(host, OFFER.nf_types))


def test_cpu_wishes_are_taken_even_where_they_cannot_be_met() -> None:
    """The chain runs without them, and the host's state reports that."""
    check_order(content(with_share("cpu_share"), chain("b", nf("b", "router", core=1, slot=1))), OFFER)


@pytest.mark.parametrize(
    ("field", "values", "why"),
    [
        ("llc_ways", {-1: False, 0: False, 1: True, 10: True, 11: False, 2**70: False}, "ask for 1 to 10"),
        ("memory_bandwidth_percent", {0: False, 9: False, 10: True, 15: False, 100: True, 110: False}, "steps 10, 20"),
    ],
)
def test_what_no_cache_or_memory_of_this_host_could_give(field: str, values: dict[int, bool], why: str) -> None:
    """11 ways, one of them for all others at least; bandwidth in tenths."""
    node = NumaNode(
        id=0, socket=0, memory_bytes=1, llc=LlcInfo(size_bytes=1, ways=11, ways_shared_with_nic=2),
        memory_bandwidth_steps_percent=tuple(range(10, 101, 10)),
    )  # fmt: skip
    can = tuple(Capability(name=name, available=True, reason="here") for name in ("resctrl-cat", "resctrl-mba"))
    offer = HostOffer(INVENTORY.model_copy(update={"nodes": (node,), "capabilities": can}), frozenset({"router"}))
    for value, fits in values.items():
        order = content(web(nfs=(nf("web", "router", core=1).model_copy(update={field: value}),)))
        if fits:
            check_order(order, offer)
            continue
        with pytest.raises(BadOrder) as refusal:
            check_order(order, offer)
        (error,) = refusal.value.errors
        assert error.field == f"desired.content.chains.0.nfs.0.{field}"
        assert why in error.message


def two_nodes(**changes: Any) -> HostOffer:
    """Cores 1 and 2 on node 0, core 3 on node 1; 11 ways, bandwidth in tenths."""
    nodes = tuple(
        NumaNode(
            id=node, socket=node, memory_bytes=1, llc=LlcInfo(size_bytes=1, ways=11),
            memory_bandwidth_steps_percent=tuple(range(10, 101, 10)),
        )
        for node in (0, 1)
    )  # fmt: skip
    cores = tuple(Core(id=core, node=core // 3, socket=core // 3, physical_core=core) for core in (1, 2, 3))
    can = tuple(Capability(name=name, available=True, reason="here") for name in ("resctrl-cat", "resctrl-mba"))
    update = {"nodes": nodes, "cores": cores, "capabilities": can, **changes}
    return HostOffer(INVENTORY.model_copy(update=update), frozenset({"router", "firewall"}))


def shared(ways: int | None, percent: int | None = None, second: int = 2, **own: Any) -> DesiredChain:
    """router on core 1, firewall on core `second`, which has `own`; what both have together."""
    nfs = (nf("web", "router", core=1), nf("web", "firewall", core=second).model_copy(update=own))
    resources = ChainResources.model_construct(llc_ways=ways, memory_bandwidth_percent=percent)
    return web(nfs=nfs, resources=resources)


def test_resources_of_a_chain_that_fit_are_taken() -> None:
    check_order(content(shared(10, 50)), two_nodes(resource_groups=1))
    check_order(content(shared(4, memory_bandwidth_percent=100)), two_nodes())
    check_order(content(shared(4).model_copy(update={"execution": "run-to-completion"})), two_nodes(capabilities=(
        *two_nodes().host.capabilities, Capability(name="run-to-completion", available=True, reason="here"),
    )))  # fmt: skip


@pytest.mark.parametrize(
    ("chain_", "offer", "field", "message"),
    [
        (shared(11), two_nodes(), "resources.llc_ways", "ask for 1 to 10"),
        (shared(4, 15), two_nodes(), "resources.memory_bandwidth_percent", "steps 10, 20"),
        (shared(4, second=3), two_nodes(), "resources", "its NFs stand on nodes 0 and 1"),
        (shared(4, llc_ways=2), two_nodes(), "resources", "web.firewall has LLC ways or memory bandwidth of its own"),
        (shared(4), two_nodes(capabilities=()), "resources.llc_ways", "this driver does not offer it"),
        (shared(None, 50), two_nodes(capabilities=INVENTORY.capabilities), "resources.memory_bandwidth_percent",
         "this driver does not offer it"),
        (shared(4), two_nodes(resource_groups=0), "resources", "1 classes of service, one of which all others share"),
    ],
)  # fmt: skip
def test_resources_of_a_chain_that_do_not_fit_are_refused_by_field(
    chain_: DesiredChain, offer: HostOffer, field: str, message: str
) -> None:
    with pytest.raises(BadOrder) as refusal:
        check_order(content(chain_), offer)
    (error,) = refusal.value.errors
    assert error.field == f"desired.content.chains.0.{field}"
    assert message in error.message


@pytest.mark.parametrize("field", ["llc_ways", "memory_bandwidth_percent"])
def test_nfs_of_one_process_have_no_ways_and_bandwidth_of_their_own(field: str) -> None:
    with pytest.raises(BadOrder) as refusal:
        check_order(content(with_share(field).model_copy(update={"execution": "run-to-completion"})), OFFER)
    assert any("share its" in error.message and error.field.endswith(field) for error in refusal.value.errors)


@pytest.mark.parametrize("field", ["cpu_share", "cpu_quota_percent"])
def test_an_nf_in_the_kernel_has_no_cpu_time_of_its_own(field: str) -> None:
    offer = HostOffer(INVENTORY, frozenset({"nft-firewall"}))
    one = nf("web", "nft-firewall", core=1)
    check_order(content(chain("web", one)), offer)
    with pytest.raises(BadOrder) as refused:
        check_order(content(chain("web", one.model_copy(update={field: 50}))), offer)
    named = [error for error in refused.value.errors if "kernel NF" in error.message]
    assert [error.field for error in named] == [f"desired.content.chains.0.nfs.0.{field}"]


def test_types_are_not_judged_before_the_data_plane_has_named_them() -> None:
    check_order(content(web(nfs=(nf("web", "dpi", core=1),))), HostOffer(INVENTORY, None))


def test_a_thousand_errors_are_not_all_reported() -> None:
    chains = [chain(f"c{i}", nf(f"c{i}", "dpi", core=9)) for i in range(1000)]
    with pytest.raises(BadOrder) as refusal:
        check_order(content(*chains), OFFER)
    assert len(refusal.value.errors) == MAX_ERRORS
