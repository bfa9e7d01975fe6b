"""Parts of chains over several hosts: all of them are placed, removed and left, or none."""

from collections.abc import Collection, Sequence

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.chains.part import Part
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
    return found


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


def fellows(draft: PlanDraft, names: Collection[str]) -> set[str]:
    """Chains that run as parts of the same chains as these, themselves among them."""
    ordered = [chain for host in draft.hosts.values() for chain in host.chains.values() if chain.path is not None]
    tags = {chain.path.tag for chain in ordered if chain.path is not None and chain.chain in names}
    return {chain.chain for chain in ordered if chain.path is not None and chain.path.tag in tags}


def stays(part: Part, host: str) -> tuple[str, str]:
    """Why a part cannot leave its host, and what helps."""
    return f"it is {part.text}, whose path is pinned to {host}", f"delete {part.of} and submit it with another path"
