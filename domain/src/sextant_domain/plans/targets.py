"""Where an NF may be moved on its host, and what is predicted of each core."""

from pydantic import Field

from sextant_domain.base import Frozen, Name, NfId
from sextant_domain.plans.plan import Worse


class MoveTarget(Frozen):
    """One core of the host."""

    core: int
    node: int
    why_not: str | None
    """Why the NF cannot go there; None where it can."""
    rank: int | None
    """1 is the best of those that it can go to, by prediction, those that other work uses behind all others; cores of
    equal rank are alike."""
    other_percent: float | None = Field(default=None, exclude_if=lambda percent: percent is None)
    """Of its time, what lasting other work uses, on which no prediction counts; absent where that is little."""
    chain_mpps: float | None
    """What the NF's chain would carry; None where nothing is predicted."""
    change_mpps: float | None
    """Against what it carries as it stands, by prediction."""
    others_mpps: float | None
    """Sum of what the other chains of the host would carry more, or less."""
    worse: tuple[Worse, ...]


class MoveTargets(Frozen):
    """All cores of the NF's host, by number."""

    nf_id: NfId
    chain: Name
    host: Name
    core: int
    """Where it is ordered to stand."""
    now_mpps: float | None
    """What its chain carries as it stands, by prediction."""
    predictor: str | None
    note: str | None
    """Why nothing is predicted."""
    cores: tuple[MoveTarget, ...]
