"""The throughput model against arithmetic done by hand; A weighs .1, B weighs .2 (engine_problems)."""

import pytest
from engine_problems import chain, nodes, problem
from sextant_engine.solve import evaluate


def judged(node_list, *chains, at, **fields):
    """The placement `at`: for each chain the numbers of its nodes, None for a rejected one."""
    placed = {one.id: tuple(f"n{node}" for node in where) for one, where in zip(chains, at, strict=True) if where}
    return evaluate(problem(node_list, *chains, **fields), placed)


def mpps(node_list, *chains, at, **fields):
    """Throughputs of all NFs, chain by chain."""
    return [[nf.mpps for nf in nfs] for _, nfs in sorted(judged(node_list, *chains, at=at, **fields).nfs.items())]


def test_one_nf_alone_on_the_local_node_reaches_its_ideal():
    """llc = M - w = .1 - .1 = 0, mem = 0, c = 0: 10 (1 - 0) = 10."""
    assert mpps(nodes(4), chain("c", "A"), at=[(0,)]) == [[pytest.approx(10.0)]]


def test_local_nfs_compete_for_cache_and_memory():
    """Chain AB on n0: M = .1 + .2 = .3 (local NFs are never merged).

    A: llc = mem = .3 - .1 = .2; drop = .2 x .2 + .1 x .2 = .06; 10 x .94 = 9.4.
    B: llc = mem = .3 - .2 = .1; drop = .3 x .1 + .2 x .1 + .01 = .06; 6 x .94 = 5.64.
    """
    assert mpps(nodes(4), chain("c", "AB"), at=[(0, 0)]) == [[pytest.approx(9.4), pytest.approx(5.64)]]


def test_a_local_nf_after_a_remote_one_has_lost_its_cache():
    """Octans, Eq. 10. Chain AB with A on n1, B on n0: M0 = .2, M1 = .1, server .3.

    A: head of its run: llc = 1; mem = M1 - .1 = 0; drop = .1 x 1 = .1; 8 x .9 = 7.2.
    B: upstream elsewhere: llc = 1; mem = .3 - .2 = .1; drop = .3 + .2 x .1 + .01 = .33; 6 x .67 = 4.02.
    """
    assert mpps(nodes(4, 4), chain("c", "AB"), at=[(1, 0)]) == [[pytest.approx(7.2), pytest.approx(4.02)]]


def test_the_first_local_nf_has_no_upstream_so_it_keeps_its_cache():
    """Chain AB with A on n0, B on n1: M0 = .1, M1 = .2, server .3.

    A: llc = .1 - .1 = 0; mem = .3 - .1 = .2; drop = .1 x .2 = .02; 10 x .98 = 9.8.
    B: head on n1: llc = 1; mem = .2 - .2 = 0; drop = .2 x 1 + .02 = .22; 5 x .78 = 3.9.
    """
    assert mpps(nodes(4, 4), chain("c", "AB"), at=[(0, 1)]) == [[pytest.approx(9.8), pytest.approx(3.9)]]


def test_a_prefetching_chain_alone_competes_with_nobody_for_the_remote_cache():
    """Octans, Eq. 11. Chain AB both on n1: one run, head A. M1 = .3, R1 = .1.

    A: llc = 1; mem = .3 - .1 = .2; drop = .1 + .2 x .2 = .14; 8 x .86 = 6.88.
    B: llc = R1 - w_head = 0; mem = .3 - .2 = .1; drop = .3 x .1 + .02 = .05; 5 x .95 = 4.75.
    """
    assert mpps(nodes(4, 4), chain("c", "AB"), at=[(1, 1)]) == [[pytest.approx(6.88), pytest.approx(4.75)]]


def test_two_prefetching_chains_count_as_one_competitor_each_by_their_heads():
    """Chains AB and BA both on n1: M1 = .6, R1 = heads .1 + .2 = .3.

    Second NF of AB (B): llc = .3 - .1 = .2; mem = .6 - .2 = .4; drop = .2 x .2 + .3 x .4 + .02 = .18; 5 x .82 = 4.1.
    Second NF of BA (A): llc = .3 - .2 = .1; mem = .6 - .1 = .5; drop = .1 x .1 + .2 x .5 = .11; 8 x .89 = 7.12.
    """
    found = mpps(nodes(4, 4), chain("c", "AB"), chain("d", "BA"), at=[(1, 1), (1, 1)])
    assert found[0][1] == pytest.approx(4.1)
    assert found[1][1] == pytest.approx(7.12)


