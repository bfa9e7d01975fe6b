"""`run`, for what the core alone cannot: the law of ours, and the placement that Octans would choose."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic import ValidationError
from sextant_domain.laws.numasfp import NumasfpObservation, NumasfpParameters

from sextant_engine.control.numasfp.law import NumasfpLaw
from sextant_engine.control.numasfp.state import IN_FULL, NumasfpAction, Shadow
from sextant_engine.errors import BadEngineInput, bad_input
from sextant_engine.laws.numasfp import octans
from sextant_engine.laws.numasfp.problem import IntervalGiven, RunAnswer
from sextant_engine.laws.numasfp.solve import CoreSolver, answer
from sextant_engine.stop import Stop


def run(raw: bytes, stop: Stop | None = None) -> str:
    """JSON to JSON. Raises BadEngineInput."""
    question = _object(raw)
    if question is None or question.get("algorithm") not in ("law", "octans"):
        return answer("run", raw, stop)
    if question["algorithm"] == "octans":
        return answer("run", json.dumps(octans.placed(question)), stop)
    return _written(_law(question, stop))


def _object(raw: bytes) -> dict[str, Any] | None:
    """None: not an object, or with a field that occurs twice, which the core refuses with its reasons."""
    try:
        question = json.loads(raw, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        return None
    return question if isinstance(question, dict) else None


def _once(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    """Raises ValueError where a field occurs twice."""
    found = dict(fields)
    if len(found) < len(fields):
        raise ValueError
    return found


def _written(ran: RunAnswer) -> str:
    """As the core writes it: `clamped` only where a chain was."""
    shown = ran.model_dump(mode="json")
    for interval in shown["intervals"]:
        if not interval["clamped"]:
            del interval["clamped"]
    return json.dumps(shown)


def _law(question: Mapping[str, Any], stop: Stop | None) -> RunAnswer:
    parameters = parameters_of(question.get("params"))
    plain = {key: value for key, value in question.items() if key != "params"}
    # The core reads all of it once, so that what is wrong is refused by its field.
    answer("run", json.dumps({**plain, "algorithm": "rate_sorted"}), stop)
    host = {key: question[key] for key in ("table", "chains", "nodes")}
    rates: list[dict[str, float]] = question["rates"]
    loss, max_limit = float(question.get("loss", 0.0)), int(question.get("max_limit", 3))
    solver = CoreSolver(host, loss, max_limit, stop)
    law = NumasfpLaw(parameters, solver, loss)
    start = question.get("start")
    state = law.initial()
    if start is None:  # where it begins, too: no server fares worse because of its first second
        start = solver.published(None, rates[0])[0].placement
    else:  # the published algorithm begins there, too
        state = replace(state, shadow=Shadow(start, dict.fromkeys(start, 0), None))
    placement, violations, intervals = dict(start), dict.fromkeys(start, 0), []
    for index, now in enumerate(rates):
        observed = NumasfpObservation(at_s=float(index), rates_gbps=now, placement=placement)
        state, action = law.step(state, observed, float(index))
        judged = now if state.shadow is None or state.shadow.rates_gbps is None else state.shadow.rates_gbps
        violations, interval = _interval(action, now, judged, violations, loss)
        placement = dict(interval.placement)
        intervals.append(interval)
    return summed(intervals, rates)


def parameters_of(params: object) -> NumasfpParameters:
    """Of the law. Raises BadEngineInput by field."""
    try:
        return NumasfpParameters.model_validate({} if params is None else params)
    except ValidationError as error:
        raise bad_input(error, "params") from None


def _interval(
    action: NumasfpAction,
    rates: Mapping[str, float],
    judged: Mapping[str, float],
    before: Mapping[str, int],
    loss: float,
) -> tuple[dict[str, int], IntervalGiven]:
    """What an action comes to, and the violations that the next interval begins with. `judged`: the rates, none of them
    higher than the table knows."""
    if action.placement is None or action.allocation is None:
        raise BadEngineInput("rates", action.reason)
    carried = {chain: min(action.allocation[chain].gbps, rate) for chain, rate in rates.items()}
    missed = {chain for chain, rate in judged.items() if carried[chain] < IN_FULL * rate}
    violations = {chain: before[chain] + 1 if chain in missed else 0 for chain in rates}
    interval = IntervalGiven.model_validate(
        {
            "placement": dict(action.placement),
            "allocation": {
                chain: {"gbps": grant.gbps, "ways": grant.ways, "mb_percent": grant.mb_percent}
                for chain, grant in action.allocation.items()
            },
            "violations": violations,
            "migrated": action.moved or None,
            "throughput_gbps": {
                chain: gbps * (1 - loss) if chain in action.moved else gbps for chain, gbps in carried.items()
            },
            "clamped": tuple(chain for chain, rate in rates.items() if judged[chain] < rate),
            "reason": action.reason,
        }
    )
    return {chain: 0 if chain in action.moved else count for chain, count in violations.items()}, interval


def summed(intervals: list[IntervalGiven], rates: list[dict[str, float]]) -> RunAnswer:
    """What intervals come to."""
    shares = [
        sum(interval.throughput_gbps.values()) / sum(now.values()) if sum(now.values()) > 0 else 1.0
        for interval, now in zip(intervals, rates, strict=True)
    ]
    moves = sum(len(interval.migrated or ()) for interval in intervals)
    return RunAnswer(intervals=tuple(intervals), anat=sum(shares) / len(shares), moves=moves)
