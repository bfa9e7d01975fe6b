"""What this host was given, and the processes that fill it: a successor of this agent finds all of it here."""

import json
import secrets
import threading
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from pydantic import Field, ValidationError
from sextant_domain.chains.kernel_nf import IN_KERNEL
from sextant_domain.hosts.path import ChainPath

from sextant_agent.contract.errors import DriverError
from sextant_agent.contract.fingerprint import Fingerprint
from sextant_agent.control.recorded_process import RecordedProcess, RecordEntry
from sextant_agent.drivers.srv6.answers import NfFigures
from sextant_agent.kit.files import write_atomically


class ProcessEntry(RecordedProcess):
    """A process of ours: an NF, a source, a sink."""

    number: int
    """Its folder and its control socket are called so; none is given twice."""


class NfEntry(RecordEntry):
    """One NF of a chain."""

    nf_id: str
    nf_type: str
    """The built-in type whose program runs."""
    core: int
    process: ProcessEntry
    """Of an NF in the kernel, the number of its life; there is no process."""
    starts: int = 1
    exit: str | None = None
    """How the last process ended."""
    before: NfFigures = NfFigures()
    """Of its processes before the present one."""
    rules_since: datetime | None = None
    """Of an NF in the kernel: when its present rules were put in force, from which on each of them counts. None while
    they are being changed."""

    @property
    def in_kernel(self) -> bool:
        """It is rules, and no process."""
        return self.nf_type in IN_KERNEL


class ChainEntry(RecordEntry):
    """One chain that was given."""

    chain: str
    structure: str
    source: str
    configs: dict[str, str] = Field(default_factory=dict)
    instance: int
    path: ChainPath
    paused: bool = False
    rate_mpps: float
    nfs: tuple[NfEntry, ...]
    packet_source: ProcessEntry | None
    """None where its packets enter on another host."""
    sink: ProcessEntry | None
    """None where they leave on another."""

    @property
    def fingerprint(self) -> Fingerprint | None:
        """None where its packets neither enter nor leave, so that it is to be added again."""
        if not all(end.alive for end in self.ends):
            return None
        return Fingerprint(structure=self.structure, source=self.source, configs=self.configs)

    @property
    def ends(self) -> tuple[ProcessEntry, ...]:
        """Source and sink, as far as they are here."""
        return tuple(end for end in (self.packet_source, self.sink) if end is not None)

    @property
    def processes(self) -> tuple[ProcessEntry, ...]:
        """All of them."""
        return (*self.ends, *(nf.process for nf in self.nfs))


class _Content(RecordEntry):
    epoch: str
    numbers: int = 0
    """Given to instances of chains and to processes."""
    chains: dict[str, ChainEntry] = Field(default_factory=dict)


class Srv6Record:
    """Safe for several threads: whoever reads sees entries as they were at one moment."""

    def __init__(self, path: Path) -> None:
        """A record that cannot be read is begun anew: what it named is found by its folder, and ended."""
        self._path = path
        self._lock = threading.Lock()
        try:
            self._content = _Content.model_validate_json(path.read_bytes())
        except (OSError, ValidationError):
            self._content = _Content(epoch=secrets.token_hex(6))

    @property
    def epoch(self) -> str:
        """Counters of another epoch are not compared with these."""
        return self._content.epoch

    @property
    def chains(self) -> Mapping[str, ChainEntry]:
        """By name."""
        return self._content.chains

    def number(self) -> int:
        """One that was never given before. Raises DriverError."""
        with self._lock:
            self._write(numbers=self._content.numbers + 1)
            return self._content.numbers

    def put(self, entry: ChainEntry) -> ChainEntry:
        """Raises DriverError, and then it is not written down."""
        with self._lock:
            self._write(chains={**self._content.chains, entry.chain: entry})
        return entry

    def put_nf(self, chain: str, entry: NfEntry) -> NfEntry:
        """In its place of the chain. Raises DriverError."""
        with self._lock:
            held = self._content.chains[chain]
            nfs = tuple(entry if nf.nf_id == entry.nf_id else nf for nf in held.nfs)
            changed = held.model_copy(update={"nfs": nfs})
            self._write(chains={**self._content.chains, chain: changed})
        return entry

    def forget(self, chain: str) -> None:
        """Once nothing is left of it. Raises DriverError."""
        with self._lock:
            self._write(chains={name: entry for name, entry in self._content.chains.items() if name != chain})

    def _write(self, **changes: object) -> None:
        content = self._content.model_copy(update=changes)
        try:
            write_atomically(self._path, json.dumps(content.model_dump(mode="json")).encode())
        except OSError as error:
            raise DriverError(f"{self._path}: {error.strerror or error}; free space or fix the folder") from error
        self._content = content
