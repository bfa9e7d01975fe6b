"""Push-aside as CoCo publishes it (Sec. III-B): border elements of the overloaded core go to the core next door.

1. An element that needs more than a whole core is scaled out.
2. The border set: along each chain of the overloaded element, up and down, as long as elements stand on its core; the
   outermost of them, but never the overloaded one itself. At an end of the chain there is no core next door.
3. A border may go where its neighbour stands if there is room, which is reserved for all that go, together.
4. D = f(v') - r - idle. Where that is nothing, its share is raised. Else the fewest borders go whose shares add up to
   D, of as few the ones that take least; where there are none, the element is scaled out.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sextant_engine.control.coco.state import Push, PushQuestion, SharedCores

_ROUNDING = 1e-9


def push_aside(question: PushQuestion) -> Push:
    """What the published rule does."""
    lacks, settled = without_moves(question)
    if settled is not None:
        return settled
    host, element = question.host, question.overloaded
    core = core_of(host, element)
    found = _Search(question, lacks, _targets(host, core, element)).best()
    if found is None:
        return _scale_out(lacks, f"no neighbour frees {100 * lacks:.0f} % and has room next door: scale out")
    freed = sum(question.use[name] for name in found)
    told = ", ".join(f"{name} to core {target}" for name, target in sorted(found.items()))
    return Push("push_aside", found, lacks, freed, f"{told} frees {100 * freed:.0f} %")


def without_moves(question: PushQuestion) -> tuple[float, Push | None]:
    """What the core lacks (D), and what is done where nothing has to move, or nothing that moves would help."""
    element = question.overloaded
    lacks = question.needs - question.use[element] - _idle(question, core_of(question.host, element))
    if question.needs > question.full + _ROUNDING:
        percent = 100 * question.needs
        why = f"{element} alone needs {percent:.0f} % of a core: it has to be scaled out, in lanes of its chain"
        return lacks, _scale_out(lacks, why)
    if lacks <= _ROUNDING:
        return lacks, Push("raise_share", {}, lacks, 0.0, "its core has the time: only its share is to be raised")
    return lacks, None


def core_of(host: SharedCores, element: str) -> int:
    """Where it stands."""
    return next(core for core, names in host.cores.items() if element in names)


def borders(host: SharedCores, core: int, element: str) -> dict[str, frozenset[int]]:
    """The border set of an element that stands on `core`: by border, the cores of its neighbours outside."""
    here = set(host.cores[core])
    stands = {name: one for one, names in host.cores.items() for name in names}
    found: dict[str, frozenset[int]] = {}
    for chain in host.chains.values():
        if element not in chain:
            continue
        for outwards in (chain[chain.index(element) :], chain[: chain.index(element) + 1][::-1]):
            inside = next((at for at, name in enumerate(outwards) if name not in here), len(outwards))
            border = outwards[inside - 1]
            if inside < len(outwards) and border != element:
                found[border] = found.get(border, frozenset()) | {stands[outwards[inside]]}
    return found


def _targets(host: SharedCores, core: int, element: str) -> dict[str, frozenset[int]]:
    """Borders that may move, and where each has a neighbour."""
    return {name: cores for name, cores in borders(host, core, element).items() if name not in host.stays}


def _idle(question: PushQuestion, core: int) -> float:
    taken = sum(question.use[name] for name in question.host.cores[core])
    return question.full - taken - question.others.get(core, 0.0)


def _scale_out(lacks: float, why: str) -> Push:
    return Push("scale_out", {}, lacks, 0.0, why)


@dataclass
class _Search:
    """Depth first over the borders, the largest first: each stays, or goes to one of its cores."""

    question: PushQuestion
    lacks: float
    targets: Mapping[str, frozenset[int]]
    _best: tuple[int, float, dict[str, int]] | None = None
    _names: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        self._names = tuple(sorted(self.targets, key=lambda name: (-self.question.use[name], name)))

    def best(self) -> dict[str, int] | None:
        """The core of each that goes; None where no subset frees enough."""
        cores = {core for cores in self.targets.values() for core in cores}
        slots = self.question.host.free_slots
        self._go(0, {}, 0.0, {core: (_idle(self.question, core), slots.get(core, 0)) for core in cores})
        return None if self._best is None else self._best[2]

    def _go(self, at: int, goes: dict[str, int], freed: float, room: Mapping[int, tuple[float, int]]) -> None:
        """`room`: by core, the share and the slots that are left."""
        if freed >= self.lacks - _ROUNDING and goes:
            if self._best is None or (len(goes), freed) < self._best[:2]:
                self._best = len(goes), freed, goes
            return
        left = self._names[at:]
        if self._best is not None and len(goes) + 1 > self._best[0]:
            return
        if freed + sum(self.question.use[name] for name in left) < self.lacks - _ROUNDING:
            return
        name = left[0]
        takes = self.question.use[name]
        for core in sorted(self.targets[name]):
            share, slots = room[core]
            nfs = self.question.host.nfs.get(name, 1)
            if slots >= nfs and share >= takes - _ROUNDING:  # reserved for all that go, together
                left_there = share - takes, slots - nfs
                self._go(at + 1, {**goes, name: core}, freed + takes, {**room, core: left_there})
        self._go(at + 1, goes, freed, room)
