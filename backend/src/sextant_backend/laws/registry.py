"""Every control law there is."""

from sextant_backend.kit.errors import NotFound
from sextant_backend.laws.frame import AnyLaw
from sextant_backend.laws.octans.law import OctansModule

_laws: dict[str, AnyLaw] = {}


def register(law: AnyLaw) -> None:
    """From now on it is evaluated; names are unique."""
    if law.name in _laws:
        raise ValueError(f"there is a law {law.name} already")
    _laws[law.name] = law


def every() -> tuple[AnyLaw, ...]:
    """All of them, in the order in which they were registered."""
    return tuple(_laws.values())


def law_named(name: str) -> AnyLaw:
    """The law of that name; raises NotFound, which names those that there are."""
    if name not in _laws:
        raise NotFound(f"There is no control law {name}; there is {', '.join(sorted(_laws))}.")
    return _laws[name]


register(OctansModule())
