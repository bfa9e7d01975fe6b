"""NFs in the kernel through the API: which hosts they go to, and what cannot be asked of them."""

from typing import Any

import pytest
from adjust_world import patch
from agent_peer import chain_json
from console_world import an_inventory
from fastapi.testclient import TestClient
from fleet_world import API, submit
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.hosts import service as hosts
from sextant_domain.chains.kernel_nf import KERNEL_NFS
from sextant_domain.hosts.host import Capability

CHAINS = f"{API}/chains"
QUOTA_BOUNDS = {"max_p95_us": 5000, "least_percent": 10, "most_percent": 80}


def enrol(*more: Capability) -> None:
    """One host, which is up, with these abilities too."""
    inventory = an_inventory("edge-1")
    with session_scope() as session:
        hosts.enrol(session, "edge-1", {})
        able = inventory.model_copy(update={"capabilities": (*inventory.capabilities, *more)})
        hosts.register(session, able, "https://127.0.0.1:9443")


def asked(*nfs: str, **changes: Any) -> dict[str, Any]:
    named = [{"type": nf, "name": nf} for nf in nfs]
    return {**chain_json("web-edge"), "nfs": named, **changes}


def errors(client: TestClient, body: dict[str, Any]) -> list[tuple[str, str]]:
    answer = client.post(CHAINS, json=body)
    assert answer.status_code == 422, answer.text
    return [(one["field"], one["message"]) for one in answer.json()["errors"]]


def test_it_goes_to_a_host_that_says_it_can(client: TestClient) -> None:
    enrol(Capability(name=KERNEL_NFS, available=True, reason="nftables"))
    made = submit(client, "web-edge", "router", "nft-firewall")
    assert made.body is not None and not made.body.rejected and made.body.changes


def test_without_such_a_host_it_is_rejected_with_the_cause(client: TestClient) -> None:
    enrol()
    made = submit(client, "web-edge", "router", "nft-firewall")
    assert made.body is not None
    (rejected,) = made.body.rejected
    assert "edge-1 cannot run nft-firewall" in rejected.reason


@pytest.mark.parametrize(("field", "what"), [("cpu_share", "CPU share"), ("cpu_quota_percent", "CPU quota")])
def test_it_has_no_cpu_time_of_its_own(client: TestClient, field: str, what: str) -> None:
    body = asked("router", "nft-firewall")
    body["nfs"][1][field] = 50
    ((at, message),) = errors(client, body)
    assert at == f"nfs.1.{field}" and message.startswith(f"a kernel NF has no {what}")


def test_bounds_that_none_of_its_nfs_could_be_given_are_refused(client: TestClient) -> None:
    ((at, message),) = errors(client, asked("nft-firewall", quota_bounds=QUOTA_BOUNDS))
    assert at == "quota_bounds" and "a kernel NF has no CPU quota" in message and "take it away" in message
    enrol(
        Capability(name=KERNEL_NFS, available=True, reason="nftables"),
        Capability(name="quota-bounds", available=True, reason="its packets say so"),
    )
    mixed = client.post(CHAINS, json=asked("router", "nft-firewall", quota_bounds=QUOTA_BOUNDS))
    assert mixed.status_code == 201, mixed.text


def test_nor_are_they_taken_while_it_runs(client: TestClient) -> None:
    enrol(Capability(name=KERNEL_NFS, available=True, reason="nftables"))
    assert client.post(CHAINS, json=asked("nft-firewall")).status_code == 201
    quota = {"nft-firewall": {"cpu_quota_percent": 20}}
    changes: dict[str, dict[str, Any]] = {
        "quota_bounds": {"quota_bounds": QUOTA_BOUNDS}, "nfs.nft-firewall.cpu_quota_percent": {"nfs": quota},
    }  # fmt: skip
    for field, change in changes.items():
        answer = patch(client, **change)
        assert answer.status_code == 422, answer.text
        assert [one["field"] for one in answer.json()["errors"]] == [field]


def test_a_rule_that_is_none_is_refused_by_its_field(client: TestClient) -> None:
    body = asked("nft-firewall")
    body["nfs"][0]["config"] = {"rules": [{"action": "deny", "src": "10.0.0.0/33"}]}
    assert [at for at, _ in errors(client, body)] == ["nfs.0.config.rules.0.src"]


def test_its_rules_change_while_it_runs_and_one_that_is_none_is_refused_by_its_field(client: TestClient) -> None:
    enrol(Capability(name=KERNEL_NFS, available=True, reason="nftables"))
    assert client.post(CHAINS, json=asked("nft-firewall")).status_code == 201
    rule = {"action": "deny", "protocol": "udp", "dst_port": [53, 53]}
    config: dict[str, Any] = {"rules": [rule], "default_action": "deny"}
    assert patch(client, nfs={"nft-firewall": {"config": config}}).status_code == 200
    held = client.get(f"{CHAINS}/web-edge").json()["spec"]["nfs"][0]["config"]
    assert held == config
    for wrong, at in (
        ({"rules": [rule, {**rule, "dst_port": [2, 1]}]}, "rules.1.dst_port"),
        ({"rules": [{**rule, "action": "drop"}]}, "rules.0.action"),
        ({"default_action": "drop"}, "default_action"),
    ):
        answer = patch(client, nfs={"nft-firewall": {"config": wrong}})
        assert answer.status_code == 422, answer.text
        assert [one["field"] for one in answer.json()["errors"]] == [f"nfs.nft-firewall.config.{at}"]
    assert client.get(f"{CHAINS}/web-edge").json()["spec"]["nfs"][0]["config"] == config
