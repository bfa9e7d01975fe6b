"""What others bring to bear on an NF: worked examples, and that more of them never brings less."""

import pytest
from engine_profiles import setting, standing
from hypothesis import given
from hypothesis import strategies as st
from sextant_domain.profiling.model import LocalRemote
from sextant_engine.modelling.loads import Alone, RatedChain, load_in, load_on
from sextant_engine.modelling.predictor import Profiles

IDEALS = {"fast": LocalRemote(local=16.0, remote=8.0), "slow": LocalRemote(local=4.0, remote=2.0)}
ALONE = Alone(IDEALS, {"fast": 0.1, "slow": 0.5}, 10.0)


def chain(text: str, mpps: float) -> RatedChain:
    return RatedChain(standing(text), mpps)


def test_references_are_estimated_by_an_average_nf():
    """Alone here they make 16 x 2 = 32 and 4 x 12 = 48 million a second, 40 on average: 2 / 40 and 12 / 40 a packet."""
    counts = {"fast": {"llc-references": 2.0, "cycles": 90.0}, "slow": {"llc-references": 12.0, "cycles": 500.0}}
    profiles = Profiles("m", 2, {}, IDEALS, counts, {})
    assert Alone.of(profiles).references == pytest.approx({"fast": 0.05, "slow": 0.3})
    assert Alone.of(profiles).average_mpps == 10.0


def test_where_references_are_not_counted_cycles_stand_for_them():
    """16 x 100 = 1600 and 4 x 400 = 1600 cycles a microsecond: 1600 on average."""
    counts = {"fast": {"cycles": 100.0, "llc-references": 0.0}, "slow": {"cycles": 400.0}}
    assert Alone.of(Profiles("m", 2, {}, IDEALS, counts, {})).references == pytest.approx(
        {"fast": 1 / 16, "slow": 1 / 4}
    )


def test_a_chain_that_a_slow_nf_holds_up_presses_by_its_rate():
    """fast -> slow at 4 Mpps beside: 4 of the 10 that an average NF takes come in, and 4 x 0.1 + 4 x 0.5 = 2.4
    references."""
    load = load_on([chain("fast@0", 16.0), chain("fast@0 slow@0", 4.0)], 0, 0, 0, ALONE)
    assert load == pytest.approx((1, 0.4, 2.4, 0, 0))


def test_its_own_run_brings_no_packets_but_its_own():
    """The slow one behind the fast one: 4 Mpps come to it anyway; the fast one asks the cache for 4 x 0.1."""
    assert load_on([chain("fast@0 slow@0", 4.0)], 0, 1, 0, ALONE) == pytest.approx((0, 0, 0.4, 0, 0))


def test_a_run_elsewhere_is_one_run_whatever_its_length():
    """Two fast ones on node 1 at 4 Mpps: 4 of 10 come in once, and are asked for in 2 x 4 x 0.1 references."""
    load = load_on([chain("fast@0", 16.0), chain("fast@1 fast@1", 4.0)], 0, 0, 0, ALONE)
    assert load == pytest.approx((1, 0, 0, 0.4, 0.8))


def test_a_chain_that_comes_back_is_another_run():
    """slow@0 -> fast@1 -> fast@0 at 2 Mpps: to the last one the first is a run as any other, of 2 of 10 Mpps."""
    assert load_on([chain("slow@0 fast@1 fast@0", 2.0)], 0, 2, 0, ALONE) == pytest.approx((0, 0.2, 1.0, 0.2, 0.2))


def test_a_point_of_a_profile():
    """Two routers are offered 4 Mpps each, of the 16 that they could: 2 x 4 / 10 packets and 2 x 4 x 0.1 references."""
    ideals = {"router": LocalRemote(local=16.0, remote=12.0), "nat": IDEALS["slow"]}
    alone = Alone(ideals, {"router": 0.1, "nat": 0.1}, 10.0)
    assert load_in(setting("local", "nat@0", "router@0 router@0", rate_mpps=4.0), alone) == pytest.approx(
        (2, 0.8, 0.8, 0, 0)
    )


def test_what_is_not_known_is_not_reported():
    assert load_on([chain("fast@0", 1.0), chain("other@0", 1.0)], 0, 0, 0, ALONE) is None
    assert load_in(setting("local", "nat@0", "router@0"), ALONE) is None


RATED = st.lists(
    st.tuples(
        st.lists(st.sampled_from(["fast@0", "fast@1", "slow@0", "slow@1"]), min_size=1, max_size=4), st.floats(0, 20)
    ),
    min_size=1,
    max_size=5,
)


@given(RATED, RATED, st.floats(1, 3))
def test_more_never_presses_less(beside, more, faster):
    """Other chains that are faster, and further ones: nothing of the load falls."""
    own = chain("fast@0", 16.0)
    some = [own, *(chain(" ".join(nfs), mpps) for nfs, mpps in beside)]
    all_of_them = [own, *(chain(" ".join(nfs), faster * mpps) for nfs, mpps in beside)]
    all_of_them += [chain(" ".join(nfs), mpps) for nfs, mpps in more]
    least, most = (load_on(one, 0, 0, 0, ALONE) for one in (some, all_of_them))
    assert all(before <= after + 1e-12 for before, after in zip(least, most, strict=True))
