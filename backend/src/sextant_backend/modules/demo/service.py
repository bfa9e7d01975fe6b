"""Say how many simulated hosts the demonstration fleet is to have."""

from sextant_domain.hosts.demo import DemoFleet
from sextant_domain.problem import NextAction
from sqlalchemy.orm import Session

from sextant_backend.kit.errors import SextantError
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.demo import repository
from sextant_backend.settings import get_settings


class DemoUnavailable(SextantError):
    """Nobody would serve the hosts."""

    kind, status, title = "demo-unavailable", 409, "There is no demonstration fleet here"


class DemoExists(SextantError):
    """Its hosts are named after their number."""

    kind, status, title = "demo-exists", 409, "There is a demonstration fleet of another size"


def present(session: Session) -> DemoFleet:
    """How many there are to be."""
    return DemoFleet(hosts=repository.hosts(session))


def ask(session: Session, wanted: DemoFleet, actor: str) -> DemoFleet:
    """Have so many; raises DemoUnavailable, or DemoExists where there are others that were not taken away."""
    if not get_settings().demo:
        raise DemoUnavailable(
            "This installation was not started by `make up`, whose processes serve such hosts. Nothing was changed.",
            next_actions=[NextAction(label="Serve simulated hosts yourself: docs/guides/simulate-hosts.md")],
        )
    row = repository.found(session)
    if row.hosts and wanted.hosts and row.hosts != wanted.hosts:
        names = DemoFleet(hosts=row.hosts).names
        raise DemoExists(
            f"It has {row.hosts} hosts, {names[0]} to {names[-1]}. Nothing was changed.",
            next_actions=[NextAction(label="Take them away first", command="sextant demo --remove")],
        )
    if row.hosts != wanted.hosts:
        before, row.hosts = {"hosts": row.hosts}, wanted.hosts
        audit.record(session, actor, "demo.ask", "demo", {"hosts": wanted.hosts}, before=before, after=wanted)
    return wanted
