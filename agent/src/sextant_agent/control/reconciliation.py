"""One host kept at its order: observes, lets `reconciler` decide, lets the driver act.

Without a thread of its own: `loop.py` gives it one, and a process that serves many simulated hosts lends it one of few.
One caller at a time, except for methods that are marked as safe from any thread.
"""

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import NamedTuple

import structlog
from sextant_domain import tracing
from sextant_domain.chains.secret import SecretValues
from sextant_domain.hosts.desired import ActualNf, ActualState, DesiredHostConfig, HostContent, NfState, Phase

from sextant_agent.contract.driver import ApplyReport, Driver
from sextant_agent.contract.errors import DataPlaneDown
from sextant_agent.contract.sample import HostSample
from sextant_agent.control.reconciler import (
    ReconcilerDecision,
    ReconcilerState,
    decide,
    forget_shares,
    forgive,
    learn,
)
from sextant_agent.control.resources_found import cpu_found, memory_found
from sextant_agent.kit import metrics
from sextant_agent.orders.applied import AppliedGeneration
from sextant_agent.orders.ledger import Ledger
from sextant_agent.orders.problems import LedgerDamaged

MAX_ROUNDS = 8
"""Applies in a row before it pauses, whatever it finds."""

Clock = Callable[[], float]
OnDecision = Callable[[ReconcilerState, ReconcilerDecision, HostSample | DataPlaneDown], None]
"""Memory before a decision, the decision, what it was made on."""


class HostProgress(NamedTuple):
    """How far it is, in short."""

    applied_generation: int
    phase: Phase


