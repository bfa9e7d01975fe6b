"""A plan as text: what changes and why, what does not fit, what is predicted, what was checked."""

from collections.abc import Iterator, Sequence

from sextant_domain.hosts.desired import ResourceBounds
from sextant_domain.plans.assumptions import Relaxation
from sextant_domain.plans.handover import Handover
from sextant_domain.plans.intents import AlignIntent, PlaceIntent, RelocateIntent, ResourceIntent, RestoreIntent
from sextant_domain.plans.loss import LossPreview
from sextant_domain.plans.placement import Seat
from sextant_domain.plans.plan import ChainPrediction, Change, ChangeKind, Plan, PlanBody, Rejection
from sextant_domain.plans.resources import SEAT_RESOURCES, resource_differences, resource_text
from sextant_domain.plans.verdict import PREDICTOR_WORDS

from sextant_cli.figures import mpps, or_none
from sextant_cli.output import Printer
from sextant_cli.show_evidence import progress_text, show_evidence

REFUSED = {
    "resources": "nothing is given to",
    "relocate": "cannot move",
    "drain": "cannot move",
    "align": "cannot order",
}
"""How a rejection begins, where it is not for want of room."""


def show_plan(out: Printer, plan: Plan) -> None:
    """The whole plan, for review."""
    out.line(f"plan {plan.id}  {plan.state.value}  {subject_of(plan)}", style="bold")
    if plan.error is not None:
        out.line(f"failed: {plan.error.detail}", style="red")
    if plan.waits_for is not None:
        out.line(plan.waits_for.reason, style="yellow")
        out.line(f"plan now with assumed figures: sextant plans proceed {plan.id}", style="dim")
    if plan.progress is not None:
        out.line(progress_text(plan.progress))
    if plan.body is None:
        return
    if isinstance(plan.intent, AlignIntent):
        _show_drift(out, plan.intent)
    _show_changes(out, plan.body)
    if plan.body.handover is not None:
        _show_handover(out, plan.body.handover)
    if plan.body.loss is not None:
        _show_loss(out, plan.body.loss)
    show_rejections(out, plan.body.rejected, plan.intent.kind)
    _show_predictions(out, plan.body)
    show_evidence(out, plan.body)
    for one in plan.body.worse:
        out.line(f"worse: {one.chain}: {one.detail}", style="red" if one.breaks_slo else "yellow")
    if plan.source == "file":
        out.line(f"a study plan on the file of comparison {plan.comparison_id}; it cannot be applied", style="dim")
    if plan.source == "preview" and isinstance(plan.intent, PlaceIntent):
        assumed = ", ".join(f"{one.kind.value} {one.name}" for one in plan.intent.assume)
        out.line(f"a preview, as if {assumed}; it cannot be applied", style="dim")
    if plan.applicable:
        loss = plan.body.handover.interrupts if plan.body.handover else None
        allowing = "" if loss is None else f" --most-lost-packets {loss.packets}"
        out.line(f"apply it with: sextant plans apply {plan.id}{allowing} --wait", style="dim")


def subject_of(plan: Plan) -> str:
    """'place web-edge', 'replace fleet'."""
    intent = plan.intent
    if isinstance(intent, AlignIntent):
        return f"{intent.action.value} {intent.host}"
    if isinstance(intent, RestoreIntent):
        return f"undo operation {intent.operation_id}"
    if isinstance(intent, ResourceIntent):
        return f"resources of {intent.subject}"
    if isinstance(intent, RelocateIntent):
        return f"relocate {intent.subject}"
    named = (getattr(intent, field, None) for field in ("chain", "nf_id", "host"))
    return f"{intent.kind} {next(filter(None, named), 'fleet')}"


