"""Networks that are written by hand, stored as if a study had trained them: one that always chooses the least loaded
core, and one that always chooses the first."""

import json
from datetime import UTC, datetime
from typing import Any

from sextant_backend.kit.db import session_scope
from sextant_backend.modules.networks import service
from sextant_domain.profiling.assigner import TrainingRecord
from sextant_domain.profiling.estimates import estimate
from sextant_domain.studies.origin import Origin
from sextant_domain.studies.school import SchoolCurve, SchoolExam, SchoolMark, SchoolReport
from sextant_engine.laws.sfc2cpu.problem import Weights
from sextant_engine.laws.sfc2cpu.trained import TrainedWeights, digest_of_weights

HIDDEN = 48
NETWORKS = "/api/v1/control/sfc2cpu/networks"
PROMOTIONS = "/api/v1/control/sfc2cpu/promotions"


def zeros(inputs: int, outputs: int) -> list[list[float]]:
    return [[0.0] * outputs for _ in range(inputs)]


def weights(cores: int, first_core: bool = False, most_vnfs: int = 16) -> dict[str, Any]:
    """Hidden cell i is 100 - the load of core i, which is what core i is worth; or the first core is worth 1, others
    0."""
    found: dict[str, Any] = {name: zeros(4, 12) for name in ("query", "key", "value")}
    found |= {"dense": zeros(12, 16), "first": zeros(2 * cores + 16, HIDDEN), "second": zeros(HIDDEN, HIDDEN)}
    found |= {"head": zeros(HIDDEN, cores + 1), "dense_bias": [0.0] * 16, "second_bias": [0.0] * HIDDEN}
    found |= {"first_bias": [0.0] * HIDDEN, "head_bias": [0.0] * (cores + 1)}
    if first_core:
        found["head_bias"][1] = 1.0
    else:
        for core in range(cores):
            found["first"][2 * core][core] = -1.0
            found["first_bias"][core] = 100.0
            found["second"][core][core] = 1.0
            found["head"][core][core + 1] = 1.0
    return {"cores": cores, "most_vnfs": most_vnfs, **found}


def document(cores: int = 2, first_core: bool = False) -> bytes:
    """As School leaves it."""
    given = Weights.model_validate_json(json.dumps(weights(cores, first_core)))
    training = TrainingRecord(
        trained_at=datetime.now(UTC), seed=1, samples=60_000, host_models=("ideal",), data=f"sha256:{'0' * 64}"
    )
    return TrainedWeights(weights=given, digest=digest_of_weights(given), training=training).model_dump_json().encode()


def report(cores: int = 2) -> SchoolReport:
    marks = (SchoolMark(steps=0, served=0.4, loss=None), SchoolMark(steps=60_000, served=0.93, loss=0.15))
    origin = Origin(
        lab="0.1.0",
        python="3.11",
        numpy="2",
        scipy="1",
        engine_core="0" * 16,
        twin_core="0" * 16,
        calibration="0" * 16,
        data="0" * 16,
        scenario="0" * 16,
        jax="0.10.2",
    )
    exam = SchoolExam(
        machine="epyc-7301",
        kinds=("router",),
        instances=2,
        network=0.9,
        rr=0.8,
        lpt=0.95,
        min_max=0.95,
        over_rr=estimate([12.0, 13.0]),
        over_lpt=estimate([-5.0, -6.0]),
        over_min_max=estimate([-5.0, -6.0]),
    )
    curve = SchoolCurve(rr=0.84, lpt=0.97, marks=marks)
    return SchoolReport(cores=cores, seed=1, steps=60_000, seconds=100.0, curve=curve, exam=exam, origin=origin)


def trained(cores: int = 2, first_core: bool = False) -> str:
    """Stored; its digest."""
    with session_scope() as session:
        return service.keep(session, document(cores, first_core), report(cores), None, "ada")
