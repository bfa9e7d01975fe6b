"""Performance models before anything was profiled: assumed, not measured, and every plan that uses them marks it.

The papers print no parameters. Router and firewall follow the invented table that the engine's problem generator uses.
basic-monitor and simple-forward are plausible guesses in its spirit: the monitor writes a hash table for every packet
(more stalls than the router, hurt more by a lost cache), simple-forward touches only the packet's header. nat,
load-balancer and bubble are guesses too, laid beside these by what they do in the testbed: nat is a monitor that also
rewrites headers and links its flows (slower, hurt more by a lost cache); load-balancer reads one place of a table of
128 KiB and rewrites headers (near the router); bubble with its defaults reads 16 random lines of 1 MiB, so nothing is
hurt more by a lost cache.

nids, dpi and vpn follow what was measured on one core (64 bytes, Mpps and cycles a packet: firewall 19 and 50, nids 15
and 90, vpn 14 and 108, dpi 5.4 and 387): throughput in proportion to the firewall's 10, stalls rising with the cycles.
nids and vpn compute, on tables that stay in the core's own cache, so a neighbour takes little from them; dpi reads a
flow table. nft-firewall has the figures of firewall, for want of better ones: it runs where nothing is predicted
from profiles. Profiling replaces them all host model by host model.
"""

from collections.abc import Iterable, Mapping
from statistics import median

from sextant_domain.base import Provenance
from sextant_domain.chains.nf import NfType
from sextant_domain.profiling.model import ASSUMED_VERSION, DropCoefficients, LocalRemote, PerformanceModel

REFERENCE_CORES = 10
"""Cores a node for which the stalls below make the weights of a full node sum to at most about 1."""

# NF type: (ideal local, ideal remote Mpps; stalls; alpha, beta, c local; alpha, beta, c remote)
_ASSUMED = {
    "basic-monitor": (12.0, 9.6, 14.0, (0.28, 0.11, 0.02), (0.19, 0.23, 0.02)),
    "bubble": (8.0, 5.5, 12.0, (0.40, 0.14, 0.02), (0.28, 0.30, 0.02)),
    "dpi": (2.8, 2.4, 90.0, (0.10, 0.06, 0.01), (0.08, 0.12, 0.01)),
    "firewall": (10.0, 8.2, 16.0, (0.28, 0.10, 0.02), (0.18, 0.22, 0.02)),
    "load-balancer": (13.0, 10.5, 13.0, (0.26, 0.10, 0.02), (0.17, 0.21, 0.02)),
    "nat": (9.5, 7.4, 13.0, (0.32, 0.13, 0.02), (0.22, 0.26, 0.02)),
    "nft-firewall": (10.0, 8.2, 16.0, (0.28, 0.10, 0.02), (0.18, 0.22, 0.02)),
    "nids": (7.8, 6.9, 26.0, (0.06, 0.04, 0.01), (0.05, 0.08, 0.01)),
    "router": (14.0, 11.0, 12.0, (0.30, 0.12, 0.02), (0.20, 0.25, 0.02)),
    "simple-forward": (18.0, 15.5, 20.0, (0.12, 0.08, 0.01), (0.10, 0.16, 0.01)),
    "vpn": (7.1, 6.3, 30.0, (0.05, 0.05, 0.01), (0.04, 0.10, 0.01)),
}


def assumed_models(
    host_model: str, cores_per_node: int = REFERENCE_CORES, nf_types: Iterable[NfType] = ()
) -> tuple[PerformanceModel, ...]:
    """The shipped defaults for a host model, sorted by NF type; what is registered among `nf_types` gets those of its
    implementation.

    `cores_per_node` scales the stalls, so that the weights of a full node still sum to at most about 1.
    """
    scale = max(1.0, cores_per_node / REFERENCE_CORES)
    built_in = {model.nf_type: model for model in _built_in(host_model, scale)}
    registered = {
        nf_type.name: built_in[nf_type.runs].model_copy(update={"nf_type": nf_type.name})
        for nf_type in nf_types
        if nf_type.implementation is not None and nf_type.runs in built_in
    }
    return tuple(model for _, model in sorted({**built_in, **registered}.items()))


def at_scale_of(
    measured: Mapping[str, PerformanceModel], assumed: Iterable[PerformanceModel]
) -> tuple[PerformanceModel, ...]:
    """The assumed models of a host model, brought to the scale of the `measured` ones in use there, by NF type.

    A competing level is a sum of weights over NF types (Octans, Eq. 7), so all models of a host model must have one
    scale, and a fit chooses its own. The assumed weights are taken by the median of measured over assumed among the NF
    types that both know; unchanged where they know none.
    """
    assumed = tuple(assumed)
    parts = [one.stalls / measured[one.nf_type].stalls for one in assumed if one.nf_type in measured]
    if not parts:
        return assumed
    part = median(parts)
    return tuple(one.model_copy(update={"stalls": one.stalls / part, **rescaled(one, part)}) for one in assumed)


def rescaled(model: PerformanceModel, part: float) -> dict[str, DropCoefficients]:
    """Coefficients for weights that are `part` of the model's, with the same drops for an NF beside others.

    alpha stays, since a lost cache still counts 1 (Eq. 9, 10), unless larger weights leave less than that. What
    competitors take is in beta then; locally that includes the cache's share, as all local competitors press on both:
    alpha + beta is what they take together.
    """
    local, remote = model.local, model.remote
    together = (local.alpha + local.beta) / part
    alpha = min(local.alpha, together)
    return {
        "local": local.model_copy(update={"alpha": alpha, "beta": together - alpha}),
        "remote": remote.model_copy(update={"beta": remote.beta / part}),
    }


def _built_in(host_model: str, scale: float) -> Iterable[PerformanceModel]:
    return (
        PerformanceModel(
            nf_type=nf_type,
            host_model=host_model,
            version=ASSUMED_VERSION,
            provenance=Provenance.ASSUMED,
            stalls=stalls * scale,
            ideal_mpps=LocalRemote(local=ideal_local, remote=ideal_remote),
            local=DropCoefficients(alpha=local[0], beta=local[1], c=local[2]),
            remote=DropCoefficients(alpha=remote[0], beta=remote[1], c=remote[2]),
        )
        for nf_type, (ideal_local, ideal_remote, stalls, local, remote) in _ASSUMED.items()
    )
