"""What the commands do and print."""

import json
import sys
from dataclasses import asdict

from sextant_run import administration, installation
from sextant_run import down as ending
from sextant_run import status as state
from sextant_run import up as starting
from sextant_run.errors import RunError
from sextant_run.installation import Installation, exclusive
from sextant_run.lab_hosts import names
from sextant_run.layout import DataLayout
from sextant_run.ports import console_port
from sextant_run.programs import servers
from sextant_run.progress import StartProgress
from sextant_run.servers import PostgresServer, running
from sextant_run.settings import RunSettings
from sextant_run.simulated.hosts import beside
from sextant_run.watch import StopRequested, ignore_signals, stop_on_signals, watch

NOT_UP = 3
"""Exit status of `status`, as of systemctl."""


def setup(layout: DataLayout) -> None:
    settings = RunSettings.of_environment()
    layout.make_folders()
    with exclusive(layout):
        progress = StartProgress(total=5, done=starting.STEPS_OF_BOOTSTRAP)
        starting.set_up(layout, progress, settings)
    print("\nSet up. Next: make up")


def up(layout: DataLayout, *, detach: bool) -> None:
    settings = RunSettings.of_environment()
    layout.make_folders()
    present = installation.load(layout)
    if present is not None and present.up:
        print(f"\nSextant is already up at {present.url} (data folder {layout.data}). See `make status`, `make down`.")
        return
    if settings.port:
        console_port(settings.port)  # refused now rather than after the builds
    stop_on_signals()
    try:
        with exclusive(layout):
            present = _start(layout, settings, detach=detach)
        if not detach:
            watch(layout, present)
            _say_why_it_ended(layout)
    except StopRequested:
        print("\nStopping ...", flush=True)
        _end(layout)


def _start(layout: DataLayout, settings: RunSettings, *, detach: bool) -> Installation:
    progress = StartProgress(total=starting.STEPS, done=starting.STEPS_OF_BOOTSTRAP)
    settings = starting.set_up(layout, progress, settings)
    try:
        present, password = starting.start(layout, settings, progress, detach=detach)
    except RunError:
        ignore_signals()
        _end(layout)
        raise
    print(_welcome(layout, present, password, detach=detach), flush=True)
    return present


def _welcome(layout: DataLayout, present: Installation, password: str | None, *, detach: bool) -> str:
    kept = f"in {layout.password_file}; new one: make reset-password"
    shown = f"{password}   (shown this once; kept {kept})" if password else f"({kept})"
    ending_by = "make down" if detach else "Ctrl-C"
    return f"""
Sextant is up.
  Address   {present.url}
  Username  {administration.ADMIN}
  Password  {shown}
{_of_hosts(present)}\
  Commands  .venv/bin/sextant --help
  End it    {ending_by}
"""


def _of_hosts(present: Installation) -> str:
    """A line for simulated hosts, one for what is measured, and one where this machine is not a host."""
    lines = []
    if present.demo_hosts:
        lines.append(f"  Simulated {beside(present.demo_hosts)}; without: SEXTANT_DEMO_HOSTS=0\n")
    if present.lab_ports:
        hosts = ", ".join(names(len(present.lab_ports)))
        lines.append(f"  Measured  packets measure themselves on {hosts}; without: SEXTANT_LAB_HOSTS=0\n")
    elif present.no_lab is not None:
        lines.append(f"  Measured  no packets measure themselves here: {present.no_lab}\n")
    if present.first_profiles and present.no_dataplane is None:
        lines.append(
            "  Measures  what NF types carry alone here, in the background: sextant profile jobs; "
            "without: SEXTANT_FIRST_PROFILES=0\n"
        )
    if present.no_dataplane is not None:
        lines.append(f"  Packets   none on {present.host_id} itself: {present.no_dataplane}\n")
    return "".join(lines)


def _end(layout: DataLayout) -> None:
    """End what is recorded; every remark is printed."""
    ignore_signals()
    present = installation.load(layout)
    if present is None:
        return
    for remark in ending.stop(layout, present):
        print(remark)
    print("Sextant is down.", flush=True)


def _say_why_it_ended(layout: DataLayout) -> None:
    """supervisord has gone: by `make down` (which clears run.json), or killed."""
    present = installation.load(layout)
    if present is None or present.supervisor is None:
        print("Sextant was stopped by `make down`.")
        return
    with exclusive(layout):
        _end(layout)
    raise RunError("supervisord ended unexpectedly", "make up", layout.log / "supervisord.log")


def down(layout: DataLayout) -> None:
    present = installation.load(layout)
    if present is None:
        print(f"{layout.data} holds no installation: nothing to stop.")
        return
    with exclusive(layout):
        was_up = present.up
        ignore_signals()
        remarks = ending.stop(layout, present)
    for remark in remarks:
        print(remark)
    print("Sextant is down." if was_up or remarks else "Sextant was not up.")


def status(layout: DataLayout, *, as_json: bool) -> None:
    present = installation.load(layout)
    if present is None or not present.up:
        print(json.dumps({"up": False}) if as_json else "Sextant is not up. Next: make up")
        raise SystemExit(NOT_UP)
    try:
        table = state.rows(layout, present)
    except OSError as error:
        raise RunError(f"supervisord does not answer: {error}", "make down, then make up") from None
    if as_json:
        print(json.dumps({"up": True, "url": present.url, "processes": [asdict(row) for row in table]}))
    else:
        _print_table(present, table)
    raise SystemExit(0 if state.healthy(table) else 1)


def _print_table(present: Installation, table: list[state.StatusRow]) -> None:
    from rich.console import Console
    from rich.table import Table

    shown = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("process", "state", "pid", "uptime", "MiB", "health", "address"):
        shown.add_column(title, justify="right" if title in {"pid", "uptime", "MiB"} else "left", overflow="fold")
    for row in table:
        shown.add_row(
            row.name,
            row.state,
            str(row.pid or ""),
            state.uptime_text(row.uptime_s),
            f"{row.memory_bytes / 2**20:.0f}",
            row.health.detail if row.health else "",
            row.address,
        )
    Console(width=None if sys.stdout.isatty() else 160).print(shown)
    if present.no_dataplane is not None:
        print(f"\n{present.host_id} is not in the fleet: {present.no_dataplane}")
    print(f"\n{sum(row.memory_bytes for row in table) / 2**20:.0f} MiB in all. Console: {present.url}")


def reset_password(layout: DataLayout, username: str) -> None:
    present = installation.load(layout)
    if present is None:
        raise RunError(f"{layout.data} holds no installation", "make up")
    layout.make_folders()
    database = [server for server in servers(layout, present) if isinstance(server, PostgresServer)]
    if present.up or not database:
        password = administration.reset_password(layout, present, username)
    else:
        database[0].prepare()
        with exclusive(layout), running(database[0], layout.log / "postgres.log"):
            password = administration.reset_password(layout, present, username)
    print(f"Username  {username}\nPassword  {password}")
    if username == administration.ADMIN:
        print(f"Kept in {layout.password_file}.")
