"""What the engine's assigners serve of instances, by what games are worth."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sextant_engine.laws.sfc2cpu.solve import answer

from sextant_lab.school.costs import Cost
from sextant_lab.school.games import Games
from sextant_lab.school.weights import MOST_VNFS


def served(instances: Sequence[dict[str, Any]], assigner: str, cost: Cost | None = None) -> float:
    """Part of the packets, mean of the instances. The assigner goes by loads alone, whatever they are worth."""
    at = np.array([_cores(instance, assigner) for instance in instances])
    return float(Games(instances, MOST_VNFS, cost).served(at).mean())


def _cores(instance: Mapping[str, Any], assigner: str) -> NDArray[np.int64]:
    """By VNF; rows beyond are nobody's."""
    found = json.loads(answer("solve", json.dumps({**instance, "assigner": assigner})))["cores"]
    return np.array(found + [0] * (MOST_VNFS - len(found)))
