"""A learned assigner's weights are named by digest, beside what they were trained on."""

import pytest
from pydantic import ValidationError
from sextant_domain.laws.assigner import AssignerModel

DIGEST = f"sha256:{'0' * 64}"
TRAINING = {
    "trained_at": "2026-01-02T03:04:05Z",
    "seed": 7,
    "samples": 1000,
    "host_models": ["big-2x4"],
    "data": DIGEST,
}


def model(**changes):
    return {"name": "by-load", "version": 1, "weights": DIGEST, "training": TRAINING} | changes


def test_a_model_comes_back_from_json_as_it_was():
    found = AssignerModel.model_validate(model())
    assert AssignerModel.model_validate_json(found.model_dump_json()) == found
    assert found.kind == "assigner"


@pytest.mark.parametrize("changes", [
    {"weights": "weights.bin"}, {"weights": "../weights"}, {"version": 0}, {"kind": "curves"},
    {"training": TRAINING | {"host_models": []}}, {"training": TRAINING | {"samples": 0}},
])  # fmt: skip
def test_weights_that_nobody_can_find_or_repeat_are_refused(changes):
    with pytest.raises(ValidationError):
        AssignerModel.model_validate(model(**changes))
