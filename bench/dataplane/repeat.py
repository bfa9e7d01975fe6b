"""How much the same measurement differs between fresh processes, for NFs whose tables stay in the caches.

A run in which the frames, too, took longer to write than usual was slowed by something else than the NF: by another
guest's work on the same physical core, say, which no clock of this one shows. It is repeated, and counted.
"""

from collections.abc import Callable, Iterator
from statistics import mean, median, stdev

from page import head, line
from setting import Setting, rows, verdict
from solo import ROWS, NfConfiguration
from solo_run import Figures, run_solo

GOAL_PERCENT = 2.0
SLOWED = 1.1
"""More than a step of the clock, less than another's work on the same physical core takes (30 % and more)."""
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
        "repeated",
        "goal",
    )
    yield from rows(
        CACHED,
        lambda row: _row(row, *_unslowed(lambda: _once(setting, row, seconds), runs)),
        lambda row, reason: line(row.name, f"not measured: {reason}", "", "", "", "", ""),
    )


def _once(setting: Setting, row: NfConfiguration, seconds: float) -> Figures:
    return run_solo(setting, row.kind, row.config, seconds=seconds, more=row.source)


def _unslowed(once: Callable[[], Figures], runs: int) -> tuple[list[Figures], int]:
    """That many runs, and how many it took beside them; at most as many again, then the slow ones stay in."""
    found = [once() for _ in range(runs)]
    for repeated in range(runs):
        usual = median(each.writing_ns for each in found)
        slowed = [each for each in found if each.writing_ns > SLOWED * usual]
        if not slowed:
            return found, repeated
        found.remove(slowed[0])
        found.append(once())
    return found, runs


def _row(row: NfConfiguration, found: list[Figures], repeated: int) -> str:
    cycles, mpps = [each.cycles for each in found], [each.mpps for each in found]
    cells = [f"{mean(cycles):.1f}", f"{_variation(cycles):.2f}", f"{mean(mpps):.2f}", f"{_variation(mpps):.2f}"]
    return line(row.name, *cells, str(repeated), verdict(_variation(mpps) <= GOAL_PERCENT))


def _variation(values: list[float]) -> float:
    return 100 * stdev(values) / mean(values)
