"""Lines as sextant-measure prints them, for tests that need a machine that behaves in a certain way."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sextant_agent.measuring.calibration import read_calibration
from sextant_agent.measuring.lines import GateLine, ProgramLine
from sextant_agent.measuring.program import MeasureProgram
from sextant_domain.profiling.calibration import Calibration, MachineFingerprint

KIB, MIB = 2**10, 2**20
FINGERPRINT = MachineFingerprint(cpu_model="Xeon", microcode="0x1", hypervisor="", boot_id="first")
NO_COUNTERS = {"source": "tsc", "events": [], "reason": "instructions: this (virtual) machine does not count it"}
_LEVELS = ((32 * KIB, 1.25), (MIB, 4.0), (8 * MIB, 20.0), (2**40, 100.0))
_SIZES = [int(8 * KIB * 2 ** (step / 4)) for step in range(4 * 14 + 1)]
_DISTANCES = (([0, 1], 31.0), ([0, 2], 155.0), ([1, 2], 160.0))

CALIBRATION: list[dict[str, Any]] = [
    *({"clock": {"core": core, "imul_ns": 1.0, "hz": 3e9}} for core in (0, 1, 2)),
    *({"pair": {"cores": cores, "ns": ns}} for cores, ns in _DISTANCES),
    *({"chase": {"bytes": size, "ns": next(ns for holds, ns in _LEVELS if size <= holds)}} for size in _SIZES),
    {"summary": {"mode": "calibrate", "version": "0.1.0", "tsc_hz": 2.6e9, "counters": NO_COUNTERS}},
]
"""Cores 0 and 1 share a cache, core 2 stands apart."""


def calibration() -> Calibration:
    return read_calibration([ProgramLine.model_validate(line) for line in CALIBRATION], FINGERPRINT, datetime.now(UTC))


def gate(when: str, ns: float = 31.0, imul_ns: float = 1.0, cores: tuple[int, int] = (0, 1)) -> GateLine:
    return GateLine.model_validate(gate_line(when, ns, imul_ns, cores)["gate"])


def gate_line(when: str, ns: float = 31.0, imul_ns: float = 1.0, cores: tuple[int, int] = (0, 1)) -> dict[str, Any]:
    clocks = [{"core": core, "imul_ns": imul_ns} for core in cores]
    return {"gate": {"when": when, "clocks": clocks, "pairs": [{"cores": cores, "ns": ns}]}}


def sample_line(
    phase: int,
    nf: int = 0,
    against: str = "none",
    cycles: int = 15,
    slices: int = 50,
    starved: int = 0,
    **counts: float,
) -> dict[str, Any]:
    """Slices of 32,000 packets in 1 ms."""
    return {
        "sample": {
            "phase": phase, "nf": nf, "against": against, "settling": 0, "starved": starved,
            "packets": 32_000 * slices, "wall_ns": 1_000_000 * slices, "cpu_ns": 990_000 * slices,
            "counts": {}, "slices": [[32_000, 32_000 * cycles, 1_000_000]] * slices,
        }
    }  # fmt: skip


def run(*samples: dict[str, Any], ns: float = 31.0, counters: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    """A whole run whose gates find that distance."""
    summary = {"mode": "solo", "version": "0.1.0", "tsc_hz": 2.6e9, "counters": counters or NO_COUNTERS}
    return [gate_line("before", ns), *samples, gate_line("after", ns), {"summary": summary}]


DESCRIPTION: list[dict[str, Any]] = [
    {
        "summary": {
            "mode": "describe",
            "version": "0.1.0",
            "nf_types": ["basic-monitor", "router"],
            "cores": [0, 1, 2],
            "counters": NO_COUNTERS,
        }
    }
]


_SCRIPT = """#!/bin/sh
cd '{folder}'
cat > asked
grep -q '"describe"' asked && exec cat description
count=$(cat count 2>/dev/null || echo 0)
echo $((count + 1)) > count
[ -f run$count ] || count={last}
exec cat run$count
"""


def scripted(folder: Path, *runs: list[dict[str, Any]]) -> MeasureProgram:
    """A program that prints one of `runs` after the other, and the last one ever after; `describe` takes none."""
    (folder / "description").write_text(json.dumps(DESCRIPTION[0]) + "\n")
    for number, lines in enumerate(runs):
        (folder / f"run{number}").write_text("".join(json.dumps(line) + "\n" for line in lines))
    program = folder / "sextant-measure"
    program.write_text(_SCRIPT.format(folder=folder, last=len(runs) - 1))
    program.chmod(0o755)
    return MeasureProgram(program)
