"""Write a draft down as a PlanBody: what is approved is this, byte for byte."""

from collections.abc import Mapping

from sextant_domain.hosts.desired import DesiredChain, DesiredHostConfig, DesiredNf
from sextant_domain.plans.evidence import ModelUse
from sextant_domain.plans.intents import (
    AdjustIntent,
    AlignIntent,
    DrainIntent,
    Intent,
    LaneIntent,
    MigrateIntent,
    RelocateIntent,
    ResourceIntent,
)
from sextant_domain.plans.placement import PlacedNf, Seat
from sextant_domain.plans.plan import BusyCore, ChainPrediction, Change, ChangeKind, CheckFinding, HostBase, PlanBody
from sextant_domain.plans.resources import resource_differences

from sextant_engine.host_state import HostState
from sextant_engine.planning.adjust import adjustments_of
from sextant_engine.planning.alternatives import report_alternatives
from sextant_engine.planning.chosen import with_choosers
from sextant_engine.planning.draft import PlanDraft
from sextant_engine.planning.evidence import evidence_of
from sextant_engine.planning.handover import handover_of
from sextant_engine.planning.loss import loss_of
from sextant_engine.planning.move_gains import MoveGains, move_gains
from sextant_engine.planning.predict import ASKED, predictions_of
from sextant_engine.planning.reports import FRONTIER_S, FRONTIERS_S, HostReport, report_of
from sextant_engine.planning.standing import predicted_as_placed
from sextant_engine.planning.warnings import warnings_of
from sextant_engine.planning.worse import worse_of


def body_of(draft: PlanDraft, intent: Intent) -> PlanBody:
    """The plan, without the checker's findings."""
    touched = [host for host in draft.hosts.values() if host.changed or host.name in draft.reordered]
    reports = _reports(draft, touched)
    named = isinstance(intent, LaneIntent) and bool(intent.seats)
    in_place = named or isinstance(intent, ResourceIntent | AdjustIntent | AlignIntent)
    had_some = in_place or isinstance(intent, RelocateIntent | DrainIntent | LaneIntent)
    if not in_place:
        report_alternatives(draft, reports)
    before = {nf.nf_id: nf for host in touched for nf in placed(host, host.before)}
    after = {nf.nf_id: nf for host in touched for nf in placed(host, host.chains)}
    handover = handover_of(touched)
    between = {order.content.host_id for order in handover.between} if handover else frozenset[str]()
    predictions = with_choosers(draft, _predictions(draft, touched, reports))
    if had_some:
        predictions = _with_before(draft, touched, predictions)
    return PlanBody(
        intent=intent,
        base=tuple(
            HostBase(host=host.name, generation=host.snapshot.generation, digest=host.snapshot.digest)
            for host in touched
        ),
        target=tuple(
            DesiredHostConfig.of(host.snapshot.generation + 1 + (host.name in between), host.content())
            for host in touched
        ),
        changes=_changes(draft, before, after, move_gains(draft, touched, reports)),
        adjustments=adjustments_of(touched),
        before=tuple(before.values()),
        after=tuple(after.values()),
        rejected=tuple(draft.rejected),
        predictions=predictions,
        worse=worse_of(draft.fleet, touched, predictions),
        other_work=tuple(
            BusyCore(host=host.name, core=work.core, percent=work.percent)
            for host in touched
            for work in host.snapshot.other_work
        ),
        loss=loss_of(touched) if isinstance(intent, MigrateIntent | ResourceIntent) else None,
        handover=handover,
        evidence=evidence_of(draft, intent, touched, reports),
        checks=(),
        warnings=(*draft.warnings, *warnings_of(draft.fleet, touched)),
    )


def _reports(draft: PlanDraft, touched: list[HostState]) -> dict[str, HostReport]:
    found: dict[str, HostReport] = {}
    spent = 0.0
    for done, host in enumerate(touched):
        draft.progress.report("explaining", done, len(touched))
        moves = sum(nf.core != then.core for nf, then in _pairs(host)) if draft.found is not None else 0
        began = draft.progress.elapsed()
        seconds = max(0.0, min(FRONTIER_S, FRONTIERS_S - spent))
        report = report_of(draft.fleet, host, moves=moves, seconds=seconds, most_causes=ASKED, kept=draft.kept)
        spent += draft.progress.elapsed() - began if moves else 0.0
        if report is not None:
            found[host.name] = report
    return found


