"""Predictions of a plan in words."""

from typing import Any

import pytest
from sextant_cli.show_plan import note_of
from sextant_domain.base import Provenance
from sextant_domain.plans.plan import ChainPrediction

PREDICTION = ChainPrediction(
    chain="web-edge",
    throughput_mpps=2.5,
    bottleneck="web-edge.nids",
    provenance=Provenance.PREDICTED,
    throughput_slo=None,
    latency_slo=None,
)
WHOSE = "of nids; router, 3.1 times as quick as the slowest, has none"


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, "predicted"),
        ({"note": "capacity 2.50 Mpps"}, "capacity 2.50 Mpps"),
        ({"note": "capacity 2.50 Mpps", "interval_note": WHOSE}, f"capacity 2.50 Mpps; interval {WHOSE}"),
    ],
)
def test_a_note_says_whose_the_interval_is(fields: dict[str, Any], expected: str) -> None:
    assert note_of(PREDICTION.model_copy(update=fields)) == expected
