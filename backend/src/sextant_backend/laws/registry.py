"""Every control law there is."""

from sextant_backend.kit.errors import NotFound
from sextant_backend.laws.coco.law import CocoModule
from sextant_backend.laws.frame import AnyLaw, PacedLaw, PlanningLaw
from sextant_backend.laws.numasfp.law import NumasfpModule
from sextant_backend.laws.octans.law import OctansModule
from sextant_backend.laws.srv6.law import Srv6Module

_planning: dict[str, PlanningLaw] = {}
_each_second: dict[str, PacedLaw] = {}


def register(law: PlanningLaw) -> None:
    """From now on it is evaluated as often as its policy says; names are unique."""
    _refuse_known(law)
    _planning[law.name] = law


def register_each_second(law: PacedLaw) -> None:
    """From now on it is evaluated every second; names are unique."""
    _refuse_known(law)
    _each_second[law.name] = law


def _refuse_known(law: AnyLaw) -> None:
    if law.name in _planning or law.name in _each_second:
        raise ValueError(f"there is a law {law.name} already")


def every() -> tuple[AnyLaw, ...]:
    """All of them, in the order in which they were registered; those of every second last."""
    return (*planning(), *each_second())


def planning() -> tuple[PlanningLaw, ...]:
    """Those that plan on snapshots of the fleet."""
    return tuple(_planning.values())


def each_second() -> tuple[PacedLaw, ...]:
    """Those that are evaluated every second."""
    return tuple(_each_second.values())


def law_named(name: str) -> AnyLaw:
    """The law of that name; raises NotFound, which names those that there are."""
    found = _planning.get(name) or _each_second.get(name)
    if found is None:
        names = ", ".join(sorted(law.name for law in every()))
        raise NotFound(f"There is no control law {name}; there are {names}.")
    return found


register(OctansModule())
register_each_second(NumasfpModule())
register_each_second(CocoModule())
register_each_second(Srv6Module())
