"""What other algorithms' plans would have given, by what was measured of the plan that ran: pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import hypot, sqrt
from statistics import fmean, stdev
from typing import Protocol

from pydantic import Field
from sextant_domain.base import Frozen, Name, NfId, Provenance
from sextant_domain.plans.evidence import PREDICTORS_AT_REST, Algorithm
from sextant_domain.plans.race import RaceChain, RaceEntry
from sextant_domain.plans.trust import Outcome, OutcomeTest
from sextant_domain.profiling.estimates import t_quantile

from sextant_backend.modules.outcomes.outcome_evaluation import Key

NEEDED = 3
"""Informative outcomes before their spread says how far the next one may be off."""


class Leg(Frozen):
    """One plan on the race's snapshot, for the hosts of the plan that ran."""

    algorithm: Algorithm | None
    """None: the plan that ran."""
    error: str | None = None
    moves: int = 0
    seconds: float = 0.0
    nodes: dict[NfId, int] = Field(default_factory=dict)
    """Where every NF on these hosts stands."""
    host_of: dict[Name, Name] = Field(default_factory=dict)
    """By chain."""
    ports: dict[Name, Name | None] = Field(default_factory=dict)
    """By chain: where its packets arrive."""
    predicted: dict[Name, float | None] = Field(default_factory=dict)
    """Mpps by chain."""
    bottleneck: dict[Name, Name] = Field(default_factory=dict)
    """NF type by chain, where something is predicted."""
    tested_as: dict[Name, tuple[str, str, str]] = Field(default_factory=dict)
    """Host model, predictor and model version by chain: whose outcomes correct its prediction."""
    offered: dict[Name, float] = Field(default_factory=dict)
    """Mpps by chain: no placement gets it more."""
    values: dict[Name, float] = Field(default_factory=dict)
    provenance: Provenance = Provenance.PREDICTED
    """Of the predictions; assumed where one is."""

    def key(self, chain: str) -> Key | None:
        """What the chain's prediction is tested as."""
        if chain not in self.tested_as or chain not in self.bottleneck:
            return None
        return Key(self.bottleneck[chain], *self.tested_as[chain])


@dataclass(frozen=True, slots=True)
class Correction:
    """Measured over predicted, as tested predictions had it."""

    ratio: float
    half_width: float | None
    """Of the 95 % interval in which the next one is expected; None for fewer than three."""


def correction(ratios: Sequence[float]) -> Correction:
    """Mean of the ratios, and where the next may lie: t x s x sqrt(1 + 1/n), by Student's t. Needs one at least."""
    if len(ratios) < NEEDED:
        return Correction(fmean(ratios), None)
    half = t_quantile(len(ratios) - 1) * stdev(ratios) * sqrt(1 + 1 / len(ratios))
    return Correction(fmean(ratios), half)


def first_windows(outcomes: Sequence[Outcome]) -> dict[str, Outcome]:
    """The earliest outcome of each chain, by the predictor that the plan shows."""
    own = sorted((one for one in outcomes if one.predictor not in PREDICTORS_AT_REST), key=lambda one: -one.id)
    return {one.chain: one for one in own}


class Compared(Protocol):
    """An outcome, or the test of a model that it is."""

    @property
    def predicted_mpps(self) -> float: ...

    @property
    def measured_mpps(self) -> float: ...


def ratios_of(outcomes: Sequence[Compared]) -> list[float]:
    """Measured over predicted, of each that predicted something."""
    return [one.measured_mpps / one.predicted_mpps for one in outcomes if one.predicted_mpps > 0]


@dataclass(frozen=True)
class MeasuredRates:
    """What was measured of the plan that ran, and what is known of its predictors."""

    windows: Mapping[str, Outcome]
    """The first of each chain."""
    tested: Mapping[Key, Sequence[Compared]]
    """The last measurements that test each predictor and model."""

    def correction_of(self, leg: Leg, chain: str) -> Correction | None:
        """For a prediction of the leg; None where nothing is known. Where no informative outcome of its predictor is
        known, those of this plan count, which held as far as they were tested: with no interval."""
        key = leg.key(chain)
        ratios = ratios_of(self.tested.get(key, ())) if key else []
        if ratios:
            return correction(ratios)
        same_type = [one for one in self.windows.values() if one.nf_type == leg.bottleneck.get(chain)]
        informative = [one for one in same_type if one.test is OutcomeTest.INFORMATIVE]
        own = ratios_of(informative or same_type)
        return Correction(fmean(own), None) if own else None


