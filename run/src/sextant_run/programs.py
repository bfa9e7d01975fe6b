"""The processes of an installation: the table of docs/contracts/processes.md, as data."""

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from sextant_run import lab_hosts
from sextant_run.belongings import MARK
from sextant_run.installation import Installation
from sextant_run.lab_hosts import LabHost
from sextant_run.layout import DataLayout
from sextant_run.ports import LOOPBACK
from sextant_run.servers import PostgresServer, ValkeyServer
from sextant_run.servers.base import DIE_WITH_PARENT, EmbeddedServer
from sextant_run.simulated.chains import are_submitted
from sextant_run.simulated.demo import PROGRAM as DEMO
from sextant_run.simulated.hosts import beside

Group = Literal["servers", "sextant", "demo"]


OF_INTERPRETERS: Mapping[str, str] = {
    "PYTHONUNBUFFERED": "1",
    "MALLOC_ARENA_MAX": "2",  # glibc's arenas a thread would hold memory that nobody uses
    "SPT_NOENV": "1",  # a process that changes its title leaves its environment, which says whose it is, readable
}
"""What a process reads before its first line of Python: forked programs have it of supervisord, which forks them."""


@dataclass(frozen=True)
class SupervisedProgram:
    """One supervised process."""

    name: str
    group: Group
    command: tuple[str, ...]
    address: str
    """Where it listens, for a person; '' if nowhere."""
    environment: Mapping[str, str] = field(default_factory=dict)
    stop_signal: str = "TERM"
    stop_wait_s: int = 5
    """Then SIGKILL. Whatever it was doing resumes at the next start: operations live in PostgreSQL."""
    once: bool = False
    """It ends by itself when its work is done, and is not started again then."""


def servers(layout: DataLayout, installation: Installation) -> tuple[EmbeddedServer, ...]:
    """The embedded servers; one whose URL is somebody else's is left out."""
    own = (
        PostgresServer(data=layout.data / "postgres" / "cluster", sockets=layout.sockets),
        ValkeyServer(data=layout.data / "valkey", socket=layout.sockets / "valkey.sock"),
    )
    return tuple(server for server in own if server.url in {installation.database_url, installation.redis_url})


def programs(layout: DataLayout, installation: Installation) -> tuple[SupervisedProgram, ...]:
    """Everything that `make up` runs."""
    return (
        *_servers(layout, installation),
        *_backend(layout, installation),
        *(_host(layout, installation) if installation.no_dataplane is None else ()),
        *_lab(layout, installation),
        *_simulated(layout, installation),
        _keeper(layout, installation),
        _demo(layout, installation),
    )


def environment(layout: DataLayout, installation: Installation) -> dict[str, str]:
    """Settings of the administration commands, which own the database; processes connect as roles of their own."""
    return _common(installation) | {
        "DATABASE_URL": installation.database_url,
        "REDIS_URL": installation.redis_url,
        "SEXTANT_PKI_DIR": str(layout.pki / "backend"),
        "SEXTANT_SECRETS_KEY_FILE": str(layout.secrets_key),
        "SEXTANT_FLEET_URL": installation.fleet_url,
        "SEXTANT_CONSOLE_URL": installation.url,
        "SEXTANT_FRONTEND_DIR": str(layout.frontend_files),
        "SEXTANT_DEMO": "1",
        "OPENBLAS_NUM_THREADS": "1",  # a fit's matrices are small: threads would only spin, on cores of others
    }


_HANDED_ON = ("SEXTANT_TRACES_URL", "SEXTANT_TRACES_SHARE")
"""Settings of whoever starts the installation that hold for all of its processes."""


def _common(installation: Installation) -> dict[str, str]:
    return {
        MARK: installation.id,
        **OF_INTERPRETERS,
        "SEXTANT_LOG_LEVEL": os.environ.get("SEXTANT_LOG_LEVEL") or "info",
        **{name: os.environ[name] for name in _HANDED_ON if os.environ.get(name)},
    }


