"""Processes that run and do nothing: supervisord starts again what ends, and calls what stands still running.

One counts as standing still where stopped by a signal, where the console does not answer, or where the console has
not heard of a queue's worker: for three checks in a row, so that neither a debugger's moment nor a busy machine counts.
"""

from collections.abc import Iterable, Mapping

from sextant_run import asking, supervisor_client
from sextant_run.layout import DataLayout
from sextant_run.log import log
from sextant_run.proc import is_stopped
from sextant_run.supervisor_client import ProcessInfo

CHECK_EVERY_S = 10.0
CHECKS = 3
YOUNG_S = 60.0
"""A process may wait so long for the database before it does anything (SEXTANT_START_LIMIT_S)."""
WORKERS: Mapping[str, tuple[str, ...]] = {
    "operate": ("worker",),
    "profile": ("worker",),
    "study": ("worker",),
    "control": ("worker",),
    "plan": ("planner",),
    "watch": ("watch",),
}
"""By queue, the programs without which its worker is not heard of; and the watch."""
_OWN = "keeper"
"""Followed by its guard."""


class Follower:
    """Starts again what stands still."""

    def __init__(self, layout: DataLayout) -> None:
        self._layout = layout
        self._seen: dict[tuple[str, int], int] = {}
        """(name, pid) -> checks in a row at which it stood still."""

    def check(self, console_port: int) -> list[str]:
        """Once; the names of what was started again. Raises OSError where supervisord does not answer."""
        living = {one.name: one for one in supervisor_client.processes(self._layout.supervisor_socket) if one.pid}
        still = reasons(living.values(), console_port)
        self._seen = {(name, living[name].pid): self._seen.get((name, living[name].pid), 0) + 1 for name in still}
        due = [name for name in still if self._seen[name, living[name].pid] >= CHECKS]
        for name in due:
            log("starting again", process=name, cause=still[name])
            supervisor_client.restart(self._layout.supervisor_socket, living[name])
        return due


def reasons(processes: Iterable[ProcessInfo], console_port: int) -> dict[str, str]:
    """Name -> why it counts as standing still, of those that run."""
    living = {one.name: one for one in processes if one.pid and one.name != _OWN}
    found = {name: "stopped by a signal" for name, one in living.items() if is_stopped(one.pid)}
    grown = {name for name, one in living.items() if one.up_s > YOUNG_S}
    if "console" not in living or "console" in found:
        return found
    if not asking.answers(console_port):
        return found | ({"console": "it does not answer"} if "console" in grown else {})
    for queue in sorted(asking.silent_queues(console_port)):
        names = WORKERS.get(queue, ())
        if not found.keys() & set(names):  # else that one is why
            found |= {name: f"no reply from queue {queue}" for name in names if name in grown}
    return found
