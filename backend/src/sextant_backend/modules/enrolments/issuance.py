"""Certificates for hosts and gateways: signed here, for ids that the token or the former certificate gave."""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from sextant_domain.hosts.enrolment import GatewayCertificate, HostCertificate, IssuedCertificates
from sqlalchemy.orm import Session

from sextant_backend.kit.db import db_now
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.enrolments.repository import UsedToken
from sextant_backend.modules.enrolments.service import EnrolmentRefused, EnrolmentUnavailable
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.hosts.service import HostAdmission
from sextant_backend.pki.authority import (
    LEAF_VALIDITY,
    Authority,
    AuthorityProblem,
    PublicKey,
    certificate_pem,
)
from sextant_backend.settings import get_settings


@dataclass(frozen=True)
class Issuer:
    """The authority and the address that every answer names."""

    authority: Authority
    fleet_url: str


def issuer() -> Issuer:
    """What signs; raises EnrolmentUnavailable naming what is missing."""
    settings = get_settings()
    if settings.ca_key_file is None or settings.pki_dir is None:
        raise EnrolmentUnavailable("SEXTANT_CA_KEY_FILE is not set: this listener signs no certificates.")
    if settings.fleet_url is None:
        raise EnrolmentUnavailable("SEXTANT_FLEET_URL is not set: agents would have no address to report to.")
    try:
        return Issuer(Authority.load(settings.pki_dir / "ca.crt", settings.ca_key_file), settings.fleet_url)
    except AuthorityProblem as error:
        raise EnrolmentUnavailable(f"{error}.") from error


def enrol(
    session: Session, taken: UsedToken, key: PublicKey, issuer: Issuer, *, agent_url: str | None
) -> IssuedCertificates:
    """Let in the hosts that a token names, and certify `key` for them."""
    gateway = f"gw-{secrets.token_hex(8)}" if taken.fleet else None
    admission = HostAdmission(actor=taken.created_by, gateway=gateway, agent_url=agent_url)
    begins = hosts.admit(session, taken.names, taken.labels, admission)
    issued = _issue(session, begins, gateway, key, issuer)
    detail = {"hosts": len(begins), "gateway": gateway or "none", "until": issued.not_after.isoformat()}
    audit.record(session, f"host/{taken.host}", "enrolment.use", f"host/{taken.host}", detail)
    return issued


def renew_host(session: Session, host_id: str, key: PublicKey, issuer: Issuer) -> IssuedCertificates:
    """The next certificate of a host; the former stays good until it ends."""
    issued = _issue(session, {host_id: _begin(session, host_id)}, None, key, issuer)
    _renewed(session, f"host/{host_id}", issued)
    return issued


def renew_gateway(session: Session, gateway: str, key: PublicKey, issuer: Issuer) -> IssuedCertificates:
    """The next certificates of a gateway and of every host it still speaks for."""
    names = hosts.of_gateway(session, gateway)
    if not names:
        raise EnrolmentRefused(f"Gateway {gateway} speaks for no host any more.")
    issued = _issue(session, {name: _begin(session, name) for name in names}, gateway, key, issuer)
    _renewed(session, f"gateway/{gateway}", issued)
    return issued


def _begin(session: Session, host_id: str) -> datetime | None:
    standing = hosts.standing(session, host_id)
    after = standing.trusted_after if standing else None
    return after and after + timedelta(seconds=1)


def _renewed(session: Session, who: str, issued: IssuedCertificates) -> None:
    audit.record(session, who, "certificate.renew", who, {"until": issued.not_after.isoformat()})


def _issue(
    session: Session, begins: dict[str, datetime | None], gateway: str | None, key: PublicKey, issuer: Issuer
) -> IssuedCertificates:
    now = db_now(session).replace(microsecond=0)
    sign = partial(issuer.authority.issue, key, now=now)
    certificates = tuple(
        HostCertificate(
            host_id=name,
            certificate=certificate_pem(
                sign(urn=f"urn:sextant:host:{name}", dns_name=f"{name}.host.sextant", not_before=begin)
            ).decode(),
        )
        for name, begin in begins.items()
    )
    until = now + LEAF_VALIDITY
    hosts.certified(session, begins.keys(), until)
    own = None
    if gateway is not None:
        made = sign(urn=f"urn:sextant:gateway:{gateway}", dns_name=f"{gateway}.gateway.sextant")
        own = GatewayCertificate(gateway_id=gateway, certificate=certificate_pem(made).decode())
    return IssuedCertificates(
        authority=certificate_pem(issuer.authority.certificate).decode(),
        hosts=certificates,
        gateway=own,
        fleet_url=issuer.fleet_url,
        not_after=until,
    )