def _servers(layout: DataLayout, installation: Installation) -> tuple[SupervisedProgram, ...]:
    return tuple(
        SupervisedProgram(
            name=server.name,
            group="servers",
            command=tuple(server.command()),
            address=str(layout.sockets),
            environment=_common(installation),
            stop_signal=server.stop_signal.name.removeprefix("SIG"),
            stop_wait_s=10,
        )
        for server in servers(layout, installation)
    )


def _backend(layout: DataLayout, installation: Installation) -> tuple[SupervisedProgram, ...]:
    worker = ("-m", "sextant_worker")
    as_owner = environment(layout, installation)
    api, fleet, settings = (
        {**as_owner, "DATABASE_URL": url or installation.database_url}
        for url in (
            installation.api_database_url,
            installation.fleet_database_url,
            installation.worker_database_url,
        )
    )
    sealing = {**settings, "SEXTANT_AUDIT_KEY_FILE": str(layout.audit_key)}
    console = str(installation.console_port)
    return (
        _python("console", api, "-m", "sextant_backend", "console", "--port", console, address=installation.url),
        _fleet(layout, installation, fleet),
        _python("worker", sealing, *worker, "operate", "profile", "study", "control", stop_wait_s=15),
        _python("planner", settings, *worker, "plan"),
        _python("watch", settings, *worker, "watch"),
    )


def _fleet(layout: DataLayout, installation: Installation, settings: Mapping[str, str]) -> SupervisedProgram:
    """The only process that is given the path of the authority's key: it signs for hosts that enrol or renew."""
    where = ("--address", installation.fleet_address, "--port", str(installation.fleet_port))
    settings = {**settings, "SEXTANT_CA_KEY_FILE": str(layout.pki / "ca.key")}
    return _python("fleet", settings, "-m", "sextant_backend", "fleet", *where, address=installation.fleet_url)


def _host(layout: DataLayout, installation: Installation) -> tuple[SupervisedProgram, ...]:
    host = installation.host_id
    agent = f"{LOOPBACK}:{installation.agent_port}"
    settings = agent_environment(layout, installation)
    return (
        *_helper(layout, installation),
        _python("agent", settings, "-m", "sextant_agent", "serve", address=f"https://{agent} ({host})"),
        *_first_profiles(layout, installation),
    )


def _first_profiles(layout: DataLayout, installation: Installation) -> tuple[SupervisedProgram, ...]:
    """Ends at once where all is known."""
    if not installation.first_profiles:
        return ()
    first = _python("first-profiles", _own_settings(layout, installation), "-m", "sextant_run.first_profiles")
    return (replace(first, once=True),)


def _keeper(layout: DataLayout, installation: Installation) -> SupervisedProgram:
    return _python("keeper", _own_settings(layout, installation), "-m", "sextant_run.keeper")


def _own_settings(layout: DataLayout, installation: Installation) -> dict[str, str]:
    """Of this package's own processes."""
    return _common(installation) | {"SEXTANT_DATA_DIR": str(layout.data)}


def _simulated(layout: DataLayout, installation: Installation) -> tuple[SupervisedProgram, ...]:
    """The process that serves the simulated hosts, and on an installation's first start their first chains."""
    count = installation.demo_hosts
    if not count:
        return ()
    settings = _own_settings(layout, installation)
    address = f"https://{LOOPBACK}:{installation.simulated_port} ({beside(count)})"
    serve = _python("simulated", settings, "-m", "sextant_run.simulated", address=address)
    if are_submitted(layout, installation):
        return (serve,)
    chains = _python("demo-chains", settings, "-m", "sextant_run.simulated.chains")
    return (serve, replace(chains, once=True))


def _demo(layout: DataLayout, installation: Installation) -> SupervisedProgram:
    """The process of `sextant demo`: in a group of its own, since the keeper starts and ends it."""
    serve = _python(DEMO, _own_settings(layout, installation), "-m", "sextant_run.simulated", DEMO)
    return replace(serve, group="demo")


