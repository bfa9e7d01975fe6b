"""From the machine to what is offered to placement: nodes, cores with slots and reservations, ports."""

from collections.abc import Iterable
from typing import Literal

from sextant_domain.hosts.host import (
    EXCLUSIVE_CORES,
    Capability,
    Core,
    HostInventory,
    LlcInfo,
    Nic,
    NumaNode,
    Port,
    ReservedFor,
    traffic_core,
)

from sextant_agent import __version__
from sextant_agent.machine.capabilities import (
    cache_ways,
    capabilities,
    memory_bandwidth_steps,
    resource_groups,
    thread_throttle_mode,
)
from sextant_agent.machine.cpulist import ranges
from sextant_agent.machine.machine import Cpu, LocalMachine

SMALL_HOST_CORES = 8
"""Below this a host shares cores (DESIGN: 'a small host may offer shared slots')."""
DEFAULT_SLOTS = 8
"""Of a shared core, where no operator has set another number on the console."""
LAST_CHOICE_SLOTS = 2

SETTING = "SEXTANT_AGENT_SHARED_CORES"
CoreSharing = Literal["small-hosts", "never"]
"""Which hosts let NFs share cores: those below 8 CPUs, or none."""


def build_inventory(
    machine: LocalMachine,
    host_id: str,
    driver: str,
    extra: Iterable[Capability] = (),
    sharing: CoreSharing = "small-hosts",
) -> HostInventory:
    """Everything the backend learns of the machine. `extra`: capabilities that depend on the driver."""
    cores = offered_cores(machine, sharing)
    traffic = next(core for core in cores if core.id == traffic_core(cores))
    sockets = {cpu.socket for cpu in machine.cpus}
    per_socket = len({(cpu.socket, cpu.siblings) for cpu in machine.cpus}) // len(sockets)
    return HostInventory(
        host_id=host_id,
        hostname=machine.hostname,
        host_model=f"{machine.cpu_model}, {len(sockets)} x {per_socket} cores",
        driver=driver,
        kernel=machine.kernel,
        agent_version=__version__,
        nodes=tuple(_node(machine, node) for node in sorted(machine.node_memory_bytes)),
        cores=cores,
        nics=tuple(
            Nic(name=nic.name, node=nic.node, pci_address=nic.pci_address, driver=nic.driver, speed_mbps=nic.speed_mbps)
            for nic in machine.interfaces
        ),
        ports=(
            Port(name="src0", node=traffic.node, kind="source"),
            Port(name="sink0", node=traffic.node, kind="sink"),
        ),
        capabilities=(*capabilities(machine), *extra),
        resource_groups=resource_groups(machine.root),
        thread_throttle_mode=thread_throttle_mode(machine.root),
    )


def offered_cores(machine: LocalMachine, sharing: CoreSharing = "small-hosts") -> tuple[Core, ...]:
    """The CPUs this agent may use, with the slots and reservations of the core policy.

    Fewer than 8: shared slots, 2 of last choice on the first core, 8 on the others (8 as well if there is one
    only). From 8 on: one NF a core; the first physical core is the system's and the second the traffic's,
    their siblings included, since a busy sibling slows both. Fewer than 8 where cores are never shared: one NF a core,
    and the first physical core is the system's and the traffic's; a single one has to be shared all the same.
    """
    cpus = [cpu for cpu in machine.cpus if cpu.id in machine.allowed]
    physical = list(dict.fromkeys(cpu.siblings for cpu in cpus))
    few = len(cpus) < SMALL_HOST_CORES
    small = few and (sharing != "never" or len(physical) == 1)
    reserved: dict[tuple[int, ...], ReservedFor] = {}
    if not small:
        holders = (ReservedFor.RX,) if few else (ReservedFor.SYSTEM, ReservedFor.RX)
        reserved = dict(zip(physical, holders, strict=False))
    numbers = _physical_numbers(machine.cpus)
    cores = []
    for cpu in cpus:
        first = cpu is cpus[0] and len(cpus) > 1
        holder = reserved.get(cpu.siblings)
        slots = (LAST_CHOICE_SLOTS if first else DEFAULT_SLOTS) if small else 0 if holder else 1
        cores.append(
            Core(
                id=cpu.id,
                node=cpu.node,
                socket=cpu.socket,
                physical_core=numbers[cpu.siblings],
                siblings=tuple(sibling for sibling in cpu.siblings if sibling != cpu.id),
                slots=slots,
                last_choice=small and first,
                reserved_for=holder,
            )
        )
    return tuple(cores)


def core_sharing(machine: LocalMachine, sharing: CoreSharing) -> tuple[bool, str, str | None]:
    """Whether every NF has a core of its own; how it stands, and what changes it where the operator can."""
    cores = offered_cores(machine, sharing)
    cpus = ranges(core.id for core in cores if core.slots)
    physical = {core.physical_core for core in cores}
    if not any(core.slots > 1 for core in cores):
        offers = f"its agent offers {cpus}, one NF per core"
        if len(cores) >= SMALL_HOST_CORES:
            return True, offers, None
        kept = ranges(core.id for core in cores if core.reserved_for)
        left = f"{kept} is left to the system and to chains' source and sink"
        return True, f"{offers}; {left} ({SETTING}=never)", None
    where = "SEXTANT_AGENT_CORES and the agent's CPU affinity, if the machine has them"
    more = f"{SMALL_HOST_CORES} or more CPUs in {where}"
    if len(physical) == 1:
        why = f"one physical core: NFs share {cpus} whatever {SETTING} says, and predictions use time sharing"
        return False, why, more
    free = len(physical) - 1
    never = f"{SETTING}=never for one NF per core ({free} of {len(physical)} physical cores would take NFs)"
    return False, f"{len(cores)} CPUs: NFs share {cpus}, and predictions use time sharing", f"{never}; or {more}"


def exclusive_cores(machine: LocalMachine, sharing: CoreSharing) -> Capability:
    """The same for the host's page: how, or why not and what to set."""
    exclusive, how, change = core_sharing(machine, sharing)
    return Capability(name=EXCLUSIVE_CORES, available=exclusive, reason=f"{how}. Set {change}" if change else how)


def _physical_numbers(cpus: tuple[Cpu, ...]) -> dict[tuple[int, ...], int]:
    """Physical cores numbered over the whole machine: the kernel's core_id starts again in every socket."""
    return {siblings: number for number, siblings in enumerate(dict.fromkeys(cpu.siblings for cpu in cpus))}


def _node(machine: LocalMachine, node: int) -> NumaNode:
    cpus = {cpu.id: cpu for cpu in machine.cpus if cpu.node == node}
    caches = [cache for cache in machine.caches if cpus.keys() & set(cache.cpus)]
    ways, shared = cache_ways(machine.root)
    return NumaNode(
        id=node,
        socket=min((cpu.socket for cpu in cpus.values()), default=0),
        memory_bytes=machine.node_memory_bytes[node],
        # A node with several last-level caches (chiplets) shows their sum; ways are those of one cache.
        llc=LlcInfo(size_bytes=sum(cache.size_bytes for cache in caches), ways=ways, ways_shared_with_nic=shared)
        if caches
        else None,
        memory_bandwidth_steps_percent=memory_bandwidth_steps(machine.root),
    )
