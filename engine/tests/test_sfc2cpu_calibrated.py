"""A cost that is learned from what ran, and the assigner that goes by it, against a truth that neither is shown."""

import random
from itertools import product

import pytest
from sextant_engine.errors import BadEngineInput
from sfc2cpu_worlds import KINDS, World, asked


def fitted(world, **how):
    return asked("fit", {**world.question(), "placements": world.placements(**how)})["model"]


def calibrated(world, model, **more):
    return asked("solve", {**world.question(), "assigner": "calibrated", "model": model, **more})


def test_the_truth_is_found_where_nothing_disturbs():
    world = World(1)
    model = fitted(world)
    assert model["kinds"] == sorted(set(world.kinds))
    for a, one in enumerate(model["kinds"]):
        for b, other in enumerate(model["kinds"]):
            if one != other or world.kinds.count(one) > 1:  # else they never met
                assert model["core"][a][b] == pytest.approx(world.hurt[one, other], abs=1e-6)
                assert model["socket"][a][b] == pytest.approx(world.hurt[one, other] / 4, abs=1e-6)
    hand_off = {"from_socket": 60, "from_remote": 240, "to_socket": 0, "to_remote": 0}
    assert model["hand_off"] == pytest.approx(hand_off, abs=1e-3)
    assert (model["weight"], model["served"]) == ("load", "literal")


def test_noise_and_bursts_that_were_pre_empted_are_borne():
    world = World(2)
    clean, noisy = fitted(world), fitted(world, noise=0.02, bursts=0.03)
    assert noisy["errors"]["median"] < 0.03
    assert noisy["hand_off"]["from_remote"] == pytest.approx(240, rel=0.1)
    for one, other in zip(clean["core"], noisy["core"], strict=True):
        assert one == pytest.approx(other, abs=0.12)


def test_it_takes_nine_tenths_of_the_headroom_and_more():
    """Over worlds: served beyond min-max, by what a search on the truth itself finds."""
    gained = found = 0.0
    for seed in range(6):
        world = World(seed)
        model = fitted(world, noise=0.02)
        flat = world.served(asked("solve", {**world.question(), "assigner": "min_max"})["cores"])[0]
        best = calibrated(world, model)["cores"]
        gained += world.served(best)[0] - flat
        found += max(world.best(best), world.served(best)[0]) - flat
    assert found > 0.05
    assert gained >= 0.9 * found


