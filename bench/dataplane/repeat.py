"""How much the same measurement differs between fresh processes, for NFs whose tables stay in the caches."""

from collections.abc import Iterator
from statistics import mean, stdev

from alone import Figures, alone
from page import head, line
from setting import Setting, rows, verdict
from solo import ROWS, Row

GOAL_PERCENT = 2.0
CACHED_TYPES = ("basic-monitor", "dpi", "firewall", "load-balancer", "nat", "nids", "router", "vpn")
CACHED = tuple({row.kind: row for row in reversed(ROWS) if row.kind in CACHED_TYPES}.values())


def repeat(setting: Setting) -> Iterator[str]:
    """Ten processes of a second each, one NF after the other."""
    runs, seconds = setting.pick((10, 1.0), (3, 0.1))
    yield from setting.preface("repeat", f"a coefficient of variation of at most {GOAL_PERCENT:g} %")
    yield from head(
        f"NF, {runs} fresh processes x {seconds:g} s",
        "cycles: mean",
        "variation %",
        "Mpps: mean",
        "variation %",
        "goal",
    )
    yield from rows(
        CACHED,
        lambda row: _row(row, [_once(setting, row, seconds) for _ in range(runs)]),
        lambda row, reason: line(row.name, f"not measured: {reason}", "", "", "", ""),
    )


def _once(setting: Setting, row: Row, seconds: float) -> Figures:
    return alone(setting, row.kind, row.config, seconds=seconds, more=row.source)


def _row(row: Row, found: list[Figures]) -> str:
    cycles, mpps = [each.cycles for each in found], [each.mpps for each in found]
    told = [f"{mean(cycles):.1f}", f"{_variation(cycles):.2f}", f"{mean(mpps):.2f}", f"{_variation(mpps):.2f}"]
    return line(row.name, *told, verdict(_variation(mpps) <= GOAL_PERCENT))


def _variation(values: list[float]) -> float:
    return 100 * stdev(values) / mean(values)