def agent_environment(layout: DataLayout, installation: Installation) -> dict[str, str]:
    """Settings of this machine's agent."""
    host = installation.host_id
    return _common(installation) | {
        "SEXTANT_AGENT_HOST_ID": host,
        "SEXTANT_AGENT_LISTEN": f"{LOOPBACK}:{installation.agent_port}",
        "SEXTANT_AGENT_STATE_DIR": str(layout.agent_state(host)),
        "SEXTANT_AGENT_PKI_DIR": str(layout.pki / "hosts" / host),
        "SEXTANT_AGENT_SOCKET_DIR": str(layout.sockets),
        "SEXTANT_AGENT_HELPER_SOCKET": str(layout.helper_socket),
        "SEXTANT_AGENT_FLEET_URL": installation.fleet_url,
        "SEXTANT_AGENT_DRIVER": "testbed",
        "SEXTANT_AGENT_RUNNER": str(layout.runner),
    }


def _lab(layout: DataLayout, installation: Installation) -> Iterator[SupervisedProgram]:
    """Of each host of measured packets its root daemon, its root helper and its agent."""
    for host in lab_hosts.lab_hosts(installation):
        yield SupervisedProgram(
            name=f"srv6-{host.name}",
            group="sextant",
            command=(*DIE_WITH_PARENT, *lab_hosts.daemon_command(layout, host)),
            address=host.namespace,
            environment=_common(installation),
        )
        helper = lab_hosts.helper_arguments(layout, host, installation.lab_cpu_percent)
        where = str(lab_hosts.helper_socket(layout, host))
        yield _python(f"helper-{host.name}", _common(installation), *helper, address=where)
        settings = lab_agent_environment(layout, installation, host)
        address = f"https://{LOOPBACK}:{host.port} ({host.name})"
        yield _python(f"agent-{host.name}", settings, "-m", "sextant_agent", "serve", address=address)


def lab_agent_environment(layout: DataLayout, installation: Installation, host: LabHost) -> dict[str, str]:
    """Settings of such a host's agent."""
    return _common(installation) | {
        "SEXTANT_AGENT_HOST_ID": host.name,
        "SEXTANT_AGENT_LISTEN": f"{LOOPBACK}:{host.port}",
        "SEXTANT_AGENT_STATE_DIR": str(layout.agent_state(host.name)),
        "SEXTANT_AGENT_PKI_DIR": str(layout.pki / "hosts" / host.name),
        "SEXTANT_AGENT_FLEET_URL": installation.fleet_url,
        "SEXTANT_AGENT_HELPER_SOCKET": str(lab_hosts.helper_socket(layout, host)),
        "SEXTANT_AGENT_DRIVER": "srv6",
        "SEXTANT_AGENT_SRV6": str(lab_hosts.agent_file(layout, host)),
    }


def _helper(layout: DataLayout, installation: Installation) -> tuple[SupervisedProgram, ...]:
    """The agent's root helper, where this is root's installation; where it is not, the agent says how to start it."""
    if os.geteuid() != 0:
        return ()
    command = helper_arguments(layout, installation)
    return (_python("helper", _common(installation), *command, address=str(layout.helper_socket)),)


def helper_arguments(layout: DataLayout, installation: Installation) -> tuple[str, ...]:
    """Isolated (-I): nothing of the environment, nor of the current folder, says what is imported."""
    beside = (layout.runner, layout.runner.with_name("sextant-measure"))
    programs = [word for path in beside for word in ("--program", str(path))]
    whose = ("--host-id", installation.host_id, *programs, "--agent-uid", str(os.geteuid()))
    return ("-I", "-m", "sextant_agent.helper", "--socket", str(layout.helper_socket), *whose)


def _python(
    name: str, settings: Mapping[str, str], *arguments: str, address: str = "", stop_wait_s: int = 5
) -> SupervisedProgram:
    return SupervisedProgram(
        name=name,
        group="sextant",
        command=(*DIE_WITH_PARENT, sys.executable, *arguments),
        address=address,
        environment=settings,
        stop_wait_s=stop_wait_s,
    )
