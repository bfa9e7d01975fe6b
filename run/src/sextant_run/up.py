"""`make up`: from a set-up clone to a running installation."""

import hashlib
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sextant_backend import grants
from sextant_backend.grants import API, FLEET, WORKER
from sextant_backend.kit.sealing import make_key_file

from sextant_run import administration, health, installation, lab_hosts, supervision
from sextant_run.down import clear_leftovers
from sextant_run.errors import RunError
from sextant_run.installation import Installation
from sextant_run.layout import DataLayout
from sextant_run.ports import console_port, keep_or_choose
from sextant_run.programs import programs, servers
from sextant_run.progress import StartProgress
from sextant_run.servers import PostgresServer, ValkeyServer
from sextant_run.settings import RunSettings
from sextant_run.setup import builds
from sextant_run.setup.stamp import hash_of, is_current, write
from sextant_run.simulated.hosts import beside

STEPS = 9
STEPS_OF_BOOTSTRAP = 2
READY_LIMIT_S = 180.0
"""Four Pythons import at once; a machine that is busy with other things takes its time."""
SIMULATED_LIMIT_S = 15.0
"""They are no reason to call a start failed."""
_HOST_LABEL = "zone=lab"


def set_up(layout: DataLayout, progress: StartProgress, settings: RunSettings) -> RunSettings:
    """Data plane, where it is wanted and can be had, what hosts of measured packets take, where there are any, and
    console, built where something changed. Returns the settings with how many such hosts there are."""
    layout.make_folders()
    settings = lab_hosts.settled(settings)
    with progress.step("Data plane") as step:
        why_not = builds.why_no_dataplane(wanted=settings.dataplane)
        step.result = builds.build_dataplane(layout) if why_not is None else f"skipped: {why_not}"
        if settings.lab_hosts:
            builds.build_srv6(layout)
    with progress.step("Node packages") as step:
        step.result = builds.install_node_packages(layout, layout.frontend)
    with progress.step("Console") as step:
        step.result = builds.build_frontend(layout)
        builds.make_python_client(layout)
    return settings


def start(
    layout: DataLayout, settings: RunSettings, progress: StartProgress, *, detach: bool
) -> tuple[Installation, str | None]:
    """Start everything; returns the installation and the administrator's password if it was made just now."""
    with progress.step("Servers") as step:
        former = installation.load(layout)
        present, remark = describe(layout, settings)
        clear_leftovers(layout, present)
        for server in servers(layout, present):
            server.prepare()
        remarks = [remark, *lab_hosts.prepare(layout, present)]
        _keys(layout, present)
        supervision.write_configuration(layout, programs(layout, present))
        supervisor = supervision.start(layout, present.id, die_with_parent=not detach)
        present = present.model_copy(update={"supervisor": supervisor})
        installation.save(layout, present)
        for server in servers(layout, present):
            _wait(layout, server.ready, f"{server.name} does not answer", log=server.name)
        step.result = "; ".join(filter(None, remarks))
    with progress.step("Database") as step:
        password, changed = _prepare_database(layout, present)
        step.result = "" if changed else builds.UNCHANGED
        if gone := lab_hosts.no_more(former, present):
            step.result = _removed(layout, present, gone)
    with progress.step("Processes"):
        supervision.start_group(layout, "sextant")
        _wait_for(layout, "console", lambda: health.console(present))
        if present.no_dataplane is None:
            _wait_for(layout, "agent", lambda: health.agent(layout, present))
    with progress.step(f"Host {present.host_id}") as step:
        if present.no_dataplane is None:
            _wait_for(layout, "fleet", lambda: health.host(layout, present, present.host_id))
        else:
            step.result = f"not in the fleet: {present.no_dataplane}"
        late = _those_that_are_late(layout, present)
        if late:
            step.result = f"{step.result or 'done'}; {', '.join(late)} will join: make status"
    return present, password


def describe(layout: DataLayout, settings: RunSettings) -> tuple[Installation, str]:
    """Identity and ports: the last time's where they can be kept."""
    previous = installation.load(layout)
    port, remark = console_port(settings.port, previous.console_port if previous else None)
    fleet = keep_or_choose(previous.fleet_port if previous else None, frozenset({port}), settings.fleet_address)
    agent = keep_or_choose(previous.agent_port if previous else None, frozenset({port, fleet}))
    simulated = keep_or_choose(previous.simulated_port or None if previous else None, frozenset({port, fleet, agent}))
    taken = [port, fleet, agent, simulated]
    kept = previous.lab_ports if previous else ()
    for at in range(settings.lab_hosts or 0):
        taken.append(keep_or_choose(kept[at] if at < len(kept) else None, frozenset(taken)))
    postgres = PostgresServer(data=layout.data / "postgres" / "cluster", sockets=layout.sockets)
    valkey = ValkeyServer(data=layout.data / "valkey", socket=layout.sockets / "valkey.sock")
    wanted_host = os.environ.get("SEXTANT_HOST_ID")
    return Installation(
        id=previous.id if previous else installation.new_id(),
        data=str(layout.data),
        host_id=previous.host_id if previous and not wanted_host else installation.own_host_id(),
        console_port=port,
        fleet_address=settings.fleet_address,
        fleet_port=fleet,
        agent_port=agent,
        simulated_port=simulated,
        demo_hosts=settings.demo_hosts,
        lab_ports=tuple(taken[4:]),
        lab_topology=settings.lab_topology,
        lab_cpu_percent=settings.lab_cpu_percent,
        first_profiles=settings.first_profiles,
        no_dataplane=builds.why_no_dataplane(wanted=settings.dataplane),
        no_lab=settings.no_lab,
        database_url=settings.database_url or postgres.url,
        api_database_url=settings.api_database_url or settings.database_url or postgres.url_as(API),
        fleet_database_url=settings.fleet_database_url or settings.database_url or postgres.url_as(FLEET),
        worker_database_url=settings.worker_database_url or settings.database_url or postgres.url_as(WORKER),
        redis_url=settings.redis_url or valkey.url,
        sockets=str(layout.sockets),
    ), remark


