"""SRv6-INT's local loop on real packets, as in the paper's Figs. 9, 10, 12 and 13: chains are sent more than their NFs'
CPU quotas carry. Beside the law as agents run it the same law looking once a second, as a console could, and no law."""

from collections.abc import Iterator
from itertools import accumulate, combinations
from statistics import median

import page
from figures import percentile
from lone_host import lone_host
from loop_run import LOOP, Run, Sent, one_run

STEP = Sent(("simple-forward",), ((0.2, 0.008), (4.0, 0.025)))
"""Fig. 9."""
TYPES = {"simple-forward": "Fwd", "nids": "Snort", "dpi": "nDPI", "basic-monitor": "ntopng"}
"""Ours beside the paper's."""
PAIR_PHASES = ((0.2, 0.004), (6.0, 0.012))
PAIR_GOAL_S, PAPER_PAIR_S = 2.0, 4.0
CHANGING = Sent(("simple-forward",), ((0.5, 0.008), (5.0, 0.025), (5.0, 0.008), (5.0, 0.018), (5.0, 0.008)))
"""Figs. 12 and 13: what changes within seconds here changes within half a minute in the paper."""
LESS_TIME_GOAL = 5.0


def step(repeats: int) -> Iterator[str]:
    """Fig. 9: a row a way of looking; the runs are interleaved."""
    yield from page.head(
        "the law looks", "first raise, ms: median, range", "clear, ms: median, range", "cleared", "windows above L_max",
        "quota, %: before, after",
    )  # fmt: skip
    for name, runs in _interleaved(STEP, repeats).items():
        above = [run for run in runs if run.above_at is not None]
        raises = [run.first_raise_s for run in above if run.first_raise_s is not None]
        clears = [run.clear_s for run in above if run.clear_s is not None]
        shares = [100 * run.above_share for run in runs]
        quotas = [f"{median(run.quotas[at] for run in runs):.0f}" for at in (0, -1)]
        yield page.line(
            name, _ms(raises), _ms(clears), f"{len(clears)} of {len(above)}",
            f"{median(shares):.0f} %, {min(shares):.0f} to {max(shares):.0f}", ", ".join(quotas),
        )  # fmt: skip


def pairs(repeats: int) -> Iterator[str]:
    """Fig. 10: chains of two NFs of different types, both on one core."""
    yield from page.head(
        "NFs (the paper's)", "violated", "clear, s: median, range", "cleared", f"goal {PAIR_GOAL_S:g} s",
        f"paper {PAPER_PAIR_S:g} s", "quotas together, %: before, after",
    )  # fmt: skip
    with lone_host() as driver:
        for pair in combinations(TYPES, 2):
            runs = [one_run(driver, Sent(pair, PAIR_PHASES), LOOP["each 10 ms"]) for _ in range(repeats)]
            yield page.line(f"{' and '.join(pair)} ({', '.join(TYPES[kind] for kind in pair)})", *_pair(runs))


def _pair(runs: list[Run]) -> Iterator[str]:
    above = [run for run in runs if run.above_at is not None]
    clears = sorted(run.clear_s for run in above if run.clear_s is not None)
    yield f"{len(above)} of {len(runs)}"
    yield f"{median(clears):.2f}, {clears[0]:.2f} to {clears[-1]:.2f}" if clears else "-"
    yield f"{len(clears)} of {len(above)}"
    for bound in (PAIR_GOAL_S, PAPER_PAIR_S):
        all_in_time = len(clears) == len(above) and all(clear <= bound for clear in clears)
        yield ("met" if all_in_time else "**missed**") if above else "never violated"
    yield ", ".join(f"{median(run.quotas[at] for run in runs):.0f}" for at in (0, -1))


def changing(repeats: int) -> Iterator[str]:
    """Figs. 12 and 13: for how long p95 was above L_max while traffic changed, and what quotas the NF had meanwhile."""
    phases = CHANGING.phases[1:]
    kpps = [f"{1000 * rate:g} kpps" for _, rate in phases]
    yield from page.head(
        "the law looks", *(f"{name}: s above L_max, quota %" for name in kpps),
        f"above in all, s of {sum(seconds for seconds, _ in phases):g}", "less than the law's by",
    )  # fmt: skip
    found = _interleaved(CHANGING, repeats)
    ends = list(accumulate(seconds for seconds, _ in phases))
    ours = median(run.above_s(0, ends[-1]) for run in found["each 10 ms"])
    for name, runs in found.items():
        cells = []
        for number, end in enumerate(ends):
            above = median(run.above_s(end - phases[number][0], end) for run in runs)
            cells.append(f"{above:.2f}, {median(run.quotas[number + 2] for run in runs):.0f}")
        whole = sorted(run.above_s(0, ends[-1]) for run in runs)
        theirs = median(whole)
        cells.append(f"{theirs:.2f} ({whole[0]:.2f} to {whole[-1]:.2f})")
        yield page.line(name, *cells, "-" if name == "each 10 ms" else less_by(theirs, ours))


def less_by(theirs: float, ours: float, *, judged: bool = True) -> str:
    """`judged`: beside the goal."""
    if ours == 0:
        return "never above" if theirs > 0 else "neither above"
    met = "met" if theirs >= LESS_TIME_GOAL * ours else "**missed**"
    return f"{theirs / ours:.1f}" + (f" (goal {LESS_TIME_GOAL:g}: {met})" if judged else "")


def _interleaved(sent: Sent, repeats: int) -> dict[str, list[Run]]:
    runs: dict[str, list[Run]] = {name: [] for name in LOOP}
    with lone_host() as driver:
        for _ in range(repeats):
            for name, acting in LOOP.items():
                runs[name].append(one_run(driver, sent, acting))
    return runs


def _ms(seconds: list[float]) -> str:
    if not seconds:
        return "-"
    ordered = [1000 * one for one in seconds]
    return f"{median(ordered):.0f}, {min(ordered):.0f} to {max(ordered):.0f} (p95 {percentile(ordered, 0.95):.0f})"
