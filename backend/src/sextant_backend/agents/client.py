"""One HTTP client a host: httpx's pool ignores SNI on reuse, so hosts never share one."""

import threading
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

import httpx
from pydantic import BaseModel, ValidationError
from sextant_domain import tracing
from sextant_domain.hosts.artefact import HeldArtefacts
from sextant_domain.hosts.desired import ActualState, DesiredHostConfig, DesiredStateOrder
from sextant_domain.hosts.fault import ActiveFaults, FaultOrder
from sextant_domain.hosts.packet_capture import CaptureOrder, PacketCapture
from sextant_domain.profiling.job import ProfileOrder, ProfileRun

from sextant_backend.agents import deadline, refusals
from sextant_backend.agents.destinations import ForbiddenDestination
from sextant_backend.agents.outgoing import SLOWEST_BYTES_S, StoredFile
from sextant_backend.agents.reach import Reach
from sextant_backend.agents.tls import client_context, host_identity, server_name, stamp
from sextant_backend.agents.transport import AgentTransport
from sextant_backend.kit import credentials
from sextant_backend.settings import get_settings

TIMEOUT = httpx.Timeout(4.0, connect=2.0)
STOP_TIMEOUT = httpx.Timeout(8.0, connect=2.0)
"""Of ending a measurement: the agent waits 5 s for its processes."""

WHOLE_S = 5.5
"""Of an exchange, however its parts are spread; three tries of a step must end within 30 s (operations/limits.py)."""
WHOLE_STOP_S = 9.5

MAX_ANSWER_BYTES = 8 * 1024 * 1024
_T = TypeVar("_T", bound=BaseModel)
_Content = bytes | Iterator[bytes] | None


def agent_for(host_id: str, reach: Reach) -> "AgentClient":
    """This process's client for a host: another one, with connections of its own, where its reach has changed."""
    return _client(host_id, reach, get_settings().pki_dir)


@lru_cache(maxsize=4096)
def _client(host_id: str, reach: Reach, pki_dir: Path | None) -> "AgentClient":
    return AgentClient(host_id, reach, pki_dir)