def _keys(layout: DataLayout, present: Installation) -> None:
    from sextant_backend.kit.signing import make_signing_key

    from sextant_run.pki.store import Store

    Store(layout.pki).renew((present.host_id, *(host.name for host in lab_hosts.lab_hosts(present))))
    make_key_file(layout.secrets_key)
    make_signing_key(layout.audit_key)


def _prepare_database(layout: DataLayout, present: Installation) -> tuple[str | None, bool]:
    """Migrations, first administrator, the command line's token, this host's enrolment: when any of them may be due.

    Returns the administrator's password if it was made just now, and whether anything was done.
    The stamp lies beside the embedded cluster and goes with it; a database of somebody else's is always gone through.
    """
    stamp = layout.data / "postgres" / "prepared"
    migrations = (*(layout.root / "migrations").rglob("*.py"), Path(grants.__file__))
    database = hashlib.sha256(present.database_url.encode()).hexdigest()
    lab = " ".join(host.name for host in lab_hosts.lab_hosts(present))
    wanted = hash_of(migrations, present.host_id, database, lab, "" if present.no_dataplane is None else "not a host")
    embedded = any(server.name == "postgres" for server in servers(layout, present))
    if embedded and is_current(stamp, wanted) and layout.cli_file.exists():
        administration.write_cli_file(layout, present, fresh_token=False)
        return None, False
    administration.backend(layout, present, "migrate", *(["--create-roles"] if embedded else []))
    with ThreadPoolExecutor(max_workers=1) as second:  # each is a second of Python starting: two at a time
        enrolled = second.submit(_enrol_this_machine, layout, present)
        password = administration.create_admin(layout, present)
        administration.write_cli_file(layout, present, fresh_token=True)
        enrolled.result()
    if embedded:
        write(stamp, wanted)
    return password, True


def _removed(layout: DataLayout, present: Installation, gone: tuple[str, ...]) -> str:
    """Hosts that nobody serves any more are no hosts that are away: nothing but what runs there keeps them."""
    kept = administration.backend(layout, present, "remove-hosts", *gone).split()
    removed = [name for name in gone if name not in kept]
    parts = (
        f"{', '.join(removed)} removed" if removed else "",
        f"{', '.join(kept)} kept: NFs run there" if kept else "",
    )
    return "; ".join(filter(None, parts))


def _enrol_this_machine(layout: DataLayout, present: Installation) -> None:
    if present.no_dataplane is None:  # else nobody would ever hear of it
        administration.backend(layout, present, "enrol-host", present.host_id, "--label", _HOST_LABEL)
    if names := [host.name for host in lab_hosts.lab_hosts(present)]:
        administration.backend(layout, present, "enrol-host", *names, "--label", lab_hosts.LABEL)


def _wait_for(layout: DataLayout, name: str, ask: Callable[[], health.HealthAnswer]) -> None:
    last = health.HealthAnswer(ok=False, detail="")

    def ready() -> bool:
        nonlocal last
        last = ask()
        return last.ok

    _wait(layout, ready, lambda: f"{name} is not ready: {last.detail}", log=name)


def _those_that_are_late(layout: DataLayout, present: Installation) -> list[str]:
    """Hosts beside this machine that do not report within a while; whoever looks at the fleet at once would find them
    away."""
    late = list(beside(present.demo_hosts).names) if present.demo_hosts else []
    late += [host.name for host in lab_hosts.lab_hosts(present)]
    deadline = time.monotonic() + SIMULATED_LIMIT_S
    while late and time.monotonic() < deadline:
        late = [name for name in late if not health.host(layout, present, name).ok]
        if late:
            time.sleep(0.2)
    return late


def _wait(layout: DataLayout, ready: Callable[[], bool], cause: str | Callable[[], str], *, log: str) -> None:
    """Until `ready`; fails early where supervisord has given up on a process, naming that one."""
    deadline = time.monotonic() + READY_LIMIT_S
    while not ready():
        try:
            hopeless = [process for process in supervision.processes(layout) if process.state == "FATAL"]
        except OSError as error:
            raise RunError(f"supervisord: {error}", "make up", layout.log / "supervisord.log") from None
        if hopeless:
            name = hopeless[0].name
            raise RunError(f"{name} keeps exiting", "fix the cause, then 'make up'", layout.log / f"{name}.log")
        if time.monotonic() > deadline:
            text = cause if isinstance(cause, str) else cause()
            raise RunError(f"{text} (waited {READY_LIMIT_S:.0f} s)", "see its log", layout.log / f"{log}.log")
        time.sleep(0.2)
