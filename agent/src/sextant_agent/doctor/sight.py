"""What the doctor looks at: machine, processes and itself, all under one root, so that tests make them up."""

import os
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sextant_agent.machine.cpulist import parse_cpulist
from sextant_agent.machine.machine import LocalMachine, read_machine
from sextant_agent.machine.proc import all_pids, command_line, read_stat

CAP_DAC_OVERRIDE = 1
CAP_IPC_LOCK = 14


@dataclass(frozen=True, slots=True)
class Process:
    """One that lives."""

    pid: int
    start_time: int
    arguments: tuple[str, ...]

    @property
    def name(self) -> str:
        """Of its program, without the folder."""
        return Path(self.arguments[0]).name if self.arguments else ""


@dataclass(frozen=True, slots=True)
class LocalUser:
    """The user who runs the doctor: permissions are checked for this user."""

    uid: int
    capabilities: frozenset[int]
    """Effective ones, by number."""
    memlock_bytes: int | None
    """Soft limit of locked memory; None: no limit."""


@dataclass(frozen=True, slots=True)
class Sight:
    """Read once; nothing on the machine is changed."""

    root: Path
    machine: LocalMachine
    user: LocalUser
    processes: Mapping[int, Process]
    """By pid."""
    now: float
    """Seconds since 1970."""
    access: Callable[[Path, int], bool]
    """As `os.access`: whether the user may do it, by whatever rules the kernel has."""

    def at(self, path: Path) -> Path:
        """Where an absolute path of the machine is found."""
        return self.root / path.relative_to("/")

    def may(self, path: Path, mode: int) -> bool:
        """Of an absolute path of the machine; False where it is not there."""
        return self.access(self.at(path), mode)

    def affinity(self, pid: int | None) -> frozenset[int]:
        """CPUs that a process may use; None: this one."""
        return _affinity(self.text(f"proc/{'self' if pid is None else pid}/status"))

    def text(self, path: str) -> str:
        """Of a file below the root, without blanks around it; empty where it cannot be read."""
        try:
            return (self.root / path).read_text(errors="replace").strip()
        except OSError:
            return ""

    def number(self, path: str) -> int | None:
        """Of a file below the root; None where it holds none."""
        text = self.text(path)
        return int(text) if text.isdecimal() else None


def read_sight(root: Path, access: Callable[[Path, int], bool] | None = None) -> Sight:
    """The tree under `root`."""
    status = _text(root / "proc/self/status")
    return Sight(
        root=root,
        machine=read_machine(root, affinity=_affinity(status)),
        user=_user(status, _text(root / "proc/self/limits")),
        processes={process.pid: process for process in _processes(root / "proc")},
        now=time.time(),
        access=access or _may,
    )


def _affinity(status: str) -> frozenset[int]:
    found = re.search(r"^Cpus_allowed_list:\s*([0-9,-]+)$", status, re.MULTILINE)
    return frozenset(parse_cpulist(found[1])) if found else frozenset()


def _may(path: Path, mode: int) -> bool:
    return os.access(path, mode, effective_ids=os.access in os.supports_effective_ids)


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


def _user(status: str, limits: str) -> LocalUser:
    uid = re.search(r"^Uid:\s+\d+\s+(\d+)", status, re.MULTILINE)
    mask = re.search(r"^CapEff:\s*([0-9a-f]+)", status, re.MULTILINE)
    held = int(mask[1], 16) if mask else 0
    memlock = re.search(r"^Max locked memory\s+(\d+)", limits, re.MULTILINE)
    return LocalUser(
        uid=int(uid[1]) if uid else os.geteuid(),
        capabilities=frozenset(number for number in range(64) if held >> number & 1),
        memlock_bytes=int(memlock[1]) if memlock else None,
    )


def _processes(proc: Path) -> list[Process]:
    found = []
    for pid in all_pids(proc):
        stat = read_stat(pid, proc)
        if stat is not None and stat.alive:
            found.append(Process(pid, stat.start_time, tuple(command_line(pid, proc))))
    return found