def test_it_holds_at_other_rates():
    """Half as many packets for the second chain, a third more for the first: predicted as it is then."""
    world = World(3)
    model = fitted(world)
    for chain, factor in ((world.chains[0], 4 / 3), (world.chains[1], 0.5)):
        for vnf in chain:
            world.rates[vnf] *= factor
    found = calibrated(world, model)
    served, load = world.served(found["cores"])
    assert found["system_mpps"] == pytest.approx(served, rel=1e-6)
    assert found["max_load"] == pytest.approx(load, rel=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_few_assignments_are_all_tried(seed):
    world = World(seed, cores=2, vnfs=7, load=1.0)
    found = calibrated(world, fitted(world))
    most = max(world.served(at) for at in product(range(2), repeat=7))
    assert found["system_mpps"] == pytest.approx(most[0])
    assert (found["status"], found["bound"]) == ("optimal", pytest.approx(most[0]))


def test_what_stands_stays_unless_moves_are_given():
    world = World(4)
    model = fitted(world)
    placed = {str(vnf): vnf % 4 for vnf in range(8)}
    stays = calibrated(world, model, placed=placed)
    assert stays["moves"] == 0
    assert stays["cores"][:8] == [0, 1, 2, 3] * 2
    moved = calibrated(world, model, placed=placed, max_moves=2)
    assert moved["moves"] <= 2
    assert moved["system_mpps"] >= stays["system_mpps"] - 1e-9


HAND_OFF = dict.fromkeys(("from_socket", "from_remote", "to_socket", "to_remote"), 0)
NOTHING = {"kinds": [], "core": [[0]], "socket": [[0]], "weight": "load", "hand_off": HAND_OFF, "served": "literal"}
"""A model by which VNFs cost nothing beside others."""


def test_where_one_fills_a_core_the_others_are_spread_all_the_same():
    """Loads .9 and four of .1 on three cores: whatever the four do, all is served and the fullest core has .9. Two and
    two are evenest: .81 + .04 + .04 = .89; all four together would be .81 + .16 = .97."""
    vnfs = [{"cycles": 900, "rate_pps": 1e6}, *[{"cycles": 100, "rate_pps": 1e6}] * 4]
    question = {"vnfs": vnfs, "cores": 3, "clock_hz": 1e9, "assigner": "calibrated", "model": NOTHING}
    cores = asked("solve", question)["cores"]
    assert sorted(cores.count(core) for core in range(3)) == [1, 2, 2]
    assert cores.count(cores[0]) == 1


def test_nothing_moves_for_evenness_alone():
    """The same four stand on one core, and all might move: what is lost while one moves is not made good by anything,
    since nothing is lost where they are."""
    vnfs = [{"cycles": 900, "rate_pps": 1e6}, *[{"cycles": 100, "rate_pps": 1e6}] * 4]
    question = {"vnfs": vnfs, "cores": 3, "clock_hz": 1e9, "model": NOTHING, "max_moves": 4}
    placed = {"0": 0, "1": 1, "2": 1, "3": 1, "4": 1}
    for assigner in ("calibrated", "throughput", "min_max"):
        found = asked("solve", {**question, "placed": placed, "assigner": assigner})
        assert (found["cores"], found["moves"]) == ([0, 1, 1, 1, 1], 0), assigner


def test_a_kind_that_is_not_known_is_judged_by_the_upper_quartile_and_named():
    world = World(5)
    model = fitted(world)
    known = len(model["kinds"])
    for row in model["core"][:known]:
        assert sorted(row[:known])[known // 2] <= row[known] <= max(row[:known])
    world.kinds = ["new" if kind == KINDS[0] else kind for kind in world.kinds]
    found = asked("solve", {**world.question(), "assigner": "calibrated", "model": model})
    assert found["unknown_kinds"] == ["new"]
    assert "unknown_kinds" not in calibrated(World(5), model)


def test_a_vnf_whose_kind_is_not_said_is_a_kind_by_itself():
    world = World(5, vnfs=8)
    question = world.question()
    for vnf in question["vnfs"]:
        del vnf["kind"]
    model = asked("fit", {**question, "placements": world.placements()})["model"]
    assert model["kinds"] == [f"#{index}" for index in range(8)]
    found = asked("solve", {**question, "assigner": "calibrated", "model": model})
    assert found["system_mpps"] == pytest.approx(world.served(found["cores"])[0], rel=1e-6)


def test_a_model_is_no_hindrance_to_other_assigners():
    world = World(1)
    question = {**world.question(), "model": fitted(world), "weights": {"seed": 1, "cores": 4}}
    for assigner in ("rr", "lpt", "min_max", "throughput", "calibrated", "network"):
        assert len(asked("solve", {**question, "assigner": assigner})["cores"]) == 12


def test_others_weigh_the_same_where_that_is_the_truth():
    world = World(6)
    loads = world.cycles, world.rates
    placements = world.placements()
    for placement in placements:  # what others add does not hang on their load
        at = placement["cores"]
        placement["cycles_seen"] = [
            cycles * (1 + 0.1 * sum(at[one] == core for core in at) - 0.1) for one, cycles in enumerate(loads[0])
        ]
    model = asked("fit", {**world.question(), "placements": placements})["model"]
    assert model["weight"] == "presence"


def test_the_model_of_losses_is_the_one_that_was_seen():
    world = World(7, load=1.2)
    placements = world.placements(count=60)
    for placement in placements:
        question = world.question()
        for vnf, cycles in zip(question["vnfs"], placement["cycles_seen"], strict=True):
            vnf["cycles"] = cycles
        placement["system"] = asked("evaluate", {**question, "assignment": placement["cores"], "extended": True})[
            "system_mpps"
        ]
    assert asked("fit", {**world.question(), "placements": placements})["model"]["served"] == "extended"


def changed(path, value):
    """A question of `fit`, one thing of it otherwise."""
    world = World(0)
    question = {**world.question(), "placements": world.placements(count=3)}
    *way, last = path
    inner = question
    for key in way:
        inner = inner[key]
    inner[last] = value
    return question


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("placements",), []),
        (("placements", 1, "cores"), [0]),
        (("placements", 1, "cycles_seen"), [1.0]),
        (("placements", 2, "cores", 3), 9),
        (("placements", 2, "cycles_seen", 3), 0),
        (("placements", 2, "cycles_seen", 3), float("nan")),
        (("placements", 0, "system"), -1),
        (("vnfs", 2, "cycles"), -1),
        (("vnfs", 2, "rate_pps"), 0),
        (("chains", 1, 0), 40),
        (("clock_hz",), 0),
    ],
)
def test_bad_input_names_its_field(path, value):
    with pytest.raises(BadEngineInput) as refused:
        asked("fit", changed(path, value))
    assert refused.value.field == ".".join(str(part) for part in path)


def test_what_is_not_seen_is_left_out_but_not_everything_may_be():
    question = changed(("placements", 0, "cycles_seen", 2), None)
    assert asked("fit", question)["model"]["errors"]["median"] < 0.05
    for placement in question["placements"]:
        placement["cycles_seen"] = [None] * 12
    with pytest.raises(BadEngineInput, match="nothing was seen"):
        asked("fit", question)


