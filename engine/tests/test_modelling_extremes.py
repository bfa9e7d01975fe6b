"""Fits of what nobody hopes for: no data, everything equal, zeros, upgrades in the middle, hosts that differ."""

import math
from collections.abc import Iterator
from typing import Any

import pytest
from modelling_samples import NOW, STALLS, TRUE, ideal_records, octans_records, record, setting
from sextant_domain.profiling.fit import Fit, ModelState
from sextant_domain.profiling.job import PointPurpose
from sextant_engine.modelling.fitting import fit
from sextant_engine.modelling.predictor import profiles_of

CORES = 4


def fitted(records, **options) -> Fit:
    """With every number finite."""
    found = fit(records, fit_id=1, now=NOW, host_model="test", cores_a_node=CORES, **options)
    assert all(math.isfinite(number) for number in numbers(found.model_dump()))
    return found


def numbers(value: Any) -> Iterator[float]:
    if isinstance(value, float):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from numbers(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from numbers(one)


def test_500_points_that_could_not_be_measured_give_a_refusal_with_the_reason():
    records = [record(n, setting("a0", "b0"), 1.0, not_measurable="no free core") for n in range(500)]
    found = fitted(records)
    assert (found.samples, [one.state for one in found.models]) == (0, [ModelState.REFUSED])
    assert any("(no free core)" in refusal for refusal in found.models[0].refusals)


def test_one_point_measured_500_times_is_one_sample():
    records = ideal_records("a", 1000) + [record(n, setting("a0", "a0"), 9.0, drop=0.1) for n in range(500)]
    found = fitted(records)
    assert (found.samples, found.models[0].samples) == (1, 1)
    assert found.models[0].refusals[0].startswith("too few samples: 1 of 2 'local'")


def test_drops_that_are_all_the_same_are_a_constant():
    """Nothing presses: slopes 0, c the drop. Remotely, too."""
    unchained = [one for one in octans_records() if len(one.setting.chain) == 1]
    records = [
        one if one.setting.purpose is PointPurpose.IDEAL else record(one.point_id, one.setting, 9.0, drop=0.1)
        for one in unchained
    ]
    version = fitted(records).models[0]
    for side in version.sides:
        assert (side.constrained.beta, side.rmse_points) == pytest.approx((0, 0), abs=1e-9)
    assert version.sides[0].constrained.c == pytest.approx(0.1)


def test_counters_that_are_all_0_leave_the_cycles():
    records = [
        *(one for kind in TRUE for one in zeroed(ideal_records(kind, 10_000 + 10 * ord(kind)))),
        *(one for one in octans_records(most=1) if one.setting.purpose is not PointPurpose.IDEAL),
    ]
    found = fitted(records)
    assert (found.metric.chosen, found.metric.used) == (None, "cycles")


def zeroed(records):
    return [record(one.point_id, one.setting, one.result.nf.mpps.value, counts={"stalls": 0.0}) for one in records]


def test_throughput_of_0_alone_is_no_ideal():
    records = [record(1, setting("a0", purpose=PointPurpose.IDEAL), 0.0), record(2, setting("a0", "a0"), 0.0, drop=0.0)]
    (version,) = fitted(records, nodes=1).models
    assert version.refusals[0].startswith("its throughput alone is not known")


def test_after_an_upgrade_only_points_with_the_new_version_count():
    """b is upgraded when all points are measured: its own samples, and those of others beside or behind it, are of what
    is no more. a beside d stays, and says nothing about b."""
    records = [*octans_records(), *ideal_records("b", 20_000, versions={"b": 2})]
    profiles = profiles_of(records)
    assert profiles.versions == {"a": 1, "b": 2, "d": 1}
    assert set(profiles.samples) == {"a", "d"}
    for sample in profiles.every_sample():
        assert "b" not in {nf.nf_type for nf in (*sample.setting.chain, *sample.setting.others)}
    versions = {one.nf_type: one for one in fitted(records).models}
    assert versions["b"].nf_version == 2 and versions["b"].samples == 0


def test_a_chain_is_compared_with_the_nf_alone_on_the_same_host():
    """Two hosts of a host model: alone 10 and 12 Mpps, behind b on the other node 9 (on the first): 10 % lost, not
    1 - 9 / 11. On a third, where it was not measured alone, the mean of both counts: 1 - 9.9 / 11 = 10 %."""

    def on(host, point_id, asked, mpps):
        return record(point_id, asked, mpps).model_copy(update={"host": host})

    alone, behind = setting("a0", purpose=PointPurpose.IDEAL), setting("b1 a0")
    ideals = [on("one", 1, alone, 10.0), on("two", 2, alone, 12.0)]
    for host, mpps in (("one", 9.0), ("three", 9.9)):
        profiles = profiles_of([*ideals, on(host, 3, behind, mpps)], nodes=2)
        assert profiles.samples["a"][0].drop == pytest.approx(0.1)


@pytest.mark.parametrize("noise", [0.0, 0.02])
@pytest.mark.parametrize("scale", [10.0, 2.5])
def test_a_full_node_of_the_heaviest_never_weighs_more_than_1(noise, scale):
    """f <= 1 whatever part of the largest scale is chosen, so that in Eq. 9 and 11 sharing the cache never costs more
    than losing it."""
    found = fitted(octans_records(noise=noise, scale=scale))
    weights = [1 / one.model.stalls for one in found.models if one.model is not None]
    assert len(weights) == len(STALLS)
    assert CORES * max(weights) <= 1 + 1e-9
