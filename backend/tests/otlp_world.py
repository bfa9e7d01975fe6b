"""A collector of traces for tests: a real HTTP server that decodes what OpenTelemetry's exporter sends."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from sextant_run.ports import LOOPBACK


@dataclass(frozen=True)
class Received:
    """One span."""

    service: str
    name: str
    trace_id: str
    span_id: str
    parent_id: str
    failed: bool
    attributes: dict[str, Any]


class Collector:
    """`url` is what processes are told; `raw` all that came, byte for byte."""

    def __init__(self) -> None:
        self.url = ""
        self.raw = b""
        self._spans: list[Received] = []
        self._lock = threading.Lock()

    def take(self, body: bytes) -> None:
        """One request of an exporter."""
        with self._lock:
            self.raw += body
            for of_process in ExportTraceServiceRequest.FromString(body).resource_spans:
                service = _attributes(of_process.resource.attributes)["service.name"]
                for spans in of_process.scope_spans:
                    self._spans += [
                        Received(
                            service.removeprefix("sextant-"),
                            one.name,
                            one.trace_id.hex(),
                            one.span_id.hex(),
                            one.parent_span_id.hex(),
                            one.status.code == one.status.STATUS_CODE_ERROR,
                            _attributes(one.attributes),
                        )
                        for one in spans.spans
                    ]

    def spans(self, trace_id: str | None = None) -> list[Received]:
        """So far, of one trace where named."""
        with self._lock:
            return [one for one in self._spans if trace_id in (None, one.trace_id)]


def _attributes(found: Any) -> dict[str, Any]:
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in found}


@contextmanager
def collecting() -> Iterator[Collector]:
    """A collector that listens until the end of the block."""
    made = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            made.take(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer((LOOPBACK, 0), Handler)
    made.url = f"http://{LOOPBACK}:{server.server_port}/v1/traces"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
