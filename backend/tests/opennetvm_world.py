"""Placements for OpenNetVM in few words, and a group file of them."""

import json
from typing import Any

from sextant_backend.modules.nfs.catalogue import BY_NAME
from sextant_domain.chains.chain import Egress, Execution, Ingress
from sextant_domain.chains.traffic import Traffic
from sextant_domain.hosts.desired import DesiredChain, DesiredNf, HostContent
from sextant_domain.hosts.host import Core, HostInventory, NumaNode, Port, ReservedFor

RESERVED = {0: ReservedFor.SYSTEM, 1: ReservedFor.MANAGER, 2: ReservedFor.RX, 3: ReservedFor.RX}
PLAIN: dict[str, dict[str, Any]] = {
    "firewall": {"synthetic_rules": 0},
    "nids": {"patterns": ["evil"], "synthetic_patterns": 0, "action": "drop"},
}
"""Configurations, beside the defaults, that stock NFs can have."""


def machine(cores: int = 16) -> HostInventory:
    """One node; core 0 is the system's, 1 to 3 are kept for a manager, NFs may have the others."""
    return HostInventory(
        host_id="edge-1", hostname="edge-1", host_model="test-cpu 1x16", driver="opennetvm", kernel="6.1",
        agent_version="0.1.0", nodes=(NumaNode(id=0, socket=0, memory_bytes=2**34),),
        cores=tuple(
            Core(id=n, node=0, socket=0, physical_core=n, slots=0 if n in RESERVED else 1, reserved_for=RESERVED.get(n))
            for n in range(cores)
        ),
        ports=(Port(name="west-0", node=0, kind="nic"),),
    )  # fmt: skip


def chain(name: str, *nfs: DesiredNf, port: str | None = None, execution: Execution = "isolated") -> DesiredChain:
    return DesiredChain(
        chain=name, nfs=nfs, ingress=Ingress(port=port), egress=Egress(),
        traffic=Traffic(rate_mpps=0.1, packet_bytes=64), execution=execution,
    )  # fmt: skip


def nf(nf_id: str, nf_type: str, core: int, **config: Any) -> DesiredNf:
    """With the type's defaults beneath."""
    whole = BY_NAME[nf_type].default_config() | PLAIN.get(nf_type, {}) | config
    return DesiredNf(nf_id=nf_id, nf_type=nf_type, nf_version=1, config=whole, core=core)


def content(*chains: DesiredChain) -> HostContent:
    return HostContent(host_id="edge-1", chains=chains)


def group(**programs: list[str]) -> str:
    """`group(simple_forward=["1 -d 2"], basic_monitor=["2"])`"""
    return json.dumps({name: [{"parameters": text} for text in texts] for name, texts in programs.items()})
