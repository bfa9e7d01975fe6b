"""Sign-in by a real OpenID Connect provider over HTTP: who comes in, as what, and what is refused."""

import hashlib
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit, urlunsplit

import httpx
import pytest
from console_world import PASSWORD, SignIn
from fastapi.testclient import TestClient
from oidc_world import Provider, query_of, running_provider
from sextant_backend.kit.principal import CSRF_HEADER
from sextant_backend.modules.audit.models import AuditRow
from sextant_backend.modules.identity import policy
from sextant_backend.modules.identity.endpoints import SIGN_INS_PER_MINUTE
from sextant_backend.modules.secrets import service as secrets
from sextant_backend.modules.secrets.models import SecretRow
from sextant_domain.console.access import Role
from sqlalchemy import select, text
from sqlalchemy.orm import Session

pytestmark = pytest.mark.filterwarnings("ignore:get_jwt_config:DeprecationWarning")  # of the provider

CONSOLE = "http://localhost:8400"
BEGIN, BACK = "/api/v1/auth/oidc", "/api/v1/auth/oidc/callback"
ROLES = {"netops": "operator", "noc": "viewer", "platform": "admin"}


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with running_provider() as running:
        yield running


@pytest.fixture
def set_up(sign_in: SignIn, provider: Provider) -> dict[str, Any]:
    """The settings in force, put there by an administrator, who then signs out of this browser."""
    admin = sign_in(Role.ADMIN)
    wanted = settings_of(provider)
    answer = admin.put("/api/v1/identity-provider", json=wanted)
    assert answer.status_code == 200, answer.text
    admin.cookies.clear()
    return wanted


def settings_of(provider: Provider) -> dict[str, Any]:
    client_id, secret = provider.registered(f"{CONSOLE}{BACK}")
    return {
        "name": "Example ID",
        "issuer": provider.issuer,
        "console_url": CONSOLE,
        "client_id": client_id,
        "client_secret": secret,
        "roles": ROLES,
    }


def begin(browser: TestClient, back: str = "/") -> str:
    """Where the console sends the browser."""
    answer = browser.get(BEGIN, params={"back": back}, follow_redirects=False)
    assert answer.status_code == 303, answer.text
    return answer.headers["Location"]


def come_back(browser: TestClient, address: str) -> httpx.Response:
    """As the provider sends the browser: to the console's address, which this test's client stands for."""
    assert address.startswith(f"{CONSOLE}{BACK}?"), address
    return browser.get(address.removeprefix(CONSOLE), follow_redirects=False)


def sign_in_as(browser: TestClient, provider: Provider, subject: str, back: str = "/") -> httpx.Response:
    return come_back(browser, provider.sign_in(begin(browser, back), subject))


def who(browser: TestClient) -> tuple[int, str, str]:
    answer = browser.get("/api/v1/auth/session")
    body = answer.json()
    return answer.status_code, body.get("username", ""), body.get("role", "")


def altered(address: str, **changes: str) -> str:
    parts = urlsplit(address)
    query = {name: values[0] for name, values in parse_qs(parts.query).items()} | changes
    return urlunsplit(parts._replace(query=str(httpx.QueryParams(query))))


def refusals(session: Session) -> list[tuple[str, str]]:
    rows = session.scalars(select(AuditRow).where(AuditRow.action == "auth.refused").order_by(AuditRow.id))
    return [(row.detail["kind"], row.detail["reason"]) for row in rows]


def test_a_first_sign_in_makes_a_user_with_the_highest_role_of_its_groups(
    set_up: dict[str, Any], provider: Provider, app_client: TestClient, session: Session
) -> None:
    """Group noc gives viewer, netops operator: operator. It comes back to the page that it began at."""
    provider.knows("s-1", preferred_username="Grace", groups=["noc", "netops", "choir"])
    answer = sign_in_as(app_client, provider, "s-1", back="/chains?sort=name")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/chains?sort=name")
    assert who(app_client) == (200, "grace", "operator")
    cookie = answer.headers.get_list("Set-Cookie")[0].lower()
    assert "httponly" in cookie and "samesite=strict" in cookie
    written = session.scalars(select(AuditRow).where(AuditRow.subject == "user/grace").order_by(AuditRow.id)).all()
    assert [(row.actor, row.action) for row in written] == [("system", "user.create"), ("grace", "auth.sign_in")]
    assert written[0].detail == {"role": "operator", "by": provider.issuer}
    listed = app_client.get("/api/v1/auth/sessions").json()["items"]
    assert [one["current"] for one in listed] == [True]


