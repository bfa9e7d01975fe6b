"""A stored Gaussian process: asked of the native core it says what Python's says, at rest too, and it is checked."""

import random
from dataclasses import replace
from math import sqrt

import numpy as np
import pytest
from engine_profiles import setting, standing
from modelling_truth import IDEALS, profiled
from plain_process import process_at_rest
from pydantic import ValidationError
from sextant_domain.profiling.curves import ChainRole
from sextant_domain.profiling.process import ProcessModel
from sextant_engine.errors import BadEngineInput
from sextant_engine.modelling.loads import Load
from sextant_engine.modelling.process import GaussianProcess, Shape
from sextant_engine.modelling.settling import FedChain
from sextant_engine.modelling.stored_process import ROLES, StoredProcess

TYPES = ("firewall", "nat", "router", "vpn")


def fitted(seed=1):
    return GaussianProcess().fit(profiled(seed, TYPES)[0])


def models(process, quantile=2.0):
    return {name: process.model_of(name, "fit-1", quantile) for name in TYPES}


def as_read(process, quantile=2.0):
    """From JSON, as it comes out of the store."""
    made = models(process, quantile)
    return StoredProcess({
        name: ProcessModel.model_validate_json(one.model_dump_json()) for name, one in made.items()
    })  # fmt: skip


def drawn(chance, count):
    """Loads with nothing in some of their figures."""
    return [Load(*(chance.choice([0.0, chance.uniform(0, 12)]) for _ in range(5))) for _ in range(count)]


@pytest.mark.parametrize("seed", range(3))
def test_the_core_says_what_python_says(seed):
    """Drops, and deviations by the textbook's formula on the whole covariance, to 1e-9."""
    process, chance = fitted(seed), random.Random(seed)
    stored, shape = as_read(process), Shape()
    for name, model in models(process).items():
        roles, loads = [chance.choice(ROLES) for _ in range(40)], drawn(chance, 40)
        predicted = stored.drops(name, roles, loads)
        assert [drop for drop, _ in predicted] == pytest.approx(process.drops_at(name, roles, loads), abs=1e-9)
        samples = model.fit.samples
        known = np.array([one.load for one in samples]), np.array([ROLES.index(one.role) for one in samples])
        asked = np.array(loads), np.array([ROLES.index(role) for role in roles])
        errors = np.array([one.variance for one in samples])
        across = shape.alike(*asked, *known)
        left = across @ np.linalg.solve(shape.alike(*known, *known) + np.diag(errors), across.T)
        variances = np.diag(shape.alike(*asked, *asked)) - np.diag(left) + errors.mean()
        assert [deviation for _, deviation in predicted] == pytest.approx([sqrt(one) for one in variances], abs=1e-9)


def fed(*chains, offered=99.0):
    return [FedChain(standing(text), 0, offered) for text in chains]


def hosts(chance, count):
    """One to five chains on two nodes, some of them held back by what they are offered."""
    for _ in range(count):
        texts = [
            " ".join(f"{chance.choice(TYPES)}@{chance.randint(0, 1)}" for _ in range(chance.randint(1, 4)))
            for _ in range(chance.randint(1, 5))
        ]
        yield [replace(one, offered_mpps=chance.choice([1.5, 99.0])) for one in fed(*texts)]


@pytest.mark.parametrize("seed", range(3))
def test_rates_at_rest_are_the_plain_ones(seed):
    process, chance = fitted(seed), random.Random(seed)
    stored = as_read(process)
    for chains in hosts(chance, 25):
        plain, found = process_at_rest(chains, process), stored.at_rest(chains)
        assert found.mpps == pytest.approx(plain.mpps, abs=1e-9)
        assert stored.rates(chains) == list(found.mpps)
        assert found.settled == plain.settled
        for chain, room, plain_room in zip(chains, found.room, plain.room, strict=True):
            if chain.offered_mpps > 50:
                assert [one.mpps for one in room] == pytest.approx(plain_room, rel=3e-4)


