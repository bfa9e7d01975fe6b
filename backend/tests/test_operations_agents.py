"""The agent client: mutual TLS with the peer's identity checked, and failures reported with cause and next step."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pki_world
import pytest
from agent_peer import PATIENCE_S, AgentPeer, patient_clients
from sextant_backend.agents import client as agents_client
from sextant_backend.agents.client import AgentClient
from sextant_backend.agents.errors import AgentError
from sextant_backend.agents.outgoing import StoredFile
from sextant_backend.agents.reach import Reach
from sextant_backend.agents.refusals import cause_of
from sextant_backend.kit.files import write_private
from sextant_backend.pki.authority import Authority, certificate_pem, key_pem, new_key
from sextant_domain.base import digest_of_json
from sextant_domain.hosts.desired import DesiredHostConfig, DesiredStateOrder, HostContent
from sextant_run.pki.store import Store

pytestmark = pytest.mark.usefixtures("settings")
"""Of the process: where agents may be asked is one of them. Without them these tests passed only behind others."""


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store(tmp_path / "pki")
    made.renew(("edge-1", "edge-2"))
    return made


@pytest.fixture
def peer(store: Store) -> Iterator[AgentPeer]:
    with running(AgentPeer("edge-1", store.host("edge-1").folder)) as made:
        yield made


@contextmanager
def running(peer: AgentPeer) -> Iterator[AgentPeer]:
    peer.start()
    try:
        with patient_clients():
            yield peer
    finally:
        peer.stop()


def client(store: Store, peer: AgentPeer, host: str = "edge-1") -> AgentClient:
    return AgentClient(host, Reach(peer.url), store.backend.folder)


def refusal(call: Callable[[], object]) -> AgentError:
    with pytest.raises(AgentError) as caught:
        call()
    problem = caught.value.problem
    assert "edge-1" in problem.detail
    assert problem.next_actions
    return caught.value


def order(generation: int, fence: int = 1, host: str = "edge-1") -> DesiredStateOrder:
    desired = DesiredHostConfig.of(generation, HostContent(host_id=host))
    return DesiredStateOrder(desired=desired, operation_id=7, fence=fence)


def issue(store: Store, folder: Path, stem: str, urn: str, dns_name: str) -> None:
    """A certificate of our authority with any names."""
    from cryptography import x509
    from sextant_backend.pki.authority import load_key

    authority = Authority(
        key=load_key((store.folder / "ca.key").read_bytes()),
        certificate=x509.load_pem_x509_certificate((store.folder / "ca.crt").read_bytes()),
    )
    key = new_key()
    made = authority.issue(key.public_key(), urn=urn, dns_name=dns_name, now=datetime.now(UTC))
    write_private(folder / f"{stem}.key", key_pem(key))
    write_private(folder / f"{stem}.crt", certificate_pem(made))


def test_orders_and_answers(store: Store, peer: AgentPeer) -> None:
    agent = client(store, peer)
    assert agent.desired().generation == 0
    assert agent.put(order(1)).desired_generation == 1
    assert agent.put(order(1)).desired_generation == 1
    assert agent.actual().applied_generation == 1
    assert len(peer.adopted) == 1


@pytest.mark.parametrize(
    ("given", "kind", "definitive", "claim_lost"),
    [
        (order(4, fence=9), "older-generation", True, False),
        (order(6, fence=8), "stale-fence", False, True),
        (order(6, fence=9, host="edge-2"), "bad-order", True, False),
    ],
)
def test_refusals_of_the_ledger(
    store: Store, peer: AgentPeer, given: DesiredStateOrder, kind: str, definitive: bool, claim_lost: bool
) -> None:
    agent = client(store, peer)
    agent.put(order(5, fence=9))
    error = refusal(lambda: agent.put(given))
    assert kind in error.problem.detail
    assert (error.definitive, error.claim_lost) == (definitive, claim_lost)
    assert error.problem.type == "urn:sextant:problem:agent-refused"


def test_an_agent_that_is_down_or_was_never_there(store: Store, peer: AgentPeer) -> None:
    url = peer.url
    peer.stop()
    for agent, cause in (
        (AgentClient("edge-1", Reach(url), store.backend.folder), "no connection"),
        (AgentClient("edge-1", Reach(None), store.backend.folder), "has not registered yet"),
    ):
        error = refusal(agent.desired)
        assert error.problem.type == "urn:sextant:problem:agent-unreachable"
        assert cause in error.problem.detail
        assert not error.definitive


def test_the_port_of_an_agent_that_is_down_is_given_to_nobody_else(peer: AgentPeer) -> None:
    """Tests start it again there, and other processes ask for any free port meanwhile."""
    peer.stop()
    with socket.socket() as other, pytest.raises(OSError, match="in use"):
        other.bind(("127.0.0.1", peer.port))
    peer.start()


def test_a_worker_without_a_certificate_blames_no_host(store: Store, peer: AgentPeer, tmp_path: Path) -> None:
    ended = Store(tmp_path / "ended")
    ended.renew(("edge-1",), datetime.now(UTC) - timedelta(hours=30))  # a leaf lives a day
    for folder, cause in (
        (None, "SEXTANT_PKI_DIR is not set"),
        (tmp_path / "nothing", "No such file"),
        (ended.backend.folder, "ended at"),
    ):
        error = refusal(AgentClient("edge-1", Reach(peer.url), folder).desired)
        assert error.problem.type == "urn:sextant:problem:no-certificate"
        assert cause in error.problem.detail and "nothing was sent" in error.problem.detail
        assert not error.definitive


def test_an_agent_that_closes_the_connection(store: Store, peer: AgentPeer) -> None:
    peer.crash_before_answer = True
    error = refusal(lambda: client(store, peer).put(order(1)))
    assert "it closed the connection" in error.problem.detail


@pytest.mark.parametrize(
    "error",
    [
        httpx.RemoteProtocolError("Server disconnected without sending a response."),
        httpx.ReadError("[Errno 104] Connection reset by peer"),
        httpx.WriteError("[Errno 32] Broken pipe"),
    ],
)
def test_a_connection_is_closed_by_whatever_means_in_one_wording(error: httpx.HTTPError) -> None:
    """Which of them is seen depends on what was under way when an agent ended."""
    assert cause_of(error) == "it closed the connection: it restarts, or it refuses this certificate"


def test_the_connection_is_mended_after_a_restart_of_the_agent(store: Store, peer: AgentPeer) -> None:
    agent = client(store, peer)
    agent.put(order(1))
    peer.stop()
    refusal(agent.desired)
    peer.start()
    assert agent.desired().generation == 1


@pytest.mark.parametrize(
    ("urn", "dns_name"),
    [
        ("urn:sextant:host:edge-2", "edge-2.host.sextant"),
        ("urn:sextant:host:edge-2", "edge-1.host.sextant"),
        ("urn:sextant:host:edge-1", "edge-2.host.sextant"),
        ("urn:sextant:role:backend", "edge-1.host.sextant"),
    ],
)
def test_any_other_identity_gets_no_order(store: Store, urn: str, dns_name: str) -> None:
    issue(store, store.host("edge-1").folder, "host", urn, dns_name)
    with running(AgentPeer("edge-1", store.host("edge-1").folder)) as impostor:
        error = refusal(lambda: client(store, impostor).put(order(1)))
        assert "certificate is refused" in error.problem.detail
        assert impostor.orders == []


@pytest.mark.parametrize(
    "uris",
    [
        ["urn:sextant:host:edge-1", "urn:sextant:role:backend"],
        ["urn:sextant:host:edge-1", "urn:sextant:host:edge-1"],
        ["https://sextant/host/edge-1"],
        [],
    ],
)
def test_an_agent_with_more_or_less_than_one_identity_gets_no_order(tmp_path: Path, uris: list[str]) -> None:
    forger = pki_world.Authority(tmp_path, "fleet")
    forger.issue("backend", ["urn:sextant:role:backend"], ["fleet.sextant"])
    forger.issue("host", uris, ["edge-1.host.sextant"])
    with running(AgentPeer("edge-1", forger.folder)) as impostor:
        error = refusal(lambda: AgentClient("edge-1", Reach(impostor.url), forger.folder).put(order(1)))
        assert f"the certificate is of {', '.join(uris) or 'nobody'}" in error.problem.detail
        assert impostor.orders == []


def test_a_certificate_of_another_authority_gets_no_order(store: Store, tmp_path: Path) -> None:
    other = Store(tmp_path / "other")
    other.renew(("edge-1",))
    with running(AgentPeer("edge-1", other.host("edge-1").folder)) as impostor:
        error = refusal(lambda: client(store, impostor).put(order(1)))
        assert "certificate is refused" in error.problem.detail
        assert impostor.orders == []


def test_renewed_certificates_are_used_without_a_restart(store: Store, peer: AgentPeer) -> None:
    """First our certificate says that we are nobody the agent knows; the renewed one says that we are the backend."""
    issue(store, store.backend.folder, "backend", "urn:sextant:host:edge-2", "edge-2.host.sextant")
    agent = client(store, peer)
    error = refusal(lambda: agent.put(order(1)))
    assert "peer-not-authorised" in error.problem.detail
    assert not error.definitive
    assert peer.orders == []
    issue(store, store.backend.folder, "backend", "urn:sextant:role:backend", "fleet.sextant")
    agent.put(order(1))
    assert len(peer.orders) == 1


@pytest.mark.parametrize(
    ("status", "body", "cause"),
    [
        (200, b"{", "do not fit"),
        (200, b'{"generation": 1}', "do not fit"),
        (200, b"[" * 100_000, "do not fit"),
        (200, b" " * (9 * 1024 * 1024), "exceeds"),
        (500, b"<html>", "status 500"),
        (302, b"", "status 302"),
    ],
)
def test_answers_that_cannot_be_read(store: Store, peer: AgentPeer, status: int, body: bytes, cause: str) -> None:
    peer.answer_instead = (status, body)
    error = refusal(client(store, peer).desired)
    assert cause in error.problem.detail
    assert len(error.problem.detail) < 700


def test_an_agent_that_speaks_for_another_host(store: Store, peer: AgentPeer) -> None:
    peer.host_id = "edge-2"
    error = refusal(client(store, peer).actual)
    assert "speaks for edge-2" in error.problem.detail


@pytest.mark.parametrize("limit", ["TIMEOUT", "WHOLE_S"])
def test_an_agent_that_accepts_and_says_nothing_is_given_up_in_time(
    store: Store, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    """Either limit ends it, where the other would let it go on for an hour."""
    for name in ("TIMEOUT", "WHOLE_S"):
        monkeypatch.setattr(agents_client, name, 0.5 if name == limit else 3600.0)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"https://127.0.0.1:{silent.getsockname()[1]}"
        done = threading.Event()
        errors: list[AgentError] = []

        def ask() -> None:
            errors.append(refusal(AgentClient("edge-1", Reach(url), store.backend.folder).desired))
            done.set()

        threading.Thread(target=ask, daemon=True).start()
        assert done.wait(PATIENCE_S), "it is waited for"
        assert "no " in errors[0].problem.detail


@pytest.mark.parametrize(
    "first",
    [b"HTTP/1.1 200 OK\r\nX-Long: ", b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n"],
    ids=["in a header", "in its answer"],
)
def test_an_agent_that_says_a_byte_now_and_then_is_given_up_in_time(
    store: Store, peer: AgentPeer, monkeypatch: pytest.MonkeyPatch, first: bytes
) -> None:
    """Each read ends within its own limit of 4 s; all 200 of them would take 20 s."""
    agent = client(store, peer)
    agent.desired()  # connected: what a handshake takes is not counted here
    monkeypatch.setattr(agents_client, "WHOLE_S", 0.5)
    peer.drips_after = first
    error = refusal(agent.desired)
    assert "no answer in time" in error.problem.detail
    peer.drips_after = None
    monkeypatch.undo()
    assert agent.desired().generation == 0, "the next exchange has a limit of its own"


@pytest.mark.parametrize(("kilobytes", "passes"), [(1, False), (5000, True)])
def test_a_file_has_time_by_its_size(
    store: Store, peer: AgentPeer, monkeypatch: pytest.MonkeyPatch, kilobytes: int, passes: bool
) -> None:
    """0.5 s, and 0.004 s for 1 KB or 20 s for 5 MB at 2 Mbit/s: its agent answers after 1 s."""
    agent = client(store, peer)
    agent.desired()  # connected: what a handshake takes is not counted here
    monkeypatch.setattr(agents_client, "WHOLE_S", 0.5)
    peer.thinks_s = 1.0
    content = b"x" * 1000 * kilobytes
    digest = digest_of_json(content)

    def send() -> None:
        agent.send(StoredFile(digest, len(content), iter([content])), 1)

    if passes:
        send()
        assert peer.files[digest] == content
    else:
        assert "no answer in time" in refusal(send).problem.detail
