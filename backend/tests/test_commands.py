"""`python -m sextant_backend`: what an administrator and `make up` call."""

import subprocess
import sys

import pytest
from console_world import PASSWORD
from fastapi.testclient import TestClient
from sextant_backend import main as commands
from sextant_backend.kit import queue, wait
from sextant_backend.kit.db import wait_for_database
from sextant_backend.modules.auth.models import User
from sextant_backend.modules.chains.models import PlacedNfRow
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.openapi import text
from sextant_backend.settings import Settings, get_settings
from sqlalchemy.orm import Session
from typer.testing import CliRunner, Result


def _run(*arguments: str) -> Result:
    return CliRunner().invoke(commands.app, list(arguments))


def _last_line(result: Result) -> str:
    assert result.exit_code == 0, result.output
    return result.stdout.splitlines()[-1]


def test_admin_is_made_once_and_signs_in(app_client: TestClient) -> None:
    password = _last_line(_run("create-admin"))
    login = {"username": "admin", "password": password}
    assert app_client.post("/api/v1/auth/login", json=login).json()["role"] == "admin"
    again = _last_line(_run("create-admin"))
    assert " " in again and password not in again
    new = _last_line(_run("reset-password", "admin"))
    assert app_client.post("/api/v1/auth/login", json=login).status_code == 401
    assert app_client.post("/api/v1/auth/login", json={**login, "password": new}).status_code == 200


def test_token_opens_the_api(app_client: TestClient) -> None:
    _run("create-admin")
    token = _last_line(_run("create-token", "admin", "--role", "viewer"))
    headers = {"Authorization": f"Bearer {token}"}
    assert app_client.get("/api/v1/hosts", headers=headers).status_code == 200
    assert app_client.post("/api/v1/chains", json={}, headers=headers).status_code == 403


def test_who_signs_in_by_a_provider_gets_no_password(session: Session) -> None:
    session.add(User(username="grace", role="viewer", issuer="https://id.example", subject="s-1"))
    session.commit()
    refused = _run("reset-password", "grace")
    assert refused.exit_code == 1
    assert "grace signs in by https://id.example and has no password here" in refused.stderr


@pytest.mark.parametrize("command", [("reset-password", "nobody"), ("create-token", "nobody")])
def test_unknown_user_is_named(clean: Settings, command: tuple[str, ...]) -> None:
    result = _run(*command)
    assert result.exit_code == 1
    assert "There is no user nobody" in result.stderr


def test_host_is_enrolled_with_labels_and_again(session: Session) -> None:
    for _ in range(2):
        _last_line(_run("enrol-host", "edge-1", "--label", "zone=lab", "--label", "rack=r1"))
    assert hosts.one(session, "edge-1").labels == {"zone": "lab", "rack": "r1"}


def test_several_hosts_are_enrolled_at_once(session: Session) -> None:
    hosts.enrol(session, "lab-2", {"zone": "old"})
    session.commit()
    result = _run("enrol-host", "lab-1", "lab-2", "--label", "zone=lab")
    assert result.stdout.splitlines() == [
        "Host lab-1 is enrolled.",
        "Host lab-2 was enrolled before; its labels are set.",
    ]
    session.expire_all()
    assert [host.labels for host in hosts.every(session)] == [{"zone": "lab"}] * 2


def test_hosts_that_nobody_serves_leave_where_nothing_runs(session: Session) -> None:
    for name in ("lab-1", "lab-2", "lab-3"):
        hosts.enrol(session, name, {})
    where = {"host_id": "lab-3", "node": 0, "core": 0, "slot": 0, "plan_id": 1}
    session.add(PlacedNfRow(nf_id="web.router", chain="web", position=0, nf_type="router", **where))
    session.commit()
    command = [sys.executable, "-m", "sextant_backend", "remove-hosts", "lab-2", "lab-3", "lab-4"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)  # its own wiring, not ours
    assert (done.returncode, done.stdout) == (0, "lab-3\n"), done.stderr
    session.expire_all()
    assert [host.host_id for host in hosts.every(session)] == ["lab-1", "lab-3"]


@pytest.mark.parametrize("arguments", [("Edge 1",), ("edge-1", "--label", "zone"), ("edge-1", "--label", "Zone=lab")])
def test_host_that_cannot_be_named_so(session: Session, arguments: tuple[str, ...]) -> None:
    result = _run("enrol-host", *arguments)
    assert result.exit_code == 1 and "KEY=VALUE" in result.stderr
    assert hosts.every(session) == ()


def test_document_is_printed(clean: Settings) -> None:
    result = _run("openapi")
    assert result.exit_code == 0 and result.stdout == text()


def test_migrate_again_changes_nothing(clean: Settings) -> None:
    assert _run("migrate").exit_code == 0


def test_migrate_forgets_what_former_versions_published(clean: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """And does without a queue that is away."""
    queue.client().xadd(queue.STREAM, {"e": '{"key": "c0ffee"}'})
    assert _run("migrate").exit_code == 0
    assert not queue.client().exists(queue.STREAM)
    monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1:9/0")
    get_settings.cache_clear()
    away = _run("migrate")
    monkeypatch.undo()
    get_settings.cache_clear()
    assert away.exit_code == 0 and "Events of before stay" in away.stderr


def test_every_command_explains_itself() -> None:
    for command in (
        "console",
        "fleet",
        "migrate",
        "create-admin",
        "reset-password",
        "create-token",
        "enrol-host",
        "remove-hosts",
    ):
        result = _run(command, "--help")
        assert result.exit_code == 0 and "Usage" in result.stdout


def test_missing_settings_are_named(clean: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DATABASE_URL")
    get_settings.cache_clear()
    try:
        result = _run("create-admin")
    finally:
        monkeypatch.undo()
        get_settings.cache_clear()
    assert result.exit_code == 1 and "DATABASE_URL" in result.stderr
    assert PASSWORD not in result.output


def test_waiting_has_a_bound(clean: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql+psycopg://nobody@127.0.0.1:1/none")
    get_settings.cache_clear()
    try:
        with pytest.raises(wait.NotThere, match="the database was not ready within 0 s"):
            wait_for_database(0.1)
    finally:
        monkeypatch.undo()
        get_settings.cache_clear()


def test_limits_of_silence_must_rise(monkeypatch: pytest.MonkeyPatch, clean: Settings) -> None:
    monkeypatch.setenv("SEXTANT_STALE_AFTER_S", "20")
    get_settings.cache_clear()
    try:
        assert "SEXTANT_UNREACHABLE_AFTER_S" in _run("create-admin").stderr
    finally:
        monkeypatch.undo()
        get_settings.cache_clear()
