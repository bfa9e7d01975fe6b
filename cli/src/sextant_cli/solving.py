"""How a plan shall be found: the options that several commands share."""

from typing import Annotated

import typer
from sextant_domain.plans.algorithms import ALGORITHMS
from sextant_domain.plans.evidence import MAX_TIME_LIMIT_S, Algorithm

SUMMARIES = "; ".join(f"{one.name}: {one.summary}" for one in ALGORITHMS)
"""What each algorithm is, for a help text."""
Chosen = Annotated[
    Algorithm | None,
    typer.Option(
        "--algorithm",
        help="Default: exact on small hosts, anytime on others. Both optimise what the models predict; where "
        f"these are wrong, node_first or node_balance may carry more. {SUMMARIES}.",
    ),
]
TimeLimit = Annotated[
    float | None,
    typer.Option(
        "--time-limit",
        min=0,
        max=MAX_TIME_LIMIT_S,
        metavar="SECONDS",
        help="Time limit of the search; the best plan found by then is used. Default: 10.",
    ),
]
MaxMoves = Annotated[
    int | None,
    typer.Option(
        "--max-moves",
        min=0,
        help="Most running NFs that may move. Default: no limit; none under sfc2cpu's assigners.",
    ),
]
Seed = Annotated[
    int | None, typer.Option("--seed", min=0, max=2**31 - 1, help="Seed of the search; the same seed repeats it.")
]

SolvingFields = dict[str, object]
"""Fields of a request for a plan; what is left out is the console's to choose."""


def solving_fields(
    algorithm: Algorithm | None = None,
    time_limit_s: float | None = None,
    max_moves: int | None = None,
    seed: int | None = None,
) -> SolvingFields:
    """What was given on the command line."""
    named = {"algorithm": algorithm, "time_limit_s": time_limit_s, "max_moves": max_moves, "seed": seed}
    return {name: value for name, value in named.items() if value is not None}


def patience(timeout_s: float, time_limit_s: float | None) -> float:
    """How long to wait for a plan: never less than its search was given."""
    return max(timeout_s, (time_limit_s or 0.0) + 30.0)
