"""A host that runs a newer order than this console knows, as after a restored backup: the console's order gets a number
above it. Until then the agent refuses whatever the console orders, and says so."""

from sextant_domain.hosts.desired import DesiredHostConfig
from sextant_domain.problem import NextAction
from sqlalchemy.orm import Session

from sextant_backend.domain_events import HostRenumbered, announce
from sextant_backend.kit.errors import SextantError
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.hosts import repository, service

MARGIN = 100
"""Above what the host reports: its agent may hold an order that it has not reached yet."""


class HostNotAhead(SextantError):
    """The host runs no newer order than the console gave."""

    kind, status, title = "host-not-ahead", 409, "The host is not ahead of its console"


def renumber(session: Session, host_id: str, actor: str) -> None:
    """What the console ordered last keeps its content, under a number that the agent will accept. Nothing is sent: the
    next plan that is applied to the host replaces what runs there. Raises HostNotAhead, HostInUse."""
    host = service.found_for_change(session, host_id)
    applied = repository.applied_generation(session, host_id)
    former = service.desired_of(host)
    if applied <= former.generation:
        raise HostNotAhead(
            f"{host_id} runs generation {applied}, and {former.generation} was ordered here. Nothing was changed.",
            next_actions=[NextAction(label="See the host", command=f"sextant hosts {host_id}")],
        )
    give_number(session, former, applied + MARGIN, actor, runs=applied)


def give_number(session: Session, former: DesiredHostConfig, number: int, actor: str, *, runs: int) -> None:
    """The same order under another number; `runs`: the one that the host has. Raises HostInUse."""
    host_id = former.content.host_id
    announce(session, HostRenumbered(host_id))
    service.set_desired(session, DesiredHostConfig.of(number, former.content))
    before, after = {"generation": former.generation}, {"generation": number}
    audit.record(session, actor, "host.renumber", f"host/{host_id}", {"runs": runs}, before=before, after=after)
