"""Artefacts from upload to deletion, on a real PostgreSQL."""

import hashlib
import re
import socket
import threading
from collections.abc import Iterator

import httpx
import pytest
from artefact_world import API, ROUTES, a_chain, a_trace, upload, uploaded
from console_world import SignIn, serving, wait_until
from fastapi.testclient import TestClient
from sextant_backend.app import console_app
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.artefacts.models import ArtefactPieceRow
from sextant_backend.modules.auth import repository as auth_repository
from sextant_backend.modules.auth import service as auth
from sextant_backend.settings import get_settings
from sextant_domain.console.access import Role
from sextant_domain.hosts.artefact import MAX_BYTES, FileKind
from sqlalchemy import func, select
from structlog.testing import capture_logs

DIGEST = f"sha256:{hashlib.sha256(ROUTES).hexdigest()}"
UNKNOWN = f"sha256:{'0' * 64}"


def test_a_file_comes_back_as_it_went_in(client: TestClient) -> None:
    answer = upload(client)
    assert answer.status_code == 201, answer.text
    assert answer.headers["Location"] == f"{API}/artefacts/{DIGEST}"
    assert answer.headers["ETag"] == f'"{DIGEST}"'
    made = answer.json()
    assert {key: made[key] for key in ("digest", "name", "version", "kind", "size_bytes", "created_by", "uses")} == {
        "digest": DIGEST,
        "name": "edge.routes",
        "version": 1,
        "kind": "routes",
        "size_bytes": len(ROUTES),
        "created_by": "ada",
        "uses": 0,
    }
    shown = client.get(f"{API}/artefacts/{DIGEST}")
    assert shown.json() == made
    assert shown.headers["ETag"] == f'"{DIGEST}"'
    content = client.get(f"{API}/artefacts/{DIGEST}/content")
    assert content.content == ROUTES
    assert content.headers["Content-Disposition"] == 'attachment; filename="edge.routes"'
    assert content.headers["X-Content-Type-Options"] == "nosniff"
    assert content.headers["Content-Type"] == "application/octet-stream"
    assert content.headers["Content-Length"] == str(len(ROUTES))


def test_a_large_file_is_kept_in_pieces(client: TestClient) -> None:
    trace = a_trace(*(number.to_bytes(2, "big") * 700 for number in range(2000)))
    assert len(trace) > 2 * 2**20
    digest = uploaded(client, trace, "day.pcap", "pcap")
    with session_scope() as session:
        sizes = session.scalars(select(func.length(ArtefactPieceRow.content)).order_by(ArtefactPieceRow.number)).all()
    assert sizes == [2**20, 2**20, len(trace) - 2 * 2**20]
    assert client.get(f"{API}/artefacts/{digest}/content").content == trace


def test_the_same_name_is_the_next_version_and_the_same_bytes_are_the_same_artefact(client: TestClient) -> None:
    assert upload(client).json()["version"] == 1
    second = upload(client, b"10.0.0.0/8 3\n")
    assert (second.status_code, second.json()["version"]) == (201, 2)
    again = upload(client, name="other.routes")
    assert (again.status_code, again.json()["name"], again.json()["version"]) == (200, "edge.routes", 1)
    other_kind = upload(client, kind="rules")
    assert other_kind.status_code == 409
    assert other_kind.json()["type"] == "urn:sextant:problem:artefact-of-other-kind"
    assert other_kind.json()["errors"][0]["field"] == "query.kind"
    assert len(client.get(f"{API}/artefacts").json()["items"]) == 2


def test_a_number_is_never_given_twice(client: TestClient) -> None:
    uploaded(client)
    assert delete(client, DIGEST).status_code == 204
    assert upload(client, b"10.0.0.0/8 3\n").json()["version"] == 2
    assert upload(client).json()["version"] == 3, "the same bytes again, after they were deleted"


