"""Settings of the identity provider, and what a sign-in by it becomes here."""

import time
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from pydantic import TypeAdapter, ValidationError
from sextant_domain.chains.secret import is_reference
from sextant_domain.console.access import Role
from sextant_domain.console.identity import IdentityProvider
from sextant_domain.problem import FieldError, NextAction
from sqlalchemy.orm import Session

from sextant_backend.kit.db import db_now, session_scope
from sextant_backend.kit.errors import NotFound, ValidationFailed
from sextant_backend.kit.principal import Principal
from sextant_backend.kit.sealing import SealingError
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.auth import repository as auth_repository
from sextant_backend.modules.auth import service as auth
from sextant_backend.modules.auth import sign_in
from sextant_backend.modules.auth.models import User
from sextant_backend.modules.auth.schemas import Username
from sextant_backend.modules.auth.sign_in import Attempt, SignedIn
from sextant_backend.modules.identity import policy, provider, repository
from sextant_backend.modules.identity.errors import ProviderUnusable, Reason, SignInRefused
from sextant_backend.modules.identity.models import PROVIDER_ROW_ID, IdentityProviderRow
from sextant_backend.modules.identity.policy import Handshake
from sextant_backend.modules.identity.provider import Client, NotProven, ProviderFailed
from sextant_backend.modules.identity.schemas import IdentityProviderSettings
from sextant_backend.modules.secrets import service as secrets
from sextant_backend.modules.secrets.source import SecretSource
from sextant_backend.modules.users import repository as users

RETURN_PATH = "/api/v1/auth/oidc/callback"


@dataclass(frozen=True)
class Known:
    """The provider as a sign-in needs it, read once."""

    client: Client
    secret_reference: str | None
    username_claim: str
    groups_claim: str
    roles: dict[str, Role]


def present(session: Session) -> IdentityProvider:
    """As an administrator sees it; raises NotFound where none is set up."""
    row = repository.provider(session)
    if row is None:
        raise NotFound(
            "No identity provider is set up.",
            next_actions=[NextAction(label="Set one up", command="sextant identity-provider set --help")],
        )
    return _view(row)


def name(session: Session) -> str | None:
    """What the sign-in page offers."""
    row = repository.provider(session)
    return None if row is None else row.name


def version(session: Session) -> int | None:
    """Of the settings, locked; None where there are none."""
    row = repository.provider(session, lock=True)
    return None if row is None else row.version


def check(wanted: IdentityProviderSettings) -> None:
    """Ask the provider before its settings are stored; raises ProviderUnusable. In no transaction."""
    try:
        provider.discover(wanted.issuer)
    except ProviderFailed as failure:
        raise ProviderUnusable(
            f"{wanted.issuer}: {failure}. Nothing was changed.",
            errors=[FieldError(field="issuer", message=str(failure))],
            next_actions=[NextAction(label="Write the issuer exactly as the provider names it, and see that it runs")],
        ) from None


def store(session: Session, wanted: IdentityProviderSettings, who: Principal) -> IdentityProvider:
    """Put the settings in force."""
    row = repository.provider(session, lock=True)
    before = _described(row)
    secret, now = _secret(session, wanted.client_secret, who), db_now(session)
    if row is None:
        row = IdentityProviderRow(id=PROVIDER_ROW_ID, version=0)
        session.add(row)
    row.client_secret = secret
    row.name, row.issuer, row.console_url = wanted.name, wanted.issuer, wanted.console_url
    row.client_id, row.scopes = wanted.client_id, sorted({*wanted.scopes, "openid"})
    row.username_claim, row.groups_claim = wanted.username_claim, wanted.groups_claim
    row.roles = {group: role.value for group, role in wanted.roles.items()}
    row.changed_at, row.changed_by, row.version = now, who.username, row.version + 1
    session.flush()
    detail = {"before": before, "after": _described(row)}
    audit.record(session, who.username, "identity_provider.set", "identity-provider", detail)
    return _view(row)


def remove(session: Session, who: Principal) -> None:
    """Nobody signs in by it any more; sessions go on until they end, as after any change of the settings."""
    row = repository.provider(session, lock=True)
    if row is not None:
        detail = {"before": _described(row)}
        session.delete(row)
        audit.record(session, who.username, "identity_provider.remove", "identity-provider", detail)


def _secret(session: Session, given: str | None, who: Principal) -> str | None:
    if given is None or not is_reference(given):
        return None if given is None else secrets.store(session, given, who)
    if not secrets.is_stored(session, given):
        message = "there is no such secret (any more); give the secret itself"
        raise ValidationFailed.of([FieldError(field="client_secret", message=message)], "Nothing was changed.")
    return given


def known(session: Session) -> Known:
    """The provider for a sign-in; raises SignInRefused. Ends the transaction: none waits for a provider."""
    row = repository.provider(session)
    if row is None:
        raise SignInRefused(Reason.NOT_SET_UP, "no identity provider is set up")
    redirect = row.console_url + RETURN_PATH
    client = Client(row.issuer, row.client_id, None, redirect, tuple(row.scopes))
    roles = {group: Role(role) for group, role in row.roles.items()}
    found = Known(client, row.client_secret, row.username_claim, row.groups_claim, roles)
    session.rollback()
    return found


