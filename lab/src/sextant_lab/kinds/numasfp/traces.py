"""What algorithms make of drawn rates of several servers, by the look-up table alone (the paper's Figs. 10 to 12)."""

import json
from itertools import pairwise
from statistics import fmean
from typing import Any

from sextant_domain.studies.numasfp import NumasfpScenario, RateCourse, TraceComparison
from sextant_engine.laws.numasfp.run import run as reckon

from sextant_lab.kinds.numasfp.courses import ServerSize, server
from sextant_lab.kinds.numasfp.measured import Measured, percent
from sextant_lab.observer import Steps


def measure(_: NumasfpScenario, run: TraceComparison, steps: Steps) -> Measured:
    """ANAT of each algorithm: the mean share of what is offered that is carried."""
    found = Measured("second")
    anat: dict[str, list[float]] = {algorithm: [] for algorithm in run.algorithms}
    for number, drawn in enumerate(run.servers, 1):
        given = _server(run, drawn)
        for algorithm in run.algorithms:
            steps.next(f"server {number}: {algorithm}")
            asked = {**given, "algorithm": algorithm, "loss": run.loss}
            ran = json.loads(reckon(json.dumps(asked).encode()))
            anat[algorithm].append(ran["anat"])
            if number == 1:
                carried = [sum(interval["throughput_gbps"].values()) for interval in ran["intervals"]]
                found.draw(algorithm, "Gbps", range(run.seconds), carried)
    means = {algorithm: fmean(values) for algorithm, values in anat.items()}
    first = run.algorithms[0]
    for algorithm in run.algorithms:
        found.add(f"ANAT of {algorithm}", means[algorithm], "")
    for algorithm in run.algorithms[1:]:
        found.add(f"{first} over {algorithm}", percent(means[first], means[algorithm]), "%")
        found.add(f"{first} over {algorithm}, server 1", percent(anat[first][0], anat[algorithm][0]), "%")
    for better, worse in pairwise(run.algorithms[1:]):
        found.add(f"{better} over {worse}", percent(means[better], means[worse]), "%")
    return found


def _server(run: TraceComparison, drawn: RateCourse) -> dict[str, Any]:
    size = ServerSize(run.chains, run.length, run.seconds, run.noise)
    chains, rates = server(drawn.family, drawn.ranges, size, f"{drawn.seed} {drawn.family} {drawn.number}")
    room = run.room.model_dump()
    return {"table": run.table, "chains": chains, "nodes": {"local": room, "remote": room}, "rates": rates}
