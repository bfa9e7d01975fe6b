"""Registered NF types from registration to removal, on a real PostgreSQL."""

import re
import threading
from typing import Any

import pytest
from agent_peer import chain_json
from artefact_world import API
from console_world import SignIn
from fastapi.testclient import TestClient
from nf_types_world import TYPES, a_chain, change, deleted, register, registered, remove, submitted
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.chains.models import ChainRow
from sextant_backend.modules.nfs import types
from sextant_backend.modules.nfs.catalogue import BY_NAME, CATALOGUE, firewall
from sextant_backend.modules.nfs.models import NfTypeRow
from sextant_domain.console.access import Role
from sqlalchemy import func, insert, select

UNKNOWN = f"sha256:{'0' * 64}"


def defaults(nf_type: dict[str, Any]) -> dict[str, Any]:
    return {name: schema["default"] for name, schema in nf_type["config_schema"]["properties"].items()}


def stored() -> int:
    with session_scope() as session:
        return session.scalar(select(func.count()).select_from(NfTypeRow)) or 0


def test_a_type_is_the_implementation_with_other_defaults(client: TestClient) -> None:
    answer = register(client, config={"synthetic_rules": 5000, "default_action": "allow"})
    assert answer.status_code == 201, answer.text
    assert answer.headers["Location"] == f"{TYPES}/edge-firewall"
    made, built_in = answer.json(), client.get(f"{TYPES}/firewall").json()
    assert (made["version"], made["short_name"], made["implementation"]) == (1, "edge-fir", "firewall")
    assert (made["summary"], made["library"], made["artefacts"]) == tuple(
        built_in[name] for name in ("summary", "library", "artefacts")
    )
    assert defaults(made) == {**defaults(built_in), "synthetic_rules": 5000}
    assert "implementation" not in built_in
    shown = client.get(f"{TYPES}/edge-firewall")
    assert (shown.json(), shown.headers["ETag"]) == (made, answer.headers["ETag"])
    with session_scope() as session:
        assert session.scalars(select(NfTypeRow.config)).all() == [{"synthetic_rules": 5000}], "what differs, alone"


def test_what_it_calls_itself(client: TestClient) -> None:
    made = registered(client, name="nat-of-x-2", implementation="nat", short_name="NAT 2", summary=" Of customer X. ")
    assert (made["short_name"], made["summary"]) == ("NAT 2", "Of customer X.")
    assert registered(client, name="seven-c-x", implementation="nat")["short_name"] == "seven-c", "no hyphen at its end"


