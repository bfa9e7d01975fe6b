"""Bodies that only HTTP knows."""

from sextant_domain.base import Frozen
from sextant_domain.profiling.job import JobAction


class JobActionRequest(Frozen):
    """What a job shall do."""

    action: JobAction
