"""The units and examples in deploy/agent: what they start is there, what they set is what the agent reads."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from sextant_agent.commands.examine import ExaminedSettings
from sextant_agent.drivers.opennetvm.installation import OpenNetVmInstallation, read_installation
from sextant_agent.drivers.opennetvm.programs import programs
from sextant_agent.helper import __main__ as helper
from sextant_agent.main import app
from typer.main import get_command

FOLDER = Path(__file__).parents[2] / "deploy/agent"
DAEMON_SOURCE = Path(__file__).parents[2] / "dataplane/srv6/src"
AGENT, HELPER, MOUNT = "sextant-agent.service", "sextant-agent-helper.service", "run-hugepages.mount"
SRV6, SRV6_PROGRAM = "sextant-srv6.service", "/opt/sextant/bin/sextant-srv6"
DROP_IN = "sextant-agent.service.d/opennetvm.conf"
PREFIX = "/opt/sextant-agent/bin/"


def settings_of(name: str) -> dict[str, list[str]]:
    """Every assignment of a unit, in order."""
    found: dict[str, list[str]] = {}
    for line in (FOLDER / name).read_text().replace("\\\n", " ").splitlines():
        key, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            found.setdefault(key, []).append(value.strip())
    return found


@pytest.fixture(scope="module")
def environment() -> dict[str, str]:
    """agent.env, as systemd takes it."""
    lines = (FOLDER / "agent.env").read_text().splitlines()
    pairs = (line.partition("=") for line in lines if line and not line.startswith("#"))
    return {name: value.strip('"') for name, _, value in pairs}


@pytest.fixture(scope="module")
def installation() -> OpenNetVmInstallation:
    return read_installation(FOLDER / "opennetvm.toml")


def test_the_agents_unit_starts_a_command_of_the_agent() -> None:
    program, command = settings_of(AGENT)["ExecStart"][0].split()
    assert program == PREFIX + "sextant-agent"
    assert command in getattr(get_command(app), "commands", {})


def test_the_helpers_unit_starts_it_with_options_it_has(
    environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    line = settings_of(HELPER)["ExecStart"][0].replace("--agent-uid sextant-agent", "--agent-uid root")
    for name, value in environment.items():
        line = line.replace("${" + name + "}", value).replace("$" + name, value)
    words = shlex.split(line)
    assert words[:4] == [PREFIX + "python", "-I", "-m", "sextant_agent.helper"]
    monkeypatch.setattr(sys, "argv", words[3:])
    chosen = helper._arguments()
    assert (chosen.host_id, chosen.agent_uid) == ("edge-7", 0)
    assert chosen.socket == Path(environment["SEXTANT_AGENT_STATE_DIR"]) / "helper.sock", "where the agent looks for it"


def test_the_daemons_unit_starts_it_with_options_it_has(environment: dict[str, str]) -> None:
    """It is for the agent's user, listens where that may write, and keeps its pins where they outlive it."""
    unit = settings_of(SRV6)
    program, *words = shlex.split(unit["ExecStart"][0])
    assert program == SRV6_PROGRAM
    given = dict(zip(words[::2], words[1::2], strict=True))
    has = re.findall(r'\{"([a-z]+)", ', (DAEMON_SOURCE / "options.c").read_text())
    assert given.keys() <= {f"--{name}" for name in has} and len(has) > len(given)
    assert given["--socket"] == f"{environment['SEXTANT_AGENT_STATE_DIR']}/srv6.sock"
    assert unit["ReadWritePaths"] == [environment["SEXTANT_AGENT_STATE_DIR"]]
    assert (given["--host"], given["--uid"]) == ("${SEXTANT_AGENT_HOST_ID}", settings_of(AGENT)["User"][0])
    assert "SEXTANT_AGENT_HOST_ID" in environment and unit["EnvironmentFile"] == settings_of(AGENT)["EnvironmentFile"]
    assert Path(given["--pins"]).parent == Path("/sys/fs/bpf") and "/sys/fs/bpf" in unit["RequiresMountsFor"][0].split()


