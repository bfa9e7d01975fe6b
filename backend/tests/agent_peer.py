"""An agent for tests of the backend: docs/contracts/agent.md over real mutual TLS, with a real ledger's rules; only
its NFs are not processes but entries that begin to run one after another."""

import contextlib
import json
import socket
import ssl
import threading
import time
import weakref
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import IPv6Address
from pathlib import Path
from typing import Any
from unittest.mock import patch

from profiling_peer import Measurements
from sextant_backend.agents import client as agents_client
from sextant_domain.base import digest_of, digest_of_json
from sextant_domain.hosts.artefact import HeldArtefacts, digests_of
from sextant_domain.hosts.desired import (
    ActualCpu,
    ActualMemory,
    ActualNf,
    ActualState,
    ChainResources,
    DesiredChain,
    DesiredHostConfig,
    DesiredNf,
    DesiredStateOrder,
    HostContent,
    NfState,
    Phase,
)
from sextant_domain.hosts.packet_capture import CapturedHop, CapturedPacket, CaptureOrder, PacketCapture
from sextant_domain.problem import Problem, problem_type
from sextant_domain.profiling.job import ProfileOrder, ProfileRun

BACKEND = "urn:sextant:role:backend"
PATIENCE_S = 60.0


@contextlib.contextmanager
def patient_clients() -> Iterator[None]:
    """An agent that stands in the process of its client is as late as the machine makes both: not given up for that."""
    limits = dict.fromkeys(("TIMEOUT", "STOP_TIMEOUT", "WHOLE_S", "WHOLE_STOP_S"), PATIENCE_S)
    with patch.multiple(agents_client, **limits):
        yield


