"""What the engine's assigners serve of instances, by the paper's ideal model."""

import json
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from sextant_engine.laws.sfc2cpu.solve import answer


def served(instances: Sequence[Mapping[str, Any]], assigner: str) -> float:
    """Part of the packets, mean of the instances."""
    return fmean(_served(instance, assigner) for instance in instances)


def _served(instance: Mapping[str, Any], assigner: str) -> float:
    found = json.loads(answer("solve", json.dumps({**instance, "assigner": assigner})))
    offered = sum(instance["vnfs"][chain[0]]["rate_pps"] for chain in instance["chains"])
    part: float = found["system_mpps"] * 1e6 / offered
    return min(1.0, part)
