"""supervisord: its configuration, starting it, and what runs under it."""

import contextlib
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterable

from sextant_backend.kit.files import write_private

from sextant_run import supervisor_client
from sextant_run.belongings import MARK
from sextant_run.errors import RunError
from sextant_run.identity import ProcessIdentity
from sextant_run.layout import DataLayout
from sextant_run.programs import OF_INTERPRETERS, Group, SupervisedProgram
from sextant_run.supervisor_client import ProcessInfo

START_LIMIT_S = 60.0


def write_configuration(layout: DataLayout, programs: Iterable[SupervisedProgram]) -> None:
    """`<data>/supervisor.conf`. Programs of the group `sextant` start only on request: migrations come first."""
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


def start(layout: DataLayout, installation: str, *, die_with_parent: bool) -> ProcessIdentity:
    """Start supervisord in a session of its own (a Ctrl-C in the terminal does not reach it), marked as belonging."""
    prefix = ["setpriv", "--pdeathsig", "TERM", "--"] if die_with_parent else []
    layout.supervisor_socket.unlink(missing_ok=True)
    with (layout.log / "supervisord.out").open("wb") as stream:
        child = subprocess.Popen(  # noqa: S603 - our own program and paths
            [*prefix, sys.executable, "-m", "sextant_run.supervisord", "--nodaemon", "-c", str(layout.supervisor_conf)],
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=stream,
            cwd=layout.root,
            env={**os.environ, **OF_INTERPRETERS, MARK: installation},
            start_new_session=True,
        )
    identity = ProcessIdentity.of(child.pid)
    deadline = time.monotonic() + START_LIMIT_S
    while child.poll() is None and identity is not None and time.monotonic() < deadline:
        with contextlib.suppress(OSError), supervisor_client.client(layout.supervisor_socket) as supervisor:
            supervisor.getState()
            return identity
        time.sleep(0.05)
    child.kill()
    child.wait()
    raise RunError("supervisord did not start", "see its log, then 'make up' again", layout.log / "supervisord.out")


def processes(layout: DataLayout) -> list[ProcessInfo]:
    """All supervised processes; OSError where supervisord does not answer."""
    return supervisor_client.processes(layout.supervisor_socket)


def start_group(layout: DataLayout, group: Group) -> None:
    with supervisor_client.client(layout.supervisor_socket) as supervisor:
        supervisor.startProcessGroup(group, False)


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

[supervisorctl]
serverurl=unix://{socket}

[rpcinterface:supervisor]
supervisor.rpcinterface_factory=supervisor.rpcinterface:make_main_rpcinterface
"""


def _program(layout: DataLayout, program: SupervisedProgram) -> str:
    settings = ",".join(_setting(name, value) for name, value in sorted(program.environment.items()))
    return f"""\
[program:{program.name}]
command={_escape(shlex.join(program.command))}
directory={layout.root}
environment={settings}
autostart={"true" if program.group == "servers" else "false"}
autorestart={"false" if program.once else "true"}
startsecs={0 if program.once else 3}
startretries=8
stopsignal={program.stop_signal}
stopwaitsecs={program.stop_wait_s}
killasgroup=true
redirect_stderr=true
stdout_logfile={layout.log / program.name}.log
stdout_logfile_maxbytes=10MB
stdout_logfile_backups=2
"""


def _setting(name: str, value: str) -> str:
    """One `NAME="value"` of `environment`, which knows no way to write a double quote."""
    if "\n" in value or '"' in value:
        raise RunError(f"{name} holds a line break or a double quote, which cannot be passed on", "in a URL write %22")
    return f'{name}="{_escape(value)}"'


def _escape(value: str) -> str:
    """supervisord expands %(name)s."""
    return value.replace("%", "%%")
