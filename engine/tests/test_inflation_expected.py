"""What a fitted model says of NFs where they stand: by hand, and as the core of the engine has it."""

import json

import numpy as np
import pytest
from sextant_domain.profiling.inflation import InflationModel
from sextant_engine.modelling.host_samples import KnownNf, SeenNf
from sextant_engine.modelling.inflation import Ran, fit
from sextant_engine.modelling.inflation_expected import StandingNf, errors_of, expected_us, expected_within
from sfc2cpu_worlds import World, asked

HAND_OFF = {"from_socket": 0.06, "from_remote": 0.24, "to_socket": 0.01, "to_remote": 0.02}
MODEL = InflationModel.model_validate(
    {
        "kinds": ["dpi", "nat"],
        "core": [[0.5, 0.4, 0.9], [0.2, 0.1, 0.9], [0.9, 0.9, 0.9]],
        "socket": [[0.05, 0.04, 0.09], [0.02, 0.01, 0.09], [0.09, 0.09, 0.09]],
        "weight": "load",
        "hand_off": HAND_OFF,
    }
)


def test_by_hand():
    """dpi (1 us) and nat (.5 us) share core 0, with loads .4 and .2; nat hands to a new type (2 us, load .3) on core 1.
    dpi: 1 + .4 x .2 + .09 x .3 = 1.107. nat: .5 x (1 + .2 x .4 + .09 x .3) = .5535, and .01 to pass on. new: 2 x (1 +
    .09 x .4 + .09 x .2) = 2.108, and .06 to take."""
    nat = StandingNf("a.nat", "nat", 0.5, 0.2, 0, 0)
    chains = [[StandingNf("b.dpi", "dpi", 1.0, 0.4, 0, 0)], [nat, StandingNf("a.new", "new", 2.0, 0.3, 1, 0)]]
    expected = {"b.dpi": 1.107, "a.nat": 0.5635, "a.new": 2.168}
    assert expected_us(MODEL, chains) == pytest.approx(expected)
    far = [[nat, StandingNf("a.new", "new", 2.0, 0.3, 8, 1)]]
    assert expected_us(MODEL, far) == pytest.approx({"a.nat": 0.52, "a.new": 2.24})


def test_intervals_are_by_the_error_of_known_types_or_of_those_that_a_fit_did_not_know():
    """dpi and nat on core 0, a new type on another memory node. dpi takes 1 + .4 x .2 = 1.08: .1 off of what is seen is
    1.08 / 1.1 to 1.08 / .9. The new one takes 2 + .24 = 2.24, by the upper quartile; .4 off of it is 1.6 to 3.73."""
    dpi, nat = StandingNf("b.dpi", "dpi", 1.0, 0.4, 0, 0), StandingNf("a.nat", "nat", 0.5, 0.2, 0, 0)
    far = [[dpi], [nat, StandingNf("a.new", "new", 2.0, 0.3, 8, 1)]]
    found = expected_within(MODEL, far, 0.1, 0.4)
    one, new = found["b.dpi"], found["a.new"]
    assert (one.us, one.low_us, one.high_us) == pytest.approx((1.08, 1.08 / 1.1, 1.2))
    assert (new.us, new.low_us, new.high_us) == pytest.approx((2.24, 1.6, 2.24 / 0.6))
    assert [one.guessed, new.guessed] == [False, True]
    unbounded = expected_within(MODEL, far, 0.1, 1.0)["a.new"]
    assert (unbounded.low_us, unbounded.high_us) == (pytest.approx(1.12), None), "100 % off: nothing bounds it above"
    unknown = expected_within(MODEL, far, None, None)
    assert {(one.low_us, one.high_us) for one in unknown.values()} == {(None, None)}


def test_nothing_is_said_of_how_far_off_known_types_are_beside_one_that_is_not_known():
    """Unless nothing arrives for it: then it costs nobody anything."""
    dpi, new = StandingNf("b.dpi", "dpi", 1.0, 0.4, 0, 0), StandingNf("a.new", "new", 2.0, 0.3, 1, 0)
    assert expected_within(MODEL, [[dpi], [new]], 0.1, 0.4)["b.dpi"].low_us is None
    idle = StandingNf("a.new", "new", 2.0, 0.0, 1, 0)
    assert expected_within(MODEL, [[dpi], [idle]], 0.1, 0.4)["b.dpi"].low_us == pytest.approx(1 / 1.1)


