"""LLC ways and memory bandwidth of single NFs between two orders: what they have, and giving them others at once."""

import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sextant_agent.contract.driver import MemoryOffer
from sextant_agent.contract.ordered_resources import NOTHING, normal
from sextant_agent.contract.sample import NfResources
from sextant_agent.control.helper_client import HelperClient, HelperError, ResourceGroup
from sextant_agent.control.resource_control import ResourceControl
from sextant_agent.machine.capabilities import cache_ways, least_ways, memory_bandwidth_steps


@dataclass(frozen=True, slots=True)
class NfThread:
    """Of an NF that runs: what works on its packets, and where."""

    core: int
    pid: int
    thread: int


NfThreads = Mapping[str, NfThread]
"""By NF."""


class NfMemory:
    """Of one host; safe for several threads. Nothing is remembered: the kernel has it all."""

    def __init__(self, helper: HelperClient, control: ResourceControl, root: Path) -> None:
        """`root`: where the machine's /sys is read."""
        self._helper, self._control, self._root = helper, control, root

    def offer(self, threads: NfThreads) -> MemoryOffer:
        """As it stands. An NF that has moved away from the cache whose ways it has gives them back here."""
        ways, bandwidth = self._control.capabilities()
        groups = self._control.read().groups
        of_cores = {nf_id: self._control.cache_of(one.core) for nf_id, one in threads.items()}
        caches = {nf_id: cache for nf_id, cache in of_cores.items() if cache is not None}
        for nf_id, cache in caches.items():
            if nf_id in groups and (strange := groups[nf_id].llc_ways.keys() - {cache}):
                with suppress(HelperError):  # it is seen again in the next look
                    self._helper.set_resources(nf_id, min(strange), None, None)
                groups = {owner: group for owner, group in groups.items() if owner != nf_id}
        held: dict[int, dict[str, int]] = {}
        for owner, group in groups.items():
            for cache, mask in group.llc_ways.items():
                held.setdefault(cache, {})[owner] = mask.bit_count()
        return MemoryOffer(
            nfs={nf_id: _found(groups.get(nf_id), threads[nf_id].thread, cache) for nf_id, cache in caches.items()},
            caches=caches,
            held=held,
            ways=cache_ways(self._root)[0] or 0,
            least_ways=least_ways(self._root),
            steps=memory_bandwidth_steps(self._root),
            no_ways=None if ways.available else ways.reason,
            no_bandwidth=None if bandwidth.available else bandwidth.reason,
        )

    def give(self, given: Mapping[str, NfResources], threads: NfThreads, ordering: threading.Lock) -> Mapping[str, str]:
        """Those that were refused, with why. `ordering`: held while an order is carried out, which is not waited for:
        it may be taking NFs and their groups away."""
        if not ordering.acquire(blocking=False):
            return dict.fromkeys(given, "an order is being carried out")
        try:
            groups = self._control.read().groups
            refused: dict[str, str] = {}
            for nf_id in sorted(given, key=lambda nf_id: (given[nf_id].llc_ways or 0) - _ways(groups.get(nf_id))):
                try:
                    self._give(nf_id, given[nf_id], threads.get(nf_id), groups.get(nf_id))
                except HelperError as error:
                    refused[nf_id] = str(error)
            return refused
        finally:
            ordering.release()

    def _give(self, nf_id: str, shall: NfResources, at: NfThread | None, group: ResourceGroup | None) -> None:
        """The group before the thread, and no group without one. Raises HelperError."""
        cache = None if at is None else self._control.cache_of(at.core)
        if at is None or cache is None:
            raise HelperError(f"{nf_id} is on no core whose cache this machine names")
        self._helper.set_resources(nf_id, cache, shall.llc_ways, shall.memory_bandwidth_percent)
        if shall == NOTHING or (group is not None and at.thread in group.tids):
            return
        try:
            self._helper.place_thread(nf_id, at.pid, at.thread)
        except HelperError:
            with suppress(HelperError):
                self._helper.set_resources(nf_id, cache, None, None)
            raise


def _found(group: ResourceGroup | None, thread: int, cache: int) -> NfResources:
    """Nothing of a group that the thread is not in."""
    if group is None or thread not in group.tids:
        return NOTHING
    mask = group.llc_ways.get(cache)
    return normal(mask.bit_count() if mask else None, group.memory_bandwidth_percent.get(cache))


def _ways(group: ResourceGroup | None) -> int:
    return 0 if group is None else sum(mask.bit_count() for mask in group.llc_ways.values())
