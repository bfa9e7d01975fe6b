"""The most packets that the ideal model serves, against a search through everything."""

import json
import random
from itertools import product

import pytest
from sextant_engine.errors import BadEngineInput
from sextant_engine.laws.sfc2cpu.check import check
from sextant_engine.laws.sfc2cpu.problem import Assigned, Solve
from sextant_engine.laws.sfc2cpu.solve import answer
from sextant_engine.stop import Stop


def drawn(seed, vnfs=6, cores=3):
    """Too much for the cores, more often than not."""
    dice = random.Random(seed)
    count, cores = dice.randint(2, vnfs), dice.randint(1, cores)
    order = dice.sample(range(count), count)
    cuts = sorted(dice.sample(range(1, count), dice.randint(0, count - 1)))
    chains = [order[one:other] for one, other in zip([0, *cuts], [*cuts, count], strict=True)]
    rates = {vnf: rate for chain in chains for rate in [dice.uniform(1e5, 2e6)] for vnf in chain}
    scale = dice.uniform(0.6, 1.6) * cores / count * 2
    return {
        "vnfs": [
            {"cycles": dice.uniform(0.1, 1) * scale * 1e9 / rates[vnf], "rate_pps": rates[vnf]} for vnf in range(count)
        ],
        "chains": chains,
        "cores": cores,
        "clock_hz": 1e9,
        "gamma": dice.choice([1.0, 0.95]),
        "placed": {str(vnf): dice.randrange(cores) for vnf in range(count) if dice.random() < 0.3},
        "max_moves": dice.choice([0, 0, 1, count]),
    }


def solved(question, assigner, stop=None):
    return json.loads(answer("solve", json.dumps({**question, "assigner": assigner}), stop))


def served(question, at):
    """Mpps."""
    vnfs, loads = question["vnfs"], [0.0] * question["cores"]
    for vnf, core in zip(vnfs, at, strict=True):
        loads[core] += vnf["cycles"] * vnf["rate_pps"] / 1e9
    ratio = [min(1, question["gamma"] / max(loads[at[vnf]] for vnf in chain)) for chain in question["chains"]]
    return sum(vnfs[chain[0]]["rate_pps"] * part for chain, part in zip(question["chains"], ratio, strict=True)) / 1e6


def brute(question):
    """The most Mpps of all assignments that move no more than they may."""
    allowed = (
        at
        for at in product(range(question["cores"]), repeat=len(question["vnfs"]))
        if sum(at[int(vnf)] != core for vnf, core in question["placed"].items()) <= question["max_moves"]
    )
    return max(served(question, at) for at in allowed)


@pytest.mark.parametrize("seed", range(150))
def test_it_is_the_most_of_all(seed):
    question = drawn(seed)
    found = solved(question, "throughput")
    assert found["status"] == "optimal"
    assert found["system_mpps"] == pytest.approx(brute(question))
    assert found["bound"] == pytest.approx(found["system_mpps"])
    assert served(question, found["cores"]) == pytest.approx(found["system_mpps"])
    assert found["moves"] <= question["max_moves"]
    asked = Solve.model_validate_json(json.dumps({**question, "assigner": "throughput"}))
    assert check(asked, Assigned.model_validate_json(json.dumps(found))) == ()


@pytest.mark.parametrize("seed", range(40))
def test_no_rule_serves_more(seed):
    question = {**drawn(seed, vnfs=12, cores=4), "placed": {}}
    most = solved(question, "throughput")
    for rule in ("rr", "llf", "ffd", "gen", "lpt", "min_max"):
        assert solved(question, rule)["system_mpps"] <= most["system_mpps"] + 1e-9
    assert most["system_mpps"] <= most["bound"] + 1e-9


def test_where_everything_is_served_it_is_the_flattest():
    question = {**drawn(0), "placed": {}, "cores": 6}
    flat, most = solved(question, "min_max"), solved(question, "throughput")
    assert most["max_load"] == pytest.approx(flat["max_load"])
    assert most["system_mpps"] == most["bound"] == pytest.approx(served(question, most["cores"]))


def test_a_chain_may_be_given_up_for_the_others():
    """Loads 2 (of .1 Mpps), .5 and .5 (of 1 Mpps each), and .6 (of .05 Mpps), on two cores. The flattest leaves the
    large one alone: 2 | 1.6. The most packets: .6 goes beside it, and both carry 1 / 2.6; the others carry all."""
    vnfs = [
        {"cycles": 2e4, "rate_pps": 1e5},
        *[{"cycles": 500, "rate_pps": 1e6}] * 2,
        {"cycles": 12000, "rate_pps": 5e4},
    ]
    question = {"vnfs": vnfs, "cores": 2, "clock_hz": 1e9}
    assert solved(question, "min_max")["cores"] == [0, 1, 1, 1]
    found = solved(question, "throughput")
    assert found["cores"] in ([0, 1, 1, 0], [1, 0, 0, 1])
    assert found["system_mpps"] == pytest.approx(2 + 0.15 / 2.6)


def test_a_search_that_is_stopped_bounds_what_could_be():
    question = {**drawn(5, vnfs=14, cores=4), "placed": {}, "cores": 2}
    stopped, whole = solved(question, "throughput", Stop(evaluations=5)), solved(question, "throughput")
    assert stopped["system_mpps"] <= whole["system_mpps"] + 1e-9 <= stopped["bound"] + 2e-9


def test_loads_alone_say_nothing_about_packets():
    with pytest.raises(BadEngineInput) as refused:
        solved({"loads": [0.5], "cores": 1}, "throughput")
    assert refused.value.field == "vnfs"
