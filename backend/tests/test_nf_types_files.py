"""Files that registered NF types name by default: what fits, and who holds them how long."""

import pytest
from artefact_world import API, uploaded
from fastapi.testclient import TestClient
from httpx import Response
from nf_types_world import RULES, change, deleted, register, registered, remove, submitted


@pytest.mark.parametrize(
    ("implementation", "setting", "kind", "content", "message"),
    [
        ("firewall", "rules_file", "routes", RULES, "is a file of kind routes; rules is needed here"),
        ("firewall", "rules_file", "rules", (b"x" * 63 + b"\n") * 2**16 + b"x", "firewall reads at most 4194304"),
        ("router", "routes_file", "rules", RULES, "is a file of kind rules; routes is needed here"),
    ],
)
def test_files_are_of_the_right_kind_and_size(
    client: TestClient, implementation: str, setting: str, kind: str, content: bytes, message: str
) -> None:
    digest = uploaded(client, content, "a.file", kind)
    answer = register(client, "own", implementation, config={setting: digest})
    assert answer.status_code == 422
    [error] = answer.json()["errors"]
    assert error["field"] == f"config.{setting}"
    assert message in error["message"]


def delete_file(client: TestClient, digest: str) -> Response:
    return client.delete(f"{API}/artefacts/{digest}", headers={"If-Match": f'"{digest}"'})


def test_files_of_a_type_cannot_be_deleted(client: TestClient) -> None:
    digest = uploaded(client, RULES, "edge.rules", "rules")
    registered(client, config={"rules_file": digest})
    assert client.get(f"{API}/artefacts/{digest}").json()["nf_types"] == ["edge-firewall"]
    refused = delete_file(client, digest)
    assert refused.status_code == 409
    assert refused.json()["type"] == "urn:sextant:problem:artefact-in-use"
    assert refused.json()["difference"] == {"used_by": {"nf_types": ["edge-firewall"], "count": 1}}
    assert refused.json()["next_actions"][0]["command"] == "sextant nf-types update edge-firewall --set rules_file=none"
    assert change(client).status_code == 200
    assert delete_file(client, digest).status_code == 204


def test_a_chain_holds_the_files_of_every_version_it_may_run(client: TestClient) -> None:
    """web is submitted under version 1 (first file) and may be planned under version 2 (second file); version 3 names
    neither, and both stay until web is deleted."""
    first, second = (uploaded(client, RULES * number, f"{number}.rules", "rules") for number in (1, 2))
    registered(client, config={"rules_file": first})
    submitted(client, "web", "edge-firewall")
    change(client, config={"rules_file": second})
    change(client)
    for digest in (first, second):
        assert client.get(f"{API}/artefacts/{digest}").json()["used_by"] == ["web"]
        assert delete_file(client, digest).status_code == 409
    deleted(client, "web")
    assert remove(client).status_code == 204
    assert [delete_file(client, digest).status_code for digest in (first, second)] == [204, 204]


def test_a_removed_type_holds_no_file(client: TestClient) -> None:
    digest = uploaded(client, RULES, "edge.rules", "rules")
    registered(client, config={"rules_file": digest})
    assert remove(client).status_code == 204
    assert delete_file(client, digest).status_code == 204
