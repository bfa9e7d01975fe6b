"""The points of a job for levels: which combinations each kind of node has, which is measured next, what was found.

Nothing is kept between two points: all follows from the ask, the host, and what was measured so far.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sextant_domain.chains.traffic import wire_gbps
from sextant_domain.hosts.host import PROFILING_RESOURCES, PROFILING_RESOURCES_REMOTE, HostInventory, NumaNode
from sextant_domain.hosts.levels import NODE_KINDS, Level, NodeKind, TypeLevels
from sextant_domain.hosts.measured_levels import MeasuredLevels, NodeLevels, RateFront
from sextant_domain.profiling.job import LevelsAsk, PointPurpose, PointSetting, ProfilingAsk, StandingNf

from sextant_engine.profiling.cores import FreeCores
from sextant_engine.profiling.levels.staircase import Found, Grid, Point, next_point
from sextant_engine.profiling.requests import CannotProfile
from sextant_engine.profiling.room import ProfilingRoom

MOST_STEPS = 10
"""Of bandwidth that are asked about: parts with MBA have 10, from 10 to 100 %."""
ERRORS_A_HALF_WIDTH = 2.0
"""Standard errors of a mean in half of its 95 % confidence interval, rounded up from 1.96."""


@dataclass(frozen=True, slots=True)
class MeasuredRate:
    """What an NF carried at a point."""

    setting: PointSetting
    mpps: float


@dataclass(frozen=True, slots=True)
class NodeSearch:
    """The search on one kind of node."""

    kind: NodeKind
    node: int
    grid: Grid
    known: Mapping[Point, tuple[float, ...]]

    def next(self) -> Point | Found:
        """The point to be measured next, or what was found."""
        return next_point(self.grid, self.known)


def wanted(ask: ProfilingAsk) -> LevelsAsk:
    """Raises ValueError for an ask that wants a model."""
    if ask.levels is None:
        raise ValueError("the ask is not for levels")
    return ask.levels


def first_points(ask: ProfilingAsk, inventory: HostInventory, free: FreeCores) -> tuple[list[PointSetting], list[str]]:
    """One for each kind of node, with all that an NF can have there, which fix the nodes; and what is left out, with
    the reason. Raises CannotProfile where nothing is left, or the host cannot give ways or bandwidth."""
    why_not = inventory.why_not(PROFILING_RESOURCES)
    if why_not is not None:
        what = "cache ways and memory bandwidth of its own, which levels are found by"
        message = f"{inventory.host_id} cannot measure an NF with {what}: {why_not}; choose another host"
        raise CannotProfile("host", message)
    room = ProfilingRoom.of(ask, inventory, free)
    nodes: dict[NodeKind, int | None] = {"local": room.local, "remote": room.remote}
    left_out = []
    points = []
    for kind in wanted(ask).nodes:
        node = nodes[kind]
        why = _why_left_out(kind, node, inventory)
        if why is not None or node is None:
            left_out.append(f"{kind}: {why}")
        else:
            grid = _grid(ask, _node(inventory, node))
            points.append(_setting(ask, room.local, node, grid.most))
    if not points:
        raise CannotProfile("levels.nodes", f"nothing can be measured on {inventory.host_id}: {'; '.join(left_out)}")
    return points, left_out


def _why_left_out(kind: NodeKind, node: int | None, inventory: HostInventory) -> str | None:
    """What the host cannot do on a kind of node; None where it can be measured there."""
    if node is None:
        one = len(inventory.nodes) == 1
        return "the host has one NUMA node" if one else "no other node than the packets' own has a free core"
    if kind == "local":
        return None
    return inventory.why_refused(PROFILING_RESOURCES_REMOTE)


def grid_points(ask: ProfilingAsk, inventory: HostInventory, settings: Iterable[PointSetting]) -> int:
    """Combinations that there are on the nodes of these settings."""
    nodes = {setting.subject.node for setting in settings}
    return sum(len(_grid(ask, _node(inventory, node)).points) for node in nodes)


def searches(ask: ProfilingAsk, inventory: HostInventory, measured: Sequence[MeasuredRate]) -> list[NodeSearch]:
    """On each kind of node that has a point, local first. `measured`: in the order of the points."""
    found = []
    for kind in NODE_KINDS:
        own = [one for one in measured if one.setting.local is (kind == "local")]
        if own:
            node = own[0].setting.subject.node
            known = {_point(one.setting): (wire_gbps(one.mpps, ask.packet_bytes),) for one in own}
            found.append(NodeSearch(kind, node, _grid(ask, _node(inventory, node)), known))
    return found


def next_setting(ask: ProfilingAsk, inventory: HostInventory, measured: Sequence[MeasuredRate]) -> PointSetting | None:
    """The point to be measured next, the local node's first; None once all is decided."""
    local = measured[0].setting.ingress_node
    for search in searches(ask, inventory, measured):
        point = search.next()
        if not isinstance(point, Found):
            return _setting(ask, local, search.node, point)
    return None


