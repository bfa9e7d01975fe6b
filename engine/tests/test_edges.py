"""Every algorithm of the registry at every edge: nothing to place, no node, no room, no choice, no rate, twins.

`Algorithm` is the registry: a new algorithm stands in these tests by itself. Placements are judged by this file's own
counting, never by the core's; plans of the same edges by the independent checker.
"""

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from engine_fleets import chain as spec_of
from engine_fleets import host, numa_inventory, running, snapshot
from engine_problems import A, B
from hypothesis import given, settings
from hypothesis import strategies as st
from sextant_domain.hosts.host import HostStatus
from sextant_domain.plans.algorithm_kinds import CHOOSES_NODES
from sextant_domain.plans.evidence import Algorithm, Solving
from sextant_domain.plans.intents import ReplaceIntent
from sextant_domain.plans.snapshot import FleetSnapshot
from sextant_engine import native
from sextant_engine.errors import BadEngineInput
from sextant_engine.plan import make_plan
from sextant_engine.problem import Chain, Node, PlacementProblem
from sextant_engine.result import SolveResult
from sextant_engine.solve import evaluate, solve

ALGORITHMS = pytest.mark.parametrize("algorithm", CHOOSES_NODES)


def node(index: int, cores: int, taken: int = 0) -> Node:
    return Node(id=f"n{index}", local=index == 0, cores=cores, taken=taken)


@st.composite
def hosts(draw: Any, nodes: int, cores: int, taken: bool = False) -> tuple[Node, ...]:
    """So many nodes of 0 to `cores` cores; `taken`: all of them by others."""
    counts = draw(st.lists(st.integers(0, cores), min_size=nodes, max_size=nodes))
    return tuple(node(index, count, count if taken else 0) for index, count in enumerate(counts))


@st.composite
def chains(draw: Any, nodes: tuple[Node, ...], most: int = 3, **fields: Any) -> tuple[Chain, ...]:
    """1 to `most` chains of up to 3 NFs."""
    texts = draw(st.lists(st.text("AB", min_size=1, max_size=3), min_size=1, max_size=most))
    return tuple(Chain(id=f"c{index}", nfs=tuple(nfs), **fields) for index, nfs in enumerate(texts))


def pinned(draw: Any, chain: Chain, nodes: tuple[Node, ...]) -> Chain:
    """The same with a node for every NF: nothing is left to choose."""
    pins = tuple(draw(st.sampled_from(nodes)).id for _ in chain.nfs)
    return chain.model_copy(update={"nf_pins": pins, "pin": draw(st.sampled_from([None, tuple(set(pins))]))})


@st.composite
def edges(draw: Any, kind: str) -> PlacementProblem:
    """A problem at one edge, otherwise of any size that brute force does in milliseconds."""
    nodes: tuple[Node, ...] = draw(hosts(draw(st.integers(1, 3)), 3))
    given: tuple[Chain, ...] = ()
    match kind:
        case "no chains":
            pass
        case "neither chains nor nodes":
            nodes = ()
        case "one node":
            nodes = draw(hosts(1, 6))
            given = draw(chains(nodes))
        case "no room":
            nodes = draw(hosts(len(nodes), 3, taken=True))
            given = draw(chains(nodes))
        case "all pinned":
            given = tuple(pinned(draw, one, nodes) for one in draw(chains(nodes)))
        case "zero rates":
            given = draw(chains(nodes, rate_mpps=0.0))
        case "larger than any node":
            most = max(one.cores for one in nodes)
            given = (Chain(id="long", nfs=("A",) * (most + 1)), *draw(chains(nodes, most=1)))
        case "duplicates":
            (one,) = draw(chains(nodes, most=1))
            given = tuple(one.model_copy(update={"id": f"c{index}"}) for index in range(3))
            nodes = tuple(node(index, nodes[0].cores) for index in range(len(nodes)))
    initial = {one.id: tuple(draw(st.sampled_from(nodes)).id for _ in one.nfs) for one in given if draw(st.booleans())}
    return PlacementProblem(
        nodes=nodes,
        nf_types={"A": A, "B": B},
        chains=given,
        objective="served" if kind == "zero rates" else draw(st.sampled_from(["capacity", "served"])),
        initial=draw(st.sampled_from([None, initial])),
        move_price_mpps=draw(st.sampled_from([0.0, 0.5])),
        max_moves=draw(st.sampled_from([None, None, 0, 1])),
    )


