"""What must hold for every fleet and every problem, on generated ones."""

import os
from typing import Any
from zlib import crc32

from engine_fleets import chain, host, running, snapshot
from engine_problems import A, B
from hypothesis import given, settings
from hypothesis import strategies as st
from sextant_domain.base import canonical_json
from sextant_domain.chains.chain import ChainSettings, NfSettings
from sextant_domain.hosts.host import Core, HostInventory, HostStatus, NumaNode, Port, ReservedFor
from sextant_domain.plans.algorithm_kinds import CHOOSES_NODES
from sextant_domain.plans.evidence import Algorithm, Solving
from sextant_domain.plans.intents import (
    AdjustIntent,
    DrainIntent,
    Intent,
    MigrateIntent,
    PlaceIntent,
    RelocateIntent,
    RemoveIntent,
    ReplaceIntent,
)
from sextant_domain.plans.plan import ChangeKind
from sextant_domain.plans.snapshot import FleetSnapshot
from sextant_domain.profiling.curves import ChainRole, CurveModel, PressureCurve
from sextant_engine.parameters import assumed_models
from sextant_engine.plan import make_plan
from sextant_engine.portfolio import solve_portfolio
from sextant_engine.problem import Chain, Node, PlacementProblem
from sextant_engine.seats import CoreLayout, Seats
from sextant_engine.solve import evaluate, solve
from sextant_engine.stop import Stop

MORE = int(os.environ.get("SEXTANT_MORE_EXAMPLES", "1"))
"""1: the same examples in every run. More: so many times as many, new ones each time, for a longer search."""

TYPES = st.sampled_from(["router", "firewall", "basic-monitor", "simple-forward"])


CURVES = tuple(
    CurveModel(
        nf_type=name,
        host_model="generated",
        version="assumed-1",
        near=near,
        far=near / 2,
        rate_exponent=0.5,
        curves=tuple(
            PressureCurve(role=role, pressures=(0.0, 9.0), drops=(0.0, drop), samples=9)
            for role, drop in zip(ChainRole, (0.8, 0.5, 0.2, 0.1), strict=True)
        ),
    )
    for name, near in (("router", 3.0), ("firewall", 1.0), ("basic-monitor", 2.0), ("simple-forward", 0.5))
)
"""As far from Octans' equations as can be: to be local is worst."""