def test_lists_are_paged_and_searched(client: TestClient) -> None:
    digests = [uploaded(client, b"10.0.0.0/8 %d\n" % number, f"Edge-{number}.routes") for number in range(5)]
    uploaded(client, b"deny\n", "a_b.rules", "rules")
    first = client.get(f"{API}/artefacts", params={"limit": 4}).json()
    assert [item["name"] for item in first["items"]] == ["a_b.rules", "Edge-4.routes", "Edge-3.routes", "Edge-2.routes"]
    rest = client.get(f"{API}/artefacts", params={"after": first["next"]}).json()
    assert ([item["name"] for item in rest["items"]], rest["next"]) == (["Edge-1.routes", "Edge-0.routes"], None)

    def names(**wanted: str) -> list[str]:
        return [item["name"] for item in client.get(f"{API}/artefacts", params=wanted).json()["items"]]

    assert names(kind="rules") == ["a_b.rules"]
    assert (
        names(search="edge-3") == names(search=digests[3][:20]) == names(search=digests[3][7:20]) == ["Edge-3.routes"]
    )
    assert names(search="-_") == names(search="%") == [], "what is searched for is no pattern"
    assert names(search="a_b") == ["a_b.rules"]


@pytest.mark.parametrize(
    "name", ["", ".hidden", "../../etc/passwd", "a b", 'a"b', "a\r\nSet-Cookie: x", "é", "x" * 121]
)
def test_a_name_is_no_path_and_no_header(client: TestClient, name: str) -> None:
    answer = upload(client, name=name)
    assert answer.status_code == 422, answer.text
    assert answer.json()["errors"][0]["field"] == "query.name"
    assert client.get(f"{API}/artefacts").json()["items"] == []


def test_content_is_judged_by_its_kind(client: TestClient) -> None:
    answer = upload(client, b"10.0.0.0/8 1\n\x00\n")
    assert answer.status_code == 422
    assert answer.json()["errors"] == [
        {
            "field": "body",
            "message": "line 2: U+0000 at column 1 cannot be printed; write it as an escape, or remove it",
        }
    ]
    assert "Nothing was stored" in answer.json()["detail"]
    assert upload(client, ROUTES, kind="pcap").status_code == 422
    assert upload(client, ROUTES, kind="movie").json()["errors"][0]["field"] == "query.kind"
    assert client.get(f"{API}/artefacts").json()["items"] == []


