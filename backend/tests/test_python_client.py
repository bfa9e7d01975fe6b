"""The Python client against a real console: its example, as a program of its own."""

import os
import subprocess
import sys
from pathlib import Path

from alert_world import a_running_chain
from console_world import PASSWORD, serving
from fastapi import FastAPI
from sextant_backend.app import fresh_state
from sextant_backend.kit.db import session_scope
from sextant_backend.migrate import MIGRATIONS
from sextant_backend.modules.auth import repository
from sextant_backend.modules.auth import service as auth
from sextant_backend.modules.hosts import service as hosts
from sextant_client import ApiError, Client
from sextant_client.transport import each
from sextant_domain.console.access import Role
from sqlalchemy.orm import Session

EXAMPLE = MIGRATIONS.parent / "client" / "examples" / "cordon.py"


def _token(role: Role) -> str:
    with session_scope() as session:
        auth.create_user(session, role.value, PASSWORD, role)
        user = repository.user_named(session, role.value)
        assert user is not None
        return auth.create_token(session, user, "program", role)


def _run(url: str, token: str, *args: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "SEXTANT_URL": url, "SEXTANT_TOKEN": token}
    return subprocess.run(
        [sys.executable, str(Path(EXAMPLE)), *args], env=environment, capture_output=True, text=True, check=False
    )


def test_the_example_cordons_the_hosts_of_a_rack(session: Session, application: FastAPI) -> None:
    for host, rack in (("edge-1", "7"), ("edge-2", "7"), ("edge-3", "8")):
        hosts.enrol(session, host, {"rack": rack})
    session.commit()
    a_running_chain("web", "edge-2")
    fresh_state(application)
    operator, viewer = _token(Role.OPERATOR), _token(Role.VIEWER)
    with serving(application) as port:
        url = f"http://127.0.0.1:{port}"
        refused = _run(url, viewer, "rack=7", "new switch")
        assert (refused.returncode, refused.stdout) == (1, "")
        assert refused.stderr.startswith("edge-1: ") and "edge-2: " in refused.stderr
        done = _run(url, operator, "rack=7", "new switch")
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == "edge-1: cordoned; runs nothing\nedge-2: cordoned; runs web\n"
        assert _run(url, operator, "rack=7", "new switch").stdout == ""


def test_a_change_by_etag_and_a_refusal(session: Session, application: FastAPI) -> None:
    fresh_state(application)
    token = _token(Role.OPERATOR)
    with serving(application) as port, Client(f"http://127.0.0.1:{port}", token) as console:
        made = console.register_nf_type({"name": "edge-firewall", "implementation": "firewall"})
        assert made.etag is not None and made.location == "/api/v1/nf-types/edge-firewall"
        changed = console.update_nf_type("edge-firewall", {"summary": "Of the edge"}, if_match=made.etag)
        assert (changed.body["summary"], changed.etag == made.etag) == ("Of the edge", False)
        try:
            console.remove_nf_type("edge-firewall", if_match=made.etag)
        except ApiError as stale:
            assert (stale.status, stale.kind) == (412, "precondition-failed")
        else:
            raise AssertionError("an old ETag was taken")
        assert [one["name"] for one in each(console.list_nf_types, search="edge")] == ["edge-firewall"]
