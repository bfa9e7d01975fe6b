"""A claim is renewed only while its worker's steps come to an end."""

import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from console_world import wait_until
from fastapi.testclient import TestClient
from fleet_world import a_fleet, apply, submit
from sextant_backend.kit.db import session_scope
from sextant_backend.kit.leases import claims
from sextant_backend.kit.leases.claims import EXIT_HUNG, kept
from sextant_backend.kit.leases.limits import LEASE_S
from sextant_backend.modules.operations import repository
from sextant_backend.modules.operations.models import OperationRow
from sqlalchemy import select

HANGS = """
import sys, threading
from sextant_backend.kit.leases.claims import kept
from sextant_backend.modules.operations.models import OperationRow
import sextant_backend.models
with kept(OperationRow, int(sys.argv[1]), sys.argv[2], step_limit_s=1, alone=True):
    threading.Event().wait()
"""


@pytest.fixture
def claimed(client: TestClient, tmp_path: Path) -> Iterator[tuple[int, str]]:
    """An operation and the token of its claim."""
    with a_fleet(tmp_path, "edge-1"):
        begun = apply(client, submit(client, "web-edge", "router")).id
        token = claim(begun)
        assert token is not None
        yield begun, token


def claim(operation_id: int) -> str | None:
    with session_scope() as session:
        return claims.claim(session, OperationRow, operation_id, *repository.due())


def lease_until(operation_id: int) -> datetime:
    with session_scope() as session:
        until = session.scalars(select(OperationRow.lease_until).where(OperationRow.id == operation_id)).one()
    assert until is not None
    return until


def test_steps_that_come_to_an_end_keep_the_claim(claimed: tuple[int, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Each has 5 s; together they outlast the lease of 3 s twice over. What is renewed lasts for a minute here, so that
    a pause of the machine does not end it between two beats."""
    began = lease_until(claimed[0])
    monkeypatch.setattr(claims, "LEASE_S", 60.0)
    with kept(OperationRow, *claimed, step_limit_s=5) as heart:
        wait_until(lambda: lease_until(claimed[0]) > began)
        first = lease_until(claimed[0])

        def renewed() -> bool:
            heart.next_step()
            return lease_until(claimed[0]) > first + timedelta(seconds=2 * LEASE_S)

        wait_until(renewed)
        assert not heart.lost
        assert claim(claimed[0]) is None


def test_a_step_that_hangs_loses_the_claim_to_another_worker(claimed: tuple[int, str]) -> None:
    with kept(OperationRow, *claimed, step_limit_s=1) as heart:
        wait_until(lambda: heart.lost)
        wait_until(lambda: claim(claimed[0]))


def test_a_process_that_hangs_alone_ends(claimed: tuple[int, str]) -> None:
    """Its supervisor starts it anew, since no other thread of it could go on with the work."""
    process = subprocess.run(
        [sys.executable, "-c", HANGS, *map(str, claimed)], check=False, capture_output=True, timeout=60, text=True
    )
    assert process.returncode == EXIT_HUNG
    assert "step_hangs" in process.stdout + process.stderr
    wait_until(lambda: claim(claimed[0]))