@pytest.mark.parametrize("seen", [1e12, 1e-3])
@pytest.mark.parametrize("count", [1, 20])
def test_what_no_model_explains_is_fitted_as_far_as_it_goes(seen, count):
    """The same placement again and again, with figures that make no sense: a model all the same, which solve takes."""
    world = World(1)
    placement = {**world.placements(count=1)[0], "cycles_seen": [seen] * 12}
    model = asked("fit", {**world.question(), "placements": [placement] * count})["model"]
    assert len(calibrated(world, model)["cores"]) == 12


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"kinds": ["a"]}, "model.core"),
        ({"weight": "mass"}, "model.weight"),
        ({"served": "all"}, "model.served"),
        ({"socket": [[-1.0]]}, "model.socket.0.0"),
        ({"hand_off": {"from_socket": 1}}, "model.hand_off.from_remote"),
    ],
)
def test_a_model_of_another_shape_is_refused(change, field):
    assert calibrated(World(0), NOTHING)["unknown_kinds"]
    with pytest.raises(BadEngineInput) as refused:
        calibrated(World(0), {**NOTHING, **change})
    assert refused.value.field == field
    with pytest.raises(BadEngineInput) as refused:
        asked("solve", {**World(0).question(), "assigner": "calibrated"})
    assert refused.value.field == "model"


def test_where_nothing_tells_losses_unload_what_comes_after():
    """Two chains of one VNF share a core that is asked for 1.2: both ideal models serve 1 / 1.2 of 2 Mpps, 1.667, and
    1.6 was seen. As both are off alike, it is what backpressure does that counts. Where nothing was lost, nothing was
    seen of it, and it stays as published."""
    vnfs = [{"cycles": 600.0, "rate_pps": 1e6, "kind": kind} for kind in ("a", "b")]
    question = {"vnfs": vnfs, "chains": [[0], [1]], "cores": 1, "clock_hz": 1e9}
    seen = {"cores": [0, 0], "cycles_seen": [600.0, 600.0]}
    assert fit_of(question, {**seen, "system": 1.6})["served"] == "extended"
    assert fit_of({**question, "clock_hz": 2e9}, {**seen, "system": 2.0})["served"] == "literal"


def fit_of(question, *placements):
    return asked("fit", {**question, "placements": list(placements)})["model"]


def at_changing_rates(world, count=200, absent=0.2):
    """Placements as a host runs them over a day: rates change by chain, from a third to four thirds, and some chains
    do not run."""
    dice, found, usual = random.Random(8), [], list(world.rates)
    for _ in range(count):
        at = [dice.randrange(len(world.cores)) for _ in usual]
        world.rates = list(usual)
        for chain in world.chains:
            factor = 0 if dice.random() < absent else dice.uniform(1 / 3, 4 / 3)
            for vnf in chain:
                world.rates[vnf] *= factor
        runs = [rate > 0 for rate in world.rates]
        seen = [cycles if here else None for cycles, here in zip(world.seen(at), runs, strict=True)]
        found.append({"cores": at, "cycles_seen": seen, "rates_pps": list(world.rates)})
    world.rates = usual
    return found


def test_rates_that_change_and_vnfs_that_come_and_go_are_told_apart():
    """By the rates of each placement the truth is found; by the usual ones it is not, and the placements that a fit did
    not use say so."""
    world = World(9, hurt=0.4)
    placements = at_changing_rates(world)
    model = asked("fit", {**world.question(), "placements": placements})["model"]
    for a, one in enumerate(model["kinds"]):
        for b, other in enumerate(model["kinds"]):
            if one != other or world.kinds.count(one) > 1:
                assert model["core"][a][b] == pytest.approx(world.hurt[one, other], abs=1e-6)
    assert model["errors"]["left_out"] < 1e-6
    usual = [{key: value for key, value in one.items() if key != "rates_pps"} for one in placements]
    blurred = asked("fit", {**world.question(), "placements": usual})["model"]
    assert blurred["errors"]["left_out"] > 0.02


def test_the_error_is_of_placements_that_a_fit_did_not_use():
    """Noise that no model can know: on 9 placements of 12 VNFs a model of 36 figures follows it, and is further off
    where it was not fitted."""
    world = World(2)
    errors = fitted(world, count=9, noise=0.05)["errors"]
    assert errors["left_out"] > 1.2 * errors["p90"]
    assert "left_out" not in fitted(world, count=4)["errors"]


@pytest.mark.parametrize(
    ("rates", "field"), [([1.0], "placements.1.rates_pps"), ([0.0] + [1e5] * 11, "placements.1.cycles_seen.0")]
)
def test_rates_are_of_the_vnfs_that_ran(rates, field):
    with pytest.raises(BadEngineInput) as refused:
        asked("fit", changed(("placements", 1, "rates_pps"), rates))
    assert refused.value.field == field
