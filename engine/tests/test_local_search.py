"""The search under a judge: what it finds, what it never does, and how it ends."""

from itertools import product

import pytest
from engine_problems import chain, nodes, problem
from sextant_engine.local_search import local_search
from sextant_engine.solo_bound import solo_bound
from sextant_engine.stop import Stop


def apart(placement):
    """Likes every NF on a node of its own, and what it finds in the order of its node's name."""
    used = [node for chain in placement.values() for node in chain]
    return 10.0 * len(set(used)) + sum(node == "n1" for node in used)


THREE = problem(nodes(2, 2, 2), chain("web", "AA"), chain("dns", "A"))
START = {"web": ("n0", "n0"), "dns": ("n1",)}


def test_it_moves_and_swaps_while_that_pays():
    found = local_search(THREE, {"exact": START}, apart)
    assert {node for one in found.placement.values() for node in one} == {"n0", "n1", "n2"}
    assert (found.score, found.begun_with, found.improved, found.ended) == (31.0, "exact", True, False)
    assert found.candidates == {"exact": 21.0}


def test_where_nothing_is_better_the_candidate_stays_as_it_is():
    best = {"web": ("n0", "n1"), "dns": ("n2",)}
    found = local_search(THREE, {"exact": START, "node_first": best}, apart)
    assert (found.placement, found.begun_with, found.improved) == (best, "node_first", False)


def test_candidates_that_leave_out_a_chain_of_value_do_not_count():
    """However much a judge makes of them: first the summed value of accepted chains, then what they carry."""
    found = local_search(THREE, {"octans": {"web": ("n0", "n1")}, "exact": START}, lambda one: 100.0 / len(one))
    assert found.candidates == {"exact": 50.0}


def test_no_node_gets_more_nfs_than_it_has_cores():
    full = problem(nodes(1, 2, taken=0), chain("web", "AA"))
    found = local_search(full, {"exact": {"web": ("n0", "n1")}}, lambda one: float(one["web"].count("n0")))
    assert found.placement["web"].count("n0") == 1


def test_pins_and_the_limit_on_moves_hold():
    pinned = problem(nodes(2, 2), chain("web", "AA", nf_pins=("n0", None)), chain("dns", "A", pin=("n0",)))
    start = {"web": ("n0", "n0"), "dns": ("n0",)}
    found = local_search(
        pinned.model_copy(update={"nodes": nodes(3, 3)}),
        {"exact": start},
        lambda one: float(sum(node == "n1" for each in one.values() for node in each)),
    )
    assert found.placement == {"web": ("n0", "n1"), "dns": ("n0",)}
    moving = THREE.model_copy(update={"initial": START, "max_moves": 1})
    found = local_search(moving, {"exact": START}, lambda one: float(sum(n == "n2" for c in one.values() for n in c)))
    assert sum(node == "n2" for each in found.placement.values() for node in each) == 1


def test_the_price_of_moves_is_paid_and_the_best_by_moves_is_reported():
    priced = THREE.model_copy(update={"initial": START, "move_price_mpps": 4.0})
    found = local_search(priced, {"now": START}, lambda one: 5.0 * len({node for c in one.values() for node in c}))
    assert found.score == 15.0 - 4.0  # one move to the empty node gains 5
    assert [(one.moves, one.score) for one in found.by_moves] == [(0, 10.0), (1, 11.0)]


def test_a_judge_without_a_result_ends_it():
    assert local_search(THREE, {"exact": START}, lambda _: None) is None
    assert local_search(THREE, {"exact": {}}, apart) is None
    assert local_search(THREE, {}, apart) is None


