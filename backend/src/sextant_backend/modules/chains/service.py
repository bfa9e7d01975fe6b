"""Chains as they are."""

from sextant_domain.console.views import ChainView, Page
from sqlalchemy.orm import Session

from sextant_backend.kit import paging
from sextant_backend.kit.errors import NotFound
from sextant_backend.kit.paging import Paging
from sextant_backend.modules.chains import repository, views
from sextant_backend.modules.chains.models import ChainRow


def page(session: Session, asked: Paging) -> Page[ChainView]:
    """A page of chains, by name."""
    rows = repository.page(session, asked.limit + 1, asked.key(str))
    return paging.page(views.views(session, rows), asked, lambda chain: chain.spec.name)


def one(session: Session, name: str) -> ChainView:
    """One chain; raises NotFound."""
    return views.views(session, [found(session, name)])[0]


def found(session: Session, name: str, *, lock: bool = False) -> ChainRow:
    """The chain's row; raises NotFound."""
    row = repository.living(session, name, lock=lock)
    if row is None:
        raise NotFound(f"There is no chain {name}; `sextant chains list` shows those that are.")
    return row
