"""The foreground of `make up`: says when a process ends and runs again, until Ctrl-C."""

import signal
import time
from datetime import datetime
from types import FrameType

from sextant_run import supervision
from sextant_run.installation import Installation
from sextant_run.layout import DataLayout
from sextant_run.supervisor_client import ProcessInfo

INTERVAL_S = 1.0
_QUIET = {"STARTING", "RUNNING"}


class StopRequested(Exception):
    """Somebody wants the installation to end: Ctrl-C, SIGTERM or a closed terminal."""


def stop_on_signals() -> None:
    """From now on Ctrl-C, SIGTERM and SIGHUP raise Stopped in the main thread."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _raise)


def ignore_signals() -> None:
    """While ending: a second Ctrl-C must not leave half of it behind."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


def watch(layout: DataLayout, present: Installation) -> None:
    """Print changes; returns when supervisord has gone (`make down` elsewhere, or it was killed)."""
    known = {process.name: process for process in supervision.processes(layout)}
    while present.up:
        time.sleep(INTERVAL_S)
        try:
            now = {process.name: process for process in supervision.processes(layout)}
        except OSError:
            continue  # it is ending, or busy
        for name, process in now.items():
            text = change(known.get(name), process)
            if text:
                print(f"{datetime.now().astimezone():%H:%M:%S} {text}", flush=True)
        known = now


def change(before: ProcessInfo | None, now: ProcessInfo) -> str:
    """What happened to a process between two checks, for a person; '' if nothing did."""
    if before is None:
        return ""
    if now.pid and before.pid and now.pid != before.pid:
        return f"{now.name} ended and was started again (pid {now.pid})"
    if now.pid and not before.pid and before.state not in _QUIET:
        return f"{now.name} runs again (pid {now.pid})"
    if before.state != now.state and now.state == "BACKOFF":
        return f"{now.name} ended: {now.detail}; trying again"
    if before.state != now.state and now.state == "FATAL":
        return f"{now.name} keeps exiting: {now.detail}; trying again within 30 s"
    return ""


def _raise(_number: int, _frame: FrameType | None) -> None:
    raise StopRequested
