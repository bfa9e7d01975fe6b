"""From the version before to this one, under traffic: by its code, taken from the history of this clone.

Two simulated hosts, with an agent of their own that no upgrade touches, carry a chain; an upgrade that fails goes back
by itself, the next one succeeds, and a backup made then is restored into another folder.
"""

import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sextant_backend.backup.tools import conninfo
from sextant_run import backups, installation
from sextant_run.console_client import call, good
from sextant_run.down import stop
from sextant_run.errors import RunError
from sextant_run.installation import Installation
from sextant_run.layout import DataLayout
from sextant_run.ports import any_free
from sextant_run.settings import RunSettings
from sextant_run.upgrade import start_former, upgrade

ROOT = Path(__file__).resolve().parents[2]
FORMER = (Path(__file__).parent / "former-version").read_text().split()[0]
"""The commit that landed before this version."""
PACKAGES = ("domain", "engine", "twin", "agent", "backend", "worker", "cli", "run", "lab")
_UNBUILT = """
import sys
if "sextant_run" in sys.orig_argv:  # the page and its packages are not built for a test of processes
    from sextant_run.setup import builds
    builds.install_node_packages = builds.build_frontend = lambda *_: builds.UNCHANGED
"""
CHAIN = """apiVersion: sextant/v1
kind: Chain
name: edge
nfs: [router, firewall]
traffic: {rate_mpps: 0.1, packet_bytes: 128}
"""


@dataclass
class Running:
    """An installation under the version before, with a host elsewhere."""

    layout: DataLayout
    former: Path
    agent: subprocess.Popen[bytes]

    @property
    def present(self) -> Installation:
        found = installation.load(self.layout)
        assert found is not None
        return found

    def ask(self, method: str, path: str, body: object = None) -> Any:
        return good(call(self.layout, method, path, body))

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(conninfo(self.present.database_url)) as connection:
            return connection.execute(query).fetchall()

    def samples(self) -> int:
        [(count,)] = self.rows("SELECT count(*) FROM chain_samples WHERE chain = 'edge'")
        return int(count)


def _former(folder: Path) -> Path:
    """A clone of the version before: its files, and an interpreter that imports from them."""
    made = folder / "former"
    made.mkdir()
    archive = subprocess.run(["git", "archive", FORMER], cwd=ROOT, capture_output=True, check=False)
    if archive.returncode != 0:
        pytest.skip(f"this clone's history does not reach back to {FORMER}: {archive.stderr.decode().strip()}")
    subprocess.run(["tar", "-x", "-C", str(made)], input=archive.stdout, check=True)
    for package in ("engine", "twin"):  # compiled from Rust that this version may have changed; its Python has not
        for built in (ROOT / package / "src").rglob("_core*.so"):
            shutil.copy(built, made / built.relative_to(ROOT))
    (made / "sitecustomize.py").write_text(_UNBUILT)
    python = made / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    paths = ":".join([str(made), *(str(made / package / "src") for package in PACKAGES)])
    clean = "env -u SEXTANT_MIGRATIONS_DIR"  # what breaks this version is nothing to the one before
    python.write_text(f'#!/bin/sh\nPYTHONPATH={paths} exec {clean} {sys.executable} "$@"\n')
    python.chmod(python.stat().st_mode | stat.S_IXUSR)
    return made


@pytest.fixture
def running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wait_for: Callable[..., Any]) -> Iterator[Running]:
    for name, value in {"DATAPLANE": "0", "DEMO_HOSTS": "0", "FIRST_PROFILES": "0", "PORT": "0"}.items():
        monkeypatch.setenv(f"SEXTANT_{name}", value)
    layout = DataLayout(root=ROOT, data=tmp_path / "d")
    monkeypatch.setenv("SEXTANT_DATA_DIR", str(layout.data))
    former = _former(tmp_path)
    start_former(layout, former / ".venv" / "bin" / "python")
    agent = _agent(layout, former, tmp_path)
    made = Running(layout, former, agent)
    try:
        wait_for(lambda: all(host["inventory"] for host in made.ask("GET", "/hosts")["items"]))
        yield made
    finally:
        agent.terminate()
        agent.wait(timeout=60)
        stop(layout, made.present)


