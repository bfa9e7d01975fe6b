"""What an OpenNetVM host offers to placement: the cores of its managers, their ports, and what it cannot do."""

from collections.abc import Iterable

from sextant_domain.chains.lane import LANES
from sextant_domain.chains.match import IPV6
from sextant_domain.hosts.host import (
    SHARED_SLOTS,
    STUCK_MANAGERS,
    Capability,
    Core,
    HostInventory,
    Port,
    ReservedFor,
)

from sextant_agent.drivers.opennetvm.installation import ManagerPlace, OpenNetVmInstallation
from sextant_agent.drivers.opennetvm.profiling.capture import MAX_FLOWS
from sextant_agent.drivers.opennetvm.profiling.places import most_competitors
from sextant_agent.drivers.opennetvm.programs import runnable_types
from sextant_agent.machine.inventory import DEFAULT_SLOTS, build_inventory
from sextant_agent.machine.machine import LocalMachine

NAME = "opennetvm"
CANNOT = (
    Capability(
        name="run-to-completion", available=False, reason="every NF of OpenNetVM is a process with a ring of its own"
    ),
    Capability(
        name="pause", available=False, reason="packets come from outside: only who sends them can hold them back"
    ),
    Capability(
        name="configure", available=False, reason="OpenNetVM's NFs read their configuration when they start"
    ),
    Capability(
        name="latency", available=False, reason="OpenNetVM does not report how long packets take, nor do its NFs"
    ),
    Capability(
        name="classification", available=False,
        reason="all packets of a port enter one chain: what an order says of addresses is not checked",
    ),
    Capability(
        name=IPV6, available=False,
        reason="OpenNetVM's own NFs read IPv4 only: its firewall, for one, drops every IPv6 packet",
    ),
    Capability(
        name=LANES, available=False,
        reason="all packets of a port enter one chain: nothing divides them over lanes by flow",
    ),
    Capability(
        name="state-transfer", available=False,
        reason="an NF that moves to another NUMA node is a new process, and begins without the old one's flows",
    ),
)  # fmt: skip
"""Beside what the machine cannot do."""
WATCHED = Capability(
    name=STUCK_MANAGERS,
    available=True,
    reason="a manager that had seconds of CPU without a packet moved is ended, and its chain started anew",
)


def port_losses(troubles: Iterable[str | None]) -> Capability:
    """Of managers: why each does not report what its port loses; None where it does, or does not run."""
    why = next(filter(None, troubles), None)
    if why is None:
        reason = (
            "DPDK's telemetry reports what a port's card drops before OpenNetVM takes it, where its driver counts it"
        )
        return Capability(name="port-losses", available=True, reason=reason)
    reason = f"packets that a port's card drops are not in its chain's: {why}"
    return Capability(name="port-losses", available=False, reason=reason)


def shared_slots(managers: Iterable[ManagerPlace]) -> Capability:
    """Under a manager that is not shared NFs poll for packets: a second one on a CPU would stop the first for whole
    time slices of the kernel."""
    polling = next((place.name for place in managers if not place.shared), None)
    reason = (
        "its manager wakes NFs when they have packets, so several may have one CPU"
        if polling is None
        else f"NFs of manager '{polling}' poll, so each needs a CPU of its own; set `shared = true` for it"
    )
    return Capability(name=SHARED_SLOTS, available=polling is None, reason=reason)


def inventory_of(
    installation: OpenNetVmInstallation, machine: LocalMachine, host_id: str, capabilities: Iterable[Capability]
) -> HostInventory:
    """Ports that stand for no node of this machine are put on its first."""
    host = build_inventory(
        machine, host_id, NAME, extra=(*capabilities, *CANNOT, WATCHED, shared_slots(installation.manager))
    )
    nodes = {node.id for node in host.nodes}
    ports = tuple(
        Port(name=place.port, node=place.node if place.node in nodes else min(nodes), kind="nic", chains=1)
        for place in installation.manager
    )
    cores = tuple(_core(core, installation) for core in host.cores)
    types = tuple(sorted(runnable_types(installation)))
    changes = {
        "ports": ports, "cores": cores, "nf_types": types, "most_flows": MAX_FLOWS,
        "most_competitors": most_competitors(installation),
    }  # fmt: skip
    # Its NFs are other programs than the testbed's: what these measure on the same machine says nothing of them.
    return host.model_copy(update={**changes, "host_model": f"{host.host_model}, OpenNetVM"})


def _core(core: Core, installation: OpenNetVmInstallation) -> Core:
    place = next((place for place in installation.manager if core.id in place.nf_cpus), None)
    if place is not None:
        slots = DEFAULT_SLOTS if place.shared else 1
        return core.model_copy(update={"slots": slots, "reserved_for": None, "last_choice": False})
    return core.model_copy(update={"slots": 0, "reserved_for": _holder(core.id, installation.manager)})


def _holder(cpu: int, managers: tuple[ManagerPlace, ...]) -> ReservedFor:
    held = next((place.cpus.index(cpu) for place in managers if cpu in place.cpus), None)
    if held is None:
        return ReservedFor.SYSTEM
    return ReservedFor.MANAGER if held == 0 else ReservedFor.RX