class AgentPeer:
    """One host's agent. `stop()` and `start()` are a crash and a restart: ledger and port stay, which nobody else is
    given between, as a second socket is bound to it all the time."""

    def __init__(self, host_id: str, pki: Path, nf_start_s: float = 0.02) -> None:
        self.host_id, self.pki, self.nf_start_s = host_id, pki, nf_start_s
        self.ledger = DesiredHostConfig.of(0, HostContent(host_id=host_id))
        self.fence = 0
        self.adopted: list[tuple[int, str]] = []
        """Every order that changed the ledger."""
        self.orders: list[tuple[int, int]] = []
        """(generation, fence) of every order that was accepted, repeats included."""
        self.refused: list[str] = []
        self.stuck = False
        """True: no further NF begins to run."""
        self.crash_before_answer = False
        """True: the next order is adopted, and the connection closed without an answer."""
        self.answer_instead: tuple[int, bytes] | None = None
        """What every GET is answered with."""
        self.drips_after: bytes | None = None
        """What every GET is answered with, and after it a byte every 0.1 s."""
        self.thinks_s = 0.0
        """Before a file is answered."""
        self.disk_full = False
        """True: no file is taken."""
        self.misplaced = False
        """True: NFs are found on core 0, whatever was ordered."""
        self.packet = CapturedPacket(
            tag=0x8000, flow_label=7, source=IPv6Address("fc00:0:1::"), hop_limit=62, inner="ipv4", detection_us=21.5,
            path=(CapturedHop(nf_id="web.router", device=1, nf_latency_us=12.25),), headers="6000",
        )  # fmt: skip
        """What every capture finds."""
        self.given: dict[str, Any] = {}
        """What every NF is found to have of its core, whatever was ordered: field of `ActualCpu` -> value."""
        self.given_memory: dict[str, Any] = {}
        """The same of its cache and memory: field of `ActualMemory` -> value."""
        self.files: dict[str, bytes] = {}
        """What it was sent, by digest."""
        self.arrivals: list[tuple[str, int]] = []
        """(digest, fence) of every file that was taken, repeats included."""
        self.secrets: dict[str, str] = {}
        """What the newest order brought, by reference."""
        self.measurements = Measurements()
        self.changed_at = time.monotonic()
        self.frozen_at: float | None = None
        self.lock = threading.Lock()
        self._server: ThreadingHTTPServer | None = None
        kept = socket.socket()
        kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        kept.bind(("127.0.0.1", 0))
        weakref.finalize(self, kept.close)
        self.port = kept.getsockname()[1]

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}"

    def start(self) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(self.pki / "ca.crt")
        context.load_cert_chain(self.pki / "host.crt", self.pki / "host.key")
        self._server = _Server(("127.0.0.1", self.port), _handler(self))
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def stop(self) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server.drop_connections()
            self._server = None

    def put(self, order: DesiredStateOrder) -> tuple[int, str]:
        """The ledger's rules: (status, problem kind)."""
        with self.lock:
            new = order.desired
            if order.fence < self.fence:
                return self._refuse(409, "stale-fence")
            if new.generation < self.ledger.generation:
                return self._refuse(409, "older-generation")
            if new.generation == self.ledger.generation and new.digest != self.ledger.digest:
                return self._refuse(409, "generation-conflict")
            if digest_of(new.content) != new.digest or new.content.host_id != self.host_id:
                return self._refuse(422, "bad-order")
            if digests_of(new.content) - self.files.keys():
                return self._refuse(409, "artefact-missing")
            if new.content.secrets != order.secrets.keys():
                return self._refuse(422, "bad-order")
            self.fence, self.secrets = order.fence, order.secrets
            self.orders.append((new.generation, order.fence))
            if new.generation > self.ledger.generation:
                self.ledger, self.changed_at = new, time.monotonic()
                self.adopted.append((new.generation, new.digest))
            return 202, ""

    def take_file(self, digest: str, fence: int, content: bytes) -> tuple[int, str]:
        """The rules for files: (status, problem kind)."""
        with self.lock:
            if fence < self.fence:
                return self._refuse(409, "stale-fence")
            if digest_of_json(content) != digest:
                return self._refuse(422, "wrong-digest")
            if self.disk_full:
                return self._refuse(507, "disk-full")
            self.files[digest] = content
            self.arrivals.append((digest, fence))
            return 204, ""

    def _refuse(self, status: int, kind: str) -> tuple[int, str]:
        self.refused.append(kind)
        return status, kind

    def actual(self) -> ActualState:
        ordered = [(chain, nf) for chain in self.ledger.content.chains for nf in chain.nfs]
        run = 0 if self.stuck else int((time.monotonic() - self.changed_at) / self.nf_start_s)
        converged = run >= len(ordered)
        now = datetime.now(UTC)
        return ActualState(
            host_id=self.host_id,
            phase=Phase.CONVERGED if converged else Phase.CONVERGING,
            detail=f"{min(run, len(ordered))} of {len(ordered)} NFs run",
            desired_generation=self.ledger.generation,
            desired_digest=self.ledger.digest,
            applied_generation=self.ledger.generation if converged else max(0, self.ledger.generation - 1),
            nfs=tuple(
                ActualNf(
                    nf_id=nf.nf_id,
                    chain=chain.chain,
                    nf_type=nf.nf_type,
                    state=NfState.RUNNING,
                    pid=1000 + number,
                    core=0 if self.misplaced else nf.core,
                    since=now,
                    cpu=ActualCpu(**{**_cpu(nf), **self.given}),
                    memory=ActualMemory(**{**_memory(chain, nf), **self.given_memory}),
                )
                for number, (chain, nf) in enumerate(ordered[:run])
            ),
            observed_at=now,
        )


def _cpu(nf: DesiredNf) -> dict[str, Any]:
    return {"cpu_share": nf.cpu_share or 100, "cpu_quota_percent": nf.cpu_quota_percent}


