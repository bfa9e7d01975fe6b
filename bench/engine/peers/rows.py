"""The placement problem as a mixed-integer program, for solvers that know nothing of it.

A chain's pattern says on which node each of its NFs stands. With every chain accepted the sum of all weights on the
server is a constant, so under one pattern an NF's throughput is a - b_M M_k - b_R R_k for its own node k, and M_k and
R_k are linear in the choice of patterns. A chain's throughput is at most each of its NFs': with a binary variable for
each pattern these are linear rows that hold where the pattern is chosen. Nodes are called by index.
"""

from dataclasses import dataclass
from itertools import product
from typing import Any


@dataclass(frozen=True)
class PatternRow:
    """Throughput of one NF under one pattern: a - b_m M_node - b_r R_node."""

    node: int
    a: float
    b_m: float
    b_r: float


@dataclass(frozen=True)
class Pattern:
    """One way to place a chain."""

    nodes: tuple[int, ...]
    rows: tuple[PatternRow, ...]
    all_weights: dict[int, float]
    """What it adds to M of each node."""
    head_weights: dict[int, float]
    """What it adds to R of each node."""


@dataclass(frozen=True)
class Program:
    """Every chain with all its patterns."""

    cores: tuple[int, ...]
    background: tuple[float, ...]
    chains: tuple[tuple[Pattern, ...], ...]
    most_mpps: float
    """No NF is faster alone."""


def program_of(problem: dict[str, Any]) -> Program:
    """Of a problem with every chain accepted, one local node, neither pins nor prices: what the generator makes."""
    nodes = problem["nodes"]
    local = next(index for index, node in enumerate(nodes) if node["local"])
    types = problem["nf_types"]
    background = [node.get("background", 0.0) for node in nodes]
    server = sum(background) + sum(1.0 / types[nf]["stalls"] for chain in problem["chains"] for nf in chain["nfs"])
    chains = tuple(
        tuple(
            _pattern([types[nf] for nf in chain["nfs"]], placed, local, server)
            for placed in product(range(len(nodes)), repeat=len(chain["nfs"]))
        )
        for chain in problem["chains"]
    )
    return Program(
        cores=tuple(node["cores"] - node.get("taken", 0) for node in nodes),
        background=tuple(background),
        chains=chains,
        most_mpps=max(max(nf["ideal"].values()) for nf in types.values()),
    )


def _pattern(nfs: list[dict[str, Any]], placed: tuple[int, ...], local: int, server: float) -> Pattern:
    rows: list[PatternRow] = []
    all_weights: dict[int, float] = {}
    head_weights: dict[int, float] = {}
    before, head = -1, 0.0
    for position, (nf, node) in enumerate(zip(nfs, placed, strict=True)):
        weight = 1.0 / nf["stalls"]
        starts = node != before
        head = weight if starts else head
        all_weights[node] = all_weights.get(node, 0.0) + weight
        if starts or node == local:
            head_weights[node] = head_weights.get(node, 0.0) + weight
        rows.append(_row(nf, node, local, weight, head, server, starts, position))
        before = node
    return Pattern(placed, tuple(rows), all_weights, head_weights)


def _row(  # noqa: PLR0917 - the terms of one equation
    nf: dict[str, Any], node: int, local: int, weight: float, head: float, server: float, starts: bool, position: int
) -> PatternRow:
    here = "local" if node == local else "remote"
    ideal, alpha, beta = nf["ideal"][here], nf[here]["alpha"], nf[here]["beta"]
    free = 1.0 - nf[here]["c"]
    if node == local:
        free -= beta * (server - weight)
        if starts and position > 0:  # Octans, Eq. 10
            return PatternRow(node, ideal * (free - alpha), 0.0, 0.0)
        return PatternRow(node, ideal * (free + alpha * weight), ideal * alpha, 0.0)
    free += beta * weight
    if starts:  # Eq. 9: nothing of the packet is in a remote cache
        return PatternRow(node, ideal * (free - alpha), ideal * beta, 0.0)
    return PatternRow(node, ideal * (free + alpha * head), ideal * beta, ideal * alpha)  # Eq. 11