class Reconciliation:
    """What is known of one host, and what is done about it."""

    def __init__(
        self,
        host_id: str,
        driver: Driver,
        ledger: Ledger,
        applied: AppliedGeneration,
        clock: Clock = time.monotonic,
        *,
        make_room: Callable[[HostContent], None] = lambda _: None,
        converged: Callable[[], None] = lambda: None,
        report: OnDecision = lambda *_: None,
        given: Callable[[DesiredHostConfig], HostContent] = lambda desired: desired.content,
    ) -> None:
        """`make_room` is called before an order is carried out, `converged` once it is reached, `report` after every
        decision. `given`: an order with what laws gave in place of what its chains begin with."""
        self._host_id = host_id
        self._driver = driver
        self._ledger = ledger
        self._applied = applied
        self._clock = clock
        self._make_room = make_room
        self._converged = converged
        self._report = report
        self._given = given
        self._content: HostContent | None = None
        """What was decided on last."""
        self._reached: tuple[int, str] | None = None
        self._memory = ReconcilerState(applied_generation=applied.value)
        self._decision: ReconcilerDecision | None = None
        self._found: HostSample | DataPlaneDown | None = None
        """What was decided by."""
        self._shown: HostSample | DataPlaneDown | None = None
        """The newest sample, which is reported."""
        self._expired_ns = 0
        self._offered: HostSample | None = None
        self._acted_ns = 0
        self._traceparent: str | None = None
        """Of the request that gave the order, until that is reached."""
        self._hurry = threading.Event()
        self._log = structlog.get_logger().bind(host_id=host_id)

    @property
    def wake_at(self) -> float | None:
        """When to converge again at the latest, by the clock; None where only news can change anything."""
        return self._decision.wake_at if self._decision else None

    def follow(self, traceparent: str | None) -> None:
        """What is done for the newest order belongs to this trace."""
        self._traceparent = traceparent

    def hurry(self) -> None:
        """The next time, try what waits after a failure. Safe from any thread."""
        self._hurry.set()

    def offer(self, sample: HostSample) -> None:
        """A fresh sample of the data plane, taken by another thread: reported at once, even during a long apply."""
        self._offered = sample
        self._show(sample)

    def expire_samples(self) -> None:
        """Decide by no sample that was taken before now. Safe from any thread."""
        self._expired_ns = time.monotonic_ns()

    @property
    def trouble(self) -> str | None:
        """Why orders would not be carried out; None while they would."""
        found = self._found
        if isinstance(found, DataPlaneDown):
            return str(found)
        return "the data plane has not been examined yet" if found is None else None

    def restarts(self) -> dict[str, int]:
        """Restarts of each NF, over all lives of the data plane."""
        return {nf_id: nf.restarts for nf_id, nf in self._memory.nfs.items()}

    def failures(self) -> dict[str, str]:
        """By chain or NF, why it could not be brought to the order; crashes are none. Safe from any thread."""
        return {key: trouble.message for key, trouble in self._memory.troubles.items() if not trouble.crash}

    def progress(self) -> HostProgress:
        """What telemetry reports of it. Safe from any thread."""
        return HostProgress(self._memory.applied_generation, self._standing()[1])

    def actual(self) -> ActualState:
        """What the host runs, against the order in force now. Safe from any thread."""
        return self._state(*self._standing(), self._shown)

    def _standing(self) -> tuple[DesiredHostConfig, Phase, str]:
        """The order in force, how far it is carried out, and the same for a person."""
        decision = self._decision
        try:
            desired = self._ledger.desired
        except LedgerDamaged as problem:
            empty = HostContent(host_id=self._host_id)
            return DesiredHostConfig.of(0, empty), Phase.BLOCKED, problem.detail
        if decision is None or decision.memory.order != (desired.generation, desired.digest):
            return desired, Phase.CONVERGING, f"generation {desired.generation} is stored and next"
        return desired, decision.phase, decision.detail

    def converge(self, stopping: Callable[[], bool] = lambda: False) -> None:
        """Decide and act until there is nothing to do now."""
        found = self._observe()
        if self._hurry.is_set():
            self._hurry.clear()
            self._memory = forgive(self._memory)
        for _ in range(MAX_ROUNDS):
            try:
                desired, secrets = self._ledger.in_force()
            except LedgerDamaged:
                self._found = found
                self._show(found)
                return
            content = self._given(desired)
            if content is not self._content:
                self._content, self._memory = content, forget_shares(self._memory)
            ordered = desired if content is desired.content else desired.model_copy(update={"content": content})
            decision = decide(ordered, found, self._clock(), self._memory)
            self._publish(decision, found, desired)
            if decision.phase is Phase.CONVERGED:
                self._traceparent = None
            if not decision.actions or stopping():
                return
            for action in decision.actions:
                result = self._apply(content, action.hold, secrets)
                self._memory = learn(self._memory, result, self._clock())
            self._acted_ns = time.monotonic_ns()
            found = self._observe()

    def _observe(self) -> HostSample | DataPlaneDown:
        offered, self._offered = self._offered, None
        # One from before the apply, or from before a process ended, shows what is no more.
        if offered is not None and offered.taken_ns >= max(self._acted_ns, self._expired_ns):
            return offered
        try:
            return self._driver.sample()
        except DataPlaneDown as down:
            return down

    def _apply(self, content: HostContent, hold: frozenset[str], secrets: SecretValues) -> ApplyReport | DataPlaneDown:
        try:
            self._make_room(content)
            with tracing.span("apply", parent=self._traceparent):
                report = self._driver.apply(content, hold, secrets)
        except DataPlaneDown as down:
            metrics.APPLIES.labels("data-plane-down").inc()
            self._log.warning("apply failed", cause=str(down))
            return down
        except Exception:
            # A mistake in the driver: what it left undone is found by the next sample and tried ever more rarely.
            metrics.APPLIES.labels("error").inc()
            self._log.exception("driver error", next_step="report it; what is not as ordered is tried again")
            return ApplyReport()
        metrics.APPLIES.labels("failed" if report.failures else "done").inc()
        for key, failure in report.failures.items():
            self._log.warning("apply failed in part", subject=key, cause=failure.message)
        if report.done:
            self._log.info("applied", done=list(report.done))
        return report

    def _show(self, found: HostSample | DataPlaneDown) -> None:
        """Two threads sample: the older of two samples is no news."""
        shown = self._shown
        older = isinstance(shown, HostSample) and isinstance(found, HostSample) and found.taken_ns < shown.taken_ns
        if not older:
            self._shown = found

    def _publish(
        self, decision: ReconcilerDecision, found: HostSample | DataPlaneDown, desired: DesiredHostConfig
    ) -> None:
        before, previous = self._memory, self._decision
        self._memory, self._decision, self._found = decision.memory, decision, found
        self._show(found)
        self._applied.keep(decision.memory.applied_generation)
        self._report(before, decision, found)
        if decision.phase is Phase.CONVERGED and self._reached != decision.memory.order:
            self._reached = decision.memory.order
            self._converged()
        if previous is None or previous.phase is not decision.phase:
            self._log.info("phase", phase=decision.phase.value, generation=desired.generation, detail=decision.detail)

    def _state(
        self, desired: DesiredHostConfig, phase: Phase, detail: str, found: HostSample | DataPlaneDown | None
    ) -> ActualState:
        return ActualState(
            host_id=self._host_id,
            phase=phase,
            detail=detail,
            desired_generation=desired.generation,
            desired_digest=desired.digest,
            applied_generation=self._memory.applied_generation,
            busy=found.busy if isinstance(found, HostSample) else None,
            nfs=_actual_nfs(self._memory, found, desired.content) if isinstance(found, HostSample) else (),
            observed_at=found.taken_at if isinstance(found, HostSample) else datetime.now(UTC),
        )


def _actual_nfs(memory: ReconcilerState, found: HostSample, content: HostContent) -> tuple[ActualNf, ...]:
    wanted = {nf.nf_id: nf for chain in content.chains for nf in chain.nfs}
    cpu = cpu_found(content, found)
    nfs = []
    for nf_id, nf in sorted(found.nfs.items()):
        kept, ordered = memory.nfs.get(nf_id), wanted.get(nf_id)
        leaving = nf.state is NfState.RUNNING and ordered is None
        nfs.append(
            ActualNf(
                nf_id=nf_id,
                chain=nf.chain,
                nf_type=ordered.nf_type if ordered and ordered.runs == nf.nf_type else nf.nf_type,
                state=NfState.STOPPING if leaving else nf.state,
                pid=nf.pid,
                core=nf.core,
                restarts=kept.restarts if kept else max(0, nf.starts - 1),
                last_error=nf.exit or (kept.last_error if kept else None),
                since=kept.since if kept and kept.state is nf.state else found.taken_at,
                cpu=cpu.get(nf_id),
                memory=memory_found(nf),
            )
        )
    return tuple(nfs)
