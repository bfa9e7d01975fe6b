"""What stands between an order and what was found: pure, and the same for every driver."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from sextant_domain.chains.kernel_nf import IN_KERNEL
from sextant_domain.chains.lane import LANE_INFIX
from sextant_domain.hosts.desired import DesiredChain, DesiredNf, HostContent, NfState

from sextant_agent.contract.errors import DataPlaneDown
from sextant_agent.contract.fingerprint import fingerprint
from sextant_agent.contract.sample import ChainCounters, HostSample
from sextant_agent.control.cpu_requests import has_requests, in_words, matches_request, quota_of
from sextant_agent.control.resource_requests import in_words as resources_in_words
from sextant_agent.control.resource_requests import matches_request as has_resources
from sextant_agent.control.resource_requests import resources_of

DATA_PLANE = "@data-plane"
"""Key of the data plane itself; no chain or NF can be named so."""


class Kind(StrEnum):
    """What has to be done about a difference."""

    START = "start"
    """The data plane itself."""
    REMOVE = "remove"
    ADD = "add"
    REPLACE = "replace"
    SOURCE = "source"
    PAUSE = "pause"
    RESTART = "restart"
    """An NF, and with it those that shared its process."""
    EXECUTION = "execution"
    """Its NFs are grouped again into processes; they keep their state."""
    CONFIGURE = "configure"
    """An NF that takes up a changed configuration while it runs."""
    MOVE = "move"
    RESUME = "resume"
    RESOURCES = "resources"
    """Ways of the last-level cache (LLC) and memory bandwidth."""
    CPU = "cpu"


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that is not as ordered."""

    kind: Kind
    key: str
    """Chain name, NF id, or DATA_PLANE."""
    chain: str
    text: str
    """'moving web-edge.router from core 0 to 1'."""

    @property
    def keys(self) -> frozenset[str]:
        """Keys whose back-off holds this up: an NF waits with its chain."""
        return frozenset((self.key, self.chain))


def differences(content: HostContent, found: HostSample | DataPlaneDown) -> tuple[Difference, ...]:
    """In the order in which they are best repaired: what goes makes room for what comes."""
    if isinstance(found, DataPlaneDown):
        return (Difference(Kind.START, DATA_PLANE, DATA_PLANE, "starting the data plane"),)
    wanted = {chain.chain: chain for chain in content.chains}
    strange = [
        Difference(Kind.REMOVE, name, name, f"removing {name}") for name in sorted(found.chains.keys() - wanted.keys())
    ]
    gaps = [gap for chain in content.chains for gap in chain_differences(chain, found)]
    return (*_in_turn_of_lanes(content, strange, gaps), *cpu_differences(content, found))


def _in_turn_of_lanes(content: HostContent, strange: list[Difference], gaps: list[Difference]) -> Iterator[Difference]:
    """So that each flow has a lane all the time: the others' part changes once a new lane runs, also where that does
    not start at all, and a lane that is too many leaves once the others send its flows. What has to wait is found again
    when what it waits for is done."""
    of = {chain.chain: chain.chain if (lane := chain.traffic.lane) is None else lane.of for chain in content.chains}
    starting = {of[gap.chain] for gap in gaps if gap.kind is Kind.ADD}
    now = [gap for gap in gaps if gap.kind is not Kind.SOURCE or of[gap.chain] not in starting]
    divided = tuple(of[gap.chain] + LANE_INFIX for gap in now if gap.kind is Kind.SOURCE)
    yield from (gap for gap in strange if not gap.chain.startswith(divided))
    yield from now


def chain_differences(chain: DesiredChain, found: HostSample) -> list[Difference]:
    """Of one ordered chain."""
    name = chain.chain
    there = found.chains.get(name)
    if there is None:
        return [Difference(Kind.ADD, name, name, f"adding {name}")]
    ordered, running = fingerprint(chain), there.fingerprint
    if running is None or running.structure != ordered.structure:
        return [Difference(Kind.REPLACE, name, name, f"replacing {name}: its NFs or their configuration differ")]
    if any(nf.nf_id not in found.nfs for nf in chain.nfs):
        return [Difference(Kind.REPLACE, name, name, f"replacing {name}: some of its NFs are not there")]
    return [
        *_traffic(chain, there, same=running.source == ordered.source),
        *_restarts(chain, found),
        *_configurations(chain, ordered.configs, running.configs, found),
        *_places(chain, there, found),
        *_resources(chain, found),
        *_resumption(chain, there),
    ]


