"""The fleet at one moment: all that the engine is given."""

from datetime import datetime

from pydantic import Field

from sextant_domain.base import Digest, Frozen
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.chains.nf import NfType
from sextant_domain.hosts.desired import HostContent, OrderedLine
from sextant_domain.hosts.host import HostInventory, HostStatus
from sextant_domain.plans.compact import HopDelays
from sextant_domain.plans.trust import Spread, Trust
from sextant_domain.profiling.assigner import PromotedNetwork
from sextant_domain.profiling.curves import CurveModel
from sextant_domain.profiling.host_cost import FittedCost
from sextant_domain.profiling.model import PerformanceModel
from sextant_domain.profiling.process import ProcessModel


class CoreWork(Frozen):
    """A core that work other than the host's NFs has used heavily for some time."""

    core: int = Field(ge=0)
    percent: float = Field(gt=0, le=100)
    """Mean share of the core's time."""


class HostSnapshot(Frozen):
    """A host, and what it was last ordered to run."""

    inventory: HostInventory
    status: HostStatus
    generation: int
    digest: Digest
    content: HostContent
    other_work: tuple[CoreWork, ...] = Field(default=(), exclude_if=lambda works: not works)
    """By rising core; none where telemetry is missing or stale, and in snapshots of an earlier version."""
    cordoned: str | None = Field(default=None, exclude_if=lambda reason: reason is None)
    """Why no NF may start or move there; None for a host in service, and in snapshots of an earlier version."""


class Former(Frozen):
    """What an operation changed on a host, so that it can be undone."""

    before: HostContent
    after: HostContent


class ModelHops(Frozen):
    """What handing packets on costs on hosts of a model, as it was measured."""

    host_model: str
    delays: HopDelays


class ModelLine(Frozen):
    """Shares of an NF type that are promoted on a host model."""

    host_model: str
    line: OrderedLine


class FleetSnapshot(Frozen):
    """Input of planning: pure data, so that a plan can be made again from it."""

    taken_at: datetime
    hosts: tuple[HostSnapshot, ...]
    chains: tuple[ChainSpec, ...]
    """Every chain that shall run after the plan, the new one included, a deleted one not."""
    nf_types: tuple[NfType, ...]
    models: tuple[PerformanceModel, ...]
    curves: tuple[CurveModel, ...] = Field(default=(), exclude_if=lambda curves: not curves)
    """Pressure curves of the same versions, where there are; none in snapshots of an earlier version."""
    processes: tuple[ProcessModel, ...] = Field(default=(), exclude_if=lambda processes: not processes)
    """Gaussian processes of the same versions, for all hosts of a model; none in snapshots of an earlier version."""
    trust: tuple[Trust, ...] = Field(default=(), exclude_if=lambda trust: not trust)
    """How well predictions with these models have held; models that were never tested are absent."""
    spreads: tuple[Spread, ...] = Field(default=(), exclude_if=lambda spreads: not spreads)
    """How far off predictors were on these host models, where enough was measured to say."""
    hops: tuple[ModelHops, ...] = Field(default=(), exclude_if=lambda hops: not hops)
    """Of host models with promoted shares that hold them; for all others it is assumed."""
    share_lines: tuple[ModelLine, ...] = Field(default=(), exclude_if=lambda lines: not lines)
    """By host model and NF type."""
    costs: tuple[FittedCost, ...] = Field(default=(), exclude_if=lambda costs: not costs)
    """By host, of those that share cores and for which costs were fitted; none in snapshots of an earlier version."""
    networks: tuple[PromotedNetwork, ...] = Field(default=(), exclude_if=lambda networks: not networks)
    """Of sfc2cpu, promoted: by number of cores, one each. Only where a plan is asked to go by them."""
    former: tuple[Former, ...] = Field(default=(), exclude_if=lambda former: not former)
    """Of the operation that the plan undoes."""
