"""What the chains of a host will do under the draft, and what every move gains, by the engine's own prediction."""

from sextant_domain.base import Provenance
from sextant_domain.chain import ChainSpec
from sextant_domain.evidence import ModelUse
from sextant_domain.plan import ChainPrediction, SloVerdict

from sextant_engine.fleet import Draft, HostDraft
from sextant_engine.model import Assignment, ChainFigures, Model
from sextant_engine.planning.host_problem import host_problem, placement_of
from sextant_engine.rank import rank_of

NO_LATENCY = "latency is measured, not predicted"


def predictions_of(draft: Draft, host: HostDraft) -> list[ChainPrediction]:
    """One for each chain of the draft, by name."""
    why_not = host.unpredictable()
    if why_not is not None:
        return [_unpredicted(name, draft.specs.get(name), why_not) for name in sorted(host.chains)]
    model, assignment = _model_of(draft, host)
    figures = model.evaluate(assignment)
    return [
        _predicted(host, name, draft.specs.get(name), found)
        for name, found in zip(sorted(host.chains), figures, strict=True)
        if found is not None
    ]


def _model_of(draft: Draft, host: HostDraft) -> tuple[Model, Assignment]:
    model = Model(host_problem(draft, host, {}))
    return model, model.assignment(placement_of(host))


def _unpredicted(name: str, spec: ChainSpec | None, note: str) -> ChainPrediction:
    asked = spec.slo if spec else None
    return ChainPrediction(
        chain=name,
        throughput_mpps=None,
        bottleneck=None,
        provenance=Provenance.PREDICTED,
        throughput_slo=SloVerdict.NOT_PREDICTABLE if asked and asked.min_throughput_mpps is not None else None,
        latency_slo=SloVerdict.NOT_PREDICTABLE if asked and asked.max_p95_ms is not None else None,
        note=note,
    )


def _predicted(host: HostDraft, name: str, spec: ChainSpec | None, found: ChainFigures) -> ChainPrediction:
    slowest = host.chains[name].nfs[found.bottleneck]
    mpps = min(max(found.counted_mpps, 0.0), found.nfs[found.bottleneck].ideal_mpps)
    asked = spec.slo if spec else None
    throughput = latency = None
    if asked and asked.min_throughput_mpps is not None:
        throughput = SloVerdict.MET if mpps >= asked.min_throughput_mpps else SloVerdict.MISSED
    if asked and asked.max_p95_ms is not None:
        latency = SloVerdict.NOT_PREDICTABLE
    assumed = any(host.models[nf.nf_type].provenance is Provenance.ASSUMED for nf in host.chains[name].nfs)
    notes = [f"capacity {max(found.capacity_mpps, 0.0):.2f} Mpps", *([NO_LATENCY] if latency else [])]
    return ChainPrediction(
        chain=name,
        throughput_mpps=mpps,
        bottleneck=slowest.nf_id,
        provenance=Provenance.ASSUMED if assumed else Provenance.PREDICTED,
        throughput_slo=throughput,
        latency_slo=latency,
        note="; ".join(notes),
    )


def gains_of(draft: Draft, host: HostDraft) -> dict[str, float]:
    """NF id -> what its move adds to the score (value x Mpps, before the price), moves taken in the plan's order.

    The gains add up to the gain of all moves together. Empty where no model holds or nothing moves.
    """
    if host.unpredictable() is not None:
        return {}
    model, after = _model_of(draft, host)
    names = sorted(host.chains)
    now: Assignment = [
        _nodes_before(model, host, name) if name in host.before else after[index] for index, name in enumerate(names)
    ]
    gains: dict[str, float] = {}
    score = rank_of(model, now).score
    for index, name in enumerate(names):
        seats_before = {nf.nf_id: (nf.core, nf.slot) for nf in host.before[name].nfs} if name in host.before else {}
        for position, nf in enumerate(host.chains[name].nfs):
            if nf.nf_id not in seats_before or seats_before[nf.nf_id] == (nf.core, nf.slot):
                continue
            pattern, target = list(now[index] or ()), after[index] or ()
            pattern[position] = target[position]
            now[index] = tuple(pattern)
            moved = rank_of(model, now).score
            gains[nf.nf_id], score = moved - score, moved
    return gains


def _nodes_before(model: Model, host: HostDraft, name: str) -> tuple[int, ...]:
    return tuple(model.node_of[str(host.node_of(nf.core))] for nf in host.before[name].nfs)


def models_of(host: HostDraft) -> list[ModelUse]:
    """Model versions that the host's predictions rest on."""
    if host.unpredictable() is not None:
        return []
    return [
        ModelUse(
            nf_type=nf_type,
            host_model=model.host_model,
            version=model.version,
            provenance=model.provenance,
        )
        for nf_type, model in sorted(host.models.items())
        if any(nf.nf_type == nf_type for nf in host.nfs())
    ]
