"""What is chosen for a law in the whole fleet, beside its policy: read, changed, audited."""

from typing import TypeVar

from pydantic import BaseModel
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from sextant_backend.kit.db import db_now
from sextant_backend.kit.principal import Principal
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.control import policy_table
from sextant_backend.modules.control.models import LawParametersRow

Parameters = TypeVar("Parameters", bound=BaseModel)


def row_of(session: Session, law: str, *, lock: bool = False) -> LawParametersRow:
    """Made with all defaults where nothing was chosen before."""
    found = session.get(LawParametersRow, law, with_for_update=lock or None, populate_existing=True)
    if found is not None:
        return found
    first = {"law": law, "parameters": {}, "changed_by": "system", "version": 1}
    session.execute(insert(LawParametersRow).values(**first).on_conflict_do_nothing())
    return session.get_one(LawParametersRow, law, with_for_update=lock or None)


def of(row: LawParametersRow, kind: type[Parameters]) -> Parameters:
    """In force; what was never chosen has its default."""
    return kind.model_validate(row.parameters)


def change(
    session: Session, row: LawParametersRow, kind: type[Parameters], wanted: dict[str, object], who: Principal
) -> Parameters:
    """Of a (locked) row; the law is evaluated anew."""
    before = of(row, kind)
    after = kind.model_validate({**before.model_dump(), **wanted})
    if after == before:
        return before
    row.parameters = {**row.parameters, **wanted}
    row.changed_at, row.changed_by = db_now(session), who.username
    row.version += 1
    policy_table.evaluate_again(session, row.law)
    detail = {"law": row.law, **wanted}
    audit.record(session, who.username, "policy.set", "policy", detail, before=before, after=after)
    return after
