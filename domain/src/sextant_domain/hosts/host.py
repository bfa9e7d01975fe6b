"""What a host is made of: sockets, NUMA nodes, cores, NICs, and what its agent can do there."""

from collections.abc import Collection
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, StringConstraints, ValidationInfo, field_validator, model_validator

from sextant_domain.base import Frozen, Name
from sextant_domain.chains.kernel_nf import IN_KERNEL, KERNEL_NFS
from sextant_domain.hosts.path import PathPlace


class ReservedFor(StrEnum):
    """Who holds a core that no NF may take."""

    SYSTEM = "system"
    MANAGER = "manager"
    RX = "rx"
    TX = "tx"
    OPERATOR = "operator"
    """An operator said so on the console; its agent knows nothing of it."""

    @property
    def text(self) -> str:
        """'reserved for rx', 'reserved by an operator'."""
        return "reserved by an operator" if self is ReservedFor.OPERATOR else f"reserved for {self.value}"


class LlcInfo(Frozen):
    """The last-level cache of a node, as resctrl and sysfs report it."""

    size_bytes: int = Field(ge=0)
    ways: int | None = None
    """Ways that CAT can hand out; None where the machine has no CAT."""
    ways_shared_with_nic: int = 0
    """Ways that DDIO writes into (resctrl's shareable_bits)."""


class NumaNode(Frozen):
    """One NUMA node. It is local for a chain if it holds the NIC (or port) the chain's packets arrive on."""

    id: int = Field(ge=0)
    socket: int = Field(ge=0)
    memory_bytes: int = Field(ge=0)
    llc: LlcInfo | None = None
    memory_bandwidth_steps_percent: tuple[int, ...] = ()
    """The steps MBA accepts, rising; empty where the machine has no MBA."""


MOST_SLOTS = 64
"""Of a core."""


class Core(Frozen):
    """One logical CPU that NFs may be pinned to."""

    id: int = Field(ge=0)
    """The kernel's CPU number."""
    node: int = Field(ge=0)
    socket: int = Field(ge=0)
    physical_core: int = Field(ge=0)
    siblings: tuple[int, ...] = ()
    """Other logical CPUs on the same physical core."""
    slots: int = Field(default=1, ge=0, le=MOST_SLOTS)
    """NFs it may hold at once; 1 = exclusive, more = shared slots."""
    agent_slots: int | None = Field(default=None, ge=1, le=MOST_SLOTS, exclude_if=lambda slots: slots is None)
    """What its agent offers where an operator has set other slots; None where `slots` is the agent's word."""
    last_choice: bool = False
    """True where NFs go only when every other core is full (core 0 of a small host)."""
    reserved_for: ReservedFor | None = None

    def with_slots(self, slots: int | None) -> Self:
        """The same core with an operator's slots; None: with its agent's. One that its agent offers to nobody stays
        so."""
        agents = self.slots if self.agent_slots is None else self.agent_slots
        if slots is None or agents in (0, slots):
            return self.model_copy(update={"slots": agents, "agent_slots": None})
        return self.model_copy(update={"slots": slots, "agent_slots": agents})

    def reserved_by_operator(self, reserved: bool) -> Self:
        """The same core, reserved by an operator or not; one that its agent reserves stays so."""
        agents = None if self.reserved_for is ReservedFor.OPERATOR else self.reserved_for
        return self.model_copy(update={"reserved_for": agents or (ReservedFor.OPERATOR if reserved else None)})


class Nic(Frozen):
    """A network interface, as far as placement cares."""

    name: str
    node: int | None
    """The NUMA node it is attached to; None where the kernel does not know."""
    pci_address: str | None = None
    driver: str | None = None
    speed_mbps: int | None = None


class Port(Frozen):
    """Where packets can enter or leave a chain on this host."""

    name: Name
    node: int
    kind: str
    """`source`, `sink` (testbed's own packet source and sink) or `nic`."""
    chains: int | None = Field(default=None, ge=1, exclude_if=lambda most: most is None)
    """The most chains whose packets can enter here; None: as many as there is room for. OpenNetVM gives all packets of
    a port to one."""


