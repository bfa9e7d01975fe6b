"""A learned assigner's weights are named by digest, beside what they were trained on."""

import pytest
from pydantic import ValidationError
from sextant_domain.profiling.assigner import PromotedNetwork, TrainingRecord

DIGEST = f"sha256:{'0' * 64}"
TRAINING = {
    "trained_at": "2026-01-02T03:04:05Z",
    "seed": 7,
    "samples": 1000,
    "host_models": ["big-2x4"],
    "data": DIGEST,
}
PROMOTED = {"cores": 4, "weights": DIGEST, "steps": 1000, "promoted_at": "2026-01-02T03:04:05Z", "document": "{}"}


def test_a_network_comes_back_from_json_as_it_was():
    found = PromotedNetwork.model_validate(PROMOTED)
    assert PromotedNetwork.model_validate_json(found.model_dump_json()) == found


@pytest.mark.parametrize("changes", [
    {"weights": "weights.bin"}, {"weights": "../weights"}, {"cores": 0}, {"steps": 0},
])  # fmt: skip
def test_weights_that_nobody_can_find_are_refused(changes):
    with pytest.raises(ValidationError):
        PromotedNetwork.model_validate(PROMOTED | changes)


@pytest.mark.parametrize("changes", [{"host_models": []}, {"samples": 0}, {"data": "none"}])
def test_a_training_that_nobody_can_repeat_is_refused(changes):
    with pytest.raises(ValidationError):
        TrainingRecord.model_validate(TRAINING | changes)
