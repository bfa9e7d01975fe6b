"""CoCo's Fig. 6 on a simulated host: an element is overloaded, and its neighbour is pushed aside, or it is copied to
a new core as OpenNF does it (re-implemented).

CoCo's law, as it stands in the engine, says when something is to be done and who is pushed where: nothing of that is
set here. Both arms then go by orders through the twin's driver. A copy is a lane: a chain of its own with half of the
flows, whose other elements stand where they stand already, as processes of their own. The last arm has none of those,
and only its settled latency can be worked out. What a hop of the paper's switch would add is computed: so many
milliseconds for each hop of a packet (delayed bytes by bytes), beside what the twin says.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import page
from scaling_chains import CHAIN, NEW, SECOND, SETTINGS, chain, copied, hops_of, msfc, nf, pushed, shared, traffic
from sextant_agent.reporting.telemetry import rates
from sextant_domain.chains.chain import Execution
from sextant_domain.hosts.desired import DesiredChain
from sextant_domain.laws.coco import CocoObservation, CocoParameters
from sextant_engine.control.coco.law import CocoLaw
from sextant_engine.control.coco.loads import dropped_later
from sextant_engine.control.coco.push_aside import push_aside
from sextant_engine.control.coco.state import CocoAction
from simulated import AS_IT_IS, STEP_S, Changes, RecordedHost, Window, window

ANALYZER = f"{CHAIN}.analyzer"
SHORT_S = 3e-4
"""Of a slice, whose length is assumed in the machine's data file: 3 ms."""
ALREADY_RUNNING: Changes = {"delays": {"start_s": 0.0}}


@dataclass(frozen=True)
class Way:
    """How the elements of both arms share cores."""

    name: str
    execution: Execution
    changes: Changes = field(default_factory=dict)
    """Of the machine."""


ISOLATED = Way("a process each", "isolated")
WAYS = (
    ISOLATED,
    Way(f"a process each, slices of {SHORT_S * 1e3:g} ms", "isolated", {"framework": {"slice_s": SHORT_S}}),
    Way("neighbours run to completion", "run-to-completion"),
)
PATIENCE_S = 10.0
"""Simulated seconds until the law must have acted."""


@dataclass(frozen=True)
class Times:
    """From the step in the rate on."""

    to_order_s: float
    to_recovered_s: float


@dataclass(frozen=True)
class Arm:
    """What one came to."""

    name: str
    cores: int
    hops: tuple[float, float]
    """Of a packet in the mean: before the step, and settled."""
    mean_ms: float
    """Settled latency."""
    windows: tuple[Window, ...] = ()
    """Before the step, the worst after it, and the settled one; none where only the mean is known."""
    lost: int = 0
    times: Times | None = None

    @property
    def with_t_d_ms(self) -> float:
        """Settled latency in the mean, if each hop took so much longer."""
        return self.mean_ms + self.hops[1] * float(SETTINGS["t_d_ms"])


def table() -> Iterator[str]:
    """Both arms, each way, and what each column comes to."""
    yield from page.head(
        "SIMULATED", "arm", "cores", "hops of a packet: before, settled", "latency before, ms: p50, p95",
        "in the worst 10 ms", "settled", "settled, mean, ms", f"with {SETTINGS['t_d_ms']:g} ms a hop, *assumed*",
        "lost", "step to order, s", f"step to recovered, s: goal {SETTINGS['goal_s']:g}",
    )  # fmt: skip
    for way in WAYS:
        found = arms(way)
        for arm in found:
            yield page.line(way.name, *cells(arm))
        yield page.line(way.name, *verdicts(found[0], found[1:]))
    yield page.line("paper", "CoCo", "2", "1, 1", "-", "-", "-", "6", "6", "-", "-", "-")
    yield page.line("paper", "OpenNF", "3", "1, up to 3", "-", "-", "-", "11", "11", "-", "-", "a little sooner")


def arms(way: Way) -> list[Arm]:
    """The push first."""
    return [
        push(way),
        copy(way),
        copy(way, already_running=True),
        Arm("new core, no process twice", 3, (1.0, 2.0), drawn_ms(way)),
    ]


def push(way: Way) -> Arm:
    """What the law says."""
    return _run("push aside", way, _push)


def copy(way: Way, *, already_running: bool = False) -> Arm:
    """What is overloaded stands twice. `already_running`: its process takes no time to start."""
    if already_running:
        return _run("new core, its process there before", way, _copy, ALREADY_RUNNING)
    return _run("new core", way, _copy)


