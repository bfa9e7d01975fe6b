"""Configuration of an NF that runs: what it takes up without a restart, and what it does not."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from adjust_world import FASTER, adjusted, lose, ordered, patch, same
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, placed, plan, submit


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_fleet(tmp_path, "edge-1") as made:
        yield made


def backends(*numbers: int) -> list[dict[str, Any]]:
    return [{"address": f"10.200.0.{number}", "weight": 1} for number in numbers]


@pytest.fixture
def balanced(client: TestClient, fleet: Fleet) -> Fleet:
    """A load balancer that names no backends: it has its type's, 1 to 4."""
    placed(client, "web-edge", "load-balancer", "firewall")
    return fleet


def test_backends_change_on_the_host_and_in_the_specification(client: TestClient, balanced: Fleet) -> None:
    assert ordered(balanced).nfs[0].config["backends"] == backends(1, 2, 3, 4)
    done = adjusted(client, nfs={"load-balancer": {"config": {"backends": backends(1, 2)}}})
    body = plan(client, done.plan_id).body
    assert body is not None
    (adjustment,) = body.adjustments
    assert adjustment.field == "nfs.load-balancer.config.backends"
    assert (len(json.loads(adjustment.before)), len(json.loads(adjustment.after))) == (4, 2)
    assert same(balanced).nfs["load-balancer"].config == {"backends": backends(1, 2)}
    config = ordered(balanced).nfs[0].config
    assert (config["backends"], config["table_size"]) == (backends(1, 2), 65_537)
    adjusted(client, nfs={"load-balancer": {"config": {"backends": None}}})
    assert same(balanced).nfs["load-balancer"].config == {"backends": backends(1, 2, 3, 4)}


def test_another_rate_leaves_the_backends(client: TestClient, balanced: Fleet) -> None:
    body = plan(client, adjusted(client, traffic=FASTER).plan_id).body
    assert body is not None
    assert [one.field for one in body.adjustments] == ["traffic.rate_mpps"]


def test_backends_that_it_has_already_order_nothing(client: TestClient, balanced: Fleet) -> None:
    answer = patch(client, nfs={"load-balancer": {"config": {"backends": backends(1, 2, 3, 4)}}})
    assert (answer.status_code, len(balanced.edge.adopted)) == (200, 1)


def test_backends_of_a_chain_that_waits_change_its_specification(client: TestClient, balanced: Fleet) -> None:
    """Submitted, planned and not applied: its plan is made anew, and the old one cannot be applied."""
    submit(client, "waits", "load-balancer")
    tag = client.get(f"{API}/chains/waits").headers["ETag"]
    change = {"nfs": {"load-balancer": {"config": {"backends": backends(7)}}}}
    answer = client.patch(f"{API}/chains/waits/settings", json=change, headers={"If-Match": tag})
    assert (answer.status_code, answer.json()["spec"]["nfs"][0]["config"]) == (200, {"backends": backends(7)})


@pytest.mark.parametrize(
    ("nf", "config", "field", "message"),
    [
        ("load-balancer", {"backends": []}, "backends", "[] should be non-empty"),
        ("load-balancer", {"backends": backends(*([1] * 2))}, "backends.1.address", "is that of backend 0 already"),
        ("load-balancer", {"backends": [{"address": "192.168.0.1"}]}, "backends.0.address", "lies inside vip_prefix"),
        ("load-balancer", {"table_size": 251}, "table_size", "only backends can change while it runs"),
        ("load-balancer", {"backends": backends(1), "surprise": 1}, "surprise", "only backends can change"),
        ("firewall", {"rules": []}, "rules", "nothing can change while it runs"),
    ],
)
def test_what_an_nf_does_not_take_up_is_refused(
    client: TestClient, balanced: Fleet, nf: str, config: dict[str, Any], field: str, message: str
) -> None:
    answer = patch(client, nfs={nf: {"config": config}})
    assert answer.status_code == 422
    (error,) = answer.json()["errors"]
    assert error["field"] == f"nfs.{nf}.config.{field}"
    assert message in error["message"]
    assert len(balanced.edge.adopted) == 1


def test_a_host_that_cannot_configure_says_why(client: TestClient, balanced: Fleet) -> None:
    lose(balanced, "configure")
    answer = patch(client, nfs={"load-balancer": {"config": {"backends": backends(1)}}})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "nfs.load-balancer.config")
