"""Sets policies by law and scope, and the switch of all laws; each change is audited."""

from sextant_domain.console.views import Page
from sextant_domain.laws.automation import Automation, LawView, NarrowScope, PolicyScope, ScopedPolicy
from sextant_domain.laws.recommendation import PolicyMode, RecommendationPolicy
from sextant_domain.plans.evidence import PREDICTORS_AT_REST
from sextant_domain.plans.trust import Trust, TrustVerdict
from sextant_domain.problem import NextAction
from sqlalchemy.orm import Session

from sextant_backend.kit.db import db_now
from sextant_backend.kit.errors import NotFound
from sextant_backend.kit.paging import Paging
from sextant_backend.kit.principal import Principal
from sextant_backend.laws import registry
from sextant_backend.laws.frame import AnyLaw
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.chains import repository as chains
from sextant_backend.modules.control import policy_table, views
from sextant_backend.modules.control.errors import NotTrusted
from sextant_backend.modules.control.models import ControlRow, PolicyRow
from sextant_backend.modules.hosts import repository as hosts
from sextant_backend.modules.outcomes import service as outcomes


def set_fleet_policy(session: Session, row: PolicyRow, wanted: RecommendationPolicy, who: Principal) -> None:
    """Put another policy of the fleet in force; raises NotTrusted for an automatic one while a predictor in use is
    distrusted."""
    former = policy_table.policy_of(row)
    if wanted.mode is PolicyMode.AUTOMATIC and registry.law_named(row.law).rests_on_models:
        _refuse_distrusted(session)
    if wanted == former:
        return
    row.mode, row.settings = wanted.mode.value, policy_table.settings_of(wanted)
    row.changed_at, row.changed_by = db_now(session), who.username
    row.version += 1
    policy_table.evaluate_again(session, row.law)
    given, before = wanted.model_dump(mode="json"), former.model_dump(mode="json")
    detail = {name: value for name, value in given.items() if value != before[name]}
    audit.record(session, who.username, "policy.set", "policy", {"law": row.law, **detail}, before=former, after=wanted)


def set_mode(
    session: Session, law: AnyLaw, scope: NarrowScope, name: str, *, mode: PolicyMode, who: Principal
) -> ScopedPolicy:
    """The policy of a host or chain; raises NotFound, and NotTrusted as for the fleet's."""
    wide = PolicyScope(scope.value)
    _refuse_unknown(session, wide, name)
    if mode is PolicyMode.AUTOMATIC and law.rests_on_models:
        _refuse_distrusted(session)
    policy_table.of_fleet(session, law.name, lock=True)  # one change of a law's policies at a time
    now = db_now(session)
    row = policy_table.scoped(session, law.name, wide, name)
    if row is not None and row.mode == mode.value:
        return views.scoped_policy(row)
    if row is None:
        row = PolicyRow(law=law.name, scope=wide.value, name=name, version=0)
    before = None if row.version == 0 else {"mode": row.mode}
    row.mode, row.changed_at, row.changed_by = mode.value, now, who.username
    row.version += 1
    session.add(row)
    session.flush()
    policy_table.evaluate_again(session, law.name)
    subject = f"policy/{scope.value}/{name}"
    audit.record(session, who.username, "policy.set", subject, _detail(row), before=before, after={"mode": row.mode})
    return views.scoped_policy(row)


def clear_mode(session: Session, law: AnyLaw, scope: NarrowScope, name: str, who: Principal) -> None:
    """From now on the next wider scope's holds; raises NotFound where there is none to clear."""
    row = policy_table.scoped(session, law.name, PolicyScope(scope.value), name)
    if row is None:
        raise NotFound(f"{law.name} has no policy of {scope.value} {name}: that of the next wider scope holds.")
    session.delete(row)
    policy_table.evaluate_again(session, law.name)
    before = {"mode": row.mode}
    audit.record(session, who.username, "policy.clear", f"policy/{scope.value}/{name}", _detail(row), before=before)


def _detail(row: PolicyRow) -> dict[str, object]:
    return {"law": row.law, "scope": row.scope, "name": row.name, "mode": row.mode}


def page(session: Session, asked: Paging, law: str | None, scope: PolicyScope | None) -> Page[ScopedPolicy]:
    """A page of policies; the fleet's of every law are among them."""
    for one in registry.every():
        policy_table.of_fleet(session, one.name)
    found = policy_table.page(session, asked, law, scope)
    return found.page(views.scoped_policy(row) for row in found.rows)


def automation(session: Session, row: ControlRow) -> Automation:
    """The switch, and what every law does at present."""
    return Automation(
        stopped=row.stopped,
        changed_at=row.changed_at,
        changed_by=row.changed_by,
        version=row.version,
        laws=tuple(_law_view(session, law) for law in registry.every()),
    )


def _law_view(session: Session, law: AnyLaw) -> LawView:
    memory = policy_table.law_row(session, law.name)
    return LawView(
        name=law.name,
        title=law.title,
        summary=law.summary,
        mode=PolicyMode(policy_table.of_fleet(session, law.name).mode),
        status=memory.status,
        evaluated_at=memory.evaluated_at,
    )


def switch(session: Session, row: ControlRow, stopped: bool, who: Principal) -> None:
    """Stop all laws, or let them go on. What is open is withdrawn within seconds of a stop."""
    if row.stopped == stopped:
        return
    row.stopped, row.changed_at, row.changed_by = stopped, db_now(session), who.username
    row.version += 1
    policy_table.evaluate_again(session, None)
    action = "automation.stop" if stopped else "automation.resume"
    audit.record(
        session, who.username, action, "automation", before={"stopped": not stopped}, after={"stopped": stopped}
    )


def demote(session: Session, law: str, distrusted: Trust) -> None:
    """Automatic policies take themselves back once a predictor in use has lost trust."""
    why = _distrust(distrusted)
    for row in policy_table.automatic(session, law):
        row.mode, row.changed_by, row.changed_at = PolicyMode.RECOMMEND.value, "system", db_now(session)
        row.version += 1
        before, after = {"mode": PolicyMode.AUTOMATIC.value}, {"mode": row.mode}
        detail = {**_detail(row), "why": why}
        audit.record(session, "system", "policy.demote", "policy", detail, before=before, after=after)


def _refuse_unknown(session: Session, scope: PolicyScope, name: str) -> None:
    if scope is PolicyScope.HOST and hosts.get(session, name) is None:
        raise NotFound(f"There is no host {name}; `sextant hosts` lists those that there are.")
    if scope is PolicyScope.CHAIN and not chains.living_of(session, {name}):
        raise NotFound(f"There is no chain {name}; `sextant chains list` lists those that there are.")


def _refuse_distrusted(session: Session) -> None:
    distrusted = [
        one
        for one in outcomes.trust(session, None, None)
        if one.verdict is TrustVerdict.DISTRUSTED and one.predictor not in PREDICTORS_AT_REST
    ]
    if distrusted:
        raise NotTrusted(
            f"{_distrust(distrusted[0])}. An automatic policy would act on its figures; the policy was not changed.",
            next_actions=[
                NextAction(label="See what came of its predictions", command="sextant trust"),
                NextAction(label="Profile the NF type again", command=f"sextant profile start {distrusted[0].nf_type}"),
            ],
        )


def _distrust(one: Trust) -> str:
    return f"{one.predictor} is distrusted for {one.nf_type} on {one.host_model}: {one.why}"
