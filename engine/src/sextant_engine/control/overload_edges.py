"""When NFs become overloaded, and when they have recovered, by how full their rings are ten times a second; and when
that is worth a report of its own. Pure.

A ring is full or empty within milliseconds: one look says nothing, several in a row do. What is reported is an edge,
all NFs of a host at once, and never more often than a budget allows, however rings flap.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

FULL = 0.9
"""Of a ring's places: from there on its NF has no time for what comes."""
EMPTIED = 0.75
"""Up to there it has time again; what is in between changes nothing."""
LOOKS = 3
"""In a row, until an edge counts."""
BURST = 8
"""Reports that a host may make one after another."""
REFILL_S = 3.0
"""After them it may make one more in so long."""


@dataclass(frozen=True, slots=True)
class RingMemory:
    """Of one NF."""

    overloaded: bool = False
    since_ns: int | None = None
    """When its ring was first found to be other than this says, in a row that goes on; None: it is as this says."""
    looks: int = 0
    """Of that row."""
    stands_ns: int = 0
    """Since when it is as `overloaded` says."""


@dataclass(frozen=True, slots=True)
class EdgeState:
    """From one look to the next."""

    nfs: Mapping[str, RingMemory] = field(default_factory=dict[str, RingMemory])
    reported: frozenset[str] = frozenset()
    """NFs that were overloaded by the last report."""
    reported_ns: int | None = None
    budget: float = BURST
    filled_ns: int | None = None
    """When the budget was worked out last."""


@dataclass(frozen=True, slots=True)
class EdgeReport:
    """What is to be reported now."""

    stood_s: Mapping[str, float]
    """By overloaded NF: for how long."""
    well_s: Mapping[str, float]
    """By NF that was overloaded by the last report: for how long it is no more."""


def step(
    state: EdgeState, fill: Mapping[str, float], now_ns: int, least_gap_s: float
) -> tuple[EdgeState, EdgeReport | None]:
    """A look. `fill`: by NF, the part of its ring that is taken, 0 to 1; NFs that are gone are not overloaded any more.
    A report is due where other NFs are overloaded than by the last one; one that may not be made yet is made as soon as
    it may, if that is still so."""
    nfs = {name: _followed(state.nfs.get(name, RingMemory()), part, now_ns) for name, part in fill.items()}
    state = _refilled(replace(state, nfs=nfs), now_ns)
    overloaded = {name: one for name, one in nfs.items() if one.overloaded}
    too_soon = state.reported_ns is not None and now_ns - state.reported_ns < least_gap_s * 1e9
    if overloaded.keys() == state.reported or too_soon or state.budget < 1:
        return state, None
    stands_s = {name: (now_ns - one.stands_ns) / 1e9 for name, one in sorted(nfs.items())}
    report = EdgeReport(
        stood_s={name: stands_s[name] for name in sorted(overloaded)},
        well_s={name: stands_s.get(name, 0.0) for name in sorted(state.reported - overloaded.keys())},
    )
    return replace(state, reported=frozenset(overloaded), reported_ns=now_ns, budget=state.budget - 1), report


def _followed(before: RingMemory, part: float, now_ns: int) -> RingMemory:
    turned = part <= EMPTIED if before.overloaded else part >= FULL
    if not turned:
        return replace(before, since_ns=None, looks=0)
    since_ns = now_ns if before.since_ns is None else before.since_ns
    if before.looks + 1 < LOOKS:
        return replace(before, since_ns=since_ns, looks=before.looks + 1)
    return RingMemory(overloaded=not before.overloaded, stands_ns=since_ns)


def _refilled(state: EdgeState, now_ns: int) -> EdgeState:
    passed_s = 0.0 if state.filled_ns is None else max(0, now_ns - state.filled_ns) / 1e9
    return replace(state, budget=min(float(BURST), state.budget + passed_s / REFILL_S), filled_ns=now_ns)
