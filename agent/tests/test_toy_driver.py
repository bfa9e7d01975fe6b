"""docs/guides/add-a-driver.md, followed step by step: its files are put into a copy of the agent,
which runs them."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import sextant_agent
from sextant_agent.contract.driver import Driver
from sextant_agent.contract.sample import HostSample, NfCounters

from . import toy
from .driver_contract import DriverContract
from .orders import HOST, chain, nf, order
from .toy.driver import ToyDriver

GUIDE = Path(__file__).parents[2] / "docs/guides/add-a-driver.md"
CONVERGE = """
import sys
from pathlib import Path
from sextant_agent.api.service import HostService
from sextant_agent.drivers.registry import DRIVERS
from sextant_agent.settings import AgentSettings
from sextant_domain.hosts.desired import DesiredStateOrder

class Service(HostService):
    def wake(self):
        pass

settings = AgentSettings()
service = Service(settings.host_id, settings.state_dir, DRIVERS[settings.driver].open(settings))
service.accept(DesiredStateOrder.model_validate_json(sys.stdin.read()))
service.reconciliation.converge()
print(service.actual().model_dump_json())
"""


@pytest.fixture
def driver() -> ToyDriver:
    return ToyDriver(HOST)


class TestToyDriver(DriverContract):
    """Step 4. What stands for a process is an NF's name and how often it was started."""

    exit_text = "crashed by a test"

    def process(self, sample: HostSample, nf_id: str) -> object:
        found = sample.nfs[nf_id]
        return nf_id, found.starts, sample.chains[found.chain].instance

    def crash(self, driver: Driver, nf_id: str) -> None:
        assert isinstance(driver, ToyDriver)
        driver.crash(nf_id)

    def assert_pinned(self, found: NfCounters, core: int) -> None:
        assert found.core == core


@pytest.fixture
def extended(tmp_path: Path) -> Path:
    """A copy of the agent with the driver in it: a folder, and a line in each of the two files that the guide names."""
    root = tmp_path / "src"
    package = root / "sextant_agent"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(sextant_agent.__path__[0]), package, ignore=ignored)
    shutil.copytree(Path(toy.__path__[0]), package / "drivers/toy", ignore=ignored)
    guide = GUIDE.read_text()
    import_line = "from sextant_agent.drivers.toy import doctor, opening"
    line = '"toy": Registered(opening.open_driver, doctor.examine_toy),'
    for name, before, after in (
        ("contract/names.py", 'Literal["testbed"', 'Literal["toy", "testbed"'),
        ("drivers/registry.py", "DRIVERS: Map", f"{import_line}\n\nDRIVERS: Map"),
        ("drivers/registry.py", '\n    "testbed"', f'\n    {line}\n    "testbed"'),
    ):
        assert f"`{name}`" in guide
        text = (package / name).read_text()
        assert text.count(before) == 1
        (package / name).write_text(text.replace(before, after))
    return root


def _run(source: Path, *arguments: str, **settings: str) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "PYTHONPATH": str(source), "SEXTANT_AGENT_HOST_ID": HOST, **settings}
    return subprocess.run(
        [sys.executable, *arguments],
        env=environment,
        input=order(1, chain("web", nf("web", "router", core=0))).model_dump_json(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_doctor_knows_it_from_the_registry(extended: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir()
    command = ("-m", "sextant_agent", "doctor", "--driver", "toy", "--json")
    ran = _run(extended, *command, SEXTANT_AGENT_STATE_DIR=str(state))
    assert (ran.returncode, ran.stderr) == (0, "")
    found = {each["check"]: each["what"] for each in json.loads(ran.stdout)}
    assert found["toy box"] == f"{HOST} can play" and found["settings"].startswith("driver toy,")
    assert "toy" in _run(extended, "-m", "sextant_agent", "doctor", "--help").stdout


def test_an_agent_runs_an_order_by_it(extended: Path, tmp_path: Path) -> None:
    """Settings, registry, ledger, reconciler and driver, as the agent has them."""
    state = tmp_path / "state"
    state.mkdir()
    places = {"SEXTANT_AGENT_STATE_DIR": str(state), "SEXTANT_AGENT_PKI_DIR": str(tmp_path)}
    ran = _run(extended, "-c", CONVERGE, SEXTANT_AGENT_DRIVER="toy", **places)
    assert ran.returncode == 0, ran.stderr
    actual = json.loads(ran.stdout.splitlines()[-1])
    assert [each["nf_id"] for each in actual["nfs"]] == ["web.router"]
    assert (actual["applied_generation"], actual["nfs"][0]["state"]) == (1, "running")
