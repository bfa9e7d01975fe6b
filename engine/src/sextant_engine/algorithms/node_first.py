"""Node-first placement: NFs go to the chain's local node until it is full, then to the others (Octans, Sec. VI-C)."""

from sextant_engine.algorithms.greedy import run_greedy
from sextant_engine.algorithms.outcome import NoParams, Outcome
from sextant_engine.model import Assignment, Model
from sextant_engine.stop import Stop

NAME = "node_first"
Params = NoParams


def run(model: Model, params: NoParams, seed: int, stop: Stop, start: Assignment | None) -> Outcome:  # noqa: ARG001 - the frame's signature
    """One pass; neither seed nor stopping rule nor start matter."""
    return run_greedy(model, _local_else_lowest)


def _local_else_lowest(model: Model, room: list[int], chain: int, nodes: tuple[int, ...]) -> int:  # noqa: ARG001 - the rule's signature
    return model.ingress[chain] if model.ingress[chain] in nodes else nodes[0]
