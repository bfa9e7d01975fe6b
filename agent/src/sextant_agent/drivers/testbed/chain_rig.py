"""What an NF spends on a packet over the testbed's own rings, on a runner that carries nothing else.

The NF stands by itself where packets arrive, then where it is asked for, with its chain, then beside competitors too,
and all once more in reverse order: a slow drift of the clock cancels.
The runner counts the time that its process spends on packets, so that waiting for a slower NF is none of it.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from types import TracebackType
from typing import Any, Self, TypeVar

from sextant_domain.chains.chain import Execution
from sextant_domain.profiling.job import line_rate_mpps
from sextant_domain.profiling.profile import NfFigures, ProfiledNf, ProfileSample

from sextant_agent.contract.errors import CoreBusy, DataPlaneDown, DriverError
from sextant_agent.drivers.testbed.competitors import holder
from sextant_agent.drivers.testbed.runner_client import RunnerClient, RunnerError
from sextant_agent.drivers.testbed.runner_messages import NfAnswer, QueryAnswer, RunnerAnswer
from sextant_agent.drivers.testbed.runner_process import RunnerProcess
from sextant_agent.drivers.testbed.runner_stop import stop_recorded_runner
from sextant_agent.drivers.testbed.scenario import Scenario
from sextant_agent.machine.proc import session_members
from sextant_agent.measuring.busy import NF, TRAFFIC, pinned_processes
from sextant_agent.measuring.lost_time import CoreTimes, Watched, core_times, lost_time
from sextant_agent.measuring.program import MeasureDisturbed
from sextant_agent.measuring.requests import load_of
from sextant_agent.orders.artefacts import FOLDER

CHAIN = "point"
BUILD_TIMEOUT_S = 120.0
"""Tables of several NFs."""
LEAST_PACKETS = 10_000
"""Of a phase on a full line: fewer say nothing. At a rate, which may be low, any do."""
WARM_UP_S = 20.0
"""Until every flow was sent twice, which fills tables and caches."""
WAIT_STEP_S = 0.05
CARRIED, FULL = 0.97, 0.9
"""Of a rate, and of a core: where less than the first was carried and no core was as full as the second, NF and source
have slept and woken each other, or others had taken their time."""

Answer = TypeVar("Answer", bound=RunnerAnswer)
Press = Callable[[Sequence[ProfiledNf], float, Callable[[], float]], tuple[float, tuple[NfFigures, ...]]]
"""Has NFs press for some seconds while the time of a packet is taken; returns that, and what they got done."""


@dataclass(frozen=True, slots=True)
class Times:
    """Nanoseconds that the NF's process spends on a packet; `there`: where it is asked for, with its chain."""

    home: float
    there: float
    beside: float | None = None
    """`there`, while competitors press."""
    others: tuple[NfFigures, ...] = ()


@dataclass(frozen=True, slots=True)
class AtRate:
    """What an NF did with a rate."""

    figures: NfFigures
    limit: str | None = None
    """What kept it from carrying more, for a person; None where it carried all."""


