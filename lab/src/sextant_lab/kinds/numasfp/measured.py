"""What a run of a study comes to, before it is compared with the paper."""

from dataclasses import dataclass, field

from sextant_domain.studies.numasfp_result import StudyCell

from sextant_lab import paper_figure
from sextant_lab.paper_figure import percent

__all__ = ["Measured", "percent"]


@dataclass
class Measured(paper_figure.Measured):
    """With entries of a look-up table."""

    cells: list[StudyCell] = field(default_factory=list)
