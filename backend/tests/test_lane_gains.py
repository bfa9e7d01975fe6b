"""What a chain gains by lanes, over all of them. With 24 bytes more on the wire, 1 Mpps of 976 bytes are 8 Gbps."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from fleet_world import a_fleet, apply, submit, work
from sextant_backend.kit.db import db_now, session_scope
from sextant_backend.modules.control.gains import gained_gbps
from sextant_backend.modules.control.lane_gains import outcome, together
from sextant_backend.modules.operations.readings import ChainReading, Reading
from sextant_backend.modules.telemetry import service as telemetry
from sextant_domain.chains.traffic import wire_gbps
from sextant_domain.hosts.telemetry import ChainSample, TelemetryBatch
from sextant_domain.plans.operation import ChainOutcome, Operation
from test_lane_scaling import CHAINS, asked

SIZES = {"web": 976.0, "web-lane-2": 976.0}


def reading(**chains: tuple[float, float]) -> Reading:
    """Of one host: offered and carried Mpps by chain, `_` for `-`."""
    return Reading(
        at=datetime(2026, 1, 1, tzinfo=UTC),
        chains={
            name.replace("_", "-"): ChainReading(
                samples=10,
                offered_mpps=offered,
                carried_mpps=carried,
                drop_mpps=offered - carried,
                variance=0.0,
                drop_variance=0.0,
            )
            for name, (offered, carried) in chains.items()
        },
    )


def test_lanes_on_two_hosts_count_together() -> None:
    """1 of 1.2 Mpps were carried, now .6 and .6: .2 more, 1.6 Gbps. The other host's chain is none of them."""
    before = [reading(web=(1.2, 1.0)), reading(nat=(0.5, 0.5))]
    after = [reading(web=(0.6, 0.6)), reading(nat=(0.5, 0.5), web_lane_2=(0.6, 0.6))]
    sum_of = together("web", before, after, ["web"], SIZES)
    assert sum_of is not None
    assert (sum_of.before_gbps, sum_of.after_gbps) == (pytest.approx(8.0), pytest.approx(9.6))
    assert gained_gbps(sum_of) == pytest.approx(1.6)


def test_a_lane_over_several_hosts_is_offered_what_enters_and_carries_what_leaves() -> None:
    """1 of 1.2 Mpps left with the last part; now .6 do, and .6 with the lane on one host."""
    before = [reading(web=(1.2, 1.2)), reading(web_part_2=(1.2, 1.0))]
    after = [reading(web=(0.6, 0.6)), reading(web_part_2=(0.6, 0.6)), reading(web_lane_2=(0.6, 0.6))]
    sum_of = together("web", before, after, ["web"], SIZES, {"web": "web-part-2", "web-part-2": "web-part-2"})
    assert sum_of is not None
    assert (sum_of.before_gbps, sum_of.after_gbps) == (pytest.approx(8.0), pytest.approx(9.6))
    assert together("web", before[:1], after, ["web"], SIZES, {"web": "web-part-2"}) is None


def test_where_less_is_offered_by_then_nothing_is_gained_or_lost() -> None:
    after = [reading(web=(0.4, 0.4), web_lane_2=(0.4, 0.4))]
    sum_of = together("web", [reading(web=(1.2, 1.0))], after, ["web"], SIZES)
    assert sum_of is not None
    assert gained_gbps(sum_of) == pytest.approx(0.0)


def test_a_lane_that_nobody_measured_leaves_the_gain_unknown() -> None:
    before = [reading(web=(1.2, 1.0))]
    assert together("web", before, [reading(web=(0.6, 0.6))], ["web"], SIZES) is None
    assert together("web", [reading()], [reading(web=(0.6, 0.6), web_lane_2=(0.6, 0.6))], ["web"], SIZES) is None


def reported(host: str, sequence: int, at: datetime, **chains: tuple[float, float]) -> None:
    """The host says what its chains were offered and carried at that moment, Mpps; `_` for `-`."""
    batch: dict[str, Any] = {
        "host_id": host, "epoch": "e1", "sequence": sequence, "taken_at": at, "interval_s": 1.0,
        "provenance": "measured", "applied_generation": 1, "phase": "converged", "nfs": (), "cores": (),
        "chains": tuple(
            ChainSample(
                chain=name.replace("_", "-"), offered_mpps=offered, delivered_mpps=carried, drop_mpps=offered - carried
            )
            for name, (offered, carried) in chains.items()
        ),
    }  # fmt: skip
    with session_scope() as session:
        telemetry.ingest(session, TelemetryBatch.model_validate(batch))


def found(operation: Operation) -> ChainOutcome | None:
    with session_scope() as session:
        return outcome(session, operation)


def test_it_is_read_from_what_all_hosts_of_the_plan_have_reported(client: TestClient, tmp_path: Path) -> None:
    """web carried 1 of 1.2 Mpps in the second before; 1.5 s after, and for 5 more, each of its two lanes carries all of
    .6. What the second host says last is waited for, and the second between, in which the lane started, is not read."""
    with a_fleet(tmp_path, "edge-1", "edge-2"):
        work(apply(client, submit(client, "web", "router")).id)
        [home] = {nf["seat"]["host"] for nf in client.get(f"{CHAINS}/web").json()["placement"]}
        [other] = {"edge-1", "edge-2"} - {home}
        intent = {"kind": "lanes", "chain": "web", "weights": [1, 1], "hosts": {"web-lane-2": other}}
        done = work(apply(client, asked(client, intent)).id)
        bytes_of = client.get(f"{CHAINS}/web").json()["spec"]["traffic"]["packet_bytes"]
    with session_scope() as session:
        ended = db_now(session) - timedelta(seconds=20)
    began, settled = ended - timedelta(seconds=2), ended + timedelta(seconds=1.5)
    operation = done.model_copy(update={"started_at": began, "finished_at": ended})
    reported(home, 1, began - timedelta(seconds=1), web=(1.2, 1.0))
    reported(home, 2, ended - timedelta(seconds=1), web=(1.2, 0.1))
    reported(home, 3, settled + timedelta(seconds=2), web=(0.6, 0.6))
    reported(home, 4, settled + timedelta(seconds=5), web=(0.6, 0.6))
    reported(other, 1, settled + timedelta(seconds=2), web_lane_2=(0.6, 0.6))
    assert found(operation) is None, "the other host has not reported for long enough"
    reported(other, 2, settled + timedelta(seconds=5), web_lane_2=(0.6, 0.6))
    gain = found(operation)
    assert gain is not None
    assert gain.before_gbps == pytest.approx(wire_gbps(1.0, bytes_of))
    assert gain.after_gbps == pytest.approx(wire_gbps(1.2, bytes_of))
    late = operation.model_copy(update={"finished_at": ended - timedelta(seconds=120)})
    assert found(late) is None, "it is not waited for any longer"
