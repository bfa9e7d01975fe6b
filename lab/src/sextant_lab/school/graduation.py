"""The last exam: a trained network beside simple assigners on the digital twin, whose VNFs hurt each other by kind. It
was shown none of these kinds: games of the ideal model know none, and those that a fitted cost knows are left out.
"""

import json
import random
from collections.abc import Callable, Collection, Mapping
from statistics import fmean
from typing import Any

from sextant_domain.profiling.estimates import estimate
from sextant_domain.studies.school import MACHINE, SchoolExam
from sextant_engine.laws.sfc2cpu.solve import answer

from sextant_lab.school.instances import Drawing
from sextant_lab.school.on_twin import Question, TwinMachine

KINDS = ("router", "firewall", "basic-monitor", "nat", "dpi", "load-balancer", "vpn", "nids")
INSTANCES = 24
BESIDE = ("rr", "lpt", "min_max")


def examined(
    weights: Mapping[str, Any],
    cores: int,
    drawing: Drawing,
    between: Callable[[], None] = lambda: None,
    shown: Collection[str] | None = None,
) -> SchoolExam:
    """Weights as JSON has them. `between`: called between two instances; what it raises ends the exam. `shown`: kinds
    that the cost of its games knows; None: games went by the ideal model."""
    kinds = held_out(shown or ())
    twin = TwinMachine(MACHINE, kinds)
    by: dict[str, dict[str, Any]] = {
        "network": {"assigner": "network", "weights": weights},
        **{name: {"assigner": name} for name in BESIDE},
    }
    served: dict[str, list[float]] = {name: [] for name in by}
    for number in range(INSTANCES):
        between()
        dice = random.Random(f"graduation {cores} {number}")  # noqa: S311 - instances, not secrets
        asked = twin.of_kinds(drawing.instance(dice, cores), dice, kinds)
        for name, one in by.items():
            served[name].append(twin.run(asked, _cores_of(asked, one)).served)
    ours = served["network"]
    more = {
        name: estimate([100 * (one / other - 1) for one, other in zip(ours, served[name], strict=True)])
        for name in BESIDE
    }
    return SchoolExam(
        machine=MACHINE,
        kinds=kinds,
        known=None if shown is None else tuple(kind for kind in KINDS if kind in shown),
        instances=INSTANCES,
        **{name: fmean(found) for name, found in served.items()},
        **{f"over_{name}": found for name, found in more.items()},
    )


def held_out(shown: Collection[str]) -> tuple[str, ...]:
    """Kinds of the exam: those that were not shown; all where none is left, which the exam then says."""
    return tuple(kind for kind in KINDS if kind not in shown) or KINDS


def _cores_of(asked: Question, by: Mapping[str, Any]) -> list[int]:
    question = {name: value for name, value in asked.items() if name != "work"} | dict(by)
    found: list[int] = json.loads(answer("solve", json.dumps(question)))["cores"]
    return found