@pytest.mark.parametrize("limit", [0, 1, 5, 20])
def test_a_limit_ends_it_with_the_best_so_far(limit):
    """The same for equal seeds; candidates are judged whatever the limit."""
    calls = []

    def counting(placement):
        calls.append(placement)
        return apart(placement)

    found = local_search(THREE, {"exact": START}, counting, seed=3, stop=Stop(evaluations=limit))
    assert len(calls) == found.evaluations <= max(1, limit)
    assert found.ended or found.evaluations < limit
    assert found.score >= found.candidates["exact"]
    assert local_search(THREE, {"exact": START}, apart, seed=3, stop=Stop(evaluations=limit)) == found


def test_whoever_watches_ends_it_and_gets_the_best_so_far(monkeypatch):
    ticks = iter(range(1000))
    monkeypatch.setattr("sextant_engine.local_search.monotonic", lambda: float(next(ticks)))
    calls = []

    def cancel(best, bound, evaluations):
        calls.append((best, evaluations))
        return len(calls) == 2

    found = local_search(THREE, {"exact": START}, apart, stop=Stop(progress=cancel))
    assert found.ended
    assert len(calls) == 2
    assert found.score == max(best for best, _ in calls)


def test_what_watching_raises_comes_out_of_it(monkeypatch):
    ticks = iter(range(1000))
    monkeypatch.setattr("sextant_engine.local_search.monotonic", lambda: float(next(ticks)))

    def broken(*_):
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        local_search(THREE, {"exact": START}, apart, stop=Stop(progress=broken))


def test_time_ends_it():
    assert local_search(THREE, {"exact": START}, apart, stop=Stop(seconds=0.0)).evaluations == 1


def test_the_solo_bound_is_what_each_chain_could_carry_alone():
    """web best on n1 twice (10 + 2), dns on n1 (10 + 1): looked at alone, so that both may have the node."""
    two = problem(nodes(2, 2), chain("web", "AA"), chain("dns", "A"))
    assert solo_bound(two, ["web", "dns"], apart) == 21.0 + 11.0
    assert solo_bound(two, ["dns"], apart) == 11.0


def test_the_solo_bound_keeps_cores_and_pins():
    pinned = problem(nodes(2, 1), chain("web", "AA", nf_pins=("n0", None)))
    assert solo_bound(pinned, ["web"], lambda one: float(one["web"].count("n1"))) == 1.0
    assert solo_bound(problem(nodes(2, 1), chain("web", "AA")), ["web"], lambda one: float(one["web"].count("n1"))) == 1


@pytest.mark.parametrize(
    ("cores", "taken", "nf_pins"),
    [
        ((2, 2, 2), 0, ()),
        ((1, 2, 3), 0, ()),
        ((3, 2, 2), 1, ()),
        ((1, 1, 1), 0, ()),
        ((2, 2, 2), 0, ("n1", None, None)),
        ((2, 2, 2, 2), 1, (None, None, "n3")),
    ],
)
def test_the_solo_bound_looks_at_every_way_that_differs_by_more_than_a_name(cores, taken, nf_pins):
    """As choosing from all ways does. n0 has the packets; without pins, nodes alike come in their order."""
    asked = problem(nodes(*cores, taken=taken), chain("web", "AAA", **({"nf_pins": nf_pins} if nf_pins else {})))
    local = next(node.id for node in asked.nodes if node.local)
    room = {node.id: node.cores - node.taken for node in asked.nodes}
    others = [node for node in room if node != local]
    alike = not nf_pins and len({room[node] for node in others}) == 1
    ways = [
        way
        for way in product(*[[pin] if pin else list(room) for pin in nf_pins or (None,) * 3])
        if all(way.count(node) <= room[node] for node in way)
        and (not alike or [n for n in dict.fromkeys(way) if n != local] == others[: len(set(way) - {local})])
    ]
    seen = []
    solo_bound(asked, ["web"], lambda one: float(seen.append(one["web"]) or 1))
    assert seen == ways


def test_of_too_many_ways_no_bound_is_known():
    long = problem(nodes(*[12] * 12), chain("web", "A" * 12))
    assert solo_bound(long, ["web"], apart) is None
    assert solo_bound(THREE, ["web"], lambda _: None) is None
