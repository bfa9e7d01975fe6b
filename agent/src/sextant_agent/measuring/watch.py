"""How whoever asked for a measurement follows and ends it."""

from collections.abc import Callable
from dataclasses import dataclass

from sextant_domain.profiling.profile import ProfileProgress


class MeasurementCancelled(Exception):
    """The measurement was ended because somebody asked for that."""


@dataclass(frozen=True, slots=True)
class MeasurementWatch:
    """Both are called often, from the measuring thread."""

    progress: Callable[[ProfileProgress], None] = lambda _: None
    cancelled: Callable[[], bool] = lambda: False