def _memory(chain: DesiredChain, nf: DesiredNf) -> dict[str, Any]:
    shared = chain.resources or ChainResources()
    return {
        "llc_ways": nf.llc_ways,
        "memory_bandwidth_percent": nf.memory_bandwidth_percent,
        "chain_llc_ways": shared.llc_ways,
        "chain_memory_bandwidth_percent": shared.memory_bandwidth_percent,
    }


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True
    allow_reuse_port = True

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.connections: list[Any] = []

    def process_request(self, request: Any, client_address: Any) -> None:
        self.connections.append(request)
        super().process_request(request, client_address)

    def drop_connections(self) -> None:
        for connection in self.connections:
            with contextlib.suppress(OSError):
                connection.shutdown(2)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A peer that hangs up is no news."""


class _Answers(BaseHTTPRequestHandler):
    """How every answer is written, over TLS."""

    protocol_version = "HTTP/1.1"

    def setup(self) -> None:
        self.request.settimeout(20)
        self.request.do_handshake()
        super().setup()

    def _problem(self, status: int, kind: str, why: str | None = None) -> None:
        detail = why or f"refused: {kind}"
        problem = Problem(type=problem_type(kind), title=kind, status=status, detail=detail)
        self._answer(status, problem.model_dump_json())

    def _answer(self, status: int, text: str | bytes) -> None:
        body = text if isinstance(text, bytes) else text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _drip(self, first: bytes) -> None:
        self.close_connection = True
        self.wfile.write(first)
        for _ in range(200):
            self.wfile.write(b"x")
            time.sleep(0.1)

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""


def _handler(peer: AgentPeer) -> type[BaseHTTPRequestHandler]:
    class Handler(_Answers):
        def do_GET(self) -> None:
            if peer.drips_after is not None:
                self._drip(peer.drips_after)
            elif peer.answer_instead is not None:
                self._answer(*peer.answer_instead)
            elif self._allowed():
                if self.path.startswith("/v1/profiles/"):
                    self._answer_run(peer.measurements.get(self.path.rpartition("/")[2]))
                    return
                bodies = {"/v1/desired": lambda: peer.ledger, "/v1/actual": peer.actual, "/v1/artefacts": self._held}
                body = bodies.get(self.path)
                self._answer(200, body().model_dump_json()) if body else self._problem(404, "not-found")

        def do_PUT(self) -> None:
            raw = self.rfile.read(int(self.headers["Content-Length"]))
            if not self._allowed():
                return
            if self.path.startswith("/v1/artefacts/"):
                time.sleep(peer.thinks_s)
                fence, digest = int(self.headers["X-Sextant-Fence"]), self.path.rpartition("/")[2]
                status, kind = peer.take_file(digest, fence, raw)
                self._problem(status, kind) if kind else self._answer(status, b"")
                return
            status, kind = peer.put(DesiredStateOrder.model_validate_json(raw))
            if peer.crash_before_answer:
                peer.crash_before_answer = False
                self.close_connection = True
                self.connection.shutdown(2)
            elif kind:
                self._problem(status, kind)
            else:
                self._answer(status, peer.actual().model_dump_json())

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["Content-Length"]))
            if self._allowed() and self.path == "/v1/profiles":
                order = ProfileOrder.model_validate_json(raw)
                self._answer_run(peer.measurements.order(order, set(peer.files)), 202)
            elif self._allowed() and self.path == "/v1/captures":
                self._capture(CaptureOrder.model_validate_json(raw))

        def do_DELETE(self) -> None:
            if self._allowed():
                self._answer_run(peer.measurements.cancel(self.path.rpartition("/")[2]))

        def _capture(self, order: CaptureOrder) -> None:
            """As an agent of the driver srv6 would, of a chain that it runs: one packet came."""
            if order.chain not in {chain.chain for chain in peer.ledger.content.chains}:
                self._problem(409, "not-captured", f"{order.chain} does not run here")
                return
            found = PacketCapture(
                chain=order.chain,
                host=peer.host_id,
                taken_at=datetime.now(UTC),
                asked_for=order.packets,
                packets=(peer.packet,),
            )
            self._answer(200, found.model_dump_json())

        def _answer_run(self, run: ProfileRun | str, status: int = 200) -> None:
            if isinstance(run, str):
                self._problem(404 if run == "no-such-profile" else 409, run, peer.measurements.busy)
            else:
                self._answer(status, run.model_dump_json())

        def _held(self) -> HeldArtefacts:
            return HeldArtefacts(digests=tuple(sorted(peer.files)))

        def _allowed(self) -> bool:
            names = dict(self.connection.getpeercert()).get("subjectAltName", ())
            if ("URI", BACKEND) in names:
                return True
            self._problem(403, "peer-not-authorised")
            return False

    return Handler


def chain_json(name: str, *nfs: str, rate_mpps: float = 0.2) -> dict[str, Any]:
    """A chain as a client sends it."""
    body = {
        "name": name,
        "nfs": list(nfs) or ["router", "firewall", "basic-monitor"],
        "traffic": {"rate_mpps": rate_mpps, "packet_bytes": 256},
    }
    return json.loads(json.dumps(body))