def _show_drift(out: Printer, intent: AlignIntent) -> None:
    """What differed when the plan was asked for."""
    out.table(
        ("NF OR CHAIN", "DIFFERS IN", "ORDERED", "RUNS"),
        ((one.subject, one.kind.value, one.ordered, one.runs) for one in intent.differences),
        empty="every NF runs as ordered; the agent holds another order",
    )
    if intent.accepted is None:
        out.line(f"{intent.host} is ordered again what it was ordered; what runs as ordered goes on")


def seat_text(seat: Seat | None) -> str:
    """`edge-1 core 1 slot 0`."""
    return "-" if seat is None else f"{seat.host} core {seat.core} slot {seat.slot}"


def _show_changes(out: Printer, body: PlanBody) -> None:
    if body.adjustments:
        out.table(
            ("SETTING", "CHAIN", "HOST", "FROM", "TO"),
            (
                (
                    one.field,
                    one.chain,
                    one.host,
                    adjusted_text(one.field, one.before),
                    adjusted_text(one.field, one.after),
                )
                for one in body.adjustments
            ),
            empty="",
        )
    given = [change for change in body.changes if change.kind is ChangeKind.RESOURCES]
    if given:
        out.table(("RESOURCES OF", "HOST", "RESOURCE", "FROM", "TO", "WHY"), _given_rows(given), empty="")
    seated = [change for change in body.changes if change.kind is not ChangeKind.RESOURCES]
    if not seated and (given or body.adjustments):
        return
    out.table(
        ("CHANGE", "NF", "FROM", "TO", "GAIN Mpps>", "VALUE x Mpps>", "WHY"),
        (
            (
                change.kind.value,
                change.nf_id,
                seat_text(change.source),
                seat_text(change.target),
                mpps(_true_gain(change)),
                mpps(_weighted(change)),
                change.reason,
            )
            for change in seated
        ),
        empty="nothing changes",
    )
    for why, names in unpredictable(seated).items():
        out.line(f"gain of {', '.join(names)} not predictable: {why}")


def unpredictable(changes: list[Change]) -> dict[str, list[str]]:
    """NFs whose move has no gain, by why nothing is predicted of it."""
    found: dict[str, list[str]] = {}
    for change in changes:
        if change.no_gain is not None:
            found.setdefault(change.no_gain, []).append(change.nf_id)
    return found


def adjusted_text(field: str, value: str) -> str:
    """A plan has values as JSON; bounds are a sentence."""
    if field != "bounds" or value == "null":
        return "none" if field == "bounds" else value
    return ResourceBounds.model_validate_json(value).text


def _show_handover(out: Printer, handover: Handover) -> None:
    for order in handover.between:
        out.line(f"{order.content.host_id} runs what comes to it beside what it runs before it gives anything up")
    if (loss := handover.interrupts) is not None:
        names = ", ".join(one.chain for one in loss.chains)
        out.line(
            f"interrupts {names}: {loss.packets} packets lost, {loss.pause_ms:g} ms without a packet (assumed: "
            f"{loss.basis})"
        )


def _show_loss(out: Printer, loss: LossPreview) -> None:
    moves = sum(one.moves for one in loss.chains)
    out.line(
        f"moving {moves} NF{'s' * (moves > 1)} is expected to lose {loss.packets} packets at most, with "
        f"{loss.pause_ms:g} ms a move{' (assumed)' if loss.assumed else ''}: {loss.basis}"
    )


def _given_rows(changes: list[Change]) -> Iterator[tuple[str, ...]]:
    for change in changes:
        if change.source is not None and change.target is not None:
            for field, before, after in resource_differences(change.source, change.target):
                values = resource_text(field, before), resource_text(field, after)
                yield change.nf_id, change.target.host, SEAT_RESOURCES[field], *values, change.reason


def _true_gain(change: Change) -> float | None:
    """Plans of an earlier version hold no Mpps."""
    return None if change.weighted_gain is None else change.gain_mpps


def _weighted(change: Change) -> float | None:
    return change.gain_mpps if change.weighted_gain is None else change.weighted_gain


