"""Small fleets for tests: hosts, NF types, chains and snapshots in one line each."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from sextant_domain.base import Provenance, digest_of
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.chains.nf import NfType
from sextant_domain.hosts.desired import DesiredChain, DesiredNf, HostContent
from sextant_domain.hosts.host import (
    SIMULATED,
    Capability,
    Core,
    HostInventory,
    HostStatus,
    LlcInfo,
    NumaNode,
    Port,
    ReservedFor,
)
from sextant_domain.plans.snapshot import CoreWork, FleetSnapshot, HostSnapshot
from sextant_domain.profiling.model import LocalRemote, PerformanceModel
from sextant_engine.parameters import assumed_models
from sextant_engine.seats import NO_OTHER_WORK

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def nf_type(name: str) -> NfType:
    """A type with one integer option `size`."""
    return NfType(
        name=name,
        version=1,
        short_name=name[:8],
        summary=name,
        library="none",
        config_schema={
            "type": "object",
            "additionalProperties": False,
            "properties": {"size": {"type": "integer", "minimum": 1, "default": 10}},
        },
    )


NF_TYPES = tuple(nf_type(name) for name in ("basic-monitor", "firewall", "router", "simple-forward"))


ABLE = tuple(
    Capability(name=name, available=True, reason="always")
    for name in ("configure", "cpu-share", "ipv6", "lanes", "pause", "rate-cost-shares", "run-to-completion")
)


def unable(inventory: HostInventory, name: str, reason: str) -> HostInventory:
    """The same host without one ability."""
    others = (one for one in inventory.capabilities if one.name != name)
    return inventory.model_copy(
        update={"capabilities": (*others, Capability(name=name, available=False, reason=reason))}
    )


def simulated(inventory: HostInventory) -> HostInventory:
    """The same machine, computed by the twin."""
    return inventory.model_copy(update={"capabilities": (*inventory.capabilities, SIMULATED)})


WAYS, STEPS = 11, (10, 50, 100)


def able(inventory: HostInventory) -> HostInventory:
    """The same machine with CAT and MBA: 11 ways a node, three steps."""
    llc = LlcInfo(size_bytes=30 * 2**20, ways=WAYS)
    nodes = tuple(
        node.model_copy(update={"llc": llc, "memory_bandwidth_steps_percent": STEPS}) for node in inventory.nodes
    )
    more = tuple(Capability(name=name, available=True, reason="always") for name in ("resctrl-cat", "resctrl-mba"))
    return inventory.model_copy(update={"nodes": nodes, "capabilities": (*inventory.capabilities, *more)})


def demo_inventory(name: str = "edge-1") -> HostInventory:
    """The two-core machine of the demonstration: core 0 with 2 last-choice slots, core 1 with 8."""
    return HostInventory(
        host_id=name,
        hostname=name,
        host_model="small-1x2",
        driver="testbed",
        kernel="6.1",
        agent_version="0.1.0",
        nodes=(NumaNode(id=0, socket=0, memory_bytes=2**34),),
        cores=(
            Core(id=0, node=0, socket=0, physical_core=0, siblings=(1,), slots=2, last_choice=True),
            Core(id=1, node=0, socket=0, physical_core=0, siblings=(0,), slots=8),
        ),
        ports=(Port(name="src0", node=0, kind="source"), Port(name="snk0", node=0, kind="sink")),
        capabilities=ABLE,
    )


def numa_inventory(name: str = "big-1", nodes: int = 2, cores: int = 4, reserved: Iterable[int] = ()) -> HostInventory:
    """Exclusive cores, `cores` a node numbered through, src0 and snk0 on node 0; no siblings."""
    held = set(reserved)
    return HostInventory(
        host_id=name,
        hostname=name,
        host_model=f"big-{nodes}x{cores}",
        driver="testbed",
        kernel="6.1",
        agent_version="0.1.0",
        nodes=tuple(NumaNode(id=node, socket=node, memory_bytes=2**36) for node in range(nodes)),
        cores=tuple(
            Core(
                id=core,
                node=core // cores,
                socket=core // cores,
                physical_core=core,
                reserved_for=ReservedFor.SYSTEM if core in held else None,
            )
            for core in range(nodes * cores)
        ),
        ports=(Port(name="src0", node=0, kind="source"), Port(name="snk0", node=0, kind="sink")),
        capabilities=ABLE,
    )


def host(
    inventory: HostInventory,
    chains: Iterable[DesiredChain] = (),
    generation: int = 0,
    status: HostStatus = HostStatus.UP,
    other: Mapping[int, float] = NO_OTHER_WORK,
) -> HostSnapshot:
    """A host that was ordered to run `chains`; `other`: by core, what other work uses of it."""
    content = HostContent(host_id=inventory.host_id, chains=tuple(sorted(chains, key=lambda chain: chain.chain)))
    return HostSnapshot(
        inventory=inventory,
        status=status,
        generation=generation,
        digest=digest_of(content),
        content=content,
        other_work=tuple(CoreWork(core=core, percent=percent) for core, percent in sorted(other.items())),
    )


def chain(name: str, *nfs: Any, rate: float = 1.0, **fields: Any) -> ChainSpec:
    """A chain; `nfs` as in a chain file."""
    return ChainSpec.model_validate(
        {
            "name": name,
            "nfs": list(nfs) or ["router", "firewall", "basic-monitor"],
            "traffic": {"rate_mpps": rate, "packet_bytes": 64},
            **fields,
        }
    )


def running(spec: ChainSpec, inventory: HostInventory, seats: Iterable[tuple[int, int]]) -> DesiredChain:
    """The chain as it runs, on (core, slot) each."""
    entry = next((port.name for port in inventory.ports if port.kind == "source"), None)
    way_out = next((port.name for port in inventory.ports if port.kind == "sink"), None)
    return DesiredChain(
        chain=spec.name,
        nfs=tuple(
            DesiredNf(
                nf_id=spec.nf_id(position),
                nf_type=nf.type,
                nf_version=1,
                config={"size": 10, **nf.config},
                core=core,
                slot=slot,
                cpu_share=nf.cpu_share,
                cpu_quota_percent=nf.cpu_quota_percent,
            )
            for position, (nf, (core, slot)) in enumerate(zip(spec.nfs, seats, strict=True))
        ),
        ingress=spec.ingress.model_copy(update={"host": inventory.host_id, "port": entry}),
        egress=spec.egress.model_copy(update={"host": inventory.host_id, "port": way_out}),
        traffic=spec.traffic,
        execution=spec.execution,
        paused=spec.paused,
        share_bounds=spec.share_bounds,
        quota_bounds=spec.quota_bounds,
    )


def measured(nf_type: str, ideal: float, host_model: str = "small-1x2", **more: Any) -> PerformanceModel:
    """Throughput measured alone, drops assumed: all that a host without two cores that share an L3 can measure."""
    assumed = next(model for model in assumed_models(host_model) if model.nf_type == nf_type)
    both = LocalRemote(local=ideal, remote=ideal)
    change = {"version": "fit-1", "ideal_mpps": both, "ideal_provenance": Provenance.MEASURED, "nf_version": 1, **more}
    return assumed.model_copy(update=change)


def snapshot(
    hosts: Iterable[HostSnapshot],
    chains: Iterable[ChainSpec],
    models: Iterable[PerformanceModel] | None = None,
    nf_types: Iterable[NfType] = NF_TYPES,
) -> FleetSnapshot:
    """A fleet with the assumed models of its host models, unless others are given."""
    hosts = tuple(hosts)
    if models is None:
        names = sorted({one.inventory.host_model for one in hosts})
        models = [model for name in names for model in assumed_models(name)]
    return FleetSnapshot(
        taken_at=NOW, hosts=hosts, chains=tuple(chains), nf_types=tuple(nf_types), models=tuple(models)
    )
