"""Octans' throughput model, computed from scratch for one placement (Octans, Sec. IV-B, Eq. 7 and 9-11).

Decided where the paper leaves room:
- weight(NF) = 1 / stalls; M_k = sum of the weights on node k and its background;
- a run is a maximal stretch of consecutive NFs of one chain on one node, its head the first of them;
- R_k = weights of the heads of remote runs on k + weights of NFs that are local there + background: a chain that
  prefetches into the LLC counts as one competitor, by its first NF;
- local NF: llc = 1 if its upstream NF stands elsewhere, else M_k - w; mem = sum of all M - w;
- remote NF: llc = 1 for a head, else R_k - w_head; mem = M_k - w;
- drop = alpha llc + beta mem + c; throughput = ideal (1 - drop); nothing is clamped here.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sextant_engine.problem import Chain, Placement, Problem

Pattern = tuple[int, ...]
"""The node (by index in the problem) of each NF of a chain."""
Assignment = list[Pattern | None]
"""One entry a chain, in the problem's order; None: rejected."""


@dataclass(frozen=True, slots=True)
class NfFigures:
    """What the model says of one NF."""

    mpps: float
    """Unclamped."""
    llc: float
    """Competing level on the last-level cache."""
    mem: float
    """Competing level on the memory controller (local) or the interconnect (remote)."""
    llc_drop: float
    """alpha x llc: share of the ideal throughput lost to the LLC."""
    mem_drop: float
    """beta x mem."""
    ideal_mpps: float


@dataclass(frozen=True, slots=True)
class ChainFigures:
    """What the model says of one accepted chain."""

    nfs: tuple[NfFigures, ...]
    bottleneck: int
    """Position of the slowest NF, the earliest of equals."""
    capacity_mpps: float
    """Throughput of the slowest NF, unclamped."""
    counted_mpps: float
    """What enters the objective: the capacity, or min(rate, capacity) with objective `served`."""


class Model:
    """A problem made ready for evaluation: names become indices."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.node_of = {node.id: index for index, node in enumerate(problem.nodes)}
        self.free = [node.cores - node.taken for node in problem.nodes]
        self.ingress = [self._ingress(chain) for chain in problem.chains]
        self.types = [[problem.nf_types[nf] for nf in chain.nfs] for chain in problem.chains]
        self.weights = [[1.0 / nf.stalls for nf in nfs] for nfs in self.types]
        self.initial = self.assignment(problem.initial or {})

    def _ingress(self, chain: Chain) -> int:
        if chain.ingress is not None:
            return self.node_of[chain.ingress]
        return next(index for index, node in enumerate(self.problem.nodes) if node.local)

    def assignment(self, placement: Placement) -> Assignment:
        """The indices of a placement by names; chains of it that the problem lacks are left out."""
        return [
            tuple(self.node_of[node] for node in placement[chain.id]) if chain.id in placement else None
            for chain in self.problem.chains
        ]

    def placement(self, assignment: Assignment) -> Placement:
        """The names of an assignment by indices."""
        nodes = self.problem.nodes
        return {
            chain.id: tuple(nodes[index].id for index in pattern)
            for chain, pattern in zip(self.problem.chains, assignment, strict=True)
            if pattern is not None
        }

    def competing_weights(self, assignment: Sequence[Pattern | None]) -> tuple[list[float], list[float]]:
        """(M, R): one entry a node."""
        total = [node.background for node in self.problem.nodes]
        heads = list(total)
        for pattern, ingress, weights in zip(assignment, self.ingress, self.weights, strict=True):
            before = -1
            for node, weight in zip(pattern or (), weights, strict=False):
                total[node] += weight
                if node == ingress or node != before:
                    heads[node] += weight
                before = node
        return total, heads

    def evaluate(self, assignment: Sequence[Pattern | None]) -> list[ChainFigures | None]:
        """Figures of every accepted chain; None for a rejected one."""
        total, heads = self.competing_weights(assignment)
        server = sum(total)
        return [
            None if pattern is None else self._chain(index, pattern, total, heads, server)
            for index, pattern in enumerate(assignment)
        ]

    def _chain(
        self, index: int, pattern: Pattern, total: list[float], heads: list[float], server: float
    ) -> ChainFigures:
        ingress, weights = self.ingress[index], self.weights[index]
        figures: list[NfFigures] = []
        before, head_weight = -1, 0.0
        for position, node in enumerate(pattern):
            nf, weight = self.types[index][position], weights[position]
            starts_run = node != before
            if starts_run:
                head_weight = weight
            if node == ingress:
                ideal, drop = nf.ideal.local, nf.local
                llc = 1.0 if position > 0 and starts_run else total[node] - weight  # Eq. 10, else Eq. 9
                mem = server - weight
            else:
                ideal, drop = nf.ideal.remote, nf.remote
                llc = 1.0 if starts_run else heads[node] - head_weight  # Eq. 9, else Eq. 11
                mem = total[node] - weight
            llc_drop, mem_drop = drop.alpha * llc, drop.beta * mem
            figures.append(
                NfFigures(ideal * (1.0 - (llc_drop + mem_drop + drop.c)), llc, mem, llc_drop, mem_drop, ideal)
            )
            before = node
        bottleneck = min(range(len(figures)), key=lambda position: (figures[position].mpps, position))
        capacity = figures[bottleneck].mpps
        return ChainFigures(tuple(figures), bottleneck, capacity, self.counted(index, capacity))

    def counted(self, index: int, capacity: float) -> float:
        """What a chain of this capacity adds to the objective, before its value."""
        rate = self.problem.chains[index].rate_mpps
        return capacity if self.problem.objective == "capacity" or rate is None else min(rate, capacity)
