"""What the core says of a host under the fleet: figures and causes NF by NF, gains of moves, the frontier."""

import json
from typing import Literal

from sextant_domain.base import Frozen

from sextant_engine import native
from sextant_engine.fleet_view import FleetView
from sextant_engine.host_state import HostState
from sextant_engine.planning.host_problem import host_problem, placement_of

FRONTIER_S = 0.2
"""Search for the frontier of one host: most take a millisecond a point."""

FRONTIERS_S = 2.0
"""Search for the frontiers of all hosts: of those whose turn comes later, only what is seen at once is reported."""


class CauseFound(Frozen):
    """A part of what an NF loses; `chain` and `position` name a neighbour."""

    kind: Literal["neighbour", "background", "chaining", "remote", "fixed"]
    chain: str | None
    position: int | None
    llc_drop: float
    mem_drop: float
    lost_mpps: float
    share: float


class Alternative(Frozen):
    """Another node with room, and what the score would be worth with this NF alone moved there."""

    node: str
    score_delta: float


class NfReport(Frozen):
    """One NF."""

    node: str
    mpps: float
    ideal_mpps: float
    llc_drop: float
    mem_drop: float
    fixed_drop: float
    causes: tuple[CauseFound, ...]
    """The worst first."""
    alternatives: tuple[Alternative, ...]


class ChainReport(Frozen):
    """One chain."""

    mpps: float
    """Served, clamped."""
    before_mpps: float | None
    """The same if nothing moved, with all that is new in place; None of a chain that is new itself."""
    capacity_mpps: float
    """Unclamped."""
    bottleneck: int
    nfs: tuple[NfReport, ...]


class MoveGain(Frozen):
    """What a move adds, moves taken in the order of chains and positions."""

    chain: str
    position: int
    gain_mpps: float
    """To the score before its price: value x Mpps."""
    mpps: float
    """To what all chains carry together, Mpps."""


class FrontierFound(Frozen):
    """The best placement of the host with at most so many moves."""

    moves: int
    gain_mpps: float
    net_mpps: float
    proven: bool


class HostReport(Frozen):
    """One host."""

    chains: dict[str, ChainReport]
    gains: tuple[MoveGain, ...]
    frontier: tuple[FrontierFound, ...]


def report_of(
    fleet: FleetView,
    host: HostState,
    *,
    moves: int = 0,
    seconds: float = FRONTIER_S,
    most_causes: int | None = None,
    kept: frozenset[str] = frozenset(),
) -> HostReport | None:
    """None where nothing is predicted. `moves`: how many points of the frontier are searched for, in `seconds`;
    `most_causes`: of each NF, None: all; `kept`: chains that no point of the frontier moves."""
    if host.unpredictable is not None:
        return None
    problem, placement = host_problem(fleet, host, kept).model_dump_json(), json.dumps(placement_of(host))
    evaluation = f'{{"problem":{problem},"assignment":{placement}}}'
    found = native.report(evaluation, most_moves=moves, most_causes=most_causes, seconds=seconds)
    return HostReport.model_validate_json(found)
