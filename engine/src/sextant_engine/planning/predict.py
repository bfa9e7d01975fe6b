"""What the chains of a host will do under the draft, by the engine's own prediction."""

from sextant_domain.base import Provenance
from sextant_domain.chain import ChainSpec
from sextant_domain.evidence import Cause, ModelUse, NfPrediction
from sextant_domain.plan import ChainPrediction, SloVerdict

from sextant_engine.fleet import Draft, HostDraft
from sextant_engine.planning.ports import ingress_node
from sextant_engine.planning.reports import CauseFound, ChainReport, HostReport, NfReport

NO_LATENCY = "latency is measured, not predicted"
PAUSED = "paused: this is what it will do once it is resumed"
"""Its place is kept for it, so it is planned with as though it ran."""
WORST = 3
"""Causes told of each NF in the plan, the model's constant aside; the interference view has all."""


def predictions_of(draft: Draft, host: HostDraft, report: HostReport | None) -> list[ChainPrediction]:
    """One for each chain of the draft, by name."""
    if report is None:
        why_not = host.unpredictable() or ""
        return [_unpredicted(host, name, draft.specs.get(name), why_not) for name in sorted(host.chains)]
    return [_predicted(host, name, draft.specs.get(name), report.chains[name]) for name in sorted(host.chains)]


def _unpredicted(host: HostDraft, name: str, spec: ChainSpec | None, note: str) -> ChainPrediction:
    asked = spec.slo if spec else None
    return ChainPrediction(
        chain=name,
        throughput_mpps=None,
        bottleneck=None,
        provenance=Provenance.PREDICTED,
        throughput_slo=SloVerdict.NOT_PREDICTABLE if asked and asked.min_throughput_mpps is not None else None,
        latency_slo=SloVerdict.NOT_PREDICTABLE if asked and asked.max_p95_ms is not None else None,
        note=note,
        host=host.name,
        ingress_node=ingress_node(host.chains[name], host.inventory),
    )


def _predicted(host: HostDraft, name: str, spec: ChainSpec | None, found: ChainReport) -> ChainPrediction:
    chain = host.chains[name]
    asked = spec.slo if spec else None
    throughput = latency = None
    if asked and asked.min_throughput_mpps is not None:
        throughput = SloVerdict.MET if found.mpps >= asked.min_throughput_mpps else SloVerdict.MISSED
    if asked and asked.max_p95_ms is not None:
        latency = SloVerdict.NOT_PREDICTABLE
    notes = [f"capacity {max(found.capacity_mpps, 0.0):.2f} Mpps", *([NO_LATENCY] if latency else [])]
    notes += [PAUSED] if chain.paused else []
    return ChainPrediction(
        chain=name,
        throughput_mpps=found.mpps,
        bottleneck=chain.nfs[found.bottleneck].nf_id,
        provenance=provenance_of(host, [nf.nf_type for nf in chain.nfs]),
        throughput_slo=throughput,
        latency_slo=latency,
        note="; ".join(notes),
        host=host.name,
        ingress_node=ingress_node(chain, host.inventory),
        nfs=tuple(_nf(host, nf.nf_id, nf_found) for nf, nf_found in zip(chain.nfs, found.nfs, strict=True)),
    )


def provenance_of(host: HostDraft, nf_types: list[str]) -> Provenance:
    """Of figures that rest on the models of these types."""
    assumed = any(host.models[nf_type].provenance is Provenance.ASSUMED for nf_type in nf_types)
    return Provenance.ASSUMED if assumed else Provenance.PREDICTED


def _nf(host: HostDraft, nf_id: str, found: NfReport) -> NfPrediction:
    causes = [cause for cause in found.causes if cause.kind != "fixed"]
    return NfPrediction(
        nf_id=nf_id,
        mpps=found.mpps,
        ideal_mpps=found.ideal_mpps,
        llc_drop=found.llc_drop,
        mem_drop=found.mem_drop,
        fixed_drop=found.fixed_drop,
        worst=tuple(cause_of(host, cause) for cause in causes[:WORST]),
    )


def cause_of(host: HostDraft, found: CauseFound) -> Cause:
    """With the neighbour's NF id instead of its chain and position."""
    neighbour = None
    if found.chain is not None and found.position is not None:
        neighbour = host.chains[found.chain].nfs[found.position].nf_id
    return Cause(
        kind=found.kind,
        nf_id=neighbour,
        llc_drop=found.llc_drop,
        mem_drop=found.mem_drop,
        lost_mpps=found.lost_mpps,
        share=found.share,
    )


def models_of(host: HostDraft) -> list[ModelUse]:
    """Model versions that the choice of nodes on this host rests on."""
    types = {nf.nf_type for nf in host.nfs()}
    return [
        ModelUse(nf_type=nf_type, host_model=model.host_model, version=model.version, provenance=model.provenance)
        for nf_type, model in sorted(host.models.items())
        if nf_type in types
    ]