def test_a_name_may_be_an_address_as_providers_often_have_it(
    set_up: dict[str, Any], provider: Provider, app_client: TestClient
) -> None:
    provider.knows("s-11", preferred_username="Rita@Example.com", groups=["platform"])
    sign_in_as(app_client, provider, "s-11")
    assert who(app_client) == (200, "rita@example.com", "admin")
    assert app_client.get("/api/v1/users/rita@example.com").json()["issuer"] == provider.issuer


def test_the_request_carries_pkce_state_and_nonce_and_the_secret_in_the_header_alone(
    set_up: dict[str, Any], provider: Provider, app_client: TestClient
) -> None:
    provider.knows("s-2", preferred_username="hedy", groups=["noc"])
    assert sign_in_as(app_client, provider, "s-2").headers["Location"] == "/"
    asked, exchanged = provider.authorized[-1], provider.exchanged[-1]
    challenge = urlsafe_b64encode(hashlib.sha256(exchanged["code_verifier"].encode()).digest()).decode().rstrip("=")
    assert (asked["code_challenge"], asked["code_challenge_method"]) == (challenge, "S256")
    assert len({asked["state"], asked["nonce"], exchanged["code_verifier"]}) == 3
    assert asked["redirect_uri"] == exchanged["redirect_uri"] == f"{CONSOLE}{BACK}"
    assert exchanged["authorization"].startswith("Basic ") and "client_secret" not in exchanged


def test_the_role_follows_the_groups_at_every_sign_in(
    set_up: dict[str, Any], provider: Provider, app_client: TestClient, session: Session
) -> None:
    """The name stays that of the first sign-in: tokens, audit and sessions go by it."""
    provider.knows("s-3", preferred_username="ida", groups=["platform"])
    sign_in_as(app_client, provider, "s-3")
    assert who(app_client) == (200, "ida", "admin")
    provider.knows("s-3", preferred_username="ida.new", groups=["noc"])
    app_client.cookies.clear()
    sign_in_as(app_client, provider, "s-3")
    assert who(app_client) == (200, "ida", "viewer")
    (row,) = session.scalars(select(AuditRow).where(AuditRow.action == "user.change")).all()
    assert row.detail == {"before": "admin", "after": "viewer", "by": f"groups of {provider.issuer}"}


@pytest.mark.parametrize(
    ("claims", "reason"),
    [
        ({"preferred_username": "joan", "groups": ["choir"]}, "no-role"),
        ({"preferred_username": "joan"}, "no-role"),
        ({"preferred_username": "joan", "groups": {"netops": True}}, "no-role"),
        ({"preferred_username": "ada", "groups": ["platform"]}, "name"),
        ({"preferred_username": "../etc", "groups": ["noc"]}, "name"),
        ({"preferred_username": "system", "groups": ["noc"]}, "name"),
        ({"groups": ["noc"]}, "name"),
    ],
)
def test_who_has_no_role_or_no_name_of_their_own_stays_out(
    set_up: dict[str, Any],
    provider: Provider,
    app_client: TestClient,
    session: Session,
    claims: dict[str, object],
    reason: str,
) -> None:
    """`ada` is the administrator's local account: a provider's user of that name does not become her."""
    provider.knows("s-4", **claims)
    answer = sign_in_as(app_client, provider, "s-4")
    assert (answer.status_code, answer.headers["Location"]) == (303, f"/sign-in?refused={reason}")
    assert who(app_client)[0] == 401
    assert session.execute(text("SELECT count(*) FROM users")).scalar_one() == 1
    assert [kind for kind, _reason in refusals(session)] == [f"oidc-{reason}"]


