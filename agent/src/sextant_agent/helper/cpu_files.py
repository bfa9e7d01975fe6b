"""The control files of the CPU controllers, cgroup v1 and v2: one class each, the same methods.

A group is named by its path relative to the mount point, made by `groups.py` alone.
"""

import os
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Protocol

from sextant_agent.helper import arithmetic
from sextant_agent.helper.hierarchy import Hierarchy, controllers
from sextant_agent.helper.refusal import Unusable


@dataclass(frozen=True, slots=True)
class Use:
    """What the processes of a group have used since it was made."""

    cpu_ns: int | None
    """None where the machine does not count it (v1 without cpuacct)."""
    periods: int
    """Quota periods in which something ran."""
    throttled_periods: int
    """Those of them in which the quota was used up."""
    throttled_ns: int


class CpuFiles(Protocol):
    """What differs between the two versions of cgroups."""

    roots: tuple[Path, ...]
    """Mount points; a group is a folder in each of them."""

    def delegate(self, group: PurePath) -> None:
        """Make the CPU controller available in the children of a group. Raises Unusable, OSError."""

    def weight(self, group: PurePath) -> int:
        """Of 1 to 10000."""

    def set_weight(self, group: PurePath, weight: int) -> None:
        """What is too much for the kernel becomes the most it takes."""

    def quota_percent(self, group: PurePath) -> float | None:
        """Of one core; None without a limit."""

    def set_quota(self, group: PurePath, percent: float | None) -> None:
        """None lifts the limit."""

    def use(self, group: PurePath) -> Use:
        """What its processes have used."""


def cpu_files(found: Hierarchy) -> CpuFiles:
    """The files of what is mounted here."""
    return CpuFilesV1(found) if found.version == 1 else CpuFilesV2(found)


class CpuFilesV1:
    """cpu.shares, cpu.cfs_quota_us, cpu.cfs_period_us, cpuacct.usage."""

    def __init__(self, found: Hierarchy) -> None:
        self._cpu = found.cpu
        self._cpuacct = found.cpuacct
        self.roots = tuple(dict.fromkeys(root for root in (found.cpu, found.cpuacct) if root is not None))

    def delegate(self, group: PurePath) -> None:
        """v1 has every controller in every group of its hierarchy."""

    def weight(self, group: PurePath) -> int:
        return arithmetic.weight_of(_number(self._cpu / group / "cpu.shares"))

    def set_weight(self, group: PurePath, weight: int) -> None:
        write(self._cpu / group / "cpu.shares", str(arithmetic.shares_of(weight)))

    def quota_percent(self, group: PurePath) -> float | None:
        folder = self._cpu / group
        return arithmetic.quota_percent(_number(folder / "cpu.cfs_quota_us"), _number(folder / "cpu.cfs_period_us"))

    def set_quota(self, group: PurePath, percent: float | None) -> None:
        folder = self._cpu / group
        if percent is None:
            write(folder / "cpu.cfs_quota_us", "-1")
            return
        quota, period = arithmetic.quota_us(percent)
        write(folder / "cpu.cfs_period_us", str(period))
        write(folder / "cpu.cfs_quota_us", str(quota))

    def use(self, group: PurePath) -> Use:
        stat = _table(self._cpu / group / "cpu.stat")
        return Use(
            cpu_ns=_number(self._cpuacct / group / "cpuacct.usage") if self._cpuacct else None,
            periods=stat.get("nr_periods", 0),
            throttled_periods=stat.get("nr_throttled", 0),
            throttled_ns=stat.get("throttled_time", 0),
        )


class CpuFilesV2:
    """cpu.weight, cpu.max, cpu.stat."""

    def __init__(self, found: Hierarchy) -> None:
        self._root = found.cpu
        self.roots: tuple[Path, ...] = (found.cpu,)

    def delegate(self, group: PurePath) -> None:
        """Only a group without processes of its own may hand controllers on ('no internal processes'); the mount
        point itself is excepted. Here that holds: processes are in the leaves alone."""
        folder = self._root / group
        if "cpu" in (folder / "cgroup.subtree_control").read_text().split():
            return
        if "cpu" not in controllers(folder):
            raise Unusable(f"the group above {folder} does not hand the cpu controller on: let it ('+cpu')")
        write(folder / "cgroup.subtree_control", "+cpu")

    def weight(self, group: PurePath) -> int:
        return _number(self._root / group / "cpu.weight")

    def set_weight(self, group: PurePath, weight: int) -> None:
        write(self._root / group / "cpu.weight", str(min(arithmetic.MOST_WEIGHT, max(1, weight))))

    def quota_percent(self, group: PurePath) -> float | None:
        quota, period = (self._root / group / "cpu.max").read_text().split()
        return None if quota == "max" else arithmetic.quota_percent(int(quota), int(period))

    def set_quota(self, group: PurePath, percent: float | None) -> None:
        limit = f"max {arithmetic.PERIOD_US}"
        if percent is not None:
            quota, period = arithmetic.quota_us(percent)
            limit = f"{quota} {period}"
        write(self._root / group / "cpu.max", limit)

    def use(self, group: PurePath) -> Use:
        stat = _table(self._root / group / "cpu.stat")
        return Use(
            cpu_ns=stat.get("usage_usec", 0) * 1000,
            periods=stat.get("nr_periods", 0),
            throttled_periods=stat.get("nr_throttled", 0),
            throttled_ns=stat.get("throttled_usec", 0) * 1000,
        )


def write(path: Path, text: str) -> None:
    """One write to a file that is there: the kernel takes or refuses a control file's text as a whole."""
    descriptor = os.open(path, os.O_WRONLY | os.O_TRUNC | os.O_CLOEXEC)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


def _number(path: Path) -> int:
    return int(path.read_text())


def _table(path: Path) -> dict[str, int]:
    """Lines of a name and a number."""
    pairs = (line.split() for line in path.read_text().splitlines())
    return {pair[0]: int(pair[1]) for pair in pairs if len(pair) == 2}
