"""Gaussian processes of a host model, with what is made of their samples when that is first asked for."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeVar

from sextant_domain.profiling.process import ProcessModel

T = TypeVar("T")


@dataclass(frozen=True)
class HostProcesses:
    """Equal where the samples are: by their digests."""

    models: Mapping[str, ProcessModel] = field(default_factory=lambda: MappingProxyType({}), compare=False)
    """By NF type."""
    digests: Mapping[str, str] = field(init=False)
    _made: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "digests", {name: one.digest for name, one in self.models.items()})

    def made_of(self, version: str, make: Callable[[Mapping[str, ProcessModel]], T]) -> T:
        """`make` of all NF types of a fit, once."""
        if (make, version) not in self._made:
            of_fit = {name: one for name, one in self.models.items() if one.fit.version == version}
            self._made[make, version] = make(of_fit)
        found: T = self._made[make, version]
        return found


NO_PROCESSES = HostProcesses()
