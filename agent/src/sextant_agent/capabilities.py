"""What the machine lets the agent do, each with how, or why not; what the driver can do it adds itself."""

import os
from pathlib import Path

from sextant_domain.host import Capability

from sextant_agent.machine import Machine

RESCTRL = "sys/fs/resctrl"


def capabilities(machine: Machine) -> tuple[Capability, ...]:
    """Checked by looking, not by trying: nothing on the machine is changed."""
    root = machine.root
    return (
        Capability(name="pinning", available=True, reason="sched_setaffinity on the agent's own processes"),
        _cache_allocation(root),
        _bandwidth_allocation(root),
        _hugepages(root),
        _counters(root),
        _numa(machine),
        _root_user(),
    )


def cache_ways(root: Path) -> tuple[int | None, int]:
    """Ways that CAT hands out (None without CAT), and how many of them the NIC writes into."""
    for name in ("L3", "L3CODE"):
        mask = _hex(root / RESCTRL / "info" / name / "cbm_mask")
        if mask:
            return mask.bit_count(), (_hex(root / RESCTRL / "info" / name / "shareable_bits") or 0).bit_count()
    return None, 0


def memory_bandwidth_steps(root: Path) -> tuple[int, ...]:
    """Percentages MBA accepts, rising; empty without MBA."""
    lowest = _int(root / RESCTRL / "info/MB/min_bandwidth")
    step = _int(root / RESCTRL / "info/MB/bandwidth_gran")
    if not lowest or not step:
        return ()
    return tuple(range(lowest, 101, step))


def _cache_allocation(root: Path) -> Capability:
    ways, _ = cache_ways(root)
    if ways is None:
        return Capability(name="resctrl-cat", available=False, reason=_no_resctrl(root, "info/L3", "cache allocation"))
    if not os.access(root / RESCTRL / "schemata", os.W_OK):
        return Capability(name="resctrl-cat", available=False, reason=_not_writable())
    return Capability(name="resctrl-cat", available=True, reason=f"{ways} ways a cache through /{RESCTRL}")


def _bandwidth_allocation(root: Path) -> Capability:
    steps = memory_bandwidth_steps(root)
    if not steps:
        reason = _no_resctrl(root, "info/MB", "memory bandwidth allocation")
        return Capability(name="resctrl-mba", available=False, reason=reason)
    if not os.access(root / RESCTRL / "schemata", os.W_OK):
        return Capability(name="resctrl-mba", available=False, reason=_not_writable())
    return Capability(name="resctrl-mba", available=True, reason=f"{len(steps)} steps through /{RESCTRL}")


def _no_resctrl(root: Path, part: str, what: str) -> str:
    if not (root / RESCTRL).is_dir():
        return "no resctrl: this CPU or kernel does not offer it"
    if not (root / RESCTRL / "info").is_dir():
        return f"no resctrl file system: /{RESCTRL} is not mounted"
    return f"resctrl is mounted but has no {part}: this CPU has no {what}"


def _not_writable() -> str:
    return f"/{RESCTRL}/schemata belongs to root and this agent does not run as root"


def _hugepages(root: Path) -> Capability:
    pools = {
        path.name.removeprefix("hugepages-"): _int(path / "free_hugepages") or 0
        for path in sorted((root / "sys/kernel/mm/hugepages").glob("hugepages-*"))
    }
    free = ", ".join(f"{count} of {size}" for size, count in pools.items() if count)
    if free:
        return Capability(name="hugepages", available=True, reason=f"free: {free}")
    why = "none is reserved (vm.nr_hugepages is 0)" if pools else "this kernel has none"
    return Capability(name="hugepages", available=False, reason=f"{why}: the data plane runs on ordinary pages, slower")


def _counters(root: Path) -> Capability:
    sources = root / "sys/bus/event_source/devices"
    if not any(sources.glob("cpu*")) and not any(sources.glob("armv8*")):
        reason = "no hardware counters: this (virtual) machine shows no CPU event source to perf"
        return Capability(name="perf-counters", available=False, reason=reason)
    level = _int(root / "proc/sys/kernel/perf_event_paranoid")
    if level is not None and level > 2 and os.geteuid() != 0:
        reason = f"kernel.perf_event_paranoid is {level}: set it to 2 or lower"
        return Capability(name="perf-counters", available=False, reason=reason)
    return Capability(name="perf-counters", available=True, reason="hardware counters through perf_event_open")


def _numa(machine: Machine) -> Capability:
    nodes = len(machine.node_memory_bytes)
    if nodes > 1:
        return Capability(name="numa", available=True, reason=f"{nodes} nodes")
    return Capability(name="numa", available=False, reason="one NUMA node: nothing is remote on this host")


def _root_user() -> Capability:
    if os.geteuid() == 0:
        return Capability(
            name="root", available=True, reason="this agent runs as root, though what needs root is the helper's"
        )
    return Capability(
        name="root", available=False, reason="this agent runs as an ordinary user; what needs root is the helper's"
    )


def _text(path: Path) -> str | None:
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return None


def _int(path: Path) -> int | None:
    text = _text(path)
    return int(text) if text and text.isdecimal() else None


def _hex(path: Path) -> int | None:
    try:
        return int(_text(path) or "", 16)
    except ValueError:
        return None