def _agent(layout: DataLayout, former: Path, folder: Path) -> subprocess.Popen[bytes]:
    """Of the version before, enrolled by a token, and under nobody's supervision here."""
    made = good(call(layout, "POST", "/enrolments", {"host": "rack-*", "count": 2, "labels": {}}))
    present = installation.load(layout)
    assert present is not None
    command = [str(former / ".venv" / "bin" / "python"), "-m", "sextant_agent"]
    settings = {
        **os.environ,
        "SEXTANT_AGENT_PKI_DIR": str(folder / "pki"),
        "SEXTANT_AGENT_STATE_DIR": str(folder / "state"),
    }
    where = ("--console", present.fleet_url, "--token-file", "-", "--listen", f"127.0.0.1:{any_free()}")
    subprocess.run([*command, "enrol", *where], input=made["token"].encode(), env=settings, check=True)
    with (folder / "agent.log").open("wb") as log:
        return subprocess.Popen([*command, "twin"], env=settings, stdout=log, stderr=log, start_new_session=True)


def _carry_a_chain(running: Running, folder: Path) -> int:
    """Submit it and apply its plan, as an operator does; the operation."""
    file = folder / "edge.yaml"
    file.write_text(CHAIN)
    sextant = Path(sys.executable).with_name("sextant")
    done = subprocess.run([sextant, "chains", "submit", file, "--apply", "--wait"], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode() + done.stdout.decode()
    [operation] = running.ask("GET", "/operations")["items"]
    assert operation["state"] == "COMPLETED"
    return int(operation["id"])


def test_an_upgrade_that_fails_goes_back_and_one_that_succeeds_loses_nothing(
    running: Running, monkeypatch: pytest.MonkeyPatch, wait_for: Callable[..., Any], tmp_path: Path
) -> None:
    operation = _carry_a_chain(running, tmp_path)
    wait_for(lambda: running.samples() > 2)
    former_schema = running.rows("SELECT version_num FROM alembic_version")
    told = running.rows("SELECT host_id, desired_generation FROM hosts ORDER BY host_id")

    with monkeypatch.context() as broken:
        (tmp_path / "empty").mkdir()
        broken.setenv("SEXTANT_MIGRATIONS_DIR", str(tmp_path / "empty"))
        with pytest.raises(RunError, match="the version before runs again"):
            upgrade(running.layout, running.former, RunSettings.of_environment(), built=True)
    assert running.rows("SELECT version_num FROM alembic_version") == former_schema
    count = running.samples()
    wait_for(lambda: running.samples() > count)

    upgrade(running.layout, running.former, RunSettings.of_environment(), built=True)
    assert running.rows("SELECT version_num FROM alembic_version") != former_schema
    assert running.agent.poll() is None
    assert running.rows("SELECT host_id, desired_generation FROM hosts ORDER BY host_id") == told
    assert running.ask("GET", f"/operations/{operation}")["state"] == "COMPLETED"
    assert running.ask("GET", "/chains/edge")["state"] == "running"
    count = running.samples()
    wait_for(lambda: running.samples() > count)

    _restored_elsewhere(running, tmp_path)


def _restored_elsewhere(running: Running, folder: Path) -> None:
    """What this version backs up, another folder takes with its keys only, and then has all of it."""
    file, keys = backups.make(running.layout, folder / "all.backup")
    other = DataLayout(root=ROOT, data=folder / "o")
    with pytest.raises(RunError, match="The keys of the backup are not here"):
        backups.restore(other, file, None, replace=False)
    backups.restore(other, file, str(keys), replace=False)
    assert (other.pki / "ca.key").read_text() == (running.layout.pki / "ca.key").read_text()
    assert other.secrets_key.read_text() == running.layout.secrets_key.read_text()
    kept = json.loads(other.run_file.read_text())
    assert kept["host_id"] == running.present.host_id
