"""Real parts for tests: the built runner, an authority, agents as processes of their own, a fleet listener."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from .agent_process import AgentProcess
from .fleet import FleetListener
from .orders import HOST
from .pki import BACKEND, Authority, host_names

RUNNER = Path(__file__).parents[2] / "dataplane/build/sextant-runner"


@pytest.fixture(scope="session")
def runner_binary() -> Path:
    if not RUNNER.is_file():
        pytest.fail(
            f"{RUNNER} is missing: meson setup dataplane/build dataplane && ninja -C dataplane/build", pytrace=False
        )
    return RUNNER


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return make_authority(tmp_path / "pki")


def make_authority(folder: Path) -> Authority:
    """With a certificate for the host, for the backend, and for another host."""
    authority = Authority(folder)
    authority.issue("host", host_names(HOST))
    authority.issue("backend", BACKEND)
    authority.issue("other", host_names("edge-2"))
    return authority


@pytest.fixture
def fleet(authority: Authority) -> Iterator[FleetListener]:
    listener = FleetListener(authority, "backend")
    yield listener
    listener.close()


@pytest.fixture(scope="module")
def standing_agent(tmp_path_factory: pytest.TempPathFactory, runner_binary: Path) -> Iterator[AgentProcess]:
    """Started once a module, without a fleet listener: for tests that only knock."""
    folder = tmp_path_factory.mktemp("standing")
    process = AgentProcess(folder / "state", make_authority(folder / "pki"), runner_binary, None)
    yield process.start()
    process.end_all()


@pytest.fixture
def agent(tmp_path: Path, authority: Authority, runner_binary: Path, fleet: FleetListener) -> Iterator[AgentProcess]:
    """Not started yet; whatever was started under it is ended after the test."""
    process = AgentProcess(tmp_path / "state", authority, runner_binary, fleet.url)
    yield process
    process.end_all()
