"""Reads what one turn of all laws is given: the fleet, policies by scope, and what is remembered."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from sextant_domain.base import digest_of_json
from sextant_domain.laws.recommendation import PolicyMode, RecommendationPolicy
from sextant_domain.plans.snapshot import FleetSnapshot, HostSnapshot
from sextant_engine.control.frame import LawMemory
from sextant_engine.control.scopes import Modes, least
from sqlalchemy import ColumnElement, or_
from sqlalchemy.orm import Session

from sextant_backend.kit.db import allow_idle, db_now
from sextant_backend.laws import registry
from sextant_backend.laws.frame import PlanningLaw
from sextant_backend.modules.control import decisions, policy_table, repository
from sextant_backend.modules.control.models import FLEET
from sextant_backend.modules.maintenance import service as maintenance
from sextant_backend.modules.maintenance.service import Resting
from sextant_backend.modules.snapshots import service as snapshots

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
ALL_STOPPED = "all control laws are stopped"


@dataclass(frozen=True)
class Turn:
    """One law, for the fleet or for one host."""

    law: PlanningLaw
    host: str
    """FLEET, or a host's id."""
    policy: RecommendationPolicy
    modes: Modes
    version: int
    """Of the law's policies."""
    memory: LawMemory[Any]
    seen: Mapping[str, Any] | None
    snapshot: FleetSnapshot
    """Hosts that the law may change."""
    kept: frozenset[str]
    """Chains there that it leaves where they are: their policy is manual."""
    digest: str
    """Of both, but for the snapshot's time and the trust of models: neither changes what is to be gained."""
    open_hosts: tuple[str, ...]
    """Those that its open recommendation would change."""
    open_chains: tuple[str, ...]
    """Those of which it would move NFs."""
    busy: bool
    stopped: str | None
    """Why the law rests: all laws are stopped, or there is maintenance in the fleet, or where it acts."""
    now_s: float

    @property
    def manual(self) -> bool:
        """Whether the law may act nowhere, or not any more on what its open recommendation would change."""
        taking_part = {host.inventory.host_id for host in self.snapshot.hosts}
        open_stays = taking_part.issuperset(self.open_hosts) and self.kept.isdisjoint(self.open_chains)
        return self.modes.all_manual or not open_stays

    @property
    def observes(self) -> bool:
        """Whether anything is observed: else the frame alone says what comes next."""
        return not (self.stopped is not None or self.busy or self.manual)

    def policy_on(self, hosts: tuple[str, ...]) -> RecommendationPolicy:
        """The policy with the mode that holds on these hosts: the least of the chains' that may move there; for no
        hosts the fleet's."""
        here = [host for host in self.snapshot.hosts if host.inventory.host_id in hosts]
        mode = least(map(self._mode_on, here)) if here else self.modes.fleet
        if self.manual:
            mode = PolicyMode.MANUAL
        elif mode is PolicyMode.MANUAL:  # of the fleet: some host or chain has another
            mode = PolicyMode.RECOMMEND
        return self.policy.model_copy(update={"mode": mode})

    def _mode_on(self, host: HostSnapshot) -> PolicyMode:
        return mode_on(self.modes, host)


def any_due() -> ColumnElement[bool]:
    """Whether a tick would find something: a law that is due, or what came of a recommendation."""
    late = (~policy_table.evaluated_lately(law.name) for law in registry.planning())
    return or_(repository.any_open(), repository.any_unsettled(), *late)


def read(session: Session) -> tuple[Turn, ...]:
    """All turns that are due; none of a law that was evaluated within the time that its policy names."""
    allow_idle(session)
    due = tuple(_due(session))
    if not due:
        return ()
    rests = maintenance.resting(session)
    stopped = ALL_STOPPED if repository.control(session).stopped else rests.fleet
    modes = {law.name: replace(policy_table.modes(session, law.name), resting=frozenset(rests.hosts)) for law in due}
    idle = stopped is not None or all(found.all_manual for found in modes.values())
    fleet = snapshots.narrow(session, []) if idle else snapshots.take(session)
    return tuple(
        replace(turn, stopped=stopped or _rests(turn, rests))
        for law in due
        for turn in _turns(session, law, modes[law.name], fleet)
    )


