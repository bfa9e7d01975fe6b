"""From an intent to a plan to its operation, as `chains submit`, `migrate` and `plans ask` share it."""

from collections.abc import Mapping

import typer
from sextant_domain.plans.intents import Intent
from sextant_domain.plans.operation import Operation, OperationState
from sextant_domain.plans.plan import Plan, PlanState
from sextant_domain.problem import NextAction

from sextant_cli.client import Answer, path_of
from sextant_cli.errors import CliError, Exit, error, refused
from sextant_cli.session import Session, read
from sextant_cli.show_plan import show_plan
from sextant_cli.solving import SolvingFields
from sextant_cli.waiting import until_free, wait_for_operation, wait_for_plan

MAX_PLANS = 3
"""A plan that another one overtook is made again until there were this many."""


def request_plan(session: Session, intent: Intent, solving: SolvingFields | None = None) -> int:
    """Asks for a plan, found as `solving` says; its id."""
    body: SolvingFields = {"intent": intent.model_dump(mode="json"), **(solving or {})}
    return read(Plan, session.api.post(path_of("plans"), body).body).id


def plan_or_apply(
    session: Session,
    intent: Intent,
    *,
    apply: bool,
    wait: bool,
    timeout_s: float,
    solving: SolvingFields | None = None,
    budget: Mapping[str, object] | None = None,
) -> None:
    """Asks for a plan and shows it, or carries it out at once; `budget`: what that may cost."""
    plan_id = request_plan(session, intent, solving)
    if apply:
        carry_out(session, intent, plan_id, wait=wait, timeout_s=timeout_s, solving=solving, budget=budget)
    else:
        present_plan(session, *made_plan(session, plan_id, timeout_s))


def made_plan(session: Session, plan_id: int, timeout_s: float) -> tuple[Plan, Answer]:
    """The plan once it is made; CliError where it could not be."""
    plan, answer = wait_for_plan(session.api, session.out, plan_id, timeout_s)
    if plan.state is PlanState.FAILED and plan.error is not None:
        raise CliError(plan.error, Exit.FAILED)
    return plan, answer


def present_plan(session: Session, plan: Plan, answer: Answer) -> None:
    """Shows a plan; ends with status 1 where a chain has no room in it."""
    if session.out.is_json:
        session.out.json(answer.body)
    else:
        show_plan(session.out, plan)
    end_if_no_room(plan)


def end_if_no_room(plan: Plan) -> None:
    """Status 1 where a chain does not fit, so that a script notices."""
    if plan.body is not None and plan.body.rejected:
        raise typer.Exit(Exit.FAILED)


def carry_out(
    session: Session,
    intent: Intent,
    plan_id: int,
    *,
    wait: bool,
    timeout_s: float,
    solving: SolvingFields | None = None,
    budget: Mapping[str, object] | None = None,
) -> None:
    """Applies the plan; plans again, as `solving` says, when another plan came first."""
    for count in range(1, MAX_PLANS + 1):
        plan, answer = made_plan(session, plan_id, timeout_s)
        overtaken = plan.state is PlanState.SUPERSEDED
        if not overtaken and not plan.applicable:
            present_plan(session, plan, answer)
            return
        if not overtaken:
            refuse_distrusted(plan)
        try:
            started = None if overtaken else start(session, plan, timeout_s, budget=budget)
        except CliError as cause:
            if cause.kind != "stale-plan" or count == MAX_PLANS:
                raise
            started = None
        if started is not None:
            report(session, started, wait=wait, timeout_s=timeout_s)
            if plan.body is not None:
                end_if_no_room(plan)
            return
        if count < MAX_PLANS:
            session.out.progress(f"plan {plan.id} was superseded by another plan; planning again")
            plan_id = request_plan(session, intent, solving)
    raise _always_overtaken(plan_id)