def test_a_file_that_is_too_large_is_refused_with_the_limit(client: TestClient) -> None:
    most = MAX_BYTES[FileKind.ROUTES]
    line = b"10.0.0.0/8 1\n" * 1024
    declared = upload(client, line * (most // len(line) + 1))

    def parts() -> Iterator[bytes]:
        for _ in range(most // len(line) + 1):
            yield line

    undeclared = client.post(f"{API}/artefacts", params={"name": "a", "kind": "routes"}, content=parts())
    for answer in (declared, undeclared):
        assert answer.status_code == 413, answer.text
        assert answer.json()["type"] == "urn:sextant:problem:body-too-large"
        assert f"may have {most} bytes" in answer.json()["detail"]
    assert client.get(f"{API}/artefacts").json()["items"] == []


def test_a_sender_of_too_much_lives_to_see_the_answer(client: TestClient) -> None:
    """Over a real connection: the refusal is read although the body was not wanted."""
    token = a_token()
    with (
        serving(console_app()) as port,
        httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=60) as http,
    ):
        http.headers["Authorization"] = f"Bearer {token}"
        url = f"{API}/artefacts?name=big&kind=rules"
        answer = http.post(url, content=b"x" * (MAX_BYTES[FileKind.RULES] + 1), timeout=60)
        assert answer.status_code == 413
        assert http.get(f"{API}/artefacts").json()["items"] == []


def test_an_upload_that_breaks_off_leaves_nothing(client: TestClient) -> None:
    head = (
        "POST /api/v1/artefacts?name=a&kind=rules HTTP/1.1\r\nHost: console\r\n"
        f"Authorization: Bearer {a_token()}\r\nContent-Length: 5000000\r\n\r\n"
    )
    with capture_logs() as lines, serving(console_app()) as port:
        with socket.create_connection(("127.0.0.1", port)) as sender:
            sender.sendall(head.encode() + b"x" * 2_000_000)
        wait_until(lambda: any(line["event"] == "request" for line in lines))
    assert [line["status"] for line in lines] == [400]
    assert client.get(f"{API}/artefacts").json()["items"] == []


def a_token() -> str:
    """An API token of the operator that is signed in."""
    with session_scope() as session:
        user = auth_repository.user_named(session, "ada")
        assert user is not None
        return auth.create_token(session, user, "test", Role.OPERATOR)


def test_number_and_sum_are_limited(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = get_settings()
    tight = settings.model_copy(update={"max_artefacts": 2, "max_artefacts_bytes": 100})
    monkeypatch.setattr("sextant_backend.modules.artefacts.service.get_settings", lambda: tight)
    uploaded(client, b"x" * 90)
    full = upload(client, b"y" * 11)
    assert full.status_code == 409
    assert full.json()["type"] == "urn:sextant:problem:artefacts-full"
    assert "100 bytes; 10 are left and this one has 11" in full.json()["detail"]
    uploaded(client, b"y" * 10)
    many = upload(client, b"z")
    assert many.status_code == 409
    assert "2 are stored, as many as may be" in many.json()["detail"]
    assert upload(client, b"x" * 90).status_code == 200, "what is there needs no room"


def test_a_repeat_under_a_key_is_one_upload(client: TestClient) -> None:
    key = {"Idempotency-Key": "one"}
    first, second = upload(client, headers=key), upload(client, headers=key)
    assert (first.status_code, second.status_code, second.headers["Idempotency-Replayed"]) == (201, 201, "true")
    assert second.json() == first.json()
    for other in ({"content": b"10.0.0.0/8 9\n"}, {"name": "another"}):
        assert upload(client, headers=key, **other).json()["type"] == "urn:sextant:problem:idempotency-key-reused"


def test_at_once_uploads_of_a_name_are_counted_in_turn(client: TestClient) -> None:
    answers: list[int] = []

    def send(number: int) -> None:
        answers.append(upload(client, b"10.0.0.0/8 %d\n" % number).json()["version"])

    threads = [threading.Thread(target=send, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [1, 2, 3, 4, 5, 6]


def test_viewers_read_and_nothing_more(sign_in: SignIn) -> None:
    viewer = sign_in(Role.VIEWER)
    assert upload(viewer).json()["type"] == "urn:sextant:problem:forbidden"
    assert viewer.get(f"{API}/artefacts").status_code == 200
    refused = viewer.delete(f"{API}/artefacts/{DIGEST}", headers={"If-Match": "x"})
    assert refused.json()["type"] == "urn:sextant:problem:forbidden"


def test_audit_records_who_stored_and_deleted_what(client: TestClient) -> None:
    uploaded(client)
    uploaded(client)
    delete(client, DIGEST)
    entries = [entry for entry in client.get(f"{API}/audit").json()["items"] if entry["action"].startswith("artefact")]
    assert [(entry["action"], entry["actor"], entry["subject"]) for entry in entries] == [
        ("artefact.delete", "ada", "artefact/edge.routes/1"),
        ("artefact.upload", "ada", "artefact/edge.routes/1"),
    ]
    assert entries[0]["detail"] == {"kind": "routes", "size_bytes": str(len(ROUTES)), "digest": DIGEST}


def delete(client: TestClient, digest: str) -> httpx.Response:
    return client.delete(f"{API}/artefacts/{digest}", headers={"If-Match": f'"{digest}"'})


def test_deleting_needs_the_tag(client: TestClient) -> None:
    uploaded(client)
    assert client.delete(f"{API}/artefacts/{DIGEST}").status_code == 428
    assert client.delete(f"{API}/artefacts/{DIGEST}", headers={"If-Match": '"3"'}).status_code == 412
    assert delete(client, UNKNOWN).status_code == 404
    assert delete(client, DIGEST).status_code == 204
    assert client.get(f"{API}/artefacts/{DIGEST}").status_code == 404
    assert client.get(f"{API}/artefacts/{DIGEST}/content").status_code == 404
    assert client.get(f"{API}/artefacts/sha256:x").status_code == 422


def test_what_a_chain_names_cannot_be_deleted(client: TestClient) -> None:
    uploaded(client)
    for name in ("web", "mail"):
        assert client.post(f"{API}/chains", json=a_chain(name, DIGEST)).status_code == 201
    shown = client.get(f"{API}/artefacts/{DIGEST}").json()
    assert (shown["uses"], shown["used_by"]) == (2, ["mail", "web"])
    refused = delete(client, DIGEST)
    assert refused.status_code == 409
    assert refused.json()["type"] == "urn:sextant:problem:artefact-in-use"
    assert refused.json()["difference"] == {"used_by": {"chains": ["mail", "web"], "count": 2}}
    for name in ("web", "mail"):
        tag = client.get(f"{API}/chains/{name}").headers["ETag"]
        assert client.delete(f"{API}/chains/{name}", headers={"If-Match": tag}).status_code == 204
    assert delete(client, DIGEST).status_code == 204


@pytest.mark.parametrize(
    ("nf", "setting", "kind", "size", "message"),
    [
        ("router", "routes_file", "rules", 1, "a.file version 1 is a file of kind rules; routes is needed here"),
        ("firewall", "rules_file", "rules", 4 * 2**20 + 1, "has 4194305 bytes; firewall reads at most 4194304"),
        ("nids", "patterns_file", None, 0, "is stored; upload it first"),
    ],
)
def test_a_chain_names_files_that_are_there_and_fit(
    client: TestClient, nf: str, setting: str, kind: str | None, size: int, message: str
) -> None:
    digest = (
        uploaded(client, (b"x" * 63 + b"\n") * (size // 64) + b"x" * (size % 64), "a.file", kind) if kind else UNKNOWN
    )
    chain = {**a_chain("web", None), "nfs": ["simple-forward", {"type": nf, "config": {setting: digest}}]}
    assert refusal(client, chain) == {f"nfs.1.config.{setting}": message}


def test_a_chain_replays_a_capture_that_is_there(client: TestClient) -> None:
    capture = uploaded(client, a_trace(bytes(60)), "day.pcap", "pcap")
    assert client.post(f"{API}/chains", json=a_chain("web", None, pcap=capture)).status_code == 201
    shown = client.get(f"{API}/chains/web").json()["spec"]["traffic"]
    assert shown["pcap"] == {"file": capture, "timing": "rate"}
    assert client.get(f"{API}/artefacts/{capture}").json()["used_by"] == ["web"]
    for digest, message in ((f"sha256:{'0' * 64}", "upload it first"), (uploaded(client), "pcap is needed here")):
        answer = client.post(f"{API}/chains", json=a_chain("mail", None, pcap={"file": digest, "timing": "file"}))
        assert answer.status_code == 422, answer.text
        [error] = answer.json()["errors"]
        assert error["field"] == "traffic.pcap.file"
        assert message in error["message"]


def test_a_path_is_no_digest(client: TestClient) -> None:
    answer = client.post(f"{API}/chains", json=a_chain("web", "/etc/passwd"))
    assert [error["field"] for error in answer.json()["errors"]] == ["nfs.0.config.routes_file"]


def refusal(client: TestClient, chain: dict[str, object]) -> dict[str, str]:
    """What is wrong with a chain, by field; digests and commands left out."""
    answer = client.post(f"{API}/chains", json=chain)
    assert answer.status_code == 422, answer.text
    assert client.get(f"{API}/chains").json()["items"] == []
    names = re.compile(r"^no artefact sha256:0{64} |^a\.file version 1 (?=has)| \(sextant artefacts upload FILE\)$")
    return {error["field"]: names.sub("", error["message"]) for error in answer.json()["errors"]}
