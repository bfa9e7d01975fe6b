"""What the NFs of a host would be with if they shared fewer cores: a preview, which changes nothing."""

from sextant_domain.base import Frozen, Name, NfId
from sextant_domain.plans.compact import HopDelays


class ConsolidatedCore(Frozen):
    """A core as the preview fills it."""

    core: int
    node: int
    nf_ids: tuple[NfId, ...]
    """By chain and position."""
    before_percent: float
    """Of its time, what its NFs need before, if their chains carry all that they are offered."""
    nfs_percent: float
    """The same in the preview; 0: it is freed."""
    others_percent: float
    """What everything else takes there."""


class ConsolidatedChain(Frozen):
    """What is predicted of a chain, before and in the preview; None where nothing is, or has no interval."""

    chain: Name
    before_mpps: float | None
    before_low_mpps: float | None
    before_high_mpps: float | None
    mpps: float | None
    low_mpps: float | None
    high_mpps: float | None


class Consolidation(Frozen):
    """The fewest of the cores that a host's NFs stand on which hold them all, and what that would cost."""

    host: Name
    slots: int | None
    """NFs a core that an operator would have to allow first; None: the host's cores are shared already."""
    freed: tuple[int, ...]
    """Cores that would hold no NF any more; none where nothing can be freed."""
    proven: bool
    """No fewer of these cores suffice."""
    moves: int
    """NFs that would go to another core."""
    delayed_before: float
    """Over all hops rate (Mpps) x t_d, before."""
    delayed: float
    """The same in the preview."""
    delays: HopDelays
    full_percent: float
    """The most of a core that is filled."""
    cores: tuple[ConsolidatedCore, ...]
    """Those that hold an NF before; empty where nothing can be freed."""
    chains: tuple[ConsolidatedChain, ...]
    note: str | None
    """Why nothing can be freed; None where something can."""
