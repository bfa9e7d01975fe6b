"""What a person may choose, from the environment; checked before anything starts."""

import os
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from sextant_run import ports
from sextant_run.errors import RunError
from sextant_run.lab_topology import SHIPPED, LabTopology, read_topology
from sextant_run.ports import LOOPBACK
from sextant_run.simulated.hosts import MOST_DEMO_HOSTS


@dataclass(frozen=True)
class RunSettings:
    """Choices of `make up`."""

    port: int | None
    """SEXTANT_PORT: None = 8080 or the next free one, 0 = any free one."""
    database_url: str | None
    """DATABASE_URL: a PostgreSQL of one's own; None = the embedded one."""
    api_database_url: str | None
    """SEXTANT_API_DATABASE_URL: the same database as the console's role; None = as DATABASE_URL. So the next two."""
    fleet_database_url: str | None
    worker_database_url: str | None
    redis_url: str | None
    """REDIS_URL: a Redis or Valkey of one's own; None = the embedded one."""
    fleet_address: str
    """SEXTANT_FLEET_ADDRESS: the IP address at which further hosts reach the fleet listener; default: loopback."""
    demo_hosts: int = MOST_DEMO_HOSTS
    """SEXTANT_DEMO_HOSTS: how many of the simulated hosts there are beside this machine; 0: none."""
    first_profiles: bool = True
    """SEXTANT_FIRST_PROFILES: 0 = what NF types carry alone is not measured on this machine after the start."""
    lab_hosts: int | None = 0
    """SEXTANT_LAB_HOSTS: how many hosts of measured packets there are on this machine, in namespaces; None: as many as
    the file has, where this machine can have them."""
    lab_most: int = 0
    """How many the file has."""
    no_lab: str | None = None
    """Why there are none, where nobody has said that there are to be none."""
    lab_topology: str = ""
    """SEXTANT_LAB_TOPOLOGY: the file that says how they are joined; "": the one that is shipped."""
    lab_cpu_percent: float | None = None
    """What that file gives all NFs of such a host together."""
    dataplane: bool = True
    """SEXTANT_DATAPLANE: 0 = this machine processes no packets, and only simulated hosts are shown."""

    @classmethod
    def of_environment(cls) -> "RunSettings":
        """Raises RunError naming the variable, the cause and an example."""
        lab_hosts, file = os.environ.get("SEXTANT_LAB_HOSTS", ""), os.environ.get("SEXTANT_LAB_TOPOLOGY", "")
        topology = read_topology(Path(file) if file else SHIPPED)
        return cls(
            port=_port(os.environ.get("SEXTANT_PORT", "")),
            database_url=_url("DATABASE_URL", ("postgresql+psycopg",), "postgresql+psycopg://user@host/name"),
            api_database_url=_role_url("API"),
            fleet_database_url=_role_url("FLEET"),
            worker_database_url=_role_url("WORKER"),
            redis_url=_url("REDIS_URL", ("redis", "rediss", "unix", "redis+socket"), "redis://127.0.0.1:6379/0"),
            fleet_address=_address(os.environ.get("SEXTANT_FLEET_ADDRESS", "")),
            demo_hosts=_demo_hosts(os.environ.get("SEXTANT_DEMO_HOSTS", "")),
            lab_hosts=_lab_hosts(lab_hosts, topology),
            lab_most=topology.hosts,
            lab_topology=str(Path(file).absolute()) if file else "",
            lab_cpu_percent=topology.cpu_percent,
            first_profiles=_switch("SEXTANT_FIRST_PROFILES"),
            dataplane=_switch("SEXTANT_DATAPLANE"),
        )


def _role_url(process: str) -> str | None:
    """Only beside a DATABASE_URL: the embedded server has its roles."""
    variable = f"SEXTANT_{process}_DATABASE_URL"
    found = _url(variable, ("postgresql+psycopg",), f"postgresql+psycopg://sextant_{process.lower()}@host/name")
    if found is not None and not os.environ.get("DATABASE_URL"):
        raise RunError(f"{variable}: DATABASE_URL, the owner's, is not set", "set both, or neither")
    return found


def _port(text: str) -> int | None:
    if not text:
        return None
    if not text.isascii() or not text.isdigit() or int(text) > 65535:
        raise RunError(f"SEXTANT_PORT: '{text}' is not a port (0 to 65535)", "make up SEXTANT_PORT=8090")
    return int(text)


def _demo_hosts(text: str) -> int:
    if not text:
        return MOST_DEMO_HOSTS
    if not text.isascii() or not text.isdigit() or int(text) > MOST_DEMO_HOSTS:
        raise RunError(
            f"SEXTANT_DEMO_HOSTS: '{text}' is not a number from 0 to {MOST_DEMO_HOSTS}",
            "make up SEXTANT_DEMO_HOSTS=0; more hosts than that: sextant demo --hosts 20",
        )
    return int(text)


def _lab_hosts(text: str, topology: LabTopology) -> int | None:
    """At most those of the file."""
    if not text:
        return None
    most = topology.hosts
    if not text.isascii() or not text.isdigit() or int(text) > most:
        raise RunError(f"SEXTANT_LAB_HOSTS: '{text}' is not a number from 0 to {most}", "make up SEXTANT_LAB_HOSTS=0")
    return int(text)


def _switch(variable: str) -> bool:
    text = os.environ.get(variable, "")
    if text not in {"", "0", "1"}:
        raise RunError(f"{variable}: '{text}' is neither 0 nor 1", f"make up {variable}=0")
    return text != "0"


def _address(text: str) -> str:
    """An address of this machine that others can reach: a wildcard could be given to nobody as a destination."""
    try:
        found = ip_address(text or LOOPBACK)
    except ValueError:
        found = None
    if found is None or found.version != 4 or found.is_unspecified or not ports.is_own(str(found)):
        raise RunError(
            f"SEXTANT_FLEET_ADDRESS: '{text}' is not an IPv4 address of this machine",
            "choose one that the hosts can reach: ip -4 address",
        )
    return str(found)


def _url(variable: str, schemes: tuple[str, ...], example: str) -> str | None:
    text = os.environ.get(variable, "")
    if not text:
        return None
    if urlsplit(text).scheme not in schemes:
        raise RunError(f"{variable}: it does not begin with {' or '.join(f'{s}:' for s in schemes)}", f"e.g. {example}")
    return text