def refuse_distrusted(plan: Plan) -> None:
    """CliError where models that the plan rests on have predicted wrongly: applying it needs a second word."""
    if plan.body is None or not plan.body.evidence.distrusted:
        return
    causes = "; ".join(
        f"{use.nf_type} on {use.host_model}: {use.trust_why or 'did not hold'}" for use in plan.body.evidence.distrusted
    )
    raise error(
        "distrusted",
        f"Plan {plan.id} was not applied",
        f"it uses models whose predictions were wrong ({causes}). To apply it anyway, add --yes",
        Exit.REFUSED,
        next_actions=(
            NextAction(label="Read the plan", command=f"sextant plans show {plan.id}"),
            NextAction(label="Apply it anyway", command=f"sextant plans apply {plan.id} --yes"),
        ),
    )


def start(
    session: Session,
    plan: Plan,
    timeout_s: float,
    hosts_at_once: int | None = None,
    budget: Mapping[str, object] | None = None,
) -> Answer:
    """Applies exactly this plan: its digest is the If-Match. What it is predicted to make worse is shown before."""
    for one in plan.body.worse if plan.body else ():
        session.out.progress(f"worse: {one.chain}: {one.detail}")
    path = path_of("plans", plan.id, "apply")
    how: dict[str, object] = {**({} if hosts_at_once is None else {"hosts_at_once": hosts_at_once}), **(budget or {})}
    tag = f'"{plan.digest}"' if plan.digest else None
    return until_free(lambda: session.api.post(path, how or None, if_match=tag), timeout_s)


def report(session: Session, started: Answer, *, wait: bool, timeout_s: float) -> None:
    """Shows the operation, at once or at its end; CliError where it failed."""
    operation = read(Operation, started.body)
    if not wait:
        if session.out.is_json:
            session.out.json(started.body)
        else:
            session.out.line(f"operation {operation.id}  {operation.state.value}  {operation.title}")
            session.out.progress(f"watch it with: sextant operations watch {operation.id}")
        return
    follow(session, operation.id, timeout_s)


def follow(session: Session, operation_id: int, timeout_s: float) -> None:
    """Waits for an operation's end and shows it."""
    operation, answer = wait_for_operation(session.api, session.out, operation_id, timeout_s)
    if session.out.is_json:
        session.out.json(answer.body)
    if operation.state is OperationState.COMPLETED or _as_wished(operation):
        if not session.out.is_json:
            session.out.line(f"operation {operation.id}  {operation.state.value}  {operation.title}")
        return
    raise _ended_badly(operation)


def _as_wished(operation: Operation) -> bool:
    """Rolled back or cancelled is what somebody asked for, unless an error led there."""
    return operation.state in {OperationState.ROLLED_BACK, OperationState.CANCELLED} and operation.error is None


def _ended_badly(operation: Operation) -> CliError:
    offers = tuple(
        NextAction(label=offer.reason, command=f"sextant operations {offer.action.value} {operation.id}")
        for offer in operation.actions
        if offer.allowed
    )
    title = f"Operation {operation.id} ended as {operation.state.value}: {operation.title}"
    if operation.waits_for_host:
        title = f"Operation {operation.id} is waiting and continues when the host is back: {operation.title}"
        watch = f"sextant operations watch {operation.id}"
        offers = (NextAction(label="Follow it once the host is back, or decide now", command=watch), *offers)
    if operation.error is None:
        return error("operation-failed", title, "it gave no reason", Exit.FAILED, next_actions=offers)
    problem = operation.error.model_copy(
        update={"title": f"{title} ({operation.error.title})", "next_actions": (*operation.error.next_actions, *offers)}
    )
    failed = refused(problem)
    failed.status = Exit.FAILED
    return failed


def _always_overtaken(plan_id: int) -> CliError:
    return error(
        "stale-plan",
        "Other plans were applied first",
        f"{MAX_PLANS} plans were made, and each was superseded by another before it could be applied; the last is "
        f"plan {plan_id}; nothing was applied",
        Exit.REFUSED,
        next_actions=(NextAction(label="See running operations", command="sextant operations list"),),
    )
