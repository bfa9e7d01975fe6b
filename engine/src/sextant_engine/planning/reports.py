"""What the core says of a host under the draft: figures and causes NF by NF, gains of moves, the frontier."""

import json

from sextant_domain.base import Frozen

from sextant_engine import native
from sextant_engine.fleet import Draft, HostDraft
from sextant_engine.planning.host_problem import host_problem, placement_of

FRONTIER_S = 0.2
"""Search for the frontier of one host: most take a millisecond a point."""


class CauseFound(Frozen):
    """A part of what an NF loses; `chain` and `position` name a neighbour."""

    kind: str
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
    alternatives: tuple[Alternative, ...]


class ChainReport(Frozen):
    """One chain."""

    mpps: float
    """Served, clamped."""
    capacity_mpps: float
    """Unclamped."""
    bottleneck: int
    nfs: tuple[NfReport, ...]


class MoveGain(Frozen):
    """What a move adds to the score before its price, moves taken in the order of chains and positions."""

    chain: str
    position: int
    gain_mpps: float


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


def report_of(draft: Draft, host: HostDraft, *, moves: int = 0) -> HostReport | None:
    """None where nothing is predicted. `moves`: how many points of the frontier are wanted."""
    if host.unpredictable() is not None:
        return None
    evaluation = {"problem": host_problem(draft, host).model_dump(mode="json"), "assignment": placement_of(host)}
    found = native.report(json.dumps(evaluation), most_moves=moves, seconds=FRONTIER_S)
    return HostReport.model_validate_json(found)
