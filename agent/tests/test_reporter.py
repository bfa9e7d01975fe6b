"""Telemetry to the fleet listener: in order, once, kept while it is away, and to nobody else."""

import socket
import ssl
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from cryptography.x509 import DNSName, UniformResourceIdentifier
from sextant_agent.identity.fleet_client import FleetClient, ReportFailed, cause_of
from sextant_agent.identity.tls import TlsCredentials
from sextant_agent.machine.inventory import build_inventory
from sextant_agent.machine.machine import read_machine
from sextant_agent.reporting.reporter import KEEP_BATCHES, ListenerState, Reporter
from sextant_domain.base import Provenance
from sextant_domain.hosts.host import HostInventory
from sextant_domain.hosts.telemetry import TelemetryBatch

from .fleet import FleetListener
from .machines import small
from .orders import HOST
from .pki import BACKEND, Authority
from .waiting import wait_for

CLOSED = "it closed the connection: it restarts, or it refuses this host's certificate"


def batch(sequence: int) -> TelemetryBatch:
    return TelemetryBatch(
        host_id=HOST,
        epoch="e1",
        sequence=sequence,
        taken_at=datetime(2026, 1, 1, tzinfo=UTC),
        interval_s=1.0,
        provenance=Provenance.MEASURED,
        applied_generation=0,
        phase="converged",
    )


@pytest.fixture
def credentials(authority: Authority) -> TlsCredentials:
    return TlsCredentials(authority.folder / "host", HOST)


@pytest.fixture
def reporters(credentials: TlsCredentials) -> Iterator[Any]:
    made: list[Reporter] = []

    def make(url: str) -> Reporter:
        host = build_inventory(read_machine(Path("/")), HOST, "testbed")
        made.append(Reporter(FleetClient(url, credentials), lambda: host, "https://127.0.0.1:1"))
        return made[-1]

    yield make
    for reporter in made:
        reporter.stop()


def test_it_registers_first_and_sends_in_order(reporters: Any, fleet: FleetListener) -> None:
    reporter = reporters(fleet.url)
    for sequence in range(5):
        reporter.deliver(batch(sequence))
    reporter.start()
    wait_for("five batches", lambda: len(fleet.batches) == 5)
    assert [sent.sequence for sent in fleet.batches] == list(range(5))
    assert len(fleet.registered) == 1


def test_a_core_that_goes_offline_is_reported_before_the_next_batch(
    credentials: TlsCredentials, fleet: FleetListener, tmp_path: Path
) -> None:
    """A machine of two cores as the kernel would show it; core 1 is taken offline, and a core comes back. The listener
    learns it with the next batch, a second later at most; what has not changed is not reported again."""
    online = small(tmp_path) / "sys/devices/system/cpu/online"
    free = tmp_path / "sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages"
    free.write_text("3\n")
    every = frozenset({0, 1})

    def inventory() -> HostInventory:
        return build_inventory(read_machine(tmp_path, affinity=every), HOST, "testbed")

    def sent(sequence: int) -> list[list[int]]:
        """Cores of each registration by when this batch is there."""
        reporter.deliver(batch(sequence))
        wait_for("the batch", lambda: len(fleet.batches) > sequence)
        return [[core["id"] for core in reported["inventory"]["cores"]] for reported in fleet.registered]

    reporter = Reporter(FleetClient(fleet.url, credentials), inventory, "https://127.0.0.1:1")
    reporter.start()
    try:
        assert sent(0) == [[0, 1]]
        assert sent(1) == [[0, 1]]
        online.write_text("0\n")
        assert sent(2) == [[0, 1], [0]]
        free.write_text("7\n")
        assert sent(3) == [[0, 1], [0]], "a capability that says it in other words is no news"
        online.write_text("0-1\n")
        assert sent(4) == [[0, 1], [0], [0, 1]]
    finally:
        reporter.stop()


def test_what_a_silent_listener_missed_is_sent_oldest_first(reporters: Any, fleet: FleetListener) -> None:
    """200 batches while nobody accepts them: the newest 120 are kept, 80 to 199."""
    reporter = reporters(fleet.url)
    fleet.answer = 503
    reporter.start()
    for sequence in range(200):
        reporter.deliver(batch(sequence))
    wait_for("it notices", lambda: reporter.trouble)
    assert "503" in reporter.trouble
    fleet.answer = 204
    wait_for("all that was kept", lambda: len(fleet.batches) >= KEEP_BATCHES)
    assert [sent.sequence for sent in fleet.batches] == list(range(80, 200))
    wait_for("it is well again", lambda: reporter.trouble is None)


def test_pauses_double_up_to_five_seconds() -> None:
    """0.25 x 2^n, 5 at the most, each a quarter more or less; after a success it begins again."""
    reach = ListenerState()
    for expected in (0.25, 0.5, 1.0, 2.0, 4.0, 5.0, 5.0):
        assert 0.75 * expected <= reach.failed("no answer") <= 1.25 * expected
    assert reach.trouble == "no answer"
    reach.succeeded()
    assert reach.trouble is None
    assert 0.75 * 0.25 <= reach.failed("no answer") <= 1.25 * 0.25


