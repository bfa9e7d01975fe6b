"""What a host is ordered to run, and what it says it runs."""

from datetime import datetime
from enum import StrEnum
from typing import Any, Self

from pydantic import Field, model_validator

from sextant_domain.base import Digest, Frozen, Name, NfId, digest_of
from sextant_domain.chains.chain import ChainSettings, Egress, Execution, Ingress, NfSettings
from sextant_domain.chains.cpu_bounds import QuotaBounds, ShareBounds
from sextant_domain.chains.nf import changeable_of
from sextant_domain.chains.secret import SentSecrets, references_in
from sextant_domain.chains.traffic import Traffic
from sextant_domain.hosts.levels import MAX_WAYS, LevelTable
from sextant_domain.hosts.path import ChainPath


class DesiredNf(Frozen):
    """One NF process, completely configured: the agent looks nothing up."""

    nf_id: NfId
    nf_type: Name
    nf_version: int
    config: dict[str, Any]
    """Defaults and overrides merged; secrets by reference."""
    core: int = Field(ge=0)
    slot: int = Field(default=0, ge=0)
    llc_ways: int | None = None
    memory_bandwidth_percent: int | None = None
    cpu_share: int | None = Field(default=None, ge=1, le=10_000)
    """Weight against whatever else wants its core: two with 100 and 300 get a quarter and three quarters. None: 100."""
    cpu_quota_percent: float | None = Field(default=None, ge=1, le=100, exclude_if=lambda quota: quota is None)
    """The most of its core it may use, whoever else wants it; None: all. Left out of the digest where it is None."""
    implementation: Name | None = Field(default=None, exclude_if=lambda name: name is None)
    """The built-in type whose program runs, where `nf_type` was registered by an operator. Left out of the digest where
    it is None."""

    @property
    def runs(self) -> str:
        """The built-in type whose program runs."""
        return self.implementation or self.nf_type

    @property
    def settings(self) -> NfSettings:
        """What may change while it runs."""
        return NfSettings(
            cpu_share=self.cpu_share,
            cpu_quota_percent=self.cpu_quota_percent,
            config=changeable_of(self.nf_type, self.config),
        )


class ChainResources(Frozen):
    """What all NFs of a chain have together of the last-level cache and the memory bandwidth of their node: on the host
    one group holds their threads. At least one of the two is set."""

    llc_ways: int | None = Field(default=None, ge=1, le=MAX_WAYS)
    """Ways that no other chain's NFs fill; None: they share with all others."""
    memory_bandwidth_percent: int | None = Field(default=None, ge=1, le=100)
    """None: all."""


class ResourceBounds(Frozen):
    """What a host's agent may give all NFs of a chain together by itself, each second, as the chain's rate changes. It
    goes on while the console is not reached."""

    law: Name
    """The control law that decides within them, of those that the agent has."""
    law_version: int = Field(ge=1)
    """An agent that has another version of it leaves `resources` as they were ordered, and says so."""
    table: Digest
    """`digest_of` the table of levels that the law goes by: one of `HostContent.tables`."""
    least_ways: int = Field(ge=1, le=MAX_WAYS)
    most_ways: int = Field(ge=1, le=MAX_WAYS)
    least_percent: int = Field(ge=1, le=100)
    most_percent: int = Field(ge=1, le=100)

    @model_validator(mode="after")
    def _least_is_least(self) -> Self:
        for least, most in (("least_ways", "most_ways"), ("least_percent", "most_percent")):
            if getattr(self, least) > getattr(self, most):
                raise ValueError(f"{least}: {getattr(self, least)} is more than {most}, {getattr(self, most)}")
        return self

    @property
    def text(self) -> str:
        """For a person: '2 to 6 LLC ways, 10 to 50 % of memory bandwidth, by numasfp 1'."""
        percent = f"{self.least_percent} to {self.most_percent} % of memory bandwidth"
        return f"{self.least_ways} to {self.most_ways} LLC ways, {percent}, by {self.law} {self.law_version}"

    def hold(self, resources: ChainResources) -> bool:
        """Whether a chain that has these is within them; what it shares with others has no bounds."""
        ways, percent = resources.llc_ways, resources.memory_bandwidth_percent
        return (ways is None or self.least_ways <= ways <= self.most_ways) and (
            percent is None or self.least_percent <= percent <= self.most_percent
        )


