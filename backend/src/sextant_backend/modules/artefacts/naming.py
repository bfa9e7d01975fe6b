"""Which files a chain names, and where."""

from collections.abc import Iterator
from dataclasses import dataclass

from sextant_domain.artefact import MAX_BYTES, FileKind, is_digest, kind_of_setting
from sextant_domain.chain import ChainSpec

from sextant_backend.modules.nfs.catalogue import BY_NAME


@dataclass(frozen=True)
class Named:
    """A digest in a chain."""

    field: str
    digest: str
    kind: FileKind
    max_bytes: int
    reader: str
    """Who will read it: the NF type, or the packet source."""


def named_by(spec: ChainSpec) -> Iterator[Named]:
    """Every file of its NFs' configurations and of its traffic. What is no digest is the schema's to refuse."""
    replay, pcap = spec.traffic.pcap, FileKind.PCAP
    if replay is not None:
        yield Named("traffic.pcap.file", replay.file, pcap, MAX_BYTES[pcap], "the packet source")
    for index, nf in enumerate(spec.nfs):
        for accepted in BY_NAME[nf.type].artefacts if nf.type in BY_NAME else ():
            value, kind = nf.config.get(accepted.name), kind_of_setting(accepted.name)
            if is_digest(value) and kind is not None:
                yield Named(f"nfs.{index}.config.{accepted.name}", str(value), kind, accepted.max_bytes, nf.type)
