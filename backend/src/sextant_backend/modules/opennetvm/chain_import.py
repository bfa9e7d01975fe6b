"""Chains that a group file describes, as an operator would submit them; pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import ValidationError
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.chains.traffic import Traffic
from sextant_domain.opennetvm.views import ImportNote
from sextant_domain.problem import FieldError

from sextant_backend.kit.errors import field_errors
from sextant_backend.modules.nfs.catalogue import BY_NAME, config_errors
from sextant_backend.modules.opennetvm.chain_links import LinkedChain, link
from sextant_backend.modules.opennetvm.group_file import MAX_ERRORS, BadGroup, read_group, refusal

NAME = "imported"
ASSUMED_TRAFFIC = Traffic(rate_mpps=0.1, packet_bytes=64)
"""A group file does not say what packets come."""
FIRST_SERVICE = 1


def chains_of(
    text: str, files: Mapping[str, str], prefix: str | None, traffic: Traffic | None
) -> tuple[list[tuple[ChainSpec, tuple[int, ...]]], list[ImportNote]]:
    """Each with its services. Raises BadGroup."""
    group = read_group(text, files)
    linked = link(group)
    names = _names(linked, prefix)
    specs, errors = [], []
    for chain, name in zip(linked, names, strict=True):
        try:
            spec = ChainSpec.model_validate(_body(chain, name, traffic or ASSUMED_TRAFFIC))
        except ValidationError as error:
            errors += [refusal(chain.nfs[0].at, one.message) for one in field_errors(error.errors())]
            continue
        errors += _violations(chain, spec)
        specs.append((spec, tuple(nf.service for nf in chain.nfs)))
    if errors:
        raise BadGroup(errors[:MAX_ERRORS])
    return specs, [*group.notes, *_notes(linked, names, traffic)]


def _names(chains: Sequence[LinkedChain], prefix: str | None) -> list[str]:
    if prefix is None and all(chain.name for chain in chains):
        return [chain.name or "" for chain in chains]
    stem = prefix or NAME
    return [stem] if len(chains) == 1 else [f"{stem}-{number}" for number in range(1, len(chains) + 1)]


def _body(chain: LinkedChain, name: str, traffic: Traffic) -> dict[str, Any]:
    nfs = [
        {"type": nf.meaning.nf_type, "config": dict(nf.meaning.config), **({"name": given} if given else {})}
        for nf, given in zip(chain.nfs, chain.nf_names, strict=True)
    ]
    return {"name": name, "nfs": nfs, "traffic": traffic}


def _violations(chain: LinkedChain, spec: ChainSpec) -> Iterator[FieldError]:
    for nf, wanted in zip(chain.nfs, spec.nfs, strict=True):
        for error in config_errors(BY_NAME[wanted.type], wanted.config, "config"):
            yield refusal(nf.at, f"{error.field}: {error.message}")


def _notes(chains: Sequence[LinkedChain], names: Sequence[str], traffic: Traffic | None) -> Iterator[ImportNote]:
    for chain, name in zip(chains, names, strict=True):
        first = chain.nfs[0]
        if first.service != FIRST_SERVICE:
            what = (
                f"{name} begins with service {first.service}: OpenNetVM hands packets of its ports to service"
                f" {FIRST_SERVICE}; here every chain has a port of its own"
            )
            yield ImportNote(at=first.at, message=what)
    if traffic is None:
        assumed = f"{ASSUMED_TRAFFIC.rate_mpps:g} Mpps of {ASSUMED_TRAFFIC.packet_bytes} bytes are assumed"
        yield ImportNote(at="", message=f"a group file says nothing of traffic: {assumed}")
