"""A plan laid over the snapshot it claims to be made for: the fleet before and after, read without trust."""

from collections import Counter
from collections.abc import Iterator
from functools import cached_property

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.chains.nf import NfType
from sextant_domain.hosts.desired import DesiredChain, DesiredNf, HostContent
from sextant_domain.hosts.host import Core, HostInventory
from sextant_domain.plans.intents import Intent, RelocateIntent, RestoreIntent
from sextant_domain.plans.plan import PlanBody
from sextant_domain.plans.snapshot import FleetSnapshot, HostSnapshot

Place = tuple[str, int, int]
"""(host, core, slot)."""


class View:
    """Both states of the fleet. Later duplicates of a host in the plan are seen by the generation rule."""

    def __init__(self, body: PlanBody, snapshot: FleetSnapshot) -> None:
        self.body = body
        self.snapshot = snapshot
        self.hosts: dict[str, HostSnapshot] = {host.inventory.host_id: host for host in snapshot.hosts}
        self.goals = _goals(body.intent, snapshot)
        """Chain -> the host that it is moved to by hand, or back to."""
        self.specs: dict[str, ChainSpec] = {chain.name: _as_asked(chain, self.goals) for chain in snapshot.chains}
        self.nf_types: dict[str, NfType] = {nf_type.name: nf_type for nf_type in snapshot.nf_types}
        self.before: dict[str, HostContent] = {name: host.content for name, host in self.hosts.items()}
        self.after: dict[str, HostContent] = dict(self.before)
        for target in body.target:
            if target.content.host_id in self.after:
                self.after[target.content.host_id] = target.content
        self.rejected = {rejection.chain for rejection in body.rejected}
        # Of hosts that rules ask for only: a plan touches few of a fleet's.
        self._cores: dict[str, dict[int, Core]] = {}
        self._threads: dict[str, dict[int, set[int]]] = {}

    @cached_property
    def chains_before(self) -> dict[str, list[tuple[str, DesiredChain]]]:
        """Chain -> (host, content) of every copy, before."""
        return _by_chain(self.before)

    @cached_property
    def chains_after(self) -> dict[str, list[tuple[str, DesiredChain]]]:
        """Chain -> (host, content) of every copy, after."""
        return _by_chain(self.after)

    @cached_property
    def nfs_before(self) -> list[tuple[str, DesiredNf]]:
        """(host, NF) of every NF, before."""
        return list(_nfs_of(self.before))

    @cached_property
    def nfs_after(self) -> list[tuple[str, DesiredNf]]:
        """(host, NF) of every NF, after."""
        return list(_nfs_of(self.after))

    @cached_property
    def places_before(self) -> dict[str, Place]:
        """NF id -> where it stood."""
        return {nf.nf_id: (host, nf.core, nf.slot) for host, nf in self.nfs_before}

    @cached_property
    def places_after(self) -> dict[str, Place]:
        """NF id -> where it is to stand."""
        return {nf.nf_id: (host, nf.core, nf.slot) for host, nf in self.nfs_after}

    @cached_property
    def ties(self) -> dict[str, str]:
        """NF id -> the tie that its chain's specification names for it; of NFs without one nothing."""
        return {
            f"{spec.name}.{nf.name}": nf.tied for spec in self.specs.values() for nf in spec.nfs if nf.tied is not None
        }

    def tied(self, one: str, other: str) -> bool:
        """Whether two NFs are one element."""
        return one in self.ties and self.ties[one] == self.ties.get(other)

    @cached_property
    def newly_seated(self) -> list[tuple[str, DesiredNf]]:
        """NFs that the plan puts on a seat: new ones and moved ones."""
        return [
            (target.content.host_id, nf)
            for target in self.body.target
            for chain in target.content.chains
            for nf in chain.nfs
            if self.places_before.get(nf.nf_id) != (target.content.host_id, nf.core, nf.slot)
        ]

    @cached_property
    def forced(self) -> frozenset[str]:
        """NFs that could not stay: their core is gone, reserved, or held more than it has slots; their slot is none of
        it, or another stood there, too."""
        places = self.places_before
        on_core = Counter((host, core) for host, core, _ in places.values())
        on_seat = Counter(places.values())
        found: set[str] = set()
        for nf_id, (host, at, slot) in places.items():
            core = self.core(host, at)
            most = 0 if core is None or core.reserved_for is not None else core.slots
            if most < on_core[host, at] or most <= slot or on_seat[host, at, slot] > 1:
                found.add(nf_id)
        return frozenset(found)

    @cached_property
    def forced_hosts(self) -> set[str]:
        """Hosts where nothing but NFs that could not stay got a seat: any plan gives them another, also where a law
        that chooses cores leaves all as it is."""
        others = {host for host, nf in self.newly_seated if nf.nf_id not in self.forced}
        return {host for host, _ in self.newly_seated} - others

    @cached_property
    def new_chains(self) -> list[tuple[str, DesiredChain]]:
        """Chains on a host that did not have them."""
        return [
            (target.content.host_id, chain)
            for target in self.body.target
            for chain in target.content.chains
            if target.content.host_id not in [host for host, _ in self.chains_before.get(chain.chain, [])]
        ]

    def inventory(self, host: str) -> HostInventory | None:
        """A host's inventory; None for a host that the snapshot lacks."""
        return self.hosts[host].inventory if host in self.hosts else None

    def core(self, host: str, core: int) -> Core | None:
        """A core; None if there is none of that number."""
        if host not in self._cores and host in self.hosts:
            self._cores[host] = {one.id: one for one in self.hosts[host].inventory.cores}
        return self._cores.get(host, {}).get(core)

    def threads(self, host: str, core: int) -> set[int]:
        """The core and all that share its physical core; siblings may be listed on either side."""
        if host not in self._threads and host in self.hosts:
            self._threads[host] = _together(self.hosts[host].inventory)
        return self._threads.get(host, {}).get(core, {core})


