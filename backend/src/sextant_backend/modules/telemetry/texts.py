"""A batch as JSON in the parts that are stored apart, each of which is turned into text once."""

from dataclasses import dataclass

import msgspec
from pydantic import TypeAdapter
from sextant_domain.hosts.bounded_quotas import BoundedNf, QuotaChange
from sextant_domain.hosts.chain_way import WayChange
from sextant_domain.hosts.telemetry import (
    ChainControl,
    CoreSample,
    NfSample,
    SharedCore,
    TelemetryBatch,
    WayTransfer,
)

from sextant_backend.kit.structs import struct_of

NFS = TypeAdapter(tuple[NfSample, ...])
CORES = TypeAdapter(tuple[CoreSample, ...])
CONTROLS = TypeAdapter(tuple[ChainControl, ...])
SHARED_CORES = TypeAdapter(tuple[SharedCore, ...])
BOUNDED_NFS = TypeAdapter(tuple[BoundedNf, ...])
QUOTA_CHANGES = TypeAdapter(tuple[QuotaChange, ...])
WAY_CHANGES = TypeAdapter(tuple[WayChange, ...])
TRANSFERS = TypeAdapter(tuple[WayTransfer, ...])
_APART = ("nfs", "chains", "cores", "nodes")
_REST = struct_of(TelemetryBatch, frozenset(_APART))
_encoded = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class BatchText:
    """Lists of samples, and everything else of the batch; in UTF-8."""

    rest: bytes
    nfs: bytes
    chains: list[bytes]
    """Each of them, which are stored apart."""
    cores: bytes
    nodes: bytes

    @classmethod
    def of(cls, batch: TelemetryBatch) -> "BatchText":
        """Of one batch (`structs`)."""
        rest = _REST(**{name: getattr(batch, name) for name in _REST.__struct_fields__})
        return cls(
            rest=_encoded(rest),
            nfs=_encoded(batch.nfs),
            chains=[_encoded(chain) for chain in batch.chains],
            cores=_encoded(batch.cores),
            nodes=_encoded(batch.nodes),
        )

    @property
    def whole(self) -> bytes:
        """The batch."""
        nodes = b"" if self.nodes == b"[]" else b',"nodes":%b' % self.nodes
        lists = (self.nfs, b",".join(self.chains), self.cores, nodes)
        return self.rest[:-1] + b',"nfs":%b,"chains":[%b],"cores":%b%b}' % lists
