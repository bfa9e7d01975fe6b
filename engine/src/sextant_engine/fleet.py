"""The fleet while a plan is being made: hosts whose content may change, and what the plan says about it.

Everything is looked up by name and walked in sorted order, so the order of a snapshot's lists never matters.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.chains.nf import NfType
from sextant_domain.hosts.desired import DesiredChain, DesiredNf, HostContent
from sextant_domain.hosts.host import HostInventory, HostStatus
from sextant_domain.plans.evidence import PlanProgress, Solving
from sextant_domain.plans.plan import Rejection
from sextant_domain.plans.snapshot import FleetSnapshot, HostSnapshot
from sextant_domain.plans.trust import Spread, Trust
from sextant_domain.profiling.model import PerformanceModel

from sextant_engine.errors import Cancelled
from sextant_engine.seats import Layout, Seats

if TYPE_CHECKING:
    from sextant_engine.planning.solving import FleetFound

T = TypeVar("T")

Clock = Callable[[], float]
"""Seconds from any fixed point, never backwards: `time.monotonic`, or a counter in tests."""

SHARED_CORES = "shared cores: Octans' model does not apply"


@dataclass(frozen=True)
class Policy:
    """What a re-placement must gain, and what is maximised."""

    margin_mpps: float = 0.1
    """A re-placement of a host that scores less above the present one is not proposed."""
    move_price_mpps: float = 0.05
    """What one moved NF costs in the score."""


class HostDraft:
    """One host: its inventory, and its content as the plan would have it."""

    def __init__(self, snapshot: HostSnapshot, models: dict[str, PerformanceModel]) -> None:
        self.snapshot = snapshot
        self.inventory: HostInventory = snapshot.inventory
        self.name = snapshot.inventory.host_id
        self.models = models
        """Performance model of each NF type on this host's model."""
        self.before: dict[str, DesiredChain] = {chain.chain: chain for chain in snapshot.content.chains}
        self.chains: dict[str, DesiredChain] = dict(self.before)
        self._node_of = {core.id: core.node for core in self.inventory.cores}
        self._remembered: dict[Any, Any] = {}

    @property
    def up(self) -> bool:
        """True where an order can be delivered and the figures are fresh."""
        return self.snapshot.status is HostStatus.UP

    @cached_property
    def other_work(self) -> dict[int, float]:
        """By core, percent of its time that work uses which is none of the host's NFs."""
        return {work.core: work.percent for work in self.snapshot.other_work}

    @cached_property
    def layout(self) -> Layout:
        """The host's units."""
        return Layout.of(self.inventory, other=self.other_work)

    def seats(self, without: frozenset[str] = frozenset()) -> Seats:
        """Seats with the NFs of the draft on them, but for those left out."""
        return Seats(self.layout, [(nf.core, nf.slot) for nf in self.nfs() if nf.nf_id not in without])

    @property
    def free(self) -> int:
        """Free seats, last choices included."""
        return self._room().total()

    def room(self, node: int, spare: bool) -> int:
        """Free seats of a node on cores that are kept for last (last choices, and those with other work), or on all
        others."""
        return self._room()[node, spare]

    def _room(self) -> Counter[tuple[int, bool]]:
        return self.remember("room", lambda: self.seats().room())

    def remember(self, key: Any, compute: Callable[[], T]) -> T:
        """`compute()`, once for as long as the chains of the draft stay as they are."""
        if key not in self._remembered:
            self._remembered[key] = compute()
        found: T = self._remembered[key]
        return found

    def nfs(self) -> list[DesiredNf]:
        """All NFs of the draft, by chain name."""
        return [nf for name in sorted(self.chains) for nf in self.chains[name].nfs]

    def put(self, chain: DesiredChain) -> None:
        """Add or replace a chain."""
        self.chains[chain.chain] = chain
        self._remembered.clear()

    def drop(self, name: str) -> None:
        """Take a chain away."""
        del self.chains[name]
        self._remembered.clear()

    def node_of(self, core: int) -> int:
        """The NUMA node of a core; the lowest node for a core that the host has lost."""
        node = self._node_of.get(core)
        return min((one.id for one in self.inventory.nodes), default=0) if node is None else node

    def content(self) -> HostContent:
        """The draft as an order's content."""
        return HostContent(host_id=self.name, chains=tuple(self.chains[name] for name in sorted(self.chains)))

    @property
    def changed(self) -> bool:
        """True if the draft differs from what was ordered."""
        return self.chains != self.before

    def lacks(self, capabilities: Iterable[str]) -> str | None:
        """The first capability that the host does not have, with the reason: 'pause (its driver does not offer it)'."""
        for capability in sorted(set(capabilities)):
            why_not = self.inventory.why_not(capability)
            if why_not is not None:
                return f"{capability} ({why_not})"
        return None

    def cannot_run(self, nf_types: Iterable[str]) -> str | None:
        """The first built-in NF type that the host has no program for: 'router (it runs firewall, nat)'."""
        for nf_type in sorted(set(nf_types)):
            if self.inventory.cannot_run(nf_type):
                return f"{nf_type} (it runs {', '.join(sorted(self.inventory.nf_types or ())) or 'nothing'})"
        return None

    def unpredictable(self) -> str | None:
        """Why the model says nothing about this host; None where it does."""
        return self.remember("unpredictable", self._unpredictable)

    def _unpredictable(self) -> str | None:
        if self.inventory.shares_cores:
            return SHARED_CORES
        for nf in self.nfs():
            if nf.nf_type not in self.models:
                return f"no performance model of {nf.nf_type} for host model '{self.inventory.host_model}'"
        return None


