"""Parts of chains over several hosts: all of them are placed, removed and left, or none."""

from collections.abc import Collection, Iterator, Sequence

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.chains.part import Part
from sextant_domain.hosts.desired import DesiredChain
from sextant_domain.hosts.way import too_narrow_for
from sextant_domain.plans.intents import AdjustIntent
from sextant_domain.plans.plan import Rejection

from sextant_engine.planning.chain_path import path_of
from sextant_engine.planning.draft import PlanDraft
from sextant_engine.planning.listing import listed
from sextant_engine.planning.rejecting import rejection


def refused_parts(draft: PlanDraft, waiting: Sequence[ChainSpec]) -> list[Rejection]:
    """Of chains that are to be placed, parts that have no path, or not all of whose fellows are placed with them."""
    names = {spec.name for spec in waiting}
    found: list[Rejection] = []
    for spec in waiting:
        if spec.part is None:
            continue
        missing = [name for name in spec.part.names if name not in names]
        if missing:
            reason = f"it is {spec.part.text}, and {listed(missing)} would not be placed with it"
            relax = f"plan them together: sextant plans ask --chain {' --chain '.join(spec.part.names)}"
            found.append(rejection(spec.name, reason, relax=relax))
        elif isinstance(path := path_of(draft, spec), tuple):
            found.append(rejection(spec.name, path[0], relax=path[1]))
        elif _other_traffic(draft, spec):
            reason = f"it is {spec.part.text}, and its traffic is not that of {spec.part.of}"
            relax = f"sextant chains adjust {spec.part.of} gives all parts the same"
            found.append(rejection(spec.name, reason, relax=relax))
    return found


def _other_traffic(draft: PlanDraft, spec: ChainSpec) -> bool:
    first = None if spec.part is None else draft.fleet.specs.get(spec.part.of)
    return first is not None and spec.settings.of_whole(first.settings) != spec.settings


def drop_halves(draft: PlanDraft, waiting: Sequence[ChainSpec]) -> None:
    """Parts whose fellows found no place are not placed either."""
    for spec in waiting:
        if spec.part is None:
            continue
        without = [name for name in spec.part.names if not draft.hosts_of(name)]
        rejected = {one.chain for one in draft.rejected}
        if not without or spec.name in rejected:
            continue
        for host in draft.hosts_of(spec.name):
            draft.drop(host.name, spec.name)
        reason = f"it is {spec.part.text}, and {listed(without)} has no place"
        draft.rejected.append(rejection(spec.name, reason, relax="make room for all parts"))


def wrong_parts(draft: PlanDraft, intent: AdjustIntent) -> Iterator[Rejection]:
    """Where parts would bear traffic that the others do not, or packets that the path has no room for."""
    of_one = fellows(draft, [intent.chain])
    strangers = sorted(set(intent.more) - of_one)
    if strangers:
        reason = f"{listed(strangers, 'chain')} would be changed with it, and is no part of the same chain"
        yield rejection(intent.chain, reason, relax="name the parts of one chain")
    left = [chain.chain for chain in _running(draft, of_one - set(intent.chains)) if _unlike(chain, intent)]
    if left:
        reason = f"it is carried together with {listed(left, 'part')}, whose traffic would stay"
        yield rejection(intent.chain, reason, relax="change the traffic of all parts of the chain together")
    for chain in _running(draft, {intent.chain}):
        traffic = intent.settings.traffic
        if chain.path is not None and traffic.largest_packet_bytes > chain.traffic.largest_packet_bytes:
            wrong = too_narrow_for(traffic, chain.path)
            if wrong is not None:
                yield rejection(intent.chain, wrong.reason, relax=wrong.relax)


def _running(draft: PlanDraft, names: Collection[str]) -> list[DesiredChain]:
    return [host.chains[name] for name in sorted(names) for host in draft.hosts_of(name)]


def _unlike(chain: DesiredChain, intent: AdjustIntent) -> bool:
    return chain.settings.of_whole(intent.settings) != chain.settings


def fellows(draft: PlanDraft, names: Collection[str]) -> set[str]:
    """Chains that run as parts of the same chains as these, themselves among them."""
    ordered = [chain for host in draft.hosts.values() for chain in host.chains.values() if chain.path is not None]
    tags = {chain.path.tag for chain in ordered if chain.path is not None and chain.chain in names}
    return {chain.chain for chain in ordered if chain.path is not None and chain.path.tag in tags}


def stays(part: Part, host: str) -> tuple[str, str]:
    """Why a part cannot leave its host, and what helps."""
    return f"it is {part.text}, whose path is pinned to {host}", f"delete {part.of} and submit it with another path"
