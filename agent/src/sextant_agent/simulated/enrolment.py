"""From a fleet token to the certificates of many hosts that one process serves."""

from dataclasses import dataclass
from datetime import datetime

from sextant_agent.identity.enrolment import EnrolmentFailed, EnrolmentTarget, issue, wait_until_valid
from sextant_agent.identity.identity import IdentityProblem
from sextant_agent.simulated.identity import FleetIdentity


@dataclass(frozen=True)
class EnrolledFleet:
    """Which hosts this process may speak for."""

    host_ids: tuple[str, ...]
    not_after: datetime


def enrol_fleet(place: EnrolmentTarget, console: str, token: str) -> EnrolledFleet:
    """Write the fleet's identity into `place`. Raises EnrolmentFailed, OSError where it cannot be written."""
    identity = FleetIdentity(place.pki_dir)
    try:
        if not place.replace:
            identity.refuse_living()
        found = issue(place, console, token)
        identity.write(found.key, found.issued, found.listen, found.url)
        wait_until_valid(identity.gateway())
    except IdentityProblem as error:
        raise EnrolmentFailed(str(error)) from error
    return EnrolledFleet(tuple(host.host_id for host in found.issued.hosts), found.issued.not_after)
