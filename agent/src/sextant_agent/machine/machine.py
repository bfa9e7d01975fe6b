"""The machine as sysfs and procfs show it. Every path hangs under one root, so that tests read fixture trees."""

import os
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from sextant_agent.machine.cpulist import parse_cpulist

PCI_ADDRESS = re.compile(r"^[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$")


@dataclass(frozen=True, slots=True)
class Cpu:
    """One logical CPU."""

    id: int
    node: int
    socket: int
    core_id: int
    """Unique in its socket only."""
    siblings: tuple[int, ...]
    """Logical CPUs of its physical core, itself included."""


@dataclass(frozen=True, slots=True)
class CpuCache:
    """One last-level cache."""

    size_bytes: int
    cpus: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Interface:
    """One physical network interface."""

    name: str
    node: int | None
    pci_address: str | None
    driver: str | None
    speed_mbps: int | None


@dataclass(frozen=True, slots=True)
class LocalMachine:
    """What was read; nothing is judged here."""

    root: Path
    hostname: str
    kernel: str
    cpu_model: str
    cpus: tuple[Cpu, ...]
    """All that are online."""
    allowed: tuple[int, ...]
    """Those this agent may offer: by its affinity mask and, if given, by its settings."""
    node_memory_bytes: dict[int, int]
    caches: tuple[CpuCache, ...]
    interfaces: tuple[Interface, ...]


def read_machine(
    root: Path, wanted: tuple[int, ...] | None = None, affinity: frozenset[int] | None = None
) -> LocalMachine:
    """Read the tree under `root`. `affinity`: CPUs this process may use (default: ask the kernel)."""
    sys_cpu = root / "sys/devices/system/cpu"
    nodes = _nodes(root)
    online = parse_cpulist(_text(sys_cpu / "online") or "0")
    usable = os.sched_getaffinity(0) if affinity is None else affinity
    allowed = tuple(cpu for cpu in online if cpu in usable and (wanted is None or cpu in wanted))
    processors = _processors(root, online, tuple(sorted(nodes.items())))
    return LocalMachine(
        root=root,
        hostname=_text(root / "proc/sys/kernel/hostname") or "localhost",
        kernel=_text(root / "proc/sys/kernel/osrelease") or "unknown",
        cpu_model=processors.model,
        cpus=processors.cpus,
        allowed=allowed or online[:1],
        node_memory_bytes={node: _node_memory(root, node) for node in nodes},
        caches=processors.caches,
        interfaces=_interfaces(root / "sys/class/net"),
    )


class _Processors(NamedTuple):
    model: str
    cpus: tuple[Cpu, ...]
    caches: tuple[CpuCache, ...]


@lru_cache(maxsize=8)
def _processors(root: Path, online: tuple[int, ...], nodes: tuple[tuple[int, tuple[int, ...]], ...]) -> _Processors:
    """What stays as it is while the same CPUs are online, in the same nodes. An agent reads its machine once a second,
    and this is ten files a CPU."""
    sys_cpu = root / "sys/devices/system/cpu"
    cpus = tuple(_cpu(sys_cpu / f"cpu{cpu}", cpu, dict(nodes)) for cpu in online)
    return _Processors(_cpu_model(root), cpus, _last_level_caches(sys_cpu, online))


def llc_id(root: Path, cpu: int) -> int | None:
    """The kernel's number of the last-level cache that a CPU fills; None where it does not say."""
    levels = {
        level: index
        for index in (root / f"sys/devices/system/cpu/cpu{cpu}/cache").glob("index[0-9]*")
        if (level := _number(index / "level")) is not None
    }
    return _number(levels[max(levels)] / "id") if levels else None


def _text(path: Path) -> str | None:
    try:
        return path.read_text(errors="replace").strip()
    except OSError:  # a missing file, or a driver that answers EINVAL
        return None


def _number(path: Path) -> int | None:
    text = _text(path)
    try:
        return int(text) if text else None
    except ValueError:
        return None


def _nodes(root: Path) -> dict[int, tuple[int, ...]]:
    """NUMA nodes and their CPUs; a kernel without NUMA has node 0 with all of them."""
    folder = root / "sys/devices/system/node"
    found = {int(path.name[4:]): parse_cpulist(_text(path / "cpulist") or "") for path in folder.glob("node[0-9]*")}
    return found or {0: parse_cpulist(_text(root / "sys/devices/system/cpu/online") or "0")}


def _cpu(folder: Path, cpu: int, nodes: dict[int, tuple[int, ...]]) -> Cpu:
    topology = folder / "topology"
    siblings = _text(topology / "core_cpus_list") or _text(topology / "thread_siblings_list") or str(cpu)
    return Cpu(
        id=cpu,
        node=next((node for node, cpus in sorted(nodes.items()) if cpu in cpus), min(nodes)),
        socket=max(0, _number(topology / "physical_package_id") or 0),
        core_id=max(0, _number(topology / "core_id") or 0),
        siblings=parse_cpulist(siblings),
    )


def _node_memory(root: Path, node: int) -> int:
    text = _text(root / f"sys/devices/system/node/node{node}/meminfo") or _text(root / "proc/meminfo") or ""
    match = re.search(r"MemTotal:\s+(\d+) kB", text)
    return int(match.group(1)) * 1024 if match else 0


def _cpu_model(root: Path) -> str:
    text = _text(root / "proc/cpuinfo") or ""
    match = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE) or re.search(r"^CPU part\s*:\s*(.+)$", text, re.M)
    return match.group(1).strip() if match else "unknown CPU"


def _last_level_caches(sys_cpu: Path, online: tuple[int, ...]) -> tuple[CpuCache, ...]:
    """Each physical cache of the highest level once, whichever CPU shows it."""
    found: dict[tuple[int, tuple[int, ...]], int] = {}
    for cpu in online:
        for index in (sys_cpu / f"cpu{cpu}/cache").glob("index[0-9]*"):
            level, size = _number(index / "level"), _size(_text(index / "size"))
            if level is not None and size and _text(index / "type") != "Instruction":
                found[level, parse_cpulist(_text(index / "shared_cpu_list") or str(cpu))] = size
    highest = max((level for level, _ in found), default=0)
    return tuple(CpuCache(size, cpus) for (level, cpus), size in sorted(found.items()) if level == highest)


def _size(text: str | None) -> int | None:
    match = re.fullmatch(r"(\d+)([KMG]?)", text or "")
    return int(match.group(1)) * {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3}[match.group(2)] if match else None


def _interfaces(folder: Path) -> tuple[Interface, ...]:
    """Physical ones only: loopback, bridges and the like hang under /sys/devices/virtual and have no device."""
    found = []
    for path in sorted(folder.glob("*")):
        place = path.resolve()
        if path.name == "lo" or "virtual" in place.parts or not (path / "device").exists():
            continue
        # A virtio interface is the child of a virtio device, which is the child of the PCI device that has the node.
        pci = next((parent for parent in place.parents if PCI_ADDRESS.match(parent.name)), None)
        node = _number(pci / "numa_node") if pci else _number(path / "device/numa_node")
        speed = _number(path / "speed")
        driver = path / "device/driver"
        found.append(
            Interface(
                name=path.name,
                node=node if node is not None and node >= 0 else None,
                pci_address=pci.name if pci else None,
                driver=driver.resolve().name if driver.exists() else None,
                speed_mbps=speed if speed is not None and speed > 0 else None,
            )
        )
    return tuple(found)
