"""A bound under any judge by which no chain carries more beside others than alone: the sum of what each could at best.

That holds wherever competitors take throughput and never give any, as pressure curves and Octans' equations have it. By
a Gaussian process they may give some: there what chains are offered is all that bounds them.
"""

from collections.abc import Iterable, Iterator

from sextant_engine.local_search import Judge
from sextant_engine.problem import Chain, PlacementProblem

MOST_WAYS = 2_000
"""Placements of all chains alone that are judged."""


def solo_bound(problem: PlacementProblem, chains: Iterable[str], judge: Judge) -> float | None:
    """No placement of these chains has a higher score; None where there are too many to look at, or one cannot be
    judged. Chains alike are judged once."""
    wanted = set(chains)
    known: dict[Chain, float] = {}
    total, left = 0.0, MOST_WAYS
    for chain in problem.chains:
        if chain.id not in wanted:
            continue
        alike = chain.model_copy(update={"id": ""})
        if alike not in known:
            found = []
            for nodes in _ways(problem, chain):
                left -= 1
                worth = judge({chain.id: nodes}) if left >= 0 else None
                if worth is None:
                    return None
                found.append(worth)
            if not found:
                return None
            known[alike] = max(found)
        total += known[alike]
    return total


def offered_bound(problem: PlacementProblem, chains: Iterable[str]) -> float | None:
    """No judge values these chains more: none carries more than it is offered. None where that is not said of one."""
    wanted = set(chains)
    offered = [(chain.value, chain.rate_mpps) for chain in problem.chains if chain.id in wanted]
    if any(rate is None for _, rate in offered):
        return None
    return sum(value * (rate or 0.0) for value, rate in offered)


def _ways(problem: PlacementProblem, chain: Chain) -> Iterator[tuple[str, ...]]:
    """Nodes of a chain that is alone, within the cores that are free. Without pins all nodes but the one that its
    packets arrive on are alike to it, so that of ways that differ by their names only the first counts."""
    room = {node.id: node.cores - node.taken for node in problem.nodes}
    local = chain.ingress or next((node.id for node in problem.nodes if node.local), "")
    pins = chain.nf_pins or (None,) * len(chain.nfs)
    pinned = chain.pin is not None or any(pins)
    anywhere = chain.pin or tuple(room)
    equal = len({room[node] for node in room if node != local}) <= 1
    others = [node for node in room if node != local]

    def further(nodes: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        if len(nodes) == len(pins):
            yield nodes
            return
        pin = pins[len(nodes)]
        first = next((node for node in others if node not in nodes), None)
        for node in anywhere if pin is None else (pin,):
            another = node in others and node not in nodes and node != first
            if nodes.count(node) < room[node] and (pinned or not equal or not another):
                yield from further((*nodes, node))

    yield from further(())
