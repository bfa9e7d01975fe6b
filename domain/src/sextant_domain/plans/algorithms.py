"""Placement algorithms. Written by `make algorithms` from what the engine's core declares; do not edit."""

from enum import StrEnum

from pydantic import GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from sextant_domain.plans.algorithm_declaration import AlgorithmBound, AlgorithmDeclaration, with_declarations


class Algorithm(StrEnum):
    """Placement algorithms of the engine."""

    EXACT = "exact"
    """Branch and bound: proves the optimum of what is predicted."""
    ANYTIME = "anytime"
    """Simulated annealing with a certified bound of how far the best may be off."""
    OCTANS = "octans"
    """Algorithm 1 of the Octans paper to the letter; refuses what the paper does not know."""
    OCTANS_EXTENDED = "octans_extended"
    """Octans with the cost of moves, pinned NFs, occupied cores and several ingress nodes."""
    BRUTE = "brute"
    """Tries every placement: the reference in tests of the others."""
    NODE_FIRST = "node_first"
    """Baseline: fills one node after another, the local one first."""
    NODE_BALANCE = "node_balance"
    """Baseline: spreads NFs evenly over the nodes."""
    COCO = "coco"
    """CoCo: the fewest packets from core to core where NFs share cores, proven."""
    COCO_GREEDY = "coco_greedy"
    """Baseline of CoCo: what waits, chain by chain, on the first shared core with room."""

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return with_declarations(schema, handler, ALGORITHMS)


ALGORITHMS: tuple[AlgorithmDeclaration, ...] = (
    AlgorithmDeclaration(
        name="exact",
        summary="branch and bound: proves the optimum of what is predicted",
        since="0.1.0",
        places="nodes",
        exact=True,
        offered=True,
        races=True,
        bounds=(
            AlgorithmBound(most=1_000, of="chains", beyond="searched by anytime"),
            AlgorithmBound(most=400_000, of="ways to place the chains one by one", beyond="searched by anytime"),
        ),
    ),
    AlgorithmDeclaration(
        name="anytime",
        summary="simulated annealing with a certified bound of how far the best may be off",
        since="0.1.0",
        places="nodes",
        exact=False,
        offered=True,
        races=True,
        bounds=(),
    ),
    AlgorithmDeclaration(
        name="octans",
        summary="Algorithm 1 of the Octans paper to the letter; refuses what the paper does not know",
        since="0.1.0",
        places="nodes",
        exact=False,
        offered=True,
        races=False,
        bounds=(
            AlgorithmBound(most=2_048, of="NFs", beyond="refused"),
            AlgorithmBound(most=100_000_000, of="placements without a limit of time or evaluations", beyond="refused"),
        ),
    ),
    AlgorithmDeclaration(
        name="octans_extended",
        summary="Octans with the cost of moves, pinned NFs, occupied cores and several ingress nodes",
        since="0.1.0",
        places="nodes",
        exact=False,
        offered=True,
        races=True,
        bounds=(
            AlgorithmBound(most=2_048, of="NFs", beyond="refused"),
            AlgorithmBound(most=100_000_000, of="placements without a limit of time or evaluations", beyond="refused"),
        ),
    ),
    AlgorithmDeclaration(
        name="brute",
        summary="tries every placement: the reference in tests of the others",
        since="0.1.0",
        places="nodes",
        exact=True,
        offered=False,
        races=False,
        bounds=(
            AlgorithmBound(most=100_000_000, of="placements without a limit of time or evaluations", beyond="refused"),
        ),
    ),
    AlgorithmDeclaration(
        name="node_first",
        summary="baseline: fills one node after another, the local one first",
        since="0.1.0",
        places="nodes",
        exact=False,
        offered=True,
        races=True,
        bounds=(),
    ),
    AlgorithmDeclaration(
        name="node_balance",
        summary="baseline: spreads NFs evenly over the nodes",
        since="0.1.0",
        places="nodes",
        exact=False,
        offered=True,
        races=True,
        bounds=(),
    ),
    AlgorithmDeclaration(
        name="coco",
        summary="CoCo: the fewest packets from core to core where NFs share cores, proven",
        since="0.1.0",
        places="cores",
        exact=True,
        offered=True,
        races=False,
        bounds=(AlgorithmBound(most=512, of="NFs, or cores, of a host", beyond="refused"),),
    ),
    AlgorithmDeclaration(
        name="coco_greedy",
        summary="baseline of CoCo: what waits, chain by chain, on the first shared core with room",
        since="0.1.0",
        places="cores",
        exact=False,
        offered=True,
        races=False,
        bounds=(AlgorithmBound(most=512, of="NFs, or cores, of a host", beyond="refused"),),
    ),
)
"""All of them, in the order in which they are offered."""