def test_how_far_off_a_fit_is_of_types_that_it_does_not_know():
    """Three of .5 load; two of them on core 0 in turn, the third by itself. A packet of a and b costs .1 x .5 more
    beside any, one of c .5 x .5. Who never met itself counts as sensitivity x aggressiveness / mean: a beside a is
    .1 x .3 / .2333 = .1286. Were c not known, the upper quartile of a and b would be .1 + .75 x .0286 = .1214 beside a:
    1.0607 us, of 1.25 that were seen 15.1 % off. Were a not known: beside b .1286 + .75 x .3714 = .4071, 14.6 % off;
    beside c .1 + .75 x .1143, 4.1 %. Who stands alone is never off. Of nine figures the 90th percentile is 15.1 %."""
    pairs = [(0, 1), (0, 2), (1, 2)] * 10
    hurt = np.array([0.1, 0.1, 0.5])
    cores = np.array([[0 if vnf in pair else 1 for vnf in range(3)] for pair in pairs])
    seen = np.array([[1 + hurt[vnf] * 0.5 * (vnf in pair) for vnf in range(3)] for pair in pairs])
    ran = Ran(
        cycles=np.ones(3), loads=np.full((30, 3), 0.5), kinds=["a", "b", "c"], chains=[], cores=cores, sockets=cores,
        seen=seen,
    )  # fmt: skip
    errors = fit(ran).errors
    assert errors["held_out"] == pytest.approx((0.25 - 0.5 * (0.1 + 0.75 * (0.03 / (0.7 / 3) - 0.1))) / 1.25)
    assert errors["left_out"] == pytest.approx(0, abs=1e-9)
    two = Ran(ran.cycles[:2], ran.loads[:, :2], ["a", "b"], [], cores[:, :2], cores[:, :2], seen[:, :2])
    assert "held_out" not in fit(two).errors, "of two types nothing is left to judge one by"


CHAINS = [[KnownNf("b.dpi", "dpi", 1.0)], [KnownNf("a.nat", "nat", 0.5), KnownNf("a.new", "new", 2.0)]]
WINDOW = {"b.dpi": SeenNf(0, 0.4, 1.2), "a.nat": SeenNf(0, 0.4, 0.5635), "a.new": SeenNf(1, 0.15, 5.0)}
"""Loads .4, .2 and .3, on cores 0, 0 and 1: as by hand."""


def test_how_far_off_windows_were():
    """dpi takes 1.2, 1.107 was expected: .093 / 1.2. nat takes what was expected. Of a new type nothing was fitted."""
    errors = errors_of(MODEL, CHAINS, [WINDOW, WINDOW], {0: 0, 1: 0})
    assert errors == {"b.dpi": pytest.approx([0.0775] * 2), "a.nat": pytest.approx([0.0, 0.0], abs=1e-9)}


def test_windows_that_say_nothing_are_left_out():
    """In one another NF ran, in one a core was used that is no more; of a chain of which one NF had no packets the
    other only counts: dpi expects 1 + .4 x .2 = 1.08."""
    foreign = {**WINDOW, "c.dpi": SeenNf(1, 0.4, 1.0)}
    elsewhere = {**WINDOW, "b.dpi": SeenNf(7, 0.4, 1.0)}
    part = {name: one for name, one in WINDOW.items() if name != "a.new"}
    assert errors_of(MODEL, CHAINS, [foreign, elsewhere], {0: 0, 1: 0}) == {}
    assert errors_of(MODEL, CHAINS, [part], {0: 0, 1: 0}) == {"b.dpi": pytest.approx([0.1])}


@pytest.mark.parametrize("seed", range(4))
def test_it_is_what_the_core_goes_by(seed):
    """The fullest core of an assignment, by loads as the core of the engine predicts them."""
    world = World(seed)
    model = asked("fit", {**world.question(), "placements": world.placements(noise=0.02)})["model"]
    found = asked("solve", {**world.question(), "assigner": "calibrated", "model": model})
    standing = [
        StandingNf(
            str(vnf),
            world.kinds[vnf],
            world.cycles[vnf],
            world.cycles[vnf] * world.rates[vnf] / world.clock_hz,
            core,
            world.cores[core]["socket"],
        )
        for vnf, core in enumerate(found["cores"])
    ]
    costs = expected_us(
        InflationModel.model_validate_json(json.dumps(model)),
        [[standing[vnf] for vnf in chain] for chain in world.chains],
    )
    loads = [0.0] * len(world.cores)
    for nf in standing:
        loads[nf.core] += costs[nf.nf_id] * world.rates[int(nf.nf_id)] / world.clock_hz
    assert max(loads) == pytest.approx(found["max_load"])