@dataclass(frozen=True, slots=True)
class _Stage:
    """What runs during a phase."""

    nfs: Sequence[ProfiledNf]
    """Of one chain."""
    place: int
    """In it, of the NF whose time is taken."""
    around: Sequence[ProfiledNf]
    """On cores of their own, no part of the chain."""


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

    def times(self, scenario: Scenario, check: Callable[[], None], press: Press | None = None) -> Times:
        """A packet of the NF: alone at home, then where it is asked for, beside competitors, and all again in reverse
        order. `check` may raise, to end it.

        Raises DriverError, CoreBusy, and what `press` raises.
        """
        place, seconds = len(scenario.request.upstream), max(scenario.request.seconds / 4, 0.1)
        others = scenario.request.others
        held = tuple(holder(nf) for nf in others)
        stages = [_Stage((scenario.home,), 0, held), _Stage(scenario.chain, place, held)]
        stages += [_Stage(scenario.chain, place, others)] if others else []
        try:
            forth = [self._phase(stage, seconds, check, press) for stage in stages]
            back = [self._phase(stage, seconds, check, press) for stage in reversed(stages)][::-1]
        except RunnerError as error:
            raise DriverError(f"a point cannot be measured over rings: {error}") from error
        home, there, *beside = (fmean((first[0], second[0])) for first, second in zip(forth, back, strict=True))
        figures = _mean_figures((forth[-1][1], back[-1][1])) if others else ()
        return Times(home, there, beside[0] if beside else None, figures)

    def taken(self, scenario: Scenario, offered_mpps: float, check: Callable[[], None], tsc_hz: float) -> AtRate:
        """What the NF at home carries of a rate, and takes of its core: all of its process's CPU time, going to sleep
        and waking up with it. `check` may raise, to end it.

        Raises DriverError, CoreBusy, and MeasureDisturbed where others took time of the cores.
        """
        answers, times = self._offered((scenario.home,), offered_mpps, scenario.request.seconds, check)
        return at_rate(scenario, offered_mpps, answers, times, tsc_hz)

    def handed_on(self, scenario: Scenario, offered_mpps: float, check: Callable[[], None], tsc_hz: float) -> AtRate:
        """What the first of two NFs does, with the time that the median packet takes longer than if both ran to
        completion in one process: together, apart, apart, together (ABBA), so that a slow drift cancels. `check` may
        raise, to end it.

        Raises DriverError, CoreBusy, and MeasureDisturbed where others took time of the cores, or packets were lost.
        """
        apart = scenario.chain
        together = tuple(nf.model_copy(update={"core": scenario.home.core}) for nf in apart)
        medians: dict[Execution, list[float]] = {"isolated": [], "run-to-completion": []}
        found: AtRate | None = None
        for execution in ("run-to-completion", "isolated", "isolated", "run-to-completion"):
            nfs, seconds = apart if execution == "isolated" else together, scenario.request.seconds / 2
            answers, times = self._offered(nfs, offered_mpps, seconds, check, execution)
            this = at_rate(scenario, offered_mpps, answers, times, tsc_hz)
            if this.limit is not None:
                raise MeasureDisturbed(f"{this.limit}: a queue, and not the hop, would be measured")
            found = this if execution == "isolated" else found
            medians[execution].append(self._median_us(answers))
        if found is None:
            raise DriverError("no pair of processes was measured")
        delay_us = fmean(medians["isolated"]) - fmean(medians["run-to-completion"])
        return replace(found, figures=found.figures.model_copy(update={"delay_us": delay_us}))

    def _median_us(self, answers: tuple[QueryAnswer, QueryAnswer]) -> float:
        hello = None if self._client is None else self._client.hello
        if hello is None:
            raise DataPlaneDown("the runner of a measurement was not started")
        before, after = (answer.chains[0].latency_counts for answer in answers)
        return median_us(hello.latency_bounds_ns, [now - then for then, now in zip(before, after, strict=True)])

    def _offered(
        self,
        nfs: Sequence[ProfiledNf],
        offered_mpps: float,
        seconds: float,
        check: Callable[[], None],
        execution: Execution = "isolated",
    ) -> tuple[tuple[QueryAnswer, QueryAnswer], tuple[CoreTimes, CoreTimes]]:
        """What the runner and the kernel counted before and after so long, with a chain of these. Raises DriverError,
        CoreBusy."""
        try:
            with self._running(nfs, 0, offered_mpps, execution):
                self._wait_for(0, 2 * nfs[0].traffic.flows, check)
                watched = self._watched()
                before, began = self._query(), core_times(watched)
                self._stay(seconds, check)
                after, ended = self._query(), core_times(watched)
        except RunnerError as error:
            raise DriverError(f"a point cannot be measured over rings: {error}") from error
        return (before, after), (began, ended)

    def _watched(self) -> tuple[Watched, ...]:
        """Of this runner's own processes those of NFs and that of source and sink."""
        leader = self._process.pid
        ours = {process.pid for process in session_members(leader)} if leader is not None else set()
        found = [process for process in pinned_processes() if process.pid in ours]
        return (
            *(Watched("the NF", one.pid, one.core) for one in found if one.name.startswith(NF)),
            *(Watched("source and sink", one.pid, one.core) for one in found if one.name == TRAFFIC),
        )

    def _phase(
        self, stage: _Stage, seconds: float, check: Callable[[], None], press: Press | None
    ) -> tuple[float, tuple[NfFigures, ...]]:
        """Nanoseconds a packet, with what the NFs around it got done meanwhile."""
        nfs, place = stage.nfs, stage.place
        with self._running(nfs, place, line_rate_mpps(nfs[place].traffic.packet_bytes)):  # bursts are full
            self._wait_for(place, 2 * nfs[place].traffic.flows, check)

            def count() -> float:
                return self._count(place, seconds, check)

            return press(stage.around, seconds, count) if press is not None and stage.around else (count(), ())

    @contextmanager
    def _running(
        self, nfs: Sequence[ProfiledNf], place: int, rate_mpps: float, execution: Execution = "isolated"
    ) -> Iterator[None]:
        """The chain of these, offered packets as the one at `place` wants them."""
        named = [{"nf": f"{CHAIN}.{number}", **_nf(nf)} for number, nf in enumerate(nfs)]
        source = {**load_of(nfs[place])["source"], "rate_mpps": rate_mpps}
        asked = {"chain": CHAIN, "nfs": named, "source": source, "execution": execution}
        self._ask(RunnerAnswer, "add_chain", BUILD_TIMEOUT_S, **asked)
        try:
            yield
        finally:
            self._ask(RunnerAnswer, "remove_chain", chain=CHAIN)

    def _count(self, place: int, seconds: float, check: Callable[[], None]) -> float:
        before = self._counters(place)
        self._stay(seconds, check)
        return _a_packet(before, self._counters(place))

    @staticmethod
    def _stay(seconds: float, check: Callable[[], None]) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            check()
            time.sleep(WAIT_STEP_S)

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
        return self._query().nfs[place]

    def _query(self) -> QueryAnswer:
        return self._ask(QueryAnswer, "query")

    def _ask(self, answer: type[Answer], op: str, timeout_s: float | None = None, **fields: Any) -> Answer:
        if self._client is None:
            raise DataPlaneDown("the runner of a measurement was not started")
        return self._client.request(answer, op, timeout_s, **fields)


