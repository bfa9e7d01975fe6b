"""`make status`: every process with pid, uptime, memory, address and health."""

import contextlib
from dataclasses import dataclass
from pathlib import Path

import psutil

from sextant_run import health, supervision
from sextant_run.belongings import executable
from sextant_run.down import runner_processes
from sextant_run.health import HealthAnswer
from sextant_run.identity import ProcessIdentity
from sextant_run.installation import Installation
from sextant_run.layout import DataLayout
from sextant_run.programs import programs, servers
from sextant_run.simulated.demo import PROGRAM as DEMO

FROZEN = "frozen"
"""Stopped by a signal: supervisord calls it running."""


@dataclass(frozen=True)
class StatusRow:
    """One line of the table."""

    name: str
    state: str
    pid: int | None
    uptime_s: float | None
    memory_bytes: int
    """Resident memory of the process and its children, by parts: a page that n processes share is 1/n in each (PSS)."""
    address: str
    health: HealthAnswer | None
    """None: it is not asked, its state says all."""


def rows(layout: DataLayout, present: Installation) -> list[StatusRow]:
    """All processes, supervised ones first; OSError where supervisord does not answer."""
    addresses = {program.name: program.address for program in programs(layout, present)}
    asked = {server.name: _server_health(server.ready()) for server in servers(layout, present)} | {
        "console": health.console(present),
        "fleet": health.fleet(layout, present),
        "agent": health.agent(layout, present),
        "simulated": health.simulated(layout, present),
        "keeper": health.keeper(layout),
    }
    supervised = supervision.processes(layout)
    found = [
        _row(p.name, p.state.lower(), p.pid, addresses.get(p.name, ""), asked.get(p.name))
        for p in supervised
        if (p.name, p.state) != (DEMO, "STOPPED")  # nobody asked for it
    ]
    packets = {identity.pid for identity in runner_processes(layout, present)}
    top = [pid for pid in packets if _parent(pid) not in packets]
    found.extend(_row("runner", "running", pid, "", None) for pid in top)
    if present.supervisor is not None:
        found.append(_row("supervisord", "running", present.supervisor.pid, "", None, alone=True))
    return found


def healthy(table: list[StatusRow]) -> bool:
    """An `exited` process is one that was to end when its work was done: others are started again."""
    good = {"running", "starting", "exited"}
    return all((row.health is None or row.health.ok) and row.state in good for row in table)


def uptime_text(seconds: float | None) -> str:
    """`42 s`, `12 min`, `3 h 20 min`, `5 d 2 h`."""
    if seconds is None:
        return ""
    minutes, hours, days = int(seconds // 60), int(seconds // 3600), int(seconds // 86400)
    if minutes < 1:
        return f"{seconds:.0f} s"
    if hours < 1:
        return f"{minutes} min"
    return f"{hours} h {minutes % 60} min" if days < 1 else f"{days} d {hours % 24} h"


def _row(
    name: str, state: str, pid: int, address: str, answer: HealthAnswer | None, *, alone: bool = False
) -> StatusRow:
    identity = ProcessIdentity.of(pid) if pid else None
    return StatusRow(
        name=name,
        state=FROZEN if identity is not None and identity.is_stopped() else state,
        pid=pid or None,
        uptime_s=identity.age_s() if identity else None,
        memory_bytes=_memory(pid, alone=alone) if identity else 0,
        address=address,
        health=answer,
    )


def _memory(pid: int, *, alone: bool) -> int:
    total = 0
    with contextlib.suppress(psutil.Error):
        process = psutil.Process(pid)
        for member in [process, *([] if alone else process.children(recursive=True))]:
            if member.pid != pid and executable_differs(member.pid, pid):
                continue
            with contextlib.suppress(psutil.Error):
                total += int(member.memory_full_info().pss)
    return total


def executable_differs(pid: int, parent: int) -> bool:
    """The agent's runner is a row of its own."""
    first, second = ProcessIdentity.of(pid), ProcessIdentity.of(parent)
    programs_of = [executable(identity) if identity else Path() for identity in (first, second)]
    return programs_of[0] != programs_of[1]


def _parent(pid: int) -> int | None:
    with contextlib.suppress(psutil.Error):
        return psutil.Process(pid).ppid()
    return None


def _server_health(ready: bool) -> HealthAnswer:
    return HealthAnswer(ok=ready, detail="ready" if ready else "does not answer")
