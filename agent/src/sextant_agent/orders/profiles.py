"""Measurements that were ordered of one host: one at a time, in a thread of its own, the last ones kept.

Measuring changes nothing that is ordered, so no claim and no fence is needed: whoever asks twice gets the same answer.
An order always wins: a measurement on a core that it gives to an NF is cancelled before the NF is started.
"""

import re
import threading
from collections.abc import Callable, Mapping, Sequence

import structlog
from sextant_domain.base import Provenance
from sextant_domain.hosts.desired import HostContent
from sextant_domain.hosts.host import PROFILING_RESOURCES, PROFILING_SHARES, HostInventory
from sextant_domain.profiling.job import ActiveProfiles, ProfileOrder, ProfileRun, ProfileRunState
from sextant_domain.profiling.profile import ProfileProgress, ProfileRequest, ProfileResult

from sextant_agent.contract.driver import Driver, HostOffer
from sextant_agent.contract.errors import CoreBusy, DriverError, NotSupported
from sextant_agent.kit import metrics
from sextant_agent.measuring.results import not_begun
from sextant_agent.measuring.watch import MeasurementCancelled, MeasurementWatch
from sextant_agent.orders.problems import LedgerDamaged, NoSuchProfile, ProfileBusy, ProfileConflict

KEPT = 32
"""Measurements that have ended, the newest."""
PATIENCE_S = 3.0
"""For one that was ordered to end: it looks every 0.1 s, and its processes are killed."""


_KEY = re.compile(r"[A-Za-z0-9-]{1,64}")


class _Run:
    """One measurement; its fields change under the lock of `ProfileRuns`."""

    def __init__(self, key: str, request: ProfileRequest | None) -> None:
        self.request = request
        """None where it was cancelled before it was ordered."""
        self.shown = ProfileRun(key=key, state=ProfileRunState.RUNNING)
        self.cancelled = threading.Event()
        self.ended = threading.Event()
        self.taken: str | None = None
        """What took a core from it."""
        self.given: frozenset[int] = frozenset()
        """Cores that NFs had when it began: all others may be calibrated."""


