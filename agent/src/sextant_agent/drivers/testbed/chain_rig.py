"""What the other NFs of its chain cost an NF, over the testbed's own rings: a runner that carries nothing else.

The NF stands between source and sink by itself, then with its chain, in ABBA order: a slow drift of the clock cancels.
The runner counts the time that its process spends on packets, so that waiting for a slower NF is none of it.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from sextant_domain.profiling.job import line_rate_mpps
from sextant_domain.profiling.profile import ProfiledNf, ProfileRequest, ProfileSample

from sextant_agent.contract.errors import CoreBusy, DataPlaneDown, DriverError
from sextant_agent.drivers.testbed.runner_client import RunnerClient, RunnerError
from sextant_agent.drivers.testbed.runner_messages import NfAnswer, QueryAnswer, RunnerAnswer
from sextant_agent.drivers.testbed.runner_process import RunnerProcess
from sextant_agent.drivers.testbed.runner_stop import stop_recorded_runner
from sextant_agent.measuring.requests import load_of
from sextant_agent.orders.artefacts import FOLDER

CHAIN = "point"
BUILD_TIMEOUT_S = 120.0
"""Tables of several NFs."""
LEAST_PACKETS = 10_000
"""Of a phase: fewer say nothing."""
WARM_UP_S = 20.0
"""Until every flow was sent twice, which fills tables and caches."""
WAIT_STEP_S = 0.05

Answer = TypeVar("Answer", bound=RunnerAnswer)


class ChainRig:
    """Used as a context; what it started ends with it, or with the next agent's first look at the folder."""

    def __init__(self, runner: Path, folder: Path, socket_dir: Path, cores: Sequence[int], source: int) -> None:
        """`folder`, in the agent's state folder, and `socket_dir`: of such runners alone. `source`: the core of source
        and sink."""
        self._folder, self._artefacts = folder, folder.parent / FOLDER
        self._process = RunnerProcess(runner, folder, socket_dir, sorted({*cores, source}), source)
        self._client: RunnerClient | None = None

    def __enter__(self) -> Self:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        end_leftovers(self._folder)
        with suppress(FileExistsError):
            (self._folder / FOLDER).symlink_to(self._artefacts)
        try:
            self._process.ensure()
            self._client = self._process.new_client()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._client is not None:
            self._client.close()
        stop_recorded_runner(self._folder)

    def added_ns(self, request: ProfileRequest, check: Callable[[], None]) -> float:
        """A packet, by the rest of the chain; below 0 where it makes the NF quicker. `check` may raise, to end it.

        Raises DriverError, CoreBusy.
        """
        whole, own = (*request.upstream, request.nf, *request.downstream), (request.nf,)
        place, seconds = len(request.upstream), max(request.seconds / 4, 0.1)
        try:
            first, second, third, fourth = (
                self._busy_ns(nfs, at, seconds, check)
                for nfs, at in ((own, 0), (whole, place), (whole, place), (own, 0))
            )
            return (second + third - first - fourth) / 2
        except RunnerError as error:
            raise DriverError(f"a chain of this point cannot be measured: {error}") from error

    def _busy_ns(self, nfs: Sequence[ProfiledNf], place: int, seconds: float, check: Callable[[], None]) -> float:
        """A packet, of the NF in that place of a chain."""
        named = [{"nf": f"{CHAIN}.{number}", **_nf(nf)} for number, nf in enumerate(nfs)]
        self._ask(RunnerAnswer, "add_chain", BUILD_TIMEOUT_S, chain=CHAIN, nfs=named, source=_source(nfs[place]))
        try:
            self._wait_for(place, 2 * nfs[place].traffic.flows, check)
            before = self._counters(place)
            until = time.monotonic() + seconds
            while time.monotonic() < until:
                check()
                time.sleep(WAIT_STEP_S)
            return _a_packet(before, self._counters(place))
        finally:
            self._ask(RunnerAnswer, "remove_chain", chain=CHAIN)

    def _wait_for(self, place: int, packets: int, check: Callable[[], None]) -> None:
        until = time.monotonic() + WARM_UP_S
        while (passed := self._counters(place).rx) < packets:
            check()
            if time.monotonic() > until:
                raise CoreBusy(
                    f"other work uses the cores: {passed} packets passed a chain in {WARM_UP_S:.0f} s, and {packets} "
                    "are needed to warm it up"
                )
            time.sleep(WAIT_STEP_S)

    def _counters(self, place: int) -> NfAnswer:
        return self._ask(QueryAnswer, "query").nfs[place]

    def _ask(self, answer: type[Answer], op: str, timeout_s: float | None = None, **fields: Any) -> Answer:
        if self._client is None:
            raise DataPlaneDown("the runner of a measurement was not started")
        return self._client.request(answer, op, timeout_s, **fields)


def end_leftovers(folder: Path) -> None:
    """A runner of a measurement whose agent died. Raises DataPlaneDown where it does not end."""
    if folder.is_dir():
        stop_recorded_runner(folder)


def in_chain(alone: ProfileSample, added_ns: float, tsc_hz: float) -> ProfileSample:
    """Times add up: what its chain costs a packet comes on top of what a packet costs in the closed loop.

    Raises DriverError where less than nothing would be left.
    """
    cycles = alone.nf.cycles_per_packet + added_ns * tsc_hz / 1e9
    us = 1 / alone.nf.mpps + added_ns / 1000 if alone.nf.mpps > 0 else 0.0
    if us <= 0 or cycles < 0:
        raise DriverError(f"a chain that makes a packet {-added_ns:.1f} ns cheaper was disturbed: measure it again")
    return alone.model_copy(
        update={"nf": alone.nf.model_copy(update={"mpps": 1 / us, "cycles_per_packet": cycles, "counts": {}})}
    )


def _a_packet(before: NfAnswer, after: NfAnswer) -> float:
    packets = after.rx - before.rx
    if after.busy_ns is None or before.busy_ns is None:
        raise DriverError("the runner does not count the time that NFs spend on packets: build the data plane anew")
    if packets < LEAST_PACKETS:
        raise CoreBusy(f"other work uses the cores: {packets} packets passed a chain, and {LEAST_PACKETS} are needed")
    return (after.busy_ns - before.busy_ns) / packets


def _nf(nf: ProfiledNf) -> dict[str, Any]:
    load = load_of(nf)
    return {name: load[name] for name in ("type", "config", "core")}


def _source(nf: ProfiledNf) -> dict[str, Any]:
    """At the rate of a full line: bursts are full."""
    return {**load_of(nf)["source"], "rate_mpps": line_rate_mpps(nf.traffic.packet_bytes)}
