"""What a simulated host offers: all from its machine's data file, with what the real part has and lacks."""

import platform

from sextant_domain.chains.cpu_bounds import RATE_COST_CAPABILITY
from sextant_domain.chains.lane import LANES
from sextant_domain.chains.match import IPV6
from sextant_domain.hosts.host import (
    PROFILING,
    PROFILING_CHAINS,
    PROFILING_COLOCATION,
    PROFILING_RESOURCES,
    PROFILING_SHARES,
    SHARE_LINES,
    SHARED_SLOTS,
    SIMULATED,
    Capability,
    Core,
    HostInventory,
    LlcInfo,
    Nic,
    NumaNode,
    Port,
    ReservedFor,
)
from sextant_twin.machines import Machine

from sextant_agent import __version__

DRIVER = "twin"
NODE_MEMORY_BYTES = 64 * 2**30
"""Assumed: data files speak of bandwidth, and nothing here fills memory."""
RESERVED = (ReservedFor.SYSTEM, ReservedFor.MANAGER, ReservedFor.RX, ReservedFor.RX, ReservedFor.TX, ReservedFor.TX)
"""Holders of the first cores of the node that has the first NIC: one for Octans, one for OpenNetVM's manager, four for
network I/O (Octans, Sec. VI-A), which leaves 6 local and 12 remote cores of an E5-2650 v4."""
RESERVED_OF_SMALL_NODES = (ReservedFor.SYSTEM, ReservedFor.RX, ReservedFor.TX)
"""Where that would take more than half of the node."""
MBA_STEPS_PERCENT = tuple(range(10, 101, 10))
"""As all parts with MBA have them (Intel SDM, vol. 3B, 18.19.7: steps of 10)."""


def build_inventory(machine: Machine, host_id: str) -> HostInventory:
    """Everything the backend learns of it."""
    holders = reserved_cores(machine)
    ways = machine.llc.ways if machine.llc.cat_classes else None
    llc = LlcInfo(size_bytes=int(machine.llc.size), ways=ways, ways_shared_with_nic=machine.llc.ddio_ways)
    return HostInventory(
        host_id=host_id,
        hostname=host_id,
        host_model=f"{machine.name} (simulated), {machine.nodes} x {machine.cores_per_node} cores",
        driver=DRIVER,
        kernel=f"none: simulated on {platform.system()} {platform.release()}",
        agent_version=__version__,
        nodes=tuple(
            NumaNode(
                id=node,
                socket=node,
                memory_bytes=NODE_MEMORY_BYTES,
                llc=llc,
                memory_bandwidth_steps_percent=MBA_STEPS_PERCENT if machine.mba_classes else (),
            )
            for node in range(machine.nodes)
        ),
        cores=tuple(
            Core(
                id=core,
                node=machine.node_of(core),
                socket=machine.node_of(core),
                physical_core=core % machine.physical_cores,
                siblings=machine.siblings_of(core),
                slots=0 if core in holders else 1,
                reserved_for=holders.get(core),
            )
            for core in machine.cores
        ),
        nics=tuple(
            Nic(name=port_name(index), node=nic.node, driver=DRIVER, speed_mbps=int(nic.rate / 1e6))
            for index, nic in enumerate(machine.nics)
        ),
        ports=tuple(Port(name=port_name(index), node=nic.node, kind="nic") for index, nic in enumerate(machine.nics)),
        capabilities=capabilities(machine),
        resource_groups=classes_of(machine) - 1 if classes_of(machine) else None,
    )


def port_name(nic: int) -> str:
    """Of a NIC by its index."""
    return f"nic{nic}"


def nic_of(machine: Machine, port: str | None) -> int | None:
    """The NIC of a port; the first where none is named, None where there is no such port."""
    names = [port_name(index) for index in range(len(machine.nics))]
    return 0 if port is None else names.index(port) if port in names else None


def reserved_cores(machine: Machine) -> dict[int, ReservedFor]:
    """The cores that no NF may take, and who holds them, their siblings included; none on nodes with too few."""
    holders = RESERVED if machine.cores_per_node >= 2 * len(RESERVED) else RESERVED_OF_SMALL_NODES
    if machine.cores_per_node <= len(holders):
        return {}
    first = machine.nics[0].node * machine.cores_per_node
    threads = ((thread, holder) for core, holder in enumerate(holders, first) for thread in _threads(machine, core))
    return dict(sorted(threads))


def _threads(machine: Machine, core: int) -> tuple[int, ...]:
    return core, *machine.siblings_of(core)


def reserved_core(machine: Machine, holder: ReservedFor) -> int | None:
    """The first core of a holder; None where it has none."""
    return next((core for core, held in reserved_cores(machine).items() if held is holder), None)


def classes_of(machine: Machine) -> int:
    """Classes of service, as Linux counts them: for the whole machine, and no more than either of its kinds has."""
    return min((classes for classes in (machine.llc.cat_classes, machine.mba_classes) if classes), default=0)


def capabilities(machine: Machine) -> tuple[Capability, ...]:
    """What the part has, and what the twin computes."""
    ways, classes = machine.llc.ways, classes_of(machine)
    no_cat = f"{machine.name} has no cache allocation (CAT), so neither has its twin"
    no_mba = f"{machine.name} has no memory bandwidth allocation (MBA), so neither has its twin"
    numa = f"{machine.nodes} NUMA nodes" if machine.nodes > 1 else "one NUMA node: nothing is remote on this host"
    return (
        SIMULATED,
        _capability("pinning", "every simulated NF has the core that its order names"),
        _capability(
            "resctrl-cat",
            f"{ways} ways a node, {classes} classes a host",
            None if machine.llc.cat_classes else no_cat,
        ),
        _capability(
            "resctrl-mba",
            f"{len(MBA_STEPS_PERCENT)} steps of an NF's memory bandwidth",
            None if machine.mba_classes else no_mba,
        ),
        _capability(LANES, "the twin gives a lane as many of the flows as its weight says"),
        _capability(IPV6, "the twin computes with packets of either address family"),
        _capability(SHARED_SLOTS, "NFs of one simulated core divide its time by weight, and pay for each switch"),
        _capability("cpu-share", "weights 1 to 10000 and quotas, as cgroups have them"),
        _capability(SHARE_LINES, "simulated cores are divided from the measured shares that orders hold"),
        _capability(RATE_COST_CAPABILITY, "simulated cores can be divided by what packets cost as well"),
        _capability("run-to-completion", "NFs of a chain on one core can share a simulated process"),
        _capability("pause", "the twin makes the packets itself, and can stop making them"),
        _capability("configure", "the twin changes a load balancer's backends while packets flow"),
        _capability(PROFILING, "the twin computes a point at once, with the noise of its counters"),
        _capability(PROFILING_COLOCATION, "the cores of a simulated node share its L3"),
        _capability(PROFILING_CHAINS, "the twin computes an NF behind others of its chain, on any nodes"),
        _capability(
            PROFILING_RESOURCES,
            "the twin computes an NF with some ways, and its memory requests throttled",
            (None if machine.llc.cat_classes else no_cat) or (None if machine.mba_classes else no_mba),
        ),
        _capability(PROFILING_SHARES, "the twin computes the time that packets of a rate take"),
        _capability("perf-counters", "simulated ones, with their noise"),
        Capability(name="numa", available=machine.nodes > 1, reason=numa),
        _capability("faults", "crash an NF, flap a NIC, take the host down, start a noisy neighbour"),
    )


def _capability(name: str, how: str, why_not: str | None = None) -> Capability:
    return Capability(name=name, available=why_not is None, reason=why_not or how)
