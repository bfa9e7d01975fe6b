"""What moves within hosts are expected to cost: packets that arrive while a chain's NF changes its core."""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import ceil

from sextant_domain.hosts.desired import DesiredChain
from sextant_domain.plans.intents import LossBudget
from sextant_domain.plans.loss import PAUSE_MS, ChainLoss, LossPreview
from sextant_domain.plans.plan import Rejection

from sextant_engine.host_state import HostState
from sextant_engine.planning.listing import listed
from sextant_engine.planning.rejecting import rejection

MEASURED = f"99 of 100 moves of an NF on the testbed held its chain up for {PAUSE_MS:g} ms at most"


def loss_of(hosts: Iterable[HostState]) -> LossPreview | None:
    """Of NFs that ran and change their core on these hosts; None where none does."""
    chains: list[ChainLoss] = []
    assumed: set[str] = set()
    for host in hosts:
        moves = _moves(host)
        chains += [_of_chain(host.chains[name], count) for name, count in sorted(moves.items())]
        if moves and host.inventory.driver != "testbed":
            assumed.add("simulated hosts" if host.inventory.simulated else f"hosts of driver {host.inventory.driver}")
    if not chains:
        return None
    same = f"; taken to be the same on {' and '.join(sorted(assumed))}, where it was not measured" if assumed else ""
    return LossPreview(
        packets=sum(one.packets for one in chains),
        pause_ms=PAUSE_MS,
        assumed=bool(assumed),
        basis=MEASURED + same,
        chains=tuple(sorted(chains, key=lambda one: one.chain)),
    )


def _moves(host: HostState) -> Counter[str]:
    """By chain."""
    cores = {nf.nf_id: nf.core for chain in host.before.values() for nf in chain.nfs}
    return Counter(nf.nf_id.split(".", 1)[0] for nf in host.nfs() if cores.get(nf.nf_id, nf.core) != nf.core)


def _of_chain(chain: DesiredChain, moves: int) -> ChainLoss:
    """Rounded up: Mpps x ms x 1000 are packets."""
    rate = 0.0 if chain.paused else chain.traffic.rate_mpps
    return ChainLoss(chain=chain.chain, moves=moves, rate_mpps=rate, packets=ceil(rate * PAUSE_MS * 1000 * moves))


def beyond_budget(hosts: Sequence[HostState], budget: LossBudget) -> Rejection | None:
    """Why the moves may not be made: they are expected to cost more than is allowed."""
    preview = loss_of(hosts)
    exceeds = None if preview is None else preview.beyond(budget)
    if preview is None or exceeds is None:
        return None
    worst = max(preview.chains, key=lambda one: one.packets)
    moves, names = sum(one.moves for one in preview.chains), listed([one.chain for one in preview.chains], "chain")
    reason = (
        f"loss_budget: moving {moves} NF{'s' * (moves > 1)} of {names} is expected to cost {exceeds}: each move holds "
        f"its chain up for {preview.pause_ms:g} ms{' (assumed)' if preview.assumed else ''}, and {worst.chain} is "
        f"offered {worst.rate_mpps:g} Mpps"
    )
    least = f"{preview.packets} packets" if budget.most_packets is not None else f"{preview.pause_ms:g} ms"
    return rejection(worst.chain, reason, relax=f"allow {least}, or move fewer NFs, or wait until less is offered")