def _as_asked(spec: ChainSpec, goals: dict[str, str]) -> ChainSpec:
    """A chain that is moved to another host names that one, where it named one before."""
    goal = goals.get(spec.name)
    if goal is None:
        return spec
    ingress = spec.ingress.model_copy(update={"host": spec.ingress.host and goal})
    egress = spec.egress.model_copy(update={"host": spec.egress.host and goal})
    return spec.model_copy(update={"ingress": ingress, "egress": egress})


def _goals(intent: Intent, snapshot: FleetSnapshot) -> dict[str, str]:
    if isinstance(intent, RelocateIntent):
        ran = [host.inventory.host_id for host in snapshot.hosts if _runs(host, intent.chain)]
        return {name: ran[0] for name in intent.exchange if ran} | {intent.chain: intent.host}
    if not isinstance(intent, RestoreIntent):
        return {}
    then = {(chain.chain, one.before.host_id) for one in snapshot.former for chain in one.before.chains}
    now = {(chain.chain, one.after.host_id) for one in snapshot.former for chain in one.after.chains}
    return dict(sorted(then - now))


def _runs(host: HostSnapshot, name: str) -> bool:
    return any(chain.chain == name for chain in host.content.chains)


def _together(inventory: HostInventory) -> dict[int, set[int]]:
    """Core -> the cores of its physical core: a core that lists another is together with it, and with its siblings."""
    group: dict[int, set[int]] = {}
    for core in inventory.cores:
        joined = {core.id, *core.siblings}.union(*(group.get(thread, ()) for thread in (core.id, *core.siblings)))
        group |= dict.fromkeys(joined, joined)
    return group


def _nfs_of(contents: dict[str, HostContent]) -> Iterator[tuple[str, DesiredNf]]:
    """Every NF of every host."""
    for host, content in contents.items():
        for chain in content.chains:
            for nf in chain.nfs:
                yield host, nf


def _by_chain(contents: dict[str, HostContent]) -> dict[str, list[tuple[str, DesiredChain]]]:
    found: dict[str, list[tuple[str, DesiredChain]]] = {}
    for host, content in contents.items():
        for chain in content.chains:
            found.setdefault(chain.chain, []).append((host, chain))
    return found
