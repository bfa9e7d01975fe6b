"""All simulated hosts of this process, and the time that passes for them: in real time, in steps."""

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import structlog
from sextant_twin import calibration, machines
from sextant_twin._core import Fleet
from sextant_twin.machines import Machine

from sextant_agent.kit import metrics

LONGEST_STEP_S = 2.0
"""A process that was stopped for longer does not make up for it."""

log = structlog.get_logger()


class SimulatedWorld:
    """Safe for several threads. Time passes between `start` and `stop`."""

    def __init__(self, seed: int = 1, period_s: float = 0.1, delays: dict[str, float] | None = None) -> None:
        """`seed`: equal ones, with equal orders at equal times, give equal figures. `delays`: of actuations, instead of
        what the twin assumes."""
        self._fleet = Fleet()
        self._seed = seed
        self._period_s = period_s
        self._delays = delays
        self._born_ns = time.monotonic_ns()
        self._passed_ns = 0
        self._moment = 0
        self._changed = threading.Condition()
        self._stopping = threading.Event()
        self._each_second: Callable[[], None] = lambda: None
        self._thread = threading.Thread(target=self._run, name="twin", daemon=True)

    def add(self, host_id: str, machine: str) -> Machine:
        """A host on which nothing runs. Raises BadTwinInput for a machine that there is no data of."""
        found = machines.load(machine)
        tree = found.core(calibration.load())
        if self._delays is not None:
            tree["delays"] = self._delays
        with self._changed:
            self._fleet.add(host_id, json.dumps(tree), seed=self._seed, tick_s=min(1.0, self._period_s))
        return found

    def order(self, host_id: str, order: dict[str, Any]) -> None:
        """Bring a host to an order by difference. Raises BadTwinInput."""
        text = json.dumps(order)
        with self._changed:
            self._moment += 1
            self._fleet.order(host_id, text)

    def give(self, host_id: str, given: Sequence[Mapping[str, Any]]) -> None:
        """Other ways and throttles of NFs that are ordered. Raises BadTwinInput."""
        text = json.dumps(given)
        with self._changed:
            self._moment += 1
            self._fleet.give(host_id, text)

    def start_nf(self, host_id: str, instance: str) -> None:
        """Start an NF that has crashed. Raises BadTwinInput."""
        with self._changed:
            self._moment += 1
            self._fleet.start(host_id, instance)

    def fault(self, host_id: str, fault: dict[str, Any]) -> None:
        """Let something go wrong now. Raises BadTwinInput."""
        with self._changed:
            self._moment += 1
            self._fleet.fault(host_id, json.dumps({"fault": fault}))

    def report(self, host_id: str) -> dict[str, Any]:
        """What a host says of itself: `Report` of the twin's core."""
        with self._changed:
            text = self._fleet.report(host_id)
        found: dict[str, Any] = json.loads(text)
        return found

    @property
    def moment(self) -> int:
        """Reports of equal moments are equal: rises with each step of time, and with whatever is done to a host."""
        return self._moment

    def monotonic_ns(self, taken_ns: int) -> int:
        """A host's time on this machine's monotonic clock."""
        return self._born_ns + taken_ns

    def wait(self, condition: Callable[[], bool], timeout_s: float) -> bool:
        """Until `condition` holds, looked at after each step; what it returned last."""
        deadline = time.monotonic() + timeout_s
        while not condition():
            with self._changed:
                left = deadline - time.monotonic()
                if left <= 0 or self._stopping.is_set():
                    return condition()
                self._changed.wait(min(left, 1.0))
        return True

    def start(self, each_second: Callable[[], None] = lambda: None) -> None:
        """Let time pass; `each_second` is called in its thread, just after a step."""
        self._each_second = each_second
        self._born_ns = time.monotonic_ns() - self._passed_ns
        self._thread.start()

    def stop(self) -> None:
        """No time passes any more."""
        self._stopping.set()
        with self._changed:
            self._changed.notify_all()
        self._thread.join(timeout=10)

    def _run(self) -> None:
        last = time.monotonic()
        due, second_due = last + self._period_s, last + 1.0
        while not self._stopping.wait(max(0.0, due - time.monotonic())):
            now = time.monotonic()
            try:
                self._pass(min(LONGEST_STEP_S, now - last), lost=now - last - LONGEST_STEP_S)
                if now >= second_due - self._period_s / 2:
                    second_due = max(second_due + 1.0, now)
                    self._each_second()
            except Exception:
                log.exception("twin error", next_step="report it; time goes on with the next step")
            last, due = now, max(due + self._period_s, time.monotonic())

    def _pass(self, seconds: float, lost: float) -> None:
        before = time.thread_time()
        with self._changed:
            self._moment += 1
            self._fleet.step(seconds)
            self._passed_ns += int(seconds * 1e9)
            self._born_ns += max(0, int(lost * 1e9))
            self._changed.notify_all()
        metrics.TWIN_CPU.inc(time.thread_time() - before)
