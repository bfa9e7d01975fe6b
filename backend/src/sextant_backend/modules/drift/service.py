"""Compare a host with its order, and plan to end the difference: its order again, or what it runs as its order.

Both are ordinary plans, looked at before they are applied. Where the agent's ledger holds an order of a higher number
than the newest one of this console (its database was restored, or somebody else ordered), the number of the host's
order is raised above it first: the agent would refuse every order otherwise.
"""

from typing import NamedTuple

from sextant_domain.hosts.desired import DesiredHostConfig
from sextant_domain.hosts.drift import MOST_DIFFERENCES, DriftAction, DriftDifference, DriftKind, DriftReport, DriftWay
from sextant_domain.hosts.host import HostInventory
from sextant_domain.naming import few
from sextant_domain.plans.intents import AlignIntent
from sqlalchemy.orm import Session

from sextant_backend.agents.client import agent_for
from sextant_backend.agents.errors import AgentError, AgentFailed
from sextant_backend.kit.db import db_now
from sextant_backend.kit.errors import NotFound
from sextant_backend.kit.principal import Principal
from sextant_backend.modules.chains import repository as chains
from sextant_backend.modules.drift import acceptance, comparison
from sextant_backend.modules.drift.acceptance import Acceptance, Elsewhere
from sextant_backend.modules.drift.comparison import Found
from sextant_backend.modules.drift.errors import NoDrift, NotAcceptable, OrderedMeanwhile
from sextant_backend.modules.hosts import renumbering
from sextant_backend.modules.hosts import repository as hosts_repository
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.hosts.views import drift_of
from sextant_backend.modules.operations import service as operations
from sextant_backend.modules.plans import service as plans
from sextant_backend.modules.plans.models import PlanRow


class _Compared(NamedTuple):
    found: Found
    report: DriftReport
    acceptance: Acceptance


def report(session: Session, host_id: str) -> DriftReport:
    """As the agent says at this moment. Raises NotFound, AgentFailed."""
    return _compare(session, host_id).report


def ask(session: Session, host_id: str, action: DriftAction, who: Principal) -> PlanRow:
    """A plan that ends the difference. Raises NotFound, AgentFailed, NoDrift, NotAcceptable, HostBusy."""
    compared = _compare(session, host_id)
    host = hosts.found_for_change(session, host_id)
    operations.refuse_busy(session, [host_id])
    if hosts.desired_of(host) != compared.found.desired:
        raise OrderedMeanwhile(f"{host_id} was ordered anew while its agent was asked. Nothing was changed; try again.")
    if not compared.report.repair.possible:
        why = "; ".join(compared.report.repair.reasons) or "there is nothing to repair or accept"
        raise NoDrift(f"{host_id} runs what it was ordered: {why}. Nothing was changed.")
    if action is DriftAction.ACCEPT and compared.acceptance.content is None:
        raise NotAcceptable(host_id, compared.acceptance.reasons)
    _raise_number(session, compared.found, who)
    intent = AlignIntent(
        host=host_id,
        action=action,
        accepted=compared.acceptance.content if action is DriftAction.ACCEPT else None,
        differences=compared.report.differences,
    )
    return plans.ask(session, intent, who)


def _compare(session: Session, host_id: str) -> _Compared:
    host = hosts_repository.get(session, host_id)
    if host is None:
        raise NotFound(f"No host {host_id} is enrolled; `sextant hosts` lists those that are.")
    if host.inventory is None:
        raise NotFound(f"{host_id} has not reported yet, so there is nothing to compare.")
    desired, inventory = hosts.desired_of(host), HostInventory.model_validate(host.inventory)
    mark, at = drift_of(host), db_now(session)
    agent = agent_for(host_id, hosts.reach(session, host_id))
    session.rollback()  # no connection is held while the agent answers
    try:
        held, actual = agent.desired(), agent.actual()
    except AgentError as error:
        raise AgentFailed(error) from error
    found = Found(desired, held, actual, inventory)
    accepted = acceptance.accept(found, _elsewhere(session, host_id, held))
    all_differences = comparison.differences(found)
    repair = _repair(all_differences, found)
    return _Compared(
        found,
        DriftReport(
            host_id=host_id,
            checked_at=at,
            since=mark.since if mark else None,
            ordered_generation=desired.generation,
            held_generation=held.generation,
            held_as_ordered=found.held_as_ordered,
            phase=actual.phase,
            detail=actual.detail[:1000],
            differences=tuple(all_differences[:MOST_DIFFERENCES]),
            more=max(0, len(all_differences) - MOST_DIFFERENCES),
            repair=repair,
            accept=_accept(accepted) if repair.possible else repair,
        ),
        accepted,
    )


def _repair(differences: list[DriftDifference], found: Found) -> DriftWay:
    if found.held_as_ordered and all(one.kind is DriftKind.SEAT for one in differences):
        elsewhere = f"only cores differ; re-placing moves NFs off them: sextant plans ask --host {found.actual.host_id}"
        return DriftWay(possible=False, reasons=(elsewhere,) if differences else ())
    ours = {chain.chain for chain in found.desired.content.chains}
    stops = sorted({nf.chain for nf in found.actual.nfs} - ours)
    return DriftWay(possible=True, reasons=(f"stops {few(stops)}",) if stops else ())


def _accept(accepted: Acceptance) -> DriftWay:
    if accepted.content is None:
        return DriftWay(possible=False, reasons=accepted.reasons)
    off = f"takes {few(accepted.dropped)} off this host, to wait for a place again"
    return DriftWay(possible=True, reasons=(off,) if accepted.dropped else ())


def _elsewhere(session: Session, host_id: str, held: DesiredHostConfig) -> Elsewhere:
    names = [chain.chain for chain in held.content.chains]
    placed = chains.placed_of(session, names)
    return Elsewhere(
        {spec.name: spec for spec in chains.specs(session, names)},
        {name: sorted({row.host_id for row in rows} - {host_id}) for name, rows in placed.items()},
    )


def _raise_number(session: Session, found: Found, who: Principal) -> None:
    """Where the ledger is at the host's number with another order, or beyond it. The content stays as it is."""
    held = found.held.generation
    if held < found.desired.generation or found.held_as_ordered:
        return
    renumbering.give_number(session, found.desired, held + 1, who.username, runs=held)
