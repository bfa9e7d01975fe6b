"""Node-balancing placement: every NF goes to the node with the lowest core utilisation (Octans, Sec. VI-C)."""

from sextant_engine.algorithms.greedy import run_greedy
from sextant_engine.algorithms.outcome import NoParams, Outcome
from sextant_engine.model import Assignment, Model
from sextant_engine.stop import Stop

NAME = "node_balance"
Params = NoParams


def run(model: Model, params: NoParams, seed: int, stop: Stop, start: Assignment | None) -> Outcome:  # noqa: ARG001 - the frame's signature
    """One pass; neither seed nor stopping rule nor start matter."""
    return run_greedy(model, _least_used)


def _least_used(model: Model, room: list[int], chain: int, nodes: tuple[int, ...]) -> int:  # noqa: ARG001 - the rule's signature
    """Utilisation = cores in use / cores of the node; ties go to the first node of the problem."""
    return min(
        nodes, key=lambda node: ((model.problem.nodes[node].cores - room[node]) / model.problem.nodes[node].cores, node)
    )
