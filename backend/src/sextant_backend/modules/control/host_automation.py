"""What Sextant does by itself on one host, read in as many queries for a hundred chains as for one."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from sextant_domain.hosts.host import STUCK_MANAGERS, HostInventory
from sextant_domain.laws.automation import PolicyScope, ScopedPolicy
from sextant_domain.laws.host_automation import HostAutomation, LawOnHost, PolicySource, UnattendedAction
from sextant_domain.laws.recommendation import PolicyMode
from sqlalchemy.orm import Session

from sextant_backend.kit.db import db_now
from sextant_backend.kit.errors import NotFound
from sextant_backend.laws import registry
from sextant_backend.laws.frame import AnyLaw
from sextant_backend.modules.control import decisions, host_sentences, policy_table, repository, views
from sextant_backend.modules.control.host_sentences import HostNow
from sextant_backend.modules.control.models import FLEET, ControlRow, LawRow, PolicyRow, RecommendationRow
from sextant_backend.modules.hosts import repository as hosts
from sextant_backend.modules.hosts import service as host_service
from sextant_backend.modules.hosts.models import Host
from sextant_backend.modules.maintenance import service as maintenance
from sextant_backend.modules.models import in_use
from sextant_backend.modules.nfs import service as nfs
from sextant_backend.modules.operations import repository as operations
from sextant_backend.modules.operations.limits import MAX_TRIES
from sextant_backend.modules.profiling import repository as profiling

MOST_JOBS = 5
Opened = Sequence[RecommendationRow]


def of_host(session: Session, name: str) -> HostAutomation:
    """Raises NotFound."""
    row = hosts.get(session, name)
    if row is None:
        raise NotFound(f"There is no host {name}; `sextant hosts` lists those that there are.")
    control = repository.control(session)
    inventory = None if row.inventory is None else HostInventory.model_validate(row.inventory)
    host = _host_now(session, row, inventory)
    rests = maintenance.resting(session).why(name)
    opened = [one for one in repository.open_ones(session) if name in one.body["hosts"]]
    return HostAutomation(
        host=name,
        stopped=control.stopped,
        laws=tuple(_law(session, law, control, host, opened, rests=rests) for law in registry.every()),
        others=_others(session, inventory, host),
    )


def _host_now(session: Session, row: Host, inventory: HostInventory | None) -> HostNow:
    content = host_service.desired_of(row).content
    holder = operations.holders(session, [row.host_id]).get(row.host_id)
    known = in_use.known(session, [inventory.host_model]) if inventory else set()
    types = {nf.nf_type for chain in content.chains for nf in chain.nfs}
    measured = {nf_type for _, nf_type in known}
    return HostNow(
        name=row.host_id,
        status=row.status,
        status_reason=row.status_reason,
        chains=tuple(sorted(chain.chain for chain in content.chains)),
        operation=holder,
        elsewhere=holder is None and repository.an_operation_runs(session),
        assumed=tuple(sorted(types - measured)),
        reserved={core.id: core.reserved_for.value for core in inventory.cores if core.reserved_for}
        if inventory
        else {},
    )


def _law(
    session: Session, law: AnyLaw, control: ControlRow, host: HostNow, opened: Opened, *, rests: str | None
) -> LawOnHost:
    fleet, of_law = policy_table.of_fleet(session, law.name), policy_table.law_row(session, law.name)
    remembered = (policy_table.remembered(session, law.name, host.name) if law.by_host else of_law) or of_law
    rows = policy_table.concerning(session, law.name, host.name, host.chains)
    mode = policy_table.modes_of(rows).of_host(host.name, host.chains)
    source, row = _source(mode, fleet, rows)
    chains = tuple(views.scoped_policy(one) for one in rows if one.scope == PolicyScope.CHAIN)
    policy = policy_table.policy_of(fleet)
    off = control.stopped or rests is not None or mode is PolicyMode.MANUAL
    by_policy = host_sentences.policy(mode, source, row.changed_by, law.when_off, law.by_itself(policy))
    by_policy = by_policy if rests is None else host_sentences.resting(rests)
    status, evaluated_at = _status(session, law, host.name, remembered)
    evaluated = of_law.evaluated_at
    return LawOnHost(
        law=law.name,
        title=law.title,
        mode=mode,
        source=source,
        changed_by=row.changed_by,
        changed_at=row.changed_at,
        chains=chains,
        policy=host_sentences.stopped(control.changed_by) if control.stopped else by_policy,
        held_back=() if off else _held_back(session, law, host, chains, remembered),
        status=status,
        evaluated_at=evaluated_at,
        next_at=None if control.stopped or evaluated is None else evaluated + timedelta(seconds=law.period_s(policy)),
        recommendations=tuple(
            views.recommendation(one) for one in opened if one.law == law.name and one.host in (FLEET, host.name)
        ),
    )


def _status(session: Session, law: AnyLaw, host: str, remembered: LawRow) -> tuple[str, datetime | None]:
    """Of a law of every second, what it says of the host."""
    found = next((one for one in registry.each_second() if one.name == law.name), None)
    return (found and found.status_on(session, host)) or (remembered.status, remembered.evaluated_at)


def _held_back(
    session: Session, law: AnyLaw, host: HostNow, chains: Sequence[ScopedPolicy], remembered: LawRow
) -> tuple[str, ...]:
    """A law that needs no models is not held back by those that lack; one of single hosts waits for no other."""
    now = host if law.rests_on_models else replace(host, assumed=())
    if law.by_host:
        return host_sentences.held_back(replace(now, elsewhere=False), _kept(chains), 0.0)
    found = host_sentences.held_back(now, _kept(chains), _settles_s(session, law, remembered))
    return found if host.chains else (*found, host_sentences.OF_OTHERS)


def _source(mode: PolicyMode, fleet: PolicyRow, rows: Sequence[PolicyRow]) -> tuple[PolicySource, PolicyRow]:
    """Of the mode in force, and the policy that was set last of those that make it."""
    own = next((row for row in rows if row.scope == PolicyScope.HOST), None)
    wide = own or fleet
    chains = [row for row in rows if row.scope == PolicyScope.CHAIN and row.mode == mode.value]
    if wide.mode != mode.value and chains:
        return PolicySource.CHAIN, max(chains, key=lambda row: row.changed_at)
    if own is not None:
        return PolicySource.HOST, own
    return (PolicySource.DEFAULT if fleet.version == 1 else PolicySource.FLEET), fleet


def _kept(chains: Sequence[ScopedPolicy]) -> list[ScopedPolicy]:
    return [one for one in chains if one.mode is PolicyMode.MANUAL]


def _settles_s(session: Session, law: AnyLaw, row: LawRow) -> float:
    return decisions.memory_of(law, row).rests_until_s - db_now(session).timestamp()


def _others(session: Session, inventory: HostInventory | None, host: HostNow) -> tuple[UnattendedAction, ...]:
    counts = {nf.nf_id: nf.restarts for nf in nfs.by_host(session, [host.name])[host.name]}
    found = [UnattendedAction(kind="restart", text=host_sentences.restarts(counts))]
    manager = None if inventory is None else host_sentences.manager(inventory, STUCK_MANAGERS)
    if manager is not None:
        found.append(UnattendedAction(kind="manager", text=manager))
    found.append(UnattendedAction(kind="operation", text=host_sentences.operations(MAX_TRIES, host.operation)))
    jobs = profiling.open_on(session, host.name, MOST_JOBS)
    texts = [host_sentences.profiling(job.id, job.nf_type, job.state, job.note) for job in jobs]
    found += [UnattendedAction(kind="profiling", text=text) for text in texts or [host_sentences.NO_PROFILING]]
    return tuple(found)
