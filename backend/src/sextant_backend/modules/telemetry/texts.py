"""A batch as JSON in the parts that are stored apart, each of which is turned into text once."""

from dataclasses import dataclass

import msgspec
from pydantic import TypeAdapter
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
TRANSFERS = TypeAdapter(tuple[WayTransfer, ...])
_APART = ("nfs", "chains", "cores", "nodes")
_REST = struct_of(TelemetryBatch, frozenset(_APART))
_encoded = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class BatchText:
    """Lists of samples, and everything else of the batch."""

    rest: str
    nfs: str
    chains: list[str]
    """Each of them, which are stored apart."""
    cores: str
    nodes: str

    @classmethod
    def of(cls, batch: TelemetryBatch) -> "BatchText":
        """Of one batch (`structs`)."""
        rest = _REST(**{name: getattr(batch, name) for name in _REST.__struct_fields__})
        return cls(
            rest=_encoded(rest).decode(),
            nfs=_encoded(batch.nfs).decode(),
            chains=[_encoded(chain).decode() for chain in batch.chains],
            cores=_encoded(batch.cores).decode(),
            nodes=_encoded(batch.nodes).decode(),
        )

    @property
    def whole(self) -> str:
        """The batch."""
        nodes = "" if self.nodes == "[]" else f',"nodes":{self.nodes}'
        chains = ",".join(self.chains)
        return f'{self.rest[:-1]},"nfs":{self.nfs},"chains":[{chains}],"cores":{self.cores}{nodes}}}'
