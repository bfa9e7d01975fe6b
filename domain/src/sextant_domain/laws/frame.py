"""What all control laws share: their names, and what one of them would change."""

from typing import Annotated

from pydantic import StringConstraints

from sextant_domain.base import Frozen
from sextant_domain.plans.trust import TrustVerdict

LawName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,31}$")]
"""Which names there are, whoever runs laws says: the frame knows none."""


class Proposal(Frozen):
    """What a law would change now within the budget of moves, and what that would gain."""

    gain_mpps: float = 0.0
    """Value x Mpps; 0 where nothing is to be gained."""
    gain_percent: float | None = 0.0
    """Of what the hosts that would change score now; None where that is nothing."""
    moves: int = 0
    """NFs that would change their core; 0 where there is nothing to do."""
    restores: int = 0
    """Chains whose SLO it restores, less those whose SLO it breaks."""
    trust: TrustVerdict = TrustVerdict.UNTESTED
    """The lowest trust among the models that it rests on."""
    held_back: str | None = None
    """Why its figures cannot be relied on: nothing is recommended by it."""
