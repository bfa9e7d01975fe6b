"""What a host of measured packets offers to placement, and what it cannot do."""

from collections.abc import Iterable

from sextant_domain.chains.cpu_bounds import QUOTA_BOUNDS
from sextant_domain.chains.kernel_nf import IN_KERNEL, KERNEL_NFS
from sextant_domain.chains.lane import LANES
from sextant_domain.chains.match import IPV6
from sextant_domain.chains.part import OVER_HOSTS
from sextant_domain.hosts.host import PROFILING, SHARED_SLOTS, Capability, HostInventory
from sextant_domain.hosts.path import PathPlace

from sextant_agent.machine.inventory import CoreSharing, build_inventory, exclusive_cores
from sextant_agent.machine.machine import LocalMachine

NAME = "srv6"
NF_TYPES = IN_KERNEL | frozenset(
    {
        "router", "firewall", "nids", "dpi", "basic-monitor", "nat", "load-balancer", "vpn", "bubble", "simple-forward",
    }
)  # fmt: skip
"""Proven on packets with measurements inside (docs/contracts/srv6-nf.md)."""
NOT_MEASURED = "NFs are measured on a host of the driver testbed, where nothing but the NF takes time"
CAN = (
    Capability(name="pause", available=True, reason="the source makes the packets itself, and can stop making them"),
    Capability(
        name="configure",
        available=True,
        reason="a load balancer's backends and the rules of an nft-firewall change while packets flow",
    ),
    Capability(name=IPV6, available=True, reason="packets of IPv4 and IPv6 are wrapped, and read by NFs, alike"),
    Capability(name=LANES, available=True, reason="the source can send the flows of one lane of a chain alone"),
    Capability(
        name=SHARED_SLOTS, available=True, reason="NFs sleep while they have no packets, and the kernel divides cores"
    ),
    Capability(
        name="run-to-completion", available=False, reason="every NF has a packet socket and a process of its own"
    ),
    Capability(name=PROFILING, available=False, reason=NOT_MEASURED),
)  # fmt: skip


def quota_bounds(reason: str | None, cpu: Capability) -> Capability:
    """Whether quotas are set by what packets measure. `reason`: why none are measured now."""
    why_not = reason if reason is not None else None if cpu.available else cpu.reason
    how = (
        "packets say how long each NF had them, and the root helper sets CPU quotas, and what else there is of resctrl"
    )
    return Capability(name=QUOTA_BOUNDS, available=why_not is None, reason=why_not or how)


def kernel_nfs(reason: str | None) -> Capability:
    """`reason`: why there can be none now; None where there can."""
    how = "nftables filters packets where they pass, in the kernel, and the root daemon loads its rules"
    return Capability(name=KERNEL_NFS, available=reason is None, reason=reason or how)


def inventory_of(  # noqa: PLR0917 - all that an inventory is made of
    machine: LocalMachine,
    host_id: str,
    sharing: CoreSharing,
    place: PathPlace,
    reason: str | None,
    extra: Iterable[Capability],
    budget_percent: float | None,
) -> HostInventory:
    """`reason`: why packets cannot be carried here now; None where they can. `budget_percent`: of a core, for NFs."""
    how = "packets carry what was measured of them, by programs in the kernel"
    measured = Capability(name=OVER_HOSTS, available=reason is None, reason=reason or how)
    capabilities = (measured, exclusive_cores(machine, sharing), *CAN, *extra)
    host = build_inventory(machine, host_id, NAME, capabilities, sharing)
    return host.model_copy(
        update={
            "path_place": place,
            "host_model": f"{host.host_model}, measured packets",
            "cpu_budget_percent": budget_percent,
        }
    )
