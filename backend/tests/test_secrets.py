"""A key that an operator gives a VPN is sent to the host that runs it, and to nobody and nothing else."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from console_world import SignIn, serving
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, apply, plan, work
from httpx import Client
from secrets_world import chain_with_key, every_answer, every_entry, every_row
from sextant_backend import main as commands
from sextant_backend.app import console_app
from sextant_backend.kit.db import session_scope
from sextant_backend.kit.sealing import Sealed, SealingError, keys_of, make_key_file
from sextant_backend.modules.auth import service as auth
from sextant_backend.modules.auth.models import User
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.plans import planner
from sextant_backend.modules.secrets import service
from sextant_backend.modules.secrets.models import SecretRow
from sextant_backend.settings import get_settings
from sextant_domain.chains.secret import GONE, is_reference
from sextant_domain.console.access import Role
from sextant_domain.hosts.desired import DesiredHostConfig, HostContent
from sextant_domain.plans.operation import OperationState
from sqlalchemy import select, text
from typer.testing import CliRunner

CANARY = "deadbeefcafe" * 3 + "0042"
"""A key that fits; searched for as it is, and as a dump of bytes would write it."""
FORMS = (CANARY, CANARY.upper(), CANARY.encode().hex())


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_fleet(tmp_path, "edge-1") as made:
        yield made


def submit(client: TestClient, name: str = "tunnel", key: str = CANARY) -> int:
    """The plan of a chain with that key."""
    headers = {"Idempotency-Key": f"of-{name}"}
    for _ in range(2):  # the second answer is the stored one
        answer = client.post(f"{API}/chains", json=chain_with_key(name, key), headers=headers)
        assert answer.status_code == 201, answer.text
        assert not hidden_in(answer.text)
    plan_id: int = answer.json()["plan_id"]
    if plan(client, plan_id).waits_for is not None:
        assert client.post(f"{API}/plans/{plan_id}/proceed").status_code == 200
    planner.make(plan_id)
    return plan_id


def hidden_in(said: str) -> bool:
    return any(form in said for form in FORMS)


def reference_of(client: TestClient, chain: str = "tunnel") -> str:
    return str(client.get(f"{API}/chains/{chain}").json()["spec"]["nfs"][1]["config"]["key"])


def placed(client: TestClient) -> None:
    done = work(apply(client, plan(client, submit(client))).id)
    assert done.state is OperationState.COMPLETED, done.error


def test_the_host_has_the_key_and_nobody_else(client: TestClient, sign_in: SignIn, fleet: Fleet) -> None:
    placed(client)
    reference = reference_of(client)
    assert is_reference(reference)
    assert fleet.edge.secrets == {reference: CANARY}
    assert reference in fleet.edge.ledger.model_dump_json(), "the order names it"

    snapshot = client.get(f"{API}/fleet/snapshot").json()
    asked = {"intent": {"kind": "replace"}, "algorithms": ["node_first"]}
    assert client.post(f"{API}/comparisons", json=asked).status_code == 202
    in_clear = json.loads(json.dumps(snapshot).replace(reference, CANARY))
    answer = client.post(f"{API}/comparisons", json={**asked, "snapshot": in_clear})
    assert answer.status_code == 202, answer.text
    for comparison in (1, 2):
        made = client.get(f"{API}/comparisons/{comparison}").json()["plans"]
        for one in made:
            planner.make(one["plan_id"] if "plan_id" in one else one["id"])
    assert (
        client.patch(
            f"{API}/chains/tunnel/settings",
            json={"traffic": {"rate_mpps": 0.2, "packet_bytes": 256}},
            headers={"If-Match": client.get(f"{API}/chains/tunnel").headers["ETag"]},
        ).status_code
        == 202
    )

    walked = 0
    for role in (Role.VIEWER, Role.OPERATOR, Role.ADMIN):
        someone = sign_in(role, f"a-{role.value}")
        for path, status, said in every_answer(someone, "tunnel"):
            assert status != 500, path
            assert not hidden_in(said), path
            walked += status == 200
    assert walked > 60, "of three people"
    for table, said in every_row():
        assert not hidden_in(said), table
    for key, said in every_entry():
        assert not hidden_in(said), key


def test_the_stream_holds_the_reference(client: TestClient, fleet: Fleet) -> None:
    submit(client)
    reference, lines = reference_of(client), []
    with session_scope() as session:
        user = session.scalars(select(User)).one()
        token = auth.create_token(session, user, "reader", Role.VIEWER)
    with (
        serving(console_app()) as port,
        Client(
            base_url=f"http://127.0.0.1:{port}", headers={"Authorization": f"Bearer {token}"}, timeout=60
        ) as console,
        console.stream("GET", f"{API}/events") as stream,
    ):
        for line in stream.iter_lines():
            lines.append(line)
            if reference in line:
                break
    assert reference in lines[-1] and not any(map(hidden_in, lines))


BAD = {
    "too short": CANARY[:-1],
    "too long": CANARY + "00",
    "in a list": [CANARY],
    "in an object": {CANARY: CANARY},
}


@pytest.mark.parametrize("key", BAD.values(), ids=BAD.keys())
def test_a_refusal_does_not_repeat_it(
    client: TestClient, fleet: Fleet, key: object, capfd: pytest.CaptureFixture[str]
) -> None:
    answer = client.post(f"{API}/chains", json=chain_with_key("tunnel", key), headers={"Idempotency-Key": "a"})
    assert answer.status_code == 422
    assert [error["field"] for error in answer.json()["errors"]] == ["nfs.1.config.key"]
    said = answer.text + "".join(capfd.readouterr()) + "".join(row for _, row in every_row())
    assert CANARY[:-1] not in said


def test_none_is_taken_while_the_chain_runs(client: TestClient, fleet: Fleet) -> None:
    """Another key is another chain: the refusal names the setting and not the value."""
    placed(client)
    tag = {"If-Match": client.get(f"{API}/chains/tunnel").headers["ETag"]}
    change = {"nfs": {"vpn": {"config": {"key": CANARY}}}}
    answer = client.patch(f"{API}/chains/tunnel/settings", json=change, headers=tag)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "nfs.vpn.config.key")
    assert not hidden_in(answer.text + "".join(row for _, row in every_row()))


def test_a_type_takes_none_as_its_default(client: TestClient) -> None:
    asked = {"name": "my-vpn", "implementation": "vpn", "config": {"key": CANARY}}
    answer = client.post(f"{API}/nf-types", json=asked)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "config.key")
    assert not hidden_in(answer.text + "".join(row for _, row in every_row()))


def test_a_chain_can_be_sent_as_it_was_shown(client: TestClient, fleet: Fleet) -> None:
    """Under another name it has the same key; a reference that is made up, or out of place, is refused."""
    placed(client)
    shown = client.get(f"{API}/chains/tunnel").json()["spec"]
    assert client.post(f"{API}/chains", json={**shown, "name": "copy"}).status_code == 201
    assert reference_of(client, "copy") == reference_of(client)
    made_up = client.post(f"{API}/chains", json=chain_with_key("other", f"secret:{'f' * 32}"))
    assert made_up.json()["errors"][0] == {
        "field": "nfs.1.config.key",
        "message": "there is no such secret (any more); give the secret itself",
    }
    stray = client.post(f"{API}/chains", json=chain_with_key("other", None, tunnel_src=reference_of(client)))
    assert stray.json()["errors"][0]["field"] == "nfs.1.config.tunnel_src"


def test_equal_keys_have_different_references(client: TestClient, fleet: Fleet) -> None:
    """Or whoever submits a guess would learn whether another chain has that key."""
    submit(client, "one")
    submit(client, "two")
    assert reference_of(client, "one") != reference_of(client, "two")


def test_a_file_from_elsewhere_has_its_keys_replaced(client: TestClient, fleet: Fleet) -> None:
    submit(client)
    snapshot = client.get(f"{API}/fleet/snapshot").json()
    for nf_type in snapshot["nf_types"]:  # as a version wrote it that had no marks
        nf_type["config_schema"]["properties"].get("key", {}).pop("writeOnly", None)
    in_clear = json.loads(json.dumps(snapshot).replace(reference_of(client), CANARY))
    asked = {"intent": {"kind": "place", "chain": "tunnel"}, "algorithms": ["node_first"], "snapshot": in_clear}
    assert client.post(f"{API}/comparisons", json=asked).status_code == 202
    [packed] = [row for table, row in every_row() if table == "comparisons"]
    assert GONE in packed and not hidden_in(packed)


def test_rows_cannot_be_swapped_nor_read_with_another_key(client: TestClient, fleet: Fleet, tmp_path: Path) -> None:
    submit(client, "one")
    with session_scope() as session:
        row = session.scalars(select(SecretRow)).one()
    sealed, keys = Sealed(row.key_id, row.sealed), keys_of(get_settings().secrets_key_file)
    assert keys.open(row.reference, sealed) == CANARY
    with pytest.raises(SealingError, match="was altered"):
        keys.open("secret:another", sealed)
    make_key_file(tmp_path / "other")
    assert (tmp_path / "other").stat().st_mode & 0o777 == 0o600
    with pytest.raises(SealingError, match=f"under key {row.key_id}, which"):
        keys_of(tmp_path / "other").open(row.reference, sealed)


def test_a_key_that_is_replaced_still_opens(tmp_path: Path) -> None:
    make_key_file(tmp_path / "old")
    make_key_file(tmp_path / "new")
    sealed = keys_of(tmp_path / "old").seal("secret:a", CANARY)
    (tmp_path / "both").write_text((tmp_path / "new").read_text() + (tmp_path / "old").read_text())
    assert keys_of(tmp_path / "both").open("secret:a", sealed) == CANARY
    (tmp_path / "none").write_text("not a key\n")
    for broken in (tmp_path / "none", tmp_path / "missing", None):
        with pytest.raises(SealingError, match="SEXTANT_SECRETS_KEY_FILE"):
            keys_of(broken)


def test_secrets_are_sealed_under_a_new_key(client: TestClient, fleet: Fleet) -> None:
    """The new key is written before the old one, the command run, the old one taken away."""
    begun = apply(client, plan(client, submit(client)))
    path = get_settings().secrets_key_file
    assert path is not None
    old, new = path.read_text(), f"{'ab' * 32}\n"
    try:
        path.write_text(new)
        refused = CliRunner().invoke(commands.app, ["reseal-secrets"])
        assert refused.exit_code == 1 and "which SEXTANT_SECRETS_KEY_FILE lacks" in refused.stderr
        path.write_text(new + old)
        assert CliRunner().invoke(commands.app, ["reseal-secrets"]).stdout.startswith("1 secrets")
        path.write_text(new)
        assert work(begun.id).state is OperationState.COMPLETED
        assert list(fleet.edge.secrets.values()) == [CANARY]
    finally:
        path.write_text(old)


def test_a_worker_without_the_key_orders_nothing(client: TestClient, fleet: Fleet) -> None:
    """And goes on once it has it."""
    begun = apply(client, plan(client, submit(client)))
    path = get_settings().secrets_key_file
    assert path is not None
    kept = path.read_text()
    path.unlink()
    try:
        stopped = work(begun.id)
        assert stopped.state is OperationState.FAILED_TEMP
        assert stopped.error is not None and "SEXTANT_SECRETS_KEY_FILE" in stopped.error.detail
        assert fleet.edge.adopted == []
        answer = client.post(f"{API}/chains", json=chain_with_key("other", CANARY))
        assert (answer.status_code, answer.json()["type"]) == (503, "urn:sextant:problem:no-secrets-key")
    finally:
        path.write_text(kept)
    assert client.post(f"{API}/operations/{begun.id}/retry").status_code == 202
    assert work(begun.id).state is OperationState.COMPLETED


def test_a_stored_request_lets_nobody_try_guesses(client: TestClient, fleet: Fleet) -> None:
    """Whoever reads the database and knows all of a request but its key cannot compute what is kept of it."""
    body = json.dumps(chain_with_key("tunnel", CANARY)).encode()
    headers = {"Idempotency-Key": "a", "Content-Type": "application/json"}
    for _ in range(2):
        assert client.post(f"{API}/chains", content=body, headers=headers).status_code == 201
    assert client.post(f"{API}/chains", content=body + b" ", headers=headers).status_code == 422
    guess = hashlib.sha256(body).hexdigest()
    kept = [row for table, row in every_row() if table == "idempotency_keys"]
    assert len(kept) == 1 and guess not in kept[0] and hashlib.sha256(guess.encode()).hexdigest() not in kept[0]


def test_the_next_order_after_an_upgrade_replaces_the_key_in_clear(client: TestClient, fleet: Fleet) -> None:
    """The agent's ledger is as the version before ordered it; the database is as migration 23 leaves it."""
    placed(client)
    reference, peer = reference_of(client), fleet.edge
    booked = peer.ledger
    in_clear = HostContent.model_validate_json(booked.content.model_dump_json().replace(reference, CANARY))
    peer.ledger, peer.secrets = DesiredHostConfig.of(booked.generation, in_clear), {}
    with session_scope() as session:
        hosts.set_desired(session, DesiredHostConfig.of(booked.generation + 1, booked.content))
    done = work(apply(client, plan(client, submit(client, "other"))).id)
    assert done.state is OperationState.COMPLETED, done.error
    assert peer.ledger.generation == booked.generation + 2
    assert not hidden_in(peer.ledger.model_dump_json())
    assert set(peer.secrets) == {reference, reference_of(client, "other")}
    assert set(peer.secrets.values()) == {CANARY}


def test_what_nothing_names_is_forgotten_after_a_week(client: TestClient, fleet: Fleet) -> None:
    placed(client)
    submit(client, "two")
    client.delete(f"{API}/chains/two", headers={"If-Match": client.get(f"{API}/chains/two").headers["ETag"]})

    def round_later(days: int) -> int:
        with session_scope() as session:
            forgotten = service.forget_unused(session)
            session.execute(text(f"UPDATE secrets SET unused_since = unused_since - interval '{days} days'"))
            return forgotten

    assert round_later(6) == 0
    assert round_later(2) == 0
    assert round_later(0) == 1
    with session_scope() as session:
        assert session.scalars(select(SecretRow.reference)).all() == [reference_of(client)], "the chain that runs"