def test_a_listener_that_comes_back_at_its_address_is_found(
    reporters: Any, authority: Authority, fleet: FleetListener
) -> None:
    reporter = reporters(fleet.url)
    reporter.start()
    reporter.deliver(batch(0))
    wait_for("the first", lambda: fleet.batches)
    fleet.close()
    reporter.deliver(batch(1))
    wait_for("it notices", lambda: reporter.trouble)
    again = FleetListener(authority, "backend", port=fleet.port)
    try:
        wait_for("the second", lambda: [sent.sequence for sent in again.batches] == [1])
    finally:
        again.close()


def test_a_batch_refused_as_such_is_dropped_and_the_next_one_sent(reporters: Any, fleet: FleetListener) -> None:
    reporter = reporters(fleet.url)
    reporter.start()
    reporter.deliver(batch(0))
    wait_for("registered", lambda: fleet.batches)
    fleet.answer = 422
    reporter.deliver(batch(1))
    wait_for("it is dropped", lambda: not reporter._waiting)
    fleet.answer = 204
    reporter.deliver(batch(2))
    wait_for("the next", lambda: [sent.sequence for sent in fleet.batches] == [0, 2])


@pytest.mark.parametrize("uris", [("urn:sextant:host:edge-2",), (BACKEND[0], "urn:sextant:host:edge-2"), ()])
def test_a_server_that_is_not_the_backend_is_sent_nothing(
    authority: Authority, credentials: TlsCredentials, uris: tuple[str, ...]
) -> None:
    """Right authority, right DNS name, wrong identity, or one too many: refused after the handshake, before the first
    byte."""
    authority.forge("impostor", *map(UniformResourceIdentifier, uris), DNSName(BACKEND[1]))
    impostor = FleetListener(authority, "impostor")
    try:
        with pytest.raises(ReportFailed, match="does not name urn:sextant:role:backend alone"):
            FleetClient(impostor.url, credentials).post("/fleet/v1/telemetry", batch(0).model_dump_json().encode())
        assert not impostor.peers, "no request arrived"
    finally:
        impostor.close()


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (httpx.RemoteProtocolError("Server disconnected without sending a response."), CLOSED),
        (httpx.ReadError("[Errno 104] Connection reset by peer"), CLOSED),
        (httpx.WriteError("[Errno 32] Broken pipe"), CLOSED),
        (
            httpx.ReadError("[SSL: TLSV1_ALERT_UNKNOWN_CA] tlsv1 alert unknown ca (_ssl.c:2580)"),
            "it does not accept this host's certificate (tlsv1 alert unknown ca (_ssl.c:2580))",
        ),
        (
            httpx.ReadError("[SSL: SSLV3_ALERT_CERTIFICATE_EXPIRED] sslv3 alert certificate expired (_ssl.c:2580)"),
            "it does not accept this host's certificate (sslv3 alert certificate expired (_ssl.c:2580))",
        ),
    ],
)
def test_only_tls_says_that_a_certificate_is_not_accepted(error: httpx.HTTPError, said: str) -> None:
    """A listener that restarts closes connections as well."""
    assert cause_of(error) == said


def test_a_listener_that_hangs_up_is_not_said_to_refuse_the_certificate(
    authority: Authority, credentials: TlsCredentials
) -> None:
    """As one that restarts: the handshake is done, and the request is not answered."""
    folder = authority.folder / "backend"
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "backend.crt", folder / "backend.key")
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def hang_up() -> None:
            with context.wrap_socket(listening.accept()[0], server_side=True) as connection:
                connection.recv(1)

        thread = threading.Thread(target=hang_up)
        thread.start()
        url = f"https://127.0.0.1:{listening.getsockname()[1]}"
        with pytest.raises(ReportFailed, match=CLOSED):
            FleetClient(url, credentials).post("/fleet/v1/telemetry", b"{}")
        thread.join(60)


def test_a_server_of_another_name_is_sent_nothing(authority: Authority, credentials: TlsCredentials) -> None:
    other = FleetListener(authority, "other")
    try:
        with pytest.raises(ReportFailed, match="certificate is not the fleet's"):
            FleetClient(other.url, credentials).post("/fleet/v1/telemetry", b"{}")
        assert not other.peers
    finally:
        other.close()


def test_a_server_of_another_authority_is_sent_nothing(tmp_path: Path, credentials: TlsCredentials) -> None:
    stranger = Authority(tmp_path / "stranger")
    stranger.issue("backend", BACKEND)
    listener = FleetListener(stranger, "backend")
    try:
        with pytest.raises(ReportFailed, match="certificate is not the fleet's"):
            FleetClient(listener.url, credentials).post("/fleet/v1/telemetry", b"{}")
    finally:
        listener.close()


def test_nobody_there_is_a_cause_not_a_crash(credentials: TlsCredentials) -> None:
    with pytest.raises(ReportFailed, match="Connection refused"):
        FleetClient("https://127.0.0.1:1", credentials).post("/fleet/v1/telemetry", b"{}")


def test_stopping_does_not_wait_for_an_absent_listener(reporters: Any) -> None:
    reporter = reporters("https://127.0.0.1:1")
    reporter.start()
    reporter.deliver(batch(0))
    wait_for("it notices", lambda: reporter.trouble)
    reporter.stop()
    assert not [thread for thread in threading.enumerate() if thread.name == "reporter" and thread.is_alive()]
