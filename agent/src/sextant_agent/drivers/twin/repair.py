"""Each kind of difference as a change of what was given to a simulated host: pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import groupby
from typing import assert_never

from sextant_domain.chains.nf import changeable_of
from sextant_domain.hosts.desired import ChainResources, DesiredChain, DesiredNf

from sextant_agent.contract.driver import CpuGiven, ResourcesGiven
from sextant_agent.contract.errors import DriverError
from sextant_agent.contract.ordered_resources import request_of
from sextant_agent.control.cpu_requests import in_words
from sextant_agent.control.differences import Difference, Kind
from sextant_agent.drivers.twin.orders import ChainLife, NfRequest
from sextant_agent.drivers.twin.ways import Held

AllGiven = Mapping[str, ChainLife]
"""By chain."""


def repaired(
    gap: Difference, given: AllGiven, wanted: Mapping[str, DesiredChain], instance: int
) -> tuple[AllGiven, str]:
    """What is given once the difference is repaired, and what was done, for a person. `instance`: of a chain that is
    added. A restart changes nothing that was given."""
    name = gap.chain
    if gap.kind is Kind.REMOVE:
        return {key: each for key, each in given.items() if key != name}, f"removed {name}"
    chain = wanted[name]
    if gap.kind in {Kind.ADD, Kind.REPLACE}:
        done = f"added {name}, {len(chain.nfs)} NFs" if gap.kind is Kind.ADD else f"replaced {name}"
        return {**given, name: ChainLife(chain, instance)}, done
    old = given[name]
    changed, done = _changed(gap, old.chain, chain)
    return {**given, name: replace(old, chain=changed, pauses=old.pauses + (gap.kind is Kind.PAUSE))}, done


def _changed(gap: Difference, old: DesiredChain, new: DesiredChain) -> tuple[DesiredChain, str]:
    name = old.chain
    match gap.kind:
        case Kind.SOURCE:
            done = f"changed the traffic of {name} to {new.traffic.rate_mpps} Mpps"
            return old.model_copy(update={"traffic": new.traffic, "ingress": new.ingress}), done
        case Kind.PAUSE | Kind.RESUME:
            done = f"{'paused' if new.paused else 'resumed'} {name}"
            return old.model_copy(update={"paused": new.paused}), done
        case Kind.EXECUTION:
            done = f"changed the execution of {name} to {new.execution}"
            return old.model_copy(update={"execution": new.execution}), done
        case Kind.RESOURCES:
            return _with_resources(gap.key, old, new), _given(gap)
        case Kind.MOVE | Kind.CONFIGURE | Kind.CPU:
            nf = next(nf for nf in new.nfs if nf.nf_id == gap.key)
            changes, done = _nf_changes(gap, nf)
            nfs = tuple(each.model_copy(update=changes) if each.nf_id == gap.key else each for each in old.nfs)
            return old.model_copy(update={"nfs": nfs}), done
        case Kind.RESTART:
            return old, f"restarted {gap.key}"
        case Kind.START | Kind.REMOVE | Kind.ADD | Kind.REPLACE:
            raise ValueError(f"{gap.kind} is no change of a chain that is there")
        case _:
            assert_never(gap.kind)


def _nf_changes(gap: Difference, nf: DesiredNf) -> tuple[dict[str, object], str]:
    match gap.kind:
        case Kind.MOVE:
            return {"core": nf.core, "slot": nf.slot}, f"moved {nf.nf_id} to core {nf.core}"
        case Kind.CONFIGURE:
            names = ", ".join(changeable_of(nf.nf_type, nf.config))
            return {"config": nf.config}, f"changed {names} of {nf.nf_id} while it runs"
        case _:
            done = f"gave {nf.nf_id} {in_words(nf, nf.cpu_quota_percent)}"
            return {"cpu_share": nf.cpu_share, "cpu_quota_percent": nf.cpu_quota_percent}, done


def _with_resources(nf_id: str, old: DesiredChain, new: DesiredChain) -> DesiredChain:
    """Of all NFs at once where what they have together differs: they are in one group. `old` itself where nothing
    does."""
    before = {nf.nf_id: _memory_of(nf) for nf in old.nfs}
    own = {nf.nf_id: each for nf in new.nfs if (each := _memory_of(nf)) != before[nf.nf_id]}
    changes: dict[str, object] = {}
    if old.resources != new.resources:
        changes["resources"] = new.resources
    else:
        own = {name: each for name, each in own.items() if name == nf_id}
    if own:
        changes["nfs"] = tuple(each.model_copy(update=own.get(each.nf_id, {})) for each in old.nfs)
    return old.model_copy(update=changes) if changes else old


def _memory_of(nf: DesiredNf) -> dict[str, object]:
    return {"llc_ways": nf.llc_ways, "memory_bandwidth_percent": nf.memory_bandwidth_percent}


def _given(gap: Difference) -> str:
    return gap.text.replace("giving", "gave", 1)


def without_ways(given: AllGiven, gap: Difference) -> AllGiven:
    """Once an NF has moved: as resctrl has it, on another cache it has no ways of its own, nor has its chain, until
    they are given there. The next difference does so."""
    life = given[gap.chain]
    chain = life.chain
    nfs = tuple(nf.model_copy(update={"llc_ways": None}) if nf.nf_id == gap.key else nf for nf in chain.nfs)
    bare = chain.model_copy(update={"nfs": nfs, "resources": None})
    return {**given, gap.chain: replace(life, chain=bare)}


def with_cpu(given: AllGiven, cpu: Mapping[str, CpuGiven]) -> AllGiven:
    """With other CPU shares and quotas of these NFs; those that are not there are passed over."""
    return {name: replace(life, chain=_chain_with_cpu(life.chain, cpu)) for name, life in given.items()}


def _chain_with_cpu(chain: DesiredChain, cpu: Mapping[str, CpuGiven]) -> DesiredChain:
    if not any(nf.nf_id in cpu for nf in chain.nfs):
        return chain
    changes = {nf_id: {"cpu_share": one.weight, "cpu_quota_percent": one.quota_percent} for nf_id, one in cpu.items()}
    nfs = tuple(nf.model_copy(update=changes.get(nf.nf_id, {})) for nf in chain.nfs)
    return chain.model_copy(update={"nfs": nfs})


def requests_with(given: AllGiven, resources: Iterable[ResourcesGiven]) -> dict[str, tuple[NfRequest, ...]]:
    """By chain, of all of its NFs, with other ways and bandwidth of these chains. Raises DriverError where one does not
    stand as ordered yet."""
    requests = {name: life.requests for name, life in given.items()}
    for one in resources:
        name, life = one.chain.chain, given.get(one.chain.chain)
        if life is None or [nf.core for nf in life.chain.nfs] != [nf.core for nf in one.chain.nfs]:
            raise DriverError(f"{name} does not stand where it is ordered to yet")
        requests[name] = life.requests_with(one.shall)
    return requests


def changed_requests(
    requests: Mapping[str, tuple[NfRequest, ...]], chains: Set[str], before: Held, after: Held
) -> list[NfRequest]:
    """Of `chains`, and of whoever has another mask because of them."""
    shifted = {key[0] for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
    return [
        request
        for name, of_chain in requests.items()
        for request in of_chain
        if name in chains or request.owner in shifted
    ]


def with_resources(given: AllGiven, resources: Iterable[ResourcesGiven]) -> AllGiven:
    """What is given once they have that."""
    changed = dict(given)
    for one in resources:
        life = given[one.chain.chain]
        shall = ChainResources(llc_ways=one.shall.llc_ways, memory_bandwidth_percent=one.shall.memory_bandwidth_percent)
        chain = life.chain.model_copy(update={"resources": shall})
        changed[one.chain.chain] = ChainLife(chain, life.instance, life.pauses)
    return changed


def in_turn(gaps: Sequence[Difference], given: AllGiven, wanted: Mapping[str, DesiredChain]) -> list[Difference]:
    """In their order, but whoever gives ways back comes before all who may want them, and who wants more comes after
    whatever moves; what resumes stays last."""
    return sorted(gaps, key=lambda gap: _turn(gap, given, wanted))


def turns_of(gaps: Sequence[Difference]) -> Iterator[list[Difference]]:
    """In their order: neighbours that change ways and bandwidth together, all others each alone."""
    for resources, neighbours in groupby(gaps, key=lambda gap: gap.kind is Kind.RESOURCES):
        if resources:
            yield list(neighbours)
        else:
            yield from ([gap] for gap in neighbours)


def _turn(gap: Difference, given: AllGiven, wanted: Mapping[str, DesiredChain]) -> int:
    if gap.kind is Kind.REMOVE:
        return 0
    if gap.kind is Kind.RESOURCES and gap.chain in given:
        return 1 if _ways(wanted[gap.chain], gap.key) < _ways(given[gap.chain].chain, gap.key) else 3
    return 4 if gap.kind is Kind.RESUME else 2


def _ways(chain: DesiredChain, nf_id: str) -> int:
    nf = next((nf for nf in chain.nfs if nf.nf_id == nf_id), None)
    return 0 if nf is None else request_of(chain, nf).llc_ways or 0