def entry(leg: Leg, ran: Leg, measured: MeasuredRates) -> RaceEntry:
    """One algorithm, scored as far as outcomes are there. `leg.algorithm` must not be None."""
    chains = tuple(_chain(name, leg, ran, measured) for name in sorted(leg.predicted))
    later = total(leg, {one.chain: one.mpps for one in chains})
    base = measured_mpps(ran, measured.windows)
    ran_so = all(one.basis == "measured" for one in chains)
    half = None if later is None or ran_so else _half_width(leg, chains)
    return RaceEntry.model_validate(
        {
            "algorithm": leg.algorithm,
            "error": leg.error,
            "left_out": () if leg.error else sorted(ran.predicted.keys() - leg.predicted.keys()),
            "predicted_mpps": total(leg, {one.chain: one.predicted_mpps for one in chains}),
            "later_mpps": later,
            "low_mpps": None if later is None or half is None else max(0.0, later - half),
            "high_mpps": None if later is None or half is None else later + half,
            "provenance": leg.provenance,
            "later_provenance": _later_provenance(later, ran_so, measured),
            "margin_percent": 100 * (later - base) / base if later is not None and base else None,
            "moves": leg.moves,
            "differs": sum(ran.nodes.get(nf_id) != node for nf_id, node in leg.nodes.items()),
            "seconds": leg.seconds,
            "chains": chains,
        }
    )


def measured_mpps(ran: Leg, windows: Mapping[str, Outcome]) -> float | None:
    """Value x Mpps that the plan carried; None until every chain was measured."""
    return total(ran, {name: window.measured_mpps for name, window in windows.items()})


def measured_by(windows: Mapping[str, Outcome]) -> Provenance:
    """Simulated as soon as one of them is."""
    simulated = any(one.provenance is Provenance.SIMULATED for one in windows.values())
    return Provenance.SIMULATED if simulated else Provenance.MEASURED


def _later_provenance(later: float | None, ran_so: bool, measured: MeasuredRates) -> Provenance | None:
    if later is None:
        return None
    return measured_by(measured.windows) if ran_so else Provenance.PREDICTED


def total(leg: Leg, mpps: Mapping[str, float | None]) -> float | None:
    """Value x Mpps over all chains of the leg; None where it is not known of every one."""
    known = [(leg.values.get(name, 1.0), mpps.get(name)) for name in leg.predicted]
    if not known or any(one is None for _, one in known):
        return None
    return sum(value * (one or 0.0) for value, one in known)


def _half_width(leg: Leg, chains: Sequence[RaceChain]) -> float | None:
    """Of the total, where a chain was not measured: those that were add nothing to it."""
    widths = [0.0]
    for one in chains:
        if one.basis == "predicted":
            if one.low_mpps is None or one.high_mpps is None:
                return None
            widths.append(leg.values.get(one.chain, 1.0) * (one.high_mpps - one.low_mpps) / 2)
    return hypot(*widths)


def _chain(name: str, leg: Leg, ran: Leg, measured: MeasuredRates) -> RaceChain:
    same = _stands(leg, leg.host_of[name]) == _stands(ran, leg.host_of[name])
    predicted, window = leg.predicted[name], measured.windows.get(name)
    if same and window is not None:
        return RaceChain(chain=name, same=True, predicted_mpps=predicted, mpps=window.measured_mpps, basis="measured")
    known = None if predicted is None or not measured.windows else measured.correction_of(leg, name)
    if predicted is None or known is None:
        return RaceChain(chain=name, same=same, predicted_mpps=predicted, mpps=None, basis=None)
    most = leg.offered.get(name, float("inf"))
    half = None if known.half_width is None else known.half_width * predicted
    estimate = predicted * known.ratio
    return RaceChain(
        chain=name,
        same=same,
        predicted_mpps=predicted,
        mpps=min(estimate, most),
        low_mpps=None if half is None else min(max(0.0, estimate - half), most),
        high_mpps=None if half is None else min(estimate + half, most),
        basis="predicted",
    )


def _stands(leg: Leg, host: str) -> tuple[dict[str, int], dict[str, str | None]]:
    """Everything on the host, and where it gets its packets: neighbours that stand elsewhere press differently."""
    nodes = {nf_id: node for nf_id, node in leg.nodes.items() if leg.host_of.get(nf_id.split(".")[0]) == host}
    return nodes, {name: port for name, port in leg.ports.items() if leg.host_of[name] == host}
