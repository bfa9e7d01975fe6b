"""Run the listeners, migrate, and administer users, tokens and hosts."""

from pathlib import Path
from typing import Annotated

import typer
from pydantic import TypeAdapter, ValidationError
from sextant_domain.console.access import Role
from sextant_domain.console.accounts import DEFAULT_TOKEN_DAYS, MOST_TOKEN_DAYS
from sextant_domain.loading import loading

from sextant_backend.settings import Settings, WrongSettings, read_settings

app = typer.Typer(
    help=__doc__,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
Port = Annotated[int, typer.Option(min=1, max=65535, help="TCP port")]
Username = Annotated[str, typer.Argument(metavar="USER", help="Name of the user")]


def _fail(message: str) -> typer.Exit:
    typer.echo(message, err=True)
    return typer.Exit(1)


def _settings() -> Settings:
    try:
        return read_settings()
    except WrongSettings as error:
        raise _fail(str(error)) from None


def _ready(*, migrated: bool = True) -> Settings:
    from sextant_backend.kit import logging
    from sextant_backend.kit.db import wait_for_database
    from sextant_backend.kit.wait import NotThere

    settings = _settings()
    logging.configure("admin", "warning")
    try:
        wait_for_database(settings.start_limit_s, migrated=migrated)
    except NotThere as error:
        raise _fail(f"{error}. Start it, or set DATABASE_URL to where it is.") from None
    return settings


@app.command()
def console(
    port: Port,
    address: Annotated[str, typer.Option(help="Where it listens; by default for this machine only")] = "127.0.0.1",
) -> None:
    """Serve the console's API and pages (HTTP; a reverse proxy adds TLS)."""
    with loading():
        from sextant_backend import serve
        from sextant_backend.app import console_app
        from sextant_backend.kit.wait import NotThere

    try:
        serve.console(console_app, _settings(), port, address)
    except NotThere as error:
        raise _fail(str(error)) from None


@app.command()
def fleet(
    port: Port,
    address: Annotated[str, typer.Option(help="Where hosts reach it; by default only this machine")] = "127.0.0.1",
) -> None:
    """Serve the listener for agents (mutual TLS)."""
    with loading():
        from sextant_backend import serve
        from sextant_backend.fleet.app import fleet_app
        from sextant_backend.kit.wait import NotThere

    settings = _settings()
    if settings.pki_dir is None:
        raise _fail("SEXTANT_PKI_DIR is not set: the fleet listener needs ca.crt, backend.crt and backend.key.")
    try:
        serve.fleet(fleet_app, settings, port, settings.pki_dir, address)
    except NotThere as error:
        raise _fail(str(error)) from None
    except OSError as error:  # ssl.SSLError is one
        raise _fail(f"The fleet listener cannot start with the certificates in {settings.pki_dir}: {error}") from None


@app.command()
def certificates() -> None:
    """Keep the backend's certificate in SEXTANT_PKI_DIR; with SEXTANT_CA_KEY_FILE, sign for other machines."""
    from sextant_backend.kit.wait import NotThere
    from sextant_backend.modules.certificates import renewal

    settings = _settings()
    if settings.pki_dir is None:
        raise _fail("SEXTANT_PKI_DIR is not set: it says where ca.crt, backend.crt and backend.key are to lie.")
    try:
        renewal.keep(settings, settings.pki_dir)
    except NotThere as error:
        raise _fail(str(error)) from None
    except OSError as error:
        raise _fail(f"The certificates cannot be kept in {settings.pki_dir}: {error}") from None


@app.command()
def migrate(
    *, create_roles: Annotated[bool, typer.Option(help="Make the roles of processes where they are missing")] = False
) -> None:
    """Bring the database's schema to the newest revision, and grant the roles that there are what they need."""
    with loading():
        from sextant_backend import migrate as migrations
        from sextant_backend.kit.sealing import SealingError

    _ready(migrated=False)
    try:
        migrations.upgrade(create_roles=create_roles)
    except (FileNotFoundError, SealingError) as error:
        raise _fail(str(error)) from None
    _forget_events()


@app.command("database-roles")
def database_roles() -> None:
    """Print SQL that makes the roles of processes, for whoever administers the server; `migrate` grants to them."""
    from sextant_backend.grants import create_statements

    for statement in create_statements():
        typer.echo(f"{statement};")


BackupFile = Annotated[Path, typer.Argument(metavar="FILE", help="The backup")]


@app.command()
def backup(
    file: BackupFile,
    keys: Annotated[
        Path | None,
        typer.Option(help="Where the keys go that this process has: of secrets, of the authority, of the audit log"),
    ] = None,
    without_samples: Annotated[
        bool, typer.Option("--without-samples", help="Leave raw samples out; what is rolled up of them is there")
    ] = False,
    setting: Annotated[list[str] | None, typer.Option(hidden=True, help="NAME=VALUE, for whoever restores it")] = None,
) -> None:
    """Make a backup of the database while everything runs, and read it back before it counts as made.

    FILE holds all of it: hosts, chains, plans, users with hashes of their passwords, the audit log, and secrets, which
    nobody can read without the keys. Keep the file of keys elsewhere: with both, whoever finds them has everything.
    Both are readable by this user alone, and neither replaces a file."""
    from sextant_backend.backup import dumping
    from sextant_backend.backup.errors import BackupError
    from sextant_backend.kit.db import session_scope
    from sextant_backend.modules.audit import service as audit

    settings = _ready()
    more = dict(item.split("=", 1) for item in setting or [])
    try:
        made = dumping.make(settings, file, keys, _report, dumping.Asked(without_samples, more))
    except BackupError as error:
        raise _fail(str(error)) from None
    with session_scope() as session:
        audit.record(session, "system", "installation.backup", "installation", {"backup": made.id})
    rows = f"{sum(made.rows.values())} rows in {len(made.rows)} tables"
    typer.echo(f"Backup {made.id} of {made.made_at:%Y-%m-%d %H:%M:%S} UTC is in {file}: {rows}.")
    typer.echo(
        f"Its keys are in {keys}: keep that file elsewhere."
        if keys
        else "It holds no keys: keep those of secrets and of the authority as well, or secrets cannot be read again "
        "and hosts must enrol anew."
    )


@app.command("check-backup")
def check_backup(file: BackupFile) -> None:
    """Read a backup to its end: whether it is whole, and what it holds. Needs no database."""
    from sextant_backend.backup import archive
    from sextant_backend.backup.errors import BackupError

    try:
        found = archive.check(file)
    except BackupError as error:
        raise _fail(str(error)) from None
    typer.echo(
        f"Backup {found.id} of {found.made_at:%Y-%m-%d %H:%M:%S} UTC is whole: Sextant {found.sextant}, schema "
        f"{found.revision}, {sum(found.rows.values())} rows in {len(found.rows)} tables"
        f"{', without raw samples' if found.without_samples else ''}."
    )


@app.command()
def restore(
    file: BackupFile,
    replace: Annotated[
        bool, typer.Option("--replace", help="Throw away what is in the database; without it, a full one is refused")
    ] = False,
    create_roles: Annotated[
        bool, typer.Option("--create-roles", help="Make the roles of processes where they are missing")
    ] = False,
    as_it_was: Annotated[
        bool, typer.Option("--as-it-was", help="Leave its schema as it is: for the version that made it")
    ] = False,
) -> None:
    """Put a backup back, and bring its schema to the newest revision. All processes must have ended.

    Everybody signs in anew. Hosts that were given orders after the backup show that they are ahead of it."""
    from sextant_backend import migrate as migrations
    from sextant_backend.backup import restoring
    from sextant_backend.backup.errors import BackupError
    from sextant_backend.kit.db import disconnect, session_scope
    from sextant_backend.kit.sealing import SealingError
    from sextant_backend.modules.audit import service as audit

    settings = _ready(migrated=False)
    disconnect()
    try:
        known = None if as_it_was else settings.migrations_dir or migrations.MIGRATIONS
        restored = restoring.restore(settings, file, known, _report, replace=replace)
        if not as_it_was:
            _report("bringing the schema to the newest revision")
            migrations.upgrade(create_roles=create_roles)
    except (BackupError, FileNotFoundError, SealingError) as error:
        raise _fail(str(error)) from None
    if not as_it_was:
        detail = {"backup": restored.id, "made_at": restored.made_at.isoformat(), "version": restored.sextant}
        with session_scope() as session:
            audit.record(session, "system", "installation.restore", "installation", detail)
    _forget_events()
    typer.echo(
        f"Backup {restored.id} of {restored.made_at:%Y-%m-%d %H:%M:%S} UTC is restored. Users, tokens and hosts that "
        "were disabled or revoked after that are as they were then: look through them. Next: start the processes, then "
        "`sextant hosts` says which hosts are ahead"
    )


def _report(what: str) -> None:
    typer.echo(what, err=True)


def _forget_events() -> None:
    """Events of former versions may hold details of chains and plans that must no longer be published."""
    import redis

    from sextant_backend.kit import queue

    try:
        queue.forget_events()
    except redis.RedisError as error:
        typer.echo(f"Events of before stay in the queue until others follow: {error}", err=True)


@app.command("reseal-secrets")
def reseal_secrets() -> None:
    """Encrypt every secret anew under the first key of SEXTANT_SECRETS_KEY_FILE; then the others can go."""
    from sextant_backend.kit.db import session_scope
    from sextant_backend.kit.sealing import SealingError
    from sextant_backend.modules.secrets import service

    _ready()
    try:
        with session_scope() as session:
            count = service.reseal(session)
    except SealingError as error:
        raise _fail(f"{error}. Nothing was changed.") from None
    typer.echo(f"{count} secrets were sealed under the new key; keys behind the first are not needed any more.")


@app.command("create-admin")
def create_admin() -> None:
    """Make the user `admin` and print its password once; does nothing where one exists."""
    from sextant_backend.kit.db import session_scope
    from sextant_backend.modules.auth import repository, secrets, service

    _ready()
    with session_scope() as session:
        if repository.user_named(session, "admin") is not None:
            typer.echo("The user admin exists; `reset-password admin` gives it a new password.")
            return
        password = secrets.new_password()
        service.create_user(session, "admin", password, Role.ADMIN)
    typer.echo(password)


@app.command("reset-password")
def reset_password(username: Username) -> None:
    """Give a user a new password, print it once, and end the user's sessions."""
    from sextant_backend.kit.db import session_scope
    from sextant_backend.modules.auth import repository, secrets, service

    _ready()
    password = secrets.new_password()
    with session_scope() as session:
        user = repository.user_named(session, username)
        if user is None:
            raise _fail(f"There is no user {username}; `create-admin` makes the first one.")
        if user.issuer is not None:
            raise _fail(f"{username} signs in by {user.issuer} and has no password here; `reset-password admin` helps.")
        service.set_password(session, user, password)
    typer.echo(password)


@app.command("create-token")
def create_token(
    username: Username,
    role: Annotated[Role, typer.Option(help="At most this, and never more than the user's own")] = Role.OPERATOR,
    name: Annotated[str, typer.Option(help="A token of the same name is replaced")] = "cli",
    days: Annotated[int, typer.Option(min=1, max=MOST_TOKEN_DAYS, help="Until it expires")] = DEFAULT_TOKEN_DAYS,
) -> None:
    """Make an API token and print it once; only its hash is stored."""
    from sextant_backend.kit.db import session_scope
    from sextant_backend.modules.auth import repository, service

    _ready()
    with session_scope() as session:
        user = repository.user_named(session, username)
        if user is None:
            raise _fail(f"There is no user {username}; `create-admin` makes the first one.")
        token = service.create_token(session, user, name, role, days=days)
    typer.echo(token)


@app.command("enrol-host")
def enrol_host(
    host_ids: Annotated[list[str], typer.Argument(metavar="HOST_ID...", help="As in their certificates")],
    label: Annotated[list[str] | None, typer.Option(help="KEY=VALUE, as zone=lab; may be repeated")] = None,
) -> None:
    """Let hosts report: make their rows, or replace their labels."""
    from sextant_domain.base import Name

    from sextant_backend.kit.db import session_scope
    from sextant_backend.modules.hosts import service

    try:
        TypeAdapter(list[Name]).validate_python(host_ids)
        labels = dict(TypeAdapter(tuple[Name, str]).validate_python(tuple(item.split("=", 1))) for item in label or [])
    except ValidationError:
        raise _fail(
            "HOST_ID and label keys have lower-case letters, digits and hyphens; labels read KEY=VALUE."
        ) from None
    _ready()
    with session_scope() as session:
        new = {host_id: service.enrol(session, host_id, labels) for host_id in host_ids}
    for host_id, is_new in new.items():
        done = "is enrolled." if is_new else "was enrolled before; its labels are set."
        typer.echo(f"Host {host_id} {done}")


@app.command("remove-hosts")
def remove_hosts(
    host_ids: Annotated[list[str], typer.Argument(metavar="HOST_ID...", help="Those that are not enrolled count not")],
) -> None:
    """Take hosts out of the fleet that run no NF, with their figures; those that do stay, and are printed."""
    from sextant_backend import wiring
    from sextant_backend.kit.db import session_scope
    from sextant_backend.modules.hosts import removal
    from sextant_backend.modules.hosts.service import HostInUse

    _ready()
    wiring.connect()  # much of what is known of a host goes with it
    for host_id in host_ids:
        try:
            with session_scope() as session:
                removal.remove_all(session, [host_id], "system")
        except HostInUse:
            typer.echo(host_id)


@app.command()
def openapi(output: Annotated[Path | None, typer.Option(help="Write there instead of standard output")] = None) -> None:
    """Print the console's OpenAPI document, as committed in docs/openapi.json."""
    from sextant_backend.openapi import text

    if output is None:
        typer.echo(text(), nl=False)
    else:
        output.write_text(text())