def levels_of(ask: ProfilingAsk, inventory: HostInventory, measured: Sequence[MeasuredRate]) -> MeasuredLevels:
    """What was found. Raises ValueError where something is not decided yet."""
    levels: dict[NodeKind, tuple[Level, ...]] = {"local": (), "remote": ()}
    nodes = []
    for search in searches(ask, inventory, measured):
        found = search.next()
        if not isinstance(found, Found):
            raise ValueError(f"{search.kind}: {found} is to be measured first")
        cells = sorted((rate, cell) for rate, cell in found.cells.items() if cell is not None)
        levels[search.kind] = tuple(Level(gbps=rate, ways=cell[0], mb_percent=cell[1]) for rate, cell in cells)
        nodes.append(
            NodeLevels(
                kind=search.kind,
                fronts=tuple(RateFront(gbps=rate, points=front) for rate, front in sorted(found.fronts.items())),
                points_measured=found.asked,
                points_of_grid=len(search.grid.points),
            )
        )
    return MeasuredLevels(
        levels=TypeLevels(**levels),
        nodes=tuple(nodes),
        noise_percent=ask.half_width_percent / ERRORS_A_HALF_WIDTH,
        packet_bytes=ask.packet_bytes,
        flows=ask.flows,
    )


def _grid(ask: ProfilingAsk, node: NumaNode) -> Grid:
    """One way stays with all others. Each point is measured until its mean is as narrow as asked, and then once."""
    ways = (node.llc.ways or 1) - 1 if node.llc is not None else 0
    steps = _thinned(sorted({step for step in node.memory_bandwidth_steps_percent if 1 <= step <= 100}))
    if ways < 1 or not steps:
        lacks = "cache ways to give: its agent reports one or none" if ways < 1 else "steps of memory bandwidth"
        raise CannotProfile("host", f"node {node.id} has no {lacks}")
    noise = ask.half_width_percent / 100 / ERRORS_A_HALF_WIDTH
    return Grid(ways, tuple(steps), wanted(ask).rates_gbps, noise, repeats=1)


def _thinned(steps: Sequence[int]) -> list[int]:
    """At most `MOST_STEPS` of them, evenly, the highest among them."""
    every = -(-len(steps) // MOST_STEPS) if steps else 1
    return sorted(steps[::-1][::every])


def _node(inventory: HostInventory, node: int) -> NumaNode:
    found = next((one for one in inventory.nodes if one.id == node), None)
    if found is None:
        raise CannotProfile("host", f"{inventory.host_id} has no node {node} any more: start a new job")
    return found


def _point(setting: PointSetting) -> Point:
    return setting.llc_ways or 0, setting.memory_bandwidth_percent or 0


def _setting(ask: ProfilingAsk, local: int, node: int, point: Point) -> PointSetting:
    return PointSetting(
        purpose=PointPurpose.LEVEL,
        ingress_node=local,
        chain=(StandingNf(nf_type=ask.nf_type, node=node),),
        llc_ways=point[0],
        memory_bandwidth_percent=point[1],
    )
