"""The two doors without a certificate: learn whom to trust, then show a token (docs/contracts/agent.md)."""

from fastapi import APIRouter, Request, Response
from sextant_domain.hosts.enrolment import EnrolRequest, IssuedCertificates
from sextant_domain.problem import FieldError

from sextant_backend.fleet import agent_urls
from sextant_backend.fleet.guard import AUTHORITY, ENROL, address_of
from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.errors import SextantError, ValidationFailed
from sextant_backend.kit.routes import LateRoute
from sextant_backend.kit.throttle import SharedThrottle
from sextant_backend.modules.enrolments import issuance
from sextant_backend.modules.enrolments import service as enrolments
from sextant_backend.pki.authority import PublicKey
from sextant_backend.pki.requests import BadRequest, public_key_of
from sextant_backend.settings import get_settings

PER_MINUTE = 30
_attempts = SharedThrottle("enrolments", PER_MINUTE)
router = APIRouter(tags=["fleet"], route_class=LateRoute)


class TooManyEnrolments(SextantError):
    """More attempts of one address than anybody needs."""

    kind, status, title = "too-many-attempts", 429, "Too many attempts to enrol"


@router.get(AUTHORITY, operation_id="getAuthority")
def authority() -> Response:
    """The authority's certificate. Whoever asks believes it only if its fingerprint is the one in the token."""
    folder = get_settings().pki_dir
    if folder is None:
        raise enrolments.EnrolmentUnavailable("SEXTANT_PKI_DIR is not set: the authority's certificate is not known.")
    return Response((folder / "ca.crt").read_bytes(), media_type="application/x-pem-file")


@router.post(ENROL, operation_id="enrolHost", status_code=201)
def enrol(request: Request, session: SessionDep, body: EnrolRequest) -> IssuedCertificates:
    """Certificates for the hosts that a token names. The token is used up before anything is judged but the key, and
    where the agent is reached."""
    address = address_of(request.scope)
    if not _attempts.allow(address):
        detail = f"{address} has tried {PER_MINUTE} times within a minute."
        raise TooManyEnrolments(detail, headers={"Retry-After": "60"})
    key, issuer = key_in(body.signing_request), issuance.issuer()
    agent_url = None if body.agent_url is None else agent_urls.accepted(body.agent_url)
    taken = enrolments.take(body.token)
    return issuance.enrol(session, taken, key, issuer, agent_url=agent_url)


def key_in(signing_request: str) -> PublicKey:
    """The key to certify; raises ValidationFailed."""
    try:
        return public_key_of(signing_request)
    except BadRequest as error:
        field = FieldError(field="signing_request", message=str(error))
        raise ValidationFailed(f"The signing request cannot be used: {error}.", errors=[field]) from None
