"""Traffic that changes slowly enough for Kubernetes' autoscalers: SRv6-INT's law beside HPA's and VPA's algorithms
(re-implemented), the same law looking once a second, and no scaling, on the same packets."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import accumulate
from statistics import median
from typing import TypeAlias

import page
from autoscaled import day_of, horizontal, horizontal_lanes, used_at_rates, vertical
from local_loop import less_by
from lone_host import lone_host
from loop_run import FIRST_SHARE, LOOP, MARGIN, Acting, Run, Sent, one_run, within_bounds

PHASES = ((5.0, 0.008), (40.0, 0.05), (25.0, 0.008), (30.0, 0.04), (25.0, 0.008))
SENT = Sent(("simple-forward",), PHASES, FIRST_SHARE)
LATER_S = 7.5
"""The first phase is longer by that in each second run, so that autoscalers come sooner and later after a change."""
MOST_REPEATS = 2
"""Six ways of two minutes each."""
KNOWN_S = 3.0
"""What an NF uses at a rate is measured for so long."""
OURS, POLLING, HPA = "law, each 10 ms", "law, once a second", "HPA's algorithm, each 15 s"
HPA_LANES = "HPA's algorithm, each 15 s, replicas as lanes"
Ways: TypeAlias = Callable[[Acting], Mapping[str, Acting]]
"""By VPA after a day of this traffic."""


def autoscalers(repeats: int) -> Iterator[str]:
    """A row a way; the runs are interleaved, and all begin with the same quota."""
    return _table(repeats, _ways)


def replicas(repeats: int) -> Iterator[str]:
    """The same with HPA's replicas as what they are: further NFs, a lane each. Beside it the law, and once a second."""
    return _table(
        repeats, lambda _: {OURS: LOOP["each 10 ms"], POLLING: LOOP["once a second"], HPA_LANES: horizontal_lanes}
    )


def _table(repeats: int, ways: Ways) -> Iterator[str]:
    repeats = min(repeats, MOST_REPEATS)
    phases = SENT.phases[1:]
    whole_s = sum(seconds for seconds, _ in phases)
    yield f"Two minutes a run; {repeats} of each."
    yield ""
    yield from page.head(
        "who sets the quota", *(f"{1000 * rate:g} kpps for {seconds:g} s: s above L_max, quota %"
        for seconds, rate in phases), f"above in all, s of {whole_s:g}", "less than the law's by", "mean quota, %",
        "packets lost, %",
    )  # fmt: skip
    found = _found(repeats, ways)
    ours = median(run.above_s(0, whole_s) for run in found[OURS])
    for name, runs in found.items():
        yield page.line(name, *_cells(runs), *_whole(name, runs, whole_s, ours))


def _found(repeats: int, ways: Ways) -> dict[str, list[Run]]:
    runs: dict[str, list[Run]] = {}
    with lone_host() as driver:
        used = used_at_rates(driver, SENT, KNOWN_S)
        first = {nf: within_bounds(round(MARGIN * used[SENT.phases[0][1]])) for nf in SENT.nf_ids}
        acting_by_name = ways(vertical(day_of(SENT.phases[1:], used)))
        for number in range(repeats):
            (first_s, rate_mpps), *others = SENT.phases
            sent = replace(SENT, phases=((first_s + LATER_S * (number % 2), rate_mpps), *others))
            for name, acting in acting_by_name.items():
                runs.setdefault(name, []).append(one_run(driver, sent, acting, first))
    return runs


def _ways(after_a_day: Acting) -> Mapping[str, Acting]:
    return {
        OURS: LOOP["each 10 ms"],
        POLLING: LOOP["once a second"],
        HPA: horizontal,
        "VPA's algorithm, each minute": vertical(),
        "the same after a day of this": after_a_day,
        "nobody": LOOP["no law"],
    }


def _cells(runs: list[Run]) -> Iterator[str]:
    """Of each phase."""
    phases = SENT.phases[1:]
    for number, end in enumerate(accumulate(seconds for seconds, _ in phases)):
        above = median(run.above_s(end - phases[number][0], end) for run in runs)
        yield f"{above:.2f}, {median(run.quotas[number + 2] for run in runs):.0f}"


def _whole(name: str, runs: list[Run], whole_s: float, ours: float) -> Iterator[str]:
    above = [run.above_s(0, whole_s) for run in runs]
    yield f"{median(above):.2f} ({min(above):.2f} to {max(above):.2f})"
    yield "-" if name == OURS else less_by(median(above), ours, judged=name in (POLLING, HPA, HPA_LANES))
    yield f"{median(run.mean_quota for run in runs):.0f}"
    yield f"{median(run.lost_share for run in runs):.2f}"
