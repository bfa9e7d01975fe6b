"""Cores that a measurement may take: one NF a physical core, its siblings left empty."""

from collections.abc import Collection, Iterator, Mapping

from sextant_domain.hosts.host import Core, HostInventory

FreeCores = Mapping[int, tuple[int, ...]]
"""By NUMA node, in the order in which they are taken; every node of the host is there."""


def free_cores(inventory: HostInventory, busy: Collection[int] = ()) -> FreeCores:
    """One core of each physical core that nobody holds: no thread of it is reserved or among `busy`, those that NFs
    run on. Cores of last choice come last."""
    free: dict[int, list[Core]] = {node.id: [] for node in inventory.nodes}
    for threads in _physical_cores(inventory):
        if not any(core.reserved_for is not None or core.id in busy for core in threads):
            usable = [core for core in threads if core.slots > 0]
            if usable:
                first = min(usable, key=_order)
                free[first.node].append(first)
    return {node: tuple(core.id for core in sorted(cores, key=_order)) for node, cores in free.items()}


def _order(core: Core) -> tuple[bool, int]:
    return core.last_choice, core.id


def _physical_cores(inventory: HostInventory) -> Iterator[tuple[Core, ...]]:
    by_id = {core.id: core for core in inventory.cores}
    seen: set[int] = set()
    for core in inventory.cores:
        if core.id not in seen:
            threads = tuple(by_id[thread] for thread in sorted({core.id, *core.siblings}) if thread in by_id)
            seen.update(thread.id for thread in threads)
            yield threads
