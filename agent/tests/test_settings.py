"""Settings from the environment, and errors that name the variable."""

import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import ValidationError
from sextant_agent.settings import AgentSettings, settings_error


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    (tmp_path / "runner").write_text("")
    for name, value in {
        "HOST_ID": "edge-1",
        "STATE_DIR": str(tmp_path / "state"),
        "PKI_DIR": str(tmp_path / "pki"),
        "RUNNER": str(tmp_path / "runner"),
    }.items():
        monkeypatch.setenv(f"SEXTANT_AGENT_{name}", value)
    return monkeypatch


def test_four_variables_suffice(environment: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = AgentSettings()
    assert found.listen_address == ("127.0.0.1", 0)
    assert (found.url, found.fleet_url, found.cores, found.socket_dir) == (None, None, None, None)
    assert found.state_dir == tmp_path / "state"


def test_cores_are_a_kernel_list(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("SEXTANT_AGENT_CORES", "0,2-4")
    assert AgentSettings().cores == (0, 2, 3, 4)
    environment.setenv("SEXTANT_AGENT_CORES", "")
    assert AgentSettings().cores is None


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("HOST_ID", "Edge 1", "SEXTANT_AGENT_HOST_ID"),
        ("LISTEN", "nowhere", "SEXTANT_AGENT_LISTEN: 'nowhere' is not ADDRESS:PORT"),
        ("LISTEN", "127.0.0.1:99999", "is not ADDRESS:PORT"),
        ("LISTEN", "0.0.0.0:0", "set SEXTANT_AGENT_URL"),
        ("FLEET_URL", "http://127.0.0.1:1", "mutual TLS only"),
        ("CORES", "1-x", "SEXTANT_AGENT_CORES: '1-x'"),
        ("RUNNER", "/nowhere/sextant-runner", "build it"),
        ("DRIVER", "magic", "SEXTANT_AGENT_DRIVER"),
    ],
)
def test_a_bad_value_is_refused_by_its_variables_name(
    environment: pytest.MonkeyPatch, name: str, value: str, message: str
) -> None:
    environment.setenv(f"SEXTANT_AGENT_{name}", value)
    with pytest.raises(ValidationError) as error:
        AgentSettings()
    assert message in settings_error(error.value)


def test_the_command_says_what_is_missing_and_no_traceback(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "sextant_agent", "serve"],
        env={},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 1
    assert "SEXTANT_AGENT_HOST_ID: is not set" in done.stderr
    assert "Traceback" not in done.stderr


def test_help_explains_both_commands() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "sextant_agent", "--help"], capture_output=True, text=True, timeout=30, check=True
    )
    assert "serve" in done.stdout and "stop-runner" in done.stdout
