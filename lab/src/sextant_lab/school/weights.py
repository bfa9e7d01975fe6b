"""Trained weights as the engine reads them, and the record of how they came to be."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sextant_domain.profiling.assigner import TrainingRecord
from sextant_engine.laws.sfc2cpu.problem import Weights
from sextant_engine.laws.sfc2cpu.trained import TrainedWeights, digest_of_weights

MOST_VNFS = 16
"""What games have at most (Table I)."""
IDEAL = "ideal"
"""What a network is trained on where no fitted cost is given: the ideal model (Sec. IV-E)."""


def as_weights(parameters: Mapping[str, Any], cores: int) -> Weights:
    """Of a network's parameters."""
    matrices = {name: value.tolist() for name, value in parameters.items()}
    return Weights.model_validate_json(json.dumps({"cores": cores, "most_vnfs": MOST_VNFS, **matrices}))


def as_document(
    weights: Weights, trained_at: datetime, seed: int, samples: int, games: str, *, on: str = IDEAL
) -> TrainedWeights:
    """With its digest. `games`: digest of what they were drawn from and worth; `on`: by which model."""
    training = TrainingRecord(trained_at=trained_at, seed=seed, samples=samples, host_models=(on,), data=games)
    return TrainedWeights(weights=weights, digest=digest_of_weights(weights), training=training)
