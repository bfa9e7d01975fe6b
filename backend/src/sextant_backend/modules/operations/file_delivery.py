"""The part of step `put` before the order: files that it names and the host lacks are sent, one after another, and
the secrets that it names are opened, to go with it.

Sending a file again is harmless, as the host knows it by its digest; a worker that dies on the way is followed by one
that asks again what is missing. The claim's fence goes with every file, as with the order.
"""

from collections.abc import Iterable
from typing import Protocol

from sextant_domain.chains.secret import SecretValues
from sextant_domain.hosts.artefact import digests_of
from sextant_domain.hosts.desired import DesiredHostConfig

from sextant_backend.agents.errors import AgentError
from sextant_backend.agents.outgoing import StoredFile
from sextant_backend.faults import fault_point
from sextant_backend.kit.sealing import SealingError
from sextant_backend.modules.operations import problems


class FileStore(Protocol):
    """Where files come from."""

    def find(self, digest: str) -> StoredFile | None: ...


class SecretStore(Protocol):
    """Where secrets come from; SealingError where one is not to be had."""

    def open(self, references: Iterable[str]) -> SecretValues: ...


class FileTaker(Protocol):
    """What sending needs of a host's agent; every method may raise AgentError."""

    def artefacts(self) -> frozenset[str]: ...

    def send(self, file: StoredFile, fence: int) -> None: ...


BEFORE_FILE, AFTER_FILE = "before_file", "after_file"
PARTS = (BEFORE_FILE, AFTER_FILE)
"""Fault points on the way, passed once for every file that is sent."""


def send_missing(agent: FileTaker, store: FileStore, desired: DesiredHostConfig, fence: int, stem: str) -> int:
    """Send what the order names and the host lacks; how many files. AgentError where one is not to be had or taken."""
    return send(agent, store, desired.content.host_id, digests_of(desired.content), fence=fence, stem=stem)


def send(
    agent: FileTaker, store: FileStore, host: str, named: frozenset[str], *, fence: int, stem: str | None = None
) -> int:
    """The same of files by digest; without a stem no fault points are passed."""
    if not named:
        return 0
    missing = sorted(named - agent.artefacts())
    for digest in missing:
        file = store.find(digest)
        if file is None:
            raise AgentError(problems.artefact_gone(host, digest), definitive=True)
        _pass(stem, BEFORE_FILE)
        agent.send(file, fence)
        _pass(stem, AFTER_FILE)
    return len(missing)


def opened(store: SecretStore, desired: DesiredHostConfig) -> dict[str, str]:
    """The secrets that the order names; AgentError where one is not to be had: nothing was ordered then."""
    try:
        return dict(store.open(desired.content.secrets))
    except SealingError as error:
        raise AgentError(problems.secret_closed(desired.content.host_id, str(error))) from error


def _pass(stem: str | None, part: str) -> None:
    if stem is not None:
        fault_point(f"{stem}.{part}")
