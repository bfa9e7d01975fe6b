"""A snapshot from a file may hold secrets in clear: exported by an earlier version, or written by hand."""

from collections.abc import Mapping
from typing import TypeVar

from sextant_domain.base import digest_of
from sextant_domain.chains.chain import ChainSpec, NfSpec
from sextant_domain.hosts.desired import DesiredChain, DesiredNf
from sextant_domain.plans.snapshot import FleetSnapshot, HostSnapshot

from sextant_backend.modules.nfs.catalogue import BY_NAME
from sextant_backend.modules.secrets.service import blanked

_Nf = TypeVar("_Nf", NfSpec, DesiredNf)
_Settings = Mapping[str, frozenset[str]]
"""Secret settings by NF type."""


def without_secrets(snapshot: FleetSnapshot) -> FleetSnapshot:
    """With the mark of a secret in the place of each: a study orders nothing, and needs none."""
    ours = {name: nf_type.secrets for name, nf_type in BY_NAME.items()}
    theirs = {one.name: one.secrets | ours.get(one.runs, frozenset()) for one in snapshot.nf_types}
    settings = {name: found for name, found in {**ours, **theirs}.items() if found}
    return snapshot.model_copy(
        update={
            "hosts": tuple(_host(host, settings) for host in snapshot.hosts),
            "chains": tuple(_spec(spec, settings) for spec in snapshot.chains),
        }
    )


def _spec(spec: ChainSpec, settings: _Settings) -> ChainSpec:
    if not any(nf.type in settings for nf in spec.nfs):
        return spec
    return spec.model_copy(update={"nfs": tuple(_blanked(nf, settings.get(nf.type)) for nf in spec.nfs)})


def _host(host: HostSnapshot, settings: _Settings) -> HostSnapshot:
    """Its digest is that of its content, also where the file's was not."""
    chains = tuple(_chain(chain, settings) for chain in host.content.chains)
    if chains == host.content.chains:
        return host
    content = host.content.model_copy(update={"chains": chains})
    return host.model_copy(update={"content": content, "digest": digest_of(content)})


def _chain(chain: DesiredChain, settings: _Settings) -> DesiredChain:
    if not any(nf.nf_type in settings or nf.runs in settings for nf in chain.nfs):
        return chain
    nfs = (_blanked(nf, settings.get(nf.nf_type) or settings.get(nf.runs)) for nf in chain.nfs)
    return chain.model_copy(update={"nfs": tuple(nfs)})


def _blanked(nf: _Nf, settings: frozenset[str] | None) -> _Nf:
    return nf.model_copy(update={"config": blanked(nf.config, settings)}) if settings else nf
