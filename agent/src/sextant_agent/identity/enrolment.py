"""From a token to this host's certificates. Both ends are known before anything secret is sent: the token names the
authority by its fingerprint, and the backend knows the token."""

import base64
import hmac
import socket
import ssl
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from urllib.parse import urlsplit

import httpx
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from pydantic import TypeAdapter, ValidationError
from sextant_domain.hosts.enrolment import FLEET_TOKEN, EnrolRequest, IssuedCertificates, Token
from sextant_domain.problem import Problem

from sextant_agent.identity.fleet_client import ReportFailed, cause_of, check_peer
from sextant_agent.identity.identity import HostIdentity, IdentityProblem, Key, Note, new_key, signing_request
from sextant_agent.identity.tls import FLEET_NAME

DEFAULT_PORT = 9443
TIMEOUT_S = 60.0
MOST_AUTHORITY_BYTES = 65_536
_TOKEN: TypeAdapter[str] = TypeAdapter(Token)


class EnrolmentFailed(Exception):
    """No certificate: cause, then next step."""


@dataclass(frozen=True)
class EnrolmentTarget:
    """Where the identity goes, and where the agent will be found."""

    pki_dir: Path
    listen: str | None
    """ADDRESS:PORT; None: port 9443 of the address that the console is reached from."""
    url: str | None
    """None: as it listens."""
    replace: bool = False


@dataclass(frozen=True)
class Enrolled:
    """Who this host is now."""

    host_id: str
    not_after: datetime


def enrol(place: EnrolmentTarget, console: str, token: str) -> Enrolled:
    """Write this host's identity into `place`. Raises EnrolmentFailed, OSError where it cannot be written."""
    identity = HostIdentity(place.pki_dir)
    if token.startswith(FLEET_TOKEN):  # said before it is used up
        raise EnrolmentFailed("this token is for several hosts; `sextant hosts enrol HOST` prints one for this host")
    try:
        if not place.replace:
            identity.refuse_living()
    except IdentityProblem as error:
        raise EnrolmentFailed(str(error)) from error
    found = issue(place, console, token)
    if len(found.issued.hosts) != 1:
        raise EnrolmentFailed(f"the console answered certificates for {len(found.issued.hosts)} hosts, not for one")
    own = found.issued.hosts[0]
    note = Note(host_id=own.host_id, fleet_url=found.issued.fleet_url, listen=found.listen, url=found.url)
    identity.write(found.key, own.certificate, found.issued.authority, note)
    wait_until_valid(identity.certificate())
    return Enrolled(own.host_id, found.issued.not_after)


def wait_until_valid(certificate: x509.Certificate | None) -> None:
    """Of a host that was in the fleet before, the certificate begins with the next second."""
    if certificate is not None:
        early_s = certificate.not_valid_before_utc.timestamp() - time.time()
        time.sleep(min(2.0, max(0.0, early_s)))


@dataclass(frozen=True)
class Issued:
    """What a token was good for; nothing of it is on disk yet."""

    key: Key
    issued: IssuedCertificates
    listen: str
    url: str


def issue(place: EnrolmentTarget, console: str, token: str) -> Issued:
    """Certificates for a new key. Raises EnrolmentFailed."""
    try:
        _TOKEN.validate_python(token)
    except ValidationError:
        raise EnrolmentFailed("this is no token; `sextant hosts enrol HOST` prints one") from None
    parts = urlsplit(console)
    if parts.scheme != "https" or not parts.hostname:
        raise EnrolmentFailed(f"'{console}' is not the https:// address of a fleet listener")
    listen = place.listen or _own_address(parts.hostname, parts.port or 443)
    url = place.url or _url_of(listen)
    key = new_key()
    try:
        request = EnrolRequest(token=token, signing_request=signing_request(key), agent_url=url)
    except ValidationError:
        raise EnrolmentFailed(f"--url: '{url}' is not https://ADDRESS:PORT") from None
    return Issued(key, ask(console.rstrip("/"), token, request), listen, url)


