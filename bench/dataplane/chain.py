"""Router, firewall and basic-monitor in three layouts: the highest rate without loss, and latency."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from page import head, line
from runner import KINDS, Runner, Span
from setting import NotMeasured, Setting, rows

COMMON_MPPS = 0.5
LEAST_MPPS = 0.05
FACTOR = 1.5


@dataclass(frozen=True)
class Layout:
    """Where the three run."""

    name: str
    execution: str
    cores: tuple[int, ...]


def chain(setting: Setting) -> Iterator[str]:
    """One after the other in the same run."""
    yield from setting.preface("chain", "")
    yield from head(
        "layout",
        "NFs on cores",
        "source and sink on core",
        "highest rate without loss, Mpps",
        "its p50, p95 us",
        f"p50, p95 us at {COMMON_MPPS:g} Mpps",
        "cycles in router, firewall, monitor",
    )
    yield from rows(_layouts(setting), lambda layout: _row(setting, layout), _blank)


def _layouts(setting: Setting) -> Sequence[Layout]:
    """With two cores only, the split chain's last NF shares the source's."""
    one, spare = setting.nf_core, setting.cores[-2] if len(setting.cores) > 2 else setting.other_core
    return (
        Layout("run to completion, one core", "run-to-completion", (one, one, one)),
        Layout("isolated, one core", "isolated", (one, one, one)),
        Layout("isolated, two cores", "isolated", (one, one, spare)),
    )


def _row(setting: Setting, layout: Layout) -> str:
    with Runner(setting.other_core, setting.cores) as runner:
        bounds = runner.call("hello")["latency_bounds_ns"]
        runner.add(
            [(kind, KINDS[kind], core) for kind, core in zip(KINDS, layout.cores, strict=True)], layout.execution
        )
        best, span = _highest(setting, runner)
        common = _offer(setting, runner, COMMON_MPPS)
    cycles = [spent / packets for spent, packets in zip(span.nfs("cycles"), span.nfs("rx"), strict=True)]
    return line(
        layout.name,
        ", ".join(map(str, layout.cores)),
        str(setting.other_core),
        f"{best:.2f}",
        _latency(span, bounds),
        _latency(common, bounds) + ("" if _whole(common, COMMON_MPPS) else " (with loss)"),
        ", ".join(f"{value:.0f}" for value in cycles),
    )


def _highest(setting: Setting, runner: Runner) -> tuple[float, Span]:
    """Upwards by a factor until none of some tries is without loss, then by halves of what is between."""
    best, found, rate = 0.0, None, LEAST_MPPS
    while (span := _lossless(setting, runner, rate)) is not None:
        best, found, rate = rate, span, rate * FACTOR
    above = rate
    for _ in range(setting.pick(4, 1)):
        rate = (best + above) / 2
        span = _lossless(setting, runner, rate)
        if span is None:
            above = rate
        else:
            best, found = rate, span
    if found is None:
        raise NotMeasured(
            f"even {LEAST_MPPS} Mpps lost packets: other work takes the cores for longer than the backlog lasts"
        )
    return best, found


def _lossless(setting: Setting, runner: Runner, rate: float) -> Span | None:
    for _ in range(setting.pick(3, 2)):
        span = _offer(setting, runner, rate)
        if _whole(span, rate):
            return span
    return None


def _offer(setting: Setting, runner: Runner, rate: float) -> Span:
    runner.set_rate(rate)
    time.sleep(setting.pick(0.3, 0.1))
    return runner.over(setting.pick(1.0, 0.2))


def _whole(span: Span, rate: float) -> bool:
    """Nothing was dropped, and the source kept up with what it had to offer."""
    return span.chain("source_drops") == 0 and span.chain("delivered") >= 0.97 * rate * 1e6 * span.seconds


def _latency(span: Span, bounds: Sequence[int]) -> str:
    return ", ".join(f"{span.latency_us(bounds, share):.0f}" for share in (0.5, 0.95))


def _blank(layout: Layout, reason: str) -> str:
    return line(layout.name, ", ".join(map(str, layout.cores)), "", f"not measured: {reason}", "", "", "")
