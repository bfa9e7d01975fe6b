"""The command `sextant-agent doctor`: what it reads, how it answers, and a host of the testbed."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from sextant_agent.commands.examine import ExaminedSettings
from sextant_agent.doctor.finding import DoctorFinding
from sextant_agent.doctor.sight import read_sight
from sextant_agent.drivers.testbed.doctor import examine_testbed
from sextant_agent.machine.inventory import CoreSharing
from sextant_agent.main import app
from typer.testing import CliRunner

from .machines import small, two_sockets, write


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """But those of the test."""
    for name in ("DRIVER", "STATE_DIR", "PKI_DIR", "HOST_ID", "RUNNER", "OPENNETVM", "CORES", "LISTEN", "URL"):
        monkeypatch.delenv(f"SEXTANT_AGENT_{name}", raising=False)


def answer(*arguments: str) -> tuple[int, list[dict[str, Any]]]:
    """Exit status and findings."""
    result = CliRunner().invoke(app, ["doctor", "--json", *arguments])
    return result.exit_code, json.loads(result.stdout)


def test_settings_are_read_from_the_file_of_the_unit(tmp_path: Path) -> None:
    env = tmp_path / "agent.env"
    lines = [
        "SEXTANT_AGENT_DRIVER=opennetvm",
        "SEXTANT_AGENT_OPENNETVM=/nowhere.toml",
        f"SEXTANT_AGENT_STATE_DIR={tmp_path}",
    ]
    env.write_text("\n".join(lines))
    status, findings = answer("--env-file", str(env))
    assert status == 1
    assert [finding["check"] for finding in findings] == ["settings", "user", "opennetvm.toml"]
    assert findings[0]["what"] == f"driver opennetvm, state folder {tmp_path}"
    assert (findings[-1]["state"], findings[-1]["what"]) == ("problem", "/nowhere.toml: No such file or directory")


def test_what_is_wrong_of_the_settings_is_reported_by_their_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEXTANT_AGENT_LISTEN", "nowhere")
    status, (finding,) = answer("--driver", "opennetvm")
    assert (status, finding["state"]) == (1, "problem")
    assert finding["what"].startswith("SEXTANT_AGENT_LISTEN: 'nowhere' is not ADDRESS:PORT")
    status, (finding,) = answer("--env-file", str(tmp_path / "none.env"))
    assert (status, finding["what"]) == (1, f"{tmp_path / 'none.env'} cannot be read")


def test_the_table_says_what_to_do_below_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEXTANT_AGENT_OPENNETVM", "/nowhere.toml")
    lines = CliRunner().invoke(app, ["doctor", "--driver", "opennetvm"]).stdout.splitlines()
    assert lines[-2].split(maxsplit=2)[:2] == ["PROBLEM", "opennetvm.toml"]
    assert lines[-1].startswith("         do: ")


def test_who_the_host_is_is_what_enrolment_noted(tmp_path: Path) -> None:
    (tmp_path / "enrolment.json").write_text(json.dumps({"host_id": "edge-9", "listen": "127.0.0.1:0"}))
    assert ExaminedSettings(pki_dir=tmp_path, driver="opennetvm").host_id == "edge-9"


def test_a_host_of_the_testbed(tmp_path: Path) -> None:
    """32 CPUs: physical cores 0 and 1, with their siblings 16 and 17, are the system's and the source's."""
    found = examined(two_sockets(tmp_path))
    assert {name: finding.state for name, finding in found.items()} == {
        "user": "warning", "runner": "ok", "CPUs": "ok", "huge pages": "ok", "root helper": "warning", "resctrl": "ok",
    }  # fmt: skip
    assert found["CPUs"].what == "its agent offers 2-15,18-31, one NF per core"


def test_a_small_host_of_the_testbed(tmp_path: Path) -> None:
    found = examined(small(tmp_path))
    assert found["CPUs"].what == "2 CPUs: NFs share 0-1, and predictions use time sharing"
    assert found["CPUs"].do is not None and "SEXTANT_AGENT_SHARED_CORES=never" in found["CPUs"].do
    exclusive = examined(small(tmp_path), shared_cores="never")["CPUs"]
    assert (exclusive.state, exclusive.what.split(";")[0]) == ("ok", "its agent offers 1, one NF per core")
    assert found["huge pages"].do == "as root: sysctl vm.nr_hugepages=512"


def examined(root: Path, shared_cores: CoreSharing = "small-hosts") -> dict[str, DoctorFinding]:
    """By what was looked at; Python stands for the runner."""
    write(root, {"proc/self/status": "Cpus_allowed_list:\t0-31"})
    state = Path("/var/lib/sextant-agent/state")
    settings = ExaminedSettings(runner=Path(sys.executable), state_dir=state, shared_cores=shared_cores)
    return {finding.check: finding for finding in examine_testbed(read_sight(root), settings)}