def address(found: Known, handshake: Handshake) -> str:
    """Where the browser goes; raises SignInRefused."""
    try:
        return provider.authorization_url(found.client, handshake)
    except ProviderFailed as failure:
        raise SignInRefused(Reason.PROVIDER, f"{found.client.issuer}: {failure}") from None


def identify(found: Known, handshake: Handshake, code: str) -> dict[str, Any]:
    """The claims about who comes back with a code; raises SignInRefused. Outside of any transaction."""
    try:
        reference = found.secret_reference
        secret = None if reference is None else SecretSource().open([reference])[reference]
        client = Client(**{**found.client.__dict__, "client_secret": secret})
        return dict(provider.claims_of(client, handshake, code, (found.username_claim, found.groups_claim)))
    except (ProviderFailed, SealingError) as failure:
        raise SignInRefused(Reason.PROVIDER, f"{found.client.issuer}: {failure}") from None
    except NotProven as failure:
        raise SignInRefused(Reason.INVALID, f"{found.client.issuer}: {failure}") from None


def sign_in_by(
    session: Session, found: Known, claims: dict[str, Any], attempt: Attempt, lifetime: timedelta
) -> SignedIn:
    """A session for whom the claims are about, made a user where they are new, with the role that their groups give;
    raises SignInRefused."""
    issuer, subject = found.client.issuer, claims["sub"]
    users.locked(session, "")  # two first sign-ins of one user at once
    user = repository.user_of(session, issuer, subject)
    called = user.username if user else _username(claims, found.username_claim)
    role = policy.role_of(policy.groups_of(claims, found.groups_claim), found.roles)
    if user is not None and user.disabled_at is not None:
        raise SignInRefused(Reason.DISABLED, "the user is disabled here", called)
    if role is None:
        raise SignInRefused(Reason.NO_ROLE, f"no group in {found.groups_claim} has a role", called)
    if user is None:
        user = _create(session, called, role, issuer, subject)
    elif user.role != role:
        detail = {"before": user.role, "after": role.value, "by": f"groups of {issuer}"}
        user.role, user.version = role.value, user.version + 1
        audit.record(session, "system", "user.change", f"user/{called}", detail)
    return sign_in.open_session(session, user, attempt, lifetime, by=issuer)


def _create(session: Session, username: str, role: Role, issuer: str, subject: str) -> User:
    if auth_repository.user_named(session, username) is not None:
        raise SignInRefused(Reason.NAME, f"{username} is another user's name", username)
    user = User(username=username, role=role.value, issuer=issuer, subject=subject)
    auth_repository.add_user(session, user)
    audit.record(session, "system", "user.create", f"user/{username}", {"role": role.value, "by": issuer})
    return user


def _username(claims: dict[str, Any], wanted: str) -> str:
    given = policy.claim(claims, wanted)
    try:
        made: str = TypeAdapter(Username).validate_python(given.lower() if isinstance(given, str) else given)
    except ValidationError:
        shown = repr(given)[:80]
        raise SignInRefused(Reason.NAME, f"claim {wanted} is {shown}, which cannot be a username") from None
    return made


def audit_refusal(refused: SignInRefused, client: str) -> None:
    """In a transaction of its own; a flood is cut as other refusals are."""
    if auth.may_audit(refused.username, f"oidc-{refused.reason}"):
        with session_scope() as record:
            detail = {"kind": f"oidc-{refused.reason}", "reason": refused.cause, "address": client}
            audit.record(record, refused.username, "auth.refused", f"user/{refused.username}", detail)


def handshake_of(cookie: str | None, state: str | None) -> tuple[Handshake, str]:
    """The sign-in that a browser comes back from, and where it leads; raises SignInRefused."""
    handshake = Handshake(cookie or "")
    back = handshake.back(state or "", time.time()) if cookie else None
    if back is None:
        raise SignInRefused(Reason.EXPIRED, "its state is not that of a sign-in of this browser in the last 10 minutes")
    return handshake, back


def _described(row: IdentityProviderRow | None) -> str:
    if row is None:
        return "none"
    roles = ", ".join(f"{group} {role}" for group, role in sorted(row.roles.items()))
    return f"{row.issuer}, client {row.client_id}, {row.groups_claim}: {roles}"


def _view(row: IdentityProviderRow) -> IdentityProvider:
    return IdentityProvider(
        name=row.name,
        issuer=row.issuer,
        console_url=row.console_url,
        redirect_url=row.console_url + RETURN_PATH,
        client_id=row.client_id,
        client_secret=row.client_secret,
        scopes=tuple(row.scopes),
        username_claim=row.username_claim,
        groups_claim=row.groups_claim,
        roles={group: Role(role) for group, role in row.roles.items()},
        changed_at=row.changed_at,
        changed_by=row.changed_by,
        version=row.version,
    )
