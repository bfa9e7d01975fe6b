"""Why models cannot be promoted: every cause with its next step."""

from dataclasses import replace

import pytest
from engine_profiles import setting
from sextant_domain.profiling.fit import Coefficients, SideFit
from sextant_domain.profiling.job import PointPurpose
from sextant_domain.profiling.model import DropCoefficients, LocalRemote, PerformanceModel
from sextant_engine.modelling.promotion import NEEDED, Grounds, notes, refusals, staleness

GOOD = Coefficients(alpha=0.3, beta=0.1, c=0.01)


def beside(purpose, *numbers):
    """Samples of a purpose, each beside that many routers."""
    return tuple(setting(purpose.value, "firewall@0", "router@0 " * number) for number in numbers)


ENOUGH = tuple(one for purpose, number in NEEDED.items() for one in beside(purpose, *range(1, number + 1)))


def side(name="local", lms=GOOD, **fields):
    usual = {"samples": 9, "rank": 3, "columns": 3, "condition": 5.0, "rmse_points": 0.1}
    return SideFit(side=name, lms=lms, constrained=GOOD, **(usual | fields))


FINE = Grounds(
    one_node=False,
    ideal=LocalRemote(local=10.0, remote=8.0),
    metric="stalls",
    weight=0.1,
    settings=ENOUGH,
    sides=(side(), side("remote")),
)


def test_nothing_is_said_against_a_model_of_enough_samples_that_determine_all_coefficients():
    assert refusals(FINE) == ()


def test_without_its_throughput_alone_there_is_nothing_a_drop_is_of():
    found = refusals(replace(FINE, ideal=None))
    assert found == (
        "its throughput alone on a local and on a remote node is not known; profile it again, its 'ideal' points first",
    )


def test_without_a_metric_it_has_no_weight():
    (found,) = refusals(replace(FINE, weight=None))
    assert found.startswith("stalls is not known of it alone: it has no weight; profile it again")


@pytest.mark.parametrize("purpose", NEEDED)
def test_too_few_samples_are_reported_by_purpose_with_how_many_are_needed(purpose):
    left = [one for one in ENOUGH if one.purpose is not purpose]
    (found,) = refusals(replace(FINE, settings=left))
    assert found.startswith(f"too few samples: 0 of {NEEDED[purpose]} '{purpose}'; profile it again")


def test_why_the_host_could_not_measure_a_point_is_reported():
    left = [one for one in ENOUGH if one.purpose is not PointPurpose.BEHIND]
    why = {PointPurpose.BEHIND: "node 1 has one free core"}
    (found,) = refusals(replace(FINE, settings=left, not_measurable=why))
    assert "0 of 1 'behind' (node 1 has one free core)" in found


def test_coefficients_that_cannot_be_told_apart_are_named_with_the_points_that_would():
    blind = side("remote", rank=2, condition=None, collinear=("alpha and c: they go together in every sample",))
    assert refusals(replace(FINE, sides=(side(), blind))) == (
        "remote: samples tell 2 of 3 coefficients apart, alpha and c: they go together in every sample; measure more "
        "points: 'behind' separates what a lost cache costs from what is always lost",
    )


def test_one_node_needs_three_local_samples():
    line = side(rank=2, columns=2)
    alone = replace(FINE, one_node=True, sides=(line,), settings=beside(PointPurpose.LOCAL, 1, 2))
    assert refusals(alone) == ("too few samples: 2 of 3 'local'; profile it again so that these points are measured",)
    assert refusals(replace(alone, settings=beside(PointPurpose.LOCAL, 1, 2, 3))) == ()


def test_one_number_of_competitors_predicts_nothing_of_another():
    """Of whatever types, and however many samples; but for hosts on which there is never a second one."""
    others = [one for one in ENOUGH if one.purpose is not PointPurpose.LOCAL]
    thin = replace(FINE, settings=[*others, *beside(PointPurpose.LOCAL, 1, 1, 1, 1)], most_beside=5)
    (found,) = refusals(thin)
    assert found.startswith("too few samples: 'local' only beside 1 of up to 5 competitors; profile it again")
    assert refusals(replace(thin, most_beside=1)) == ()
    assert refusals(replace(thin, settings=[*others, *beside(PointPurpose.LOCAL, 1, 2)])) == ()


def test_where_no_competitor_fits_beside_a_local_nf_another_profile_cannot_help():
    (found,) = refusals(replace(FINE, one_node=True, settings=(), most_beside=0))
    assert found.endswith("have one core for NFs where packets arrive: profile it on hosts of another model")


