"""Predictions of a plan in words."""

from typing import Any

import pytest
from sextant_cli.show_plan import note_of, unpredictable
from sextant_domain.base import Provenance
from sextant_domain.plans.placement import Seat
from sextant_domain.plans.plan import ChainPrediction, Change, ChangeKind

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


def test_nfs_whose_gain_nothing_predicts_are_named_with_the_reason() -> None:
    """A gain of 0 is a figure."""
    at = Seat(host="edge-1", node=0, core=2, slot=0)
    move = Change(
        kind=ChangeKind.MOVE,
        nf_id="web.nat",
        chain="web",
        nf_type="nat",
        source=at,
        target=at,
        gain_mpps=0.0,
        reason="",
    )
    unknown = {"gain_mpps": None, "no_gain": "no model predicts LLC ways"}
    voice = [move.model_copy(update={"nf_id": nf_id, **unknown}) for nf_id in ("voice.nids", "voice.vpn")]
    assert unpredictable([move, *voice]) == {"no model predicts LLC ways": ["voice.nids", "voice.vpn"]}
