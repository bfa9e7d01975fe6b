"""Control laws do not act: somebody has stopped all of them and forgotten it, or nobody evaluates one any more."""

from datetime import timedelta

from sextant_domain.console.alerts import AlertKind, AlertObjectKind, AlertSeverity
from sqlalchemy import select
from sqlalchemy.orm import Session

from sextant_backend.laws import registry
from sextant_backend.modules.alerts.kinds.frame import Condition, Findings, KindSpec, Look, Parameter
from sextant_backend.modules.control import policy_table, repository

ALL = "all"


def observe(session: Session, look: Look) -> Findings:
    """While all are stopped it is not an alert that none is evaluated."""
    control = repository.control(session)
    if control.stopped:
        condition = Condition(
            f"All control laws are stopped since {control.changed_at:%Y-%m-%d %H:%M} UTC",
            f"{control.changed_by} has stopped them: nothing is recommended or applied by itself.",
            "sextant automation resume",
        )
        return Findings({ALL: condition})
    bad = {}
    idle = {law.name for law in registry.each_second() if not session.scalar(select(law.due()))}
    for law in registry.every():
        if law.name in idle:
            continue  # there is nothing that it would look at
        row = policy_table.law_row(session, law.name)
        every_s = law.period_s(policy_table.policy_of(policy_table.of_fleet(session, law.name)))
        late = timedelta(seconds=3 * every_s) + timedelta(minutes=look.parameters["late_minutes"])
        if row.evaluated_at is None or row.evaluated_at < look.now - late:
            last = "never" if row.evaluated_at is None else f"last at {row.evaluated_at:%Y-%m-%d %H:%M} UTC"
            bad[law.name] = Condition(
                f"{law.title} is not evaluated",
                f"It was evaluated {last}, and is due every {every_s:g} s. No worker takes it up, or each turn fails.",
                "See that a worker of queue control runs: make status, or its log",
            )
    return Findings(bad)


SPEC = KindSpec(
    kind=AlertKind.LAW_STOPPED,
    title="Control law stopped",
    summary="All control laws are stopped by the switch, or one is due and nobody evaluates it",
    object_kind=AlertObjectKind.LAW,
    severity=AlertSeverity.WARNING,
    fire_after_s=600.0,
    resolve_after_s=0.0,
    observe=observe,
    every_s=30.0,
    parameters=(Parameter("late_minutes", "Evaluated too late by", "min", default=5.0, least=1.0, most=1440.0),),
)