def cells(arm: Arm) -> list[str]:
    """Of a row."""
    shown = [f"{p50:.2f}, {p95:.2f}" for p50, p95 in (one.p50_p95_ms for one in arm.windows)] or ["-"] * 3
    times = arm.times
    told = ["-"] * 3
    if times is not None:
        told = [f"{arm.lost:,}", f"{times.to_order_s:.2f}", f"{times.to_recovered_s:.2f}"]
    hops = ", ".join(f"{one:.2f}" for one in arm.hops)
    return [arm.name, str(arm.cores), hops, *shown, f"{arm.mean_ms:.2f}", f"{arm.with_t_d_ms:.2f}", *told]


def verdicts(pushed_aside: Arm, copies: list[Arm]) -> list[str]:
    """Of the columns that the paper has a figure of. Latency is in the published order if the push is quicker than
    every form of the copy."""
    fewer = all(pushed_aside.cores < one.cores for one in copies)
    no_new_hop = pushed_aside.hops[1] <= pushed_aside.hops[0]
    quicker = all(pushed_aside.mean_ms < one.mean_ms for one in copies)
    quicker_with = all(pushed_aside.with_t_d_ms < one.with_t_d_ms for one in copies)
    sooner = pushed_aside.times is not None and pushed_aside.times.to_recovered_s <= SETTINGS["goal_s"]
    copy_sooner = _told(_copy_is_sooner(pushed_aside, copies))
    return [
        "*push aside, verdict*", _told(fewer), f"no new one: {_told(no_new_hop)}", "-", "-", "-", _told(quicker),
        _told(quicker_with), "-", "-", f"{_told(sooner)}; the copy sooner: {copy_sooner}",
    ]  # fmt: skip


def _copy_is_sooner(pushed_aside: Arm, copies: list[Arm]) -> bool:
    seconds = [one.times.to_recovered_s for one in copies if one.times is not None]
    return pushed_aside.times is not None and min(seconds) < pushed_aside.times.to_recovered_s


def _told(is_so: bool) -> str:
    return "passed" if is_so else "**failed**"


