"""What the console shows: read models of hosts, NFs and chains, without secret fields."""

from datetime import datetime
from enum import StrEnum
from typing import Generic, TypeVar

from pydantic import Field

from sextant_domain.base import Frozen, Name, NfId, Provenance
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.hosts.bounded_quotas import BoundedNf, QuotaChange
from sextant_domain.hosts.desired import NfState
from sextant_domain.hosts.drift import DriftMark
from sextant_domain.hosts.host import Cordon, CoreSlots, HostInventory, HostStatus, ReservedCore
from sextant_domain.hosts.telemetry import ChainControl, ChainSample, CoreSample, NfSample, NodeSample
from sextant_domain.plans.placement import PlacedNf, Seat

T = TypeVar("T")


class Page(Frozen, Generic[T]):
    """Keyset paging: pass `next` as `?after=` to go on; None at the end."""

    items: tuple[T, ...]
    next: str | None


class HostView(Frozen):
    """A host with its latest figures."""

    host_id: Name
    labels: dict[str, str]
    status: HostStatus
    status_reason: str
    """'last heard 14:41:52', 'certificate expired'."""
    status_since: datetime
    last_seen_at: datetime | None
    registered_at: datetime | None
    """When its agent first reported the machine's inventory; None until it has."""
    revoked_at: datetime | None = None
    """Since when its certificates are refused; `status_reason` says why. None for a host in good standing."""
    cordon: Cordon | None = None
    """Set while no NF may start or move there; None for a host in service."""
    reserved_cores: tuple[ReservedCore, ...] = ()
    """Cores that operators keep from NFs, by number; the inventory has them as `reserved_for: operator`."""
    core_slots: CoreSlots | None = None
    """Set by an operator in place of what its agent offers; the inventory's cores have these slots."""
    drift: DriftMark | None = None
    """Set while its reports have differed from its order for a while; None where they agree, or nobody knows."""
    inventory: HostInventory | None
    """None until its agent has reported for the first time."""
    desired_generation: int
    applied_generation: int
    provenance: Provenance
    """Of the figures: `measured`, or `simulated` for the twin."""
    sampled_at: datetime | None
    cores: tuple[CoreSample, ...]
    nodes: tuple[NodeSample, ...] = ()
    """Memory and links; empty of hosts whose counters do not reach them."""
    throughput_mpps: float | None
    """Sum over its chains; None where nothing was measured."""
    controls: tuple[ChainControl, ...] = Field(default=(), exclude_if=lambda controls: not controls)
    """What laws on its agent gave chains with bounds, as last reported."""
    version: int


class NfView(Frozen):
    """A placed NF with its latest figures."""

    nf_id: NfId
    chain: Name
    position: int
    nf_type: Name
    nf_version: int | None = None
    """Of its type when the NF was ordered; the type may have a newer one by now. None where it was not recorded."""
    short_name: str
    seat: Seat
    """Where it was ordered to stand."""
    actual_core: int | None
    """Where it was found; differs from seat.core while it moves, and when something is wrong."""
    state: NfState | None
    """None where its host has not reported it."""
    restarts: int
    paused: bool = False
    """Its chain is paused: it sleeps by order."""
    plan_id: int
    since: datetime
    sample: NfSample | None


class ChainState(StrEnum):
    """Life of a chain."""

    SUBMITTED = "submitted"
    """Stored; a plan is being made or waits for approval."""
    APPLYING = "applying"
    RUNNING = "running"
    REMOVING = "removing"


class SloState(StrEnum):
    """Of a running chain, by measurement."""

    MET = "met"
    VIOLATED = "violated"
    NO_DATA = "no_data"


class StandsWith(Frozen):
    """A chain of the same anti-affinity group that another stands with although it must not."""

    chain: Name
    host: Name
    node: int | None
    """The node that they share; None: they must not share the host."""


class TiedNf(Frozen):
    """An NF of a chain that is one element with NFs of other chains on its host."""

    nf_id: NfId
    others: tuple[NfId, ...]
    """All of them, of other chains, by id."""


class ChainView(Frozen):
    """A chain with its latest figures."""

    spec: ChainSpec
    state: ChainState
    placement: tuple[PlacedNf, ...]
    plan_id: int | None
    """The newest plan that names this chain."""
    operation_id: int | None
    sample: ChainSample | None
    provenance: Provenance
    sampled_at: datetime | None
    throughput_slo: SloState | None
    latency_slo: SloState | None
    stands_with: tuple[StandsWith, ...] = ()
    """Whom it breaks its anti-affinity with, as ordered: plans put nobody there, but what a host was found to run may
    have been accepted."""
    tied_with: tuple[TiedNf, ...] = ()
    """Of its NFs, those that are tied with NFs of other chains where it runs: they share a core and move together."""
    bounded_nfs: tuple[BoundedNf, ...] = Field(default=(), exclude_if=lambda nfs: not nfs)
    """Of a chain with quota bounds: what its host's agent gave each NF, as last reported."""
    quota_changes: tuple[QuotaChange, ...] = Field(default=(), exclude_if=lambda changes: not changes)
    """The same: its latest changes of them, oldest first."""
    created_at: datetime
    created_by: str
    version: int
