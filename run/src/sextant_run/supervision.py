"""supervisord: its configuration, starting it, and talking to it over its unix socket."""

import contextlib
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from typing import Any, cast
from xmlrpc.client import Fault, ServerProxy

from sextant_domain.base import Frozen
from supervisor.xmlrpc import SupervisorTransport

from sextant_run.belongings import MARK
from sextant_run.errors import RunError
from sextant_run.files import write_private
from sextant_run.identity import Identity
from sextant_run.layout import Layout
from sextant_run.programs import Group, Program

START_LIMIT_S = 15.0


class ProcessInfo(Frozen):
    """A supervised process, as supervisord sees it."""

    name: str
    group: str
    state: str
    """RUNNING, STARTING, BACKOFF (waits before the next try), FATAL (gave up; the keeper tries again), STOPPED, ..."""
    pid: int
    """0 while it does not run."""
    detail: str
    started_at: float
    """Seconds since 1970."""


def write_configuration(layout: Layout, programs: Iterable[Program]) -> None:
    """`<data>/supervisor.conf`. Programs of the group `sextant` start only when told: migrations come first."""
    parts = [_SUPERVISORD.format(data=layout.data, socket=layout.supervisor_socket, log=layout.log)]
    if os.geteuid() == 0:
        parts[0] = parts[0].replace("[supervisord]\n", "[supervisord]\nuser=root\n")  # said on purpose: no warning
    groups: dict[Group, list[str]] = {}
    for program in programs:
        groups.setdefault(program.group, []).append(program.name)
        parts.append(_program(layout, program))
    for priority, (group, names) in enumerate(groups.items()):  # stopped in reverse: servers last
        parts.append(f"[group:{group}]\nprograms={','.join(names)}\npriority={priority + 1}\n")
    write_private(layout.supervisor_conf, "\n".join(parts))


def start(layout: Layout, installation: str, *, die_with_parent: bool) -> Identity:
    """Start supervisord in a session of its own (a Ctrl-C in the terminal does not reach it), marked as belonging."""
    prefix = ["setpriv", "--pdeathsig", "TERM", "--"] if die_with_parent else []
    layout.supervisor_socket.unlink(missing_ok=True)
    with (layout.log / "supervisord.out").open("wb") as stream:
        child = subprocess.Popen(  # noqa: S603 - our own program and paths
            [*prefix, sys.executable, "-m", "supervisor.supervisord", "--nodaemon", "-c", str(layout.supervisor_conf)],
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=stream,
            cwd=layout.root,
            env={**os.environ, MARK: installation},
            start_new_session=True,
        )
    identity = Identity.of(child.pid)
    deadline = time.monotonic() + START_LIMIT_S
    while child.poll() is None and identity is not None and time.monotonic() < deadline:
        with contextlib.suppress(OSError), client(layout) as supervisor:
            supervisor.getState()
            return identity
        time.sleep(0.05)
    child.kill()
    child.wait()
    raise RunError("supervisord did not start", "see its log, then 'make up' again", layout.log / "supervisord.out")


@contextlib.contextmanager
def client(layout: Layout) -> Iterator[Any]:
    """supervisord's `supervisor` namespace over XML-RPC; OSError where nobody answers."""
    transport = SupervisorTransport(serverurl=f"unix://{layout.supervisor_socket}")
    with ServerProxy("http://127.0.0.1", transport=transport) as proxy:
        yield proxy.supervisor


def processes(layout: Layout) -> list[ProcessInfo]:
    """All supervised processes; OSError where supervisord does not answer."""
    with client(layout) as supervisor:
        found = cast("list[dict[str, Any]]", supervisor.getAllProcessInfo())
    return [
        ProcessInfo(
            name=info["name"],
            group=info["group"],
            state=info["statename"],
            pid=info["pid"],
            detail=info["spawnerr"] or info["description"],
            started_at=info["start"],
        )
        for info in found
    ]


def start_group(layout: Layout, group: Group) -> None:
    with client(layout) as supervisor:
        supervisor.startProcessGroup(group, False)


def start_again(layout: Layout, process: ProcessInfo) -> None:
    """Try a process again that supervisord gave up on."""
    with client(layout) as supervisor, contextlib.suppress(Fault):  # somebody else was quicker
        supervisor.startProcess(f"{process.group}:{process.name}", False)


_SUPERVISORD = """\
; Written by `make up`; changes are lost at the next start.
[supervisord]
nodaemon=true
silent=true
pidfile={data}/supervisor.pid
logfile={log}/supervisord.log
logfile_maxbytes=5MB
logfile_backups=1
loglevel=info
childlogdir={log}
minfds=1024

[unix_http_server]
file={socket}
chmod=0700

[rpcinterface:supervisor]
supervisor.rpcinterface_factory=supervisor.rpcinterface:make_main_rpcinterface
"""


def _program(layout: Layout, program: Program) -> str:
    settings = ",".join(f'{key}="{_escape(value)}"' for key, value in sorted(program.environment.items()))
    return f"""\
[program:{program.name}]
command={_escape(shlex.join(program.command))}
directory={layout.root}
environment={settings}
autostart={"true" if program.group == "servers" else "false"}
autorestart=true
startsecs=3
startretries=8
stopsignal={program.stop_signal}
stopwaitsecs={program.stop_wait_s}
killasgroup=true
redirect_stderr=true
stdout_logfile={layout.log / program.name}.log
stdout_logfile_maxbytes=10MB
stdout_logfile_backups=2
"""


def _escape(value: str) -> str:
    """supervisord expands %(name)s, and has no way to quote a double quote in `environment`."""
    if "\n" in value or '"' in value:
        raise RunError(
            "a setting with a line break or a double quote cannot be handed on", "write it without (URL: %22)"
        )
    return value.replace("%", "%%")
