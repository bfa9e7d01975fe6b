"""CoCo's law where a host has no room for another lane: the lane goes to another host, or the law says why to none."""

from collections.abc import Mapping

import pytest
from coco_world import HOST, OTHER, a_host, another, placed, report_of_another, second
from fastapi.testclient import TestClient
from fleet_world import API
from sextant_domain.hosts.host import SIMULATED
from sextant_domain.plans.intents import LaneIntent
from test_coco_law import host, open_ones, planned

pytestmark = pytest.mark.as_admin
"""Policies are an administrator's."""


def crowded(client: TestClient, busy: Mapping[int, float] | None = None) -> None:
    """web is a alone again, on the one core that its host has for NFs; other hosts are asked in the second after the
    ninth."""
    one_core = a_host(lanes=True)
    cores = tuple(core if core.id == 0 else core.model_copy(update={"slots": 0}) for core in one_core.cores)
    placed({"a": 0}, one_core.model_copy(update={"cores": cores}))
    for _ in range(10):
        if busy is not None:
            report_of_another(busy)
        second({"a": 1.0}, 1.2, 1.0)


def test_where_its_host_has_no_room_a_lane_on_another_host_is_recommended(client: TestClient) -> None:
    """The lane of .6 has no room beside the other on core 0. Of the other host's cores 0 to 2 other work leaves .3, .7
    and .9; all others are free: whichever takes the lane delays nothing, since it is one NF."""
    another()
    crowded(client, {0: 60.0, 1: 20.0, 2: 0.0})
    [found] = open_ones(client)
    assert "and this host has no room for another lane; web in 2 lanes" in (found.because or "")
    body = planned(found)
    assert isinstance(body.intent, LaneIntent)
    assert (body.intent.weights, body.intent.hosts, body.intent.law) == ((1, 1), {"web-lane-2": OTHER}, "coco")
    assert [one.check for one in body.checks if not one.ok] == []
    orders = {target.content.host_id: [one.chain for one in target.content.chains] for target in body.target}
    assert orders == {HOST: ["web"], OTHER: ["web-lane-2"]}
    view = host(client)
    assert view.push is not None and view.push.lanes is not None
    [start] = view.push.lanes.starts
    assert (start.nf_id, start.host, start.needs) == ("web-lane-2.a", OTHER, pytest.approx(0.6))
    assert start.core == body.intent.seats["web-lane-2.a"] != 0
    assert f"web-lane-2.a on core {start.core} of {OTHER}" in (found.because or "")
    rows = client.get(f"{API}/control/coco/hosts").json()["items"]
    assert [row["host"] for row in rows] == [HOST], "a host that runs nothing is none of the law's"


def test_a_host_that_measures_nothing_or_is_kept_by_hand_takes_no_lane(client: TestClient) -> None:
    another()
    crowded(client)
    assert open_ones(client) == []
    assert f"no other host takes one ({OTHER}: nothing was measured there yet)" in host(client).reason
    answer = client.put(f"{API}/policies/coco/host/{OTHER}", json={"mode": "manual"})
    assert answer.status_code == 200, answer.text
    report_of_another({0: 0.0})
    second({"a": 1.0}, 1.2, 1.0)
    assert open_ones(client) == []
    assert f"no other host takes one ({OTHER}: its policy is manual)" in host(client).reason


def test_a_host_with_packets_takes_no_lane_of_a_simulated_one(client: TestClient) -> None:
    inventory = a_host(lanes=True)
    able = tuple(one for one in inventory.capabilities if one.name != SIMULATED.name)
    another(inventory.model_copy(update={"driver": "testbed", "capabilities": able}))
    crowded(client, {0: 0.0})
    assert open_ones(client) == []
    assert f"no other host takes one ({OTHER}: it is not simulated)" in host(client).reason
