"""What a plan is asked for."""

from typing import Annotated, Literal, Self

from pydantic import Field, ValidationInfo, field_validator, model_validator

from sextant_domain.base import Frozen, Name, NfId, StrictFloat, StrictInt
from sextant_domain.chains.chain import ChainSettings
from sextant_domain.chains.lane import MAX_LANES, Weights
from sextant_domain.chains.part import MAX_PARTS
from sextant_domain.hosts.desired import HostContent, ResourceBounds
from sextant_domain.hosts.drift import MOST_DIFFERENCES, DriftAction, DriftDifference
from sextant_domain.hosts.levels import LevelTable
from sextant_domain.plans.assumptions import Assumption
from sextant_domain.plans.resources import MemoryRequest, ResourceRequest


class PlaceIntent(Frozen):
    """Place submitted chains; what already runs stays where it is. A chain that fits nowhere keeps no other from being
    placed."""

    kind: Literal["place"] = "place"
    chain: Name
    more: tuple[Name, ...] = Field(default=(), max_length=999, exclude_if=lambda names: not names)
    """Further chains that the same plan places. Left out of the digest where there are none."""
    assume: tuple[Assumption, ...] = Field(default=(), max_length=16, exclude_if=lambda assumed: not assumed)
    """What the plan is made as if: then it is a preview, which cannot be applied."""

    @field_validator("more")
    @classmethod
    def _each_once(cls, more: tuple[str, ...], known: ValidationInfo) -> tuple[str, ...]:
        if len({*more, known.data.get("chain")}) != len(more) + 1:
            raise ValueError("names a chain twice")
        return more

    @property
    def chains(self) -> tuple[str, ...]:
        """All of them."""
        return (self.chain, *self.more)

    @property
    def subject(self) -> str:
        """What it is about: 'web', 'web and 2 more chains'."""
        if not self.more:
            return self.chain
        return f"{self.chain} and {len(self.more)} more chain{'' if len(self.more) == 1 else 's'}"


class RemoveIntent(Frozen):
    """Take a chain off its hosts."""

    kind: Literal["remove"] = "remove"
    chain: Name
    more: tuple[Name, ...] = Field(
        default=(), max_length=MAX_PARTS - 1 + MAX_LANES - 1, exclude_if=lambda names: not names
    )
    """The other parts of a chain over several hosts, and its further lanes where these go with it. Left out of the
    digest where there are none."""

    @property
    def chains(self) -> tuple[str, ...]:
        """All of them."""
        return (self.chain, *self.more)


class MigrateIntent(Frozen):
    """Move one NF to another core, as the operator says."""

    kind: Literal["migrate"] = "migrate"
    nf_id: NfId
    host: Name
    core: int = Field(ge=0)


class RelocateIntent(Frozen):
    """Move a chain that runs to another host, as the operator says, or have it change places with chains there. One
    whose specification names its host names the new one afterwards."""

    kind: Literal["relocate"] = "relocate"
    chain: Name
    host: Name
    exchange: tuple[Name, ...] = Field(default=(), max_length=16, exclude_if=lambda names: not names)
    """Chains that run on `host` and go to the host that `chain` leaves: all of them move, or none. Left out of the
    digest where there are none."""

    @field_validator("exchange")
    @classmethod
    def _each_once(cls, exchange: tuple[str, ...], known: ValidationInfo) -> tuple[str, ...]:
        if len({*exchange, known.data.get("chain")}) != len(exchange) + 1:
            raise ValueError("names a chain twice")
        return exchange

    @property
    def chains(self) -> tuple[str, ...]:
        """All that move."""
        return (self.chain, *self.exchange)

    @property
    def subject(self) -> str:
        """What it is about: 'web', 'web for dns', 'web for 2 chains'."""
        if not self.exchange:
            return self.chain
        return f"{self.chain} for {self.exchange[0] if len(self.exchange) == 1 else f'{len(self.exchange)} chains'}"


class DrainIntent(Frozen):
    """Move every chain that runs on a host to other hosts; what fits nowhere else stays, with the reason."""

    kind: Literal["drain"] = "drain"
    host: Name