KINDS = (
    "no chains",
    "neither chains nor nodes",
    "one node",
    "no room",
    "all pinned",
    "zero rates",
    "larger than any node",
    "duplicates",
)


def broken(problem: PlacementProblem, found: SolveResult) -> list[str]:
    """Rules that a result breaks, counted here."""
    used = Counter(name for nodes in found.assignment.values() for name in nodes)
    free = {one.id: one.cores - one.taken for one in problem.nodes}
    wrong = [f"{name}: {count} NFs, {free[name]} free" for name, count in used.items() if count > free[name]]
    moves = 0
    for one in problem.chains:
        nodes = found.assignment.get(one.id)
        if nodes is None:
            continue
        if len(nodes) != len(one.nfs):
            wrong.append(f"{one.id}: {len(nodes)} nodes")
        for pin, name in zip(one.nf_pins or (None,) * len(nodes), nodes, strict=True):
            if pin not in (None, name) or (one.pin and name not in one.pin):
                wrong.append(f"{one.id}: on {name} in spite of its pin")
        before = (problem.initial or {}).get(one.id, nodes)
        moves += sum(then != now for then, now in zip(before, nodes, strict=True))
    if found.moves != moves or moves > (moves if problem.max_moves is None else problem.max_moves):
        wrong.append(f"{moves} moves, {found.moves} reported, {problem.max_moves} allowed")
    names = {one.id for one in problem.chains}
    if {one.chain for one in found.rejected} != names - set(found.assignment):
        wrong.append("a chain is neither placed nor rejected, or both")
    wrong += [f"{one.chain}: no reason, or no way out" for one in found.rejected if not (one.reason and one.relax)]
    return wrong


def honest(problem: PlacementProblem, found: SolveResult) -> None:
    """Status, score and bound say what is so."""
    assert (found.status == "infeasible") == (bool(problem.chains) and not found.assignment)
    assert found.bound is not None and found.bound >= found.score - 1e-9
    assert abs(evaluate(problem, found.assignment).score - found.score) < 1e-9
    if found.status == "optimal":
        assert found.unproven is None
        best = solve(problem, "brute")
        assert abs(best.score - found.score) < 1e-9 * max(1.0, abs(best.score))
        assert len(found.assignment) == len(best.assignment)


@ALGORITHMS
@pytest.mark.parametrize("kind", KINDS)
def test_every_algorithm_keeps_every_rule_at_every_edge(kind: str, algorithm: Algorithm) -> None:
    @settings(max_examples=25, deadline=None, derandomize=True, database=None)
    @given(edges(kind))
    def holds(problem: PlacementProblem) -> None:
        try:
            written = native.solve(problem.model_dump_json(), algorithm, seed=7).result
        except BadEngineInput as error:  # what the algorithm has no notion of, it refuses by field
            assert algorithm is Algorithm.OCTANS and error.field
            return
        assert "-0.0" not in written
        found = SolveResult.model_validate_json(written)
        assert broken(problem, found) == []
        honest(problem, found)

    holds()


@ALGORITHMS
def test_nothing_to_place_is_optimal_at_0_with_and_without_nodes(algorithm: Algorithm) -> None:
    for nodes in ((), (node(0, 1),), (node(0, 0), node(1, 4))):
        result = json.loads(
            native.solve(PlacementProblem(nodes=nodes, nf_types={}).model_dump_json(), algorithm).result
        )
        figures = [json.dumps(result[name]) for name in ("objective", "score", "bound")]
        assert (result["status"], result["unproven"], *figures) == ("optimal", None, "0.0", "0.0", "0.0")


