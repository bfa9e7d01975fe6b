"""What the core found for a fleet, as the rest of planning reads it."""

from typing import Literal

from sextant_domain.base import Frozen
from sextant_domain.plans.evidence import PlanPredictor

from sextant_engine.planning.reports import FrontierFound, MoveGain
from sextant_engine.result import SolveResult


class ScoredPlacement(Frozen):
    """An algorithm's placement, by the predictor that chose."""

    algorithm: str
    score: float
    proved: bool


class HostFound(Frozen):
    """One host with newcomers, or whose chains might have moved."""

    algorithm: str
    """`insertion`: nothing was better than how the search over the fleet had seated its newcomers; `fill`: no model is
    known, the local node was filled first."""
    trusted: bool
    result: SolveResult
    predictor: PlanPredictor = "octans"
    """Whose figures `result` has."""
    candidates: tuple[ScoredPlacement, ...] = ()
    """Best first."""
    improved: bool = False
    frontier: tuple[FrontierFound, ...] = ()
    """Where `predictor` has one of its own."""
    gains: tuple[MoveGain, ...] = ()
    """The same, of moves in the order of chains and positions."""


class FleetFound(Frozen):
    """What the core found."""

    hosts: dict[str, HostFound]
    placed: dict[str, str]
    """Chain -> host."""
    rejected: tuple[str, ...]
    status: Literal["optimal", "feasible", "infeasible"]
    objective: float
    score: float
    bound: float
    evaluations: int
    seconds: float
    """Wall time of the search."""
    cpu_seconds: float
    """Of all threads."""
    exchanges: int
    """Steps of exchange between hosts."""
    hosts_solved: int
    """Repetitions included."""
    stopped: bool
    """Ended by the watcher: what was not placed by then is rejected."""
    hurried: bool
    """Time ran out before every chain had chosen its host."""