def test_a_user_who_was_disabled_here_stays_out(
    set_up: dict[str, Any], provider: Provider, app_client: TestClient, session: Session
) -> None:
    provider.knows("s-5", preferred_username="kim", groups=["platform"])
    sign_in_as(app_client, provider, "s-5")
    session.execute(text("UPDATE users SET disabled_at = now() WHERE username = 'kim'"))
    session.commit()
    assert who(app_client)[0] == 401
    answer = sign_in_as(app_client, provider, "s-5")
    assert answer.headers["Location"] == "/sign-in?refused=disabled"


def test_an_answer_that_this_browser_did_not_ask_for_is_refused(
    set_up: dict[str, Any], provider: Provider, app_client: TestClient, session: Session
) -> None:
    """Another state; another browser, which has no cookie; the same answer twice; the nonce of another sign-in."""
    provider.knows("s-6", preferred_username="lin", groups=["noc"])
    address = provider.sign_in(begin(app_client), "s-6")
    expired = "/sign-in?refused=expired"
    assert come_back(app_client, altered(address, state="made-up")).headers["Location"] == expired
    begin(app_client)
    assert come_back(app_client, address).headers["Location"] == expired, "it is the state of the sign-in before"
    app_client.cookies.clear()
    assert come_back(app_client, address).headers["Location"] == expired

    fresh = begin(app_client)
    stolen = query_of(provider.sign_in(altered(fresh, nonce="of-another-sign-in"), "s-6"))["code"]
    mine = f"{CONSOLE}{BACK}?state={query_of(fresh)['state']}&code={stolen}"
    assert come_back(app_client, mine).headers["Location"] == "/sign-in?refused=invalid"
    assert "nonce" in refusals(session)[-1][1]

    address = provider.sign_in(begin(app_client), "s-6")
    kept = dict(app_client.cookies)
    assert come_back(app_client, address).headers["Location"] == "/"
    app_client.cookies.clear()
    app_client.cookies.update(kept)
    assert come_back(app_client, address).headers["Location"] == "/sign-in?refused=provider", "a code is good once"
    assert who(app_client)[0] == 401


def test_a_sign_in_takes_ten_minutes_at_most() -> None:
    """Begun at 1,000,000 s; 600 s later it is still good, 601 s later not, nor before it began."""
    handshake = policy.Handshake.begin(1_000_000, "/plans")
    assert handshake.back(handshake.state, 1_000_600) == "/plans"
    assert handshake.back(handshake.state, 1_000_601) is None
    assert handshake.back(handshake.state, 999_999) is None
    assert handshake.back("é", 1_000_000) is None
    later = policy.Handshake(handshake.cookie.replace(".1000000.", ".1000900."))
    assert later.back(handshake.state, 1_000_900) is None, (
        "its time cannot be altered: the state is of the whole cookie"
    )


@pytest.mark.parametrize(
    "back", ["//evil.example", "/\\evil.example", "https://evil.example", "/\t/evil.example", "/a\r\nX: y", "", "x"]
)
def test_a_sign_in_never_leads_elsewhere(
    set_up: dict[str, Any], provider: Provider, app_client: TestClient, back: str
) -> None:
    provider.knows("s-7", preferred_username="mae", groups=["noc"])
    assert sign_in_as(app_client, provider, "s-7", back=back).headers["Location"] == "/"


def test_a_provider_that_says_no_ends_at_the_sign_in_page(
    set_up: dict[str, Any], provider: Provider, app_client: TestClient, session: Session
) -> None:
    declined = query_of(provider.decline(begin(app_client)))
    state = query_of(begin(app_client))["state"]
    address = f"{CONSOLE}{BACK}?state={state}&error={declined['error']}&session_state=of-some-providers"
    assert come_back(app_client, address).headers["Location"] == "/sign-in?refused=declined"
    assert refusals(session) == [("oidc-declined", "the provider says access_denied")]


