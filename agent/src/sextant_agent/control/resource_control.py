"""LLC ways and memory bandwidth of NFs that are threads, through the root helper and resctrl."""

import threading
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from sextant_domain.hosts.desired import DesiredChain, HostContent, NfState
from sextant_domain.hosts.host import Capability

from sextant_agent.contract.driver import Failure, ResourcesGiven
from sextant_agent.contract.errors import DriverError
from sextant_agent.contract.ordered_resources import NOTHING, normal, request_of
from sextant_agent.contract.sample import HostSample, NfCounters, NfResources
from sextant_agent.control.differences import Difference, resource_differences
from sextant_agent.control.helper_client import (
    UNKNOWN,
    GivenWays,
    HelperClient,
    HelperError,
    HelperRefused,
    ResourceGroup,
)
from sextant_agent.control.helper_repair import failure_of, repair_each
from sextant_agent.control.resource_requests import resources_of
from sextant_agent.machine.capabilities import cache_ways, memory_bandwidth_steps, no_resctrl
from sextant_agent.machine.machine import llc_id
from sextant_agent.machine.proc import read_stat

WAYS = "resctrl-cat"
BANDWIDTH = "resctrl-mba"
MOST_AT_ONCE = 16
"""Chains in one question to the helper."""

Groups = Mapping[str, ResourceGroup]
"""By NF id, and of chains by name."""


@dataclass(frozen=True, slots=True)
class ResourceReading:
    """What was found at one moment."""

    groups: Groups
    why_not: str | None
    """Why there can be none."""


