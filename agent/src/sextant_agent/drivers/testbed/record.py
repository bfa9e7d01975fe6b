"""What was given to the runner, chain by chain: the runner's query returns counters but not configurations.

Write-ahead: an entry is forgotten before its chain is touched and written after, so that the record never claims
what is not so. An entry that is missing costs one needless replacement after a crash of the agent, never a wrong chain.
"""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from sextant_agent.contract.errors import DriverError
from sextant_agent.contract.fingerprint import Fingerprint
from sextant_agent.kit.files import write_atomically


@dataclass(frozen=True, slots=True)
class ChainRecord:
    """One chain the runner was given."""

    structure: str
    source: str
    instance: int
    configs: dict[str, str] = field(default_factory=dict)

    @property
    def fingerprint(self) -> Fingerprint:
        """As ordered when it was given."""
        return Fingerprint(structure=self.structure, source=self.source, configs=self.configs)


class TestbedRecord:
    """Entries of one life of the runner; those of an earlier life are dropped. Not safe for several threads."""

    __test__ = False  # pytest: not a test class

    def __init__(self, path: Path) -> None:
        self._path = path
        self._epoch = ""
        self._entries: dict[str, ChainRecord] = {}
        self._instances = 0

    def open(self, epoch: str) -> None:
        """Use the entries of this life of the runner."""
        if epoch == self._epoch:
            return
        self._epoch, self._entries, self._instances = epoch, {}, 0
        try:
            held = json.loads(self._path.read_bytes())
            if held["epoch"] == epoch:
                self._entries = {str(name): ChainRecord(**fields) for name, fields in held["chains"].items()}
                self._instances = int(held["instances"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            self._entries = {}

    def get(self, chain: str) -> ChainRecord | None:
        """None where it is not known what the chain runs."""
        return self._entries.get(chain)

    def forget(self, chain: str) -> None:
        """Before the chain is removed or changed. Raises DriverError, and then it is not forgotten."""
        entry = self._entries.pop(chain, None)
        if entry is None:
            return
        try:
            self._save()
        except DriverError:
            self._entries[chain] = entry
            raise

    def put(self, chain: str, given: Fingerprint, *, instance: int | None = None) -> None:
        """After the runner took the chain; a new instance unless one is named. Raises DriverError where only this
        process will know of it."""
        if instance is None:
            self._instances += 1
            instance = self._instances
        self._entries[chain] = ChainRecord(given.structure, given.source, instance, dict(given.configs))
        self._save()

    def _save(self) -> None:
        held = {
            "epoch": self._epoch,
            "instances": self._instances,
            "chains": {name: asdict(entry) for name, entry in self._entries.items()},
        }
        try:
            write_atomically(self._path, json.dumps(held).encode())
        except OSError as error:
            raise DriverError(f"{self._path}: {error.strerror or error}; free space or fix the folder") from error
