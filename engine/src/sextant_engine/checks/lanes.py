"""Rules about a chain that is carried in more or fewer lanes: every flow has one lane, and no rate is lost.

Of a chain over several hosts the first lane is its parts. It counts once, as the part that packets enter with: that the
others bear the same is a rule of parts.
"""

import math

from sextant_domain.hosts.desired import DesiredChain
from sextant_domain.plans.intents import LaneIntent

from sextant_engine.checks.view import View


def as_asked(view: View) -> list[str]:
    """The lanes are numbered from 1, each once, all of the weights that were asked for; they carry together what they
    carried, each by its weight; new ones have the first one's NFs, on the hosts and cores that were named."""
    intent = view.body.intent
    if not isinstance(intent, LaneIntent) or not view.body.target:
        return []
    before, after = _lanes(view.chains_before, intent.chain), _lanes(view.chains_after, intent.chain)
    wrong = [f"{chain} has no lane {number}" for chain, number in ((intent.chain, 1),) if number not in before]
    if sorted(after) != list(range(1, len(intent.weights) + 1)):
        wrong.append(f"{intent.chain} has lanes {sorted(after)}, asked for are {len(intent.weights)}")
    rate = sum(chain.traffic.rate_mpps for _, chain in (one for found in before.values() for one in found))
    for number, found in sorted(after.items()):
        wrong += _wrong_lane(intent, number, found, rate)
        if number not in before and 1 in before:
            wrong += [
                f"{chain.chain}: its NFs are not those of {intent.chain}"
                for _, chain in found
                if not _is_like(view, chain, before[1][0][1])
            ]
    return wrong + _misplaced(view, intent, {host for found in before.values() for host, _ in found})


def _misplaced(view: View, intent: LaneIntent, homes: set[str]) -> list[str]:
    """`homes`: hosts on which the chain runs in some lane already."""
    wrong: list[str] = []
    for lane, host in sorted(intent.hosts.items()):
        if [at for at, _ in view.chains_after.get(lane, [])] != [host] or lane in view.chains_before:
            wrong.append(f"{lane} does not start on {host}")
    for nf_id, core in sorted(intent.seats.items()):
        place, named = view.places_after.get(nf_id), intent.hosts.get(nf_id.split(".")[0])
        if place is None or place[1] != core:
            wrong.append(f"{nf_id} does not stand on core {core}")
        elif place[0] not in ({named} if named is not None else homes):
            wrong.append(f"{nf_id} stands on {place[0]}, where {intent.chain} does not run")
    return wrong


def _wrong_lane(intent: LaneIntent, number: int, found: list[tuple[str, DesiredChain]], rate: float) -> list[str]:
    if len(found) > 1:
        return [f"lane {number} of {intent.chain} is there twice: {', '.join(chain.chain for _, chain in found)}"]
    [(_, chain)] = found
    lane = chain.traffic.lane
    weights = (1,) if lane is None else lane.weights
    if weights != intent.weights:
        return [f"{chain.chain} has the weights {weights}, asked for are {intent.weights}"]
    part = rate * intent.weights[number - 1] / sum(intent.weights) if number <= len(intent.weights) else 0.0
    if not math.isclose(chain.traffic.rate_mpps, part, rel_tol=1e-9, abs_tol=1e-12):
        return [f"{chain.chain} is offered {chain.traffic.rate_mpps:g} Mpps, its part is {part:g}"]
    return []


def _lanes(chains: dict[str, list[tuple[str, DesiredChain]]], of: str) -> dict[int, list[tuple[str, DesiredChain]]]:
    """By number, every copy with its host."""
    found: dict[int, list[tuple[str, DesiredChain]]] = {}
    for copies in chains.values():
        for host, chain in copies:
            lane = chain.traffic.lane
            if chain.path is not None and not chain.path.enters:
                continue
            if (chain.chain if lane is None else lane.of) == of:
                found.setdefault(1 if lane is None else lane.number, []).append((host, chain))
    return found


def _is_like(view: View, chain: DesiredChain, first: DesiredChain) -> bool:
    """Whether it has the NFs of the first lane in their order. Those of several parts may have had one name."""
    if first.path is None:
        return _types(chain) == _types(first)
    passed = [segment.nf_id for segment in first.path.segments[:-1]]
    types = {nf.nf_id: nf.nf_type for _, nf in view.nfs_after if nf.nf_id in passed}
    return [nf.nf_type for nf in chain.nfs] == [types.get(nf_id or "") for nf_id in passed]


def _types(chain: DesiredChain) -> list[tuple[str, str]]:
    return [(nf.nf_id.split(".", 1)[1], nf.nf_type) for nf in chain.nfs]