class ResourceControl:
    """Safe for several threads."""

    def __init__(self, helper: HelperClient, start: str, root: Path = Path("/")) -> None:
        """`start`: the command that starts the helper; `root`: where the machine's /sys is read."""
        self._helper = helper
        self._start = start
        self._root = root
        self._caches: dict[int, int | None] = {}

    def capabilities(self) -> tuple[Capability, Capability]:
        """Asked now: a helper may come and go, and resctrl may be mounted."""
        why_not = no_resctrl(self._root)
        no_ways = no_bandwidth = why_not
        if why_not is None:
            try:
                hello = self._helper.hello()
                no_ways, no_bandwidth = hello.llc_reason, hello.memory_bandwidth_reason
            except HelperError as error:
                no_ways = no_bandwidth = self._without(error)
        ways, nic = cache_ways(self._root)
        steps = len(memory_bandwidth_steps(self._root))
        how = f"{ways} ways a cache through the root helper, {nic} of which the NIC writes into, too"
        return (
            Capability(name=WAYS, available=no_ways is None, reason=no_ways or how),
            Capability(
                name=BANDWIDTH, available=no_bandwidth is None,
                reason=no_bandwidth or f"{steps} steps through the root helper",
            ),
        )  # fmt: skip

    def read(self) -> ResourceReading:
        """The groups there are; where resctrl is not mounted nobody is asked."""
        why_not = no_resctrl(self._root)
        if why_not is not None:
            return ResourceReading({}, why_not)
        try:
            return ResourceReading(self._helper.resource_groups(), None)
        except HelperRefused as error:
            return ResourceReading({}, str(error))
        except HelperError as error:
            return ResourceReading({}, self._without(error))

    def reported(self, reading: ResourceReading, nf: NfCounters) -> NfCounters:
        """With what the kernel applies to its thread, of the cache of its core."""
        return replace(nf, resources=None if reading.why_not is not None else self._found(reading, nf))

    def _found(self, reading: ResourceReading, nf: NfCounters) -> NfResources:
        """Nothing of a group that the thread is not in, nor of other caches."""
        cache = self.cache_of(nf.core)
        owner = next((one for one in (nf.nf_id, nf.chain) if _holds(reading.groups.get(one), nf.thread)), None)
        if owner is None or cache is None:
            return NOTHING
        group = reading.groups[owner]
        mask, percent = group.llc_ways.get(cache), group.memory_bandwidth_percent.get(cache)
        return normal(mask.bit_count() if mask else None, percent, of_chain=owner == nf.chain)

    def repair(
        self, content: HostContent, found: HostSample, hold: frozenset[str]
    ) -> tuple[list[str], dict[str, Failure]]:
        """Set what differs: who gives ways back first, then the others, group before threads."""
        wanted = {
            nf.nf_id: resources_of(chain, nf, _resources_of(found.nfs.get(nf.nf_id)))
            for chain in content.chains
            for nf in chain.nfs
        }
        gaps = [gap for gap in resource_differences(content, found) if not gap.keys & hold]
        asking = {gap.key for gap in gaps if wanted[gap.key] != NOTHING}
        groups = self._made_free(content, found, asking) if gaps else {}
        gaps.sort(key=lambda gap: _more_ways(wanted[gap.key], found.nfs[gap.key]))
        done: list[str] = []
        failures: dict[str, Failure] = {}
        for owner, of_owner in _by_owner(gaps, wanted).items():
            request = wanted[of_owner[0].key]
            if request.of_chain:
                given, refused = self._repair_chain(of_owner, request, found, groups.get(owner))
            else:
                given, refused = repair_each(of_owner, lambda gap: self._repair(gap, wanted[gap.key], found))
            done, failures = [*done, *given], failures | refused
        return done, failures

    def give(self, given: Sequence[ResourcesGiven], found: HostSample, ordering: threading.Lock) -> None:
        """To chains whose threads are in their groups already, by one question where the helper takes it: reading all
        groups is most of what it does. `ordering`: held while an order is carried out, which is not waited for. Raises
        DriverError."""
        if not ordering.acquire(blocking=False):
            raise DriverError("an order is being carried out")
        try:
            caches = {one.chain.chain: self._cache_of_group(one.chain, found) for one in given}
            if not self._give_at_once(given, caches):
                for one in sorted(given, key=lambda one: _more_ways(one.shall, found.nfs[one.chain.nfs[0].nf_id])):
                    self._give(one.chain.chain, caches[one.chain.chain], one.shall)
        except HelperError as error:
            raise DriverError(str(error)) from error
        finally:
            ordering.release()

    def _give_at_once(self, given: Sequence[ResourcesGiven], caches: Mapping[str, int]) -> bool:
        """False where the helper does not have the verb, or it is not for what is to be given. Raises HelperError."""
        if not 1 < len(given) <= MOST_AT_ONCE or any(one.shall == NOTHING for one in given):
            return False
        shall = {
            one.chain.chain: (caches[one.chain.chain], one.shall.llc_ways, one.shall.memory_bandwidth_percent)
            for one in given
        }
        try:
            self._helper.set_resources_of_chains(shall)
        except HelperRefused as refusal:
            if refusal.code == UNKNOWN:
                return False
            raise
        return True

    def _cache_of_group(self, chain: DesiredChain, found: HostSample) -> int:
        seen = [found.nfs.get(nf.nf_id) for nf in chain.nfs]
        there = all(
            one is not None
            and one.state is NfState.RUNNING
            and one.core == nf.core
            and one.resources is not None
            and one.resources.of_chain
            for nf, one in zip(chain.nfs, seen, strict=True)
        )
        caches = {self.cache_of(nf.core) for nf in chain.nfs}
        cache = caches.pop() if there and len(caches) == 1 else None
        if cache is None:
            raise HelperError(f"{chain.chain} does not run in a group of its own on one cache yet")
        return cache

    def forget_ended(self) -> None:
        """Remove the groups of NFs that are gone; where it fails, the helper's next start does it."""
        self._clean(self.read().groups)

    def _clean(self, groups: Groups) -> bool:
        """Whether any was there of an NF that is gone. One that has ended and was not waited for yet is gone as well:
        its thread is in the group still, and nobody may look again."""
        ended = {owner: group for owner, group in groups.items() if all(map(_has_ended, group.tids))}
        for owner, group in ended.items():
            with suppress(HelperError):
                if group.tids:
                    self._give(owner, next(iter(group.llc_ways), 0), NOTHING)
        if ended:
            with suppress(HelperError):
                self._helper.clean()
        return bool(ended)

    def _made_free(self, content: HostContent, found: HostSample, asking: AbstractSet[str]) -> Groups:
        """The groups there are, without what stands in the way: an agent that died may have left some that hold ways.
        `asking`: NFs that are to have something. Read again only after a change: a question takes as long as giving a
        chain its ways."""
        groups = self.read().groups
        if self._clean(groups):
            groups = self.read().groups
        return self.read().groups if self._release(content, found, groups, asking) else groups

    def _release(self, content: HostContent, found: HostSample, groups: Groups, asking: AbstractSet[str]) -> bool:
        """Give back what stands in the way of others: an NF's own where its chain has some, and the reverse; ways of a
        cache that their owner has moved away from, which whoever comes there may need; and what the agent gave by
        itself, since what is ordered comes first. Whether there was any."""
        tried = False
        for chain in content.chains:
            together = any(request_of(chain, nf).of_chain for nf in chain.nfs)
            for nf in chain.nfs:
                seen = found.nfs.get(nf.nf_id)
                cache = self.cache_of(seen.core) if seen is not None else None
                owner, stale = (chain.chain, nf.nf_id) if together else (nf.nf_id, chain.chain)
                elsewhere = owner in groups and cache is not None and groups[owner].llc_ways.keys() - {cache}
                lent = asking - {nf.nf_id} and chain.quota_bounds is not None and request_of(chain, nf) == NOTHING
                give_back = owner in groups and (elsewhere or lent)
                for name in (*([owner] if give_back else []), *([stale] if stale in groups else [])):
                    tried = True
                    with suppress(HelperError):  # what cannot be released is met by who wants its ways
                        self._give(name, next(iter(groups[name].llc_ways), 0), NOTHING)
        return tried

    def _repair(self, gap: Difference, request: NfResources, found: HostSample) -> str:
        """Of one NF alone. Raises HelperError."""
        cache, pid, thread = self._thread_of(gap.key, found)
        given = self._give(gap.key, cache, request)
        if request != NOTHING:
            self._helper.place_thread(gap.key, pid, thread)
        return _done(gap, given)

    def _repair_chain(
        self, gaps: Sequence[Difference], request: NfResources, found: HostSample, before: ResourceGroup | None
    ) -> tuple[list[str], dict[str, Failure]]:
        """All NFs of one chain or, where the kernel refuses one of them, none: what was there `before` is given again.
        A thread that was in its group is left there."""
        chain = gaps[0].chain
        try:
            threads = {gap.key: self._thread_of(gap.key, found) for gap in gaps}
            caches = {cache for cache, _, _ in threads.values()}
            if len(caches) > 1:
                raise HelperError(f"NFs of {chain} are on several caches now, and its ways are of one")
            (cache,) = caches
            given = self._give(chain, cache, request)
        except HelperError as error:
            return [], {gap.key: failure_of(error) for gap in gaps}

        def place(gap: Difference) -> str:
            _, pid, thread = threads[gap.key]
            if not _holds(before, thread):
                self._helper.place_chain_thread(chain, pid, thread)
            return _done(gap, given)

        done, failures = repair_each(gaps, place)
        lasting = next((failure for failure in failures.values() if failure.permanent), None)
        if lasting is None:
            return done, failures
        with suppress(HelperError):
            self._give(chain, cache, _held(before, cache))
        return [], {gap.key: lasting for gap in gaps}

    def _give(self, owner: str, cache: int, request: NfResources) -> GivenWays:
        set_ = self._helper.set_resources if "." in owner else self._helper.set_chain_resources
        return set_(owner, cache, request.llc_ways, request.memory_bandwidth_percent)

    def _thread_of(self, nf_id: str, found: HostSample) -> tuple[int, int, int]:
        """(cache, process, thread). Raises HelperError."""
        seen = found.nfs[nf_id]
        cache = self.cache_of(seen.core)
        if cache is None or seen.pid is None or seen.thread is None:
            raise HelperError(f"{nf_id} is on no core whose cache this machine names")
        return cache, seen.pid, seen.thread

    def cache_of(self, core: int | None) -> int | None:
        """The id of a core's last-level cache; None where the machine names none."""
        if core is None:
            return None
        if core not in self._caches:
            self._caches[core] = llc_id(self._root, core)
        return self._caches[core]

    def _without(self, error: HelperError) -> str:
        return f"{error}; start it as root: {self._start}"


