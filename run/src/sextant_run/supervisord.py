"""supervisord that forks our Python programs instead of starting an interpreter for each (docs/decisions/0066).

`python -m sextant_run.supervisord -c FILE` is supervisord. Before its first program it imports what the programs of its
configuration import; of a program `python -m MODULE ...` the child then does what that command would do. Imports are
nearly all of such a program's start, and what they load is in memory once for all of them.

A fork copies locks as they are, and of those that another thread holds nobody would ever let go: so there is one thread
at every fork (docs/decisions/0015).
"""

import atexit
import ctypes
import gc
import os
import runpy
import shlex
import signal
import sys
import threading
import traceback
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from setproctitle import getproctitle, setproctitle
from sextant_domain.loading import loading
from supervisor.options import ServerOptions
from supervisor.supervisord import go

from sextant_run.servers.base import DIE_WITH_PARENT

_PREFIX = (*DIE_WITH_PARENT, sys.executable, "-m")
_PR_SET_PDEATHSIG = 1  # linux/prctl.h

_AGENT = ("sextant_agent.main", "sextant_agent.agent", "sextant_agent.server")
IMPORTS: Mapping[str, Sequence[str]] = {
    "sextant_backend": (
        "sextant_backend.serve",
        "sextant_backend.app",
        "sextant_backend.fleet.app",
        "sextant_backend.main",
        "sextant_engine.plan",
        "sextant_engine.settings_prediction",
    ),
    "sextant_worker": (
        "celery.app.control",
        "celery.app.log",
        "celery.apps.worker",
        "celery.events",
        "celery.fixups.django",
        "celery.worker.consumer",
        "kombu.transport.redis",
        "sextant_backend.app",
        "sextant_backend.housekeeping",
        "sextant_backend.modules.alerts.evaluation",
        "sextant_backend.modules.audit.sealing",
        "sextant_backend.modules.control.each_second",
        "sextant_backend.modules.control.evaluation",
        "sextant_backend.modules.history.tasks",
        "sextant_backend.modules.notifications.tasks",
        "sextant_backend.modules.operations.tasks",
        "sextant_backend.modules.predictions.tasks",
        "sextant_backend.modules.profiling.tasks",
        "sextant_backend.modules.studies.tasks",
        "sextant_backend.sweep",
        "sextant_engine.plan",
    ),
    "sextant_agent": _AGENT,
    "sextant_run.simulated": (*_AGENT, "sextant_agent.commands.simulated", "sextant_run.console_client"),
    "sextant_run.keeper": ("sextant_run.console_client", "sextant_run.standstill"),
    "sextant_run.first_profiles": ("sextant_run.first_profiles.rules", "sextant_run.console_client"),
}
"""What programs by name import, where that takes long. None of it reads settings: each child has its own."""


def main() -> None:
    """Until a signal ends it."""
    getproctitle()  # finds where the title is by an environment that nobody has changed yet
    options: Any = ServerOptions()
    options.execve = execve
    options.realize(sys.argv[1:])
    options.first, options.test = True, False
    _load(shlex.split(process.command) for group in options.process_group_configs for process in group.process_configs)
    go(options)
    options.close_httpservers()
    options.close_logger()


def execve(filename: str, argv: Sequence[str], environment: Mapping[str, str]) -> NoReturn:
    """In a child of supervisord's: become the program."""
    module = _module(argv)
    if module is None:
        os.execve(filename, list(argv), dict(environment))  # noqa: S606 - what supervisord does itself
    become(module, argv[len(_PREFIX) + 1 :], environment)


def _module(command: Sequence[str]) -> str | None:
    """MODULE where the command is `python -m MODULE ...`, without further options of the interpreter."""
    return command[len(_PREFIX)] if tuple(command[: len(_PREFIX)]) == _PREFIX else None


def _load(commands: Iterable[Sequence[str]]) -> None:
    load({name for command in commands for name in IMPORTS.get(_module(command) or "", ())})


def load(modules: Iterable[str]) -> None:
    """What programs will import. Raises RuntimeError where an import has started a thread."""
    for name in ("rich", "setproctitle"):  # not to be had: nobody watches a terminal, and Celery would give titles, too
        sys.modules[name] = None  # type: ignore[assignment]
    with loading():
        for name in sorted(modules):
            import_module(name)
        if tables := sys.modules.get("sextant_backend.kit.db"):
            tables.map_classes()
    if threads := len(list(Path("/proc/self/task").iterdir())) - 1:
        raise RuntimeError(f"{threads} threads were started by imports: no program can be forked beside them")


def become(module: str, arguments: Sequence[str], environment: Mapping[str, str]) -> NoReturn:
    """In a child of the process that has imported this: what the interpreter does for `python -m MODULE ARGUMENTS`,
    from signals to its end."""
    status = 1
    try:
        _die_with_parent()
        for number in signal.valid_signals() - {signal.SIGINT, signal.SIGKILL, signal.SIGSTOP}:
            if callable(signal.getsignal(number)):
                signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        gc.freeze()  # supervisord's sockets and logs with it: their files are closed, and their numbers others' by now
        os.environ.clear()
        os.environ.update(environment)
        setproctitle(shlex.join(["python", "-m", module, *arguments]))
        sys.argv = [module, *arguments]
        runpy.run_module(module, run_name="__main__", alter_sys=True)
        status = 0
    except SystemExit as end:
        status = _status(end)
    except BaseException:
        traceback.print_exc()
    finally:
        with suppress(BaseException):
            threading._shutdown()  # type: ignore[attr-defined] # waits for threads that are no daemons
            atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(status)


def _die_with_parent() -> None:
    """As `setpriv --pdeathsig KILL`; nor does it go on where supervisord was killed before this was asked for."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL))
    if os.getppid() != _supervisord:
        os.kill(os.getpid(), signal.SIGKILL)


def _status(end: SystemExit) -> int:
    if end.code is None or isinstance(end.code, int):
        return (end.code or 0) & 0xFF
    print(end.code, file=sys.stderr)
    return 1


_supervisord = os.getpid()

if __name__ == "__main__":
    main()
