"""The verb `fit`: a cost model from placements that ran."""

import json
from typing import Any, Literal

import numpy as np

from sextant_engine.errors import BadEngineInput
from sextant_engine.laws.sfc2cpu.problem import Fit, Fitted, Id, Placement
from sextant_engine.laws.sfc2cpu.solve import answer
from sextant_engine.modelling.inflation import MAX_KINDS, Ran, fit

_ALIKE = 1e-9
"""Relative."""


def fitted(question: Fit) -> Fitted:
    """Raises BadEngineInput by field."""
    sockets = _sockets(question)
    for index, placement in enumerate(question.placements):
        _checked(question, placement, sockets, f"placements.{index}")
    # a VNF whose kind is not said is one by itself, as the core of the engine reads it
    kinds = [vnf.kind or f"#{index}" for index, vnf in enumerate(question.vnfs)]
    if len(set(kinds)) > MAX_KINDS:
        raise BadEngineInput("vnfs", f"are of {len(set(kinds))} kinds, more than {MAX_KINDS}")
    if not any(seen for placement in question.placements for seen in placement.cycles_seen):
        raise BadEngineInput("placements", "nothing was seen: give cycles of one VNF at least")
    _in_range(question, sockets)
    model = fit(_ran(question, kinds, sockets))
    return Fitted(model=model.model_copy(update={"served": _served(question)}))


def _sockets(question: Fit) -> dict[Id, Id]:
    if isinstance(question.cores, int):
        return dict.fromkeys(range(question.cores), 0)
    return {core.id: 0 if core.socket is None else core.socket for core in question.cores}


def _checked(question: Fit, placement: Placement, sockets: dict[Id, Id], field: str) -> None:
    for key, given in (("cores", placement.cores), ("cycles_seen", placement.cycles_seen)):
        if len(given) != len(question.vnfs):
            raise BadEngineInput(f"{field}.{key}", f"has {len(given)} entries; there are {len(question.vnfs)} VNFs")
    if placement.rates_pps is not None:
        if len(placement.rates_pps) != len(question.vnfs):
            told = f"has {len(placement.rates_pps)} entries; there are {len(question.vnfs)} VNFs"
            raise BadEngineInput(f"{field}.rates_pps", told)
        for vnf, (rate, seen) in enumerate(zip(placement.rates_pps, placement.cycles_seen, strict=True)):
            if rate == 0 and seen is not None:
                raise BadEngineInput(f"{field}.cycles_seen.{vnf}", "is of a VNF that did not run: its rate is 0")
    for vnf, core in enumerate(placement.cores):
        if core not in sockets:
            raise BadEngineInput(f"{field}.cores.{vnf}", "is none of the cores")


def _in_range(question: Fit, sockets: dict[Id, Id]) -> None:
    """Chains and cores as the core of the engine reads them."""
    _evaluated(question, list(question.placements[0].cores), [vnf.cycles for vnf in question.vnfs], extended=False)
    if not isinstance(question.cores, int) and len(sockets) < len(question.cores):
        raise BadEngineInput("cores", "two have the same id")


def _ran(question: Fit, kinds: list[str], sockets: dict[Id, Id]) -> Ran:
    cycles = np.array([vnf.cycles for vnf in question.vnfs])
    rates = np.array([_rates(question, placement) for placement in question.placements])
    cores, names = list(sockets), sorted(set(sockets.values()), key=str)
    at = [[cores.index(core) for core in placement.cores] for placement in question.placements]
    return Ran(
        cycles=cycles,
        loads=cycles * rates / question.clock_hz,
        kinds=kinds,
        chains=question.chains or (),
        cores=np.array(at),
        sockets=np.array([[names.index(sockets[core]) for core in one.cores] for one in question.placements]),
        seen=np.array([[np.nan if seen is None else seen for seen in one.cycles_seen] for one in question.placements]),
    )


def _rates(question: Fit, placement: Placement) -> list[float]:
    """Of each VNF while it stood so."""
    if placement.rates_pps is not None:
        return list(placement.rates_pps)
    return [vnf.rate_pps for vnf in question.vnfs]


def _served(question: Fit) -> Literal["literal", "extended"]:
    """The ideal model that agrees better with the throughput that was seen, by the cycles that were seen. Where chains
    of one VNF leave no difference, what is lost unloads what comes after, as backpressure has it."""
    errors = {"literal": 0.0, "extended": 0.0}
    for placement in question.placements:
        if placement.system is None or None in placement.cycles_seen:
            continue
        at = question.model_copy(
            update={
                "vnfs": tuple(
                    vnf.model_copy(update={"rate_pps": rate})
                    for vnf, rate in zip(question.vnfs, _rates(question, placement), strict=True)
                )
            }
        )
        for name in errors:
            seen = _evaluated(at, list(placement.cores), list(placement.cycles_seen), extended=name == "extended")
            errors[name] += abs(seen["system_mpps"] - placement.system)
    alike = errors["literal"] > 0 and abs(errors["literal"] - errors["extended"]) <= _ALIKE * errors["literal"]
    return "extended" if alike or errors["extended"] < 0.9 * errors["literal"] else "literal"


def _evaluated(question: Fit, cores: list[Id], cycles: list[Any], *, extended: bool) -> dict[str, Any]:
    given = question.model_dump(mode="json", include={"chains", "cores", "clock_hz", "gamma"})
    vnfs = [{"cycles": one, "rate_pps": vnf.rate_pps} for one, vnf in zip(cycles, question.vnfs, strict=True)]
    raw = json.dumps({**given, "vnfs": vnfs, "assignment": cores, "extended": extended})
    found: dict[str, Any] = json.loads(answer("evaluate", raw))
    return found
