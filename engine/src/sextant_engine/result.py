"""What a solver gives back; its JSON form is the command line's."""

from typing import Literal

from sextant_domain.base import Frozen

from sextant_engine.problem import Placement

Status = Literal["optimal", "feasible", "infeasible"]


class Short(Frozen):
    """What is missing for a rejected chain."""

    node: str | None
    """The node its pins confine it to; None: anywhere on the host."""
    cores: int


class RejectedChain(Frozen):
    """A chain that was not placed."""

    chain: str
    reason: str
    short: Short | None
    relax: str | None
    """The cheapest relaxation found, as an instruction."""


class ChainResult(Frozen):
    """An accepted chain."""

    mpps: float
    """What it delivers, clamped to [0, ideal throughput of its bottleneck]."""
    bottleneck: int
    """Position of its slowest NF."""


class NfResult(Frozen):
    """One NF, as `evaluate` reports it."""

    node: str
    mpps: float
    """Clamped to [0, ideal]."""
    llc: float
    """Competing level on the last-level cache."""
    mem: float
    """Competing level on memory (local) or interconnect (remote)."""
    llc_drop: float
    """Share of the ideal throughput lost to the cache."""
    mem_drop: float


class SolveResult(Frozen):
    """A placement and what it is worth."""

    algorithm: str
    status: Status
    """`optimal`: proven best; `infeasible`: no chain can be placed."""
    objective: float
    """Unclamped sum of the counted throughputs, Mpps."""
    score: float
    """Sum of value x throughput - price x moves."""
    bound: float | None
    """No placement with these accepted chains scores more."""
    unproven: str | None = None
    """Why it is not proven best; None where it is, and for algorithms that prove nothing and were not ended early."""
    assignment: Placement
    rejected: tuple[RejectedChain, ...]
    moves: int
    chains: dict[str, ChainResult]
    evaluations: int
    seconds: float
    """Wall time."""


class EvaluatedPlacement(SolveResult):
    """`evaluate`'s answer: a given placement, NF by NF."""

    nfs: dict[str, tuple[NfResult, ...]]
    violations: tuple[str, ...]
    """Capacity, pins and moves that the placement breaks; then the status is `infeasible`."""


class ExplainedCause(Frozen):
    """A part of an NF's drop."""

    cause: Literal["neighbour", "background", "chaining", "remote", "fixed"]
    chain: str | None = None
    """The neighbour's."""
    position: int | None = None
    node: str | None = None
    """Where the background load is."""
    llc: float
    mem: float
    fixed: float
    share: float
    """Of the NF's whole drop; 0 where it loses nothing."""


class ExplainedNf(Frozen):
    """One NF, as `explain` reports it; llc, mem and fixed are shares of the ideal throughput and sum to `drop`."""

    chain: str
    position: int
    nf: str
    node: str
    mpps: float
    ideal: float
    drop: float
    llc: float
    mem: float
    fixed: float
    causes: tuple[ExplainedCause, ...]
    """The worst first."""


class LostTo(Frozen):
    """What a chain costs another at its bottleneck."""

    chain: str
    mpps: float


class ExplainedChain(Frozen):
    """One chain, as `explain` reports it."""

    chain: str
    mpps: float
    bottleneck: int
    ideal: float
    lost: tuple[LostTo, ...]
    lost_otherwise: float


class Explanation(Frozen):
    """Who hurts whom under one placement."""

    nfs: tuple[ExplainedNf, ...]
    chains: tuple[ExplainedChain, ...]
    mpps: tuple[tuple[float, ...], ...]
    """`mpps[victim][aggressor]`, by indices of `nfs`."""