def show_rejections(out: Printer, rejected: Sequence[Rejection], kind: str) -> None:
    """What is not placed, given or moved, and what would help; `kind`: of the plan's intent."""
    for chains, rejection in _alike(rejected):
        _show_rejection(out, chains, rejection, kind)


def _alike(rejected: Sequence[Rejection]) -> list[tuple[list[str], Rejection]]:
    """Chains that are refused in the same words, where none of these leads to a plan for one chain alone."""
    found: list[tuple[list[str], Rejection]] = []
    for one in rejected:
        same = next((each for each in found if _like(each[1], one)), None)
        if same is None:
            found.append(([one.chain], one))
        else:
            same[0].append(one.chain)
    return found


def _like(one: Rejection, other: Rejection) -> bool:
    own_plan = any(_preview_of(one.chain, way) for way in one.relaxations)
    return not own_plan and one.model_copy(update={"chain": other.chain}) == other


def _show_rejection(out: Printer, chains: Sequence[str], rejection: Rejection, kind: str) -> None:
    out.line(f"{REFUSED.get(kind, 'no room for')} {', '.join(chains)}: {rejection.reason}", style="red")
    if rejection.short is not None:
        where = f" on {rejection.short.host}" if rejection.short.host else ""
        node = "" if rejection.short.node is None else f", node {rejection.short.node}"
        out.line(f"  short of {rejection.short.cores} core slots{where}{node}")
    if rejection.conflict:
        out.line("  the fewest reasons that together exclude every host:")
        for reason in rejection.conflict:
            out.line(f"    {reason}")
    ways = rejection.relaxations
    if not ways and rejection.relax is not None:
        out.line(f"  next: {rejection.relax}", style="cyan")
    for number, way in enumerate(ways):
        out.line(f"  {'or' if number else 'next'}: {way.text}", style="cyan")
        command = _preview_of(rejection.chain, way)
        if command:
            out.line(f"    preview: {command}", style="dim")


def _preview_of(chain: str, way: Relaxation) -> str | None:
    if way.move is not None:
        return f"sextant chains relocate {way.move.chain} --host {way.move.host}"
    assumed = "".join(f" --assume {one.kind.value}={one.name}" for one in way.assume)
    return f"sextant plans ask --chain {chain}{assumed}" if assumed else None


def _show_predictions(out: Printer, body: PlanBody) -> None:
    if body.predictions:
        out.table(
            (
                "CHAIN",
                "NOW Mpps>",
                "PREDICTED Mpps>",
                "FROM>",
                "TO>",
                "INTERVAL BY",
                "BOTTLENECK",
                "THROUGHPUT SLO",
                "LATENCY SLO",
                "NOTE",
            ),
            (_prediction_row(prediction) for prediction in body.predictions),
            empty="",
        )


def _prediction_row(prediction: ChainPrediction) -> tuple[str, ...]:
    return (
        prediction.chain,
        mpps(prediction.before_mpps),
        mpps(prediction.throughput_mpps),
        mpps(prediction.low_mpps),
        mpps(prediction.high_mpps),
        or_none(prediction.interval_source),
        or_none(prediction.bottleneck),
        or_none(prediction.throughput_slo),
        or_none(prediction.latency_slo),
        note_of(prediction),
    )


def note_of(prediction: ChainPrediction) -> str:
    """What there is to know of a prediction beside its figures; where it comes from, if nothing."""
    interval = prediction.interval_note and f"interval {prediction.interval_note}"
    return "; ".join(filter(None, (prediction.note, interval, chosen_by(prediction)))) or prediction.provenance.value


def chosen_by(prediction: ChainPrediction) -> str | None:
    """By the predictor that chose its place, where that is another."""
    if prediction.by_chooser is None:
        return None
    predictor, figures = prediction.by_chooser
    now = "" if figures.before_mpps is None else f", now {mpps(figures.before_mpps)}"
    return f"placed by {PREDICTOR_WORDS[predictor]}: {mpps(figures.throughput_mpps)} Mpps predicted{now}"