def _traffic(chain: DesiredChain, there: ChainCounters, *, same: bool) -> Iterator[Difference]:
    name = chain.chain
    if not same:
        yield Difference(Kind.SOURCE, name, name, f"changing the traffic of {name}")
    if chain.paused and not there.paused:
        yield Difference(Kind.PAUSE, name, name, f"pausing {name}")


def _restarts(chain: DesiredChain, found: HostSample) -> Iterator[Difference]:
    """Before all moves: beside a crashed NF no other can be moved. One of each process, for they return together."""
    seen: set[int | None] = set()
    for nf in chain.nfs:
        there = found.nfs[nf.nf_id]
        if there.state is NfState.RUNNING or (there.group is not None and there.group in seen):
            continue
        seen.add(there.group)
        yield Difference(Kind.RESTART, nf.nf_id, chain.chain, f"restarting {nf.nf_id}")


def _configurations(
    chain: DesiredChain, ordered: Mapping[str, str], running: Mapping[str, str], found: HostSample
) -> Iterator[Difference]:
    """An NF that has crashed takes up nothing: it is restarted first, and the next sample finds the rest."""
    for nf_id, config in ordered.items():
        if running.get(nf_id) != config and found.nfs[nf_id].state is NfState.RUNNING:
            yield Difference(Kind.CONFIGURE, nf_id, chain.chain, f"changing the configuration of {nf_id}")


def _places(chain: DesiredChain, there: ChainCounters, found: HostSample) -> Iterator[Difference]:
    name = chain.chain
    if chain.execution != there.execution:
        text = f"changing the execution of {name} from {there.execution} to {chain.execution}"
        yield Difference(Kind.EXECUTION, name, name, text)
    for nf in chain.nfs:
        seen = found.nfs[nf.nf_id]
        if seen.state is NfState.RUNNING and seen.core != nf.core:
            yield Difference(Kind.MOVE, nf.nf_id, name, f"moving {nf.nf_id} from core {seen.core} to {nf.core}")


def _resources(chain: DesiredChain, found: HostSample) -> Iterator[Difference]:
    """None where they cannot be set: an order that asks for them was refused, or `resource_requests.unmet` says so."""
    for nf in chain.nfs:
        seen = found.nfs.get(nf.nf_id)
        if seen is None or seen.state is not NfState.RUNNING or seen.resources is None:
            continue
        if not has_resources(chain, nf, seen.resources):
            text = f"giving {nf.nf_id} {resources_in_words(chain, resources_of(chain, nf, seen.resources))}"
            yield Difference(Kind.RESOURCES, nf.nf_id, chain.chain, text)


def _resumption(chain: DesiredChain, there: ChainCounters) -> Iterator[Difference]:
    """Last: packets come when all stands as ordered."""
    if there.paused and not chain.paused:
        yield Difference(Kind.RESUME, chain.chain, chain.chain, f"resuming {chain.chain}")


def resource_differences(content: HostContent, found: HostSample) -> list[Difference]:
    """Of LLC ways and memory bandwidth alone, for drivers whose NFs get them from the root helper."""
    return [gap for chain in content.chains for gap in _resources(chain, found)]


def cpu_differences(content: HostContent, found: HostSample, *, budget: float | None = None) -> list[Difference]:
    """Of CPU shares and quotas; a change of them restarts nothing.

    None where they cannot be set: nothing here could fix that, and `cpu_requests.unmet` says so; nor of NFs in the
    kernel, which are no processes. Where one NF has
    a request, all get a group, since weights compare within one level of groups; so do they where they have a `budget`
    together, which is the group's above; else none is needed.
    """
    if found.no_cpu_control is not None:
        return []
    needed = budget is not None or has_requests(content)
    return [
        Difference(
            Kind.CPU, nf.nf_id, chain.chain, f"giving {nf.nf_id} {in_words(nf, quota_of(nf, chain, seen.cpu, budget))}"
        )
        for chain in content.chains
        for nf in leaders_of(chain, found)
        if (seen := found.nfs[nf.nf_id]).state is NfState.RUNNING
        and seen.nf_type not in IN_KERNEL
        and (needed or seen.cpu is not None)
        and not matches_request(nf, seen.cpu, chain)
    ]


def leaders_of(chain: DesiredChain, found: HostSample) -> Iterator[DesiredNf]:
    """One NF of each process: a process is in one CPU group, so those that share it have one together."""
    groups: set[int] = set()
    for nf in chain.nfs:
        seen = found.nfs.get(nf.nf_id)
        if seen is None or seen.group in groups:
            continue
        if seen.group is not None:
            groups.add(seen.group)
        yield nf
