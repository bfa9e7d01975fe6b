"""A peer as a program: one problem from standard input, its answer and what it cost on standard output. The peers' own
Python runs it, too, so that it needs nothing but the standard library."""

import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

Program = TypeVar("Program")


def answer(program_of: Callable[[Any], Program], solve: Callable[[Program, float], dict[str, object]]) -> None:
    """{"problem": ..., "seconds": ...} -> what `solve` says, and CPU seconds of all its workers."""
    job = json.load(sys.stdin)
    program = program_of(job["problem"])
    before, began = _cpu(), time.monotonic()
    found = solve(program, job["seconds"])
    cost = {"cpu_seconds": _cpu() - before, "seconds": time.monotonic() - began, "rss_kib": peak_kib()}
    print(json.dumps({**found, **cost}))


def _cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def peak_kib() -> int:
    """Of this program alone: ru_maxrss would begin with that of the process which started it."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0])
