"""The demonstration fleet (`sextant demo`): its process runs while the console wants it, at the size that it wants."""

import shutil

from sextant_run import supervisor_client
from sextant_run.console_client import call, good
from sextant_run.layout import DataLayout
from sextant_run.log import log
from sextant_run.supervisor_client import ProcessInfo

PROGRAM = "demo"
_LIVING = {"STARTING", "RUNNING", "BACKOFF"}


def wanted(layout: DataLayout) -> int:
    """How many hosts it is to have. Raises ConsoleError."""
    return int(good(call(layout, "GET", "/demo"))["hosts"])


def note_size(layout: DataLayout, hosts: int) -> None:
    """So many are served from now on."""
    layout.demo.mkdir(mode=0o700, parents=True, exist_ok=True)
    (layout.demo / "size").write_text(str(hosts))


def follow(layout: DataLayout) -> None:
    """Start, end or replace its process, where that is due. Raises ConsoleError, OSError."""
    hosts, served = wanted(layout), _size(layout)
    if not hosts and served is None:
        return
    process = next((p for p in supervisor_client.processes(layout.supervisor_socket) if p.name == PROGRAM), None)
    if process is None:
        return
    if served is not None and served != hosts:
        _end(layout, process)
    elif hosts and process.state not in {*_LIVING, "FATAL"}:  # of what is fatal the keeper takes care
        log("starting", process=PROGRAM, hosts=hosts)
        note_size(layout, hosts)
        supervisor_client.start_again(layout.supervisor_socket, process)


def _end(layout: DataLayout, process: ProcessInfo) -> None:
    """Nothing of it stays: its ledgers and certificates go with it."""
    if process.state in _LIVING:
        log("ending", process=PROGRAM)
        supervisor_client.stop(layout.supervisor_socket, process)
    shutil.rmtree(layout.pki / PROGRAM, ignore_errors=True)
    shutil.rmtree(layout.demo, ignore_errors=True)


def _size(layout: DataLayout) -> int | None:
    """How many it has; None where there is none."""
    try:
        return int((layout.demo / "size").read_text())
    except (OSError, ValueError):
        return None
