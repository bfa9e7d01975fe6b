"""Why a profiling job cannot start, or not do what is asked."""

from sextant_backend.kit.errors import SextantError


class HostCannotProfile(SextantError):
    """It was revoked, has not reported, lacks the capability, or has no free cores."""

    kind, status, title = "host-cannot-profile", 409, "The host cannot profile NFs now"


class JobActionNotAllowed(SextantError):
    """The job is not in a state for that button."""

    kind, status, title = "action-not-allowed", 409, "The job does not allow this now"