def test_the_daemons_unit_leaves_it_the_rights_that_it_gives_up_itself() -> None:
    """And those alone: without the first three no packet is carried, the others are for its start."""
    (bounding,) = settings_of(SRV6)["CapabilityBoundingSet"]
    kept = re.findall(r"\bCAP_[A-Z_]+", (DAEMON_SOURCE / "rights.c").read_text())
    assert set(bounding.split()) >= {"CAP_NET_ADMIN", "CAP_NET_RAW", "CAP_BPF"} and set(bounding.split()) & set(kept)
    assert not {"PrivateNetwork", "ProtectKernelTunables"} & settings_of(SRV6).keys(), "it works on interfaces"


def test_a_user_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["helper", "--socket", "/s", "--host-id", "a", "--program", "/p", "--agent-uid", "no-such-user"]
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit):
        helper._arguments()
    assert "--agent-uid: is no user of this machine" in capsys.readouterr().err


def test_the_helper_may_place_whatever_the_driver_starts(
    environment: dict[str, str], installation: OpenNetVmInstallation
) -> None:
    named = environment["SEXTANT_HELPER_PROGRAMS"].split()
    assert named == [word for path in programs(installation) for word in ("--program", str(path))]


def test_the_settings_are_the_agents(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in environment:
        monkeypatch.delenv(name, raising=False)
    read = ExaminedSettings(_env_file=FOLDER / "agent.env")
    assert (read.driver, read.host_id, str(read.opennetvm)) == ("opennetvm", "edge-7", "/etc/sextant/opennetvm.toml")
    folders = {f"/var/lib/{name}" for name in settings_of(AGENT)["StateDirectory"][0].split()}
    assert {str(read.state_dir), str(read.pki_dir)} <= folders
    assert settings_of(AGENT)["EnvironmentFile"] == settings_of(HELPER)["EnvironmentFile"] == ["/etc/sextant/agent.env"]


def test_opennetvm_may_write_where_its_description_says(installation: OpenNetVmInstallation) -> None:
    folders = [str(installation.huge_dir), str(installation.runtime_dir)]
    assert settings_of(DROP_IN)["ReadWritePaths"] == [" ".join(folders)]
    assert settings_of(MOUNT)["Where"] == folders[:1]
    lines = [line.split() for line in (FOLDER / "tmpfiles.conf").read_text().splitlines() if line[0] != "#"]
    made = {path: (mode, user) for _, path, mode, user, *_ in lines}
    own = installation.runtime_dir.parent
    assert made == {str(folder): ("0700", "sextant-agent") for folder in (own, installation.runtime_dir)}
    assert own.name == "sextant-agent", "the whole machine's DPDK meets in /run/dpdk"


def test_what_moves_packets_outlives_the_agent() -> None:
    """Each of the latter would take from NFs that run what they share: files, semaphores, keys, /dev/vfio."""
    unit = settings_of(AGENT) | settings_of(DROP_IN)
    assert (unit["KillMode"], unit["OOMPolicy"], unit["PrivateDevices"]) == (["process"], ["continue"], ["no"])
    assert not {"RuntimeDirectory", "RemoveIPC", "PrivateIPC", "DynamicUser", "ProtectProc"} & unit.keys()


def test_systemd_takes_the_units(tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("no systemd here")
    units = tmp_path / "etc/systemd/system"
    shutil.copytree(FOLDER, units)
    shutil.copytree("/lib/systemd/system", tmp_path / "usr/lib/systemd/system", symlinks=True)
    (tmp_path / "lib").symlink_to("usr/lib")
    for program in (PREFIX + "sextant-agent", PREFIX + "python", "/bin/chown", SRV6_PROGRAM):
        place = tmp_path / program[1:]
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch(mode=0o755)
    command = [analyze, "verify", f"--root={tmp_path}", "--man=no", AGENT, HELPER, MOUNT, SRV6]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
