"""A double of the resctrl file system, for no CPU at hand has it: what Linux does, written down from its source.

fs/resctrl/rdtgroup.c and ctrlmondata.c: a new group may fill what shared groups have and what nobody has; a mask is
hexadecimal, contiguous, not below `min_cbm_bits`; bandwidth is rounded up to its granularity; a line has a line break
at its end; what is refused is EINVAL, explained in `info/last_cmd_status`; a thread is in one group, one that has ended
in none and not to be moved (ESRCH); a removed group's threads return to the default one; there are no more groups than
classes of service (ENOSPC). Left out: CPUs, monitoring, pseudo-locking, and that threads are born into their parent's
group.
"""

import errno
import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

DEFAULT = ""
SHOWN = 3
"""Digits to which the kernel fills what it shows: hexadecimal with zeros, decimal with blanks."""


@dataclass
class Group:
    """One resource group."""

    llc: dict[int, int]
    bandwidth: dict[int, int]
    exclusive: bool = False


def _is_there(tid: int) -> bool:
    return Path(f"/proc/{tid}").is_dir()


@dataclass
class ResctrlDouble:
    """Its files by path, as `sextant_agent.helper.resctrl_files.Resctrl`. 11 ways on two caches, 8 classes."""

    caches: tuple[int, ...] = (0, 1)
    mask: int | None = 0x7FF
    """None: a CPU without CAT."""
    nic: int = 0x600
    least: int = 1
    classes: int = 8
    bandwidth: tuple[int, int, int] | None = (10, 10, 100)
    """Least, granularity, most; None: a CPU without MBA."""
    options: frozenset[str] = frozenset({"rw"})
    is_there: Callable[[int], bool] = _is_there
    written: Callable[[], None] = lambda: None
    """Called before each change: a test that kills the writer raises here."""
    status: str = "ok"
    tasks: dict[int, str] = field(default_factory=dict)
    """The group of each thread that is not in the default one."""

    def __post_init__(self) -> None:
        most = self.bandwidth[2] if self.bandwidth else 0
        self.all: dict[str, Group] = {DEFAULT: Group(dict.fromkeys(self.caches, self.mask or 0), self._full(most))}

    def groups(self) -> list[str]:
        return sorted(self.all.keys() - {DEFAULT})

    def refuse(self, number: int, after: int = 0) -> None:
        """All changes but the next `after`, until `take`."""
        taken = iter(range(after))

        def written() -> None:
            if next(taken, None) is None:
                raise _error(number)

        self.written = written

    def take(self) -> None:
        """Changes again."""
        self.written = lambda: None

    def lock(self) -> None:
        """One writer only."""

    def read(self, path: str) -> str:
        group, name = self._split(path)
        if path.startswith("info/"):
            return f"{self._info(path)}\n"
        if name == "tasks":
            return "".join(f"{tid}\n" for tid, at in sorted(self.tasks.items()) if at == group and self.is_there(tid))
        if name == "schemata":
            return self._shown(self.all[group])
        if name == "mode":
            return "exclusive\n" if self.all[group].exclusive else "shareable\n"
        raise _error(errno.ENOENT)

    def write(self, path: str, text: str) -> None:
        self.written()
        group, name = self._split(path)
        self.status = "ok"
        if name == "tasks":
            self._move(group, text)
        elif name == "schemata":
            self._set(self.all[group], text)
        elif name == "mode":
            self.all[group].exclusive = text.strip() == "exclusive"
        else:
            raise _error(errno.ENOENT)

    def make(self, group: str) -> None:
        self.written()
        self.status = "ok"
        if group in self.all or group in {"info", "mon_groups", "mon_data"}:
            raise _error(errno.EEXIST)
        if len(self.all) >= self.classes:
            self.status = "Out of CLOSIDs"
            raise _error(errno.ENOSPC)
        llc = {cache: self._first_mask(cache) for cache in self.caches}
        self.all[group] = Group(llc, self._full(self.bandwidth[2] if self.bandwidth else 0))

    def remove(self, group: str) -> None:
        self.written()
        if group not in self.all or group == DEFAULT:
            raise _error(errno.ENOENT if group else errno.EPERM)
        del self.all[group]
        self.tasks = {tid: at for tid, at in self.tasks.items() if at != group}

    def _split(self, path: str) -> tuple[str, str]:
        folder, _, name = path.rpartition("/")
        if folder not in self.all and folder not in {"info", "info/L3", "info/MB"}:
            raise _error(errno.ENOENT)
        return folder, name

    def _full(self, most: int) -> dict[int, int]:
        return dict.fromkeys(self.caches, most) if self.bandwidth else {}

    def _info(self, path: str) -> str:
        files: dict[str, str] = {"info/last_cmd_status": self.status}
        if self.mask is not None:
            files |= {
                "info/L3/cbm_mask": f"{self.mask:x}", "info/L3/min_cbm_bits": str(self.least),
                "info/L3/shareable_bits": f"{self.nic:x}", "info/L3/num_closids": str(self.classes),
            }  # fmt: skip
        if self.bandwidth is not None:
            files |= {
                "info/MB/min_bandwidth": str(self.bandwidth[0]), "info/MB/bandwidth_gran": str(self.bandwidth[1]),
                "info/MB/num_closids": str(self.classes),
            }  # fmt: skip
        if path not in files:
            raise _error(errno.ENOENT)
        return files[path]

    def _shown(self, group: Group) -> str:
        lines = []
        if self.mask is not None:
            masks = (f"{cache}={mask:0{SHOWN}x}" for cache, mask in group.llc.items())
            lines.append(f"    L3:{';'.join(masks)}\n")
        if self.bandwidth is not None:
            percents = (f"{cache}={percent:{SHOWN}}" for cache, percent in group.bandwidth.items())
            lines.append(f"    MB:{';'.join(percents)}\n")
        return "".join(lines)

    def _first_mask(self, cache: int) -> int:
        """`__init_one_rdt_domain`: the lowest run of what is shared and what is unused."""
        exclusive = 0
        for group in self.all.values():
            exclusive |= group.llc[cache] if group.exclusive else 0
        free = (self.mask or 0) & ~exclusive
        lowest = free & -free
        return free & ~(free + lowest)

    def _move(self, group: str, text: str) -> None:
        if not re.fullmatch(r"\d+\n?", text):
            self.status = "Task list parsing error"
            raise _error(errno.EINVAL)
        tid = int(text)
        if not self.is_there(tid):
            self.status = f"No task {tid}"
            raise _error(errno.ESRCH)
        self.tasks.pop(tid, None)
        if group != DEFAULT:
            self.tasks[tid] = group

    def _set(self, group: Group, text: str) -> None:
        if not text.endswith("\n"):
            raise _error(errno.EINVAL)
        llc, bandwidth = dict(group.llc), dict(group.bandwidth)
        for line in text[:-1].split("\n"):
            name, colon, rest = line.partition(":")
            known = {"L3": self.mask is not None, "MB": self.bandwidth is not None}
            if not colon or not known.get(name.strip()):
                self._refuse(f"Unknown or unsupported resource name '{name.strip()}'")
            for entry in filter(None, rest.split(";")):
                cache, equals, value = entry.partition("=")
                if not equals or not cache.strip().isdecimal():
                    self._refuse("Missing '=' or non-numeric domain")
                if int(cache) not in self.caches:
                    raise _error(errno.EINVAL)
                if name.strip() == "L3":
                    llc[int(cache)] = self._mask(group, int(cache), value.strip())
                else:
                    bandwidth[int(cache)] = self._percent(value.strip())
        group.llc, group.bandwidth = llc, bandwidth

    def _mask(self, group: Group, cache: int, text: str) -> int:
        if not re.fullmatch(r"[0-9a-fA-F]+", text):
            self._refuse(f"Non-hex character in the mask {text}")
        mask = int(text, 16)
        if not 0 < mask <= (self.mask or 0):
            self._refuse("Mask out of range")
        if mask & mask + (mask & -mask):
            self._refuse(f"The mask {mask:x} has non-consecutive 1-bits")
        if mask.bit_count() < self.least:
            self._refuse(f"Need at least {self.least} bits in the mask")
        for other in self.all.values():
            if other is not group and (other.exclusive or group.exclusive) and other.llc[cache] & mask:
                self._refuse("Overlaps with exclusive group" if other.exclusive else "Overlaps with other group")
        return mask

    def _percent(self, text: str) -> int:
        least, step, most = self.bandwidth or (0, 1, 0)
        if not text.isdecimal():
            self._refuse(f"Non-decimal digit in MB value {text}")
        if not least <= int(text) <= most:
            self._refuse(f"MB value {text} out of range [{least},{most}]")
        return -(-int(text) // step) * step

    def _refuse(self, status: str) -> None:
        self.status = status
        raise _error(errno.EINVAL)


def _error(number: int) -> OSError:
    return OSError(number, os.strerror(number))
