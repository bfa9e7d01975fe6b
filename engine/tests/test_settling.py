"""Rates of chains at rest: worked examples, and that whatever the host they lie between their bounds."""

import random
from itertools import accumulate

import pytest
from engine_profiles import standing
from hypothesis import given, settings
from hypothesis import strategies as st
from sextant_domain.profiling.curves import ChainRole, CurveModel, Handing, PressureCurve
from sextant_domain.profiling.model import LocalRemote
from sextant_engine.modelling import settling
from sextant_engine.modelling.settling import FedChain, at_rest

IDEALS = {"fast": LocalRemote(local=10.0, remote=8.0), "slow": LocalRemote(local=5.0, remote=4.0)}


def model(nf_type, slope, exponent=1.0, handing=(), most=10.0):
    """Presses 1 near and 0.5 far; loses `slope` for each unit of pressure."""
    curves = tuple(
        PressureCurve(role=role, pressures=(0.0, most), drops=(0.0, slope * most), samples=9) for role in ChainRole
    )
    return CurveModel(
        nf_type=nf_type, host_model="m", version="fit-1", near=1.0, far=0.5, curves=curves, rate_exponent=exponent,
        handing=handing,
    )  # fmt: skip


def models(exponent=1.0, **handing):
    return {name: model(name, 0.1, exponent, handing.get(name, ())) for name in IDEALS}


def fed(*chains, offered=99.0):
    return [FedChain(standing(chain), 0, offered) for chain in chains]


def test_alone_a_chain_of_one_goes_at_its_ideal():
    rest = at_rest(fed("fast@0"), models(), IDEALS)
    assert (rest.mpps, rest.settled) == ((10.0,), True)


def test_nfs_that_are_fed_each_by_itself_press_as_they_were_profiled():
    """Both go as fast as they can, so each presses 1 and the other loses a tenth, whatever the exponent."""
    for exponent in (0.0, 1.0):
        assert at_rest(fed("fast@0", "fast@0"), models(exponent), IDEALS).mpps == pytest.approx((9.0, 9.0))


def test_a_fast_nf_before_a_slow_one_presses_with_the_slow_ones_rate():
    """At full rate each would lose a tenth: the fast one had room for 9. The chain goes at x = 5 (1 - 0.1 x / 9) = 5 /
    (1 + 0.5 / 9) = 4.737, and not at 4.5. The slow one, which goes as fast as it can, leaves 9 to the fast one."""
    rest = at_rest(fed("fast@0 slow@0"), models(), IDEALS)
    assert rest.mpps == pytest.approx((4.737,), rel=2e-4)
    assert [room.mpps for room in rest.room[0]] == pytest.approx([9.0, 4.737], rel=2e-4)
    assert at_rest(fed("fast@0 slow@0"), models(0.0), IDEALS).mpps == pytest.approx((4.5,))


def test_what_is_offered_is_all_that_presses():
    """The first is offered 1 of the 9 Mpps that it could: the second loses 0.1 / 9, and leaves 9 to the first."""
    chains = [FedChain(standing("fast@0"), 0, 1.0), FedChain(standing("fast@0"), 0, 99.0)]
    rest = at_rest(chains, models(), IDEALS)
    assert rest.mpps == pytest.approx((1.0, 10 - 1 / 9), rel=2e-4)
    assert rest.room[0][0].mpps == pytest.approx(9.0, rel=2e-4)


def test_the_room_of_a_chain_is_at_the_rate_it_could_have():
    """Offered 1 Mpps of what it can: 4.737, as if it were offered all, and not 5 (1 - 0.1 x 1 / 9) = 4.94."""
    rest = at_rest(fed("fast@0 slow@0", offered=1.0), models(), IDEALS)
    assert rest.mpps == (1.0,)
    assert min(room.mpps for room in rest.room[0]) == pytest.approx(4.737, rel=2e-4)


def test_neighbours_of_a_chain_take_their_part():
    """Before one on node 1 the fast one alone keeps 0.6: 1 / 0.6 - 1 = 2/3 of its time more. Its neighbour, which could
    carry 8 x 0.95 = 7.6, presses 0.5 x / 7.6. At x = 5.859 the curve takes 0.1 x 0.5 x 5.859 / 7.6 = 0.03855, and
    10 / (1 / (1 - 0.03855) + 2/3) = 10 / 1.7068 = 5.859."""
    costly = models(fast=(Handing(local=True, behind=True, near=False, drop=0.4),))
    assert at_rest(fed("fast@0 fast@1"), costly, IDEALS).mpps == pytest.approx((5.859,), rel=2e-4)


def test_what_two_neighbours_take_adds_up():
    """Behind one here and before one elsewhere, each of which alone leaves half: 1 + 1 + 1 times its time, so that a
    third of 10 is left, less what the curve takes. Parts that are left would multiply to a quarter."""
    costly = models(
        slow=(
            Handing(local=True, behind=False, near=True, drop=0.5),
            Handing(local=True, behind=True, near=False, drop=0.5),
        )
    )
    alone = {name: one.model_copy(update={"near": 0.0, "far": 0.0}) for name, one in costly.items()}
    rest = at_rest(fed("fast@0 slow@0 fast@1"), alone, IDEALS)
    assert rest.room[0][1].mpps == pytest.approx(5 / 3, rel=2e-4)


