"""The PROFILE task: one point of a job, sent to the agent under its key, waited for, written down; then the next.

The agent measures by itself: a worker that dies leaves the measurement to the next one, which asks under the same key.
"""

import threading
from itertools import chain, repeat

from sextant_domain.hosts.artefact import digests_of_request
from sextant_domain.profiling.job import ProfileOrder, ProfileRun, ProfileRunState
from sextant_domain.profiling.profile import ProfileProgress
from sextant_engine.profiling.design import seconds_of
from sqlalchemy.orm import Session

from sextant_backend.agents.client import AgentClient, agent_for
from sextant_backend.agents.errors import AgentError
from sextant_backend.faults import fault_point
from sextant_backend.kit.db import session_scope
from sextant_backend.kit.leases import fences
from sextant_backend.kit.leases.claims import ClaimLostError, Heartbeat
from sextant_backend.kit.leases.work import ClaimedWork, LeasedWork
from sextant_backend.modules.artefacts.source import ArtefactSource
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.operations import file_delivery
from sextant_backend.modules.profiling import claim_next
from sextant_backend.modules.profiling.claim_next import ClaimedPoint
from sextant_backend.modules.profiling.decider import Stop
from sextant_backend.modules.profiling.limits import FIRST_POLLS_S, POLL_S, longest_s
from sextant_backend.modules.profiling.models import ProfilingJobRow
from sextant_backend.modules.profiling.policy import (
    CoresBusy,
    MeasurementForgotten,
    PointFailed,
    PointFinding,
    PointMeasured,
    PointStopped,
    Unreachable,
    WorkerLeft,
)

_leaving = threading.Event()


def leave() -> None:
    """This process ends: whoever waits for a measurement gives its claim back."""
    _leaving.set()


def measure(job_id: int) -> None:
    """Returns at once where nothing is due or another worker is at it."""
    _Measuring(job_id).run()


class _Measuring(LeasedWork[ClaimedPoint, PointFinding]):
    """One point of a job."""

    model, name = ProfilingJobRow, "profile"
    points = frozenset({"claimed", "before_store", "after_commit"})
    alone = False

    def __init__(self, job_id: int) -> None:
        self._job_id = job_id

    def take(self, session: Session) -> ClaimedWork[ClaimedPoint] | None:
        """The next point."""
        claimed = claim_next.take(session, self._job_id)
        return None if claimed is None else ClaimedWork(claimed.job_id, claimed.token, claimed)

    def perform(self, taken: ClaimedWork[ClaimedPoint], heart: Heartbeat) -> PointFinding:
        """What became of it on its host."""
        return _Measurement(taken.what, heart).run()

    def store(self, session: Session, taken: ClaimedWork[ClaimedPoint], result: PointFinding) -> None:
        """And ring for the next."""
        claim_next.end_point(session, taken.what, result)


class _Measurement:
    """One point on its host, from files to figures."""

    def __init__(self, claimed: ClaimedPoint, heart: Heartbeat) -> None:
        self._claimed, self._heart = claimed, heart

    def run(self) -> PointFinding:
        """What became of it; ClaimLostError where another worker has taken over."""
        try:
            return self._measured()
        except AgentError as error:
            return _trouble(error)

    def _measured(self) -> PointFinding:
        with session_scope() as session:
            reach = hosts.reach(session, self._claimed.host)
            fence = fences.newest(session)
        agent = agent_for(self._claimed.host, reach)
        named = digests_of_request(self._claimed.request)
        file_delivery.send(agent, ArtefactSource(), self._claimed.host, named, fence=fence)
        fault_point("profile.before_send")
        run = agent.measure(ProfileOrder(key=self._claimed.key, request=self._claimed.request))
        fault_point("profile.after_send")
        for pause_s in chain(FIRST_POLLS_S, repeat(POLL_S)):
            if run.state is not ProfileRunState.RUNNING:
                break
            if (stop := self._noted(run.progress)) is not None:
                return self._stop(agent, stop)
            if _leaving.wait(pause_s):
                return WorkerLeft()
            run = agent.measurement(self._claimed.key)
            self._heart.next_step()
        return _finding_of(run)

    def _noted(self, progress: ProfileProgress | None) -> Stop | None:
        if self._heart.lost:
            raise ClaimLostError(f"profiling job {self._claimed.job_id}: the lease ran out")
        with session_scope() as session:
            return claim_next.progress(session, self._claimed, progress)

    def _stop(self, agent: AgentClient, stop: Stop) -> PointFinding:
        """What it had measured already counts."""
        why_not = None
        try:
            run = agent.stop_measuring(self._claimed.key)
            if run.result is not None:
                return PointMeasured(run.result)
            if run.state is ProfileRunState.RUNNING:
                why_not = "it says that it goes on all the same"
        except AgentError as error:
            why_not = str(error)
        return PointStopped(why_not) if stop == "cancelled" else _too_long(self._claimed, why_not)


def _finding_of(run: ProfileRun) -> PointFinding:
    if run.result is not None:
        return PointMeasured(run.result)
    reason = run.reason or "the agent gave no reason"
    if run.state is ProfileRunState.CANCELLED:
        return PointFailed(f"it was cancelled on its host: {reason}")
    if run.kind == "busy":
        return CoresBusy(reason, spent=True)
    return PointFailed(reason, permanent=run.permanent or run.kind == "unsupported")


def _too_long(claimed: ClaimedPoint, why_not: str | None) -> PointFailed:
    """`why_not`: why the agent could not be asked to stop."""
    allowed, expected = longest_s(claimed.request), seconds_of(claimed.request)
    reason = (
        f"{claimed.host} still measured it after {allowed:.0f} s, where {expected:.0f} s are enough on a quiet host"
    )
    outcome = "was asked to stop it" if why_not is None else f"could not be asked to stop: {why_not.rstrip('.')}"
    return PointFailed(f"{reason}; its agent {outcome}")


_PASSING = {"stale-fence", "artefact-missing", "artefact-not-written", "disk-full", "ledger-damaged"}
"""Refusals that another try may find gone."""


def _trouble(error: AgentError) -> PointFinding:
    cause = error.problem.detail
    match error.refusal:
        case None if error.definitive:  # nothing was sent, and nothing ever will be
            return PointFailed(cause, permanent=True)
        case None | "host-without-power":
            return Unreachable(cause)
        case "profile-busy":
            return CoresBusy(cause)
        case "no-such-profile":
            return MeasurementForgotten()
        case kind:
            return PointFailed(cause, permanent=kind not in _PASSING)