def test_points_for_which_a_host_of_two_nodes_has_no_room_are_not_asked_for():
    """One core where packets arrive: nothing stands beside a local NF. One on the other node: nothing beside or behind
    a remote one, and its coefficients have nothing to act on."""
    across, crossing = beside(PointPurpose.ACROSS, 1), beside(PointPurpose.CROSSING, 0)
    assert (
        refusals(replace(FINE, settings=(*across, *crossing), sides=(side(),), most_beside=0, most_elsewhere=1)) == ()
    )
    (no_crossing,) = refusals(replace(FINE, settings=across, sides=(side(),), most_beside=0, most_elsewhere=1))
    assert no_crossing.startswith("too few samples: 0 of 1 'crossing'; profile it again")
    without_local = [one for one in ENOUGH if one.purpose is not PointPurpose.LOCAL]
    assert refusals(replace(FINE, settings=without_local, most_beside=0)) == ()
    without_remote = [one for one in ENOUGH if one.purpose not in {PointPurpose.REMOTE, PointPurpose.BEHIND}]
    assert refusals(replace(FINE, settings=without_remote, sides=(side(),), most_elsewhere=1)) == ()
    (found,) = refusals(replace(FINE, settings=without_remote, most_elsewhere=2))
    assert "0 of 2 'remote', 0 of 1 'behind'" in found


def test_negative_coefficients_of_least_mean_squares_are_reported_and_refused_only_where_they_are_used():
    negative = side(lms=Coefficients(alpha=-0.02, beta=0.1, c=0.0))
    grounds = replace(FINE, sides=(negative, side("remote")))
    assert refusals(grounds) == ()
    assert notes(grounds.sides) == (
        "local: alpha is -0.020 by least mean squares; by least squares that allow none below 0, which are used, it is "
        "0.300",
    )
    assert refusals(replace(grounds, by_lms=True)) == (
        "local: alpha is -0.020 by least mean squares, as if competitors helped; use constrained least squares, or "
        "measure more points",
    )
    assert notes(grounds.sides, by_lms=True) == ()


def test_a_rounding_below_0_is_0():
    assert notes((side(lms=Coefficients(alpha=-1e-9, beta=0.1, c=0.0)),)) == ()


def test_a_model_of_an_earlier_version_is_stale():
    assert staleness(2, 2) is None
    assert staleness(2, 3) == "profiled at version 2, the NF type is at version 3: profile it again"
    assert staleness(2, None) == "there is no such NF type any more"


REMOTE_HEAVY = DropCoefficients(alpha=0.3, beta=0.1, c=-0.3)


def model(remote_c):
    """10 Mpps locally, 8 elsewhere."""
    return PerformanceModel(
        nf_type="a",
        host_model="test",
        version="fit-1",
        provenance="predicted",
        stalls=10.0,
        ideal_mpps=LocalRemote(local=10.0, remote=8.0),
        local=DropCoefficients(alpha=0.2, beta=0.1, c=0.0),
        remote=DropCoefficients(alpha=0.3, beta=0.1, c=remote_c),
    )


def test_a_chain_that_prefetches_is_better_than_one_that_crosses():
    """Alone: behind 8 (1 + .3) = 10.4, crossing 10 (1 - .2) = 8. Full (f = 1): 8 (1 - .4 + .3) = 7.2 and 10 (1 - .3)
    = 7."""
    assert notes((), model=model(-0.3), full_node=1.0) == ()


@pytest.mark.parametrize(("remote_c", "words"), [
    (-0.2, "beside a full remote node it does 7 Mpps on the local node behind an NF elsewhere, and 6.4 behind one"),
    (0.05, "with nobody else it does 8 Mpps on the local node behind an NF elsewhere, and 7.6 behind one"),
])  # fmt: skip
def test_where_it_is_not_the_algorithm_of_the_paper_is_warned_of(remote_c, words):
    """Full: 8 (1 - .4 + .2) = 6.4, below 7; alone: 8 (1 - .05) = 7.6, below 8. On one node nobody asks."""
    (note,) = notes((), model=model(remote_c), full_node=1.0)
    assert note.startswith(words)
    assert notes((), model=model(remote_c)) == ()


def test_a_full_node_weighs_what_the_scale_makes_it_weigh():
    """A full node of 1/16: 8 (1 - .4/16 + .2) = 9.4 behind, above 10 (1 - .2 - .1/16) = 7.94 crossing: no warning,
    where f = 1 gave one."""
    assert notes((), model=model(-0.2), full_node=1 / 16) == ()


def test_no_throughput_below_zero_is_predicted():
    """A remote alpha + beta of .4 at a level of 4 takes 1.6 of it: what is left behind is 0, and 10 (1 - .2 - .4) = 4
    crossing."""
    (note,) = notes((), model=model(0.0).model_copy(update={"remote": REMOTE_HEAVY}), full_node=4.0)
    assert note.startswith("beside a full remote node it does 4 Mpps on the local node behind an NF elsewhere, and 0 ")
