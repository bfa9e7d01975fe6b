"""The least ways and bandwidth for each rate, searched on the twin, beside the paper's Table I."""

from sextant_domain.studies.numasfp import LevelSearch, NumasfpScenario
from sextant_domain.studies.numasfp_result import CellNeed, StudyCell
from sextant_domain.studies.scenario import BadScenario
from sextant_engine.profiling.levels.staircase import Found, search

from sextant_lab.kinds.numasfp.measured import Measured
from sextant_lab.kinds.numasfp.table import NEED, need
from sextant_lab.kinds.numasfp.twin import NumasfpTwin, Placed, mask
from sextant_lab.observer import Steps

NODES = ("local", "remote")


def measure(scenario: NumasfpScenario, run: LevelSearch, steps: Steps) -> Measured:
    """Each NF alone, offered the highest rate: a point carries every rate that it delivers."""
    twin, found = NumasfpTwin(scenario), Measured("rate, Gbps")
    if run.ways > twin.own.llc.ways:
        raise BadScenario("run.ways", f"{twin.own.name} has {twin.own.llc.ways}")
    asked = 0
    for nf_type, nf in run.nfs.items():
        for node in NODES:
            steps.next(f"{nf_type} on the {node} node")
            cells = _searched(twin, run, nf, node, steps)
            asked += cells.asked
            ours = [(gbps, cells.cells[gbps]) for gbps in sorted(run.rates_gbps)]
            found.cells += [_cell(run, nf_type, node, gbps, cell) for gbps, cell in ours]
            carried = [(gbps, cell) for gbps, cell in ours if cell is not None]
            found.draw(f"{nf_type}, {node}: ways", "ways", [g for g, _ in carried], [c[0] for _, c in carried])
            found.draw(f"{nf_type}, {node}: MB", "%", [g for g, _ in carried], [c[1] for _, c in carried])
    near = sum(cell.near for cell in found.cells)
    close = f"{run.near_ways} way and {run.near_percent} %"
    found.add(f"cells within {close} of the table", 100 * near / len(found.cells), "%")
    found.add("points measured", asked, "")
    return found


def _searched(twin: NumasfpTwin, run: LevelSearch, nf: str, node: str, steps: Steps) -> Found:
    most = max(run.rates_gbps)

    def gbps(ways: int, percent: int) -> float:
        steps.stop_if_cancelled()
        placed = Placed("chain", (nf,), (twin.node(node),), most, (mask(0, ways),), (percent / 100,))
        # What a port delivers of just its rate lacks a little: a rate counts as carried from 99 % on.
        return twin.carried(twin.setting([placed]))[0] / 0.99

    return search(run.ways, run.mb_percent, run.rates_gbps, 0.0, gbps)


def _cell(run: LevelSearch, nf_type: str, node: str, gbps: float, ours: NEED | None) -> StudyCell:
    paper = need(run.table, (nf_type,), node, gbps)
    near = ours == paper
    if ours is not None and paper is not None:
        near = abs(ours[0] - paper[0]) <= run.near_ways and abs(ours[1] - paper[1]) <= run.near_percent
    return StudyCell(nf=nf_type, node=node, gbps=gbps, ours=_shown(ours), paper=_shown(paper), near=near)


def _shown(need: NEED | None) -> CellNeed | None:
    return None if need is None else CellNeed(ways=need[0], mb_percent=need[1])