def _pairs(host: HostState) -> list[tuple[DesiredNf, DesiredNf]]:
    """NFs that ran and still run: (now, then)."""
    then = {nf.nf_id: nf for chain in host.before.values() for nf in chain.nfs}
    return [(nf, then[nf.nf_id]) for nf in host.nfs() if nf.nf_id in then]


def placed(host: HostState, chains: Mapping[str, DesiredChain]) -> list[PlacedNf]:
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
                cpu_quota_percent=nf.cpu_quota_percent,
                **_of_chain(chains[name]),
            ),
        )
        for name in sorted(chains)
        for position, nf in enumerate(chains[name].nfs)
    ]


def _of_chain(chain: DesiredChain) -> dict[str, int | None]:
    """Of a seat, what its NF has together with all others of its chain."""
    has = chain.resources
    return {} if has is None else {f"chain_{field}": value for field, value in has}


def _changes(
    draft: PlanDraft, before: dict[str, PlacedNf], after: dict[str, PlacedNf], gains: MoveGains
) -> tuple[Change, ...]:
    changes: list[Change] = []
    for nf_id, nf in sorted({**before, **after}.items(), key=lambda item: (item[1].chain, item[1].position, item[0])):
        source = before[nf_id].seat if nf_id in before else None
        target = after[nf_id].seat if nf_id in after else None
        kind = _kind(source, target)
        if kind is None:
            continue
        gain, no_gain = gains.of(before[nf_id], nf) if kind is ChangeKind.MOVE else (None, None)
        changes.append(
            Change(
                kind=kind,
                nf_id=nf_id,
                chain=nf.chain,
                nf_type=nf.nf_type,
                source=source,
                target=target,
                gain_mpps=None if gain is None else gain.mpps,
                weighted_gain=None if gain is None else gain.gain_mpps,
                no_gain=no_gain,
                reason=draft.reasons.get(nf_id, ""),
            )
        )
    return tuple(changes)


def _kind(source: Seat | None, target: Seat | None) -> ChangeKind | None:
    """An NF that moves may get other resources on its new seat, too: that is one move."""
    if source is None:
        return ChangeKind.START
    if target is None:
        return ChangeKind.STOP
    if source.place != target.place:
        return ChangeKind.MOVE
    return ChangeKind.RESOURCES if resource_differences(source, target) else None


def _predictions(
    draft: PlanDraft, touched: list[HostState], reports: dict[str, HostReport]
) -> tuple[ChainPrediction, ...]:
    found: list[ChainPrediction] = []
    for host in touched:
        draft.progress.report("explaining", len(touched), len(touched))
        found += predictions_of(draft.fleet, host, reports.get(host.name))
    return tuple(sorted(found, key=lambda prediction: prediction.chain))


def _with_before(
    draft: PlanDraft, touched: list[HostState], after: tuple[ChainPrediction, ...]
) -> tuple[ChainPrediction, ...]:
    """With what the chains do now, as they stand and are set now. A report knows no more than what they would do there
    with the settings that are to come, and nothing of chains that come from another host."""
    now = {one.chain: one.throughput_mpps for one in predicted_as_placed(draft.fleet, [host.name for host in touched])}
    return tuple(one.model_copy(update={"before_mpps": now.get(one.chain)}) for one in after)


def without_changes(body: PlanBody, findings: tuple[CheckFinding, ...]) -> PlanBody:
    """The same plan with nothing to apply: what the checker refuses must not run."""
    models: tuple[ModelUse, ...] = ()
    return body.model_copy(
        update={
            "base": (),
            "target": (),
            "changes": (),
            "adjustments": (),
            "before": (),
            "after": (),
            "predictions": (),
            "worse": (),
            "loss": None,
            "handover": None,
            "other_work": (),
            "checks": findings,
            "evidence": body.evidence.model_copy(update={"status": "infeasible", "models": models}),
        }
    )