class ReplaceIntent(Frozen):
    """Re-place every chain of the fleet, or of one host, if that gains more than the margin."""

    kind: Literal["replace"] = "replace"
    host: Name | None = None
    """Only what runs there may move, and no chain that waits is placed; None: the whole fleet."""
    keep: tuple[Name, ...] = Field(default=(), max_length=10_000, exclude_if=lambda names: not names)
    """Chains that stay where they run, whatever that costs. Left out of the digest where there are none."""


class RestoreIntent(Frozen):
    """Undo an operation: order its chains as they were ordered before it, unless they were changed since."""

    kind: Literal["restore"] = "restore"
    operation_id: int = Field(ge=1, lt=2**63)
    hosts: tuple[Name, ...] = Field(default=(), max_length=1000)
    """Of the operation; empty: all of them."""


class AdjustIntent(Frozen):
    """Change settings of a chain that runs; nothing is restarted and nothing moves."""

    kind: Literal["adjust"] = "adjust"
    chain: Name
    settings: ChainSettings
    """All of them, as they shall be."""
    more: tuple[Name, ...] = Field(default=(), max_length=MAX_PARTS - 1, exclude_if=lambda names: not names)
    """The other parts of a chain over several hosts, which get its traffic and its pause. Left out of the digest where
    there are none."""

    @property
    def chains(self) -> tuple[str, ...]:
        """All of them."""
        return (self.chain, *self.more)

    def settings_of(self, name: str, now: ChainSettings) -> ChainSettings:
        """As one of its chains shall have them; `now`: as that one has them."""
        return self.settings if name == self.chain else now.of_whole(self.settings)


class LossBudget(Frozen):
    """What a plan may cost the chains that it moves, all of them together. At least one of the two is set."""

    most_packets: StrictInt | None = Field(default=None, ge=0, le=10**12)
    """Lost while they move; None: any number."""
    most_pause_ms: StrictFloat | None = Field(default=None, ge=0, le=60_000)
    """The longest time in which a chain forwards nothing; None: any."""

    @model_validator(mode="after")
    def _names_one(self) -> Self:
        if self.most_packets is None and self.most_pause_ms is None:
            raise ValueError("name at least one of most_packets and most_pause_ms")
        return self


class ResourceIntent(Frozen):
    """Give NFs, or chains, that run other cores of their host, LLC ways, memory bandwidth, CPU shares or quotas, all at
    once; none restarts. NFs that `seats` does not name keep their seat. Cores may be exchanged."""

    kind: Literal["resources"] = "resources"
    chains: dict[Name, MemoryRequest] = Field(
        default_factory=dict, max_length=1000, exclude_if=lambda chains: not chains
    )
    """By chain: what all its NFs have together. Left out of the digest where there are none."""
    resources: dict[NfId, ResourceRequest] = Field(default_factory=dict, max_length=1000, validate_default=True)
    """By NF, of any chains and hosts: all of them, and of what chains are given, are given, or none is."""
    seats: dict[NfId, Annotated[StrictInt, Field(ge=0, lt=2**16)]] = Field(
        default_factory=dict, max_length=1000, exclude_if=lambda seats: not seats
    )
    """By NF: the core of its host that it moves to; several may exchange theirs. Left out where there are none."""
    bounds: dict[Name, ResourceBounds | None] = Field(
        default_factory=dict, max_length=1000, exclude_if=lambda bounds: not bounds
    )
    """By chain: within what its host's agent sets its resources by itself from now on; null: no longer, they stay as
    they were ordered last. Left out where there are none."""
    tables: tuple[LevelTable, ...] = Field(default=(), max_length=64, exclude_if=lambda tables: not tables)
    """Those that `bounds` name by digest."""
    law: Name | None = Field(default=None, exclude_if=lambda law: law is None)
    """The control law that asks for it; None: a person does."""
    loss_budget: LossBudget | None = Field(default=None, exclude_if=lambda budget: budget is None)
    """Of the moves. A plan that is expected to exceed it is refused; None: there is none."""

    @model_validator(mode="after")
    def _asks_for_something(self) -> Self:
        if not (self.resources or self.chains or self.seats or self.bounds):
            raise ValueError("resources: name at least one NF here or in seats, or one chain in chains or bounds")
        return self

    @property
    def named_chains(self) -> tuple[str, ...]:
        """Every chain that it names, or of which it names an NF, by name."""
        nfs = (*self.resources, *self.seats)
        return tuple(sorted({*self.chains, *self.bounds, *(nf_id.split(".", 1)[0] for nf_id in nfs)}))

    @property
    def subject(self) -> str:
        """What it is about: 'web.firewall', 'web', '3 NFs of web, nat and 2 more chains', '3 chains: nat, vpn, web'."""
        nfs, chains = {*self.resources, *self.seats}, {*self.chains, *self.bounds}
        if len(nfs) + len(chains) == 1:
            return next(iter((*nfs, *chains)))
        names = self.named_chains
        if len(names) == 1:
            return f"{len(nfs)} NFs of {names[0]}" if not chains else names[0]
        more = "" if len(names) <= 3 else f" and {len(names) - 2} more chains"
        listed = f"{', '.join(names if not more else names[:2])}{more}"
        if not chains:
            return f"{len(nfs)} NFs of {listed}"
        return f"{len(names)} chain{'' if len(names) == 1 else 's'}: {listed}"