class ProfileRuns:
    """Safe for several threads."""

    def __init__(self, driver: Driver, ordered: Callable[[], HostContent]) -> None:
        """`ordered`: the content of the order in force; raises LedgerDamaged."""
        self._driver = driver
        self._ordered = ordered
        self._lock = threading.Lock()
        self._runs: dict[str, _Run] = {}
        """By key, oldest first."""
        self._running: _Run | None = None
        self._closed = False

    def order(
        self,
        order: ProfileOrder,
        begin: Callable[[ProfileRequest], None] = lambda _: None,
        end: Callable[[], None] = lambda: None,
    ) -> ProfileRun:
        """Begin it, or return what is known under its key. `begin` is called just before, and may refuse by a problem
        of its own; `end` once it has ended.

        Raises ProfileConflict, ProfileBusy.
        """
        offer = self._driver.inventory()
        with self._lock:
            known = self._runs.get(order.key)
            if known is not None:
                if known.request is not None and known.request != order.request:
                    raise ProfileConflict(
                        f"{order.key} stands for another measurement: take a new key. Nothing was begun.",
                    )
                return known.shown
            if self._running is not None:
                raise ProfileBusy(
                    f"{self._running.shown.key} is measured now, and one at a time is: try again when it has ended, or "
                    f"cancel it by DELETE /v1/profiles/{self._running.shown.key}. Nothing was begun.",
                    difference={"key": {"sent": order.key, "running": self._running.shown.key}},
                )
            run, given = _Run(order.key, order.request), self._given_now(offer)
            run.given = frozenset(given)
            taken = "the agent ends" if self._closed else _taken(order.request, order.request.cores, given)
            if taken is None:
                begin(order.request)
            self._runs[order.key] = run
            if taken is not None:
                self._end(run, ProfileRunState.FAILED, reason=taken, kind="busy")
                return run.shown
            self._running = run
            arguments = run, order.request, end
            threading.Thread(target=self._measure, args=arguments, name="profile", daemon=True).start()
            return run.shown

    def get(self, key: str) -> ProfileRun:
        """Raises NoSuchProfile."""
        with self._lock:
            run = self._runs.get(key)
            if run is None:
                raise NoSuchProfile(f"{key[:64]} was not ordered of this agent, or too long ago: order it (again).")
            return run.shown

    def active(self) -> ActiveProfiles:
        """What is measured now."""
        with self._lock:
            return ActiveProfiles(runs=() if self._running is None else (self._running.shown,))

    def cores(self) -> frozenset[int]:
        """On which it measures now; what is calibrated are all that NFs do not have."""
        run = self._running
        if run is None or run.request is None:
            return frozenset()
        calibrated = self._free_of_nfs(run) if _calibrates(run) else frozenset[int]()
        return calibrated.union(run.request.cores)

    def cancel(self, key: str) -> ProfileRun:
        """Returns once it has ended. One that is not known is noted: an order that comes later begins nothing.

        Raises NoSuchProfile for what can be no key.
        """
        with self._lock:
            run = self._runs.get(key)
            if run is None and not _KEY.fullmatch(key):
                raise NoSuchProfile("A key has 1 to 64 letters, digits and hyphens. Nothing was cancelled.")
            if run is None:
                run = self._runs[key] = _Run(key, None)
                self._end(run, ProfileRunState.CANCELLED, reason="it was cancelled before it was ordered")
            run.cancelled.set()
        run.ended.wait(PATIENCE_S)
        return self.get(key)

    def give_way(self, content: HostContent) -> None:
        """An order is about to be carried out: returns once nothing is measured on a core of its NFs."""
        run = self._running
        if run is None or run.request is None:
            return
        given = _given(content, self._driver.inventory())
        calibrated = sorted(given.keys() - run.given) if _calibrates(run) else ()
        taken = _taken(run.request, (*run.request.cores, *calibrated), given)
        if taken is None:
            return
        with self._lock:
            run.taken = run.taken or taken
            run.cancelled.set()
        if not run.ended.wait(PATIENCE_S):
            structlog.get_logger().warning("measurement does not end", key=run.shown.key, note="the order goes on")

    def close(self) -> None:
        """Cancel what runs, and wait for its end."""
        with self._lock:
            self._closed, run = True, self._running
        if run is not None:
            run.cancelled.set()
            run.ended.wait(PATIENCE_S)

    def _given_now(self, offer: HostOffer) -> dict[int, str]:
        try:
            return _given(self._ordered(), offer)
        except LedgerDamaged:
            return {}  # no order is carried out: what runs, the driver finds

    def _free_of_nfs(self, run: _Run) -> frozenset[int]:
        return frozenset(core.id for core in self._driver.inventory().host.cores) - run.given

    def _measure(self, run: _Run, request: ProfileRequest, end: Callable[[], None]) -> None:
        log = structlog.get_logger().bind(key=run.shown.key)
        log.info("measurement begun", mode=request.mode.value, nf_type=request.nf.nf_type, cores=request.cores)
        state = ProfileRunState.FAILED
        reported: Mapping[str, object] = {}
        try:
            state, reported = self._outcome(run, request)
        except Exception:
            log.exception("measuring error", next_step="report it; order the measurement again under another key")
            reported = {"reason": "the agent met an error of its own; its log says which"}
        finally:
            end()
            with self._lock:
                self._running = None
                self._end(run, state, **reported)
        metrics.PROFILES.labels(state.value).inc()
        log.info("measurement ended", state=state.value, reason=run.shown.reason)

    def _outcome(self, run: _Run, request: ProfileRequest) -> tuple[ProfileRunState, Mapping[str, object]]:
        def progress(seen: ProfileProgress) -> None:
            with self._lock:
                run.shown = run.shown.model_copy(update={"progress": seen})

        try:
            watch = MeasurementWatch(progress, run.cancelled.is_set)
            result = self._beyond_it(request) or self._driver.profile(request, watch)
        except (MeasurementCancelled, DriverError) as error:
            if run.taken is not None:
                return ProfileRunState.FAILED, {"reason": run.taken, "kind": "busy"}
            if isinstance(error, MeasurementCancelled):
                return ProfileRunState.CANCELLED, {}
            reported = {"reason": str(error), "permanent": error.permanent, "kind": _kind_of(error)}
            return ProfileRunState.FAILED, reported
        metrics.show_profile(result)
        return ProfileRunState.DONE, {"result": result}

    def _beyond_it(self, request: ProfileRequest) -> ProfileResult | None:
        """Why the host cannot measure it as it is asked; None where it can. A driver that knows nothing of resources or
        rates would measure the NF with all there is, and with all that it can take."""
        host = self._driver.inventory().host
        reason = _why_not(request, host)
        if reason is None:
            return None
        found = not_begun(request, reason)
        return found.model_copy(update={"provenance": Provenance.SIMULATED}) if host.simulated else found

    def _end(self, run: _Run, state: ProfileRunState, **reported: object) -> None:
        """Under the lock."""
        if state is ProfileRunState.FAILED:
            reported = {"kind": "failed", **reported}
        run.shown = run.shown.model_copy(update={"state": state, **reported})
        run.ended.set()
        ended = [key for key, each in self._runs.items() if each.ended.is_set()]
        for key in ended[: max(0, len(ended) - KEPT)]:
            del self._runs[key]


def _why_not(request: ProfileRequest, host: HostInventory) -> str | None:
    resources = host.why_not(PROFILING_RESOURCES) if request.has_resources else None
    if resources is not None:
        return f"cache ways and memory bandwidth of its own: {resources}"
    shares = host.why_not(PROFILING_SHARES) if request.offered_mpps is not None else None
    return None if shares is None else f"its share of a core at a rate: {shares}"


def _calibrates(run: _Run) -> bool:
    seen = run.shown.progress
    return seen is not None and seen.stage == "calibrating"


def _kind_of(error: DriverError) -> str:
    match error:
        case CoreBusy():
            return "busy"
        case NotSupported():
            return "unsupported"
        case _:
            return "failed"


def _given(content: HostContent, offer: HostOffer) -> dict[int, str]:
    """Who has which core by an order."""
    given = {nf.core: nf.nf_id for chain in content.chains for nf in chain.nfs}
    if content.chains and offer.traffic_core is not None:
        given.setdefault(offer.traffic_core, f"the source and sink of {content.chains[0].chain}")
    return given


def _taken(request: ProfileRequest, cores: Sequence[int], given: Mapping[int, str]) -> str | None:
    """Which of these cores the measurement has to leave, and to whom; None where it can stay."""
    core = None if request.sandboxed else next((core for core in cores if core in given), None)
    return None if core is None else f"core {core} was given to {given[core]}"
