"""Whether a command line that a file gives is one that the programs take."""

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

from sextant_backend import check
from sextant_backend import main as backend
from sextant_worker import __main__ as worker
from typer.main import get_command

PYTHON = ("python", "/opt/sextant/bin/python")


def judge(command: Sequence[str]) -> str:
    """What it runs, as 'sextant_worker plan'. Raises where nobody takes it."""
    program, option, module, *arguments = command
    assert program in PYTHON and option == "-m"
    assert find_spec(module) is not None
    match module:
        case "sextant_backend":
            name, *rest = arguments
            group: Any = get_command(backend.app)
            group.commands[name].make_context(name, rest)
            return f"{module} {name}"
        case "sextant_worker":
            return f"{module} {' '.join(worker.parse(arguments).what)}"
        case "sextant_backend.check":
            return f"{module} {check.parse(arguments).what}"
    raise AssertionError(f"{module} is none of ours")


def port_of(command: Sequence[str]) -> str | None:
    """What stands behind --port."""
    return command[command.index("--port") + 1] if "--port" in command else None
