"""A VPN's key on its way through real processes, one of which is killed with it in hand: no file of theirs has it."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest
from durable_world import LIMIT_S, World
from fleet_world import API, apply, operation
from secrets_world import chain_with_key
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.auth import service as auth
from sextant_backend.modules.auth.models import User
from sextant_domain.console.access import Role
from sextant_domain.plans.operation import OperationState
from sextant_run.ports import any_free
from sqlalchemy import select
from worker_world import end, eventually

pytestmark = pytest.mark.fault

CANARY = "deadbeefcafe" * 3 + "0042"


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("s")


@pytest.fixture
def world(folder: Path) -> Iterator[World]:
    with ExitStack() as stack:
        yield World(folder, stack)


@contextmanager
def console(folder: Path) -> Iterator[httpx.Client]:
    """A console as a process of its own, asked with an operator's token."""
    with session_scope() as session:
        token = auth.create_token(session, session.scalars(select(User)).one(), "tests", Role.OPERATOR)
    port = any_free()
    command = [sys.executable, "-m", "sextant_backend", "console", "--port", str(port)]
    with (folder / "console.log").open("ab") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
    headers = {"Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=headers, trust_env=False, timeout=60) as client:
        try:
            eventually(lambda: _answers(client), LIMIT_S)
            yield client
        finally:
            end(process)


def _answers(client: httpx.Client) -> bool:
    try:
        return client.get("/healthz").status_code == 200
    except httpx.HTTPError:
        return False


def test_the_key_is_in_no_file_of_any_process(world: World, folder: Path) -> None:
    """Of the database with its write-ahead log, of the queue, of the console and of the workers."""
    with console(folder) as client:
        assert client.post(f"{API}/chains", json=chain_with_key("bad", [CANARY])).status_code == 422
        answer = client.post(f"{API}/chains", json=chain_with_key("tunnel", CANARY), headers={"Idempotency-Key": "a"})
        assert answer.status_code == 201, answer.text
        world.worker.inject(operate__put__after_send={"action": "kill", "times": 1})
        begun = apply(world.client, world.proposed(answer.json()["plan_id"]))
        eventually(lambda: operation(world.client, begun.id).state is OperationState.COMPLETED, LIMIT_S)
    world.worker.happens("operate.put.after_send")
    [(reference, value)] = world.fleet.edge.secrets.items()
    assert value == CANARY

    contents = {path: _content(path) for path in folder.rglob("*") if path.is_file()}
    assert {"console.log", "worker.log"} <= {path.name for path in contents}
    with_reference = {
        path.relative_to(folder).parts[0] for path, found in contents.items() if reference.encode() in found
    }
    assert with_reference >= {"pg", "vk"}, "the search finds what is there"
    for path, found in contents.items():
        assert CANARY.encode() not in found.lower(), path
        assert CANARY.encode().hex().encode() not in found, path


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:  # a server's temporary file
        return b""
