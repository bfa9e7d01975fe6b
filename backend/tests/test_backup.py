"""A backup is all of the database at one moment, and restoring it is all or nothing."""

import json
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from console_world import PASSWORD
from migration_world import migrating
from sextant_backend import migrate
from sextant_backend.backup import archive
from sextant_backend.backup.archive import DATABASE, MANIFEST
from sextant_backend.backup.restoring import FENCES_AHEAD
from sextant_backend.kit import db
from sextant_backend.kit.db import make_engine, session_scope
from sextant_backend.kit.principal import Principal
from sextant_backend.main import app
from sextant_backend.modules.auth import service as auth
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.secrets import service as secrets
from sextant_backend.settings import Settings, get_settings
from sextant_domain.console.access import Role
from sqlalchemy import Engine, text
from sqlalchemy.orm import Session
from typer.testing import CliRunner, Result

CANARY = "canary-7f3a9c51"


@dataclass
class World:
    """A database of its own, and where backups go."""

    engine: Engine
    file: Path

    def run(self, *words: str) -> Result:
        """A command, while nothing else is connected: what it leaves in the pool is let go."""
        db.disconnect()
        self.engine.dispose()
        try:
            return CliRunner().invoke(app, [*words])
        finally:
            db.disconnect()

    def made(self, *words: str) -> Path:
        done = self.run("backup", str(self.file), *words)
        assert done.exit_code == 0, done.output
        return self.file

    def hosts(self) -> list[str]:
        with session_scope() as session:
            return list(session.scalars(text("SELECT host_id FROM hosts ORDER BY host_id")))


@pytest.fixture(scope="module")
def migrated(settings: Settings) -> Iterator[Engine]:
    """A database that each test has a copy of."""
    with pytest.MonkeyPatch.context() as patch, migrating(settings, patch) as (engine, config):
        command.upgrade(config, "head")
        with session_scope() as session:
            hosts.enrol(session, "edge-1", {"zone": "lab"})
            auth.create_user(session, "ada", PASSWORD, Role.OPERATOR)
            secrets.store(session, CANARY, Principal("ada", Role.OPERATOR))
        db.disconnect()
        engine.dispose()
        yield engine


@pytest.fixture
def world(migrated: Engine, settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[World]:
    name = "backed_up"
    outside = make_engine(settings.database_url).execution_options(isolation_level="AUTOCOMMIT")
    with outside.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name} TEMPLATE {migrated.url.database}"))
    url = migrated.url.set(database=name).render_as_string(hide_password=False)
    monkeypatch.setenv("DATABASE_URL", url)
    get_settings.cache_clear()
    made = World(make_engine(url), tmp_path / "sextant.backup")
    try:
        yield made
    finally:
        db.disconnect()
        made.engine.dispose()
        get_settings.cache_clear()
        with outside.connect() as connection:
            connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
        outside.dispose()


def test_what_was_there_comes_back_and_what_came_later_is_gone(world: World) -> None:
    """Fences begin above all that an agent may have seen: 0 were taken before, and the sequence stands at 1."""
    file = world.made()
    with session_scope() as session:
        hosts.enrol(session, "edge-2", {})
        session.execute(text("DELETE FROM users"))
    done = world.run("restore", str(file), "--replace")
    assert done.exit_code == 0, done.output
    assert world.hosts() == ["edge-1"]
    with session_scope() as session:
        assert session.scalar(text("SELECT username FROM users")) == "ada"
        assert session.scalar(text("SELECT last_value FROM operation_fences")) == 1 + FENCES_AHEAD
        actions = session.scalars(text("SELECT action FROM audit_entries ORDER BY id")).all()
    assert actions[-1] == "installation.restore" and "installation.backup" not in actions


def test_a_backup_under_way_sees_one_moment(world: World) -> None:
    """Hosts are enrolled all the while, each with a row of its own in the audit log: there are as many of both, and the
    dump has the rows that the manifest counts, or restoring it would fail."""
    ended, own = threading.Event(), make_engine(world.engine.url.render_as_string(hide_password=False))

    def enrol() -> None:
        number = 100
        while not ended.is_set():
            number += 1
            with Session(own) as session:
                hosts.enrol(session, f"edge-{number}", {})
                session.commit()

    writer = threading.Thread(target=enrol)
    writer.start()
    try:
        world.made()
    finally:
        ended.set()
        writer.join()
        own.dispose()
    rows = archive.read_manifest(world.file).rows
    assert world.run("restore", str(world.file), "--replace").exit_code == 0
    assert len(world.hosts()) == rows["hosts"]
    with session_scope() as session:
        enrolled = session.scalar(text("SELECT count(*) FROM audit_entries WHERE action = 'host.enrol'"))
    assert enrolled == rows["hosts"]


def test_sessions_end_with_a_restore(world: World) -> None:
    with session_scope() as session:
        session.execute(
            text(
                "INSERT INTO sessions (token_hash, user_id, client, browser, expires_at)"
                " SELECT 'hash', id, '', '', now() + interval '1 hour' FROM users"
            )
        )
    world.made()
    assert world.run("restore", str(world.file), "--replace").exit_code == 0
    with session_scope() as session:
        assert session.scalar(text("SELECT count(*) FROM sessions")) == 0


