"""Networks that are written by hand: one that always chooses the least loaded core, and one that always chooses the
first."""

import json
from datetime import UTC, datetime

from sextant_domain.profiling.assigner import PromotedNetwork
from sextant_engine.laws.sfc2cpu.problem import Weights
from sextant_engine.laws.sfc2cpu.trained import digest_of_weights

HIDDEN = 48


def _zeros(inputs, outputs):
    return [[0.0] * outputs for _ in range(inputs)]


def weights(cores, *, first_core=False, most_vnfs=16):
    """Hidden cell i is 100 - the load of core i, which is what core i is worth; or the first core is worth 1, others
    0."""
    found = {name: _zeros(4, 12) for name in ("query", "key", "value")}
    found |= {"dense": _zeros(12, 16), "first": _zeros(2 * cores + 16, HIDDEN), "second": _zeros(HIDDEN, HIDDEN)}
    found |= {"head": _zeros(HIDDEN, cores + 1), "dense_bias": [0.0] * 16, "second_bias": [0.0] * HIDDEN}
    found |= {"first_bias": [0.0] * HIDDEN, "head_bias": [0.0] * (cores + 1)}
    if first_core:
        found["head_bias"][1] = 1.0
    else:
        for core in range(cores):
            found["first"][2 * core][core] = -1.0
            found["first_bias"][core] = 100.0
            found["second"][core][core] = 1.0
            found["head"][core][core + 1] = 1.0
    return Weights.model_validate_json(json.dumps({"cores": cores, "most_vnfs": most_vnfs, **found}))


def promoted(cores, **how):
    given = weights(cores, **how)
    return PromotedNetwork(
        cores=cores,
        weights=digest_of_weights(given),
        steps=60_000,
        promoted_at=datetime(2026, 1, 1, tzinfo=UTC),
        document=given.model_dump_json(),
    )
