"""Queries of policies by law and scope, and of what is remembered of laws."""

from collections.abc import Collection, Sequence
from datetime import timedelta

from sextant_domain.laws.automation import PolicyScope
from sextant_domain.laws.recommendation import PolicyMode, RecommendationPolicy
from sextant_engine.control.scopes import Modes
from sqlalchemy import ColumnElement, Select, and_, delete, exists, func, or_, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from sextant_backend.kit.paging import Found, Order, Paging, equal
from sextant_backend.modules.control.models import FLEET, LawRow, PolicyRow

ORDER = Order(
    "id",
    "id",
    id=PolicyRow.id,
    law=PolicyRow.law,
    scope=PolicyRow.scope,
    name=PolicyRow.name,
    mode=PolicyRow.mode,
    changed_at=PolicyRow.changed_at,
)

NOT_EVALUATED = "it has not been evaluated yet"


def of_fleet(session: Session, law: str, *, lock: bool = False) -> PolicyRow:
    """A law's policy of the fleet; made with the defaults where nobody has asked for it before."""
    query = _of(law, PolicyScope.FLEET, FLEET).execution_options(populate_existing=True)
    query = query.with_for_update() if lock else query
    found = session.scalars(query).one_or_none()
    if found is not None:
        return found
    default = RecommendationPolicy()
    first = {"mode": default.mode.value, "settings": settings_of(default), "changed_by": "system", "version": 1}
    where = {"law": law, "scope": PolicyScope.FLEET.value, "name": FLEET}
    session.execute(insert(PolicyRow).values(**where, **first).on_conflict_do_nothing())
    return session.scalars(query).one()


def evaluated_lately(law: str) -> ColumnElement[bool]:
    """Whether the law was evaluated within the time that its policy of the fleet names."""
    every_s = PolicyRow.settings["every_s"].as_float()
    return exists().where(
        LawRow.law == law,
        LawRow.host == FLEET,
        PolicyRow.law == law,
        PolicyRow.scope == PolicyScope.FLEET.value,
        LawRow.evaluated_at >= func.clock_timestamp() - every_s * timedelta(seconds=1),
    )


def settings_of(policy: RecommendationPolicy) -> dict[str, object]:
    """A policy as its row keeps it beside the mode."""
    return policy.model_dump(mode="json", exclude={"mode"})


def policy_of(row: PolicyRow) -> RecommendationPolicy:
    """A fleet policy."""
    return RecommendationPolicy.model_validate({**(row.settings or {}), "mode": row.mode})


def _of(law: str, scope: PolicyScope, name: str) -> Select[PolicyRow]:
    return select(PolicyRow).where(PolicyRow.law == law, PolicyRow.scope == scope.value, PolicyRow.name == name)


def scoped(session: Session, law: str, scope: PolicyScope, name: str) -> PolicyRow | None:
    """The (locked) policy of a host or chain, where it has one."""
    return session.scalars(_of(law, scope, name).with_for_update()).one_or_none()


def page(session: Session, asked: Paging, law: str | None, scope: PolicyScope | None) -> Found[PolicyRow]:
    """A page of policies: of one law, of one scope."""
    row = PolicyRow
    return ORDER.read(session, select(row).where(*equal({row.law: law, row.scope: scope})), asked)


def automatic(session: Session, law: str) -> Sequence[PolicyRow]:
    """The law's automatic policies, of every scope; locked."""
    query = select(PolicyRow).where(PolicyRow.law == law, PolicyRow.mode == PolicyMode.AUTOMATIC.value)
    return session.scalars(query.order_by(PolicyRow.id).with_for_update()).all()


def modes(session: Session, law: str) -> Modes:
    """How far a law may act, by scope."""
    return modes_of(session.scalars(select(PolicyRow).where(PolicyRow.law == law)).all())


def concerning(session: Session, law: str, host: str, chains: Sequence[str]) -> Sequence[PolicyRow]:
    """The law's policies of the fleet, of that host and of those chains."""
    scope, name = PolicyRow.scope, PolicyRow.name
    of_host = and_(scope == PolicyScope.HOST.value, name == host)
    of_chains = and_(scope == PolicyScope.CHAIN.value, name.in_(chains))
    query = select(PolicyRow).where(PolicyRow.law == law, or_(scope == PolicyScope.FLEET.value, of_host, of_chains))
    return session.scalars(query.order_by(PolicyRow.id)).all()


def modes_of(rows: Sequence[PolicyRow]) -> Modes:
    """What policies of one law come to."""
    by_scope = {scope: {row.name: PolicyMode(row.mode) for row in rows if row.scope == scope} for scope in PolicyScope}
    fleet = by_scope[PolicyScope.FLEET].get(FLEET, RecommendationPolicy().mode)
    return Modes(fleet, by_scope[PolicyScope.HOST], by_scope[PolicyScope.CHAIN])


def forget(session: Session, scope: PolicyScope, names: Collection[str]) -> None:
    """Drop the policies of hosts or chains that are no more."""
    session.execute(delete(PolicyRow).where(PolicyRow.scope == scope.value, PolicyRow.name.in_(names)))


def law_row(session: Session, law: str, host: str = FLEET, *, lock: bool = False) -> LawRow:
    """What is remembered of a law; made where it was not evaluated before."""
    query = select(LawRow).where(LawRow.law == law, LawRow.host == host).execution_options(populate_existing=True)
    query = query.with_for_update() if lock else query
    found = session.scalars(query).one_or_none()
    if found is not None:
        return found
    first = {"memory": {}, "status": NOT_EVALUATED, "version": 1}
    session.execute(insert(LawRow).values(law=law, host=host, **first).on_conflict_do_nothing())
    return session.scalars(query).one()


def remembered(session: Session, law: str, host: str) -> LawRow | None:
    """What is remembered of a law for one host; None where it was not evaluated for it."""
    return session.scalars(select(LawRow).where(LawRow.law == law, LawRow.host == host)).one_or_none()


def of_hosts(session: Session, law: str) -> Sequence[LawRow]:
    """What is remembered of a law for single hosts."""
    query = select(LawRow).where(LawRow.law == law, LawRow.host != FLEET)
    return session.scalars(query.execution_options(populate_existing=True)).all()


def evaluate_again(session: Session, law: str | None) -> None:
    """A policy of the law, or (None) the switch of all has changed: evaluations under way are not stored, and the next
    one is due at once."""
    changed = update(LawRow).values(version=LawRow.version + 1, seen=None, evaluated_at=None)
    session.execute(changed if law is None else changed.where(LawRow.law == law))


def forget_hosts(session: Session, hosts: Collection[str]) -> None:
    """Drop what is remembered of laws for hosts that are no more."""
    session.execute(delete(LawRow).where(LawRow.host.in_(hosts), LawRow.host != FLEET))
