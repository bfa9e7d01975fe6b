"""Asks for fits of hosts' costs, and makes them: claims, samples, engine, a version. A worker that dies leaves it to
the next one.

Not within the request: reading and computing take less than a second of CPU time, but half a minute where NFs fill the
cores that the console runs on, and NumPy and SciPy are loaded first.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import structlog
from sextant_domain.problem import NextAction, Problem, problem_type
from sextant_domain.profiling.fit import FitState
from sextant_domain.profiling.host_cost import HostCost, HostCostFit
from sextant_domain.profiling.inflation import InflationModel
from sextant_engine.modelling.host_samples import KnownNf, SeenNf
from sqlalchemy import ColumnElement
from sqlalchemy.orm import Session

from sextant_backend.kit import outbox
from sextant_backend.kit.db import db_now, read_snapshot, session_scope
from sextant_backend.kit.errors import NotFound
from sextant_backend.kit.leases import claims
from sextant_backend.kit.leases.claims import ClaimLostError, Heartbeat
from sextant_backend.kit.leases.work import ClaimedWork, LeasedWork
from sextant_backend.kit.principal import Principal
from sextant_backend.kit.tasks import TaskName
from sextant_backend.laws import host_reading
from sextant_backend.laws.host_reading import HostRead
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.host_costs import repository
from sextant_backend.modules.host_costs import views as cost_views
from sextant_backend.modules.host_costs.models import HostCostFitRow, HostCostRow
from sextant_backend.modules.hosts import repository as hosts
from sextant_backend.modules.sfc2cpu.costs import LEAST_WINDOWS, SPAN, known_chains, seen_windows, too_little
from sextant_backend.modules.sfc2cpu.errors import CostsNotFitted
from sextant_backend.modules.telemetry import repository as telemetry

MAX_TRIES = 3
FIT_LIMIT_S = 600.0
"""Less than a second of CPU time, on cores that NFs may fill."""
_UNDER_WAY = HostCostFitRow.state == FitState.FITTING
_log = structlog.get_logger()


@dataclass(frozen=True)
class Fitted:
    """What a fit came to."""

    facts: Mapping[str, Any]
    """Of HostCost, all that does not hang on the version before."""
    model: InflationModel


@dataclass(frozen=True)
class _Measured:
    """What a fit is made of."""

    chains: Sequence[Sequence[KnownNf]]
    windows: Sequence[Mapping[str, SeenNf]]
    node_of: Mapping[int, int]
    facts: Mapping[str, Any]


def ask(session: Session, name: str, who: Principal) -> HostCostFit:
    """Store a fit of the host's costs to be made and ring for a worker; one that is under way is that of whoever asks
    meanwhile, too. Raises NotFound, or CostsNotFitted where it is not known what its NFs' packets take alone."""
    known_chains(session, _read(session, name))
    if hosts.get(session, name, lock=True) is None:  # so that two who ask at a time get the same
        raise _unknown(name)
    row = repository.fit_under_way(session, name)
    if row is None:
        row = repository.add_fit(session, HostCostFitRow(host_id=name, asked_by=who.username))
        repository.forget_old_fits(session, name)
    outbox.ring(session, TaskName.FIT_HOST_COST, row.id)
    return cost_views.fit(row, {})


def make(fit_id: int) -> None:
    """The FIT_HOST_COST task: fit unless it is done or somebody is at it. What fails becomes the fit's error."""
    _Fitting(fit_id).run()


class _Fitting(LeasedWork[int, Fitted | Problem]):
    """One fit; what is taken is how often a worker began it."""

    model, name, points = HostCostFitRow, "host_cost_fit", frozenset({"claimed", "before_store"})

    def __init__(self, fit_id: int) -> None:
        self._fit_id = fit_id

    def take(self, session: Session) -> ClaimedWork[int] | None:
        """Counts the try."""
        taken = claims.take(session, HostCostFitRow, self._fit_id, _UNDER_WAY)
        if taken is None:
            return None
        row, token = taken
        row.tries += 1
        row.began_at, row.windows = db_now(session), None
        return ClaimedWork(row.id, token, row.tries)

    def perform(self, taken: ClaimedWork[int], heart: Heartbeat) -> Fitted | Problem:
        """Costs, or why there are none."""
        if taken.what > MAX_TRIES:
            return _failed(f"{MAX_TRIES} workers died while they fitted them")
        try:
            measured = _measured(taken)
        except CostsNotFitted as refusal:
            return refusal.problem()
        heart.next_step(FIT_LIMIT_S)
        # NumPy and SciPy, which only this needs: in no transaction, which may not be silent for as long as they load
        from sextant_engine.modelling.host_cost import fit_host

        try:
            model = fit_host(measured.chains, measured.windows, measured.node_of)
        except Exception as error:
            _log.exception("fitting_failed", fit_id=taken.row_id)
            return _failed(f"the engine stopped with {type(error).__name__}: {error}")
        return Fitted(measured.facts, model)

    def store(self, session: Session, taken: ClaimedWork[int], result: Fitted | Problem) -> None:
        """A version, or none. First the host's row, as who asks and who removes a host locks it first."""
        stored = repository.fit(session, taken.row_id)
        if stored is None or hosts.get(session, stored.host_id, lock=True) is None:
            return
        row = repository.fit(session, taken.row_id, lock=True)
        if row is None or row.state != FitState.FITTING:
            return
        claims.held(row, taken.token)
        claims.give_back(row)
        version = None if isinstance(result, Problem) else _version(session, row, result)
        row.ended_at = db_now(session)
        row.version, row.state = version, (FitState.FAILED if version is None else FitState.DONE).value
        if isinstance(result, Problem):
            row.error = result.model_dump(mode="json")


