"""A host of the driver `toy`."""

from collections.abc import Iterator

from sextant_agent.doctor.common import check_user
from sextant_agent.doctor.finding import DoctorFinding, ok
from sextant_agent.doctor.sight import Sight
from sextant_agent.settings import AgentSettings


def examine_toy(sight: Sight, settings: AgentSettings) -> Iterator[DoctorFinding]:
    """It needs nothing."""
    yield check_user(sight, settings.state_dir)
    yield ok("toy box", f"{settings.host_id} can play")
