"""What other algorithms' plans would have given, by what was measured of the plan that ran: pure."""

from collections.abc import Mapping, Sequence
from statistics import fmean

from pydantic import Field
from sextant_domain.base import Frozen, Name, NfId, Provenance
from sextant_domain.evidence import Algorithm
from sextant_domain.race import RaceChain, RaceEntry
from sextant_domain.trust import Outcome, Told

SECOND_OPINION = "curves"
"""Its outcomes are not of the predictor that plans show."""


class Leg(Frozen):
    """One plan on the race's snapshot, for the hosts of the recommended plan."""

    algorithm: Algorithm | None
    """None: the recommended plan."""
    error: str | None = None
    moves: int = 0
    seconds: float = 0.0
    nodes: dict[NfId, int] = Field(default_factory=dict)
    """Where every NF on these hosts stands."""
    host_of: dict[Name, Name] = Field(default_factory=dict)
    """By chain."""
    predicted: dict[Name, float | None] = Field(default_factory=dict)
    """Mpps by chain."""
    bottleneck: dict[Name, Name] = Field(default_factory=dict)
    """NF type by chain, where something is predicted."""
    values: dict[Name, float] = Field(default_factory=dict)
    provenance: Provenance = Provenance.PREDICTED
    """Of the predictions; assumed where one is."""


def first_windows(outcomes: Sequence[Outcome]) -> dict[str, Outcome]:
    """The earliest outcome of each chain, by the predictor that the plan shows."""
    own = sorted((one for one in outcomes if one.predictor != SECOND_OPINION), key=lambda one: -one.id)
    return {one.chain: one for one in own}


def corrections(windows: Mapping[str, Outcome]) -> dict[str, float]:
    """Mean of measured over predicted, by NF type of the bottleneck: of outcomes that told something, and where none
    did, of the others, whose predictions held as far as they were tested."""
    ratios: dict[tuple[str, bool], list[float]] = {}
    for one in windows.values():
        if one.predicted_mpps > 0:
            ratio = one.measured_mpps / one.predicted_mpps
            ratios.setdefault((one.nf_type, one.told is Told.TELLING), []).append(ratio)
    telling_last = sorted(ratios.items(), key=lambda item: item[0][1])
    return {nf_type: fmean(found) for (nf_type, _), found in telling_last}


def entry(leg: Leg, ran: Leg, windows: Mapping[str, Outcome]) -> RaceEntry:
    """One algorithm, scored as far as outcomes are there. `leg.algorithm` must not be None."""
    ratios = corrections(windows)
    chains = tuple(_chain(name, leg, ran, windows, ratios) for name in sorted(leg.predicted))
    later = total(leg, {one.chain: one.mpps for one in chains})
    ran_so = all(one.basis == "measured" for one in chains)
    return RaceEntry.model_validate(
        {
            "algorithm": leg.algorithm,
            "error": leg.error,
            "predicted_mpps": total(leg, {one.chain: one.predicted_mpps for one in chains}),
            "later_mpps": later,
            "provenance": leg.provenance,
            "later_provenance": None if later is None else measured_by(windows) if ran_so else Provenance.PREDICTED,
            "moves": leg.moves,
            "differs": sum(ran.nodes.get(nf_id) != node for nf_id, node in leg.nodes.items()),
            "seconds": leg.seconds,
            "chains": chains,
        }
    )


def measured_by(windows: Mapping[str, Outcome]) -> Provenance:
    """Simulated as soon as one of them is."""
    simulated = any(one.provenance is Provenance.SIMULATED for one in windows.values())
    return Provenance.SIMULATED if simulated else Provenance.MEASURED


def total(leg: Leg, mpps: Mapping[str, float | None]) -> float | None:
    """Value x Mpps over all chains of the leg; None where it is not known of every one."""
    known = [(leg.values.get(name, 1.0), mpps.get(name)) for name in leg.predicted]
    if not known or any(one is None for _, one in known):
        return None
    return sum(value * (one or 0.0) for value, one in known)


def _chain(name: str, leg: Leg, ran: Leg, windows: Mapping[str, Outcome], ratios: Mapping[str, float]) -> RaceChain:
    same = _stands(leg, leg.host_of[name]) == _stands(ran, leg.host_of[name])
    predicted, window = leg.predicted[name], windows.get(name)
    ratio = ratios.get(leg.bottleneck.get(name, ""))
    if same and window is not None:
        return RaceChain(chain=name, same=True, predicted_mpps=predicted, mpps=window.measured_mpps, basis="measured")
    estimate = None if predicted is None or ratio is None else predicted * ratio
    return RaceChain(
        chain=name,
        same=same,
        predicted_mpps=predicted,
        mpps=estimate,
        basis=None if estimate is None else "predicted",
    )


def _stands(leg: Leg, host: str) -> dict[str, int]:
    """Everything on the host: neighbours that stand elsewhere press differently."""
    return {nf_id: node for nf_id, node in leg.nodes.items() if leg.host_of.get(nf_id.split(".")[0]) == host}
