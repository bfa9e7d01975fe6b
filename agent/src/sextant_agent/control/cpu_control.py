"""CPU shares and quotas of NFs that are processes, through the root helper."""

import os
import shlex
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from sextant_domain.hosts.desired import HostContent
from sextant_domain.hosts.host import Capability

from sextant_agent.contract.driver import CpuGiven, Failure
from sextant_agent.contract.errors import DriverError
from sextant_agent.contract.sample import HostSample, NfCpu
from sextant_agent.control.cpu_requests import quota_of, share_of
from sextant_agent.control.differences import Difference, cpu_differences
from sextant_agent.control.helper_client import HelperClient, HelperError, HelperRefused, NfGroup
from sextant_agent.control.helper_repair import repair_each

NAME = "cpu-share"


class CpuControl:
    """Safe for several threads."""

    def __init__(self, helper: HelperClient, host_id: str, programs: Iterable[Path]) -> None:
        """`programs`: those that NFs run, which must be named to the helper when it starts."""
        self._helper = helper
        self.start = start_command(helper.path, host_id, programs)
        """The command that starts the helper."""

    def capability(self) -> Capability:
        """Asked now: a helper may come and go."""
        try:
            hello = self._helper.hello()
        except HelperError as error:
            return Capability(name=NAME, available=False, reason=self._without(error))
        if hello.reason is not None:
            return Capability(name=NAME, available=False, reason=hello.reason)
        how = f"cgroup v{hello.cgroup} through the root helper: shares 1 to 10000, quotas in {hello.period_us} us"
        return Capability(name=NAME, available=True, reason=how)

    def read_groups(self) -> tuple[Mapping[str, NfGroup], str | None]:
        """The groups there are, and why there can be none."""
        try:
            return self._helper.groups(), None
        except HelperRefused as error:
            return {}, str(error)
        except HelperError as error:
            return {}, self._without(error)

    def repair(
        self, content: HostContent, found: HostSample, hold: frozenset[str]
    ) -> tuple[list[str], dict[str, Failure]]:
        """Set what differs: weight and quota first, so that the process never runs in its group without them."""
        wanted = {nf.nf_id: (nf, chain) for chain in content.chains for nf in chain.nfs}
        budget = self.budget()
        pids = {nf_id: nf.pid for nf_id, nf in found.nfs.items() if nf.pid is not None}

        def change(gap: Difference) -> str:
            nf, chain = wanted[gap.key]
            self._helper.set_cpu(nf.nf_id, share_of(nf), quota_of(nf, chain, found.nfs[nf.nf_id].cpu, budget))
            self._helper.place(nf.nf_id, pids[nf.nf_id])
            return gap.text.replace("giving", "gave", 1)

        gaps = cpu_differences(content, found, budget=budget)
        return repair_each((gap for gap in gaps if gap.key in pids and not gap.keys & hold), change)

    def budget(self) -> float | None:
        """What all NFs of the host have together, in percent of a core; None: no limit, or no helper that says it."""
        try:
            return self._helper.hello().budget_percent
        except HelperError:
            return None

    def give(self, given: Mapping[str, CpuGiven]) -> None:
        """To NFs that have groups. Raises DriverError at the first that is refused."""
        try:
            for nf_id, cpu in given.items():
                self._helper.set_cpu(nf_id, cpu.weight, cpu.quota_percent)
        except HelperRefused as error:
            raise DriverError(str(error)) from error
        except HelperError as error:
            raise DriverError(self._without(error)) from error

    def forget_ended(self) -> None:
        """Remove the groups of NFs that are gone; where it fails, the helper's next start does it."""
        groups, _ = self.read_groups()
        if any(not group.pids for group in groups.values()):
            try:
                self._helper.clean()
            except HelperError:
                return

    def close(self) -> None:
        """Let go of the connection."""
        self._helper.close()

    def _without(self, error: HelperError) -> str:
        return f"{error}; start it as root: {self.start}"


def cpu_of(pid: int | None, group: NfGroup | None) -> NfCpu | None:
    """What the kernel applies to a process: nothing of a group that it is not in."""
    if group is None or pid not in group.pids:
        return None
    return NfCpu(weight=group.weight, quota_percent=group.quota_percent, throttled_ns=group.throttled_ns)


def start_command(path: Path, host_id: str, programs: Iterable[Path]) -> str:
    """What a person types."""
    command = [sys.executable, "-I", "-m", "sextant_agent.helper", "--socket", path, "--host-id", host_id]
    named = [word for program in programs for word in ("--program", program)]
    return shlex.join(map(str, [*command, *named, "--agent-uid", os.getuid()]))