def test_a_neighbour_that_takes_everything_leaves_nothing():
    """A drop of 1 was measured, and 1.5 is no drop at all: neither divides by 0, nor makes an NF go backwards."""
    for drop in (1.0, 1.5):
        costly = models(fast=(Handing(local=True, behind=True, near=False, drop=drop),))
        assert at_rest(fed("fast@0 slow@1"), costly, IDEALS).mpps == (0.0,)


def test_what_is_not_known_is_not_reported():
    assert at_rest(fed("fast@0 other@0"), models(), IDEALS) is None
    assert at_rest(fed("fast@0"), models(), {}) is None
    lame = model("fast", 0.1).model_copy(update={"curves": ()})
    assert at_rest(fed("fast@0"), {"fast": lame}, IDEALS) is None
    assert at_rest([], models(), IDEALS).mpps == ()


def test_where_rates_do_not_settle_it_is_reported(monkeypatch):
    """T(0) = 5, T(5) = 5 (1 - 0.5 / 9) = 4.722, T(4.722) = 4.738; one step from 4.722 does not get to 4.737."""
    monkeypatch.setattr(settling, "MOST_STEPS", 1)
    monkeypatch.setattr(settling, "BOUND_TURNS", 1)
    rest = at_rest(fed("fast@0 slow@0"), models(), IDEALS)
    assert not rest.settled
    assert rest.bounds == ((pytest.approx(4.722, abs=1e-3), pytest.approx(4.738, abs=1e-3)),)


SHAPES = st.tuples(
    st.lists(st.floats(0.05, 2.0), min_size=1, max_size=4), st.lists(st.floats(0, 0.3), min_size=5, max_size=5)
)


@st.composite
def hosts(draw):
    """Curves of any shape, pressures, exponents and neighbours of any size."""
    exponent = draw(st.sampled_from([0.0, 0.25, 1.0, 2.0]))
    known = {}
    for name in IDEALS:
        steps, rises = draw(SHAPES)
        pressures, drops = [0.0], [draw(st.floats(-0.3, 0.3))]
        for step, rise in zip(steps, rises, strict=False):
            pressures.append(pressures[-1] + step)
            drops.append(drops[-1] + rise)
        curves = tuple(
            PressureCurve(role=role, pressures=tuple(pressures), drops=tuple(drops), samples=9) for role in ChainRole
        )
        known[name] = model(name, 0.0, exponent).model_copy(
            update={"curves": curves, "near": draw(st.floats(0, 3)), "far": draw(st.floats(0, 3))}
        )
    nf = st.sampled_from([f"{name}@{node}" for name in IDEALS for node in (0, 1)])
    chains = draw(st.lists(st.lists(nf, min_size=1, max_size=4), min_size=1, max_size=5))
    return [FedChain(standing(" ".join(nfs)), 0, draw(st.floats(0.1, 20))) for nfs in chains], known


@given(host=hosts())
@settings(deadline=None, max_examples=100)
def test_whatever_the_host_rates_lie_between_their_bounds(host):
    """Settled: each chain at what it is offered or at its slowest NF's room."""
    chains, known = host
    rest = at_rest(chains, known, IDEALS)
    for chain, mpps, room, (low, high) in zip(chains, rest.mpps, rest.room, rest.bounds, strict=True):
        if rest.settled:
            slowest = min(chain.offered_mpps, *(one.mpps for one in room))
            assert mpps == pytest.approx(slowest, rel=4e-4, abs=1e-9)
            assert low * (1 - 1e-3) - 1e-9 <= mpps <= high * (1 + 1e-3) + 1e-9


def test_random_hosts_settle():
    """300 hosts of up to 5 chains of 4 NFs; drops up to 0.9, rising by up to 0.15 in steps of pressure of 0.3 to 2."""
    chance = random.Random(5)
    for _ in range(300):
        known = {}
        for name in IDEALS:
            steps = [0.0, *(chance.uniform(0.3, 2.0) for _ in range(4))]
            rises = [chance.uniform(-0.3, 0.3), *(chance.uniform(0, 0.15) for _ in range(4))]
            line = {"pressures": tuple(accumulate(steps)), "drops": tuple(accumulate(rises)), "samples": 9}
            curves = tuple(PressureCurve(role=role, **line) for role in ChainRole)
            known[name] = model(name, 0.0, chance.choice([0.25, 1.0, 2.0])).model_copy(
                update={"curves": curves, "near": chance.uniform(0, 3), "far": chance.uniform(0, 3)}
            )
        seats = [f"{name}@{node}" for name in IDEALS for node in (0, 1)]
        chains = [" ".join(chance.choices(seats, k=chance.randint(1, 4))) for _ in range(chance.randint(1, 5))]
        assert at_rest(fed(*chains, offered=chance.uniform(0.1, 20)), known, IDEALS).settled


@given(host=hosts(), more=st.sampled_from(["fast@0", "slow@1"]))
@settings(deadline=None, max_examples=50)
def test_no_nf_carries_more_beside_others_than_alone(host, more):
    """Alone an NF presses on nobody; whatever the others do, it never carries more than that."""
    chains, known = host
    beside = at_rest([*chains, *fed(more)], known, IDEALS)
    for number, chain in enumerate(chains):
        (alone,) = at_rest([chain], known, IDEALS).bounds
        if len(chain.nfs) == 1:
            assert beside.mpps[number] <= alone[1] * (1 + 2e-4) + 1e-9
