"""CPUs of managers and NFs: there, allowed, polled by one thread each, apart from their siblings and from the system.

The first CPU of a manager has its master with the statistics and may be shared; on all others a thread polls.
"""

import re
from collections.abc import Iterator

from sextant_domain.naming import few

from sextant_agent.doctor.finding import DoctorFinding, ok, problem, warning
from sextant_agent.doctor.sight import Sight
from sextant_agent.drivers.opennetvm.doctor.world import ExaminedHost
from sextant_agent.machine.cpulist import parse_cpulist, ranges

LEAVE_SOME = "leave one CPU to the system if possible: cpus and nf_cpus in opennetvm.toml use all of them"
_NAMED = 4
"""Interrupts that are named; of the rest the number."""


def check_cpus(world: ExaminedHost) -> Iterator[DoctorFinding]:
    """In the order in which they matter."""
    there = {cpu.id for cpu in world.sight.machine.cpus}
    used = _used(world)
    missing = sorted(used - there)
    if missing:
        yield problem("CPUs", f"{ranges(missing)} of opennetvm.toml are not online here", "name CPUs of `lscpu -e`")
    barred = _barred(world, used & there)
    if barred is not None:
        yield barred
    elif not missing:
        yield ok("CPUs", f"{ranges(used)} are online and allowed")
    yield _overlap(world)
    yield _siblings(world)
    yield from _nodes(world)
    polling = _polling(world) & there
    yield _isolated(world.sight, polling)
    yield _interrupts(world.sight, polling)


def _barred(world: ExaminedHost, used: set[int]) -> DoctorFinding | None:
    """By the agent's affinity, or where none runs by that of this process, which may have another."""
    agent = world.agent()
    barred = used - set(world.sight.affinity(agent.pid if agent else None))
    if not barred:
        return None
    do = "set CPUAffinity=0-1023 and remove AllowedCPUs= in the agent's unit; in a container, widen the cpuset"
    if agent is not None:
        what = f"{ranges(barred)} of opennetvm.toml are outside the CPU affinity of the agent (process {agent.pid})"
        return problem("CPUs", what, do)
    what = (
        f"{ranges(barred)} of opennetvm.toml are outside this process's CPU affinity, and no agent is running to check"
    )
    return warning("CPUs", f"{what}; the kernel leaves isolated CPUs out of the default affinity", do)


def _used(world: ExaminedHost) -> set[int]:
    return {cpu for place in world.installation.manager for cpu in (*place.cpus, *place.nf_cpus)}


def _polling(world: ExaminedHost) -> set[int]:
    return {cpu for place in world.installation.manager for cpu in (*place.cpus[1:], *place.nf_cpus)}


def _overlap(world: ExaminedHost) -> DoctorFinding:
    """NFs of two managers cannot have one CPU: opennetvm.toml is refused then."""
    threads = [cpu for place in world.installation.manager for cpu in place.cpus[1:]]
    nfs = {cpu for place in world.installation.manager for cpu in place.nf_cpus}
    twice = {cpu for cpu in threads if threads.count(cpu) > 1}
    both = twice | (set(threads) & nfs)
    if not both:
        return ok("polling threads", "each has a CPU of its own")
    return warning(
        "polling threads", f"CPUs {ranges(both)} are shared by RX or TX threads and other polling threads or"
        " NFs, which slows both",
        "give every manager CPUs of its own in opennetvm.toml, where there are enough",
    )  # fmt: skip


def _siblings(world: ExaminedHost) -> DoctorFinding:
    """NFs among themselves are kept apart by placement, which leaves their siblings empty."""
    threads = {cpu for place in world.installation.manager for cpu in place.cpus[1:]}
    polling = _polling(world)
    pairs = sorted({
        tuple(sorted((cpu.id, other)))
        for cpu in world.sight.machine.cpus if cpu.id in threads
        for other in cpu.siblings if other != cpu.id and other in polling
    })  # fmt: skip
    if not pairs:
        return ok("siblings", "no RX or TX thread shares a physical core with what polls")
    reported = ", ".join(f"{first} and {second}" for first, second in pairs)
    return warning(
        "siblings", f"polling CPUs {reported} are siblings: each slows the other",
        "leave the siblings of the managers' CPUs out of cpus and nf_cpus in opennetvm.toml",
    )  # fmt: skip


def _nodes(world: ExaminedHost) -> Iterator[DoctorFinding]:
    node_of = {cpu.id: cpu.node for cpu in world.sight.machine.cpus}
    for place in world.installation.manager:
        away = [cpu for cpu in place.cpus if node_of.get(cpu, place.node) != place.node]
        if place.node not in set(node_of.values()):
            yield problem(
                f"node of {place.name}", f"there is no NUMA node {place.node} here", "name one of `lscpu -e`: node"
            )
        elif away:
            yield warning(
                f"node of {place.name}", f"its CPUs {ranges(away)} are not on node {place.node}, which its port"
                f" {place.port} is said to be on: packet buffers lie on the node of its first CPU",
                f"choose cpus of node {place.node} in opennetvm.toml",
            )  # fmt: skip


def _isolated(sight: Sight, polling: set[int]) -> DoctorFinding:
    isolated = _list(sight.text("sys/devices/system/cpu/isolated"))
    tickless = _list(sight.text("sys/devices/system/cpu/nohz_full"))
    shared, ticking = polling - isolated, polling - tickless
    if not shared and not ticking:
        return ok("isolation", f"the kernel leaves CPUs {ranges(polling)} alone")
    parts = ([f"the scheduler puts other work on {ranges(shared)}"] if shared else []) + (
        [f"the timer interrupts {ranges(ticking)}"] if ticking else []
    )
    cpus = ranges(polling)
    do = f"on the kernel's command line: isolcpus=managed_irq,domain,{cpus} nohz_full={cpus} rcu_nocbs={cpus}"
    left = {cpu.id for cpu in sight.machine.cpus} - polling
    return warning("isolation", f"of the polling CPUs {' and '.join(parts)}", do if left else LEAVE_SOME)


def _interrupts(sight: Sight, polling: set[int]) -> DoctorFinding:
    found = []
    for folder in (sight.root / "proc/irq").glob("[0-9]*"):
        actions = sorted(entry.name for entry in folder.iterdir() if entry.is_dir()) if folder.is_dir() else []
        where = f"proc/irq/{folder.name}"
        cpus = _list(sight.text(f"{where}/effective_affinity_list") or sight.text(f"{where}/smp_affinity_list"))
        if actions and cpus & polling:
            found.append((int(folder.name), actions[0]))
    if not found:
        return ok("interrupts", "none is delivered to polling CPUs")
    found.sort()
    reported = few([f"{number} ({action})" for number, action in found], _NAMED)
    left = ranges({cpu.id for cpu in sight.machine.cpus} - polling)
    do = (
        f"as root: echo {left} > /proc/irq/NUMBER/smp_affinity_list, and IRQBALANCE_BANNED_CPULIST={ranges(polling)}"
        " for irqbalance; the kernel keeps a managed one where it is, unless it boots with isolcpus=managed_irq"
    )
    return warning("interrupts", f"delivered to polling CPUs: {reported}", do if left else LEAVE_SOME)


def _list(text: str) -> set[int]:
    """Of the kernel's; empty where there is none, '(null)' included."""
    return set(parse_cpulist(text)) if re.fullmatch(r"[0-9,-]+", text) else set()
