"""What this agent has started: managers, and the NFs of each chain, kept on disk so that a successor adopts them.

Write-ahead: an NF is written down before it is started, without a pid, so that a process of our prefix that no entry
names is one whose entry was lost, and may be ended. Where the disk is full nothing is started any more; what ends or
is moved is only remembered, and written with the next entry.
"""

import secrets
import threading
from collections.abc import Mapping
from pathlib import Path

import structlog
from pydantic import Field, ValidationError

from sextant_agent.contract.errors import DataPlaneDown, DriverError
from sextant_agent.control.recorded_process import RecordedProcess, RecordEntry
from sextant_agent.kit.files import write_atomically

FORMAT = 1
"""Of the file. A field more is no other format: who does not know it leaves it out."""

FILE = "process_registry.json"
FORMER_FILE = "book.json"
"""Its name up to 0.1.0."""

log = structlog.get_logger()


def registry_path(folder: Path) -> Path:
    """Where the registry is: under its former name on a host that was upgraded and whose agent has not started since.
    Of two, which a downgrade in between leaves, the one written last."""
    return max((folder / FILE, folder / FORMER_FILE), key=_written_ns)


def _written_ns(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def settled_path(folder: Path) -> Path:
    """The same for the agent, which alone writes it: renames a registry of the former name, where the disk lets it."""
    found = registry_path(folder)
    if found.name == FILE:
        return found
    try:
        return found.replace(folder / FILE)
    except OSError as error:
        log.warning("process registry not renamed", path=str(found), cause=error.strerror)
        return found


class RegistryUnreadable(DataPlaneDown):
    """It is there, and this process cannot read it now."""


class RegistryDamaged(DataPlaneDown):
    """It was read, and is no registry that this agent understands."""


class Totals(RecordEntry):
    """Packets and time of an NF's earlier instances."""

    rx: int = 0
    tx: int = 0
    drops: int = 0
    ring_drops: int = 0
    """Of these, for want of room in its own ring."""
    filtered: int = 0
    out: int = 0
    """Sent to a port by itself."""
    cpu_ns: int = 0

    def plus(self, other: "Totals") -> "Totals":
        """Field by field."""
        return Totals(**{name: getattr(self, name) + getattr(other, name) for name in Totals.model_fields})

    def at_least(self, other: "Totals") -> "Totals":
        """The larger, field by field."""
        return Totals(**{name: max(getattr(self, name), getattr(other, name)) for name in Totals.model_fields})


class NfEntry(RecordedProcess):
    """One place of a chain and the process that fills it now."""

    nf_id: str
    nf_type: str
    """The built-in type whose program runs; empty for the way out, which nobody ordered."""
    cpu: int
    instance: int
    service: int
    lcore: int
    ready: bool = False
    starts: int = 0
    exit: str | None = None
    """How the last process ended."""
    before: Totals = Totals()


class ChainEntry(RecordEntry):
    """One chain and the manager that it has."""

    chain: str
    manager: str
    structure: str
    """Fingerprints of what it was given; empty while it is being changed."""
    source: str
    instance: int
    nfs: tuple[NfEntry, ...]
    """In order; the last is the way out, where the last of the order does not send packets out itself."""
    rx_before: int = 0
    """Packets of its port before the present manager, less those before the chain."""
    tx_before: int = 0
    lost_before: int = 0
    """The same, of packets that its port's card dropped."""


class ManagerEntry(RecordedProcess):
    """One life of a manager."""

    name: str
    starts: int = 0
    """NFs started under it; also the last instance id that was given: none is given twice."""
    dead: int = 0
    """NFs that ended without notifying it: it takes them for running."""
    suspect: bool = False
    """To be started again before anything else is started under it."""
    note: str | None = None
    settings: str | None = None
    """What of opennetvm.toml this life was started by, with all NFs under it, as JSON (`start_settings.py`)."""


class _Content(RecordEntry):
    format: int = FORMAT
    epoch: str
    instances: int = 0
    description: str | None = None
    """Hash of what the agent has read of opennetvm.toml (`start_settings.hash_of`)."""
    managers: dict[str, ManagerEntry] = Field(default_factory=dict)
    chains: dict[str, ChainEntry] = Field(default_factory=dict)


class ProcessRegistry:
    """Safe for several threads: whoever reads sees entries as they were at one moment."""

    def __init__(self, path: Path) -> None:
        """Raises RegistryUnreadable, RegistryDamaged: what it names may be running, and nobody knows what that is."""
        self._path = path
        self._lock = threading.RLock()
        self._content = self._read()

    @property
    def epoch(self) -> str:
        """Of the registry itself: managers come and go under one count."""
        return self._content.epoch

    @property
    def chains(self) -> Mapping[str, ChainEntry]:
        """By name."""
        return self._content.chains

    @property
    def managers(self) -> Mapping[str, ManagerEntry]:
        """By name; those that were started once."""
        return self._content.managers

    @property
    def description(self) -> str | None:
        """Of opennetvm.toml, as the newest agent has read it."""
        return self._content.description

    def describe(self, description: str) -> None:
        """At an agent's start."""
        if description != self.description:
            self._write(description=description)

    def manager(self, name: str) -> ManagerEntry:
        """As it is, or was never."""
        return self._content.managers.get(name) or ManagerEntry(name=name)

    def new_instance(self) -> int:
        """A number for a chain that is added, never used before."""
        with self._lock:
            self._write(instances=self._content.instances + 1)
            return self._content.instances

    def put_manager(self, entry: ManagerEntry, *, ahead: bool = False) -> ManagerEntry:
        """`ahead`: of something that is done next, and not if this raises DriverError since it cannot be written."""
        with self._lock:
            self._write(ahead=ahead, managers={**self._content.managers, entry.name: entry})
        return entry

    def put_chain(self, entry: ChainEntry, *, ahead: bool = False) -> ChainEntry:
        """`ahead`: see `put_manager`."""
        with self._lock:
            self._write(ahead=ahead, chains={**self._content.chains, entry.chain: entry})
        return entry

    def put_nf(self, chain: str, entry: NfEntry, *, ahead: bool = False) -> NfEntry:
        """In its place of the chain. `ahead`: see `put_manager`."""
        with self._lock:
            held = self._content.chains[chain]
            nfs = tuple(entry if nf.nf_id == entry.nf_id else nf for nf in held.nfs)
            self.put_chain(held.model_copy(update={"nfs": nfs}), ahead=ahead)
        return entry

    def end_manager(self, entry: ManagerEntry, *chains: ChainEntry) -> None:
        """One life, and what chains have counted by it: at once, so that nobody counts it twice."""
        with self._lock:
            self._write(
                managers={**self._content.managers, entry.name: entry},
                chains={**self._content.chains, **{chain.chain: chain for chain in chains}},
            )

    def forget_manager(self, name: str) -> None:
        """With its chains: opennetvm.toml names it no more."""
        with self._lock:
            self._write(
                managers={key: entry for key, entry in self._content.managers.items() if key != name},
                chains={key: entry for key, entry in self._content.chains.items() if entry.manager != name},
            )

    def forget_chain(self, name: str) -> None:
        """Once all of its NFs are gone."""
        with self._lock:
            self._write(chains={key: entry for key, entry in self._content.chains.items() if key != name})

    def _write(self, *, ahead: bool = False, **changes: object) -> None:
        with self._lock:
            self._content = self._content.model_copy(update=changes)
            try:
                write_atomically(self._path, self._content.model_dump_json().encode())
            except OSError as error:
                reported = f"{self._path}: {error.strerror or error}; free space or fix the folder"
                if ahead:
                    raise DriverError(reported) from error
                log.warning("not written down", cause=reported)

    def _read(self) -> _Content:
        try:
            content = _Content.model_validate_json(self._path.read_bytes())
        except FileNotFoundError:
            return _Content(epoch=secrets.token_hex(6))
        except OSError as error:
            raise RegistryUnreadable(f"{self._path} cannot be read: {error.strerror or error}") from error
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False, include_input=False)[0]
            where = ".".join(map(str, first["loc"]))
            raise RegistryDamaged(f"{self._path} is damaged: {where + ': ' if where else ''}{first['msg']}") from error
        if content.format > FORMAT:
            raise RegistryDamaged(
                f"{self._path} has the format {content.format} of a newer agent, and this one knows up to {FORMAT}"
            )
        return content
