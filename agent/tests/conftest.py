"""Real parts for tests: the built runner, an authority, agents as processes of their own, a fleet listener."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from sextant_agent.drivers.testbed.runner_stop import stop_recorded_runner

from .agent_process import AgentProcess
from .doctor_world import world
from .fleet import FleetListener
from .helper_process import Asking, HelperProcess, hierarchy
from .onvm_double.home import TARGET
from .onvm_double.true_home import HOME_VARIABLE
from .opennetvm_host import driver, host
from .orders import HOST
from .pki import BACKEND, Authority, host_names

__all__ = ["driver", "host", "world"]

RUNNER = Path(__file__).parents[2] / "dataplane/build/sextant-runner"
BUILD_OPENNETVM = Path(__file__).parents[2] / "deploy/agent/build-opennetvm.sh"


def pytest_configure(config: pytest.Config) -> None:
    """SEXTANT_ONVM_SOURCE names a checkout of OpenNetVM v21.10: it is built where it was not, and is the true one."""
    source = os.environ.get("SEXTANT_ONVM_SOURCE")
    if source is None or hasattr(config, "workerinput"):
        return
    home = Path(source).resolve()
    if not (home / "onvm" / "onvm_mgr" / TARGET / "onvm_mgr").is_file():
        subprocess.run(["sh", BUILD_OPENNETVM, home], check=True)
    os.environ[HOME_VARIABLE] = str(home)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Which tests take turns where several processes test."""
    for item in items:
        if isinstance(item, pytest.Function) and item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.xdist_group(_turns(item)))


def _turns(item: pytest.Function) -> str:
    """Whatever runs packets has the cores, OpenNetVM's names in /dev/shm are fixed, and modules share fixtures."""
    if "runner_binary" in item.fixturenames:
        return "packets"
    return "opennetvm" if item.path.stem.startswith(("test_onvm", "test_opennetvm")) else item.path.stem


@pytest.fixture
def state(tmp_path: Path) -> Iterator[Path]:
    """The state folder of a testbed, whose runner is ended after the test."""
    folder = tmp_path / "state"
    folder.mkdir(mode=0o700)
    yield folder
    stop_recorded_runner(folder)


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


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """Stands in for the runner: the helper knows it by its path alone. A shell, so that it can also be busy."""
    return program_in(tmp_path)


def program_in(folder: Path) -> Path:
    return Path(shutil.copy(Path("/bin/sh").resolve(), folder / "runner"))


@pytest.fixture
def helper(tmp_path: Path, program: Path) -> Iterator[HelperProcess]:
    """As root only; whatever it made is gone after the test."""
    yield from helper_in(tmp_path, program)


def helper_in(folder: Path, program: Path) -> Iterator[HelperProcess]:
    helper = HelperProcess(folder, program)
    yield helper.start()
    helper.end_all()
    assert not (hierarchy().cpu / helper.subtree).exists(), "nothing is left of it"


@pytest.fixture
def asking(helper: HelperProcess) -> Iterator[Asking]:
    asking = Asking(helper.socket)
    yield asking
    asking.close()


@pytest.fixture
def busy(program: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process of the registered program that takes all the CPU it gets."""
    process = subprocess.Popen([program, "-c", "while :; do :; done"])
    yield process
    process.kill()
    process.wait()