def end_leftovers(folder: Path) -> None:
    """A runner of a measurement whose agent died. Raises DataPlaneDown where it does not end."""
    if folder.is_dir():
        stop_recorded_runner(folder)


def at_rate(
    scenario: Scenario,
    offered_mpps: float,
    answers: tuple[QueryAnswer, QueryAnswer],
    times: tuple[CoreTimes, CoreTimes],
    tsc_hz: float,
) -> AtRate:
    """By the runner's answers before and after, and by what the kernel counted meanwhile.

    Raises MeasureDisturbed, and DriverError of an old runner.
    """
    (before, after), (began, ended) = answers, times
    first, last, wall_ns = before.nfs[0], after.nfs[0], 1e9 * (ended.at_s - began.at_s)
    mpps, share = 1e3 * (last.rx - first.rx) / wall_ns, (last.cpu_ns - first.cpu_ns) / wall_ns
    traffic = ((after.traffic_cpu_ns or 0) - (before.traffic_cpu_ns or 0)) / wall_ns
    full = share + traffic if scenario.source == scenario.home.core else max(share, traffic)
    carried = f"{mpps:.3g} of {offered_mpps:.3g} Mpps were carried"
    had = f"the NF had {100 * share:.0f} % of its core, source and sink {100 * traffic:.0f} % of theirs"
    short, lost = mpps < CARRIED * offered_mpps, lost_time(began, ended)
    if lost is not None and lost.disturbed:
        raise MeasureDisturbed(str(lost))
    if lost is None and short and full < FULL:
        raise MeasureDisturbed(f"{carried}, {had}, and this kernel does not count how long processes wait for a core")
    figures = NfFigures(mpps=mpps, cycles_per_packet=_a_packet(first, last, 1) * tsc_hz / 1e9, cpu_percent=100 * share)
    return AtRate(figures, f"{carried}: {_limit(share, traffic, full)}; {had}" if short else None)