class Capability(Frozen):
    """One thing an agent may be able to do; what it cannot do comes with the reason."""

    name: Name
    available: bool
    reason: str
    """Why not, or how: 'no resctrl file system: /sys/fs/resctrl is not mounted'."""


def traffic_core(cores: tuple[Core, ...]) -> int:
    """Of these, at least one: that reserved for RX; on a small host, which reserves none, the last, so that core 0 is
    left to the console."""
    return next((core.id for core in cores if core.reserved_for is ReservedFor.RX), cores[-1].id)


EXCLUSIVE_CORES = "exclusive-cores"
"""Capability: its agent offers every NF a core of its own, so that Octans' model holds; or why NFs share cores. An
operator's slots are set over it. OpenNetVM hosts leave it out: whether NFs share a core is there a setting of each
manager."""
SHARED_SLOTS = "shared-slots"
"""Capability: an operator may set how many NFs share a core; or why not. Its agent takes orders for any slot then."""
SHARE_LINES = "share-lines"
"""Capability: where its agent divides cores, it begins with the lines of shares that its order holds (`share_lines`).
An agent that leaves it out is sent none."""
PROFILING = "profiling"
"""Capability: the host measures NFs at all."""
PROFILING_COLOCATION = "profiling-colocation"
"""Capability: it can measure what NFs of other cores take from each other."""
PROFILING_RATES = "profiling-rates"
"""Capability: competitors can be fed less than they can take. Hosts that leave it out can."""
PROFILING_CHAINS = "profiling-chains"
"""Capability: NFs can be measured with others of their chain, and beside competitors in chains."""
PROFILING_RESOURCES = "profiling-resources"
"""Capability: an NF can be measured with cache ways and memory bandwidth of its own, which levels are found by."""
PROFILING_RESOURCES_REMOTE = "profiling-resources-remote"
"""Capability: it can do so on nodes that packets do not arrive on, too. Hosts that leave it out can."""
PROFILING_SHARES = "profiling-shares"
"""Capability: what part of its core an NF takes can be measured at a rate that it is offered."""
PROFILING_BESIDE_CHAINS = "profiling-beside-chains"
"""Capability: it measures on free cores while chains run on others. Hosts that leave it out do."""
STUCK_MANAGERS = "stuck-managers"
"""Capability: what carries chains there is ended and started anew once it makes no progress. Hosts whose data plane is
one process of ours leave it out."""
SIMULATED = Capability(
    name="simulated", available=True, reason="computed by the twin: no packet of anybody passes here"
)
"""Capability: of a host whose figures are simulated; other hosts leave it out."""


class ThreadThrottleMode(StrEnum):
    """What of memory bandwidth threads of one physical core have where their groups have different limits, as resctrl's
    file of that name says."""

    MAX = "max"
    """Each the least of them: the core is throttled as a whole."""
    PER_THREAD = "per-thread"


