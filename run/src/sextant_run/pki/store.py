"""The folder `<data>/pki`: the authority, the backend's pair, and a pair for each host of this machine.

    ca.crt, ca.key                             the authority; its key leaves this folder never
    backend/{ca.crt, backend.crt, backend.key} read by console, fleet listener and worker
    hosts/<host-id>/{ca.crt, host.crt, host.key}  read by that host's agent

How a pair is made and renewed: `sextant_backend.pki.store`.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sextant_backend.pki.store import Pair, backend_pair, kept_authority, renew

from sextant_run.folders import private_folder


@dataclass(frozen=True)
class Store:
    """`<data>/pki`."""

    folder: Path

    @property
    def backend(self) -> Pair:
        """Console, worker and fleet listener share one identity."""
        return backend_pair(self.folder / "backend")

    def host(self, host_id: str) -> Pair:
        return Pair(
            folder=self.folder / "hosts" / host_id,
            stem="host",
            urn=f"urn:sextant:host:{host_id}",
            dns_name=f"{host_id}.host.sextant",
        )

    def renew(self, host_ids: tuple[str, ...], now: datetime | None = None) -> list[Pair]:
        """Make what is missing and renew what has little time left; returns the pairs with a new certificate."""
        now = now or datetime.now(UTC)
        private_folder(self.folder)
        authority = kept_authority(self.folder / "ca.key", self.folder / "ca.crt", now)
        pairs = self._pairs(host_ids)
        for pair in pairs:
            private_folder(pair.folder)
        return [pair for pair in pairs if renew(pair, authority, now)]

    def next_renewal(self, host_ids: tuple[str, ...]) -> datetime:
        """When the first of the certificates should be renewed; long ago where one is missing."""
        return min(pair.renewal() for pair in self._pairs(host_ids))

    def _pairs(self, host_ids: tuple[str, ...]) -> list[Pair]:
        return [self.backend, *(self.host(host_id) for host_id in host_ids)]