def _rests(turn: Turn, rests: Resting) -> str | None:
    """Of a law of one host, or one whose open recommendation would change a host with maintenance."""
    return next((why for host in (turn.host, *turn.open_hosts) if (why := rests.hosts.get(host)) is not None), None)


def _due(session: Session) -> Iterator[PlanningLaw]:
    now = db_now(session)
    for law in registry.planning():
        policy = policy_table.policy_of(policy_table.of_fleet(session, law.name))
        evaluated = policy_table.law_row(session, law.name).evaluated_at
        if evaluated is None or (now - evaluated).total_seconds() > policy.every_s:
            yield law


def _turns(session: Session, law: PlanningLaw, modes: Modes, fleet: FleetSnapshot) -> Iterator[Turn]:
    policy = policy_table.policy_of(policy_table.of_fleet(session, law.name))
    version = policy_table.law_row(session, law.name).version
    busy = repository.an_operation_runs(session)
    for host, snapshot in _subjects(law, modes, fleet).items():
        row = policy_table.law_row(session, law.name, host)
        opened = repository.open_one(session, law.name, host)
        kept = kept_on(modes, snapshot)
        yield Turn(
            law=law,
            host=host,
            policy=policy,
            modes=modes,
            version=version,
            memory=decisions.memory_of(law, row),
            seen=row.seen,
            snapshot=snapshot,
            kept=kept,
            digest=_digest(snapshot, kept),
            open_hosts=tuple(opened.body["hosts"]) if opened else (),
            open_chains=tuple(opened.body["chains"]) if opened else (),
            busy=busy,
            stopped=None,
            now_s=db_now(session).timestamp(),
        )


def _digest(snapshot: FleetSnapshot, kept: frozenset[str]) -> str:
    timeless = snapshot.model_copy(update={"taken_at": EPOCH, "trust": ()}).model_dump_json()
    return digest_of_json("\n".join([timeless, *sorted(kept)]).encode())


def kept_on(modes: Modes, snapshot: FleetSnapshot) -> frozenset[str]:
    """Chains of these hosts that the law leaves where they are."""
    return frozenset().union(*(modes.kept(host.inventory.host_id, _chains(host)) for host in snapshot.hosts))


def _subjects(law: PlanningLaw, modes: Modes, fleet: FleetSnapshot) -> dict[str, FleetSnapshot]:
    """What the law is evaluated for: the fleet without hosts on which it may move no chain, or each host."""
    taking_part = {one.inventory.host_id for one in fleet.hosts if mode_on(modes, one) is not PolicyMode.MANUAL}
    if not law.by_host:
        return {FLEET: narrowed(fleet, taking_part)}
    names = [one.inventory.host_id for one in fleet.hosts]
    return {name: narrowed(fleet, {name} & taking_part) for name in names}


def mode_on(modes: Modes, host: HostSnapshot) -> PolicyMode:
    """Of a change of what runs on a host."""
    return modes.of_host(host.inventory.host_id, _chains(host))


def _chains(host: HostSnapshot) -> list[str]:
    return [chain.chain for chain in host.content.chains]


def narrowed(fleet: FleetSnapshot, names: set[str]) -> FleetSnapshot:
    """Some hosts of it with what runs there. A chain that waits is an operator's to place: a law starts nothing."""
    hosts = tuple(host for host in fleet.hosts if host.inventory.host_id in names)
    runs = {chain.chain for host in hosts for chain in host.content.chains}
    chains = tuple(spec for spec in fleet.chains if spec.name in runs)
    costs = tuple(one for one in fleet.costs if one.host in names)
    return fleet.model_copy(update={"hosts": hosts, "chains": chains, "costs": costs})