def _has_ended(tid: int) -> bool:
    """And is there still, for whoever waits for it."""
    stat = read_stat(tid)
    return stat is not None and not stat.alive


def _holds(group: ResourceGroup | None, thread: int | None) -> bool:
    return group is not None and thread in group.tids


def _by_owner(gaps: Sequence[Difference], wanted: Mapping[str, NfResources]) -> dict[str, list[Difference]]:
    """In their order, by whose group it is."""
    found: dict[str, list[Difference]] = {}
    for gap in gaps:
        found.setdefault(gap.chain if wanted[gap.key].of_chain else gap.key, []).append(gap)
    return found


def _done(gap: Difference, given: GivenWays) -> str:
    nic = f", {given.nic_ways} of which the NIC writes into, too" if given.nic_ways else ""
    return gap.text.replace("giving", "gave", 1) + nic


def _held(group: ResourceGroup | None, cache: int) -> NfResources:
    if group is None:
        return NOTHING
    mask = group.llc_ways.get(cache)
    return normal(mask.bit_count() if mask else None, group.memory_bandwidth_percent.get(cache), of_chain=True)


def _resources_of(found: NfCounters | None) -> NfResources:
    return NOTHING if found is None or found.resources is None else found.resources


def _more_ways(wanted: NfResources, found: NfCounters) -> int:
    return (wanted.llc_ways or 0) - (_resources_of(found).llc_ways or 0)
