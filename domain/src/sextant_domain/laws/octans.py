"""Octans' law, re-placement within a budget of moves: its parameters, and what it observes."""

from typing import Literal

from pydantic import Field

from sextant_domain.base import Frozen
from sextant_domain.laws.frame import LawName
from sextant_domain.plans.trust import TrustVerdict

OCTANS: LawName = "octans"


class OctansParameters(Frozen):
    """What is chosen for it, beside the policy that every law has."""

    law: Literal["octans"] = "octans"
    band_percent: float = Field(default=5.0, ge=0)
    """A chain may carry so much more than predicted, or up to the end of the prediction's interval."""


class PredictedChain(Frozen):
    """What is predicted of a chain as it stands."""

    chain: str
    nf_type: str | None
    """Of the predicted bottleneck: whose model says that no more is possible."""
    mpps: float
    high_mpps: float | None
    """Of the 95 % interval."""
    nf_types: dict[str, str] = Field(default_factory=dict)
    """Of all its NFs, by id, in the chain's order."""


class MeasuredChain(Frozen):
    """What was measured of a chain, mean over a window."""

    offered_mpps: float
    mpps: float
    limited_by: str | None = None
    """NF id of the measured bottleneck; None where nothing measured speaks against an NF."""


class OctansObservation(Frozen):
    """What a re-placement within the budget of moves would gain, and how far what runs agrees with its models."""

    gain_mpps: float = 0.0
    gain_percent: float | None = 0.0
    moves: int = 0
    restores: int = 0
    trust: TrustVerdict = TrustVerdict.UNTESTED
    predicted: tuple[PredictedChain, ...] = ()
    """Chains of the hosts that would change, as they stand."""
    measured: dict[str, MeasuredChain] = Field(default_factory=dict)
    """By chain, those with enough samples."""
