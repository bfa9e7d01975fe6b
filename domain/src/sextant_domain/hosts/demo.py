"""The demonstration fleet: simulated hosts that an operator asks for beside those that are there."""

from pydantic import Field

from sextant_domain.base import Frozen, StrictInt
from sextant_domain.hosts.enrolment import MOST_HOSTS, EnrolmentRequest

DEMO_PATTERN = "demo-*"
DEMO_LABELS = {"zone": "demo"}


class DemoFleet(Frozen):
    """How many simulated hosts there shall be, named demo-01 to demo-20; the process that serves them starts or ends
    them."""

    hosts: StrictInt = Field(ge=0, le=MOST_HOSTS)

    @property
    def names(self) -> tuple[str, ...]:
        """Their ids."""
        return EnrolmentRequest(host=DEMO_PATTERN, count=self.hosts).names if self.hosts else ()
