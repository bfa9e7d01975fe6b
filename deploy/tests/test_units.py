"""deploy/systemd: units that run what there is, with settings that there are, confined."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from sextant_backend.kit.tasks import Queue

from deploy.tests.commands import judge
from deploy.tests.files import DEPLOY, Unit, image_environment, own_services, units
from deploy.tests.test_compose import SETTINGS, WITH_AUTHORITY

SYSTEMD = DEPLOY / "systemd"
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
    )
    for name, value in image_environment().items():
        if name.startswith("SEXTANT_"):
            assert unit.environment[name] == value


@pytest.mark.parametrize("unit", units(), ids=lambda unit: unit.name)
def test_the_authoritys_key_is_hidden_from_all_but_two(unit: Unit) -> None:
    hidden = unit.values["InaccessiblePaths"][-1] == "-/var/lib/sextant/authority"
    with_key = "SEXTANT_CA_KEY_FILE" in unit.environment
    assert hidden != with_key
    assert with_key == (unit.name in {"sextant-server-authority.service", "sextant-server-fleet.service"})
    assert len(WITH_AUTHORITY) == 2


def test_settings_of_the_example_are_settings() -> None:
    lines = [line for line in (SYSTEMD / "sextant.env").read_text().splitlines() if line and line[0] != "#"]
    assert {line.split("=")[0] for line in lines} <= SETTINGS
    user = (SYSTEMD / "sysusers.conf").read_text().split()
    assert {unit.values["User"] for unit in units()} == {(user[1],)}


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd-analyze here")
def test_systemd_reads_the_units_without_a_remark(tmp_path: Path) -> None:
    shutil.copytree(SYSTEMD, tmp_path, dirs_exist_ok=True)
    for path in tmp_path.glob("*.service"):
        path.write_text(path.read_text().replace("/opt/sextant/bin/python", sys.executable))
    names = [unit.name.replace("@", "@plan") for unit in units()]
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *(str(tmp_path / name) for name in names)],
        env={"SYSTEMD_UNIT_PATH": f"{tmp_path}:", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    remarks = [line for line in done.stderr.splitlines() if "sextant" in line]
    assert (done.returncode, remarks) == (0, [])
