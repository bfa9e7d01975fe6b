"""What /proc says of a pid. Imports nothing: the keeper lives on it."""

from pathlib import Path


def stat(pid: int) -> tuple[str, int] | None:
    """State letter and start time (clock ticks since boot) of a pid; None where there is none."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    fields = text.rpartition(")")[2].split()  # the name before it may hold anything, spaces and brackets included
    return fields[0], int(fields[19])


def is_stopped(pid: int) -> bool:
    """Whether a signal (SIGSTOP) has stopped it: it does nothing until it is continued. A debugger's is not."""
    found = stat(pid)
    return found is not None and found[0] == "T"