class AgentClient:
    """Speaks to one host's agent. Every failure is an AgentError with cause and next step. Safe between threads."""

    def __init__(self, host_id: str, reach: Reach, pki_dir: Path | None) -> None:
        self._host, self._reach, self._url, self._pki = host_id, reach, reach.url, pki_dir
        self._lock = threading.Lock()
        self._http: httpx.Client | None = None
        self._stamp: tuple[tuple[int, int], ...] = ()

    def desired(self) -> DesiredHostConfig:
        """What its ledger holds."""
        return self._ask("GET", "/v1/desired", DesiredHostConfig)

    def actual(self) -> ActualState:
        """What it runs now."""
        return self._of_this_host(self._ask("GET", "/v1/actual", ActualState))

    def put(self, order: DesiredStateOrder) -> ActualState:
        """Give an order; returns once its ledger holds it. Sending the same generation again is harmless."""
        return self._of_this_host(self._ask("PUT", "/v1/desired", ActualState, order))

    def faults(self) -> ActiveFaults:
        """Ordered faults that are not over."""
        return self._ask("GET", "/v1/faults", ActiveFaults)

    def inject(self, order: FaultOrder) -> ActiveFaults:
        """Make something go wrong on a simulated host."""
        return self._ask("POST", "/v1/faults", ActiveFaults, order)

    def capture(self, order: CaptureOrder) -> PacketCapture:
        """The next packets that leave a chain there; takes up to `packet_capture.WAIT_S`."""
        return self._ask("POST", "/v1/captures", PacketCapture, order)

    def measure(self, order: ProfileOrder) -> ProfileRun:
        """Have it measure a point; returns at once. What it has measured under this key it returns again."""
        return self._ask("POST", "/v1/profiles", ProfileRun, order)

    def measurement(self, key: str) -> ProfileRun:
        """How far it is, or what came out."""
        return self._ask("GET", f"/v1/profiles/{key}", ProfileRun)

    def stop_measuring(self, key: str) -> ProfileRun:
        """Cancel a measurement; returns once it has ended."""
        return self._ask("DELETE", f"/v1/profiles/{key}", ProfileRun)

    def artefacts(self) -> frozenset[str]:
        """The files it has, by digest."""
        return frozenset(self._ask("GET", "/v1/artefacts", HeldArtefacts).digests)

    def send(self, file: StoredFile, fence: int) -> None:
        """Give it a file; returns once that is whole on its disk. Sending it again is harmless."""
        headers = {
            "Content-Type": "application/octet-stream",
            "Content-Length": str(file.size_bytes),
            "X-Sextant-Fence": str(fence),
        }
        self._call("PUT", f"/v1/artefacts/{file.digest}", file.pieces, headers)

    def _of_this_host(self, state: ActualState) -> ActualState:
        if state.host_id != self._host:
            raise refusals.unreadable(self._host, f"it speaks for {state.host_id}")
        return state

    def _ask(self, method: str, path: str, kind: type[_T], body: BaseModel | None = None) -> _T:
        content = None if body is None else body.model_dump_json().encode()
        answer = self._call(method, path, content, {} if body is None else {"Content-Type": "application/json"})
        try:
            return kind.model_validate_json(answer)
        except ValidationError as error:
            raise refusals.unreadable(
                self._host, f"{error.error_count()} fields of {kind.__name__} do not fit"
            ) from error

    def _call(self, method: str, path: str, content: _Content, headers: Mapping[str, str]) -> bytes:
        """The body of a success; AgentError otherwise."""
        if self._reach.revoked is not None:
            raise refusals.revoked(self._host, self._reach.revoked)
        if self._url is None:
            raise refusals.unreachable(self._host, "it has not registered yet")
        try:
            with tracing.span(f"{method} {_template(path)}", "client") as opened:
                if (trace := tracing.current()) is not None:
                    headers = {**headers, tracing.HEADER: trace}
                opened.note({"http.request.method": method, "sextant.host": self._host})
                status, answer = self._exchange(method, path, content, headers)
                opened.note({"http.response.status_code": status})
        except ForbiddenDestination as error:
            raise refusals.forbidden(self._host, str(error), self._url) from error
        except (httpx.HTTPError, OSError) as error:
            if (lacking := credentials.missing(self._pki)) is not None:
                raise refusals.no_certificate(self._host, lacking) from error
            raise refusals.unreachable(self._host, refusals.cause_of(error), self._url) from error
        if status >= 300:
            raise refusals.refused(self._host, status, answer)
        return answer

    def _exchange(self, method: str, path: str, content: _Content, headers: Mapping[str, str]) -> tuple[int, bytes]:
        extensions = {"sni_hostname": server_name(self._host)}
        http = self._client()
        timeout, whole_s = (STOP_TIMEOUT, WHOLE_STOP_S) if method == "DELETE" else (TIMEOUT, WHOLE_S)
        whole_s += int(headers.get("Content-Length", 0)) / SLOWEST_BYTES_S
        with (
            deadline.within(whole_s),
            http.stream(
                method, path, content=content, headers=headers, extensions=extensions, timeout=timeout
            ) as response,
        ):
            answer = b""
            for part in response.iter_bytes():
                answer += part
                if len(answer) > MAX_ANSWER_BYTES:
                    raise refusals.unreadable(self._host, f"its answer exceeds {MAX_ANSWER_BYTES} bytes")
            return response.status_code, answer

    def _client(self) -> httpx.Client:
        """The client, made anew when certificates were renewed."""
        if self._pki is None:
            raise OSError("SEXTANT_PKI_DIR is not set")
        with self._lock:
            now = stamp(self._pki)
            if self._http is None or now != self._stamp:
                if self._http is not None:
                    self._http.close()
                context = client_context(self._pki, host_identity(self._host), self._reach.trusted_after)
                self._http = httpx.Client(
                    base_url=self._url or "", transport=AgentTransport(context), timeout=TIMEOUT, trust_env=False
                )
                self._stamp = now
            return self._http


def _template(path: str) -> str:
    """Without the key or digest at its end: `/v1/profiles/{id}`."""
    parts = path.split("/")
    return path if len(parts) <= 3 else f"{'/'.join(parts[:3])}/{{id}}"
