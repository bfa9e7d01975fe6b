"""The ideal model of sfc2cpu (Sec. IV-E): what an assignment serves."""

import json
import random

import pytest
from sextant_engine.laws.sfc2cpu.solve import answer


def evaluated(loads, chains, cores, assignment, **more):
    """By VNFs of 1 Mpps at 1 GHz: a load is 1000 cycles."""
    vnfs = [{"cycles": 1000 * load, "rate_pps": 1e6} for load in loads]
    question = {"vnfs": vnfs, "chains": chains, "cores": cores, "assignment": assignment, "clock_hz": 1e9, **more}
    return json.loads(answer("evaluate", json.dumps(question)))


def test_a_core_serves_all_its_vnfs_the_same_part():
    """Core 0 is asked for .5 + .75 = 1.25: 1 / 1.25 = .8. Core 1 for .5. The first chain carries .8, the second 1."""
    found = evaluated([0.5, 0.75, 0.5], [[0, 1], [2]], 2, [0, 0, 1])
    assert found["load"] == pytest.approx([1.25, 0.5])
    assert found["payoffs"] == pytest.approx([0.8, 0.8, 1])
    assert found["chain_ratio"] == pytest.approx([0.8, 1])
    assert found["system_mpps"] == pytest.approx(1.8)


def test_gamma_is_what_switches_leave():
    found = evaluated([0.5, 0.5], [[0], [1]], 1, [0, 0], gamma=0.95)
    assert found["payoffs"] == pytest.approx([0.95, 0.95])
    assert evaluated([0.5, 0.4], [[0], [1]], 1, [0, 0], gamma=0.95)["system_mpps"] == pytest.approx(2)


def test_losses_upstream_unload_only_where_extended():
    """Half of chain 0 is lost on core 0 (load 2). On core 1 its second VNF asks for 1 and that of chain 1 for .5: as
    published 1 / 1.5; extended .5 + .5 = 1, and all is served."""
    asked = ([2, 1, 0.5], [[0, 1], [2]], 2, [0, 1, 1])
    literal, extended = evaluated(*asked), evaluated(*asked, extended=True)
    assert literal["chain_ratio"] == pytest.approx([0.5, 2 / 3])
    assert literal["load"] == pytest.approx([2, 1.5])
    assert extended["chain_ratio"] == pytest.approx([0.5, 1])
    assert extended["load"] == pytest.approx([2, 1])


def test_time_that_is_left_goes_to_the_others():
    """As before, but chain 1 asks for .8: of core 1 chain 0 takes .5, which is less than its slice (1 / 1.8 = .56);
    .5 is left for .8."""
    found = evaluated([2, 1, 0.8], [[0, 1], [2]], 2, [0, 1, 1], extended=True)
    assert found["chain_ratio"] == pytest.approx([0.5, 0.5 / 0.8])


def test_a_chain_on_one_core_is_served_as_published():
    """Load 1 + 1 on one core: what the first VNF passes is what the second can take."""
    found = evaluated([1, 1], [[0, 1]], 1, [0, 0], extended=True)
    assert found["chain_ratio"] == pytest.approx([0.5])


@pytest.mark.parametrize("seed", range(300))
def test_no_core_gives_more_than_it_has_and_extended_serves_no_less(seed):
    dice = random.Random(seed)
    vnfs, cores = dice.randint(2, 12), dice.randint(1, 4)
    order = dice.sample(range(vnfs), vnfs)
    cuts = sorted(dice.sample(range(1, vnfs), dice.randint(0, vnfs - 1)))
    chains = [order[one:other] for one, other in zip([0, *cuts], [*cuts, vnfs], strict=True)]
    loads = [dice.uniform(0.05, 1.2) for _ in range(vnfs)]
    at = [dice.randrange(cores) for _ in range(vnfs)]
    gamma = dice.choice([1.0, 0.95])
    literal = evaluated(loads, chains, cores, at, gamma=gamma)
    extended = evaluated(loads, chains, cores, at, gamma=gamma, extended=True)
    assert extended["system_mpps"] >= literal["system_mpps"] - 1e-9
    assert all(after >= before - 1e-9 for before, after in zip(literal["payoffs"], extended["payoffs"], strict=True))
    given = [0.0] * cores
    asked = [0.0] * cores
    for chain in chains:
        reaches = 1.0
        for vnf in chain:
            asked[at[vnf]] += loads[vnf] * reaches
            reaches = min(reaches, extended["payoffs"][vnf])
            given[at[vnf]] += loads[vnf] * reaches
    assert extended["load"] == pytest.approx(asked)
    # all that is asked for is given, or all that a core has
    assert given == pytest.approx([min(gamma, load) for load in asked])
