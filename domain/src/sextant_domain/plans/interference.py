"""Interference between the NFs of a host, by the engine's model."""

from sextant_domain.base import Frozen, Name, NfId, Provenance
from sextant_domain.plans.evidence import Cause, ModelUse


class Victim(Frozen):
    """One NF and everything that takes throughput from it."""

    nf_id: NfId
    chain: Name
    nf_type: Name
    node: int
    mpps: float
    ideal_mpps: float
    is_bottleneck: bool
    """Its chain's slowest NF."""
    causes: tuple[Cause, ...]
    """Greatest loss first; their drops add up to the NF's drop, and to 1 where the model says that more is lost."""


class Interference(Frozen):
    """All NFs of a host under one placement."""

    host: Name
    provenance: Provenance
    """`predicted`, or `assumed` where a model was not fitted."""
    victims: tuple[Victim, ...]
    """By node, chain and position. Empty where the model does not apply."""
    models: tuple[ModelUse, ...] = ()
    """Versions that it rests on, by NF type."""
    note: str | None
    """Why there is nothing to show: 'shared cores: Octans' model does not apply'."""