def drawn_ms(way: Way) -> float:
    """Settled latency of the copy in the mean, with no process but the analyzer's twice, as Fig. 4(b) is drawn. The
    twin has no chain that parts and joins, so it is put together of chains that it has."""
    mpps, execution = SETTINGS["mpps_after"], way.execution
    whole = msfc(mpps, execution)
    analyzer = next(one for one in whole.nfs if one.nf_id == ANALYZER)
    loops = analyzer.config["loops"]
    first, *others = [one for one in whole.nfs if one is not analyzer]
    if execution == "isolated":
        # One half passes the copy, which takes half as long for each of twice as many packets; the other half the
        # analyzer, which a chain of its own gives its packets.
        own = chain("own", [nf("own.analyzer", loops, SECOND)], traffic(mpps / 2), execution)
        replica = nf(ANALYZER, loops // 2, NEW)
        through = [replica if one is analyzer else one for one in whole.nfs]
        with_copy = _settled(way, chain(CHAIN, through, whole.traffic, execution), own)
        without = _settled(way, chain(CHAIN, (first, *others), whole.traffic, execution), own)
        return (with_copy.mean_ms_of(CHAIN) + without.mean_ms_of(CHAIN) + without.mean_ms_of("own")) / 2
    # One process on each core. Half of the packets come to the second one twice, with a part of their work each time:
    # what a packet waits there for in all is as if all came once with all of their work.
    second = nf(f"{CHAIN}.second", sum(one.config["loops"] for one in others) + loops // 2, SECOND)
    alone = [_settled(way, chain(CHAIN, [one], whole.traffic, execution)) for one in (first, second)]
    behind = _settled(way, chain(CHAIN, [nf(ANALYZER, loops, NEW)], traffic(mpps / 2), execution))
    return sum(one.mean_ms for one in alone) + behind.mean_ms / 2


def _settled(way: Way, *chains: DesiredChain) -> Window:
    host = RecordedHost(SETTINGS["machine"], SETTINGS["seed"], way.changes)
    host.order(*chains)
    host.world.pass_time(SETTINGS["after_s"])
    return _last(host)


def _last(host: RecordedHost) -> Window:
    return window(host.samples[-1 - _steps(SETTINGS["settled_s"])], host.samples[-1])


def _steps(seconds: float) -> int:
    return round(seconds / STEP_S)


Act = Callable[[RecordedHost, CocoAction], None]


def _push(host: RecordedHost, action: CocoAction) -> None:
    """What the law says."""
    if action.push is None or action.push.action != "push_aside":
        raise RuntimeError(f"the law pushes nothing aside: {action.reason}")
    host.order(pushed(host.content.chains[0], action.push.moves))


def _copy(host: RecordedHost, action: CocoAction) -> None:
    """Whatever is overloaded stands twice: the new lane starts first, then it gets its part."""
    before = host.content.chains[0]
    first, new = copied(before, str(action.overloaded))
    host.order(before, new.model_copy(update={"paused": True}))
    host.order(first, new)


def _run(name: str, way: Way, act: Act, changes: Changes = AS_IT_IS) -> Arm:
    """One arm on a host of its own."""
    host = RecordedHost(SETTINGS["machine"], SETTINGS["seed"], {**way.changes, **changes})
    host.order(msfc(SETTINGS["mpps_before"], way.execution))
    host.world.pass_time(SETTINGS["settled_s"])
    begun = host.steps
    host.world.pass_time(SETTINGS["before_s"])
    hops, step = _hops(host, begun), host.steps
    step_s = host.now_s
    host.order(msfc(SETTINGS["mpps_after"], way.execution))
    action = _until_overloaded(host, step)
    ordered_s = host.now_s
    act(host, action)
    host.world.pass_time(SETTINGS["after_s"])
    after, last = host.windows(step, host.steps), _last(host)
    worst = max(after, key=lambda one: one.p50_p95_ms[1])
    return Arm(
        name=name,
        cores=len({one.core for each in host.content.chains for one in each.nfs}),
        hops=(hops, _hops(host, host.steps - _steps(SETTINGS["settled_s"]))),
        mean_ms=last.mean_ms,
        windows=(window(host.samples[begun], host.samples[step]), worst, last),
        lost=sum(one.lost for one in after),
        times=Times(ordered_s - step_s, recovered_s(after, last) - step_s),
    )


def _until_overloaded(host: RecordedHost, step: int) -> CocoAction:
    """The law looks on until it acts."""
    parameters = CocoParameters(hold_intervals=SETTINGS["hold_s"], other_work_percent=0.0)
    law = CocoLaw(parameters, shared(host.content.chains[0]), push_aside)
    state, reason, looks = law.initial(), "", _steps(SETTINGS["look_s"])
    for at in range(step + looks, step + _steps(PATIENCE_S), looks):
        host.world.pass_time((at - host.steps) * STEP_S)
        state, action = law.step(state, _observed(host, at - looks, at), host.now_s)
        if action.push is not None:
            return action
        reason = action.reason
    raise RuntimeError(f"nothing is overloaded for the law within {PATIENCE_S:g} s: {reason}")


def _observed(host: RecordedHost, since: int, at: int) -> CocoObservation:
    """What an early report says of the time between two steps. There is no other work on the cores."""
    found = rates(host.samples[since], host.samples[at], {})
    drops = {one.nf_id: one.drop_mpps for one in found.nfs}
    return CocoObservation(
        at_s=host.samples[at].taken_ns / 1e9,
        use={one.nf_id: one.utilisation_percent / 100 for one in found.nfs if one.utilisation_percent is not None},
        others={},
        offered_mpps={one.chain: one.offered_mpps for one in found.chains},
        carried_mpps={one.chain: one.delivered_mpps for one in found.chains},
        dropped_later_mpps=dropped_later([one.nf_id for one in host.content.chains[0].nfs], drops),
        early=True,
    )


def _hops(host: RecordedHost, since: int) -> float:
    """Between cores, of a packet that was delivered since that step, in the mean."""
    found = window(host.samples[since], host.samples[-1])
    passed = sum(sum(found.counts[one.chain]) * hops_of(one) for one in host.content.chains)
    return passed / found.delivered


def recovered_s(after: Sequence[Window], settled: Window) -> float:
    """The end of the last window that lost packets, or was not yet as quick as once all has settled."""
    wanted_ms = settled.p50_p95_ms[0]
    bad = [one.at_s for one in after if one.lost or abs(one.p50_p95_ms[0] / wanted_ms - 1) > SETTINGS["near"]]
    return bad[-1]
