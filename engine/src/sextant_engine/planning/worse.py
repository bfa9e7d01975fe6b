"""What a plan makes worse for chains that run: throughput by prediction, latency by what lengthens it.

Nobody predicts latency. That an NF shares its core with more NFs, or that packets cross between nodes more often, is
seen all the same, and has cost more than any predicted throughput.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise

from sextant_domain.hosts.desired import DesiredChain
from sextant_domain.plans.plan import ChainPrediction, SloVerdict, Worse

from sextant_engine.fleet_view import FleetView
from sextant_engine.host_state import HostState
from sextant_engine.planning.ports import ingress_node
from sextant_engine.planning.standing import predicted_as_placed

LEAST = 0.005
"""Of a chain's throughput: less is beyond what any model can predict."""


def worse_of(fleet: FleetView, touched: list[HostState], after: tuple[ChainPrediction, ...]) -> tuple[Worse, ...]:
    """By chain, what breaks an objective first."""
    crowded = [host for host in touched if host.before]
    if not crowded:
        return ()
    now = {one.chain: one for one in predicted_as_placed(fleet, [host.name for host in crowded])}
    found = [
        *(one for then in after if then.chain in now for one in _slower(now[then.chain], then)),
        *(one for host in crowded for one in _longer(host)),
    ]
    return tuple(sorted(found, key=lambda one: (not one.breaks_slo, one.what == "latency", one.chain)))


def _slower(now: ChainPrediction, then: ChainPrediction) -> Iterator[Worse]:
    before, after = now.throughput_mpps, then.throughput_mpps
    breaks = then.throughput_slo is SloVerdict.MISSED and now.throughput_slo is SloVerdict.MET
    if before is not None and after is not None and (after < before * (1 - LEAST) or breaks):
        detail = f"{before:.2f} -> {after:.2f} Mpps" + (", its objective would be missed" if breaks else "")
        yield Worse(
            chain=then.chain, what="throughput", before_mpps=before, after_mpps=after, breaks_slo=breaks, detail=detail
        )


def _longer(host: HostState) -> Iterator[Worse]:
    before, after = _on_cores(host.before), _on_cores(host.chains)
    for name in sorted(host.before.keys() & host.chains.keys()):
        then, now = host.chains[name], host.before[name]
        beside = _beside(then, after) - _beside(now, before)
        across = _crossings(host, then) - _crossings(host, now)
        causes = []
        if beside > 0:
            causes.append(f"its NFs would share cores with {beside} more NF{'s' if beside > 1 else ''}")
        if across > 0:
            causes.append(f"its packets would cross between nodes {across} time{'s' if across > 1 else ''} more")
        if causes:
            detail = f"{' and '.join(causes)}: latency will rise, by how much is not predicted"
            yield Worse(chain=name, what="latency", detail=detail)


def _on_cores(chains: Mapping[str, DesiredChain]) -> Counter[int]:
    return Counter(nf.core for chain in chains.values() for nf in chain.nfs)


def _beside(chain: DesiredChain, on_cores: Counter[int]) -> int:
    return sum(on_cores[nf.core] - 1 for nf in chain.nfs)


def _crossings(host: HostState, chain: DesiredChain) -> int:
    nodes = [ingress_node(chain, host.inventory), *(host.node_of(nf.core) for nf in chain.nfs)]
    return sum(here != there for here, there in pairwise(nodes))
