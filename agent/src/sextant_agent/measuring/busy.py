"""Processes of a data plane that are pinned to a core now, whoever started them: known by name and affinity."""

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

from sextant_agent.machine.proc import PROC, all_pids

NF, OWN, TRAFFIC = "nf-", "sx-", "sx-traffic"


@dataclass(frozen=True, slots=True)
class Pinned:
    """A process that may run on one core only."""

    pid: int
    name: str
    core: int


def pinned_nfs(cores: Iterable[int]) -> list[Pinned]:
    """Those on `cores`. A runner's traffic process counts where some NF runs; without one it sleeps."""
    found = list(pinned_processes())
    working = any(process.name.startswith(NF) for process in found)
    wanted = set(cores)
    return [process for process in found if process.core in wanted and (working or process.name != TRAFFIC)]


def pinned_processes() -> Iterable[Pinned]:
    """Of every data plane on this machine."""
    for pid in all_pids():
        with suppress(OSError):
            name = (PROC / str(pid) / "comm").read_text().strip()
            if not name.startswith((NF, OWN)):
                continue
            allowed = os.sched_getaffinity(pid)
            if len(allowed) == 1:
                yield Pinned(pid, name, next(iter(allowed)))
