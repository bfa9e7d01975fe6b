"""SIGSTOP of the real process that sweeps: another one sweeps on, and where there is none, readiness reports it."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from fleet_world import Fleet, a_fleet, apply
from operating_world import LIMIT_S, planned, until
from sextant_domain.plans.operation import OperationState
from worker_world import Kept, Processes, eventually, processes

pytestmark = pytest.mark.fault


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory, settings: object) -> Iterator[tuple[Path, Processes]]:
    folder = tmp_path_factory.mktemp("watch")
    with a_fleet(folder), processes(folder) as started:
        yield folder, started


@pytest.fixture
def fleet(real: tuple[Path, Processes], client: TestClient) -> Iterator[Fleet]:
    with a_fleet(real[0], "edge-1") as made:
        yield made


@contextmanager
def thawed(*ones: Kept) -> Iterator[None]:
    """Whatever froze them, they go on afterwards."""
    try:
        yield
    finally:
        for one in ones:
            os.kill(one.pid, signal.SIGCONT)


def is_frozen(one: Kept) -> bool:
    return Path(f"/proc/{one.pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "T"


def test_a_sweep_that_freezes_with_its_transaction_open_is_followed_by_another(
    client: TestClient, fleet: Fleet, real: tuple[Path, Processes]
) -> None:
    """The worker dies with its claim, so that the operation has to be rung for again; the sweep that would freezes."""
    watch, spare = real[1].watch, real[1].kept("watch")
    assert watch is not None
    try:
        with thawed(watch, spare):
            kill, freeze = ({"action": action, "times": 1} for action in ("kill", "freeze"))
            real[1].inject(operate__claimed=kill, sweep__before_ring=freeze)
            begun = apply(client, planned(client))
            eventually(lambda: is_frozen(watch) or is_frozen(spare), LIMIT_S)
            until(client, begun.id, OperationState.COMPLETED)
            assert is_frozen(watch) != is_frozen(spare), "one of them, and to the end"
        assert [generation for generation, _ in fleet.edge.adopted] == [1]
    finally:
        spare.end()


def test_readiness_says_that_nobody_watches_while_the_only_sweep_stands_still(
    client: TestClient, real: tuple[Path, Processes]
) -> None:
    watch = real[1].watch
    assert watch is not None
    real[1].inject()
    eventually(lambda: client.get("/readyz").status_code == 200, LIMIT_S)
    with thawed(watch):
        os.kill(watch.pid, signal.SIGSTOP)
        eventually(lambda: client.get("/readyz").status_code == 503, LIMIT_S)
        workers = client.get("/readyz").json()["checks"]["workers"]
        assert (workers["ok"], workers["silent"]) == (False, ["watch"])
        assert "nobody has watched hosts and operations for 15 s" in workers["detail"]
    eventually(lambda: client.get("/readyz").status_code == 200, LIMIT_S)