class DesiredChain(Frozen):
    """A chain, or the part of it, that runs on this host.

    What was added to orders after the first release is left out of their JSON while it has its default: digests of
    older orders, in ledgers and plans, still hold, and an agent that does not know a setting refuses it only when used.
    """

    chain: Name
    nfs: tuple[DesiredNf, ...]
    ingress: Ingress
    egress: Egress
    traffic: Traffic
    execution: Execution = Field(default="isolated", exclude_if=lambda value: value == "isolated")
    paused: bool = Field(default=False, exclude_if=lambda value: value is False)
    """The source offers nothing and the NFs sleep; all their state is kept."""
    resources: ChainResources | None = Field(default=None, exclude_if=lambda value: value is None)
    """Of all its NFs together, which then have no ways and no bandwidth of their own and stand on one node."""
    bounds: ResourceBounds | None = Field(default=None, exclude_if=lambda value: value is None)
    """Within which the agent sets `resources` by itself; they are then what it begins with. None: it leaves them."""
    share_bounds: ShareBounds | None = Field(default=None, exclude_if=lambda value: value is None)
    """Within which the agent sets CPU shares of its NFs by itself; `cpu_share` is then what they begin with."""
    quota_bounds: QuotaBounds | None = Field(default=None, exclude_if=lambda value: value is None)
    """Within which the agent sets CPU quotas of its NFs by itself; `cpu_quota_percent` is then what they begin with."""
    path: ChainPath | None = Field(default=None, exclude_if=lambda value: value is None)
    """All of its packets' way, where that passes other hosts; `nfs` are the part here. None: all of it is here."""

    @model_validator(mode="after")
    def _is_on_its_path(self) -> Self:
        if self.path is not None:
            way = [segment.nf_id for segment in self.path.segments]
            here = [nf.nf_id for nf in self.nfs]
            if here != [nf_id for nf_id in way if nf_id in here] or len(here) != len(set(here)):
                raise ValueError("path: its segments name the NFs here, each once and in their order")
        return self

    @model_validator(mode="after")
    def _begins_within_its_bounds(self) -> Self:
        if self.bounds is not None and (self.resources is None or not self.bounds.hold(self.resources)):
            raise ValueError("bounds: what the chain begins with (resources) is to lie within them")
        return self

    @property
    def settings(self) -> ChainSettings:
        """What may change while it runs."""
        return ChainSettings.of(self, {nf.nf_id.split(".", 1)[1]: nf.settings for nf in self.nfs})


class OrderedLine(Frozen):
    """CoCo's f of an NF type, as it was measured and promoted on the host's model: what its agent begins with where it
    divides cores within `share_bounds`."""

    nf_type: Name
    nf_version: int
    """Of the NF type that was measured; NFs of another version are divided by what their packets take."""
    shares_id: int = Field(ge=1)
    """The version of shares that it is from."""
    slope: float = Field(gt=0)
    """Part of a core that one Mpps more takes."""
    intercept: float = Field(ge=0, lt=1)
    """Part of a core that it takes however few packets come."""


class HostContent(Frozen):
    """Everything a host shall run; chains sorted by name, so that equal content has an equal digest."""

    host_id: Name
    chains: tuple[DesiredChain, ...] = ()
    tables: tuple[LevelTable, ...] = Field(default=(), max_length=64, exclude_if=lambda tables: not tables)
    """Those that bounds of its chains name, by digest, and no others. Left out where there are none."""
    share_lines: tuple[OrderedLine, ...] = Field(default=(), max_length=256, exclude_if=lambda lines: not lines)
    """By NF type, of those of chains whose `share_bounds` go by queue matching. Left out where there are none, and for
    agents that do not know them: these go by what packets take."""

    @model_validator(mode="after")
    def _holds_the_tables_it_names(self) -> Self:
        named = sorted({chain.bounds.table for chain in self.chains if chain.bounds is not None})
        if [digest_of(table) for table in self.tables] != named:
            raise ValueError("tables: exactly those that bounds of chains name are held, sorted by digest")
        return self

    @model_validator(mode="after")
    def _holds_one_line_a_type(self) -> Self:
        types = [line.nf_type for line in self.share_lines]
        if types != sorted(set(types)):
            raise ValueError("share_lines: one of each NF type, sorted by type")
        return self

    @property
    def secrets(self) -> frozenset[str]:
        """Every secret that it names, by reference."""
        return frozenset(name for chain in self.chains for nf in chain.nfs for name in references_in(nf.config))


