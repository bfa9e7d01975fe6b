"""Cache ways and memory bandwidth that a measured NF has for itself, through the root helper and resctrl."""

from collections.abc import Sequence
from contextlib import suppress

from sextant_domain.hosts.host import PROFILING, PROFILING_RESOURCES, PROFILING_RESOURCES_REMOTE, Capability
from sextant_domain.profiling.profile import ProfileRequest

from sextant_agent.contract.ordered_resources import normal
from sextant_agent.control.helper_client import HelperClient, HelperError, HelperRefused
from sextant_agent.measuring.program import CoresInUse, MeasureFailed, ResourcesChanged

OWNER = "sextant-measure.nf"
"""Of its group, as the helper names it: an NF of no chain that is ordered."""


def profiling_resources(found: Sequence[Capability], what: str) -> Capability:
    """Whether an NF can be measured with cache ways and memory bandwidth of its own: by what else the host can do.
    `what`: of a measured NF is in the group."""
    by_name = {one.name: one for one in found}
    needed = [by_name[name] for name in (PROFILING, "resctrl-cat", "resctrl-mba")]
    why_not = next((one.reason for one in needed if not one.available), None)
    how = f"local nodes only: the measured NF's {what} has a group of resctrl"
    return Capability(name=PROFILING_RESOURCES, available=why_not is None, reason=why_not or how)


def profiling_resources_remote(why_not: str) -> Capability:
    """The same away from the node that packets arrive on."""
    return Capability(name=PROFILING_RESOURCES_REMOTE, available=False, reason=why_not)


class OwnGroup:
    """Made anew for each sample, whose processes are fresh ones; removed at the end of the measurement."""

    def __init__(self, helper: HelperClient, cache: int, request: ProfileRequest) -> None:
        """`cache`: id of the last-level cache of the NF's core."""
        self._helper, self._cache, self._request = helper, cache, request

    def __enter__(self) -> "OwnGroup":
        return self

    def place(self, pid: int, thread: int | None = None) -> None:
        """Put a thread of the NF's process into it; None: its first one. Raises CoresInUse where others have the ways,
        ResourcesChanged where the group is gone already, MeasureFailed."""
        ways, percent = self._request.llc_ways, self._request.memory_bandwidth_percent
        try:
            self._helper.set_resources(OWNER, self._cache, ways, percent)
            self._helper.place_thread(OWNER, pid, pid if thread is None else thread)
        except HelperRefused as error:
            if error.code == "no-room":
                raise CoresInUse(f"{error}; others have them: wait, or give theirs back") from error
            if error.code == "not-found":
                raise ResourcesChanged(str(error)) from error
            raise MeasureFailed(str(error)) from error
        except HelperError as error:
            raise MeasureFailed(str(error)) from error

    def check(self) -> None:
        """After a run: the group is as it was made, so that the NF was measured with what it was to have. Raises
        ResourcesChanged, MeasureFailed."""
        try:
            group = self._helper.resource_groups().get(OWNER)
        except HelperError as error:
            raise MeasureFailed(str(error)) from error
        if group is None:
            raise ResourcesChanged("another program removed the measured NF's group of resctrl")
        mask, percent = group.llc_ways.get(self._cache), group.memory_bandwidth_percent.get(self._cache)
        found = normal(mask.bit_count() if mask else None, percent)
        wanted = normal(self._request.llc_ways, self._request.memory_bandwidth_percent)
        if found != wanted:
            raise ResourcesChanged("another program changed the measured NF's group of resctrl")

    def __exit__(self, *_: object) -> None:
        with suppress(HelperError):  # a group without a thread is removed with those of NFs that have ended
            self._helper.set_resources(OWNER, self._cache, None, None)
