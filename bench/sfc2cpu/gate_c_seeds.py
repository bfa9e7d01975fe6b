"""Networks of several seeds together, beside simple assigners and beside networks that learned from the ideal model. Of
the instances of gate C before the shift; paired over them, each the mean of the seeds."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean

import gate_c
import page
from drawing import SETTINGS
from intervals import of_mean, shown
from on_twin import TwinMachine
from sextant_engine.laws.sfc2cpu.trained import TrainedWeights, read_trained
from sextant_lab.school.on_twin import Ran, assigned

RULES = ("rr", "llf", "lpt", "min_max")


def table(folders: Sequence[Path]) -> Iterator[str]:
    """Rows of each number of cores; `folders`: of School."""
    yield from page.head(
        "cores", "assigner", "instances", "served", "more than calibrated, 95 %", "more than `rr`",
        "more than networks of the ideal model", "p50, ms",
    )  # fmt: skip
    twin = TwinMachine()
    trained = [read_trained((folder / "trained.json").read_bytes()) for folder in folders]
    for cores in sorted({one.weights.cores for one in trained}):
        yield from _rows(twin, cores, [one for one in trained if one.weights.cores == cores])


def _rows(twin: TwinMachine, cores: int, trained: Sequence[TrainedWeights]) -> Iterator[str]:
    of_any = range(SETTINGS["twin"]["instances"])
    known = [gate_c.calibrated_of(twin, cores, number) for number in of_any]
    found: dict[str, list[Ran]] = {"calibrated": [one.ran[0] for one in known]}
    for name in RULES:
        found[f"`{name}`"] = [twin.run(one.asked[0], assigned(one.asked[0], assigner=name)) for one in known]
    of_ideal = None
    for on in dict.fromkeys(map(gate_c.trained_on, trained)):
        same = [one for one in trained if gate_c.trained_on(one) == on]
        ran = [[gate_c.pairs_of(twin, one, number)[0][1] for number in of_any] for one in same]
        name = f"{len(same)} networks of the {on}"
        found[name] = [_mean(at) for at in zip(*ran, strict=True)]
        of_ideal = name if on == gate_c.IDEAL else of_ideal
    for name, runs in found.items():
        yield page.line(
            str(cores), name, str(len(runs)), f"{fmean(one.served for one in runs):.4f}",
            *(_more(found, name, other) for other in ("calibrated", "`rr`", of_ideal)),
            f"{1000 * fmean(one.p50_s for one in runs):.3f}",
        )  # fmt: skip


def _more(found: Mapping[str, Sequence[Ran]], name: str, other: str | None) -> str:
    if other is None or other == name:
        return "-"
    pairs = zip(found[name], found[other], strict=True)
    return shown(of_mean([100 * (one.served / beside.served - 1) for one, beside in pairs]))


def _mean(runs: Sequence[Ran]) -> Ran:
    return Ran(fmean(one.served for one in runs), fmean(one.p50_s for one in runs), ())
