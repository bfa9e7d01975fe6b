"""Requests to the fleet listener over mutual TLS: nothing is sent before its certificate was checked."""

import ssl
from typing import Any, Protocol

import httpx

from sextant_agent.identity.tls import BACKEND, FLEET_NAME, uris

TIMEOUT_S = 5.0


class ReportFailed(Exception):
    """The listener did not take a report. `status`: what it answered over HTTP; None where it did not answer."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status

    @property
    def final(self) -> bool:
        """A body that is refused as such will be refused again; an identity or a server's fault may be repaired."""
        return self.status in {400, 413, 422}


class Shown(Protocol):
    """Whoever has a certificate to show: `client` is read again for each connection."""

    client: ssl.SSLContext


class FleetClient:
    """Requests to the fleet listener. A new connection's certificate is checked before anything is sent over it."""

    def __init__(self, fleet_url: str, credentials: Shown) -> None:
        self._url = fleet_url
        self._credentials = credentials
        self._client: httpx.Client | None = None

    def post(self, path: str, body: bytes) -> bytes:
        """The answer's body. Raises ReportFailed with the cause."""
        client = self._client = self._client or httpx.Client(
            verify=self._credentials.client, timeout=TIMEOUT_S, trust_env=False, base_url=self._url
        )
        try:
            answer = client.post(
                path,
                content=body,
                headers={"content-type": "application/json"},
                extensions={"sni_hostname": FLEET_NAME, "trace": check_peer},
            )
        except httpx.HTTPError as error:
            self.reset()
            raise ReportFailed(f"{self._url}: {cause_of(error)}") from error
        if not answer.is_success:
            status = answer.status_code
            raise ReportFailed(f"{self._url}{path} answered {status}: {answer.text[:300]}", status)
        return answer.content

    def reset(self) -> None:
        """Open a new connection next time (with a renewed certificate, if there is one)."""
        client, self._client = self._client, None
        if client is not None:
            client.close()


def check_peer(event: str, info: dict[str, Any]) -> None:
    """httpx's trace: a new connection's certificate, before anything is sent over it. Raises ReportFailed."""
    if event != "connection.start_tls.complete":
        return
    tls = info["return_value"].get_extra_info("ssl_object")
    if uris(tls.getpeercert() if tls else None) != (BACKEND,):
        raise ReportFailed(f"the server's certificate does not name {BACKEND} alone; nothing was sent to it")


def cause_of(error: httpx.HTTPError) -> str:
    """A transport error in plain words. Whoever does not accept a certificate may say so, and may just hang up."""
    text = str(error)
    if "CERTIFICATE_VERIFY_FAILED" in text:
        return f"its certificate is not the fleet's ({text.rpartition(': ')[2]})"
    if "_ALERT_" in text and ("CERTIFICATE" in text or "UNKNOWN_CA" in text):
        return f"it does not accept this host's certificate ({text.rpartition('] ')[2]})"
    if isinstance(error, httpx.RemoteProtocolError) or "Connection reset" in text or "Broken pipe" in text:
        return "it closed the connection: it restarts, or it refuses this host's certificate"
    return text or type(error).__name__