def test_one_list_of_built_in_and_registered_types_by_name(client: TestClient) -> None:
    """Hyphens sort before letters, as they do in Python, whatever the language of the database."""
    own = ["dp-i", "dpi-2", "nat-a", "natb", "zz"]
    for name in own:
        registered(client, name, implementation="nat")
    names, after = [], None
    while True:
        page = client.get(TYPES, params={"limit": 4, **({"after": after} if after else {})}).json()
        names += [item["name"] for item in page["items"]]
        after = page["next"]
        if after is None:
            break
    assert names == sorted([*BY_NAME, *own])


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "unknown implementation": ({"implementation": "teleporter"}, "implementation"),
    "a registered implementation": ({"implementation": "own"}, "implementation"),
    "no implementation": ({"implementation": None}, "implementation"),
    "a name with a slash": ({"name": "a/b"}, "name"),
    "a name with a line end": ({"name": "a\n"}, "name"),
    "a name of 64 characters": ({"name": "a" * 64}, "name"),
    "a name that is a number": ({"name": 7}, "name"),
    "a short name of 9 characters": ({"short_name": "123456789"}, "short_name"),
    "a short name of markup": ({"short_name": "<b>"}, "short_name"),
    "an empty short name": ({"short_name": ""}, "short_name"),
    "a summary of 201 characters": ({"summary": "x" * 201}, "summary"),
    "a summary with a NUL": ({"summary": "a\x00b"}, "summary"),
    "an unknown field": ({"version": 7}, "version"),
    "a list as configuration": ({"config": []}, "config"),
    "an unknown setting": ({"config": {"colour": "red"}}, "config"),
    "too many rules": ({"config": {"synthetic_rules": 10**9}}, "config.synthetic_rules"),
    "a number as text": ({"config": {"synthetic_rules": "5000"}}, "config.synthetic_rules"),
    "a truth value as number": ({"config": {"synthetic_rules": True}}, "config.synthetic_rules"),
    "null for a number": ({"config": {"synthetic_rules": None}}, "config.synthetic_rules"),
    "a path for a digest": ({"config": {"rules_file": "/etc/passwd"}}, "config.rules_file"),
    "ports that run backwards": (
        {"config": {"rules": [{"action": "deny", "dst_port": [9, 8]}]}},
        "config.rules.0.dst_port",
    ),
    "more patterns than are compiled": (
        {"implementation": "nids", "config": {"patterns": ["x"], "synthetic_patterns": 5000}},
        "config.synthetic_patterns",
    ),
    "a file that is not there": ({"config": {"rules_file": UNKNOWN}}, "config.rules_file"),
    "more than fits beside 500 others": (
        {"config": {"rules": [{"action": "deny", "dst": "192.168.100.0/24"}] * 800}},
        "config",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_names_the_field_and_stores_nothing(client: TestClient, case: str) -> None:
    registered(client, "own", implementation="nat")
    body, field = BAD[case]
    answer = client.post(TYPES, json={"name": "edge-firewall", "implementation": "firewall", **body})
    assert answer.status_code == 422, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert [error["field"] for error in answer.json()["errors"]][:1] == [field], answer.json()["errors"][:3]
    assert stored() == 1


@pytest.mark.parametrize(
    "raw",
    [
        '{"name": "x", "implementation": "bubble", "config": {"write_share": NaN}}',
        '{"name": "x", "implementation": "bubble", "config": {"write_share": 1e999}}',
        '{"name": "x", "implementation": "nids", "config": {"patterns": ["\\u0000"]}}',
        '{"name": "x", "implementation": "nids", "config": {"patterns": ["\\ud800"]}}',
        '{"name": "x", "implementation": "nat", "config": ' + '{"a":' * 5000 + "1" + "}" * 5000 + "}",
    ],
    ids=["NaN", "infinity", "NUL", "half a character", "deep"],
)
def test_json_that_nothing_can_hold_is_refused(client: TestClient, raw: str) -> None:
    answer = client.post(TYPES, content=raw.encode(), headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 422), answer.text
    assert stored() == 0


def test_a_secret_cannot_be_a_default(client: TestClient) -> None:
    """Whoever may look at the catalogue would read it."""
    answer = register(client, "vpn-of-x", "vpn", config={"key": "ab" * 20})
    assert answer.status_code == 422
    assert [error["field"] for error in answer.json()["errors"]] == ["config.key"]
    assert "give it to each NF in its chain" in answer.json()["errors"][0]["message"]
    assert "abab" not in answer.text
    assert "abab" not in register(client, "vpn-of-x", "vpn", config={"key": "ab" * 19}).text
    made = registered(client, "vpn-of-x", implementation="vpn", config={"key": None, "mode": "decrypt"})
    assert made["config_schema"]["properties"]["key"]["writeOnly"] is True


def test_names_are_taken_once(client: TestClient) -> None:
    registered(client)
    for name in ("edge-firewall", "router"):
        answer = register(client, name)
        assert answer.status_code == 409
        assert answer.json()["type"] == "urn:sextant:problem:name-taken"
        assert answer.json()["errors"][0]["field"] == "name"
    assert stored() == 1


def test_of_two_at_once_one_has_the_name(client: TestClient) -> None:
    answers: list[int] = []

    def send(rules: int) -> None:
        answers.append(register(client, config={"synthetic_rules": rules}).status_code)

    threads = [threading.Thread(target=send, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [201, 409, 409, 409]


def test_the_501st_type_is_refused(client: TestClient) -> None:
    with session_scope() as session:
        for number in range(types.MAX_NF_TYPES - len(CATALOGUE) - 1):
            session.add(a_row(f"own-{number}"))
    registered(client)
    answer = register(client, "one-more")
    assert answer.status_code == 409
    assert answer.json()["type"] == "urn:sextant:problem:nf-types-full"
    assert "There are 500 NF types" in answer.json()["detail"]
    assert remove(client).status_code == 204
    registered(client, "one-more")


def a_row(name: str) -> NfTypeRow:
    return NfTypeRow(
        name=name,
        implementation="nat",
        implementation_version=1,
        version=1,
        short_name="own",
        summary="own",
        config={},
        created_by="ada",
    )


def test_another_configuration_is_another_version_and_other_words_are_none(client: TestClient) -> None:
    """Models belong to a version: a better summary makes none of them stale."""
    registered(client, config={"synthetic_rules": 5000})
    assert change(client, config={"synthetic_rules": 6000}).json()["version"] == 2
    words = change(client, config={"synthetic_rules": 6000}, short_name="edge", summary="At the edge").json()
    assert (words["version"], words["short_name"], words["summary"]) == (2, "edge", "At the edge")
    same = change(client, config={"synthetic_rules": 6000, "seed": 1}, short_name="edge", summary="At the edge")
    assert same.json() == words, "seed 1 is the implementation's default"
    left_out = change(client).json()
    assert (left_out["version"], left_out["short_name"], defaults(left_out)["synthetic_rules"]) == (3, "edge-fir", 100)


def test_a_change_names_what_it_was_made_for(client: TestClient) -> None:
    registered(client)
    tag = client.get(f"{TYPES}/edge-firewall").headers["ETag"]
    url, body = f"{TYPES}/edge-firewall", {"short_name": "a"}
    assert client.put(url, json=body).status_code == 428
    assert client.put(url, json=body, headers={"If-Match": '"1"'}).status_code == 412
    assert client.put(url, json=body, headers={"If-Match": tag}).status_code == 200
    assert client.put(url, json={"short_name": "b"}, headers={"If-Match": tag}).status_code == 412
    assert client.delete(url).status_code == 428
    assert client.delete(url, headers={"If-Match": tag}).status_code == 412
    assert client.get(url).json()["short_name"] == "a"


def test_a_change_that_does_not_fit_changes_nothing(client: TestClient) -> None:
    before = registered(client)
    for body in ({"config": {"synthetic_rules": -1}}, {"config": {"rules_file": UNKNOWN}}, {"implementation": "nat"}):
        assert change(client, **body).status_code == 422
    assert client.get(f"{TYPES}/edge-firewall").json() == before


def test_built_in_types_are_nobodys_to_change(client: TestClient) -> None:
    for answer in (change(client, "router"), remove(client, "router")):
        assert answer.status_code == 409
        assert answer.json()["type"] == "urn:sextant:problem:nf-type-built-in"
    for answer in (client.put(f"{TYPES}/ghost", json={}), client.delete(f"{TYPES}/ghost")):
        assert answer.status_code == 404


def test_viewers_read_and_nothing_more(sign_in: SignIn) -> None:
    viewer = sign_in(Role.VIEWER)
    answers = (register(viewer), change(viewer, "router"), remove(viewer, "router"))
    assert [answer.json()["type"] for answer in answers] == ["urn:sextant:problem:forbidden"] * 3
    assert viewer.get(TYPES).status_code == 200


def test_a_repeat_under_a_key_is_one_registration(client: TestClient) -> None:
    body = {"name": "edge-firewall", "implementation": "firewall"}
    first, second = (client.post(TYPES, json=body, headers={"Idempotency-Key": "one"}) for _ in range(2))
    assert (first.status_code, second.status_code, second.headers["Idempotency-Replayed"]) == (201, 201, "true")


def test_audit_records_who_did_what(client: TestClient) -> None:
    registered(client, config={"synthetic_rules": 5000})
    change(client, config={"synthetic_rules": 5000})
    change(client, config={"seed": 7})
    remove(client)
    entries = client.get(f"{API}/audit").json()["items"]
    changes = [(one["action"], one["subject"], one["detail"]) for one in entries if one["action"].startswith("nf_type")]
    assert changes == [
        ("nf_type.remove", "nf-type/edge-firewall", {"version": "2"}),
        (
            "nf_type.update",
            "nf-type/edge-firewall",
            {"implementation": "firewall", "version": "2", "settings": "seed"},
        ),
        (
            "nf_type.register",
            "nf-type/edge-firewall",
            {"implementation": "firewall", "version": "1", "settings": "synthetic_rules"},
        ),
    ]


def test_a_number_is_never_given_twice(client: TestClient) -> None:
    """What was measured of edge-firewall 1 must not be taken for what another edge-firewall does."""
    registered(client, config={"synthetic_rules": 5000})
    assert remove(client).status_code == 204
    assert client.get(f"{TYPES}/edge-firewall").status_code == 404
    again = registered(client, implementation="nat")
    assert (again["version"], again["implementation"]) == (2, "nat")


def test_a_new_version_of_the_program_is_one_of_every_type_it_runs_for(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """firewall 2 becomes 4: edge-firewall 1 is 3 then, changed 4, and removed and registered again 5."""
    registered(client)
    later = firewall.TYPE.model_copy(update={"version": firewall.TYPE.version + 2})
    monkeypatch.setitem(BY_NAME, "firewall", later)
    assert client.get(f"{TYPES}/edge-firewall").json()["version"] == 3
    assert change(client, config={"seed": 7}).json()["version"] == 4
    assert client.get(f"{TYPES}/edge-firewall").json()["version"] == 4
    assert remove(client).status_code == 204
    assert registered(client)["version"] == 5


def test_what_a_chain_names_cannot_be_removed(client: TestClient) -> None:
    registered(client)
    for name in ("web", "mail"):
        submitted(client, name, "router", "edge-firewall")
    submitted(client, "other", {"type": "firewall", "name": "edge-firewall"})
    refused = remove(client)
    assert refused.status_code == 409
    assert refused.json()["type"] == "urn:sextant:problem:nf-type-in-use"
    assert refused.json()["difference"] == {"used_by": {"chains": ["mail", "web"], "count": 2}}
    for name in ("web", "mail"):
        deleted(client, name)
    assert remove(client).status_code == 204
    gone = client.post(f"{API}/chains", json=a_chain("late", "edge-firewall"))
    assert gone.status_code == 422
    assert gone.json()["errors"][0]["field"] == "nfs.0.type"


def test_a_chain_overrides_the_types_defaults_and_is_judged_with_them(client: TestClient) -> None:
    """4990 patterns by default: ten given ones fit beside them, eleven do not; nids alone would take 4700."""
    registered(client, "web-nids", implementation="nids", config={"synthetic_patterns": 4990})
    for many, status in ((10, 201), (11, 422)):
        nf = {"type": "web-nids", "config": {"patterns": [f"p{number}" for number in range(many)]}}
        answer = client.post(f"{API}/chains", json=a_chain(f"web-{many}", nf))
        assert answer.status_code == status, answer.text
    assert answer.json()["errors"][0]["field"] == "nfs.0.config.synthetic_patterns"
    wrong = client.post(f"{API}/chains", json=a_chain("web", {"type": "web-nids", "config": {"rules": []}}))
    assert [error["field"] for error in wrong.json()["errors"]] == ["nfs.0.config"]


def test_nothing_of_a_registered_type_changes_while_it_runs(client: TestClient) -> None:
    """The promise that a load balancer takes up other backends is the built-in type's."""
    made = registered(client, "web-balancer", implementation="load-balancer")
    assert not any("changeable" in schema for schema in made["config_schema"]["properties"].values())
    submitted(client, "web", "web-balancer")
    tag = client.get(f"{API}/chains/web").headers["ETag"]
    change = {"nfs": {"web-balancer": {"config": {"backends": [{"address": "10.9.0.1"}]}}}}
    answer = client.patch(f"{API}/chains/web/settings", json=change, headers={"If-Match": tag})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "nfs.web-balancer.config.backends"
    faster = {"traffic": {"rate_mpps": 0.3, "packet_bytes": 256}}
    answer = client.patch(f"{API}/chains/web/settings", json=faster, headers={"If-Match": tag})
    assert answer.status_code == 200, answer.text


def test_a_chain_that_is_being_submitted_keeps_its_type(client: TestClient) -> None:
    """Whoever removes the type waits for the chain, and is refused then."""
    registered(client)
    tag = client.get(f"{TYPES}/edge-firewall").headers["ETag"]
    answers: list[int] = []
    with session_scope() as session:
        assert list(types.named(session, ["edge-firewall"], keep=True)) == ["edge-firewall"]
        removing = threading.Thread(
            target=lambda: answers.append(
                client.delete(f"{TYPES}/edge-firewall", headers={"If-Match": tag}).status_code
            )
        )
        removing.start()
        removing.join(0.3)
        assert removing.is_alive() and answers == []
        spec = {**chain_json("web"), "nfs": [{"type": "edge-firewall", "name": "f", "config": {}}]}
        session.execute(insert(ChainRow).values(name="web", spec=spec, created_by="ada", state="submitted", version=1))
    removing.join()
    assert answers == [409]


def test_errors_name_few_fields(client: TestClient) -> None:
    answer = register(client, config={"rules": [{"action": "maybe"}] * 100})
    assert len(answer.json()["errors"]) == 20
    assert re.search(r"Refused because of config\.rules\.0\.action", answer.json()["detail"])
