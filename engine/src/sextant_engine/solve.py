"""One door to all algorithms: `solve(problem, algorithm, params, seed, stop, initial) -> Result`."""

import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

from sextant_engine.algorithms import brute, node_balance, node_first
from sextant_engine.errors import BadInput
from sextant_engine.model import Assignment, ChainFigures, Model
from sextant_engine.problem import Placement, Problem
from sextant_engine.rank import close, moves_of, rank_of, solo_bound, violations
from sextant_engine.rejections import rejections_of
from sextant_engine.result import ChainResult, Evaluated, NfResult, Result, Status
from sextant_engine.stop import Clock, Never, Stop

ALGORITHMS: dict[str, ModuleType] = {module.NAME: module for module in (node_first, node_balance, brute)}


def solve(  # noqa: PLR0917 - the frame's signature
    problem: Problem,
    algorithm: str,
    params: Any = None,
    seed: int = 0,
    stop: Stop | None = None,
    initial: Placement | None = None,
    clock: Clock = time.monotonic,
) -> Result:
    """Place the chains of `problem`.

    `params` is the algorithm's own Params (None: its defaults), `initial` a placement to start the search from (not
    the running one: that is `problem.initial`). Raises BadInput for an unknown algorithm, a start that does not match
    the problem, and a problem beyond the algorithm's guard.
    """
    module = ALGORITHMS.get(algorithm)
    if module is None:
        raise BadInput("algorithm", f"'{algorithm}' is not one of {', '.join(sorted(ALGORITHMS))}")
    began = clock()
    model = Model(problem)
    start = None if initial is None else assignment_of(model, initial, "initial")
    outcome = module.run(model, params or module.Params(), seed, stop or Never(), start)
    chosen = _keep_unless_worth_it(model, outcome.assignment)
    figures = model.evaluate(chosen)
    rank, bound = rank_of(model, chosen), solo_bound(model, chosen)
    proven = outcome.proven or (None not in chosen and close(rank.score, bound))
    return Result(
        algorithm=algorithm,
        status=_status(chosen, proven),
        objective=sum(chain.counted_mpps for chain in figures if chain is not None),
        score=rank.score,
        bound=rank.score if proven else bound,
        assignment=model.placement(chosen),
        rejected=rejections_of(model, chosen),
        moves=moves_of(model, chosen),
        chains=_chain_results(model, figures),
        evaluations=outcome.evaluations,
        seconds=clock() - began,
    )


def evaluate(problem: Problem, placement: Placement, clock: Callable[[], float] = time.monotonic) -> Evaluated:
    """Judge a given placement; chains it leaves out count as rejected."""
    began = clock()
    model = Model(problem)
    assignment = assignment_of(model, placement, "assignment")
    figures = model.evaluate(assignment)
    broken = tuple(violations(model, assignment))
    status: Status = "infeasible" if broken else _status(assignment, proven=False)
    return Evaluated(
        algorithm="evaluate",
        status=status,
        objective=sum(chain.counted_mpps for chain in figures if chain is not None),
        score=rank_of(model, assignment).score,
        bound=None if broken else solo_bound(model, assignment),
        assignment=model.placement(assignment),
        rejected=rejections_of(model, assignment),
        moves=moves_of(model, assignment),
        chains=_chain_results(model, figures),
        evaluations=1,
        seconds=clock() - began,
        nfs=_nf_results(model, assignment, figures),
        violations=broken,
    )


def assignment_of(model: Model, placement: Placement, at: str) -> Assignment:
    """A placement by names, checked against the problem; `at` is the field it came in."""
    chains = {chain.id: chain for chain in model.problem.chains}
    for name, nodes in placement.items():
        if name not in chains:
            raise BadInput(f"{at}.{name}", "is not the id of a chain")
        if len(nodes) != len(chains[name].nfs):
            raise BadInput(f"{at}.{name}", f"names {len(nodes)} nodes for a chain of {len(chains[name].nfs)} NFs")
        for position, node in enumerate(nodes):
            if node not in model.node_of:
                raise BadInput(f"{at}.{name}.{position}", f"'{node}' is not the id of a node")
    return model.assignment(placement)


def _keep_unless_worth_it(model: Model, found: Assignment) -> Assignment:
    """The margin rule: the initial placement stays unless it is beaten by the margin.

    It may stay only where it is feasible, no chain of it is gone, and every chain that was found a place has one in it.
    """
    problem = model.problem
    if problem.initial is None or not problem.initial.keys() <= {chain.id for chain in problem.chains}:
        return found
    newly_placed = any(now is not None and before is None for now, before in zip(found, model.initial, strict=True))
    if newly_placed or violations(model, model.initial):
        return found
    now, before = rank_of(model, found), rank_of(model, model.initial)
    gains = now.beats(before) and (not close(now.value, before.value) or now.score > before.score + problem.margin_mpps)
    return found if gains else list(model.initial)


def _status(assignment: Assignment, proven: bool) -> Status:
    if assignment and all(pattern is None for pattern in assignment):
        return "infeasible"
    return "optimal" if proven or not assignment else "feasible"


def _chain_results(model: Model, figures: list[ChainFigures | None]) -> dict[str, ChainResult]:
    return {
        chain.id: ChainResult(
            mpps=_clamp(found.counted_mpps, found.nfs[found.bottleneck].ideal_mpps), bottleneck=found.bottleneck
        )
        for chain, found in zip(model.problem.chains, figures, strict=True)
        if found is not None
    }


def _nf_results(
    model: Model, assignment: Assignment, figures: list[ChainFigures | None]
) -> dict[str, tuple[NfResult, ...]]:
    nodes = model.problem.nodes
    return {
        chain.id: tuple(
            NfResult(
                node=nodes[node].id,
                mpps=_clamp(nf.mpps, nf.ideal_mpps),
                llc=nf.llc,
                mem=nf.mem,
                llc_drop=nf.llc_drop,
                mem_drop=nf.mem_drop,
            )
            for node, nf in zip(pattern, found.nfs, strict=True)
        )
        for chain, pattern, found in zip(model.problem.chains, assignment, figures, strict=True)
        if pattern is not None and found is not None
    }


def _clamp(mpps: float, ideal: float) -> float:
    return min(max(mpps, 0.0), ideal)