Stage = Literal["choosing", "explaining", "checking"]
"""Of those that `PlanProgress` knows, the ones that are told from here; the core tells the others."""

Watch = Callable[[PlanProgress], bool]
"""Told how far planning is, ten times a second or more often; True: nobody wants the plan any more."""


@dataclass
class Draft:
    """A plan in the making."""

    snapshot: FleetSnapshot
    solving: Solving
    policy: Policy
    clock: Clock
    watch: Watch
    began: float = field(init=False)
    hosts: dict[str, HostDraft] = field(init=False)
    has_real: bool = field(init=False)
    """Whether a host is not simulated."""
    specs: dict[str, ChainSpec] = field(init=False)
    nf_types: dict[str, NfType] = field(init=False)
    scarce: frozenset[str] = field(init=False)
    """Built-in NF types that some host has no program for."""
    trust: dict[tuple[str, str, str], Trust] = field(init=False)
    """(NF type, host model, predictor) -> how far it has held."""
    spreads: dict[tuple[str, str], Spread] = field(init=False)
    """(host model, predictor) -> how far off it was."""
    reasons: dict[str, str] = field(default_factory=dict)
    """NF id -> why it stands, moves or stops."""
    rejected: list[Rejection] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    stuck: set[str] = field(default_factory=set)
    """Hosts with NFs that cannot stay and find no seat: nothing is optimised there."""
    found: "FleetFound | None" = None
    """What the core found; None where it was not asked."""

    def __post_init__(self) -> None:
        self.began = self.clock()
        models: dict[str, dict[str, PerformanceModel]] = {}
        for model in sorted(self.snapshot.models, key=lambda model: (model.provenance != "assumed", model.version)):
            models.setdefault(model.host_model, {})[model.nf_type] = model
        ordered = sorted(self.snapshot.hosts, key=lambda host: host.inventory.host_id)
        self.hosts = {
            host.inventory.host_id: HostDraft(host, models.get(host.inventory.host_model, {})) for host in ordered
        }
        self.has_real = any(not host.inventory.simulated for host in ordered)
        self.specs = {chain.name: chain for chain in sorted(self.snapshot.chains, key=lambda chain: chain.name)}
        self.trust = {(one.nf_type, one.host_model, one.predictor): one for one in self.snapshot.trust}
        self.spreads = {(one.host_model, one.predictor): one for one in self.snapshot.spreads}
        self.nf_types = {nf_type.name: nf_type for nf_type in sorted(self.snapshot.nf_types, key=lambda t: t.version)}
        runs = {nf_type.runs for nf_type in self.nf_types.values()}
        self.scarce = frozenset(one for one in runs if any(host.inventory.cannot_run(one) for host in ordered))

    def runs_of(self, spec: ChainSpec) -> frozenset[str]:
        """Built-in NF types whose programs run for a chain; without those of unknown types."""
        return frozenset(self.nf_types[nf.type].runs for nf in spec.nfs if nf.type in self.nf_types)

    def is_open(self, host: HostDraft, spec: ChainSpec) -> bool:
        """Whether the chain may go to the host by what it names. A simulated host moves nobody's packets: beside real
        ones it takes only chains that name it."""
        ends = {spec.ingress.host, spec.egress.host} - {None}
        if ends:
            return ends == {host.name}
        return not host.inventory.simulated or not self.has_real

    def tell(self, stage: Stage, done: int = 0, total: int = 0) -> None:
        """Say how far it is; raises Cancelled where nobody wants the plan any more."""
        self.pass_on(PlanProgress(stage=stage, done=done, total=total, seconds=self.elapsed()))

    def pass_on(self, progress: PlanProgress) -> None:
        """The same, as the core says it."""
        if self.watch(progress):
            raise Cancelled(f"cancelled while {progress.stage}")

    def elapsed(self) -> float:
        """Seconds since planning began."""
        return self.clock() - self.began

    def seconds_left(self) -> float:
        """What the time limit leaves for the search."""
        return max(0.0, self.solving.time_limit_s - self.elapsed())

    def warn(self, text: str) -> None:
        """Add a warning, once."""
        if text not in self.warnings:
            self.warnings.append(text)

    def hosts_of(self, chain: str) -> list[HostDraft]:
        """Hosts whose draft holds a chain."""
        return [host for host in self.hosts.values() if chain in host.chains]

    def value_of(self, chain: str) -> float:
        """A chain's value; 1 where its specification is gone."""
        return self.specs[chain].value if chain in self.specs else 1.0