def _measured(taken: ClaimedWork[int]) -> _Measured:
    """Notes how much it is. Raises CostsNotFitted; ClaimLostError where the host has left."""
    with read_snapshot() as session:
        row = repository.fit(session, taken.row_id)
        if row is None:
            raise ClaimLostError(f"fit {taken.row_id} is gone")
        read = _read(session, row.host_id)
        chains = known_chains(session, read)
        rows = telemetry.nf_windows(session, row.host_id, [nf.nf_id for chain in chains for nf in chain], SPAN)
        newest = telemetry.newest(session, row.host_id)
    windows = seen_windows(rows)
    with session_scope() as session:
        begun = repository.fit(session, taken.row_id, lock=True)
        if begun is None:
            raise ClaimLostError(f"fit {taken.row_id} is gone")
        claims.held(begun, taken.token)
        begun.windows = len(windows)
    if newest is None or len(windows) < LEAST_WINDOWS:
        raise too_little(read.inventory.host_id, len(windows))
    facts = {
        "since": rows[0].at,
        "until": rows[-1].at,
        "windows": len(windows),
        "placements": len({tuple(sorted((nf, one.core) for nf, one in window.items())) for window in windows}),
        "provenance": newest[1],
    }
    return _Measured(chains, windows, {core.id: core.node for core in read.inventory.cores}, facts)


def _read(session: Session, name: str) -> HostRead:
    read = host_reading.read_hosts(session, [name]).get(name)
    if read is None:
        raise _unknown(name)
    return read


def _unknown(name: str) -> NotFound:
    return NotFound(f"No host {name} has registered; `sextant hosts` lists those that have.")


def _version(session: Session, row: HostCostFitRow, fitted: Fitted) -> int:
    """Of a new version, which counts from now on; of the one there is where it says the same."""
    former, model = repository.newest(session, row.host_id), fitted.model.model_dump(mode="json")
    if former is not None and former.model == model:
        return former.version
    version = 1 if former is None else former.version + 1
    cost = HostCost.model_validate(
        {
            **fitted.facts,
            "version": version,
            "fitted_at": db_now(session),
            "fitted_by": row.asked_by,
            "nf_types": fitted.model.kinds,
            "weight": fitted.model.weight,
            "median_error": fitted.model.errors["median"],
            "left_out_error": fitted.model.errors["left_out"],
            "held_out_error": fitted.model.errors.get("held_out"),
        }
    )
    kept = cost.model_dump(mode="json", exclude={"drifted_at", "drift_error"})
    session.add(HostCostRow(host_id=row.host_id, version=version, cost=kept, model=model))
    after = {"costs beside others": f"version {version}"}
    audit.record(session, row.asked_by, "host.fit_costs", f"host/{row.host_id}", {"version": version}, after=after)
    return version


def _failed(cause: str) -> Problem:
    return Problem(
        type=problem_type(CostsNotFitted.kind),
        title=CostsNotFitted.title,
        status=500,
        detail=f"{cause[0].upper()}{cause[1:]}. The version before still counts.",
        next_actions=(NextAction(label="Ask for it again"),),
    )


def any_to_ring() -> ColumnElement[bool]:
    """Whether `to_ring` would find one."""
    return claims.any_unattended(HostCostFitRow, _UNDER_WAY)


def to_ring(session: Session) -> list[int]:
    """Fits that no worker is at although one should be."""
    return list(claims.unattended(session, HostCostFitRow, _UNDER_WAY))