@ALGORITHMS
def test_chains_without_a_node_are_refused_by_field(algorithm: Algorithm) -> None:
    with pytest.raises(BadEngineInput) as caught:
        solve(PlacementProblem(nodes=(), nf_types={"A": A}, chains=(Chain(id="c", nfs=("A",)),)), algorithm)
    assert caught.value.field == "nodes"


def test_the_registry_is_that_of_the_core() -> None:
    """What the core knows and Python does not would stand in no test here."""
    with pytest.raises(BadEngineInput) as caught:
        solve(PlacementProblem(nodes=(), nf_types={}), "no such algorithm")
    names = ", ".join(sorted(algorithm.value for algorithm in CHOOSES_NODES))
    assert caught.value.message == f"'no such algorithm' is not one of {names}"


FleetOf = Callable[[int, int], FleetSnapshot]
"""By numbers that hypothesis draws: cores a node, and NFs or chains."""

CHAIN = ("router", "firewall", "basic-monitor")


def _many(count: int, name: str = "c") -> list[Any]:
    return [spec_of(f"{name}{index}", *CHAIN) for index in range(count)]


def _pinned_by_running(cores: int, count: int) -> FleetSnapshot:
    """Every chain runs: it keeps its host, and the intent's price keeps it where it is."""
    inventory = numa_inventory("h0", 2, max(cores, 3))
    specs = _many(min(count, 2 * max(cores, 3) // 3))
    content = [
        running(one, inventory, [(3 * index + position, 0) for position in range(3)]) for index, one in enumerate(specs)
    ]
    return snapshot([host(inventory, content, generation=1)], specs)


FLEETS: dict[str, FleetOf] = {
    "no hosts": lambda _, count: snapshot([], _many(count)),
    "no chains": lambda cores, _: snapshot([host(numa_inventory("h0", 2, cores))], []),
    "neither": lambda *_: snapshot([], []),
    "one node": lambda cores, count: snapshot([host(numa_inventory("h0", 1, cores))], _many(count)),
    "no room": lambda cores, count: snapshot(
        [host(numa_inventory("h0", 2, cores, reserved=range(2 * cores)))], _many(count)
    ),
    "no host is up": lambda cores, count: snapshot(
        [host(numa_inventory("h0", 2, cores), status=HostStatus.UNREACHABLE)], _many(count)
    ),
    "all run": _pinned_by_running,
    "zero rates": lambda cores, count: snapshot(
        [host(numa_inventory("h0", 2, cores))], [spec_of(f"c{index}", *CHAIN, rate=0.0) for index in range(count)]
    ),
    "larger than any node": lambda cores, _: snapshot(
        [host(numa_inventory("h0", 2, cores))],
        [spec_of("long", *({"type": "router", "name": f"nf{index}"} for index in range(cores + 1)))],
    ),
    "duplicates": lambda cores, count: snapshot(
        [host(numa_inventory(name, 2, cores)) for name in ("h0", "h1")], _many(2 * count, "twin")
    ),
}


@ALGORITHMS
@pytest.mark.parametrize("kind", FLEETS)
def test_every_plan_at_an_edge_passes_the_independent_checker(kind: str, algorithm: Algorithm) -> None:
    @settings(max_examples=8, deadline=None, derandomize=True, database=None)
    @given(st.integers(1, 4), st.integers(1, 3))
    def holds(cores: int, count: int) -> None:
        fleet = FLEETS[kind](cores, count)
        body = make_plan(fleet, ReplaceIntent(), Solving(algorithm=algorithm, seed=7), clock=lambda: 0.0)
        assert [finding for finding in body.checks if not finding.ok] == []
        assert all(one.reason and one.relax for one in body.rejected)

    holds()
