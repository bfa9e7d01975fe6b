"""Competing levels against arithmetic done by hand, and against the solver's on generated settings."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from modelling_samples import setting
from sextant_domain.profiling.curves import ChainRole
from sextant_domain.profiling.job import PointSetting
from sextant_domain.profiling.model import DropCoefficients, LocalRemote
from sextant_engine.modelling.levels import levels_of
from sextant_engine.problem import Chain, NfParameters, Node, PlacementProblem
from sextant_engine.solve import evaluate

WEIGHTS = {"a": 0.1, "b": 0.2, "d": 0.25}


def levels(text, others="", ingress=0):
    found = levels_of(setting(text, others, ingress=ingress), WEIGHTS)
    return found.role, pytest.approx(found.llc), pytest.approx(found.mem)


def test_an_nf_alone_on_the_local_node_has_nothing_beside_it():
    assert levels("a0") == (ChainRole.LOCAL, 0, 0)


def test_local_competitors_weigh_on_cache_and_memory_and_remote_ones_on_memory_only():
    """Octans, Eq. 9. a beside b and d on its node, b on the other: llc = .2 + .25 = .45, mem = .45 + .2 = .65."""
    assert levels("a0", "b0 d0 b1") == (ChainRole.LOCAL, 0.45, 0.65)


def test_nfs_of_its_own_chain_on_the_local_node_are_competitors_too():
    """Local NFs are never merged: b behind two as has llc = mem = .1 + .1."""
    assert levels("a0 a0 b0") == (ChainRole.LOCAL, 0.2, 0.2)


def test_behind_an_nf_on_another_node_the_cache_is_lost():
    """Octans, Eq. 10: llc = 1; mem = all but itself = .1 (its upstream) + .2 + .25."""
    assert levels("a1 b0", "b0 d1") == (ChainRole.CROSSING, 1, 0.55)


def test_the_head_of_a_remote_run_has_no_cache_and_competes_on_its_node():
    """Octans, Eq. 9: llc = 1; mem = .2 (the other NF on n1, not the one on n0)."""
    assert levels("a1", "b1 d0") == (ChainRole.HEAD, 1, 0.2)


def test_behind_its_head_an_nf_competes_with_heads_for_the_remote_cache():
    """Octans, Eq. 11. d behind a on n1, others b on n1: heads a and b; without its own: llc = .2; mem = .1 + .2."""
    assert levels("a1 d1", "b1") == (ChainRole.BEHIND, 0.2, pytest.approx(0.3))


def test_a_chain_that_prefetches_is_one_competitor_by_its_first_nf():
    """The subject's chain a1 b1 a0 b1: a second run there, whose head is the subject. Heads on n1: a and b.

    llc = 1 for a head; mem = n1 without it = .1 + .2.
    """
    assert levels("a1 b1 a0 b1") == (ChainRole.HEAD, 1, 0.3)


def test_a_run_behind_a_run_counts_both_heads():
    """a1 | a0 | d1 b1: b's run has head d; heads on n1: a, d; without d: llc = .1; mem = a + d = .35."""
    assert levels("a1 a0 d1 b1") == (ChainRole.BEHIND, 0.1, 0.35)


def test_the_local_node_is_the_one_packets_arrive_on():
    """Ingress on n1: what stands there is local, and shares its cache with b."""
    assert levels("a1", "b1", ingress=1) == (ChainRole.LOCAL, 0.2, 0.2)


def test_a_competitor_of_unknown_weight_leaves_the_level_unknown():
    assert levels_of(setting("a0", "zz0"), WEIGHTS) is None
    assert levels_of(setting("a1", "zz1"), WEIGHTS) is None


STANDING = st.tuples(st.sampled_from("abd"), st.integers(0, 2)).map(lambda pair: f"{pair[0]}{pair[1]}")


@settings(max_examples=200, deadline=None)
@given(st.lists(STANDING, min_size=1, max_size=5), st.lists(STANDING, max_size=6), st.integers(0, 2))
def test_levels_are_the_solvers(chain: list[str], others: list[str], ingress: int) -> None:
    """The same NFs placed in a problem of the native core: every chain arrives at the ingress node of the setting."""
    asked = setting(" ".join(chain), " ".join(others), ingress=ingress)
    found = levels_of(asked, WEIGHTS)
    solver = _solver_levels(asked)
    assert found is not None
    assert found.llc == pytest.approx(solver[0], abs=1e-9)
    assert found.mem == pytest.approx(solver[1], abs=1e-9)
    side = {"local": (0.3, 0.2), "remote": (0.4, 0.1)}[found.side]
    assert (side[0] * found.llc, side[1] * found.mem) == pytest.approx(solver[2:], abs=1e-9)


def _solver_levels(asked: PointSetting) -> tuple[float, float, float, float]:
    chains = [("subject", asked.chain), *((f"other{number}", (nf,)) for number, nf in enumerate(asked.others))]
    problem = PlacementProblem(
        nodes=tuple(Node(id=f"n{node}", local=True, cores=20) for node in range(3)),
        nf_types={
            nf_type: NfParameters(
                stalls=1 / weight,
                ideal=LocalRemote(local=10.0, remote=10.0),
                local=DropCoefficients(alpha=0.3, beta=0.2, c=0.0),
                remote=DropCoefficients(alpha=0.4, beta=0.1, c=0.0),
            )
            for nf_type, weight in WEIGHTS.items()
        },
        chains=tuple(
            Chain(id=name, nfs=tuple(nf.nf_type for nf in nfs), ingress=f"n{asked.ingress_node}")
            for name, nfs in chains
        ),
    )
    nf = evaluate(problem, {name: tuple(f"n{nf.node}" for nf in nfs) for name, nfs in chains}).nfs["subject"][-1]
    return nf.llc, nf.mem, nf.llc_drop, nf.mem_drop
