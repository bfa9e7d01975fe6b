"""The core's answers, typed; and the solver that the law is handed."""

import json
from collections.abc import Mapping
from typing import Any

from sextant_engine import native
from sextant_engine.control.numasfp.state import Grant, Placement, Price, Shadow, Step
from sextant_engine.laws.numasfp.problem import RunAnswer, StepAnswer
from sextant_engine.stop import Stop

LAW = "numasfp"
_OF_A_SEARCH = {"current", "rates_gbps", "loss", "losses", "most_moves", "memory", "algorithm", "max_limit"}
"""Fields of a question that are no part of its host."""


def answer(verb: str, question: str | bytes, stop: Stop | None = None) -> str:
    """What a verb of the core answers, JSON to JSON. Raises BadEngineInput as the core does."""
    stop = stop or Stop()
    return native.solve_law(
        LAW, verb, question, seconds=stop.seconds, evaluations=stop.evaluations, progress=stop.progress
    ).result


def run(question: Mapping[str, Any], stop: Stop | None = None) -> RunAnswer:
    """Interval after interval, by an algorithm of the core."""
    return RunAnswer.model_validate_json(answer("run", json.dumps(question), stop))


def step(question: Mapping[str, Any], stop: Stop | None = None) -> StepAnswer:
    """The exact optimum of one interval."""
    return StepAnswer.model_validate_json(answer("step", json.dumps(question), stop))


class CoreSolver:
    """The searches that the law asks for, of one host."""

    def __init__(self, host: Mapping[str, Any], loss: float, max_limit: int, stop: Stop | None = None) -> None:
        self._host = json.dumps({key: host[key] for key in host.keys() - _OF_A_SEARCH})[:-1]
        self._loss = loss
        self._max_limit = max_limit
        self._stop = stop

    def _question(self, asked: Mapping[str, Any]) -> str:
        """The host's part is turned into JSON once: of a question it is by far the most."""
        return f"{self._host}, {json.dumps(asked)[1:]}"

    def optimum(
        self, current: Placement | None, rates_gbps: Mapping[str, float], price: Price, most_moves: int | None
    ) -> Step:
        """The exact step; `current` None: nothing stands yet."""
        asked = {
            "current": None if current is None else dict(current),
            "rates_gbps": dict(rates_gbps),
            **({"losses": dict(price)} if isinstance(price, Mapping) else {"loss": price}),
            "most_moves": most_moves,
        }
        found = json.loads(answer("step", self._question(asked), self._stop))
        grants = {chain: Grant(**grant) for chain, grant in found["allocation"].items()}
        return Step(found["objective_gbps"], found["moves"], found["placement"], grants)

    def published(self, shadow: Shadow | None, rates_gbps: Mapping[str, float]) -> tuple[Shadow, float]:
        """One interval of Algorithms 1 and 2."""
        memory = None
        if shadow is not None:
            memory = {
                "placement": dict(shadow.placement),
                "violations": dict(shadow.violations),
                "rates_gbps": None if shadow.rates_gbps is None else dict(shadow.rates_gbps),
            }
        asked = {
            "memory": memory,
            "rates_gbps": dict(rates_gbps),
            "algorithm": LAW,
            "loss": self._loss,
            "max_limit": self._max_limit,
        }
        found = json.loads(answer("interval", self._question(asked), self._stop))
        return Shadow(**found["memory"]), sum(found["interval"]["throughput_gbps"].values())