def test_a_full_database_is_not_written_over_unless_told(world: World) -> None:
    file = world.made()
    refused = world.run("restore", str(file))
    assert refused.exit_code == 1 and "--replace" in refused.output
    assert world.hosts() == ["edge-1"]


def test_nothing_is_restored_while_something_runs(world: World) -> None:
    file = world.made()
    db.disconnect()
    with world.engine.connect() as running:
        running.execute(text("SELECT 1"))
        refused = CliRunner().invoke(app, ["restore", str(file), "--replace"])
    assert refused.exit_code == 1 and "connections to this database are open" in refused.output


def test_keys_go_to_a_file_of_their_own_and_no_secret_can_be_read_in_the_backup(
    world: World, settings: Settings, tmp_path: Path
) -> None:
    keys = tmp_path / "elsewhere.keys"
    file = world.made("--keys", str(keys))
    assert settings.secrets_key_file is not None
    key = settings.secrets_key_file.read_text()
    assert json.loads(keys.read_text())["secrets_key"] == key
    assert {file.stat().st_mode & 0o777, keys.stat().st_mode & 0o777} == {0o600}
    content = b"".join(archive.blocks(file, archive.check(file), DATABASE)) + file.read_bytes()
    assert key.strip().encode() not in content and CANARY.encode() not in content
    assert archive.read_keys(keys, archive.check(file)).secrets_key == key


def test_neither_file_is_written_over(world: World, tmp_path: Path) -> None:
    world.file.write_text("mine")
    refused = world.run("backup", str(world.file))
    assert refused.exit_code == 1 and "not written over" in refused.output and world.file.read_text() == "mine"
    keys = tmp_path / "keys"
    keys.write_text("mine")
    refused = world.run("backup", str(tmp_path / "other"), "--keys", str(keys))
    assert refused.exit_code == 1 and keys.read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["keys", "sextant.backup"]


@pytest.mark.parametrize("where", [0.1, 0.5, 0.9])
def test_a_damaged_backup_is_refused_and_nothing_changes(world: World, where: float) -> None:
    content = bytearray(world.made().read_bytes())
    content[int(len(content) * where)] ^= 1
    world.file.write_bytes(content)
    assert world.run("check-backup", str(world.file)).exit_code == 1
    assert world.run("restore", str(world.file), "--replace").exit_code == 1
    assert world.hosts() == ["edge-1"]


def test_a_backup_that_was_cut_short_is_refused(world: World) -> None:
    content = world.made().read_bytes()
    world.file.write_bytes(content[: len(content) // 2])
    refused = world.run("check-backup", str(world.file))
    assert refused.exit_code == 1 and "not a whole backup" in refused.output


def changed(file: Path, **changes: object) -> None:
    """The same backup with another manifest."""
    with zipfile.ZipFile(file) as old:
        members = {name: old.read(name) for name in old.namelist()}
    members[MANIFEST] = json.dumps(json.loads(members[MANIFEST]) | changes).encode()
    with zipfile.ZipFile(file, "w") as new:
        for name, content in members.items():
            new.writestr(name, content)


def test_a_backup_of_a_newer_version_is_refused_by_name(world: World) -> None:
    changed(world.made(), revision="9999", sextant="9.9.9")
    refused = world.run("restore", str(world.file), "--replace")
    assert refused.exit_code == 1 and "restore it with Sextant 9.9.9 or newer" in refused.output
    assert world.hosts() == ["edge-1"]


def test_a_restore_that_fails_at_its_end_leaves_the_database_as_it_was(world: World) -> None:
    """The manifest counts a host more than the dump has, which shows only after all of it was read."""
    rows = archive.read_manifest(world.made()).rows
    changed(world.file, rows={**rows, "hosts": rows["hosts"] + 1})
    with session_scope() as session:
        hosts.enrol(session, "edge-2", {})
    refused = world.run("restore", str(world.file), "--replace")
    assert refused.exit_code == 1 and "table hosts has not the 2 rows" in refused.output
    assert world.hosts() == ["edge-1", "edge-2"]


def test_a_manifest_cannot_bring_statements_along(world: World) -> None:
    changed(world.made(), rows={"hosts; DROP TABLE users": 0})
    refused = world.run("restore", str(world.file), "--replace")
    assert refused.exit_code == 1 and "not a whole backup" in refused.output


def test_an_older_schema_is_restored_and_brought_up_to_date(world: World) -> None:
    """Made at revision 0045, which knew no leaders, restored by this version."""
    config = Config()
    config.set_main_option("script_location", str(migrate.MIGRATIONS))
    command.downgrade(config, "0045")
    assert archive.check(world.made()).revision == "0045"
    done = world.run("restore", str(world.file), "--replace")
    assert done.exit_code == 0, done.output
    assert world.hosts() == ["edge-1"]
    with session_scope() as session:
        assert session.scalar(text("SELECT count(*) FROM leaders")) == 0
