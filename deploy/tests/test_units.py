"""deploy/systemd: units that run what there is, with settings that there are, confined."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from sextant_backend.kit.tasks import Queue

from deploy.tests.commands import judge
from deploy.tests.files import UNITS, Unit, image_environment, own_services, units
from deploy.tests.test_compose import SETTINGS, WITH_AUTHORITY, WITH_SECRETS

SYSTEMD = Path("/usr/lib/systemd/systemd")
AUTHORITY = "-/var/lib/sextant/authority"
WITH_KEY = {"sextant-server-authority.service", "sextant-server-fleet.service"}
CONSOLE = "sextant-server-console.service"
WORKER = "sextant-server-worker@.service"


def _commands(unit: Unit) -> list[list[str]]:
    """What is started, for each queue where the unit is one of several."""
    given = {f"${{{name}}}": value for name, value in unit.environment.items()}
    command = [given.get(word, word) for word in unit.command]
    if unit.name != WORKER:
        return [command]
    return [[word.replace("%i", queue) for word in command] for queue in Queue]


def test_units_run_what_compose_runs_but_for_the_migration() -> None:
    run = {judge(command) for unit in units() for command in _commands(unit)}
    assert run == {judge(service["command"]) for service in own_services().values()} - {"sextant_backend migrate"}


@pytest.mark.parametrize("unit", units(), ids=lambda unit: unit.name)
def test_a_unit_has_settings_that_there_are_and_no_secret(unit: Unit) -> None:
    own = {"SEXTANT_FLEET_LISTEN", "SEXTANT_FLEET_PORT"}  # of the unit's own command line
    assert set(unit.environment) - own <= SETTINGS | set(image_environment())
    assert unit.environment["DATABASE_URL_FILE"] == "%d/database-url"
    assert unit.values["LoadCredential"] == (
        "database-url:/etc/sextant/database-url",
        "redis-url:/etc/sextant/redis-url",
        *(("secrets-key:/etc/sextant/secrets-key",) if unit.name == CONSOLE else ()),
    )
    for name, value in image_environment().items():
        if name.startswith("SEXTANT_"):
            assert unit.environment[name] == value


@pytest.mark.parametrize("unit", units(), ids=lambda unit: unit.name)
def test_the_authoritys_key_is_hidden_from_all_but_two(unit: Unit) -> None:
    with_key = unit.name in WITH_KEY
    assert unit.values["InaccessiblePaths"] == (() if with_key else (AUTHORITY,))
    assert ("SEXTANT_CA_KEY_FILE" in unit.environment) == with_key
    assert len(WITH_AUTHORITY) == len(WITH_KEY)


def test_the_key_of_secrets_is_handed_to_two_units() -> None:
    """To those whose containers have it; the migration is started by hand."""
    given = {
        path.parent.name.removesuffix(".d") for path in UNITS.glob("*/*.conf") if "secrets-key" in path.read_text()
    }
    assert given == {CONSOLE, WORKER.replace("@", "@operate")}
    assert {name for name, service in own_services().items() if "secrets-key" in service["secrets"]} == WITH_SECRETS


def test_the_key_that_seals_the_audit_log_is_handed_to_one_unit() -> None:
    given = [path.parent.name for path in UNITS.glob("*/*.conf") if "audit-key" in path.read_text()]
    assert given == [f"{WORKER.replace('@', '@operate')}.d"]
    assert [name for name, service in own_services().items() if "audit-key" in service["secrets"]] == ["worker"]


def test_settings_of_the_example_are_settings() -> None:
    lines = [line for line in (UNITS / "sextant.env").read_text().splitlines() if line and line[0] != "#"]
    assert {line.split("=")[0] for line in lines} <= SETTINGS
    user = (UNITS / "sysusers.conf").read_text().split()
    assert {unit.values["User"] for unit in units()} == {(user[1],)}


@pytest.fixture
def installed() -> Iterator[Path]:
    """The units where their program is one that is here; every user may read them."""
    with TemporaryDirectory(prefix="sextant-", dir="/tmp") as name:
        folder = Path(name)
        shutil.copytree(UNITS, folder, dirs_exist_ok=True)
        for path in folder.glob("*.service"):
            path.write_text(path.read_text().replace("/opt/sextant/bin/python", sys.executable))
        names = " ".join(unit.name.replace("@", "@plan") for unit in units())
        (folder / "all.target").write_text(f"[Unit]\nWants={names}\n")
        folder.chmod(0o755)
        yield folder


def _systemd(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """What systemd says of the units in a folder, and of the system's."""
    surroundings = {"SYSTEMD_UNIT_PATH": f"{folder}:", "SYSTEMD_LOG_TARGET": "console", "XDG_RUNTIME_DIR": "/tmp"}
    return subprocess.run(
        command, env={**surroundings, "PATH": "/usr/bin:/bin"}, capture_output=True, text=True, check=False
    )


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd-analyze here")
def test_systemd_reads_the_units_without_a_remark(installed: Path) -> None:
    names = [str(installed / unit.name.replace("@", "@plan")) for unit in units()]
    done = _systemd(installed, "systemd-analyze", "verify", "--man=no", *names)
    remarks = [line for line in done.stderr.splitlines() if "sextant" in line]
    assert (done.returncode, remarks) == (0, [])


@pytest.mark.skipif(not SYSTEMD.exists(), reason="no systemd here")
def test_systemd_itself_hides_the_authoritys_key_from_all_but_two(installed: Path) -> None:
    """By what it would run with: `systemd --test`, which root may not ask."""
    unprivileged = ("setpriv", "--reuid", "65534", "--clear-groups") if os.geteuid() == 0 else ()
    done = _systemd(installed, *unprivileged, str(SYSTEMD), "--test", "--system", "--unit=all.target")
    assert done.returncode == 0, done.stderr
    hidden = {
        name: re.findall(r"^\s*InaccessiblePaths: (.*)$", rest, re.MULTILINE)
        for name, rest in re.findall(r"-> Unit (sextant-server-\S+):\n((?:(?!\s*-> Unit ).*\n)*)", done.stdout)
    }
    assert hidden == {unit.name.replace("@", "@plan"): [] if unit.name in WITH_KEY else [AUTHORITY] for unit in units()}