class HostInventory(Frozen):
    """What the agent found on its machine; reported, never assumed."""

    host_id: Name
    hostname: str
    host_model: str
    """Groups hosts that share performance models: CPU model, sockets x cores, and what carries packets where it is not
    the testbed: OpenNetVM, or measured packets."""
    driver: Name
    """For people: what a host can do, its capabilities say."""
    kernel: str
    agent_version: str
    nodes: tuple[NumaNode, ...]
    cores: tuple[Core, ...]
    nics: tuple[Nic, ...] = ()
    ports: tuple[Port, ...] = ()
    capabilities: tuple[Capability, ...] = Field(default=(), validate_default=True)
    nf_types: tuple[Name, ...] | None = Field(default=None, exclude_if=lambda names: names is None)
    """Built-in NF types that its data plane has a program for; None: all, or it has not said."""
    resource_groups: int | None = Field(default=None, ge=0, exclude_if=lambda groups: groups is None)
    """NFs and chains that can have LLC ways or memory bandwidth of their own at once: the kernel counts classes of
    service for the whole host, and one is everybody's. None: its agent has not said."""
    thread_throttle_mode: ThreadThrottleMode | None = Field(default=None, exclude_if=lambda mode: mode is None)
    """None: its kernel does not say, or cannot limit memory bandwidth."""
    most_flows: int | None = Field(default=None, ge=1, exclude_if=lambda most: most is None)
    """Distinct flows that a measurement on it can play; None: as many as a request may name."""
    most_competitors: int | None = Field(default=None, ge=0, exclude_if=lambda most: most is None)
    """NFs that a measurement on it can have beside the one that is measured; None: as many as there are cores for."""
    cpu_budget_percent: float | None = Field(default=None, gt=0, le=1_000_000, exclude_if=lambda most: most is None)
    """What all NFs on it may use together, in percent of a core; None: all of its cores, or its agent has not said."""
    path_place: PathPlace | None = Field(default=None, exclude_if=lambda place: place is None)
    """Among hosts that exchange measured packets; None: it carries no chain that passes others."""

    @field_validator("capabilities", mode="after")
    @classmethod
    def _of_a_former_agent(cls, found: tuple[Capability, ...], info: ValidationInfo) -> tuple[Capability, ...]:
        """Up to 0.1.0 the driver's name said that a host is simulated: so do agents, rows and snapshots of then."""
        former = info.data.get("driver") == "twin" and SIMULATED.name not in {one.name for one in found}
        return (*found, SIMULATED) if former else found

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        node_ids = [node.id for node in self.nodes]
        core_ids = [core.id for core in self.cores]
        if len(set(node_ids)) != len(node_ids) or len(set(core_ids)) != len(core_ids):
            raise ValueError("node and core ids must be unique on a host")
        strangers = {core.node for core in self.cores} | {port.node for port in self.ports}
        if not strangers <= set(node_ids):
            raise ValueError(f"cores or ports name nodes that are not listed: {sorted(strangers - set(node_ids))}")
        return self

    @property
    def simulated(self) -> bool:
        """Computed by the twin: no packet of anybody passes there."""
        return self.why_not(SIMULATED.name) is None

    @property
    def order_of_choice(self) -> int:
        """A chain that names no host goes to hosts of the least number that the fleet has. 0: to most; 1: beside them,
        not to those that measure packets, where an NF takes many times as long and cannot be measured alone; 2: nor to
        simulated ones, which move no real packets."""
        return 2 if self.simulated else 0 if self.path_place is None else 1

    @property
    def why_named_only(self) -> str:
        """Why a chain has to name it, beside hosts of an earlier choice."""
        return ("", "measures packets", "is simulated")[self.order_of_choice]

    @property
    def shares_cores(self) -> bool:
        """True where some core has more than one slot: Octans' model does not apply there."""
        return any(core.slots > 1 for core in self.cores)

    @property
    def traffic_core(self) -> int | None:
        """The core that the host's own source and sink run on; None where packets come and go by NICs."""
        own = any(port.kind == "source" for port in self.ports)
        return traffic_core(self.cores) if own and self.cores else None

    def arrival_node(self, port: str | None) -> int:
        """The node that packets of a chain arrive on which enters by this port: the local one. Where no port is named,
        that of the first port, else of the first NIC whose node is known, else the first node."""
        named = [one.node for one in self.ports if port is None or one.name == port]
        nics = [nic.node for nic in self.nics if nic.node is not None]
        return next(iter([*named, *nics]), self.nodes[0].id)

    def reserving(self, cores: Collection[int]) -> Self:
        """The same machine with exactly these cores kept from NFs by an operator, of those that its agent leaves to
        NFs; numbers of cores that it does not have mean nothing."""
        return self.model_copy(
            update={"cores": tuple(core.reserved_by_operator(core.id in cores) for core in self.cores)}
        )

    def why_no_slots(self, slots: int) -> str | None:
        """Why an operator cannot set so many NFs a core here; None where one can."""
        why_not = self.why_not(SHARED_SLOTS)
        if why_not is not None or slots > 1:
            return why_not
        if self.traffic_core not in self.cores_for_nfs:
            return None
        return (
            f"chains' source and sink run on core {self.traffic_core}, which NFs may have too: reserve that core, or "
            "start its agent with SEXTANT_AGENT_SHARED_CORES=never"
        )

    def with_slots(self, slots: int | None) -> Self:
        """The same machine with so many NFs a core, as an operator has set; None, or where that cannot be: with what
        its agent offers."""
        possible = slots if slots is not None and self.why_no_slots(slots) is None else None
        return self.model_copy(update={"cores": tuple(core.with_slots(possible) for core in self.cores)})

    def why_reserved(self, core_id: int) -> str | None:
        """'core 3 is reserved by an operator'; None where no NF is kept from it so."""
        core = self.reserved_with(core_id)
        if core is None or core.reserved_for is None:
            return None
        whose = f"core {core_id}" if core.id == core_id else f"core {core_id} stays empty: its sibling, core {core.id},"
        return f"{whose} is {core.reserved_for.text}"

    def reserved_with(self, core_id: int) -> Core | None:
        """The reserved core that keeps NFs from this one: itself or, where NFs have physical cores of their own,
        another thread of the same physical core."""
        by_id = {core.id: core for core in self.cores}
        core = by_id.get(core_id)
        if core is None:
            return None
        threads = [core, *(by_id[sibling] for sibling in core.siblings if sibling in by_id)]
        shared = any(thread.slots > 1 for thread in threads)
        return next((one for one in (threads[:1] if shared else threads) if one.reserved_for is not None), None)

    @property
    def cores_for_nfs(self) -> tuple[int, ...]:
        """Cores that an NF may have: they offer slots, and nobody has reserved them."""
        return tuple(core.id for core in self.cores if core.slots > 0 and self.why_reserved(core.id) is None)

    def cannot_run(self, nf_type: str) -> bool:
        """It has no program for a built-in NF type, or a kernel that cannot be it."""
        if nf_type in IN_KERNEL and self.why_not(KERNEL_NFS) is not None:
            return True
        return self.nf_types is not None and nf_type not in self.nf_types

    def why_not(self, capability: str) -> str | None:
        """Why the host cannot do it; None where it can."""
        found = next((one for one in self.capabilities if one.name == capability), None)
        if found is None:
            return "its driver does not offer it"
        return None if found.available else found.reason

    def why_refused(self, capability: str) -> str | None:
        """Why the host cannot do what hosts that do not name it can; None where it can."""
        found = (one for one in self.capabilities if one.name == capability and not one.available)
        return next((one.reason for one in found), None)


