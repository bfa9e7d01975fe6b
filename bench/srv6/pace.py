"""How long a run of the bench may take, and on what machine it was."""

import os
import platform
from dataclasses import dataclass
from pathlib import Path

from setting import verdict
from sextant_agent.measuring.fingerprint import read_fingerprint


@dataclass(frozen=True)
class Pace:
    """One run."""

    repeats: int
    seconds: float
    """At a rate."""
    actions: int
    """Reroutes, at most."""
    within_s: float = 120.0
    """They end then, however many there were."""


def machine() -> str:
    """The machine, and what else it did."""
    found = read_fingerprint(Path("/"))
    virtual = f" (a virtual machine, {found.hypervisor})" if found.hypervisor else ""
    cores = len(os.sched_getaffinity(0))
    return f"{found.cpu_model}{virtual}, Linux {platform.release()}, {cores} cores; load {os.getloadavg()[0]:.1f}"


def judged(met: bool) -> str:
    """Beside a goal; a failure is to be seen."""
    return verdict(met) if met else f"**{verdict(met)}**"
