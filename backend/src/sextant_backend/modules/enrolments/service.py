"""Make tokens, list them, take them back, and use them up."""

import hashlib
import secrets
from datetime import timedelta

from cryptography import x509
from sextant_domain.console.views import Page
from sextant_domain.hosts.enrolment import FLEET_TOKEN, HOST_TOKEN, Enrolment, EnrolmentMade, EnrolmentRequest
from sextant_domain.problem import NextAction
from sqlalchemy.orm import Session

from sextant_backend.kit.db import session_scope
from sextant_backend.kit.errors import NotFound, SextantError
from sextant_backend.kit.paging import Paging
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.enrolments import repository
from sextant_backend.modules.enrolments.models import EnrolmentRow
from sextant_backend.modules.enrolments.repository import UsedToken
from sextant_backend.pki.authority import fingerprint
from sextant_backend.settings import get_settings

MOST_PENDING = 200


class EnrolmentUnavailable(SextantError):
    """This installation lacks what enrolment needs."""

    kind, status, title = "enrolment-unavailable", 503, "Hosts cannot be enrolled here"

    def __init__(self, detail: str) -> None:
        super().__init__(
            detail,
            next_actions=[NextAction(label="Set what is missing: docs/contracts/processes.md, then start again")],
        )


class EnrolmentsFull(SextantError):
    """Too many tokens that nobody has used."""

    kind, status, title = "enrolments-full", 409, "Too many tokens wait to be used"


class EnrolmentRefused(SextantError):
    """The token is not good, or not any more."""

    kind, status, title = "enrolment-refused", 403, "The token does not let this host in"


def make(session: Session, asked: EnrolmentRequest, actor: str) -> EnrolmentMade:
    """A token, shown this once; it takes the place of one that waits for the same host or pattern."""
    fleet_url, authority = _published()
    if repository.pending(session) >= MOST_PENDING:
        raise EnrolmentsFull(f"{MOST_PENDING} tokens wait to be used. Withdraw some, or wait 10 minutes.")
    fleet = asked.count is not None
    token = f"{FLEET_TOKEN if fleet else HOST_TOKEN}{secrets.token_urlsafe(32)}.{fingerprint(authority)}"
    row = EnrolmentRow(
        token_hash=_hash(token),
        host=asked.host,
        names=list(asked.names),
        fleet=fleet,
        labels=asked.labels,
        created_by=actor,
    )
    repository.replace(session, row, timedelta(seconds=asked.lifetime_s))
    detail = {"hosts": len(asked.names), "expires": row.expires_at.isoformat(timespec="seconds")}
    audit.record(session, actor, "enrolment.make", f"host/{asked.host}", detail)
    command = None if fleet else f"sextant-agent enrol --console {fleet_url} --token-file - <<< '{token}'"
    return EnrolmentMade(enrolment=_view(row), token=token, fleet_url=fleet_url, command=command)


def _published() -> tuple[str, x509.Certificate]:
    settings = get_settings()
    if settings.fleet_url is None:
        raise EnrolmentUnavailable("SEXTANT_FLEET_URL is not set: agents would have no address to report to.")
    if settings.pki_dir is None:
        raise EnrolmentUnavailable("SEXTANT_PKI_DIR is not set: the authority's certificate is not known.")
    try:
        return settings.fleet_url, x509.load_pem_x509_certificate((settings.pki_dir / "ca.crt").read_bytes())
    except (OSError, ValueError) as error:
        raise EnrolmentUnavailable(f"The authority's certificate cannot be read: {error}.") from error


def _hash(token: str) -> bytes:
    """Enough of a hash for 256 random bits."""
    return hashlib.sha256(token.encode()).digest()


def page(session: Session, asked: Paging, fleet: bool | None, search: str | None) -> Page[Enrolment]:
    """A page of the tokens that can still be used."""
    found = repository.page(session, asked, fleet=fleet, search=search)
    return found.page(_view(row) for row in found.rows)


def _view(row: EnrolmentRow) -> Enrolment:
    return Enrolment(
        id=row.id,
        host=row.host,
        count=len(row.names),
        fleet=row.fleet,
        created_by=row.created_by,
        created_at=row.created_at,
        expires_at=row.expires_at,
    )


def withdraw(session: Session, enrolment_id: int, actor: str) -> None:
    """Take a token back; raises NotFound where it was used, has expired, or was taken back before."""
    host = repository.forget(session, enrolment_id)
    if host is None:
        raise NotFound(f"No token {enrolment_id} waits to be used; `sextant hosts enrolments` lists those that do.")
    audit.record(session, actor, "enrolment.withdraw", f"host/{host}")


def take(token: str) -> UsedToken:
    """Use a token up, whatever follows: in a transaction of its own, so that no refusal gives it back.

    Raises EnrolmentRefused where it was never made, was used, was withdrawn, or has expired.
    """
    with session_scope() as session:
        found = repository.take(session, _hash(token))
    again = [NextAction(label="Make another one", command=f"sextant hosts enrol {found.host if found else 'HOST'}")]
    if found is None:
        raise EnrolmentRefused("No such token: used before, withdrawn, replaced, or never made.", next_actions=again)
    if found.late:
        raise EnrolmentRefused(
            f"The token for {found.host} expired at {found.expires_at:%H:%M:%S} UTC.", next_actions=again
        )
    return found


def forget_old(session: Session) -> None:
    """Drop tokens that nobody used in time."""
    repository.forget_old(session)