def median_us(bounds_ns: Sequence[int], counts: Sequence[int]) -> float:
    """Of packets' times, counted between these bounds; what lies in between is taken for even. Raises CoreBusy where
    there is none."""
    wanted, below = sum(counts) / 2, 0
    if wanted == 0:
        raise CoreBusy("other work uses the cores: no packet arrived at the sink")
    for number, (bound, count) in enumerate(zip(bounds_ns, counts, strict=False)):
        if below + count >= wanted:
            low = bounds_ns[number - 1] if number else 0
            return (low + (bound - low) * (wanted - below) / count) / 1000
        below += count
    return bounds_ns[-1] / 1000


def _limit(share: float, traffic: float, full: float) -> str:
    if full < FULL:
        return "NF and source sleep and wake each other"
    if share < FULL and traffic < FULL:
        return "the core that they share was full"
    return "the NF's core was full" if share >= traffic else "the core of source and sink was full"


def over_rings(alone: ProfileSample, times: Times, tsc_hz: float) -> ProfileSample:
    """Times add up: what its node, its chain and its competitors cost a packet comes on top of what a packet costs in
    the closed loop at home. One sample has one drop.

    Raises MeasureDisturbed where less than nothing would be left.
    """
    there = _with(alone.nf, times.there - times.home, tsc_hz)
    changes: dict[str, Any] = {"nf": there}
    if times.beside is not None:
        beside = _with(alone.nf, times.beside - times.home, tsc_hz)
        changes |= {
            "beside": beside,
            "others": times.others,
            "throughput_drops_percent": (100 * (1 - beside.mpps / there.mpps),),
            "cycles_rises_percent": (100 * (beside.cycles_per_packet / there.cycles_per_packet - 1),),
        }
    return alone.model_copy(update=changes)


def _with(alone: NfFigures, added_ns: float, tsc_hz: float) -> NfFigures:
    cycles = alone.cycles_per_packet + added_ns * tsc_hz / 1e9
    us = 1 / alone.mpps + added_ns / 1000 if alone.mpps > 0 else 0.0
    if us <= 0 or cycles <= 0:
        raise MeasureDisturbed(f"a place cannot make a packet {-added_ns:.1f} ns cheaper than it costs")
    return alone.model_copy(update={"mpps": 1 / us, "cycles_per_packet": cycles, "counts": {}})


def _mean_figures(runs: Sequence[Sequence[NfFigures]]) -> tuple[NfFigures, ...]:
    """Of each competitor over both of its phases."""
    return tuple(
        NfFigures(
            mpps=fmean(one.mpps for one in each),
            cycles_per_packet=fmean(one.cycles_per_packet for one in each),
            cpu_percent=fmean(one.cpu_percent for one in each),
        )
        for each in zip(*runs, strict=True)
    )


def _a_packet(before: NfAnswer, after: NfAnswer, least: int = LEAST_PACKETS) -> float:
    packets = after.rx - before.rx
    if after.busy_ns is None or before.busy_ns is None:
        raise DriverError("the runner does not count the time that NFs spend on packets: build the data plane anew")
    if packets < least:
        raise CoreBusy(f"other work uses the cores: {packets} packets passed a chain, and {least} are needed")
    return (after.busy_ns - before.busy_ns) / packets


def _nf(nf: ProfiledNf) -> dict[str, Any]:
    load = load_of(nf)
    return {name: load[name] for name in ("type", "config", "core")}
