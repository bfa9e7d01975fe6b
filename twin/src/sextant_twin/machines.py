"""Machines: data files of `data/machines`, read, checked and turned into what the core is given.

Whether a physical core has two threads is a host's setting (in its BIOS) and not its model's. So each of them is also
there with `-smt` behind its name: the same, with siblings as `data/siblings.toml` says.
"""

import json
import random
from dataclasses import replace
from functools import cache
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator
from sextant_domain.base import Frozen

from sextant_twin.calibration import TwinCalibration
from sextant_twin.document import DATA, Document, Shelf, checked, read
from sextant_twin.quantities import (
    BitsPerSecond,
    Bytes,
    BytesPerSecond,
    Cycles,
    Hertz,
    PacketsPerSecond,
    Seconds,
    Share,
)

FOLDER = DATA / "machines"
SIBLINGS = DATA / "siblings.toml"
SMT = "-smt"
"""Behind the name of a machine: with two threads a physical core."""

Whole = Annotated[int, Field(strict=True, ge=0, le=1024)]
Above0 = Annotated[int, Field(strict=True, ge=1, le=1024)]


class Siblings(Frozen):
    """Two threads of a physical core, and what they share."""

    gain: float = Field(ge=1, le=2)
    """What both get done while neither waits for a cache or memory, of what one alone does."""


class PrivateCache(Frozen):
    """A core's own second-level cache."""

    size: Bytes = Field(ge=4096)
    latency: Seconds = Field(gt=0)
    """Load to use."""


class LastLevelCache(Frozen):
    """The last-level cache of a NUMA node."""

    size: Bytes = Field(ge=65536)
    ways: Above0
    way_size: Bytes
    latency: Seconds = Field(gt=0)
    """Load to use."""
    ddio_ways: Whole
    """Ways that DMA may allocate into; 0: DMA goes to memory."""
    inclusive: Annotated[bool, Field(strict=True)]
    """True: what it evicts leaves the cores' own caches, too. False: it takes what those evict."""
    cat_classes: Whole
    """Classes of service of cache allocation (CAT); 0: the part has none."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.way_size * self.ways != self.size:
            raise ValueError(f"{self.ways} ways of {self.way_size} B are not {self.size} B: correct one of the three")
        if self.ways > 32:
            raise ValueError("ways: a mask has 32 bits")
        if self.ddio_ways > self.ways:
            raise ValueError(f"ddio_ways: {self.ddio_ways} of {self.ways} ways: there are not so many")
        return self


class NodeMemory(Frozen):
    """The memory of a NUMA node."""

    channels: Above0
    channel_bandwidth: BytesPerSecond = Field(gt=0)
    """Transfers a second x 8 B."""
    latency: Seconds = Field(gt=0)
    """Load to use from a core of the node, idle."""
    generation: Literal["haswell", "skylake", "cascade-lake"]
    """Of those calibrated, the nearest relative: what it carries of its bandwidth, and latency under load."""
    curve: Literal["xeon-e5-2695-v4"] | None = None
    """Whose latency under load it follows where not its generation's: a machine of which one was published."""


class Link(Frozen):
    """Between two NUMA nodes."""

    bandwidth: BytesPerSecond = Field(gt=0)
    """In each direction: lanes x transfers a second, all links between the two together."""
    remote_latency: Seconds = Field(gt=0)
    """Load to use from the other node's memory, idle."""


class NicPort(Frozen):
    """A network card's port."""

    node: Whole
    rate: BitsPerSecond = Field(gt=0)
    packet_rate: PacketsPerSecond = Field(gt=0)
    """Most packets a second in each direction."""


class Handoff(Frozen):
    """Reading what another core wrote."""

    local: Seconds = Field(gt=0)
    """From another core's cache in the node."""
    remote: Seconds = Field(gt=0)
    """From one in another node that is the line's home."""
    ring_lines: float = Field(ge=0, le=16)
    """Lines of a ring a packet."""
    metadata_lines: float = Field(ge=0, le=16)
    """Lines of its metadata that change hands."""


class Framework(Frozen):
    """What moves packets between NFs, and the system that shares cores."""

    rx: Cycles
    tx: Cycles
    ring: Cycles
    """A packet, either side."""
    slice: Seconds = Field(gt=0)
    switch: Seconds


class Delays(Frozen):
    """From an order to its effect."""

    cpuset: Seconds
    """Until a thread runs on another core."""
    resctrl: Seconds
    """Until a mask of ways or a throttle of memory requests holds."""
    cgroup: Seconds
    """Until a weight or quota holds."""
    clock: Seconds
    """Until a core has another clock."""
    start: Seconds
    """Until a process that is started takes packets."""


class Noise(Frozen):
    """How far hardware counters are off: standard deviations relative to the figure."""

    relative: Share
    """Of every counter."""
    multiplexing: Share
    """Further, of those that take turns on too few registers."""


