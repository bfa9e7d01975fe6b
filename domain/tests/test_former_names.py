"""JSON of 0.1 is read: snapshot files, stored results and summaries of studies. It is written by the present names."""

from datetime import UTC, datetime

import pytest
from pydantic import ValidationError
from sextant_domain.plans.evidence import Algorithm
from sextant_domain.plans.trust import Outcome, OutcomeTest, Trust
from sextant_domain.profiling.profile import Estimate
from sextant_domain.studies.result import STUDY_RESULT, Origin, Placed
from sextant_domain.studies.scenario import understood
from sextant_domain.studies.summary import PlacedTotal, PredictorErrors

SCENARIO = understood(
    {
        **{"name": "small", "summary": "One NF.", "kind": "prediction", "placements": 1, "seeds": [1]},
        **{"server": {"machine": "xeon-e5-2650-v4"}, "nf": [{"name": "router"}]},
        "set": [{"name": "a", "chains": [["router"]]}],
    }
)
OUTCOME = {
    **{"id": 1, "plan_id": 7, "chain": "web", "host": "edge-1", "host_model": "xeon", "nf_id": "web.firewall"},
    **{"nf_type": "firewall", "predictor": "octans", "version": "fit-1", "predicted_mpps": 6.0, "low_mpps": None},
    **{"high_mpps": None, "measured_mpps": 5.9, "offered_mpps": 9.0, "seconds": 10.0, "provenance": "measured"},
    "at": datetime(2026, 11, 1, tzinfo=UTC).isoformat(),
}
TRUST = {
    **{"nf_type": "firewall", "host_model": "xeon", "predictor": "octans", "version": "fit-1", "error_percent": 2.0},
    **{"bias_percent": -2.0, "coverage_percent": None, "band_percent": 5.0, "verdict": "trusted", "why": "6 outcomes"},
}


@pytest.mark.parametrize(
    ("value", "test"),
    [("telling", OutcomeTest.INFORMATIVE), ("offered_too_little", OutcomeTest.OFFERED_TOO_LITTLE)],
)
def test_trust_with_its_last_outcome(value: str, test: OutcomeTest) -> None:
    former = {**TRUST, "telling": 6, "untold": 2, "last": {**OUTCOME, "told": value}}
    found = Trust.model_validate(former)
    assert (found.informative, found.uninformative) == (6, 2)
    assert found.last is not None
    assert found.last.test is test
    written = found.model_dump(mode="json")
    assert not {"telling", "untold"} & set(written)
    assert "told" not in written["last"]
    assert Trust.model_validate(written) == found


def test_a_value_of_neither_release_is_refused() -> None:
    with pytest.raises(ValidationError):
        Outcome.model_validate({**OUTCOME, "told": "misleading"})


def test_errors_of_a_predictor() -> None:
    errors = PredictorErrors(
        predictor="octans",
        points=Estimate(value=2.0, half_width=None, count=1),
        throughput_percent=Estimate(value=2.0, half_width=None, count=1),
        relative_percent=None,
        informative=3,
    )
    former = errors.model_dump(mode="json")
    former["telling"] = former.pop("informative")
    assert PredictorErrors.model_validate(former) == errors


def test_a_total_of_a_placement_study() -> None:
    mpps = Estimate(value=12.0, half_width=None, count=1)
    total = PlacedTotal(algorithm=Algorithm.EXACT, carried_mpps=mpps, predicted_mpps=mpps)
    former = total.model_dump(mode="json")
    former["promised_mpps"] = former.pop("predicted_mpps")
    assert PlacedTotal.model_validate(former) == total


def test_a_result_of_a_placement_study() -> None:
    row = {
        **{"draw": "centre", "seed": 1, "set": "a", "algorithm": "exact", "nodes": [[0]]},
        **{"promised_mpps": 8.0, "carried_mpps": [9.0]},
    }
    found = Placed.model_validate(row)
    assert found.predicted_mpps == 8.0
    written = found.model_dump(mode="json")
    assert "promised_mpps" not in written
    assert Placed.model_validate(written) == found


def test_a_result_of_a_prediction_study() -> None:
    row = {
        **{"draw": "centre", "seed": 1, "set": "a", "number": 0, "chain": 0, "nodes": [0], "carried_mpps": 9.0},
        **{"ideal_mpps": 10.0, "predicted_mpps": {"octans": 8.0}},
    }
    origin = dict.fromkeys(Origin.model_fields, "1")
    former = {
        "scenario": SCENARIO.model_dump(mode="json"),
        "origin": origin,
        "fits": [],
        "placed": [],
        "foretold": [row],
    }
    found = STUDY_RESULT.validate_python(former)
    assert [one.predicted_mpps["octans"] for one in found.predictions] == [8.0]
    written = found.model_dump(mode="json")
    assert "foretold" not in written
    assert STUDY_RESULT.validate_python(written) == found
