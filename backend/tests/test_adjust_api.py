"""Settings of a chain that runs, changed without a restart: what is ordered, and what is refused."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from adjust_world import FASTER, SETTINGS, adjusted, begun, gain, lose, patch, same
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, placed, plan, work
from sextant_domain.chains.cpu_bounds import QuotaBounds, ShareBounds
from sextant_domain.plans.plan import PlanState


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_fleet(tmp_path, "edge-1") as made:
        yield made


@pytest.fixture
def running(client: TestClient, fleet: Fleet) -> Fleet:
    placed(client, "web-edge")
    return fleet


def test_a_running_chain_gets_another_rate_at_once(client: TestClient, running: Fleet) -> None:
    seats = client.get(f"{API}/chains/web-edge").json()["placement"]
    done = adjusted(client, traffic=FASTER)
    assert (done.kind, done.title) == ("adjust", "Adjust web-edge on edge-1")
    assert [step.name for step in done.hosts[0].steps] == ["check", "put", "converge", "verify"]
    assert same(running).traffic.rate_mpps == 0.9
    chain = client.get(f"{API}/chains/web-edge").json()
    assert (chain["state"], chain["placement"]) == ("running", seats)
    made = plan(client, done.plan_id)
    assert made.state is PlanState.APPLIED and made.body is not None
    assert [(one.field, one.before, one.after) for one in made.body.adjustments] == [
        ("traffic.rate_mpps", "0.2", "0.9")
    ]
    entry = client.get(f"{API}/audit").json()["items"]
    assert "chain.adjust" in {one["action"] for one in entry}


def test_each_setting_reaches_the_host_and_can_be_taken_back(client: TestClient, running: Fleet) -> None:
    before = same(running)
    assert adjusted(client, paused=True).title == "Pause web-edge on edge-1"
    assert same(running).paused
    assert all(nf["paused"] for nf in client.get(f"{API}/nfs").json()["items"])
    assert adjusted(client, paused=False).title == "Resume web-edge on edge-1"
    adjusted(client, nfs={"router": {"cpu_share": 300, "cpu_quota_percent": 40}, "firewall": {"cpu_share": 50}})
    adjusted(client, nfs={"router": {"cpu_share": None}})
    settings = same(running).nfs
    assert (settings["router"].cpu_share, settings["router"].cpu_quota_percent) == (None, 40)
    assert settings["firewall"].cpu_share == 50
    share = {nf["nf_id"]: nf["seat"]["cpu_share"] for nf in client.get(f"{API}/nfs").json()["items"]}
    assert share == {"web-edge.router": None, "web-edge.firewall": 50, "web-edge.basic-monitor": None}
    adjusted(client, nfs={"router": {"cpu_quota_percent": None}, "firewall": {"cpu_share": None}})
    adjusted(client, share_bounds={"least_percent": 5, "most_percent": 80})
    assert same(running).share_bounds == ShareBounds(least_percent=5, most_percent=80)
    adjusted(client, paused=True)
    assert same(running).share_bounds is not None, "what is left out stays"
    adjusted(client, paused=False)
    adjusted(client, share_bounds=None)
    adjusted(client, execution="run-to-completion")
    adjusted(client, execution="isolated")
    assert same(running) == before


def test_what_is_as_asked_already_orders_nothing(client: TestClient, running: Fleet) -> None:
    answer = patch(client, paused=False, nfs={"router": {"cpu_share": None}})
    assert (answer.status_code, answer.json()["spec"]["paused"]) == (200, False)
    assert patch(client).status_code == 200
    assert len(running.edge.adopted) == 1


def test_the_same_key_has_one_effect(client: TestClient, running: Fleet) -> None:
    tag = client.get(f"{API}/chains/web-edge").headers["ETag"]
    headers = {"If-Match": tag, "Idempotency-Key": "once"}
    first = client.patch(SETTINGS, json={"paused": True}, headers=headers)
    work(first.json()["id"])
    again = client.patch(SETTINGS, json={"paused": True}, headers=headers)
    assert (again.status_code, again.json()["id"]) == (202, first.json()["id"])
    assert len(running.edge.adopted) == 2


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"traffic": {"rate_mpps": -1, "packet_bytes": 64}}, "traffic.rate_mpps"),
        ({"traffic": {"rate_mpps": 0.5}}, "traffic.packet_bytes"),
        ({"paused": "yes"}, "paused"),
        ({"execution": "threads"}, "execution"),
        ({"colour": "red"}, "colour"),
        ({"nfs": {"ghost": {"cpu_share": 5}}}, "nfs.ghost"),
        ({"nfs": {"router": {"cpu_share": 0}}}, "nfs.router.cpu_share"),
        ({"nfs": {"router": {"cpu_share": 10_001}}}, "nfs.router.cpu_share"),
        ({"nfs": {"router": {"cpu_quota_percent": 120}}}, "nfs.router.cpu_quota_percent"),
        ({"nfs": {"router": {"core": 1}}}, "nfs.router.core"),
        ({"nfs": {f"nf{number}": {} for number in range(40)}}, "nfs"),
        (
            {"traffic": {**FASTER, "payload": {"kind": "matches", "percent": 5, "strings": ["x" * 64], "x": 1}}},
            "traffic.payload.x",
        ),
        (
            {
                "traffic": {
                    "rate_mpps": 0.1,
                    "packet_bytes": 64,
                    "payload": {"kind": "matches", "percent": 5, "strings": ["longer than its packets"]},
                }
            },
            "traffic.payload.strings.0",
        ),
        (
            {"execution": "run-to-completion", "nfs": {"router": {"cpu_quota_percent": 50}}},
            "nfs.router.cpu_quota_percent",
        ),
    ],
)
def test_what_cannot_be_is_refused_with_its_field(
    client: TestClient, running: Fleet, change: dict[str, Any], field: str
) -> None:
    answer = patch(client, **change)
    assert answer.status_code == 422, answer.text
    assert field in {error["field"] for error in answer.json()["errors"]}
    assert len(running.edge.adopted) == 1
    assert client.get(f"{API}/operations").json()["items"][0]["kind"] == "apply"


def test_a_shared_process_and_a_share_given_before_exclude_each_other(client: TestClient, running: Fleet) -> None:
    adjusted(client, nfs={"router": {"cpu_share": 300}})
    answer = patch(client, execution="run-to-completion")
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "execution")
    assert "take it away" in answer.json()["errors"][0]["message"]
    adjusted(client, execution="run-to-completion", nfs={"router": {"cpu_share": None}})
    assert same(running).execution == "run-to-completion"


def test_a_host_without_a_helper_takes_no_new_share(client: TestClient, running: Fleet) -> None:
    """What the chain has already stays, whatever the host has lost since; 100 is what every NF has."""
    adjusted(client, nfs={"router": {"cpu_share": 300}})
    lose(running, "cpu-share")
    for setting in ({"cpu_share": 200}, {"cpu_quota_percent": 40.0}):
        answer = patch(client, nfs={"router": setting})
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, f"nfs.router.{next(iter(setting))}")
    adjusted(client, traffic=FASTER)
    adjusted(client, nfs={"firewall": {"cpu_share": 100}})
    adjusted(client, nfs={"router": {"cpu_share": None}})


QUOTA_BOUNDS = {"max_p95_us": 5000, "least_percent": 10, "most_percent": 80}


def test_quota_bounds_reach_a_host_of_measured_packets_and_no_other(client: TestClient, running: Fleet) -> None:
    """Beside bounds of shares they are refused: two laws would set the CPU time of the same NF."""
    answer = patch(client, quota_bounds=QUOTA_BOUNDS)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "quota_bounds")
    gain(running, "quota-bounds")
    adjusted(client, quota_bounds=QUOTA_BOUNDS)
    assert same(running).quota_bounds == QuotaBounds(**QUOTA_BOUNDS)
    adjusted(client, traffic=FASTER)
    assert same(running).quota_bounds is not None, "what is left out stays"
    answer = patch(client, share_bounds={"least_percent": 5, "most_percent": 80})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "quota_bounds")
    assert "take one away" in answer.json()["errors"][0]["message"]
    adjusted(client, quota_bounds=None, share_bounds={"least_percent": 5, "most_percent": 80})
    assert same(running).quota_bounds is None


def test_a_host_that_cannot_pause_says_why(client: TestClient, running: Fleet) -> None:
    lose(running, "pause")
    answer = patch(client, paused=True)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "paused")
    assert "edge-1" in answer.json()["errors"][0]["message"]
    adjusted(client, traffic=FASTER)


def test_a_change_names_what_it_was_made_for(client: TestClient, running: Fleet) -> None:
    assert client.patch(SETTINGS, json={"paused": True}).status_code == 428
    assert client.patch(SETTINGS, json={"paused": True}, headers={"If-Match": '"1"'}).status_code == 412
    assert client.patch(f"{API}/chains/ghost/settings", json={}, headers={"If-Match": '"1"'}).status_code == 404


def test_nobody_adjusts_while_an_operation_is_at_work(client: TestClient, running: Fleet) -> None:
    first = begun(client, paused=True)
    answer = patch(client, traffic=FASTER)
    assert (answer.status_code, answer.json()["type"]) == (409, "urn:sextant:problem:host-busy")
    work(first.id)
    adjusted(client, traffic=FASTER)
