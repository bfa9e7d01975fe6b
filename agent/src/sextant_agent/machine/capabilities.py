"""What the machine lets the agent do, each with how, or why not; what the driver can do it adds itself."""

import os
from pathlib import Path

from sextant_domain.hosts.host import Capability, ThreadThrottleMode

from sextant_agent.machine.machine import LocalMachine

RESCTRL = "sys/fs/resctrl"


def capabilities(machine: LocalMachine) -> tuple[Capability, ...]:
    """Checked by looking, not by trying: nothing on the machine is changed. What is the root helper's to do, such as
    resctrl's groups, is for drivers to add."""
    root = machine.root
    return (
        Capability(name="pinning", available=True, reason="sched_setaffinity on the agent's own processes"),
        _hugepages(root),
        _counters(root),
        _numa(machine),
        _root_user(),
    )


def cache_ways(root: Path) -> tuple[int | None, int]:
    """Ways that CAT hands out (None without CAT), and how many of them the NIC writes into."""
    folder = root / RESCTRL / "info/L3"
    mask = _hex(folder / "cbm_mask")
    return (mask.bit_count(), (_hex(folder / "shareable_bits") or 0).bit_count()) if mask else (None, 0)


def least_ways(root: Path) -> int:
    """Ways that a mask has at least; where the CPU takes empty ones (AMD), or there is no CAT, 1."""
    return max(1, _int(root / RESCTRL / "info/L3/min_cbm_bits") or 1)


def memory_bandwidth_steps(root: Path) -> tuple[int, ...]:
    """Percentages MBA accepts, rising; empty without MBA. Others the kernel rounds up (`bw_validate`)."""
    lowest = _int(root / RESCTRL / "info/MB/min_bandwidth")
    step = _int(root / RESCTRL / "info/MB/bandwidth_gran")
    if not lowest or not step:
        return ()
    return tuple(sorted({*range(-(-lowest // step) * step, 101, step), 100}))


def resource_groups(root: Path) -> int | None:
    """Groups that resctrl can hold beside the default one: Linux counts classes for the whole machine, and has no more
    than either of its kinds. None without CAT and MBA."""
    found = [_int(root / RESCTRL / f"info/{part}/num_closids") for part in ("L3", "MB")]
    return min((classes - 1 for classes in found if classes), default=None)


def thread_throttle_mode(root: Path) -> ThreadThrottleMode | None:
    """None where the kernel has no such file (it is of Intel's CPUs), or says `undefined`."""
    text = _text(root / RESCTRL / "info/MB/thread_throttle_mode")
    return next((mode for mode in ThreadThrottleMode if mode == text), None)


def no_resctrl(root: Path) -> str | None:
    """Why nothing of resctrl can be handed out, whoever asks; None where it is mounted."""
    if not (root / RESCTRL).is_dir():
        return "no resctrl: this CPU or kernel does not offer it"
    if not (root / RESCTRL / "info").is_dir():
        return f"resctrl is not mounted: as root, mount -t resctrl resctrl /{RESCTRL}"
    return None


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


def _numa(machine: LocalMachine) -> Capability:
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