def ask(console: str, token: str, request: EnrolRequest) -> IssuedCertificates:
    """Certificates for a token, of a listener that proves to be the one the token names. Raises EnrolmentFailed."""
    authority = _authority(console, token)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.load_verify_locations(cadata=authority.public_bytes(serialization.Encoding.PEM).decode())
    extensions = {"sni_hostname": FLEET_NAME, "trace": check_peer}
    headers = {"content-type": "application/json"}
    try:
        with httpx.Client(verify=context, timeout=TIMEOUT_S, trust_env=False, base_url=console) as client:
            answer = client.post(
                "/fleet/v1/enrol", content=request.model_dump_json(), headers=headers, extensions=extensions
            )
    except ReportFailed as error:
        raise EnrolmentFailed(f"{console}: {error}") from error
    except httpx.HTTPError as error:
        raise EnrolmentFailed(f"{console}: {cause_of(error)}; the token was sent only if it knew the fleet") from error
    if not answer.is_success:
        raise EnrolmentFailed(f"{console} refused: {_reported(answer)}")
    try:
        return IssuedCertificates.model_validate_json(answer.content)
    except ValidationError as error:
        raise EnrolmentFailed(f"{console} answered something else: {error.error_count()} fields do not fit") from error


def _authority(console: str, token: str) -> x509.Certificate:
    """Asked of anybody, believed only with the token's fingerprint."""
    anybody = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    anybody.check_hostname = False
    anybody.verify_mode = ssl.CERT_NONE
    try:
        with (
            httpx.Client(verify=anybody, timeout=TIMEOUT_S, trust_env=False, base_url=console) as client,
            client.stream("GET", "/fleet/v1/authority") as answer,
        ):
            pem = b""
            for part in answer.iter_bytes():
                pem += part
                if len(pem) > MOST_AUTHORITY_BYTES:
                    break
    except httpx.HTTPError as error:
        raise EnrolmentFailed(f"{console}: {cause_of(error)}; is this the fleet listener's address?") from error
    try:
        found = x509.load_pem_x509_certificate(pem)
    except ValueError:
        raise EnrolmentFailed(f"{console} shows no authority; is this the fleet listener's address?") from None
    shown = base64.urlsafe_b64encode(found.fingerprint(hashes.SHA256())).decode().rstrip("=")
    if not hmac.compare_digest(shown, token.partition(".")[2]):
        raise EnrolmentFailed(f"{console} is not the console that made this token; the token was not sent to it")
    return found


def _reported(answer: httpx.Response) -> str:
    try:
        problem = Problem.model_validate_json(answer.content)
    except ValidationError:
        return f"status {answer.status_code}"
    steps = "; ".join(
        f"{action.label}: {action.command}" if action.command else action.label for action in problem.next_actions
    )
    return f"{problem.detail} {steps}".strip()


def _own_address(console_host: str, port: int) -> str:
    """The address of this machine that packets to the console leave from; nothing is sent."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(console_host, port, type=socket.SOCK_DGRAM)[0]
        with socket.socket(family, kind) as probe:
            probe.connect(address)
            own = str(probe.getsockname()[0])
    except OSError as error:
        raise EnrolmentFailed(f"{console_host}: {error.strerror or error}; say --listen ADDRESS:PORT") from error
    return f"[{own}]:{DEFAULT_PORT}" if ":" in own else f"{own}:{DEFAULT_PORT}"


def _url_of(listen: str) -> str:
    host, colon, port = listen.rpartition(":")
    if not colon or not host or not port.isdecimal() or not 0 <= int(port) <= 65535:
        raise EnrolmentFailed(f"--listen: '{listen}' is not ADDRESS:PORT, such as 192.0.2.7:{DEFAULT_PORT}")
    if host in {"0.0.0.0", "::", "[::]"} or int(port) == 0:  # noqa: S104 - refused, not bound
        raise EnrolmentFailed(f"--listen: {listen} is not where the console reaches this host; say --url as well")
    return f"https://{listen}"