class DesiredHostConfig(Frozen):
    """A numbered order. The agent refuses an older generation, and the same generation with another digest."""

    generation: int = Field(ge=0)
    """Rises by one with every order, a rollback included; 0 is the empty host."""
    digest: Digest
    """`digest_of(content)`."""
    content: HostContent

    @classmethod
    def of(cls, generation: int, content: HostContent) -> "DesiredHostConfig":
        """The order with its digest computed."""
        return cls(generation=generation, digest=digest_of(content), content=content)


class DesiredStateOrder(Frozen):
    """Body of PUT /v1/desired: the order, and the claim under which it was sent."""

    desired: DesiredHostConfig
    operation_id: int
    fence: int = Field(ge=0)
    """Rises with every claim of an operation; an order with a lower fence than one seen is refused, so a worker
    that lost its lease cannot overwrite its successor's work."""
    secrets: SentSecrets = Field(default_factory=dict, repr=False, exclude_if=lambda secrets: not secrets)
    """What the references in its content stand for: exactly those, by reference. They are part of no digest, and the
    agent never returns them. Left out where there are none, so that an agent of a version before secrets takes every
    other order."""


class Phase(StrEnum):
    """How far the reconciler is."""

    CONVERGED = "converged"
    CONVERGING = "converging"
    BLOCKED = "blocked"
    """It cannot converge without help: `ActualState.detail` says why."""


class NfState(StrEnum):
    """Life of an NF process."""

    STARTING = "starting"
    RUNNING = "running"
    CRASHED = "crashed"
    STOPPING = "stopping"


QUOTA_STEP_PERCENT = 0.01
"""A quota is a whole number of microseconds in 10 ms: two that are nearer than this are the same."""


class ActualCpu(Frozen):
    """What a process may use of its core, as the kernel (or the twin) applies it."""

    cpu_share: int = Field(ge=0)
    """Weight; 100 where its process has no CPU group."""
    cpu_quota_percent: float | None = Field(ge=0)
    """None: all of the core."""


class ActualMemory(Frozen):
    """What an NF may use of its node's last-level cache and memory bandwidth, as resctrl (or the twin) applies it."""

    llc_ways: int | None = Field(ge=0)
    """Ways of its own; None: it shares."""
    memory_bandwidth_percent: int | None = Field(ge=0)
    """None: all."""
    chain_llc_ways: int | None = Field(default=None, ge=0, exclude_if=lambda ways: ways is None)
    """Ways that the NFs of its chain have together; None: they have none, or its agent is of before there were such."""
    chain_memory_bandwidth_percent: int | None = Field(default=None, ge=0, exclude_if=lambda percent: percent is None)
    """The same of the memory bandwidth."""


class ActualNf(Frozen):
    """One NF process as found, not as ordered."""

    nf_id: NfId
    chain: Name
    nf_type: Name
    state: NfState
    pid: int | None
    core: int | None
    """Read from the thread's affinity; None while it has none."""
    restarts: int = 0
    last_error: str | None = None
    since: datetime
    cpu: ActualCpu | None = Field(default=None, exclude_if=lambda value: value is None)
    """None where this host cannot read it now, or the NF shares the process of an earlier one of its chain."""
    memory: ActualMemory | None = Field(default=None, exclude_if=lambda value: value is None)
    """None where this host cannot read it now."""


class ActualState(Frozen):
    """What the host runs now."""

    host_id: Name
    phase: Phase
    detail: str
    """For a person: 'starting 2 of 3 NFs', 'core 1 is not in this process's affinity mask'."""
    desired_generation: int
    desired_digest: Digest
    applied_generation: int
    """The newest generation that was reached completely."""
    busy: str | None = Field(default=None, exclude_if=lambda value: value is None)
    """What it is doing that takes longer than to look again: 'removing web'."""
    nfs: tuple[ActualNf, ...] = ()
    observed_at: datetime


class Health(Frozen):
    """GET /v1/health."""

    host_id: Name
    agent_version: str
    driver: Name
    ready: bool
    problems: tuple[str, ...] = ()
    started_at: datetime
    ledger_generation: int
    ledger_fence: int
