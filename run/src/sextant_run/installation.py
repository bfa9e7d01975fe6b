"""`run.json`: what is remembered of an installation between `make up`, `make status` and `make down`."""

import fcntl
import os
import re
import secrets
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from pydantic import ValidationError
from sextant_backend.kit.files import write_private
from sextant_domain.base import Frozen, Name

from sextant_run.errors import RunError
from sextant_run.identity import ProcessIdentity
from sextant_run.layout import DataLayout
from sextant_run.ports import LOOPBACK


class Installation(Frozen, extra="ignore"):
    """One installation: its identity, its ports and, while it is up, its supervisor.

    Fields that a later version wrote are passed over: refused, they would cost the installation its ports, and its
    hosts would look for the console where it no longer is.
    """

    id: str
    """Random; every process of the installation carries it."""
    data: str
    """The data folder it was made in."""
    host_id: Name
    console_port: int
    fleet_address: str = LOOPBACK
    """Where the fleet listener is reached; enrolled hosts remember it, and the port."""
    fleet_port: int
    agent_port: int
    simulated_port: int = 0
    """Of the process that serves the simulated hosts."""
    demo_hosts: int = 0
    """How many of them there are (`simulated.hosts`)."""
    lab_ports: tuple[int, ...] = ()
    """Of the agents of hosts of measured packets on this machine, one each (`lab_hosts`)."""
    no_lab: str | None = None
    """Why there are none, where they were not left out on purpose."""
    lab_topology: str = ""
    """The file that says how these are joined; "": the one that is shipped."""
    lab_cpu_percent: float | None = None
    """What all NFs of such a host have together, of a core; None: no limit."""
    first_profiles: bool = False
    """Whether what NF types carry alone is measured on this machine after the start (`first_profiles`)."""
    no_dataplane: str | None = None
    """Why this machine itself processes no packets, so that only simulated hosts are shown; None where it does."""
    database_url: str
    """As the owner of the tables: of migrations and administration."""
    api_database_url: str = ""
    """As the role of the console; of installations of before, the owner's. So the next two."""
    fleet_database_url: str = ""
    worker_database_url: str = ""
    redis_url: str
    sockets: str
    """Folder of the unix sockets."""
    supervisor: ProcessIdentity | None = None

    @property
    def url(self) -> str:
        """Where a browser goes."""
        return f"http://{LOOPBACK}:{self.console_port}"

    @property
    def fleet_url(self) -> str:
        """Where agents go."""
        return f"https://{self.fleet_address}:{self.fleet_port}"

    @property
    def up(self) -> bool:
        """Whether its supervisor lives."""
        return self.supervisor is not None and self.supervisor.alive()


def load(layout: DataLayout) -> Installation | None:
    """The installation of the data folder; None where there is none yet, or `run.json` cannot be read as one.

    In a folder that was copied it is another one: it must not take the first one's processes for its own.
    """
    try:
        found = Installation.model_validate_json(layout.run_file.read_bytes())
    except (FileNotFoundError, ValidationError):
        return None
    if found.data != str(layout.data):
        return found.model_copy(update={"id": new_id(), "data": str(layout.data), "supervisor": None})
    return found


def save(layout: DataLayout, installation: Installation) -> None:
    """Without what is as by default, so that a version of before, which refuses fields that it does not know, still
    reads it where nothing of them is used."""
    write_private(layout.run_file, installation.model_dump_json(indent=2, exclude_defaults=True) + "\n")


def new_id() -> str:
    return secrets.token_hex(8)


def own_host_id() -> str:
    """`SEXTANT_HOST_ID`, else this machine's name made a DNS label."""
    wanted = os.environ.get("SEXTANT_HOST_ID")
    label = re.sub(r"[^a-z0-9]+", "-", socket.gethostname().split(".")[0].lower()).strip("-")[:63].rstrip("-")
    if wanted and not re.fullmatch(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", wanted):
        raise RunError(
            f"SEXTANT_HOST_ID: '{wanted}' is not a DNS label (lower case, digits, hyphens, at most 63)",
            f"make up SEXTANT_HOST_ID={label or 'host-1'}",
        )
    return wanted or label or "host-1"


@contextmanager
def exclusive(layout: DataLayout) -> Iterator[None]:
    """Only one `up` or `down` works on a data folder at a time. The kernel drops the lock of a killed one."""
    with (layout.data / "run.lock").open("ab") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RunError(
                f"Another `make up` or `make down` is working on {layout.data}", "wait for it, then `make status`"
            ) from None
        yield