def test_a_chain_of_one_goes_at_its_ideal():
    rest = as_read(fitted()).at_rest(fed("nat@0"))
    assert rest.mpps == pytest.approx((IDEALS["nat"].local,))
    assert rest.settled


def test_rates_at_rest_are_those_that_they_bring_about():
    """What every chain carries is its slowest NF's room; at half a Mpps the first presses less on the others, and what
    it could carry if it were offered more is what it carries then."""
    stored = as_read(fitted())
    chains = fed("nat@0 router@1", "vpn@0 firewall@0", "router@1")
    rest = stored.at_rest(chains)
    assert rest.settled
    assert rest.mpps == pytest.approx([min(one.mpps for one in room) for room in rest.room], rel=2e-4)
    slow = [replace(chain, offered_mpps=0.5) for chain in chains[:1]]
    eased = stored.at_rest([*slow, *chains[1:]])
    assert eased.mpps[0] == 0.5
    assert eased.mpps[1] > rest.mpps[1]
    others = [replace(chain, offered_mpps=mpps) for chain, mpps in zip(chains[1:], eased.mpps[1:], strict=True)]
    more = stored.at_rest([chains[0], *others])
    assert min(one.mpps for one in eased.room[0]) == pytest.approx(more.mpps[0], rel=2e-3)


def test_intervals_go_with_deviations():
    """Twice the quantile, twice the width, up to all of the throughput; none without."""
    process, chains = fitted(), fed("nat@0 router@1", "vpn@0")
    one, two, none, most = (as_read(process, times).at_rest(chains).room[0][0] for times in (1.0, 2.0, None, 1e6))
    assert 0 < one.half_width < 0.5
    assert two.half_width == pytest.approx(2 * one.half_width)
    assert none.half_width is None
    assert most.half_width == 1.0


def test_it_knows_no_strangers():
    process = fitted()
    stored = as_read(process)
    assert stored.at_rest(fed("stranger@0")) is None
    assert stored.rates(fed("stranger@0")) is None
    assert stored.at_rest([]).mpps == ()
    assert process.model_of("stranger", "fit-1") is None
    with pytest.raises(BadEngineInput, match="stranger"):
        stored.drops("stranger", [ChainRole.LOCAL], [Load(0, 0, 0, 0, 0)])


def test_what_neighbours_add_is_stored():
    """The plain rates have it from the samples, so that a stored process without it is off."""
    process = fitted()
    assert all(model.fit.handing for model in models(process).values())
    handed = setting("handing", "nat@0", downstream="router@1")
    assert process.drop(handed) != pytest.approx(0, abs=0.01)


def test_several_fits_do_not_go_together():
    made = models(fitted())
    other = made["nat"].fit.model_copy(update={"version": "fit-2"})
    with pytest.raises(BadEngineInput, match="of one fit"):
        StoredProcess({**made, "nat": ProcessModel.of(other)})
    with pytest.raises(BadEngineInput, match="at least one"):
        StoredProcess({})


def test_what_is_not_what_was_stored_is_refused():
    text = models(fitted())["nat"].model_dump_json()
    drop = models(fitted())["nat"].fit.samples[0].drop
    with pytest.raises(ValidationError, match="digest differs"):
        ProcessModel.model_validate_json(text.replace(repr(drop), repr(drop + 0.01), 1))


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"samples": ()}, "samples"),
        ({"average_mpps": 0.0}, "average_mpps"),
        ({"references": float("nan")}, "references"),
        ({"quantile": -1.0}, "quantile"),
    ],
)
def test_figures_out_of_range_are_refused(changes, field):
    fit = models(fitted())["nat"].fit
    with pytest.raises(ValidationError, match=field):
        type(fit).model_validate({**fit.model_dump(), **changes})


def test_more_samples_than_a_design_has_are_refused():
    fit = models(fitted())["nat"].fit
    with pytest.raises(ValidationError, match="samples"):
        type(fit).model_validate({**fit.model_dump(), "samples": [fit.samples[0].model_dump()] * 1001})
