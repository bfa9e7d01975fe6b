"""Inventories: what a host cannot be is refused when it is reported."""

from typing import Any

import pytest
from pydantic import ValidationError
from sextant_domain.hosts.host import (
    SHARED_SLOTS,
    SIMULATED,
    Capability,
    Core,
    HostInventory,
    NumaNode,
    Port,
    ReservedFor,
)


def inventory(**changes: Any) -> HostInventory:
    node = NumaNode(id=0, socket=0, memory_bytes=1 << 30)
    cores = tuple(Core(id=number, node=0, socket=0, physical_core=number) for number in (0, 1))
    values: dict[str, Any] = {
        "host_id": "edge-1",
        "hostname": "edge-1.example",
        "host_model": "tiny-1x2",
        "driver": "testbed",
        "kernel": "6.1.0",
        "agent_version": "0.1.0",
        "nodes": (node,),
        "cores": cores,
    }
    return HostInventory(**{**values, **changes})


def test_a_host_of_one_node_is_accepted() -> None:
    assert [core.id for core in inventory().cores] == [0, 1]


def test_two_nodes_or_cores_of_one_number_are_refused() -> None:
    node = NumaNode(id=0, socket=0, memory_bytes=0)
    core = Core(id=0, node=0, socket=0, physical_core=0)
    for changes in ({"nodes": (node, node)}, {"cores": (core, core)}):
        with pytest.raises(ValidationError, match="unique"):
            inventory(**changes)


def test_a_core_or_port_on_a_node_that_is_not_listed_is_refused() -> None:
    core = Core(id=2, node=3, socket=0, physical_core=2)
    port = Port(name="source", node=3, kind="source")
    for changes in ({"cores": (core,)}, {"ports": (port,)}):
        with pytest.raises(ValidationError, match=r"not listed: \[3\]"):
            inventory(**changes)


@pytest.mark.parametrize("changes", [{"id": -1}, {"slots": -1}, {"slots": 65}, {"node": -1}, {"reserved_for": "lunch"}])
def test_a_core_out_of_bounds_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Core(**{"id": 0, "node": 0, "socket": 0, "physical_core": 0, **changes})


@pytest.mark.parametrize(("slots", "shares"), [((1, 1), False), ((2, 8), True), ((1, 0), False)])
def test_cores_are_shared_where_one_has_more_than_one_slot(slots: tuple[int, int], shares: bool) -> None:
    cores = tuple(Core(id=i, node=0, socket=0, physical_core=i, slots=count) for i, count in enumerate(slots))
    assert inventory(cores=cores).shares_cores is shares


def test_a_host_is_simulated_by_its_capability_whatever_its_driver_is_called() -> None:
    assert inventory(driver="twin-2", capabilities=(SIMULATED,)).simulated
    off = SIMULATED.model_copy(update={"available": False})
    assert not inventory(driver="testbed").simulated and not inventory(driver="twin", capabilities=(off,)).simulated


def test_an_inventory_of_a_former_agent_says_by_its_driver_that_it_is_simulated() -> None:
    """As rows of hosts, snapshots in files and agents of 0.1.0 have it; read again it stays as it is."""
    former = inventory().model_dump(mode="json") | {"driver": "twin", "capabilities": []}
    read = HostInventory.model_validate(former)
    assert read.simulated and read.capabilities == (SIMULATED,)
    assert HostInventory.model_validate_json(read.model_dump_json()) == read
    del former["capabilities"]
    assert HostInventory.model_validate(former).simulated


def test_only_a_host_with_a_source_of_its_own_has_a_core_for_it() -> None:
    assert inventory(ports=(Port(name="src0", node=0, kind="source"),)).traffic_core == 1
    assert inventory(ports=(Port(name="eth0", node=0, kind="nic"),)).traffic_core is None


def threads(*reserved: ReservedFor | None, slots: int = 1) -> HostInventory:
    """Two physical cores of two threads: 0 and 1, 2 and 3."""
    cores = [
        Core(id=i, node=0, socket=0, physical_core=i // 2, siblings=(i ^ 1,), slots=slots, reserved_for=one)
        for i, one in enumerate(reserved)
    ]
    return inventory(cores=tuple(cores))


def test_an_operator_reserves_what_the_agent_leaves_and_takes_back_only_that() -> None:
    rx = ReservedFor.RX
    edited = threads(rx, None, None, None).reserving([0, 2, 9])
    assert [core.reserved_for for core in edited.cores] == [rx, None, ReservedFor.OPERATOR, None]
    assert edited.reserving([]) == threads(rx, None, None, None)


def test_a_reserved_thread_keeps_nfs_from_its_physical_core_unless_cores_are_shared() -> None:
    """Of threads 0 and 1 the second is reserved: an exclusive core would have company, a shared one may."""
    held = (None, ReservedFor.OPERATOR, None, None)
    assert threads(*held).cores_for_nfs == (2, 3)
    assert threads(*held, slots=4).cores_for_nfs == (0, 2, 3)
    assert threads(*held).why_reserved(0) == "core 0 stays empty: its sibling, core 1, is reserved by an operator"
    assert threads(*held).why_reserved(1) == "core 1 is reserved by an operator"
    assert threads(*held).why_reserved(2) is None and threads(*held).why_reserved(9) is None


CAN_SHARE = Capability(name=SHARED_SLOTS, available=True, reason="the kernel divides a core")


def test_an_operator_sets_the_slots_of_cores_that_the_agent_offers_and_gives_the_word_back() -> None:
    """Slots 0, 1 and 2 (last choice) become 0, 4 and 4, then 0, 2 and 2, whose agent's word is what is set."""
    cores = tuple(
        Core(id=i, node=0, socket=0, physical_core=i, slots=slots, last_choice=slots == 2)
        for i, slots in enumerate((0, 1, 2))
    )
    agents = inventory(cores=cores, capabilities=(CAN_SHARE,))
    four = agents.with_slots(4)
    assert [(core.slots, core.agent_slots, core.last_choice) for core in four.cores] == [
        (0, None, False), (4, 1, False), (4, 2, True),
    ]  # fmt: skip
    assert four.shares_cores
    assert [(core.slots, core.agent_slots) for core in four.with_slots(2).cores] == [(0, None), (2, 1), (2, None)]
    assert four.with_slots(None) == agents
    assert HostInventory.model_validate_json(four.model_dump_json()) == four


@pytest.mark.parametrize(
    ("capabilities", "why_not"),
    [
        ((), "its driver does not offer it"),
        ((CAN_SHARE.model_copy(update={"available": False, "reason": "NFs poll"}),), "NFs poll"),
    ],
)
def test_where_cores_cannot_be_shared_the_agents_slots_hold(capabilities: tuple[Capability, ...], why_not: str) -> None:
    core = Core(id=0, node=0, socket=0, physical_core=0)
    host = inventory(cores=(core,), capabilities=capabilities)
    assert (host.why_no_slots(4), host.with_slots(4)) == (why_not, host)


def test_nfs_have_no_core_of_their_own_beside_source_and_sink() -> None:
    """The last core of a host that reserves none is that of source and sink, until somebody keeps NFs from it."""
    cores = tuple(Core(id=i, node=0, socket=0, physical_core=i, slots=8) for i in range(2))
    ports = (Port(name="src0", node=0, kind="source"),)
    host = inventory(cores=cores, ports=ports, capabilities=(CAN_SHARE,))
    assert "source and sink run on core 1" in (host.why_no_slots(1) or "")
    assert host.with_slots(1) == host and host.with_slots(2).cores[1].slots == 2
    assert [core.slots for core in host.reserving([1]).with_slots(1).cores] == [1, 1]
