"""Bodies and answers of the chains' endpoints."""

from pydantic import Field, StrictBool
from sextant_domain.base import Frozen, Name
from sextant_domain.chains.anti_affinity import AntiAffinity
from sextant_domain.chains.chain import MAX_NFS, ChainSpec, Execution, NfSettings
from sextant_domain.chains.cpu_bounds import QuotaBounds, ShareBounds
from sextant_domain.chains.traffic import Traffic
from sextant_domain.console.views import ChainView


class ChainSubmitted(Frozen):
    """A stored chain, and the plan that is being made for it."""

    chain: ChainView
    plan_id: int


MOST_AT_ONCE = 1000


class ChainBatch(Frozen):
    """Chains to be submitted together."""

    chains: tuple[ChainSpec, ...] = Field(min_length=1, max_length=MOST_AT_ONCE)
    """Each name once."""


class ChainsSubmitted(Frozen):
    """Stored chains, and the one plan that is being made for all of them."""

    chains: tuple[Name, ...]
    plan_id: int


class GroupChange(Frozen):
    """The anti-affinity group that a chain is to have."""

    anti_affinity: AntiAffinity | None
    """null: none."""


class ChainChange(Frozen):
    """Settings to change; what is left out, or null, stays as it is."""

    traffic: Traffic | None = None
    """The whole of it."""
    execution: Execution | None = None
    paused: StrictBool | None = None
    share_bounds: ShareBounds | None = None
    """Given as null it is taken away: the host leaves CPU shares as they are ordered."""
    quota_bounds: QuotaBounds | None = None
    """Given as null they are taken away: the host leaves CPU quotas as they are ordered."""
    nfs: dict[Name, NfSettings] = Field(default_factory=dict, max_length=MAX_NFS)
    """By name; a setting that is given as null is taken away, one that is left out stays."""
