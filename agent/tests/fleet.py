"""A fleet listener with a real handshake: records what agents send, and can be made to fail."""

import asyncio
import json
import socket
import ssl
import threading
import weakref
from typing import Any

import uvicorn
from sextant_agent.api.peer import PEER, PeerProtocol
from sextant_domain.hosts.early_report import EarlyReport
from sextant_domain.hosts.telemetry import TelemetryBatch
from starlette.types import Receive, Scope, Send

from .pki import Authority
from .waiting import wait_for


class FleetListener:
    """Answers 204 to everything unless `answer` says otherwise. Its port is given to nobody else after `close`: another
    listener can be made there."""

    def __init__(self, authority: Authority, shows: str, port: int = 0) -> None:
        self.registered: list[dict[str, Any]] = []
        self.batches: list[TelemetryBatch] = []
        self.early: list[EarlyReport] = []
        self.knows_early = True
        """False: as a console of before there were early reports, which answers 404."""
        self.early_refused = 0
        self.peers: set[str] = set()
        self.requests = 0
        """With batches of several hosts."""
        self.answer = 204
        self.laws_stopped: dict[str, str] | None = None
        """By host, why no law may act; None: it says nothing of laws, as a console of before there were such."""
        self.refused: dict[str, str] = {}
        """Of batches that come several at once: by host, why."""
        self.foreign: set[str] = set()
        """Hosts that are not the sender's: their registration is answered 403."""
        self.renewed = b""
        """Answer to a renewal."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        folder = authority.folder / shows
        context.load_cert_chain(folder / f"{shows}.crt", folder / f"{shows}.key")
        context.load_verify_locations(authority.ca)
        context.verify_mode = ssl.CERT_REQUIRED
        config = uvicorn.Config(
            self._app,
            http=PeerProtocol,
            lifespan="off",
            interface="asgi3",
            log_config=None,
            ssl_context_factory=lambda *_: context,
            timeout_graceful_shutdown=1,
        )
        self._server = uvicorn.Server(config)
        kept = _bound(port)
        weakref.finalize(self, kept.close)
        self.port = kept.getsockname()[1]
        self.url = f"https://127.0.0.1:{self.port}"
        answering = [_bound(self.port)]
        self._thread = threading.Thread(target=lambda: asyncio.run(self._server.serve(answering)), daemon=True)
        self._thread.start()
        wait_for("the fleet listener starts", lambda: self._server.started)

    async def _app(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = b""
        more = True
        while more:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body", False)
        self.peers.update(scope[PEER])
        status, answer = (self.answer, b"") if self.answer != 204 else self._take(scope["path"], body)
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": answer})

    def _take(self, path: str, body: bytes) -> tuple[int, bytes]:
        match path:
            case "/fleet/v1/register":
                reported = json.loads(body)
                if reported["inventory"]["host_id"] in self.foreign:
                    return 403, b""
                self.registered.append(reported)
            case "/fleet/v1/registrations":
                asked = json.loads(body)["registrations"]
                self.registered += [one for one in asked if one["inventory"]["host_id"] not in self.foreign]
                refused = {one["inventory"]["host_id"]: "not its host" for one in asked if one not in self.registered}
                return 200, json.dumps({"refused": refused}).encode()
            case "/fleet/v1/telemetry/batches":
                self.requests += 1
                found = [TelemetryBatch.model_validate(batch) for batch in json.loads(body)["batches"]]
                self.batches += [batch for batch in found if batch.host_id not in self.refused]
                said = {} if self.laws_stopped is None else {"laws_stopped": self.laws_stopped}
                return 200, json.dumps({"refused": self.refused, **said}).encode()
            case "/fleet/v1/telemetry/early":
                if not self.knows_early:
                    self.early_refused += 1
                    return 404, b""
                self.early.append(EarlyReport.model_validate_json(body))
            case "/fleet/v1/renew":
                return 200, self.renewed
            case _:
                batch = TelemetryBatch.model_validate_json(body)
                self.batches.append(batch)
                if self.laws_stopped is not None:
                    return 200, json.dumps({"laws_stopped": self.laws_stopped.get(batch.host_id)}).encode()
        return 204, b""

    def close(self) -> None:
        self._server.should_exit = True
        self._thread.join(timeout=60)


def _bound(port: int) -> socket.socket:
    """Several of them can be bound to one port; nobody else is, while one of them is there."""
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    made.bind(("127.0.0.1", port))
    return made
