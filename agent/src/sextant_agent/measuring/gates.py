"""Whether the machine under a sample was the calibrated one: before it, and after it. Pure.

A hypervisor may move a virtual CPU to another socket at any time, and nothing in the guest reports that; but then a
cache line takes four times as long, or the clock is another.
"""

from collections.abc import Sequence

from sextant_domain.profiling.calibration import Calibration

from sextant_agent.measuring.lines import GateLine

PAIR_TOLERANCE = 1.6
"""Ping-pong of one pair spreads by a fifth; a pair that lost its shared cache is three to six times as far apart."""
CLOCK_TOLERANCE = 1.1
"""More than turbo steps between two samples of one load, less than a halved clock."""


def fault(gates: Sequence[GateLine], calibration: Calibration) -> str | None:
    """What differs from the calibration; None where both gates hold."""
    missing = {"before", "after"} - {gate.when for gate in gates}
    if missing:
        return f"there is no gate {' and '.join(sorted(missing))} the sample"
    for gate in gates:
        found = _clock_fault(gate, calibration) or _pair_fault(gate, calibration)
        if found:
            return f"{gate.when} the sample {found}"
    return None


def _clock_fault(gate: GateLine, calibration: Calibration) -> str | None:
    known = {clock.core: clock.imul_ns for clock in calibration.clocks}
    for clock in gate.clocks:
        if clock.core not in known:
            return f"core {clock.core} was in use, which is not calibrated"
        if not _alike(clock.imul_ns, known[clock.core], CLOCK_TOLERANCE):
            return (
                f"core {clock.core} took {clock.imul_ns:.3f} ns for a multiplication, calibrated "
                f"{known[clock.core]:.3f} ns: its clock has changed"
            )
    return None


def _pair_fault(gate: GateLine, calibration: Calibration) -> str | None:
    for pair in gate.pairs:
        known = calibration.pair(*pair.cores)
        cores = f"cores {pair.cores[0]} and {pair.cores[1]}"
        if known is None:
            return f"{cores} were in use, whose distance is not calibrated"
        if not _alike(pair.ns, known.ns, PAIR_TOLERANCE):
            return f"{cores} were {pair.ns:.0f} ns apart, calibrated {known.ns:.0f} ns: they stand elsewhere now"
    return None


def _alike(found: float, known: float, tolerance: float) -> bool:
    return known / tolerance <= found <= known * tolerance
