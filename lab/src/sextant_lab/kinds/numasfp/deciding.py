"""An algorithm in charge of one server: what it decides in each second, from what was measured."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sextant_domain.laws.numasfp import NumasfpObservation, NumasfpParameters
from sextant_engine.control.numasfp.law import NumasfpLaw
from sextant_engine.control.numasfp.state import Grant, Shadow
from sextant_engine.laws.numasfp.solve import CoreSolver, answer

MAX_LIMIT = 3
"""Of the paper: a chain moves after more violations than this."""


@dataclass(frozen=True, slots=True)
class Decision:
    """For the rest of a second."""

    placement: Mapping[str, str]
    grants: Mapping[str, Grant]


Decide = Callable[[int, Mapping[str, float]], Decision]
"""(second, Gbps that each chain is offered)."""


def decider(algorithm: str, host: Mapping[str, Any], start: Mapping[str, str], loss: float) -> Decide:
    """From where chains stand."""
    return _law(host, start, loss) if algorithm == "law" else _of_core(algorithm, host, start, loss)


def _of_core(algorithm: str, host: Mapping[str, Any], start: Mapping[str, str], loss: float) -> Decide:
    memory: dict[str, Any] = {
        "placement": dict(start),
        "violations": dict.fromkeys(start, 0),
        "rates_gbps": None,
    }

    def decide(_: int, rates: Mapping[str, float]) -> Decision:
        nonlocal memory
        asked = {**host, "memory": memory, "rates_gbps": dict(rates), "algorithm": algorithm, "loss": loss}
        found = json.loads(answer("interval", json.dumps({**asked, "max_limit": MAX_LIMIT})))
        memory, interval = found["memory"], found["interval"]
        grants = {chain: Grant(**grant) for chain, grant in interval["allocation"].items()}
        return Decision(interval["placement"], grants)

    return decide


def _law(host: Mapping[str, Any], start: Mapping[str, str], loss: float) -> Decide:
    law = NumasfpLaw(NumasfpParameters(), CoreSolver(host, loss, MAX_LIMIT), loss)
    state = replace(law.initial(), shadow=Shadow(dict(start), dict.fromkeys(start, 0), None))
    placement = dict(start)

    def decide(second: int, rates: Mapping[str, float]) -> Decision:
        nonlocal state, placement
        seen = NumasfpObservation(at_s=float(second), rates_gbps=dict(rates), placement=placement)
        state, action = law.step(state, seen, float(second))
        placement = dict(action.placement or placement)
        return Decision(placement, action.allocation or {})

    return decide
