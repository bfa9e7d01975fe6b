"""What a chain runs, as short digests that say whether it has to be restarted: pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from sextant_domain.base import canonical_json
from sextant_domain.chains.chain import Ingress, NfSettings
from sextant_domain.chains.nf import changeable_of
from sextant_domain.chains.traffic import Traffic
from sextant_domain.hosts.desired import DesiredChain, DesiredNf
from sextant_domain.hosts.path import ChainPath

from sextant_agent.kit.hashing import short_hash

_NOWHERE = {
    "core": 0,
    "slot": 0,
    "llc_ways": None,
    "memory_bandwidth_percent": None,
    "cpu_share": None,
    "cpu_quota_percent": None,
}


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What a chain runs, without where it runs: equal fingerprints need no restart."""

    structure: str
    """Over NF ids, types, what runs for them, versions and configurations, in order; but for what is in `configs`."""
    source: str
    """Over what enters the chain: match and traffic."""
    configs: Mapping[str, str] = field(default_factory=dict)
    """By NF id, over what it takes up of its configuration while it runs; only of NFs that take up something."""


@dataclass(frozen=True, slots=True, eq=False)
class _Parts:
    """Of a chain, what its fingerprint is over: the very objects, which copies of the chain with other resources
    share."""

    nfs: tuple[DesiredNf, ...]
    ingress: Ingress
    traffic: Traffic
    path: ChainPath | None

    def __hash__(self) -> int:
        return hash((id(self.nfs), id(self.ingress), id(self.traffic), id(self.path)))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, _Parts)
            and self.nfs is other.nfs
            and self.ingress is other.ingress
            and self.traffic is other.traffic
            and self.path is other.path
        )


def fingerprint(chain: DesiredChain) -> Fingerprint:
    """The fingerprint of an ordered chain; equal in every process. Kept: it is asked of each chain in every look at a
    host, and takes longer than all else of that."""
    return _of(_Parts(chain.nfs, chain.ingress, chain.traffic, chain.path))


@lru_cache(maxsize=8192)
def _of(chain: _Parts) -> Fingerprint:
    nfs = [canonical_json(nf.model_copy(update=_NOWHERE | {"config": _fixed(nf)})) for nf in chain.nfs]
    if chain.path is not None:
        nfs.append(canonical_json(chain.path))
    source = canonical_json(chain.ingress) + canonical_json(chain.traffic)
    configs = {nf.nf_id: short_hash(canonical_json(taken)) for nf in chain.nfs if (taken := _reconfigurable(nf)).config}
    return Fingerprint(structure=short_hash(b"\n".join(nfs)), source=short_hash(source), configs=configs)


def _reconfigurable(nf: DesiredNf) -> NfSettings:
    return NfSettings(config=changeable_of(nf.nf_type, nf.config))


def _fixed(nf: DesiredNf) -> dict[str, Any]:
    taken = changeable_of(nf.nf_type, nf.config)
    return {name: value for name, value in nf.config.items() if name not in taken}
