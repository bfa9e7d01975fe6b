"""What other settings of a chain would do to it and to its neighbours, before anybody applies them."""

from datetime import datetime
from enum import StrEnum
from typing import Self

from sextant_domain.base import Frozen, Name
from sextant_domain.plans.evidence import Doubt
from sextant_domain.plans.new_chain import AffectedChain
from sextant_domain.plans.plan import Adjustment, ChainPrediction, Change, Rejection
from sextant_domain.problem import NextAction


class SettingsEffect(StrEnum):
    """What applying them would change."""

    NOTHING = "nothing"
    """The chain has these settings already."""
    SPECIFICATION = "specification"
    """The chain runs nowhere: it would be planned again, and nothing is predicted until then."""
    HOSTS = "hosts"
    """Where it runs it would get another order, unless `rejected` says why not."""


class SettingsPrediction(Frozen):
    """Of one chain that keeps its seats, on its hosts at one moment; the plan of the same change says the same. Of one
    over several hosts the figures are of its first part that changes, and the changes of all."""

    chain: Name
    effect: SettingsEffect
    taken_at: datetime | None
    """When its host was as it was predicted for; None where no host had to be read."""
    host: Name | None
    """Where it runs; None where nothing is predicted for a host, and all that follows is empty but for `rejected`."""
    adjustments: tuple[Adjustment, ...]
    changes: tuple[Change, ...]
    """Its NFs that would get another CPU share or quota."""
    prediction: ChainPrediction | None
    """As the plan has it; its `throughput_mpps` is None where nothing is predicted, see `unmeasured` and its `note`."""
    before_mpps: float | None
    """What the same models predict of it with its present settings, on the same seats."""
    unmeasured: tuple[Name, ...]
    """NF types whose throughput alone was never measured on that host's model, of the chain and of those that it shares
    cores with."""
    affected: tuple[AffectedChain, ...]
    """Other chains that would do worse; what breaks an objective first."""
    others_mpps: float | None
    """What all other chains of its hosts together would carry more (or less) than now; None where that is not
    predicted."""
    rejected: Rejection | None
    """Why the change cannot be applied, and what would help."""
    doubt: Doubt | None
    """Why the models are not to be relied on."""
    warnings: tuple[str, ...]
    next_actions: tuple[NextAction, ...]
    """What would make a figure of what is not predicted."""

    @classmethod
    def without_figures(
        cls, chain: str, effect: SettingsEffect, taken_at: datetime | None = None, rejected: Rejection | None = None
    ) -> Self:
        """Where nothing would change on a host, or cannot."""
        return cls(
            chain=chain,
            effect=effect,
            taken_at=taken_at,
            host=None,
            adjustments=(),
            changes=(),
            prediction=None,
            before_mpps=None,
            unmeasured=(),
            affected=(),
            others_mpps=None,
            rejected=rejected,
            doubt=None,
            warnings=(),
            next_actions=(),
        )
