"""The command `sextant-agent take-over`, over what an agent wrote down."""

from pathlib import Path
from typing import Any

import pytest
from sextant_agent.drivers.opennetvm.installation import read_installation
from sextant_agent.drivers.opennetvm.process_registry import ChainEntry, ManagerEntry, NfEntry, ProcessRegistry
from sextant_agent.drivers.opennetvm.start_settings import hash_of, settings_of
from sextant_agent.drivers.opennetvm.take_over import TakeOver
from sextant_agent.main import app
from typer.testing import CliRunner

TOML = """
home = "/opt/openNetVM"

[[manager]]
name = "west"
cpus = [0, 1, 2]
nf_cpus = "4-7"
port = "p0"
node = 0
"""


class Host:
    """Its file, and the registry of an agent that has started `web` by it."""

    def __init__(self, folder: Path) -> None:
        self.file, self.state = folder / "opennetvm.toml", folder / "state"
        self.file.write_text(TOML)
        (self.state / "opennetvm").mkdir(parents=True)
        self.registry = ProcessRegistry(self.state / "opennetvm" / "process_registry.json")
        settings = settings_of(read_installation(self.file), "west")
        assert settings
        self.registry.put_manager(ManagerEntry(name="west", settings=settings.model_dump_json()))
        router = NfEntry(nf_id="web.router", nf_type="router", cpu=4, instance=1, service=1, lcore=4)
        self.registry.put_chain(
            ChainEntry(chain="web", manager="west", structure="s", source="s", instance=1, nfs=(router,))
        )
        self.read_by_agent()

    def change(self, old: str, new: str) -> None:
        self.file.write_text(TOML.replace(old, new))

    def read_by_agent(self) -> None:
        self.registry.describe(hash_of(read_installation(self.file)))

    @property
    def is_asked(self) -> bool:
        return TakeOver(self.state / "opennetvm").is_asked("web")


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Host:
    host = Host(tmp_path)
    for name, value in {
        "STATE_DIR": host.state,
        "OPENNETVM": host.file,
        "PKI_DIR": tmp_path,
        "HOST_ID": "edge",
    }.items():
        monkeypatch.setenv(f"SEXTANT_AGENT_{name}", str(value))
    return host


def run(*words: Any) -> tuple[int, str]:
    """Exit status and all that was said, without line ends."""
    result = CliRunner().invoke(app, ["take-over", *words])
    return result.exit_code, " ".join(result.output.split())


def test_a_chain_that_runs_by_an_older_file_is_asked_for(host: Host) -> None:
    host.change("node = 0", "node = 0\nmemory_mb = 4096")
    host.read_by_agent()
    status, said = run("web")
    assert (status, host.is_asked) == (0, True)
    assert said.startswith(f"Asked: the agent drains web and restarts it by {host.file} (memory_mb of manager west).")


def test_there_may_be_nothing_to_do(host: Host) -> None:
    assert run("web") == (0, f"web runs with the present settings of {host.file}: nothing to do.")
    assert not host.is_asked


def test_what_the_agent_has_not_read_yet_is_not_asked_for(host: Host) -> None:
    host.change("node = 0", "node = 0\nmemory_mb = 4096")
    status, said = run("web")
    assert (status, host.is_asked) == (1, False)
    assert "has not read" in said and "systemctl restart sextant-agent" in said


@pytest.mark.parametrize(
    ("chain", "old", "new", "reported"),
    [
        ("edge", "", "", "there is no chain 'edge' here (there are: web). Nothing was asked for."),
        ("../web", "", "", "there is no chain '../web' here (there are: web). Nothing was asked for."),
        ("web", "node = 0", "", "line 4: manager.0.node: Field required: fix it first. Nothing was asked for."),
        ("web", '"p0"', "p0", "(at line 8, column 8): fix it first. Nothing was asked for."),
    ],
)
def test_what_cannot_be_asked_for(host: Host, chain: str, old: str, new: str, reported: str) -> None:
    host.change(old, new)
    status, said = run(chain)
    assert (status, said.endswith(reported), host.is_asked) == (1, True, False), said


def test_without_a_registry_nobody_knows_what_runs(host: Host) -> None:
    (host.state / "opennetvm" / "process_registry.json").unlink()
    status, said = run("web")
    assert status == 1 and "run this as the agent's user" in said


def test_a_damaged_registry_is_reported(host: Host) -> None:
    (host.state / "opennetvm" / "process_registry.json").write_text("{")
    status, said = run("web")
    assert (
        status == 1
        and "process_registry.json is damaged: Invalid JSON" in said
        and said.endswith("Nothing was asked for.")
    )