@st.composite
def inventories(draw: Any, name: str) -> HostInventory:
    """Up to 3 nodes and 12 cores; shared or exclusive, with siblings, reservations and last choices."""
    nodes = draw(st.integers(1, 3))
    shared = draw(st.booleans())
    threads = draw(st.booleans())
    cores = []
    for core in range(draw(st.integers(1, 4)) * nodes * (2 if threads else 1)):
        cores.append(
            Core(
                id=core,
                node=(core // 2 if threads else core) % nodes,
                socket=0,
                physical_core=core // 2 if threads else core,
                siblings=(core ^ 1,) if threads else (),
                slots=draw(st.integers(0, 4)) if shared else draw(st.sampled_from([1, 1, 1, 0])),
                last_choice=draw(st.booleans()) and core == 0,
                reserved_for=draw(st.sampled_from([None, None, None, ReservedFor.SYSTEM])),
            )
        )
    ports = [Port(name="src0", node=0, kind="source"), Port(name="snk0", node=0, kind="sink")]
    if nodes > 1:
        ports.append(Port(name="nic1", node=1, kind="nic"))
    return HostInventory(
        host_id=name,
        hostname=name,
        host_model="generated",
        driver="twin",
        kernel="6.1",
        agent_version="0.1.0",
        nodes=tuple(NumaNode(id=node, socket=node, memory_bytes=1) for node in range(nodes)),
        cores=tuple(cores),
        ports=tuple(ports[: draw(st.integers(0, len(ports)))]),
    )


@st.composite
def specs(draw: Any, name: str, hosts: list[str]) -> Any:
    nfs = [{"type": draw(TYPES), "name": f"nf{number}"} for number in range(draw(st.integers(1, 4)))]
    fields: dict[str, Any] = {"value": draw(st.sampled_from([0.5, 1.0, 3.0]))}
    if draw(st.booleans()):
        fields["slo"] = {"min_throughput_mpps": 2.0, "max_p95_ms": 1.0}
    if draw(st.integers(0, 4)) == 0:
        fields["ingress"] = {"host": draw(st.sampled_from([*hosts, "nowhere"]))}
    return chain(name, *nfs, rate=draw(st.sampled_from([0.0, 1.0, 7.0, 12.0])), **fields)


@st.composite
def fleets(draw: Any) -> FleetSnapshot:
    """Up to 3 hosts. Running chains stand anywhere, also where the rules of today would not put them."""
    names = [f"h{number}" for number in range(draw(st.integers(0, 3)))]
    hosts, chains = [], []
    for name in names:
        inventory = draw(inventories(name))
        content = []
        for number in range(draw(st.integers(0, 2))):
            spec = draw(specs(f"{name}-c{number}", names))
            at = [(draw(st.integers(0, len(inventory.cores))), draw(st.integers(0, 3))) for _ in spec.nfs]
            content.append(running(spec.model_copy(update={"ingress": chain("x").ingress}), inventory, at))
            if draw(st.integers(0, 4)):
                chains.append(spec)  # else: a chain whose specification is gone
        status = draw(st.sampled_from([HostStatus.UP, HostStatus.UP, HostStatus.STALE, HostStatus.UNREACHABLE]))
        hosts.append(host(inventory, content, generation=draw(st.integers(0, 9)), status=status))
    chains += [draw(specs(f"new{number}", names)) for number in range(draw(st.integers(1, 3)))]
    models = assumed_models("generated")[: draw(st.sampled_from([4, 4, 4, 2]))]
    curves = draw(st.sampled_from([(), CURVES]))
    return snapshot(hosts, chains, models=models).model_copy(update={"curves": curves})


@st.composite
def wishes(draw: Any, now: ChainSettings) -> Any:
    return {name: NfSettings(cpu_share=draw(st.sampled_from([None, 1, 300]))) for name in now.nfs}


@st.composite
def intents(draw: Any, fleet: FleetSnapshot) -> Intent:
    there = [(one.inventory.host_id, nf.nf_id) for one in fleet.hosts for c in one.content.chains for nf in c.nfs]
    names = [*(nf_id.split(".")[0] for _, nf_id in there), *(spec.name for spec in fleet.chains)]
    kinds: list[Intent] = [ReplaceIntent(), *(PlaceIntent(chain=spec.name) for spec in fleet.chains)]
    kinds.append(RemoveIntent(chain=draw(st.sampled_from(names))))
    copies = [copy for one in fleet.hosts for copy in one.content.chains]
    if copies:
        copy = draw(st.sampled_from(copies))
        changed = copy.settings.model_copy(update={"paused": draw(st.booleans()), "nfs": draw(wishes(copy.settings))})
        kinds.append(AdjustIntent(chain=copy.chain, settings=changed))
    if fleet.hosts:
        goal = draw(st.sampled_from([one.inventory.host_id for one in fleet.hosts]))
        one, other = draw(st.sampled_from(names)), draw(st.sampled_from(names))
        kinds += [DrainIntent(host=goal), RelocateIntent(chain=one, host=goal)]
        kinds += [RelocateIntent(chain=one, host=goal, exchange=(other,))] if one != other else []
    if there:
        at, nf_id = draw(st.sampled_from(there))
        kinds.append(MigrateIntent(nf_id=nf_id, host=at, core=draw(st.integers(0, 12))))
    return draw(st.sampled_from(kinds))


@st.composite
def cases(draw: Any) -> tuple[FleetSnapshot, Intent, Algorithm | None]:
    fleet = draw(fleets())
    return fleet, draw(intents(fleet)), draw(st.sampled_from([None, None, *Algorithm]))


def plan(fleet: FleetSnapshot, intent: Intent, algorithm: Algorithm | None) -> Any:
    return make_plan(fleet, intent, Solving(algorithm=algorithm, seed=7), clock=lambda: 0.0)


@settings(max_examples=300 * MORE, deadline=None, derandomize=MORE == 1, database=None)
@given(cases())
def test_every_plan_passes_the_checker_or_says_why_nothing_is_done(case):
    """And nothing is dropped silently: a chain that was asked for is placed, or rejected with a reason."""
    fleet, intent, algorithm = case
    body = plan(fleet, intent, algorithm)
    assert all(finding.ok for finding in body.checks), [finding for finding in body.checks if not finding.ok]
    assert all(change.reason for change in body.changes)
    assert all(rejected.reason and rejected.relax for rejected in body.rejected)
    for evidence in body.evidence.hosts:
        assert evidence.predictor == "octans" or algorithm is None
        if isinstance(intent, PlaceIntent):  # else the margin may keep a worse placement on purpose
            assert all(evidence.score >= one.score - 1e-9 for one in evidence.candidates)
        assert evidence.bound is None or evidence.bound >= evidence.score - 1e-9
    if isinstance(intent, PlaceIntent | RemoveIntent | MigrateIntent | RelocateIntent):
        assert bool(body.changes) != bool(body.rejected)


@settings(max_examples=100 * MORE, deadline=None, derandomize=MORE == 1, database=None)
@given(cases())
def test_equal_inputs_give_equal_plans_in_whatever_order_the_hosts_come(case):
    fleet, intent, algorithm = case
    turned = fleet.model_copy(
        update={
            "hosts": fleet.hosts[::-1],
            "chains": fleet.chains[::-1],
            "models": fleet.models[::-1],
            "nf_types": fleet.nf_types[::-1],
        }
    )
    first = canonical_json(plan(fleet, intent, algorithm))
    assert canonical_json(plan(fleet, intent, algorithm)) == first
    assert canonical_json(plan(turned, intent, algorithm)) == first


@settings(max_examples=100 * MORE, deadline=None, derandomize=MORE == 1, database=None)
@given(fleets(), st.sampled_from([None, *Algorithm]))
def test_placing_never_moves_what_runs(fleet, algorithm):
    body = plan(fleet, PlaceIntent(chain="new0"), algorithm)
    assert {change.kind for change in body.changes} <= {ChangeKind.START}
    after = {nf.nf_id: nf.seat for nf in body.after}
    assert all(after[nf.nf_id] == nf.seat for nf in body.before)


@settings(max_examples=200 * MORE, deadline=None, derandomize=MORE == 1, database=None)
@given(fleets(), st.sampled_from(["h0", "h1", "h2"]), st.sampled_from([None, *Algorithm]))
def test_draining_takes_every_chain_off_its_host_or_says_why_not(fleet, name, algorithm):
    """What stays is as it was, and so is every chain of the other hosts."""
    body = plan(fleet, DrainIntent(host=name), algorithm)
    before = {one.inventory.host_id: {c.chain: c for c in one.content.chains} for one in fleet.hosts}
    after = before | {order.content.host_id: {c.chain: c for c in order.content.chains} for order in body.target}
    stuck = {rejected.chain for rejected in body.rejected}
    for host_id, chains in before.items():
        for chain_name, copy in chains.items():
            leaves = host_id == name and chain_name not in stuck
            assert after[host_id].get(chain_name) == (None if leaves else copy)
    assert {change.kind for change in body.changes} <= {ChangeKind.MOVE}
    assert set(after.get(name, {})) <= stuck


@settings(max_examples=300 * MORE, deadline=None, derandomize=MORE == 1, database=None)
@given(fleets(), TYPES, st.sampled_from([None, *Algorithm]))
def test_a_free_core_of_its_own_goes_before_a_slot_beside_somebody(fleet, nf_type, algorithm):
    """Chosen by the engine, one NF shares a core only where no host with exclusive cores would take it by name; and
    on its node no ordinary core, nor any whose sibling threads are empty, too, stands free of others."""
    one = chain("one", nf_type)
    body = plan(fleet.model_copy(update={"chains": (*fleet.chains, one)}), PlaceIntent(chain="one"), algorithm)
    seat = next((change.target for change in body.changes), None)
    if seat is None:
        return
    inventories = {each.inventory.host_id: each.inventory for each in fleet.hosts}
    if inventories[seat.host].shares_cores:
        for name, inventory in inventories.items():
            if not inventory.shares_cores:
                named = fleet.model_copy(
                    update={"chains": (*fleet.chains, chain("one", nf_type, ingress={"host": name}))}
                )
                assert plan(named, PlaceIntent(chain="one"), algorithm).rejected, f"{name} would have taken it"
    seats = Seats(CoreLayout.of(inventories[seat.host]), [(nf.seat.core, nf.seat.slot) for nf in body.before])
    took = seats.unit_of(seat.core)
    better = [unit for unit in seats.open_units() if unit.node == seat.node and not unit.last_choice]
    crowd = (seats.occupied(took), seats.beside(took))
    assert took.last_choice or all(crowd <= (seats.occupied(unit), seats.beside(unit)) for unit in better)


@st.composite
def problems(draw: Any) -> PlacementProblem:
    """At most 2 x 3 NFs on at most 3 nodes: brute force takes milliseconds."""
    count = draw(st.integers(1, 3))
    names = [f"n{number}" for number in range(count)]
    nodes = tuple(
        Node(
            id=name,
            local=index == 0 or draw(st.booleans()),
            cores=(cores := draw(st.integers(0, 4))),
            taken=draw(st.integers(0, cores)),
            background=draw(st.sampled_from([0.0, 0.3])),
        )
        for index, name in enumerate(names)
    )
    local = [node.id for node in nodes if node.local]
    chains = []
    for number in range(draw(st.integers(0, 3))):
        nfs = tuple(draw(st.text("AB", min_size=1, max_size=2)))
        chains.append(
            Chain(
                id=f"c{number}",
                nfs=nfs,
                value=draw(st.sampled_from([0.5, 1.0, 2.0])),
                rate_mpps=draw(st.sampled_from([None, 2.0, 9.0])),
                ingress=draw(st.sampled_from([None, *local])),
                nf_pins=tuple(draw(st.sampled_from([None, None, *names])) for _ in nfs)
                if draw(st.booleans())
                else None,
            )
        )
    initial = {one.id: tuple(draw(st.sampled_from(names)) for _ in one.nfs) for one in chains if draw(st.booleans())}
    return PlacementProblem(
        nodes=nodes,
        nf_types={"A": A, "B": B},
        chains=tuple(chains),
        objective=draw(st.sampled_from(["capacity", "served"])),
        initial=draw(st.sampled_from([None, initial])),
        move_price_mpps=draw(st.sampled_from([0.0, 0.5])),
        margin_mpps=draw(st.sampled_from([0.0, 1.0])),
        max_moves=draw(st.sampled_from([None, None, 1])),
    )


def value_of(problem: PlacementProblem, assignment: Any) -> float:
    return sum(one.value for one in problem.chains if one.id in assignment)


@settings(max_examples=200 * MORE, deadline=None, derandomize=MORE == 1, database=None)
@given(problems())
def test_no_baseline_beats_brute_force_and_every_result_keeps_the_rules(problem):
    free = problem.model_copy(update={"margin_mpps": 0.0})  # the margin may keep a worse placement on purpose
    names = {one.id for one in free.chains}
    best = solve(free, "brute")
    for algorithm in (name for name in CHOOSES_NODES if name is not Algorithm.OCTANS):
        found = solve(free, algorithm)
        judged = evaluate(free, found.assignment)
        assert judged.violations == ()
        assert abs(judged.score - found.score) < 1e-9
        assert judged.moves == found.moves
        assert found.bound >= found.score - 1e-9
        assert {rejected.chain for rejected in found.rejected} == names - set(found.assignment)
        ahead = value_of(free, found.assignment) - value_of(free, best.assignment)
        assert ahead < 1e-9
        if abs(ahead) < 1e-9:
            assert found.score <= best.score + 1e-9
        if set(found.assignment) == set(best.assignment):
            assert best.score <= found.bound + 1e-9


@settings(max_examples=50 * MORE, deadline=None, derandomize=MORE == 1, database=None)
@given(st.text("AB", min_size=1, max_size=4))
def test_with_one_node_and_room_all_algorithms_agree(nfs):
    """There is one placement only."""
    one = PlacementProblem(
        nodes=(Node(id="n0", local=True, cores=4),), nf_types={"A": A, "B": B}, chains=(Chain(id="c", nfs=tuple(nfs)),)
    )
    scores = {solve(one, algorithm).score for algorithm in CHOOSES_NODES}
    assert len(scores) == 1


@settings(max_examples=100 * MORE, deadline=None, derandomize=MORE == 1, database=None)
@given(problems(), st.integers(0, 2**31 - 1), st.sampled_from([0, 7, None]))
def test_under_whatever_judge_no_algorithm_beats_the_portfolio(problem, seed, evaluations):
    """A judge of no sense at all: only its figures count. Rules are kept, and equal seeds give equal placements."""

    def judge(placement: Any) -> float:
        return _worth(placement, seed)

    free = problem.model_copy(update={"margin_mpps": 0.0})
    stop = Stop(evaluations=evaluations)
    found = solve_portfolio(free, judge, seed=seed, stop=stop)
    if found is None:
        assert solve(free, "exact").assignment == {}
        return
    best = found.found
    assert evaluate(free, best.placement).violations == ()
    assert best.score >= max(best.candidates.values())
    assert found.bound is None or found.bound >= best.score
    price = free.move_price_mpps * evaluate(free, best.placement).moves
    assert abs(best.score - (judge(best.placement) - price)) < 1e-9
    assert solve_portfolio(free, judge, seed=seed, stop=stop) == found


def _worth(placement: Any, seed: int) -> float:
    return crc32(f"{sorted(placement.items())} {seed}".encode()) / 2**32