def test_a_chain_that_returns_to_a_remote_node_has_two_runs_there():
    """Chain AAA on n1, n0, n1: R1 = .1 + .1 (two heads). The third NF is a head again: llc = 1.

    mem = M1 - .1 = .1; drop = .1 + .2 x .1 = .12; 8 x .88 = 7.04.
    """
    assert mpps(nodes(4, 4), chain("c", "AAA"), at=[(1, 0, 1)])[0][2] == pytest.approx(7.04)


def test_each_chain_has_its_own_local_node():
    """Both nodes hold NICs. AA (ingress n0) and BB (ingress n1) both on n1: AA is remote there, BB local.

    M1 = .2 + .4 = .6; R1 = head of AA .1 + both local Bs .4 = .5; server .6.
    AA's second: llc = .5 - .1 = .4; mem = .6 - .1 = .5; drop = .1 x .4 + .2 x .5 = .14; 8 x .86 = 6.88.
    BB's second: its upstream is here: llc = M1 - .2 = .4; mem = .6 - .2 = .4;
    drop = .3 x .4 + .2 x .4 + .01 = .21; 6 x .79 = 4.74.
    """
    both = tuple(node.model_copy(update={"local": True}) for node in nodes(4, 4))
    found = mpps(both, chain("c", "AA"), chain("d", "BB", ingress="n1"), at=[(1, 1), (1, 1)])
    assert found[0][1] == pytest.approx(6.88)
    assert found[1][1] == pytest.approx(4.74)


def test_background_belongs_to_m_r_and_the_server():
    """Background .1 on n0 and n1. A on n0: llc = (.1 + .1) - .1 = .1; mem = (.2 + .1) - .1 = .2.

    drop = .2 x .1 + .1 x .2 = .04; 10 x .96 = 9.6. Second of AA on n1: R1 = .1 + .1 = .2: llc = .1,
    mem = .3 - .1 = .2: drop = .1 x .1 + .2 x .2 = .05; 8 x .95 = 7.6.
    """
    assert mpps(nodes(4, 4, background=0.1), chain("c", "A"), at=[(0,)])[0][0] == pytest.approx(9.6)
    assert mpps(nodes(4, 4, background=0.1), chain("c", "AA"), at=[(1, 1)])[0][1] == pytest.approx(7.6)


def test_rejected_chains_carry_no_weight():
    """With B rejected, A is alone: 10 Mpps, not 10 (1 - .3 x .2) = 9.4."""
    assert mpps(nodes(4), chain("c", "A"), chain("d", "B"), at=[(0,), None]) == [[pytest.approx(10.0)]]


def test_the_bottleneck_is_the_earliest_of_the_slowest():
    """AA on n0: both have 10 (1 - (.2 + .1) x .1) = 9.7 Mpps: position 0."""
    found = judged(nodes(4), chain("c", "AA"), at=[(0, 0)])
    assert found.chains["c"].bottleneck == 0
    assert found.objective == pytest.approx(9.7)


@pytest.mark.parametrize(
    ("objective", "rate", "counted"),
    [
        ("capacity", 2.0, 9.7),
        ("served", 2.0, 2.0),
        ("served", 20.0, 9.7),
        ("served", None, 9.7),
        ("served", 0.0, 0.0),
    ],
)
def test_served_counts_what_is_offered_at_most(objective, rate, counted):
    """Capacity 9.7 as above; served: min(rate, 9.7)."""
    found = judged(nodes(4), chain("c", "AA", rate_mpps=rate), at=[(0, 0)], objective=objective)
    assert found.objective == pytest.approx(counted)


def test_nothing_is_clamped_in_the_model():
    """Ten Bs on n0: llc = mem = 2.0 - .2 = 1.8; drop = .3 x 1.8 + .2 x 1.8 + .01 = .91; with background 1 it is
    1.41 > 1 and the throughput 6 (1 - 1.41) = -2.46."""
    found = judged(nodes(10, background=1.0), chain("c", "B" * 10), at=[(0,) * 10])
    assert found.objective == pytest.approx(-2.46)
