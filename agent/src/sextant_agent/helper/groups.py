"""The helper's own part of the cgroup tree: `sextant/<host>.<installation>/nf-<NF id>`, one group an NF.

Two things are deliberate. A group's name is `nf-` and an NF id that was checked against its pattern, so no request can
name a path, another controller's file (`cpu.max` is a valid NF id) or a group outside; and the helper that comes after
a killed one reads from the names what is there. And the weights of the two groups above are the sum of the NFs': a
group's weight is what all its members have together, so with the default an NF would lose against every process outside
the tree the more NFs there are.
"""

import errno
import fcntl
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePath

from sextant_agent.helper.arithmetic import DEFAULT_WEIGHT
from sextant_agent.helper.cpu_files import CpuFiles, Use, write
from sextant_agent.helper.refusal import HeldByAnotherHelper, HelperRefusal

TOP = PurePath("sextant")
PREFIX = "nf-"
MAX_GROUPS = 1024
BUSY_PATIENCE_S = 1.0
"""A group of a process that has just ended stays busy for a moment."""


@dataclass(frozen=True, slots=True)
class GroupState:
    """One NF's group as the kernel shows it."""

    nf_id: str
    pids: tuple[int, ...]
    weight: int
    quota_percent: float | None
    use: Use


class CpuGroups:
    """Not safe for several threads. Everything raises OSError where the kernel refuses."""

    def __init__(self, files: CpuFiles, name: str, budget_percent: float | None = None) -> None:
        """`name`: of the subtree, made by `subtree_name`. `budget_percent`: of a core, for all NFs together; None: no
        limit."""
        self._files = files
        self._name = name
        self.budget_percent = budget_percent
        self._lock: int | None = None

    @property
    def subtree(self) -> PurePath:
        """Relative to the mount points."""
        return TOP / self._name

    @property
    def needs_override(self) -> bool:
        """Whether even the owner needs a capability to make groups: some mount points are writable by nobody."""
        return not all(root.stat().st_mode & stat.S_IWUSR for root in self._files.roots)

    def is_there(self) -> bool:
        """Whether the subtree has been made."""
        return any((root / self.subtree).is_dir() for root in self._files.roots)

    def open(self, patience_s: float = 0.0) -> None:
        """Make the subtree and hold it. Raises HeldByAnotherHelper, and Unusable where there is no controller.

        The lock is the kernel's, on the folder itself: it ends with this process, however that ends.
        """
        self._files.delegate(PurePath())
        deadline = time.monotonic() + patience_s
        while True:
            with suppress(FileNotFoundError):  # another helper, ending, removed the folder above between two steps
                if self._take():
                    self._files.set_quota(self.subtree, self.budget_percent)
                    return
            if time.monotonic() >= deadline:
                raise HeldByAnotherHelper(f"another helper holds {self._files.roots[0] / self.subtree}: end it first")
            time.sleep(0.05)

    def _take(self) -> bool:
        for group in (TOP, self.subtree):
            self._make(group)
            self._files.delegate(group)
        folder = self._files.roots[0] / self.subtree
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        # Whoever held it may have removed it, and what is locked now is no longer in the tree.
        if _locked(descriptor) and os.path.samestat(folder.stat(), os.fstat(descriptor)):
            self._lock = descriptor
            return True
        os.close(descriptor)
        return False

    def close(self) -> None:
        """Let go of the subtree; what is in it stays."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def ensure(self, nf_id: str) -> None:
        """The NF has a group; a new one has weight 100 and no quota. Raises HelperRefusal."""
        if self.exists(nf_id):
            return
        if len(self.nf_ids()) >= MAX_GROUPS:
            raise HelperRefusal("no-room", "nf_id", f"{MAX_GROUPS} groups are there already: remove some")
        self._make(self._group(nf_id))
        self._weigh()

    def exists(self, nf_id: str) -> bool:
        """Whether the NF has a group in every tree."""
        return all((root / self._group(nf_id)).is_dir() for root in self._files.roots)

    def nf_ids(self) -> list[str]:
        """Of all groups there are."""
        return sorted(_nf_ids(self._files.roots[0] / self.subtree))

    def place(self, nf_id: str, pid: int) -> None:
        """Move a process with all its threads. It has been checked by `placeable_process.py`."""
        for root in self._files.roots:
            write(root / self._group(nf_id) / "cgroup.procs", str(pid))

    def expel(self, pid: int) -> None:
        """Put a process outside of the tree."""
        for root in self._files.roots:
            write(root / "cgroup.procs", str(pid))

    def set_cpu(self, nf_id: str, weight: int, percent: float | None) -> None:
        """Weight and quota of an NF that has a group. Raises HelperRefusal where all together have less: v1 takes no
        quota above that of the group above, and the answer is the same under both."""
        budget = self.budget_percent
        if percent is not None and budget is not None and percent > budget:
            raise HelperRefusal(
                "no-room", "quota_percent",
                f"{percent:g} % of a core is more than the {budget:g} % that all NFs of this host have together",
            )  # fmt: skip
        self._files.set_weight(self._group(nf_id), weight)
        self._files.set_quota(self._group(nf_id), percent)
        self._weigh()

    def read(self, nf_id: str) -> GroupState:
        """As the kernel shows it now."""
        group = self._group(nf_id)
        return GroupState(
            nf_id=nf_id,
            pids=_pids(self._files.roots[0] / group),
            weight=self._files.weight(group),
            quota_percent=self._files.quota_percent(group),
            use=self._files.use(group),
        )

    def remove(self, nf_id: str) -> None:
        """Raises HelperRefusal while a process is in it."""
        pids = _pids(self._files.roots[0] / self._group(nf_id))
        if pids:
            raise HelperRefusal("busy", "nf_id", f"process {pids[0]} runs in the group of {nf_id}: end it first")
        self._unmake(self._group(nf_id))
        self._weigh()

    def clean(self) -> list[str]:
        """Remove every group without a process; returns whose they were."""
        empty = [nf_id for nf_id in self.nf_ids() if not _pids(self._files.roots[0] / self._group(nf_id))]
        for nf_id in empty:
            self._unmake(self._group(nf_id))
        if empty:
            self._weigh()
        return empty

    def remove_subtree(self) -> bool:
        """Remove the subtree, and the folder above if it was the last; False while an NF is in it."""
        if self.nf_ids():
            return False
        self._unmake(self.subtree)
        with suppress(OSError):  # another installation's is there
            self._unmake(TOP, patience_s=0.0)
        return True

    def remove_abandoned(self) -> list[str]:
        """Remove other installations' subtrees that no helper holds and no process is in; returns their names."""
        gone = []
        root = self._files.roots[0]
        for place in sorted((root / TOP).iterdir()):
            if not place.is_dir() or place.name == self._name:
                continue
            with suppress(OSError), _held(place) as free:
                groups = [PurePath(TOP, place.name, f"{PREFIX}{nf_id}") for nf_id in _nf_ids(place)]
                if free and not any(_pids(root / group) for group in groups):
                    for group in (*groups, TOP / place.name):
                        self._unmake(group)
                    gone.append(place.name)
        return gone

    def _group(self, nf_id: str) -> PurePath:
        return self.subtree / f"{PREFIX}{nf_id}"

    def _make(self, group: PurePath) -> None:
        for root in self._files.roots:
            with suppress(FileExistsError):
                (root / group).mkdir(mode=0o755)

    def _unmake(self, group: PurePath, patience_s: float = BUSY_PATIENCE_S) -> None:
        for root in self._files.roots:
            deadline = time.monotonic() + patience_s
            while True:
                try:
                    (root / group).rmdir()
                except FileNotFoundError:
                    break
                except OSError as error:
                    if error.errno != errno.EBUSY or time.monotonic() > deadline:
                        raise
                    time.sleep(0.02)
                else:
                    break

    def _weigh(self) -> None:
        """Give the groups above the sum of what is in them."""
        nfs = [self._files.weight(self._group(nf_id)) for nf_id in self.nf_ids()]
        self._files.set_weight(self.subtree, sum(nfs) or DEFAULT_WEIGHT)
        installations = [place.name for place in (self._files.roots[0] / TOP).iterdir() if place.is_dir()]
        total = 0
        for name in installations:
            with suppress(FileNotFoundError):  # it is being removed
                total += self._files.weight(TOP / name)
        self._files.set_weight(TOP, total)


def _nf_ids(folder: Path) -> list[str]:
    return [place.name.removeprefix(PREFIX) for place in folder.iterdir() if place.name.startswith(PREFIX)]


def _pids(folder: Path) -> tuple[int, ...]:
    return tuple(int(line) for line in (folder / "cgroup.procs").read_text().split())


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def _held(place: Path) -> Iterator[bool]:
    """Whether nobody else holds a subtree; it is held meanwhile."""
    descriptor = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield _locked(descriptor)
    finally:
        os.close(descriptor)
