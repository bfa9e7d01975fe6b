"""Fits what is free on the rows marked C, and nothing else, and writes the twin's `calibration.toml`."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import spread
from fit import Range, search
from judge import distances
from measures import measured
from rows import PublishedSeries
from sextant_twin import calibration
from sextant_twin.calibration import FitSpread, TwinCalibration
from sextant_twin.world import TwinWorld


class Stage(NamedTuple):
    """Parameters that are fitted together, and the rows they are fitted on."""

    rows: tuple[str, ...]
    ranges: Mapping[str, Range]


GENERATIONS = ("haswell", "skylake", "cascade-lake")
RESQ = "xeon-e5-2695-v4"
"""The machine of which a curve of its own was published."""


def _curve(of: str) -> dict[str, Range]:
    ranges = {"a": Range(0.001, 1), "b_ns": Range(0.01, 1000), "p": Range(1, 60), "eps": Range(0.001, 1)}
    return {f"memory.curve.{of}.{name}": span for name, span in ranges.items()}


def _controller(generation: str) -> Stage:
    rows = ("csit-bandwidth-local", f"csit-loaded-{generation}")
    return Stage(rows, {f"memory.efficiency.{generation}": Range(0.5, 1), **_curve(generation)})


STAGES = (
    *(_controller(generation) for generation in GENERATIONS),
    Stage(("resq-access-speed",), _curve(RESQ)),
    Stage(("csit-bandwidth-remote",), {"link.efficiency": Range(0.3, 1)}),
    Stage(("ddio-ways",), {"llc.spread": Range(0.01, 30)}),
    Stage(("resq-ways-lpm",), {"nfs.resq-lpm.size_per_flow": Range(1, 4096), "nfs.resq-lpm.mlp": Range(1, 16)}),
    Stage(("resq-ways-stats",), {"nfs.resq-stats.size_per_flow": Range(1, 4096), "nfs.resq-stats.mlp": Range(1, 16)}),
    Stage(("resq-ways-firewall",), {"nfs.resq-firewall.size": Range(1024, 1e8)}),
    Stage(
        ("resq-ways-mazunat",), {"nfs.resq-mazunat.size_per_flow": Range(1, 4096), "nfs.resq-mazunat.mlp": Range(1, 16)}
    ),
    Stage(("resq-ways-vepc",), {"nfs.resq-vepc.size_per_flow": Range(1, 4096), "nfs.resq-vepc.mlp": Range(1, 16)}),
    Stage(
        ("resq-ways-snort",),
        {
            "nfs.resq-snort.size": Range(1e5, 1e9),
            "nfs.resq-snort.hot_lines_share": Range(0.001, 0.9),
            "nfs.resq-snort.mlp": Range(1, 16),
        },
    ),
    Stage(("numasfp-chain-remote",), {"handoff.mlp": Range(1, 32)}),
)
"""In this order: a later stage stands on the earlier ones."""


def _start() -> TwinCalibration:
    """Where every search begins, so that it ends at the same place whatever is shipped."""
    curve = {"a": 0.1, "b_ns": 10.0, "p": 4.0, "eps": 0.05}
    curves = dict.fromkeys((*GENERATIONS, RESQ), curve)
    nf = {"size": 0.0, "size_per_flow": 0.0, "mlp": 1.5, "hot_lines_share": 0.0}
    return calibration.of_values(
        {
            "memory": {"efficiency": {"haswell": 0.85, "skylake": 0.85, "cascade-lake": 0.87}, "curve": curves},
            "link": {"efficiency": 0.8, "curve": curve},
            "llc": {"spread": 1.0},
            "handoff": {"mlp": 4.0},
            "nfs": {
                "resq-lpm": nf | {"size_per_flow": 64.0},
                "resq-stats": nf | {"size_per_flow": 128.0},
                "resq-firewall": nf | {"size": 65536.0},
                "resq-mazunat": nf | {"size_per_flow": 95.0},
                "resq-vepc": nf | {"size_per_flow": 320.0},
                "resq-snort": nf | {"size": 8388608.0, "mlp": 1.0, "hot_lines_share": 0.1},
            },
        }
    )


def calibrated(rows: list[PublishedSeries]) -> TwinCalibration:
    """Every stage fitted, and the residuals of all rows C."""
    known = {row.name: row for row in rows if row.use == "C"}
    found = _start()
    for stage in STAGES:
        found = _fitted(stage, [known[name] for name in stage.rows], found)
        values = ", ".join(f"{at} {found.value(at):.4g}" for at in stage.ranges)
        print(f"{', '.join(stage.rows)}: {values}", flush=True)
    world = TwinWorld(found)
    residuals = {name: round(max(distances(row, measured(row, world))), 4) for name, row in known.items()}
    spreads = tuple(spread.of_stage([known[name] for name in stage.rows], stage.ranges, found) for stage in STAGES)
    return found.model_copy(update={"residuals": residuals, "spreads": spreads})


def _fitted(stage: Stage, rows: list[PublishedSeries], start: TwinCalibration) -> TwinCalibration:
    def loss(values: dict[str, float]) -> float:
        world = TwinWorld(start.replaced(values))
        missed = 0.0
        for row in rows:
            tolerance = row.tolerance if isinstance(row.tolerance, float | int) else 1.0
            missed += sum((distance / tolerance) ** 2 for distance in distances(row, measured(row, world)))
        return missed

    best = search(loss, {at: start.value(at) for at in stage.ranges}, stage.ranges)
    return start.replaced({at: float(f"{value:.5g}") for at, value in best.items()})


def written(found: TwinCalibration) -> str:
    """The file's text."""
    head = "# Fitted by `make bench-validation BENCH=--calibrate` on the rows marked C, and not edited by hand.\n"
    spreads = (line for each in found.spreads for line in _spread(each))
    return head + "\n".join([*_tables(found.model_dump(exclude={"spreads"}), ""), *spreads]) + "\n"


def _spread(each: FitSpread) -> Iterator[str]:
    yield "\n[[spreads]]"
    yield f"of = {json.dumps(each.of)}"
    yield f"least = {list(each.least)}"
    yield f"most = {list(each.most)}"
    yield f"root = {[list(row) for row in each.root]}"


def _tables(tree: dict[str, Any], path: str) -> Iterator[str]:
    plain = {key: value for key, value in tree.items() if not isinstance(value, dict)}
    if plain:
        yield f"\n[{path}]"
        yield from (f"{key} = {float(value)}" for key, value in plain.items())
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from _tables(value, f"{path}.{key}" if path else key)
