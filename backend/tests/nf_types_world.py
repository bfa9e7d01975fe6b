"""Registered NF types for tests."""

from typing import Any

from artefact_world import API
from fastapi.testclient import TestClient
from httpx import Response

TYPES = f"{API}/nf-types"
RULES = b'{"action": "deny", "dst": "192.168.7.0/24"}\n'
"""A file of kind rules."""


def register(
    client: TestClient, name: str = "edge-firewall", implementation: str = "firewall", **more: Any
) -> Response:
    return client.post(TYPES, json={"name": name, "implementation": implementation, **more})


def registered(client: TestClient, name: str = "edge-firewall", **more: Any) -> dict[str, Any]:
    answer = register(client, name, **more)
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def change(client: TestClient, name: str = "edge-firewall", **body: Any) -> Response:
    tag = client.get(f"{TYPES}/{name}").headers["ETag"]
    return client.put(f"{TYPES}/{name}", json=body, headers={"If-Match": tag})


def remove(client: TestClient, name: str = "edge-firewall") -> Response:
    tag = client.get(f"{TYPES}/{name}").headers["ETag"]
    return client.delete(f"{TYPES}/{name}", headers={"If-Match": tag})


def a_chain(name: str, *nfs: Any) -> dict[str, Any]:
    return {"name": name, "nfs": list(nfs), "traffic": {"rate_mpps": 0.2, "packet_bytes": 256}}


def submitted(client: TestClient, name: str, *nfs: Any) -> None:
    answer = client.post(f"{API}/chains", json=a_chain(name, *nfs))
    assert answer.status_code == 201, answer.text


def deleted(client: TestClient, name: str) -> None:
    tag = client.get(f"{API}/chains/{name}").headers["ETag"]
    assert client.delete(f"{API}/chains/{name}", headers={"If-Match": tag}).status_code == 204
