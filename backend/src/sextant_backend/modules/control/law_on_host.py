"""What is known of a host with respect to a law of every second, for its page."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Generic, TypeVar

from pydantic import BaseModel
from sextant_domain.laws.recommendation import PolicyMode
from sqlalchemy.orm import Session

from sextant_backend.kit.db import db_now
from sextant_backend.kit.errors import NotFound
from sextant_backend.laws import host_reading
from sextant_backend.laws.host_reading import HostRead, Rates
from sextant_backend.laws.paced.law import HostsLaw
from sextant_backend.laws.paced.memory import KeptOfHost
from sextant_backend.laws.paced.rows import LawHostRow
from sextant_backend.modules.control import decisions, parameters, policy_table, repository
from sextant_backend.modules.control.reading import ALL_STOPPED
from sextant_backend.modules.maintenance import service as maintenance

FRESH = timedelta(seconds=10)
"""Older figures are shown as none."""

KeptT = TypeVar("KeptT", bound=KeptOfHost)
ParametersT = TypeVar("ParametersT", bound=BaseModel)


@dataclass(frozen=True)
class LawNow(Generic[KeptT, ParametersT]):
    """Whether the law looks at the host or not."""

    read: HostRead
    manual: frozenset[str]
    """Chains there whose policy is manual."""
    mode: PolicyMode
    stopped: str | None
    parameters: ParametersT
    row: LawHostRow | None
    """None: it was not evaluated."""
    rates: Rates | None
    """None: nothing was measured lately."""
    kept: KeptT
    recommendation_id: int | None
    now: datetime

    @property
    def seen(self) -> dict[str, Any]:
        """What the law said of it last."""
        return {} if self.row is None else self.row.seen


def of(session: Session, law: HostsLaw[KeptT, ParametersT, Any, Any, Any], name: str) -> LawNow[KeptT, ParametersT]:
    """Raises NotFound."""
    read = host_reading.read_hosts(session, [name]).get(name)
    if read is None:
        raise NotFound(f"No host {name} has registered; `sextant hosts` lists those that have.")
    now, modes = db_now(session), policy_table.modes(session, law.name)
    chains = [chain.chain for chain in read.content.chains]
    rates = host_reading.read_rates(session, [name]).get(name)
    remembered = policy_table.remembered(session, law.name, name)
    return LawNow(
        read=read,
        manual=modes.kept(name, chains),
        mode=modes.of_host(name, chains),
        stopped=stopped(session, name),
        parameters=parameters.of(parameters.row_of(session, law.name), law.parameters),
        row=session.get(law.row, name),
        rates=None if rates is None or now - rates.at > FRESH else rates,
        kept=law.initial() if remembered is None else decisions.memory_of(law, remembered).law,
        recommendation_id=repository.open_of(session, law.name).get(name),
        now=now,
    )


def stopped(session: Session, name: str) -> str | None:
    """Why no law acts on the host now; None: they may."""
    return ALL_STOPPED if repository.control(session).stopped else maintenance.resting(session).why(name)
