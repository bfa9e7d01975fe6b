"""LLC ways and memory bandwidth of NFs that are threads, through the root helper and resctrl."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from sextant_domain.hosts.desired import DesiredNf, HostContent
from sextant_domain.hosts.host import Capability

from sextant_agent.contract.driver import Failure
from sextant_agent.contract.sample import HostSample, NfCounters, NfResources
from sextant_agent.control.differences import Difference, resource_differences
from sextant_agent.control.helper_client import EARLIER, HelperClient, HelperError, HelperRefused, ResourceGroup
from sextant_agent.control.helper_repair import repair_each
from sextant_agent.control.resource_requests import FULL_PERCENT, request_of
from sextant_agent.machine.capabilities import cache_ways, memory_bandwidth_steps, no_resctrl
from sextant_agent.machine.machine import llc_id

WAYS = "resctrl-cat"
BANDWIDTH = "resctrl-mba"


@dataclass(frozen=True, slots=True)
class ResourceReading:
    """What was found at one moment."""

    groups: Mapping[str, ResourceGroup]
    """By NF."""
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
            return ResourceReading({}, EARLIER if error.code == "unknown-op" else str(error))
        except HelperError as error:
            return ResourceReading({}, self._without(error))

    def reported(self, reading: ResourceReading, nf: NfCounters) -> NfCounters:
        """With what the kernel applies to its thread, of the cache of its core."""
        return replace(nf, resources=None if reading.why_not is not None else self._found(reading, nf))

    def _found(self, reading: ResourceReading, nf: NfCounters) -> NfResources:
        """Nothing of a group that the thread is not in, nor of other caches."""
        group, cache = reading.groups.get(nf.nf_id), self._cache_of(nf.core)
        if group is None or cache is None or nf.thread not in group.tids:
            return NfResources(None, None)
        mask, percent = group.llc_ways.get(cache), group.memory_bandwidth_percent.get(cache)
        return NfResources(mask.bit_count() if mask else None, None if percent == FULL_PERCENT else percent)

    def repair(
        self, content: HostContent, found: HostSample, hold: frozenset[str]
    ) -> tuple[list[str], dict[str, Failure]]:
        """Set what differs: who gives ways back first, then the others, group before thread."""
        wanted = {nf.nf_id: nf for chain in content.chains for nf in chain.nfs}
        gaps = [gap for gap in resource_differences(content, found) if not gap.keys & hold]
        if gaps:  # an agent that died meanwhile may have left some that hold ways
            self.forget_ended()
        gaps.sort(key=lambda gap: _more_ways(wanted[gap.key], found))
        return repair_each(gaps, lambda gap: self._repair(gap, wanted[gap.key], found))

    def forget_ended(self) -> None:
        """Remove the groups of NFs that are gone; where it fails, the helper's next start does it."""
        if any(not group.tids for group in self.read().groups.values()):
            try:
                self._helper.clean()
            except HelperError:
                return

    def _repair(self, gap: Difference, nf: DesiredNf, found: HostSample) -> str:
        """Raises HelperError."""
        seen, request = found.nfs[nf.nf_id], request_of(nf)
        cache = self._cache_of(seen.core)
        if cache is None or seen.pid is None or seen.thread is None:
            raise HelperError(f"{nf.nf_id} is on no core whose cache this machine names")
        given = self._helper.set_resources(nf.nf_id, cache, request.llc_ways, request.memory_bandwidth_percent)
        if request != NfResources(None, None):
            self._helper.place_thread(nf.nf_id, seen.pid, seen.thread)
        nic = f", {given.nic_ways} of which the NIC writes into, too" if given.nic_ways else ""
        return gap.text.replace("giving", "gave", 1) + nic

    def _cache_of(self, core: int | None) -> int | None:
        if core is None:
            return None
        if core not in self._caches:
            self._caches[core] = llc_id(self._root, core)
        return self._caches[core]

    def _without(self, error: HelperError) -> str:
        return f"{error}; start it as root: {self._start}"


def _more_ways(nf: DesiredNf, found: HostSample) -> int:
    held = found.nfs[nf.nf_id].resources
    return (nf.llc_ways or 0) - (held.llc_ways or 0 if held else 0)
