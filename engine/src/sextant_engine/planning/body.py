"""Write a draft down as a PlanBody: what is approved is this, byte for byte."""

from sextant_domain.base import Provenance
from sextant_domain.desired import DesiredChain, DesiredHostConfig
from sextant_domain.evidence import Evidence, ModelUse
from sextant_domain.placement import PlacedNf, Seat
from sextant_domain.plan import (
    ChainPrediction,
    Change,
    ChangeKind,
    CheckFinding,
    HostBase,
    Intent,
    MigrateIntent,
    PlanBody,
    RemoveIntent,
)

from sextant_engine.fleet import SHARED_CORES, Draft, HostDraft
from sextant_engine.planning.predict import gains_of, models_of, predictions_of
from sextant_engine.planning.replace import misplaced


def body_of(draft: Draft, intent: Intent, seconds: float) -> PlanBody:
    """The plan, without the checker's findings."""
    touched = [host for host in draft.hosts.values() if host.changed]
    before = {nf.nf_id: nf for host in touched for nf in placed(host, host.before)}
    after = {nf.nf_id: nf for host in touched for nf in placed(host, host.chains)}
    gains = {nf_id: gain for host in touched for nf_id, gain in gains_of(draft, host).items()}
    return PlanBody(
        intent=intent,
        base=tuple(
            HostBase(host=host.name, generation=host.snapshot.generation, digest=host.snapshot.digest)
            for host in touched
        ),
        target=tuple(DesiredHostConfig.of(host.snapshot.generation + 1, host.content()) for host in touched),
        changes=_changes(draft, before, after, gains),
        before=tuple(before.values()),
        after=tuple(after.values()),
        rejected=tuple(draft.rejected),
        predictions=tuple(_predictions(draft, touched)),
        evidence=_evidence(draft, intent, touched, seconds),
        checks=(),
        warnings=(*draft.warnings, *_warnings(touched)),
    )


def placed(host: HostDraft, chains: dict[str, DesiredChain]) -> list[PlacedNf]:
    """NFs with their seats, by chain name and position."""
    return [
        PlacedNf(
            nf_id=nf.nf_id,
            chain=name,
            position=position,
            nf_type=nf.nf_type,
            seat=Seat(
                host=host.name,
                node=host.node_of(nf.core),
                core=nf.core,
                slot=nf.slot,
                llc_ways=nf.llc_ways,
                memory_bandwidth_percent=nf.memory_bandwidth_percent,
                cpu_share=nf.cpu_share,
            ),
        )
        for name in sorted(chains)
        for position, nf in enumerate(chains[name].nfs)
    ]


def _changes(
    draft: Draft, before: dict[str, PlacedNf], after: dict[str, PlacedNf], gains: dict[str, float]
) -> tuple[Change, ...]:
    changes: list[Change] = []
    for nf_id, nf in sorted({**before, **after}.items(), key=lambda item: (item[1].chain, item[1].position, item[0])):
        source = before[nf_id].seat if nf_id in before else None
        target = after[nf_id].seat if nf_id in after else None
        if source == target:
            continue
        kind = ChangeKind.ADD if source is None else ChangeKind.REMOVE if target is None else ChangeKind.MOVE
        changes.append(
            Change(
                kind=kind,
                nf_id=nf_id,
                chain=nf.chain,
                nf_type=nf.nf_type,
                source=source,
                target=target,
                gain_mpps=gains.get(nf_id) if kind is ChangeKind.MOVE else None,
                reason=draft.reasons.get(nf_id, ""),
            )
        )
    return tuple(changes)


def _predictions(draft: Draft, touched: list[HostDraft]) -> list[ChainPrediction]:
    found = [prediction for host in touched for prediction in predictions_of(draft, host)]
    return sorted(found, key=lambda prediction: prediction.chain)


def _evidence(draft: Draft, intent: Intent, touched: list[HostDraft], seconds: float) -> Evidence:
    models = {(use.host_model, use.nf_type): use for host in touched for use in models_of(host)}
    ordered = isinstance(intent, MigrateIntent | RemoveIntent)
    results = [draft.results[name] for name in sorted(draft.results)]
    bounds = [result.bound for result in results if result.bound is not None]
    status = "feasible"
    if draft.rejected and not touched:
        status = "infeasible"
    elif ordered:
        status = "as_ordered"
    elif results and not draft.rejected and all(result.status == "optimal" for result in results):
        status = "optimal"
    return Evidence.model_validate(
        {
            "algorithm": None if ordered else draft.used,
            "status": status,
            "objective_mpps": sum(result.objective for result in results) if results else None,
            "score": sum(result.score for result in results) if results else None,
            "bound": sum(bounds) if results and len(bounds) == len(results) else None,
            "evaluations": draft.evaluations,
            "seconds": seconds,
            "seed": draft.seed,
            "models": tuple(models[key] for key in sorted(models)),
        }
    )


def _warnings(touched: list[HostDraft]) -> list[str]:
    warnings: list[str] = []
    for host in touched:
        why_not = host.unpredictable()
        if why_not is not None:
            hint = (
                "cores were chosen by occupancy, and throughput is measured only"
                if why_not == SHARED_CORES
                else ("profile it there, or ship an assumed model")
            )
            warnings.append(f"{host.name}: {why_not}; {hint}")
        elif any(use.provenance is Provenance.ASSUMED for use in models_of(host)):
            warnings.append(
                f"{host.name}: predictions rest on assumed parameters, not on profiles; profile its NF types"
            )
        if not host.up:
            warnings.append(f"{host.name} is {host.snapshot.status}: its order waits until it answers")
        for nf_id, why in misplaced(host).items():
            warnings.append(f"{nf_id} on {host.name}: {why}; re-place the fleet to move it")
    return warnings


def without_changes(body: PlanBody, findings: tuple[CheckFinding, ...]) -> PlanBody:
    """The same plan with nothing to apply: what the checker refuses must not run."""
    models: tuple[ModelUse, ...] = ()
    return body.model_copy(
        update={
            "base": (),
            "target": (),
            "changes": (),
            "before": (),
            "after": (),
            "predictions": (),
            "checks": findings,
            "evidence": body.evidence.model_copy(update={"status": "infeasible", "models": models}),
        }
    )
