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
    THROUGHPUT = "throughput"
    """Sfc2cpu: the most packets that an ideal host serves where NFs share cores, proven."""
    MIN_MAX = "min_max"
    """Sfc2cpu: the least load of the fullest shared core, proven."""
    CALIBRATED = "calibrated"
    """Sfc2cpu: the most packets by what NFs cost beside others, as fitted on the host itself."""
    NETWORK = "network"
    """Sfc2cpu: as the network expects that was trained and promoted for so many shared cores."""
    LPT = "lpt"
    """Sfc2cpu: NFs by falling load, each to the least loaded shared core."""
    LLF = "llf"
    """Baseline of sfc2cpu: each NF in its turn to the least loaded shared core."""
    FFD = "ffd"
    """Baseline of sfc2cpu: NFs by falling load, each to the first shared core with time for it."""
    RR = "rr"
    """Baseline of sfc2cpu: one NF after another to the shared cores in turn."""
    GEN = "gen"
    """Sfc2cpu's generator: each NF to a shared core drawn from those with time for it."""

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return with_declarations(schema, handler, ALGORITHMS)


ALGORITHMS: tuple[AlgorithmDeclaration, ...] = (
    AlgorithmDeclaration(
        law="octans",
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
        law="octans",
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
        law="octans",
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
        law="octans",
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
        law="octans",
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
        law="octans",
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
        law="octans",
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
        law="coco",
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
        law="coco",
        name="coco_greedy",
        summary="baseline of CoCo: what waits, chain by chain, on the first shared core with room",
        since="0.1.0",
        places="cores",
        exact=False,
        offered=True,
        races=False,
        bounds=(AlgorithmBound(most=512, of="NFs, or cores, of a host", beyond="refused"),),
    ),
    AlgorithmDeclaration(
        law="sfc2cpu",
        name="throughput",
        summary="sfc2cpu: the most packets that an ideal host serves where NFs share cores, proven",
        since="0.1.0",
        places="cores",
        exact=True,
        offered=True,
        races=False,
        bounds=(AlgorithmBound(most=512, of="NFs, or cores, of a host", beyond="refused"),),
    ),
    AlgorithmDeclaration(
        law="sfc2cpu",
        name="min_max",
        summary="sfc2cpu: the least load of the fullest shared core, proven",
        since="0.1.0",
        places="cores",
        exact=True,
        offered=True,
        races=False,
        bounds=(AlgorithmBound(most=512, of="NFs, or cores, of a host", beyond="refused"),),
    ),
    AlgorithmDeclaration(
        law="sfc2cpu",
        name="calibrated",
        summary="sfc2cpu: the most packets by what NFs cost beside others, as fitted on the host itself",
        since="0.1.0",
        places="cores",
        exact=False,
        offered=True,
        races=False,
        bounds=(AlgorithmBound(most=512, of="NFs, or cores, of a host", beyond="refused"),),
    ),
    AlgorithmDeclaration(
        law="sfc2cpu",
        name="network",
        summary="sfc2cpu: as the network expects that was trained and promoted for so many shared cores",
        since="0.1.0",
        places="cores",
        exact=False,
        offered=True,
        races=False,
        bounds=(AlgorithmBound(most=512, of="NFs, or cores, of a host", beyond="refused"),),
    ),
    AlgorithmDeclaration(
        law="sfc2cpu",
        name="lpt",
        summary="sfc2cpu: NFs by falling load, each to the least loaded shared core",
        since="0.1.0",
        places="cores",
        exact=False,
        offered=True,
        races=False,
        bounds=(AlgorithmBound(most=512, of="NFs, or cores, of a host", beyond="refused"),),
    ),
    AlgorithmDeclaration(
        law="sfc2cpu",
        name="llf",
        summary="baseline of sfc2cpu: each NF in its turn to the least loaded shared core",
        since="0.1.0",
        places="cores",
        exact=False,
        offered=True,
        races=False,
        bounds=(AlgorithmBound(most=512, of="NFs, or cores, of a host", beyond="refused"),),
    ),
    AlgorithmDeclaration(
        law="sfc2cpu",
        name="ffd",
        summary="baseline of sfc2cpu: NFs by falling load, each to the first shared core with time for it",
        since="0.1.0",
        places="cores",
        exact=False,
        offered=True,
        races=False,
        bounds=(AlgorithmBound(most=512, of="NFs, or cores, of a host", beyond="refused"),),
    ),
    AlgorithmDeclaration(
        law="sfc2cpu",
        name="rr",
        summary="baseline of sfc2cpu: one NF after another to the shared cores in turn",
        since="0.1.0",
        places="cores",
        exact=False,
        offered=True,
        races=False,
        bounds=(AlgorithmBound(most=512, of="NFs, or cores, of a host", beyond="refused"),),
    ),
    AlgorithmDeclaration(
        law="sfc2cpu",
        name="gen",
        summary="sfc2cpu's generator: each NF to a shared core drawn from those with time for it",
        since="0.1.0",
        places="cores",
        exact=False,
        offered=False,
        races=False,
        bounds=(AlgorithmBound(most=512, of="NFs, or cores, of a host", beyond="refused"),),
    ),
)
"""All of them, in the order in which they are offered."""