def test_another_issuer_in_the_answer_is_refused(
    set_up: dict[str, Any], provider: Provider, app_client: TestClient
) -> None:
    """Of two providers one could hand on a code of the other (RFC 9207)."""
    provider.knows("s-8", preferred_username="noor", groups=["noc"])
    address = provider.sign_in(begin(app_client), "s-8")
    answer = come_back(app_client, altered(address, iss="https://other.example"))
    assert answer.headers["Location"] == "/sign-in?refused=invalid"


def test_an_address_has_the_provider_asked_so_often_and_no_more(app_client: TestClient) -> None:
    """60 in a minute, going there and coming back together; after that 429, before anything is asked."""
    asked = [app_client.get(path, follow_redirects=False).status_code for path in (BEGIN, BACK) * 31]
    assert asked == [303] * SIGN_INS_PER_MINUTE + [429] * 2


def test_without_a_provider_there_is_none_to_sign_in_by(app_client: TestClient) -> None:
    assert app_client.get("/api/v1/auth/options").json() == {"provider": None}
    answer = app_client.get(BEGIN, follow_redirects=False)
    assert answer.headers["Location"] == "/sign-in?refused=not-set-up"


def test_a_provider_that_is_away_is_named_in_the_audit_log(
    sign_in: SignIn, app_client: TestClient, session: Session
) -> None:
    admin = sign_in(Role.ADMIN)
    with running_provider() as short:
        wanted = settings_of(short)
        assert admin.put("/api/v1/identity-provider", json=wanted).status_code == 200
    assert app_client.get(BEGIN, follow_redirects=False).headers["Location"] == "/sign-in?refused=provider"
    ((kind, reason),) = refusals(session)
    assert kind == "oidc-provider" and reason.startswith(f"{short.issuer}: it cannot be reached: ")
    answer = admin.put("/api/v1/identity-provider", json=wanted)
    assert (answer.status_code, answer.json()["type"]) == (422, "urn:sextant:problem:identity-provider-unusable")
    assert answer.json()["errors"][0]["field"] == "issuer"


def test_local_accounts_still_sign_in_and_a_providers_user_has_no_password(
    set_up: dict[str, Any], provider: Provider, app_client: TestClient
) -> None:
    provider.knows("s-9", preferred_username="olga", groups=["platform"])
    sign_in_as(app_client, provider, "s-9")
    csrf = {CSRF_HEADER: app_client.get("/api/v1/auth/session").json()["csrf_token"]}
    change = {"current_password": "x", "new_password": "a-much-better-horse"}
    answer = app_client.post("/api/v1/auth/password", json=change, headers=csrf)
    assert (answer.status_code, answer.json()["type"]) == (409, "urn:sextant:problem:not-local-account")
    answer = app_client.post("/api/v1/users/olga/password-reset", headers=csrf)
    assert (answer.status_code, answer.json()["type"]) == (409, "urn:sextant:problem:not-local-account")
    tag = app_client.get("/api/v1/users/olga").headers["ETag"]
    answer = app_client.patch("/api/v1/users/olga", json={"role": "viewer"}, headers={**csrf, "If-Match": tag})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (409, "role")
    tag = app_client.get("/api/v1/users/ada").headers["ETag"]
    answer = app_client.patch("/api/v1/users/ada", json={"disabled": True}, headers={**csrf, "If-Match": tag})
    assert answer.json()["type"] == "urn:sextant:problem:last-admin", "the last local one: the provider may be away"
    app_client.cookies.clear()
    for name, password, status in (("ada", PASSWORD, 200), ("olga", "", 422), ("olga", "None", 401)):
        answer = app_client.post("/api/v1/auth/login", json={"username": name, "password": password})
        assert answer.status_code == status, (name, answer.text)


