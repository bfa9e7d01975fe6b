"""A batch as JSON in the parts that are stored apart, each of which is turned into text once."""

from dataclasses import dataclass

from pydantic import TypeAdapter
from sextant_domain.hosts.telemetry import (
    ChainControl,
    ChainSample,
    CoreSample,
    NfSample,
    NodeSample,
    TelemetryBatch,
    WayTransfer,
)

NFS = TypeAdapter(tuple[NfSample, ...])
CHAINS = TypeAdapter(tuple[ChainSample, ...])
CORES = TypeAdapter(tuple[CoreSample, ...])
NODES = TypeAdapter(tuple[NodeSample, ...])
CONTROLS = TypeAdapter(tuple[ChainControl, ...])
TRANSFERS = TypeAdapter(tuple[WayTransfer, ...])
_APART = {"nfs", "chains", "cores", "nodes"}


@dataclass(frozen=True, slots=True)
class BatchText:
    """Lists of samples, and everything else of the batch."""

    rest: str
    nfs: str
    chains: str
    cores: str
    nodes: str

    @classmethod
    def of(cls, batch: TelemetryBatch) -> "BatchText":
        """Of one batch."""
        return cls(
            rest=batch.model_dump_json(exclude=_APART),
            nfs=NFS.dump_json(batch.nfs).decode(),
            chains=CHAINS.dump_json(batch.chains).decode(),
            cores=CORES.dump_json(batch.cores).decode(),
            nodes=NODES.dump_json(batch.nodes).decode() if batch.nodes else "[]",
        )

    @property
    def whole(self) -> str:
        """The batch."""
        nodes = "" if self.nodes == "[]" else f',"nodes":{self.nodes}'
        return f'{self.rest[:-1]},"nfs":{self.nfs},"chains":{self.chains},"cores":{self.cores}{nodes}}}'