class LaneIntent(Frozen):
    """Carry a chain that runs in so many lanes: lanes that are new start, those that are left get the new weights, and
    those that are too many leave, all or none."""

    kind: Literal["lanes"] = "lanes"
    chain: Name
    """That which gives all its lanes their common name, and is the first of them."""
    weights: Weights
    """One a lane; one alone: the chain is in no lanes any more."""
    seats: dict[NfId, Annotated[StrictInt, Field(ge=0, lt=2**16)]] = Field(
        default_factory=dict, max_length=256, exclude_if=lambda seats: not seats
    )
    """Of new lanes, by NF: its core, on the lane's host of `hosts`, else on that where the chain runs. Left out where
    the planner chooses."""
    hosts: dict[Name, Name] = Field(default_factory=dict, max_length=MAX_LANES - 1, exclude_if=lambda hosts: not hosts)
    """Of new lanes, by name: the host that it goes to, and is pinned to as by `ingress.host`. Left out where the
    planner chooses, or where `seats` has the lane beside the chain."""
    law: Name | None = Field(default=None, exclude_if=lambda law: law is None)
    """The control law that asks for it; None: a person does."""

    @property
    def so_many(self) -> str:
        """'3 lanes', 'one lane'."""
        return "one lane" if len(self.weights) == 1 else f"{len(self.weights)} lanes"

    def host_of(self, lane: str, home: str) -> str:
        """Where a new lane goes whose cores are named; `home`: where the chain runs."""
        return self.hosts.get(lane, home)


class AlignIntent(Frozen):
    """End the drift of a host: order again what it was ordered last, or make what it runs its order."""

    kind: Literal["align"] = "align"
    host: Name
    action: DriftAction
    accepted: HostContent | None = None
    """What it runs, as an order, where that is accepted."""
    differences: tuple[DriftDifference, ...] = Field(default=(), max_length=MOST_DIFFERENCES)
    """What the host was found to run differently when the plan was asked for."""

    @model_validator(mode="after")
    def _names_what_is_accepted(self) -> Self:
        if (self.action is DriftAction.ACCEPT) != (self.accepted is not None):
            raise ValueError("what is accepted is named where something is accepted, and only there")
        if self.accepted is not None and self.accepted.host_id != self.host:
            raise ValueError(f"what is accepted is of {self.accepted.host_id}, not of {self.host}")
        return self


Intent = Annotated[
    PlaceIntent
    | RemoveIntent
    | MigrateIntent
    | RelocateIntent
    | DrainIntent
    | ReplaceIntent
    | RestoreIntent
    | AdjustIntent
    | ResourceIntent
    | LaneIntent
    | AlignIntent,
    Field(discriminator="kind"),
]
