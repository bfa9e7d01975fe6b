"""Chains as they are."""

from sextant_domain.console.views import ChainState, ChainView, Page
from sqlalchemy.orm import Session

from sextant_backend.kit.errors import NotFound
from sextant_backend.kit.paging import Paging
from sextant_backend.modules.chains import repository, views
from sextant_backend.modules.chains.models import ChainRow


def page(
    session: Session,
    asked: Paging,
    *,
    state: ChainState | None,
    host: str | None,
    nf_type: str | None,
    anti_affinity: str | None,
    lane_of: str | None,
    part_of: str | None,
    tie: str | None,
    search: str | None,
) -> Page[ChainView]:
    """A page of chains."""
    wanted = state.value if state else None
    found = repository.page(
        session,
        asked,
        state=wanted,
        host=host,
        nf_type=nf_type,
        anti_affinity=anti_affinity,
        lane_of=lane_of,
        part_of=part_of,
        tie=tie,
        search=search,
    )
    return found.page(views.views(session, found.rows))


def one(session: Session, name: str) -> ChainView:
    """One chain; raises NotFound."""
    return views.views(session, [found(session, name)])[0]


def found(session: Session, name: str, *, lock: bool = False) -> ChainRow:
    """The chain's row; raises NotFound."""
    row = repository.living(session, name, lock=lock)
    if row is None:
        raise NotFound(f"There is no chain {name}; `sextant chains list` shows those that are.")
    return row