class Cordon(Frozen):
    """A host that takes no new NF: nothing starts or moves there, what stands there goes on running."""

    reason: str
    by: str
    """The user who cordoned it."""
    since: datetime


class CordonRequest(Frozen):
    """Why no NF shall start or move on a host from now on."""

    reason: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]


class ReservedCore(Frozen):
    """A core that an operator keeps from NFs, in addition to those that the host's agent reserves."""

    core: int = Field(ge=0)
    """The kernel's CPU number; it stays listed where the machine no longer has that core, and means nothing then."""
    reason: str
    by: str
    """The user who reserved it."""
    since: datetime


class CoreSlots(Frozen):
    """How many NFs may share a core of a host, set by an operator in place of what its agent offers."""

    slots: int = Field(ge=1, le=MOST_SLOTS)
    """Of every core that its agent offers to NFs; 1: every NF has a core of its own."""
    reason: str
    by: str
    """The user who set it."""
    since: datetime
    not_met: str | None = None
    """Why it is not so at present, as where its agent was replaced by one that cannot; None where it is."""


class CoreSlotsRequest(Frozen):
    """How many NFs may share a core of a host from now on."""

    slots: Annotated[int, Field(ge=1, le=MOST_SLOTS)] | None
    """1: every NF has a core of its own; None: what its agent offers by the size of the machine."""
    reason: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)] | None = None
    """Why; needed where `slots` is a number."""


MOST_CORES = 4096
"""Of one host, that an operator may reserve."""


class ReservedCoresRequest(Frozen):
    """Every core of a host that operators keep from NFs from now on; none: NFs may have all that its agent offers."""

    cores: Annotated[tuple[Annotated[int, Field(ge=0, lt=2**16)], ...], Field(max_length=MOST_CORES)]
    reason: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)] | None = None
    """Why those that are new are reserved; the others keep theirs."""


class HostStatus(StrEnum):
    """What the backend knows of a host's agent."""

    UP = "up"
    STALE = "stale"
    """No telemetry for longer than the stale limit: figures are the last known ones."""
    UNREACHABLE = "unreachable"
    """Silent for longer than the unreachable limit, or its last order could not be delivered."""
