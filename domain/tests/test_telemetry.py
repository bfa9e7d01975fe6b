"""Samples of telemetry: what is absent, and what is refused."""

import json
from typing import Any

import pytest
from pydantic import ValidationError
from sextant_domain.hosts.telemetry import MAX_HOPS, ChainSample, TelemetryBatch, as_sent


def sample(**changes: Any) -> ChainSample:
    body = {"chain": "web", "offered_mpps": 1.0, "delivered_mpps": 1.0, "drop_mpps": 0.0, **changes}
    return ChainSample.model_validate_json(json.dumps(body))


def hop(**changes: Any) -> dict[str, Any]:
    return {"device": "leaf-1", "queue": 3, "latency_us": 1.5, **changes}


def test_a_sample_without_a_path_has_none_in_its_json() -> None:
    """So an older console takes it."""
    assert "path" not in sample().model_dump(mode="json")


def test_a_path_is_kept_hop_by_hop_in_order() -> None:
    kept = sample(path=[hop(), {"device": "edge-1", "latency_us": 12.25}])
    assert ChainSample.model_validate_json(kept.model_dump_json()) == kept
    assert kept.model_dump(mode="json")["path"] == [hop(), {"device": "edge-1", "latency_us": 12.25}]


def test_a_path_has_32_hops_at_most() -> None:
    assert len(sample(path=[hop()] * MAX_HOPS).path or ()) == MAX_HOPS == 32
    with pytest.raises(ValidationError, match="at most 32 items"):
        sample(path=[hop()] * (MAX_HOPS + 1))


@pytest.mark.parametrize(
    "changes",
    [
        {"device": ""},
        {"device": "Leaf 1"},
        {"device": "a" * 64},
        {"queue": -1},
        {"queue": 65_536},
        {"latency_us": -0.1},
        {"latency_us": 1.1e7},
        {"latency_us": float("nan")},
        {"p95_us": -0.1},
        {"waits_us": 1.1e7},
        {"queue_packets": -1},
        {"nf_id": "web"},
        {"colour": "green"},
    ],
)
def test_a_hop_out_of_bounds_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        sample(path=[hop(**changes)])


def test_a_transit_without_figures_says_that_clocks_are_apart() -> None:
    transits = [{"to": "web.nat", "p50_us": 3.0, "p95_us": 9.5}, {"to": None, "p50_us": None, "p95_us": None}]
    assert sample(transits=transits).model_dump(mode="json")["transits"] == transits
    assert "transits" not in sample().model_dump(mode="json"), "an older console takes it"
    for figure in (-1, 1.1e7):
        with pytest.raises(ValidationError):
            sample(transits=[{"to": None, "p50_us": figure, "p95_us": 1}])


def test_what_has_its_default_is_left_out_of_a_report_and_read_again() -> None:
    """0 is no default where a figure must be given: `drop_mpps` is there, `filtered_mpps` is not."""
    nf = {
        "nf_id": "web.nat",
        "chain": "web",
        "core": 2,
        "rx_mpps": 1.5,
        "tx_mpps": 1.5,
        "drop_mpps": 0,
        "cpu_percent": 9,
    }
    batch = TelemetryBatch.model_validate(
        {
            "host_id": "edge-1",
            "epoch": "one",
            "sequence": 3,
            "taken_at": "2026-03-01T12:00:00Z",
            "interval_s": 1,
            "provenance": "measured",
            "applied_generation": 0,
            "phase": "converged",
            "nfs": [nf],
            "cores": [{"core": 0, "busy_percent": 0, "other_percent": 0}],
        }
    )
    sent = json.loads(as_sent(batch))
    assert sent["nfs"] == [nf]
    assert (sent["applied_generation"], sent["cores"], "chains" in sent) == (0, [*batch.model_dump()["cores"]], False)
    assert TelemetryBatch.model_validate_json(as_sent(batch)) == batch