class Machine(Frozen):
    """A host model: nodes that are all alike, and what joins them."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,62}$")
    summary: str = Field(min_length=1, max_length=2000)
    nodes: Annotated[int, Field(strict=True, ge=1, le=16)]
    cores_per_node: Annotated[int, Field(strict=True, ge=1, le=256)]
    clock: Hertz = Field(gt=0)
    l2: PrivateCache
    llc: LastLevelCache
    memory: NodeMemory
    link: Link
    nics: tuple[NicPort, ...] = Field(max_length=64)
    handoff: Handoff
    framework: Framework
    mba_classes: Whole
    """Classes of service of memory bandwidth allocation (MBA); 0: the part has none."""
    delays: Delays
    noise: Noise
    siblings: Siblings | None = None
    """None: one thread a physical core."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        for index, nic in enumerate(self.nics):
            if nic.node >= self.nodes:
                raise ValueError(f"nics.{index}.node: {nic.node} of {self.nodes} nodes: there are not so many")
        if self.link.remote_latency < self.memory.latency:
            raise ValueError("link.remote_latency: is below that of local memory")
        return self

    @property
    def physical_cores(self) -> int:
        """Of all nodes."""
        return self.nodes * self.cores_per_node

    @property
    def cores(self) -> range:
        """What a process can be pinned to. Those from `physical_cores` on are the second threads, in the same order, as
        Linux counts them."""
        return range(self.physical_cores if self.siblings is None else 2 * self.physical_cores)

    def node_of(self, core: int) -> int:
        """Of a core."""
        return core % self.physical_cores // self.cores_per_node

    def siblings_of(self, core: int) -> tuple[int, ...]:
        """The other threads of the physical core of a core."""
        physical = self.physical_cores
        return tuple(other for other in range(core % physical, self.cores.stop, physical) if other != core)

    def core_json(self, calibration: TwinCalibration) -> str:
        """What the core's `Host` is made of: this data, with what only calibration knows."""
        return json.dumps(self.core(calibration))

    def core(self, calibration: TwinCalibration) -> dict[str, Any]:
        """The same as a tree, in base units."""
        memory, link = calibration.memory, calibration.link
        raw = self.memory.channels * self.memory.channel_bandwidth
        return {
            "name": self.name,
            "nodes": self.nodes,
            "cores_per_node": self.cores_per_node,
            "clock_hz": self.clock,
            "l2": {"bytes": self.l2.size, "latency_s": self.l2.latency},
            "llc": {
                "bytes": self.llc.size,
                "ways": self.llc.ways,
                "latency_s": self.llc.latency,
                "ddio_ways": self.llc.ddio_ways,
                "inclusive": self.llc.inclusive,
                "cat": self.llc.cat_classes > 0,
                "spread": calibration.llc.spread,
            },
            "memory": {
                "bandwidth_bytes_s": raw * memory.efficiency[self.memory.generation],
                "latency_s": self.memory.latency,
                "curve": memory.curve[self.memory.curve or self.memory.generation].core(),
            },
            "link": {
                "bandwidth_bytes_s": self.link.bandwidth * link.efficiency,
                "latency_s": self.link.remote_latency - self.memory.latency,
                "curve": link.curve.core(),
            },
            "nics": [
                {"node": nic.node, "bandwidth_bytes_s": nic.rate / 8, "packets_s": nic.packet_rate} for nic in self.nics
            ],
            "handoff": {
                "local_s": self.handoff.local,
                "remote_s": self.handoff.remote,
                "mlp": calibration.handoff.mlp,
                "ring_lines": self.handoff.ring_lines,
                "metadata_lines": self.handoff.metadata_lines,
            },
            "framework": {
                "rx_cycles": self.framework.rx,
                "tx_cycles": self.framework.tx,
                "ring_cycles": self.framework.ring,
                "slice_s": self.framework.slice,
                "switch_s": self.framework.switch,
            },
            "mba": self.mba_classes > 0,
            "delays": {f"{name}_s": delay for name, delay in self.delays},
            "noise": self.noise.model_dump(),
            **({} if self.siblings is None else {"siblings": self.siblings.model_dump()}),
        }


_SHELF = Shelf("machine", FOLDER, Machine)
names = _SHELF.names


def is_known(name: str) -> bool:
    """Whether there is data of it: one of `names`, or one of these with siblings."""
    return name.removesuffix(SMT) in names()


@cache
def described(name: str) -> Document:
    """The data of that name, with the source of every value. Raises BadTwinInput."""
    base = name.removesuffix(SMT)
    found = _SHELF.described(base)
    return found if base == name else _with_siblings(found, name)


def load(name: str) -> Machine:
    """The machine of that name. Raises BadTwinInput."""
    return checked(Machine, described(name).values)


def draw(name: str, generator: random.Random) -> Machine:
    """The same with its priors drawn. Raises BadTwinInput."""
    return checked(Machine, described(name).drawn(generator))


def _with_siblings(machine: Document, name: str) -> Document:
    """A machine's document under another name, with what is known of siblings; its own where it has some."""
    if "siblings" in machine.values:
        return replace(machine, values={**machine.values, "name": name})
    shared = read(SIBLINGS)
    summary = f"{machine.values['summary']} Two threads a physical core."
    return Document(
        values={**machine.values, "name": name, "summary": summary, "siblings": shared.values},
        sources={**machine.sources, **{f"siblings.{path}": source for path, source in shared.sources.items()}},
        spreads={**machine.spreads, **{f"siblings.{path}": spread for path, spread in shared.spreads.items()}},
        limits={**machine.limits, **{f"siblings.{path}": limit for path, limit in shared.limits.items()}},
    )
