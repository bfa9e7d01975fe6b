"""Which files a chain or an NF type names, and where."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.chains.nf import NfType
from sextant_domain.hosts.artefact import MAX_BYTES, FileKind, is_digest, kind_of_setting


@dataclass(frozen=True)
class Named:
    """A digest in a chain, or in the configuration of an NF type."""

    field: str
    digest: str
    kind: FileKind
    max_bytes: int
    reader: str
    """Who will read it: the NF type, or the packet source."""


def named_by(spec: ChainSpec, types: Mapping[str, NfType]) -> Iterator[Named]:
    """Every file of its NFs' configurations, defaults of their `types` included, and of its traffic."""
    replay, pcap = spec.traffic.pcap, FileKind.PCAP
    if replay is not None:
        yield Named("traffic.pcap.file", replay.file, pcap, MAX_BYTES[pcap], "the packet source")
    for index, nf in enumerate(spec.nfs):
        if nf.type in types:
            config = {**types[nf.type].default_config(), **nf.config}
            yield from named_in(types[nf.type], config, f"nfs.{index}.config")


def named_in(nf_type: NfType, config: Mapping[str, Any], at: str) -> Iterator[Named]:
    """Every file of a configuration; fields start with `at`. What is no digest is the schema's to refuse."""
    for accepted in nf_type.artefacts:
        value, kind = config.get(accepted.name), kind_of_setting(accepted.name)
        if is_digest(value) and kind is not None:
            yield Named(f"{at}.{accepted.name}", str(value), kind, accepted.max_bytes, nf_type.name)
