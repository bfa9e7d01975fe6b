"""What a host is made of, as the audit log keeps it, and when it has become another one. Pure."""

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from sextant_domain.hosts.host import Core, HostInventory

MEMORY_BLOCK_BYTES = 2**27
"""The least that Linux plugs and unplugs on x86: 128 MiB (memory-hotplug.rst, `block_size_bytes`)."""
MEMORY_SHARE = 32
"""Nodes have at most 24 DIMMs (12 channels of two), so that one that was added or has failed is more than a 32nd. What
is less comes from the kernel's own reserve, from blocks that a hypervisor plugs, and from its balloon."""

Topology = dict[str, Any]


def topology(inventory: HostInventory, agent_url: str) -> Topology:
    """What somebody has put in, installed or set up; no measurement, nor how fast a link is at present."""
    return {
        "agent": agent_url,
        "agent_version": inventory.agent_version,
        "kernel": inventory.kernel,
        "host_model": inventory.host_model,
        "driver": inventory.driver,
        "nodes": {
            str(node.id): {
                "socket": node.socket,
                "memory_bytes": node.memory_bytes,
                "llc_bytes": node.llc.size_bytes if node.llc else None,
                "llc_ways": node.llc.ways if node.llc else None,
            }
            for node in inventory.nodes
        },
        "cores": _cores(inventory.cores),
        "nics": {nic.name: {"node": nic.node, "pci_address": nic.pci_address} for nic in inventory.nics},
        "ports": {port.name: {"node": port.node, "kind": port.kind} for port in inventory.ports},
        "can": sorted(one.name for one in inventory.capabilities if one.available),
    }


def is_another(former: Mapping[str, Any] | None, now: Topology) -> bool:
    """Whether more differs than what a node's memory varies by of itself."""
    if former is None:
        return True
    return {**former, "nodes": _steady(former.get("nodes", {}), now["nodes"])} != now


def _steady(former: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """The former nodes, with the memory of now where it varies within bounds."""
    return {
        number: {**node, "memory_bytes": now[number]["memory_bytes"]}
        if number in now and _about_equal(node.get("memory_bytes", 0), now[number]["memory_bytes"])
        else node
        for number, node in former.items()
    }


def _about_equal(former: int, now: int) -> bool:
    return abs(now - former) <= max(MEMORY_BLOCK_BYTES, former // MEMORY_SHARE)


def _cores(cores: Iterable[Core]) -> dict[str, str]:
    """CPU numbers by what is equal of them: `{"node 0, 1 slot, reserved for rx": "2-3"}`."""
    kinds: dict[str, list[int]] = {}
    for core in sorted(cores, key=lambda one: one.id):
        words = [f"node {core.node}", f"{core.slots} slot{'' if core.slots == 1 else 's'}"]
        words += [f"reserved for {core.reserved_for.value}"] if core.reserved_for else []
        words += ["last choice"] if core.last_choice else []
        words += [f"{len(core.siblings) + 1} threads a core"] if core.siblings else []
        kinds.setdefault(", ".join(words), []).append(core.id)
    return {kind: _ranges(numbers) for kind, numbers in kinds.items()}


def _ranges(numbers: list[int]) -> str:
    """`[0, 1, 2, 5]` as `0-2,5`, as the kernel writes lists of CPUs."""
    parts = []
    for _, found in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        run = [number for _, number in found]
        parts.append(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}")
    return ",".join(parts)