def test_settings_keep_their_secret_by_reference(sign_in: SignIn, provider: Provider, session: Session) -> None:
    admin = sign_in(Role.ADMIN)
    wanted = settings_of(provider)
    made = admin.put("/api/v1/identity-provider", json=wanted)
    reference = made.json()["client_secret"]
    assert made.json()["redirect_url"] == f"{CONSOLE}{BACK}"
    assert reference.startswith("secret:") and wanted["client_secret"] not in made.text
    row = session.get(SecretRow, reference)
    assert row is not None and wanted["client_secret"].encode() not in row.sealed

    again = {**wanted, "client_secret": reference, "name": "Renamed"}
    assert admin.put("/api/v1/identity-provider", json=again).status_code == 428
    tag = {"If-Match": made.headers["ETag"]}
    changed = admin.put("/api/v1/identity-provider", json=again, headers=tag)
    assert (changed.json()["client_secret"], changed.json()["name"]) == (reference, "Renamed")
    assert admin.put("/api/v1/identity-provider", json=again, headers=tag).status_code == 412
    session.execute(text("UPDATE secrets SET unused_since = now() - interval '8 days'"))
    session.expire_all()
    assert secrets.forget_unused(session) == 0, "what the settings name is in use"
    session.commit()

    unknown = {**again, "client_secret": f"secret:{'7' * 32}"}
    answer = admin.put("/api/v1/identity-provider", json=unknown, headers={"If-Match": changed.headers["ETag"]})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "client_secret")
    assert admin.get("/api/v1/auth/options").json() == {"provider": "Renamed"}
    gone = admin.delete("/api/v1/identity-provider", headers={"If-Match": changed.headers["ETag"]})
    assert gone.status_code == 204
    assert admin.get("/api/v1/identity-provider").status_code == 404
    actions = session.scalars(select(AuditRow).where(AuditRow.subject == "identity-provider").order_by(AuditRow.id))
    told = [(row.action, str(row.detail)) for row in actions]
    assert [action for action, _ in told] == ["identity_provider.set"] * 2 + ["identity_provider.remove"]
    assert wanted["client_secret"] not in str(told)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("issuer", "http://id.example"),
        ("issuer", "https://user@id.example"),
        ("issuer", "https://id.example/?x=1"),
        ("issuer", "file:///etc/passwd"),
        ("console_url", "https://console.example/path"),
        ("console_url", "http://console.example"),
        ("roles", {}),
        ("roles", {"netops": "root"}),
    ],
)
def test_settings_that_cannot_be_are_refused_by_field(
    sign_in: SignIn, provider: Provider, field: str, value: object
) -> None:
    answer = sign_in(Role.ADMIN).put("/api/v1/identity-provider", json={**settings_of(provider), field: value})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"].startswith(field)


def test_a_wrong_secret_is_the_administrators_to_mend(
    sign_in: SignIn, provider: Provider, app_client: TestClient, session: Session
) -> None:
    admin = sign_in(Role.ADMIN)
    assert admin.put("/api/v1/identity-provider", json={**settings_of(provider), "client_secret": "wrong"}).is_success
    admin.cookies.clear()
    provider.knows("s-10", preferred_username="pia", groups=["noc"])
    assert sign_in_as(app_client, provider, "s-10").headers["Location"] == "/sign-in?refused=provider"
    ((_kind, reason),) = refusals(session)
    assert "invalid_client" in reason and "wrong" not in reason


@pytest.mark.parametrize(
    ("claims", "name", "found"),
    [
        ({"groups": ["a", 7, "b"]}, "groups", ("a", "b")),
        ({"groups": "a"}, "groups", ("a",)),
        ({"realm_access": {"roles": ["a"]}}, "realm_access.roles", ("a",)),
        ({"https://x.example/groups": ["a"]}, "https://x.example/groups", ("a",)),
        ({"groups": {"a": 1}}, "groups", ()),
        ({}, "groups.x", ()),
    ],
)
def test_groups_are_read_from_the_claim_that_the_settings_name(
    claims: dict[str, Any], name: str, found: tuple[str, ...]
) -> None:
    assert policy.groups_of(claims, name) == found
